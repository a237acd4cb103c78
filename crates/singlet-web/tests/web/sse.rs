//! Server-Sent Events: delivery and the end of streams.

use crate::games::{GameServer, GameStore, Service};
use serde_json::{Value, json};
use singlet_testing::Log;
use singlet_web::live::{Live, Push, Topic, TopicState};
use singlet_web::problem::Problem;
use singlet_web::{Limits, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A generous timeout for things that may never happen.
const PATIENCE: Duration = Duration::from_secs(120);

/// A raw event stream.
struct Events {
    stream: BufReader<TcpStream>,
    head: String,
    /// Received but unread part of the body.
    rest: String,
}

/// One event.
#[derive(Debug, PartialEq)]
struct Received {
    id: Option<u64>,
    event: String,
    data: Value,
}

impl GameServer {
    async fn events(&self, path: &str, last: Option<u64>) -> Events {
        let mut stream = TcpStream::connect(self.server.address).await.unwrap();
        let last = last.map_or_else(String::new, |last| format!("last-event-id: {last}\r\n"));
        let head = format!("GET /test{path} HTTP/1.1\r\nhost: localhost\r\n{last}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            stream.read_line(&mut head).await.unwrap();
        }
        Events { stream, head, rest: String::new() }
    }

    /// Watches a game from the start.
    async fn watch(&self, code: &str) -> Events {
        let events = self.events(&format!("/games/{code}/events"), None).await;
        assert!(events.head.starts_with("HTTP/1.1 200"), "{}", events.head);
        events
    }

    async fn resume(&self, code: &str, last: u64) -> Events {
        self.events(&format!("/games/{code}/events"), Some(last)).await
    }

    /// Waits for this many subscribers.
    async fn has_subscribers(&self, count: usize) {
        let reached = async {
            while self.service.live.figures().subscribers != count {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(PATIENCE, reached).await.unwrap();
    }
}

impl Events {
    /// The next chunk of the body; `None` at its end.
    async fn chunk(&mut self) -> Option<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.ok()?;
        let length = usize::from_str_radix(line.trim_end(), 16).ok()?;
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).await.ok()?;
        chunk.truncate(length);
        (length > 0).then(|| String::from_utf8(chunk).unwrap())
    }

    /// The next block of lines, possibly a comment.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.rest.split_once("\n\n") {
                let block = block.to_owned();
                self.rest = rest.to_owned();
                return Some(block);
            }
            let chunk = timeout(PATIENCE, self.chunk()).await.unwrap()?;
            self.rest += &chunk;
        }
    }

    async fn next(&mut self) -> Option<Received> {
        timeout(PATIENCE, self.next_event()).await.unwrap()
    }

    async fn next_event(&mut self) -> Option<Received> {
        loop {
            let block = self.block().await?;
            let field = |name: &str| {
                let mut lines = block.lines().filter_map(|line| line.split_once(": "));
                lines.find(|(field, _)| *field == name).map(|(_, value)| value.to_owned())
            };
            if let Some(event) = field("event") {
                let data = serde_json::from_str(&field("data").unwrap()).unwrap();
                return Some(Received {
                    id: field("id").map(|id| id.parse().unwrap()),
                    event,
                    data,
                });
            }
        }
    }

    /// The names and ids of the next events.
    async fn names<const N: usize>(&mut self) -> [(String, Option<u64>); N] {
        let mut names = Vec::new();
        for _ in 0..N {
            let next = self.next().await.unwrap();
            names.push((next.event, next.id));
        }
        names.try_into().unwrap()
    }

    /// The reason of the `end` event, which must be next.
    async fn end(&mut self) -> Value {
        let end = self.next().await.unwrap();
        assert_eq!(end.event, "end", "{end:?}");
        assert!(self.next().await.is_none());
        end.data
    }
}

fn named(event: &str, id: impl Into<Option<u64>>) -> (String, Option<u64>) {
    (event.to_owned(), id.into())
}

