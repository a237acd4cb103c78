//! Pushes to browsers over WebSockets.
//!
//! A [`Hub`] has topics, and followers of topics. Whoever watches a change feed publishes to the
//! hub; each follower has a queue of its own, with a bound, and one that does not keep up loses
//! its place instead of slowing the others. Pushes are numbered by what they tell about, such as
//! the number of a game's move. So a client that was away says which it saw last, and gets those
//! after it if the hub still has them; if not, it gets the present state. The numbers come from the
//! data and not from the hub, so they mean the same in every process that follows the same data.
//!
//! A [`Socket`] is one browser's connection. It writes what its [`Subscriber`] receives, keeps the
//! connection alive and notices when it is dead; what the browser sends comes out of
//! [`Socket::next`].

mod handshake;
mod hub;
mod socket;

pub use handshake::{SwitchingProtocols, WebSocketUpgrade};
pub use hub::{Hub, Published, Subscriber};
pub use socket::{CloseReason, Socket};

pub use tokio_tungstenite::tungstenite::Utf8Bytes as Text;
