//! Connections over real sockets: which are accepted, refused, evicted and timed out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

use singlet_edge::{Accepted, ConnectionCounters, Holders, Limits, Room, Shares, serve};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    figures: Arc<ConnectionCounters>,
    refused: Arc<AtomicUsize>,
    /// Connections handled, and connections whose first byte was read.
    handled: Arc<[AtomicUsize; 2]>,
}

/// A server whose connections are busy from their first byte on: `b` starts a request that never
/// ends, `a` a response that is never read, `w` writes until the client stops reading.
async fn server(limits: Limits, room: Room) -> Server {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let (figures, refused) =
        (Arc::new(ConnectionCounters::default()), Arc::new(AtomicUsize::new(0)));
    let handled = Arc::<[AtomicUsize; 2]>::default();
    let task = tokio::spawn({
        let (figures, refused) = (Arc::clone(&figures), Arc::clone(&refused));
        let handled = Arc::clone(&handled);
        async move {
            let handle = |mut accepted: Accepted<()>| {
                refused.fetch_add(usize::from(accepted.is_refused), Ordering::SeqCst);
                handled[0].fetch_add(1, Ordering::SeqCst);
                let handled = Arc::clone(&handled);
                async move {
                    let first = accepted.stream.read_u8().await.unwrap_or_default();
                    let _executing = (first == b'b').then(|| accepted.activity.execute());
                    let _answer = (first == b'a').then(|| accepted.activity.begin_answer(1000));
                    handled[1].fetch_add(usize::from(first != 0), Ordering::SeqCst);
                    if first == b'w' {
                        // Written in its own task, as a WebSocket is.
                        let mut stream = accepted.stream;
                        tokio::spawn(
                            async move { while stream.write_all(&[0; 4096]).await.is_ok() {} },
                        );
                    }
                    let _ = accepted.stop.wait_for(|stop| *stop).await;
                }
            };
            let (rooms, until) = ([(&room, Holders::Answers)], async { _ = stopped.await });
            serve(listener, &limits, &rooms, &figures, until, handle).await;
        }
    });
    Server { address, stop, task, figures, refused, handled }
}

/// A client that lost its network held its connection until the kernel gave up retransmitting after
/// 15 minutes. Accepted sockets must inherit the options of the listener.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn accepted_connections_detect_dead_peers() {
    use rustix::net::sockopt;

    let listener = singlet_edge::listen(([127, 0, 0, 1], 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
    let (_client, (accepted, _)) = (client.unwrap(), accepted.unwrap());
    assert!(sockopt::socket_keepalive(&accepted).unwrap());
    assert_eq!(sockopt::tcp_keepidle(&accepted).unwrap(), Duration::from_secs(30));
    assert_eq!(sockopt::tcp_user_timeout(&accepted).unwrap(), 40_000);
}

impl Server {
    async fn connect(&self, first: &[u8]) -> TcpStream {
        let counts = || [0, 1].map(|at: usize| self.handled[at].load(Ordering::SeqCst));
        let [handled, begun] = counts();
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(first).await.unwrap();
        let expected = [handled + 1, begun + first.len()];
        let is_read = async {
            while counts() != expected {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, is_read).await.expect("it was not accepted and read");
        stream
    }

    async fn stop(self) {
        let _ = self.stop.send(());
        self.task.await.unwrap();
    }
}

/// Whether the server closes the connection within this time.
async fn is_closed(stream: &mut TcpStream, within: Duration) -> bool {
    let read = tokio::time::timeout(within, stream.read_u8()).await;
    read.is_ok_and(|read| read.is_err())
}

/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(120);
const SOON: Duration = Duration::from_millis(300);

#[tokio::test]
async fn busy_connections_are_not_replaced() {
    let limits = Limits { connections_max: 2, ..Limits::default() };
    let server = server(limits, Room::new(1)).await;
    let mut first = server.connect(b"b").await;
    let mut second = server.connect(b"b").await;
    let _refused = server.connect(b"").await;
    assert_eq!(server.refused.load(Ordering::SeqCst), 1);
    assert_eq!(server.figures.refused.load(Ordering::Relaxed), 1);
    assert!(!is_closed(&mut first, SOON).await && !is_closed(&mut second, SOON).await);
    server.stop().await;
}

#[tokio::test]
async fn the_longest_idle_connection_is_evicted_first() {
    let limits = Limits { connections_max: 2, ..Limits::default() };
    let server = server(limits, Room::new(1)).await;
    let mut busy = server.connect(b"b").await;
    let mut idle = server.connect(b"").await;
    for _ in 0..5 {
        server.connect(b"").await;
    }
    assert!(is_closed(&mut idle, PATIENCE).await);
    assert!(!is_closed(&mut busy, SOON).await);
    assert_eq!(server.refused.load(Ordering::SeqCst), 0);
    server.stop().await;
}

#[tokio::test]
async fn slow_clients_are_cut_off_while_others_find_no_room() {
    let limits = Limits {
        pressed_time_max: Duration::from_millis(100),
        pressed_bytes_per_second_min: usize::MAX,
        ..Limits::default()
    };
    let room = Room::new(10);
    let server = server(limits, room.clone()).await;
    let mut slow = server.connect(b"a").await;
    assert!(!is_closed(&mut slow, SOON).await, "there is room");
    assert!(!room.hold(&Shares::default()).add(11));
    assert!(!is_closed(&mut slow, SOON).await, "no client may have that much");
    let mut other = room.hold(&Shares::default());
    assert!(other.add(5) && !room.hold(&Shares::default()).add(3));
    assert!(is_closed(&mut slow, PATIENCE).await);
    server.stop().await;
}

#[tokio::test]
async fn an_unread_response_gets_its_full_time() {
    let limits = Limits { stall_time_max: SOON, ..Limits::default() };
    let server = server(limits, Room::new(1)).await;
    let mut stalled = server.connect(b"a").await;
    assert!(is_closed(&mut stalled, PATIENCE).await);
    assert_eq!(server.figures.timed_out.load(Ordering::Relaxed), 1);
    server.stop().await;
}

/// Each server used to have its own guard, or none.
#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off() {
    let limits = Limits { stall_time_max: SOON, ..Limits::default() };
    let server = server(limits, Room::new(1)).await;
    let mut silent = server.connect(b"w").await;
    let until = std::time::Instant::now() + PATIENCE;
    while server.figures.timed_out.load(Ordering::Relaxed) == 0 {
        assert!(std::time::Instant::now() < until, "it was never cut off");
        tokio::time::sleep(SOON / 5).await;
    }
    // Bytes in transit still arrive; then the socket is closed.
    let mut some = vec![0; 1 << 16];
    let rest = async { while silent.read(&mut some).await.is_ok_and(|bytes| bytes > 0) {} };
    tokio::time::timeout(PATIENCE, rest).await.unwrap();
    server.stop().await;
}
