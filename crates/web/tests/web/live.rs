//! Sockets: pushes, and clients that behave badly.

use crate::client::{Running, start, system};
use axum::extract::State;
use futures_util::{SinkExt, StreamExt};
use singlet_web::Options;
use singlet_web::api::{Api, get};
use singlet_web::live::{Hub, Published, SwitchingProtocols, WebSocketUpgrade};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Longer than anything here takes, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(20);

/// Follows one topic, and echoes what it is sent.
async fn follow(State(hub): State<Hub>, upgrade: WebSocketUpgrade) -> SwitchingProtocols {
    upgrade.serve(async move |mut socket| {
        socket.follow(hub.follow("topic", None));
        socket.send("hello").await;
        while let Some(Ok(text)) = socket.next().await {
            socket.send(format!("echo {text}")).await;
        }
    })
}

async fn server(hub: &Hub) -> Running {
    let api = Api::new(hub.clone())
        .named("test", "Live.")
        .route(get("/socket", follow).describe("follow", "Follows."));
    start(Options::default(), |server| server.with_system(system(api.into_router()))).await
}

async fn text(socket: &mut WebSocketStream<TcpStream>) -> Option<String> {
    loop {
        let message = timeout(PATIENCE, socket.next()).await.unwrap();
        match message {
            Some(Ok(Message::Text(text))) => return Some(text.to_string()),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            _ => return None,
        }
    }
}

/// The reason for which the server closes the socket; `None` if it just ends.
async fn closing(socket: &mut WebSocketStream<TcpStream>) -> Option<CloseCode> {
    loop {
        match timeout(PATIENCE, socket.next()).await.unwrap() {
            Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code),
            Some(Ok(_)) => {}
            _ => return None,
        }
    }
}

#[tokio::test]
async fn everybody_gets_every_push_in_order() {
    let hub = Hub::new();
    let server = server(&hub).await;
    let mut sockets = Vec::new();
    for _ in 0..20 {
        let mut socket = server.socket("/test/socket").await;
        assert_eq!(text(&mut socket).await.as_deref(), Some("hello"));
        sockets.push(socket);
    }
    for number in 1..=100 {
        assert_eq!(hub.publish("topic", number, [number.to_string().into()]), Published::To(20));
    }
    for socket in &mut sockets {
        for number in 1..=100 {
            assert_eq!(text(socket).await, Some(number.to_string()));
        }
    }
    let socket = &mut sockets[0];
    socket.send(Message::text("ping")).await.unwrap();
    assert_eq!(text(socket).await.as_deref(), Some("echo ping"));
}

#[tokio::test]
async fn one_that_does_not_read_is_dropped_and_the_others_do_not_notice() {
    let hub = Hub::new();
    let server = server(&hub).await;
    let mut good = server.socket("/test/socket").await;
    let mut lazy = server.socket("/test/socket").await;
    assert_eq!(text(&mut good).await.as_deref(), Some("hello"));
    assert_eq!(text(&mut lazy).await.as_deref(), Some("hello"));
    let long = "x".repeat(10_000);
    let mut slowest = Duration::ZERO;
    let mut number = 0;
    // Ten megabytes are more than the machine keeps for a connection that nobody reads from.
    while number < 5_000 && hub.topics().len() == 1 {
        number += 1;
        let begun = Instant::now();
        let published = hub.publish("topic", number, [format!("{number} {long}").into()]);
        let pushed = text(&mut good).await.unwrap();
        assert!(pushed.starts_with(&format!("{number} ")), "{number}");
        slowest = slowest.max(begun.elapsed());
        if published == Published::To(1) {
            break;
        }
    }
    assert!(number < 5_000, "the lazy one still has its place");
    // A write to the lazy one gives up after five seconds.
    assert!(slowest < Duration::from_secs(4), "{slowest:?}");
    // It is told to go, or finds the connection ended, once it does read.
    let mut read = 0;
    while let Some(Ok(Message::Text(_))) = timeout(PATIENCE, lazy.next()).await.unwrap() {
        read += 1;
    }
    assert!(read < number);
}

#[tokio::test]
async fn misuse_ends_the_socket() {
    let hub = Hub::new();
    let server = server(&hub).await;
    let huge = Message::text("x".repeat(17 << 10));
    let binary = Message::binary(vec![1, 2, 3]);
    for message in [huge, binary] {
        let mut socket = server.socket("/test/socket").await;
        socket.send(message).await.unwrap();
        assert_eq!(closing(&mut socket).await, Some(CloseCode::Policy));
    }
    // A flood: more than anybody can click.
    let mut socket = server.socket("/test/socket").await;
    for _ in 0..200 {
        if socket.feed(Message::text("x")).await.is_err() {
            break;
        }
    }
    let _ = socket.flush().await;
    let mut echoes = 0;
    while let Some(text) = text(&mut socket).await {
        echoes += usize::from(text == "echo x");
    }
    // There are more while the server is given time to echo them, and never all.
    assert!((40..200).contains(&echoes), "{echoes}");
    // Bytes that are no frames at all.
    let mut stream = server.socket("/test/socket").await;
    tokio::io::AsyncWriteExt::write_all(stream.get_mut(), &[0xff; 64]).await.unwrap();
    while stream.next().await.is_some_and(|message| message.is_ok()) {}
    nobody_is_left(&hub).await;
}

#[tokio::test]
async fn a_stopping_server_says_goodbye() {
    let hub = Hub::new();
    let server = server(&hub).await;
    let mut socket = server.socket("/test/socket").await;
    assert_eq!(text(&mut socket).await.as_deref(), Some("hello"));
    let stopping = tokio::spawn(server.stop());
    assert_eq!(closing(&mut socket).await, Some(CloseCode::Away));
    timeout(PATIENCE, stopping).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_is_forgotten() {
    let hub = Hub::new();
    let server = server(&hub).await;
    let mut polite = server.socket("/test/socket").await;
    let rude = server.socket("/test/socket").await;
    assert_eq!(hub.topics().len(), 1);
    polite.close(None).await.unwrap();
    drop(rude);
    nobody_is_left(&hub).await;
}

/// Waits until the hub has no followers.
async fn nobody_is_left(hub: &Hub) {
    let gone = async {
        while !hub.topics().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, gone).await.unwrap();
}

#[tokio::test]
async fn only_pages_of_the_same_address_open_sockets_and_only_sockets() {
    let hub = Hub::new();
    let server = server(&hub).await;
    let plain = server.get("/test/socket").await;
    assert_eq!((plain.status, plain.code().as_str()), (426, "upgrade-required"));
    let lines = [
        "upgrade: websocket",
        "origin: http://evil.example",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    let foreign = server.send("GET /test/socket", &lines, "").await;
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "cross-site"));
}
