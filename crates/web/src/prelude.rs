//! What a system needs, in one line: `use singlet_web::prelude::*;`.
//!
//! Routes are made by [`Route`]`::get`, `post` and so on, because `delete` and `put` are operations
//! of the store in `singlet::prelude`.

pub use crate::access::Access;
pub use crate::api::{
    Api, Body, Created, IfMatch, Json, LastEventId, NoContent, Page, Paging, Path, Query, Route,
    Versioned,
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
pub use crate::text::clean_text;
pub use crate::{
    OpenError, Opened, Persona, Resources, Store, System, assets, problems, roles, serve,
};
pub use axum::extract::State;
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use std::time::Duration;
