//! Refusals in other words.

use super::{Explains, Rule};
use crate::difference::{Difference, Exchange};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "A table that is not there",
        is_rare: false,
        explains: Explains::Words(&[(
            "ResourceNotFoundException: Requested resource not found*",
            "ResourceNotFoundException: Cannot do operations on a non-existent table",
        )]),
    },
    Rule {
        name: "A key that does not fit the table",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: The provided key element does not match the schema",
                "ValidationException: The number of conditions on the keys is invalid",
            ),
            (
                "ValidationException: The provided key element does not match the schema",
                "ValidationException: Invalid attribute value type",
            ),
            (
                "ValidationException: The provided key element does not match the schema",
                "ValidationException: One or more parameter values were invalid: Type mismatch for key",
            ),
            (
                "ValidationException: The provided key element does not match the schema",
                "ValidationException: One of the required keys was not given a value",
            ),
            (
                "ValidationException: The provided key element does not match the schema",
                "ValidationException: The list of keys in RequestItems for BatchGetItem may not contain null or empty values: * has one or more empty keys",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Missing the key * in the item",
                "ValidationException: One of the required keys was not given a value",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Type mismatch for key * expected: * actual: *",
                "ValidationException: One or more parameter values were invalid: Type mismatch for key",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Type mismatch for key * expected: * actual: *",
                "ValidationException: Invalid attribute value type",
            ),
        ]),
    },
    Rule {
        name: "An index key that does not fit",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: One or more parameter values are not valid. A value specified for a secondary index key is not supported. * IndexName: *, IndexKey: *",
                "ValidationException: One or more parameter values are not valid. A value specified for a secondary index key is not supported. * IndexName: *, IndexKey: *",
            ),
            (
                "ValidationException: One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. *",
                "ValidationException: One or more parameter values are not valid. A value specified for a secondary index key is not supported. *",
            ),
            (
                "ValidationException: The update expression attempted to update the secondary index key to unsupported type",
                "ValidationException: Invalid attribute value type",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key * Expected: * Actual: * IndexName: *",
                "ValidationException: Type mismatch for attribute to update",
            ),
            (
                "ValidationException: The update expression attempted to update the secondary index key to unsupported type",
                "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key * Expected: * Actual: * IndexName: *",
                "ValidationException: Updates on index keys must be of the same data type as the key attribute",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key * Expected: * Actual: * IndexName: *",
                "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key * Expected: * Actual: * IndexName: *",
                "ValidationException: Invalid attribute value type",
            ),
        ]),
    },
    Rule {
        name: "A starting key that does not fit",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: The provided starting key is invalid: The provided key element does not match the schema",
                "ValidationException: The provided starting key is invalid",
            ),
            (
                // A scan looks at what it is to return before it looks at the table's part of the key.
                "ValidationException: One or more parameter values were invalid: Global secondary index * does not project [*]",
                "ValidationException: Type mismatch for attribute to update",
            ),
            (
                "ValidationException: One or more parameter values are not valid. *",
                "ValidationException: The provided starting key is invalid: One or more parameter values are not valid. *",
            ),
            (
                "ValidationException: The provided starting key is invalid*",
                "ValidationException: Exclusive Start Key must have same size as table's key schema",
            ),
            (
                "ValidationException: The provided starting key is invalid: Supplied AttributeValue *",
                "ValidationException: Supplied AttributeValue *",
            ),
            (
                "ValidationException: The provided starting key is invalid*",
                "ValidationException: Type mismatch for attribute to update",
            ),
            (
                "ValidationException: The provided key element does not match the schema",
                "ValidationException: Type mismatch for attribute to update",
            ),
            (
                "ValidationException: The provided starting key is outside query boundaries based on provided conditions",
                "ValidationException: The provided starting key does not match the range key predicate",
            ),
            (
                "ValidationException: The query can return at most one row and cannot be restarted",
                "ValidationException: The provided starting key does not match the range key predicate",
            ),
            (
                "ValidationException: One or more parameter values are not valid. *",
                "ValidationException: The query can return at most one row and cannot be restarted. The provided starting key is invalid: One or more parameter values are not valid. *",
            ),
        ]),
    },
    Rule {
        name: "Keys that are too long",
        is_rare: true,
        explains: Explains::Words(&[
            (
                "ValidationException: One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
                "ValidationException: One or more parameter values were invalid: Size limit exceeded",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
                "ValidationException: One or more parameter values were invalid: Size limit exceeded",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
                "ValidationException: Hash primary key values must be under 2048 bytes, and range primary key values must be under 1024 bytes",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
                "ValidationException: Hash primary key values must be under 2048 bytes, and range primary key values must be under 1024 bytes",
            ),
        ]),
    },
    Rule {
        name: "Text that is no number",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: *The parameter cannot be converted to a numeric value*",
                "ValidationException: *A value provided cannot be converted into a number*",
            ),
            (
                "ValidationException: *Attempting to store more than 38 significant digits in a Number*",
                "ValidationException: *DynamoDB only supports precision up to 38 digits*",
            ),
        ]),
    },
    Rule {
        name: "Sets with duplicates",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: *One or more parameter values were invalid: Input collection [*] contains duplicates.*",
                "ValidationException: *One or more parameter values were invalid: Input collection [*] contains duplicates*",
            ),
            (
                "ValidationException: *One or more parameter values were invalid: Input collection [*]of type BS contains duplicates.*",
                "ValidationException: *One or more parameter values were invalid: Input collection of type BS contains duplicates.*",
            ),
        ]),
    },
    Rule {
        name: "Values that are null",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: *Supplied AttributeValue is empty, must contain exactly one of the supported datatypes*",
                "ValidationException: *The supplied Item contains a null AttributeValue*",
            ),
            (
                "ValidationException: *One or more parameter values were invalid: An number set may not have a null string as a member*",
                "ValidationException: *A value provided cannot be converted into a number*",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Value must be provided when Exists is null for Attribute: *",
                "ValidationException: One or more parameter values were invalid: ExpectedAttributeValue must not be null for Attribute: *",
            ),
        ]),
    },
    Rule {
        name: "Types that an action does not take",
        is_rare: true,
        explains: Explains::Words(&[
            (
                "ValidationException: One or more parameter values were invalid: ADD action is not supported for the type *",
                "ValidationException: One or more parameter values were invalid: ADD action is not supported for the type *",
            ),
            (
                "ValidationException: One or more parameter values were invalid: DELETE action with value is not supported for the type *",
                "ValidationException: One or more parameter values were invalid: DELETE action with value is not supported for the type *",
            ),
        ]),
    },
    Rule {
        name: "Bytes are shown as Java objects, and numbers as they came",
        is_rare: true,
        explains: Explains::Words(&[
            (
                "ValidationException: Invalid *: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:*}, upper bound operand: AttributeValue: {N:*}",
                "ValidationException: Invalid *: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:*}, upper bound operand: AttributeValue: {N:*}",
            ),
            (
                "ValidationException: Invalid *: The BETWEEN operator requires same data type for lower and upper bounds; *{N:*",
                "ValidationException: Invalid *: The BETWEEN operator requires same data type for lower and upper bounds; *{N:*",
            ),
            (
                "ValidationException: Invalid *: The BETWEEN operator requires same data type for lower and upper bounds; *{B:*",
                "ValidationException: Invalid *: The BETWEEN operator requires same data type for lower and upper bounds; *{B:java.nio.HeapByteBuffer[*",
            ),
            (
                "ValidationException: Invalid *: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {B:*}, upper bound operand: AttributeValue: {B:*}",
                "ValidationException: Invalid *: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[*]}, upper bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[*]}",
            ),
        ]),
    },
    Rule {
        name: "A parameter that is required",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: The parameter '*' is required but was not present in the request",
                "InvalidParameterValue: * was null",
            ),
            (
                "ValidationException: The parameter 'TableName' is required but was not present in the request",
                "ValidationException: Invalid table/index name.  Table/index names must be between 3 and 255 characters long, *",
            ),
            (
                "ValidationException: The requestItems parameter is required for BatchWriteItem",
                "ValidationException: BatchWriteItem cannot have a null or no requests set",
            ),
            (
                "ValidationException: The parameter '*' is required but was not present in the request",
                "ValidationException: Value null at '*' failed to satisfy constraint: Member must not be null",
            ),
            (
                "ValidationException: The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
                "ValidationException: If total segments is specified, a particular segment must also be specified for this request",
            ),
            (
                "ValidationException: The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
                "ValidationException: If segment is specified, total segment must also be specified",
            ),
            (
                "ValidationException: The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: * is not less than TotalSegments: *",
                "ValidationException: 1 validation error detected: Value '*' at 'segment' failed to satisfy constraint: Member must have value less than or equal to *",
            ),
        ]),
    },
    Rule {
        name: "An index that is not there",
        is_rare: true,
        explains: Explains::Words(&[(
            "ResourceNotFoundException: Requested resource not found: Index * for table *",
            "ResourceNotFoundException: Requested resource not found",
        )]),
    },
    Rule {
        name: "What an update cannot do, told in another order",
        is_rare: false,
        explains: Explains::When(update_faults),
    },
    Rule {
        name: "What an index does not project, in another order",
        is_rare: true,
        explains: Explains::When(not_projected),
    },
    Rule { name: "Paths that overlap", is_rare: false, explains: Explains::When(overlap) },
    Rule {
        name: "An update of nothing",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, * is required",
            "ValidationException: Nothing to update",
        )]),
    },
    Rule {
        name: "Schemas that cannot be",
        is_rare: false,
        explains: Explains::Words(&[
            (
                "ValidationException: One or more parameter values were invalid: ProjectionType is *, but NonKeyAttributes is specified",
                "ValidationException: No attributes should be specified to be projected unless projection type is INCLUDE",
            ),
            (
                "ValidationException: One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
                "ValidationException: *",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Duplicate index name: *",
                "ValidationException: Two * secondary indices have the same name",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Duplicate index name: *",
                "ValidationException: Local Secondary Indices AND Global Secondary Indices must have different names",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Attributes cannot be redefined. *",
                "ValidationException: invalid attribute, SchemaElement redefined should be of same type as previously defined",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Duplicate element in NonKeyAttributes: *",
                "ValidationException: Cannot have two attributes with the same name",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
                "ValidationException: Local Secondary indices are not allowed on hash tables, only hash and range tables",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Unknown ProjectionType: null",
                "ValidationException: Indexes must have a projection specified",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. *",
                "ValidationException: No Attribute Schema Defined",
            ),
            (
                "ValidationException: One or more parameter values were invalid: AttributeDefinitions is not specified for index: *",
                "ValidationException: No Attribute Schema Defined",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
                "ValidationException: The number of attributes in key schema must match the number of attributes defined in attribute definitions.",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [*], AttributeDefinitions: [*]",
                "ValidationException: Attribute * is not defined in AttributeDefinitions",
            ),
            (
                "ValidationException: Attribute Name is duplicated: *",
                "ValidationException: Cannot have two attributes with the same name",
            ),
            (
                "ValidationException: Both the Hash Key and the Range Key element in the KeySchema have the same name",
                "ValidationException: Two keys can not have the same name",
            ),
            (
                "ValidationException: Invalid KeySchema: Some index key attribute have no definition",
                "ValidationException: Two keys can not have the same name",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Index KeySchema does not have a range key for index: *",
                "ValidationException: Local secondary indices must have a range key",
            ),
            (
                "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
                "ValidationException: Invalid key order. Hash Key must be specified first in key schema, Range Key must be specifed second",
            ),
            (
                "ValidationException: One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
                "ValidationException: No provisioned throughput specified for the *",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: [*], keys used: [*]",
                "ValidationException: The number of attributes in key schema must match the number of attributes defined in attribute definitions.",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [*], AttributeDefinitions: [*]",
                "ValidationException: * Key not specified in Attribute Definitions.  Type unknown.",
            ),
            (
                "ResourceInUseException: Table already exists: *",
                "ResourceInUseException: Cannot create preexisting table",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Only one global secondary index update per index is allowed simultaneously. Index: *",
                "ValidationException: Only one global secondary index update per index is allowed simultaneously.",
            ),
            (
                "ValidationException: One or more parameter values were invalid: ProvisionedThroughput is not specified for index: *",
                "ValidationException: No provisioned throughput specified for the global secondary index",
            ),
            (
                "ValidationException: One or more parameter values were invalid: List of GlobalSecondaryIndexes is empty",
                "ValidationException: GSI list is empty/invalid",
            ),
            (
                "ValidationException: One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null",
                "ValidationException: Update global secondary index action is null",
            ),
            (
                "ValidationException: Invalid KeySchema: Some index key attribute have no definition",
                "ValidationException: Range Key not specified in Attribute Definitions.  Type unknown.",
            ),
            (
                "ValidationException: Invalid KeySchema: Some index key attribute have no definition",
                "ValidationException: No Attribute Schema Defined",
            ),
            (
                "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
                "ValidationException: No Hash Key specified in schema.  All Dynamo DB tables must have exactly one hash key",
            ),
        ]),
    },
    Rule {
        name: "Expressions that are too long",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: Invalid *: Expression size has exceeded the maximum allowed size; expression size: *",
            "ValidationException: Invalid *: Expression size has exceeded the maximum allowed size;",
        )]),
    },
    Rule {
        name: "Key conditions that cannot be",
        is_rare: true,
        explains: Explains::Words(&[
            (
                "ValidationException: Attempted conditional constraint is not an indexable operation",
                "ValidationException: Query key condition not supported",
            ),
            (
                "ValidationException: Query condition missed key schema element: *",
                "ValidationException: Query condition missed key schema element",
            ),
            (
                "ValidationException: Conditions can be of length 1 or 2 only",
                "ValidationException: Conditions must be at least length 1",
            ),
        ]),
    },
    Rule {
        name: "Expressions that are empty",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: Invalid *: The expression can not be empty;",
            "ValidationException: ExpressionAttribute* can only be specified when using expressions: * is null",
        )]),
    },
    Rule {
        name: "Values of several types in one old condition",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of same type",
            "ValidationException: One or more parameter values were invalid: ComparisonOperator * is not valid for * AttributeValue type",
        )]),
    },
    Rule {
        name: "Attributes to get that are named twice",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: One or more parameter values were invalid: Duplicate value in attribute name: *",
            "ValidationException: Cannot have two attributes with the same name",
        )]),
    },
    Rule {
        name: "Streams and their views",
        is_rare: true,
        explains: Explains::Words(&[
            (
                "ValidationException: One or more parameter values were invalid: Table is being created with a stream disabled, UpdateViewType should not be specified",
                "ValidationException: Invalid StreamViewType: Stream StreamEnabled was false but a StreamViewType was present.",
            ),
            (
                "ValidationException: One or more parameter values were invalid: Table is being created with a stream enabled, UpdateViewType is required",
                "ValidationException: Invalid StreamViewType: Stream ViewType must not be null or empty when enabling streams.",
            ),
            (
                "ValidationException: One or more parameter values were invalid: If stream is being enabled then UpdateViewType is required",
                "ValidationException: Invalid StreamViewType: Stream ViewType must not be null or empty when enabling streams.",
            ),
        ]),
    },
    Rule {
        name: "Values that nest too deep",
        is_rare: true,
        explains: Explains::Words(&[
            (
                "ValidationException: Nesting Levels have exceeded supported limits: *",
                "ValidationException: ExpressionAttributeValues contains invalid value: Nesting Levels have exceeded supported limits: * for key *",
            ),
            (
                "ValidationException: Nesting Levels have exceeded supported limits: *",
                "ValidationException: Nesting Levels have exceeded supported limits",
            ),
        ]),
    },
    Rule {
        name: "Sums that no number can be",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: Number overflow. Attempting to store a number with magnitude larger than supported range",
            "ValidationException: DynamoDB only supports precision up to 38 digits",
        )]),
    },
    Rule {
        name: "ReturnValues that an operation does not have",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: ReturnValues can only be ALL_OLD or NONE",
            "ValidationException: Return values set to invalid value",
        )]),
    },
    Rule {
        name: "Which attribute tells the time to live",
        is_rare: true,
        explains: Explains::Words(&[(
            "ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is *",
            "ValidationException: TimeToLive is active on a different AttributeName",
        )]),
    },
];

