//! Checks one value against a [`Validator`].

use super::validator::{Node, Validator};
use super::{FIELD_ERRORS_MAX, FieldError, FieldLocation};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Appends a segment to a JSON pointer.
pub(super) fn step(pointer: &mut String, name: &str) {
    pointer.push('/');
    for character in name.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(character),
        }
    }
}

/// Names sent by the client are cut to this length in errors.
const NAME_CHARS_MAX: usize = 40;

/// Appends a segment of any length, shortened.
pub(super) fn step_shortened(pointer: &mut String, name: &str) {
    match name.char_indices().nth(NAME_CHARS_MAX) {
        None => step(pointer, name),
        Some((end, _)) => {
            step(pointer, name.get(..end).unwrap_or_default());
            pointer.push('…');
        }
    }
}

/// A check in progress: its position and the errors found.
pub(super) struct Check<'a> {
    validator: &'a Validator,
    place: FieldLocation,
    pointer: String,
    field_errors: Vec<FieldError>,
}

impl<'a> Check<'a> {
    pub(super) fn new(validator: &'a Validator, place: FieldLocation) -> Self {
        Self { validator, place, pointer: String::new(), field_errors: Vec::new() }
    }

    /// All errors in the value.
    pub(super) fn run(mut self, node: &Node, value: &Value) -> Vec<FieldError> {
        self.node(node, value);
        self.field_errors
    }

    fn fault(&mut self, detail: impl Into<Cow<'static, str>>) {
        if self.field_errors.len() < FIELD_ERRORS_MAX {
            self.field_errors.push(FieldError::at(self.place, &self.pointer, detail));
        }
    }

    fn below(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        let len = self.pointer.len();
        step_shortened(&mut self.pointer, name);
        check(self);
        self.pointer.truncate(len);
    }

    fn node(&mut self, node: &Node, value: &Value) {
        match node {
            Node::Anything => {}
            Node::Reference(name) => {
                let validator = self.validator;
                if let Some(node) = validator.definitions.get(name) {
                    self.node(node, value);
                }
            }
            Node::Text { chars_min, chars_max } => self.text(*chars_min, *chars_max, value),
            Node::Number { is_whole, min, max } => {
                self.number(*is_whole, min.as_ref(), max.as_ref(), value);
            }
            Node::Boolean if value.is_boolean() => {}
            Node::Boolean => self.fault("must be true or false"),
            Node::List { items, count_min, count_max } => {
                self.list(items, *count_min, *count_max, value);
            }
            Node::Object { members, required, rest } => {
                self.object(members, required, rest.as_deref(), value);
            }
            Node::Constants(values) if values.contains(value) => {}
            Node::Constants(values) => self.fault(must_be_one_of(values)),
            Node::Choice(nodes) => self.choice(nodes, value),
        }
    }

    fn text(&mut self, chars_min: u64, chars_max: Option<u64>, value: &Value) {
        let Some(text) = value.as_str() else { return self.fault("must be text") };
        let chars = text.chars().count() as u64;
        if chars < chars_min {
            self.fault(match chars_min {
                1 => Cow::Borrowed("must not be empty"),
                _ => format!("must have at least {chars_min} characters").into(),
            });
        } else if let Some(max) = chars_max.filter(|max| chars > *max) {
            self.fault(format!("must have at most {max} characters"));
        }
    }

    fn number(
        &mut self,
        is_whole: bool,
        min: Option<&Number>,
        max: Option<&Number>,
        value: &Value,
    ) {
        let Value::Number(number) = value else {
            return self.fault(if is_whole {
                "must be a whole number"
            } else {
                "must be a number"
            });
        };
        if is_whole && number.is_f64() {
            self.fault("must be a whole number");
        } else if let Some(min) = min.filter(|min| is_less(number, min)) {
            self.fault(format!("must be at least {min}"));
        } else if let Some(max) = max.filter(|max| is_less(max, number)) {
            self.fault(format!("must be at most {max}"));
        }
    }