#[tokio::test]
async fn a_stream_has_the_state_and_then_every_change_in_order() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    for line in ["content-type: text/event-stream", "cache-control: no-store"] {
        assert!(events.head.contains(line), "{}", events.head);
    }
    assert_eq!(events.block().await.unwrap(), "retry: 2000");
    let state = events.next().await.unwrap();
    assert_eq!((state.event.as_str(), state.id), ("state", Some(1)));
    assert_eq!(state.data, json!({"type": "game", "code": "A", "sequence": 1, "is_over": false}));
    for number in 2..=50 {
        server.service.add("A", 1).await;
        if number % 10 == 0 {
            tokio::task::yield_now().await;
        }
    }
    for number in 2..=50 {
        let event = events.next().await.unwrap();
        assert_eq!((event.event.as_str(), event.id), ("moved", Some(number)));
    }
    // Only the last event of a change has an id: a client disconnected before it gets them all
    // again.
    server.service.finish("A").await;
    assert_eq!(events.names().await, [named("moved", None), named("ended", 51)]);
    let missing = server.events("/games/NONE/events", None).await;
    assert!(missing.head.starts_with("HTTP/1.1 404"), "{}", missing.head);
}

#[tokio::test]
async fn a_gap_sends_the_state() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    server.service.add("A", 1).await;
    assert_eq!(events.names().await, [named("state", 1), named("moved", 2)]);
    // Numbers 3 and 4 are missing.
    server.service.add("A", 3).await;
    assert_eq!(events.names().await, [named("state", 5)]);
    server.service.add("A", 1).await;
    assert_eq!(events.names().await, [named("moved", 6)]);
    // Also before the first push: the state has a number too.
    let mut other = server.watch("A").await;
    assert_eq!(other.names().await, [named("state", 6)]);
    server.service.add("A", 2).await;
    assert_eq!(other.names().await, [named("state", 8)]);
}

#[tokio::test]
async fn a_repeated_change_is_dropped() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    let push = |number| Push::numbered(Topic::new("game", "A"), number, "moved", &number);
    for number in [1, 2, 2, 1, 3] {
        server.service.live.publish(push(number));
    }
    let expected = [named("state", 1), named("moved", 2), named("moved", 3)];
    assert_eq!(events.names().await, expected);
}

#[tokio::test]
async fn resume_by_number_on_another_server() {
    let store = GameStore::new();
    let (one, other) =
        (store.server(Options::default()).await, store.server(Options::default()).await);
    one.service.create("A").await;
    let mut elsewhere = other.watch("A").await;
    assert_eq!(elsewhere.names().await, [named("state", 1)]);
    let mut events = one.watch("A").await;
    one.service.add("A", 1).await;
    assert_eq!(events.names().await, [named("state", 1), named("moved", 2)]);
    drop(events);
    one.service.add("A", 1).await;
    one.service.finish("A").await;
    let expected = [named("moved", 2), named("moved", 3), named("moved", None), named("ended", 4)];
    assert_eq!(elsewhere.names().await, expected);
    let mut events = other.resume("A", 2).await;
    one.service.add("A", 1).await;
    // Both messages of the change that ended the game, and later ones.
    let expected =
        [named("moved", 3), named("moved", None), named("ended", 4), named("moved", None)];
    assert_eq!(events.names().await, expected);
    // A number from the future gets the state.
    let mut events = other.resume("A", 1_000).await;
    assert_eq!(events.names().await, [named("state", 5)]);
}

#[tokio::test]
async fn a_restart_sends_the_state() {
    let store = GameStore::new();
    let before = store.server(Options::default()).await;
    before.service.create("A").await;
    let mut events = before.watch("A").await;
    assert_eq!(events.names().await, [named("state", 1)]);
    drop(before);
    let after = store.server(Options::default()).await;
    after.service.add("A", 1).await;
    let mut events = after.resume("A", 1).await;
    assert_eq!(events.names().await, [named("state", 2)]);
}

