//! Parses responses, for clients.

use super::{
    Answer, BatchGetItem, BatchGetItemAnswer, BatchWriteItemAnswer, CreateTableAnswer,
    DeleteTableAnswer, DescribeTableAnswer, DescribeTimeToLiveAnswer, GetItemAnswer,
    ItemCollectionMetrics, KeysAndAttributes, ListTablesAnswer, MetricsByTable, PageAnswer,
    Request, TableWrites, TransactGetItemsAnswer, TransactWriteItemsAnswer, UpdateTableAnswer,
    UpdateTimeToLiveAnswer, WriteAnswer, WriteRequest,
};
use crate::capacity::{CapacityByTable, ConsumedCapacity, ReturnConsumedCapacity};
use crate::error::{Error, Result};
use crate::json::Reader;
use crate::json::value::read_answered;
use crate::schema::Scope;
use crate::stored::Attributes;
use crate::table::TableDescription;

const GB: u64 = 1024 * 1024 * 1024;

impl Request {
    /// Parses the response to this request: the counterpart of [`Request::to_json`], for the same
    /// operations.
    ///
    /// ```
    /// use singlet_dynamo::operation::{Answer, GetItem, Request};
    /// use singlet_dynamo::{Item, Value};
    ///
    /// let get = GetItem::new("games", Item::from([("PK", Value::from("GAME#1"))]));
    /// let answer = Request::from(get).read_answer(br#"{"Item": {"PK": {"S": "GAME#1"}}}"#)?;
    /// assert!(matches!(answer, Answer::GetItem(found) if found.item.is_some()));
    /// # Ok::<(), singlet_dynamo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The body is not a response to this request.
    pub fn read_answer(&self, json: &[u8]) -> Result<Answer> {
        let mut body = Body::default();
        Reader::new(json)?.request(|reader, member| body.read(self, reader, member))?;
        Ok(match self {
            Self::GetItem(_) => {
                GetItemAnswer { item: body.item, consumed_capacity: body.consumed }.into()
            }
            Self::PutItem(_) | Self::UpdateItem(_) | Self::DeleteItem(_) => WriteAnswer {
                attributes: body.item,
                consumed_capacity: body.consumed,
                item_collection_metrics: body.metrics,
            }
            .into(),
            Self::Query(_) | Self::Scan(_) => PageAnswer {
                items: body.items,
                count: count(body.count),
                scanned_count: count(body.scanned_count),
                // The service omits it at the end; other servers send an empty one.
                last_evaluated_key: body.last_key.filter(|key| !key.is_empty()),
                consumed_capacity: body.consumed,
            }
            .into(),
            Self::BatchGetItem(_) => BatchGetItemAnswer {
                capacity: body.consumed_by_table,
                responses: body.responses_by_table,
                unprocessed_keys: body.unprocessed_keys,
            }
            .into(),
            Self::BatchWriteItem(_) => BatchWriteItemAnswer {
                capacity: body.consumed_by_table,
                unprocessed_items: body.unprocessed_items,
                item_collection_metrics: body.metrics_by_table,
            }
            .into(),
            Self::TransactGetItems(_) => TransactGetItemsAnswer {
                capacity: body.consumed_by_table,
                responses: body.responses,
            }
            .into(),
            Self::TransactWriteItems(_) => TransactWriteItemsAnswer {
                capacity: body.consumed_by_table,
                item_collection_metrics: body.metrics_by_table,
            }
            .into(),
            Self::CreateTable(_) => CreateTableAnswer { table_description: body.table()? }.into(),
            Self::UpdateTable(_) => UpdateTableAnswer { table_description: body.table()? }.into(),
            Self::DeleteTable(_) => DeleteTableAnswer { table_description: body.table()? }.into(),
            Self::DescribeTable(_) => DescribeTableAnswer { table: body.table()? }.into(),
            Self::ListTables(_) => {
                ListTablesAnswer { table_names: body.names, is_last: body.last_name.is_none() }
                    .into()
            }
            Self::DescribeTimeToLive(_) => {
                DescribeTimeToLiveAnswer { attribute_name: body.time_to_live }.into()
            }
            Self::UpdateTimeToLive(request) => UpdateTimeToLiveAnswer {
                attribute_name: request.attribute_name.clone(),
                enabled: request.enabled,
            }
            .into(),
            _ => return Err(Error::serialization("answers to this operation are not read")),
        })
    }

