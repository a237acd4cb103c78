//! Writes requests as JSON, for clients.
//!
//! Every name and value of an expression is written as a placeholder, so reserved words do not
//! matter. Members with their default value are left out.

mod table;

use super::parameter::ReturnValues;
use super::read::Selection;
use super::{
    BatchGetItem, BatchWriteItem, ConditionCheck, DeleteItem, DeleteTable, DescribeTable,
    DescribeTimeToLive, GetItem, PutItem, Query, Request, Scan, TransactGetItems,
    TransactWriteItem, TransactWriteItems, UpdateItem,
};
use crate::capacity::ReturnConsumedCapacity;
use crate::expression::{Condition, Printer, Projection, Update};
use crate::json::{Object, Writer};
use std::fmt;

impl Request {
    /// The request body as JSON; `None` for requests about tags, limits and streams, which no
    /// client needs yet.
    ///
    /// ```
    /// use singlet_dynamo::operation::{GetItem, Request};
    /// use singlet_dynamo::{Item, Value};
    ///
    /// let get = GetItem::new("games", Item::from([("PK", Value::from("GAME#1"))]));
    /// let json = Request::from(get).to_json().unwrap();
    /// assert_eq!(json, r#"{"TableName":"games","Key":{"PK":{"S":"GAME#1"}}}"#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        let mut writer = Writer::new();
        match self {
            Self::GetItem(request) => writer.object(|object| {
                get(object, request);
                consistent(object, request.consistent_read);
                capacity(object, request.return_consumed_capacity);
            }),
            Self::PutItem(request) => writer.object(|object| {
                put(object, request);
                returned(object, request.return_old);
                metrics(object, request.return_item_collection_metrics);
                capacity(object, request.return_consumed_capacity);
            }),
            Self::UpdateItem(request) => writer.object(|object| {
                update(object, request);
                return_values(object, request.return_values);
                metrics(object, request.return_item_collection_metrics);
                capacity(object, request.return_consumed_capacity);
            }),
            Self::DeleteItem(request) => writer.object(|object| {
                delete(object, request);
                returned(object, request.return_old);
                metrics(object, request.return_item_collection_metrics);
                capacity(object, request.return_consumed_capacity);
            }),
            Self::Query(request) => writer.object(|object| query(object, request)),
            Self::Scan(request) => writer.object(|object| scan(object, request)),
            Self::BatchGetItem(request) => writer.object(|object| batch_get(object, request)),
            Self::BatchWriteItem(request) => writer.object(|object| batch_write(object, request)),
            Self::TransactGetItems(request) => {
                writer.object(|object| transact_get(object, request))
            }
            Self::TransactWriteItems(request) => {
                writer.object(|object| transact_write(object, request));
            }
            Self::CreateTable(request) => writer.object(|object| table::create(object, request)),
            Self::UpdateTable(request) => writer.object(|object| table::update(object, request)),
            Self::DeleteTable(DeleteTable { table_name })
            | Self::DescribeTable(DescribeTable { table_name })
            | Self::DescribeTimeToLive(DescribeTimeToLive { table_name }) => {
                writer.object(|object| object.string("TableName", table_name));
            }
            Self::ListTables(request) => writer.object(|object| {
                if let Some(name) = &request.exclusive_start_table_name {
                    object.string("ExclusiveStartTableName", name);
                }
                limit(object, request.limit);
            }),
            Self::UpdateTimeToLive(request) => {
                writer.object(|object| table::time_to_live(object, request));
            }
            _ => return None,
        }
        String::from_utf8(writer.into_bytes()).ok()
    }
}

/// The operation and the request body: `GetItem {"TableName":"games",…}`.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation())?;
        self.to_json().map_or(Ok(()), |json| write!(f, " {json}"))
    }
}

/// Prints the expressions of one request, which share their placeholders.
#[derive(Default)]
struct Expressions<'v>(Printer<'v>);

impl<'v> Expressions<'v> {
    fn condition(&mut self, object: &mut Object<'_>, name: &str, condition: Option<&'v Condition>) {
        if let Some(condition) = condition {
            object.string(name, &self.0.condition(condition));
        }
    }

