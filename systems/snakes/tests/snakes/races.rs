//! Many at the same moment.

use crate::fixture::Fixture;
use singlet::Retryable as _;
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::problem::{ApiError as _, BUSY};
use singlet_web::random::Random;
use snakes::design::Status;
use snakes::error::Error;
use snakes::rules::Mode;
use snakes::service::NewGame;
use snakes::service::player_id;
use std::collections::{BTreeMap, BTreeSet};
use tokio::task::JoinSet;

on_every_backend! {
    a_hundred_rolls_at_once_give_moves_that_fit_together,
    of_a_hundred_rolls_in_one_turn_one_counts,
    fifty_joins_at_once_fill_the_game_and_no_name_is_there_twice,
    two_services_that_know_nothing_of_each_other_agree,
    a_code_that_is_taken_is_another_games_and_another_one_is_tried,
}

async fn a_hundred_rolls_at_once_give_moves_that_fit_together(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let names: Vec<String> = (0..10).map(|number| format!("P{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = fixture.started(Mode::Race, &names).await;
    let before = fixture.lobby(&table.code).await.game.sequence;
    let mut steps: BTreeMap<String, Vec<(u16, u16)>> = BTreeMap::new();
    let (mut made, mut wins) = (0, 0);
    // Until somebody has won, a hundred at a time, ten of each player.
    for _ in 0..50 {
        let mut rolls = JoinSet::new();
        for number in 0..100 {
            let (service, code) = (fixture.service.clone(), table.code.clone());
            let secret = table.secrets[number % 10].clone();
            rolls.spawn(async move { service.roll(&code, &secret).await });
        }
        while let Some(rolled) = rolls.join_next().await {
            match rolled.unwrap() {
                Ok((player, step)) => {
                    made += 1;
                    wins += usize::from(step.wins);
                    steps.entry(player.to_string()).or_default().push((step.from, step.to));
                }
                Err(Error::GameOver) => {}
                Err(other) => panic!("{other}"),
            }
        }
        if wins > 0 {
            break;
        }
    }
    let lobby = fixture.lobby(&table.code).await;
    assert_eq!((wins, lobby.game.status), (1, Status::Finished));
    assert_eq!(lobby.game.sequence - before, made);
    let winner = lobby.game.winner_id.unwrap();
    for player in &lobby.players {
        assert_eq!(player.position == 100, player.id == winner);
        // Each move begins where another one of the same player has ended: in some order the
        // moves are a way from the start to where the player is.
        let moves = steps.get(player.id.as_str()).cloned().unwrap_or_default();
        let mut balance: BTreeMap<u16, i32> = BTreeMap::new();
        for (from, to) in moves {
            *balance.entry(from).or_default() -= 1;
            *balance.entry(to).or_default() += 1;
        }
        *balance.entry(0).or_default() += 1;
        *balance.entry(player.position).or_default() -= 1;
        assert!(balance.values().all(|sum| *sum == 0), "{}: {balance:?}", player.name);
    }
}

async fn of_a_hundred_rolls_in_one_turn_one_counts(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    let mut rolls = JoinSet::new();
    for _ in 0..100 {
        let (service, code) = (fixture.service.clone(), table.code.clone());
        let secret = table.secrets[0].clone();
        rolls.spawn(async move { service.roll(&code, &secret).await });
    }
    let mut made = 0;
    while let Some(rolled) = rolls.join_next().await {
        match rolled.unwrap() {
            Ok(_) => made += 1,
            Err(Error::NotYourTurn) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(made, 1);
    assert_eq!(fixture.lobby(&table.code).await.game.turn, player_id(&table.secrets[1]));
}

async fn fifty_joins_at_once_fill_the_game_and_no_name_is_there_twice(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Ann"]).await;
    let mut joins = JoinSet::new();
    for number in 0..50 {
        let (service, code) = (fixture.service.clone(), table.code.clone());
        // Ten names, five times each, written in different ways.
        let name =
            if number % 2 == 0 { format!("p{}", number % 10) } else { format!("P{}", number % 10) };
        joins.spawn(async move { service.join(&code, &name).await });
    }
    let mut joined = 0;
    while let Some(outcome) = joins.join_next().await {
        match outcome.unwrap() {
            Ok(_) => joined += 1,
            Err(Error::GameFull | Error::NameTaken) => {}
            Err(other) => panic!("{other}"),
        }
    }
    let lobby = fixture.lobby(&table.code).await;
    assert_eq!((joined, lobby.players.len(), lobby.game.player_count), (5, 6, 6));
    let names: BTreeSet<String> =
        lobby.players.iter().map(|player| player.name.to_lowercase()).collect();
    let colors: BTreeSet<&str> = lobby.players.iter().map(|player| player.color.as_str()).collect();
    assert_eq!((names.len(), colors.len()), (6, 6));
}

async fn two_services_that_know_nothing_of_each_other_agree(store: TestStore) {
    // As two processes on one store: each has its own locks.
    let fixture = Fixture::loaded(store, &[1, 1, 2, 1, 3]).await;
    let other = snakes::service::Service::new(fixture.service.db().clone(), Random::new());
    let names: Vec<String> = (0..8).map(|number| format!("P{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = fixture.game(Mode::Race, &names).await;
    let mut joins = JoinSet::new();
    for number in 0..20 {
        let service = if number % 2 == 0 { &fixture.service } else { &other }.clone();
        let code = table.code.clone();
        joins.spawn(async move { service.join(&code, &format!("Q{}", number / 2)).await });
    }
    let mut joined = 0;
    while let Some(outcome) = joins.join_next().await {
        match outcome.unwrap() {
            Ok(_) => joined += 1,
            Err(Error::NameTaken) => {}
            Err(error) if error.is_retryable() => {}
            Err(unexpected) => panic!("{unexpected}"),
        }
    }
    assert_eq!(fixture.lobby(&table.code).await.players.len(), 8 + joined);
    fixture.service.start(&table.code, &table.secrets[0]).await.unwrap();
    let before = fixture.lobby(&table.code).await.game.sequence;
    let mut rolls = JoinSet::new();
    for number in 0..40 {
        let service = if number % 2 == 0 { &fixture.service } else { &other }.clone();
        let (code, secret) = (table.code.clone(), table.secrets[number / 2 % 8].clone());
        rolls.spawn(async move { service.roll(&code, &secret).await });
    }
    let mut made = 0;
    while let Some(rolled) = rolls.join_next().await {
        match rolled.unwrap() {
            Ok(_) => made += 1,
            Err(Error::GameOver) => {}
            Err(error) if error.is_retryable() => {}
            Err(unexpected) => panic!("{unexpected}"),
        }
    }
    assert_eq!(fixture.lobby(&table.code).await.game.sequence - before, made);
    // Over HTTP a roll takes longer, so that more of them are crowded out.
    let least = if fixture.store.engine().is_some() { 31 } else { 20 };
    assert!(made >= least, "{made}");
}

async fn a_code_that_is_taken_is_another_games_and_another_one_is_tried(store: TestStore) {
    let random = Random::scripted([], ["ABC234", "ABC234", "ABC234", "XYZ789"]);
    let fixture = Fixture::new(store, random).await;
    let first = fixture.game(Mode::Turns, &["Ann"]).await;
    let before = fixture.lobby(&first.code).await;
    let second = fixture.game(Mode::Turns, &["Bob"]).await;
    assert_eq!((first.code.as_str(), second.code.as_str()), ("ABC234", "XYZ789"));
    assert_eq!(fixture.lobby(&first.code).await, before);
    // A code whose game is gone is free again.
    fixture.clock.advance(25 * 3_600_000);
    let random = Random::scripted([], ["ABC234"]);
    let later = snakes::service::Service::new(fixture.service.db().clone(), random);
    let new = NewGame { name: "Cleo".into(), ..NewGame::default() };
    assert_eq!(later.create_game(new).await.unwrap().lobby.game.code.as_str(), "ABC234");
    // Where every code is taken, somebody has to be told.
    let random = Random::scripted([], ["ABC234"; 100]);
    let unlucky = snakes::service::Service::new(fixture.service.db().clone(), random);
    let new = NewGame { name: "Dora".into(), ..NewGame::default() };
    let refused = unlucky.create_game(new).await.unwrap_err();
    assert_eq!(refused.problem_type(), &BUSY);
}
