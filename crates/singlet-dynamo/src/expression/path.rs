//! Paths into documents: `info.actors[0]`.

use super::syntax::{Node, NodeId, Tree, Word};
use super::{Fault, INDEX_MAX, LEVELS_MAX, Placeholders};
use crate::binary::{ItemRef, MapRef, ValueRef};
use crate::fuel::Meter;
use crate::limits::ATTRIBUTE_NAME_SIZE_MAX;
use std::fmt;

/// The charge for one step along attributes or elements.
const STEP_FUEL: usize = 5;
/// Up to this size, a map's bytes estimate its attributes well enough.
const SMALL_MAP_BYTES_MAX: usize = 1024;

/// The path to an attribute of an item, or to a part of one.
///
/// Names are not split: a path made of the name `a.b` is the attribute called `a.b`, not the `b`
/// inside `a`.
///
/// ```
/// use singlet_dynamo::expression::{Element, Path};
///
/// let path = Path::new("info", vec![Element::Field("actors".into()), Element::Index(0)])?;
/// assert_eq!(path.to_string(), "[info, actors, [0]]");
/// assert_eq!(path.name(), "info");
/// # Ok::<(), singlet_dynamo::expression::Fault>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    name: String,
    rest: Vec<Element>,
}

/// A step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// The value of this name in a map.
    Field(String),
    /// The value at this index of a list, counted from 0.
    Index(u32),
}

impl Path {
    /// The path to an attribute, or to a part of it.
    pub fn new(name: impl Into<String>, rest: Vec<Element>) -> Result<Self, Fault> {
        if rest.len() >= LEVELS_MAX {
            return Err(Fault::TooManyLevels(rest.len() + 1));
        }
        let name = name.into();
        check_name(&name)?;
        for element in &rest {
            match element {
                Element::Field(name) => check_name(name)?,
                Element::Index(index) if *index > INDEX_MAX => {
                    return Err(Fault::IndexOutOfRange(index.to_string()));
                }
                Element::Index(_) => {}
            }
        }
        Ok(Self { name, rest })
    }

    /// The path to a whole attribute.
    pub fn attribute(name: impl Into<String>) -> Result<Self, Fault> {
        Self::new(name, Vec::new())
    }

    /// The attribute's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The steps below the attribute.
    #[must_use]
    pub fn rest(&self) -> &[Element] {
        &self.rest
    }

    /// Whether this is a whole attribute.
    #[must_use]
    pub fn is_attribute(&self) -> bool {
        self.rest.is_empty()
    }

    /// The value at the path, if the item has one.
    #[must_use]
    pub fn find<'a>(&self, item: ItemRef<'a>) -> Option<ValueRef<'a>> {
        let mut value = item.get(&self.name)?;
        for element in &self.rest {
            value = element.find(value)?;
        }
        Some(value)
    }

    /// Like [`Path::find`], in an optional item, charging the walk.
    #[inline]
    pub(super) fn find_within<'a, M: Meter>(
        &self,
        item: Option<ItemRef<'a>>,
        meter: &mut M,
    ) -> Result<Option<ValueRef<'a>>, M::Stop> {
        let Some(item) = item else { return Ok(None) };
        meter.charge(|| map_walk_fuel(item))?;
        match item.get(&self.name) {
            Some(value) => find_from(value, &self.rest, meter),
            None => Ok(None),
        }
    }

    /// The path at a node of a syntax tree.
    pub(super) fn resolve(
        tree: &Tree<'_>,
        node: NodeId,
        placeholders: &mut Placeholders,
    ) -> Result<Self, Fault> {
        let Some(Node::Path { first, len }) = tree.nodes.get(node) else {
            return Err(Fault::Empty);
        };
        if *len > LEVELS_MAX {
            return Err(Fault::TooManyLevels(*len));
        }
        let mut words = tree.words.iter().skip(*first).take(*len);
        let mut name = |word: &Word| match word {
            Word::NamePlaceholder(span) => placeholders.name(span.of(tree.text)),
            Word::Name(span) | Word::Index(span) | Word::Call(span, _) => {
                Ok(span.of(tree.text).to_owned())
            }
        };
        let first = words.next().map(&mut name).transpose()?.unwrap_or_default();
        let mut rest = Vec::with_capacity(len.saturating_sub(1));
        for word in words {
            rest.push(match word {
                Word::Index(span) => {
                    let digits = span.of(tree.text);
                    let index = digits.parse();
                    Element::Index(index.map_err(|_| Fault::IndexOutOfRange(digits.to_owned()))?)
                }
                _ => Element::Field(name(word)?),
            });
        }
        Ok(Self { name: first, rest })
    }
}