    fn projection(&mut self, object: &mut Object<'_>, projection: Option<&Projection>) {
        if let Some(projection) = projection {
            object.string("ProjectionExpression", &self.0.projection(projection));
        }
    }

    fn update(&mut self, object: &mut Object<'_>, update: Option<&'v Update>) {
        if let Some(update) = update {
            object.string("UpdateExpression", &self.0.update(update));
        }
    }

    /// Writes the placeholders, if there are any: the service refuses empty lists.
    fn finish(&self, object: &mut Object<'_>) {
        if self.0.names().len() > 0 {
            object.member("ExpressionAttributeNames", |writer| {
                writer.object(|object| {
                    for (placeholder, name) in self.0.names() {
                        object.string(&placeholder, name);
                    }
                });
            });
        }
        if self.0.values().len() > 0 {
            object.member("ExpressionAttributeValues", |writer| {
                writer.object(|object| {
                    for (placeholder, value) in self.0.values() {
                        object.member(&placeholder, |writer| value.write_json(writer));
                    }
                });
            });
        }
    }
}

fn get(object: &mut Object<'_>, request: &GetItem) {
    let mut expressions = Expressions::default();
    object.string("TableName", &request.table_name);
    object.member("Key", |writer| request.key.write_json(writer));
    expressions.projection(object, request.projection.as_ref());
    expressions.finish(object);
}

fn put(object: &mut Object<'_>, request: &PutItem) {
    let mut expressions = Expressions::default();
    object.string("TableName", &request.table_name);
    object.member("Item", |writer| request.item.write_json(writer));
    expressions.condition(object, "ConditionExpression", request.condition.as_ref());
    expressions.finish(object);
    on_failure(object, request.return_old_on_failure);
}

fn update(object: &mut Object<'_>, request: &UpdateItem) {
    let mut expressions = Expressions::default();
    object.string("TableName", &request.table_name);
    object.member("Key", |writer| request.key.write_json(writer));
    expressions.update(object, request.update.as_ref());
    expressions.condition(object, "ConditionExpression", request.condition.as_ref());
    expressions.finish(object);
    on_failure(object, request.return_old_on_failure);
}

fn delete(object: &mut Object<'_>, request: &DeleteItem) {
    let mut expressions = Expressions::default();
    object.string("TableName", &request.table_name);
    object.member("Key", |writer| request.key.write_json(writer));
    expressions.condition(object, "ConditionExpression", request.condition.as_ref());
    expressions.finish(object);
    on_failure(object, request.return_old_on_failure);
}

fn check(object: &mut Object<'_>, request: &ConditionCheck) {
    let mut expressions = Expressions::default();
    object.string("TableName", &request.table_name);
    object.member("Key", |writer| request.key.write_json(writer));
    expressions.condition(object, "ConditionExpression", Some(&request.condition));
    expressions.finish(object);
    on_failure(object, request.return_old_on_failure);
}

fn query(object: &mut Object<'_>, request: &Query) {
    let mut expressions = Expressions::default();
    object.string("TableName", &request.table_name);
    index_name(object, request.index_name.as_deref());
    let key_condition = expressions.0.key_condition(&request.key_condition);
    object.string("KeyConditionExpression", &key_condition);
    expressions.condition(object, "FilterExpression", request.filter.as_ref());
    selection(object, &request.selection, request.index_name.is_some(), &mut expressions);
    expressions.finish(object);
    if let Some(key) = &request.exclusive_start_key {
        object.member("ExclusiveStartKey", |writer| key.write_json(writer));
    }
    limit(object, request.limit);
    if !request.scan_index_forward {
        object.boolean("ScanIndexForward", false);
    }
    consistent(object, request.consistent_read);
    capacity(object, request.return_consumed_capacity);
}