    fn list(&mut self, items: &Node, count_min: u64, count_max: Option<u64>, value: &Value) {
        let Some(list) = value.as_array() else { return self.fault("must be a list") };
        let count = list.len() as u64;
        if count < count_min {
            self.fault(format!("must have at least {count_min} entries"));
        } else if let Some(max) = count_max.filter(|max| count > *max) {
            return self.fault(format!("must have at most {max} entries"));
        }
        for (index, value) in list.iter().enumerate() {
            self.below(&index.to_string(), |check| check.node(items, value));
        }
    }

    fn object(
        &mut self,
        members: &BTreeMap<String, Node>,
        required: &[String],
        rest: Option<&Node>,
        value: &Value,
    ) {
        let Some(object) = value.as_object() else { return self.fault("must be an object") };
        for name in required.iter().filter(|name| !object.contains_key(*name)) {
            self.below(name, |check| check.fault("is missing"));
        }
        for (name, value) in object {
            match (members.get(name), rest) {
                (Some(node), _) | (None, Some(node)) => {
                    self.below(name, |check| check.node(node, value));
                }
                (None, None) => self.below(name, |check| check.fault("unknown field")),
            }
        }
    }

    fn choice(&mut self, nodes: &[Node], value: &Value) {
        // For an optional field, report the rule of the value, not that null is allowed.
        let is_null = |node: &&Node| matches!(node, Node::Constants(of) if of == &[Value::Null]);
        let mut others = nodes.iter().filter(|node| !is_null(node));
        if let (Some(only), None) = (others.next(), others.next())
            && !value.is_null()
        {
            return self.node(only, value);
        }
        let mut nearest: Option<(usize, Vec<FieldError>)> = None;
        for node in nodes {
            let pointer = self.pointer.clone();
            let field_errors =
                Self { pointer, ..Check::new(self.validator, self.place) }.run(node, value);
            if field_errors.is_empty() {
                return;
            }
            // The client most likely meant the alternative with a matching tag, such as this
            // `type`; failing that, one of the same JSON type.
            let likeness = self.likeness(node, value);
            if nearest.as_ref().is_none_or(|(best, _)| likeness > *best) {
                nearest = Some((likeness, field_errors));
            }
        }
        match nearest {
            Some((likeness, field_errors)) if likeness > 0 => {
                let room = FIELD_ERRORS_MAX.saturating_sub(self.field_errors.len());
                self.field_errors.extend(field_errors.into_iter().take(room));
            }
            _ => match self.marks(nodes, value) {
                Some((name, values)) => {
                    self.below(&name, |check| check.fault(must_be_one_of(&values)));
                }
                None => self.fault("has none of the forms that fit here"),
            },
        }
    }

    /// How well the value matches this alternative.
    fn likeness(&self, node: &Node, value: &Value) -> usize {
        match (node, value) {
            (Node::Reference(name), _) => {
                self.validator.definitions.get(name).map_or(0, |node| self.likeness(node, value))
            }
            (Node::Object { members, .. }, Value::Object(object)) => {
                let mut fitting = 1;
                for (name, node) in members {
                    if let Node::Constants(values) = node
                        && values.len() == 1
                    {
                        if !object.get(name).is_some_and(|value| values.contains(value)) {
                            return 0;
                        }
                        fitting += 1;
                    }
                }
                fitting
            }
            (Node::Text { .. }, Value::String(_))
            | (Node::Number { .. }, Value::Number(_))
            | (Node::List { .. }, Value::Array(_)) => 1,
            _ => 0,
        }
    }

    /// The member that tags the alternatives, and its possible values.
    fn marks(&self, nodes: &[Node], value: &Value) -> Option<(String, Vec<Value>)> {
        value.as_object()?;
        let mut found: Option<(String, Vec<Value>)> = None;
        for mut node in nodes {
            if let Node::Reference(name) = node {
                node = self.validator.definitions.get(name)?;
            }
            let Node::Object { members, .. } = node else { continue };
            let mark = members.iter().find_map(|(name, node)| match node {
                Node::Constants(values) if values.len() == 1 => Some((name, values)),
                _ => None,
            });
            let (name, values) = mark?;
            match &mut found {
                None => found = Some((name.clone(), values.clone())),
                Some((known, all)) if known == name => all.extend_from_slice(values),
                Some(_) => return None,
            }
        }
        found
    }
}

/// Compares integers exactly, other numbers as floating point.
fn is_less(one: &Number, other: &Number) -> bool {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64() < other.as_f64(),
    }
}

