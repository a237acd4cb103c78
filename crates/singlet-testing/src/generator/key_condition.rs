//! Key conditions, as text.

use super::Generator;
use super::design::{Attribute, Key};
use super::draft::Draft;
use serde_json::{Map, Value};

impl Generator {
    /// A condition on the key of a table or index, and its partition key values.
    pub(super) fn key_condition(
        &mut self,
        key: &Key,
        draft: &mut Draft,
    ) -> (String, Map<String, Value>) {
        let mut partition = Map::new();
        let mut conditions = Vec::new();
        for attribute in &key.partition {
            let value = self.key_value(attribute.kind);
            partition.insert(attribute.name.to_owned(), value.clone());
            let name = self.name(attribute.name, draft);
            let operator = if self.errs(4) { self.pick(&["<", "<>", ">="]) } else { "=" };
            let value = draft.value(value);
            conditions.push(match self.random.below(12) {
                0 => format!("({name} {operator} {value})"),
                1 if operator == "=" => format!("{value} = {name}"),
                _ => format!("{name} {operator} {value}"),
            });
        }
        if key.partition.len() > 1 && self.errs(10) {
            conditions.pop();
        }
        let sort: &[Attribute] = match key.sort.len() {
            0 if self.errs(10) => &[Attribute { name: "sk", kind: "S" }],
            len if self.random.percent(65) => &key.sort[..len.min(1 + self.random.below(4))],
            _ => &[],
        };
        if let Some((last, before)) = sort.split_last() {
            for attribute in before {
                // Invalid without an equality or without any condition.
                match self.random.below(2) {
                    0 if self.errs(8) => {}
                    1 if self.errs(8) => conditions.push(self.sort_condition(attribute, draft)),
                    _ => {
                        let name = self.name(attribute.name, draft);
                        let value = self.key_value(attribute.kind);
                        conditions.push(format!("{name} = {}", draft.value(value)));
                    }
                }
            }
            conditions.push(self.sort_condition(last, draft));
        }
        if conditions.len() > 1 && self.random.percent(10) {
            let at = 1 + self.random.below(conditions.len() - 1);
            conditions.swap(0, at);
        }
        let word = if self.errs(3) { "OR" } else { self.pick(&["AND", "and"]) };
        let condition = conditions.join(&format!(" {word} "));
        let condition = self.mistaken_condition(condition);
        (condition, partition)
    }

    fn mistaken_condition(&mut self, condition: String) -> String {
        if self.errs(3) {
            let wrong = self.pick(&[
                "NOT ",
                "a = :v0 AND ",
                "attribute_exists(pk) AND ",
                "size(pk) = :v0 AND ",
                "contains(sk, :v0) AND ",
                "pk = :v0 AND ",
                "pk IN (:v0) AND ",
            ]);
            return format!("{wrong}{condition}");
        }
        self.misspelt(condition)
    }

    fn sort_condition(&mut self, sort: &Attribute, draft: &mut Draft) -> String {
        let name = self.name(sort.name, draft);
        let (value, high) = self.bounds(sort.kind);
        let value = draft.value(value);
        match self.random.below(8) {
            0 | 1 if sort.kind != "N" || self.errs(10) => format!("begins_with({name}, {value})"),
            2 | 3 => {
                format!("{name} BETWEEN {value} AND {}", draft.value(high))
            }
            _ => {
                let operator =
                    if self.errs(4) { "<>" } else { self.pick(&["=", "<", "<=", ">", ">="]) };
                format!("{name} {operator} {value}")
            }
        }
    }
}
