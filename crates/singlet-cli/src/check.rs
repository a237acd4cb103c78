//! `singlet check`: finds mistakes in designs.

use crate::design_file;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use singlet::design::check::{Finding, Severity};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Finds mistakes in design files.
///
/// Exits with 0 if there are only notes and accepted findings, with 1 for errors or warnings, and
/// with 2 if a file cannot be read.
#[derive(Args)]
#[command(
    after_help = "Example:\n  singlet check snakes.json\n  singlet check snakes\n  singlet check --json designs/*.json | jq '.[].findings[].code'\n\ndocs/design-file.md describes the format, docs/checks each rule."
)]
pub(crate) struct Arguments {
    /// The design files, or names of systems.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON, including accepted findings.
    #[arg(long)]
    json: bool,
}

/// The findings in one file.
#[derive(serde::Serialize)]
struct Report {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    findings: Vec<Finding>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let reports: Vec<Report> = arguments
        .files
        .iter()
        .map(|path| {
            let file = path.display().to_string();
            match design_file::read(path) {
                Ok(design) => Report { file, error: None, findings: design.check() },
                Err(error) => Report { file, error: Some(error), findings: Vec::new() },
            }
        })
        .collect();
    let text = if arguments.json {
        serde_json::to_string_pretty(&reports).unwrap_or_default() + "\n"
    } else {
        reports.iter().for_each(complain);
        reports.iter().map(text_of).collect()
    };
    output::print(&text)?;
    let open =
        |finding: &Finding| finding.accepted.is_none() && finding.severity >= Severity::Warning;
    Ok(if reports.iter().any(|report| report.error.is_some()) {
        ExitCode::from(2)
    } else if reports.iter().any(|report| report.findings.iter().any(open)) {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// Unreadable files go to stderr.
fn complain(report: &Report) {
    if let Some(error) = &report.error {
        design_file::unusable(error).tell();
    }
}

/// The report as text.
fn text_of(report: &Report) -> String {
    let mut text = String::new();
    if report.error.is_some() {
        return text;
    }
    let file = &report.file;
    for finding in report.findings.iter().filter(|finding| finding.accepted.is_none()) {
        let _ = writeln!(text, "{file}: {finding}");
        let _ = writeln!(text, "    {} (docs/checks/{}.md)", finding.advice, finding.code);
    }
    let _ = writeln!(text, "{file}: {}", summary(&report.findings));
    text
}

/// `1 error, 2 warnings, 1 accepted`
fn summary(findings: &[Finding]) -> String {
    let open = |severity| {
        let is = |finding: &&Finding| finding.accepted.is_none() && finding.severity == severity;
        findings.iter().filter(is).count()
    };
    let accepted = findings.iter().filter(|finding| finding.accepted.is_some()).count();
    let counts = [
        (open(Severity::Error), "error"),
        (open(Severity::Warning), "warning"),
        (open(Severity::Note), "note"),
    ];
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!("{count} {noun}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() {
        parts.push("nothing found".to_owned());
    }
    if accepted > 0 {
        parts.push(format!("{accepted} accepted"));
    }
    parts.join(", ")
}
