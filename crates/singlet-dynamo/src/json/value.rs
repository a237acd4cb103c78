//! DynamoDB's JSON for values: `{"S": "text"}`, `{"N": "1"}`, `{"L": [{"BOOL": true}]}`.

use super::{Reader, Writer};
use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use crate::limits::{ATTRIBUTE_NAME_SIZE_MAX, ITEM_SIZE_MAX, NESTING_MAX};
use crate::size::{CONTAINER_OVERHEAD, ELEMENT_OVERHEAD};
use crate::{Map, Number, NumberError, Set, SetError, Value};
use std::borrow::Cow;
use std::fmt;

/// The Java class of an attribute value, which the service names in type errors.
pub(crate) const ATTRIBUTE_VALUE: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";

/// A parsed value that may still be invalid.
///
/// The service parses the whole request, then checks its members in a fixed order, and only then
/// reports invalid values. So parsing keeps the first fault here, and the operation raises it in
/// that order.
///
/// ```
/// use singlet_dynamo::json::{value, Reader};
///
/// let mut reader = Reader::new(br#"{"price": {"N": "a lot"}}"#)?;
/// let item = value::read_map(&mut reader)?.unwrap();
/// assert_eq!(
///     item.into_result().unwrap_err().message(),
///     "The parameter cannot be converted to a numeric value: a lot"
/// );
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Unchecked<T> {
    content: T,
    fault: Option<Cow<'static, str>>,
}

impl<T> Unchecked<T> {
    /// The value, or a `ValidationException` with the first fault.
    pub fn into_result(self) -> Result<T> {
        match self.fault {
            None => Ok(self.content),
            Some(fault) => Err(Error::validation(fault)),
        }
    }

    /// The first fault, if there is one.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The value. With a fault it is incomplete: fine for inspection, never for storing.
    pub fn content(&self) -> &T {
        &self.content
    }
}

impl<T> From<T> for Unchecked<T> {
    fn from(content: T) -> Self {
        Self { content, fault: None }
    }
}

/// Limits how much of a member's values is built. A value above the limit is refused in the end, so
/// the rest is only parsed for faults.
///
/// Sizes are counted as they come. A duplicate name counts twice, though the later value replaces
/// the earlier one.
pub(crate) struct Budget {
    size: usize,
    size_max: usize,
    is_counting: bool,
    is_cut: bool,
}

impl Budget {
    /// A budget for values of this total size.
    pub(crate) fn new(size_max: usize) -> Self {
        Self { size: 0, size_max, is_counting: true, is_cut: false }
    }

    /// A budget for the values read next. No value is larger than its JSON, so a short rest of the
    /// body needs no counting. That covers nearly all requests.
    pub(crate) fn within(reader: &Reader<'_>, size_max: usize) -> Self {
        Self { is_counting: reader.rest_len() > size_max, ..Self::new(size_max) }
    }

    /// Counts a size.
    #[inline]
    pub(crate) fn spend(&mut self, size: impl FnOnce() -> usize) {
        if self.is_counting {
            self.size = self.size.saturating_add(size());
        }
    }

    /// Whether a value was not built. The request must be refused.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether the last size counted fits; if not, the value is cut.
    #[inline]
    pub(crate) fn keeps(&mut self) -> bool {
        self.is_cut |= self.size > self.size_max;
        !self.is_cut
    }
}

/// Builds values.
///
/// Elements are collected here and moved into exactly sized vectors when complete: a list of one
/// element would otherwise have capacity for four.
struct Builder<'b> {
    budget: &'b mut Budget,
    /// The first fault. After it, nothing is built.
    fault: Option<Cow<'static, str>>,
    /// The entries of all open maps, innermost last.
    entries: Vec<(String, Value)>,
    /// The elements of all open lists, innermost last.
    values: Vec<Value>,
}

impl<'b> Builder<'b> {
    fn new(budget: &'b mut Budget) -> Self {
        Self { budget, fault: None, entries: Vec::new(), values: Vec::new() }
    }

    fn add_fault(&mut self, fault: impl Into<Cow<'static, str>>) {
        if self.fault.is_none() {
            self.fault = Some(fault.into());
        }
    }