    /// Whether the response lists capacity and item collections by table.
    fn is_of_several_items(&self) -> bool {
        matches!(
            self,
            Self::BatchGetItem(_)
                | Self::BatchWriteItem(_)
                | Self::TransactGetItems(_)
                | Self::TransactWriteItems(_)
        )
    }
}

/// The members of all responses. A name means the same in all operations, unless its shape differs
/// too, and the shape follows from the request.
#[derive(Default)]
struct Body {
    item: Option<Attributes>,
    items: Option<Vec<Attributes>>,
    count: Option<i64>,
    scanned_count: Option<i64>,
    last_key: Option<crate::Item>,
    consumed: Option<ConsumedCapacity>,
    consumed_by_table: CapacityByTable,
    metrics: Option<ItemCollectionMetrics>,
    metrics_by_table: MetricsByTable,
    responses: Vec<Option<Attributes>>,
    responses_by_table: Vec<(String, Vec<Attributes>)>,
    unprocessed_keys: Vec<KeysAndAttributes>,
    unprocessed_items: Vec<TableWrites>,
    table: Option<TableDescription>,
    names: Vec<String>,
    last_name: Option<String>,
    time_to_live: Option<String>,
}

impl Body {
    fn read(&mut self, request: &Request, reader: &mut Reader<'_>, member: &str) -> Result<()> {
        match (member, request) {
            ("Item" | "Attributes", _) => self.item = read_answered(reader)?.map(Into::into),
            ("Items", _) => self.items = Some(reader.elements(item)?),
            ("Count", _) => self.count = reader.integer("Integer")?,
            ("ScannedCount", _) => self.scanned_count = reader.integer("Integer")?,
            ("LastEvaluatedKey", _) => self.last_key = read_answered(reader)?,
            ("ConsumedCapacity", request) if request.is_of_several_items() => {
                self.consumed_by_table = reader.elements(capacity)?.into();
            }
            ("ConsumedCapacity", _) => self.consumed = Some(capacity(reader)?),
            ("ItemCollectionMetrics", request) if request.is_of_several_items() => {
                reader.map("", |reader, table_name| {
                    for metrics in reader.elements(metrics)?.into_iter().flatten() {
                        self.metrics_by_table.add(&table_name, metrics);
                    }
                    Ok(())
                })?;
            }
            ("ItemCollectionMetrics", _) => self.metrics = metrics(reader)?,
            ("Responses", Request::TransactGetItems(_)) => {
                self.responses = reader.elements(response)?;
            }
            ("Responses", Request::BatchGetItem(_)) => {
                reader.map("", |reader, table_name| {
                    let items = reader.elements(item)?;
                    self.responses_by_table.push((table_name.into_owned(), items));
                    Ok(())
                })?;
            }
            ("UnprocessedKeys", Request::BatchGetItem(request)) => {
                reader.map("", |reader, table_name| {
                    self.unprocessed_keys.push(unprocessed_keys(reader, &table_name, request)?);
                    Ok(())
                })?;
            }
            ("UnprocessedItems", _) => {
                reader.map("", |reader, table_name| {
                    let requests = reader.elements(write_request)?;
                    let table_name = table_name.into_owned();
                    self.unprocessed_items.push(TableWrites { table_name, requests });
                    Ok(())
                })?;
            }
            ("Table" | "TableDescription", _) => self.table = TableDescription::read(reader)?,
            ("TableNames", _) => {
                self.names =
                    reader.elements(|reader| Ok(reader.owned_string()?.unwrap_or_default()))?;
            }
            ("LastEvaluatedTableName", _) => self.last_name = reader.owned_string()?,
            ("TimeToLiveDescription", _) => self.time_to_live = time_to_live(reader)?,
            _ => reader.skip()?,
        }
        Ok(())
    }

    fn table(&mut self) -> Result<TableDescription> {
        let table = self.table.take();
        table.ok_or_else(|| Error::serialization("the table's description is missing"))
    }
}

fn count(items: Option<i64>) -> usize {
    items.and_then(|items| usize::try_from(items).ok()).unwrap_or_default()
}

fn item(reader: &mut Reader<'_>) -> Result<Attributes> {
    Ok(read_answered(reader)?.unwrap_or_default().into())
}

