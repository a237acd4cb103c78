//! Shutdown signals.

use crate::failure::Failure;
use std::future::poll_fn;
use std::task::Poll;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Receives the signals sent after it was created.
pub(crate) struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    pub(crate) fn listen() -> Result<Self, Failure> {
        let deaf = |error| {
            Failure::new(
                format_args!("cannot listen for signals: {error}"),
                "Check the limit for open files (ulimit -n).",
            )
        };
        let terminate = signal(SignalKind::terminate()).map_err(deaf)?;
        let interrupt = signal(SignalKind::interrupt()).map_err(deaf)?;
        Ok(Self { terminate, interrupt })
    }

    /// Waits for either signal.
    pub(crate) async fn asked(mut self) {
        poll_fn(|context| {
            let is_asked = self.terminate.poll_recv(context).is_ready()
                || self.interrupt.poll_recv(context).is_ready();
            if is_asked { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        tracing::info!("stopping after the requests in flight");
    }
}
