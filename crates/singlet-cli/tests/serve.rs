//! `singlet serve` as a process, over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

/// Longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The URL of DynamoDB Local, set by the test command's `local` step.
const LOCAL_VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// The command, running; killed when the test ends.
struct Process {
    child: Child,
    /// The addresses it has printed, in order.
    addresses: Vec<String>,
}

impl Process {
    /// Starts it and waits until it has printed this many addresses.
    fn start(arguments: &[&str], variables: &[(&str, &str)], addresses: usize) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_singlet"))
            .args(arguments)
            .args(["--port", "0", "--log", "warn"])
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut named = Vec::new();
        while named.len() < addresses {
            let line = lines.next().unwrap_or_else(|| panic!("{arguments:?} ended")).unwrap();
            if let Some((_, rest)) = line.split_once("ready at http://") {
                named.push(rest.split(' ').next().unwrap_or_default().to_owned());
            }
        }
        Self { child, addresses: named }
    }

    /// A server with an in-memory engine and the endpoint.
    fn serve(arguments: &[&str]) -> Self {
        let usual = ["serve", "--dynamodb-port", "0", "--in-memory"];
        Self::start(&[&usual, arguments].concat(), &[], 2)
    }

    /// A server whose data is in a DynamoDB-compatible service at this URL.
    fn serve_on(url: &str, environment: &str) -> Self {
        let arguments = ["serve", "--backend", "dynamodb", "--environment", environment];
        Self::start(&arguments, &environment_for(url), 1)
    }

    fn address(&self) -> &str {
        &self.addresses[0]
    }

    /// Connects over loopback, regardless of the listen address.
    fn connect(&self) -> TcpStream {
        let (_, port) = self.address().rsplit_once(':').unwrap();
        let stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn get(&self, path: &str) -> Answer {
        exchange(self.connect(), &format!("GET {path}"), "", "")
    }

    fn post(&self, path: &str, body: Value) -> Answer {
        let line = "Content-Type: application/json\r\n";
        exchange(self.connect(), &format!("POST /snakes{path}"), line, &body.to_string())
    }

    /// Sends a successful request as the player with this secret.
    fn act(&self, path: &str, secret: &Value) {
        let line = format!("Player-Secret: {}\r\n", secret.as_str().unwrap());
        let answer = exchange(self.connect(), &format!("POST /snakes{path}"), &line, "");
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Environment variables that point the AWS SDK at this URL.
fn environment_for(url: &str) -> [(&str, &str); 4] {
    [
        ("AWS_ENDPOINT_URL", url),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
    ]
}

struct Answer {
    status: u16,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}", self.body))
    }
}

