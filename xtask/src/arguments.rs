//! Command-line parsing.

use std::fmt;

/// The output of `cargo xtask` alone.
pub(crate) const PROGRAM_HELP: &str = "\
The workspace's own commands.

Usage: cargo xtask COMMAND

Commands:
  test    run everything that must hold before a change lands

Example:
  cargo xtask test --quick

`cargo xtask test --help` lists its steps and options.
";

/// A parsed command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help(Help),
    Test(Selection),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Help {
    Program,
    Test,
}

/// The steps to run, and in which mode.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Skip steps that need Python, Node, Java or a browser.
    pub(crate) quick: bool,
    /// Run tests in their long mode.
    pub(crate) long: bool,
    /// Steps named on the command line; empty for all.
    pub(crate) steps: Vec<String>,
}

/// An error message with the valid choices.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Parses the arguments after the program name. `known` are the step names.
pub(crate) fn parse(arguments: &[String], known: &[&str]) -> Result<Request, Refusal> {
    let Some((command, rest)) = arguments.split_first() else {
        return Ok(Request::Help(Help::Program));
    };
    match command.as_str() {
        "help" | "--help" | "-h" => Ok(Request::Help(Help::Program)),
        "test" => parse_test(rest, known),
        other => Err(Refusal(format!(
            "there is no command `{other}`: the one there is, is `cargo xtask test`"
        ))),
    }
}

fn parse_test(arguments: &[String], known: &[&str]) -> Result<Request, Refusal> {
    let mut selection = Selection::default();
    for argument in arguments {
        match argument.as_str() {
            "--help" | "-h" => return Ok(Request::Help(Help::Test)),
            "--quick" => selection.quick = true,
            "--long" => selection.long = true,
            option if option.starts_with('-') => {
                return Err(Refusal(format!(
                    "there is no option `{option}`: see `cargo xtask test --help`"
                )));
            }
            step if known.contains(&step) => selection.steps.push(step.to_owned()),
            step => {
                return Err(Refusal(format!(
                    "there is no step `{step}`: the steps are {}",
                    known.join(", ")
                )));
            }
        }
    }
    Ok(Request::Test(selection))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, Refusal> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words, &["fmt", "test"])
    }

    #[test]
    fn without_a_command_there_is_help() {
        assert_eq!(parsed(""), Ok(Request::Help(Help::Program)));
        assert_eq!(parsed("--help"), Ok(Request::Help(Help::Program)));
        assert_eq!(parsed("test --quick --help"), Ok(Request::Help(Help::Test)));
    }

    #[test]
    fn options_and_steps_may_come_in_any_order() {
        let expected =
            Selection { quick: true, long: true, steps: vec!["test".to_owned(), "fmt".to_owned()] };
        assert_eq!(parsed("test test --long fmt --quick"), Ok(Request::Test(expected)));
    }

    #[test]
    fn what_is_unknown_is_refused_by_name() {
        for line in ["build", "test --fast", "test fmt linter"] {
            let refusal = parsed(line).unwrap_err().to_string();
            let culprit = line.split_whitespace().last().unwrap();
            assert!(refusal.contains(&format!("`{culprit}`")), "{refusal}");
        }
    }
}
