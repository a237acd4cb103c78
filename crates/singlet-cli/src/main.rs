//! The `singlet` command.

mod check;
mod console;
mod design;
mod design_file;
mod dynamodb;
mod failure;
mod huge_pages;
mod log;
mod open_files;
mod output;
#[cfg(feature = "systems")]
mod serve;
mod stop;
mod storage;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Keeps blocks of one size together. Lookups among a million items are bound by TLB misses and
/// take half as long as with the system's allocator; writes over HTTP are a fifth faster.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// DynamoDB designs that run.
#[derive(Parser)]
#[command(
    name = "singlet",
    version,
    arg_required_else_help = !cfg!(feature = "systems"),
    after_help = EXAMPLES
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[cfg(feature = "systems")]
const EXAMPLES: &str = "\
Without a command: singlet serve

Examples:
  singlet serve
  singlet check snakes.json
  singlet dynamodb
  export AWS_DEFAULT_REGION=local AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000";

#[cfg(not(feature = "systems"))]
const EXAMPLES: &str = "\
Examples:
  singlet check design.json
  singlet dynamodb
  export AWS_DEFAULT_REGION=local AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000";

#[derive(Subcommand)]
enum Command {
    #[cfg(feature = "systems")]
    Serve(serve::Arguments),
    Check(check::Arguments),
    Console(console::Arguments),
    Design(design::Arguments),
    Dynamodb(dynamodb::Arguments),
}

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    #[cfg(feature = "systems")]
    let command = command.or_else(|| Arguments::parse_from(["singlet", "serve"]).command);
    let outcome = match command {
        #[cfg(feature = "systems")]
        Some(Command::Serve(arguments)) => serve::run(&arguments),
        Some(Command::Check(arguments)) => match check::run(&arguments) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Some(Command::Console(arguments)) => console::run(&arguments),
        Some(Command::Design(arguments)) => design::run(&arguments),
        Some(Command::Dynamodb(arguments)) => dynamodb::run(&arguments),
        None => Ok(()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}
