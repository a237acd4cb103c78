//! Accepting connections, and closing those that take too much.

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

/// How long to wait after accepting failed, usually for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How many failures to accept pass between two lines in the log.
const ACCEPT_FAILURES_PER_WARNING: u64 = 200;
/// How many connections above the limit get a 503. Others are closed at once.
const REFUSED_CONNECTIONS_MAX: usize = 64;
/// How long a refused connection may take to get its 503.
const REFUSED_TIME_MAX: Duration = Duration::from_secs(2);
/// How many connections are accepted before other tasks of the thread have their turn.
const ACCEPTED_AT_ONCE: u32 = 16;
/// How often all connections are looked at: at most and at least.
const SWEEP_INTERVAL_MIN: Duration = Duration::from_millis(10);
const SWEEP_INTERVAL_MAX: Duration = Duration::from_secs(1);

/// How many connections may wait to be accepted. When that many do, the system drops what comes,
/// and clients try again after a second; so it is more than come in a burst.
const WAITING_CONNECTIONS_MAX: u32 = 4096;

/// After how long a connection without traffic is probed, and how often then.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_PROBES: u32 = 3;
/// How long sent data may stay unacknowledged. Without it the kernel retransmits for a quarter of an
/// hour, and a phone that lost its network keeps its stream that long.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIME_MAX: Duration = Duration::from_secs(40);

/// Takes an address to listen on. Clients can connect from now on, and wait until they are served.
///
/// # Errors
///
/// If the address cannot be bound.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // So that a server that is started again need not wait for connections of the one before.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    detect_dead_peers(&socket)?;
    socket.bind(address)?;
    socket.listen(WAITING_CONNECTIONS_MAX)
}

/// Detects dead peers, by keepalive probes and by a limit for unacknowledged data. Connections that
/// the socket accepts inherit these options.
fn detect_dead_peers(socket: &TcpSocket) -> io::Result<()> {
    sockopt::set_socket_keepalive(socket, true)?;
    sockopt::set_tcp_keepidle(socket, KEEPALIVE_IDLE)?;
    sockopt::set_tcp_keepintvl(socket, KEEPALIVE_INTERVAL)?;
    sockopt::set_tcp_keepcnt(socket, KEEPALIVE_PROBES)?;
    #[cfg(target_os = "linux")]
    sockopt::set_tcp_user_timeout(socket, UNACKNOWLEDGED_TIME_MAX.as_millis() as u32)?;
    Ok(())
}

/// A connection that was accepted.
#[derive(Debug)]
pub struct Accepted<A> {
    /// Its socket.
    pub stream: WatchedStream,
    /// Its requests and transfers.
    pub activity: Arc<Activity>,
    /// Where it comes from.
    pub peer: SocketAddr,
    /// What is kept for its address, for all of that address's connections; none for this machine.
    pub address: Option<A>,
    /// Whether the server is full: answer 503 and close.
    pub is_refused: bool,
    /// Becomes true when the server stops.
    pub stop: watch::Receiver<bool>,
}

/// Which transfers hold the bytes of a room. Slow ones are cut off while it is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holders {
    /// Bodies of requests.
    Bodies,
    /// Answers.
    Answers,
    /// Both.
    All,
}

/// Counters of connections.
#[derive(Debug, Default)]
pub struct ConnectionCounters {
    /// How many are open.
    pub open: AtomicU64,
    /// How many were accepted.
    pub accepted: AtomicU64,
    /// How many were turned away, because there were too many.
    pub refused: AtomicU64,
    /// How many were closed while they were idle, to make room for others.
    pub replaced: AtomicU64,
    /// How many were closed, because the client took too long.
    pub timed_out: AtomicU64,
}

/// Accepts connections and has each handled in a task of its own, until the future is ready; then
/// accepts no more, and returns when those that are there have ended, for which they have
/// [`Limits::stop_time_max`].
///
/// While one of the rooms is short, clients that are slow to send or take what is held in it are cut
/// off.
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
                    tracing::warn!(%error, "cannot accept a connection; an idle one is closed");
                }
                failures += 1;
                // The machine is out of sockets, or of memory for them.
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

/// The part of an address that stands for one client. One network card can have all the addresses
/// of an IPv6 network of 64 bits, so that network is the client.
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

/// Like [`network_of`], if there are limits for the client. For this machine itself there are none:
/// who runs programs here can stop the server without asking it, and a proxy that runs here speaks
/// for many clients, whom it has to limit itself.
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

/// All connections that are open.
struct Connections<'a, A> {
    limits: &'a Limits,
    figures: &'a ConnectionCounters,
    clock: CoarseClock,
    tasks: JoinSet<()>,
    open: HashMap<Id, Entry>,
    /// The clients of connections that were closed to make room and only have to end.
    ending: HashMap<Id, Option<IpAddr>>,
    evictions: EvictionQueue<Id>,
    /// How many connections each address has, and what is kept for it.
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
            // An address with too many connections is not worth another one.
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
        // Answers are written whole, so that waiting for more to send would only delay them.
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

    /// Closes the connection that can best be done without, if there is one.
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
                        tracing::error!("the handler of a connection panicked");
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

    /// Closes the connections whose clients have taken too long.
    fn sweep(&mut self, rooms: &[(&Room, Holders)]) {
        self.clock.advance();
        self.evictions.note_sweep();
        let mut short = Short::default();
        // Every room is asked, because asking also resets it.
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

    /// Lets requests in flight finish, for as long as they may take.
    async fn stop(mut self) {
        self.stop.send_replace(true);
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(self.limits.stop_time_max, all).await.is_err() {
            tracing::warn!(connections = self.tasks.len(), "requests were cut off");
        }
        self.tasks.shutdown().await;
    }
}
