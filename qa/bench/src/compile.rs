//! The suite `compile`: what entities add to `cargo check`.
//!
//! A package with forty structs is checked as it is, and with the same structs declared as the
//! entities of one table, where each is compared with each. Dependencies are built before the
//! clock runs.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// How many entities.
const ENTITIES: usize = 40;
/// The most that they may add, in seconds.
const LIMIT_S: f64 = 5.0;
/// How often each package is checked. The best time is the least disturbed one.
const ROUNDS: usize = 5;

/// Measures, prints the figures, and fails if the limit is missed.
pub(crate) fn measure() -> ExitCode {
    match times() {
        Ok([plain, declared]) => {
            let extra = declared.as_secs_f64() - plain.as_secs_f64();
            println!("cargo check of {ENTITIES} structs            {:.2} s", plain.as_secs_f64());
            println!("the same as entities of a table     {:.2} s", declared.as_secs_f64());
            println!("extra                               {extra:.2} s, at most {LIMIT_S:.0} s");
            if extra < LIMIT_S { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// The best times of both packages, which take turns.
fn times() -> Result<[Duration; 2], String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = workspace.join("target/compile");
    let plain = package(&workspace, &folder, "plain", &structs(false))?;
    let declared = package(&workspace, &folder, "declared", &structs(true))?;
    let packages = [plain, declared];
    for package in &packages {
        check(package)?;
    }
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (package, best) in packages.iter().zip(&mut best) {
            *best = check(package)?.min(*best);
        }
    }
    Ok(best)
}

/// Checks a package of which the source has just changed.
fn check(package: &Path) -> Result<Duration, String> {
    let source = package.join("src/lib.rs");
    let text = fs::read(&source).map_err(|error| error.to_string())?;
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let output = Command::new("cargo")
        .args(["check", "--quiet", "--offline"])
        .env("CARGO_TARGET_DIR", package.join("../target"))
        // Whatever the compiler remembers, this is for those who compile for the first time.
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(package)
        .output()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    match output.status.success() {
        true => Ok(start.elapsed()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Writes a package that depends on the model, with the versions of this workspace.
fn package(workspace: &Path, folder: &Path, name: &str, code: &str) -> Result<PathBuf, String> {
    let package = folder.join(name);
    let model = workspace.join("crates/singlet");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nsinglet = {{ path = '{}' }}\n\n[workspace]\n",
        model.display()
    );
    let write = || {
        fs::create_dir_all(package.join("src"))?;
        fs::write(package.join("Cargo.toml"), manifest)?;
        fs::copy(workspace.join("Cargo.lock"), package.join("Cargo.lock"))?;
        fs::write(package.join("src/lib.rs"), code)
    };
    write().map_err(|error: std::io::Error| error.to_string())?;
    Ok(package)
}

/// The structs, of nine fields each; as entities they have two index keys.
fn structs(as_entities: bool) -> String {
    let mut code = String::from("use singlet::prelude::*;\n\nid!(Owner, Id, Group);\n\n");
    if as_entities {
        let names: Vec<String> = (0..ENTITIES).map(|number| format!("Thing{number}")).collect();
        let _ = writeln!(
            code,
            "#[table(name = \"things-{{env}}\", key = (PK, SK), \
             index(GSI1 = (GSI1PK, GSI1SK), GSI2 = (GSI2PK, GSI2SK)), ttl = TTL, \
             entities({}))]\npub struct Things;\n",
            names.join("../..")
        );
    }
    for number in 0..ENTITIES {
        if as_entities {
            let _ = writeln!(
                code,
                "#[derive(Entity, Clone, Debug, PartialEq)]\n\
                 #[entity(Things, key = (\"OWNER#{{owner}}\", \"THING{number}#{{id}}\"), \
                 GSI1 newest = (\"THINGS{number}\", \"{{created_at}}\"), \
                 GSI2 of_group = (\"GROUP#{{group}}\", \"THING{number}#{{count:06}}#{{id}}\"), \
                 rename_all = \"camelCase\")]"
            );
        } else {
            code.push_str("#[derive(Clone, Debug, PartialEq)]\n");
        }
        let attribute = |text: &str| match as_entities {
            true => format!("    #[attribute({text})]\n"),
            false => String::new(),
        };
        let _ = writeln!(
            code,
            "pub struct Thing{number} {{\n    pub owner: Owner,\n    pub id: Id,\n    \
             pub group: Option<Group>,\n    pub name: String,\n    pub count: u32,\n    \
             pub tags: Vec<String>,\n{}    pub created_at: Timestamp,\n{}    \
             pub updated_at: Timestamp,\n{}    pub expires: Option<Expiry>,\n}}\n",
            attribute("created"),
            attribute("updated"),
            attribute("ttl")
        );
    }
    code
}
