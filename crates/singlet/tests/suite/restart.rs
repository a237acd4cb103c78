//! Change feed positions survive the process, but not the stream.

use crate::sample::{Sample, SampleItem, World};
use crate::settings;
use crate::stories::rating;
use singlet::backend::Embedded;
use singlet::engine::{Clock, Engine, Options};
use singlet::prelude::*;
use singlet::{Change, Changes, Error};
use singlet_testing::fixed_clock;

fn open(engine: &Engine, clock: &Clock) -> Db<World> {
    Db::on(Embedded::new(engine.clone()), settings(clock, "suite"))
}

async fn stars(changes: &mut Changes<Sample>) -> u8 {
    match changes.next().await {
        Some(Ok(Change::Item { new: Some(SampleItem::Rating(rating)), .. })) => rating.stars,
        _ => panic!("not a rating"),
    }
}

#[test]
fn a_position_survives_a_restart() {
    let folder = std::env::temp_dir().join(format!("singlet-restart-{}", std::process::id()));
    // Left over if a killed process had the same id.
    let _ = std::fs::remove_dir_all(&folder);
    let clock = fixed_clock();
    let position = singlet::block_on(async {
        let engine = Engine::open(&folder, Options::default()).unwrap();
        let db = open(&engine, &clock);
        db.provision().await.unwrap();
        let mut changes = db.changes_of::<Sample>().await.unwrap();
        for stars in 1..=3 {
            db.run(put(&rating("restart", "s", stars))).await.unwrap();
        }
        assert_eq!(stars(&mut changes).await, 1);
        let position = changes.position().unwrap().to_string();
        engine.close().unwrap();
        position
    });
    singlet::block_on(async {
        let engine = Engine::open(&folder, Options::default()).unwrap();
        let db = open(&engine, &clock);
        db.run(put(&rating("restart", "s", 4))).await.unwrap();
        let mut changes = db.changes_of_from::<Sample>(&position.parse().unwrap()).await.unwrap();
        for expected in 2..=4 {
            assert_eq!(stars(&mut changes).await, expected);
        }
        db.run(put(&rating("restart", "s", 5))).await.unwrap();
        assert_eq!(stars(&mut changes).await, 5);
        engine.close().unwrap();
        assert!(changes.next().await.is_none_or(|change| change.is_err()));
    });
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_position_that_is_too_old_says_so() {
    let clock = Clock::fixed(1_794_787_200_000);
    let options = Options { clock: clock.clone(), background: false, ..Options::default() };
    let engine = Engine::memory_with(options).unwrap();
    singlet::block_on(async {
        let db = open(&engine, &clock);
        db.provision().await.unwrap();
        let mut changes = db.changes_of::<Sample>().await.unwrap();
        let before = changes.position().unwrap();
        db.run(put(&rating("old", "s", 1))).await.unwrap();
        db.run(put(&rating("old", "s", 2))).await.unwrap();
        assert_eq!((stars(&mut changes).await, stars(&mut changes).await), (1, 2));
        let behind = changes.position().unwrap();
        let mut reader = db.changes_of_from::<Sample>(&before).await.unwrap();

        clock.advance(25 * 3600 * 1000);
        engine.maintain().unwrap();
        let outcome = db.changes_of_from::<Sample>(&before).await.err();
        assert!(matches!(outcome, Some(Error::PositionExpired { .. })), "{outcome:?}");
        // No expired change follows this position, so it is still valid.
        db.run(put(&rating("old", "s", 3))).await.unwrap();
        let mut changes = db.changes_of_from::<Sample>(&behind).await.unwrap();
        assert_eq!(stars(&mut changes).await, 3);
        // A reader that was open is notified.
        let told = reader.next().await.transpose().unwrap();
        assert!(matches!(told, Some(Change::FellBehind { missed: None })));
        assert_eq!(stars(&mut reader).await, 3);
    });
}
