//! The operations of the design, one after the other.

use crate::fixture::Fixture;
use singlet::dynamo::operation::PutItem;
use singlet::dynamo::{Item, Value};
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::random::Random;
use snakes::board::{Board, Jump};
use snakes::design::{EventKind, Snakes, Status};
use snakes::error::Error;
use snakes::rules::{Effect, Mode};
use snakes::service::NewGame;
use snakes::service::player_id;

on_every_backend! {
    a_game_is_made_with_its_creator,
    games_are_listed_newest_first_and_in_pages,
    a_game_that_cannot_be_read_hides_no_other,
    players_move_in_turns_up_ladders_and_down_snakes,
    the_first_on_the_last_square_wins_and_nobody_moves_after,
    the_last_square_is_met_exactly_or_not_at_all,
    in_a_race_everybody_rolls_at_any_time,
    connections_come_go_and_come_back,
    whoever_leaves_hands_on_what_was_theirs,
    who_keeps_the_others_waiting_can_be_taken_out,
}

async fn a_game_is_made_with_its_creator(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let joined =
        fixture.service.create_game(NewGame { name: " Ann ".into(), ..NewGame::default() });
    let joined = joined.await.unwrap();
    let code = joined.lobby.game.code.clone();
    // What is said is what is stored.
    assert_eq!(fixture.lobby(&code).await, joined.lobby);
    assert_eq!(fixture.service.game(&code).await.unwrap(), joined.lobby.game);
    assert_eq!(
        fixture.service.players_of(&code).await.unwrap(),
        std::slice::from_ref(&joined.player)
    );
    let id = &joined.player.id;
    assert_eq!(fixture.service.player(id).await.unwrap(), joined.player);
    assert_eq!(joined.lobby.game.creator_id, *id);
    assert_eq!((joined.player.name.as_str(), joined.player.position), ("Ann", 0));
    assert_eq!(player_id(&joined.secret).as_ref(), Some(id));
}

async fn a_game_that_cannot_be_read_hides_no_other(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let readable = fixture.game(Mode::Turns, &["Ann"]).await.code;
    fixture.clock.advance(1000);
    let unreadable = fixture.game(Mode::Turns, &["Bob"]).await.code;
    let is_it = |item: &Item| {
        item.get("code") == Some(&Value::from(unreadable.as_str())) && item.contains("status")
    };
    let mut game = fixture.items().await.into_iter().find(is_it).unwrap();
    game.insert("status", Value::from("paused"));
    let db = fixture.service.db();
    db.execute(PutItem::new(db.table_name::<Snakes>(), game)).await.unwrap();
    let page = fixture.service.newest_games(10, None).await.unwrap();
    assert_eq!(page.items.into_iter().map(|game| game.code).collect::<Vec<_>>(), [readable]);
}

