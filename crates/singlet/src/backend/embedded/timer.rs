//! Sleeping without an asynchronous runtime.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

/// Wakes sleeping tasks from one background thread, which exits when no task sleeps.
#[derive(Clone, Default)]
pub(super) struct Timer {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// By due time, earliest on top.
    alarms: BinaryHeap<Reverse<Alarm>>,
    is_running: bool,
}

struct Alarm {
    due: Instant,
    rang: Arc<Bell>,
}

#[derive(Default)]
struct Bell {
    has_rung: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

/// No code panics while it holds these locks, so a poisoned lock is still valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Timer {
    /// Sleeps for this duration.
    pub(super) async fn after(&self, duration: Duration) {
        let bell = Arc::new(Bell::default());
        let alarm = Alarm { due: Instant::now() + duration, rang: Arc::clone(&bell) };
        if !self.set(alarm) {
            // The thread could not be spawned, so block this one.
            std::thread::sleep(duration);
            return;
        }
        poll_fn(|context| {
            *lock(&bell.waker) = Some(context.waker().clone());
            match bell.has_rung.load(Ordering::Acquire) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    }

    /// Schedules the alarm; false if there is no thread to ring it.
    fn set(&self, alarm: Alarm) -> bool {
        let mut state = lock(&self.shared.state);
        if !state.is_running {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("singlet-timer".to_owned());
            state.is_running = thread.spawn(move || shared.ring_all()).is_ok();
        }
        if state.is_running {
            state.alarms.push(Reverse(alarm));
            self.shared.changed.notify_one();
        }
        state.is_running
    }
}

impl Shared {
    /// Rings due alarms until none are left.
    fn ring_all(&self) {
        let mut state = lock(&self.state);
        while let Some(Reverse(next)) = state.alarms.peek() {
            let left = next.due.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                let waited = self.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else if let Some(Reverse(alarm)) = state.alarms.pop() {
                alarm.rang.has_rung.store(true, Ordering::Release);
                if let Some(waker) = lock(&alarm.rang.waker).take() {
                    waker.wake();
                }
            }
        }
        state.is_running = false;
    }
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Alarm {}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.due.cmp(&other.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Wake};
    use std::thread::Thread;

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    fn wait(timer: &Timer, duration: Duration) -> Duration {
        let start = Instant::now();
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut future = pin!(timer.after(duration));
        while future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            std::thread::park();
        }
        start.elapsed()
    }

    #[test]
    fn everybody_is_woken_in_time_and_the_thread_ends() {
        let timer = Timer::default();
        std::thread::scope(|scope| {
            for millis in [30, 1, 15] {
                let timer = &timer;
                scope.spawn(move || {
                    let wanted = Duration::from_millis(millis);
                    assert!(wait(timer, wanted) >= wanted);
                });
            }
        });
        // The thread exits once no task sleeps; a later sleep starts another one.
        assert!(wait(&timer, Duration::from_millis(1)) >= Duration::from_millis(1));
    }
}
