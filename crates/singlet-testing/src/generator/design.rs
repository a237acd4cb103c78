//! Tables as the generator believes them to be.

use super::Generator;
use serde_json::{Map, Value, json};

/// A table, assuming that no request about it was refused.
#[derive(Clone, Debug)]
pub(super) struct Design {
    pub(super) name: String,
    pub(super) partition: Attribute,
    pub(super) sort: Option<Attribute>,
    pub(super) indexes: Vec<Index>,
    pub(super) has_stream: bool,
    is_provisioned: bool,
    /// The types of the attributes that indexes have as keys, or could have.
    pub(super) index_attributes: Vec<Attribute>,
}

/// An attribute that is a key.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
}

/// A secondary index.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) name: &'static str,
    pub(super) partition: Attribute,
    pub(super) sort: Option<Attribute>,
    pub(super) is_local: bool,
    projection: Value,
}

/// The attribute that says when an item expires.
pub(super) const EXPIRY: &str = "expires";
const KEY_KINDS: [&str; 3] = ["S", "N", "B"];
const INDEX_NAMES: [&str; 5] = ["one", "two", "three", "four", "five"];
/// The name of no index.
pub(super) const NO_INDEX: &str = "none";

impl Design {
    /// The key's attributes, the partition key first.
    pub(super) fn key(&self) -> impl Iterator<Item = &Attribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// The request that makes the table.
    pub(super) fn create_table(&self) -> Map<String, Value> {
        let mut attributes: Vec<&Attribute> = self.key().collect();
        for index in &self.indexes {
            attributes.extend(index.key());
        }
        attributes.sort_by_key(|attribute| attribute.name);
        attributes.dedup_by_key(|attribute| attribute.name);
        let mut body = Map::new();
        body.insert("TableName".to_owned(), json!(self.name));
        body.insert("KeySchema".to_owned(), key_schema(self.key()));
        body.insert("AttributeDefinitions".to_owned(), definitions(attributes));
        let mut local = Vec::new();
        let mut global = Vec::new();
        for index in &self.indexes {
            match index.is_local {
                true => local.push(index.definition()),
                false => global.push(self.with_throughput(index.definition())),
            }
        }
        if !local.is_empty() {
            body.insert("LocalSecondaryIndexes".to_owned(), Value::Array(local));
        }
        if !global.is_empty() {
            body.insert("GlobalSecondaryIndexes".to_owned(), Value::Array(global));
        }
        if self.is_provisioned {
            body.insert("ProvisionedThroughput".to_owned(), throughput(5, 6));
        } else {
            body.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST"));
        }
        body
    }

    /// The definition of a global index as this table needs it.
    pub(super) fn with_throughput(&self, mut index: Value) -> Value {
        if self.is_provisioned {
            index["ProvisionedThroughput"] = throughput(3, 4);
        }
        index
    }
}

impl Index {
    pub(super) fn key(&self) -> impl Iterator<Item = &Attribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Whether its rows hold all attributes of the items.
    pub(super) fn holds_all(&self) -> bool {
        self.projection["ProjectionType"] == "ALL"
    }

    pub(super) fn definition(&self) -> Value {
        json!({
            "IndexName": self.name,
            "KeySchema": key_schema(self.key()),
            "Projection": self.projection,
        })
    }
}

pub(super) fn throughput(read: u64, write: u64) -> Value {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

fn key_schema<'a>(key: impl Iterator<Item = &'a Attribute>) -> Value {
    let elements = key
        .zip(["HASH", "RANGE"])
        .map(|(attribute, role)| json!({"AttributeName": attribute.name, "KeyType": role}));
    elements.collect()
}

pub(super) fn definitions<'a>(attributes: impl IntoIterator<Item = &'a Attribute>) -> Value {
    let definitions = attributes
        .into_iter()
        .map(|attribute| json!({"AttributeName": attribute.name, "AttributeType": attribute.kind}));
    definitions.collect()
}

impl Generator {
    /// A new table: keys of all types, simple and composite, with up to four indexes.
    pub(super) fn design(&mut self, name: String) -> Design {
        let mut attribute =
            |name| Attribute { name, kind: self.random.one_of(&KEY_KINDS).copied().unwrap_or("S") };
        let partition = attribute("pk");
        let sort = attribute("sk");
        let mut index_attributes = ["g", "h", "i"].map(attribute).to_vec();
        if !self.asks_endpoints() {
            // An index on the moment of expiry sees items go.
            index_attributes.push(Attribute { name: EXPIRY, kind: "N" });
        }
        let mut design = Design {
            name,
            partition,
            sort: self.random.percent(75).then_some(sort),
            indexes: Vec::new(),
            has_stream: false,
            is_provisioned: self.random.percent(25),
            index_attributes,
        };
        for _ in 0..self.random.below(5) {
            let is_local = design.sort.is_some() && self.random.percent(40);
            let index = self.index(&design, is_local);
            design.indexes.extend(index);
        }
        design
    }

    /// An index that the table does not have yet, if there is a name left.
    pub(super) fn index(&mut self, design: &Design, is_local: bool) -> Option<Index> {
        let is_taken = |name: &str| design.indexes.iter().any(|index| index.name == name);
        let name = INDEX_NAMES.into_iter().find(|name| !is_taken(name))?;
        let own = self.pick(&design.index_attributes);
        let (partition, sort) = match is_local {
            true => (design.partition.clone(), Some(own)),
            false => {
                let partition = match &design.sort {
                    Some(sort) if self.random.percent(20) => sort.clone(),
                    _ => own,
                };
                let mut others = design.index_attributes.clone();
                others.push(design.partition.clone());
                others.retain(|attribute| attribute.name != partition.name);
                (partition, self.random.percent(60).then(|| self.pick(&others)))
            }
        };
        let projection = match self.random.below(4) {
            0 => json!({"ProjectionType": "KEYS_ONLY"}),
            1 => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["s", "m"]}),
            _ => json!({"ProjectionType": "ALL"}),
        };
        Some(Index { name, partition, sort, is_local, projection })
    }

    /// A table that should be there.
    pub(super) fn any_design(&mut self) -> Design {
        self.pick(&self.designs.clone())
    }

    /// The table's name, unless by mistake.
    pub(super) fn table_name(&mut self, design: &Design) -> Value {
        if self.errs(6) {
            return match self.random.below(6) {
                0 => json!("a"),
                1 => json!(""),
                2 => json!("bad name!"),
                3 => json!("x".repeat(256)),
                4 => json!(format!("{}_nowhere", design.name)),
                _ => json!("nowhere"),
            };
        }
        json!(design.name)
    }
}
