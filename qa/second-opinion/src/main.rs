//! Asks our endpoint and Amazon's DynamoDB Local the same questions, and compares the answers.
//!
//! - Stories come from `singlet_testing::generator`: random requests, valid and invalid, that meet.
//! - `stage` has both endpoints carry out a step; `connection` speaks HTTP with one of them.
//! - `outcome` is an answer without what is each endpoint's own, `difference` where two differ.
//! - `known` reads the known differences from differences.txt. docs/differences.md explains them.
//! - `performance` plays a story, `shrink` makes one that shows a difference short.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a command line tool talks by printing, and a panic here is a failing test"
)]

mod arguments;
mod connection;
mod difference;
mod known;
mod outcome;
mod performance;
mod reconciliation;
mod report;
mod shrink;
mod stage;

use arguments::Arguments;
use performance::Notes;
use report::Report;
use singlet_testing::generator::story;
use stage::Stage;
use std::process::ExitCode;

/// How many steps a story has, about.
const STORY_STEPS: usize = 80;
/// After so many requests a line tells how far it is.
const PROGRESS: usize = 2000;

fn main() -> ExitCode {
    let done = arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Plays stories until enough was asked. True if all that differed is listed.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut stage = Stage::open(&arguments.ours, &arguments.local)?;
    if let Some(number) = arguments.story {
        stage.shows = true;
        return performance::play(&mut stage, &story(number, STORY_STEPS), &mut Notes::default())
            .map(|()| true);
    }
    let mut report = Report::default();
    let mut number = arguments.seed;
    while stage.requests < arguments.requests {
        let before = stage.requests;
        let steps = story(number, STORY_STEPS);
        let mut notes = Notes::default();
        performance::play(&mut stage, &steps, &mut notes)
            .map_err(|problem| format!("story {number}: {problem}"))?;
        report.add(number, notes);
        number += 1;
        if before / PROGRESS < stage.requests / PROGRESS {
            println!("{} requests, {} differences not listed", stage.requests, report.count());
        }
    }
    println!("{} requests in {} stories", stage.requests, number - arguments.seed);
    let all_listed = report.print(&mut stage, arguments.shown)?;
    let never_met = if arguments.complete { report.never_met() } else { Vec::new() };
    for name in &never_met {
        println!(
            "\nNEVER MET: {name}. Is it gone? Then its rule and its section should go; or is it rare?"
        );
    }
    Ok(all_listed && never_met.is_empty())
}
