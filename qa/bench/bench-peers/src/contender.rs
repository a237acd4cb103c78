//! What a contender can do, and which tasks there are.

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Get,
    /// Like `Get`, and the answer is made into a map if it is none yet.
    GetMap,
    Query,
    /// Like `Query`, and the items are made into maps if they are none yet.
    QueryMaps,
    Put,
    Update,
    Transact,
}

impl Task {
    pub(crate) const ALL: [Self; 7] = [
        Self::Get,
        Self::GetMap,
        Self::Query,
        Self::QueryMaps,
        Self::Put,
        Self::Update,
        Self::Transact,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Get => "GetItem",
            Self::GetMap => "GetItem, as a map",
            Self::Query => "Query of 10",
            Self::QueryMaps => "Query of 10, as maps",
            Self::Put => "PutItem",
            Self::Update => "UpdateItem",
            Self::Transact => "TransactWriteItems of 2",
        }
    }
}

/// Somebody who keeps items.
pub(crate) trait Contender: Sync {
    /// A request as the library's own function takes it.
    type Request: Send;

    /// Puts the items with the numbers from zero on.
    fn fill(&self, items: u64);

    /// A request for the item of this number. Made before the clock starts.
    fn prepare(&self, task: Task, number: u64, version: u32) -> Self::Request;

    /// What the clock measures, up to and with dropping the answer.
    fn carry_out(&self, request: Self::Request);
}