#[tokio::test]
async fn an_expired_item_ends_its_topic_and_says_so() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    server.service.create("B").await;
    let (mut events, mut deleted) = (server.watch("A").await, server.watch("B").await);
    assert_eq!(events.names().await, [named("state", 1)]);
    assert_eq!(deleted.names().await, [named("state", 1)]);
    // Queued events come before the end.
    server.service.add("A", 1).await;
    store.clock.advance(3_700_000);
    store.engine.maintain().unwrap();
    assert_eq!(events.names().await, [named("moved", 2)]);
    let end = json!({"type": "end", "code": 4000, "reason": "what was watched is gone"});
    assert_eq!(events.end().await, end);
    assert_eq!(deleted.end().await, end);
    let missing = server.resume("A", 2).await;
    assert!(missing.head.starts_with("HTTP/1.1 404"), "{}", missing.head);
}

#[tokio::test]
async fn a_state_that_cannot_be_read_ends_the_stream_and_the_client_resumes() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    assert_eq!(events.names().await, [named("state", 1)]);
    server.service.is_state_broken.store(true, Ordering::SeqCst);
    server.service.add("A", 5).await;
    assert_eq!(events.end().await["code"], 1011);
    server.service.is_state_broken.store(false, Ordering::SeqCst);
    let mut events = server.resume("A", 1).await;
    assert_eq!(events.names().await, [named("state", 6)]);
}

/// Regression: a panic in the state function ended the pushes of all topics.
#[tokio::test]
async fn a_panic_of_the_state_function_ends_one_topic_and_no_other() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    server.service.create("B").await;
    let (mut events, mut other) = (server.watch("A").await, server.watch("B").await);
    assert_eq!(events.names().await, [named("state", 1)]);
    assert_eq!(other.names().await, [named("state", 1)]);
    server.service.is_state_panicking.store(true, Ordering::SeqCst);
    // A gap triggers a state read.
    server.service.add("A", 5).await;
    assert_eq!(events.end().await["code"], 1011);
    let refused = server.events("/games/B/events", None).await;
    assert!(refused.head.starts_with("HTTP/1.1 500"), "{}", refused.head);
    server.service.is_state_panicking.store(false, Ordering::SeqCst);
    server.service.add("B", 1).await;
    assert_eq!(other.names().await, [named("moved", 2)]);
    let mut events = server.resume("A", 1).await;
    assert_eq!(events.names().await, [named("state", 6)]);
}

#[tokio::test]
async fn a_panic_of_the_state_function_is_an_internal_problem() {
    let live = Live::new(|topic: Topic| {
        assert_ne!(topic.id(), "before");
        async move {
            assert_ne!(topic.id(), "within");
            Ok::<_, Problem>(Some(TopicState::numbered(1, "state", &1)))
        }
    });
    for id in ["before", "within"] {
        let problem = live.subscribe(Topic::new("game", id), None).await.err().unwrap();
        assert_eq!(problem.problem_type().status, 500, "{id}");
    }
    assert!(live.subscribe(Topic::new("game", "neither"), None).await.is_ok());
}

/// Regression: the topic was dropped with its last watcher, so a lone watcher always got the state.
#[tokio::test]
async fn the_only_watcher_of_a_topic_resumes() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    server.service.add("A", 1).await;
    assert_eq!(events.names().await, [named("state", 1), named("moved", 2)]);
    drop(events);
    server.has_subscribers(0).await;
    assert_eq!(server.service.live.figures().topics, 0);
    server.service.add("A", 1).await;
    server.service.finish("A").await;
    let mut events = server.resume("A", 2).await;
    assert_eq!(events.names().await, [named("moved", 3), named("moved", None), named("ended", 4)]);
    assert_eq!(server.service.live.figures().topics, 1);
}

