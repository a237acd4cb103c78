//! A hostile client attacks our own two servers on loopback, while a victim is served.
//!
//! - `attacks` is the table of attacks. `round` runs one: its server, the victim meanwhile, and what
//!   must hold. `tally` judges how the victim was served.
//! - `load` and `in_flight` are ways to send; `http`, `frames`, `dynamodb` and `web` make requests by
//!   hand, so that they can be wrong.
//! - `server` is a process of the command `singlet`; `victim` is the client that must not notice;
//!   `machine` is what other programs take of the processors.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a command line tool talks by printing, and a panic here is a failing test"
)]

mod attacks;
mod dynamodb;
mod frames;
mod http;
mod in_flight;
mod load;
mod machine;
mod open_files;
mod report;
mod round;
mod server;
mod tally;
mod victim;
mod web;

use attacks::{ATTACKS, Attack, CALM};
use clap::Parser;
use clap::builder::PossibleValuesParser;
use round::{Round, Settings};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Attacks our own servers on loopback while a victim is served. Starts processes of `singlet` by
/// itself, and sends nothing to anything else.
#[derive(Parser)]
#[command(after_help = "Example: attacks --only=open-heads --only=unread-answers --long")]
struct Arguments {
    /// Runs this attack alone; give it again for another one
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(ATTACKS.iter().map(|attack| attack.name)))]
    only: Vec<String>,
    /// Lists the attacks, and runs none
    #[arg(long)]
    list: bool,
    /// Attacks for 20 s each instead of about one
    #[arg(long)]
    long: bool,
    /// Fails if the victim's latency misses a goal; for a release build on a machine that does
    /// nothing else
    #[arg(long)]
    limits: bool,
    /// The command to attack; the one beside this program unless given
    #[arg(long, value_name = "PATH")]
    singlet: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        for attack in ATTACKS {
            println!("{:<22}{}", attack.name, attack.about);
        }
        return ExitCode::SUCCESS;
    }
    match run(arguments) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs the selected attacks. Returns how many succeeded, which is the number of weaknesses found.
fn run(arguments: Arguments) -> Result<usize, String> {
    let scratch = Scratch::new()?;
    let settings = Settings {
        program: arguments.singlet.map_or_else(|| sibling("singlet"), Ok)?,
        scratch: scratch.0.clone(),
        long: arguments.long,
        limits: arguments.limits,
        connections_max: open_files::raise_limit(),
    };
    println!("{}", report::heading(settings.limits));
    let is_selected = |attack: &&Attack| {
        arguments.only.is_empty() || arguments.only.iter().any(|name| name == attack.name)
    };
    let begun = Instant::now();
    let (mut held, mut late, mut failed) = (0, 0, Vec::new());
    for attack in ATTACKS.iter().filter(is_selected) {
        let start = Instant::now();
        let mut round = Round::new(&settings, attack.name);
        if let Err(problem) = attack.run(&mut round) {
            round.faults.push(problem);
        }
        println!("{}", report::row(attack.name, &round, start.elapsed()));
        late += usize::from(round.is_late());
        match round.faults.is_empty() {
            true => held += usize::from(attack.name != CALM),
            false => failed.push(attack.name),
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("\n{held} attacks held off, {} succeeded, in {seconds:.0} s", failed.len());
    if late > 0 {
        println!("{late} missed a goal for latency, which counts with --limits only");
    }
    if !failed.is_empty() {
        println!("succeeded: {}", failed.join(", "));
    }
    Ok(failed.len())
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

/// A folder that is removed when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        let folder = format!("singlet-attacks-{}", std::process::id());
        let path = std::env::temp_dir().join(folder);
        // A leftover of a process with the same id, which was killed.
        let _ = std::fs::remove_dir_all(&path);
        make(&path)?;
        Ok(Self(path))
    }
}

fn make(path: &Path) -> Result<(), String> {
    std::fs::create_dir(path).map_err(|error| format!("{}: {error}", path.display()))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
