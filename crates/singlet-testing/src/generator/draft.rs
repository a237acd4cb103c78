//! A request under construction, with its placeholders.

use super::{Call, Generator, mutation};
use serde_json::{Map, Value, json};

/// The members of a request, and the placeholders of its expressions.
#[derive(Default)]
pub(super) struct Draft {
    members: Map<String, Value>,
    names: Map<String, Value>,
    values: Map<String, Value>,
}

impl Draft {
    pub(super) fn set(&mut self, member: &str, value: impl Into<Value>) {
        self.members.insert(member.to_owned(), value.into());
    }

    /// Adds a placeholder for a value.
    pub(super) fn value(&mut self, value: Value) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }
}

/// Whether a name needs no placeholder.
fn is_plain(name: &str) -> bool {
    let is_reserved = matches!(name, "status" | "year");
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word && !is_reserved && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

impl Generator {
    /// The name itself or a placeholder for it.
    pub(super) fn name(&mut self, name: &str, draft: &mut Draft) -> String {
        let is_plain = is_plain(name);
        if (is_plain && self.random.percent(70)) || (!is_plain && self.errs(10)) {
            return name.to_owned();
        }
        let known = draft.names.iter().find(|(_, known)| *known == name);
        if let Some((placeholder, _)) = known
            && self.random.percent(80)
        {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", draft.names.len());
        draft.names.insert(placeholder.clone(), json!(name));
        placeholder
    }

    /// The members, including placeholders.
    pub(super) fn members(&mut self, mut draft: Draft) -> Map<String, Value> {
        self.misplace(&mut draft);
        if !draft.names.is_empty() || self.errs(1) {
            draft.members.insert("ExpressionAttributeNames".to_owned(), draft.names.into());
        }
        if !draft.values.is_empty() || self.errs(1) {
            draft.members.insert("ExpressionAttributeValues".to_owned(), draft.values.into());
        }
        draft.members
    }

    /// Makes a mistake with placeholders.
    fn misplace(&mut self, draft: &mut Draft) {
        if self.errs(2) {
            let name = self.pick(&["#unused", "#", "unused", "#a-b", "##", ":a", "", "#n0x"]);
            let value = self.pick(&[
                json!("a"),
                json!(""),
                json!("x".repeat(70_000)),
                json!(null),
                json!(1),
            ]);
            let value = if self.random.percent(70) { json!("a") } else { value };
            draft.names.insert(name.to_owned(), value);
        }
        if self.errs(2) {
            let name = self.pick(&[":unused", ":", "unused", ":a-b", "::", "#a", ""]);
            let value = if self.random.percent(70) { self.value() } else { self.wrong_value() };
            draft.values.insert(name.to_owned(), value);
        }
        if !draft.values.is_empty() && self.errs(2) {
            let name = format!(":v{}", self.random.below(draft.values.len()));
            draft.values.remove(&name);
        }
        if !draft.names.is_empty() && self.errs(2) {
            let name = format!("#n{}", self.random.below(draft.names.len()));
            draft.names.remove(&name);
        }
    }

    /// The request, with a mutation of its JSON if a mistake is still due.
    pub(super) fn finish(&mut self, operation: &'static str, draft: Draft) -> Call {
        let members = self.members(draft);
        self.finished(operation, members)
    }

    /// Like `finish`, for a request whose members are complete.
    pub(super) fn finished(
        &mut self,
        operation: &'static str,
        members: Map<String, Value>,
    ) -> Call {
        let is_due = std::mem::take(&mut self.mistakes) > 0;
        // Engines receive parsed requests, so most of these would be lost.
        if !is_due || !self.asks_endpoints() {
            return Call::new(operation, members);
        }
        let body = mutation::mutate(Value::Object(members), &mut self.random);
        Call { operation, body }
    }
}
