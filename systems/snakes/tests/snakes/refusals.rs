//! What is refused changes nothing.

use crate::fixture::Fixture;
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::random::Random;
use singlet_web::secret::Secret;
use snakes::design::Code;
use snakes::error::Error;
use snakes::rules::Mode;
use snakes::service::NewGame;
use snakes::service::player_id;

on_every_backend! {
    who_may_not_join_does_not,
    who_may_not_start_or_roll_does_not,
    a_race_is_no_less_strict,
}

async fn stored(fixture: &Fixture) -> String {
    let mut items: Vec<String> =
        fixture.items().await.iter().map(|item| format!("{item:?}")).collect();
    items.sort();
    items.join("\n")
}

macro_rules! assert_refused {
    ($fixture:expr, $call:expr, $refusal:pat) => {
        let before = stored(&$fixture).await;
        let refused = $call.await;
        assert!(matches!(refused, Err($refusal)), "{:?}", refused.map(|_| ()));
        assert_eq!(stored(&$fixture).await, before);
    };
}

async fn who_may_not_join_does_not(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Ann", "B", "C", "D", "E"]).await;
    let service = &fixture.service;
    let nowhere = Code::new("ZZZZZZ").unwrap();
    assert_refused!(fixture, service.join(&nowhere, "Bob"), Error::GameNotFound);
    assert_refused!(fixture, service.join(&table.code, "ann"), Error::NameTaken);
    assert_refused!(fixture, service.join(&table.code, "  ANN "), Error::NameTaken);
    assert_refused!(fixture, service.join(&table.code, ""), Error::Problem(_));
    assert_refused!(fixture, service.join(&table.code, &"x".repeat(1 << 20)), Error::Problem(_));
    assert_refused!(fixture, service.join(&table.code, "a\u{202e}b"), Error::Problem(_));
    service.join(&table.code, "<script>alert(1)</script>").await.unwrap_err();
    service.join(&table.code, "<b>F</b>").await.unwrap();
    assert_refused!(fixture, service.join(&table.code, "G"), Error::GameFull);
    service.start(&table.code, &table.secrets[0]).await.unwrap();
    assert_refused!(fixture, service.join(&table.code, "G"), Error::AlreadyStarted);
    let nameless = NewGame { name: "\n".into(), ..NewGame::default() };
    assert_refused!(fixture, service.create_game(nameless), Error::Problem(_));
}

async fn who_may_not_start_or_roll_does_not(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let alone = fixture.game(Mode::Turns, &["Ann"]).await;
    let service = &fixture.service;
    assert_refused!(fixture, service.start(&alone.code, &alone.secrets[0]), Error::TooFewPlayers);
    let table = fixture.game(Mode::Turns, &["Ann", "Bob"]).await;
    let [ann, bob] = [&table.secrets[0], &table.secrets[1]];
    assert_refused!(fixture, service.start(&table.code, bob), Error::NotTheCreator);
    assert_refused!(fixture, service.roll(&table.code, ann), Error::NotStarted);
    // The secret of one game is none in another.
    assert_refused!(fixture, service.start(&table.code, &alone.secrets[0]), Error::WrongSecret);
    service.start(&table.code, ann).await.unwrap();
    assert_refused!(fixture, service.start(&table.code, ann), Error::AlreadyStarted);
    assert_refused!(fixture, service.roll(&table.code, bob), Error::NotYourTurn);
    let id = player_id(ann).unwrap();
    let guessed = Secret::parse(&format!("{id}.AAAAAAAAAAAAAAAAAAAAAA")).unwrap();
    assert_refused!(fixture, service.roll(&table.code, &guessed), Error::WrongSecret);
    assert_refused!(fixture, service.leave(&table.code, &id, &guessed), Error::WrongSecret);
    // Nobody takes somebody else out who has had no minute for its turn, or whose turn it is not.
    fixture.clock.advance(59_999);
    assert_refused!(fixture, service.leave(&table.code, &id, bob), Error::NotRemovable);
    fixture.clock.advance(1);
    let other = player_id(bob).unwrap();
    assert_refused!(fixture, service.leave(&table.code, &other, ann), Error::NotRemovable);
    assert_refused!(fixture, service.leave(&table.code, &id, &guessed), Error::WrongSecret);
    let stranger = &alone.secrets[0];
    assert_refused!(fixture, service.leave(&table.code, &id, stranger), Error::WrongSecret);
    // Before the game begins it is the creator who may, and nobody else.
    let waiting = fixture.game(Mode::Turns, &["Ann", "Bob", "Cleo"]).await;
    let cleo = player_id(&waiting.secrets[2]).unwrap();
    let bob = &waiting.secrets[1];
    assert_refused!(fixture, service.leave(&waiting.code, &cleo, bob), Error::NotRemovable);
    let nowhere = Code::new("ZZZZZZ").unwrap();
    assert_refused!(fixture, service.roll(&nowhere, ann), Error::GameNotFound);
}

async fn a_race_is_no_less_strict(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.game(Mode::Race, &["Ann", "Bob"]).await;
    let service = &fixture.service;
    assert_refused!(fixture, service.roll(&table.code, &table.secrets[0]), Error::NotStarted);
    service.start(&table.code, &table.secrets[0]).await.unwrap();
    let id = player_id(&table.secrets[0]).unwrap();
    let guessed = Secret::parse(&format!("{id}.AAAAAAAAAAAAAAAAAAAAAA")).unwrap();
    assert_refused!(fixture, service.roll(&table.code, &guessed), Error::WrongSecret);
    let stranger = Secret::parse("nobody.AAAAAAAAAAAAAAAAAAAAAA").unwrap();
    assert_refused!(fixture, service.roll(&table.code, &stranger), Error::WrongSecret);
}
