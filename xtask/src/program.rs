//! External programs that steps need.

use std::process::{Command, Stdio};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its usual name.
    pub(crate) name: &'static str,
    /// A command that succeeds if the program is installed.
    pub(crate) probe: &'static [&'static str],
    /// Installation instructions.
    pub(crate) install: &'static str,
}

/// Runs each test in a separate process, several in parallel.
pub(crate) const NEXTEST: Program = Program {
    name: "cargo-nextest",
    probe: &["cargo", "nextest", "--version"],
    install: "cargo install --locked cargo-nextest",
};

/// Checks licences, sources and duplicates more thoroughly than the step `tidy`.
pub(crate) const DENY: Program = Program {
    name: "cargo-deny",
    probe: &["cargo", "deny", "--version"],
    install: "cargo install --locked cargo-deny",
};

/// Coverage-guided fuzzing, which needs the nightly compiler.
pub(crate) const FUZZ: Program = Program {
    name: "cargo-fuzz with a nightly toolchain",
    probe: &["cargo", "+nightly", "fuzz", "--version"],
    install: "rustup toolchain install nightly && cargo install --locked cargo-fuzz",
};

/// Runs the suites of boto3, the AWS CLI and PynamoDB, which pip installs.
pub(crate) const PYTHON: Program = Program {
    name: "Python 3.10 or newer with pip",
    probe: &["python3", "-m", "pip", "--version"],
    install: "apt-get install python3-pip",
};

/// Runs the suites of the AWS SDK for JavaScript, ElectroDB and dynamodb-toolbox.
pub(crate) const NODE: Program = Program {
    name: "Node 20 or newer with npm",
    probe: &["npm", "--version"],
    install: "install Node from nodejs.org, which brings npm along",
};

/// Runs DynamoDB Local, which npm installs.
pub(crate) const JAVA: Program = Program {
    name: "Java 17 or newer",
    probe: &["java", "-version"],
    install: "apt-get install openjdk-17-jre-headless",
};

impl Program {
    pub(crate) fn is_installed(&self) -> bool {
        let Some((program, arguments)) = self.probe.split_first() else {
            return false;
        };
        Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probed(probe: &'static [&'static str]) -> bool {
        let program = Program { name: "under test", probe, install: "" };
        program.is_installed()
    }

    #[test]
    fn a_program_is_there_when_its_probe_succeeds() {
        assert!(probed(&["cargo", "--version"]));
        assert!(!probed(&["cargo", "no-such-subcommand"]));
        assert!(!probed(&["no-such-program-anywhere"]));
        assert!(!probed(&[]));
    }
}