/// One response of a transaction. Some servers send an empty item if there is none.
fn response(reader: &mut Reader<'_>) -> Result<Option<Attributes>> {
    let mut item = None;
    reader.structure("ItemResponse", |reader, member| {
        match member {
            "Item" => item = read_answered(reader)?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(item.filter(|item| !item.is_empty()).map(Into::into))
}

/// The unprocessed part of a batch, with the projection and consistency of the request.
fn unprocessed_keys(
    reader: &mut Reader<'_>,
    table_name: &str,
    request: &BatchGetItem,
) -> Result<KeysAndAttributes> {
    let mut keys = Vec::new();
    reader.structure("KeysAndAttributes", |reader, member| {
        match member {
            "Keys" => {
                keys = reader.elements(|reader| Ok(read_answered(reader)?.unwrap_or_default()))?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let asked = request.tables.iter().find(|table| table.table_name == table_name);
    let asked = asked
        .ok_or_else(|| Error::serialization("unprocessed keys of a table that was not asked"))?;
    Ok(KeysAndAttributes {
        table_name: asked.table_name.clone(),
        keys,
        projection: asked.projection.clone(),
        consistent_read: asked.consistent_read,
    })
}

fn write_request(reader: &mut Reader<'_>) -> Result<WriteRequest> {
    let mut write = None;
    reader.structure("WriteRequest", |reader, request| {
        reader.structure(request, |reader, member| {
            match (request, member) {
                ("PutRequest", "Item") => write = read_answered(reader)?.map(WriteRequest::Put),
                ("DeleteRequest", "Key") => {
                    write = read_answered(reader)?.map(WriteRequest::Delete);
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(())
    })?;
    write.ok_or_else(|| Error::serialization("unprocessed item is neither a put nor a delete"))
}

fn capacity(reader: &mut Reader<'_>) -> Result<ConsumedCapacity> {
    let (mut table_name, mut total, mut of_table) = (None, None, None);
    let mut indexes = Vec::new();
    reader.structure("ConsumedCapacity", |reader, member| {
        match member {
            "TableName" => table_name = reader.owned_string()?,
            "CapacityUnits" => total = reader.double()?,
            "Table" => of_table = units(reader)?,
            "LocalSecondaryIndexes" | "GlobalSecondaryIndexes" => {
                let is_local = member == "LocalSecondaryIndexes";
                let scope = if is_local { Scope::Local } else { Scope::Global };
                reader.map("", |reader, name| {
                    indexes.push((name.into_owned(), scope, units(reader)?.unwrap_or_default()));
                    Ok(())
                })?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    // Without details there is only the sum.
    let (detail, own) = match of_table {
        Some(own) => (ReturnConsumedCapacity::Indexes, own),
        None => (ReturnConsumedCapacity::Total, total.unwrap_or_default()),
    };
    let mut consumed = ConsumedCapacity::new(table_name.unwrap_or_default(), detail, own);
    for (name, scope, units) in indexes {
        consumed.add_index(&name, scope, units);
    }
    Ok(consumed)
}

fn units(reader: &mut Reader<'_>) -> Result<Option<f64>> {
    let mut units = None;
    reader.structure("Capacity", |reader, member| {
        match member {
            "CapacityUnits" => units = reader.double()?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(units)
}

fn metrics(reader: &mut Reader<'_>) -> Result<Option<ItemCollectionMetrics>> {
    let (mut key, mut range) = (None, Vec::new());
    reader.structure("ItemCollectionMetrics", |reader, member| {
        match member {
            "ItemCollectionKey" => key = read_answered(reader)?,
            "SizeEstimateRangeGB" => {
                range = reader.elements(|reader| Ok(reader.double()?.unwrap_or_default()))?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let Some((attribute, partition)) = key.and_then(|key| key.into_iter().next()) else {
        return Ok(None);
    };
    // Whole gigabytes from 0 to 10, the maximum size of a collection.
    let lower = range.first().copied().unwrap_or_default().max(0.0) as u64;
    Ok(Some(ItemCollectionMetrics::new(attribute, partition, lower * GB)))
}

fn time_to_live(reader: &mut Reader<'_>) -> Result<Option<String>> {
    let (mut name, mut is_on) = (None, false);
    reader.structure("TimeToLiveDescription", |reader, member| {
        match member {
            "AttributeName" => name = reader.owned_string()?,
            "TimeToLiveStatus" => {
                is_on = matches!(reader.string()?.as_deref(), Some("ENABLED" | "ENABLING"));
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(name.filter(|_| is_on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Writer;

    const KEY: &str = r#"{"pk":{"S":"a"}}"#;
    const COST: &str = concat!(
        r#"{"TableName":"games","CapacityUnits":4.0,"Table":{"CapacityUnits":1.0},"#,
        r#""LocalSecondaryIndexes":{"byName":{"CapacityUnits":1.0}},"#,
        r#""GlobalSecondaryIndexes":{"byDay":{"CapacityUnits":2.0}}}"#
    );
    const METRICS: &str =
        r#"{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[3.0,4.0]}"#;

    /// Parses a response and writes it again; `%` stands for a key, `$C` and `$M` for capacity and
    /// metrics.
    #[track_caller]
    fn check(operation: &str, request: &str, answer: &str) {
        let request = request.replace('%', KEY);
        let answer = answer.replace('%', KEY).replace("$C", COST).replace("$M", METRICS);
        let request = Request::from_json(operation, request.as_bytes()).unwrap();
        let read = request.read_answer(answer.as_bytes()).unwrap();
        let mut writer = Writer::new();
        read.write_json(&mut writer);
        assert_eq!(String::from_utf8(writer.into_bytes()).unwrap(), answer);
    }

    #[test]
    fn answers_about_items_are_written_as_they_were_read() {
        let of_item = r#"{"TableName":"games","Key":%,"ReturnConsumedCapacity":"INDEXES"}"#;
        check("GetItem", of_item, r#"{"ConsumedCapacity":$C,"Item":%}"#);
        check("GetItem", of_item, "{}");
        let write = r#"{"Attributes":%,"ConsumedCapacity":$C,"ItemCollectionMetrics":$M}"#;
        check("DeleteItem", of_item, write);
        check("UpdateItem", of_item, write);
        check("PutItem", &of_item.replace("Key", "Item"), "{}");

        let scan = r#"{"TableName":"games","ReturnConsumedCapacity":"INDEXES"}"#;
        let page = r#"{"ConsumedCapacity":$C,"Count":2,"Items":[%,%],"LastEvaluatedKey":%,"ScannedCount":5}"#;
        check("Scan", scan, page);
        check("Scan", scan, r#"{"Count":2,"ScannedCount":5}"#);

        check(
            "BatchGetItem",
            r##"{"RequestItems":{"games":{"Keys":[%],"ConsistentRead":true,"ProjectionExpression":"#0","ExpressionAttributeNames":{"#0":"a"}}},"ReturnConsumedCapacity":"INDEXES"}"##,
            r##"{"Responses":{"games":[%]},"UnprocessedKeys":{"games":{"Keys":[%],"ConsistentRead":true,"ProjectionExpression":"#0","ExpressionAttributeNames":{"#0":"a"}}},"ConsumedCapacity":[$C]}"##,
        );
        check(
            "BatchWriteItem",
            r#"{"RequestItems":{"games":[{"DeleteRequest":{"Key":%}}]},"ReturnConsumedCapacity":"INDEXES"}"#,
            r#"{"UnprocessedItems":{"games":[{"PutRequest":{"Item":%}},{"DeleteRequest":{"Key":%}}]},"ItemCollectionMetrics":{"games":[$M]},"ConsumedCapacity":[$C]}"#,
        );
        check(
            "TransactGetItems",
            r#"{"TransactItems":[{"Get":{"TableName":"games","Key":%}}]}"#,
            r#"{"Responses":[{"Item":%},{}]}"#,
        );
        check(
            "TransactWriteItems",
            r#"{"TransactItems":[{"Delete":{"TableName":"games","Key":%}}],"ReturnConsumedCapacity":"INDEXES"}"#,
            r#"{"ConsumedCapacity":[$C],"ItemCollectionMetrics":{"games":[$M]}}"#,
        );
    }

    #[test]
    fn answers_about_tables_are_written_as_they_were_read() {
        let named = r#"{"TableName":"games"}"#;
        let description = concat!(
            r#"{"AttributeDefinitions":[{"AttributeName":"day","AttributeType":"N"},{"AttributeName":"pk","AttributeType":"S"}],"#,
            r#""TableName":"games","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"day","KeyType":"RANGE"}],"#,
            r#""TableStatus":"UPDATING","CreationDateTime":1767225600.123,"#,
            r#""ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0},"#,
            r#""OnDemandThroughput":{"MaxReadRequestUnits":5,"MaxWriteRequestUnits":6},"#,
            r#""TableSizeBytes":7,"ItemCount":8,"TableArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/games","TableId":"id","#,
            r#""BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST","LastUpdateToPayPerRequestDateTime":1767225601.0},"#,
            r#""LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"#,
            r#""Projection":{"ProjectionType":"KEYS_ONLY"},"IndexSizeBytes":1,"ItemCount":2,"#,
            r#""IndexArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/games/index/local"}],"#,
            r#""GlobalSecondaryIndexes":[{"IndexName":"byDay","KeySchema":[{"AttributeName":"day","KeyType":"HASH"}],"#,
            r#""Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["a","b"]},"IndexStatus":"CREATING","Backfilling":true,"#,
            r#""ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0},"#,
            r#""IndexSizeBytes":3,"ItemCount":4,"IndexArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/games/index/byDay"}],"#,
            r#""StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},"#,
            r#""LatestStreamLabel":"2026-01-01T00:00:00.123","#,
            r#""LatestStreamArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/games/stream/2026-01-01T00:00:00.123","#,
            r#""TableClassSummary":{"TableClass":"STANDARD"},"DeletionProtectionEnabled":true}"#
        );
        check("DescribeTable", named, &format!(r#"{{"Table":{description}}}"#));
        let changed = format!(r#"{{"TableDescription":{description}}}"#);
        check("DeleteTable", named, &changed);
        let change = r#"{"TableName":"games","DeletionProtectionEnabled":true}"#;
        check("UpdateTable", change, &changed);
        let creation = concat!(
            r#"{"TableName":"games","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"#,
            r#""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#
        );
        check("CreateTable", creation, &changed);

        let names = r#"{"TableNames":["games","players"],"LastEvaluatedTableName":"players"}"#;
        check("ListTables", "{}", names);
        check("ListTables", "{}", r#"{"TableNames":["games"]}"#);
        let expiry = r#"{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"expiresAt"}}"#;
        check("DescribeTimeToLive", named, expiry);
        let disabled = r#"{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}"#;
        check("DescribeTimeToLive", named, disabled);
        let specification =
            r#""TimeToLiveSpecification":{"Enabled":true,"AttributeName":"expiresAt"}"#;
        let update = format!(r#"{{"TableName":"games",{specification}}}"#);
        check("UpdateTimeToLive", &update, &format!("{{{specification}}}"));
    }

    /// Some servers send an empty key or item instead of none.
    #[test]
    fn empty_keys_and_items_count_as_absent() {
        let read = |operation: &str, request: &str, answer: &str| {
            let request = Request::from_json(operation, request.as_bytes()).unwrap();
            request.read_answer(answer.as_bytes()).unwrap()
        };
        let scan = r#"{"TableName":"games"}"#;
        let Answer::Page(page) = read("Scan", scan, r#"{"Count":0,"LastEvaluatedKey":{}}"#) else {
            panic!("a scan is answered by a page");
        };
        assert_eq!(page.last_evaluated_key, None);
        let gets = r#"{"TransactItems":[{"Get":{"TableName":"games","Key":{"pk":{"S":"a"}}}}]}"#;
        let Answer::TransactGetItems(got) =
            read("TransactGetItems", gets, r#"{"Responses":[{"Item":{}}]}"#)
        else {
            panic!("answered by items");
        };
        assert_eq!(got.responses, [None]);
    }

    #[test]
    fn invalid_responses_are_errors() {
        let describe = Request::from_json("DescribeTable", br#"{"TableName":"games"}"#).unwrap();
        for (body, message) in [
            ("", ""),
            ("<html>", ""),
            ("{}", "the table's description is missing"),
            (r#"{"Table":{}}"#, "a partition key is missing"),
            (
                r#"{"Table":{"TableName":"games","TableStatus":"ARCHIVED","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}}"#,
                "unknown value: ARCHIVED",
            ),
        ] {
            let error = describe.read_answer(body.as_bytes()).unwrap_err();
            assert_eq!(error.message(), message, "{body}");
        }
        let get = br#"{"TableName":"games","Key":{"pk":{"S":"a"}}}"#;
        let get = Request::from_json("GetItem", get).unwrap();
        assert!(get.read_answer(br#"{"Item":{"a":{"N":"twelve"}}}"#).is_err());
    }
}
