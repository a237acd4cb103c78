//! The law reports every kind of mistake that a system can make.

#![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

use singlet::prelude::*;
use singlet_testing::{Law, TestRequest, TestServer, TestStore, run};
use singlet_web::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

id!(NoteId);

#[table(name = "notes-{env}", key = (PK, SK), entities(Note, Mirror))]
struct Notes;

#[derive(Entity, Clone, Debug, Serialize, JsonSchema)]
#[entity(Notes, key = ("NOTE#{id}", "NOTE"))]
struct Note {
    id: NoteId,
    text: String,
}

#[derive(Entity, Clone, Debug)]
#[entity(Notes, key = ("MIRROR#{id}", "MIRROR"))]
struct Mirror {
    id: NoteId,
    text: String,
}

problems! {
    /// Why a request is refused.
    enum Error {
        /// The note does not exist.
        NoteNotFound = 404, "note-not-found", "Note not found";
    }
}

fn named(id: &str) -> NoteId {
    NoteId::new(id).unwrap()
}

fn note(id: &NoteId) -> Note {
    Note { id: id.clone(), text: "Text.".to_owned() }
}

fn mirror(id: &NoteId) -> Mirror {
    Mirror { id: id.clone(), text: "Text.".to_owned() }
}

type Handled = Result<Json<Note>, Error>;

async fn get_note(State(db): State<Db<Notes>>, Path(id): Path<NoteId>) -> Handled {
    Ok(Json(db.get(Note::key(&id)).await?.ok_or(Error::NoteNotFound)?))
}

/// Correct: both items are one write.
async fn set_note(State(db): State<Db<Notes>>, Path(id): Path<NoteId>) -> Handled {
    db.transact((put(&note(&id)), put(&mirror(&id)))).await?;
    Ok(Json(note(&id)))
}

/// Wrong: the mirror is a separate write.
async fn set_half(State(db): State<Db<Notes>>, Path(id): Path<NoteId>) -> Handled {
    db.run(put(&note(&id))).await?;
    db.run(put(&mirror(&id))).await?;
    Ok(Json(note(&id)))
}

/// Wrong: a failed read looks like a missing note.
async fn set_hidden(State(db): State<Db<Notes>>, Path(id): Path<NoteId>) -> Handled {
    let found = db.get(Note::key(named("kept"))).await.ok().flatten();
    found.ok_or(Error::NoteNotFound)?;
    set_note(State(db), Path(id)).await
}

/// Wrong: a failure of the second write is ignored.
async fn set_deaf(State(db): State<Db<Notes>>, Path(id): Path<NoteId>) -> Handled {
    db.run(put(&note(&id))).await?;
    let _ = db.run(put(&mirror(&id))).await;
    Ok(Json(note(&id)))
}

/// Reads the kept note once.
async fn set_cached(State(db): State<Db<Notes>>, Path(id): Path<NoteId>) -> Handled {
    static IS_CACHED: AtomicBool = AtomicBool::new(false);
    if !IS_CACHED.swap(true, Ordering::SeqCst) {
        db.get(Note::key(named("kept"))).await?;
    }
    set_note(State(db), Path(id)).await
}

/// Reads the kept note every other time, so it cannot be checked.
async fn set_odd(State(db): State<Db<Notes>>, Path(id): Path<NoteId>) -> Handled {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    if CALLS.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
        db.get(Note::key(named("kept"))).await?;
    }
    set_note(State(db), Path(id)).await
}

/// Finds the note as it should be, so nothing is written.
async fn keep_note(State(db): State<Db<Notes>>) -> Handled {
    get_note(State(db), Path(named("kept"))).await
}

/// Wrong: its Location does not answer.
async fn create_lost(State(db): State<Db<Notes>>) -> Result<Created<Note>, Error> {
    let made = note(&named("made"));
    db.run(put(&made)).await?;
    Ok(Created::at("/nowhere/made".to_owned(), made))
}

/// Wrong: a read that writes.
async fn list_writing(State(db): State<Db<Notes>>) -> Handled {
    let made = note(&named("made"));
    db.run(put(&made)).await?;
    Ok(Json(made))
}

async fn open(resources: Resources) -> Result<Opened, OpenError> {
    let db: Db<Notes> = resources.database().await?;
    db.run(put(&note(&named("kept")))).await?;
    let api = Api::new(db)
        .path_ids([("id", "The id of the note.", Error::NoteNotFound)])
        .route(Route::get("/notes/{id}", get_note).about("Shows a note."))
        .route(Route::put("/notes/{id}", set_note).about("Writes a note."))
        .route(Route::put("/halves/{id}", set_half).about("Writes a note."))
        .route(Route::put("/hidden/{id}", set_hidden).about("Writes a note."))
        .route(Route::put("/deaf/{id}", set_deaf).about("Writes a note."))
        .route(Route::put("/cached/{id}", set_cached).about("Writes a note."))
        .route(Route::put("/odd/{id}", set_odd).about("Writes a note."))
        .route(Route::post("/kept", keep_note).about("Writes a note."))
        .route(Route::post("/lost", create_lost).about("Writes a note."))
        .route(Route::get("/writing", list_writing).about("Shows a note."));
    Ok(Opened::new(api))
}

