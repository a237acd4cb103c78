//! Demo data: loaded once, into empty tables, with its own times.

use crate::system::{Note, NoteId, Notes};
use singlet::Settings;
use singlet::engine::{Clock, Engine, Options};
use singlet::prelude::*;
use singlet_testing::Log;
use singlet_web::api::Api;
use singlet_web::demo::{DemoMarker, SystemName};
use singlet_web::{
    Demo, DemoError, DemoPolicy, OpenError, Opened, Resources, Site, SiteOptions, Store, System,
    Web,
};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const NOW: i64 = 1_773_576_000_000;

fn store() -> Store {
    let clock = Clock::fixed(NOW);
    let options = Options { clock: clock.clone(), background: false, ..Options::default() };
    let engine = Engine::memory_with(options).unwrap();
    Store::embedded(engine, Settings { clock, ..Settings::default() })
}

/// Three notes, an hour apart, with random words.
async fn load(resources: Resources, mut demo: Demo) -> Result<(), DemoError> {
    let db = resources.database::<Notes>().await?;
    for number in 0..3_u32 {
        demo.set_time(demo.loaded_at().before((3 - number) * HOUR));
        let text = demo.pick(&["oak", "elm", "ash", "fir", "yew"]).unwrap();
        let text = format!("{text} {}", demo.below(1_000));
        let id = NoteId::new(format!("n{number}"))?;
        db.run(create(&Note { id, text, at: resources.now() })).await?;
        assert_eq!(db.now(), resources.now());
    }
    Ok(())
}

fn notes(loads: &Arc<AtomicU32>) -> System {
    let loads = Arc::clone(loads);
    System::new("notes", "Notes", "Notes.")
        .design::<Notes>()
        .open(async |resources| {
            resources.database::<Notes>().await?;
            Ok(Opened::new(Api::new(())))
        })
        .demo(move |resources, demo| {
            loads.fetch_add(1, Ordering::SeqCst);
            load(resources, demo)
        })
}

async fn open(store: &Store, system: System, demo: DemoPolicy) -> Result<(), OpenError> {
    let mut options = SiteOptions::default();
    options.demo = demo;
    Site::open(vec![system], store.clone(), options).await.map(drop)
}

async fn all(store: &Store) -> Vec<Note> {
    let db = store.open::<Notes>().await.unwrap();
    let mut notes = db.scan(Scan::<Note>::table()).all().await.unwrap();
    notes.sort_by(|one, other| one.id.as_str().cmp(other.id.as_str()));
    notes
}

#[tokio::test]
async fn demo_data_is_loaded_once_by_two_servers_at_once() {
    let (store, loads) = (store(), Arc::default());
    let servers = (0..8).map(|_| {
        let (store, system) = (store.clone(), notes(&loads));
        tokio::spawn(async move {
            open(&store, system, DemoPolicy::IfEmpty).await.unwrap();
            // The servers that did not load it have waited for it.
            assert_eq!(all(&store).await.len(), 3);
        })
    });
    for server in servers.collect::<Vec<_>>() {
        server.await.unwrap();
    }
    assert_eq!(loads.load(Ordering::SeqCst), 1);
    let found = all(&store).await;
    let times = found.iter().map(|note| note.at.as_millis()).collect::<Vec<_>>();
    assert_eq!(times, [3, 2, 1].map(|hours| NOW - hours * 3_600_000));
    // Deleted demo data is not loaded again.
    let db = store.open::<Notes>().await.unwrap();
    for note in found {
        db.run(delete(Note::key(&note.id))).await.unwrap();
    }
    open(&store, notes(&loads), DemoPolicy::IfEmpty).await.unwrap();
    assert_eq!((loads.load(Ordering::SeqCst), all(&store).await), (1, Vec::new()));
}

#[tokio::test]
async fn demo_data_with_empty_is_not_loaded() {
    let (store, loads) = (store(), Arc::default());
    open(&store, notes(&loads), DemoPolicy::Never).await.unwrap();
    assert_eq!((loads.load(Ordering::SeqCst), all(&store).await), (0, Vec::new()));
}

#[tokio::test]
async fn tables_with_items_stay_as_they_are() {
    let (store, loads) = (store(), Arc::default());
    let db = store.open::<Notes>().await.unwrap();
    let own = Note { id: NoteId::new("own").unwrap(), text: "mine".into(), at: db.now() };
    db.run(create(&own)).await.unwrap();
    open(&store, notes(&loads), DemoPolicy::IfEmpty).await.unwrap();
    assert_eq!((loads.load(Ordering::SeqCst), all(&store).await), (0, vec![own]));
}

