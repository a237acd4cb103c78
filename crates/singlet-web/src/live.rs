//! Pushes to browsers: Server-Sent Events and WebSockets.
//!
//! [`Live`] follows the change feeds of a system's tables. A function of the system says which
//! [`Push`]es a change means, and to which [`Topic`]s; another one reads the state of a topic. The
//! kit does the rest: a new subscriber gets the state, then every push in the order of the feed. A
//! gap in the numbers sends the state again, a repetition is dropped, and a subscriber that does not
//! read loses its place instead of slowing the others.
//!
//! Numbers come from the data, such as the number of a game's last event, and so mean the same on
//! every server that follows the same data. A client that was away says which number it saw last,
//! and gets what came after it; if the server does not have all of that any more, it gets the state.
//!
//! An [`EventStream`] is a [`Subscription`] as Server-Sent Events. A [`Socket`] is a WebSocket: it
//! writes what its subscription delivers, notices dead connections, and gives what the client sends
//! by [`Socket::next`].

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
