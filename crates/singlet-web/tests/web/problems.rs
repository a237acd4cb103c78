//! Declared errors and their responses.

use crate::client::{Running, start, system};
use axum::Extension;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use singlet::Retryable;
use singlet::prelude::*;
use singlet_web::api::{Api, NoContent, Path, Route, StrictProblems, unused_problems};
use singlet_web::live::{SwitchingProtocols, WebSocketUpgrade};
use singlet_web::problem::{
    ApiError, BUSY, FORBIDDEN, INTERNAL, INVALID, Problem, ProblemType, SHARED, UNAVAILABLE,
};
use singlet_web::random::RandomUnavailable;
use singlet_web::{Opened, Options, System};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

singlet_web::problems! {
    /// Why the library refuses a request.
    pub enum Error {
        /// Somebody else has the book.
        /// Ask again when it is back.
        BookLent = 409, "book-lent", "The book is lent";
        /// The library does not have the book.
        BookNotFound = 404, "book-not-found", "Book not found";
    }
}

/// A route that returns a declared problem for a lent book.
async fn fetch(title: Path<String>) -> Result<NoContent, Error> {
    match title.as_str() {
        "Dune" => Err(Error::BookLent),
        "Emma" => Ok(NoContent),
        "Ulysses" => Err(Problem::new(&FORBIDDEN).into()),
        _ => Err(Error::BookNotFound),
    }
}

async fn fetch_any() -> Result<NoContent, Error> {
    Err(Error::BookNotFound)
}

fn api() -> Api<()> {
    let route = Route::get("/books/{title}", fetch).describe("fetchBook", "Fetches a book.");
    Api::new(()).named("test", "A library.").route(route.problems([Error::BookLent]))
}

async fn server(strict: Option<&StrictProblems>) -> Running {
    let mut router = api().into_router();
    if let Some(strict) = strict {
        router = router.layer(Extension(strict.clone()));
    }
    start(Options::default(), |server| server.with_system(system(router))).await
}

#[tokio::test]
async fn an_undeclared_problem_fails_the_test() {
    // Without strict mode it is sent and logged.
    let lenient = server(None).await;
    assert_eq!(lenient.get("/test/books/Persuasion").await.code(), "book-not-found");
    // In strict mode it is an error that names the operation.
    let strict = StrictProblems::default();
    let server = server(Some(&strict)).await;
    assert_eq!(server.get("/test/books/Emma").await.status, 204);
    assert_eq!(server.get("/test/books/Dune").await.code(), "book-lent");
    assert_eq!(strict.undeclared(), Vec::<String>::new());
    let lie = server.get("/test/books/Persuasion").await;
    assert_eq!((lie.status, lie.code().as_str()), (500, "internal"));
    let what = "fetchBook answered book-not-found without declaring it";
    assert_eq!(lie.json()["detail"], what);
    // Problems of the kit must be declared as well.
    assert_eq!(server.get("/test/books/Ulysses").await.status, 500);
    assert_eq!(strict.undeclared(), [what, "fetchBook answered forbidden without declaring it"]);
}

/// Answers every message with the refusal it names.
async fn listen(upgrade: WebSocketUpgrade) -> SwitchingProtocols {
    upgrade.serve(async |mut socket| {
        while let Some(Ok(text)) = socket.next().await {
            let error = if text.as_str() == "Dune" { Error::BookLent } else { Error::BookNotFound };
            socket.refuse(&error.into()).await;
        }
    })
}

