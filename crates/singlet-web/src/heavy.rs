//! CPU-heavy requests take turns, so that threads stay free for light ones.
//!
//! A request is heavy by measurement: by its own CPU time so far, or by the average of its route. A
//! light one is polled directly. A heavy one acquires one of a few [`Turns`], shared fairly among
//! clients, before each poll and releases it afterwards. So a request never holds a turn while it
//! waits for a lock, the disk or its client.

use crate::server::ConnectionGuard;
use axum::http::Extensions;
use singlet_edge::{NextTurn, Share, Turns, thread_cpu_time};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::ready;
use std::time::{Duration, Instant};

/// A request is light below this CPU time, its own and its route's average.
const LIGHT_TIME_MAX: Duration = Duration::from_millis(1);
/// Below this, wall time is measured instead of CPU time, which costs a system call to read.
const ROUGH_TIME_MAX: Duration = Duration::from_micros(100);
/// Caps a poll measured by wall time, which may include preemption. Enough to switch to CPU time.
const ROUGH_POLL_MAX: Duration = Duration::from_micros(500);
/// Divisor of the weight of a request above the average.
const RISE: u64 = 4;
/// Divisor of the weight of a request below the average. The weight is small, so that a client
/// cannot mask expensive requests of a route with many cheap ones.
const FALL: u64 = 64;

/// The moving average of a route's CPU time.
#[derive(Debug, Default)]
pub(crate) struct RouteCost {
    average_ns: AtomicU64,
}

impl RouteCost {
    fn average(&self) -> Duration {
        Duration::from_nanos(self.average_ns.load(Ordering::Relaxed))
    }

    /// Adds a completed request. Concurrent updates may be lost.
    fn note(&self, computed: Duration) {
        let computed = u64::try_from(computed.as_nanos()).unwrap_or(u64::MAX);
        let average = self.average_ns.load(Ordering::Relaxed);
        let changed = match computed > average {
            true => average + (computed - average) / RISE,
            false => average - (average - computed) / FALL,
        };
        self.average_ns.store(changed, Ordering::Relaxed);
    }
}

/// The server's turns, and the client of one connection.
#[derive(Clone)]
pub(crate) struct ClientTurns {
    turns: Turns,
    client: Share,
    clocks: Clocks,
}

/// Clocks that measure polls.
#[derive(Clone, Copy)]
struct Clocks {
    /// Wall time.
    wall_time: fn() -> Duration,
    /// CPU time of the current thread.
    cpu_time: fn() -> Duration,
}

fn wall_time() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed()
}

impl ClientTurns {
    pub(crate) fn new(turns: Turns, client: Share) -> Self {
        Self { turns, client, clocks: Clocks { wall_time, cpu_time: thread_cpu_time } }
    }

    /// The turns of the request's connection; `None` without a server.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        extensions.get().map(ConnectionGuard::client_turns)
    }
}

/// Half as many turns as runtime threads; the others stay free for light requests.
pub(crate) fn turns_of_runtime() -> Turns {
    let threads = tokio::runtime::Handle::current().metrics().num_workers();
    Turns::new((threads / 2).max(1))
}

/// Runs the work of a request, taking turns while it is heavy.
pub(crate) async fn in_turns<T>(
    turns: Option<ClientTurns>,
    cost: &RouteCost,
    work: impl Future<Output = T>,
) -> T {
    let Some(ClientTurns { turns, client, clocks }) = turns else { return work.await };
    let mut work = pin!(work);
    let mut computed = Computed { cost, time: Duration::ZERO, is_complete: false };
    let mut place: Option<NextTurn> = None;
    let done = poll_fn(|context| {
        let turn = match computed.is_heavy() {
            true => {
                let next = place.get_or_insert_with(|| turns.next(&client));
                Some(ready!(Pin::new(next).poll(context)))
            }
            false => None,
        };
        place = None;
        let polled = computed.measure(clocks, || work.as_mut().poll(context));
        drop(turn);
        polled
    })
    .await;
    computed.is_complete = true;
    done
}

/// CPU time of one request, added to its route on drop.
struct Computed<'c> {
    cost: &'c RouteCost,
    time: Duration,
    is_complete: bool,
}

impl Computed<'_> {
    fn is_heavy(&self) -> bool {
        self.at_least(LIGHT_TIME_MAX)
    }

    /// Whether the request, or its route on average, takes at least this time.
    fn at_least(&self, time: Duration) -> bool {
        self.time >= time || self.cost.average() >= time
    }

    /// Adds the time of one poll.
    fn measure<T>(&mut self, clocks: Clocks, poll: impl FnOnce() -> T) -> T {
        let (clock, counted_max) = match self.at_least(ROUGH_TIME_MAX) {
            true => (clocks.cpu_time, Duration::MAX),
            false => (clocks.wall_time, ROUGH_POLL_MAX),
        };
        let begun = clock();
        let polled = poll();
        self.time += clock().saturating_sub(begun).min(counted_max);
        polled
    }
}

