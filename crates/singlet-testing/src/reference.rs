//! A reference implementation of the engine: tables are lists of items.
//!
//! Every operation filters and sorts all items. It keeps no index rows, encodings or byte ranges:
//! an index is computed on access, and a transaction works on a copy that is dropped if it fails.
//!
//! Validation and table descriptions come from `singlet_dynamo`, which has its own tests.
//! Everything else is implemented again: conditions, updates and projections by
//! [`naive`](crate::naive), key ranges, order, pages, sizes and costs, counts, expiry and stream
//! records.

mod cost;
mod maintenance;
mod read;
mod stream;
mod table;
mod tables;
mod write;

use singlet_dynamo::arn::Home;
use singlet_dynamo::operation::{Answer, DescribeEndpointsAnswer, DescribeLimitsAnswer, Request};
use singlet_dynamo::{Error, Item, Timestamp};
use stream::Stream;
use table::Table;
use write::Token;

/// DynamoDB on plain lists.
///
/// ```
/// use singlet_dynamo::arn::Home;
/// use singlet_dynamo::operation::{Answer, Request};
/// use singlet_dynamo::Timestamp;
/// use singlet_testing::reference::Reference;
///
/// let home = Home { region: "us-east-1".into(), account: "000000000000".into() };
/// let mut reference = Reference::new(home, Timestamp::from_millis(1_767_225_600_000));
/// let mut run = |operation: &str, json: &str| {
///     reference.run(&Request::from_json(operation, json.as_bytes()).unwrap())
/// };
/// let Ok(Answer::ListTables(answer)) = run("ListTables", "{}") else { panic!() };
/// assert!(answer.table_names.is_empty());
/// assert!(run("DescribeTable", r#"{"TableName": "games"}"#).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Reference {
    tables: Vec<Table>,
    streams: Vec<Stream>,
    tokens: Vec<Token>,
    home: Home,
    now: Timestamp,
    /// All stream records ever created.
    record_count: u128,
    /// All streams ever created.
    stream_count: u32,
    /// The keys of the rows that the next Scan reads, in order.
    scan_order: Option<Vec<Item>>,
}

impl Reference {
    /// An empty reference at this time.
    #[must_use]
    pub fn new(home: Home, now: Timestamp) -> Self {
        Self {
            tables: Vec::new(),
            streams: Vec::new(),
            tokens: Vec::new(),
            home,
            now,
            record_count: 0,
            stream_count: 0,
            scan_order: None,
        }
    }

    /// Advances the clock.
    pub fn advance(&mut self, millis: i64) {
        self.now = Timestamp::from_millis(self.now.as_millis() + millis);
    }

    /// Sets the rows that a Scan reads and their order, by their keys as in `LastEvaluatedKey`. The
    /// order of partitions and the segment of an item are the engine's choice; everything else
    /// about a Scan follows from them. The default is all rows in key order.
    pub fn set_scan_order(&mut self, keys: Option<Vec<Item>>) {
        self.scan_order = keys;
    }

    /// Executes a request.
    pub fn run(&mut self, request: &Request) -> Result<Answer, Error> {
        Ok(match request {
            Request::CreateTable(request) => self.create_table(request)?.into(),
            Request::UpdateTable(request) => self.update_table(request)?.into(),
            Request::DeleteTable(request) => self.delete_table(request)?.into(),
            Request::DescribeTable(request) => self.describe_table(request)?.into(),
            Request::ListTables(request) => self.list_tables(request).into(),
            Request::UpdateTimeToLive(request) => self.update_time_to_live(request)?.into(),
            Request::DescribeTimeToLive(request) => self.describe_time_to_live(request)?.into(),
            Request::TagResource(request) => self.tag_resource(request)?.into(),
            Request::UntagResource(request) => self.untag_resource(request)?.into(),
            Request::ListTagsOfResource(request) => self.list_tags(request)?.into(),
            Request::GetItem(request) => self.get_item(request)?.into(),
            Request::BatchGetItem(request) => self.batch_get_item(request)?.into(),
            Request::TransactGetItems(request) => self.transact_get_items(request)?.into(),
            Request::Query(request) => self.query(request)?.into(),
            Request::Scan(request) => self.scan(request)?.into(),
            Request::PutItem(request) => self.put_item(request)?.into(),
            Request::UpdateItem(request) => self.update_item(request)?.into(),
            Request::DeleteItem(request) => self.delete_item(request)?.into(),
            Request::BatchWriteItem(request) => self.batch_write_item(request)?.into(),
            Request::TransactWriteItems(request) => self.transact_write_items(request)?.into(),
            Request::ListStreams(request) => self.list_streams(request).into(),
            Request::DescribeStream(request) => self.describe_stream(request)?.into(),
            Request::GetShardIterator(request) => self.get_shard_iterator(request)?.into(),
            Request::GetRecords(request) => self.get_records(request)?.into(),
            Request::DescribeLimits(_) => DescribeLimitsAnswer::default().into(),
            Request::DescribeEndpoints(_) => self.describe_endpoints().into(),
        })
    }

    fn describe_endpoints(&self) -> DescribeEndpointsAnswer {
        DescribeEndpointsAnswer { address: format!("dynamodb.{}.amazonaws.com", self.home.region) }
    }
}
