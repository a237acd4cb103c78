//! Pushes to phones: a port, and two adapters.
//!
//! - `port`: a message, the outcome of sending it, and the adapter that shows messages instead of
//!   sending them, which is the default. `payload`: the JSON of a message.
//! - `outbox`: sent messages, in memory, for the page "My pushes".
//! - `apns`: the adapter for Apple's push service; `provider_token`: its credentials.

mod apns;
mod outbox;
mod payload;
mod port;
mod provider_token;

pub use apns::{Apns, ApnsOptions};
pub(crate) use outbox::topic as pushes_topic;
pub use outbox::{Message, Outbox};
pub use payload::{
    PAYLOAD_BYTES_MAX, alert_payload, alert_text, end_payload, fit, start_payload, update_payload,
};
pub use port::{LogSender, PushKind, PushMessage, PushOutcome, PushSender};
pub use provider_token::ProviderKey;
