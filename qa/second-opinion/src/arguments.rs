//! What was asked for on the command line.

pub(crate) const HELP: &str = "\
Asks our endpoint and Amazon's DynamoDB Local the same questions, and compares the answers.
Both lose all their tables.

Usage: second-opinion --ours=ADDRESS --local=ADDRESS [OPTION...]

Options:
  --requests=N    how many requests to send to each (20000)
  --seed=N        the number of the first story (1)
  --shown=N       how many differences to show with the shortest story that has them (20)
  --story=N       play this story alone, and show every request and answer
  --complete      also fail if a listed difference was never met, unless it is a rare one

Example:
  second-opinion --ours=127.0.0.1:8000 --local=127.0.0.1:8001 --requests=1000
";

/// A command line that made sense.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) ours: String,
    pub(crate) local: String,
    pub(crate) requests: usize,
    pub(crate) seed: u64,
    pub(crate) shown: usize,
    pub(crate) story: Option<u64>,
    pub(crate) complete: bool,
}

/// Reads the arguments after the program's name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Arguments, String> {
    let mut parsed = Arguments {
        ours: String::new(),
        local: String::new(),
        requests: 20_000,
        seed: 1,
        shown: 20,
        story: None,
        complete: false,
    };
    for argument in arguments {
        let (option, value) = argument.split_once('=').unwrap_or((&argument, ""));
        match option {
            "--ours" => parsed.ours = value.to_owned(),
            "--local" => parsed.local = value.to_owned(),
            "--requests" => parsed.requests = number(option, value)?,
            "--seed" => parsed.seed = number(option, value)?,
            "--shown" => parsed.shown = number(option, value)?,
            "--story" => parsed.story = Some(number(option, value)?),
            "--complete" => parsed.complete = true,
            _ => return Err(format!("there is no option `{option}`\n\n{HELP}")),
        }
    }
    if parsed.ours.is_empty() || parsed.local.is_empty() {
        return Err(format!("--ours and --local are needed\n\n{HELP}"));
    }
    Ok(parsed)
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{option} needs a number, not `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn both_addresses_are_needed_and_the_rest_is_not() {
        let arguments = parsed("--local=a:1 --ours=b:2 --seed=7").unwrap();
        assert_eq!((arguments.ours.as_str(), arguments.seed), ("b:2", 7));
        assert_eq!(arguments.requests, 20_000);
        assert!(parsed("--ours=a:1").unwrap_err().contains("--local"));
    }

    #[test]
    fn what_is_unknown_or_no_number_is_refused_by_name() {
        assert!(parsed("--fast").unwrap_err().contains("`--fast`"));
        assert!(parsed("--ours=a --local=b --seed=x").unwrap_err().contains("`x`"));
    }
}
