//! A pull parser: the caller says what it expects next, and gets it or a typed error.

use super::plain::plain_len;
use crate::error::{Error, Result};
use std::borrow::Cow;

/// A pull parser over the text of a request.
///
/// Every method reads one value; `None` stands for `null`, which the service treats as a missing
/// member. A value of another type is a `SerializationException` with the service's text, which
/// names the Java class it tried to fill. Nothing here recurses: callers bound the depth, and
/// [`Reader::skip`] keeps a stack.
///
/// ```
/// use singlet_dynamo::json::Reader;
///
/// let mut name = None;
/// let mut reader = Reader::new(br#"{"TableName": "games", "Unknown": [1, {"a": 2}]}"#)?;
/// reader.structure("ListTablesInput", |reader, member| {
///     match member {
///         "TableName" => name = reader.string()?,
///         _ => reader.skip()?,
///     }
///     Ok(())
/// })?;
/// reader.end()?;
/// assert_eq!(name.as_deref(), Some("games"));
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Whether the next value is in a list or map rather than in a structure: the service's error
    /// texts differ.
    in_collection: bool,
}

/// The type of the next value, from its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Null,
    True,
    False,
    String,
    Number,
    List,
    Object,
}

fn malformed() -> Error {
    // The service sends an empty message.
    Error::serialization("")
}

impl<'a> Reader<'a> {
    /// A reader at the start of a body.
    pub fn new(body: &'a [u8]) -> Result<Self> {
        let text = std::str::from_utf8(body).map_err(|_| malformed())?;
        Ok(Self { text, at: 0, in_collection: false })
    }

