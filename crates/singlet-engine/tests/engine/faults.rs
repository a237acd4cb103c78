//! Disk failures: the writer gets the error, nothing more is written, reads continue, and once the
//! disk recovers every acknowledged write is there. A full disk only rejects writes until there is
//! room.

use crate::durability::{Contents, START_MS, Workload, check_sound, open, options, times};
use singlet_dynamo::operation::PutItem;
use singlet_dynamo::{Item, Value};
use singlet_engine::{Clock, Durability, Engine, Error, store};
use singlet_testing::disk::{Failure, Fault, FaultDisk, Operation};
use singlet_testing::random::Random;

/// An engine on a disk, and a twin in memory that runs the same steps, to know the expected
/// contents.
struct Pair {
    disk: FaultDisk,
    engine: Engine,
    workload: Workload,
    twin: Engine,
    twin_workload: Workload,
}

impl Pair {
    fn new(seed: u64, steps: usize) -> Self {
        let (disk, clock, twin_clock) =
            (FaultDisk::new(), Clock::fixed(START_MS), Clock::fixed(START_MS));
        let mut pair = Self {
            engine: open(&disk, options(&clock, Durability::Full)).unwrap(),
            workload: Workload::new(seed, &clock),
            twin: Engine::memory_with(options(&twin_clock, Durability::Full)).unwrap(),
            twin_workload: Workload::new(seed, &twin_clock),
            disk,
        };
        for _ in 0..steps {
            pair.step().unwrap();
        }
        assert_eq!(Contents::read(&pair.engine).unwrap(), pair.expected());
        pair
    }

    fn step(&mut self) -> Result<(), Error> {
        self.twin_workload.step(&self.twin).unwrap();
        self.workload.step(&self.engine).map(drop)
    }

    /// The contents if all steps so far succeeded.
    fn expected(&self) -> Contents {
        Contents::read(&self.twin).unwrap()
    }

    fn fail(&self, kind: Option<Operation>, after: u64, failure: Failure, lasting: bool) {
        let after = self.disk.operations(kind) + after;
        self.disk.inject(Fault { kind, after, failure, lasting });
    }

    /// Runs until something fails. Returns the contents acknowledged before, and the error.
    fn work_until_failure(&mut self) -> Option<(Contents, Error)> {
        for _ in 0..40 {
            let acknowledged = self.expected();
            if let Err(error) = self.step() {
                return Some((acknowledged, error));
            }
        }
        None
    }

    /// Checks all guarantees after a failed write.
    fn check_after(self, failure: Failure, acknowledged: &Contents, error: &Error, seed: u64) {
        let first = match error {
            // A checkpoint failed, and this is the first write after it.
            Error::Store(store::Error::Poisoned(first)) => first,
            Error::Store(error) => error,
            _ => panic!("{error:?}"),
        };
        let is_told = match failure {
            Failure::Full => matches!(first, store::Error::Full),
            Failure::Io => matches!(first, store::Error::Io(_)),
        };
        assert!(is_told, "{error:?}");
        if failure == Failure::Io {
            let key = Item::from([("pk", Value::from("more")), ("sk", Value::from("x"))]);
            let refused = self.engine.put_item(PutItem::new("Orders", key)).unwrap_err();
            assert!(matches!(refused, Error::Poisoned), "{refused:?}");
        }
        let seen = Contents::read(&self.engine).unwrap();
        assert_eq!(seen, *acknowledged, "readers see what failed, or miss what did not");
        self.check_what_is_left(acknowledged, seed);
    }

    /// Reopens on a healthy disk, once unchanged and once after a crash.
    fn check_what_is_left(self, acknowledged: &Contents, seed: u64) {
        let expected = self.expected();
        drop(self.engine);
        let as_it_is = self.disk.copy();
        for image in [as_it_is, self.disk.crash(&mut Random::new(seed))] {
            let clock = Clock::fixed(START_MS);
            let engine = open(&image, options(&clock, Durability::Full)).unwrap();
            let found = Contents::read(&engine).unwrap();
            assert!(found == *acknowledged || found == expected, "something is lost, or torn");
            check_sound(&engine).unwrap();
            engine.maintain().unwrap();
        }
    }
}

fn is_of_the_disk(error: &Error) -> bool {
    matches!(
        error,
        Error::Store(store::Error::Io(_) | store::Error::Full | store::Error::Poisoned(_))
    )
}

/// Fails the n-th operation of a kind, and checks all guarantees. Returns false if there were
/// fewer.
fn fail_a_write(kind: Operation, n: u64, failure: Failure, lasting: bool) -> bool {
    let mut pair = Pair::new(n, 25);
    pair.fail(Some(kind), n, failure, lasting);
    let Some((acknowledged, error)) = pair.work_until_failure() else { return false };
    pair.check_after(failure, &acknowledged, &error, n);
    true
}

