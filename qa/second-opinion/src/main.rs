//! Sends the same requests to our endpoint and to DynamoDB Local, and compares the answers.
//!
//! - Stories come from `singlet_testing::generator`: random requests, valid and invalid.
//! - `stage` runs a step on both endpoints; `connection` is the HTTP client.
//! - `outcome` is a normalized answer, `difference` compares two.
//! - `known` reads the known differences from differences.txt. docs/differences.md explains them.
//! - `performance` plays a story, `report` shows the shortest one for each difference.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a command line tool talks by printing, and a panic here is a failing test"
)]

mod connection;
mod difference;
mod known;
mod outcome;
mod performance;
mod reconciliation;
mod report;
mod stage;

use clap::Parser;
use performance::Notes;
use report::Report;
use singlet_testing::generator::story;
use stage::Stage;
use std::process::ExitCode;

/// The approximate length of a story.
const STORY_STEPS: usize = 80;
/// Requests between progress messages.
const PROGRESS: usize = 2000;

/// Sends the same requests to our endpoint and to DynamoDB Local, and compares the answers. Deletes
/// all tables of both.
#[derive(Parser)]
struct Arguments {
    /// Our endpoint, such as 127.0.0.1:8000
    #[arg(long, value_name = "ADDRESS")]
    ours: String,
    #[arg(long, value_name = "ADDRESS")]
    local: String,
    /// How many requests to send to each
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    requests: usize,
    /// The number of the first story
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many differences to show with the shortest story that has them
    #[arg(long, value_name = "N", default_value_t = 20)]
    shown: usize,
    /// Plays this story alone, and shows every request and answer
    #[arg(long, value_name = "N")]
    story: Option<u64>,
    /// Also fails if a listed difference was never met, unless it is a rare one
    #[arg(long)]
    complete: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Plays stories until enough requests were sent. True if all differences are listed.
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
    let all_listed = report.print(&mut stage, arguments.shown);
    let never_met = if arguments.complete { report.never_met() } else { Vec::new() };
    for name in &never_met {
        println!(
            "\nNEVER MET: {name}. Is it gone? Then its rule and its section should go; or is it rare?"
        );
    }
    Ok(all_listed && never_met.is_empty())
}