    /// The number of bytes left.
    pub(crate) fn rest_len(&self) -> usize {
        self.text.len() - self.at
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn peek_byte(&mut self) -> Result<u8> {
        // Machines write JSON without spaces, so the first byte is nearly always it.
        loop {
            match self.bytes().get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(byte) => return Ok(*byte),
                None => return Err(malformed()),
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.peek_byte()? != byte {
            return Err(malformed());
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes the byte if it comes next.
    fn accept(&mut self, byte: u8) -> Result<bool> {
        let found = self.peek_byte()? == byte;
        self.at += usize::from(found);
        Ok(found)
    }

    fn shape(&mut self) -> Result<Shape> {
        Ok(match self.peek_byte()? {
            b'"' => Shape::String,
            b'{' => Shape::Object,
            b'[' => Shape::List,
            b'-' | b'0'..=b'9' => Shape::Number,
            b't' => Shape::True,
            b'f' => Shape::False,
            b'n' => Shape::Null,
            _ => return Err(malformed()),
        })
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(());
        }
        Err(malformed())
    }

    /// Rejects a scalar, list or object where `class` was expected.
    fn unfit<T>(&mut self, shape: Shape, class: &str) -> Result<T> {
        let token = match shape {
            Shape::Object => {
                return Err(Error::serialization(
                    "Start of structure or map found where not expected",
                ));
            }
            Shape::List => {
                return Err(Error::serialization(format!(
                    "Unrecognized collection type class java.lang.{class}"
                )));
            }
            Shape::True => "TRUE_VALUE",
            Shape::False => "FALSE_VALUE",
            Shape::String => "STRING_VALUE",
            Shape::Null => "NULL_VALUE",
            Shape::Number => {
                match self.number()?.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
                    true => "NUMBER_VALUE",
                    false => "DECIMAL_VALUE",
                }
            }
        };
        Err(Error::serialization(format!("{token} cannot be converted to {class}")))
    }

    /// A string.
    pub fn string(&mut self) -> Result<Option<Cow<'a, str>>> {
        match self.shape()? {
            Shape::String => self.raw_string().map(Some),
            Shape::Null => self.word("null").map(|()| None),
            other => self.unfit(other, "String"),
        }
    }

    /// An owned string.
    pub fn owned_string(&mut self) -> Result<Option<String>> {
        Ok(self.string()?.map(Cow::into_owned))
    }

    /// True or false; the service also accepts strings such as `"true"`, `"no"` and `"1"`.
    pub fn boolean(&mut self) -> Result<Option<bool>> {
        match self.shape()? {
            Shape::True => self.word("true").map(|()| Some(true)),
            Shape::False => self.word("false").map(|()| Some(false)),
            Shape::Null => self.word("null").map(|()| None),
            Shape::String => {
                let text = self.raw_string()?;
                let is = |words: [&str; 3]| words.iter().any(|w| text.eq_ignore_ascii_case(w));
                if is(["true", "1", "yes"]) {
                    Ok(Some(true))
                } else if is(["false", "0", "no"]) {
                    Ok(Some(false))
                } else {
                    Err(Error::serialization("Unexpected token received from parser"))
                }
            }
            other => self.unfit(other, "Boolean"),
        }
    }

    /// An integer; a fraction is truncated, as the service does. `class` is `Integer` or `Long`.
    pub fn integer(&mut self, class: &str) -> Result<Option<i64>> {
        match self.shape()? {
            Shape::Number => {
                let text = self.number()?;
                let number = text.parse::<i64>().ok();
                // Like Java's narrowing conversion, this saturates.
                let number = number.or_else(|| text.parse::<f64>().ok().map(|f| f.floor() as i64));
                Ok(Some(match class {
                    "Integer" => number.unwrap_or(0).clamp(i32::MIN.into(), i32::MAX.into()),
                    _ => number.unwrap_or(0),
                }))
            }
            Shape::Null => self.word("null").map(|()| None),
            other => self.unfit(other, class),
        }
    }

    /// A number that may have a fraction, such as a timestamp.
    pub fn double(&mut self) -> Result<Option<f64>> {
        match self.shape()? {
            Shape::Number => Ok(self.number()?.parse().ok()),
            Shape::Null => self.word("null").map(|()| None),
            other => self.unfit(other, "Double"),
        }
    }

    /// Bytes, encoded as base64.
    pub fn blob(&mut self) -> Result<Option<Vec<u8>>> {
        match self.shape()? {
            Shape::String => crate::base64::decode(&self.raw_string()?)
                .map(Some)
                .map_err(|error| Error::serialization(error.to_string())),
            Shape::Null => self.word("null").map(|()| None),
            Shape::List => {
                Err(Error::serialization("Unrecognized collection type class java.nio.ByteBuffer"))
            }
            Shape::Object => {
                Err(Error::serialization("Start of structure or map found where not expected"))
            }
            _ => Err(Error::serialization("only base-64-encoded strings are convertible to bytes")),
        }
    }

    /// A list; the function reads one element. Returns whether there was a list.
    pub fn list(&mut self, mut element: impl FnMut(&mut Self) -> Result<()>) -> Result<bool> {
        match self.shape()? {
            Shape::List => {}
            Shape::Null => return self.word("null").map(|()| false),
            Shape::Object => {
                return Err(Error::serialization(
                    "Start of structure or map found where not expected",
                ));
            }
            _ => return Err(Error::serialization("Unexpected field type")),
        }
        self.expect(b'[')?;
        if self.accept(b']')? {
            return Ok(true);
        }
        let outer = std::mem::replace(&mut self.in_collection, true);
        loop {
            element(self)?;
            if !self.accept(b',')? {
                break;
            }
        }
        self.in_collection = outer;
        self.expect(b']')?;
        Ok(true)
    }

    /// The elements of a list, one per call of the function; empty without a list. Keeps all of
    /// them: for responses, whose server is trusted to bound them.
    pub(crate) fn elements<T>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut elements = Vec::new();
        self.list(|reader| {
            elements.push(element(reader)?);
            Ok(())
        })?;
        Ok(elements)
    }

    /// A map; the function gets each name and reads its value. Returns whether there was a map.
    /// `class` is the Java class of the values, which the service names when it finds a list:
    /// `com.amazonaws.dynamodb.v20120810.AttributeValue` or `java.lang.String`.
    pub fn map(
        &mut self,
        class: &str,
        entry: impl FnMut(&mut Self, Cow<'a, str>) -> Result<()>,
    ) -> Result<bool> {
        match self.shape()? {
            Shape::Object => {}
            Shape::Null => return self.word("null").map(|()| false),
            Shape::List => {
                return Err(Error::serialization(format!(
                    "Unrecognized collection type java.util.Map<java.lang.String, {class}>"
                )));
            }
            _ => return Err(Error::serialization("Unexpected field type")),
        }
        self.object(true, entry)?;
        Ok(true)
    }

    /// A structure; the function gets each member's name and reads or skips its value. Returns
    /// whether there was a structure. `class` is the name of the shape.
    pub fn structure(
        &mut self,
        class: &str,
        mut member: impl FnMut(&mut Self, &str) -> Result<()>,
    ) -> Result<bool> {
        match self.shape()? {
            Shape::Object => {}
            Shape::Null => return self.word("null").map(|()| false),
            Shape::List => {
                return Err(Error::serialization(format!(
                    "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{class}"
                )));
            }
            _ if self.in_collection => {
                return Err(Error::serialization("Unexpected value type in payload"));
            }
            _ => return Err(Error::serialization("Unexpected field type")),
        }
        self.object(false, |reader, name| member(reader, &name))?;
        Ok(true)
    }

    /// A complete request: one structure, with nothing after it.
    pub fn request(&mut self, member: impl FnMut(&mut Self, &str) -> Result<()>) -> Result<()> {
        if self.shape()? != Shape::Object {
            return Err(malformed());
        }
        // An object is never rejected for its class.
        self.structure("", member)?;
        self.end()
    }

    /// Reads a value by a function, and also returns its source text.
    ///
    /// ```
    /// use singlet_dynamo::json::Reader;
    ///
    /// let mut reader = Reader::new(br#" [1,  2] "#)?;
    /// let (_, text) = reader.with_text(|reader| reader.skip())?;
    /// assert_eq!(text, "[1,  2]");
    /// # Ok::<(), singlet_dynamo::Error>(())
    /// ```
    pub fn with_text<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, &'a str)> {
        self.peek_byte()?;
        let start = self.at;
        let value = read(self)?;
        Ok((value, self.text.get(start..self.at).unwrap_or_default()))
    }

