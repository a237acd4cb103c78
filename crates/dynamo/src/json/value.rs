//! DynamoDB's JSON for values: `{"S": "text"}`, `{"N": "1"}`, `{"L": [{"BOOL": true}]}`.

use super::{Reader, Writer};
use crate::error::{Error, Result};
use crate::limits::{ATTRIBUTE_NAME_SIZE_MAX, NESTING_MAX};
use crate::{Map, Number, NumberError, Set, Value};
use std::borrow::Cow;

/// The Java class of an attribute value, which the service names when it finds another shape.
pub(crate) const ATTRIBUTE_VALUE: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";

/// Something read from a request that is well-formed but may still be refused.
///
/// The service reads the whole request first, then checks its members in an order of its own,
/// and only then says what is wrong with a value. So reading keeps the first fault here, and
/// the operation asks for it when its turn has come.
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
    /// What was read, or a `ValidationException` with the first fault.
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

    /// What was read. With a fault, what is wrong in it is replaced by NULL: good for counting
    /// members and looking at names, never for storing.
    pub fn content(&self) -> &T {
        &self.content
    }
}

impl<T> From<T> for Unchecked<T> {
    fn from(content: T) -> Self {
        Self { content, fault: None }
    }
}

/// The first fault found, if any.
#[derive(Default)]
struct Faults(Option<Cow<'static, str>>);

impl Faults {
    fn add(&mut self, fault: impl Into<Cow<'static, str>>) {
        if self.0.is_none() {
            self.0 = Some(fault.into());
        }
    }
}

/// Reads one value.
pub fn read_value(reader: &mut Reader<'_>) -> Result<Option<Unchecked<Value>>> {
    let mut faults = Faults::default();
    let value = value(reader, 1, &mut faults)?;
    Ok(value.map(|content| Unchecked { content, fault: faults.0 }))
}

/// Reads a list of values, such as what a legacy condition compares with.
pub fn read_values(reader: &mut Reader<'_>) -> Result<Option<Vec<Unchecked<Value>>>> {
    let mut values = Vec::new();
    let found = reader.list(|reader| {
        let mut faults = Faults::default();
        let content = element(reader, 1, &mut faults)?;
        values.push(Unchecked { content, fault: faults.0 });
        Ok(())
    })?;
    Ok(found.then_some(values))
}

/// Reads attributes by name: an item, a key, the values of placeholders.
pub fn read_map(reader: &mut Reader<'_>) -> Result<Option<Unchecked<Map>>> {
    let mut faults = Faults::default();
    let map = map(reader, 1, &mut faults)?;
    Ok(map.map(|content| Unchecked { content, fault: faults.0 }))
}

fn map(reader: &mut Reader<'_>, level: usize, faults: &mut Faults) -> Result<Option<Map>> {
    let mut entries = Vec::new();
    let found = reader.map(ATTRIBUTE_VALUE, |reader, name| {
        match name.len() {
            0 => faults.add("Empty attribute name"),
            1..=ATTRIBUTE_NAME_SIZE_MAX => {}
            _ => faults.add("Attribute name is too large, must be less than 65536 bytes"),
        }
        let value = element(reader, level, faults)?;
        entries.push((name.into_owned(), value));
        Ok(())
    })?;
    Ok(found.then(|| Map::from_entries(entries)))
}

/// A value where one must stand: `null` is a value without a type.
fn element(reader: &mut Reader<'_>, level: usize, faults: &mut Faults) -> Result<Value> {
    Ok(value(reader, level, faults)?.unwrap_or_else(|| {
        faults.add(EMPTY);
        Value::Null
    }))
}

pub(crate) const EMPTY: &str =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
const SEVERAL: &str = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
pub(crate) const TOO_DEEP: &str = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

/// A value at `level`, counted from one for an attribute of the item itself.
fn value(reader: &mut Reader<'_>, level: usize, faults: &mut Faults) -> Result<Option<Value>> {
    let mut read: Option<Value> = None;
    let mut several = false;
    let found = reader.structure("AttributeValue", |reader, name| {
        let one = match name {
            "S" => reader.owned_string()?.map(Value::S),
            "N" => reader.string()?.map(|text| Value::N(number(&text, faults))),
            "B" => reader.blob()?.map(Value::B),
            "BOOL" => reader.boolean()?.map(Value::Bool),
            "NULL" => reader.boolean()?.map(|truth| {
                if !truth {
                    faults.add("One or more parameter values were invalid: Null attribute value types must have the value of true");
                }
                Value::Null
            }),
            "SS" => string_set(reader, faults)?,
            "NS" => number_set(reader, faults)?,
            "BS" => binary_set(reader, faults)?,
            "M" | "L" if level > NESTING_MAX => {
                faults.add(TOO_DEEP);
                reader.skip()?;
                Some(Value::Null)
            }
            "M" => map(reader, level + 1, faults)?.map(Value::M),
            "L" => {
                let mut values = Vec::new();
                let found = reader.list(|reader| {
                    values.push(element(reader, level + 1, faults)?);
                    Ok(())
                })?;
                found.then_some(Value::L(values))
            }
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
        faults.add(SEVERAL);
    }
    Ok(Some(read.unwrap_or_else(|| {
        faults.add(EMPTY);
        Value::Null
    })))
}

fn number(text: &str, faults: &mut Faults) -> Number {
    text.parse().unwrap_or_else(|error| {
        match error {
            NumberError::NotNumeric if !text.is_empty() => faults.add(format!("{error}: {text}")),
            _ => faults.add(error.to_string()),
        }
        Number::ZERO
    })
}

/// The elements of a set, or `None` for `null`. A `null` among them is a fault.
fn elements<T>(
    reader: &mut Reader<'_>,
    faults: &mut Faults,
    null_fault: &'static str,
    mut read: impl FnMut(&mut Reader<'_>, &mut Faults) -> Result<Option<T>>,
) -> Result<Option<Vec<T>>> {
    let mut elements = Vec::new();
    let found = reader.list(|reader| {
        match read(reader, faults)? {
            Some(element) => elements.push(element),
            None => faults.add(null_fault),
        }
        Ok(())
    })?;
    Ok(found.then_some(elements))
}

fn string_set(reader: &mut Reader<'_>, faults: &mut Faults) -> Result<Option<Value>> {
    let null = "One or more parameter values were invalid: An string set may not have a null string as a member";
    let Some(texts) = elements(reader, faults, null, |r, _| r.owned_string())? else {
        return Ok(None);
    };
    if texts.is_empty() {
        faults.add("One or more parameter values were invalid: An string set  may not be empty");
        return Ok(Some(Value::Null));
    }
    // The text lists the elements as they came, so it must be made before they are sorted.
    let duplicates = |texts: &[String]| {
        format!(
            "One or more parameter values were invalid: Input collection [{}] contains duplicates.",
            texts.join(", ")
        )
    };
    let mut sorted: Vec<&str> = texts.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    if !sorted.is_sorted_by(|a, b| a < b) {
        faults.add(duplicates(&texts));
        return Ok(Some(Value::Null));
    }
    Ok(Some(Set::new(texts).map_or(Value::Null, Value::Ss)))
}

fn number_set(reader: &mut Reader<'_>, faults: &mut Faults) -> Result<Option<Value>> {
    let null = "One or more parameter values were invalid: An number set may not have a null string as a member";
    let read =
        |r: &mut Reader<'_>, faults: &mut Faults| Ok(r.string()?.map(|text| number(&text, faults)));
    let Some(numbers) = elements(reader, faults, null, read)? else {
        return Ok(None);
    };
    if numbers.is_empty() {
        faults.add("One or more parameter values were invalid: An number set  may not be empty");
        return Ok(Some(Value::Null));
    }
    Ok(Some(Set::new(numbers).map_or_else(
        |error| {
            faults.add(error.to_string());
            Value::Null
        },
        Value::Ns,
    )))
}

fn binary_set(reader: &mut Reader<'_>, faults: &mut Faults) -> Result<Option<Value>> {
    let null = "One or more parameter values were invalid: Binary sets may not contain null values";
    let Some(blobs) = elements(reader, faults, null, |r, _| r.blob())? else {
        return Ok(None);
    };
    if blobs.is_empty() {
        faults.add("One or more parameter values were invalid: Binary sets should not be empty");
        return Ok(Some(Value::Null));
    }
    // As with texts, the elements are listed as they came; the missing space is the service's.
    let mut sorted: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
    sorted.sort_unstable();
    if !sorted.is_sorted_by(|a, b| a < b) {
        let shown: Vec<String> = blobs.iter().map(|blob| crate::base64::encode(blob)).collect();
        faults.add(format!(
            "One or more parameter values were invalid: Input collection [{}]of type BS contains duplicates.",
            shown.join(", ")
        ));
        return Ok(Some(Value::Null));
    }
    Ok(Some(Set::new(blobs).map_or(Value::Null, Value::Bs)))
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

/// Writes a number as a text, as DynamoDB's JSON has it.
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
    fn what_the_service_refuses_is_refused_with_its_words() {
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
    fn values_nest_thirty_one_times_and_no_more() {
        // DynamoDB Local 3.3.0 and, by captures that dynoxide's issue 110 cites, the service.
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
