//! After a power loss at any point, with any subset of unsynced data, the engine opens, has all
//! acknowledged writes and no partial ones, and accepts writes.

use crate::durability::{Run, START_MS, Workload, check_sound, open, options, times};
use singlet_dynamo::operation::{GetItem, PutItem, TransactWriteItem, TransactWriteItems};
use singlet_dynamo::{Item, Value};
use singlet_engine::{Clock, Durability};
use singlet_testing::disk::FaultDisk;
use singlet_testing::random::Random;

/// Number of crashes per run.
const IMAGES: usize = 200;

fn crash(seeds: std::ops::Range<u64>, durability: Durability) {
    for seed in seeds {
        let run = Run::new(seed, 120, durability);
        if let Err(what) = run.crash(IMAGES * times(50), seed) {
            panic!("seed {seed}: {what}");
        }
    }
}

#[test]
fn what_was_acknowledged_is_there_after_a_crash() {
    crash(1..6, Durability::Full);
}

#[test]
fn what_was_acknowledged_is_there_after_other_crashes() {
    crash(11..16, Durability::Full);
}

#[test]
fn relaxed_writes_are_lost_from_the_end_and_never_in_part() {
    crash(21..24, Durability::Relaxed);
}

/// Several threads write concurrently, so their writes are committed in groups. Each has separate
/// items, which it changes in both tables at once.
#[test]
fn what_was_acknowledged_to_one_of_many_is_there() {
    const WRITERS: usize = 4;
    let (disk, clock) = (FaultDisk::new(), Clock::fixed(START_MS));
    let engine = open(&disk, options(&clock, Durability::Full)).unwrap();
    let mut workload = Workload::new(1, &clock);
    for _ in 0..5 {
        workload.step(&engine).unwrap();
    }
    disk.record();
    let acknowledged: Vec<Vec<usize>> = std::thread::scope(|scope| {
        let write = |writer: usize| {
            let (engine, disk) = (&engine, &disk);
            scope.spawn(move || {
                let mut moments = vec![0];
                for number in 1..=40 {
                    let item = Item::from([
                        ("pk", Value::from(format!("writer {writer}").as_str())),
                        ("sk", Value::from("x")),
                        ("number", Value::from(number)),
                    ]);
                    let put = |table| TransactWriteItem::Put(PutItem::new(table, item.clone()));
                    let both = TransactWriteItems::new(vec![put("Orders"), put("Stock")]);
                    engine.transact_write_items(both).unwrap();
                    moments.push(disk.recorded());
                }
                moments
            })
        };
        let threads: Vec<_> = (0..WRITERS).map(write).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let recording = disk.recording();
    let mut replay = recording.replay();
    let mut random = Random::new(1);
    let mut moments: Vec<_> =
        (0..400 * times(50)).map(|_| random.below(recording.len() + 1)).collect();
    moments.sort_unstable();
    for moment in moments {
        replay.advance(moment);
        let engine = open(&replay.crash(&mut random), options(&clock, Durability::Full)).unwrap();
        check_sound(&engine).unwrap();
        for (writer, moments) in acknowledged.iter().enumerate() {
            let number = |table: &str| {
                let key = Item::from([
                    ("pk", Value::from(format!("writer {writer}").as_str())),
                    ("sk", Value::from("x")),
                ]);
                let item = engine.get_item(&GetItem::new(table, key)).unwrap().item;
                item.map(|item| item.to_item().get("number").cloned().unwrap())
            };
            let done = moments.partition_point(|when| *when <= moment) - 1;
            let possible = [done, done + 1].map(|n| (n > 0).then(|| Value::from(n as i64)));
            assert!(possible.contains(&number("Orders")), "{writer} at {moment}: lost a write");
            assert_eq!(number("Orders"), number("Stock"), "{writer} at {moment}: torn");
        }
    }
}
