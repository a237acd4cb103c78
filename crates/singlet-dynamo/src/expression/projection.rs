//! Projections: which parts of an item to return.

use super::syntax;
use super::{Element, Fault, Parameter, Path, Placeholders, overlap};
use crate::binary::{ItemRef, ValueRef};
use crate::error::Result;
use crate::{Item, Map, Value};
use std::borrow::Borrow;

/// Selects parts of an item.
///
/// ```
/// use singlet_dynamo::expression::{Parameter, Placeholders, Projection};
/// use singlet_dynamo::{Item, binary};
///
/// let item = Item::from_json(br#"{"info": {"M": {"year": {"N": "1998"}, "actors": {"L":
///     [{"S": "Jeff"}, {"S": "John"}, {"S": "Julianne"}]}}}, "title": {"S": "Lebowski"}}"#)?;
/// let stored = binary::encode(&item);
///
/// let text = "info.actors[2], info.actors[0], plot";
/// let projection =
///     Projection::parse(text, Parameter::ProjectionExpression, &mut Placeholders::default())?;
/// let parts = projection.project(binary::ItemRef::trusted(&stored));
/// assert_eq!(
///     parts.to_json(),
///     br#"{"info":{"M":{"actors":{"L":[{"S":"Jeff"},{"S":"Julianne"}]}}}}"#
/// );
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// Sorted; none is a prefix of another.
    paths: Vec<Path>,
}

impl Projection {
    /// The parts at these paths. Needs at least one.
    pub fn new(mut paths: Vec<Path>) -> Result<Self, Fault> {
        if paths.is_empty() {
            return Err(Fault::Empty);
        }
        overlap::check(paths.iter().rev())?;
        paths.sort_unstable();
        Ok(Self { paths })
    }

    /// Parses a projection and marks its placeholders as used.
    pub fn parse(
        text: &str,
        parameter: Parameter,
        placeholders: &mut Placeholders,
    ) -> Result<Self> {
        parse(text, placeholders).map_err(|fault| parameter.refuse(&fault))
    }

    /// The paths, sorted.
    #[must_use]
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The names, if all paths are whole attributes: these can be copied from the stored item
    /// without decoding.
    #[must_use]
    pub fn whole_attributes(&self) -> Option<impl ExactSizeIterator<Item = &str>> {
        let whole = self.paths.iter().all(Path::is_attribute);
        whole.then(|| self.paths.iter().map(Path::name))
    }

    /// The selected parts of the item, inside their maps and lists, which contain nothing else and
    /// keep their order.
    #[must_use]
    pub fn project(&self, item: ItemRef<'_>) -> Item {
        project(&self.paths, item)
    }
}

fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Projection, Fault> {
    let tree = syntax::projection(text)?;
    let mut paths = Vec::with_capacity(tree.nodes.len());
    // The service goes from the last path to the first, checking for overlaps on the way.
    for node in (0..tree.nodes.len()).rev() {
        match Path::resolve(&tree, node, placeholders) {
            Ok(path) => paths.push(path),
            Err(fault) => {
                overlap::check(paths.iter())?;
                return Err(fault);
            }
        }
    }
    paths.reverse();
    Projection::new(paths)
}

/// The parts of the item at these paths, which must be sorted and without overlaps.
pub(super) fn project<P: Borrow<Path>>(paths: &[P], item: ItemRef<'_>) -> Item {
    let groups = paths.chunk_by(|a, b| a.borrow().name() == b.borrow().name());
    // One pass over the item, since paths and attributes are both sorted.
    let mut attributes = item.iter();
    let entries = groups.filter_map(|group| {
        let name = group.first()?.borrow().name();
        Some((name.to_owned(), part(group, 0, attributes.seek(name)?)?))
    });
    Map::from_entries(entries.collect())
}

/// The parts of a value reached after `depth` steps. Recurses no deeper than a path is long.
fn part<P: Borrow<Path>>(paths: &[P], depth: usize, value: ValueRef<'_>) -> Option<Value> {
    if step(paths.first()?, depth).is_none() {
        return Some(value.to_value());
    }
    let mut groups = paths.chunk_by(|a, b| step(a, depth) == step(b, depth));
    match value {
        ValueRef::M(map) => {
            let mut fields = map.iter();
            let entries = groups.filter_map(|group| match step(group.first()?, depth)? {
                Element::Field(name) => {
                    Some((name.clone(), part(group, depth + 1, fields.seek(name)?)?))
                }
                Element::Index(_) => None,
            });
            let entries: Vec<_> = entries.collect();
            (!entries.is_empty()).then(|| Value::M(Map::from_entries(entries)))
        }
        ValueRef::L(list) => {
            // One pass over the list, since the paths are sorted by index.
            let mut parts = Vec::new();
            let mut wanted = groups.next();
            for (place, element) in list.iter().enumerate() {
                let Some(group) = wanted else { break };
                let Element::Index(index) = step(group.first()?, depth)? else { return None };
                if usize::try_from(*index).ok()? == place {
                    parts.extend(part(group, depth + 1, element));
                    wanted = groups.next();
                }
            }
            (!parts.is_empty()).then_some(Value::L(parts))
        }
        _ => None,
    }
}

fn step<P: Borrow<Path>>(path: &P, depth: usize) -> Option<&Element> {
    path.borrow().rest().get(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of a projection, or the error.
    fn check(text: &str, expected: &str) {
        let item = Item::from_json(
            br#"{"a":{"M":{"b":{"N":"1"},"c":{"L":[{"N":"2"},{"N":"3"},{"N":"4"}]}}},"n":{"N":"5"}}"#,
        )
        .unwrap();
        let stored = crate::binary::encode(&item);
        let found = match parse(text, &mut Placeholders::default()) {
            Ok(projection) => {
                let json = projection.project(ItemRef::trusted(&stored)).to_json();
                String::from_utf8(json).unwrap()
            }
            Err(fault) => fault.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn only_selected_parts_and_their_containers_are_kept() {
        for (text, expected) in [
            ("n", r#"{"n":{"N":"5"}}"#),
            ("a.b, n", r#"{"a":{"M":{"b":{"N":"1"}}},"n":{"N":"5"}}"#),
            ("a.c[2], a.c[0]", r#"{"a":{"M":{"c":{"L":[{"N":"2"},{"N":"4"}]}}}}"#),
            ("a.c[9], a.z, a.b.c, n[0], x", "{}"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn the_later_of_two_overlapping_paths_is_path_two() {
        let overlap = |one: &str, two: &str| {
            format!(
                "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {one}, path two: {two}"
            )
        };
        check("a, a.b", &overlap("[a]", "[a, b]"));
        check("a.b, a", &overlap("[a, b]", "[a]"));
        check("#z, n, n", &overlap("[n]", "[n]"));
        check(
            "n, n, #z",
            "An expression attribute name used in the document path is not defined; attribute name: #z",
        );
        check("size(a)", "Syntax error; token: \"(\", near: \"size(a\"");
    }
}
