//! Single-table designs for DynamoDB: declared once, checked, documented, and run anywhere.
//!
//! A design lists tables and indexes, the entities stored in them and their keys, and the access
//! patterns of the application. It usually lives in a document and again in code. Here you write it
//! once: as Rust types, or as plain data.
//!
//! ```
//! use singlet::prelude::*;
//!
//! id!(Code, PlayerId); // text that cannot contain `#`
//!
//! #[table(name = "snakes-{env}", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)),
//!         entities(Game, Player))]
//! pub struct Snakes;
//!
//! #[derive(Entity, Debug)]
//! #[entity(Snakes, key = ("GAME#{code}", "METADATA"), GSI1 newest = ("GAMES", "{created_at}"))]
//! pub struct Game {
//!     pub code: Code,
//!     pub turn: u32,
//!     #[attribute(created)]
//!     pub created_at: Timestamp,
//! }
//!
//! #[derive(Entity, Debug)]
//! #[entity(Snakes, key = ("GAME#{code}", "PLAYER#{id}"))]
//! pub struct Player {
//!     pub code: Code,
//!     pub id: PlayerId,
//!     pub position: u32,
//! }
//!
//! # singlet::block_on(async {
//! let db = Db::<Snakes>::memory().await?;
//! let (code, me) = (Code::new("ABC123")?, PlayerId::new("ada")?);
//!
//! let game = Game { code: code.clone(), turn: 0, created_at: db.now() };
//! let player = Player { code: code.clone(), id: me.clone(), position: 0 };
//! db.transact((create(&game), create(&player))).await?;
//!
//! db.transact((
//!     update(Game::key(&code)).add(Game::TURN, 1).only_if(Game::TURN.eq(0)),
//!     update(Player::key(&code, &me)).set(Player::POSITION, 5),
//! ))
//! .await?;
//!
//! let newest = db.query(Game::newest().descending().limit(20)).page(None).await?;
//! assert_eq!(newest.items[0].turn, 1);
//! let players = db.query(Player::of(&code)).all().await?;
//! assert_eq!(players[0].position, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```
//!
//! These mistakes do not compile: a query that no key or index serves, a collection across
//! partitions, two entities whose keys can collide, a template with an unknown field or with a
//! number that does not sort as text, setting part of a primary key, or setting a field in a way
//! that leaves an index key stale.
//!
//! From declarations to a running program:
//!
//! - [`table`](macro@table), [`Entity`], [`Collection`], [`Projection`], [`Attribute`], [`id!`] and
//!   [`design!`] declare a design. [`shape`] holds the declarations as data, [`check`] the
//!   compile-time checks, [`key`] the building blocks of keys.
//! - [`Field`] and [`Condition`], [`operation`], [`Query`] and [`Scan`] describe requests.
//! - [`Db`] runs them on a [`backend`].
//! - [`mod@design`] is a design as plain data, which can also come from a JSON file.

extern crate self as singlet;

mod attempt;
pub mod attribute;
pub mod backend;
mod batch;
mod block_on;
pub mod check;
pub mod collection;
mod condition;
mod cursor;
mod date;
mod db;
mod declared;
pub mod design;
mod entity;
mod error;
mod feed;
pub mod field;
mod get;
mod inspect;
pub mod item;
mod join;
pub mod key;
pub mod lambda;
mod marker;
pub mod operation;
mod page;
mod projection;
mod provision;
pub mod query;
mod retry;
pub mod scan;
#[cfg(feature = "schemars")]
mod schema;
#[cfg(feature = "aws-sdk")]
pub mod sdk;
pub mod shape;
mod source;
mod subject;
pub mod table;
mod timestamp;
mod together;
mod trace;
pub mod transaction;
mod yielding;

pub use attempt::{Attempts, Retryable};
pub use attribute::{Attribute, Bytes};
pub use batch::{Batch, Keys};
pub use block_on::block_on;
pub use collection::Collection;
pub use condition::{Condition, Size};
pub use cursor::{Cursor, CursorKey};
pub use date::{Date, ParseDateError};
pub use db::{Db, Run, Settings};
pub use entity::Entity;
pub use error::{Error, Result};
pub use feed::{Change, Changes, Position};
pub use field::Field;
pub use get::Get;
pub use inspect::Inspect;
pub use item::Corrupt;
pub use key::{IdError, Key, KeyPart};
pub use page::{Items, Page, Reading};
pub use projection::Projection;
pub use provision::{Difference, DifferenceKind, LackingItems, Provision, Provisioning};
pub use query::Query;
pub use scan::Scan;
pub use singlet_dynamo as dynamo;
pub use singlet_engine as engine;
pub use singlet_engine::Clock;
pub use singlet_macros::{Attribute, Collection, Entity, Projection, table};
pub use subject::Subject;
pub use table::{Declaration, Table};
pub use timestamp::{Expiry, ParseTimestampError, Timestamp};
pub use together::Together;
pub use yielding::yield_now;

#[cfg(feature = "schemars")]
#[doc(hidden)]
pub use schemars;
#[doc(hidden)]
pub use serde;

/// The imports that declarations and calling code usually need.
pub mod prelude {
    pub use crate::inspect::Inspect as _;
    pub use crate::operation::{Operation as _, check, create, delete, put, update, upsert};
    pub use crate::transaction::once;
    pub use crate::{
        Attribute, Bytes, Collection, Condition, Cursor, Date, Db, Declaration, Entity, Expiry,
        Key, Keys, Projection, Scan, Table, Timestamp, design, id, table,
    };
}

/// Doctests for the code in pages of the documentation.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../tests/pages/declarations.md")]
    struct Declarations;
    #[doc = include_str!("../tests/pages/inspection.md")]
    struct Inspection;
    #[doc = include_str!("../tests/pages/change-feed.md")]
    struct ChangeFeed;
    #[doc = include_str!("../../../docs/from-electrodb.md")]
    struct FromElectroDb;
    #[doc = include_str!("../../../docs/from-the-sdk.md")]
    struct FromTheSdk;
}