/// Sends a request on a new connection.
fn exchange(mut stream: TcpStream, first: &str, lines: &str, body: &str) -> Answer {
    let request = format!(
        "{first} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, body: body.to_owned() }
}

/// A WebSocket that follows a game.
struct Watcher(WebSocket<TcpStream>);

impl Watcher {
    fn open(server: &Process, code: &str) -> Self {
        let mut stream = server.connect();
        let request = format!(
            "GET /snakes/games/{code}/socket HTTP/1.1\r\nHost: localhost\r\n\
             Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        Self(WebSocket::from_raw_socket(stream, Role::Client, None))
    }

    fn hear(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }
}

#[test]
fn pages_and_endpoint_are_on_the_same_data() {
    let server = Process::serve(&["--empty"]);
    let home = server.get("/").body;
    assert!(home.contains("Snakes and ladders") && home.contains("in memory"), "{home}");
    let made = server.post("/games", json!({"name": "Ann"})).json();
    let endpoint = TcpStream::connect(&server.addresses[1]).unwrap();
    let lines = "X-Amz-Target: DynamoDB_20120810.Scan\r\n\
                 Content-Type: application/x-amz-json-1.0\r\n";
    let items = exchange(endpoint, "POST /", lines, r#"{"TableName":"snakes-dev"}"#).json();
    let partition = format!("GAME#{}", made["game"]["code"].as_str().unwrap());
    let partitions: Vec<&Value> =
        items["Items"].as_array().unwrap().iter().map(|item| &item["PK"]["S"]).collect();
    assert_eq!(partitions, [partition.as_str(), partition.as_str()]);
}

/// A server with an issuer or a public address used to list demo games.
#[test]
fn demo_data_is_loaded_on_localhost_or_with_demo() {
    let has_games = |arguments: &[&str]| {
        let games = Process::serve(arguments).get("/snakes/games").json();
        !games["items"].as_array().unwrap_or_else(|| panic!("{games}")).is_empty()
    };
    let issuer = ["--issuer", "https://issuer.example", "--audience", "app"];
    assert!(has_games(&[]));
    assert!(!has_games(&["--empty"]));
    assert!(!has_games(&["--host", "0.0.0.0"]));
    assert!(!has_games(&issuer));
    assert!(has_games(&["--host", "0.0.0.0", "--demo"]));
    assert!(has_games(&[&issuer[..], &["--demo"]].concat()));
}

/// Development sign-in accepts any name, so it is limited to localhost and a local data folder or
/// memory.
#[test]
fn development_sign_in_requires_loopback() {
    let sign_in = |server: &Process| (server.get("/local").status, server.get("/").body);
    let (status, home) = sign_in(&Process::serve(&[]));
    assert!(status == 200 && home.contains("Development sign-in"), "{status} {home}");

    let open = Process::serve(&["--host", "0.0.0.0"]);
    let (status, home) = sign_in(&open);
    assert!(status == 404 && home.contains("Sign-in is disabled"), "{status} {home}");
    // The endpoint has no authentication here, so it stays on localhost.
    assert!(open.addresses[0].starts_with("0.0.0.0:"), "{:?}", open.addresses);
    assert!(open.addresses[1].starts_with("127.0.0.1:"), "{:?}", open.addresses);
    // A player needs their secret to act.
    let made = open.post("/games", json!({"name": "Ann"})).json();
    let start = format!("/games/{}/start", made["game"]["code"].as_str().unwrap());
    assert_eq!(open.post(&start, json!({})).json()["code"], "wrong-secret");

    let store = Process::start(&["dynamodb", "--in-memory"], &[], 1);
    let shared = Process::serve_on(&format!("http://{}", store.address()), "dev");
    let (status, home) = sign_in(&shared);
    assert!(status == 404 && home.contains("Sign-in is disabled"), "{status} {home}");
    assert!(home.contains("The data is in DynamoDB"), "{home}");
}

#[test]
fn an_unreachable_store_is_reported() {
    // Nothing listens at port 1.
    let output = Command::new(env!("CARGO_BIN_EXE_singlet"))
        .args(["serve", "--backend", "dynamodb", "--port", "0", "--log", "warn"])
        .envs(environment_for("http://127.0.0.1:1"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{told}");
    assert!(told.contains("Connection refused") && told.contains("AWS_ENDPOINT_URL"), "{told}");
}

/// Contradicting options are an error.
#[test]
fn options_without_effect_are_refused() {
    let refused = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_singlet"))
            .args(["serve", "--port", "0", "--log", "warn"])
            .args(arguments)
            // Nothing listens at port 1, so no server starts by mistake.
            .envs(environment_for("http://127.0.0.1:1"))
            .output()
            .unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for option in [&["--in-memory"][..], &["--dir", "x"], &["--durability", "full"]] {
        let told = refused(&[&["--backend", "dynamodb"], option].concat());
        let expected = format!("{} applies to the embedded engine", option[0]);
        assert!(told.contains(&expected) && told.contains("Remove"), "{told}");
    }
    let told = refused(&["--backend", "dynamodb", "--dynamodb-port", "0"]);
    assert!(told.contains("--dynamodb-port applies to the embedded engine"), "{told}");
    let backend = ["--backend", "dynamodb"];
    for name in ["", "a b", "prod/eu", "größe", &"x".repeat(201)] {
        let told = refused(&[&backend[..], &["--environment", name]].concat());
        assert!(told.contains("letters from a to z, digits"), "{name:?}: {told}");
    }
}

/// FUS's table used to be called `fus-dev`, unlike in its source, and an operator could not rename
/// tables.
#[test]
fn table_names_can_be_chosen() {
    let tables = |arguments: &[&str]| {
        let only = ["--empty", "--only", "fus", "snakes"];
        let server = Process::serve(&[&only, arguments].concat());
        let endpoint = TcpStream::connect(&server.addresses[1]).unwrap();
        let lines = "X-Amz-Target: DynamoDB_20120810.ListTables\r\n\
                     Content-Type: application/x-amz-json-1.0\r\n";
        let listed = exchange(endpoint, "POST /", lines, "{}").json();
        listed["TableNames"].clone()
    };
    assert_eq!(tables(&[]), json!(["fus-main", "singlet-web-dev", "snakes-dev"]));
    let prod = ["--environment", "prod"];
    assert_eq!(tables(&prod), json!(["fus-prod", "singlet-web-prod", "snakes-prod"]));
    let chosen = ["--table", "fus-main=club", "--table", "snakes-dev=games"];
    assert_eq!(tables(&chosen), json!(["club", "games", "singlet-web-dev"]));
    let both = [&prod[..], &["--table", "fus-main=fus-main"]].concat();
    assert_eq!(tables(&both), json!(["fus-main", "singlet-web-prod", "snakes-prod"]));
}

#[test]
fn invalid_table_names_are_refused() {
    let refused = |arguments: &[&str]| {
        let usual = ["serve", "--port", "0", "--dynamodb-port", "0", "--in-memory", "--empty"];
        let output = Command::new(env!("CARGO_BIN_EXE_singlet"))
            .args(usual)
            .args(["--log", "warn", "--only", "fus", "snakes"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (arguments, expected) in [
        (&["--table", "fus-main"][..], "TABLE=NAME"),
        (&["--table", "fus-main=a b"], "3 to 255 letters"),
        (&["--table", "fus-main=ab"], "3 to 255 letters"),
        (
            &["--table", "cricket-teams=teams"],
            "the tables are fus-main, singlet-web-dev, snakes-dev",
        ),
        (&["--table", "fus-main=one", "--table", "fus-main=two"], "names fus-main twice"),
        (
            &["--table", "fus-main=one", "--table", "snakes-dev=one"],
            "two tables would be called one",
        ),
        // The default environment has this table.
        (&["--environment", "main"], "two tables would be called fus-main"),
    ] {
        let told = refused(arguments);
        assert!(told.contains(expected), "{arguments:?}: {told}");
    }
}

#[test]
fn two_processes_on_our_endpoint_are_one_game() {
    let store = Process::start(&["dynamodb", "--in-memory"], &[], 1);
    two_processes_are_one_game(&format!("http://{}", store.address()));
}

#[test]
#[ignore = "needs DynamoDB Local, which `cargo xtask test local` starts"]
fn two_processes_on_dynamodb_local_are_one_game() {
    let url = std::env::var(LOCAL_VARIABLE)
        .unwrap_or_else(|_| panic!("{LOCAL_VARIABLE} does not say where DynamoDB Local is"));
    two_processes_are_one_game(&url);
}

/// Two servers that share only the store, which looks like DynamoDB to them. A watcher at either
/// one sees every move made at the other, and a list begun at one continues at the other.
fn two_processes_are_one_game(url: &str) {
    const ROUNDS: u64 = 12;
    let environment = format!("test-{}", std::process::id());
    let servers = [0, 1].map(|_| Process::serve_on(url, &environment));
    let [one, other] = &servers;
    // A board too long to be won during the test.
    let board = json!({"size": 400, "snakesAndLadders": []});
    let made = one.post("/games", json!({"name": "Ann", "board": board})).json();
    let code = made["game"]["code"].as_str().unwrap();
    let joined = other.post(&format!("/games/{code}/players"), json!({"name": "Bob"})).json();
    one.act(&format!("/games/{code}/start"), &made["secret"]);
    let mut watchers = servers.each_ref().map(|server| Watcher::open(server, code));
    let roll = format!("/games/{code}/roll");
    // Moves are broadcast once the servers follow the stream; until then the watcher gets the
    // state.
    one.act(&roll, &made["secret"]);
    let mut number = 4;
    for watcher in &mut watchers {
        while watcher.hear()["sequence"] != number {}
    }
    for round in 0..ROUNDS {
        let (server, who) = if round % 2 == 0 { (other, &joined) } else { (one, &made) };
        server.act(&roll, &who["secret"]);
    }
    for _ in 0..ROUNDS {
        number += 1;
        for watcher in &mut watchers {
            let heard = watcher.hear();
            assert_eq!(
                (&heard["type"], &heard["sequence"]),
                (&json!("playerMoved"), &json!(number)),
                "{heard}"
            );
        }
    }

    other.post("/games", json!({"name": "Cleo"}));
    let first = one.get("/snakes/games?limit=1").json();
    let cursor = first["next"].as_str().unwrap_or_else(|| panic!("{first}"));
    let second = other.get(&format!("/snakes/games?limit=1&cursor={cursor}"));
    assert_eq!(second.status, 200, "{}", second.body);
    assert_eq!(second.json()["items"][0]["code"], code);
}
