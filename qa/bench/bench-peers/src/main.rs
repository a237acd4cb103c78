//! Compares the engine with dynoxide-rs, both as libraries in this process, and the endpoint with
//! other DynamoDB-compatible servers, each in a separate process.
//!
//! `cargo run --release` in this folder prints the tables; README.md in the parent folder explains
//! them.

mod contender;
mod durable;
mod dynoxide;
mod folder;
mod footprint;
mod memory;
mod process;
mod recovery;
mod round;
mod sample;
mod servers;
mod singlet;

use contender::Task;
use mimalloc::MiMalloc;
use std::path::Path;
use std::process::ExitCode;

/// As in the command `singlet`.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const FEW: u64 = 10_000;
const MANY: u64 = 1_000_000;

const HELP: &str = "\
Measures Singlet's engine beside dynoxide-rs, and its endpoint beside other servers.

Usage: cargo run --release [-- SUITE]

Suites:
  memory [ITEMS]      operations a second, both in memory (10000 and 1000000 items)
  growth              GetItem of ours with 1000000 items, compared with 10000
  footprint [ITEMS]   memory for an item
  durable             PutItem that is on the disk, from 1, 16 and 64 writers
  recovery [BYTES]    opening a folder of a gigabyte after kill -9
  servers             requests a second over HTTP, in memory, from 1 and 16 connections; needs
                      npm, Node and Java for the peers
  servers PORT...     the same for servers that run already, on these ports, and are empty
  instructions FILE...
                      instructions for a request over HTTP, by these builds of `singlet`: to
                      compare two states of it; needs valgrind
  servers-durable     PutItem over HTTP that is on the disk, from 1, 16 and 64 connections
  profile TASK ITEMS REQUESTS
                      one task of ours and nothing else, for a profiler; a task is named as in
                      the tables
Without a suite, all but `servers PORT...`, `instructions` and `profile`.
";

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        eprintln!("These are figures of a debug build, and mean nothing: use --release.");
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => {
            memory::run(FEW);
            memory::run(MANY);
            memory::growth(FEW, MANY);
            footprint::run(MANY);
            durable::run();
            recovery::run(1 << 30);
            servers::memory();
            servers::durable();
            Some(())
        }
        ["memory"] => {
            memory::run(FEW);
            memory::run(MANY);
            Some(())
        }
        ["memory", items] => items.parse().ok().map(memory::run),
        ["growth"] => Some(memory::growth(FEW, MANY)),
        ["footprint"] => Some(footprint::run(MANY)),
        ["footprint", items] => items.parse().ok().map(footprint::run),
        ["durable"] => Some(durable::run()),
        ["recovery"] => Some(recovery::run(1 << 30)),
        ["recovery", bytes] => bytes.parse().ok().map(recovery::run),
        ["servers"] => Some(servers::memory()),
        ["servers", ports @ ..] => servers::ports(ports),
        ["instructions", programs @ ..] => servers::instructions(programs),
        ["servers-durable"] => Some(servers::durable()),
        ["profile", title, items, requests] => profile(title, items, requests),
        [footprint::WEIGH, name, items] => {
            items.parse().ok().map(|items| footprint::weigh(name, items))
        }
        [recovery::FILL, path, bytes] => {
            bytes.parse().ok().map(|bytes| recovery::fill_until_killed(Path::new(path), bytes))
        }
        [servers::SERVE, kind, rest @ ..] => servers::serve(kind, rest),
        _ => None,
    };
    match done {
        Some(()) => ExitCode::SUCCESS,
        None => {
            print!("{HELP}");
            ExitCode::from(2)
        }
    }
}

fn profile(title: &str, items: &str, requests: &str) -> Option<()> {
    let task = Task::ALL.into_iter().find(|task| task.title() == title)?;
    memory::profile(task, items.parse().ok()?, requests.parse().ok()?);
    Some(())
}
