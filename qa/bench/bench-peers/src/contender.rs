//! Contenders and tasks.

/// A measured operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Get,
    /// Like `Get`, and converts the answer to a map if it is not one.
    GetMap,
    Query,
    /// Like `Query`, and converts the items to maps if they are not.
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

/// A store of items.
pub(crate) trait Contender: Sync {
    /// A request in the library's own form.
    type Request: Send;

    /// Puts items numbered from zero.
    fn fill(&self, items: u64);

    /// Prepares a request for an item before the clock starts.
    fn prepare(&self, task: Task, number: u64, version: u32) -> Self::Request;

    /// The measured part, including dropping the answer.
    fn carry_out(&self, request: Self::Request);
}