    /// Whether parsed values are kept.
    fn keeps(&mut self) -> bool {
        self.fault.is_none() && self.budget.keeps()
    }

    fn unchecked<T>(self, content: T) -> Unchecked<T> {
        Unchecked { content, fault: self.fault }
    }
}

/// Items with more attributes than this get no spare capacity.
const SLACK_LEN_MAX: usize = 64;

/// Takes the elements from `start` on, in an exactly sized vector.
fn taken<T>(gathered: &mut Vec<T>, start: usize) -> Vec<T> {
    if start > 0 {
        return gathered.split_off(start);
    }
    let mut taken = Vec::with_capacity(gathered.len());
    taken.append(gathered);
    taken
}

/// Reads one value, charged to a shared budget.
pub(crate) fn read_value_within(
    reader: &mut Reader<'_>,
    budget: &mut Budget,
) -> Result<Option<Unchecked<Value>>> {
    let mut builder = Builder::new(budget);
    let value = value(reader, 1, &mut builder)?;
    Ok(value.map(|content| builder.unchecked(content)))
}

/// Reads a list of values, such as the operands of a legacy condition. Each counts `cost` bytes in
/// addition to its size.
pub(crate) fn read_values_within(
    reader: &mut Reader<'_>,
    budget: &mut Budget,
    cost: usize,
) -> Result<Option<Unchecked<Vec<Value>>>> {
    let mut builder = Builder::new(budget);
    let values = list(reader, 1, cost, &mut builder)?;
    Ok(values.map(|content| builder.unchecked(content)))
}

/// Reads attributes, without a limit on their size.
pub fn read_map(reader: &mut Reader<'_>) -> Result<Option<Unchecked<Map>>> {
    read_map_within(reader, usize::MAX, "")
}

/// Reads the attributes of a response; `None` if there are none.
pub(crate) fn read_answered(reader: &mut Reader<'_>) -> Result<Option<Map>> {
    read_map(reader)?.map(Unchecked::into_result).transpose()
}

/// Reads the item of a put.
pub(crate) fn read_item(reader: &mut Reader<'_>) -> Result<Option<Unchecked<Map>>> {
    read_map_within(reader, ITEM_SIZE_MAX, ITEM_TOO_LARGE)
}

/// Reads a key. The schema checks it later; anything as large as an item is rejected here.
pub(crate) fn read_key(reader: &mut Reader<'_>) -> Result<Option<Unchecked<Map>>> {
    read_map_within(reader, ITEM_SIZE_MAX, KEY_MISMATCH)
}

/// Reads attributes. If they exceed `size_max` bytes and have no other fault, the fault is
/// `too_large`.
fn read_map_within(
    reader: &mut Reader<'_>,
    size_max: usize,
    too_large: &'static str,
) -> Result<Option<Unchecked<Map>>> {
    let mut budget = Budget::within(reader, size_max);
    let mut builder = Builder::new(&mut budget);
    let Some(map) = map(reader, 1, &mut builder)? else { return Ok(None) };
    if builder.budget.is_cut() {
        builder.add_fault(too_large);
    }
    Ok(Some(builder.unchecked(map)))
}

fn map(reader: &mut Reader<'_>, level: usize, builder: &mut Builder<'_>) -> Result<Option<Map>> {
    let start = builder.entries.len();
    let found = reader.map(ATTRIBUTE_VALUE, |reader, name| {
        match name.len() {
            0 => builder.add_fault("Empty attribute name"),
            1..=ATTRIBUTE_NAME_SIZE_MAX => {}
            _ => builder.add_fault("Attribute name is too large, must be less than 65536 bytes"),
        }
        builder.budget.spend(|| name.len());
        let value = element(reader, level, builder)?;
        if builder.keeps() {
            builder.entries.push((name.into_owned(), value));
        }
        Ok(())
    })?;
    if level > 1 {
        return Ok(found.then(|| Map::from_entries(taken(&mut builder.entries, start))));
    }
    // This is the outermost map, so it can take the vector itself.
    let mut entries = std::mem::take(&mut builder.entries);
    if entries.len() > SLACK_LEN_MAX {
        entries.shrink_to_fit();
    }
    Ok(found.then(|| Map::from_entries(entries)))
}