impl Drop for Computed<'_> {
    fn drop(&mut self) {
        // A request whose client left is incomplete: count it only if it is above the average.
        if self.is_complete || self.time > self.cost.average() {
            self.cost.note(self.time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::task::{Context, Poll, Waker};

    thread_local! {
        static CPU_TIME: Cell<Duration> = const { Cell::new(Duration::ZERO) };
        /// Time during which the thread was preempted.
        static PREEMPTED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    const MS: Duration = Duration::from_millis(1);

    fn client_of(turns: &Turns) -> ClientTurns {
        let clocks =
            Clocks { wall_time: || CPU_TIME.get() + PREEMPTED.get(), cpu_time: || CPU_TIME.get() };
        ClientTurns { turns: turns.clone(), client: Share::default(), clocks }
    }

    /// Computes for `each` in each of `polls` polls.
    async fn compute(polls: u32, each: Duration) {
        for poll in 1..=polls {
            CPU_TIME.set(CPU_TIME.get() + each);
            if poll < polls {
                singlet::yield_now().await;
            }
        }
    }

    fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> bool {
        future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// The number of polls until an uncontended request ends.
    fn run(turns: &Turns, cost: &RouteCost, work: impl Future<Output = ()>) -> usize {
        let mut request = pin!(in_turns(Some(client_of(turns)), cost, work));
        1 + std::iter::from_fn(|| (!poll(request.as_mut())).then_some(())).take(1000).count()
    }

    #[test]
    fn the_average_rises_fast_and_falls_slowly() {
        let cost = RouteCost::default();
        cost.note(8 * MS);
        assert_eq!(cost.average(), 2 * MS);
        let cheap = std::iter::repeat_with(|| cost.note(Duration::ZERO));
        let until_light = cheap.take_while(|()| cost.average() >= LIGHT_TIME_MAX).count();
        assert!((30..100).contains(&until_light), "{until_light}");
        cost.note(Duration::MAX);
        assert!(cost.average() > 1000 * MS);
    }

    #[test]
    fn a_light_request_needs_no_turn() {
        let (turns, cost) = (Turns::new(0), RouteCost::default());
        assert_eq!(run(&turns, &cost, compute(4, MS / 5)), 4);
        assert_eq!(cost.average(), MS / 5);
    }

    /// Regression: on a busy machine every request seemed heavy.
    #[test]
    fn a_light_request_stays_light_while_others_have_the_processor() {
        let (turns, cost) = (Turns::new(0), RouteCost::default());
        for _ in 0..100 {
            let work = async {
                PREEMPTED.set(PREEMPTED.get() + 20 * MS);
                compute(3, MS / 50).await;
            };
            assert_eq!(run(&turns, &cost, work), 3);
        }
        assert!(cost.average() < LIGHT_TIME_MAX / 4, "{:?}", cost.average());
    }

    /// A route is classified as heavy after two requests.
    #[test]
    fn long_polls_are_found() {
        let (turns, cost) = (Turns::new(0), RouteCost::default());
        assert_eq!(run(&turns, &cost, compute(1, 30 * MS)), 1);
        assert!(cost.average() >= ROUGH_TIME_MAX && cost.average() < LIGHT_TIME_MAX);
        assert_eq!(run(&turns, &cost, compute(1, 30 * MS)), 1);
        assert!(cost.average() > 7 * MS);
        let mut third = pin!(in_turns(Some(client_of(&turns)), &cost, compute(1, MS)));
        assert!(!poll(third.as_mut()));
    }

    #[test]
    fn a_request_that_has_become_heavy_goes_on_with_a_turn() {
        let (turns, cost) = (Turns::new(1), RouteCost::default());
        let taken = poll_turn(&turns);
        let mut heavy = pin!(in_turns(Some(client_of(&turns)), &cost, compute(5, MS / 2)));
        // Two polls make it heavy; then it waits, however often it is polled.
        let begun = CPU_TIME.get();
        for _ in 0..10 {
            assert!(!poll(heavy.as_mut()));
        }
        assert_eq!(CPU_TIME.get() - begun, MS);
        drop(taken);
        assert!(!poll(heavy.as_mut()));
        assert_eq!(turns.free(), 1, "a turn is had for one poll");
        assert!(!poll(heavy.as_mut()));
        assert!(poll(heavy.as_mut()));
        assert_eq!(CPU_TIME.get() - begun, 5 * MS / 2);
        assert_eq!(cost.average(), 5 * MS / 8);
    }

    #[test]
    fn requests_of_a_heavy_route_take_turns_from_the_start() {
        let (turns, cost) = (Turns::new(1), RouteCost::default());
        cost.note(40 * MS);
        let taken = poll_turn(&turns);
        let mut first = pin!(in_turns(Some(client_of(&turns)), &cost, compute(2, MS)));
        let begun = CPU_TIME.get();
        assert!(!poll(first.as_mut()));
        {
            // Its client leaves, and with it the place in the queue.
            let mut second = pin!(in_turns(Some(client_of(&turns)), &cost, compute(2, MS)));
            assert!(!poll(second.as_mut()));
        }
        assert_eq!(CPU_TIME.get(), begun);
        let average = cost.average();
        assert_eq!(average, 10 * MS, "who computed nothing does not count");
        drop(taken);
        assert_eq!(turns.free(), 0, "the turn is handed over");
        assert!(!poll(first.as_mut()));
        assert_eq!(turns.free(), 1);
        assert!(poll(first.as_mut()));
        // Another route of the same server.
        assert_eq!(run(&turns, &RouteCost::default(), compute(1, MS / 10)), 1);
    }

    /// Without a server there are no turns.
    #[test]
    fn a_request_without_a_connection_is_polled_directly() {
        let cost = RouteCost::default();
        cost.note(40 * MS);
        assert!(poll(pin!(in_turns(None, &cost, compute(1, MS)))));
        assert!(ClientTurns::of(&Extensions::new()).is_none());
    }

    fn poll_turn(turns: &Turns) -> Option<singlet_edge::Turn> {
        let next = pin!(turns.next(&Share::default()));
        match next.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }
}
