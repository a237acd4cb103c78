//! What strangers store has an end: for one address, and for all of them.

use crate::fixture::{Fixture, TestGame};
use singlet::dynamo::binary;
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::Web;
use singlet_web::limit::{ClientLimits, Rate};
use singlet_web::problem::{Problem, RATE_LIMITED, UNAVAILABLE};
use singlet_web::random::Random;
use snakes::board::{Board, Jump};
use snakes::design::{Code, HISTORY_LEN_MAX};
use snakes::error::Error;
use snakes::rules::Mode;
use snakes::service::player_id;
use snakes::service::{Budgets, NewGame, Service};

on_every_backend! {
    one_address_creates_so_many_games_and_no_more,
    games_made_by_playing_again_count,
    when_too_many_games_are_made_the_oldest_that_nobody_plays_goes,
    a_game_that_is_young_or_played_does_not_go,
    what_all_have_stored_in_an_hour_has_an_end,
    what_one_address_has_stored_has_an_end,
    a_name_that_is_taken_costs_its_address_and_nobody_else,
}

/// How many games an address may create at once. Another one is added every ten seconds.
const CREATIONS: usize = 60;
const MINUTE_MS: i64 = 60_000;
const PLENTY: u64 = 1 << 40;

/// The same store behind a service with these budgets: another server, or one that was restarted.
async fn server(fixture: &Fixture, bytes: u64, games: u64) -> Service {
    let web = fixture.store.open::<Web>().await;
    let random = Random::scripted([0], []);
    let service = Service::new(fixture.service.db().clone(), random);
    service.with_budgets(Budgets::with_limits(web, bytes, games))
}

/// Begins at a full hour, so that all of a story is in one.
async fn at_full_hour(store: TestStore) -> Fixture {
    let fixture = Fixture::loaded(store, &[1]).await;
    let hour_ms = 60 * MINUTE_MS;
    fixture.clock.advance(hour_ms - fixture.service.db().now().as_millis() % hour_ms);
    fixture
}

async fn create(service: &Service) -> Result<Code, Error> {
    let new = NewGame { name: "Ann".to_owned(), ..NewGame::default() };
    Ok(service.create_game(new).await?.lobby.game.code)
}

async fn exists(fixture: &Fixture, code: &Code) -> bool {
    fixture.service.game(code).await.is_ok()
}

fn problem<T>(refused: Result<T, Error>) -> Problem {
    match refused {
        Err(Error::Problem(problem)) => problem,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("not refused"),
    }
}

/// Games could be made without an end, and each was kept for a day.
async fn when_too_many_games_are_made_the_oldest_that_nobody_plays_goes(store: TestStore) {
    let fixture = at_full_hour(store).await;
    let first = server(&fixture, PLENTY, 4).await;
    let joined = create(&first).await.unwrap();
    first.join(&joined, "Bob").await.unwrap();
    let mut waiting = Vec::new();
    for _ in 0..3 {
        fixture.clock.advance(1_000);
        waiting.push(create(&first).await.unwrap());
    }
    fixture.clock.advance(10 * MINUTE_MS);
    // The hour's games are spent for every server on the store, and after a restart.
    let second = server(&fixture, PLENTY, 4).await;
    for (service, gone) in [&second, &first, &second].into_iter().zip(&waiting) {
        assert!(exists(&fixture, gone).await);
        create(service).await.unwrap();
        assert!(!exists(&fixture, gone).await);
    }
    assert!(exists(&fixture, &joined).await);
    let listed = fixture.service.newest_games(100, None).await.unwrap().items;
    assert_eq!(listed.len(), 4);
    // Of the game that is gone, nothing is left: four games, and five players.
    assert_eq!(fixture.items().await.len(), 9);
}

