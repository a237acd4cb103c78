//! [`Validator`]: a JSON schema compiled for checking values.

use super::check::Check;
use super::{FieldError, FieldLocation};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Checks JSON values against the schema of a type.
///
/// ```
/// use schemars::JsonSchema;
/// use serde_json::json;
/// use singlet_web::validate::{FieldLocation, Validator};
///
/// #[derive(JsonSchema)]
/// struct Throw {
///     #[schemars(range(min = 1, max = 6))]
///     eyes: u8,
/// }
///
/// let validator = Validator::of::<Throw>();
/// assert!(validator.field_errors(&json!({"eyes": 6}), FieldLocation::Body).is_empty());
/// let field_errors = validator.field_errors(&json!({"eyes": 7}), FieldLocation::Body);
/// assert_eq!(field_errors[0].to_string(), "/eyes must be at most 6");
/// ```
#[derive(Debug)]
pub struct Validator {
    root: Node,
    pub(super) definitions: BTreeMap<String, Node>,
}

/// The rule for one position in a value.
#[derive(Debug)]
pub(super) enum Node {
    Anything,
    /// A named definition.
    Reference(String),
    Text {
        chars_min: u64,
        chars_max: Option<u64>,
    },
    Number {
        is_whole: bool,
        min: Option<serde_json::Number>,
        max: Option<serde_json::Number>,
    },
    Boolean,
    List {
        items: Box<Node>,
        count_min: u64,
        count_max: Option<u64>,
    },
    Object {
        members: BTreeMap<String, Node>,
        required: Vec<String>,
        /// The rule for other members; `None` rejects them.
        rest: Option<Box<Node>>,
    },
    /// Exactly one of these values.
    Constants(Vec<Value>),
    /// Any of these alternatives.
    Choice(Vec<Node>),
}

impl Validator {
    /// Compiles the JSON schema of `T`.
    ///
    /// # Panics
    ///
    /// If the schema has a keyword that is not supported. This is a bug in the program, found at
    /// startup.
    #[must_use]
    pub fn of<T: JsonSchema>() -> Self {
        Self::described_by(<SchemaGenerator>::into_root_schema_for::<T>, T::schema_name)
    }

    #[inline(never)]
    fn described_by(
        describe: fn(SchemaGenerator) -> Schema,
        name: fn() -> std::borrow::Cow<'static, str>,
    ) -> Self {
        let schema = describe(SchemaGenerator::new(settings()));
        let none = Map::new();
        let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
        Self::compiled(schema.as_value(), definitions, &name())
    }

    /// Compiles a schema and the definitions it refers to. `name` is for the panic message.
    pub(crate) fn compiled(schema: &Value, definitions: &Map<String, Value>, name: &str) -> Self {
        match Self::compile(schema, definitions) {
            Ok(validator) => validator,
            #[expect(clippy::panic, reason = "a mistake of the program, not of its input")]
            Err(what) => panic!("the schema of {name} cannot be checked: {what}"),
        }
    }

    fn compile(schema: &Value, definitions: &Map<String, Value>) -> Result<Self, String> {
        let mut wanted = Vec::new();
        let root = node(schema, &mut wanted)?;
        let mut made = BTreeMap::new();
        while let Some(name) = wanted.pop() {
            if made.contains_key(&name) {
                continue;
            }
            let schema = definitions.get(&name).ok_or("a reference to nothing")?;
            let definition = node(schema, &mut wanted)?;
            made.insert(name, definition);
        }
        Ok(Self { root, definitions: made })
    }

    /// Rejects a value that does not match.
    pub(crate) fn check(&self, value: &Value, place: FieldLocation) -> Result<(), Vec<FieldError>> {
        let field_errors = self.field_errors(value, place);
        if field_errors.is_empty() { Ok(()) } else { Err(field_errors) }
    }

    /// The errors in a value, at most [`FIELD_ERRORS_MAX`](super::FIELD_ERRORS_MAX).
    #[must_use]
    pub fn field_errors(&self, value: &Value, place: FieldLocation) -> Vec<FieldError> {
        Check::new(self, place).run(&self.root, value)
    }

    /// The names of the members, and whether their values are text: for building values from query
    /// parameters.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, bool)> {
        let members = match &self.root {
            Node::Object { members, .. } => Some(members),
            _ => None,
        };
        members.into_iter().flatten().map(|(name, node)| (name.as_str(), self.takes_text(node)))
    }

    /// Whether the value can be text.
    pub(crate) fn is_text(&self) -> bool {
        self.takes_text(&self.root)
    }

    fn takes_text(&self, node: &Node) -> bool {
        match node {
            Node::Text { .. } | Node::Anything => true,
            Node::Constants(values) => values.iter().any(Value::is_string),
            Node::Choice(nodes) => nodes.iter().any(|node| self.takes_text(node)),
            Node::Reference(name) => {
                self.definitions.get(name).is_some_and(|node| self.takes_text(node))
            }
            Node::Number { .. } | Node::Boolean | Node::List { .. } | Node::Object { .. } => false,
        }
    }
}

/// The schema dialect of OpenAPI 3.1.
fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12()
}

/// The same for schemas in an OpenAPI document, with references into it.
pub(crate) fn openapi_settings() -> SchemaSettings {
    settings().with(|settings| settings.definitions_path = "/components/schemas".into())
}

