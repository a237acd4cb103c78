//! Declared routes: requests, responses and the OpenAPI document.

use crate::client::{Running, start, system};
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use singlet::Date;
use singlet_web::Options;
use singlet_web::api::{Api, Body, Created, Json, NoContent, Page, Path, Query, delete, get, post};
use singlet_web::problem::{Problem, SHARED};
use singlet_web::text::CleanText;

singlet_web::problems! {
    /// Why the library refuses.
    LIBRARY;
    /// Somebody else has the book.
    BOOK_LENT = 409, "book-lent", "The book is lent";
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Book {
    /// What stands on it.
    #[schemars(length(min = 1, max = 20))]
    title: String,
    #[schemars(range(min = 1, max = 5000))]
    pages: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Author>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Author {
    name: CleanText<20>,
    #[serde(skip_serializing_if = "Option::is_none")]
    born: Option<Date>,
}

#[derive(Deserialize, JsonSchema)]
struct ShelfPlace {
    shelf: u32,
    title: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// How many to show.
    #[schemars(range(max = 100))]
    limit: Option<u32>,
    contains: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it is only checked")]
struct Loan {
    lender: Option<CleanText<20>>,
    since: Option<Date>,
}

async fn add(
    State(owner): State<&'static str>,
    book: Body<Book>,
) -> Result<Created<Book>, Problem> {
    if book.title == "Dune" {
        return Err(Problem::new(&BOOK_LENT).detail(format!("{owner} has it")));
    }
    Ok(Created::at(format!("/books/1/{}", book.title), book.0))
}

async fn find(place: Path<ShelfPlace>) -> Json<Book> {
    Json(Book { title: place.title.clone(), pages: place.shelf, authors: vec![] })
}

async fn list(search: Query<Search>) -> Json<Page<Book>> {
    let title = search.contains.clone().unwrap_or_default();
    let book = Book { title, pages: search.limit.unwrap_or(7), authors: vec![] };
    Json(Page { items: vec![book], next: None })
}

async fn list_loans(_: Query<Search>, _: Query<Loan>) -> NoContent {
    NoContent
}

async fn burn(_: Path<ShelfPlace>) -> Result<NoContent, Problem> {
    Ok(NoContent)
}

fn api() -> Api<&'static str> {
    Api::new("Ann")
        .named("test", "A library.")
        .route(post("/books", add).describe("addBook", "Adds a book. Once.").problems([&BOOK_LENT]))
        .route(get("/books", list).describe("listBooks", "Lists books."))
        .route(get("/books/loans", list_loans).about("Lists loans."))
        .route(get("/books/{shelf}/{title}", find).describe("findBook", "Finds a book."))
        .route(delete("/books/{shelf}/{title}", burn).describe("burnBook", "Burns a book."))
}

async fn server() -> Running {
    start(Options::default(), |server| server.with_system(system(api().into_router()))).await
}

#[tokio::test]
async fn a_body_that_fits_is_taken_and_answered() {
    let server = server().await;
    let made = server.post("/test/books", r#"{"title":"Emma","pages":474}"#).await;
    assert_eq!((made.status, made.headers["location"].as_str()), (201, "/test/books/1/Emma"));
    assert_eq!(made.json(), json!({"title": "Emma", "pages": 474}));
    let refused = server.post("/test/books", r#"{"title":"Dune","pages":1}"#).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "book-lent"));
    assert_eq!(refused.json()["detail"], "Ann has it");
    assert_eq!(server.send("DELETE /test/books/1/Emma", &[], "").await.status, 204);
}

#[tokio::test]
async fn everything_that_is_wrong_is_said_at_once() {
    let server = server().await;
    let refused = server.post("/test/books", r#"{"title":"","pages":0,"colour":"red"}"#).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
    let fields: Vec<&str> = refused.json()["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| match one["field"].as_str() {
            Some("/title") => "title",
            Some("/pages") => "pages",
            Some("/colour") => "colour",
            _ => "?",
        })
        .collect();
    assert_eq!(fields, ["colour", "pages", "title"]);
}

/// Regression: schema errors hid errors of field types, of which only the first was reported.
#[tokio::test]
async fn rules_of_types_are_checked_with_the_schema() {
    let server = server().await;
    let authors = json!([
        {"name": " \u{200b}", "born": "1775-02-30"},
        {"name": "Emily"},
        {"name": "\u{2800}", "born": "1775-12-16"},
    ]);
    let body = json!({"title": "", "pages": 1, "authors": authors});
    let refused = server.post("/test/books", &body.to_string()).await.json();
    let errors = refused["errors"].as_array().unwrap();
    let mut fields: Vec<&str> = errors.iter().filter_map(|one| one["field"].as_str()).collect();
    fields.sort_unstable();
    let expected = ["/authors/0/born", "/authors/0/name", "/authors/2/name", "/title"];
    assert_eq!(fields, expected, "{refused}");
    assert_eq!(errors.last().unwrap()["detail"], "must not be blank");
}

/// Regression: routes without query parameters ignored unknown ones.
#[tokio::test]
async fn a_route_that_reads_no_parameters_refuses_them() {
    let server = server().await;
    let refused = server.get("/test/books/12/Emma?limit=5&zz%7a").await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
    let errors = &refused.json()["errors"];
    let limit = json!({"in": "query", "field": "limit", "detail": "unknown parameter"});
    assert_eq!((&errors[0], &errors[1]["field"]), (&limit, &json!("zzz")));
    let body = r#"{"title":"Emma","pages":474}"#;
    assert_eq!(server.post("/test/books?dry=true", body).await.code(), "invalid");
    assert_eq!(server.get("/test/books/12/Emma?").await.status, 200);
    // Pages and files are not routes.
    assert_eq!(server.get("/test/api?from=mail").await.status, 200);
    let all = server.get("/test/books?limit=x&zzz=1&contains=a&contains=b").await.json();
    let fields = all["errors"].as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap());
    assert_eq!(fields.collect::<Vec<_>>(), ["zzz", "contains", "limit"]);
}

/// Regression: of two arguments that read the query, the second was checked only after the first.
#[tokio::test]
async fn the_errors_of_all_query_arguments_are_reported_together() {
    let server = server().await;
    for (query, expected) in [
        ("lender=%20&since=never&limit=900&zzz=1", vec!["zzz", "limit", "lender", "since"]),
        ("lender=%20&since=never", vec!["lender", "since"]),
        ("limit=900", vec!["limit"]),
    ] {
        let refused = server.get(&format!("/test/books/loans?{query}")).await.json();
        let errors = refused["errors"].as_array().unwrap();
        let fields: Vec<&str> = errors.iter().map(|one| one["field"].as_str().unwrap()).collect();
        assert_eq!(fields, expected, "{refused}");
    }
    assert_eq!(server.get("/test/books/loans?lender=Ann&limit=5").await.status, 204);
}

/// Regression: the last of two duplicate members was used silently.
#[tokio::test]
async fn a_member_that_is_given_twice_is_refused() {
    let server = server().await;
    let author = r#"{"name":"A","name":"B","more":{"x":1,"x":2}}"#;
    let body = format!(r#"{{"pages":0,"title":"Emma","title":"Dune","authors":[{author}]}}"#);
    let refused = server.post("/test/books", &body).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
    let refused = refused.json();
    let errors = refused["errors"].as_array().unwrap().iter();
    let errors: Vec<&str> = errors.map(|one| one["field"].as_str().unwrap()).collect();
    assert_eq!(errors, ["/title", "/authors/0/name", "/authors/0/more/x", "/pages"]);
    assert_eq!(refused["errors"][0]["detail"], "is given twice");
    let many = format!("{{{}}}", vec![r#""title":"x""#; 500].join(","));
    let refused = server.post("/test/books", &many).await.json();
    assert!(refused["errors"].as_array().unwrap().len() <= 20, "{refused}");
}

/// Regression: bytes that are not UTF-8 became replacement characters.
#[tokio::test]
async fn parameters_that_are_not_utf_8_are_refused() {
    let server = server().await;
    for (query, field) in [
        ("contains=%FF", "contains"),
        ("contains=a%C3", "contains"),
        ("%FFlimit=1", "\u{fffd}limit"),
    ] {
        let refused = server.get(&format!("/test/books?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{query}");
        assert_eq!(refused.json()["errors"][0]["field"], field, "{query}");
    }
    assert_eq!(server.get("/test/books?contains=%C3%A9").await.json()["items"][0]["title"], "é");
}

#[tokio::test]
async fn what_is_no_json_is_refused_for_what_it_is() {
    let server = server().await;
    for (body, status, code) in [
        ("{", 400, "malformed"),
        ("\u{0}", 400, "malformed"),
        ("[]", 422, "invalid"),
        ("null", 422, "invalid"),
    ] {
        let answer = server.post("/test/books", body).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{body}");
    }
    let deep = "[".repeat(60_000);
    assert_eq!(server.post("/test/books", &deep).await.code(), "malformed");
    let large = format!(r#"{{"title":"{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(server.post("/test/books", &large).await.status, 413);
    let form = server.send("POST /test/books", &["content-type: text/plain"], "title=Emma").await;
    assert_eq!((form.status, form.code().as_str()), (415, "unsupported-type"));
}

#[tokio::test]
async fn parameters_are_read_by_their_types() {
    let server = server().await;
    let found = server.get("/test/books/12/War%20and%20Peace").await;
    assert_eq!(found.json(), json!({"title": "War and Peace", "pages": 12}));
    // A title that looks like a number is still text.
    assert_eq!(server.get("/test/books/12/1984").await.json()["title"], "1984");
    // A malformed number in a path is a 404.
    assert_eq!(server.get("/test/books/twelve/Emma").await.code(), "not-found");
    let listed = server.get("/test/books?limit=5&contains=a+%26+b").await;
    assert_eq!(listed.json()["items"][0], json!({"title": "a & b", "pages": 5}));
    for (query, field) in [("limt=5", "limt"), ("limit=101", "limit"), ("limit=1&limit=2", "limit")]
    {
        let refused = server.get(&format!("/test/books?{query}")).await;
        assert_eq!(refused.json()["errors"][0]["field"], field, "{query}");
    }
}

#[tokio::test]
async fn the_document_says_what_the_code_does() {
    let server = server().await;
    let document = server.get("/test/openapi.json").await.json();
    let add = &document["paths"]["/books"]["post"];
    assert_eq!(add["operationId"], "addBook");
    assert_eq!(add["summary"], "Adds a book.");
    assert_eq!((&add["tags"], &document["tags"]), (&json!(["books"]), &json!([{"name": "books"}])));
    let body = &add["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(*body, json!({"$ref": "#/components/schemas/Book"}));
    assert_eq!(document["components"]["schemas"]["Book"]["properties"]["pages"]["maximum"], 5000);
    let codes = |status: &str| {
        let content = &add["responses"][status]["content"]["application/problem+json"];
        content["schema"]["properties"]["code"]["enum"].clone()
    };
    assert_eq!(codes("409"), json!(["book-lent"]));
    assert_eq!(codes("422"), json!(["invalid"]));
    let limit = &document["paths"]["/books"]["get"]["parameters"][0];
    assert_eq!((&limit["name"], &limit["in"]), (&json!("contains"), &json!("query")));
    assert_eq!(limit["required"], Value::Bool(false));
    let known = document["x-problems"].as_array().unwrap();
    let lent = known.iter().find(|one| one["code"] == "book-lent").unwrap();
    assert_eq!(lent["type"], "/problems#test.book-lent");
    assert!(server.get("/test/api").await.body.contains("A library."));
}

#[test]
#[should_panic(expected = "has the parameters")]
fn a_path_and_a_function_that_disagree_are_found_at_the_start() {
    let _ = Api::new(()).named("test", "").route(get("/books/{id}", find).describe("a", "b"));
}

#[test]
#[should_panic(expected = "two routes have the name")]
fn a_name_stands_for_one_route() {
    let route = |path| get::<_, _, ()>(path, list).describe("a", "b");
    let _ = Api::new(()).named("test", "").route(route("/one")).route(route("/two"));
}

#[test]
fn writes_take_a_key_unless_they_say_otherwise() {
    async fn list_books() -> NoContent {
        NoContent
    }
    async fn add_book() -> NoContent {
        NoContent
    }
    async fn sort_books() -> NoContent {
        NoContent
    }
    let api = Api::new(())
        .named("test", "")
        .keyed_writes()
        .route(get("/books", list_books).about("Lists books."))
        .route(post("/books", add_book).about("Adds a book."))
        .route(post("/sorted", sort_books).about("Sorts books.").unkeyed());
    let document = api.document();
    let operations = [("/books", "get"), ("/books", "post"), ("/sorted", "post")];
    let found = operations.map(|(path, method)| {
        let operation = &document["paths"][path][method];
        let name = operation["operationId"].as_str().unwrap();
        (name, operation["parameters"][0]["name"].as_str())
    });
    let key = Some("Idempotency-Key");
    assert_eq!(found, [("listBooks", None), ("addBook", key), ("sortBooks", None)]);
}

#[test]
fn the_list_of_problems_is_the_list() {
    assert_eq!(LIBRARY, [&BOOK_LENT]);
    assert!(SHARED.len() > 10);
}