fn scan(object: &mut Object<'_>, request: &Scan) {
    let mut expressions = Expressions::default();
    object.string("TableName", &request.table_name);
    index_name(object, request.index_name.as_deref());
    expressions.condition(object, "FilterExpression", request.filter.as_ref());
    selection(object, &request.selection, request.index_name.is_some(), &mut expressions);
    expressions.finish(object);
    if let Some(key) = &request.exclusive_start_key {
        object.member("ExclusiveStartKey", |writer| key.write_json(writer));
    }
    limit(object, request.limit);
    if let Some(segment) = &request.segment {
        object.integer("Segment", segment.number);
        object.integer("TotalSegments", segment.total);
    }
    consistent(object, request.consistent_read);
    capacity(object, request.return_consumed_capacity);
}

fn batch_get(object: &mut Object<'_>, request: &BatchGetItem) {
    object.member("RequestItems", |writer| {
        writer.object(|object| {
            for table in &request.tables {
                object.member(&table.table_name, |writer| table.write_json(writer));
            }
        });
    });
    capacity(object, request.return_consumed_capacity);
}

fn batch_write(object: &mut Object<'_>, request: &BatchWriteItem) {
    object.member("RequestItems", |writer| {
        writer.object(|object| {
            for table in &request.tables {
                object.member(&table.table_name, |writer| {
                    writer.array(&table.requests, |writer, one| one.write_json(writer));
                });
            }
        });
    });
    metrics(object, request.return_item_collection_metrics);
    capacity(object, request.return_consumed_capacity);
}

fn transact_get(object: &mut Object<'_>, request: &TransactGetItems) {
    object.member("TransactItems", |writer| {
        writer.array(&request.gets, |writer, one| {
            writer.object(|object| {
                object.member("Get", |writer| writer.object(|object| get(object, one)));
            });
        });
    });
    capacity(object, request.return_consumed_capacity);
}

fn transact_write(object: &mut Object<'_>, request: &TransactWriteItems) {
    object.member("TransactItems", |writer| {
        writer.array(&request.actions, |writer, action| {
            writer.object(|object| match action {
                TransactWriteItem::ConditionCheck(one) => {
                    member(object, "ConditionCheck", one, check)
                }
                TransactWriteItem::Put(one) => member(object, "Put", one, put),
                TransactWriteItem::Delete(one) => member(object, "Delete", one, delete),
                TransactWriteItem::Update(one) => member(object, "Update", one, update),
            });
        });
    });
    if let Some(token) = &request.client_request_token {
        object.string("ClientRequestToken", token);
    }
    metrics(object, request.return_item_collection_metrics);
    capacity(object, request.return_consumed_capacity);
}

fn member<T>(object: &mut Object<'_>, name: &str, one: &T, write: fn(&mut Object<'_>, &T)) {
    object.member(name, |writer| writer.object(|object| write(object, one)));
}

fn index_name(object: &mut Object<'_>, name: Option<&str>) {
    if let Some(name) = name {
        object.string("IndexName", name);
    }
}

fn limit(object: &mut Object<'_>, limit: Option<usize>) {
    if let Some(limit) = limit {
        object.integer("Limit", limit as u64);
    }
}

fn selection(
    object: &mut Object<'_>,
    selection: &Selection,
    is_of_index: bool,
    expressions: &mut Expressions,
) {
    let select = match selection {
        Selection::Held if !is_of_index => return,
        Selection::Held => "ALL_PROJECTED_ATTRIBUTES",
        Selection::All => "ALL_ATTRIBUTES",
        Selection::Count => "COUNT",
        Selection::Parts(projection) => {
            expressions.projection(object, Some(projection));
            "SPECIFIC_ATTRIBUTES"
        }
    };
    object.string("Select", select);
}

fn consistent(object: &mut Object<'_>, is_consistent: bool) {
    if is_consistent {
        object.boolean("ConsistentRead", true);
    }
}