    fn object(
        &mut self,
        is_collection: bool,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<()>,
    ) -> Result<()> {
        self.expect(b'{')?;
        if self.accept(b'}')? {
            return Ok(());
        }
        let outer = std::mem::replace(&mut self.in_collection, is_collection);
        loop {
            if self.peek_byte()? != b'"' {
                return Err(malformed());
            }
            let name = self.raw_string()?;
            self.expect(b':')?;
            member(self, name)?;
            if !self.accept(b',')? {
                break;
            }
        }
        self.in_collection = outer;
        self.expect(b'}')
    }

    /// Skips a value of any type and depth.
    pub fn skip(&mut self) -> Result<()> {
        // Open brackets, innermost last. A bit each would do, but a byte is simpler, and the body
        // is bounded.
        let mut open: Vec<u8> = Vec::new();
        loop {
            let mut is_complete = true;
            match self.shape()? {
                Shape::Null => self.word("null")?,
                Shape::True => self.word("true")?,
                Shape::False => self.word("false")?,
                Shape::String => drop(self.raw_string()?),
                Shape::Number => drop(self.number()?),
                Shape::List => {
                    self.expect(b'[')?;
                    if !self.accept(b']')? {
                        open.push(b']');
                        is_complete = false;
                    }
                }
                Shape::Object => {
                    self.expect(b'{')?;
                    if !self.accept(b'}')? {
                        open.push(b'}');
                        self.name()?;
                        is_complete = false;
                    }
                }
            }
            // After a complete value comes the next one of its list or object, or the closing
            // bracket.
            while is_complete {
                let Some(&end) = open.last() else {
                    return Ok(());
                };
                if self.accept(b',')? {
                    if end == b'}' {
                        self.name()?;
                    }
                    is_complete = false;
                } else {
                    self.expect(end)?;
                    open.pop();
                }
            }
        }
    }

    fn name(&mut self) -> Result<()> {
        if self.peek_byte()? != b'"' {
            return Err(malformed());
        }
        self.raw_string()?;
        self.expect(b':')
    }

    /// Checks that only white space is left.
    pub fn end(&mut self) -> Result<()> {
        match self.peek_byte() {
            Ok(_) => Err(malformed()),
            Err(_) => Ok(()),
        }
    }

