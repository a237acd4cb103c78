//! The end of a game, its history, and playing again.

use crate::fixture::Fixture;
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::random::Random;
use snakes::board::Board;
use snakes::design::{EventKind, HISTORY_LEN_MAX, Lobby, Status};
use snakes::error::Error;
use snakes::live::event_messages;
use snakes::rules::Mode;
use snakes::service::NewGame;
use snakes::service::player_id;

on_every_backend! {
    the_winner_stays_the_winner_and_the_end_is_told_once,
    a_winner_who_left_is_still_named,
    the_last_player_left_has_won,
    a_game_that_nobody_is_left_in_has_no_winner,
    all_play_again_in_one_game,
    a_rematch_keeps_the_order_of_play,
    a_rematch_keeps_the_seats_of_those_who_ask_later,
    only_a_game_that_is_over_is_played_again,
    the_last_events_are_kept,
    a_race_keeps_no_events,
    a_player_with_two_tabs_stays_connected,
    a_connection_without_a_sign_of_life_is_closed,
    a_full_game_is_not_open,
    a_player_with_many_tabs_can_leave,
}

fn ends(game: &snakes::design::Game) -> usize {
    event_messages(game).iter().filter(|one| one["type"] == "gameEnded").count()
}

/// A game of two on ten squares that the first has won.
async fn won(fixture: &Fixture) -> (snakes::design::Code, [singlet_web::secret::Secret; 2]) {
    let board = Board::new(10, Vec::new()).unwrap();
    let new = NewGame { name: "Ann".into(), board, ..NewGame::default() };
    let made = fixture.service.create_game(new).await.unwrap();
    let code = made.lobby.game.code;
    fixture.clock.advance(1);
    let bob = fixture.service.join(&code, "Bob").await.unwrap().secret;
    fixture.service.start(&code, &made.secret).await.unwrap();
    for who in [&made.secret, &bob, &made.secret] {
        fixture.service.roll(&code, who).await.unwrap();
    }
    (code, [made.secret, bob])
}

/// A winner who left was pushed as another end of the game, and the others saw no winner.
async fn the_winner_stays_the_winner_and_the_end_is_told_once(store: TestStore) {
    let fixture = Fixture::loaded(store, &[5, 1, 5]).await;
    let (code, [ann, bob]) = won(&fixture).await;
    let winner = player_id(&ann);
    assert_eq!(ends(&fixture.lobby(&code).await.game), 1);
    fixture.service.leave(&code, &player_id(&ann).unwrap(), &ann).await.unwrap();
    let game = fixture.lobby(&code).await.game;
    assert_eq!((game.status, &game.winner_id, ends(&game)), (Status::Finished, &winner, 0));
    // The last one leaves: the collection is gone with its players, and the game's item stays.
    fixture.service.leave(&code, &player_id(&bob).unwrap(), &bob).await.unwrap();
    let game = fixture.service.game(&code).await.unwrap();
    assert_eq!((game.status, game.winner_id.clone(), ends(&game)), (Status::Finished, winner, 0));
}

/// Whoever looked at the game after the winner had left could not tell who had won.
async fn a_winner_who_left_is_still_named(store: TestStore) {
    let fixture = Fixture::loaded(store, &[5, 1, 5]).await;
    let (code, [ann, _]) = won(&fixture).await;
    let id = player_id(&ann).unwrap();
    let winner = async || {
        let view = fixture.service.view(&code).await.unwrap();
        (view.players.len(), view.game.winner_id, view.game.winner_name)
    };
    let name = Some("Ann".to_owned());
    assert_eq!(winner().await, (2, Some(id.clone()), name.clone()));
    fixture.service.leave(&code, &id, &ann).await.unwrap();
    assert_eq!(winner().await, (1, Some(id), name));
}

async fn the_last_player_left_has_won(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    for mode in [Mode::Turns, Mode::Race] {
        let table = fixture.started(mode, &["Ann", "Bob", "Cleo"]).await;
        let [ann, bob, cleo] = &table.secrets[..] else { panic!("three have joined") };
        fixture.service.leave(&table.code, &player_id(ann).unwrap(), ann).await.unwrap();
        let game = fixture.lobby(&table.code).await.game;
        assert_eq!((game.status, ends(&game)), (Status::Playing, 0));
        fixture.service.leave(&table.code, &player_id(cleo).unwrap(), cleo).await.unwrap();
        let game = fixture.lobby(&table.code).await.game;
        assert_eq!((game.status, game.winner_id.clone()), (Status::Finished, player_id(bob)));
        assert_eq!((game.turn.clone(), ends(&game)), (None, 1));
        assert_eq!(game.winner_name.as_deref(), Some("Bob"));
        let rolled = fixture.service.roll(&table.code, bob).await;
        assert!(matches!(rolled, Err(Error::GameOver)), "{rolled:?}");
    }
}

