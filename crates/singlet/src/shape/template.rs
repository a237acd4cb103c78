//! Key templates: how keys are put together from fields, and taken apart again.

use crate::attribute::{Attribute, Mismatch};
use crate::key::{Form, KeyPart, Segment, Shape};
use crate::shape::KeyAttribute;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::schema::KeyType;
use singlet_dynamo::{Number, Type, Value};
use std::fmt;

/// How a key attribute is put together: literals, and the values of fields.
#[derive(Clone, Copy, Debug)]
pub struct TemplateOf<'s> {
    /// As it was written: `GAME#{code}`.
    pub text: &'s str,
    /// Its pieces.
    pub segments: &'s [Segment<'s>],
    /// Which fields the parts among the pieces are, in their order.
    pub parts: &'s [TemplatePart],
}

/// A [`TemplateOf`] that a macro has made.
pub type Template = TemplateOf<'static>;

/// A field in a template.
#[derive(Clone, Copy, Debug)]
pub struct TemplatePart {
    /// The field's place in the entity.
    pub place: usize,
    /// What its values look like.
    pub shape: Shape,
    /// How wide it is written; zero if the template does not say so.
    pub width: u8,
    /// Whether the field may be missing.
    pub optional: bool,
}

impl TemplatePart {
    /// The field at this place, of this type.
    #[must_use]
    pub const fn of<T: KeyPart>(place: usize, width: u8) -> Self {
        Self { place, shape: T::SHAPE, width, optional: T::OPTIONAL }
    }
}

/// Why a value cannot stand in a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFault {
    field: &'static str,
    fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    Missing,
    Empty,
    Form(Form, String),
    TooWide(u8, Number),
    /// Of a key as a whole: how many bytes it has, and may have.
    TooLong(usize, usize),
    NotStorable(String),
}

impl KeyFault {
    pub(crate) fn missing(field: &'static str) -> Self {
        Self { field, fault: Fault::Missing }
    }

    pub(crate) fn unstorable(field: &'static str, why: &crate::attribute::NotStorable) -> Self {
        Self { field, fault: Fault::NotStorable(why.to_string()) }
    }
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field;
        match &self.fault {
            Fault::Missing => write!(f, "`{field}` is part of a key and has no value"),
            Fault::Empty => write!(f, "`{field}` is part of a key and must not be empty"),
            Fault::Form(Form::Without(byte), text) => {
                write!(
                    f,
                    "`{field}` is part of a key and must not contain `{}`: {text}",
                    *byte as char
                )
            }
            Fault::Form(_, text) => {
                write!(f, "`{field}` is part of a key and does not have the form of it: {text}")
            }
            Fault::TooWide(width, number) => {
                write!(f, "`{field}` has {width} digits in a key, and {number} has more")
            }
            Fault::TooLong(size, size_max) => {
                write!(f, "the key `{field}` has at most {size_max} bytes, and would have {size}")
            }
            Fault::NotStorable(why) => write!(f, "`{field}` cannot stand in a key: {why}"),
        }
    }
}

impl std::error::Error for KeyFault {}

impl TemplateOf<'_> {
    /// Whether the field at this place stands in the template.
    pub(crate) const fn has(&self, place: usize) -> bool {
        let mut rest = self.parts;
        while let [part, others @ ..] = rest {
            if part.place == place {
                return true;
            }
            rest = others;
        }
        false
    }
}

impl Template {
    /// The place of the field that the template consists of, if it has nothing else.
    pub(crate) fn only_place(&self) -> Option<usize> {
        match (self.segments, self.parts) {
            ([Segment::Part { .. }], [part]) => Some(part.place),
            _ => None,
        }
    }