async fn a_game_that_is_young_or_played_does_not_go(store: TestStore) {
    let fixture = at_full_hour(store).await;
    let service = server(&fixture, PLENTY, 3).await;
    let joined = create(&service).await.unwrap();
    service.join(&joined, "Bob").await.unwrap();
    let left = fixture.game(Mode::Turns, &["Cleo"]).await;
    let cleo = player_id(&left.secrets[0]).unwrap();
    service.leave(&left.code, &cleo, &left.secrets[0]).await.unwrap();
    fixture.clock.advance(1_000);
    let waiting = create(&service).await.unwrap();
    fixture.clock.advance(1_000);
    create(&service).await.unwrap();
    fixture.clock.advance(9 * MINUTE_MS);
    let before = fixture.items().await.len();
    let refused = problem(create(&service).await);
    assert_eq!((refused.problem_type(), refused.is_safe_to_retry()), (&UNAVAILABLE, true));
    assert_eq!(fixture.items().await.len(), before);
    fixture.clock.advance(MINUTE_MS);
    // The oldest goes first: the one that is over, and then the one that waits.
    create(&service).await.unwrap();
    assert!(!exists(&fixture, &left.code).await && exists(&fixture, &waiting).await);
    create(&service).await.unwrap();
    assert!(!exists(&fixture, &waiting).await);
    assert!(exists(&fixture, &joined).await);
    // The next hour has games of its own.
    fixture.clock.advance(60 * MINUTE_MS);
    let count = fixture.items().await.len();
    create(&service).await.unwrap();
    assert_eq!(fixture.items().await.len(), count + 2);
}

/// Every move was stored with both images of the game, for a day, as often as anybody liked.
async fn what_all_have_stored_in_an_hour_has_an_end(store: TestStore) {
    const BYTES: u64 = 400 << 10;
    let fixture = at_full_hour(store).await;
    let new = NewGame {
        name: "Ann".to_owned(),
        mode: Mode::Race,
        board: Board::new(400, Vec::new()).unwrap(),
    };
    let ann = fixture.service.create_game(new).await.unwrap();
    let code = ann.lobby.game.code;
    fixture.service.join(&code, "Bob").await.unwrap();
    fixture.service.start(&code, &ann.secret).await.unwrap();
    let waiting = fixture.game(Mode::Turns, &["Zoe"]).await;
    let service = server(&fixture, BYTES, PLENTY).await;
    let mut moves = 0;
    let refused = loop {
        match service.roll(&code, &ann.secret).await {
            Ok(_) => moves += 1,
            refused => break problem(refused),
        }
    };
    // A move on a board without snakes and ladders is charged with 4 KB.
    assert!((99..=101).contains(&moves), "{moves}");
    assert_eq!((refused.problem_type(), refused.is_safe_to_retry()), (&UNAVAILABLE, true));
    let before = fixture.items().await.len();
    let restarted = server(&fixture, BYTES, PLENTY).await;
    for service in [&service, &restarted] {
        problem(create(service).await);
        problem(service.join(&waiting.code, "Bob").await);
        problem(service.connect(&waiting.code, &waiting.secrets[0]).await);
        problem(service.roll(&code, &ann.secret).await);
    }
    assert_eq!(fixture.lobby(&code).await.game.sequence, 3 + moves);
    assert_eq!(fixture.items().await.len(), before);
    // Who is in a game can leave it. That was charged on joining.
    let zoe = player_id(&waiting.secrets[0]).unwrap();
    restarted.leave(&waiting.code, &zoe, &waiting.secrets[0]).await.unwrap();
    fixture.clock.advance(60 * MINUTE_MS);
    service.roll(&code, &ann.secret).await.unwrap();
    create(&restarted).await.unwrap();
}

async fn what_one_address_has_stored_has_an_end(store: TestStore) {
    let fixture = at_full_hour(store).await;
    // Nothing comes back while the test runs.
    let rate = Rate { per_second: 0.001, burst: 120_000.0 };
    let account = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), rate);
    let service = fixture.service.for_client(&account);
    let code = create(&service).await.unwrap();
    service.join(&code, "Bob").await.unwrap();
    service.join(&code, "Cleo").await.unwrap();
    assert_eq!(problem(service.join(&code, "Dan").await).problem_type(), &RATE_LIMITED);
    assert_eq!(problem(create(&service).await).problem_type(), &RATE_LIMITED);
    assert_eq!(fixture.lobby(&code).await.players.len(), 3);
    let other = ClientLimits::with_stored_rate([192, 0, 2, 2].into(), rate);
    fixture.service.for_client(&other).join(&code, "Dan").await.unwrap();
}

/// Joins under names that were taken were free, and each compared the names of all players.
async fn a_name_that_is_taken_costs_its_address_and_nobody_else(store: TestStore) {
    let fixture = at_full_hour(store).await;
    let code = create(&fixture.service).await.unwrap();
    // What all may store is enough for one who joins.
    let service = server(&fixture, 60_000, PLENTY).await;
    let rate = Rate { per_second: 0.001, burst: 200_000.0 };
    let account = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), rate);
    let stranger = service.for_client(&account);
    let mut refused = 0;
    let limited = loop {
        match stranger.join(&code, "ANN").await {
            Err(Error::NameTaken) => refused += 1,
            other => break problem(other),
        }
    };
    assert_eq!(limited.problem_type(), &RATE_LIMITED);
    assert!((3..=20).contains(&refused), "{refused}");
    let other = ClientLimits::with_stored_rate([192, 0, 2, 2].into(), rate);
    service.for_client(&other).join(&code, "Bob").await.unwrap();
}

