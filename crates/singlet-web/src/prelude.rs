//! Common imports of a system.
//!
//! `delete` and `put` are store operations in `singlet::prelude`, so use [`Route::get`],
//! [`Route::delete`] and so on for routes.

pub use crate::access::Access;
pub use crate::api::{
    Api, Body, Change, Created, CreatedOrFound, IfMatch, Json, LastEventId, NoContent, Page,
    Paging, Path, Query, RawBody, RawKind, Route, Versioned,
};
pub use crate::demo::{Demo, DemoError};
pub use crate::identity::Caller;
pub use crate::job::{Job, JobError, JobRun, Next};
pub use crate::live::{
    EventStream, ItemChange, Live, Push, Socket, SwitchingProtocols, Topic, TopicState,
    WebSocketUpgrade,
};
pub use crate::problem::{ApiError, Problem};
pub use crate::random::Random;
pub use crate::text::{CleanText, DisplayName, Name, clean_text};
pub use crate::validate::FieldLocation;
pub use crate::{OpenError, Opened, Persona, Resources, Store, System, serve};
pub use crate::{assets, forward, inputs, problems, roles, views};
pub use axum::extract::State;
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use std::time::Duration;