/// A required value: `null` is a value without a type.
fn element(reader: &mut Reader<'_>, level: usize, builder: &mut Builder<'_>) -> Result<Value> {
    Ok(value(reader, level, builder)?.unwrap_or_else(|| {
        builder.add_fault(EMPTY);
        Value::Null
    }))
}

pub(crate) const EMPTY: &str =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
const SEVERAL: &str = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
pub(crate) const TOO_DEEP: &str = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";
pub(crate) const ITEM_TOO_LARGE: &str = "Item size has exceeded the maximum allowed size";
pub(crate) const KEY_MISMATCH: &str = "The provided key element does not match the schema";

/// A value at `level`, counted from 1 for a top-level attribute.
fn value(
    reader: &mut Reader<'_>,
    level: usize,
    builder: &mut Builder<'_>,
) -> Result<Option<Value>> {
    let mut read: Option<Value> = None;
    let mut several = false;
    let found = reader.structure("AttributeValue", |reader, name| {
        let one = match name {
            "S" => reader.owned_string()?.map(|text| {
                builder.budget.spend(|| text.len());
                Value::S(text)
            }),
            "N" => reader.string()?.map(|text| {
                let number = number(&text, builder);
                builder.budget.spend(|| number.size());
                Value::N(number)
            }),
            "B" => reader.blob()?.map(|bytes| {
                builder.budget.spend(|| bytes.len());
                Value::B(bytes)
            }),
            "BOOL" => reader.boolean()?.map(|truth| {
                builder.budget.spend(|| 1);
                Value::Bool(truth)
            }),
            "NULL" => reader.boolean()?.map(|truth| {
                builder.budget.spend(|| 1);
                if !truth {
                    builder.add_fault("One or more parameter values were invalid: Null attribute value types must have the value of true");
                }
                Value::Null
            }),
            "SS" => string_set(reader, builder)?,
            "NS" => number_set(reader, builder)?,
            "BS" => binary_set(reader, builder)?,
            "M" | "L" if level > NESTING_MAX => {
                builder.add_fault(TOO_DEEP);
                reader.skip()?;
                Some(Value::Null)
            }
            "M" => map(reader, level + 1, builder)?.map(|map| {
                builder.budget.spend(|| CONTAINER_OVERHEAD + map.len() * ELEMENT_OVERHEAD);
                Value::M(map)
            }),
            "L" => list(reader, level + 1, ELEMENT_OVERHEAD, builder)?.map(|values| {
                builder.budget.spend(|| CONTAINER_OVERHEAD);
                Value::L(values)
            }),
            _ => {
                reader.skip()?;
                None
            }
        };
        if let Some(one) = one {
            several |= read.as_ref().is_some_and(|before| before.kind() != one.kind());
            read = Some(one);
        }
        Ok(())
    })?;
    if !found {
        return Ok(None);
    }
    if several {
        builder.add_fault(SEVERAL);
    }
    Ok(Some(read.unwrap_or_else(|| {
        builder.add_fault(EMPTY);
        Value::Null
    })))
}

/// The values of a list, each of which counts `cost` bytes in addition to its size.
fn list(
    reader: &mut Reader<'_>,
    level: usize,
    cost: usize,
    builder: &mut Builder<'_>,
) -> Result<Option<Vec<Value>>> {
    let start = builder.values.len();
    let found = reader.list(|reader| {
        builder.budget.spend(|| cost);
        let value = element(reader, level, builder)?;
        if builder.keeps() {
            builder.values.push(value);
        }
        Ok(())
    })?;
    Ok(found.then(|| taken(&mut builder.values, start)))
}

fn number(text: &str, builder: &mut Builder<'_>) -> Number {
    text.parse().unwrap_or_else(|error| {
        match error {
            NumberError::NotNumeric if !text.is_empty() => {
                builder.add_fault(format!("{error}: {}", Excerpt(text)));
            }
            _ => builder.add_fault(error.to_string()),
        }
        Number::ZERO
    })
}