/// A client whose address may store as much as it likes.
fn client(address: [u8; 4]) -> ClientLimits {
    ClientLimits::with_stored_rate(address.into(), Rate { per_second: 1e9, burst: 1e9 })
}

/// One address could create three hundred games a second, and each was kept for a day.
async fn one_address_creates_so_many_games_and_no_more(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let service = fixture.service.for_client(&client([192, 0, 2, 1]));
    let mut created = 0;
    let refused = loop {
        match create(&service).await {
            Ok(_) => created += 1,
            refused => break problem(refused),
        }
    };
    assert_eq!(refused.problem_type(), &RATE_LIMITED);
    // On a slow machine some are added meanwhile.
    assert!((CREATIONS..2 * CREATIONS).contains(&created), "{created}");
    create(&fixture.service.for_client(&client([192, 0, 2, 2]))).await.unwrap();
}

/// Games that were made by playing again did not count: a stranger with two players could have one
/// game after the other.
async fn games_made_by_playing_again_count(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let service = fixture.service.for_client(&client([192, 0, 2, 1]));
    let mut played = Vec::new();
    let refused = loop {
        let over = over(&fixture).await;
        let refused = service.rematch(&over.code, &over.secrets[0]).await;
        if refused.is_err() {
            break problem(refused);
        }
        played.push(over);
    };
    assert_eq!(refused.problem_type(), &RATE_LIMITED);
    assert!((CREATIONS..2 * CREATIONS).contains(&played.len()), "{}", played.len());
    // Joining a game that another player has created is no new game.
    service.rematch(&played[0].code, &played[0].secrets[1]).await.unwrap();
}

/// A game that Ann has won.
async fn over(fixture: &Fixture) -> TestGame {
    let board = Board::new(10, vec![Jump { from: 1, to: 10 }]).unwrap();
    let new = NewGame { name: "Ann".to_owned(), board, ..NewGame::default() };
    let ann = fixture.service.create_game(new).await.unwrap();
    let code = ann.player.game_code;
    let bob = fixture.service.join(&code, "Bob").await.unwrap();
    fixture.service.start(&code, &ann.secret).await.unwrap();
    assert!(fixture.service.roll(&code, &ann.secret).await.unwrap().1.wins);
    TestGame { code, secrets: vec![ann.secret, bob.secret] }
}

/// The stream has both images of each item. Half as much again is for what holds them: keys, index
/// rows, and pages that are not full.
#[tokio::test]
async fn a_change_is_charged_with_more_than_it_stores() {
    let jumps = (190..390).map(|from| Jump { from, to: 399 }).collect();
    for board in [Board::default(), Board::new(400, jumps).unwrap()] {
        let fixture = at_full_hour(TestStore::memory()).await;
        let new = NewGame { name: "\u{1f40d}".repeat(24), board, ..NewGame::default() };
        let ann = fixture.service.create_game(new).await.unwrap();
        let code = ann.player.game_code;
        let bob = fixture.service.join(&code, &"\u{1f9ae}".repeat(24)).await.unwrap();
        fixture.service.connect(&code, &ann.secret).await.unwrap();
        fixture.service.start(&code, &ann.secret).await.unwrap();
        let mut turns = [&ann.secret, &bob.secret].into_iter().cycle();
        for secret in turns.by_ref().take(HISTORY_LEN_MAX) {
            fixture.service.roll(&code, secret).await.unwrap();
        }
        let items = fixture.items().await;
        assert_eq!(items.len(), 4);
        let stored: usize = items.iter().map(|item| binary::encode(item).len()).sum();
        // What ten moves store is charged by ten moves at most.
        let service = server(&fixture, 10 * 3 * stored as u64, PLENTY).await;
        let mut moves = 0;
        let refused = loop {
            match service.roll(&code, turns.next().unwrap()).await {
                Ok(_) => moves += 1,
                refused => break problem(refused),
            }
        };
        assert_eq!(refused.problem_type(), &UNAVAILABLE);
        assert!(moves <= 10, "{moves}");
    }
}
