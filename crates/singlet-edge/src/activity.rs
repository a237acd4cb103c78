//! Tracks the activity of one connection and decides whether its client is too slow.
//!
//! A timer per request would cost more than many requests do. Instead a connection records when it
//! last made progress, using a clock that advances once per sweep, and the sweep closes connections
//! that have timed out.

use crate::clock::CoarseClock;
use crate::limits::Limits;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

/// Flag in the time of the last write: a write has been blocked since then.
const WRITE_WAITS: u64 = 1 << 63;

/// The activity of one connection.
#[derive(Debug)]
pub struct Activity {
    clock: CoarseClock,
    /// Requests that have begun and are not answered yet.
    requests: AtomicU32,
    /// Of these, the ones received completely.
    received: AtomicU32,
    /// Of these, the ones received and verified.
    executing: AtomicU32,
    /// When the current request head began to arrive; 0 if there is none.
    head_began: AtomicU64,
    /// When the last response was finished, or the connection opened.
    idle_since: AtomicU64,
    /// When the client last received bytes; with [`WRITE_WAITS`], since when a write has been
    /// blocked.
    wrote: AtomicU64,
    /// Whether blocked writes must fail.
    is_cut_off: AtomicBool,
    /// The task to wake when [`Activity::cut_off`] is called.
    writer: Mutex<Option<Waker>>,
    /// When the client closed its sending side; 0 if it has not.
    half_closed: AtomicU64,
    /// Over HTTP/2 the bytes may be any frame, so they do not start the head timer.
    is_http2: AtomicBool,
    /// Whether any request on this connection was complete and verified.
    has_served: AtomicBool,
    transfers: Mutex<Vec<Weak<Progress>>>,
}

/// The progress of a long body or response.
#[derive(Debug)]
struct Progress {
    clock: CoarseClock,
    is_answer: bool,
    /// Clock time when it began and last moved.
    began: u64,
    moved: AtomicU64,
    /// For a body, the bytes received so far; for a response, its length.
    bytes: AtomicUsize,
}

/// Which transfers are short of room.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Short {
    pub(crate) bodies: bool,
    pub(crate) answers: bool,
}

impl Short {
    fn is_any(self) -> bool {
        self.bodies || self.answers
    }
}

/// A body or response in transit, until this and its clones are dropped.
#[derive(Clone, Debug)]
pub struct Transfer(Arc<Progress>);

impl Transfer {
    /// Records progress.
    pub fn note_moved(&self) {
        self.0.moved.store(self.0.clock.now(), Ordering::Relaxed);
    }

    /// Records that more bytes of a body arrived.
    pub fn note_received(&self, bytes: usize) {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.note_moved();
    }
}

impl Progress {
    /// The time this transfer takes at the given rate.
    fn time_at(&self, bytes_per_second: usize) -> Duration {
        let bytes = self.bytes.load(Ordering::Relaxed) as f64;
        Duration::from_secs_f64(bytes / bytes_per_second.max(1) as f64)
    }

    fn is_stalled(&self, limits: &Limits) -> bool {
        let allowed = limits.stall_time_max + self.time_at(limits.answer_bytes_per_second_min);
        self.is_answer
            && (self.clock.since(self.moved.load(Ordering::Relaxed)) > limits.stall_time_max
                || self.clock.since(self.began) > allowed)
    }

    fn is_slow_under_pressure(&self, limits: &Limits) -> bool {
        let allowed = limits.pressed_time_max + self.time_at(limits.pressed_bytes_per_second_min);
        self.clock.since(self.began) > allowed
    }
}

impl Activity {
    pub(crate) fn new(clock: &CoarseClock) -> Self {
        let now = clock.now();
        Self {
            clock: clock.clone(),
            requests: AtomicU32::new(0),
            received: AtomicU32::new(0),
            executing: AtomicU32::new(0),
            head_began: AtomicU64::new(0),
            idle_since: AtomicU64::new(now),
            wrote: AtomicU64::new(now),
            is_cut_off: AtomicBool::new(false),
            writer: Mutex::default(),
            half_closed: AtomicU64::new(0),
            is_http2: AtomicBool::new(false),
            has_served: AtomicBool::new(false),
            transfers: Mutex::default(),
        }
    }