fn on_failure(object: &mut Object<'_>, is_wanted: bool) {
    if is_wanted {
        object.string("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    }
}

fn returned(object: &mut Object<'_>, old: bool) {
    if old {
        object.string("ReturnValues", "ALL_OLD");
    }
}

fn return_values(object: &mut Object<'_>, values: ReturnValues) {
    let mut choices = ReturnValues::CHOICES.iter().filter(|(_, one)| *one != ReturnValues::None);
    if let Some((name, _)) = choices.find(|(_, one)| *one == values) {
        object.string("ReturnValues", name);
    }
}

fn metrics(object: &mut Object<'_>, is_wanted: bool) {
    if is_wanted {
        object.string("ReturnItemCollectionMetrics", "SIZE");
    }
}

fn capacity(object: &mut Object<'_>, detail: ReturnConsumedCapacity) {
    match detail {
        ReturnConsumedCapacity::None => {}
        ReturnConsumedCapacity::Total => object.string("ReturnConsumedCapacity", "TOTAL"),
        ReturnConsumedCapacity::Indexes => object.string("ReturnConsumedCapacity", "INDEXES"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests with every possible member, as they are printed.
    const WHOLE: &[(&str, &str)] = &[
        (
            "GetItem",
            r##"{"TableName":"games","Key":{"k":{"S":"1"}},"ProjectionExpression":"#0, #1[3]","ExpressionAttributeNames":{"#0":"a","#1":"b"},"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "PutItem",
            r##"{"TableName":"games","Item":{"k":{"S":"1"},"l":{"L":[{"NULL":true}]}},"ConditionExpression":"#0 = :0","ExpressionAttributeNames":{"#0":"a"},"ExpressionAttributeValues":{":0":{"N":"7"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD","ReturnValues":"ALL_OLD","ReturnItemCollectionMetrics":"SIZE","ReturnConsumedCapacity":"INDEXES"}"##,
        ),
        (
            "UpdateItem",
            r##"{"TableName":"games","Key":{"k":{"S":"1"}},"UpdateExpression":"SET #0 = :0 REMOVE #1 ADD #2 :1","ConditionExpression":"attribute_exists(#3)","ExpressionAttributeNames":{"#0":"a","#1":"b","#2":"c","#3":"k"},"ExpressionAttributeValues":{":0":{"S":"x"},":1":{"N":"1"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD","ReturnValues":"UPDATED_NEW","ReturnItemCollectionMetrics":"SIZE","ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "DeleteItem",
            r##"{"TableName":"games","Key":{"k":{"S":"1"}},"ConditionExpression":"size(#0) > :0","ExpressionAttributeNames":{"#0":"a"},"ExpressionAttributeValues":{":0":{"N":"7"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD","ReturnValues":"ALL_OLD","ReturnItemCollectionMetrics":"SIZE","ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "Query",
            r##"{"TableName":"games","IndexName":"byAge","KeyConditionExpression":"#0 = :0 AND begins_with(#1, :1)","FilterExpression":"#2 <> :2","ProjectionExpression":"#2","Select":"SPECIFIC_ATTRIBUTES","ExpressionAttributeNames":{"#0":"p","#1":"s","#2":"a"},"ExpressionAttributeValues":{":0":{"S":"1"},":1":{"S":"x"},":2":{"BOOL":true}},"ExclusiveStartKey":{"k":{"S":"1"}},"Limit":9,"ScanIndexForward":false,"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "Query",
            r##"{"TableName":"games","IndexName":"byAge","KeyConditionExpression":"#0 = :0","Select":"ALL_PROJECTED_ATTRIBUTES","ExpressionAttributeNames":{"#0":"p"},"ExpressionAttributeValues":{":0":{"S":"1"}}}"##,
        ),
        (
            "Scan",
            r##"{"TableName":"games","IndexName":"byAge","FilterExpression":"#0 IN (:0, :1)","Select":"COUNT","ExpressionAttributeNames":{"#0":"a"},"ExpressionAttributeValues":{":0":{"N":"1"},":1":{"N":"2"}},"ExclusiveStartKey":{"k":{"S":"1"}},"Limit":9,"Segment":1,"TotalSegments":4,"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        ("Scan", r##"{"TableName":"games"}"##),
        (
            "BatchGetItem",
            r##"{"RequestItems":{"games":{"Keys":[{"k":{"S":"1"}},{"k":{"S":"2"}}],"ConsistentRead":true,"ProjectionExpression":"#0","ExpressionAttributeNames":{"#0":"a"}},"users":{"Keys":[{"k":{"B":"AAE="}}]}},"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "BatchWriteItem",
            r##"{"RequestItems":{"games":[{"PutRequest":{"Item":{"k":{"S":"1"}}}},{"DeleteRequest":{"Key":{"k":{"S":"2"}}}}]},"ReturnItemCollectionMetrics":"SIZE","ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "TransactGetItems",
            r##"{"TransactItems":[{"Get":{"TableName":"games","Key":{"k":{"S":"1"}},"ProjectionExpression":"#0","ExpressionAttributeNames":{"#0":"a"}}}],"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "TransactWriteItems",
            r##"{"TransactItems":[{"ConditionCheck":{"TableName":"games","Key":{"k":{"S":"1"}},"ConditionExpression":"attribute_not_exists(#0)","ExpressionAttributeNames":{"#0":"k"},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},{"Put":{"TableName":"games","Item":{"k":{"S":"2"}}}},{"Delete":{"TableName":"games","Key":{"k":{"S":"3"}}}},{"Update":{"TableName":"games","Key":{"k":{"S":"4"}},"UpdateExpression":"SET #0 = :0","ExpressionAttributeNames":{"#0":"a"},"ExpressionAttributeValues":{":0":{"N":"1"}}}}],"ClientRequestToken":"token","ReturnItemCollectionMetrics":"SIZE","ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "CreateTable",
            r#"{"TableName":"games","AttributeDefinitions":[{"AttributeName":"day","AttributeType":"N"},{"AttributeName":"name","AttributeType":"S"},{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"name","KeyType":"RANGE"}],"LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"day","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],"GlobalSecondaryIndexes":[{"IndexName":"byDay","KeySchema":[{"AttributeName":"day","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["a","b"]},"ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}}],"BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2},"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},"TableClass":"STANDARD","DeletionProtectionEnabled":true,"Tags":[{"Key":"team","Value":"games"}]}"#,
        ),
        (
            "CreateTable",
            r#"{"TableName":"games","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST","OnDemandThroughput":{"MaxWriteRequestUnits":6}}"#,
        ),
        (
            "UpdateTable",
            r#"{"TableName":"games","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2},"GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"byName","ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}}}]}"#,
        ),
        (
            "UpdateTable",
            r#"{"TableName":"games","AttributeDefinitions":[{"AttributeName":"day","AttributeType":"N"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"byDay","KeySchema":[{"AttributeName":"day","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#,
        ),
        (
            "UpdateTable",
            r#"{"TableName":"games","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byDay"}}]}"#,
        ),
        ("UpdateTable", r#"{"TableName":"games","StreamSpecification":{"StreamEnabled":false}}"#),
        ("UpdateTable", r#"{"TableName":"games","TableClass":"STANDARD"}"#),
        ("UpdateTable", r#"{"TableName":"games","OnDemandThroughput":{"MaxReadRequestUnits":-1}}"#),
        ("UpdateTable", r#"{"TableName":"games","DeletionProtectionEnabled":false}"#),
        ("DescribeTable", r#"{"TableName":"games"}"#),
        ("DeleteTable", r#"{"TableName":"games"}"#),
        ("DescribeTimeToLive", r#"{"TableName":"games"}"#),
        (
            "UpdateTimeToLive",
            r#"{"TableName":"games","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"expiresAt"}}"#,
        ),
        ("ListTables", r#"{"ExclusiveStartTableName":"games","Limit":3}"#),
    ];

    #[test]
    fn requests_round_trip_through_json() {
        for (operation, json) in WHOLE {
            let request = Request::from_json(operation, json.as_bytes()).unwrap();
            assert_eq!(request.to_json().as_deref(), Some(*json), "{operation}");
            assert_eq!(request.to_string(), format!("{operation} {json}"));
        }
    }

    #[test]
    fn requests_without_json_display_their_name() {
        let request = Request::from_json("DescribeLimits", b"{}").unwrap();
        assert_eq!((request.to_json(), request.to_string()), (None, "DescribeLimits".to_owned()));
    }
}
