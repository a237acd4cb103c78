//! Every case of `cases/*.txt`, answered by the language alone.
//!
//! [`Tables`] carries out requests on a handful of items in memory, by nothing but the crate's
//! own functions, in the order in which a server would call them. What a case expects and what
//! came out are compared as `singlet_testing::cases` does.

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
