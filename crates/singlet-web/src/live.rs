//! Pushes to browsers: Server-Sent Events and WebSockets.
//!
//! [`Live`] follows the change feeds of a system's tables. The system maps each change to
//! [`Push`]es on [`Topic`]s and supplies a function that reads a topic's state. A new subscriber
//! gets the state, then every push in feed order. A gap in the numbers resends the state,
//! duplicates are dropped, and a subscriber that falls behind is disconnected.
//!
//! Push numbers come from the data (such as the number of a game's last event), so they mean the
//! same on every server. A client that reconnects sends the last number it saw and gets the events
//! after it, or the state if they are no longer buffered.
//!
//! [`EventStream`] serves a [`Subscription`] as Server-Sent Events, [`Socket`] over a WebSocket.

mod close;
mod feed;
mod hub;
mod push;
mod socket;
mod sse;
mod subscription;
mod upgrade;

pub use close::CloseReason;
pub use feed::{ItemChange, Live, LiveFigures};
pub use push::{Event, Push, Topic, TopicState};
pub use socket::Socket;
pub use sse::EventStream;
pub use subscription::Subscription;
pub use upgrade::{SwitchingProtocols, WebSocketUpgrade};

pub use tokio_tungstenite::tungstenite::Utf8Bytes as Text;