async fn games_are_listed_newest_first_and_in_pages(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let mut codes = Vec::new();
    for number in 0..7 {
        fixture.clock.advance(1000);
        codes.push(fixture.game(Mode::Turns, &[&format!("P{number}")]).await.code);
    }
    codes.reverse();
    let mut listed = Vec::new();
    let mut cursor = None;
    loop {
        let page = fixture.service.newest_games(3, cursor).await.unwrap();
        assert!(page.items.len() <= 3);
        listed.extend(page.items.into_iter().map(|game| game.code));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(listed, codes);
}

async fn players_move_in_turns_up_ladders_and_down_snakes(store: TestStore) {
    let fixture = Fixture::loaded(store, &[2, 1, 6, 2, 3]).await;
    let table = fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    let [ann, bob] = [&table.secrets[0], &table.secrets[1]];
    let roll = async |who| fixture.service.roll(&table.code, who).await.map(|(_, step)| step);
    let step = roll(ann).await.unwrap();
    assert_eq!((step.from, step.to, step.effect), (0, 38, Effect::Ladder));
    let step = roll(bob).await.unwrap();
    assert_eq!((step.from, step.to, step.effect), (0, 1, Effect::None));
    let step = roll(ann).await.unwrap();
    assert_eq!((step.from, step.to, step.effect), (38, 44, Effect::None));
    assert_eq!(roll(bob).await.unwrap().to, 3);
    let lobby = fixture.lobby(&table.code).await;
    assert_eq!(lobby.game.turn, player_id(ann));
    assert_eq!(lobby.game.sequence, 2 + 1 + 4);
    assert_eq!(lobby.game.last_event.kind, EventKind::Moved);
    let positions: Vec<u16> = lobby.players.iter().map(|player| player.position).collect();
    assert_eq!(positions, [44, 3]);
}

async fn the_last_square_is_met_exactly_or_not_at_all(store: TestStore) {
    let fixture = Fixture::loaded(store, &[6, 1, 3, 1, 4]).await;
    let board = Board::new(10, vec![Jump { from: 9, to: 8 }]).unwrap();
    let new = NewGame { name: "Ann".into(), board, ..NewGame::default() };
    let made = fixture.service.create_game(new).await.unwrap();
    let code = made.lobby.game.code;
    fixture.clock.advance(1);
    let bob = fixture.service.join(&code, "Bob").await.unwrap().secret;
    fixture.service.start(&code, &made.secret).await.unwrap();
    let mut steps = Vec::new();
    for who in [&made.secret, &bob, &made.secret, &bob, &made.secret] {
        steps.push(fixture.service.roll(&code, who).await.unwrap().1);
    }
    // 6, then 3 onto the snake's head, then 4: 8 + 4 is too much.
    let way: Vec<(u16, Effect)> = steps.iter().step_by(2).map(|one| (one.to, one.effect)).collect();
    assert_eq!(way, [(6, Effect::None), (8, Effect::Snake), (8, Effect::Overshoot)]);
}

async fn the_first_on_the_last_square_wins_and_nobody_moves_after(store: TestStore) {
    let fixture = Fixture::loaded(store, &[5, 1, 5]).await;
    let board = Board::new(10, Vec::new()).unwrap();
    let made =
        fixture.service.create_game(NewGame { name: "Ann".into(), board, ..NewGame::default() });
    let made = made.await.unwrap();
    let code = made.lobby.game.code;
    fixture.clock.advance(1);
    let bob = fixture.service.join(&code, "Bob").await.unwrap().secret;
    fixture.service.start(&code, &made.secret).await.unwrap();
    assert!(!fixture.service.roll(&code, &made.secret).await.unwrap().1.wins);
    fixture.service.roll(&code, &bob).await.unwrap();
    assert!(fixture.service.roll(&code, &made.secret).await.unwrap().1.wins);
    let game = fixture.service.game(&code).await.unwrap();
    assert_eq!(
        (game.status, game.winner_id, game.turn),
        (Status::Finished, player_id(&made.secret), None)
    );
    for who in [&made.secret, &bob] {
        assert!(matches!(fixture.service.roll(&code, who).await, Err(Error::GameOver)));
    }
    assert_eq!(fixture.service.game(&code).await.unwrap().sequence, game.sequence);
}

async fn in_a_race_everybody_rolls_at_any_time(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.started(Mode::Race, &["Ann", "Bob", "Cleo"]).await;
    for _ in 0..3 {
        fixture.service.roll(&table.code, &table.secrets[2]).await.unwrap();
    }
    let (_, step) = fixture.service.roll(&table.code, &table.secrets[1]).await.unwrap();
    assert_eq!((step.from, step.to), (0, 1));
    let cleo = fixture.service.player(&player_id(&table.secrets[2]).unwrap()).await.unwrap();
    // 1, then 2 and up the ladder to 38, then 39.
    assert_eq!(cleo.position, 39);
    assert_eq!(fixture.service.game(&table.code).await.unwrap().turn, None);
}

async fn connections_come_go_and_come_back(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Ann", "Bob"]).await;
    let id = player_id(&table.secrets[0]).unwrap();
    let first = fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    let player = fixture.service.player(&id).await.unwrap();
    assert_eq!(
        (player.is_connected, player.connection_id.as_ref()),
        (true, Some(&first.connection_id))
    );
    assert_eq!(
        fixture.service.connection(&first.connection_id).await.unwrap(),
        Some(first.clone())
    );
    assert_eq!(
        fixture.service.connections_of(&table.code).await.unwrap(),
        std::slice::from_ref(&first)
    );
    // A reconnect comes before the old connection is noticed to be dead.
    fixture.clock.advance(1);
    let second = fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    assert_eq!(fixture.service.connections_of(&table.code).await.unwrap().len(), 2);
    fixture.service.disconnect(&first).await.unwrap();
    let player = fixture.service.player(&id).await.unwrap();
    assert_eq!(
        (player.is_connected, player.connection_id.as_ref()),
        (true, Some(&second.connection_id))
    );
    fixture.service.disconnect(&second).await.unwrap();
    let player = fixture.service.player(&id).await.unwrap();
    assert_eq!((player.is_connected, player.connection_id), (false, None));
    assert!(fixture.service.connections_of(&table.code).await.unwrap().is_empty());
    let wrong = fixture.game(Mode::Turns, &["Zoe"]).await;
    let refused = fixture.service.connect(&table.code, &wrong.secrets[0]).await;
    assert!(matches!(refused, Err(Error::WrongSecret)));
}

async fn whoever_leaves_hands_on_what_was_theirs(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.game(Mode::Turns, &["Ann", "Bob", "Cleo"]).await;
    let ids: Vec<_> = table.secrets.iter().map(|secret| player_id(secret).unwrap()).collect();
    fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    fixture.service.leave(&table.code, &ids[0], &table.secrets[0]).await.unwrap();
    let lobby = fixture.lobby(&table.code).await;
    assert_eq!((lobby.game.creator_id.clone(), lobby.game.player_count), (ids[1].clone(), 2));
    assert_eq!(lobby.players.len(), 2);
    assert!(fixture.service.connections_of(&table.code).await.unwrap().is_empty());
    assert!(matches!(fixture.service.player(&ids[0]).await, Err(Error::PlayerNotFound)));
    // The name is free again, and so is the colour. Whoever joins later joined later.
    fixture.clock.advance(1);
    let again = fixture.service.join(&table.code, "Ann").await.unwrap();
    assert_eq!(again.player.color, "#3B82F6");
    fixture.service.start(&table.code, &table.secrets[1]).await.unwrap();
    fixture.service.leave(&table.code, &ids[1], &table.secrets[1]).await.unwrap();
    assert_eq!(fixture.lobby(&table.code).await.game.turn, Some(ids[2].clone()));
    fixture.service.leave(&table.code, &ids[2], &table.secrets[2]).await.unwrap();
    // The last one left has won, and stays the winner.
    let winner = Some(again.player.id.clone());
    let game = fixture.lobby(&table.code).await.game;
    assert_eq!((game.status, &game.winner_id, game.turn), (Status::Finished, &winner, None));
    fixture.service.leave(&table.code, &again.player.id, &again.secret).await.unwrap();
    let game = fixture.service.game(&table.code).await.unwrap();
    assert_eq!((game.status, game.winner_id, game.turn), (Status::Finished, winner, None));
}

/// A seat that nobody sat on could be had by anybody for ever, and a player who was gone when it
/// was its turn ended the game for all.
async fn who_keeps_the_others_waiting_can_be_taken_out(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.game(Mode::Turns, &["Ann", "Bob", "Cleo", "Dan"]).await;
    let ids: Vec<_> = table.secrets.iter().map(|secret| player_id(secret).unwrap()).collect();
    let [ann, bob, cleo, dan] = &table.secrets[..] else { panic!("four have joined") };
    // Before the game, by its creator, at once.
    fixture.service.connect(&table.code, dan).await.unwrap();
    fixture.service.leave(&table.code, &ids[3], ann).await.unwrap();
    assert!(fixture.service.connections_of(&table.code).await.unwrap().is_empty());
    assert!(matches!(fixture.service.player(&ids[3]).await, Err(Error::PlayerNotFound)));
    fixture.service.start(&table.code, ann).await.unwrap();
    // In the game, by anybody, whoever it is that the others wait for.
    fixture.clock.advance(60_000);
    fixture.service.leave(&table.code, &ids[0], cleo).await.unwrap();
    let game = fixture.lobby(&table.code).await.game;
    assert_eq!((game.turn, game.creator_id), (Some(ids[1].clone()), ids[1].clone()));
    assert_eq!(
        (game.last_event.kind, game.last_event.player_id),
        (EventKind::Left, ids[0].clone())
    );
    assert!(matches!(fixture.service.roll(&table.code, ann).await, Err(Error::WrongSecret)));
    // The next one has its own minute, which begins now.
    let early = fixture.service.leave(&table.code, &ids[1], cleo).await;
    assert!(matches!(early, Err(Error::NotRemovable)), "{early:?}");
    fixture.service.roll(&table.code, bob).await.unwrap();
    assert_eq!(fixture.lobby(&table.code).await.game.turn, Some(ids[2].clone()));
}
