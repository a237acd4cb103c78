//! `singlet serve` as people start it: processes that speak HTTP.

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

/// Longer than anything here takes, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where DynamoDB Local is. The test command says so, in its step `local`.
const LOCAL_VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// The command, running. It is killed when the test ends.
struct Process {
    child: Child,
    /// The addresses that it has named, in their order.
    addresses: Vec<String>,
}

impl Process {
    /// Starts it, and waits until it has named so many addresses.
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

    /// A server with an engine in memory, and the endpoint beside it.
    fn serve(arguments: &[&str]) -> Self {
        let usual = ["serve", "--dynamodb-port", "0", "--in-memory"];
        Self::start(&[&usual, arguments].concat(), &[], 2)
    }

    /// A server whose data is in what speaks DynamoDB's protocol at this address.
    fn serve_on(url: &str, environment: &str) -> Self {
        let arguments = ["serve", "--backend", "dynamodb", "--environment", environment];
        Self::start(&arguments, &environment_for(url), 1)
    }

    fn address(&self) -> &str {
        &self.addresses[0]
    }

    /// Where it can be reached on this machine, whatever it listens on.
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

    /// A request of the player with this secret, which is not refused.
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

/// What the AWS SDK finds in its environment, to go to this address.
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

/// Sends a request on a connection of its own.
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

/// A socket that listens to a game.
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

/// A server with an issuer or a public address had games of the demo data in its list.
#[test]
fn demo_data_is_for_ones_own_machine_unless_asked_for() {
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

/// Who signs in at the page of the local issuer is believed. So it is there for one's own machine
/// and one's own data only.
#[test]
fn who_comes_from_elsewhere_is_not_taken_at_their_word() {
    let sign_in = |server: &Process| (server.get("/local").status, server.get("/").body);
    let (status, home) = sign_in(&Process::serve(&[]));
    assert!(status == 200 && home.contains("anybody as anybody"), "{status} {home}");

    let open = Process::serve(&["--host", "0.0.0.0"]);
    let (status, home) = sign_in(&open);
    assert!(status == 404 && home.contains("Nobody can sign in"), "{status} {home}");
    // The endpoint asks nobody who they are, and stays on this machine.
    assert!(open.addresses[0].starts_with("0.0.0.0:"), "{:?}", open.addresses);
    assert!(open.addresses[1].starts_with("127.0.0.1:"), "{:?}", open.addresses);
    // To act, a player needs the secret that it was told.
    let made = open.post("/games", json!({"name": "Ann"})).json();
    let start = format!("/games/{}/start", made["game"]["code"].as_str().unwrap());
    assert_eq!(open.post(&start, json!({})).json()["code"], "wrong-secret");

    let store = Process::start(&["dynamodb", "--in-memory"], &[], 1);
    let shared = Process::serve_on(&format!("http://{}", store.address()), "dev");
    let (status, home) = sign_in(&shared);
    assert!(status == 404 && home.contains("Nobody can sign in"), "{status} {home}");
    assert!(home.contains("The data is in DynamoDB"), "{home}");
}

#[test]
fn a_store_that_does_not_answer_is_told_of() {
    // Nobody listens at port 1.
    let output = Command::new(env!("CARGO_BIN_EXE_singlet"))
        .args(["serve", "--backend", "dynamodb", "--port", "0", "--log", "warn"])
        .envs(environment_for("http://127.0.0.1:1"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{told}");
    assert!(told.contains("Connection refused") && told.contains("AWS_ENDPOINT_URL"), "{told}");
}

/// Somebody who asks for memory and for DynamoDB gets one of them, and not a guess which.
#[test]
fn what_could_only_be_ignored_is_refused() {
    let refused = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_singlet"))
            .args(["serve", "--port", "0", "--log", "warn"])
            .args(arguments)
            // Nobody listens at port 1, so that nothing is served by mistake.
            .envs(environment_for("http://127.0.0.1:1"))
            .output()
            .unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for option in [&["--in-memory"][..], &["--dir", "x"], &["--durability", "full"]] {
        let told = refused(&[&["--backend", "dynamodb"], option].concat());
        let expected = format!("{} is about the embedded engine", option[0]);
        assert!(told.contains(&expected) && told.contains("Leave out"), "{told}");
    }
    let told = refused(&["--backend", "dynamodb", "--dynamodb-port", "0"]);
    assert!(told.contains("--dynamodb-port is about the embedded engine"), "{told}");
    let backend = ["--backend", "dynamodb"];
    for name in ["", "a b", "prod/eu", "größe", &"x".repeat(201)] {
        let told = refused(&[&backend[..], &["--environment", name]].concat());
        assert!(told.contains("letters from a to z, digits"), "{name:?}: {told}");
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

/// Two servers that know nothing of each other but the store, which is DynamoDB to them. Whoever
/// watches at either sees every move, wherever it was made; and a list that began at one of them
/// goes on at the other.
fn two_processes_are_one_game(url: &str) {
    const ROUNDS: u64 = 12;
    let environment = format!("test-{}", std::process::id());
    let servers = [0, 1].map(|_| Process::serve_on(url, &environment));
    let [one, other] = &servers;
    // So long a board that nobody wins meanwhile, however the dice fall.
    let board = json!({"size": 400, "snakesAndLadders": []});
    let made = one.post("/games", json!({"name": "Ann", "board": board})).json();
    let code = made["game"]["code"].as_str().unwrap();
    let joined = other.post(&format!("/games/{code}/players"), json!({"name": "Bob"})).json();
    one.act(&format!("/games/{code}/start"), &made["secret"]);
    let mut watchers = servers.each_ref().map(|server| Watcher::open(server, code));
    let roll = format!("/games/{code}/roll");
    // The first move is heard once the servers follow the stream: until then there is the state.
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
