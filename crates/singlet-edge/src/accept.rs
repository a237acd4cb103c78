//! Accepts connections and closes those of slow or greedy clients.

use crate::activity::{Activity, Short};
use crate::clock::CoarseClock;
use crate::eviction::EvictionQueue;
use crate::limits::Limits;
use crate::room::Room;
use crate::stream::WatchedStream;
use rustix::net::sockopt;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Pause after a failed accept, which usually means that file descriptors have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Failed accepts per warning in the log.
const ACCEPT_FAILURES_PER_WARNING: u64 = 200;
/// Connections above the limit that still get a 503. Further ones are closed at once.
const REFUSED_CONNECTIONS_MAX: usize = 64;
/// Deadline for sending the 503 to a refused connection.
const REFUSED_TIME_MAX: Duration = Duration::from_secs(2);
/// Connections accepted in a row before the task yields.
const ACCEPTED_AT_ONCE: u32 = 16;
/// Bounds of the interval between two sweeps.
const SWEEP_INTERVAL_MIN: Duration = Duration::from_millis(10);
const SWEEP_INTERVAL_MAX: Duration = Duration::from_secs(1);

/// The listen backlog. The kernel drops connections beyond it and clients retry after a second, so
/// it exceeds any burst we expect.
const WAITING_CONNECTIONS_MAX: u32 = 4096;

/// Idle time before the first keepalive probe, and the interval between probes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_PROBES: u32 = 3;
/// `TCP_USER_TIMEOUT`. Without it the kernel retransmits for 15 minutes, and a phone that lost its
/// network keeps its stream that long.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIME_MAX: Duration = Duration::from_secs(40);

/// Binds an address. Clients can connect from now on; they wait in the backlog until [`serve`]
/// runs.
///
/// # Errors
///
/// If the address cannot be bound.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restarted server must not wait for the old connections to leave TIME_WAIT.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    detect_dead_peers(&socket)?;
    socket.bind(address)?;
    socket.listen(WAITING_CONNECTIONS_MAX)
}

/// Enables keepalive probes and a timeout for unacknowledged data. Accepted sockets inherit both.
fn detect_dead_peers(socket: &TcpSocket) -> io::Result<()> {
    sockopt::set_socket_keepalive(socket, true)?;
    sockopt::set_tcp_keepidle(socket, KEEPALIVE_IDLE)?;
    sockopt::set_tcp_keepintvl(socket, KEEPALIVE_INTERVAL)?;
    sockopt::set_tcp_keepcnt(socket, KEEPALIVE_PROBES)?;
    #[cfg(target_os = "linux")]
    sockopt::set_tcp_user_timeout(socket, UNACKNOWLEDGED_TIME_MAX.as_millis() as u32)?;
    Ok(())
}

/// An accepted connection.
#[derive(Debug)]
pub struct Accepted<A> {
    /// The socket.
    pub stream: WatchedStream,
    /// The connection's requests and transfers.
    pub activity: Arc<Activity>,
    /// The client's address.
    pub peer: SocketAddr,
    /// State shared by all connections from this address; `None` for this machine.
    pub address: Option<A>,
    /// Whether the server is full: respond with 503 and close.
    pub is_refused: bool,
    /// Becomes true when the server stops.
    pub stop: watch::Receiver<bool>,
}

/// Which transfers hold the bytes of a room. Slow ones are cut off when the room runs short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holders {
    /// Request bodies.
    Bodies,
    /// Responses.
    Answers,
    /// Both.
    All,
}

/// Connection counters.
#[derive(Debug, Default)]
pub struct ConnectionCounters {
    /// Open now.
    pub open: AtomicU64,
    /// Accepted since start.
    pub accepted: AtomicU64,
    /// Refused because the server was full.
    pub refused: AtomicU64,
    /// Closed while idle, to admit a new connection.
    pub replaced: AtomicU64,
    /// Closed because the client was too slow.
    pub timed_out: AtomicU64,
}

