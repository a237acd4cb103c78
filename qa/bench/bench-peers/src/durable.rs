//! The suite `durable`: durable PutItem.

use crate::contender::{Contender, Task};
use crate::dynoxide::Dynoxide;
use crate::folder::Folder;
use crate::round::Course;
use crate::singlet::Singlet;
use singlet_engine::Options;

const ITEMS: u64 = 10_000;
const ROUNDS: u64 = 3;

pub(crate) fn run() {
    let folder = Folder::new("durable");
    let ours = Singlet::folder(&folder.path().join("singlet"), Options::default());
    let theirs = Dynoxide::file(&folder.path().join("dynoxide.db"));
    ours.fill(ITEMS);
    theirs.fill(ITEMS);
    println!("PutItem on disk, {ITEMS} items, operations a second, best of {ROUNDS} rounds\n");
    println!("| writers | singlet | dynoxide | times |");
    println!("|---|---|---|---|");
    for threads in [1, 16, 64] {
        let course = Course { task: Task::Put, threads, items: ITEMS };
        let counts = (course.requests(&ours), course.requests(&theirs));
        let (mut our_best, mut their_best) = (0_f64, 0_f64);
        for seed in 1..=ROUNDS {
            our_best = our_best.max(course.run(&ours, counts.0, seed).rate);
            their_best = their_best.max(course.run(&theirs, counts.1, seed).rate);
        }
        println!("| {threads} | {our_best:.0} | {their_best:.0} | {:.1} |", our_best / their_best);
    }
    println!(
        "\nsinglet: one record of the log for all writers that wait, and one fdatasync, before any \
         of them is answered.\n\
         dynoxide: one transaction of SQLite for each PutItem under one lock, journal_mode=WAL \
         and synchronous=FULL (SQLite's default): an fsync of the WAL at each commit.\n"
    );
}
