//! Keys as lists of attributes, and their limits in the service.

use crate::Type;
use crate::error::{Error, Result};
use std::fmt;

/// The type of a key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// A string, ordered by its UTF-8 bytes.
    S,
    /// A number, ordered by value.
    N,
    /// Bytes, ordered as unsigned bytes.
    B,
}

impl KeyType {
    /// The type with this name, if keys support it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "S" => Some(Self::S),
            "N" => Some(Self::N),
            "B" => Some(Self::B),
            _ => None,
        }
    }
}

impl From<KeyType> for Type {
    fn from(kind: KeyType) -> Self {
        match kind {
            KeyType::S => Self::S,
            KeyType::N => Self::N,
            KeyType::B => Self::B,
        }
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Type::from(*self).fmt(f)
    }
}

/// A key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: KeyType,
}

impl KeyAttribute {
    /// A key attribute of this name and type.
    pub fn new(name: impl Into<String>, kind: KeyType) -> Self {
        Self { name: name.into(), kind }
    }
}

/// The role of a key attribute: partition or sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyRole {
    /// Part of the partition key, which the service calls HASH.
    Hash,
    /// Part of the sort key, which the service calls RANGE.
    Range,
}

impl KeyRole {
    /// The names, in the service's order.
    pub(crate) const CHOICES: [(&str, Self); 2] = [("HASH", Self::Hash), ("RANGE", Self::Range)];

    /// The service's name for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hash => "HASH",
            Self::Range => "RANGE",
        }
    }
}

impl fmt::Display for KeyRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The limits on key attributes of tables and indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyLimits {
    /// Tables and local indexes: one partition attribute, at most one sort attribute.
    Simple,
    /// Global indexes: up to four of each.
    Composite,
}

/// Maximum number of partition attributes, and of sort attributes, in a composite key.
const COMPOSITE_ATTRIBUTES_MAX: usize = 4;

/// Maximum number of attributes in any key.
pub(crate) const KEY_ATTRIBUTES_MAX: usize = 2 * COMPOSITE_ATTRIBUTES_MAX;

/// The key of a table or index: attributes that select the partition, then attributes that sort the
/// items in it.
///
/// ```
/// use singlet_dynamo::schema::{KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType};
///
/// let attribute = |name| KeyAttribute::new(name, KeyType::S);
/// let simple = KeySchema::simple(attribute("PK"), Some(attribute("SK")));
/// assert_eq!(simple.first().name, "PK");
///
/// let elements = vec![
///     (attribute("tenant"), KeyRole::Hash),
///     (attribute("region"), KeyRole::Hash),
///     (attribute("state"), KeyRole::Range),
/// ];
/// let composite = KeySchema::new(elements, KeyLimits::Composite)?;
/// assert_eq!(composite.partition().count(), 2);
/// assert_eq!(composite.sort(), [attribute("state")]);
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySchema {
    first: KeyAttribute,
    /// The other partition attributes, then the sort attributes.
    others: Vec<KeyAttribute>,
    /// The number of partition attributes among `others`.
    other_partition_len: usize,
}

impl KeySchema {
    /// A key of one partition attribute and optionally one sort attribute.
    #[must_use]
    pub fn simple(partition: KeyAttribute, sort: Option<KeyAttribute>) -> Self {
        Self { first: partition, others: sort.into_iter().collect(), other_partition_len: 0 }
    }

    /// The key of these elements, if they are within `limits`, have different names, and partition
    /// attributes come before sort attributes.
    pub fn new(elements: Vec<(KeyAttribute, KeyRole)>, limits: KeyLimits) -> Result<Self> {
        let is_repeated = |place: usize, name: &str| {
            elements.iter().take(place).any(|(earlier, _)| earlier.name == name)
        };
        // Longer lists are refused below, without comparing all names.
        let mut names = elements.iter().take(KEY_ATTRIBUTES_MAX + 1).enumerate();
        if names.any(|(place, (attribute, _))| is_repeated(place, &attribute.name)) {
            return Err(Error::validation(
                "Both the Hash Key and the Range Key element in the KeySchema have the same name",
            ));
        }
        check_roles(elements.iter().map(|(_, role)| *role), limits)?;
        let partition_len = elements.iter().take_while(|(_, role)| *role == KeyRole::Hash).count();
        let mut attributes = elements.into_iter().map(|(attribute, _)| attribute);
        match attributes.next() {
            None => Err(Error::validation(NO_DEFINITION)),
            Some(first) => Ok(Self {
                first,
                others: attributes.collect(),
                other_partition_len: partition_len.saturating_sub(1),
            }),
        }
    }

    /// The first partition attribute, the only one in a table or local index.
    #[must_use]
    pub fn first(&self) -> &KeyAttribute {
        &self.first
    }

    /// The partition attributes.
    pub fn partition(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.attributes().take(1 + self.other_partition_len)
    }

    /// The sort attributes.
    #[must_use]
    pub fn sort(&self) -> &[KeyAttribute] {
        self.others.get(self.other_partition_len..).unwrap_or_default()
    }