    /// The text in front of the first field.
    pub(crate) fn leading_text(&self) -> &'static str {
        match self.segments.first() {
            Some(Segment::Literal(text)) => text,
            _ => "",
        }
    }

    /// The pieces, the parts among them with their fields.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Segment<'static>, Option<TemplatePart>)> {
        let mut parts = self.parts.iter();
        self.segments.iter().map(move |segment| match segment {
            Segment::Literal(_) => (*segment, None),
            Segment::Part { .. } => (*segment, parts.next().copied()),
        })
    }

    /// Whether no optional field of the template is missing.
    pub(crate) fn is_filled<'v>(&self, value: &dyn Fn(usize) -> Option<&'v Value>) -> bool {
        self.parts
            .iter()
            .all(|part| !part.optional || !matches!(value(part.place), None | Some(Value::Null)))
    }

    /// Refuses a value of the key attribute that has more bytes than it may.
    pub(crate) fn check_size(&self, value: &Value, size_max: usize) -> Result<(), KeyFault> {
        let size = match value {
            Value::S(text) => text.len(),
            Value::B(bytes) => bytes.len(),
            // A number has 21 bytes at most.
            _ => 0,
        };
        match size > size_max {
            true => Err(KeyFault { field: self.text, fault: Fault::TooLong(size, size_max) }),
            false => Ok(()),
        }
    }

    /// The key attribute, given the values of the fields; `None` if an optional one is missing.
    pub(crate) fn render<'v>(
        &self,
        attribute: &KeyAttribute,
        size_max: usize,
        value: &dyn Fn(usize) -> Option<&'v Value>,
    ) -> Result<Option<Value>, KeyFault> {
        let rendered = self.put_together(attribute.kind, value)?;
        if let Some(rendered) = &rendered {
            self.check_size(rendered, size_max)?;
        }
        Ok(rendered)
    }

    fn put_together<'v>(
        &self,
        kind: KeyType,
        value: &dyn Fn(usize) -> Option<&'v Value>,
    ) -> Result<Option<Value>, KeyFault> {
        if kind != KeyType::S {
            // A number or bytes: the field alone, as the compiler has checked.
            let alone = self.only_place().and_then(value).filter(|one| **one != Value::Null);
            return Ok(alone.cloned());
        }
        let mut text = String::with_capacity(self.text.len() + 32);
        for (segment, part) in self.pieces() {
            match (segment, part) {
                (Segment::Literal(literal), _) => text.push_str(literal),
                (Segment::Part { name, form }, Some(part)) => match value(part.place) {
                    None | Some(Value::Null) if part.optional => return Ok(None),
                    one => push_part(name, form, one, &mut text)?,
                },
                (Segment::Part { .. }, None) => {}
            }
        }
        Ok(Some(Value::S(text)))
    }

    /// Whether the template can have given this text.
    pub(crate) fn matches(&self, text: &str) -> bool {
        read(self.segments, text, &mut |_| {})
    }

    /// The text of the field at this place, if the template has given this text.
    pub(crate) fn part<'t>(&self, place: usize, text: &'t str) -> Option<&'t str> {
        let wanted = self.parts.iter().position(|part| part.place == place)?;
        let mut texts = Vec::with_capacity(self.parts.len());
        // Parts come last to first, since the reading is known only when it has reached the end.
        read(self.segments, text, &mut |part| texts.push(part)).then_some(())?;
        texts.iter().rev().nth(wanted).copied()
    }
}

/// Writes a value as a part of a key.
pub(crate) fn push_part(
    field: &'static str,
    form: Form,
    value: Option<&Value>,
    text: &mut String,
) -> Result<(), KeyFault> {
    let fault = |fault| Err(KeyFault { field, fault });
    match (value, form) {
        (Some(Value::N(number)), Form::Digits(width)) => {
            let digits = number.to_string();
            let missing = usize::from(width).checked_sub(digits.len());
            match missing {
                // A sign or a fraction is not a digit, and does not sort as one.
                Some(zeros) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                    text.extend(std::iter::repeat_n('0', zeros));
                    text.push_str(&digits);
                    Ok(())
                }
                _ => fault(Fault::TooWide(width, *number)),
            }
        }
        (Some(Value::S(part)), _) if part.is_empty() => fault(Fault::Empty),
        (Some(Value::S(part)), form) if fits(form, part) => {
            text.push_str(part);
            Ok(())
        }
        (Some(Value::S(part)), form) => fault(Fault::Form(form, part.clone())),
        (Some(other), form) => fault(Fault::Form(form, format!("{other:?}"))),
        (None, _) => fault(Fault::Missing),
    }
}

/// Reads the text of a part as the value of its field.
pub(crate) fn read_part<T: Attribute>(text: &str) -> Result<T, Mismatch> {
    if T::TYPE != Some(Type::N) {
        return T::from_value(Some(ValueRef::S(text)));
    }
    match text.parse() {
        Ok(number) => T::from_value(Some(ValueRef::N(number))),
        Err(_) => Err(Mismatch::new("digits", format!("`{text}`"))),
    }
}