/// Accepts connections and runs each in its own task until the future completes. Then it stops
/// accepting and gives the open connections [`Limits::stop_time_max`] to finish.
///
/// While a room runs short, it closes connections that are slow to send or receive the bytes held
/// in that room.
pub async fn serve<A, F>(
    listener: TcpListener,
    limits: &Limits,
    rooms: &[(&Room, Holders)],
    figures: &ConnectionCounters,
    until: impl Future<Output = ()>,
    mut handle: impl FnMut(Accepted<A>) -> F,
) where
    A: Clone + Default,
    F: Future<Output = ()> + Send + 'static,
{
    let mut sweeps = interval(sweep_interval(limits));
    sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut connections = Connections::new(limits, figures);
    let mut until = pin!(until);
    let mut failures: u64 = 0;
    let mut accepted_at_once = 0;
    loop {
        let accepted = poll_fn(|context| {
            if until.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            connections.forget_ended(context);
            while sweeps.poll_tick(context).is_ready() {
                connections.sweep(rooms);
            }
            listener.poll_accept(context).map(Some)
        });
        match accepted.await {
            None => break,
            Some(Ok((stream, peer))) => {
                failures = 0;
                connections.add(stream, peer, &mut handle);
                accepted_at_once += 1;
                if accepted_at_once == ACCEPTED_AT_ONCE {
                    accepted_at_once = 0;
                    tokio::task::yield_now().await;
                }
            }
            Some(Err(error)) => {
                if failures.is_multiple_of(ACCEPT_FAILURES_PER_WARNING) {
                    tracing::warn!(%error, "cannot accept a connection; closing an idle one");
                }
                failures += 1;
                // Out of file descriptors, or of kernel memory for sockets.
                connections.replace_idle();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    connections.stop().await;
}

fn sweep_interval(limits: &Limits) -> Duration {
    let times = [
        limits.head_time_max,
        limits.idle_time_max,
        limits.stall_time_max,
        limits.pressed_time_max,
        limits.half_closed_time_max,
    ];
    let shortest = times.into_iter().min().unwrap_or_default();
    (shortest / 4).clamp(SWEEP_INTERVAL_MIN, SWEEP_INTERVAL_MAX)
}

/// The part of an address that identifies a client. For IPv6 that is the /64 network, because one
/// network card can use all of its addresses.
///
/// ```
/// use singlet_edge::network_of;
///
/// let of = |address: &str| network_of(address.parse().unwrap());
/// assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
/// assert_ne!(of("2001:db8:0:1::1"), of("2001:db8::1"));
/// assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
/// ```
#[must_use]
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

/// Like [`network_of`], but `None` for this machine, which has no limits: a local user can kill the
/// server anyway, and a local proxy carries many clients and must limit them itself.
#[must_use]
pub fn client_of(address: IpAddr) -> Option<IpAddr> {
    (!address.to_canonical().is_loopback()).then(|| network_of(address))
}

struct Entry {
    activity: Arc<Activity>,
    task: AbortHandle,
    client: Option<IpAddr>,
}

impl AsRef<Activity> for Entry {
    fn as_ref(&self) -> &Activity {
        &self.activity
    }
}

/// All open connections.
struct Connections<'a, A> {
    limits: &'a Limits,
    figures: &'a ConnectionCounters,
    clock: CoarseClock,
    tasks: JoinSet<()>,
    open: HashMap<Id, Entry>,
    /// Connections closed to make room whose tasks have not ended yet, with their clients.
    ending: HashMap<Id, Option<IpAddr>>,
    evictions: EvictionQueue<Id>,
    /// The number of connections of each address, and its shared state.
    addresses: HashMap<IpAddr, (usize, A)>,
    stop: watch::Sender<bool>,
}

impl<'a, A: Clone + Default> Connections<'a, A> {
    fn new(limits: &'a Limits, figures: &'a ConnectionCounters) -> Self {
        Self {
            limits,
            figures,
            clock: CoarseClock::new(),
            tasks: JoinSet::new(),
            open: HashMap::new(),
            ending: HashMap::new(),
            evictions: EvictionQueue::new(),
            addresses: HashMap::new(),
            stop: watch::Sender::new(false),
        }
    }

    fn add<F>(
        &mut self,
        stream: TcpStream,
        peer: SocketAddr,
        handle: &mut impl FnMut(Accepted<A>) -> F,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        self.figures.accepted.fetch_add(1, Ordering::Relaxed);
        let client = client_of(peer.ip());
        let of_address = client.and_then(|client| self.addresses.get(&client));
        let is_share_used =
            of_address.is_some_and(|(count, _)| *count >= self.limits.connections_per_address_max);
        let open = self.open.len();
        let is_full = open >= self.limits.connections_max;
        let is_refused = is_share_used || (is_full && !self.replace_idle());
        if is_refused {
            self.figures.refused.fetch_add(1, Ordering::Relaxed);
            // An address above its own limit gets no 503.
            if is_share_used || open >= self.limits.connections_max + REFUSED_CONNECTIONS_MAX {
                return;
            }
        }
        let address = client.map(|client| {
            let (count, address) = self.addresses.entry(client).or_default();
            *count += 1;
            address.clone()
        });
        self.figures.open.fetch_add(1, Ordering::Relaxed);
        // Responses are written whole, so Nagle's algorithm would only delay them.
        let _ = stream.set_nodelay(true);
        let activity = Arc::new(Activity::new(&self.clock));
        let serving = handle(Accepted {
            stream: WatchedStream::new(stream, Arc::clone(&activity)),
            activity: Arc::clone(&activity),
            peer,
            address,
            is_refused,
            stop: self.stop.subscribe(),
        });
        let task = match is_refused {
            true => self.tasks.spawn(async { _ = timeout(REFUSED_TIME_MAX, serving).await }),
            false => self.tasks.spawn(serving),
        };
        let id = task.id();
        self.open.insert(id, Entry { activity, task, client });
        self.evictions.note_accepted(id, &self.open);
    }

    /// Closes the connection chosen by the eviction queue, if there is one.
    fn replace_idle(&mut self) -> bool {
        let chosen = self.evictions.choose(&self.open);
        let Some((id, idle)) = chosen.and_then(|id| self.open.remove_entry(&id)) else {
            return false;
        };
        idle.task.abort();
        self.ending.insert(id, idle.client);
        self.figures.replaced.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn forget_ended(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(ended)) = self.tasks.poll_join_next_with_id(context) {
            let id = match ended {
                Ok((id, ())) => id,
                Err(error) => {
                    if error.is_panic() {
                        tracing::error!("a connection handler panicked");
                    }
                    error.id()
                }
            };
            self.figures.open.fetch_sub(1, Ordering::Relaxed);
            let of_open = self.open.remove(&id).and_then(|entry| entry.client);
            let Some(client) = of_open.or_else(|| self.ending.remove(&id).flatten()) else {
                continue;
            };
            if let Some((count, _)) = self.addresses.get_mut(&client) {
                *count -= 1;
                if *count == 0 {
                    self.addresses.remove(&client);
                }
            }
        }
    }

    /// Closes connections whose clients are too slow.
    fn sweep(&mut self, rooms: &[(&Room, Holders)]) {
        self.clock.advance();
        self.evictions.note_sweep();
        let mut short = Short::default();
        // Checks every room, because checking also resets its flag.
        for (_, holders) in rooms.iter().filter(|(room, _)| room.take_shortage()) {
            short.bodies |= *holders != Holders::Answers;
            short.answers |= *holders != Holders::Bodies;
        }
        for Entry { activity, task, .. } in self.open.values() {
            let has_timed_out = activity.has_timed_out(self.limits)
                || activity.is_slow_under_pressure(self.limits, short);
            if has_timed_out && !task.is_finished() {
                self.figures.timed_out.fetch_add(1, Ordering::Relaxed);
                activity.cut_off();
                task.abort();
            }
        }
    }

    /// Waits for requests in flight, up to the limit.
    async fn stop(mut self) {
        self.stop.send_replace(true);
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(self.limits.stop_time_max, all).await.is_err() {
            tracing::warn!(
                connections = self.tasks.len(),
                "shutdown timed out; closing connections with requests in flight"
            );
        }
        self.tasks.shutdown().await;
    }
}
