//! The suite `footprint`: memory per item in memory mode.

use crate::contender::Contender;
use crate::dynoxide::Dynoxide;
use crate::process;
use crate::sample::ITEM_BYTES;
use crate::singlet::Singlet;

/// The command that fills one contender and prints its memory use.
pub(crate) const WEIGH: &str = "weigh";

/// Prints the memory per item. Each contender runs in a separate process.
pub(crate) fn run(items: u64) {
    println!("Memory for an item of {ITEM_BYTES} bytes, with {items} of them:\n");
    for name in ["singlet", "dynoxide"] {
        let output = process::own(WEIGH).arg(name).arg(items.to_string()).output();
        let said = output.expect("a process").stdout;
        println!("- {name}: {} bytes", String::from_utf8_lossy(&said).trim());
    }
    println!();
}

/// Fills one contender and prints the memory per item.
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
