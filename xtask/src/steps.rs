//! The steps of the test command, ordered to fail fast.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::arguments::Selection;
use crate::beside::Beside;
use crate::command::Line;
use crate::program::{self, Program};
use crate::{attacks, browser, clients, examples, lean, local, tidy};

/// Set with `--long`, for tests that have a long mode.
const LONG_VARIABLE: &str = "SINGLET_TEST_LONG";

/// One check.
pub(crate) struct Step {
    name: &'static str,
    about: &'static str,
    call: Call,
    run: fn(&Workshop) -> Result<(), String>,
}

impl Step {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it may run in parallel with others. Steps that need external programs mostly wait
    /// for them. `local` runs alone: next to two browsers and a compiler, one comparison once
    /// differed that never differs otherwise.
    fn runs_beside_others(&self) -> bool {
        matches!(self.call, Call::Outside(_)) && self.name != "local"
    }
}

pub(crate) struct Workshop<'a> {
    /// The workspace folder.
    pub(crate) root: &'a Path,
    /// Whether tests run in their long mode.
    long: bool,
}

impl Workshop<'_> {
    pub(crate) fn long(&self) -> bool {
        self.long
    }
}

enum Call {
    /// Always: needs only the Rust toolchain.
    Always,
    /// If a program is installed. Goes deeper than other steps.
    Where(Program),
    /// Always, except with `--quick`, because it needs Python, Node, Java or a browser. It installs
    /// their packages into target/. The programs must be there: in CI a missing one is a failure.
    Outside(&'static [Program]),
}

const STEPS: &[Step] = &[
    Step { name: "fmt", about: "the code is formatted", call: Call::Always, run: fmt },
    Step {
        name: "clippy",
        about: "no warning from the compiler or clippy",
        call: Call::Always,
        run: clippy,
    },
    Step {
        name: "tidy",
        about: "links, code maps, identifiers in docs and comments, file sizes, manifests, licences, random sources",
        call: Call::Always,
        run: tidy::run,
    },
    Step {
        name: "deny",
        about: "deny.toml as cargo-deny reads it",
        call: Call::Where(program::DENY),
        run: deny,
    },
    Step {
        name: "test",
        about: "all Rust tests, with a short seeded run of the fuzz targets",
        call: Call::Always,
        run: test,
    },
    Step {
        name: "lean",
        about: "no system compiles the HTTP client again",
        call: Call::Always,
        run: lean::run,
    },
    Step {
        name: "doc",
        about: "the documentation builds and its examples run",
        call: Call::Always,
        run: doc,
    },
    Step {
        name: "examples",
        about: "examples run, and print what the docs show",
        call: Call::Always,
        run: examples::run,
    },
    Step {
        name: "clients",
        about: "SDKs, the AWS CLI and libraries on top of them, over HTTP",
        call: Call::Outside(&[program::PYTHON, program::NODE]),
        run: clients::run,
    },
    Step {
        name: "browser",
        about: "the pages of all systems in a real browser; with --long all of their tests",
        call: Call::Outside(&[program::NODE]),
        run: browser::run,
    },
    Step {
        name: "local",
        about: "Amazon's DynamoDB Local: 20,000 answers compared, and the model's stories on it",
        call: Call::Outside(&[program::NODE, program::JAVA]),
        run: local::run,
    },
    Step {
        name: "fuzz",
        about: "a few seconds of coverage-guided fuzzing for each target",
        call: Call::Where(program::FUZZ),
        run: fuzz,
    },
    // Last, because it uses the whole machine.
    Step {
        name: "attacks",
        about: "a hostile client attacks our servers, and a victim must not be starved",
        call: Call::Always,
        run: attacks::run,
    },
];

fn fmt(workshop: &Workshop) -> Result<(), String> {
    Line::new("cargo fmt --all --check").run(workshop.root)?;
    // Separate workspaces, which `--all` does not include.
    Line::new("cargo fmt --manifest-path qa/fuzz/Cargo.toml --check").run(workshop.root)?;
    Line::new("cargo fmt --manifest-path qa/bench/bench-peers/Cargo.toml --check")
        .run(workshop.root)
}

fn clippy(workshop: &Workshop) -> Result<(), String> {
    Line::new("cargo clippy --workspace --all-targets -- -D warnings").run(workshop.root)?;
    // The command without systems and the AWS SDK, as the README installs it.
    Line::new("cargo clippy --package singlet-cli --no-default-features -- -D warnings")
        .run(workshop.root)
}

fn deny(workshop: &Workshop) -> Result<(), String> {
    Line::new("cargo deny --offline check bans licenses sources").run(workshop.root)?;
    if !has_advisories() {
        println!("advisories left out: no copy of the database; `cargo deny fetch` brings one");
        return Ok(());
    }
    // Offline: a test must not depend on the network or change over time.
    Line::new("cargo deny --offline check advisories").run(workshop.root)
}

/// Whether cargo-deny has a copy of the advisory database.
fn has_advisories() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let Some(folder) = home.map(|home| home.join("advisory-dbs")) else { return false };
    std::fs::read_dir(folder).is_ok_and(|mut copies| copies.next().is_some())
}

