//! Paged lists, and query parameters of several arguments.

use crate::client::{Running, start, system};
use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use singlet::CursorKey;
use singlet::Settings;
use singlet::backend::Embedded;
use singlet::engine::Engine;
use singlet::prelude::*;
use singlet_web::Options;
use singlet_web::api::{Api, Json, LastEventId, Page, Paging, Query, Route, StrictProblems};
use singlet_web::problem::Problem;

id!(Shelf, Title);

#[table(name = "books", key = (PK, SK), entities(Book))]
struct Books;

#[derive(Entity, Serialize, JsonSchema)]
#[entity(Books, key = ("SHELF#{shelf}", "{title}"))]
struct Book {
    shelf: Shelf,
    title: Title,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Filter {
    shelf: Option<Shelf>,
    backwards: Option<bool>,
}

async fn list(
    State(db): State<Db<Books>>,
    filter: Query<Filter>,
    paging: Paging<2, 3>,
) -> Result<Json<Page<Title>>, Problem> {
    let shelf = filter.0.shelf.unwrap_or_else(|| Shelf::new("a").unwrap());
    let mut query = Book::of(&shelf).limit(paging.limit());
    if filter.0.backwards == Some(true) {
        query = query.descending();
    }
    let page: Page<Book> = db.query(query).page(paging.cursor()?).await?.into();
    Ok(Json(page.map(|book| book.title)))
}

async fn follow(last: LastEventId, paging: Paging) -> Json<(Option<u64>, usize)> {
    Json((last.0, paging.limit()))
}

async fn api() -> Api<Db<Books>> {
    let settings =
        Settings { cursor_key: Some(CursorKey::of_this_process()), ..Settings::default() };
    let db = Db::<Books>::on(Embedded::new(Engine::memory().unwrap()), settings);
    db.provision().await.unwrap();
    for (shelf, titles) in [("a", "12345"), ("b", "6789")] {
        for title in titles.chars() {
            let (shelf, title) = (Shelf::new(shelf).unwrap(), Title::new(title).unwrap());
            db.run(put(&Book { shelf, title })).await.unwrap();
        }
    }
    Api::new(db)
        .named("test", "Books.")
        .route(Route::get("/books", list).describe("listBooks", "Lists books."))
        .route(Route::get("/events", follow).describe("follow", "Follows."))
}

async fn server(strict: &StrictProblems) -> Running {
    let router = api().await.into_router().layer(Extension(strict.clone()));
    start(Options::default(), |server| server.with_system(system(router))).await
}

#[tokio::test]
async fn a_list_goes_on_where_the_part_before_ended() {
    let server = server(&StrictProblems::default()).await;
    let first = server.get("/test/books").await.json();
    assert_eq!(first["items"], json!(["1", "2"]));
    let next = first["next"].as_str().unwrap();
    let second = server.get(&format!("/test/books?limit=3&cursor={next}")).await.json();
    assert_eq!(second, json!({"items": ["3", "4", "5"], "next": null}));
}

#[tokio::test]
async fn forged_cursors_are_refused() {
    let strict = StrictProblems::default();
    let server = server(&strict).await;
    let next = server.get("/test/books").await.json()["next"].as_str().unwrap().to_owned();
    let mut changed = next.clone().into_bytes();
    let last = changed.len() / 2;
    changed[last] = if changed[last] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).unwrap();
    let (long, shorter) = ("A".repeat(9_000), next[..next.len() - 4].to_owned());
    for cursor in ["", "A", "%00", "....", &changed, &shorter, &long, &format!("{next}AAAA")] {
        let refused = server.get(&format!("/test/books?cursor={cursor}")).await;
        let what = (refused.status, refused.code());
        assert_eq!(what, (422, "invalid".to_owned()), "{cursor}");
        assert_eq!(refused.json()["errors"][0]["field"], "cursor", "{cursor}");
        assert_eq!(refused.json()["errors"][0]["in"], "query", "{cursor}");
    }
    assert_eq!(strict.undeclared(), Vec::<String>::new());
}

/// Regression: an identifier too long for a key was an internal error.
#[tokio::test]
async fn identifiers_that_are_too_long_are_refused_with_their_field() {
    let strict = StrictProblems::default();
    let server = server(&strict).await;
    for (len, status) in [(255, 200), (256, 422), (3_000, 422)] {
        let answer = server.get(&format!("/test/books?shelf={}", "x".repeat(len))).await;
        assert_eq!(answer.status, status, "{len}");
        if status == 422 {
            let error = &answer.json()["errors"][0];
            assert_eq!((&error["in"], &error["field"]), (&json!("query"), &json!("shelf")));
        }
    }
    assert_eq!(strict.undeclared(), Vec::<String>::new());
}

#[tokio::test]
async fn cursor_of_another_list() {
    let server = server(&StrictProblems::default()).await;
    let next = server.get("/test/books").await.json()["next"].as_str().unwrap().to_owned();
    for other in ["shelf=b", "backwards=true"] {
        let refused = server.get(&format!("/test/books?{other}&cursor={next}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{other}");
        assert_eq!(refused.json()["errors"][0]["field"], "cursor", "{other}");
    }
}

/// Regression: `Query<T>` rejected the parameters of other arguments.
#[tokio::test]
async fn query_arguments_join() {
    let server = server(&StrictProblems::default()).await;
    let listed = server.get("/test/books?shelf=b&limit=1&backwards=true").await;
    assert_eq!(listed.json()["items"], json!(["9"]));
    for (query, field, detail) in [
        ("shelf=b&limt=1", "limt", "unknown parameter"),
        ("after=1", "after", "unknown parameter"),
        ("limit=4", "limit", "must be at most 3"),
        ("limit=0", "limit", "must be at least 1"),
        ("limit=1&limit=2", "limit", "is given twice"),
        ("shelf=a&shelf=b", "shelf", "is given twice"),
        ("backwards=yes", "backwards", "must be true or false"),
    ] {
        let refused = server.get(&format!("/test/books?{query}")).await;
        assert_eq!(refused.status, 422, "{query}");
        let error = &refused.json()["errors"][0];
        assert_eq!((&error["field"], &error["detail"]), (&json!(field), &json!(detail)), "{query}");
    }
}

#[tokio::test]
async fn who_reconnects_says_what_it_has_seen() {
    let server = server(&StrictProblems::default()).await;
    let ask = async |query: &str, lines: &[&str]| {
        server.send(&format!("GET /test/events{query}"), lines, "").await
    };
    assert_eq!(ask("", &[]).await.json(), json!([null, 20]));
    assert_eq!(ask("?after=7&limit=100", &[]).await.json(), json!([7, 100]));
    assert_eq!(ask("", &["last-event-id: 8"]).await.json()[0], 8);
    // The header is newer than the address.
    assert_eq!(ask("?after=7", &["last-event-id: 9"]).await.json()[0], 9);
    for (query, lines) in
        [("?after=-1", vec![]), ("?after=x", vec![]), ("", vec!["last-event-id: x"])]
    {
        assert_eq!(ask(query, &lines).await.code(), "invalid", "{query} {lines:?}");
    }
}

#[tokio::test]
async fn the_document_has_the_parameters_of_all_arguments() {
    let document = api().await.document();
    let parameters = document["paths"]["/books"]["get"]["parameters"].as_array().unwrap();
    let names: Vec<&Value> = parameters.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["backwards", "shelf", "cursor", "limit"]);
    let limit = &parameters[3]["schema"];
    assert_eq!(*limit, json!({"type": "integer", "minimum": 1, "maximum": 3, "default": 2}));
}
