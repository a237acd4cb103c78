//! The sorted maps of a store.

/// One of the sorted maps of a store. A commit is atomic over all of them.
///
/// The set is fixed, because each keyspace is a table of the file format. The engine's tables share
/// a keyspace and differ by key prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Keyspace {
    /// Metadata: tables, their schemas, counts.
    Catalogue = 0,
    /// The items of all tables.
    Items = 1,
    /// The rows of all secondary indexes.
    Indexes = 2,
    /// Items that expire, by time.
    Expiry = 3,
    /// The records of all streams, in order.
    Streams = 4,
    /// Tokens of recent transactions.
    Tokens = 5,
}

impl Keyspace {
    /// The number of keyspaces.
    pub const COUNT: usize = 6;

    /// All keyspaces, by number.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Catalogue, Self::Items, Self::Indexes, Self::Expiry, Self::Streams, Self::Tokens];

    /// The keyspace's number in the file format. It never changes.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The name of this keyspace's table on disk.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Catalogue => "catalogue",
            Self::Items => "items",
            Self::Indexes => "indexes",
            Self::Expiry => "expiry",
            Self::Streams => "streams",
            Self::Tokens => "tokens",
        }
    }
}

/// One `T` for each keyspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerKeyspace<T>([T; Keyspace::COUNT]);

impl<T> PerKeyspace<T> {
    pub(crate) fn from_fn(mut make: impl FnMut(Keyspace) -> T) -> Self {
        Self(Keyspace::ALL.map(&mut make))
    }

    pub(crate) fn get(&self, keyspace: Keyspace) -> &T {
        let [catalogue, items, indexes, expiry, streams, tokens] = &self.0;
        match keyspace {
            Keyspace::Catalogue => catalogue,
            Keyspace::Items => items,
            Keyspace::Indexes => indexes,
            Keyspace::Expiry => expiry,
            Keyspace::Streams => streams,
            Keyspace::Tokens => tokens,
        }
    }

    pub(crate) fn get_mut(&mut self, keyspace: Keyspace) -> &mut T {
        let [catalogue, items, indexes, expiry, streams, tokens] = &mut self.0;
        match keyspace {
            Keyspace::Catalogue => catalogue,
            Keyspace::Items => items,
            Keyspace::Indexes => indexes,
            Keyspace::Expiry => expiry,
            Keyspace::Streams => streams,
            Keyspace::Tokens => tokens,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Keyspace, &T)> {
        Keyspace::ALL.into_iter().zip(&self.0)
    }
}