fn test(workshop: &Workshop) -> Result<(), String> {
    let runner = if program::NEXTEST.is_installed() {
        Line::new("cargo nextest run --workspace --status-level=slow")
    } else {
        println!("{} is not installed, so `cargo test` runs the tests", program::NEXTEST.name);
        Line::new("cargo test --workspace --lib --bins --tests --examples")
    };
    if workshop.long {
        runner.variable(LONG_VARIABLE, "1").run(workshop.root)
    } else {
        runner.run(workshop.root)
    }
}

fn doc(workshop: &Workshop) -> Result<(), String> {
    Line::new("cargo doc --workspace --no-deps")
        .variable("RUSTDOCFLAGS", "-D warnings")
        .run(workshop.root)?;
    Line::new("cargo test --workspace --doc").run(workshop.root)
}

fn fuzz(workshop: &Workshop) -> Result<(), String> {
    Line::new("cargo run --quiet --package singlet-testing --bin fuzz-seeds").run(workshop.root)?;
    let targets = Line::new("cargo +nightly fuzz list --fuzz-dir qa/fuzz").read(workshop.root)?;
    let seconds = if workshop.long { 600 } else { 5 };
    for target in targets.lines() {
        // libFuzzer's output is only useful if it finds something.
        Line::new(&format!("cargo +nightly fuzz run --fuzz-dir qa/fuzz {target} --"))
            .argument(&format!("-max_total_time={seconds}"))
            .argument("-verbosity=0")
            .run(workshop.root)?;
    }
    Ok(())
}

pub(crate) fn names() -> Vec<&'static str> {
    STEPS.iter().map(|step| step.name).collect()
}

/// The text of `cargo xtask test --help`.
pub(crate) fn help() -> String {
    let mut help = "\
Runs everything that must hold before a change lands, and stops at the first failure.

Usage: cargo xtask test [--quick] [--long] [STEP...]

Options:
  --quick    leave out the steps that need Python, Node, Java or a browser
  --long     run the long mode of the tests that have one (hours rather than minutes)

Steps, all of them unless some are named:
"
    .to_owned();
    for step in STEPS {
        let condition = match &step.call {
            Call::Always => String::new(),
            Call::Where(program) => format!(" (where {} is installed)", program.name),
            Call::Outside(_) => " (not with --quick)".to_owned(),
        };
        help.push_str(&format!("  {:<10} {}{condition}\n", step.name, step.about));
    }
    help.push_str("\nExample:\n  cargo xtask test fmt clippy\n");
    help
}

enum Outcome {
    Passed,
    /// Skipped, with the reason.
    LeftOut(String),
    /// The error.
    Failed(String),
}

/// Runs the selected steps and prints a line for each. True if none failed.
pub(crate) fn run(root: &Path, selection: &Selection) -> bool {
    let workshop = Workshop { root, long: selection.long };
    let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let presence =
        |step: &Step| presence(&step.call, selection.quick, in_ci, Program::is_installed);
    let mut report = Report::default();
    let mut beside = Beside::default();
    let named = |step: &&Step| selection.steps.iter().any(|name| name == step.name);
    let selected = || STEPS.iter().filter(|step| selection.steps.is_empty() || named(step));
    let waiting =
        || selected().filter(|step| step.runs_beside_others() && presence(step) == Presence::Run);
    for step in selected() {
        if step.runs_beside_others() && beside.is_empty() && waiting().count() > 1 {
            beside = Beside::start(waiting(), &workshop);
        }
        println!("\n== {}: {}", step.name, step.about);
        let start = Instant::now();
        let (outcome, took) = match presence(step) {
            Presence::Run => {
                let (result, took) = beside
                    .wait_for(step.name)
                    .unwrap_or_else(|| ((step.run)(&workshop), start.elapsed()));
                (result.map_or_else(Outcome::Failed, |()| Outcome::Passed), took)
            }
            Presence::LeaveOut(reason) => (Outcome::LeftOut(reason), start.elapsed()),
            Presence::Fail(reason) => (Outcome::Failed(reason), start.elapsed()),
        };
        let failed = matches!(outcome, Outcome::Failed(_));
        println!("{}", report.add(step.name, &outcome, took));
        if failed {
            break;
        }
    }
    println!("\n{}", report.summary());
    report.failed == 0
}