/// Regression: problems on sockets were not checked: a route declared three of a dozen.
#[tokio::test]
async fn an_undeclared_problem_on_a_socket_fails_the_test() {
    let strict = StrictProblems::default();
    let server = async |strict: Option<&StrictProblems>| {
        let route = Route::get("/socket", listen).describe("listen", "Refuses messages.");
        let api = Api::new(()).named("test", "A library.").route(route.problems([Error::BookLent]));
        let mut router = api.into_router();
        if let Some(strict) = strict {
            router = router.layer(Extension(strict.clone()));
        }
        start(Options::default(), |server| server.with_system(system(router))).await
    };
    let ask = async |server: &Running, title: &str| -> Value {
        let mut socket = server.socket("/test/socket").await;
        socket.send(Message::text(title)).await.unwrap();
        match timeout(Duration::from_secs(120), socket.next()).await.unwrap().unwrap().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let lenient = server(None).await;
    assert_eq!(ask(&lenient, "Persuasion").await["code"], "book-not-found");
    let server = server(Some(&strict)).await;
    let lent = ask(&server, "Dune").await;
    assert_eq!((&lent["type"], &lent["code"]), (&"error".into(), &"book-lent".into()));
    assert_eq!(strict.undeclared(), Vec::<String>::new());
    let lie = ask(&server, "Persuasion").await;
    let what = "listen answered book-not-found without declaring it";
    assert_eq!((&lie["code"], &lie["detail"]), (&"internal".into(), &what.into()));
    assert_eq!(strict.undeclared(), [what]);
}

#[test]
fn every_declared_problem_is_used() {
    // The route declares one of two.
    let document = api().problems(Error::TYPES).document();
    assert_eq!(unused_problems(&document), ["book-not-found"]);
    let other = Route::get("/books", fetch_any).describe("fetchAny", "Fetches any book.");
    let api = api().problems(Error::TYPES).route(other.problems([Error::BookNotFound]));
    assert_eq!(unused_problems(&api.document()), Vec::<&str>::new());
}

#[test]
fn an_error_is_its_problem_type() {
    assert_eq!(Error::TYPES.len(), 2);
    let lent = Error::BookLent.problem_type();
    assert_eq!((lent.status, lent.name, lent.title), (409, "book-lent", "The book is lent"));
    assert_eq!(lent.description, " Somebody else has the book. Ask again when it is back.");
    assert_eq!(Error::BookLent.to_string(), "The book is lent");
    assert_eq!(Problem::from(Error::BookNotFound).problem_type().name, "book-not-found");
    let declared: &'static ProblemType = Error::BookNotFound.into();
    assert_eq!(declared, Error::TYPES[1]);
    // Problems pass through unchanged.
    let error = Error::from(Problem::new(&BUSY).with("place", 7).detail("Try again."));
    assert!(error.is_retryable() && error.problem_type() == &BUSY);
    assert_eq!(Problem::from(error).to_json()["place"], 7);
    assert!(!Error::BookLent.is_retryable());
}

singlet_web::problems! {
    /// Why the shop refuses a request.
    pub enum ShopError {
        /// The shop has `no` <such> book. See `GET /books`.
        BookNotFound = 404, "book-not-found", "Not for sale";
    }
}

/// Regression: two systems with a problem of the same name shared one explanation.
#[tokio::test]
async fn each_systems_problem_leads_to_its_own_explanation() {
    async fn sell(title: Path<String>) -> Result<NoContent, ShopError> {
        Err(match title.as_str() {
            "Emma" => ShopError::BookNotFound,
            _ => ShopError::BookNotFound.because("We never had it."),
        })
    }
    let library = System::new("library", "Library", "A library.")
        .problems::<Error>()
        .open(|_| async { Ok(Opened::from(api())) });
    let shop = System::new("shop", "Shop", "A shop.").problems::<ShopError>().open(|_| async {
        let route = Route::get("/books/{title}", sell).describe("sellBook", "Sells a book.");
        Ok(Opened::from(Api::new(()).route(route.problems([ShopError::BookNotFound]))))
    });
    let server =
        start(Options::default(), |server| server.with_system(library).with_system(shop)).await;
    let refused = server.get("/library/books/Middlemarch").await;
    assert_eq!(refused.json()["type"], "/problems#library.book-not-found");
    assert_eq!(refused.json()["detail"], "The library does not have the book.");
    assert_eq!(refused.code(), "book-not-found");
    let refused = server.get("/shop/books/Emma").await.json();
    assert_eq!(refused["type"], "/problems#shop.book-not-found");
    // The declared description is the default detail.
    assert_eq!(refused["detail"], "The shop has no <such> book. See GET /books.");
    assert_eq!(server.get("/shop/books/Dune").await.json()["detail"], "We never had it.");
    // Problems of the kit are shared.
    assert_eq!(server.get("/shop/nothing").await.json()["type"], "/problems#not-found");
    let refused = server.get("/library/books/Ulysses").await.json();
    assert_eq!(
        (&refused["type"], &refused["detail"]),
        (&"/problems#forbidden".into(), &Value::Null)
    );
    let page = server.get("/problems").await.body;
    let ids: Vec<&str> =
        page.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let different: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), different.len(), "{ids:?}");
    for id in ["not-found", "library.book-not-found", "shop.book-not-found"] {
        assert!(different.contains(id), "{id}");
    }
    let shown = "The shop has <code>no</code> &lt;such&gt; book. See <code>GET /books</code>.";
    assert!(page.contains(shown), "{page}");
}

