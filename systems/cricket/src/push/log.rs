//! The adapter that shows messages instead of sending them.

use super::port::{PushMessage, PushOutcome, PushSender};
use singlet::backend::BoxFuture;

/// Accepts every message. The page "My pushes" shows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSender;

impl PushSender for LogSender {
    fn name(&self) -> &'static str {
        "log"
    }

    fn send<'a>(&'a self, message: &'a PushMessage) -> BoxFuture<'a, PushOutcome> {
        tracing::debug!(
            kind = ?message.kind,
            match_id = %message.match_id,
            priority = message.priority,
            token = message.token.end(),
            "a push was logged"
        );
        Box::pin(std::future::ready(PushOutcome::Delivered))
    }

    fn registers_activities(&self) -> bool {
        true
    }
}
