//! Cursors that are used on another server.

use singlet::backend::Embedded;
use singlet::engine::Engine;
use singlet::prelude::*;
use singlet::{CursorKey, Error, Settings};
use singlet_web::{Web, cursors};

id!(
    /// A number of an entry.
    Number,
);

#[table(name = "entries", key = (PK, SK), entities(Entry))]
struct Entries;

#[derive(Entity)]
#[entity(Entries, key = ("ENTRIES", "{number}"))]
struct Entry {
    number: Number,
}

/// A server's database, opened as at startup.
async fn open(engine: &Engine) -> Db<Entries> {
    let backend = Embedded::new(engine.clone());
    let web = Db::<Web>::on(backend.clone(), Settings::default());
    web.provision().await.unwrap();
    let cursor_key = Some(cursors::shared_key(&web).await.unwrap());
    let db = Db::on(backend, Settings { cursor_key, ..Settings::default() });
    db.provision().await.unwrap();
    db
}

#[tokio::test]
async fn servers_on_one_store_take_each_others_cursors_and_no_others() {
    let store = Engine::memory().unwrap();
    let (one, other) = (open(&store).await, open(&store).await);
    for number in ["1", "2"] {
        one.run(put(&Entry { number: Number::new(number).unwrap() })).await.unwrap();
    }
    let list = || Entry::of().limit(1);
    let cursor = one.query(list()).page(None).await.unwrap().next.unwrap();
    let rest = other.query(list()).page(Some(cursor.clone())).await.unwrap();
    assert_eq!(rest.items[0].number.as_str(), "2");
    // Another store has another secret, and so has a server with its own key. Without a key, pages
    // cannot be read.
    let elsewhere = open(&Engine::memory().unwrap()).await;
    let refused = elsewhere.query(list()).page(Some(cursor.clone())).await;
    assert!(matches!(refused, Err(Error::Cursor)));
    let own = Settings { cursor_key: Some(CursorKey::of_this_process()), ..Settings::default() };
    let on_its_own = Db::<Entries>::on(Embedded::new(store.clone()), own);
    let refused = on_its_own.query(list()).page(Some(cursor)).await;
    assert!(matches!(refused, Err(Error::Cursor)));
    let without = Db::<Entries>::on(Embedded::new(store), Settings::default());
    assert!(matches!(without.query(list()).page(None).await, Err(Error::NoCursorKey)));
}