#[tokio::test]
async fn demo_data_is_the_same_for_a_seed() {
    let stores = [store(), store()];
    for store in &stores {
        open(store, notes(&Arc::default()), DemoPolicy::IfEmpty).await.unwrap();
    }
    let [one, other] = [all(&stores[0]).await, all(&stores[1]).await];
    assert_eq!((one.len(), &one), (3, &other));
    assert!(one[0].text != one[1].text, "{one:?}");
}

/// Regression: ids came from the operating system and differed with every load.
#[tokio::test]
async fn two_loads_give_the_same_ids_and_other_secrets() {
    let stores = [store(), store()];
    let secrets = Arc::<Mutex<Vec<String>>>::default();
    for store in &stores {
        let secrets = Arc::clone(&secrets);
        let system = notes(&Arc::default()).demo(move |resources, demo| {
            let secrets = Arc::clone(&secrets);
            async move {
                let db = resources.database::<Notes>().await?;
                for _ in 0..3 {
                    let random = resources.random();
                    let id: NoteId = random.id(demo.loaded_at())?;
                    let text = format!("{} {}", random.code("ABCD", 20)?, random.below(1_000_000)?);
                    secrets.lock().unwrap().push(random.secret()?);
                    db.run(create(&Note { id, text, at: resources.now() })).await?;
                }
                Ok::<(), DemoError>(())
            }
        });
        open(store, system, DemoPolicy::IfEmpty).await.unwrap();
    }
    let [one, other] = [all(&stores[0]).await, all(&stores[1]).await];
    assert_eq!((one.len(), &one), (3, &other));
    let mut secrets = secrets.lock().unwrap().clone();
    secrets.sort();
    secrets.dedup();
    assert_eq!(secrets.len(), 6);
}

/// The marker and the single note that a killed server left.
async fn interrupted(store: &Store, started_at: i64) -> DemoMarker {
    let db = store.open::<Notes>().await.unwrap();
    let note = Note { id: NoteId::new("n0").unwrap(), text: "oak".into(), at: db.now() };
    db.run(create(&note)).await.unwrap();
    let marker = DemoMarker {
        system: SystemName::new("notes").unwrap(),
        started_at: Timestamp::from_millis(started_at),
        is_loaded: false,
    };
    store.open::<Web>().await.unwrap().run(create(&marker)).await.unwrap();
    marker
}

/// Regression: the next start served partial data without a warning, because the tables were not
/// empty.
#[tokio::test]
async fn demo_data_that_was_loaded_in_part_is_warned_of() {
    let (store, loads, log) = (store(), Arc::default(), Log::warnings());
    interrupted(&store, NOW - 121_000).await;
    let guard = tracing::subscriber::set_default(log.clone());
    open(&store, notes(&loads), DemoPolicy::IfEmpty).await.unwrap();
    drop(guard);
    let logged = log.text();
    assert!(logged.contains("The demo data of notes is incomplete."), "{logged}");
    assert!(logged.contains("Delete the folder to load it again."), "{logged}");
    assert_eq!((loads.load(Ordering::SeqCst), all(&store).await.len()), (0, 1));
}

/// Regression: a server that started during a load served partial data.
#[tokio::test]
async fn a_server_waits_while_another_one_loads() {
    let (store, loads) = (store(), Arc::default());
    let marker = interrupted(&store, NOW - 1_000).await;
    let opening = open(&store, notes(&loads), DemoPolicy::IfEmpty);
    let mut opening = std::pin::pin!(opening);
    let early = tokio::time::timeout(Duration::from_millis(500), &mut opening).await;
    assert!(early.is_err(), "it has not waited");
    let web = store.open::<Web>().await.unwrap();
    let key = DemoMarker::key(&marker.system);
    web.run(update(key).set(DemoMarker::IS_LOADED, true)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(120), opening).await.unwrap().unwrap();
    assert_eq!(loads.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_loader_that_fails_is_not_repeated() {
    let (store, log) = (store(), Log::warnings());
    let failing = |loads: &Arc<AtomicU32>| {
        let loads = Arc::clone(loads);
        notes(&Arc::default()).demo(move |_, _| {
            loads.fetch_add(1, Ordering::SeqCst);
            async { Err(DemoError::new("no ink")) }
        })
    };
    let loads = Arc::default();
    let failed = open(&store, failing(&loads), DemoPolicy::IfEmpty).await.unwrap_err();
    assert_eq!(failed.to_string(), "the demo data of notes cannot be loaded: no ink");
    // The next start neither loads nor waits, and logs a warning.
    let guard = tracing::subscriber::set_default(log.clone());
    let opening = open(&store, failing(&loads), DemoPolicy::IfEmpty);
    tokio::time::timeout(Duration::from_secs(120), opening).await.unwrap().unwrap();
    drop(guard);
    assert!(log.text().contains("The demo data of notes is incomplete."));
    assert_eq!(loads.load(Ordering::SeqCst), 1);
}
