//! Changes of a table, as entities.

use crate::backend::{Feed, FeedEvent};
use crate::db::Db;
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::item::{Corrupt, OnCorrupt, recognizes};
use crate::marker::Marker;
use crate::shape::EntityShape;
use crate::table::{Contains, Declaration, Table};
use singlet_dynamo::stored::StoredItem;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

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
    on_corrupt: OnCorrupt,
    /// The number of unreadable images that were skipped.
    skipped: u64,
    /// Entities whose changes are passed over.
    ignored: Vec<&'static EntityShape>,
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
    /// db.run(update(Game::key(&code)).add(Game::TURN, 1)).await?;
    ///
    /// let mut turns = Vec::new();
    /// while turns.len() < 2 {
    ///     if let Some(Change::Item { new: Some(GamesItem::Game(game)), .. }) = changes.next().await.transpose()? {
    ///         turns.push(game.turn);
    ///     }
    /// }
    /// assert_eq!(turns, [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn changes(&self) -> Result<Changes<T>> {
        self.changes_of().await
    }

    /// Every change of the table's items from a position on, which [`Changes::position`] gave
    /// before, in this process or in another one.
    ///
    /// Nothing is left out: what happened after the position comes at least once, that of one item
    /// in its order. A consumer that stores the position after it has worked on a change, and is
    /// killed in between, sees that change again.
    ///
    /// It reads the table's stream, so the table has to be declared with `stream`. A stream keeps
    /// what happened for a day.
    ///
    /// ```
    /// use singlet::prelude::*;
    /// use singlet::{Change, Position};
    ///
    /// id!(Code);
    ///
    /// #[table(name = "games", key = (code), stream, entities(Game))]
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
    /// let stored: String = db.changes().await?.position()?.to_string();
    ///
    /// // Nobody listens to this.
    /// db.run(create(&Game { code: Code::new("ABC123")?, turn: 7 })).await?;
    ///
    /// let position: Position = stored.parse()?;
    /// let mut changes = db.changes_from(&position).await?;
    /// let change = changes.next().await.transpose()?;
    /// assert!(matches!(change, Some(Change::Item { new: Some(GamesItem::Game(_)), .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoStream`] if the table has no stream with both images,
    /// [`Error::PositionExpired`] if what came after the position is no longer in the stream, and
    /// [`Error::Position`] if it is one of another table or of another kind of backend.
    pub async fn changes_from(&self, position: &Position) -> Result<Changes<T>> {
        self.changes_of_from(position).await
    }
}

impl<D: Declaration> Db<D> {
    /// Every change of the items of one of the design's tables from now on, as entities.
    pub async fn changes_of<T: Table>(&self) -> Result<Changes<T>>
    where
        D: Contains<T>,
    {
        let feed = self.backend().changes(self.table_name::<T>()).await?;
        Ok(Changes::new(feed))
    }

    /// Every change of the items of one of the design's tables from a position on; see
    /// [`changes_from`](Db::changes_from).
    pub async fn changes_of_from<T: Table>(&self, position: &Position) -> Result<Changes<T>>
    where
        D: Contains<T>,
    {
        let feed = self.backend().changes_from(self.table_name::<T>(), &position.0).await?;
        Ok(Changes::new(feed))
    }
}

/// A position among the changes of a table, as text to be stored: see [`Db::changes_from`].
///
/// The text has no form that a program may rely on. On DynamoDB it has about a hundred bytes for
/// each partition of the table.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position(String);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.0)
    }
}

impl FromStr for Position {
    type Err = Error;

    /// Reads the text of a position. Whether it is one of the table is seen when it is used.
    fn from_str(text: &str) -> Result<Self> {
        let is_position = !text.is_empty() && text.chars().all(|one| one.is_ascii_graphic());
        is_position.then(|| Self(text.to_owned())).ok_or(Error::Position)
    }
}

impl<T: Table> Changes<T> {
    fn new(feed: Box<dyn Feed>) -> Self {
        Self {
            feed,
            on_corrupt: OnCorrupt::Fail,
            skipped: 0,
            ignored: Vec::new(),
            table: PhantomData,
        }
    }

    /// Skips changes whose new image is not what its entity says, instead of failing. If only the
    /// old image is wrong, the change comes without it. The first, second, fourth, eighth … such
    /// image is logged by `tracing` as a warning, with the item's key and their number so far.
    pub fn skip_corrupt(mut self) -> Self {
        self.on_corrupt = OnCorrupt::Skip;
        self
    }