/// Regression: without `Opened::live` there were no pushes, and no log message.
#[tokio::test]
async fn a_subscription_without_a_running_feed_is_logged_once() {
    let errors = Log::of(|metadata| {
        *metadata.level() == tracing::Level::ERROR && metadata.target() == "singlet_web::live::feed"
    });
    let _logging = tracing::subscriber::set_default(errors.clone());
    let store = GameStore::new();
    let topic = || Topic::new("game", "A");
    let running = Service::new(store.open().await);
    running.create("A").await;
    let live = running.live.clone();
    let feed = tokio::spawn(async move { live.run().await });
    tokio::task::yield_now().await;
    drop(running.live.subscribe(topic(), None).await.unwrap());
    // Without followed tables it need not run.
    drop(Live::signals("ready").subscribe(topic(), None).await.unwrap());
    assert_eq!(errors.count(), 0);
    let forgotten = Service::new(store.open().await);
    for _ in 0..3 {
        drop(forgotten.live.subscribe(topic(), None).await.unwrap());
    }
    assert_eq!(errors.count(), 1);
    feed.abort();
}

#[tokio::test]
async fn the_right_to_watch_is_checked_again() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    assert_eq!(events.names().await, [named("state", 1)]);
    // Several checks pass, between events that are more frequent than the checks.
    for number in 2..=10 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        server.service.add("A", 1).await;
        assert_eq!(events.names().await, [named("moved", number)]);
    }
    server.service.is_allowed.store(false, Ordering::SeqCst);
    assert_eq!(events.end().await["code"], 4003);
}

#[tokio::test]
async fn a_reader_that_stops_is_dropped_and_others_go_on() {
    let mut limits = Limits::default();
    limits.stall_time_max = Duration::from_secs(1);
    let store = GameStore::new();
    let server = store.server(Options { limits, ..Options::default() }).await;
    server.service.create("A").await;
    let mut good = server.watch("A").await;
    let mut lazy = server.watch("A").await;
    assert_eq!(good.names().await, [named("state", 1)]);
    assert_eq!(lazy.names().await, [named("state", 1)]);
    let long = "x".repeat(20_000);
    let mut number = 1;
    // The kernel buffers some megabytes, and the queue four.
    while number < 5_000 && server.service.live.figures().subscribers == 2 {
        number += 1;
        let push = Push::numbered(Topic::new("game", "A"), number, "moved", &long);
        server.service.live.publish(push);
        assert_eq!(good.names().await, [named("moved", number)]);
    }
    assert!(number < 5_000, "the lazy one is still subscribed");
    // The server closes the connection although the client never read. Two remain: the good
    // client's, and the one that fetches the metrics.
    let closed = async {
        while !server.server.get("/metrics").await.body.contains("\nsinglet_web_connections 2\n") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, closed).await.unwrap();
    let mut read = 1;
    let mut is_cut = false;
    while let Some(event) = lazy.next().await {
        is_cut |= event.event == "end";
        read += 1;
    }
    assert!(read < number && !is_cut, "{read} of {number}");
    good.stream.get_mut().shutdown().await.unwrap();
    server.has_subscribers(0).await;
}

#[tokio::test]
async fn a_reader_that_is_too_slow_is_told_so() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    assert_eq!(events.names().await, [named("state", 1)]);
    // All at once, so that the client cannot read in between.
    for number in 2..=1_100 {
        let push = Push::numbered(Topic::new("game", "A"), number, "moved", &number);
        server.service.live.publish(push);
    }
    assert_eq!(server.service.live.figures().dropped, 1);
    for number in 2..=1_025 {
        assert_eq!(events.next().await.unwrap().id, Some(number));
    }
    assert_eq!(events.end().await["code"], 1013);
}

