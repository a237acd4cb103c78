//! Resuming from a position in a stream whose shards split, end and are trimmed.

use super::scripted::Script;
use aws_config::retry::RetryConfig;
use singlet::backend::{Aws, Backend, BackendError, Feed, FeedEvent};
use singlet_testing::{loader, run};

async fn aws(script: &Script) -> Aws {
    let url = script.start();
    Aws::new(&loader(&url).retry_config(RetryConfig::disabled()).load().await)
}

/// The next `count` numbers.
async fn several(feed: &mut dyn Feed, count: usize) -> Vec<u32> {
    let mut numbers = Vec::new();
    while numbers.len() < count {
        let Some(Ok(FeedEvent::Change { new: Some(item), .. })) = feed.next().await else {
            panic!("no change after {numbers:?}");
        };
        let item = item.as_item().to_item();
        let number = item.get("n").unwrap();
        numbers.push((0..u32::MAX).find(|n| *number == i64::from(*n).into()).unwrap());
    }
    numbers
}

async fn failed(aws: &Aws, position: &str) -> BackendError {
    match aws.changes_from("scripted", position).await {
        Ok(_) => panic!("it goes on from {position}"),
        Err(error) => error,
    }
}

/// Reads a few changes at a time, each time from the previous reader's position.
#[test]
fn nothing_is_missing_over_shards_that_divide() {
    run(async {
        let script = Script::default();
        script.state().open("a", None);
        let aws = aws(&script).await;
        let mut position = aws.changes("scripted").await.unwrap().position().unwrap();
        {
            let mut state = script.state();
            state.write("a", 1000..1010);
            state.close("a");
            state.open("b", Some("a"));
            state.open("c", Some("a"));
            state.write("b", 2000..2010);
            state.close("b");
            state.open("d", Some("b"));
            state.write("d", 3000..3010);
            state.write("c", 5000..5010);
        }
        let mut seen = Vec::new();
        let mut step = 1;
        while seen.len() < 40 {
            let mut feed = aws.changes_from("scripted", &position).await.unwrap();
            let count = step.min(40 - seen.len());
            seen.extend(several(&mut *feed, count).await);
            position = feed.position().unwrap();
            step = step % 7 + 1;
        }
        // Each exactly once, since every position was stored; children after parents.
        let place = |n: u32| seen.iter().position(|one| *one == n).unwrap();
        let mut sorted = seen.clone();
        sorted.sort_unstable();
        let all = (1000..1010).chain(2000..2010).chain(3000..3010).chain(5000..5010);
        assert_eq!(sorted, all.collect::<Vec<_>>());
        for range in [1000..1010, 2000..2010, 3000..3010, 5000..5010] {
            assert!(range.clone().map(place).is_sorted(), "{seen:?}");
        }
        assert!(place(1009) < place(2000) && place(1009) < place(5000));
        assert!(place(2009) < place(3000));
    });
}

/// Prefetched changes are not part of the position.
#[test]
fn what_nobody_asked_for_comes_again() {
    run(async {
        let script = Script::default();
        script.state().open("a", None);
        let aws = aws(&script).await;
        let mut feed = aws.changes("scripted").await.unwrap();
        script.state().write("a", 1..10);
        script.state().close("a");
        script.state().open("b", Some("a"));
        script.state().write("b", [20]);
        // The feed fetches the whole shard, but only one change is consumed.
        assert_eq!(several(&mut *feed, 1).await, [1]);
        let position = feed.position().unwrap();
        let mut again = aws.changes_from("scripted", &position).await.unwrap();
        assert_eq!(several(&mut *again, 9).await, [2, 3, 4, 5, 6, 7, 8, 9, 20]);
        assert_eq!(several(&mut *feed, 9).await, [2, 3, 4, 5, 6, 7, 8, 9, 20]);
    });
}

/// A fully read shard is not read again while its children do not exist yet.
#[test]
fn the_end_of_a_shard_is_in_the_position() {
    run(async {
        let script = Script::default();
        script.state().open("a", None);
        let aws = aws(&script).await;
        let mut feed = aws.changes("scripted").await.unwrap();
        script.state().write("a", 1..4);
        script.state().close("a");
        assert_eq!(several(&mut *feed, 3).await, [1, 2, 3]);
        script.state().is_disabled = true;
        assert!(feed.next().await.is_none());
        let position = feed.position().unwrap();
        assert!(position.ends_with(";a=!"), "{position}");
        script.state().is_disabled = false;
        script.state().open("b", Some("a"));
        script.state().write("b", [4]);
        let mut again = aws.changes_from("scripted", &position).await.unwrap();
        assert_eq!(several(&mut *again, 1).await, [4]);
        // From here on the position omits the parent.
        let position = again.position().unwrap();
        assert!(position.ends_with("/0;b=1"), "{position}");
        script.state().write("b", [5]);
        let mut again = aws.changes_from("scripted", &position).await.unwrap();
        assert_eq!(several(&mut *again, 1).await, [5]);
    });
}

#[test]
fn a_position_that_is_too_old_says_so() {
    run(async {
        let script = Script::default();
        script.state().open("a", None);
        let aws = aws(&script).await;
        let mut feed = aws.changes("scripted").await.unwrap();
        script.state().write("a", 1..10);
        assert_eq!(several(&mut *feed, 3).await, [1, 2, 3]);
        let position = feed.position().unwrap();
        let is_expired = |error: &BackendError| matches!(error, BackendError::PositionExpired { table } if table == "scripted");

        // The records after the position were trimmed.
        script.state().trim("a", 5);
        assert!(is_expired(&failed(&aws, &position).await));
        // The shard was removed.
        script.state().close("a");
        script.state().open("b", Some("a"));
        script.state().remove("a");
        assert!(is_expired(&failed(&aws, &position).await));
        // The whole stream was recreated.
        script.state().made_anew = 1;
        assert!(is_expired(&failed(&aws, &position).await));
        assert!(matches!(
            failed(&aws, "a1;arn:of:table/other/stream/0").await,
            BackendError::Position
        ));
        assert!(matches!(failed(&aws, "e1;arn;7").await, BackendError::Position));
    });
}