    /// A number's text, validated against JSON's grammar.
    fn number(&mut self) -> Result<&'a str> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest
            .bytes()
            .take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .count();
        let text = rest.get(..len).unwrap_or_default();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let whole_len = digits.bytes().take_while(u8::is_ascii_digit).count();
        let leading_zero = whole_len > 1 && digits.starts_with('0');
        let after_whole = digits.get(whole_len..).unwrap_or_default();
        let fraction_fits = match after_whole.strip_prefix('.') {
            Some(fraction) => fraction.starts_with(|c: char| c.is_ascii_digit()),
            None => true,
        };
        if whole_len == 0 || leading_zero || !fraction_fits || text.parse::<f64>().is_err() {
            return Err(malformed());
        }
        self.at += len;
        Ok(text)
    }

    /// A string, from its opening quote. Borrowed from the body unless it contains escapes.
    fn raw_string(&mut self) -> Result<Cow<'a, str>> {
        self.expect(b'"')?;
        let start = self.at;
        let mut unescaped: Option<String> = None;
        let mut run = start;
        loop {
            let rest = self.bytes().get(self.at..).unwrap_or_default();
            let plain = plain_len(rest);
            self.at += plain;
            let piece = self.text.get(run..self.at).ok_or_else(malformed)?;
            match rest.get(plain) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match unescaped {
                        None => Cow::Borrowed(piece),
                        Some(mut text) => {
                            text.push_str(piece);
                            Cow::Owned(text)
                        }
                    });
                }
                Some(b'\\') => {
                    let text = unescaped.get_or_insert_default();
                    text.push_str(piece);
                    self.at += 1;
                    text.push(self.escape()?);
                    run = self.at;
                }
                _ => return Err(malformed()),
            }
        }
    }

    /// The character after a backslash.
    fn escape(&mut self) -> Result<char> {
        let byte = self.bytes().get(self.at).copied().ok_or_else(malformed)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex4()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return char::from_u32(high).ok_or_else(malformed);
                }
                self.word("\\u")?;
                let low = self.hex4()?;
                if !(0xdc00..0xe000).contains(&low) {
                    return Err(malformed());
                }
                char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
                    .ok_or_else(malformed)?
            }
            _ => return Err(malformed()),
        })
    }

    fn hex4(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(malformed)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(malformed());
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| malformed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &str) -> Result<()> {
        let mut reader = Reader::new(text.as_bytes())?;
        reader.skip()?;
        reader.end()
    }

    #[test]
    fn any_json_can_be_skipped() {
        for good in [
            "null",
            " {} ",
            "[]",
            r#"{"a":[1,-2.5e+10,{"b":null}],"c":"\u00e9\n"}"#,
            "[[],[[]],{}]",
            "0",
            "-0.0",
        ] {
            assert!(skipped(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "[",
            "{",
            "{]",
            "[}",
            "[1,]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "--1",
            "nul",
            "tru",
            "\"a",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\n\"",
            "1 2",
            "[1 2]",
            "'a'",
        ] {
            assert!(skipped(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert!(skipped(&deep).is_ok());
        assert!(skipped(&"[".repeat(1_000_000)).is_err());
    }

    #[test]
    fn strings_are_unescaped() {
        let read = |text: &str| Reader::new(text.as_bytes())?.owned_string();
        assert_eq!(read(r#""plain é""#), Ok(Some("plain é".into())));
        assert_eq!(
            read(r#""a\"b\\c\/d\n\u00e9\ud83d\ude00!""#),
            Ok(Some("a\"b\\c/d\né😀!".into()))
        );
        assert_eq!(read("null"), Ok(None));
    }

    #[test]
    fn other_shapes_are_refused_with_the_services_words() {
        fn text<T: std::fmt::Debug>(result: Result<T>) -> String {
            result.unwrap_err().message().to_owned()
        }
        let reader = |text: &'static str| Reader::new(text.as_bytes()).unwrap();
        assert_eq!(text(reader("1").string()), "NUMBER_VALUE cannot be converted to String");
        assert_eq!(text(reader("1.5").string()), "DECIMAL_VALUE cannot be converted to String");
        assert_eq!(text(reader("true").string()), "TRUE_VALUE cannot be converted to String");
        assert_eq!(
            text(reader("[]").string()),
            "Unrecognized collection type class java.lang.String"
        );
        assert_eq!(
            text(reader("{}").string()),
            "Start of structure or map found where not expected"
        );
        assert_eq!(text(reader("\"x\"").boolean()), "Unexpected token received from parser");
        assert_eq!(
            text(reader("\"1\"").integer("Integer")),
            "STRING_VALUE cannot be converted to Integer"
        );
        assert_eq!(
            text(reader("1").blob()),
            "only base-64-encoded strings are convertible to bytes"
        );
        assert_eq!(text(reader("1").list(|r| r.skip())), "Unexpected field type");
        assert_eq!(
            text(reader("[1]").list(|r| r.structure("Tag", |r, _| r.skip()).map(drop))),
            "Unexpected value type in payload"
        );
        assert_eq!(
            text(reader("[]").structure("Tag", |r, _| r.skip())),
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Tag"
        );
    }

    #[test]
    fn integers_are_truncated_and_clamped() {
        let read =
            |text: &str, class| Reader::new(text.as_bytes()).unwrap().integer(class).unwrap();
        assert_eq!(read("1.9", "Integer"), Some(1));
        assert_eq!(read("1e3", "Long"), Some(1000));
        assert_eq!(read("99999999999", "Integer"), Some(i64::from(i32::MAX)));
        assert_eq!(read("99999999999999999999", "Long"), Some(i64::MAX));
    }
}
