//! The suite `memory`: both contenders in memory, task by task.

use crate::contender::{Contender, Task};
use crate::dynoxide::Dynoxide;
use crate::round::{Course, Outcome};
use crate::singlet::Singlet;

/// Rounds per contender; the best counts.
const ROUNDS: u64 = 5;

pub(crate) fn run(items: u64) {
    let (ours, theirs) = (Singlet::memory(), Dynoxide::memory());
    ours.fill(items);
    theirs.fill(items);
    println!("In memory, {items} items, best of {ROUNDS} rounds in turns.\n");
    println!(
        "| operation | threads | singlet/s | dynoxide/s | times | singlet ns | dynoxide ns | times |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for task in Task::ALL {
        for threads in [1, 2] {
            let course = Course { task, threads, items };
            let (mut ours_best, mut theirs_best) = (Outcome::NONE, Outcome::NONE);
            let counts = (course.requests(&ours), course.requests(&theirs));
            for seed in 1..=ROUNDS {
                ours_best = ours_best.best(course.run(&ours, counts.0, seed));
                theirs_best = theirs_best.best(course.run(&theirs, counts.1, seed));
            }
            println!(
                "| {} | {threads} | {:.0} | {:.0} | {:.1} | {:.0} | {:.0} | {:.1} |",
                task.title(),
                ours_best.rate,
                theirs_best.rate,
                ours_best.rate / theirs_best.rate,
                ours_best.processor_ns,
                theirs_best.processor_ns,
                theirs_best.processor_ns / ours_best.processor_ns
            );
        }
    }
    println!(
        "\nThe first three columns of figures are by the clock on the wall, the others are \
         nanoseconds of a processor for an operation.\n"
    );
}

/// Compares the cost of GetItem with many items and with few.
pub(crate) fn growth(few: u64, many: u64) {
    let (small, large) = (Singlet::memory(), Singlet::memory());
    small.fill(few);
    large.fill(many);
    for task in [Task::Get, Task::GetMap] {
        let course = |items| Course { task, threads: 1, items };
        let (mut at_few, mut at_many) = (Outcome::NONE, Outcome::NONE);
        let count = course(few).requests(&small);
        for seed in 1..=2 * ROUNDS {
            at_few = at_few.best(course(few).run(&small, count, seed));
            at_many = at_many.best(course(many).run(&large, count, seed));
        }
        println!(
            "{} of singlet: {:.0} ns of a processor at {many} items, {:.0} ns at {few}, {:.2} times",
            task.title(),
            at_many.processor_ns,
            at_few.processor_ns,
            at_many.processor_ns / at_few.processor_ns
        );
    }
    println!();
}

/// Repeats one task of ours for a profiler.
pub(crate) fn profile(task: Task, items: u64, requests: usize) {
    let ours = Singlet::memory();
    ours.fill(items);
    let outcome = Course { task, threads: 1, items }.run(&ours, requests, 1);
    println!("{:.0} ns of a processor", outcome.processor_ns);
}