    /// Begins a request whose head has arrived. It ends when the guard is dropped.
    #[must_use]
    pub fn request(&self) -> InFlight<'_> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.head_began.store(0, Ordering::Relaxed);
        InFlight(self)
    }

    /// Marks a request as received completely, until the guard is dropped.
    #[must_use]
    pub fn receive(&self) -> Received<'_> {
        self.received.fetch_add(1, Ordering::Relaxed);
        Received(self)
    }

    /// Marks a request as verified and executing, until the guard is dropped.
    #[must_use]
    pub fn execute(&self) -> Executing<'_> {
        self.executing.fetch_add(1, Ordering::Relaxed);
        self.has_served.store(true, Ordering::Relaxed);
        Executing(self)
    }

    /// Hands the connection over to another protocol, such as WebSocket, which has its own
    /// timeouts. Until the guard is dropped, the sweep treats it as busy.
    #[must_use]
    pub fn take_over(self: &Arc<Self>) -> TakenOver {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.executing.fetch_add(1, Ordering::Relaxed);
        self.has_served.store(true, Ordering::Relaxed);
        TakenOver(Arc::clone(self))
    }

    /// Begins a long request body.
    #[must_use]
    pub fn begin_body(&self) -> Transfer {
        self.begin_transfer(false, 0)
    }

    /// Begins a response of this many bytes.
    #[must_use]
    pub fn begin_answer(&self, bytes: usize) -> Transfer {
        self.begin_transfer(true, bytes)
    }

    fn begin_transfer(&self, is_answer: bool, bytes: usize) -> Transfer {
        let now = self.clock.now();
        let progress = Arc::new(Progress {
            clock: self.clock.clone(),
            is_answer,
            began: now,
            moved: AtomicU64::new(now),
            bytes: AtomicUsize::new(bytes),
        });
        let mut transfers = self.transfers();
        // Drops finished transfers before the list would grow.
        if transfers.len() == transfers.capacity() {
            transfers.retain(|transfer| transfer.strong_count() > 0);
        }
        transfers.push(Arc::downgrade(&progress));
        Transfer(progress)
    }

    fn transfers(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Progress>>> {
        // Poisoning is harmless: the lock only guards moves of values.
        self.transfers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn any_transfer(&self, is_so: impl Fn(&Progress) -> bool) -> bool {
        let mut transfers = self.transfers();
        transfers.retain(|transfer| transfer.strong_count() > 0);
        transfers.iter().filter_map(Weak::upgrade).any(|progress| is_so(&progress))
    }

    /// Marks the connection as HTTP/2.
    pub fn note_http2(&self) {
        self.is_http2.store(true, Ordering::Relaxed);
    }

    pub(crate) fn note_read(&self, bytes: &[u8]) {
        if self.requests.load(Ordering::Relaxed) > 0 || self.head_began.load(Ordering::Relaxed) > 0
        {
            return;
        }
        // No method starts like the HTTP/2 preface.
        if bytes.starts_with(b"PRI") {
            self.note_http2();
        } else {
            self.head_began.store(self.clock.now(), Ordering::Relaxed);
        }
    }

    /// Records that the client closed its sending side, and returns what hyper should see.
    ///
    /// Over HTTP/1.1 a client may close its side after sending a request and still wait for the
    /// response, but hyper drops the request as soon as it sees end of file.
    pub(crate) fn note_half_closed(&self) -> HalfClosed {
        if self.is_http2.load(Ordering::Relaxed) {
            return HalfClosed::Tell;
        }
        let is_first = self.half_closed.load(Ordering::Relaxed) == 0;
        if is_first {
            self.half_closed.store(self.clock.now(), Ordering::Relaxed);
        }
        // End of file may arrive together with the request, before hyper has parsed it.
        let is_head_new = is_first && self.head_began.load(Ordering::Relaxed) > 0;
        if self.received.load(Ordering::Relaxed) > 0 {
            HalfClosed::Withhold
        } else if is_head_new {
            HalfClosed::AskAgain
        } else {
            HalfClosed::Tell
        }
    }

    pub(crate) fn note_write(&self) {
        self.wrote.store(self.clock.now(), Ordering::Relaxed);
    }

    /// Records a blocked write. Returns true if the write must fail instead.
    pub(crate) fn note_write_waits(&self, waker: &Waker) -> bool {
        if self.wrote.load(Ordering::Relaxed) & WRITE_WAITS == 0 {
            self.wrote.store(self.clock.now() | WRITE_WAITS, Ordering::Relaxed);
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if !writer.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *writer = Some(waker.clone());
        }
        self.is_cut_off.load(Ordering::Relaxed)
    }

    /// Whether a write has been blocked for too long.
    pub(crate) fn is_write_stalled(&self, limits: &Limits) -> bool {
        let wrote = self.wrote.load(Ordering::Relaxed);
        wrote & WRITE_WAITS != 0 && self.clock.since(wrote & !WRITE_WAITS) > limits.stall_time_max
    }

    /// Fails blocked writes, including those of a connection taken over by another protocol.
    pub(crate) fn cut_off(&self) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_cut_off.store(true, Ordering::Relaxed);
        if let Some(waker) = writer.take() {
            waker.wake();
        }
    }

    /// Whether the client has exceeded a time limit.
    pub(crate) fn has_timed_out(&self, limits: &Limits) -> bool {
        if self.is_write_stalled(limits) {
            return true;
        }
        if self.any_transfer(|transfer| transfer.is_stalled(limits)) {
            return true;
        }
        let half_closed = self.half_closed.load(Ordering::Relaxed);
        if half_closed > 0
            && self.clock.since(half_closed) > limits.half_closed_time_max
            // A client that is receiving its response is still there.
            && !self.any_transfer(|transfer| transfer.is_answer)
        {
            return true;
        }
        // Bodies and executing requests have their own time limits.
        if self.requests.load(Ordering::Relaxed) > 0 {
            return false;
        }
        let began = self.head_began.load(Ordering::Relaxed);
        let is_http2 = self.is_http2.load(Ordering::Relaxed);
        if began > 0 && !is_http2 && self.clock.since(began) > limits.head_time_max {
            return true;
        }
        let idle_since = self.clock.since(self.idle_since.load(Ordering::Relaxed));
        let wrote = self.clock.since(self.wrote.load(Ordering::Relaxed) & !WRITE_WAITS);
        idle_since > limits.idle_time_max && wrote > limits.stall_time_max
    }

    /// Whether a transfer of this client is slow while others are short of room.
    pub(crate) fn is_slow_under_pressure(&self, limits: &Limits, short: Short) -> bool {
        short.is_any()
            && self.any_transfer(|transfer| {
                let is_short = if transfer.is_answer { short.answers } else { short.bodies };
                is_short && transfer.is_slow_under_pressure(limits)
            })
    }

    /// Whether any request on this connection was complete and verified.
    pub(crate) fn has_served(&self) -> bool {
        self.has_served.load(Ordering::Relaxed)
    }

    /// Since when this connection has been evictable; `None` while it is busy.
    pub(crate) fn idle_since(&self) -> Option<u64> {
        // An error response to an unverified request does not count as busy.
        let is_busy = self.executing.load(Ordering::Relaxed) > 0
            || (self.has_served() && self.any_transfer(|transfer| transfer.is_answer));
        (!is_busy).then(|| self.idle_since.load(Ordering::Relaxed))
    }
}

