//! ExpressionAttributeNames and ExpressionAttributeValues.

use super::{Fault, Parameter};
use crate::Value;
use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use crate::json::Reader;
use crate::json::value::{ATTRIBUTE_VALUE, Budget, Unchecked, read_value_within};
use crate::limits::{ATTRIBUTE_NAME_SIZE_MAX, ITEM_SIZE_MAX};
use std::borrow::Cow;

/// Maximum total size of the names, or of the values, of one request: 2 MB.
pub const PLACEHOLDERS_SIZE_MAX: usize = 2 * 1024 * 1024;
/// Maximum size of a placeholder, including `#` or `:`.
pub const PLACEHOLDER_SIZE_MAX: usize = 255;

/// How many names, or values, of one request are kept. A request has at most three expressions of
/// 4,096 characters, which cannot use half as many, and unused ones are an error.
const KEPT_MAX: usize = 8192;
/// Maximum total size of the repeated uses of names and values in one request: each use makes a
/// copy, and an expression has room for 800 copies of 2 MB. An update that sets more than this
/// makes the item too large.
pub const REPEATED_SIZE_MAX: usize = ITEM_SIZE_MAX;

/// The names and values of a request's placeholders, and which of them were used.
///
/// All expressions of a request share one. After all are parsed,
/// [`check_all_used`](Self::check_all_used) reports unused placeholders.
///
/// ```
/// use singlet_dynamo::expression::{Parameter, Placeholders, Projection};
///
/// let mut placeholders = Placeholders::of(&[("#n", "name"), ("#c", "count")], []);
/// Projection::parse("#n, age", Parameter::ProjectionExpression, &mut placeholders)?;
/// assert_eq!(
///     placeholders.check_all_used().unwrap_err().message(),
///     "Value provided in ExpressionAttributeNames unused in expressions: keys: {#c}"
/// );
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Placeholders {
    names: Option<Entries<Option<String>>>,
    values: Option<Entries<Option<Unchecked<Value>>>>,
    /// Total size of repeated uses.
    repeated_size: usize,
}

/// Meanings of keys, sorted by key.
#[derive(Clone, Debug)]
struct Entries<T> {
    entries: Vec<Entry<T>>,
    /// Whether there were more or larger entries than are kept.
    is_cut: bool,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    key: String,
    meaning: T,
    /// The position in the request, which determines Java's order.
    place: usize,
    used: bool,
}

impl Placeholders {
    /// These names and values.
    pub fn of<const N: usize>(names: &[(&str, &str)], values: [(&str, Value); N]) -> Self {
        let (mut own_names, mut own_values) = (Gathered::new(), Gathered::new());
        for (key, name) in names {
            own_names.push((*key).into(), Some((*name).to_owned()));
        }
        for (key, value) in values {
            own_values.push(key.into(), Some(Unchecked::from(value)));
        }
        Self {
            names: (!names.is_empty()).then(|| own_names.finish()),
            values: (N > 0).then(|| own_values.finish()),
            repeated_size: 0,
        }
    }

    /// Reads the member `ExpressionAttributeNames`.
    pub fn read_names(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let mut entries = Gathered::new();
        let found = reader.map("java.lang.String", |reader, key| {
            entries.push(key, reader.owned_string()?);
            Ok(())
        })?;
        self.names = found.then(|| entries.finish());
        Ok(())
    }

    /// Reads the member `ExpressionAttributeValues`.
    pub fn read_values(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let mut entries = Gathered::new();
        let mut budget = Budget::within(reader, PLACEHOLDERS_SIZE_MAX);
        let found = reader.map(ATTRIBUTE_VALUE, |reader, key| {
            budget.spend(|| key.len());
            entries.push(key, read_value_within(reader, &mut budget)?);
            Ok(())
        })?;
        entries.is_cut |= !budget.keeps();
        self.values = found.then(|| entries.finish());
        Ok(())
    }

