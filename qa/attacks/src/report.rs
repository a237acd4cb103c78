//! The table that is printed, a line for each attack.

use crate::round::{LATENCY_GOAL, MEMORY_ABOVE_IDLE_MAX, P99_GOAL, RECENT_COMMITS_MAX, Round};
use crate::tally::SLOWDOWN_MAX;
use std::time::Duration;

/// How much of a fault is shown.
const FAULT_CHARS_SHOWN: usize = 400;

pub(crate) fn heading(limits: bool) -> String {
    let limits = format!(
        "goals:  p99 {P99_GOAL:?}, max {LATENCY_GOAL:?} with a release build on a quiet machine{}\n\
         limits: no request refused or lost, none typically {SLOWDOWN_MAX:.0} times as slow as at a twin that nobody attacks, {} MB above idle and {} MB of recent commits in a folder\n\n",
        if limits { ", which are limits now" } else { "" },
        MEMORY_ABOVE_IDLE_MAX >> 20,
        RECENT_COMMITS_MAX >> 20
    );
    limits + &line(["attack", "p50 ms", "p99 ms", "max ms", "asked", "slower", "MB", "verdict"])
}

/// The line of an attack, and what did not hold. A `*` marks a goal that was missed.
pub(crate) fn row(name: &str, round: &Round, took: Duration) -> String {
    let service = round.service.as_ref();
    let quantile = |per_mille| {
        let found = service.and_then(|service| service.quantile(per_mille));
        found.map_or("-".to_owned(), |time| format!("{:.1}", time.as_secs_f64() * 1e3))
    };
    let asked = service.map_or("-".to_owned(), |service| service.count().to_string());
    let slowest = service.and_then(|service| service.slowest);
    let slower = slowest.map_or("-".to_owned(), |(_, times)| format!("{times:.1}x"));
    let memory = round.memory_above_idle.map_or("-".to_owned(), |bytes| (bytes >> 20).to_string());
    let word = if round.faults.is_empty() { "ok" } else { "FAILED" };
    let mark = if round.is_late() { "*" } else { "" };
    let verdict = format!("{word}{mark} in {:.1} s", took.as_secs_f64());
    let (p50, p99, most) = (quantile(500), quantile(990), quantile(1000));
    let mut row = line([name, &p50, &p99, &most, &asked, &slower, &memory, &verdict]);
    for fault in &round.faults {
        let fault: String = fault.chars().take(FAULT_CHARS_SHOWN).collect();
        row.push_str(&format!("\n    FAILED: {}", fault.replace('\n', "\n        ")));
    }
    for note in &round.notes {
        row.push_str(&format!("\n    {note}"));
    }
    row
}

fn line(cells: [&str; 8]) -> String {
    let [name, p50, p99, most, asked, slower, memory, verdict] = cells;
    format!("{name:<22}{p50:>9}{p99:>9}{most:>9}{asked:>7}{slower:>9}{memory:>6}  {verdict}")
}
