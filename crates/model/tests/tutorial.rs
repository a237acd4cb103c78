//! The tutorial shows the program that is beside it, and refusals in the words in which they come.

use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_default()
}

/// The blocks in this language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    let behind = text.split(fence.as_str()).skip(1);
    behind.filter_map(|rest| rest.split("```").next()).collect()
}

/// The lines without their indentation, which is another one within a function.
fn unindented(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn what_the_tutorial_shows_is_in_the_program() {
    let (tutorial, program) = (read("../../docs/tutorial.md"), read("examples/library.rs"));
    let (shown, program) = (blocks(&tutorial, "rust"), unindented(&program));
    assert!(shown.len() > 10, "{} blocks", shown.len());
    for block in shown {
        let found = program.contains(&unindented(block));
        assert!(found, "not in examples/library.rs:\n{block}");
    }
}

#[test]
fn the_compiler_says_what_the_tutorial_says_that_it_says() {
    let tutorial = read("../../docs/tutorial.md");
    let texts: Vec<String> = stderr_files().iter().map(|file| unindented(file)).collect();
    let shown = blocks(&tutorial, "text");
    assert!(shown.len() > 2, "{} blocks", shown.len());
    for block in shown {
        let lines = unindented(block);
        let says_all = |text: &&String| lines.lines().all(|line| text.contains(line));
        assert!(texts.iter().any(|text| says_all(&text)), "nothing is refused so:\n{block}");
    }
}

fn stderr_files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model-macros/tests/refusals");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let texts = paths.filter(|path: &PathBuf| path.extension().is_some_and(|end| end == "stderr"));
    texts.filter_map(|path| fs::read_to_string(path).ok()).collect()
}
