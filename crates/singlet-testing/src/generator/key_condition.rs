//! Key conditions, as text.

use super::Generator;
use super::design::Attribute;
use super::draft::Draft;

impl Generator {
    /// A condition on the key of a table or index.
    pub(super) fn key_condition(
        &mut self,
        partition: &Attribute,
        sort: Option<&Attribute>,
        draft: &mut Draft,
    ) -> String {
        let value = self.key_value(partition.kind);
        let name = self.name(partition.name, draft);
        let operator = if self.errs(4) { self.pick(&["<", "<>", ">="]) } else { "=" };
        let value = draft.value(value);
        let mut first = match self.random.below(12) {
            0 => format!("({name} {operator} {value})"),
            1 if operator == "=" => format!("{value} = {name}"),
            _ => format!("{name} {operator} {value}"),
        };
        let condition = match sort {
            Some(sort) if self.random.percent(65) => {
                let mut second = self.sort_condition(sort, draft);
                if self.random.percent(10) {
                    std::mem::swap(&mut first, &mut second);
                }
                let word = if self.errs(3) { "OR" } else { self.pick(&["AND", "and"]) };
                format!("{first} {word} {second}")
            }
            None if self.errs(10) => {
                let other = Attribute { name: "sk", kind: "S" };
                let second = self.sort_condition(&other, draft);
                format!("{first} AND {second}")
            }
            _ => first,
        };
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