    /// All attributes, partition attributes first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// All attributes with their roles.
    pub fn elements(&self) -> impl Iterator<Item = (&KeyAttribute, KeyRole)> {
        self.attributes().enumerate().map(|(place, attribute)| {
            let is_partition = place <= self.other_partition_len;
            (attribute, if is_partition { KeyRole::Hash } else { KeyRole::Range })
        })
    }

    /// The number of attributes.
    #[must_use]
    pub fn attribute_count(&self) -> usize {
        1 + self.others.len()
    }

    /// Whether there are several partition attributes or several sort attributes.
    #[must_use]
    pub fn is_composite(&self) -> bool {
        self.other_partition_len > 0 || self.others.len() > 1
    }

    /// Whether an attribute of this name is part of the key.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }
}

pub(crate) const NO_DEFINITION: &str =
    "Invalid KeySchema: Some index key attribute have no definition";

/// Checks the number and order of the elements of a key.
fn check_roles(roles: impl Iterator<Item = KeyRole> + Clone, limits: KeyLimits) -> Result<()> {
    let refuse = |why: &str| Err(Error::validation(format!("Invalid KeySchema: {why}")));
    if roles.clone().next().is_some_and(|role| role != KeyRole::Hash) {
        return refuse("The first KeySchemaElement is not a HASH key type");
    }
    match limits {
        KeyLimits::Simple => {
            if roles.clone().nth(1).is_some_and(|role| role != KeyRole::Range) {
                return refuse("The second KeySchemaElement is not a RANGE key type");
            }
            if roles.count() > 2 {
                return refuse("A key has at most 2 elements");
            }
        }
        KeyLimits::Composite => {
            for role in [KeyRole::Hash, KeyRole::Range] {
                let count = roles.clone().filter(|own| *own == role).count();
                if count > COMPOSITE_ATTRIBUTES_MAX {
                    return refuse(&format!(
                        "The number of {role} key attributes exceeds the limit of {COMPOSITE_ATTRIBUTES_MAX}"
                    ));
                }
            }
            let mut behind_hashes = roles.skip_while(|role| *role == KeyRole::Hash);
            if behind_hashes.any(|role| role == KeyRole::Hash) {
                return refuse("HASH key attributes must precede RANGE key attributes");
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters are attributes; `|` precedes the sort attributes.
    fn key(text: &str, limits: KeyLimits) -> Result<KeySchema> {
        let mut role = KeyRole::Hash;
        let mut elements = Vec::new();
        for letter in text.chars() {
            match letter {
                '|' => role = KeyRole::Range,
                '/' => role = KeyRole::Hash,
                _ => elements.push((KeyAttribute::new(letter, KeyType::S), role)),
            }
        }
        KeySchema::new(elements, limits)
    }

    #[test]
    fn keys_have_a_few_attributes_in_order() {
        let same =
            "Both the Hash Key and the Range Key element in the KeySchema have the same name";
        let first = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type";
        let second = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type";
        let order = "Invalid KeySchema: HASH key attributes must precede RANGE key attributes";
        let hash = "Invalid KeySchema: The number of HASH key attributes exceeds the limit of 4";
        let range = "Invalid KeySchema: The number of RANGE key attributes exceeds the limit of 4";
        for (text, simple, composite) in [
            ("a", "", ""),
            ("a|b", "", ""),
            ("ab", second, ""),
            ("abcd|efgh", second, ""),
            ("abcde", second, hash),
            ("a|bcdef", "Invalid KeySchema: A key has at most 2 elements", range),
            ("|a", first, first),
            ("|a/b", first, first),
            ("a|b/c", "Invalid KeySchema: A key has at most 2 elements", order),
            ("aa", same, same),
            ("a|a", same, same),
            ("ab|a", same, same),
            ("", NO_DEFINITION, NO_DEFINITION),
        ] {
            for (limits, expected) in
                [(KeyLimits::Simple, simple), (KeyLimits::Composite, composite)]
            {
                let found = key(text, limits).err();
                assert_eq!(found.as_ref().map_or("", |error| error.message()), expected, "{text}");
            }
        }
    }

    #[test]
    fn the_parts_of_a_key_are_its_attributes() {
        let names = |attributes: Vec<&KeyAttribute>| {
            attributes.iter().map(|attribute| attribute.name.as_str()).collect::<String>()
        };
        for (text, partition, sort, is_composite) in [
            ("a", "a", "", false),
            ("a|b", "a", "b", false),
            ("ab", "ab", "", true),
            ("a|bc", "a", "bc", true),
            ("abcd|efgh", "abcd", "efgh", true),
        ] {
            let key = key(text, KeyLimits::Composite).unwrap();
            assert_eq!(names(key.partition().collect()), partition);
            assert_eq!(names(key.sort().iter().collect()), sort);
            assert_eq!(key.is_composite(), is_composite);
            let hashes = key.elements().filter(|(_, role)| *role == KeyRole::Hash);
            assert_eq!(names(hashes.map(|(attribute, _)| attribute).collect()), partition);
            assert_eq!(key.attribute_count(), key.attributes().count());
        }
    }
}
