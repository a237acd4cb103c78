//! Code in the docs compiles: it matches doctests, which have additional hidden lines.

use std::path::Path;

/// The Rust blocks of a page, without hidden doctest lines.
fn rust_blocks(page: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line {
            "```" => is_inside = false,
            _ if line.starts_with("```rust") => {
                is_inside = true;
                blocks.push(Vec::new());
            }
            _ if is_inside && line != "#" && !line.starts_with("# ") => {
                if let Some(block) = blocks.last_mut() {
                    block.push(line);
                }
            }
            _ => {}
        }
    }
    blocks
}

#[test]
fn the_code_on_pages_is_that_of_the_doctests() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["declarations.md", "inspection.md", "change-feed.md"] {
        let page = std::fs::read_to_string(package.join("../../docs").join(name)).unwrap();
        let tested = std::fs::read_to_string(package.join("tests/pages").join(name)).unwrap();
        let shown = rust_blocks(&page);
        assert!(!shown.is_empty());
        assert_eq!(shown, rust_blocks(&tested), "{name}: change crates/singlet/tests/pages too");
        assert!(!page.contains("include!"), "{name} shows lines that nobody should see");
    }
}
