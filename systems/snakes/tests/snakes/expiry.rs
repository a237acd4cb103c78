//! Everything of a game is gone a day after the last thing that happened.

use crate::fixture::Fixture;
use singlet::Expiry;
use singlet_testing::{TestStore, on_every_backend};
use snakes::design::Status;
use snakes::error::Error;
use snakes::rules::Mode;
use snakes::service::player_id;
use std::time::Duration;

const HOUR_MS: i64 = 3_600_000;

on_every_backend! {
    a_game_that_nobody_touches_is_gone_after_a_day,
    a_game_that_is_played_lives_as_long_as_it_is_played,
}

/// The store deletes everything. One that is elsewhere has a clock of its own, by which nothing
/// has expired yet.
async fn assert_nothing_is_left(fixture: &Fixture) {
    if fixture.store.engine().is_some() {
        fixture.store.delete_expired();
        assert_eq!(fixture.items().await, []);
    }
}

async fn a_game_that_nobody_touches_is_gone_after_a_day(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    let connection = fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    let id = player_id(&table.secrets[0]).unwrap();
    fixture.clock.advance(24 * HOUR_MS - 1_000);
    assert_eq!(fixture.lobby(&table.code).await.players.len(), 2);
    fixture.clock.advance(2_000);
    // Nothing was deleted yet, and it is gone all the same.
    assert_eq!(fixture.items().await.len(), 4);
    assert!(matches!(fixture.service.lobby(&table.code).await, Err(Error::GameNotFound)));
    assert!(matches!(fixture.service.player(&id).await, Err(Error::PlayerNotFound)));
    assert!(fixture.service.newest_games(10, None).await.unwrap().items.is_empty());
    let rolled = fixture.service.roll(&table.code, &table.secrets[0]).await;
    assert!(matches!(rolled, Err(Error::GameNotFound)));
    // An hour later the store has nothing of it left either.
    fixture.clock.advance(HOUR_MS);
    assert_eq!(fixture.service.connection(&connection.connection_id).await.unwrap(), None);
    assert_nothing_is_left(&fixture).await;
}

async fn a_game_that_is_played_lives_as_long_as_it_is_played(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    fixture.service.connect(&table.code, &table.secrets[1]).await.unwrap();
    // Five days, in which Ann and Bob roll every twenty hours. The store cleans up all the time.
    for round in 0..6 {
        fixture.clock.advance(20 * HOUR_MS);
        fixture.store.delete_expired();
        let who = &table.secrets[round % 2];
        fixture.service.roll(&table.code, who).await.unwrap();
        let lobby = fixture.lobby(&table.code).await;
        assert_eq!((lobby.players.len(), lobby.game.status), (2, Status::Playing));
        let game_end = lobby.game.expires.unwrap().as_seconds();
        let day = fixture.service.db().now().after(Duration::from_secs(24 * 3600));
        assert_eq!(game_end, Expiry::at(day).as_seconds());
        for player in &lobby.players {
            assert!(player.expires.unwrap().as_seconds() >= game_end, "{}", player.name);
        }
    }
    // The connection showed no sign of life.
    assert_eq!(fixture.service.connections_of(&table.code).await.unwrap().len(), 0);
    // Ends are rounded up to seconds, and an item goes once its second has passed.
    fixture.clock.advance(25 * HOUR_MS + 2_000);
    assert!(matches!(fixture.service.lobby(&table.code).await, Err(Error::GameNotFound)));
    assert_nothing_is_left(&fixture).await;
}

#[tokio::test]
async fn many_moves_in_an_hour_write_the_others_once() {
    let fixture = Fixture::loaded(TestStore::memory(), &[1]).await;
    let names = ["A", "B", "C", "D", "E", "F"];
    let table = fixture.started(Mode::Race, &names).await;
    fixture.clock.advance(2 * HOUR_MS);
    let feed = fixture.store.engine().unwrap().subscribe(Some("snakes-dev"));
    for _ in 0..20 {
        fixture.clock.advance(60_000);
        fixture.service.roll(&table.code, &table.secrets[0]).await.unwrap();
    }
    let writes = std::iter::from_fn(|| feed.try_next()).count();
    // Twenty moves of two items each, and once six players.
    assert_eq!(writes, 20 * 2 + 6);
}
