//! The command `singlet`.

mod check;
mod design;
mod design_file;
mod dynamodb;
mod failure;
mod log;
mod open_files;
mod output;
mod serve;
mod stop;
mod storage;
mod systems;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Keeps blocks of one size together. A lookup among a million items waits for the tables of
/// pages more than for the items, and then takes half as long as with the system's allocator;
/// writes over HTTP are a fifth faster.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Designs for DynamoDB that run. Without a command it does what `singlet serve` does.
#[derive(Parser)]
#[command(
    name = "singlet",
    version,
    after_help = "Examples:\n  singlet serve\n  singlet check snakes.json\n  singlet dynamodb\n  export AWS_DEFAULT_REGION=local AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local\n  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Arguments),
    Check(check::Arguments),
    Design(design::Arguments),
    Dynamodb(dynamodb::Arguments),
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    let command = command.or_else(|| Arguments::parse_from(["singlet", "serve"]).command);
    let outcome = match command {
        Some(Command::Serve(arguments)) => serve::run(&arguments),
        Some(Command::Check(arguments)) => match check::run(&arguments) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Some(Command::Design(arguments)) => design::run(&arguments),
        Some(Command::Dynamodb(arguments)) => dynamodb::run(&arguments),
        None => Ok(()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}
