//! Which operation a request asks for: the header `X-Amz-Target`.

use singlet_dynamo::operation::Request;

/// The two services that live behind one endpoint, and the prefixes that name them.
const TABLES: &str = "DynamoDB_20120810.";
const STREAMS: &str = "DynamoDBStreams_20120810.";

/// The operations of the second service. All others belong to the first.
const STREAM_OPERATIONS: &[&str] =
    &["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];

/// How long the name of an operation may be to be repeated to whoever sent it. DynamoDB's longest
/// has 39 letters.
const NAME_LEN_MAX: usize = 64;

/// An operation that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    name: &'static str,
    place: usize,
}

impl Operation {
    /// How many operations there are.
    pub(crate) const COUNT: usize = Request::OPERATIONS.len();

    /// All of them, in the order of their places.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Request::OPERATIONS.iter().enumerate().map(|(place, name)| Self { name, place })
    }

    /// The operation that a target names, if there is one.
    pub(crate) fn of_target(target: &[u8]) -> Option<Self> {
        let target = std::str::from_utf8(target).ok()?;
        let (name, is_of_streams) = match target.strip_prefix(TABLES) {
            Some(name) => (name, false),
            None => (target.strip_prefix(STREAMS)?, true),
        };
        let found = Self::all().find(|operation| operation.name == name)?;
        (STREAM_OPERATIONS.contains(&found.name) == is_of_streams).then_some(found)
    }

    /// The name in a target of one of the two services, if it can be one: for saying that there is
    /// no such operation here.
    pub(crate) fn unoffered_name(target: &[u8]) -> Option<&str> {
        let target = std::str::from_utf8(target).ok()?;
        let name = target.strip_prefix(TABLES).or_else(|| target.strip_prefix(STREAMS))?;
        let is_name = (1..=NAME_LEN_MAX).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        is_name.then_some(name)
    }

    /// What DynamoDB calls it.
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// Its place among all operations.
    pub(crate) fn place(self) -> usize {
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(target: &str) -> Option<&'static str> {
        Operation::of_target(target.as_bytes()).map(Operation::name)
    }

    #[test]
    fn each_operation_belongs_to_one_service() {
        assert_eq!(name("DynamoDB_20120810.PutItem"), Some("PutItem"));
        assert_eq!(name("DynamoDBStreams_20120810.GetRecords"), Some("GetRecords"));
        assert_eq!(name("DynamoDBStreams_20120810.PutItem"), None);
        assert_eq!(name("DynamoDB_20120810.GetRecords"), None);
        for operation in Request::OPERATIONS {
            let homes = [TABLES, STREAMS]
                .iter()
                .filter(|service| name(&format!("{service}{operation}")).is_some());
            assert_eq!(homes.count(), 1, "{operation}");
        }
    }

    #[test]
    fn what_is_not_quite_a_target_is_none() {
        for wrong in ["", "whatever", "PutItem", "DynamoDB_20120810.", "DynamoDB_20111205.PutItem"]
        {
            assert_eq!(name(wrong), None, "{wrong}");
        }
        assert_eq!(name("DynamoDB_20120810.PutItem "), None);
        assert_eq!(Operation::of_target(b"DynamoDB_20120810.\xff"), None);
    }

    #[test]
    fn only_what_looks_like_a_name_is_repeated() {
        let repeated =
            |target: &str| Operation::unoffered_name(target.as_bytes()).map(str::to_owned);
        assert_eq!(
            repeated("DynamoDB_20120810.ExecuteStatement").as_deref(),
            Some("ExecuteStatement")
        );
        assert_eq!(repeated("DynamoDB_20120810."), None);
        assert_eq!(repeated("DynamoDB_20120810.<script>"), None);
        assert_eq!(repeated("Kinesis_20131202.PutRecord"), None);
        assert_eq!(repeated(&format!("DynamoDB_20120810.{}", "a".repeat(65))), None);
    }
}
