//! Why the server ends a stream.

/// Why the server ends a stream: sent as the close code and reason of a WebSocket, or in the final
/// `end` event of Server-Sent Events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// There is nothing more to send.
    Done,
    /// The server is shutting down. Reconnect in a moment.
    Stopping,
    /// The client sent a message that is not text.
    NotText,
    /// The client exceeded the message rate.
    TooManyMessages,
    /// The client sent a message that is too large.
    MessageTooLarge,
    /// Reading the topic's state, or checking access to it, failed. Reconnect.
    Failed,
    /// The client did not read fast enough. Reconnect to get the state.
    TooSlow,
    /// The topic was deleted, or has expired.
    TopicEnded,
    /// Nothing came from the client for 15 seconds.
    Silent,
    /// The caller's token has expired. Reconnect with a new one.
    TokenExpired,
    /// The caller may no longer watch the topic.
    Forbidden,
}

impl CloseReason {
    /// The WebSocket close code; application codes start at 4000 (RFC 6455).
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::Done => 1000,
            Self::Stopping => 1001,
            Self::NotText => 1003,
            Self::TooManyMessages => 1008,
            Self::MessageTooLarge => 1009,
            Self::Failed => 1011,
            Self::TooSlow => 1013,
            Self::TopicEnded => 4000,
            Self::Silent => 4001,
            Self::TokenExpired => 4002,
            Self::Forbidden => 4003,
        }
    }

    /// The reason as text, for logs.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Stopping => "the server stops",
            Self::NotText => "messages must be text in UTF-8",
            Self::TooManyMessages => "too many messages",
            Self::MessageTooLarge => "the message is too large",
            Self::Failed => "the server failed: connect again",
            Self::TooSlow => "the client reads too slowly: connect again",
            Self::TopicEnded => "what was watched is gone",
            Self::Silent => "nothing was heard from the client",
            Self::TokenExpired => "the token has expired: sign in again",
            Self::Forbidden => "you may no longer watch this",
        }
    }
}