/// Bounds of a Rust integer type, by its schema format.
pub(crate) fn integer_bounds(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "uint64" | "uint" => (0, u64::MAX.into()),
        _ => return None,
    })
}

/// Keywords that do not constrain. `format` is only used for integer bounds.
const EXPLANATIONS: &[&str] =
    &["$schema", "$defs", "title", "description", "default", "examples", "format", "deprecated"];

/// Reference prefixes in a standalone schema and in an OpenAPI document.
const REFERENCES: [&str; 2] = ["#/$defs/", "#/components/schemas/"];

/// Compiles one position of a schema and collects the definitions it refers to.
fn node(schema: &Value, wanted: &mut Vec<String>) -> Result<Node, String> {
    let map = match schema {
        Value::Bool(true) => return Ok(Node::Anything),
        Value::Object(map) => map,
        _ => return Err(format!("{schema} is not a schema")),
    };
    let mut words: Vec<&str> = map.keys().map(String::as_str).collect();
    words.retain(|word| !EXPLANATIONS.contains(word));
    let mut known = |names: &[&str]| words.retain(|word| !names.contains(word));
    let node = if let Some(Value::String(target)) = map.get("$ref") {
        known(&["$ref"]);
        let name = REFERENCES.iter().find_map(|prefix| target.strip_prefix(prefix));
        let name = name.ok_or("a reference to elsewhere")?;
        wanted.push(name.to_owned());
        Node::Reference(name.to_owned())
    } else if let Some(value) = map.get("const") {
        known(&["const", "type"]);
        Node::Constants(vec![value.clone()])
    } else if let Some(Value::Array(values)) = map.get("enum") {
        known(&["enum", "type"]);
        Node::Constants(values.clone())
    } else if let Some(Value::Array(schemas)) = map.get("oneOf").or_else(|| map.get("anyOf")) {
        known(&["oneOf", "anyOf"]);
        choice(schemas.iter().map(|one| node(one, wanted)).collect::<Result<_, _>>()?)
    } else {
        match map.get("type") {
            None => Node::Anything,
            Some(Value::String(kind)) => {
                known(&["type"]);
                known(words_of(kind));
                of_kind(kind, map, wanted)?
            }
            Some(Value::Array(kinds)) => {
                known(&["type"]);
                let mut nodes = Vec::new();
                for kind in kinds {
                    let kind = kind.as_str().ok_or("a type that is not a name")?;
                    known(words_of(kind));
                    nodes.push(of_kind(kind, map, wanted)?);
                }
                choice(nodes)
            }
            Some(other) => return Err(format!("the type {other}")),
        }
    };
    match words.first() {
        Some(word) => Err(format!("the word `{word}`")),
        None => Ok(node),
    }
}

/// Merges alternatives of constants into one list.
fn choice(nodes: Vec<Node>) -> Node {
    let constants = |node: &Node| match node {
        Node::Constants(values) => Some(values.clone()),
        _ => None,
    };
    match nodes.iter().map(constants).collect::<Option<Vec<_>>>() {
        Some(values) => Node::Constants(values.concat()),
        None => Node::Choice(nodes),
    }
}

fn words_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "string" => &["minLength", "maxLength"],
        "integer" | "number" => &["minimum", "maximum"],
        "array" => &["items", "minItems", "maxItems"],
        "object" => &["properties", "required", "additionalProperties"],
        _ => &[],
    }
}

fn of_kind(kind: &str, map: &Map<String, Value>, wanted: &mut Vec<String>) -> Result<Node, String> {
    let count = |word: &str| map.get(word).and_then(Value::as_u64);
    Ok(match kind {
        "string" => {
            Node::Text { chars_min: count("minLength").unwrap_or(0), chars_max: count("maxLength") }
        }
        "integer" | "number" => {
            let bounds = map.get("format").and_then(Value::as_str).and_then(integer_bounds);
            let bound = |word: &str, of_type: Option<i128>| match map.get(word) {
                Some(bound) => bound.as_number().cloned(),
                None => of_type.and_then(serde_json::Number::from_i128),
            };
            Node::Number {
                is_whole: kind == "integer",
                min: bound("minimum", bounds.map(|(min, _)| min)),
                max: bound("maximum", bounds.map(|(_, max)| max)),
            }
        }
        "boolean" => Node::Boolean,
        "null" => Node::Constants(vec![Value::Null]),
        "array" => Node::List {
            items: Box::new(
                map.get("items").map_or(Ok(Node::Anything), |items| node(items, wanted))?,
            ),
            count_min: count("minItems").unwrap_or(0),
            count_max: count("maxItems"),
        },
        "object" => {
            let mut members = BTreeMap::new();
            if let Some(Value::Object(properties)) = map.get("properties") {
                for (name, schema) in properties {
                    members.insert(name.clone(), node(schema, wanted)?);
                }
            }
            let required = map.get("required").and_then(Value::as_array);
            let required = required.into_iter().flatten().filter_map(Value::as_str);
            let rest = match map.get("additionalProperties") {
                None => Some(Node::Anything),
                Some(Value::Bool(false)) => None,
                Some(schema) => Some(node(schema, wanted)?),
            };
            Node::Object {
                members,
                required: required.map(str::to_owned).collect(),
                rest: rest.map(Box::new),
            }
        }
        _ => return Err(format!("the type {kind}")),
    })
}
