//! The command `singlet`.

mod dynamodb;
mod failure;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// DynamoDB on your own machine.
#[derive(Parser)]
#[command(name = "singlet", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Dynamodb(dynamodb::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Dynamodb(arguments) => dynamodb::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}
