//! The stored form of a table description: an item, so it uses the encoding of items.
//!
//! Unknown members are ignored. Members added by a later version must be optional for older stores.

use super::{
    BillingMode, IndexDescription, OnDemandThroughput, StreamViewType, TableClass,
    TableDescription, TableStatus, Throughput, ThroughputDescription, WarmThroughput,
};
use crate::schema::{
    Index, IndexProjection, KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType, Scope,
};
use crate::{Item, Map, Timestamp, Value};

impl TableDescription {
    /// The table as an item to store.
    #[must_use]
    pub fn to_item(&self) -> Item {
        let mut item = Item::from([
            ("name", Value::from(self.name.as_str())),
            ("arn", Value::from(self.arn.as_str())),
            ("id", Value::from(self.id.as_str())),
            ("createdAt", moment(self.created_at)),
            ("status", Value::from(self.status.as_str())),
            ("key", key_value(&self.key)),
            ("indexes", Value::L(self.indexes.iter().map(index_value).collect())),
            ("throughput", throughput_value(&self.throughput)),
            ("itemCount", count(self.item_count)),
            ("sizeBytes", count(self.size_bytes)),
            ("deletionProtection", Value::from(self.deletion_protection)),
            ("tags", tags_value(self)),
        ]);
        insert(&mut item, "onDemandSince", self.on_demand_since.map(moment));
        insert(&mut item, "stream", self.stream.map(|view| Value::from(view.as_str())));
        insert(&mut item, "latestStreamAt", self.latest_stream_at.map(moment));
        insert(&mut item, "class", self.class.map(|(class, _)| Value::from(class.as_str())));
        let class_changed_at = self.class.and_then(|(_, changed_at)| changed_at);
        insert(&mut item, "classChangedAt", class_changed_at.map(moment));
        insert(&mut item, "timeToLive", self.time_to_live.as_deref().map(Value::from));
        item
    }

    /// The table in this stored item, or `None` if it is not one.
    #[must_use]
    pub fn from_item(item: &Map) -> Option<Self> {
        Some(Self {
            name: text(item, "name")?.to_owned(),
            arn: text(item, "arn")?.to_owned(),
            id: text(item, "id")?.to_owned(),
            created_at: moment_of(item, "createdAt")?,
            status: named(&TableStatus::NAMES, text(item, "status")?)?,
            key: key_of(item.get("key")?)?,
            indexes: list(item, "indexes")?.iter().map(index_of).collect::<Option<_>>()?,
            throughput: throughput_of(item.get("throughput")?)?,
            on_demand_since: moment_of(item, "onDemandSince"),
            item_count: count_of(item, "itemCount")?,
            size_bytes: count_of(item, "sizeBytes")?,
            stream: match text(item, "stream") {
                None => None,
                Some(name) => Some(named(&StreamViewType::CHOICES, name)?),
            },
            latest_stream_at: moment_of(item, "latestStreamAt"),
            class: match text(item, "class") {
                None => None,
                Some(name) => {
                    Some((named(&TableClass::CHOICES, name)?, moment_of(item, "classChangedAt")))
                }
            },
            deletion_protection: item.get("deletionProtection")? == &Value::Bool(true),
            time_to_live: text(item, "timeToLive").map(str::to_owned),
            tags: match item.get("tags")? {
                Value::M(tags) => tags
                    .iter()
                    .map(|(key, value)| Some((key.to_owned(), as_text(value)?.to_owned())))
                    .collect::<Option<_>>()?,
                _ => return None,
            },
        })
    }
}

fn insert(item: &mut Item, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        item.insert(name, value);
    }
}

fn moment(moment: Timestamp) -> Value {
    Value::from(moment.as_millis())
}

fn count(count: u64) -> Value {
    Value::from(i64::try_from(count).unwrap_or(i64::MAX))
}

fn tags_value(table: &TableDescription) -> Value {
    let tags = table.tags.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())));
    Value::M(tags.collect())
}

/// A list of the attributes, partition attributes first. Several partition attributes are a nested
/// list in first place, which older versions cannot mistake for another key.
fn key_value(key: &KeySchema) -> Value {
    let attribute = |attribute: &KeyAttribute| {
        Value::M(Map::from([
            ("name", Value::from(attribute.name.as_str())),
            ("type", Value::from(attribute.kind.to_string())),
        ]))
    };
    let partition: Vec<Value> = key.partition().map(attribute).collect();
    let sort = key.sort().iter().map(attribute);
    Value::L(match partition.len() {
        1 => partition.into_iter().chain(sort).collect(),
        _ => std::iter::once(Value::L(partition)).chain(sort).collect(),
    })
}

fn index_value(described: &IndexDescription) -> Value {
    let Index { name, key, projection, scope } = &described.index;
    let mut index = Map::from([
        ("name", Value::from(name.as_str())),
        ("key", key_value(key)),
        ("global", Value::from(*scope == Scope::Global)),
        ("status", Value::from(described.status.as_str())),
        ("throughput", throughput_value(&described.throughput)),
        ("itemCount", count(described.item_count)),
        ("sizeBytes", count(described.size_bytes)),
    ]);
    // An index without this member projects its keys.
    match projection {
        IndexProjection::KeysOnly => {}
        IndexProjection::All => insert(&mut index, "projectsAll", Some(Value::from(true))),
        IndexProjection::Include(names) => {
            let names = names.iter().map(|name| Value::from(name.as_str())).collect();
            insert(&mut index, "projects", Some(Value::L(names)));
        }
    }
    insert(&mut index, "backfilling", described.backfilling.map(Value::from));
    Value::M(index)
}

