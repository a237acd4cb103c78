//! An endpoint in its own thread, on a free port.

use crate::client::{Answer, Client};
use singlet_engine::Engine;
use singlet_wire::{Options, Server};
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Endpoint {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// Starts an endpoint with changed options.
    pub(crate) fn start_with(change: impl FnOnce(&mut Options)) -> Self {
        Self::start_on(Engine::memory().unwrap(), change)
    }

    /// Starts an endpoint on an existing engine.
    pub(crate) fn start_on(engine: Engine, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
        change(&mut options);
        let (stop, stopped) = oneshot::channel();
        let (send_address, address) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let server = Server::bind(options).await.unwrap();
                send_address.send(server.local_address()).unwrap();
                server.serve(engine, async { _ = stopped.await }).await;
            });
        });
        let address = address.recv_timeout(Duration::from_secs(120)).unwrap();
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Sends a request on a new connection.
    pub(crate) fn request(&self, operation: &str, body: &str) -> Answer {
        self.connect().request(operation, body)
    }

    /// Sends a request with any bytes on a new connection.
    pub(crate) fn request_bytes(&self, operation: &str, body: &[u8]) -> Answer {
        self.connect().request(operation, body)
    }

    /// Creates a table with one string key, `pk`.
    pub(crate) fn make_table(&self, name: &str) {
        let answer = self.request(
            "CreateTable",
            &format!(
                r#"{{"TableName":"{name}","BillingMode":"PAY_PER_REQUEST",
                "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],
                "AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}]}}"#
            ),
        );
        assert_eq!(answer.status, 200, "{answer:?}");
        while !self
            .request("DescribeTable", &format!(r#"{{"TableName":"{name}"}}"#))
            .text()
            .contains("ACTIVE")
        {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A value from `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let page = self.connect().get("/metrics").text();
        let value = page.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        value.unwrap_or_else(|| panic!("{name} is not in:\n{page}")).parse().unwrap()
    }

    /// Asserts that a normal client is served.
    pub(crate) fn assert_serves(&self) {
        let answer = self.request("ListTables", "{}");
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.text().starts_with(r#"{"TableNames":["#), "{answer:?}");
    }

    /// Tells the endpoint to stop without waiting for it.
    pub(crate) fn begin_stop(&mut self) {
        drop(self.stop.take());
    }

    /// Whether the endpoint has stopped.
    pub(crate) fn has_stopped(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.begin_stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the endpoint panicked");
        }
    }
}

/// Polls until a condition holds. Two minutes are enough on a busy machine.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..12_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("timed out waiting: {what}");
}
