//! Tables as the generator believes them to be.

use super::Generator;
use singlet_dynamo::schema::{
    Index, IndexProjection, KeyAttribute, KeySchema, KeyType, Scope, TableSchema,
};

/// A table, as it is if no step was refused.
#[derive(Clone, Debug)]
pub(super) struct Design {
    pub(super) schema: TableSchema,
    /// The types of the attributes that are keys of indexes, or could be.
    pub(super) index_attributes: Vec<KeyAttribute>,
}

/// The names that tables have.
pub(super) const TABLES: [&str; 3] = ["alpha", "beta", "gamma"];
const INDEXES: [&str; 4] = ["one", "two", "three", "four"];
const KINDS: [KeyType; 3] = [KeyType::S, KeyType::N, KeyType::B];
/// The attributes that indexes are made of.
const INDEX_ATTRIBUTES: [&str; 3] = ["g", "h", "i"];
/// The attribute that tells when an item expires.
pub(super) const EXPIRY: &str = "ttl";

impl Generator {
    /// A new table: keys of all types, simple and composite, with up to four indexes.
    pub(super) fn design(&mut self, name: &str) -> Design {
        let partition = KeyAttribute::new("pk", self.pick(&KINDS));
        let sort = self.random.percent(75).then(|| KeyAttribute::new("sk", self.pick(&KINDS)));
        let mut attributes: Vec<KeyAttribute> = INDEX_ATTRIBUTES
            .iter()
            .map(|name| KeyAttribute::new(*name, self.pick(&KINDS)))
            .collect();
        // An index on the moment of expiry sees items go.
        attributes.push(KeyAttribute::new(EXPIRY, KeyType::N));
        let key = KeySchema { partition, sort };
        let schema = TableSchema { name: name.to_owned(), key, indexes: Vec::new() };
        let mut design = Design { schema, index_attributes: attributes };
        for name in INDEXES.iter().take(self.random.below(4)) {
            let is_local = design.schema.key.sort.is_some() && self.random.percent(40);
            let index = match is_local {
                true => self.local_index(name, &design),
                false => self.global_index(name, &design),
            };
            design.schema.indexes.push(index);
        }
        // Requests list local indexes first.
        design.schema.indexes.sort_by_key(|index| index.scope == Scope::Global);
        design
    }

    fn projection(&mut self) -> IndexProjection {
        match self.random.below(4) {
            0 => IndexProjection::KeysOnly,
            1 => IndexProjection::Include(vec!["a".to_owned(), "b".to_owned()]),
            _ => IndexProjection::All,
        }
    }

    fn local_index(&mut self, name: &str, design: &Design) -> Index {
        Index {
            name: name.to_owned(),
            key: KeySchema {
                partition: design.schema.key.partition.clone(),
                sort: Some(self.pick(&design.index_attributes)),
            },
            projection: self.projection(),
            scope: Scope::Local,
        }
    }

    /// An index by attributes of its own, or by the table's key the other way round.
    pub(super) fn global_index(&mut self, name: &str, design: &Design) -> Index {
        let own = &design.schema.key;
        let partition = match &own.sort {
            Some(sort) if self.random.percent(20) => sort.clone(),
            _ => self.pick(&design.index_attributes),
        };
        let mut others = design.index_attributes.clone();
        others.push(own.partition.clone());
        others.retain(|attribute| attribute.name != partition.name);
        let sort = self.random.percent(60).then(|| self.pick(&others));
        Index {
            name: name.to_owned(),
            key: KeySchema { partition, sort },
            projection: self.projection(),
            scope: Scope::Global,
        }
    }

    /// The name of an index to read, if it is to be one: of the table, or rarely of none.
    pub(super) fn maybe_index_name(&mut self, design: &Design, percent: usize) -> Option<String> {
        if self.random.percent(2) {
            return Some(self.pick(&INDEXES).to_owned());
        }
        let index = self.random.one_of(&design.schema.indexes)?;
        self.random.percent(percent).then(|| index.name.clone())
    }

    /// A name of an index that the table does not have.
    pub(super) fn new_index_name(&mut self, design: &Design) -> Option<String> {
        let is_new = |name: &&&str| design.schema.index(name).is_none();
        INDEXES.iter().find(is_new).map(|name| (*name).to_owned())
    }

    /// The name of a table: mostly of one that is there.
    pub(super) fn table_name(&mut self) -> String {
        match self.random.one_of(&self.designs) {
            Some(design) if self.random.percent(97) => design.schema.name.clone(),
            _ => self.pick(&TABLES).to_owned(),
        }
    }

    /// A table: mostly one that is there.
    pub(super) fn any_design(&mut self) -> Design {
        match self.random.one_of(&self.designs).cloned() {
            Some(design) if self.random.percent(99) => design,
            _ => {
                let name = self.pick(&TABLES);
                self.design(name)
            }
        }
    }
}
