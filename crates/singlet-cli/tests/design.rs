//! `singlet check` and `singlet design`, as a person or a script calls them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A design from the tests of the model.
fn design(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../singlet/tests/designs").join(name)
}

fn singlet(arguments: &[&str], files: &[PathBuf]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_singlet")).args(arguments).args(files).output();
    output.unwrap_or_else(|error| unreachable!("the command was built: {error}"))
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_design_with_mistakes_ends_with_one() {
    let output = singlet(&["check"], &[design("sources/snakes.json")]);
    assert_eq!(code(&output), Some(1));
    let text = stdout(&output);
    assert!(
        text.contains("snakes.json: warning[SD204] table 'snakes', index 'GSI1', entity 'Game': ")
    );
    assert!(text.contains("(docs/checks/SD204.md)"), "every finding says where it is explained");
    assert!(text.ends_with("snakes.json: 10 warnings, 1 note\n"), "{text}");
}

#[test]
fn a_design_whose_findings_are_accepted_ends_with_nothing() {
    let output = singlet(&["check"], &[design("built/snakes.json")]);
    assert_eq!(code(&output), Some(0));
    assert!(stdout(&output).ends_with("snakes.json: nothing found, 1 accepted\n"));
}

#[test]
fn a_file_that_is_no_design_ends_with_two_and_says_where() {
    let output = singlet(&["check"], &[design("built/snakes.json"), design("built/snakes.md")]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("snakes.md: line 1, column 1: "), "{}", stderr(&output));
    assert!(stdout(&output).contains("nothing found"), "the other file is checked all the same");
    let missing = singlet(&["check"], &[design("nowhere.json")]);
    assert_eq!(code(&missing), Some(2));
    assert!(stderr(&missing).contains("docs/design-file.md"), "{}", stderr(&missing));
    assert_eq!(code(&singlet(&["check"], &[])), Some(2), "and so does a call without files");
}

#[test]
fn json_has_everything() {
    let output =
        singlet(&["check", "--json"], &[design("built/snakes.json"), design("sources/fus.json")]);
    assert_eq!(code(&output), Some(1));
    let reports: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text = |pointer: &str| reports.pointer(pointer).and_then(serde_json::Value::as_str);
    assert_eq!(text("/0/findings/0/code"), Some("SD204"));
    assert_eq!(text("/0/findings/0/severity"), Some("warning"));
    assert_eq!(text("/0/findings/0/place/entity"), Some("Game"));
    assert!(text("/0/findings/0/accepted").is_some());
    assert!(text("/1/findings/0/advice").is_some());
    assert_eq!(text("/1/findings/0/accepted"), None);
}

#[test]
fn a_design_becomes_what_is_asked_for() {
    let snakes = [design("built/snakes.json")];
    let document = stdout(&singlet(&["design", "document"], &snakes));
    assert!(document.starts_with("# Snakes\n"), "{document}");
    // A template has a parameter for the environment, and takes none.
    for (arguments, member) in [
        (["design", "cloudformation"].as_slice(), "Resources"),
        (["design", "workbench", "--env", "test"].as_slice(), "DataModel"),
    ] {
        let output = singlet(arguments, &snakes);
        assert_eq!(code(&output), Some(0), "{}", stderr(&output));
        let made: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert!(made.get(member).is_some(), "{arguments:?}");
    }
}

/// A template of a design with errors was printed without a word.
#[test]
fn a_design_with_errors_becomes_no_template() {
    let output = singlet(&["design", "cloudformation"], &[design("sources/cricket.json")]);
    assert_eq!(code(&output), Some(1));
    assert_eq!(stdout(&output), "");
    let said = stderr(&output);
    assert!(said.contains("the design has errors, and is not to be deployed: error[SD"), "{said}");
    assert!(said.contains("singlet check"), "{said}");
    // Warnings do not stand in the way.
    let output = singlet(&["design", "cloudformation"], &[design("sources/snakes.json")]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
}

#[test]
fn create_table_gives_one_request_after_another() {
    let snakes = [design("built/snakes.json")];
    let output = singlet(&["design", "create-table"], &snakes);
    assert_eq!(code(&output), Some(1));
    assert!(stderr(&output).contains("Name the environment with --env."), "{}", stderr(&output));

    let output = singlet(&["design", "create-table", "--env", "test"], &snakes);
    let request: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(request.get("TableName"), Some(&"snakes-test".into()));

    let cricket = [design("built/cricket.json")];
    let requests = |arguments: &[&str]| {
        let text = stdout(&singlet(arguments, &cricket));
        let requests = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
        requests.filter(Result::is_ok).count()
    };
    assert_eq!(requests(&["design", "create-table"]), 13);
    assert_eq!(requests(&["design", "create-table", "--time-to-live"]), 7);
    assert_eq!(requests(&["design", "create-table", "--table", "cricket-locks"]), 1);
    assert_eq!(requests(&["design", "create-table", "--table", "cricket-pitches"]), 0);
}

/// `singlet design document d.json | true` ended in a panic.
#[test]
fn nobody_has_to_read_to_the_end() {
    for arguments in [&["check"][..], &["check", "--json"], &["design", "document"]] {
        let (reader, writer) = std::io::pipe().unwrap_or_else(|error| unreachable!("{error}"));
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_singlet"))
            .args(arguments)
            .arg(design("built/snakes.json"))
            .stdout(writer)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output);
        let output = output.unwrap_or_else(|error| unreachable!("the command was built: {error}"));
        assert_eq!((code(&output), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn every_product_is_shown_by_an_example() {
    for product in ["document", "cloudformation", "workbench", "create-table"] {
        let help = stdout(&singlet(&["design", product, "--help"], &[]));
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains(&format!("singlet design {product} snakes.json")), "{help}");
    }
    // The AWS CLI takes one request, and this is one.
    let shown = ["design", "create-table", "--env", "test", "--table", "snakes-{env}"];
    let output = singlet(&shown, &[design("built/snakes.json")]);
    let request: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(request.get("TableName"), Some(&"snakes-test".into()), "{}", stderr(&output));
}
