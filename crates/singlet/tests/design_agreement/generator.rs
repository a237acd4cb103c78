//! Random designs, most of them with mistakes.

use singlet::dynamo::schema::KeyType;

/// A deterministic random number generator (SplitMix64).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap()
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of.get(self.below(of.len())).unwrap().clone()
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Id,
    Text,
    State,
    Timestamp,
    Integer,
    Number,
    Bytes,
    Boolean,
    List,
}

#[derive(Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) optional: bool,
    pub(crate) in_key: bool,
}

#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) partition: Vec<String>,
    pub(crate) sort: Vec<String>,
}

impl Key {
    pub(crate) fn templates(&self) -> impl Iterator<Item = &String> {
        self.partition.iter().chain(&self.sort)
    }
}

pub(crate) struct IndexKey {
    pub(crate) index: String,
    pub(crate) key: Key,
    pub(crate) when: Option<(String, Vec<String>)>,
}

pub(crate) struct Entity {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) key: Key,
    pub(crate) indexes: Vec<IndexKey>,
    pub(crate) discriminator: Option<(String, String)>,
    pub(crate) payload: Option<String>,
    pub(crate) expires: bool,
    pub(crate) shares_key_with: Vec<String>,
}

pub(crate) struct Attributes {
    pub(crate) partition: Vec<(String, KeyType)>,
    pub(crate) sort: Vec<(String, KeyType)>,
}

impl Attributes {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.partition.iter().chain(&self.sort).any(|(own, _)| own == name)
    }

    pub(crate) fn is_composite(&self) -> bool {
        self.partition.len() > 1 || self.sort.len() > 1
    }
}

pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) key: Attributes,
    pub(crate) projection: Option<Vec<String>>,
    pub(crate) local: bool,
}

pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) key: Attributes,
    pub(crate) indexes: Vec<Index>,
    pub(crate) ttl: Option<String>,
    pub(crate) delimiter: char,
    pub(crate) entities: Vec<Entity>,
}

fn key_type(chance: &mut Chance) -> KeyType {
    match chance.below(14) {
        0 => KeyType::N,
        1 => KeyType::B,
        _ => KeyType::S,
    }
}

fn attributes(chance: &mut Chance, partition: &[&str], sort: &[&str]) -> Attributes {
    let sort = (!chance.one_in(4)).then(|| (chance.pick(sort).to_owned(), key_type(chance)));
    Attributes {
        partition: vec![(chance.pick(partition).to_owned(), key_type(chance))],
        sort: sort.into_iter().collect(),
    }
}

/// A key of several attributes, which are fields of most entities.
fn several(chance: &mut Chance) -> Attributes {
    let mut names = vec!["id", "state", "count", "title", "kind", "PK", "more", "GSI1SK"];
    let mut list = |chance: &mut Chance, lens: &[usize]| -> Vec<(String, KeyType)> {
        let len = chance.pick(lens);
        let own = (0..len).map(|_| {
            let end = if chance.one_in(20) { names.len() } else { 4.min(names.len()) };
            let place = chance.below(end);
            let name = if chance.one_in(30) { "id" } else { names.remove(place) };
            let kind = match name {
                _ if chance.one_in(40) => KeyType::B,
                "count" => KeyType::N,
                _ => KeyType::S,
            };
            (name.to_owned(), kind)
        });
        own.collect()
    };
    Attributes {
        partition: list(chance, &[1, 2, 2, 2, 2, 2, 2, 5]),
        sort: list(chance, &[0, 1, 2, 2, 3]),
    }
}