    /// Refuses names or values in a request without an expression that could use them.
    /// `expressions` are all expressions of the operation, in the service's order, with whether
    /// they are present.
    pub fn check_needed(&self, expressions: &[(Parameter, bool)]) -> Result<()> {
        if self.names.is_some() && expressions.iter().all(|(_, given)| !given) {
            return Err(Error::validation(
                "ExpressionAttributeNames can only be specified when using expressions",
            ));
        }
        let mut with_values = expressions
            .iter()
            .filter(|(parameter, _)| *parameter != Parameter::ProjectionExpression)
            .peekable();
        if self.values.is_some()
            && with_values.peek().is_some()
            && with_values.clone().all(|(_, given)| !given)
        {
            let names: Vec<&str> = with_values.map(|(parameter, _)| parameter.name()).collect();
            return Err(Error::validation(format!(
                "ExpressionAttributeValues can only be specified when using expressions: {} {} null",
                names.join(" and "),
                if names.len() == 1 { "is" } else { "are" }
            )));
        }
        Ok(())
    }

    /// Refuses malformed placeholders, and invalid names and values.
    pub fn check(&self) -> Result<()> {
        if let Some(names) = &self.names {
            let refuse =
                |why: String| Err(Error::validation(format!("ExpressionAttributeNames {why}")));
            if let Err(fault) = names.check_keys('#') {
                return refuse(fault);
            }
            for Entry { key, meaning, .. } in names.in_place() {
                let fault = match meaning.as_ref().map(String::len) {
                    None => "null",
                    Some(0) => "Empty attribute name",
                    Some(1..=ATTRIBUTE_NAME_SIZE_MAX) => continue,
                    Some(_) => "Attribute name is too large, must be less than 65536 bytes",
                };
                return refuse(format!("contains invalid value: {fault} for key {key}"));
            }
            let size =
                |entry: &Entry<Option<String>>| entry.meaning.as_ref().map_or(0, String::len);
            if names.is_cut || names.size(size) > PLACEHOLDERS_SIZE_MAX {
                return refuse("exceeds max size".to_owned());
            }
        }
        if let Some(values) = &self.values {
            let refuse =
                |why: String| Err(Error::validation(format!("ExpressionAttributeValues {why}")));
            if let Err(fault) = values.check_keys(':') {
                return refuse(fault);
            }
            for Entry { key, meaning, .. } in values.in_place() {
                let fault = match meaning {
                    None => Some(crate::json::value::EMPTY),
                    Some(value) => value.fault(),
                };
                if let Some(fault) = fault {
                    // The service finds this later than other faults, and reports it without a
                    // prefix.
                    if fault == crate::json::value::TOO_DEEP {
                        return Err(Error::validation(fault.to_owned()));
                    }
                    return refuse(format!("contains invalid value: {fault} for key {key}"));
                }
            }
            let size = |entry: &Entry<Option<Unchecked<Value>>>| {
                entry.meaning.as_ref().map_or(0, |value| value.content().size())
            };
            if values.is_cut || values.size(size) > PLACEHOLDERS_SIZE_MAX {
                return refuse("exceeds max size".to_owned());
            }
        }
        Ok(())
    }

    /// Refuses placeholders that no expression used.
    pub fn check_all_used(&self) -> Result<()> {
        for (member, unused) in [
            ("ExpressionAttributeNames", self.names.as_ref().map(Entries::unused)),
            ("ExpressionAttributeValues", self.values.as_ref().map(Entries::unused)),
        ] {
            let unused = unused.unwrap_or_default();
            if !unused.is_empty() {
                return Err(Error::validation(format!(
                    "Value provided in {member} unused in expressions: keys: {{{}}}",
                    Excerpt(unused.join(", "))
                )));
            }
        }
        Ok(())
    }

    /// Total size of all values.
    pub(crate) fn values_size(&self) -> usize {
        let values = self.values.iter().flat_map(|values| &values.entries);
        values.flat_map(|entry| &entry.meaning).map(|value| value.content().size()).sum()
    }

    /// Total size of the repeated uses.
    pub(crate) fn repeated_size(&self) -> usize {
        self.repeated_size
    }

    /// The attribute name of a placeholder.
    pub(super) fn name(&mut self, key: &str) -> Result<String, Fault> {
        let found = self.names.as_mut().and_then(|names| names.find(key));
        let Some((Some(name), was_used)) = found else {
            return Err(Fault::UndefinedName(key.to_owned()));
        };
        if was_used {
            count_repeated(&mut self.repeated_size, name.len())?;
        }
        Ok(name.clone())
    }

    /// The value of a placeholder.
    pub(super) fn value(&mut self, key: &str) -> Result<Value, Fault> {
        let found = self.values.as_mut().and_then(|values| values.find(key));
        let Some((Some(value), was_used)) = found else {
            return Err(Fault::UndefinedValue(key.to_owned()));
        };
        if was_used {
            count_repeated(&mut self.repeated_size, value.content().size())?;
        }
        Ok(value.content().clone())
    }
}

