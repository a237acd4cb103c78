//! Process and thread statistics, and child processes.

use std::process::Command;
use std::time::Duration;

/// Starts this program with a command.
pub(crate) fn own(command: &str) -> Command {
    let mut own = Command::new(std::env::current_exe().expect("this program has a file"));
    own.arg(command);
    own
}

/// The resident memory of this process.
pub(crate) fn resident_bytes() -> u64 {
    resident_bytes_of(std::process::id())
}

/// The resident memory of a process.
pub(crate) fn resident_bytes_of(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// The processor time of this thread.
pub(crate) fn processor_time() -> Duration {
    // Linux updates the statistics when a thread yields, or every few milliseconds.
    std::thread::yield_now();
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = spent.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
