//! The suite `footprint`: memory for each item in memory mode.

use crate::contender::Contender;
use crate::dynoxide::Dynoxide;
use crate::process;
use crate::sample::ITEM_BYTES;
use crate::singlet::Singlet;

/// The command by which this program fills one contender and says what that took.
pub(crate) const WEIGH: &str = "weigh";

/// Prints what an item takes. Each contender has a process of its own.
pub(crate) fn run(items: u64) {
    println!("Memory for an item of {ITEM_BYTES} bytes, with {items} of them:\n");
    for name in ["singlet", "dynoxide"] {
        let output = process::own(WEIGH).arg(name).arg(items.to_string()).output();
        let said = output.expect("a process").stdout;
        println!("- {name}: {} bytes", String::from_utf8_lossy(&said).trim());
    }
    println!();
}

/// Fills one contender, and prints the bytes of memory for each item.
pub(crate) fn weigh(name: &str, items: u64) {
    let before = process::resident_bytes();
    let filled: Box<dyn std::any::Any> = if name == "singlet" {
        let singlet = Singlet::memory();
        singlet.fill(items);
        Box::new(singlet)
    } else {
        let dynoxide = Dynoxide::memory();
        dynoxide.fill(items);
        Box::new(dynoxide)
    };
    println!("{}", process::resident_bytes().saturating_sub(before) / items);
    drop(filled);
}