/// Whether a text has a form.
fn fits(form: Form, text: &str) -> bool {
    let picture = |picture: &str| {
        text.len() == picture.len()
            && text.bytes().zip(picture.bytes()).all(|(own, wanted)| match wanted {
                b'0' => own.is_ascii_digit(),
                b'f' => matches!(own, b'0'..=b'9' | b'a'..=b'f'),
                sign => own == sign,
            })
    };
    match form {
        Form::Without(byte) => !text.is_empty() && !text.as_bytes().contains(&byte),
        Form::Open => true,
        Form::Digits(width) => {
            text.len() == usize::from(width) && text.bytes().all(|byte| byte.is_ascii_digit())
        }
        Form::Timestamp | Form::TimestampNanos | Form::Date | Form::Uuid => {
            form.picture().is_some_and(picture)
        }
    }
}

/// Reads a text as segments, and gives the parts, last to first. A template has at most one
/// reading of a text, which the compiler has checked, so the first one found is it.
///
/// Recurses once for each segment.
fn read<'t>(segments: &[Segment<'_>], text: &'t str, found: &mut impl FnMut(&'t str)) -> bool {
    let (segment, rest) = match segments.split_first() {
        None => return text.is_empty(),
        Some(split) => split,
    };
    let form = match segment {
        Segment::Literal(literal) => {
            return text.strip_prefix(literal).is_some_and(|text| read(rest, text, found));
        }
        Segment::Part { form, .. } => *form,
    };
    let width = match form {
        Form::Digits(width) => Some(usize::from(width)),
        Form::Timestamp | Form::TimestampNanos | Form::Date | Form::Uuid => {
            form.picture().map(str::len)
        }
        // The last part takes all that is left, if it may.
        Form::Without(_) | Form::Open if rest.is_empty() => Some(text.len()),
        Form::Without(_) | Form::Open => None,
    };
    let mut take = |end: usize| match text.split_at_checked(end) {
        Some((part, after)) if fits(form, part) && read(rest, after, found) => {
            found(part);
            true
        }
        _ => false,
    };
    match width {
        Some(width) => take(width),
        None => {
            // An identifier ends where the delimiter stands, at the latest.
            let end = match form {
                Form::Without(byte) => {
                    text.bytes().position(|own| own == byte).unwrap_or(text.len())
                }
                _ => text.len(),
            };
            (0..=end).rev().any(take)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: Segment<'static> = Segment::part("id", Form::CLOSED);
    const ANY: Segment<'static> = Segment::part("any", Form::Open);

    fn parts(segments: &[Segment<'static>], text: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        read(segments, text, &mut |part| found.push(part.to_owned())).then(|| {
            found.reverse();
            found
        })
    }

    #[track_caller]
    fn check(segments: &[Segment<'static>], text: &str, expected: &[&str]) {
        assert_eq!(parts(segments, text).unwrap(), expected, "{text}");
    }

    #[test]
    fn a_key_is_taken_apart_as_it_was_put_together() {
        let literal = Segment::Literal;
        check(&[literal("GAME#"), ID], "GAME#1", &["1"]);
        check(&[ID, literal("#"), ANY], "a#b#c", &["a", "b#c"]);
        check(&[ANY, literal("#"), ID], "a#b#c", &["a#b", "c"]);
        let goal = [
            literal("GOAL#"),
            Segment::part("third", Form::Digits(1)),
            literal("#"),
            Segment::part("minute", Form::Digits(4)),
            literal("#"),
            ID,
        ];
        check(&goal, "GOAL#2#0017#e1", &["2", "0017", "e1"]);
        for text in ["GOAL#2#17#e1", "GOAL#2#0017#", "GOAL#2#0017#e#1", "GOAL#2#0017", ""] {
            assert_eq!(parts(&goal, text), None, "{text}");
        }
        // The identifier ends before a suffix of a known width, though it may hold a dash itself.
        let dashed = [ID, literal("-"), Segment::part("minute", Form::Digits(2))];
        check(&dashed, "x-1-22", &["x-1", "22"]);
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let push = |form, value: Value| {
            let mut text = String::new();
            push_part("minute", form, Some(&value), &mut text).map(|()| text)
        };
        assert_eq!(push(Form::Digits(4), Value::from(17)), Ok("0017".to_owned()));
        for (form, value, expected) in [
            (Form::Digits(2), Value::from(117), "`minute` has 2 digits in a key, and 117 has more"),
            (Form::Digits(2), Value::from(-1), "`minute` has 2 digits in a key, and -1 has more"),
            (Form::Open, Value::from(""), "`minute` is part of a key and must not be empty"),
            (
                Form::CLOSED,
                Value::from("a#b"),
                "`minute` is part of a key and must not contain `#`: a#b",
            ),
        ] {
            assert_eq!(push(form, value).unwrap_err().to_string(), expected);
        }
    }
}
