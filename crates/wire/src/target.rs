//! Which operation a request asks for: the header `X-Amz-Target`.

use singlet_dynamo::operation::Request;

/// The two services that live behind one endpoint, and the prefixes that name them.
const TABLES: &str = "DynamoDB_20120810.";
const STREAMS: &str = "DynamoDBStreams_20120810.";

/// The operations of the second service. All others belong to the first.
const STREAM_OPERATIONS: &[&str] =
    &["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];

/// The operation that a target names, if there is one.
pub(crate) fn operation(target: &[u8]) -> Option<&'static str> {
    let target = std::str::from_utf8(target).ok()?;
    if let Some(name) = target.strip_prefix(TABLES) {
        let known = Request::OPERATIONS.iter().find(|known| **known == name)?;
        (!STREAM_OPERATIONS.contains(known)).then_some(known)
    } else {
        let name = target.strip_prefix(STREAMS)?;
        STREAM_OPERATIONS.iter().find(|known| **known == name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_belongs_to_one_service() {
        assert_eq!(operation(b"DynamoDB_20120810.PutItem"), Some("PutItem"));
        assert_eq!(operation(b"DynamoDBStreams_20120810.GetRecords"), Some("GetRecords"));
        assert_eq!(operation(b"DynamoDBStreams_20120810.PutItem"), None);
        assert_eq!(operation(b"DynamoDB_20120810.GetRecords"), None);
        for name in Request::OPERATIONS {
            let homes = [TABLES, STREAMS]
                .iter()
                .filter(|service| operation(format!("{service}{name}").as_bytes()).is_some());
            assert_eq!(homes.count(), 1, "{name}");
        }
    }

    #[test]
    fn what_is_not_quite_a_target_is_none() {
        for wrong in ["", "whatever", "PutItem", "DynamoDB_20120810.", "DynamoDB_20111205.PutItem"]
        {
            assert_eq!(operation(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(operation(b"DynamoDB_20120810.PutItem "), None);
        assert_eq!(operation(b"DynamoDB_20120810.\xff"), None);
    }
}
