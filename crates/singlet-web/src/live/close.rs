//! Why the server ends a stream.

/// Why the server ends a stream. A WebSocket is closed with the code and the text; Server-Sent
/// Events end with an event `end` that has both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// There is nothing more to send.
    Done,
    /// The server stops. Connect again in a moment.
    Stopping,
    /// The client sent a message that is not text.
    NotText,
    /// The client sent more messages than it may.
    TooManyMessages,
    /// The client sent a message that is too large.
    MessageTooLarge,
    /// The server failed to read the state of the topic, or to check the right to it. Connect again.
    Failed,
    /// The client did not read fast enough. Connect again, and get the state.
    TooSlow,
    /// The topic was deleted, or has expired.
    TopicEnded,
    /// Nothing came from the client for 15 seconds.
    Silent,
    /// The caller's token is no longer accepted. Connect again with another one.
    TokenExpired,
    /// The caller may no longer watch the topic.
    Forbidden,
}

impl CloseReason {
    /// The close code of RFC 6455; from 4000 on those of our own.
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

    /// The text for people who read logs.
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
