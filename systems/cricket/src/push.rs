//! What is sent to phones: a port, and two adapters.
//!
//! - `port`: a message, and what came of sending it. `payload`: what a message says.
//! - `outbox`: what was sent, kept in memory for the page "My pushes".
//! - `log`: the adapter that shows messages instead of sending them. The default.
//! - `apns`: the adapter for Apple's push service; `provider_token`: what it signs in with.

mod apns;
mod log;
mod outbox;
mod payload;
mod port;
mod provider_token;

pub use apns::{Apns, ApnsOptions};
pub use log::LogSender;
pub use outbox::{Listener, Message, Outbox};
pub use payload::{
    PAYLOAD_BYTES_MAX, alert_payload, alert_text, end_payload, fit, start_payload, update_payload,
};
pub use port::{PushKind, PushMessage, PushOutcome, PushSender};
pub use provider_token::{ProviderKey, ProviderKeyError};