/// Regression: the edge treated streams as idle connections and closed them after a minute.
#[tokio::test]
async fn streams_are_not_idle_connections() {
    let mut limits = Limits::default();
    limits.idle_time_max = Duration::from_secs(1);
    limits.stall_time_max = Duration::from_secs(1);
    limits.connections_max = 3;
    let store = GameStore::new();
    let server = store.server(Options { limits, ..Options::default() }).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    assert_eq!(events.names().await, [named("state", 1)]);
    tokio::time::sleep(Duration::from_secs(3)).await;
    // Nor is it replaced by new connections.
    let mut others = Vec::new();
    for _ in 0..6 {
        others.push(TcpStream::connect(server.server.address).await.unwrap());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.service.add("A", 1).await;
    assert_eq!(events.names().await, [named("moved", 2)]);
}

#[tokio::test]
async fn there_are_so_many_streams_and_no_more() {
    let mut limits = Limits::default();
    limits.streams_max = 2;
    let store = GameStore::new();
    let server = store.server(Options { limits, ..Options::default() }).await;
    server.service.create("A").await;
    let (mut one, two) = (server.watch("A").await, server.watch("A").await);
    let refused = server.server.get("/test/games/A/events").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "unavailable"));
    server.has_subscribers(2).await;
    // A client that leaves frees its permit.
    drop(two);
    server.has_subscribers(1).await;
    let mut three = server.watch("A").await;
    server.service.add("A", 1).await;
    assert_eq!(one.names().await, [named("state", 1), named("moved", 2)]);
    assert_eq!(three.names().await, [named("state", 1), named("moved", 2)]);
}

#[tokio::test]
async fn a_stopping_server_ends_streams_and_says_so() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    assert_eq!(events.names().await, [named("state", 1)]);
    server.server.stop().await;
    assert_eq!(events.end().await["code"], 1001);
}

#[tokio::test]
async fn a_comment_comes_after_4_seconds_without_an_event() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    server.service.create("A").await;
    let mut events = server.watch("A").await;
    assert_eq!(events.names().await, [named("state", 1)]);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let begun = Instant::now();
    server.service.add("A", 1).await;
    assert_eq!(events.names().await, [named("moved", 2)]);
    assert_eq!(timeout(PATIENCE, events.block()).await.unwrap().unwrap(), ":");
    // Measured from the last event.
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(4), "{waited:?}");
}

#[tokio::test]
async fn signals_say_that_it_is_time_to_read() {
    let store = GameStore::new();
    let server = store.server(Options::default()).await;
    let mut events = server.events("/signals", Some(12)).await;
    let ready = events.next().await.unwrap();
    assert_eq!((ready.event.as_str(), ready.id), ("ready", None));
    assert_eq!(ready.data, json!({"type": "ready"}));
    let document = server.server.get("/test/openapi.json").await.json();
    let reply = &document["paths"]["/signals"]["get"]["responses"]["200"];
    assert!(reply["content"]["text/event-stream"].is_object(), "{document}");
}

/// Regression: an eventually consistent read may be older than a push, and the events in between
/// were lost.
#[tokio::test]
async fn a_stale_state_is_read_again() {
    let (stored, lag) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicU64::new(0)));
    let live = Live::new({
        let (stored, lag) = (Arc::clone(&stored), Arc::clone(&lag));
        move |_| {
            let late = lag.load(Ordering::SeqCst);
            lag.store(late.saturating_sub(1), Ordering::SeqCst);
            let number = stored.load(Ordering::SeqCst) - late;
            async move { Ok::<_, Problem>(Some(TopicState::numbered(number, "state", &number))) }
        }
    });
    let topic = || Topic::new("game", "A");
    let publish = |number| {
        stored.store(number, Ordering::SeqCst);
        live.publish(Push::numbered(topic(), number, "moved", &number));
    };
    let mut first = live.subscribe(topic(), None).await.unwrap();
    publish(2);
    publish(3);
    // The first two reads are older than the last push.
    lag.store(2, Ordering::SeqCst);
    let mut second = live.subscribe(topic(), None).await.unwrap();
    publish(4);
    let numbers = async |subscription: &mut singlet_web::live::Subscription, count| {
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(subscription.next().await.unwrap().number().unwrap());
        }
        numbers
    };
    assert_eq!(numbers(&mut second, 2).await, [3, 4]);
    assert_eq!(numbers(&mut first, 4).await, [1, 2, 3, 4]);
    // After a gap, the state must have reached the push.
    lag.store(3, Ordering::SeqCst);
    publish(9);
    assert_eq!(numbers(&mut second, 1).await, [9]);
    assert_eq!(numbers(&mut first, 1).await, [9]);
}
