//! A system in seventy lines: routes that are functions, a server, and a client that speaks HTTP.
//!
//! ```console
//! $ cargo run --quiet --example guestbook
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet_web::api::{Api, Body, Created, Json, Page, get, post};
use singlet_web::problem::Problem;
use singlet_web::{Options, Server, System};
use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

singlet_web::problems! {
    /// Why the guest book refuses something.
    GUESTBOOK;
    /// Everybody writes once.
    WRITTEN = 409, "written", "You have written already";
}

/// What guests write. The document shows this text, and the rules are checked.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[schemars(length(min = 1, max = 24))]
    name: String,
    #[schemars(length(max = 140))]
    text: String,
}

type Book = Arc<Mutex<Vec<Entry>>>;

async fn write(State(book): State<Book>, entry: Body<Entry>) -> Result<Created<Entry>, Problem> {
    let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
    if book.iter().any(|other| other.name == entry.name) {
        return Err(Problem::new(&WRITTEN));
    }
    book.push(entry.0.clone());
    Ok(Created::at(format!("/guestbook/entries/{}", book.len()), entry.0))
}

async fn list(State(book): State<Book>) -> Json<Page<Entry>> {
    let items = book.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Json(Page { items, next: None })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let api = Api::new(Book::default())
        .named("guestbook", "A book for guests.")
        .route(post("/entries", write).describe("write", "Writes.").problems([&WRITTEN]))
        .route(get("/entries", list).describe("list", "Reads."));
    let system = System {
        name: "guestbook",
        title: "Guest book",
        description: "A book for guests.",
        router: api.into_router(),
        problems: GUESTBOOK,
    };
    // Port 0 takes any free one. Beside the routes there are /guestbook/api, a page that shows
    // them, and /guestbook/openapi.json.
    let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
    let server = Server::bind(options).await?.with_system(system);
    let address = server.local_address()?;
    tokio::spawn(server.serve(std::future::pending()));
    tokio::task::spawn_blocking(move || converse(address)).await??;
    Ok(())
}

fn converse(address: SocketAddr) -> std::io::Result<()> {
    println!("{}", send(address, "POST", r#"{"name":"Ann","text":"Hello!"}"#)?);
    println!("{}", send(address, "POST", r#"{"name":"Ann","text":"Hello again!"}"#)?);
    println!("{}", send(address, "POST", r#"{"name":"","txt":"?"}"#)?);
    println!("{}", send(address, "GET", "")?);
    Ok(())
}

/// Sends a request as any client would: the status and the body of the answer.
fn send(address: SocketAddr, method: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "{method} /guestbook/entries HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    Ok(format!("{} {body}", head.split(' ').nth(1).unwrap_or_default()))
}