fn system() -> System {
    System::new("notes", "Notes", "Notes.").design::<Notes>().problems::<Error>().open(open)
}

#[derive(Clone, Copy)]
enum Check {
    Faults,
    FaultsInSteps,
    FaultsInIdle,
    Departures,
    DeparturesInIdle,
    Ids,
    AnyIds,
    Requests,
}

fn check(operation: &str, check: Check) {
    run(async {
        let server = TestServer::without_jobs(vec![system()], TestStore::faulty()).await;
        let table = format!("# operation | visitor\n{operation} | 200\n");
        let law = Law::new(&server, "notes", &table, async |row, _| {
            let (method, path) = match row {
                "getNote" => ("GET", "/notes/notes/kept"),
                "setNote" => ("PUT", "/notes/notes/new"),
                "setHalf" => ("PUT", "/notes/halves/new"),
                "setHidden" => ("PUT", "/notes/hidden/new"),
                "setDeaf" => ("PUT", "/notes/deaf/new"),
                "setCached" => ("PUT", "/notes/cached/new"),
                "setOdd" => ("PUT", "/notes/odd/new"),
                "keepNote" => ("POST", "/notes/kept"),
                "createLost" => ("POST", "/notes/lost"),
                _ => ("GET", "/notes/writing"),
            };
            TestRequest::new(&server.visitor(), method.parse().unwrap(), path, None)
        });
        match check {
            Check::Faults => law.check_faults().await,
            Check::FaultsInSteps => law.steps(&["setHalf"]).check_faults().await,
            Check::FaultsInIdle => law.idle(&["keepNote"]).check_faults().await,
            Check::Departures => law.check_departures().await,
            Check::DeparturesInIdle => law.idle(&["keepNote"]).check_departures().await,
            Check::Ids => law.check_ids(&[]).await,
            Check::AnyIds => law.check_ids(&["setNote"]).await,
            Check::Requests => law.check_requests("/nowhere").await,
        }
    });
}

#[test]
fn a_system_without_mistakes_passes() {
    check("setNote", Check::Faults);
    check("setNote", Check::Departures);
    check("getNote", Check::Ids);
}

#[test]
#[should_panic(expected = "setHalf, AnswerLost(0): is stored in part")]
fn two_writes_are_found() {
    check("setHalf", Check::Faults);
}

/// Unneeded exceptions used to pass.
#[test]
fn an_exception_that_is_not_needed_is_found() {
    check("setHalf", Check::FaultsInSteps);
    for (operation, exception, checked) in
        [("setNote", "setHalf", Check::FaultsInSteps), ("getNote", "setNote", Check::AnyIds)]
    {
        let passed = std::panic::catch_unwind(|| check(operation, checked));
        let message = passed.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains(&format!("- {exception} is an exception")), "{message}");
    }
}

/// The first request fills a cache in memory, so the next one does not read the note.
#[test]
fn requests_that_a_cache_makes_needless_are_not_expected() {
    check("setCached", Check::Departures);
}

#[test]
#[should_panic(expected = "setOdd, gone at 1: the request is not made")]
fn a_request_that_is_not_made_is_found() {
    check("setOdd", Check::Departures);
}

/// Rows without an effect used to be skipped silently.
#[test]
fn a_row_without_an_effect_must_be_declared() {
    for checked in [Check::Faults, Check::Departures] {
        let passed = std::panic::catch_unwind(|| check("keepNote", checked));
        let message = passed.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("- keepNote: succeeds, and has no effect"), "{message}");
    }
    check("keepNote", Check::FaultsInIdle);
    check("keepNote", Check::DeparturesInIdle);
    let unneeded = std::panic::catch_unwind(|| check("setNote", Check::FaultsInIdle));
    let message = unneeded.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("- keepNote is an exception without a need"), "{message}");
}

#[test]
#[should_panic(expected = "setHidden, Lost(0): answers 404 note-not-found")]
fn a_failed_read_that_looks_like_a_missing_item_is_found() {
    check("setHidden", Check::Faults);
}

#[test]
#[should_panic(expected = "setDeaf, Lost(1): answers 200, and stored")]
fn a_failure_that_is_not_reported_is_found() {
    check("setDeaf", Check::Faults);
}

#[test]
#[should_panic(expected = "createLost: /notes/nowhere/made answers 404")]
fn a_location_that_does_not_answer_is_found() {
    check("createLost", Check::Requests);
}

#[test]
#[should_panic(expected = "listWriting reads, and writes")]
fn a_read_that_writes_is_found() {
    check("listWriting", Check::Requests);
}

#[test]
#[should_panic(expected = "setNote     | 0     | 1      | 0   | same")]
fn a_table_of_requests_that_differs_is_found() {
    check("setNote", Check::Requests);
}
