//! The suite `recovery`: the time to open a folder after a kill.

use crate::contender::{Contender, Task};
use crate::folder::Folder;
use crate::sample::{ITEM_BYTES, TABLE};
use crate::singlet::Singlet;
use crate::{process, sample};
use singlet_dynamo::operation::GetItem;
use singlet_engine::{Durability, Engine, Options};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The command that fills a folder until it is killed.
pub(crate) const FILL: &str = "fill-until-killed";
/// How long the process writes before it is killed.
const WRITING: Duration = Duration::from_millis(500);
const OPENINGS: usize = 5;

/// Kills a process that writes to a folder of this size, and opens the folder. The first time
/// counts most: later runs start from a cleanly closed folder.
pub(crate) fn run(bytes: u64) {
    let folder = Folder::new("recovery");
    let path = folder.path().join("singlet");
    let mut times = Vec::new();
    let mut fill = bytes;
    for _ in 0..OPENINGS {
        let mut child = process::own(FILL)
            .arg(&path)
            .arg(fill.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut said = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut said).expect("a line");
        assert_eq!(said, "filled\n", "the process did not fill the folder");
        std::thread::sleep(WRITING);
        child.kill().expect("kill -9");
        child.wait().expect("its end");

        let start = Instant::now();
        let engine = Engine::open(&path, Options::default()).expect("the folder opens");
        let opened = start.elapsed();
        let answer = engine.get_item(&GetItem::new(TABLE, sample::key(0))).expect("GetItem");
        let read = start.elapsed();
        assert!(answer.item.is_some(), "what was acknowledged is there");
        drop(engine);
        times.push((opened, read));
        // The folder is full now; only repeat the kill.
        fill = 0;
    }
    println!("Opening a folder of {} MB after kill -9:\n", size(&path) / 1_000_000);
    println!("| | opened | first GetItem answered |");
    println!("|---|---|---|");
    for (number, (opened, read)) in times.iter().enumerate() {
        println!(
            "| kill {} | {:.1} ms | {:.1} ms |",
            number + 1,
            opened.as_secs_f64() * 1e3,
            read.as_secs_f64() * 1e3
        );
    }
    println!();
}

fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// Fills a folder to this size, reports it, and then puts items durably until the process is
/// killed.
pub(crate) fn fill_until_killed(path: &Path, bytes: u64) {
    if bytes > 0 {
        let options = Options { durability: Durability::Relaxed, ..Options::default() };
        let singlet = Singlet::folder(path, options);
        let mut items = 0;
        while size(path) < bytes {
            let step = bytes / ITEM_BYTES as u64 / 20;
            singlet.put_all(items..items + step);
            items += step;
        }
        singlet.0.close().expect("the folder closes");
    }
    let engine = Engine::open(path, Options::default()).expect("the folder opens");
    println!("filled");
    std::io::stdout().flush().expect("somebody listens");
    let singlet = Singlet(engine);
    std::thread::scope(|scope| {
        for writer in 0..16_u64 {
            let singlet = &singlet;
            scope.spawn(move || {
                for version in 1.. {
                    let number = u64::from(version) * 7919 * 16 + writer;
                    singlet.carry_out(singlet.prepare(Task::Put, number % 100_000, version));
                }
            });
        }
    });
}
