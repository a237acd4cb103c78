//! Instruction counts by valgrind's callgrind, which do not depend on the load of the machine.

use crate::contest::Contest;
use std::process::{Command, ExitCode, Stdio};

/// The command that runs one contender.
pub(crate) const REPEAT: &str = "repeat";

/// The number of counted calls.
const ROUNDS: u32 = 20;

/// Instructions per call of each contender.
pub(crate) fn count(suite: &str, contest: &Contest) -> Result<Vec<u64>, String> {
    let names = contest.contenders.iter().map(|contender| contender.name);
    names.map(|name| Ok(collected(suite, &contest.title, name)? / u64::from(ROUNDS))).collect()
}

fn collected(suite: &str, title: &str, name: &str) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        // Count only inside this function, to exclude the setup.
        .args(["--collect-atstart=no", "--toggle-collect=*counted_rounds*"])
        .arg(own)
        .args([REPEAT, suite, title, name])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind did not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    // The summary: `==123== Collected : 456789`.
    said.lines()
        .find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
        .ok_or_else(|| format!("valgrind counted nothing:\n{said}"))
}

/// Runs one contender for the counted rounds.
pub(crate) fn repeat(contests: &[Contest], title: &str, name: &str) -> ExitCode {
    let contender = contests
        .iter()
        .find(|contest| contest.title == title)
        .and_then(|contest| contest.contenders.iter().find(|contender| contender.name == name));
    let Some(contender) = contender else {
        return ExitCode::from(2);
    };
    // A warm-up call, to exclude one-time initialization.
    (contender.run)();
    counted_rounds(contender.run.as_ref());
    ExitCode::SUCCESS
}

/// Valgrind finds this function by name.
#[inline(never)]
fn counted_rounds(run: &dyn Fn()) {
    for _ in 0..ROUNDS {
        run();
    }
}
