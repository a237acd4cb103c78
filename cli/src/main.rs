//! The command `singlet`.

mod check;
mod design;
mod design_file;
mod dynamodb;
mod failure;
mod log;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Keeps blocks of one size together. A lookup among a million items waits for the tables of
/// pages more than for the items, and then takes half as long as with the system's allocator;
/// writes over HTTP are a fifth faster.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// DynamoDB on your own machine, and designs for it.
#[derive(Parser)]
#[command(
    name = "singlet",
    version,
    after_help = "Example:\n  singlet check snakes.json\n  singlet dynamodb\n  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Design(design::Arguments),
    Dynamodb(dynamodb::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Check(arguments) => return check::run(&arguments),
        Command::Design(arguments) => design::run(&arguments),
        Command::Dynamodb(arguments) => dynamodb::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}
