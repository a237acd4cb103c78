//! Runs other programs and reports the command line on failure.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command line that prints in a form for the shell.
pub(crate) struct Line {
    program: String,
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
}

impl Line {
    /// Splits a command line at spaces.
    pub(crate) fn new(words: &str) -> Self {
        let mut words = words.split_whitespace().map(str::to_owned);
        Self {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            environment: Vec::new(),
        }
    }

    /// A command line for the program at this path.
    pub(crate) fn of(program: &Path) -> Self {
        let program = program.display().to_string();
        Self { program, arguments: Vec::new(), environment: Vec::new() }
    }

    /// Adds an argument without splitting it.
    pub(crate) fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Sets an environment variable for this command only.
    pub(crate) fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    /// The form for the shell.
    pub(crate) fn shown(&self) -> String {
        let mut shown = String::new();
        for (name, value) in &self.environment {
            shown.push_str(&format!("{name}={} ", quoted(value)));
        }
        shown.push_str(&self.program);
        for argument in &self.arguments {
            shown.push(' ');
            shown.push_str(&quoted(argument));
        }
        shown
    }

    /// Runs it in `folder`, with output to the terminal.
    pub(crate) fn run(&self, folder: &Path) -> Result<(), String> {
        println!("$ {}", self.shown());
        let status = self
            .command(folder)
            .status()
            .map_err(|error| format!("`{}` did not start: {error}", self.shown()))?;
        if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", self.shown())) }
    }

    /// Runs it in `folder` and prints its output in one piece at the end, for parallel runs.
    pub(crate) fn run_beside_others(&self, folder: &Path) -> Result<(), String> {
        let output = self
            .command(folder)
            .output()
            .map_err(|error| format!("`{}` did not start: {error}", self.shown()))?;
        let [printed, errors] =
            [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
        println!("$ {}\n{printed}{errors}", self.shown());
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("`{}` failed ({})", self.shown(), output.status)),
        }
    }

    /// Runs it in `folder` and returns its standard output.
    pub(crate) fn read(&self, folder: &Path) -> Result<String, String> {
        let output = self
            .command(folder)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("`{}` did not start: {error}", self.shown()))?;
        if !output.status.success() {
            return Err(format!("`{}` failed ({})", self.shown(), output.status));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| format!("`{}` printed something that is not UTF-8", self.shown()))
    }

    pub(crate) fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(self.executable());
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(folder)
            .stdin(Stdio::null());
        command
    }

    /// The cargo that started us, so that inner and outer builds share a toolchain. A `+name` needs
    /// rustup's proxy instead.
    fn executable(&self) -> OsString {
        let names_toolchain = self.arguments.first().is_some_and(|a| a.starts_with('+'));
        if self.program == "cargo" && !names_toolchain {
            std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
        } else {
            OsString::from(&self.program)
        }
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:@,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_form_can_be_pasted() {
        let line = Line::new("cargo tree --prefix none")
            .argument("{p}|{l}")
            .variable("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(line.shown(), "RUSTDOCFLAGS='-D warnings' cargo tree --prefix none '{p}|{l}'");
    }

    #[test]
    fn a_failing_command_is_named() {
        let failure = Line::new("cargo no-such-subcommand").run(Path::new(".")).unwrap_err();
        assert!(failure.contains("`cargo no-such-subcommand` failed"), "{failure}");
        let missing = Line::new("no-such-program-anywhere").run(Path::new("."));
        assert!(missing.unwrap_err().contains("did not start"));
    }
}
