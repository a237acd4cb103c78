//! Changes of a table, as entities.

use crate::backend::{Feed, FeedEvent};
use crate::db::Db;
use crate::error::Result;
use crate::marker::Marker;
use crate::table::{Contains, Declaration, Table};
use singlet_dynamo::stored::StoredItem;
use std::marker::PhantomData;

/// What happened to an item of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<I> {
    /// An item was created, changed or deleted.
    Item {
        /// What it was, if it was there.
        old: Option<I>,
        /// What it is, if it is there.
        new: Option<I>,
        /// Whether it was deleted because its time had come.
        is_expiry: bool,
    },
    /// Changes were lost, because this listener did not keep up: read the current state, and go on
    /// from there.
    FellBehind {
        /// How many, if that is known.
        missed: Option<u64>,
    },
}

/// Changes of a table, one after the other; see [`Db::changes`].
pub struct Changes<T> {
    feed: Box<dyn Feed>,
    table: Marker<T>,
}

impl<T: Table> Db<T> {
    /// Every change of the table's items from now on, as entities.
    ///
    /// ```
    /// use singlet::Change;
    /// use singlet::prelude::*;
    ///
    /// id!(Code);
    ///
    /// #[table(name = "games", key = (code), entities(Game))]
    /// pub struct Games;
    ///
    /// #[derive(Entity)]
    /// #[entity(Games, key = ("{code}"))]
    /// pub struct Game {
    ///     pub code: Code,
    ///     pub turn: u32,
    /// }
    ///
    /// # singlet::block_on(async {
    /// let db = Db::<Games>::memory().await?;
    /// let mut changes = db.changes().await?;
    /// let code = Code::new("ABC123")?;
    /// db.run(create(&Game { code: code.clone(), turn: 0 })).await?;
    /// db.run(update(Game::key(&code)).add(Game::turn, 1)).await?;
    ///
    /// let mut turns = Vec::new();
    /// while turns.len() < 2 {
    ///     if let Some(Change::Item { new: Some(GamesItem::Game(game)), .. }) = changes.next().await? {
    ///         turns.push(game.turn);
    ///     }
    /// }
    /// assert_eq!(turns, [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn changes(&self) -> Result<Changes<T>> {
        self.changes_of().await
    }
}

impl<D: Declaration> Db<D> {
    /// Every change of the items of one of the design's tables from now on, as entities.
    pub async fn changes_of<T: Table>(&self) -> Result<Changes<T>>
    where
        D: Contains<T>,
    {
        let feed = self.backend().changes(self.table_name::<T>()).await?;
        Ok(Changes { feed, table: PhantomData })
    }
}

impl<T: Table> Changes<T> {
    /// The next change; `None` when nothing can come any more. Items that are of none of the
    /// table's entities are passed over.
    pub async fn next(&mut self) -> Result<Option<Change<T::Item>>> {
        loop {
            let event = match self.feed.next().await {
                None => return Ok(None),
                Some(event) => event?,
            };
            let (old, new, is_expiry) = match event {
                FeedEvent::FellBehind { missed } => return Ok(Some(Change::FellBehind { missed })),
                FeedEvent::Change { old, new, is_expiry } => (old, new, is_expiry),
            };
            let read = |item: Option<StoredItem>| match item {
                Some(item) => T::decode(item.as_item()),
                None => Ok(None),
            };
            let (old, new) = (read(old)?, read(new)?);
            if old.is_some() || new.is_some() {
                return Ok(Some(Change::Item { old, new, is_expiry }));
            }
        }
    }
}
