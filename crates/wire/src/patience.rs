//! How long the endpoint waits for clients.
//!
//! A timer for each request would cost more than much of what requests do. So a connection only
//! notes when it last got somewhere, by a clock that stands still between two looks at all
//! connections, and whoever looks ends those that took too long.

use crate::limits::Limits;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A clock that moves when it is told to. Clones move together.
#[derive(Clone, Debug)]
pub(crate) struct CoarseClock {
    start: Instant,
    /// Since the start, and at least 1: 0 stands for never.
    millis: Arc<AtomicU64>,
}

impl CoarseClock {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), millis: Arc::new(AtomicU64::new(1)) }
    }

    pub(crate) fn advance(&self) {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.millis.store(millis.max(1), Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.millis.load(Ordering::Relaxed)
    }

    fn since(&self, then: u64) -> Duration {
        Duration::from_millis(self.now().saturating_sub(then))
    }
}

/// How a connection is getting on.
#[derive(Debug)]
pub(crate) struct Pulse {
    clock: CoarseClock,
    /// How many of its requests are in flight.
    requests: AtomicU32,
    /// When the head of a request began to arrive; 0 when none does.
    head_began: AtomicU64,
    /// When the last request was answered, or the connection began.
    rested: AtomicU64,
    /// When the client last took something.
    wrote: AtomicU64,
    /// HTTP/2 has frames for other things than requests, so that bytes are no beginning of one.
    is_http2: AtomicBool,
}

impl Pulse {
    pub(crate) fn new(clock: &CoarseClock) -> Self {
        let now = clock.now();
        Self {
            clock: clock.clone(),
            requests: AtomicU32::new(0),
            head_began: AtomicU64::new(0),
            rested: AtomicU64::new(now),
            wrote: AtomicU64::new(now),
            is_http2: AtomicBool::new(false),
        }
    }

    /// A request has begun; it ends when the guard is dropped.
    pub(crate) fn request(&self) -> InFlight<'_> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.head_began.store(0, Ordering::Relaxed);
        InFlight(self)
    }

    fn note_read(&self, bytes: &[u8]) {
        if self.requests.load(Ordering::Relaxed) > 0 || self.head_began.load(Ordering::Relaxed) > 0
        {
            return;
        }
        // The preface of HTTP/2 begins in a way that no method does.
        if bytes.starts_with(b"PRI") {
            self.is_http2.store(true, Ordering::Relaxed);
        } else {
            self.head_began.store(self.clock.now(), Ordering::Relaxed);
        }
    }

    fn note_write(&self) {
        self.wrote.store(self.clock.now(), Ordering::Relaxed);
    }

    /// Whether the client has used up the endpoint's patience.
    pub(crate) fn is_spent(&self, limits: &Limits) -> bool {
        if self.requests.load(Ordering::Relaxed) > 0 {
            return false;
        }
        let began = self.head_began.load(Ordering::Relaxed);
        let is_http2 = self.is_http2.load(Ordering::Relaxed);
        if began > 0 && !is_http2 && self.clock.since(began) > limits.head_time_max {
            return true;
        }
        let rested = self.clock.since(self.rested.load(Ordering::Relaxed));
        let wrote = self.clock.since(self.wrote.load(Ordering::Relaxed));
        rested > limits.answer_time_max
            || (rested > limits.idle_time_max && wrote > limits.stall_time_max)
    }
}

/// A request that is in flight on a connection.
#[derive(Debug)]
pub(crate) struct InFlight<'a>(&'a Pulse);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.rested.store(self.0.clock.now(), Ordering::Relaxed);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A socket that notes when something moves.
#[derive(Debug)]
pub(crate) struct WatchedStream {
    stream: TcpStream,
    pulse: Arc<Pulse>,
}

impl WatchedStream {
    pub(crate) fn new(stream: TcpStream, pulse: Arc<Pulse>) -> Self {
        Self { stream, pulse }
    }

    fn noted<T>(&self, written: Poll<T>) -> Poll<T> {
        if written.is_ready() {
            self.pulse.note_write();
        }
        written
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Some(bytes) = buffer.filled().get(before..).filter(|bytes| !bytes.is_empty()) {
            self.pulse.note_read(bytes);
        }
        read
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.noted(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.noted(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
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
            answer_time_max: seconds(100),
            ..Limits::default()
        }
    }

    fn pulse() -> (Pulse, impl Fn(u64)) {
        let clock = CoarseClock::new();
        let pulse = Pulse::new(&clock);
        (pulse, move |seconds| _ = clock.millis.fetch_add(seconds * 1000, Ordering::Relaxed))
    }

    #[test]
    fn an_idle_connection_is_kept_for_a_while() {
        let (pulse, pass) = pulse();
        pass(10);
        assert!(!pulse.is_spent(&limits()));
        pass(1);
        assert!(pulse.is_spent(&limits()));
    }

    #[test]
    fn a_head_must_not_trickle_in() {
        let (pulse, pass) = pulse();
        pulse.note_read(b"POST");
        pass(1);
        pulse.note_read(b" /");
        assert!(!pulse.is_spent(&limits()));
        pass(1);
        assert!(pulse.is_spent(&limits()));
    }

    #[test]
    fn a_request_in_flight_is_never_cut_off_here() {
        let (pulse, pass) = pulse();
        pulse.note_read(b"POST / ");
        let request = pulse.request();
        pulse.note_read(b"the body");
        pass(1000);
        assert!(!pulse.is_spent(&limits()));
        drop(request);
        assert!(!pulse.is_spent(&limits()));
    }

    #[test]
    fn an_answer_may_take_long_as_long_as_it_moves() {
        let (pulse, pass) = pulse();
        drop(pulse.request());
        for _ in 0..25 {
            pass(4);
            pulse.note_write();
            assert!(!pulse.is_spent(&limits()));
        }
        pass(4);
        assert!(pulse.is_spent(&limits()), "but not for ever");
    }

    #[test]
    fn frames_of_http2_are_no_slow_heads() {
        let (pulse, pass) = pulse();
        pulse.note_read(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        pulse.note_read(b"a ping");
        pass(9);
        assert!(!pulse.is_spent(&limits()));
        pass(2);
        assert!(pulse.is_spent(&limits()));
    }
}