fn count_repeated(repeated_size: &mut usize, size: usize) -> Result<(), Fault> {
    *repeated_size += size;
    if *repeated_size > REPEATED_SIZE_MAX { Err(Fault::RepeatedTooLarge) } else { Ok(()) }
}

/// Entries in order of arrival.
struct Gathered<T> {
    entries: Vec<Entry<T>>,
    place: usize,
    is_cut: bool,
}

impl<T> Gathered<T> {
    fn new() -> Self {
        Self { entries: Vec::new(), place: 0, is_cut: false }
    }

    fn push(&mut self, key: Cow<'_, str>, meaning: T) {
        let place = self.place;
        self.place += 1;
        if self.entries.len() >= 2 * KEPT_MAX && !self.is_cut {
            // There may be many duplicates, of which only the last one counts.
            self.sort();
            self.is_cut = self.entries.len() > KEPT_MAX;
        }
        if !self.is_cut {
            self.entries.push(Entry { key: key.into_owned(), meaning, place, used: false });
        }
    }

    fn sort(&mut self) {
        // Of two entries with the same key the later one counts, so it sorts first and the other is
        // dropped.
        self.entries.sort_by(|a, b| a.key.cmp(&b.key).then(b.place.cmp(&a.place)));
        self.entries.dedup_by(|later, kept| later.key == kept.key);
    }

    fn finish(mut self) -> Entries<T> {
        self.sort();
        Entries { entries: self.entries, is_cut: self.is_cut }
    }
}

impl<T> Entries<T> {
    /// The meaning of a key, and whether it was used before.
    fn find(&mut self, key: &str) -> Option<(&T, bool)> {
        let place = self.entries.binary_search_by(|entry| entry.key.as_str().cmp(key)).ok()?;
        let entry = self.entries.get_mut(place)?;
        let was_used = std::mem::replace(&mut entry.used, true);
        Some((&entry.meaning, was_used))
    }