/// Reads the elements of a set. Returns their number and the list's text; `None` for `null`. A
/// `null` element is a fault. The function counts an element's size, and keeps it if the builder
/// does.
fn elements<'j>(
    reader: &mut Reader<'j>,
    builder: &mut Builder<'_>,
    null_fault: &'static str,
    mut read: impl FnMut(&mut Reader<'j>, &mut Builder<'_>, usize) -> Result<bool>,
) -> Result<Option<(usize, &'j str)>> {
    let mut count = 0;
    let (found, text) = reader.with_text(|reader| {
        reader.list(|reader| {
            // All distinct elements but one have at least one byte.
            let size_min = usize::from(count > 0);
            if read(reader, builder, size_min)? {
                count += 1;
            } else {
                builder.add_fault(null_fault);
            }
            Ok(())
        })
    })?;
    Ok(found.then_some((count, text)))
}

fn string_set(reader: &mut Reader<'_>, builder: &mut Builder<'_>) -> Result<Option<Value>> {
    let null = "One or more parameter values were invalid: An string set may not have a null string as a member";
    let mut texts: Vec<String> = Vec::new();
    let read = elements(reader, builder, null, |reader, builder, size_min| {
        let Some(text) = reader.string()? else { return Ok(false) };
        builder.budget.spend(|| text.len().max(size_min));
        if builder.keeps() {
            texts.push(text.into_owned());
        }
        Ok(true)
    })?;
    let Some((count, text)) = read else { return Ok(None) };
    texts.shrink_to_fit();
    if count == 0 {
        builder.add_fault(
            "One or more parameter values were invalid: An string set  may not be empty",
        );
    }
    match Set::new(texts) {
        Ok(set) => Ok(Some(Value::Ss(set))),
        Err(SetError::Empty) => Ok(Some(Value::Null)),
        Err(SetError::Duplicate) => {
            builder.add_fault(format!(
                "One or more parameter values were invalid: Input collection [{}] contains duplicates.",
                Excerpt(Elements(text))
            ));
            Ok(Some(Value::Null))
        }
    }
}

fn number_set(reader: &mut Reader<'_>, builder: &mut Builder<'_>) -> Result<Option<Value>> {
    let null = "One or more parameter values were invalid: An number set may not have a null string as a member";
    let mut numbers: Vec<Number> = Vec::new();
    let read = elements(reader, builder, null, |reader, builder, _| {
        let Some(text) = reader.string()? else { return Ok(false) };
        let number = number(&text, builder);
        builder.budget.spend(|| number.size());
        if builder.keeps() {
            numbers.push(number);
        }
        Ok(true)
    })?;
    let Some((count, _)) = read else { return Ok(None) };
    numbers.shrink_to_fit();
    if count == 0 {
        builder.add_fault(
            "One or more parameter values were invalid: An number set  may not be empty",
        );
    }
    match Set::new(numbers) {
        Ok(set) => Ok(Some(Value::Ns(set))),
        Err(SetError::Empty) => Ok(Some(Value::Null)),
        Err(error @ SetError::Duplicate) => {
            builder.add_fault(error.to_string());
            Ok(Some(Value::Null))
        }
    }
}

fn binary_set(reader: &mut Reader<'_>, builder: &mut Builder<'_>) -> Result<Option<Value>> {
    let null = "One or more parameter values were invalid: Binary sets may not contain null values";
    let mut blobs: Vec<Vec<u8>> = Vec::new();
    let read = elements(reader, builder, null, |reader, builder, size_min| {
        let Some(bytes) = reader.blob()? else { return Ok(false) };
        builder.budget.spend(|| bytes.len().max(size_min));
        if builder.keeps() {
            blobs.push(bytes);
        }
        Ok(true)
    })?;
    let Some((count, text)) = read else { return Ok(None) };
    blobs.shrink_to_fit();
    if count == 0 {
        builder.add_fault(
            "One or more parameter values were invalid: Binary sets should not be empty",
        );
    }
    match Set::new(blobs) {
        Ok(set) => Ok(Some(Value::Bs(set))),
        Err(SetError::Empty) => Ok(Some(Value::Null)),
        Err(SetError::Duplicate) => {
            // The missing space is the service's.
            builder.add_fault(format!(
                "One or more parameter values were invalid: Input collection [{}]of type BS contains duplicates.",
                Excerpt(Elements(text))
            ));
            Ok(Some(Value::Null))
        }
    }
}

