//! The command `singlet`.

mod check;
mod design;
mod design_file;
mod dynamodb;
mod failure;
mod log;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

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