fn must_be_one_of(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(Value::to_string).collect();
    match values.as_slice() {
        [one] => format!("must be {one}"),
        _ => format!("must be one of {}", values.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde_json::{Map, json};

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[serde(deny_unknown_fields)]
    struct Order {
        #[schemars(length(min = 1, max = 5))]
        name: String,
        #[schemars(range(min = 1, max = 6))]
        eyes: Option<u8>,
        #[schemars(length(max = 2))]
        lines: Vec<Line>,
        size: Size,
        gift: Option<Line>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Line {
        price: f64,
        paid: bool,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[serde(rename_all = "lowercase")]
    enum Size {
        Small,
        /// As large as possible.
        Large,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[serde(tag = "type", rename_all = "camelCase")]
    enum Message {
        JoinGame { name: String },
        Ping,
    }

    fn check<T: JsonSchema>(value: &Value, field_errors: &[&str]) {
        let found = Validator::of::<T>().field_errors(value, FieldLocation::Body);
        let found: Vec<String> = found.iter().map(FieldError::to_string).collect();
        assert_eq!(found, field_errors);
    }

    #[test]
    fn all_faults_are_found_and_each_names_its_field() {
        let good = json!({"name": "Ämmes", "lines": [], "size": "small", "eyes": null});
        check::<Order>(&good, &[]);
        check::<Order>(&json!([]), &["the whole must be an object"]);
        check::<Order>(
            &json!({
                "name": "too long",
                "eyes": 7,
                "lines": [{"price": "1", "paid": true}, {"price": 1, "paid": 0}],
                "size": "huge",
                "color": "red",
                "gift": {"price": 1},
            }),
            &[
                "/color unknown field",
                "/eyes must be at most 6",
                "/gift/paid is missing",
                "/lines/0/price must be a number",
                "/lines/1/paid must be true or false",
                "/name must have at most 5 characters",
                r#"/size must be one of "small", "large""#,
            ],
        );
        check::<Order>(
            &json!({"name": "", "lines": [1, 2, 3], "size": 1, "eyes": 1.5}),
            &[
                "/eyes must be a whole number",
                "/lines must have at most 2 entries",
                "/name must not be empty",
                r#"/size must be one of "small", "large""#,
            ],
        );
    }

    /// Regression: an optional field got the error "has none of the forms that fit here".
    #[test]
    fn an_optional_field_is_told_what_it_must_be() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Options {
            backwards: Option<bool>,
            limit: Option<u32>,
            gift: Option<Line>,
        }
        check::<Options>(&json!({"backwards": null, "limit": null, "gift": null}), &[]);
        check::<Options>(
            &json!({"backwards": "yes", "limit": 4_294_967_296_u64, "gift": 7}),
            &[
                "/backwards must be true or false",
                "/gift must be an object",
                "/limit must be at most 4294967295",
            ],
        );
    }

    #[test]
    fn of_several_forms_the_one_with_the_right_mark_is_meant() {
        check::<Message>(&json!({"type": "ping"}), &[]);
        check::<Message>(&json!({"type": "joinGame"}), &["/name is missing"]);
        check::<Message>(&json!({"type": "jump"}), &[r#"/type must be one of "joinGame", "ping""#]);
        check::<Message>(&json!({}), &[r#"/type must be one of "joinGame", "ping""#]);
        check::<Message>(&json!(7), &["the whole has none of the forms that fit here"]);
    }

    #[test]
    fn however_much_is_wrong_the_list_stays_short() {
        let object: Map<String, Value> =
            (0..1000).map(|number| (format!("{number}{}", "x".repeat(1000)), json!(1))).collect();
        let field_errors =
            Validator::of::<Order>().field_errors(&Value::Object(object), FieldLocation::Body);
        assert_eq!(field_errors.len(), FIELD_ERRORS_MAX);
        assert!(field_errors.iter().all(|fault| fault.field.len() < 60));
    }

    #[test]
    fn pointers_escape_what_has_a_meaning_in_them() {
        let field_errors = Validator::of::<BTreeMap<String, u8>>()
            .field_errors(&json!({"a/b~c": "x"}), FieldLocation::Body);
        assert_eq!(field_errors[0].field, "/a~1b~0c");
    }
}
