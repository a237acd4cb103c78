//! The command line.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Attacks our own servers on loopback while a victim is served.
Starts processes of `singlet` by itself, and sends nothing to anything else.

Usage: attacks [OPTION...]

Options:
  --only=NAME       run this attack alone; give it again for another one
  --list            list the attacks, and run none
  --long            attack for 20 s each instead of about one
  --limits          fail if the victim's latency misses a goal; for a release
                    build on a machine that does nothing else
  --singlet=PATH    the command to attack; the one beside this program unless given
  --help            print this

Example:
  attacks --only=open-heads --only=unread-answers --long
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    List,
    Run(Selection),
}

/// Which attacks to run, and against what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Empty means all.
    pub(crate) only: Vec<String>,
    pub(crate) long: bool,
    pub(crate) limits: bool,
    pub(crate) singlet: Option<PathBuf>,
}

/// Reads the arguments after the program's name. `known` are the names of the attacks.
pub(crate) fn parse(
    arguments: impl IntoIterator<Item = String>,
    known: &[&str],
) -> Result<Request, String> {
    let mut selection = Selection::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) => (option, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let mut value = || {
            let value = value.clone().or_else(|| arguments.next());
            value.ok_or_else(|| format!("{option} needs a value\n\n{HELP}"))
        };
        match option {
            "--help" | "-h" => return Ok(Request::Help),
            "--list" => return Ok(Request::List),
            "--long" => selection.long = true,
            "--limits" => selection.limits = true,
            "--singlet" => selection.singlet = Some(value()?.into()),
            "--only" => {
                let name = value()?;
                if !known.contains(&name.as_str()) {
                    let known = known.join(", ");
                    return Err(format!("there is no attack `{name}`: the attacks are {known}"));
                }
                selection.only.push(name);
            }
            _ => return Err(format!("there is no option `{option}`\n\n{HELP}")),
        }
    }
    Ok(Request::Run(selection))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(str::to_owned), &["pings", "resets"])
    }

    #[test]
    fn attacks_can_be_chosen() {
        let Ok(Request::Run(selection)) = parsed("--only=pings --only resets --limits") else {
            panic!("a command line that makes sense");
        };
        assert_eq!(selection.only, ["pings", "resets"]);
        assert!(selection.limits && !selection.long);
        assert_eq!(parsed("--long --list"), Ok(Request::List));
        assert_eq!(parsed("--help"), Ok(Request::Help));
    }

    #[test]
    fn unknown_words_are_refused_by_name() {
        assert!(parsed("--only=floods").unwrap_err().contains("`floods`"));
        assert!(parsed("--fast").unwrap_err().contains("`--fast`"));
        assert!(parsed("--only").unwrap_err().contains("needs a value"));
    }
}
