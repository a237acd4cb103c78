//! `singlet check` and `singlet design`, called as a person or a script would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A design from the library's tests.
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
fn a_design_with_mistakes_exits_with_1() {
    let output = singlet(&["check"], &[design("sources/snakes.json")]);
    assert_eq!(code(&output), Some(1));
    let text = stdout(&output);
    assert!(
        text.contains("snakes.json: warning[SD204] table 'snakes', index 'GSI1', entity 'Game': ")
    );
    assert!(text.contains("(docs/checks/SD204.md)"), "every finding links to its page");
    assert!(text.ends_with("snakes.json: 10 warnings, 1 note\n"), "{text}");
}

#[test]
fn a_design_with_accepted_findings_exits_with_0() {
    let output = singlet(&["check"], &[design("built/snakes.json")]);
    assert_eq!(code(&output), Some(0));
    assert!(stdout(&output).ends_with("snakes.json: nothing found, 1 accepted\n"));
}

#[test]
fn an_unreadable_design_exits_with_2_and_a_position() {
    let output = singlet(&["check"], &[design("built/snakes.json"), design("built/snakes.md")]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("snakes.md: line 1, column 1: "), "{}", stderr(&output));
    assert!(stdout(&output).contains("nothing found"), "the other file is still checked");
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
    // A template takes the environment as a parameter, so it needs no --env.
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

/// The template of a design with errors used to be printed without a warning.
#[test]
fn a_design_with_errors_is_not_turned_into_a_template() {
    let output = singlet(&["design", "cloudformation"], &[design("sources/cricket.json")]);
    assert_eq!(code(&output), Some(1));
    assert_eq!(stdout(&output), "");
    let said = stderr(&output);
    assert!(said.contains("the design has errors and must not be deployed: error[SD"), "{said}");
    assert!(said.contains("singlet check"), "{said}");
    // Warnings are allowed.
    let output = singlet(&["design", "cloudformation"], &[design("sources/snakes.json")]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
}

#[test]
fn create_table_gives_one_request_after_another() {
    let snakes = [design("built/snakes.json")];
    let output = singlet(&["design", "create-table"], &snakes);
    assert_eq!(code(&output), Some(1));
    assert!(stderr(&output).contains("Set the environment with --env."), "{}", stderr(&output));

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

/// `singlet design document d.json | true` used to panic.
#[test]
fn a_closed_output_pipe_is_not_an_error() {
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
    // The AWS CLI takes a single request.
    let shown = ["design", "create-table", "--env", "test", "--table", "snakes-{env}"];
    let output = singlet(&shown, &[design("built/snakes.json")]);
    let request: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(request.get("TableName"), Some(&"snakes-test".into()), "{}", stderr(&output));
}

#[cfg(feature = "systems")]
const SYSTEMS: [&str; 5] = ["snakes", "threefc", "hacktracker", "fus", "cricket"];

/// The systems are known by their names, as their types declare them.
#[cfg(feature = "systems")]
#[test]
fn systems_are_designs_too() {
    let written = singlet(&["design", "json", "snakes"], &[]);
    assert_eq!(code(&written), Some(0), "{}", stderr(&written));
    let file = std::env::temp_dir().join(format!("singlet-snakes-{}.json", std::process::id()));
    assert!(std::fs::write(&file, &written.stdout).is_ok());
    let checked = singlet(&["check"], std::slice::from_ref(&file));
    let by_name = singlet(&["check", "snakes"], &[]);
    let _ = std::fs::remove_file(&file);
    assert_eq!(code(&checked), code(&by_name));
    let of_file = stdout(&checked).replace(&file.display().to_string(), "snakes");
    assert_eq!(of_file, stdout(&by_name), "the file says the same as the types");
    assert!(of_file.contains("1 accepted"), "{of_file}");
    for system in SYSTEMS {
        let checked = singlet(&["check", system], &[]);
        assert_eq!(code(&checked), Some(0), "{}", stdout(&checked));
    }
    let document = stdout(&singlet(&["design", "document", "threefc"], &[]));
    assert!(document.contains("`3fc-{env}-app`"), "{document}");
    let unknown = singlet(&["check", "nothing"], &[]);
    assert_eq!(code(&unknown), Some(2));
    assert!(stderr(&unknown).contains("`snakes`"), "{}", stderr(&unknown));
}

/// The key tables in docs/systems are made from the types. `UPDATE_EXPECT=1` writes them.
#[cfg(feature = "systems")]
#[test]
fn key_tables_on_pages_of_systems_are_those_of_the_types() {
    const END: &str = "<!-- end -->";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/systems");
    for system in SYSTEMS {
        let page = folder.join(format!("{system}.md"));
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        let begin = format!("<!-- singlet design keys {system} -->\n");
        let parts = text.split_once(&begin).and_then(|(before, rest)| {
            let (shown, after) = rest.split_once(END)?;
            Some((before, shown, after))
        });
        let (before, shown, after) = parts.unwrap_or_else(|| unreachable!("{system} has no keys"));
        let made = stdout(&singlet(&["design", "keys", system], &[]));
        assert!(made.contains("| entity |"), "{made}");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            assert!(std::fs::write(&page, format!("{before}{begin}{made}{END}{after}")).is_ok());
        } else {
            assert_eq!(shown, made, "{system}: UPDATE_EXPECT=1 writes the table");
        }
    }
}
