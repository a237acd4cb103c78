//! How a change feed handles shards and faults of a stream.

use super::scripted::Script;
use aws_config::retry::RetryConfig;
use singlet::backend::{Aws, Backend, BackendError, Feed, FeedEvent};
use singlet::dynamo::ErrorKind;
use singlet_testing::{loader, run};
use std::time::Duration;

/// An event of the feed: a number written, falling behind, or an error.
#[derive(Clone, Debug, PartialEq)]
enum TestResult {
    Number(u32),
    FellBehind,
    Error(ErrorKind),
    End,
}

use TestResult::{End, FellBehind, Number};

/// A feed of a stream with one shard, `a`, that already has records.
async fn open(script: &Script) -> Box<dyn Feed> {
    script.state().open("a", None);
    script.state().write("a", [1, 2, 3]);
    let url = script.start();
    let config = loader(&url).retry_config(RetryConfig::disabled()).load().await;
    Aws::new(&config).changes("scripted").await.unwrap()
}

async fn next(feed: &mut dyn Feed) -> TestResult {
    match feed.next().await {
        None => End,
        Some(Ok(FeedEvent::FellBehind { .. })) => FellBehind,
        Some(Ok(FeedEvent::Change { new, .. })) => {
            let item = new.unwrap().as_item().to_item();
            let number = item.get("n").unwrap();
            (0..u32::MAX).find(|n| *number == i64::from(*n).into()).map(Number).unwrap()
        }
        Some(Err(BackendError::Refused(refused))) => TestResult::Error(refused.kind()),
        Some(Err(error)) => panic!("{error}"),
    }
}

async fn several(feed: &mut dyn Feed, count: usize) -> Vec<TestResult> {
    let mut told = Vec::new();
    for _ in 0..count {
        told.push(next(feed).await);
    }
    told
}

fn numbers(numbers: impl IntoIterator<Item = u32>) -> Vec<TestResult> {
    numbers.into_iter().map(Number).collect()
}

#[test]
fn it_begins_with_what_comes_next() {
    run(async {
        let script = Script::default();
        let mut feed = open(&script).await;
        script.state().write("a", 4..7);
        assert_eq!(several(&mut *feed, 3).await, numbers(4..7));
    });
}

#[test]
fn children_are_read_after_their_parents() {
    run(async {
        let script = Script::default();
        let mut feed = open(&script).await;
        {
            let mut state = script.state();
            // More records than fit in one response, so the parent is not read at once.
            state.write("a", 1000..2500);
            state.close("a");
            state.open("b", Some("a"));
            state.open("c", Some("a"));
            state.write("b", 3000..3010);
            state.close("b");
            state.open("d", Some("b"));
            state.write("d", 4000..4010);
            state.write("c", [5000]);
        }
        let told = several(&mut *feed, 1500 + 10 + 10 + 1).await;
        assert_eq!(told[..1500], numbers(1000..2500));
        let of = |range: std::ops::Range<u32>| {
            let is_within = |one: &&TestResult| matches!(one, Number(n) if range.contains(n));
            told.iter().filter(is_within).cloned().collect::<Vec<_>>()
        };
        assert_eq!(of(3000..3010), numbers(3000..3010));
        assert_eq!(of(4000..4010), numbers(4000..4010));
        assert_eq!(of(3000..5000), numbers((3000..3010).chain(4000..4010)));
        assert!(told.contains(&Number(5000)));
    });
}

#[test]
fn errors_are_told_and_nothing_is_lost() {
    run(async {
        let script = Script::default();
        let mut feed = open(&script).await;
        script.state().faults.extend(["InternalServerError", "ThrottlingException"]);
        script.state().write("a", 4..7);
        assert_eq!(next(&mut *feed).await, TestResult::Error(ErrorKind::InternalServerError));
        assert_eq!(next(&mut *feed).await, TestResult::Error(ErrorKind::Throttling));
        assert_eq!(several(&mut *feed, 3).await, numbers(4..7));
    });
}

#[test]
fn who_sleeps_for_long_goes_on_or_is_told() {
    run(async {
        let script = Script::default();
        let mut feed = open(&script).await;
        // Nothing was read yet, so there is no position to resume from.
        script.state().faults.push_back("ExpiredIteratorException");
        script.state().write("a", [4]);
        assert_eq!(next(&mut *feed).await, FellBehind);
        // Records written before the feed has a new iterator are skipped.
        while script.state().iterators < 2 {
            let _ = tokio::time::timeout(Duration::from_millis(100), feed.next()).await;
        }
        script.state().write("a", [5]);
        assert_eq!(next(&mut *feed).await, Number(5));
        script.state().faults.push_back("ExpiredIteratorException");
        script.state().write("a", [6]);
        assert_eq!(next(&mut *feed).await, Number(6));
        // Records trimmed before they were read.
        script.state().faults.push_back("TrimmedDataAccessException");
        script.state().write("a", 7..10);
        script.state().trim("a", 7);
        assert_eq!(several(&mut *feed, 3).await, [FellBehind, Number(8), Number(9)]);
    });
}

#[test]
fn a_stream_that_is_disabled_ends() {
    run(async {
        let script = Script::default();
        let mut feed = open(&script).await;
        script.state().write("a", [4]);
        script.state().close("a");
        script.state().is_disabled = true;
        assert_eq!(several(&mut *feed, 3).await, [Number(4), End, End]);
    });
}

#[test]
fn who_stops_waiting_loses_nothing() {
    run(async {
        let script = Script::default();
        let mut feed = open(&script).await;
        script.state().delay = Duration::from_millis(30);
        let mut told = Vec::new();
        let mut interrupted = 0;
        for n in 4..40 {
            script.state().write("a", [n]);
            match tokio::time::timeout(Duration::from_millis(20), next(&mut *feed)).await {
                Ok(one) => told.push(one),
                Err(_) => interrupted += 1,
            }
        }
        assert!(interrupted > 0);
        script.state().delay = Duration::ZERO;
        told.extend(several(&mut *feed, 36 - told.len()).await);
        assert_eq!(told, numbers(4..40));
    });
}