/// Whether a step runs on this machine in this mode.
#[derive(Debug, PartialEq, Eq)]
enum Presence {
    Run,
    LeaveOut(String),
    Fail(String),
}

fn presence(
    call: &Call,
    quick: bool,
    in_ci: bool,
    is_installed: impl Fn(&Program) -> bool,
) -> Presence {
    match call {
        Call::Always => Presence::Run,
        Call::Where(program) if is_installed(program) => Presence::Run,
        Call::Where(program) => Presence::LeaveOut(format!("{} is not installed", program.name)),
        Call::Outside(_) if quick => Presence::LeaveOut("--quick".to_owned()),
        Call::Outside(programs) => match programs.iter().find(|program| !is_installed(program)) {
            None => Presence::Run,
            Some(missing) => {
                let reason = format!(
                    "{} IS MISSING, so this was not tested. What to do: {}",
                    missing.name, missing.install
                );
                // A developer may skip a step knowingly; CI must not.
                if in_ci { Presence::Fail(reason) } else { Presence::LeaveOut(reason) }
            }
        },
    }
}

#[derive(Default)]
struct Report {
    lines: Vec<String>,
    passed: usize,
    failed: usize,
    left_out: usize,
}

impl Report {
    /// Records a step and returns the text to print now.
    fn add(&mut self, name: &str, outcome: &Outcome, time: Duration) -> String {
        let seconds = format!("{:.1} s", time.as_secs_f64());
        let (word, notice) = match outcome {
            Outcome::Passed => {
                self.passed += 1;
                ("ok", format!("-- {name}: ok in {seconds}"))
            }
            Outcome::LeftOut(reason) => {
                self.left_out += 1;
                ("left out", format!("-- {name}: left out: {reason}"))
            }
            Outcome::Failed(reason) => {
                self.failed += 1;
                let again = format!("To see this alone: cargo xtask test {name}");
                ("FAILED", format!("-- {name}: FAILED after {seconds}: {reason}\n{again}"))
            }
        };
        self.lines.push(format!("{name:<10} {word:<8} {seconds:>9}"));
        notice
    }

    /// A table and a final line in the form that CI parses.
    fn summary(&self) -> String {
        let mut summary = self.lines.join("\n");
        summary.push_str(&format!("\n\n{} passed, {} failed", self.passed, self.failed));
        if self.left_out > 0 {
            summary.push_str(&format!(", {} skipped", self.left_out));
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHON: Program = Program {
        name: "Python",
        probe: &["python3", "--version"],
        install: "apt-get install python3",
    };

    #[test]
    fn quick_leaves_out_what_needs_programs_from_outside() {
        let client = Call::Outside(&[PYTHON]);
        let everything = |_: &Program| true;
        assert_eq!(presence(&client, false, false, everything), Presence::Run);
        assert!(matches!(presence(&client, true, false, everything), Presence::LeaveOut(_)));
        assert_eq!(presence(&Call::Always, true, false, everything), Presence::Run);
    }

    #[test]
    fn a_missing_program_is_loud_and_fails_in_ci_alone() {
        let client = Call::Outside(&[PYTHON]);
        let nothing = |_: &Program| false;
        let Presence::LeaveOut(reason) = presence(&client, false, false, nothing) else {
            panic!("at a desk the step is left out");
        };
        assert!(reason.contains("Python IS MISSING"), "{reason}");
        assert!(reason.contains("apt-get install python3"), "{reason}");
        assert_eq!(presence(&client, false, true, nothing), Presence::Fail(reason));
    }

    #[test]
    fn a_step_that_adds_depth_is_left_out_quietly() {
        let deny = Call::Where(program::DENY);
        assert_eq!(
            presence(&deny, false, true, |_| false),
            Presence::LeaveOut("cargo-deny is not installed".to_owned())
        );
    }

    #[test]
    fn the_report_closes_with_the_line_that_ci_counts() {
        let mut report = Report::default();
        report.add("fmt", &Outcome::Passed, Duration::from_millis(1234));
        let notice =
            report.add("clippy", &Outcome::Failed("a warning".to_owned()), Duration::from_secs(2));
        assert!(notice.ends_with("cargo xtask test clippy"), "{notice}");
        let summary = report.summary();
        assert!(summary.contains("fmt        ok           1.2 s"), "{summary}");
        assert_eq!(summary.lines().last(), Some("1 passed, 1 failed"));
    }

    #[test]
    fn help_names_every_step() {
        let help = help();
        for name in names() {
            assert!(help.contains(&format!("\n  {name} ")), "{name}: {help}");
        }
    }
}
