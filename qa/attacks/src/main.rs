//! A hostile client attacks our own two servers on loopback, while a victim is measured.
//!
//! - `attacks` is the table of attacks, with a file for each.
//! - `round` is one attack: its servers, the victim meanwhile, and the limits that must hold.
//! - `server` is a process of the command `singlet`; `victim` and `web_victim` are who must notice
//!   nothing; `tally` is what they saw.
//! - `crowd` is many attackers at once, `in_flight` one with many requests at once, `fixture` what
//!   they find in the tables; `open_files` lets them have many connections.
//! - `http`, `frames` and `dynamodb` are what is sent, made by hand so that it can be wrong.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a command line tool talks by printing, and a panic here is a failing test"
)]

mod arguments;
mod attacks;
mod crowd;
mod dynamodb;
mod fixture;
mod frames;
mod http;
mod in_flight;
mod open_files;
mod report;
mod round;
mod server;
mod tally;
mod victim;
mod web_victim;

use arguments::{Request, Selection};
use attacks::{ATTACKS, Attack, CALM};
use round::{Round, Settings};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What all attacks may take together, with a debug build, unless they are to be long.
const TWO_MINUTES: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let names: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
    match arguments::parse(std::env::args().skip(1), &names) {
        Ok(Request::Help) => {
            print!("{}", arguments::HELP);
            ExitCode::SUCCESS
        }
        Ok(Request::List) => {
            for attack in ATTACKS {
                println!("{:<22}{}", attack.name, attack.about);
            }
            ExitCode::SUCCESS
        }
        Ok(Request::Run(selection)) => match run(selection) {
            Ok(0) => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(problem) => {
                eprintln!("{problem}");
                ExitCode::from(2)
            }
        },
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs the selected attacks, and says how many succeeded, which is the number of weaknesses found.
fn run(selection: Selection) -> Result<usize, String> {
    let scratch = Scratch::new()?;
    let program = match selection.singlet {
        Some(program) => program,
        None => sibling("singlet")?,
    };
    let settings = Settings {
        program,
        scratch: scratch.0.clone(),
        long: selection.long,
        connections_max: open_files::raise_limit(),
    };
    println!("{}", report::heading());
    let is_selected = |attack: &&Attack| {
        selection.only.is_empty() || selection.only.iter().any(|name| name == attack.name)
    };
    let begun = Instant::now();
    let (mut held, mut failed) = (0, Vec::new());
    for attack in ATTACKS.iter().filter(is_selected) {
        let start = Instant::now();
        let mut round = attempt(&settings, attack, 1);
        // The usual reason is that the machine did something else just then. A weakness shows twice.
        if round.is_only_late() {
            let before = round.faults.join(", ");
            round = attempt(&settings, attack, 2);
            round.note(format!("the second attempt: in the first, {before}"));
        }
        println!("{}", report::row(attack.name, &round, start.elapsed()));
        match round.faults.is_empty() {
            true => held += usize::from(attack.name != CALM),
            false => failed.push(attack.name),
        }
    }
    let took = begun.elapsed();
    let seconds = took.as_secs_f64();
    println!("\n{held} attacks held off, {} succeeded, in {seconds:.0} s", failed.len());
    // It is no fault: machines differ.
    if took > TWO_MINUTES && !settings.long {
        println!("THAT IS LONGER THAN {TWO_MINUTES:?}: make the slowest attacks above shorter");
    }
    if !failed.is_empty() {
        println!("succeeded: {}", failed.join(", "));
    }
    if failed.contains(&CALM) {
        println!("`{CALM}` is no attack: the machine is too busy for these figures to mean much");
    }
    Ok(failed.len())
}

fn attempt<'s>(settings: &'s Settings, attack: &Attack, number: usize) -> Round<'s> {
    let mut round = Round::new(settings, format!("{}-{number}", attack.name));
    if let Err(problem) = (attack.run)(&mut round) {
        round.faults.push(problem);
    }
    round
}

/// A program that cargo puts beside this one.
fn sibling(name: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = own.with_file_name(name).with_extension(std::env::consts::EXE_EXTENSION);
    match program.is_file() {
        true => Ok(program),
        false => Err(format!(
            "there is no {}: build it with `cargo build --bin singlet`, or name one with --singlet",
            program.display()
        )),
    }
}

/// A folder that is removed at the end, whatever happens.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        let folder = format!("singlet-attacks-{}", std::process::id());
        let path = std::env::temp_dir().join(folder);
        make(&path)?;
        Ok(Self(path))
    }
}

fn make(path: &Path) -> Result<(), String> {
    std::fs::create_dir(path).map_err(|error| format!("{}: {error}", path.display()))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