/// What is wrong with an update once the item is known.
const UPDATE_FAULTS: &[&str] = &[
    "The document path provided in the update expression is invalid for update",
    "The provided expression refers to an attribute that does not exist in the item",
    "An operand in the update expression has an incorrect data type",
    "Number overflow. Attempting to store a number with magnitude larger than supported range",
    "DynamoDB only supports precision up to 38 digits",
];

/// Whether these are faults that one update can have.
pub(super) fn are_update_faults(ours: &str, local: &str) -> bool {
    UPDATE_FAULTS.contains(&ours) && UPDATE_FAULTS.contains(&local)
}

/// Whether this is a fault that shows when an update meets its item.
pub(super) fn is_update_fault(message: &str) -> bool {
    UPDATE_FAULTS.contains(&message)
}

/// An update with several faults: which one is told first is not documented.
fn update_faults(exchange: &Exchange, difference: &Difference) -> bool {
    let (Some(ours), Some(local)) = (exchange.ours.refusal(), exchange.local.refusal()) else {
        return false;
    };
    let actions = exchange.request["UpdateExpression"].as_str().map_or(0, |update| {
        1 + update.matches(',').count()
            + update.matches(" SET ").count()
            + update.matches(" REMOVE ").count()
            + update.matches(" ADD ").count()
            + update.matches(" DELETE ").count()
    });
    exchange.operation == "UpdateItem"
        && *difference == Difference::Verdict
        && ours.code == local.code
        && are_update_faults(&ours.message, &local.message)
        && actions > 1
}