async fn a_game_that_nobody_is_left_in_has_no_winner(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Ann"]).await;
    let ann = &table.secrets[0];
    fixture.service.leave(&table.code, &player_id(ann).unwrap(), ann).await.unwrap();
    let game = fixture.service.game(&table.code).await.unwrap();
    assert_eq!((game.status, game.winner_id.clone(), ends(&game)), (Status::Finished, None, 1));
    assert_eq!(game.winner_name, None);
}

async fn all_play_again_in_one_game(store: TestStore) {
    let fixture = Fixture::loaded(store, &[5, 1, 5]).await;
    let (code, secrets) = won(&fixture).await;
    let joined = at_once(2, |number| {
        let (service, code, secret) =
            (fixture.service.clone(), code.clone(), secrets[number].clone());
        async move { service.rematch(&code, &secret).await.unwrap() }
    })
    .await;
    let before = fixture.lobby(&code).await.game;
    let next = before.rematch_code.clone().unwrap();
    assert!(joined.iter().all(|one| one.lobby.game.code == next));
    assert_eq!((before.last_event.kind, ends(&before)), (EventKind::Rematch, 0));
    let lobby = fixture.lobby(&next).await;
    assert_eq!((lobby.game.status, lobby.game.board.squares()), (Status::Waiting, 10));
    let mut names: Vec<&str> = lobby.players.iter().map(|player| player.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ann", "Bob"]);
    // Who asks again is in it already.
    let again = fixture.service.rematch(&code, &secrets[0]).await;
    assert!(matches!(again, Err(Error::NameTaken)), "{again:?}");
}

/// The order of a rematch was the order of asking.
async fn a_rematch_keeps_the_order_of_play(store: TestStore) {
    let fixture = Fixture::loaded(store, &[5, 1, 1, 5]).await;
    let service = &fixture.service;
    let board = Board::new(10, Vec::new()).unwrap();
    let new = NewGame { name: "Ann".into(), board, ..NewGame::default() };
    let ann = service.create_game(new).await.unwrap();
    let code = ann.lobby.game.code;
    let bob = service.join(&code, "Bob").await.unwrap().secret;
    let cleo = service.join(&code, "Cleo").await.unwrap().secret;
    service.start(&code, &ann.secret).await.unwrap();
    for who in [&ann.secret, &bob, &cleo, &ann.secret] {
        service.roll(&code, who).await.unwrap();
    }
    let names = |lobby: &Lobby| -> Vec<String> {
        lobby.players.iter().map(|player| player.name.clone()).collect()
    };
    let cleo = service.rematch(&code, &cleo).await.unwrap();
    let code_again = &cleo.lobby.game.code;
    // Somebody new plays after the group.
    let zoe = service.join(code_again, "Zoe").await.unwrap().secret;
    let ann = service.rematch(&code, &ann.secret).await.unwrap();
    assert_eq!(names(&ann.lobby), ["Ann", "Cleo", "Zoe"]);
    let bob = service.rematch(&code, &bob).await.unwrap();
    assert_eq!(names(&bob.lobby), ["Ann", "Bob", "Cleo", "Zoe"]);
    assert_eq!(fixture.lobby(code_again).await, bob.lobby);
    let started = service.start(code_again, &cleo.secret).await.unwrap();
    assert_eq!(started.game.turn, Some(ann.player.id.clone()));
    // The next rematch has the same order again.
    for who in [&ann.secret, &bob.secret, &cleo.secret, &zoe, &ann.secret] {
        service.roll(code_again, who).await.unwrap();
    }
    service.rematch(code_again, &zoe).await.unwrap();
    service.rematch(code_again, &bob.secret).await.unwrap();
    let ann = service.rematch(code_again, &ann.secret).await.unwrap();
    assert_eq!(names(&ann.lobby), ["Ann", "Bob", "Zoe"]);
}

/// Zoe got Bob's seat, and who of them played first was chance.
async fn a_rematch_keeps_the_seats_of_those_who_ask_later(store: TestStore) {
    let fixture = Fixture::loaded(store, &[5, 1, 5]).await;
    let service = &fixture.service;
    let (code, [ann, bob]) = won(&fixture).await;
    let next = service.rematch(&code, &ann).await.unwrap().lobby.game.code;
    service.join(&next, "Zoe").await.unwrap();
    let lobby = service.rematch(&code, &bob).await.unwrap().lobby;
    let seats: Vec<(&str, Option<u32>)> =
        lobby.players.iter().map(|player| (player.name.as_str(), player.seat)).collect();
    assert_eq!(seats, [("Ann", Some(0)), ("Bob", Some(1)), ("Zoe", Some(2))]);
}

async fn only_a_game_that_is_over_is_played_again(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    let early = fixture.service.rematch(&table.code, &table.secrets[0]).await;
    assert!(matches!(early, Err(Error::NotOver)), "{early:?}");
    let other = fixture.game(Mode::Turns, &["Eve"]).await;
    let foreign = fixture.service.rematch(&table.code, &other.secrets[0]).await;
    assert!(matches!(foreign, Err(Error::WrongSecret)), "{foreign:?}");
}

async fn the_last_events_are_kept(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    let view = fixture.service.view(&table.code).await.unwrap();
    let kinds: Vec<EventKind> = view.game.history.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Created, EventKind::Joined, EventKind::Started]);
    assert_eq!(view.game.history[1].name.as_deref(), Some("Bob"));
    for turn in 0..HISTORY_LEN_MAX + 4 {
        fixture.service.roll(&table.code, &table.secrets[turn % 2]).await.unwrap();
    }
    let game = fixture.service.view(&table.code).await.unwrap().game;
    assert_eq!(game.history.len(), HISTORY_LEN_MAX);
    let numbers: Vec<u64> = game.history.iter().filter_map(|event| event.sequence).collect();
    let first = game.sequence + 1 - HISTORY_LEN_MAX as u64;
    assert_eq!(numbers, (first..=game.sequence).collect::<Vec<_>>());
    assert!(game.history.iter().all(|event| event.roll == Some(1) && event.name.is_some()));
}

