//! The workspace's commands, run as `cargo xtask`.
//!
//! `cargo xtask test` runs all checks that a change must pass. It depends on the standard library
//! only, so that newcomers do not wait for it to compile.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool talks by printing"
)]

mod arguments;
mod attacks;
mod beside;
mod browser;
mod clients;
mod command;
mod endpoint;
mod examples;
mod lean;
mod local;
mod packages;
mod program;
mod steps;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::{Help, Request};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments::parse(&arguments, &steps::names()) {
        Ok(Request::Help(Help::Program)) => {
            print!("{}", arguments::PROGRAM_HELP);
            ExitCode::SUCCESS
        }
        Ok(Request::Help(Help::Test)) => {
            print!("{}", steps::help());
            ExitCode::SUCCESS
        }
        Ok(Request::Test(selection)) => {
            if steps::run(&workspace_root(), &selection) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(refusal) => {
            eprintln!("{refusal}");
            ExitCode::from(2)
        }
    }
}

/// The workspace folder, regardless of the current one.
fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