/// The same attributes, listed as a hash set has them.
fn not_projected(exchange: &Exchange, difference: &Difference) -> bool {
    let (Some(ours), Some(local)) = (exchange.ours.refusal(), exchange.local.refusal()) else {
        return false;
    };
    let parts = |message: &str| {
        let (words, names) = message.strip_suffix(']')?.rsplit_once(" [")?;
        let mut names: Vec<String> = names.split(", ").map(str::to_owned).collect();
        names.sort();
        words.contains("does not project").then(|| (words.to_owned(), names))
    };
    *difference == Difference::Verdict
        && ours.code == local.code
        && parts(&ours.message).is_some()
        && parts(&ours.message) == parts(&local.message)
}

/// Local names two of the paths, but not always those that overlap.
fn overlap(exchange: &Exchange, difference: &Difference) -> bool {
    let (Some(ours), Some(local)) = (exchange.ours.refusal(), exchange.local.refusal()) else {
        return false;
    };
    let parts = |message: &str| {
        let (words, paths) = message.split_once("Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [")?;
        let (one, two) = paths.strip_suffix(']')?.split_once("], path two: [")?;
        Some((words.to_owned(), one.to_owned(), two.to_owned()))
    };
    let (Some(ours), Some(local)) = (parts(&ours.message), parts(&local.message)) else {
        return false;
    };
    let is_within = |inner: &str, outer: &str| {
        inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(", "))
    };
    *difference == Difference::Verdict
        && ours.0 == local.0
        && (is_within(&ours.1, &ours.2) || is_within(&ours.2, &ours.1))
}
