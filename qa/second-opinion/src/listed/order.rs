//! Requests with several mistakes: which one is told.
//!
//! The service looks at a request in stages, and the cases in crates/singlet-dynamo/tests/cases were
//! recorded in this order. Local does so too, but mixes some of them.

use super::{Explains, Rule, fits};
use crate::difference::{Difference, Exchange};
use crate::outcome::Refusal;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "Of several mistakes, the first one is told",
    is_rare: false,
    explains: Explains::When(is_earlier),
}];

/// What refusals say, by the stage at which they are found: parameters that do not go together,
/// values, placeholders, expressions, the table, its schema, the item.
const STAGES: &[&[&str]] = &[
    &[
        "ValidationException: Can not use both expression and non-expression parameters in the same request: *",
    ],
    &[
        "ValidationException: ReturnValues can only be *",
        "ValidationException: Return values set to invalid value",
        "ValidationException: *can be used only when Querying using an IndexName",
        "ValidationException: Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        "ValidationException: Cannot specify the *",
        "ValidationException: The *Segment* parameter is *",
        "ValidationException: One or more parameter values were invalid: Duplicate value in attribute name: *",
        "ValidationException: One or more parameter values were invalid: List of * is empty",
        "ValidationException: One or more parameter values were invalid: * action with value is not supported for the type *",
        "ValidationException: One or more parameter values were invalid: * action is not supported for the type *",
        "ValidationException: One or more parameter values were invalid: Only DELETE action is allowed when no attribute value is specified",
        "ValidationException: One or more parameter values were invalid: ComparisonOperator * is not valid for * AttributeValue type",
        "ValidationException: One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of same type",
        "ValidationException: One or more parameter values were invalid: Invalid number of argument(s) for the * ComparisonOperator",
        "ValidationException: Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
        "ValidationException: The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
        "ValidationException: ExpressionAttribute* can only be specified when using expressions*",
    ],
    &[
        "ValidationException: The parameter cannot be converted to a numeric value*",
        "ValidationException: A value provided cannot be converted into a number",
        "ValidationException: Attempting to store more than 38 significant digits in a Number",
        "ValidationException: Number underflow. *",
        "ValidationException: Number overflow. *",
        "ValidationException: Supplied AttributeValue *",
        "ValidationException: One or more parameter values were invalid: An * set * may not be empty",
        "ValidationException: One or more parameter values were invalid: * sets should not be empty",
        "ValidationException: One or more parameter values were invalid: An * set may not have a null string as a member",
        "ValidationException: One or more parameter values were invalid: Input collection *",
        "ValidationException: Input collection contains duplicates",
        "ValidationException: One or more parameter values were invalid: Null attribute value types must have the value of true",
        "ValidationException: Nesting Levels have exceeded supported limits*",
        "ValidationException: Empty attribute name",
        "ValidationException: Item size has exceeded the maximum allowed size",
    ],
    &[
        "ValidationException: ExpressionAttributeNames contains invalid *",
        "ValidationException: ExpressionAttributeNames must not be empty",
    ],
    &[
        "ValidationException: ExpressionAttributeValues contains invalid *",
        "ValidationException: ExpressionAttributeValues must not be empty",
    ],
    &[
        "ValidationException: Invalid UpdateExpression: *",
        "ValidationException: Invalid KeyConditionExpression: *",
    ],
    &[
        "ValidationException: Invalid ConditionExpression: *",
        "ValidationException: Invalid FilterExpression: *",
    ],
    &["ValidationException: Invalid ProjectionExpression: *"],
    &[
        "ValidationException: Value provided in ExpressionAttribute* unused in expressions: keys: {*}",
    ],
    &[
        "ValidationException: The number of attributes in key schema must match the number of attributes defined in attribute definitions.",
        "ValidationException: Transaction request cannot include multiple operations on one item",
        "ValidationException: Attempted conditional constraint is not an indexable operation",
        "ValidationException: Conditions can be of length 1 or 2 only",
        "ValidationException: Conditions must be at least length 1",
        "ValidationException: Provided list of item keys contains duplicates",
    ],
    &[
        "ResourceNotFoundException: *",
        "ValidationException: The table does not have the specified index: *",
    ],
    &[
        "ValidationException: The provided key element does not match the schema",
        "ValidationException: The number of conditions on the keys is invalid",
        "ValidationException: Invalid attribute value type",
        "ValidationException: Type mismatch for attribute to update",
        "ValidationException: One of the required keys was not given a value",
        "ValidationException: Hash primary key values must be under 2048 bytes, *",
        "ValidationException: One or more parameter values were invalid: Type mismatch for *",
        "ValidationException: One or more parameter values were invalid: Condition parameter type does not match schema type",
        "ValidationException: One or more parameter values were invalid: Aggregated size of all range keys has exceeded *",
        "ValidationException: One or more parameter values were invalid: Size of hashkey has exceeded *",
        "ValidationException: One or more parameter values were invalid: Cannot update attribute *",
        "ValidationException: One or more parameter values are not valid. *",
        "ValidationException: The provided starting key *",
        "ValidationException: Exclusive Start Key must have same size as table's key schema",
        "ValidationException: The query can return at most one row and cannot be restarted",
        "ValidationException: Query key condition not supported",
        "ValidationException: Query condition missed key schema element*",
    ],
    &[
        "ValidationException: Filter Expression can only contain non-primary key attributes: *",
        "ValidationException: QueryFilter can only contain non-primary key attributes: *",
    ],
    &[
        "ValidationException: One or more parameter values were invalid: Global secondary index * does not project [*]",
    ],
    &[
        "ValidationException: One or more parameter values were invalid: Secondary index * does not project one or more filter attributes: [*]",
    ],
    &[
        "ConditionalCheckFailedException: *",
        "TransactionCanceledException: *",
        "IdempotentParameterMismatchException: *",
        "ValidationException: The document path provided in the update expression is invalid for update",
        "ValidationException: The provided expression refers to an attribute that does not exist in the item",
        "ValidationException: An operand in the update expression has an incorrect data type",
        "ValidationException: DynamoDB only supports precision up to 38 digits",
    ],
];

/// The stage of a refusal; that of a transaction's is the first of those of its reasons.
fn stage(refusal: &Refusal) -> Option<usize> {
    let reasons = refusal.details["CancellationReasons"].as_array();
    let invalid =
        reasons.into_iter().flatten().filter(|reason| reason["Code"] == "ValidationError");
    let stages = invalid.map(|reason| {
        stage_of(&format!(
            "ValidationException: {}",
            reason["Message"].as_str().unwrap_or_default()
        ))
    });
    let own = stage_of(&format!("{}: {}", refusal.code, refusal.message));
    stages.chain([own]).min().flatten()
}

fn stage_of(text: &str) -> Option<usize> {
    STAGES.iter().position(|patterns| patterns.iter().any(|pattern| fits(pattern, text)))
}

/// Whether we tell of a mistake that comes before the one that Local tells of.
fn is_earlier(exchange: &Exchange, difference: &Difference) -> bool {
    let (Some(ours), Some(local)) = (exchange.ours.refusal(), exchange.local.refusal()) else {
        return false;
    };
    *difference == Difference::Verdict
        && matches!((stage(ours), stage(local)), (Some(ours), Some(local)) if ours < local)
}