    /// Passes over changes of this entity's items, before they are decoded.
    ///
    /// A consumer that stores its [`position`](Self::position) in the table it listens to needs it:
    /// storing the position is a change of the table, after which the next position would be
    /// stored, without end.
    ///
    /// ```
    /// use singlet::Change;
    /// use singlet::prelude::*;
    ///
    /// id!(Code, Consumer);
    ///
    /// #[table(name = "games", key = (PK), stream, entities(Game, Bookmark))]
    /// pub struct Games;
    ///
    /// #[derive(Entity)]
    /// #[entity(Games, key = ("GAME#{code}"))]
    /// pub struct Game {
    ///     pub code: Code,
    ///     pub turn: u32,
    /// }
    ///
    /// /// How far a consumer has read the feed.
    /// #[derive(Entity)]
    /// #[entity(Games, key = ("CONSUMER#{consumer}"))]
    /// pub struct Bookmark {
    ///     pub consumer: Consumer,
    ///     pub position: String,
    /// }
    ///
    /// # singlet::block_on(async {
    /// let db = Db::<Games>::memory().await?;
    /// let mut changes = db.changes().await?.ignoring::<Bookmark>();
    /// let mut turns = Vec::new();
    /// for turn in [7, 8] {
    ///     db.run(put(&Game { code: Code::new("ABC123")?, turn })).await?;
    ///     let change = changes.next().await.transpose()?;
    ///     if let Some(Change::Item { new: Some(GamesItem::Game(game)), .. }) = change {
    ///         turns.push(game.turn);
    ///     }
    ///     let position = changes.position()?.to_string();
    ///     db.run(put(&Bookmark { consumer: Consumer::new("turns")?, position })).await?;
    /// }
    /// assert_eq!(turns, [7, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn ignoring<E: Entity<Table = T>>(mut self) -> Self {
        self.ignored.push(&E::SHAPE);
        self
    }

    /// The position behind the last change that [`next`](Self::next) gave or failed at; before the
    /// first one, the position at which this began. [`Db::changes_from`] goes on from there.
    ///
    /// # Errors
    ///
    /// [`Error::NoStream`] if the table has no stream, which only the embedded engine tells of
    /// without one.
    pub fn position(&self) -> Result<Position> {
        Ok(Position(self.feed.position()?))
    }

    /// The next change; `None` when nothing can come any more. Items that are of none of the
    /// table's entities are passed over.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if an image is not what its entity says. The position is behind that
    /// change then: the next call gives the change after it. With
    /// [`skip_corrupt`](Self::skip_corrupt) such changes are skipped.
    pub async fn next(&mut self) -> Option<Result<Change<T::Item>>> {
        loop {
            let event = self.feed.next().await?;
            match event.map_err(Error::from).and_then(|event| self.read(event)) {
                Ok(None) => {}
                Ok(Some(change)) => return Some(Ok(change)),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Decodes an event; `None` for items of no entity, and for ignored and skipped ones.
    fn read(&mut self, event: FeedEvent) -> Result<Option<Change<T::Item>>> {
        let (old, new, is_expiry) = match event {
            FeedEvent::FellBehind { missed } => return Ok(Some(Change::FellBehind { missed })),
            FeedEvent::Change { old, new, is_expiry } => (old, new, is_expiry),
        };
        if self.ignores(old.as_ref(), new.as_ref()) {
            return Ok(None);
        }
        // An item that cannot be read must not look like one that was deleted.
        let (old, Some(new)) = (self.read_image(old)?.flatten(), self.read_image(new)?) else {
            return Ok(None);
        };
        let is_of_an_entity = old.is_some() || new.is_some();
        Ok(is_of_an_entity.then_some(Change::Item { old, new, is_expiry }))
    }

    /// Reads an image; `None` if it is skipped.
    fn read_image(&mut self, item: Option<StoredItem>) -> Result<Option<Option<T::Item>>, Corrupt> {
        let Some(item) = item else { return Ok(Some(None)) };
        match T::decode(item.as_item()) {
            Err(corrupt) if self.on_corrupt == OnCorrupt::Skip => {
                self.skipped += 1;
                if self.skipped.is_power_of_two() {
                    let count = self.skipped;
                    tracing::warn!("skipped {count} unreadable images so far; the last: {corrupt}");
                }
                Ok(None)
            }
            read => read.map(Some),
        }
    }

    /// Whether all images are of ignored entities: with a shared key, an item can become another
    /// entity's.
    fn ignores(&self, old: Option<&StoredItem>, new: Option<&StoredItem>) -> bool {
        let is_ignored = |item: &StoredItem| {
            let mut ignored = self.ignored.iter();
            ignored.any(|entity| recognizes(entity, T::SHAPE, item.as_item()))
        };
        !self.ignored.is_empty() && old.into_iter().chain(new).all(is_ignored)
    }
}

impl<T: Table> fmt::Debug for Changes<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Changes");
        shown.field("table", &T::SHAPE.name).field("on_corrupt", &self.on_corrupt);
        if let Ok(position) = self.position() {
            shown.field("position", &position);
        }
        shown.finish_non_exhaustive()
    }
}