fn throughput_value(described: &ThroughputDescription) -> Value {
    let capacity = described.throughput.capacity();
    let mut map = Map::from([
        ("billing", Value::from(described.throughput.billing_mode().as_str())),
        ("read", Value::from(capacity.read_capacity_units)),
        ("write", Value::from(capacity.write_capacity_units)),
        ("decreasesToday", Value::from(described.number_of_decreases_today)),
    ]);
    if let Throughput::OnDemand(limits) = described.throughput {
        insert(&mut map, "maxRead", limits.max_read_request_units.map(Value::from));
        insert(&mut map, "maxWrite", limits.max_write_request_units.map(Value::from));
    }
    insert(&mut map, "lastIncreaseAt", described.last_increase_at.map(moment));
    insert(&mut map, "lastDecreaseAt", described.last_decrease_at.map(moment));
    if let Some(warm) = described.warm {
        insert(&mut map, "warmRead", Some(Value::from(warm.read_units_per_second)));
        insert(&mut map, "warmWrite", Some(Value::from(warm.write_units_per_second)));
    }
    Value::M(map)
}

fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::S(text) => Some(text),
        _ => None,
    }
}

fn text<'a>(map: &'a Map, name: &str) -> Option<&'a str> {
    as_text(map.get(name)?)
}

fn integer(map: &Map, name: &str) -> Option<i64> {
    match map.get(name)? {
        Value::N(number) => number.to_i64(),
        _ => None,
    }
}

fn moment_of(map: &Map, name: &str) -> Option<Timestamp> {
    integer(map, name).map(Timestamp::from_millis)
}

fn count_of(map: &Map, name: &str) -> Option<u64> {
    integer(map, name)?.try_into().ok()
}

fn list<'a>(map: &'a Map, name: &str) -> Option<&'a [Value]> {
    match map.get(name)? {
        Value::L(values) => Some(values),
        _ => None,
    }
}

fn named<T: Copy>(names: &[(&str, T)], wanted: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == wanted).map(|(_, one)| *one)
}

fn key_of(value: &Value) -> Option<KeySchema> {
    let element = |value: &Value, role: KeyRole| match value {
        Value::M(map) => {
            let kind = KeyType::from_name(text(map, "type")?)?;
            Some((KeyAttribute::new(text(map, "name")?, kind), role))
        }
        _ => None,
    };
    let Value::L(values) = value else { return None };
    let (first, sort) = values.split_first()?;
    let partition = match first {
        Value::L(partition) => partition,
        one => std::slice::from_ref(one),
    };
    let partition = partition.iter().map(|value| element(value, KeyRole::Hash));
    let sort = sort.iter().map(|value| element(value, KeyRole::Range));
    let elements = partition.chain(sort).collect::<Option<Vec<_>>>()?;
    KeySchema::new(elements, KeyLimits::Composite).ok()
}

fn index_of(value: &Value) -> Option<IndexDescription> {
    let Value::M(map) = value else { return None };
    let projection = match list(map, "projects") {
        Some(names) => IndexProjection::Include(
            names.iter().map(|name| as_text(name).map(str::to_owned)).collect::<Option<_>>()?,
        ),
        None if map.contains("projectsAll") => IndexProjection::All,
        None => IndexProjection::KeysOnly,
    };
    let is_global = map.get("global")? == &Value::Bool(true);
    Some(IndexDescription {
        index: Index {
            name: text(map, "name")?.to_owned(),
            key: key_of(map.get("key")?)?,
            projection,
            scope: if is_global { Scope::Global } else { Scope::Local },
        },
        status: named(&TableStatus::NAMES, text(map, "status")?)?,
        backfilling: map.get("backfilling").map(|value| value == &Value::Bool(true)),
        throughput: throughput_of(map.get("throughput")?)?,
        item_count: count_of(map, "itemCount")?,
        size_bytes: count_of(map, "sizeBytes")?,
    })
}

fn throughput_of(value: &Value) -> Option<ThroughputDescription> {
    let Value::M(map) = value else { return None };
    let throughput = match named(&BillingMode::CHOICES, text(map, "billing")?)? {
        BillingMode::Provisioned => {
            Throughput::provisioned(integer(map, "read")?, integer(map, "write")?)
        }
        BillingMode::PayPerRequest => Throughput::OnDemand(OnDemandThroughput {
            max_read_request_units: integer(map, "maxRead"),
            max_write_request_units: integer(map, "maxWrite"),
        }),
    };
    let warm = match (integer(map, "warmRead"), integer(map, "warmWrite")) {
        (Some(read_units_per_second), Some(write_units_per_second)) => {
            Some(WarmThroughput { read_units_per_second, write_units_per_second })
        }
        _ => None,
    };
    Some(ThroughputDescription {
        throughput,
        number_of_decreases_today: integer(map, "decreasesToday")?,
        last_increase_at: moment_of(map, "lastIncreaseAt"),
        last_decrease_at: moment_of(map, "lastDecreaseAt"),
        warm,
    })
}
