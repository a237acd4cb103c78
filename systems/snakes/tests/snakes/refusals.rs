//! What is refused changes nothing.

use crate::fixture::Fixture;
use singlet_snakes::chance::Chance;
use singlet_snakes::design::Code;
use singlet_snakes::refusal::Refusal;
use singlet_snakes::rules::Mode;
use singlet_snakes::secret::Secret;
use singlet_snakes::service::NewGame;
use singlet_testing::{TestStore, on_every_backend};

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
    let fixture = Fixture::new(store, Chance::system()).await;
    let table = fixture.game(Mode::Turns, &["Ann", "B", "C", "D", "E"]).await;
    let service = &fixture.service;
    let nowhere = Code::new("ZZZZZZ").unwrap();
    assert_refused!(fixture, service.join(&nowhere, "Bob"), Refusal::GameNotFound);
    assert_refused!(fixture, service.join(&table.code, "ann"), Refusal::NameTaken);
    assert_refused!(fixture, service.join(&table.code, "  ANN "), Refusal::NameTaken);
    assert_refused!(fixture, service.join(&table.code, ""), Refusal::InvalidName(_));
    assert_refused!(
        fixture,
        service.join(&table.code, &"x".repeat(1 << 20)),
        Refusal::InvalidName(_)
    );
    assert_refused!(fixture, service.join(&table.code, "a\u{202e}b"), Refusal::InvalidName(_));
    service.join(&table.code, "<script>alert(1)</script>").await.unwrap_err();
    service.join(&table.code, "<b>F</b>").await.unwrap();
    assert_refused!(fixture, service.join(&table.code, "G"), Refusal::GameFull);
    service.start(&table.code, &table.secrets[0]).await.unwrap();
    assert_refused!(fixture, service.join(&table.code, "G"), Refusal::AlreadyStarted);
    let nameless = NewGame { name: "\n".into(), ..NewGame::default() };
    assert_refused!(fixture, service.create_game(nameless), Refusal::InvalidName(_));
}

async fn who_may_not_start_or_roll_does_not(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let alone = fixture.game(Mode::Turns, &["Ann"]).await;
    let service = &fixture.service;
    assert_refused!(fixture, service.start(&alone.code, &alone.secrets[0]), Refusal::TooFewPlayers);
    let table = fixture.game(Mode::Turns, &["Ann", "Bob"]).await;
    let [ann, bob] = [&table.secrets[0], &table.secrets[1]];
    assert_refused!(fixture, service.start(&table.code, bob), Refusal::NotTheCreator);
    assert_refused!(fixture, service.roll(&table.code, ann), Refusal::NotStarted);
    // The secret of one game is none in another.
    assert_refused!(fixture, service.start(&table.code, &alone.secrets[0]), Refusal::WrongSecret);
    service.start(&table.code, ann).await.unwrap();
    assert_refused!(fixture, service.start(&table.code, ann), Refusal::AlreadyStarted);
    assert_refused!(fixture, service.roll(&table.code, bob), Refusal::NotYourTurn);
    let id = ann.player().unwrap();
    let guessed = Secret::read(&format!("{id}.AAAAAAAAAAAAAAAAAAAAAA")).unwrap();
    assert_refused!(fixture, service.roll(&table.code, &guessed), Refusal::WrongSecret);
    assert_refused!(fixture, service.leave(&table.code, &id, &guessed), Refusal::WrongSecret);
    // Nobody takes somebody else out who has had no minute for its turn, or whose turn it is not.
    fixture.clock.advance(59_999);
    assert_refused!(fixture, service.leave(&table.code, &id, bob), Refusal::NotRemovable);
    fixture.clock.advance(1);
    let other = bob.player().unwrap();
    assert_refused!(fixture, service.leave(&table.code, &other, ann), Refusal::NotRemovable);
    assert_refused!(fixture, service.leave(&table.code, &id, &guessed), Refusal::WrongSecret);
    let stranger = &alone.secrets[0];
    assert_refused!(fixture, service.leave(&table.code, &id, stranger), Refusal::WrongSecret);
    // Before the game begins it is the creator who may, and nobody else.
    let waiting = fixture.game(Mode::Turns, &["Ann", "Bob", "Cleo"]).await;
    let cleo = waiting.secrets[2].player().unwrap();
    let bob = &waiting.secrets[1];
    assert_refused!(fixture, service.leave(&waiting.code, &cleo, bob), Refusal::NotRemovable);
    let nowhere = Code::new("ZZZZZZ").unwrap();
    assert_refused!(fixture, service.roll(&nowhere, ann), Refusal::GameNotFound);
}

async fn a_race_is_no_less_strict(store: TestStore) {
    let fixture = Fixture::loaded(store, &[1]).await;
    let table = fixture.game(Mode::Race, &["Ann", "Bob"]).await;
    let service = &fixture.service;
    assert_refused!(fixture, service.roll(&table.code, &table.secrets[0]), Refusal::NotStarted);
    service.start(&table.code, &table.secrets[0]).await.unwrap();
    let id = table.secrets[0].player().unwrap();
    let guessed = Secret::read(&format!("{id}.AAAAAAAAAAAAAAAAAAAAAA")).unwrap();
    assert_refused!(fixture, service.roll(&table.code, &guessed), Refusal::WrongSecret);
    let stranger = Secret::read("nobody.AAAAAAAAAAAAAAAAAAAAAA").unwrap();
    assert_refused!(fixture, service.roll(&table.code, &stranger), Refusal::WrongSecret);
}
