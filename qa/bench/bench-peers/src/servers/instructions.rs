//! The suite `instructions`: instructions per request, counted by valgrind's callgrind.
//!
//! The counts are stable, while times vary by a tenth: use them to compare two builds of the
//! endpoint. Kernel time is not included.

use super::server::free_port;
use super::{TASKS, load, request};
use crate::contender::Task;
use crate::folder::Folder;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ITEMS: u64 = 1_000;
/// Requests before counting starts.
const WARM_UP: u64 = 200;
const COUNTED: u64 = 1_600;
/// Timeout for a start under valgrind.
const START_MAX: Duration = Duration::from_secs(120);

/// Prints instructions per task for these builds of `singlet`, in memory.
pub(crate) fn run(programs: &[&str]) -> Option<()> {
    let first = programs.first()?;
    let counts: Vec<Vec<u64>> = programs.iter().map(|program| count(program)).collect();
    println!("Instructions for a request, in user space, {ITEMS} items of 400 bytes:\n");
    print!("| operation |");
    programs.iter().for_each(|program| print!(" {program} |"));
    programs.iter().skip(1).for_each(|_| print!(" beside {first} |"));
    println!("\n|---|{}", "---|".repeat(2 * programs.len() - 1));
    for (place, task) in TASKS.iter().enumerate() {
        let own: Vec<u64> = counts.iter().map(|counts| counts[place]).collect();
        print!("| {} |", task.title());
        own.iter().for_each(|count| print!(" {count} |"));
        for count in own.iter().skip(1) {
            print!(" {:+.1} % |", (*count as f64 / own[0] as f64 - 1.0) * 100.0);
        }
        println!();
    }
    Some(())
}

fn count(program: &str) -> Vec<u64> {
    let folder = Folder::new("servers-instructions");
    let server = Counted::start(program, folder.path());
    load::create_table(server.port);
    load::fill(server.port, ITEMS);
    TASKS.iter().map(|task| server.count(*task, folder.path())).collect()
}

/// A server under callgrind.
struct Counted {
    child: Child,
    port: u16,
}

impl Counted {
    fn start(program: &str, folder: &Path) -> Self {
        let port = free_port();
        let mut output = std::ffi::OsString::from("--callgrind-out-file=");
        output.push(folder.join("counts"));
        let child = Command::new("valgrind")
            .arg("--tool=callgrind")
            .arg(output)
            .args([program, "dynamodb", "--in-memory", "--log", "warn", "--port"])
            .arg(port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("valgrind: {error}"));
        let server = Self { child, port };
        let start = Instant::now();
        while load::try_one(port, &request::list_tables()).is_err() {
            assert!(start.elapsed() < START_MAX, "{program} did not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn count(&self, task: Task, folder: &Path) -> u64 {
        load::repeat(self.port, task, ITEMS, WARM_UP);
        self.control("--zero");
        load::repeat(self.port, task, ITEMS, COUNTED);
        self.control("--dump");
        let newest = std::fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok())
            .expect("a dump");
        let dump = std::fs::read_to_string(newest.path()).expect("a dump");
        let total = dump.lines().find_map(|line| line.strip_prefix("totals: ")?.parse().ok());
        total.unwrap_or(0_u64) / COUNTED
    }

    fn control(&self, what: &str) {
        let pid = self.child.id().to_string();
        let done = Command::new("callgrind_control").arg(what).arg(pid).output();
        assert!(done.is_ok_and(|output| output.status.success()), "callgrind_control {what}");
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
