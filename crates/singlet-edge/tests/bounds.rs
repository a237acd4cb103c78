//! Compares the table in docs/under-attack.md with the source: it lists every field of `Limits` of
//! the edge, the endpoint and the pages, and the important constants.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

use std::collections::BTreeMap;
use std::path::Path;

/// Connection limits of the pages that are constants instead of fields of `Limits`.
const CONSTANTS_OF_PAGES: [(&str, &str); 2] = [
    ("pressed_bytes_per_second_min", "PRESSED_BYTES_PER_SECOND_MIN"),
    ("pressed_time_max", "PRESSED_TIME_MAX"),
];

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The value of a source expression, as the table writes it.
fn shown(expression: &str) -> String {
    let expression = expression.replace('_', "");
    let in_call =
        |call: &str| expression.strip_prefix(call).and_then(|rest| rest.strip_suffix(')'));
    if let Some(seconds) = in_call("Duration::fromsecs(") {
        return format!("{seconds} s");
    }
    if let Some(millis) = in_call("Duration::frommillis(") {
        return format!("{millis} ms");
    }
    if let Some(millis) = expression.strip_suffix("FUELPERMS") {
        let millis = millis.strip_suffix(" * ").unwrap_or("1");
        return format!("{millis} ms");
    }
    match expression.split_once(" << ") {
        Some((number, "10")) => format!("{number} KB"),
        Some((number, "20")) => format!("{number} MB"),
        _ => expression,
    }
}

/// The defaults of the `Limits` in a file, by field.
fn limits(path: &str) -> BTreeMap<String, String> {
    let source = read(path);
    let (_, default) = source.split_once("impl Default for Limits").unwrap();
    let (default, _) = default.split_once("\n}").unwrap();
    let fields = default.lines().filter_map(|line| line.trim().strip_suffix(',')?.split_once(": "));
    let limits: BTreeMap<_, _> =
        fields.map(|(field, value)| (field.to_owned(), shown(value))).collect();
    let (_, declared) = source.split_once("pub struct Limits {").unwrap();
    let (declared, _) = declared.split_once("\n}").unwrap();
    let declared = declared.lines().filter(|line| line.trim().starts_with("pub ")).count();
    assert_eq!(limits.len(), declared, "{path}: {limits:?}");
    limits
}

fn constant(path: &str, name: &str) -> String {
    let source = read(path);
    let declared = source.lines().find_map(|line| {
        let (_, rest) = line.split_once(&format!("const {name}: "))?;
        rest.split_once(" = ")?.1.strip_suffix(';')
    });
    shown(declared.unwrap_or_else(|| panic!("{path} has no {name}")))
}

/// The table's rows: the name, and the two limits.
fn rows() -> Vec<[String; 3]> {
    let page = read("docs/under-attack.md");
    let (_, table) = page.split_once("## All bounds").unwrap();
    let rows = table.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(|cell| cell.trim().to_owned());
        Some([cells.next()?, cells.next()?, cells.next()?])
    });
    rows.collect()
}

#[test]
fn the_table_has_every_limit_and_they_are_right() {
    let mut endpoint = limits("crates/singlet-edge/src/limits.rs");
    let of_connections = endpoint.clone();
    endpoint.extend(limits("crates/singlet-wire/src/limits.rs"));
    assert_eq!(endpoint.remove("connections").as_deref(), Some("singletedge::Limits::default()"));
    let mut pages = limits("crates/singlet-web/src/server.rs");
    for (field, value) in of_connections {
        let constant_name = CONSTANTS_OF_PAGES.iter().find(|(known, _)| *known == field);
        let value = constant_name.map_or(value, |(_, constant_name)| {
            constant("crates/singlet-web/src/server.rs", constant_name)
        });
        pages.entry(field).or_insert(value);
    }
    let rows = rows();
    let cell = |field: &str, column: usize| {
        let row = rows.iter().find(|row| row[0].strip_suffix('`') == Some(field));
        row.unwrap_or_else(|| panic!("docs/under-attack.md has no row for {field}"))[column].clone()
    };
    for (limits, column) in [(&endpoint, 1), (&pages, 2)] {
        for (field, value) in limits {
            assert_eq!(cell(field, column), *value, "{field}, column {column}");
        }
    }
    for [name, in_endpoint, in_pages] in &rows {
        let Some(field) = name.strip_suffix('`') else { continue };
        assert_eq!(in_endpoint.is_empty(), !endpoint.contains_key(field), "{field}");
        assert_eq!(in_pages.is_empty(), !pages.contains_key(field), "{field}");
    }
}

#[test]
fn the_constants_in_the_table_are_right() {
    let mut compared = 0;
    for [name, in_endpoint, in_pages] in rows() {
        // The constant's name, and its file.
        let Some((name, path)) = name.split_once("` (") else { continue };
        let value = constant(path.strip_suffix(')').unwrap(), name);
        assert!(!(in_endpoint.is_empty() && in_pages.is_empty()), "{name}");
        for cell in [in_endpoint, in_pages] {
            assert!(cell.is_empty() || cell == value, "{name} is {value} and not {cell}");
        }
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
}
