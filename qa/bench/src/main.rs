//! Benchmarks against peers.
//!
//! `cargo run --release --package bench -- language` measures the language crate, `model` the
//! modelling layer: times, and with `--instructions` also valgrind's instruction counts, which do
//! not depend on the load of the machine. README.md beside this crate's manifest explains the
//! figures and the other suites.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program talks by printing")]
#![allow(clippy::expect_used, reason = "a sample that does not parse is a broken benchmark")]

mod contest;
mod disk;
mod folder;
mod idle;
mod instructions;
mod language;
mod model;
mod stopwatch;
mod systems;

use contest::Contest;
use mimalloc::MiMalloc;
use std::path::Path;
use std::process::ExitCode;

/// As in the command `singlet`.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const HELP: &str = "\
Measures Singlet beside its peers.

Usage: cargo run --release --package bench -- SUITE [--instructions] [FILTER]

Suites:
  language    values, items, numbers and conditions of the crate `dynamo`
  model       typed reads and writes beside the same requests made by hand
  disk [PART] durable writes and reads beside them, a bare file and a bare redb; a PART is one of
              `syncing`, `writing`, `opening` and `reading`
  idle [HOURS]
              what a server with demo data and no clients takes up on disk and in memory, hour by
              hour for a day, on a clock that the suite moves
  systems     a few figures of each system, as requests a second, to compare two builds by

Options:
  --instructions    also count instructions with valgrind's callgrind
  FILTER            only what has this in its title

Example:
  cargo run --release --package bench -- language --instructions condition
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["idle", hours @ ..] if hours.len() <= 1 => {
            warn_of_debug_build();
            ended(idle::run(hours.first().copied()))
        }
        ["disk", part @ ..] if part.len() <= 1 => {
            warn_of_debug_build();
            match disk::run(part.first().copied()) {
                Some(()) => ExitCode::SUCCESS,
                None => refused("the suite `disk` has no such part"),
            }
        }
        [disk::FILL, path] => {
            disk::fill_until_killed(Path::new(path));
            ExitCode::SUCCESS
        }
        ["systems", filter @ ..] if filter.len() <= 1 => {
            warn_of_debug_build();
            ended(systems::run(filter.first().copied().unwrap_or_default()))
        }
        // Run by valgrind: one contender and nothing else.
        [instructions::REPEAT, suite, title, name] => match contests(suite) {
            Some(contests) => instructions::repeat(&contests, title, name),
            None => ExitCode::from(2),
        },
        [] | ["--help" | "-h" | "help"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        [suite, options @ ..] => match (contests(suite), Options::parse(options)) {
            (Some(contests), Ok(options)) => run(suite, &contests, &options),
            (None, _) => refused(&format!("there is no suite `{suite}`")),
            (_, Err(refusal)) => refused(&refusal),
        },
    }
}

fn ended(outcome: systems::Outcome<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn refused(refusal: &str) -> ExitCode {
    eprintln!("{refusal}\n\n{HELP}");
    ExitCode::from(2)
}

fn contests(suite: &str) -> Option<Vec<Contest>> {
    match suite {
        "language" => Some(language::contests()),
        "model" => Some(model::contests()),
        _ => None,
    }
}

#[derive(Default)]
struct Options {
    instructions: bool,
    filter: String,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self::default();
        for word in words {
            match *word {
                "--instructions" => options.instructions = true,
                option if option.starts_with('-') => {
                    return Err(format!("there is no option `{option}`"));
                }
                filter => filter.clone_into(&mut options.filter),
            }
        }
        Ok(options)
    }
}

fn warn_of_debug_build() {
    if cfg!(debug_assertions) {
        eprintln!("These are figures of a debug build, and mean nothing: use --release.");
    }
}

fn run(suite: &str, contests: &[Contest], options: &Options) -> ExitCode {
    warn_of_debug_build();
    for contest in contests.iter().filter(|contest| contest.title.contains(&options.filter)) {
        let counts = if options.instructions {
            match instructions::count(suite, contest) {
                Ok(counts) => counts,
                Err(problem) => {
                    eprintln!("{problem}");
                    return ExitCode::FAILURE;
                }
            }
        } else {
            Vec::new()
        };
        println!("{}", contest.report(&stopwatch::race(&contest.bodies()), &counts));
    }
    ExitCode::SUCCESS
}
