//! Runs every case of `cases/*.txt` with the language crate alone.
//!
//! [`Tables`] executes requests on a few items in memory, using only the crate's functions, in the
//! order in which a server calls them. `singlet_testing::cases` compares the results.

use crate::tables_and_items::Tables;
use singlet_testing::cases::{self, Answer, Case};

#[test]
fn every_case_is_answered_as_the_service_answers_it() {
    let cases = cases::load().unwrap();
    let failures: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    println!("{} of {} cases passed", cases.len() - failures.len(), cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn check(case: &Case) -> Result<(), String> {
    let mut tables = Tables::new();
    for item in &case.given {
        tables.store(case.table(), item);
    }
    for request in &case.after {
        tables.done(&request.operation, &request.body);
    }
    let answered = tables.carry_out(&case.request.operation, &case.request.body);
    case.check(&Answer::of(&answered))
}
