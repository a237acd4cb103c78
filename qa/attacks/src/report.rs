//! The table that is printed, a line for each attack.

use crate::round::{LATENCY_GOAL, LATENCY_MAX, MEMORY_ABOVE_IDLE_MAX, P99_GOAL, P99_MAX, Round};
use std::time::Duration;

/// How much of a fault is shown.
const FAULT_CHARS_SHOWN: usize = 400;

pub(crate) fn heading() -> String {
    let limits = format!(
        "goals:  p99 {P99_GOAL:?}, max {LATENCY_GOAL:?}\n\
         limits: p99 {P99_MAX:?}, max {LATENCY_MAX:?}, no request refused or lost, {} MB above idle\n\n",
        MEMORY_ABOVE_IDLE_MAX >> 20
    );
    limits + &line(["attack", "p50 ms", "p99 ms", "max ms", "asked", "refused", "MB", "verdict"])
}

/// The line of an attack, and what did not hold.
pub(crate) fn row(name: &str, round: &Round, took: Duration) -> String {
    let quantile =
        |per_mille| shown(round.tally.as_ref().and_then(|tally| tally.quantile(per_mille)));
    let count = |count: Option<usize>| count.map_or("-".to_owned(), |count| count.to_string());
    let asked = count(round.tally.as_ref().map(|tally| tally.count()));
    let refused = count(round.tally.as_ref().map(|tally| tally.refused));
    let memory = round.memory_above_idle.map_or("-".to_owned(), |bytes| (bytes >> 20).to_string());
    let word = if round.faults.is_empty() { "ok" } else { "FAILED" };
    let verdict = format!("{word} in {:.1} s", took.as_secs_f64());
    let (p50, p99, most) = (quantile(500), quantile(990), quantile(1000));
    let mut row = line([name, &p50, &p99, &most, &asked, &refused, &memory, &verdict]);
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
    let [name, p50, p99, most, asked, refused, memory, verdict] = cells;
    format!("{name:<22}{p50:>9}{p99:>9}{most:>9}{asked:>7}{refused:>9}{memory:>6}  {verdict}")
}

/// Milliseconds.
fn shown(time: Option<Duration>) -> String {
    time.map_or("-".to_owned(), |time| format!("{:.1}", time.as_secs_f64() * 1e3))
}