#[test]
fn a_write_that_fails() {
    for n in 0..40 * times(10) as u64 {
        assert!(fail_a_write(Operation::Write, n, Failure::Io, n % 2 == 0), "no write {n}");
    }
}

/// Writes fail exactly as long as the disk is full, without a restart.
#[test]
fn a_disk_that_is_full() {
    let mut refused = 0;
    for n in 0..40 * times(10) as u64 {
        let mut pair = Pair::new(n, 25);
        for failing in 0..1 + n % 7 {
            pair.fail(Some(Operation::Write), n + failing, Failure::Full, false);
        }
        let put = |engine: &Engine, number: u64| {
            let item = Item::from([
                ("pk", Value::from(number.to_string().as_str())),
                ("sk", Value::from("x")),
                ("text", Value::from("some".repeat(200).as_str())),
            ]);
            engine.put_item(PutItem::new("Stock", item)).map(drop)
        };
        for number in 0..60 {
            while let Err(error) = put(&pair.engine, number) {
                assert!(matches!(error, Error::Store(store::Error::Full)), "{error:?}");
                let health = pair.engine.check_writable();
                assert!(matches!(health, Err(Error::Store(store::Error::Full))), "{health:?}");
                refused += 1;
            }
            put(&pair.twin, number).unwrap();
        }
        pair.engine.check_writable().unwrap();
        pair.step().unwrap();
        let expected = pair.expected();
        assert_eq!(Contents::read(&pair.engine).unwrap(), expected);
        pair.check_what_is_left(&expected, n);
    }
    assert!(refused > 10, "only {refused} writes were refused");
}

#[test]
fn a_sync_that_fails() {
    for n in 0..30 * times(10) as u64 {
        assert!(fail_a_write(Operation::Sync, n, Failure::Io, n % 2 == 0), "no sync {n}");
    }
}

#[test]
fn a_file_that_cannot_grow() {
    for (seed, failure) in [(1, Failure::Full), (2, Failure::Io)] {
        let pair = Pair::new(seed, 10);
        pair.fail(Some(Operation::SetLen), 0, failure, false);
        let failed = (0..50).find_map(|n| {
            let item = Item::from([
                ("pk", Value::from("large")),
                ("sk", Value::from("x")),
                ("text", Value::from(n.to_string().repeat(150_000).as_str())),
            ]);
            let acknowledged = pair.expected();
            pair.twin.put_item(PutItem::new("Stock", item.clone())).unwrap();
            let done = pair.engine.put_item(PutItem::new("Stock", item));
            done.err().map(|error| (acknowledged, error))
        });
        match (failure, failed) {
            // A checkpoint had no room, and continued with the next write.
            (Failure::Full, None) => {
                let expected = pair.expected();
                pair.check_what_is_left(&expected, seed);
            }
            (_, failed) => {
                let (acknowledged, error) = failed.expect("the file never grew");
                pair.check_after(failure, &acknowledged, &error, seed);
            }
        }
    }
}

/// A failed read is an error of its caller, which may be a write.
#[test]
fn a_read_that_fails() {
    let mut failed = 0;
    for n in 0..40 * times(10) as u64 {
        let mut pair = Pair::new(n, 25);
        pair.fail(Some(Operation::Read), n, Failure::Io, false);
        match pair.work_until_failure() {
            None => {}
            Some((acknowledged, error)) => {
                failed += 1;
                assert!(is_of_the_disk(&error), "{error:?}");
                pair.check_what_is_left(&acknowledged, n);
            }
        }
    }
    assert!(failed > 20, "only {failed} writes had to read");
}

#[test]
fn opening_that_fails_does_no_harm() {
    let pair = Pair::new(7, 40);
    let expected = pair.expected();
    let crashed = pair.disk.crash(&mut Random::new(7));
    drop(pair);
    let clock = Clock::fixed(START_MS);
    let mut failed = 0;
    for n in 0..60 {
        let disk = crashed.copy();
        let failure = if n % 2 == 0 { Failure::Io } else { Failure::Full };
        disk.inject(Fault { kind: None, after: n, failure, lasting: n % 3 == 0 });
        match open(&disk, options(&clock, Durability::Full)) {
            Ok(engine) => drop(engine.close()),
            Err(error) => {
                failed += 1;
                assert!(is_of_the_disk(&error), "{error:?}");
            }
        }
        let image = disk.crash(&mut Random::new(n));
        let engine = open(&image, options(&clock, Durability::Full)).unwrap();
        assert_eq!(Contents::read(&engine).unwrap(), expected);
        check_sound(&engine).unwrap();
    }
    assert!(failed > 10, "opening is done after {failed} operations");
}
