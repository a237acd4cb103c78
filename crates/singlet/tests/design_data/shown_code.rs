//! Programs in the README and the tutorial compile, and the errors they show are the compiler's.

use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_default()
}

/// The code blocks in this language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    let behind = text.split(fence.as_str()).skip(1);
    behind.filter_map(|rest| rest.split("```").next()).collect()
}

/// Removes indentation, which differs within a function.
fn unindented(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

/// Leading lines of an example that its page omits: the module doc and the lint exceptions.
const HEADER_LINES: usize = 3;

/// Regression: the page omitted parts of the program, so its blocks did not compile together. Now
/// the blocks must match the example line by line.
#[test]
fn the_blocks_of_the_tutorial_are_the_program() {
    let (tutorial, program) = (read("../../docs/tutorial.md"), read("examples/library.rs"));
    let shown = blocks(&tutorial, "rust");
    assert!(shown.len() > 10, "{} blocks", shown.len());
    let mut program = program.lines().skip(HEADER_LINES);
    for block in shown {
        for line in block.lines() {
            assert_eq!(program.next(), Some(line), "examples/library.rs, at the block:\n{block}");
        }
        assert!(matches!(program.next(), None | Some("")), "behind the block:\n{block}");
    }
    assert_eq!(program.next(), None, "examples/library.rs goes on after the page");
}

/// The README omits only the example's main function.
#[test]
fn the_readme_shows_its_example() {
    let (readme, program) = (read("../../README.md"), read("examples/readme.rs"));
    let shown = blocks(&readme, "rust").concat();
    let rest: Vec<&str> = program.lines().skip(HEADER_LINES).collect();
    let expected = rest.join("\n");
    let Some(hidden) = expected.strip_prefix(&shown) else {
        panic!("README.md should begin with examples/readme.rs:\n{expected}");
    };
    assert!(hidden.trim_start().starts_with("fn main()"), "not shown in README.md:\n{hidden}");
}

#[test]
fn shown_errors_are_what_the_compiler_says() {
    let texts: Vec<String> = stderr_files().iter().map(|file| unindented(file)).collect();
    for (page, shown_min) in [("../../README.md", 1), ("../../docs/tutorial.md", 3)] {
        let text = read(page);
        let shown = blocks(&text, "text");
        assert!(shown.len() >= shown_min, "{page}: {} blocks", shown.len());
        for block in shown {
            let lines = unindented(block);
            let says_all = |text: &&String| lines.lines().all(|line| text.contains(line));
            assert!(texts.iter().any(|text| says_all(&text)), "{page}: no such error:\n{block}");
        }
    }
}

fn stderr_files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../singlet-macros/tests/refusals");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let texts = paths.filter(|path: &PathBuf| path.extension().is_some_and(|end| end == "stderr"));
    texts.filter_map(|path| fs::read_to_string(path).ok()).collect()
}
