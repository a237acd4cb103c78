//! The step `examples`: builds every example, runs the terminating ones, and compares their output
//! with the documentation.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::command::Line;
use crate::steps::Workshop;
use crate::tidy::Tree;

/// Marks an example that is built, but not run, in its documentation.
const ENDLESS: &str = "Runs until it is stopped.";

/// Timeout per example. They take a second or two, unless the machine is busy.
const TIME_MAX: Duration = Duration::from_secs(600);

/// Builds all examples and runs the terminating ones.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let tree = Tree::load(workshop.root)?;
    Line::new("cargo build --quiet --workspace --examples").run(workshop.root)?;
    for file in &tree.files {
        let Some(name) = example_name(&file.path) else {
            continue;
        };
        if file.text.contains(ENDLESS) {
            println!("{name}: built, not run, since it does not end by itself");
            continue;
        }
        let line = Line::new(&format!("cargo run --quiet --example {name}"));
        println!("$ {}", line.shown());
        let printed = run_to_end(&line, workshop.root)?;
        for document in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
            if let Some(shown) = transcript(&document.text, &line.shown())
                && shown != printed
            {
                return Err(format!(
                    "{} shows an output of `{}` that it does not have. It prints:\n{printed}",
                    document.path,
                    line.shown()
                ));
            }
        }
    }
    Ok(())
}

/// The name of an example, if this is its root file.
fn example_name(path: &str) -> Option<&str> {
    let (_, inside) = path.split_once("/examples/")?;
    match inside.split_once('/') {
        Some((name, "main.rs")) => Some(name),
        Some(_) => None,
        None => inside.strip_suffix(".rs"),
    }
}

/// The text below `$ command` in a fenced block of a document.
fn transcript(document: &str, command: &str) -> Option<String> {
    let prompt = format!("\n$ {command}\n");
    let start = document.find(&prompt)? + prompt.len();
    let rest = document.get(start..)?;
    let end = rest.find("```")?;
    rest.get(..end).map(str::to_owned)
}

fn run_to_end(line: &Line, folder: &Path) -> Result<String, String> {
    let shown = line.shown();
    // Capture the output in a file: a full pipe would block the example.
    let target = folder.join("target");
    let captured = target.join("example-output.txt");
    let file = std::fs::create_dir_all(&target)
        .and_then(|()| std::fs::File::create(&captured))
        .map_err(|error| format!("{}: {error}", captured.display()))?;
    let mut child = line
        .command(folder)
        .stdout(Stdio::from(file))
        .spawn()
        .map_err(|error| format!("`{shown}` did not start: {error}"))?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < TIME_MAX => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok(None) => {
                // It has failed already.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!(
                    "`{shown}` did not end within {} s. If it should not, its documentation \
                     has to say: {ENDLESS}",
                    TIME_MAX.as_secs()
                ));
            }
            Err(error) => return Err(format!("`{shown}`: {error}")),
        }
    };
    let printed = std::fs::read_to_string(&captured).map_err(|error| error.to_string())?;
    if status.success() {
        Ok(printed)
    } else {
        Err(format!("`{shown}` failed ({status}), having printed:\n{printed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_file_or_a_folder_with_a_main() {
        assert_eq!(example_name("crates/singlet-dynamo/examples/tour.rs"), Some("tour"));
        assert_eq!(example_name("crates/singlet-cli/examples/shop/main.rs"), Some("shop"));
        assert_eq!(example_name("crates/singlet-cli/examples/shop/cart.rs"), None);
        assert_eq!(example_name("crates/singlet-cli/examples/README.md"), None);
        assert_eq!(example_name("crates/singlet-cli/src/main.rs"), None);
    }

    #[test]
    fn a_transcript_is_what_follows_the_prompt() {
        let document = "Try it:\n\n```console\n$ cargo run --example tour\none\ntwo\n```\nMore.";
        assert_eq!(transcript(document, "cargo run --example tour").as_deref(), Some("one\ntwo\n"));
        assert_eq!(transcript(document, "cargo run --example other"), None);
    }

    #[test]
    fn an_example_that_fails_is_named() {
        let root = crate::workspace_root();
        let failure = run_to_end(&Line::new("cargo no-such-subcommand"), &root).unwrap_err();
        assert!(failure.contains("`cargo no-such-subcommand` failed"), "{failure}");
    }
}
