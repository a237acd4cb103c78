//! The operation of a request, from `X-Amz-Target`.

use singlet_dynamo::operation::Request;

/// The target prefixes of the two services behind one endpoint.
const TABLES: &str = "DynamoDB_20120810.";
const STREAMS: &str = "DynamoDBStreams_20120810.";

/// The operations of the streams service. All others belong to the first.
const STREAM_OPERATIONS: &[&str] =
    &["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];

/// The longest operation name that an error message repeats. DynamoDB's longest has 39 letters.
const NAME_LEN_MAX: usize = 64;

/// A supported operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    name: &'static str,
    place: usize,
}

impl Operation {
    /// The number of operations.
    pub(crate) const COUNT: usize = Request::OPERATIONS.len();

    /// All of them, ordered by index.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Request::OPERATIONS.iter().enumerate().map(|(place, name)| Self { name, place })
    }

    /// The operation that a target names, if it is supported.
    pub(crate) fn of_target(target: &[u8]) -> Option<Self> {
        let target = std::str::from_utf8(target).ok()?;
        let (name, is_of_streams) = match target.strip_prefix(TABLES) {
            Some(name) => (name, false),
            None => (target.strip_prefix(STREAMS)?, true),
        };
        let found = Self::all().find(|operation| operation.name == name)?;
        (STREAM_OPERATIONS.contains(&found.name) == is_of_streams).then_some(found)
    }

    /// The operation name in a target of either service, for the error that it is not supported.
    pub(crate) fn unoffered_name(target: &[u8]) -> Option<&str> {
        let target = std::str::from_utf8(target).ok()?;
        let name = target.strip_prefix(TABLES).or_else(|| target.strip_prefix(STREAMS))?;
        let is_name = (1..=NAME_LEN_MAX).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        is_name.then_some(name)
    }

    /// DynamoDB's name for it.
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// Its index among all operations.
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
    fn malformed_targets_have_no_operation() {
        for wrong in ["", "whatever", "PutItem", "DynamoDB_20120810.", "DynamoDB_20111205.PutItem"]
        {
            assert_eq!(name(wrong), None, "{wrong}");
        }
        assert_eq!(name("DynamoDB_20120810.PutItem "), None);
        assert_eq!(Operation::of_target(b"DynamoDB_20120810.\xff"), None);
    }

    #[test]
    fn only_valid_operation_names_are_quoted() {
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