/// For tests: a connection without a sweep.
impl Default for Activity {
    fn default() -> Self {
        Self::new(&CoarseClock::new())
    }
}

/// A connection that another protocol has taken over.
#[derive(Debug)]
pub struct TakenOver(Arc<Activity>);

impl Drop for TakenOver {
    fn drop(&mut self) {
        self.0.idle_since.store(self.0.clock.now(), Ordering::Relaxed);
        self.0.executing.fetch_sub(1, Ordering::Relaxed);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request in progress.
#[derive(Debug)]
pub struct InFlight<'a>(&'a Activity);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.idle_since.store(self.0.clock.now(), Ordering::Relaxed);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What hyper sees when the client closes its sending side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HalfClosed {
    /// End of file.
    Tell,
    /// Nothing until the response is written.
    Withhold,
    /// Nothing yet; poll again at once.
    AskAgain,
}

/// A request that has arrived completely.
#[derive(Debug)]
pub struct Received<'a>(&'a Activity);

impl Drop for Received<'_> {
    fn drop(&mut self) {
        self.0.received.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request being executed.
#[derive(Debug)]
pub struct Executing<'a>(&'a Activity);

impl Drop for Executing<'_> {
    fn drop(&mut self) {
        self.0.idle_since.store(self.0.clock.now(), Ordering::Relaxed);
        self.0.executing.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let seconds = Duration::from_secs;
        Limits {
            head_time_max: seconds(1),
            idle_time_max: seconds(10),
            stall_time_max: seconds(5),
            answer_bytes_per_second_min: 1000,
            pressed_time_max: seconds(1),
            pressed_bytes_per_second_min: 10_000,
            half_closed_time_max: seconds(2),
            ..Limits::default()
        }
    }

    fn activity() -> (Activity, impl Fn(u64)) {
        let clock = CoarseClock::new();
        let activity = Activity::new(&clock);
        (activity, move |seconds| clock.pass(seconds))
    }

    #[test]
    fn an_idle_connection_is_kept_for_a_while() {
        let (activity, pass) = activity();
        pass(10);
        assert!(!activity.has_timed_out(&limits()));
        pass(1);
        assert!(activity.has_timed_out(&limits()));
    }

    #[test]
    fn a_head_must_not_trickle_in() {
        let (activity, pass) = activity();
        activity.note_read(b"POST");
        pass(1);
        activity.note_read(b" /");
        assert!(!activity.has_timed_out(&limits()));
        pass(1);
        assert!(activity.has_timed_out(&limits()));
    }

    #[test]
    fn a_request_in_flight_is_not_cut_off_here() {
        let (activity, pass) = activity();
        activity.note_read(b"POST / ");
        let request = activity.request();
        activity.note_read(b"the body");
        pass(1000);
        assert!(!activity.has_timed_out(&limits()));
        drop(request);
        assert!(!activity.has_timed_out(&limits()));
    }

    #[test]
    fn a_slow_response_is_allowed_while_it_progresses() {
        let (activity, pass) = activity();
        let answer = activity.begin_answer(20_000);
        for _ in 0..6 {
            pass(4);
            activity.note_write();
            answer.note_moved();
            assert!(!activity.has_timed_out(&limits()));
        }
        pass(2);
        assert!(
            activity.has_timed_out(&limits()),
            "but no longer than its bytes take at the minimum rate"
        );
        drop(answer);
        assert!(!activity.any_transfer(|_| true));
    }

    /// A stalled response used to keep its memory as long as other requests came in on the
    /// connection.
    #[test]
    fn a_stalled_response_is_cut_off_while_other_requests_continue() {
        let (activity, pass) = activity();
        let _stalled = activity.begin_answer(1_000_000);
        for _ in 0..5 {
            pass(1);
            activity.note_write();
            let _request = activity.request();
            activity.begin_answer(10).note_moved();
            assert!(!activity.has_timed_out(&limits()));
        }
        let _request = activity.request();
        pass(1);
        assert!(activity.has_timed_out(&limits()));
    }

    #[test]
    fn slow_bodies_are_cut_off_only_while_others_find_no_room() {
        let (activity, pass) = activity();
        let body = activity.begin_body();
        pass(2);
        body.note_received(20_000);
        let bodies = Short { bodies: true, answers: false };
        assert!(!activity.is_slow_under_pressure(&limits(), bodies));
        pass(2);
        assert!(activity.is_slow_under_pressure(&limits(), bodies));
        let answers = Short { bodies: false, answers: true };
        assert!(!activity.is_slow_under_pressure(&limits(), answers), "it holds no answer");
        assert!(!activity.has_timed_out(&limits()));
    }

    #[test]
    fn a_blocked_write_gets_its_full_time() {
        let (activity, pass) = activity();
        let _request = activity.request();
        let waits = || activity.note_write_waits(Waker::noop());
        pass(100);
        assert!(!waits() && !activity.has_timed_out(&limits()));
        pass(5);
        assert!(!waits() && !activity.has_timed_out(&limits()));
        activity.note_write();
        pass(6);
        assert!(!activity.has_timed_out(&limits()), "nothing waits");
        assert!(!waits());
        pass(6);
        assert!(activity.has_timed_out(&limits()));
        activity.cut_off();
        assert!(waits());
    }

    /// A preface that arrived byte by byte made every frame look like the start of a slow head.
    #[test]
    fn http2_is_detected_with_a_fragmented_preface() {
        let (activity, pass) = activity();
        activity.note_read(b"P");
        activity.note_read(b"RI * HTTP/2.0");
        let request = activity.request();
        activity.note_http2();
        drop(request);
        activity.note_read(b"a ping");
        pass(9);
        assert!(!activity.has_timed_out(&limits()));
    }

    #[test]
    fn frames_of_http2_are_no_slow_heads() {
        let (activity, pass) = activity();
        activity.note_read(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        activity.note_read(b"a ping");
        pass(9);
        assert!(!activity.has_timed_out(&limits()));
        pass(2);
        assert!(activity.has_timed_out(&limits()));
    }

    #[test]
    fn a_disconnected_client_has_its_work_cancelled() {
        let (activity, pass) = activity();
        activity.note_read(b"POST / ");
        assert_eq!(activity.note_half_closed(), HalfClosed::AskAgain, "it came with the request");
        let request = activity.request();
        assert_eq!(activity.note_half_closed(), HalfClosed::Tell, "the body was cut short");
        let received = activity.receive();
        assert_eq!(activity.note_half_closed(), HalfClosed::Withhold);
        pass(2);
        assert!(!activity.has_timed_out(&limits()));
        pass(1);
        assert!(activity.has_timed_out(&limits()));
        let answer = activity.begin_answer(1000);
        assert!(!activity.has_timed_out(&limits()), "it takes its answer");
        drop((answer, received, request));
        assert_eq!(activity.note_half_closed(), HalfClosed::Tell);
    }

    #[test]
    fn only_verified_requests_protect_a_connection() {
        let (activity, pass) = activity();
        pass(1);
        // A head without its body does not protect the connection, nor does an unread error
        // response.
        let request = activity.request();
        let error = activity.begin_answer(100);
        assert!(!activity.has_served() && activity.idle_since().is_some());
        drop((request, error));
        let (request, executing) = (activity.request(), activity.execute());
        assert!(activity.has_served() && activity.idle_since().is_none());
        let answer = activity.begin_answer(100);
        drop(executing);
        assert_eq!(activity.idle_since(), None, "its client takes the answer");
        let before = activity.clock.now();
        pass(1);
        drop((answer, request));
        assert!(activity.idle_since() > Some(before));
        let activity = Arc::new(activity);
        let (stream, before) = (activity.take_over(), activity.clock.now());
        pass(1);
        drop(stream);
        assert!(activity.idle_since() > Some(before), "it was in use until now");
    }
}