fn template(chance: &mut Chance, kind: KeyType, word: &str, fields: &[Field]) -> String {
    let field = |chance: &mut Chance| {
        let field = chance.pick(fields);
        let width = match field.kind {
            Kind::Integer if !chance.one_in(4) => chance.pick(&[":04", ":020", ":038"]),
            _ if chance.one_in(25) => ":04",
            _ => "",
        };
        format!("{{{}{width}}}", field.name)
    };
    if chance.one_in(40) {
        let broken = ["", "{", "A}", "{}", "{{A}}#{nobody}", "{id:4}", "{id:039}", "{{#{id}"];
        return chance.pick(&broken).to_owned();
    }
    if kind != KeyType::S && !chance.one_in(4) {
        let fitting = fields.iter().find(|field| match kind {
            KeyType::N => matches!(field.kind, Kind::Integer | Kind::Number),
            _ => field.kind == Kind::Bytes,
        });
        if let Some(field) = fitting {
            return format!("{{{}}}", field.name);
        }
    }
    match chance.below(8) {
        0 => word.to_owned(),
        1 => field(chance),
        2 => format!("{}#{}", field(chance), field(chance)),
        3 => format!("{word}#{}#{}", field(chance), field(chance)),
        4 => format!("{word}#{}{}", field(chance), field(chance)),
        5 => "SAME#{id}".to_owned(),
        _ => format!("{word}#{{id}}"),
    }
}

fn key(chance: &mut Chance, attributes: &Attributes, word: &str, fields: &[Field]) -> Key {
    let each = |chance: &mut Chance, (name, kind): &(String, KeyType)| {
        let is_field = fields.iter().any(|field| field.name == *name);
        match attributes.is_composite() && is_field && !chance.one_in(12) {
            true => format!("{{{name}}}"),
            false => template(chance, *kind, word, fields),
        }
    };
    let partition = attributes.partition.iter().map(|own| each(chance, own)).collect();
    let mut sort: Vec<String> = attributes.sort.iter().map(|own| each(chance, own)).collect();
    if chance.one_in(30) && sort.pop().is_none() {
        sort.push(template(chance, KeyType::S, word, fields));
    }
    Key { partition, sort }
}

fn entity(chance: &mut Chance, number: usize, names: &[&str], table: &Table) -> Entity {
    let kinds = [
        Kind::Id,
        Kind::Id,
        Kind::Text,
        Kind::State,
        Kind::Timestamp,
        Kind::Integer,
        Kind::Number,
        Kind::Bytes,
        Kind::Boolean,
        Kind::List,
    ];
    let mut fields =
        vec![Field { name: "id".into(), kind: Kind::Id, optional: false, in_key: false }];
    for name in ["state", "count", "title", "GSI1SK", "TTL", "kind", "PK"] {
        let is_odd = name.chars().any(char::is_uppercase);
        if chance.one_in(if is_odd { 14 } else { 2 }) {
            let kind = match name {
                "state" => Kind::State,
                "count" => Kind::Integer,
                _ => chance.pick(&kinds),
            };
            let optional = chance.one_in(6);
            fields.push(Field { name: name.into(), kind, optional, in_key: false });
        }
    }
    let composite = table.indexes.iter().filter(|index| index.key.is_composite());
    for (name, kind) in
        composite.flat_map(|index| index.key.partition.iter().chain(&index.key.sort))
    {
        if fields.iter().all(|field| field.name != *name) && !chance.one_in(8) {
            let kind = match kind {
                KeyType::S => chance.pick(&[Kind::Id, Kind::Text, Kind::State]),
                KeyType::N => Kind::Integer,
                KeyType::B => Kind::Bytes,
            };
            let optional = chance.one_in(6);
            fields.push(Field { name: name.clone(), kind, optional, in_key: false });
        }
    }
    let word = chance.pick(&["GAME", "PLAYER", "A"]);
    let key_of_table = key(chance, &table.key, word, &fields);
    let mut indexes = Vec::new();
    for index in &table.indexes {
        let name = if chance.one_in(50) { "nowhere".into() } else { index.name.clone() };
        let keys =
            chance.pick(if index.key.is_composite() { &[0, 1, 1, 1] } else { &[0, 1, 1, 2] });
        for number in 0..keys {
            let value = chance.pick(&["open", "closed", "OPEN"]).to_owned();
            let field = chance.pick(&["state", "state", "state", "count"]).to_owned();
            let is_known = fields.iter().any(|own| own.name == field);
            let when = (is_known && chance.one_in(if keys > 1 { 1 } else { 4 }))
                .then(|| (field, vec![value]));
            let word = chance.pick(&["OPEN", "CLOSED", word]);
            let _ = number;
            indexes.push(IndexKey {
                index: name.clone(),
                key: key(chance, &index.key, word, &fields),
                when,
            });
        }
    }
    let keys = std::iter::once(&key_of_table).chain(indexes.iter().map(|own| &own.key));
    let texts: Vec<&String> = keys.flat_map(Key::templates).collect();
    for field in &mut fields {
        let name = format!("{{{}", field.name);
        let is_in_some_key = texts.iter().any(|text| text.contains(&name));
        let is_own = |index: &Index| index.key.contains(&field.name);
        let is_stored = table.indexes.iter().any(|index| index.key.is_composite() && is_own(index));
        field.in_key = chance.one_in(if is_in_some_key && !is_stored { 5 } else { 25 });
    }
    let shared = names.iter().enumerate().filter(|(place, _)| *place != number);
    let shares_key_with: Vec<String> =
        shared.filter(|_| chance.one_in(8)).map(|(_, name)| (*name).to_owned()).collect();
    let value = chance.pick(&["GAME", "PLAYER", "USER"]).to_owned();
    let own = chance.one_in(3).then(|| (chance.pick(&["kind", "entity"]).to_owned(), value));
    Entity {
        name: names.get(number).copied().unwrap().to_owned(),
        fields,
        key: key_of_table,
        indexes,
        discriminator: own,
        payload: chance.one_in(12).then(|| chance.pick(&["data", "title"]).to_owned()),
        expires: chance.one_in(5),
        shares_key_with,
    }
}