/// Displays the strings of a JSON list in their original order, separated by commas. They were
/// sorted to find duplicates, so this parses them again.
struct Elements<'j>(&'j str);

impl fmt::Display for Elements<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        let mut written = Ok(());
        let read = Reader::new(self.0.as_bytes()).and_then(|mut reader| {
            reader.list(|reader| {
                let text = reader.string()?.unwrap_or_default();
                if written.is_ok() {
                    let separator = if is_first { "" } else { ", " };
                    written = f.write_str(separator).and_then(|()| f.write_str(&text));
                    is_first = false;
                }
                Ok(())
            })
        });
        // Parsing succeeded before, so it succeeds again.
        read.map_err(|_| fmt::Error).and(written)
    }
}

impl Map {
    /// Writes the attributes as DynamoDB's JSON.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            for (name, value) in self.iter() {
                object.member(name, |writer| value.write_json(writer));
            }
        });
    }

    /// Reads attributes from DynamoDB's JSON.
    ///
    /// ```
    /// use singlet_dynamo::{Map, Value};
    ///
    /// let item = Map::from_json(br#"{"PK": {"S": "GAME#ABC123"}, "round": {"N": "7"}}"#)?;
    /// assert_eq!(item.get("round"), Some(&Value::from(7)));
    /// # Ok::<(), singlet_dynamo::Error>(())
    /// ```
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(json)?;
        let map = read_map(&mut reader)?;
        reader.end()?;
        map.ok_or_else(|| Error::serialization(""))?.into_result()
    }

    /// The attributes as DynamoDB's JSON.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        self.write_json(&mut writer);
        writer.into_bytes()
    }
}

impl Value {
    /// Writes the value as DynamoDB's JSON.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member(self.kind().as_str(), |writer| match self {
                Self::S(text) => writer.string(text),
                Self::N(number) => write_number(*number, writer),
                Self::B(bytes) => writer.blob(bytes),
                Self::Bool(truth) => writer.boolean(*truth),
                Self::Null => writer.boolean(true),
                Self::M(map) => map.write_json(writer),
                Self::L(values) => writer.array(values, |writer, value| value.write_json(writer)),
                Self::Ss(set) => writer.array(set, |writer, text| writer.string(text)),
                Self::Ns(set) => writer.array(set, |writer, number| write_number(*number, writer)),
                Self::Bs(set) => writer.array(set, |writer, bytes| writer.blob(bytes)),
            });
        });
    }
}

