//! The generator's view of tables.

use super::Generator;
use serde_json::{Map, Value, json};

/// A table, assuming that no request about it failed.
#[derive(Clone, Debug)]
pub(super) struct Design {
    pub(super) name: String,
    pub(super) key: Key,
    pub(super) indexes: Vec<Index>,
    pub(super) has_stream: bool,
    is_provisioned: bool,
    /// Attributes that are or could become index keys.
    pub(super) index_attributes: Vec<Attribute>,
}

/// A key attribute.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
}

/// The key of a table or index. Only global indexes have several attributes per role.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) partition: Vec<Attribute>,
    pub(super) sort: Vec<Attribute>,
}

#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) name: &'static str,
    pub(super) key: Key,
    pub(super) is_local: bool,
    projection: Value,
}

impl Key {
    /// All attributes, partition attributes first.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.partition.iter().chain(&self.sort)
    }

    fn schema(&self) -> Value {
        let element = |role: &'static str| move |attribute: &Attribute| json!({"AttributeName": attribute.name, "KeyType": role});
        let sort = self.sort.iter().map(element("RANGE"));
        self.partition.iter().map(element("HASH")).chain(sort).collect()
    }
}

/// The time-to-live attribute.
pub(super) const EXPIRY: &str = "expires";
const KEY_KINDS: [&str; 3] = ["S", "N", "B"];
const INDEX_NAMES: [&str; 5] = ["one", "two", "three", "four", "five"];
/// A name that no index has.
pub(super) const NO_INDEX: &str = "none";

impl Design {
    /// The key attributes, partition key first.
    pub(super) fn key(&self) -> impl Iterator<Item = &Attribute> {
        self.key.attributes()
    }

    /// The CreateTable request.
    pub(super) fn create_table(&self) -> Map<String, Value> {
        let mut attributes: Vec<&Attribute> = self.key().collect();
        for index in &self.indexes {
            attributes.extend(index.key());
        }
        attributes.sort_by_key(|attribute| attribute.name);
        attributes.dedup_by_key(|attribute| attribute.name);
        let mut body = Map::new();
        body.insert("TableName".to_owned(), json!(self.name));
        body.insert("KeySchema".to_owned(), self.key.schema());
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

    /// A global index definition, with throughput if the table is provisioned.
    pub(super) fn with_throughput(&self, mut index: Value) -> Value {
        if self.is_provisioned {
            index["ProvisionedThroughput"] = throughput(3, 4);
        }
        index
    }
}

impl Index {
    pub(super) fn key(&self) -> impl Iterator<Item = &Attribute> {
        self.key.attributes()
    }

    /// Whether the index projects all attributes.
    pub(super) fn holds_all(&self) -> bool {
        self.projection["ProjectionType"] == "ALL"
    }

    pub(super) fn definition(&self) -> Value {
        json!({
            "IndexName": self.name,
            "KeySchema": self.key.schema(),
            "Projection": self.projection,
        })
    }
}

pub(super) fn throughput(read: u64, write: u64) -> Value {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

pub(super) fn definitions<'a>(attributes: impl IntoIterator<Item = &'a Attribute>) -> Value {
    let definitions = attributes
        .into_iter()
        .map(|attribute| json!({"AttributeName": attribute.name, "AttributeType": attribute.kind}));
    definitions.collect()
}

impl Generator {
    /// A new table: simple or composite key of any type, with up to four indexes.
    pub(super) fn design(&mut self, name: String) -> Design {
        let mut attribute =
            |name| Attribute { name, kind: self.random.one_of(&KEY_KINDS).copied().unwrap_or("S") };
        let partition = attribute("pk");
        let sort = attribute("sk");
        let mut index_attributes = ["g", "h", "i"].map(attribute).to_vec();
        if !self.asks_endpoints() {
            // Expiry must also remove rows from an index on the expiry time.
            index_attributes.push(Attribute { name: EXPIRY, kind: "N" });
        }
        let sort = self.random.percent(75).then_some(sort);
        let mut design = Design {
            name,
            key: Key { partition: vec![partition], sort: sort.into_iter().collect() },
            indexes: Vec::new(),
            has_stream: false,
            is_provisioned: self.random.percent(25),
            index_attributes,
        };
        for _ in 0..self.random.below(5) {
            let is_local = !design.key.sort.is_empty() && self.random.percent(40);
            let index = self.index(&design, is_local);
            design.indexes.extend(index);
        }
        design
    }

    /// A new index, if a name is left.
    pub(super) fn index(&mut self, design: &Design, is_local: bool) -> Option<Index> {
        let is_taken = |name: &str| design.indexes.iter().any(|index| index.name == name);
        let name = INDEX_NAMES.into_iter().find(|name| !is_taken(name))?;
        let own = self.pick(&design.index_attributes);
        let key = match is_local {
            true => Key { partition: design.key.partition.clone(), sort: vec![own] },
            false => self.global_key(design, own),
        };
        let projection = match self.random.below(4) {
            0 => json!({"ProjectionType": "KEYS_ONLY"}),
            1 => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["s", "m"]}),
            _ => json!({"ProjectionType": "ALL"}),
        };
        Some(Index { name, key, is_local, projection })
    }

    /// The key of a global index: usually this attribute, and others.
    fn global_key(&mut self, design: &Design, own: Attribute) -> Key {
        let first = match design.key.sort.first() {
            Some(sort) if self.random.percent(20) => sort.clone(),
            _ => own,
        };
        let (partition_len, sort_len) = match self.random.percent(40) {
            true => (1 + self.random.below(3), self.random.below(4)),
            false => (1, usize::from(self.random.percent(60))),
        };
        let mut others = design.index_attributes.clone();
        others.extend(design.key.partition.iter().cloned());
        others.retain(|attribute| attribute.name != first.name);
        let mut key = Key { partition: vec![first], sort: Vec::new() };
        while !others.is_empty() && key.partition.len() + key.sort.len() < partition_len + sort_len
        {
            let next = others.swap_remove(self.random.below(others.len()));
            let is_partition = key.partition.len() < partition_len;
            if is_partition { &mut key.partition } else { &mut key.sort }.push(next);
        }
        key
    }

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