impl Element {
    /// The value one step further.
    pub(super) fn find<'a>(&self, value: ValueRef<'a>) -> Option<ValueRef<'a>> {
        match (self, value) {
            (Self::Field(name), ValueRef::M(map)) => map.get(name),
            (Self::Index(index), ValueRef::L(list)) => list.get(usize::try_from(*index).ok()?),
            _ => None,
        }
    }
}

/// The value that the steps lead to from this one.
pub(super) fn find_from<'a, M: Meter>(
    mut value: ValueRef<'a>,
    steps: &[Element],
    meter: &mut M,
) -> Result<Option<ValueRef<'a>>, M::Stop> {
    for element in steps {
        meter.charge(|| match (element, value) {
            (Element::Field(_), ValueRef::M(map)) => map_walk_fuel(map),
            (Element::Index(index), ValueRef::L(list)) => {
                STEP_FUEL * list.len().min(usize::try_from(*index).unwrap_or(usize::MAX))
            }
            _ => 0,
        })?;
        match element.find(value) {
            Some(found) => value = found,
            None => return Ok(None),
        }
    }
    if let ValueRef::S(text) = value {
        // Reading a string validates its UTF-8.
        meter.charge(|| text.len() / 4)?;
    }
    Ok(Some(value))
}

/// The charge for finding an attribute of a map: for small maps by bytes, which are known.
pub(super) fn map_walk_fuel(map: MapRef<'_>) -> usize {
    match map.as_bytes().len() {
        bytes @ 0..=SMALL_MAP_BYTES_MAX => bytes / 4,
        _ => STEP_FUEL * map.len(),
    }
}

fn check_name(name: &str) -> Result<(), Fault> {
    match name.len() {
        0 => Err(Fault::EmptyName),
        1..=ATTRIBUTE_NAME_SIZE_MAX => Ok(()),
        _ => Err(Fault::LongName),
    }
}

/// As in error messages: `[info, actors, [0]]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.name)?;
        for element in &self.rest {
            match element {
                Element::Field(name) => write!(f, ", {name}")?,
                Element::Index(index) => write!(f, ", [{index}]")?,
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Item, Value, binary};

    #[test]
    fn a_path_leads_to_a_value_or_nowhere() {
        let inner = Item::from([("b", Value::L(vec![Value::from(1), Value::from("x")]))]);
        let bytes = binary::encode(&Item::from([("a", Value::M(inner)), ("a.b", Value::from(7))]));
        let item = ItemRef::trusted(&bytes);
        let find = |rest: Vec<Element>| {
            Path::new("a", rest).unwrap().find(item).map(|found| found.to_value())
        };
        let b = || Element::Field("b".into());
        assert_eq!(find(vec![b(), Element::Index(1)]), Some(Value::from("x")));
        assert_eq!(find(vec![b(), Element::Index(2)]), None);
        assert_eq!(find(vec![Element::Index(0)]), None);
        assert_eq!(find(vec![b(), b()]), None);
        let dotted = Path::attribute("a.b").unwrap();
        assert_eq!(dotted.find(item).map(|found| found.to_value()), Some(Value::from(7)));
    }

    #[test]
    fn a_path_that_the_service_would_refuse_is_refused() {
        let text = |path: Result<Path, Fault>| path.unwrap_err().to_string();
        assert_eq!(text(Path::attribute("")), "Empty attribute name");
        assert_eq!(
            text(Path::attribute("x".repeat(65_536))),
            "Attribute name is too large, must be less than 65536 bytes"
        );
        assert!(Path::new("a", vec![Element::Index(0); 31]).is_ok());
        assert_eq!(
            text(Path::new("a", vec![Element::Index(0); 32])),
            "The document path has too many nesting levels; nesting levels: 33"
        );
        assert_eq!(
            text(Path::new("a", vec![Element::Index(1 << 31)])),
            "List index is not within the allowable range; index: [2147483648]"
        );
    }
}