    /// The entries in request order.
    fn in_place(&self) -> Vec<&Entry<T>> {
        let mut entries: Vec<&Entry<T>> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.place);
        entries
    }

    /// Refuses keys other than `first` followed by letters, digits and underscores.
    fn check_keys(&self, first: char) -> Result<(), String> {
        if self.entries.is_empty() {
            return Err("must not be empty".to_owned());
        }
        for Entry { key, .. } in self.in_place() {
            let fault = if key.is_empty() {
                "The expression attribute map contains an empty key;".to_owned()
            } else if key.len() > PLACEHOLDER_SIZE_MAX {
                let size = if first == '#' {
                    format!(" size of key: {}", key.len())
                } else {
                    String::new()
                };
                format!("The expression attribute map contains a key that is too long;{size}")
            } else {
                let word = key.strip_prefix(first).unwrap_or_default();
                if !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                {
                    continue;
                }
                format!("Syntax error; key: \"{key}\"")
            };
            return Err(format!("contains invalid key: {fault}"));
        }
        Ok(())
    }

    fn size(&self, meaning: impl Fn(&Entry<T>) -> usize) -> usize {
        self.entries.iter().map(|entry| entry.key.len() + meaning(entry)).sum()
    }

    /// The unused keys in the service's order: that of a Java `HashMap` of all keys, by bucket and
    /// then by arrival.
    fn unused(&self) -> Vec<&str> {
        if self.entries.iter().all(|entry| entry.used) {
            return Vec::new();
        }
        // A table of 16 buckets doubles when more than three quarters are full.
        let mut buckets = 16;
        while self.entries.len() > buckets / 4 * 3 {
            buckets *= 2;
        }
        let bucket = |key: &str| {
            let hash = key
                .encode_utf16()
                .fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
            (hash ^ (hash >> 16)) as usize % buckets
        };
        let mut unused = self.in_place();
        unused.retain(|entry| !entry.used);
        unused.sort_by_key(|entry| bucket(&entry.key));
        unused.into_iter().map(|entry| entry.key.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &str, values: &str) -> Placeholders {
        let mut placeholders = Placeholders::default();
        placeholders.read_names(&mut Reader::new(names.as_bytes()).unwrap()).unwrap();
        placeholders.read_values(&mut Reader::new(values.as_bytes()).unwrap()).unwrap();
        placeholders
    }

    fn check(names: &str, values: &str, expected: &str) {
        let found = read(names, values).check();
        let found = found.map_or_else(|error| error.message().to_owned(), |()| "fine".to_owned());
        assert_eq!(found, expected, "{names} {values}");
    }

    #[test]
    fn keys_and_meanings_are_checked() {
        for (names, values, expected) in [
            ("null", "null", "fine"),
            (r##"{"#a1_":"x"}"##, r#"{":_":{"S":""}}"#, "fine"),
            ("{}", "{}", "ExpressionAttributeNames must not be empty"),
            ("null", "{}", "ExpressionAttributeValues must not be empty"),
            (
                r##"{"#a":"","b":"c"}"##,
                "null",
                "ExpressionAttributeNames contains invalid key: Syntax error; key: \"b\"",
            ),
            (
                r##"{"#a":""}"##,
                "null",
                "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
            ),
            (
                r##"{"#a":null}"##,
                "null",
                "ExpressionAttributeNames contains invalid value: null for key #a",
            ),
            (
                "null",
                r#"{":a":{"N":"x"}}"#,
                "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x for key :a",
            ),
            // Of two with the same key the later one counts.
            ("null", r#"{":a":{"N":"x"},":a":{"N":"1"}}"#, "fine"),
        ] {
            check(names, values, expected);
        }
    }

    #[test]
    fn repeated_uses_count_again() {
        let mut all = Placeholders::of(&[("#n", "name")], [(":v", Value::from("x".repeat(100)))]);
        for _ in 0..=REPEATED_SIZE_MAX / 104 {
            all.name("#n").unwrap();
            all.value(":v").unwrap();
        }
        assert_eq!(all.value(":v"), Err(Fault::RepeatedTooLarge));
    }

    #[test]
    fn no_more_placeholders_are_kept_than_expressions_can_use() {
        let entries = |count: usize, key: fn(usize) -> String| {
            let all: Vec<String> = (0..count).map(|i| format!(r#""{}":"a{i}""#, key(i))).collect();
            read(&format!("{{{}}}", all.join(",")), "null")
        };
        let kept = |all: &Placeholders| all.names.as_ref().unwrap().entries.len();
        let many = entries(10 * KEPT_MAX, |i| format!("#{i}"));
        assert_eq!(kept(&many), 2 * KEPT_MAX);
        assert_eq!(
            many.check().unwrap_err().message(),
            "ExpressionAttributeNames exceeds max size"
        );
        // Duplicates count once.
        let mut few = entries(10 * KEPT_MAX, |i| format!("#{}", i % 2));
        assert_eq!(kept(&few), 2);
        few.check().unwrap();
        assert_eq!(few.name("#1").unwrap(), format!("a{}", 10 * KEPT_MAX - 1));
    }

    #[test]
    fn unused_keys_are_reported_in_java_hash_map_order() {
        let mut all = read(r##"{"#a":"1","#b":"2","#c":"3","#aa":"4"}"##, r#"{":v":{"S":""}}"#);
        let text = |all: &Placeholders| all.check_all_used().unwrap_err().message().to_owned();
        assert_eq!(
            text(&all),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#c, #aa, #a, #b}"
        );
        for key in ["#a", "#b", "#c", "#aa"] {
            all.name(key).unwrap();
        }
        assert_eq!(
            text(&all),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"
        );
        all.value(":v").unwrap();
        all.check_all_used().unwrap();
    }

    #[test]
    fn placeholders_need_an_expression() {
        use Parameter as P;
        let all = read(r##"{"#a":"b"}"##, r#"{":v":{"S":""}}"#);
        let values = read("null", r#"{":v":{"S":""}}"#);
        let text = |all: &Placeholders, expressions: &[(P, bool)]| {
            all.check_needed(expressions).unwrap_err().message().to_owned()
        };
        assert_eq!(
            text(&all, &[(P::ConditionExpression, false)]),
            "ExpressionAttributeNames can only be specified when using expressions"
        );
        assert_eq!(
            text(&values, &[(P::ProjectionExpression, true), (P::FilterExpression, false)]),
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"
        );
        assert_eq!(
            text(&values, &[(P::UpdateExpression, false), (P::ConditionExpression, false)]),
            "ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and ConditionExpression are null"
        );
        all.check_needed(&[(P::UpdateExpression, false), (P::ConditionExpression, true)]).unwrap();
    }
}