pub(crate) fn table(chance: &mut Chance) -> Table {
    let mut indexes = Vec::new();
    let count = chance.pick(&[0, 0, 1, 1, 2]);
    for (name, partition, sort) in
        [("GSI1", "GSI1PK", "GSI1SK"), ("GSI2", "GSI2PK", "GSI1SK")].into_iter().take(count)
    {
        let local = chance.one_in(8);
        let partition = if local && !chance.one_in(4) { "PK" } else { partition };
        let projection = chance.one_in(4).then(|| match chance.below(2) {
            0 => Vec::new(),
            _ => vec!["TTL".to_owned()],
        });
        let key = match chance.one_in(if local { 12 } else { 3 }) {
            true => several(chance),
            false => attributes(chance, &[partition], &[sort, sort, sort, "SK"]),
        };
        let name = if chance.one_in(40) { chance.pick(&["in", "by state"]) } else { name };
        if indexes.iter().all(|other: &Index| other.name != name) {
            indexes.push(Index { name: name.into(), key, projection, local });
        }
    }
    // Many indexes: at the limit of their kind, or one over.
    if chance.one_in(60) {
        let (local, most) = chance.pick(&[(true, 5), (false, 20)]);
        let more = most + usize::from(chance.one_in(2));
        indexes = (0..more)
            .map(|number| {
                let own = format!("X{number}");
                let partition = if local { "PK" } else { own.as_str() };
                Index {
                    name: format!("index{number}"),
                    key: Attributes {
                        partition: vec![(partition.into(), KeyType::S)],
                        sort: vec![(format!("S{number}"), KeyType::S)],
                    },
                    projection: None,
                    local,
                }
            })
            .collect();
    }
    let delimiter = if chance.one_in(10) { '|' } else { '#' };
    let key = match chance.one_in(60) {
        true => several(chance),
        false => attributes(chance, &["PK"], &["SK"]),
    };
    let mut table = Table {
        name: if chance.one_in(60) { "no".into() } else { "chance".into() },
        key,
        indexes,
        ttl: (!chance.one_in(3)).then(|| "TTL".to_owned()),
        delimiter,
        entities: Vec::new(),
    };
    let names = ["Game", "Player", "User"];
    let count = chance.pick(&[1, 1, 2, 3]);
    for number in 0..count {
        let entity = entity(chance, number, names.get(..count).unwrap(), &table);
        table.entities.push(entity);
    }
    table
}