async fn a_race_keeps_no_events(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.started(Mode::Race, &["Ann", "Bob"]).await;
    fixture.service.roll(&table.code, &table.secrets[0]).await.unwrap();
    assert!(fixture.service.view(&table.code).await.unwrap().game.history.is_empty());
}

async fn is_connected(fixture: &Fixture, code: &snakes::design::Code) -> bool {
    fixture.service.view(code).await.unwrap().players[0].is_connected
}

/// Closing one of two tabs showed the player as gone.
async fn a_player_with_two_tabs_stays_connected(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Ann"]).await;
    let first = fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    fixture.clock.advance(1);
    let second = fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    fixture.service.disconnect(&second).await.unwrap();
    assert!(is_connected(&fixture, &table.code).await);
    let player = fixture.player(&table.secrets[0]).await;
    assert_eq!(player.connection_id, Some(first.connection_id.clone()));
    fixture.service.disconnect(&first).await.unwrap();
    assert!(!is_connected(&fixture, &table.code).await);
    assert!(!fixture.player(&table.secrets[0]).await.is_connected);
}

/// After kill -9 nobody said that the sockets were closed, and players were shown as connected for a
/// day.
async fn a_connection_without_a_sign_of_life_is_closed(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Ann"]).await;
    let connection = fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    for _ in 0..4 {
        fixture.clock.advance(30_000);
        fixture.service.keep_connected(&connection).await.unwrap();
        assert!(is_connected(&fixture, &table.code).await);
    }
    fixture.clock.advance(77_000);
    assert!(!is_connected(&fixture, &table.code).await);
}

/// The connections of a player were deleted in the transaction that removes it, which has room for a
/// hundred items: with enough tabs nobody could take the player out of the game.
async fn a_player_with_many_tabs_can_leave(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Ann", "Bob"]).await;
    let [ann, bob] = &table.secrets[..] else { panic!("two have joined") };
    for _ in 0..110 {
        fixture.service.connect(&table.code, bob).await.unwrap();
    }
    let id = player_id(bob).unwrap();
    fixture.service.leave(&table.code, &id, ann).await.unwrap();
    assert_eq!(fixture.lobby(&table.code).await.players.len(), 1);
    assert!(fixture.service.connections_of(&table.code).await.unwrap().is_empty());
}

async fn a_full_game_is_not_open(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["A", "B", "C", "D", "E"]).await;
    let is_open = async || {
        let game = fixture.service.game(&table.code).await.unwrap();
        snakes::view::GameSummary::from(game).is_open
    };
    assert!(is_open().await);
    fixture.service.join(&table.code, "F").await.unwrap();
    assert!(!is_open().await);
}