#[test]
fn members_of_a_problem_cannot_replace_those_of_all() {
    let problem = Problem::new(&BUSY).with("code", "mine").with("game", json!({"turn": 3}));
    let json = problem.to_json();
    assert_eq!((&json["code"], &json["game"]["turn"]), (&json!("busy"), &json!(3)));
    assert_eq!(json["errors"], Value::Null);
}

/// Regression: every system mapped store errors in its own way.
#[test]
fn each_store_error_is_one_problem() {
    let table = || "games".to_owned();
    let failed = singlet::Error::ConditionFailed { entity: "Game", item: None, subject: None };
    let cases: Vec<(singlet::Error, &ProblemType, bool)> = vec![
        (singlet::Error::Cursor, &INVALID, true),
        (singlet::Error::Conflict { subject: None }, &BUSY, true),
        // Perhaps by the same write, sent twice.
        (failed, &BUSY, false),
        // Part of the batch was written.
        (singlet::Error::Unprocessed { count: 3, keys: Vec::new() }, &BUSY, false),
        (singlet::Error::Throttled { subject: None }, &UNAVAILABLE, false),
        (singlet::Error::NotReady { table: table() }, &UNAVAILABLE, false),
        (singlet::Error::RandomUnavailable, &INTERNAL, false),
        (singlet::Error::NoCursorKey, &INTERNAL, false),
        (singlet::Error::NoStream { table: table() }, &INTERNAL, false),
        (singlet::Error::MissingOperand, &INTERNAL, false),
        (singlet::Error::TooManyOperations { count: 101 }, &INTERNAL, false),
    ];
    for (error, expected, is_safe_to_retry) in cases {
        let what = format!("{error:?}");
        let is_retryable = error.is_retryable();
        let error = Error::from(error);
        assert_eq!(error.is_retryable(), is_retryable, "{what}");
        assert_eq!(error.problem_type(), expected, "{what}");
        let problem = Problem::from(error);
        assert_eq!(problem.problem_type(), expected, "{what}");
        assert_eq!(problem.is_safe_to_retry(), is_safe_to_retry, "{what}");
        // Store failures are not disclosed.
        assert!(problem.detail_text().is_none(), "{what}");
    }
    let cursor = Problem::from(singlet::Error::Cursor);
    assert_eq!(cursor.field_errors()[0].field, "cursor");
}

#[test]
fn no_random_numbers_is_our_problem() {
    let error = Error::from(RandomUnavailable);
    assert_eq!(Problem::from(error).problem_type(), &INTERNAL);
}

#[test]
fn shared_problem_types_have_names_of_their_own() {
    for name in ["busy", "changed-meanwhile", "if-match-required"] {
        assert_eq!(SHARED.iter().filter(|one| one.name == name).count(), 1, "{name}");
    }
}

id!(Title);

#[table(name = "books", key = (PK), entities(Book))]
struct Books;

#[derive(Entity)]
#[entity(Books, key = ("BOOK#{title}"))]
struct Book {
    title: Title,
}

/// A service returns the system's error; store errors convert with `?`.
#[tokio::test]
async fn errors_of_the_store_come_with_a_question_mark() {
    async fn add(db: &Db<Books>, title: &str) -> Result<(), Error> {
        let title = Title::new(title).map_err(|_| Error::BookNotFound)?;
        db.run(create(&Book { title })).await?;
        Ok(())
    }
    let db = Db::<Books>::memory().await.unwrap();
    add(&db, "Emma").await.unwrap();
    assert_eq!(add(&db, "Emma").await.unwrap_err().problem_type(), &BUSY);
    assert_eq!(add(&db, "").await.unwrap_err().problem_type().name, "book-not-found");
    // Regression: a title too long for a key was an internal error.
    let too_long = Problem::from(add(&db, &"x".repeat(3_000)).await.unwrap_err());
    assert_eq!(too_long.problem_type(), &INVALID);
    assert!(too_long.detail_text().unwrap().contains("too long"), "{too_long}");
}