/// Writes a number as a string, as DynamoDB's JSON requires.
pub(crate) fn write_number(number: Number, writer: &mut Writer) {
    let out = writer.buffer();
    out.push(b'"');
    number.push_text(out);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        let body = format!(r#"{{"v":{json}}}"#);
        match Map::from_json(body.as_bytes()) {
            Ok(map) => {
                let text = String::from_utf8(map.to_json()).unwrap();
                assert_eq!(text, format!(r#"{{"v":{expected}}}"#), "{json}");
            }
            Err(error) => assert_eq!(error.message(), expected, "{json}"),
        }
    }

    #[test]
    fn values_are_read_and_written() {
        for (json, expected) in [
            (r#"{"S":"a"}"#, r#"{"S":"a"}"#),
            (r#"{"N":"1e2"}"#, r#"{"N":"100"}"#),
            (r#"{"B":"YQ=="}"#, r#"{"B":"YQ=="}"#),
            (r#"{"BOOL":"yes"}"#, r#"{"BOOL":true}"#),
            (r#"{"NULL":true}"#, r#"{"NULL":true}"#),
            (r#"{"M":{"b":{"S":""},"a":{"L":[]}}}"#, r#"{"M":{"a":{"L":[]},"b":{"S":""}}}"#),
            (r#"{"SS":["b","a"]}"#, r#"{"SS":["a","b"]}"#),
            (r#"{"NS":["10","9","-1"]}"#, r#"{"NS":["-1","9","10"]}"#),
            (r#"{"BS":["Yg==","YQ=="]}"#, r#"{"BS":["YQ==","Yg=="]}"#),
            (r#"{"S":"a","S":"b"}"#, r#"{"S":"b"}"#),
            (r#"{"S":"a","N":null}"#, r#"{"S":"a"}"#),
            (r#"{"S":"a","unknown":[{}]}"#, r#"{"S":"a"}"#),
        ] {
            check(json, expected);
        }
    }

    #[test]
    fn rejections_have_the_services_messages() {
        for (json, expected) in [
            ("{}", EMPTY),
            ("null", EMPTY),
            (r#"{"S":null}"#, EMPTY),
            (r#"{"L":[null]}"#, EMPTY),
            (r#"{"S":"a","N":"1"}"#, SEVERAL),
            (r#"{"N":"x"}"#, "The parameter cannot be converted to a numeric value: x"),
            (r#"{"N":""}"#, "The parameter cannot be converted to a numeric value"),
            (
                r#"{"SS":["b","a","b"]}"#,
                "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.",
            ),
            (r#"{"NS":["1","1.0"]}"#, "Input collection contains duplicates"),
        ] {
            check(json, expected);
        }
    }

    #[test]
    fn oversized_values_are_not_built_but_checked() {
        let read = |json: String| {
            let mut reader = Reader::new(json.as_bytes()).unwrap();
            let read = read_item(&mut reader).unwrap().unwrap();
            reader.end().unwrap();
            read
        };
        let values = |count: usize, last: &str| {
            format!(r#"{{"l":{{"L":[{}{last}]}}}}"#, r#"{"NULL":true},"#.repeat(count))
        };
        // A name of one byte, a list, and two bytes per element.
        let fit = (ITEM_SIZE_MAX - 1 - CONTAINER_OVERHEAD) / 2;
        let whole = read(values(fit - 1, r#"{"NULL":true}"#));
        assert_eq!(whole.fault(), None);
        assert_eq!(whole.content().size(), ITEM_SIZE_MAX);
        assert_eq!(read(values(fit, r#"{"NULL":true}"#)).fault(), Some(ITEM_TOO_LARGE));
        let long = read(values(fit * 4, r#"{"NULL":true}"#));
        assert_eq!(long.fault(), Some(ITEM_TOO_LARGE));
        assert!(matches!(long.content().get("l"), None | Some(Value::L(_))));
        assert_eq!(read(values(fit * 4, "{}")).fault(), Some(EMPTY));
    }

    #[test]
    fn a_long_set_with_duplicates_is_quoted_in_part() {
        let json = format!(r#"{{"v":{{"SS":[{}"x"]}}}}"#, r#""x","#.repeat(10_000));
        let error = Map::from_json(json.as_bytes()).unwrap_err();
        assert!(error.message().ends_with(" more bytes)] contains duplicates."), "{error}");
        assert!(error.message().len() < 4300);
    }

    #[test]
    fn values_nest_at_most_31_levels() {
        // DynamoDB Local 3.3.0 and, by captures cited in dynoxide's issue 110, the service.
        let nested = |n: usize, leaf: &str| {
            (0..n).fold(leaf.to_owned(), |inner, i| match i % 2 {
                0 => format!(r#"{{"M":{{"a":{inner}}}}}"#),
                _ => format!(r#"{{"L":[{inner}]}}"#),
            })
        };
        let (text, list) = (r#"{"S":"x"}"#, r#"{"L":[]}"#);
        check(&nested(31, text), &nested(31, text));
        check(&nested(30, list), &nested(30, list));
        check(&nested(32, text), TOO_DEEP);
        check(&nested(31, list), TOO_DEEP);
        check(&nested(5000, text), TOO_DEEP);
    }
}
