//! Legacy parameters, from before expressions.

use super::Generator;
use super::design::{Design, Key};
use super::draft::Draft;
use serde_json::{Map, Value, json};

const OPERATORS: &[&str] = &[
    "EQ",
    "NE",
    "LE",
    "LT",
    "GE",
    "GT",
    "NOT_NULL",
    "NULL",
    "CONTAINS",
    "NOT_CONTAINS",
    "BEGINS_WITH",
    "IN",
    "BETWEEN",
];

impl Generator {
    /// `AttributesToGet`.
    pub(super) fn attributes_to_get(&mut self, design: &Design) -> Value {
        let mut names: Vec<&str> = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let name = self.attribute(design).0;
            if !names.contains(&name) || self.errs(20) {
                names.push(name);
            }
        }
        if self.errs(5) {
            names.clear();
        }
        json!(names)
    }

    /// Perhaps `Expected` and `ConditionalOperator`.
    pub(super) fn maybe_expected(&mut self, design: &Design, draft: &mut Draft) {
        let mut expected = Map::new();
        for _ in 0..1 + self.random.below(2) {
            let (name, kind) = self.attribute(design);
            let test = match self.random.below(5) {
                0 => json!({"Exists": false}),
                1 => json!({"Value": self.value_of(kind)}),
                2 => json!({"Exists": true, "Value": self.value_of(kind)}),
                _ => self.comparison(kind),
            };
            expected.insert(name.to_owned(), test);
        }
        if self.errs(5) {
            let wrong = self.pick(&[
                json!({"Exists": true}),
                json!({"Exists": false, "Value": {"S": "a"}}),
                json!({}),
                json!({"Value": {"S": "a"}, "ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}),
                json!({"Exists": false, "ComparisonOperator": "NULL"}),
                json!({"AttributeValueList": [{"S": "a"}]}),
            ]);
            expected.insert("a".to_owned(), wrong);
        }
        self.conditional_operator(expected.len(), draft);
        draft.set("Expected", expected);
    }

    fn conditional_operator(&mut self, count: usize, draft: &mut Draft) {
        if (count > 1 && self.random.percent(50)) || self.errs(3) {
            draft.set("ConditionalOperator", self.pick(&["AND", "OR"]));
        }
    }

    /// A comparison with the right number of values, unless by mistake.
    fn comparison(&mut self, kind: &str) -> Value {
        let operator = if self.errs(2) { "LIKE" } else { self.pick(OPERATORS) };
        let mut count = match operator {
            "NULL" | "NOT_NULL" => 0,
            "BETWEEN" => 2,
            "IN" => 1 + self.random.below(3),
            _ => 1,
        };
        if self.errs(5) {
            count = self.random.below(3);
        }
        let kind = match (operator, kind) {
            ("BEGINS_WITH", "B") => "B",
            ("BEGINS_WITH", _) => "S",
            ("CONTAINS" | "NOT_CONTAINS", "SS") => "S",
            ("CONTAINS" | "NOT_CONTAINS", "NS") => "N",
            (
                "CONTAINS" | "NOT_CONTAINS" | "IN",
                "L" | "M" | "BOOL" | "NULL" | "*" | "SS" | "NS" | "BS",
            ) => "S",
            ("LE" | "LT" | "GE" | "GT" | "BETWEEN", "S" | "N" | "B") => kind,
            ("LE" | "LT" | "GE" | "GT" | "BETWEEN", _) => "N",
            _ => kind,
        };
        let values: Vec<Value> = match operator {
            "BETWEEN" if count == 2 => {
                let (low, high) = self.bounds(kind);
                vec![low, high]
            }
            _ => (0..count).map(|_| self.value_of(kind)).collect(),
        };
        match count {
            0 if self.random.percent(50) => json!({"ComparisonOperator": operator}),
            _ => json!({"ComparisonOperator": operator, "AttributeValueList": values}),
        }
    }

    /// `AttributeUpdates`.
    pub(super) fn legacy_updates(&mut self, design: &Design, draft: &mut Draft) {
        let mut updates = Map::new();
        for _ in 0..1 + self.random.below(3) {
            let (name, kind) = self.attribute(design);
            if design.key().any(|key| key.name == name) && !self.errs(10) {
                continue;
            }
            let update = match self.random.below(6) {
                0 => json!({"Action": "DELETE"}),
                1 => {
                    let kind = if matches!(kind, "SS" | "NS" | "BS") { kind } else { "SS" };
                    json!({"Action": "DELETE", "Value": self.value_of(kind)})
                }
                2 | 3 => {
                    let kind =
                        if matches!(kind, "N" | "SS" | "NS" | "BS" | "L") { kind } else { "N" };
                    json!({"Action": "ADD", "Value": self.value_of(kind)})
                }
                4 if self.random.percent(10) => json!({"Value": self.value_of(kind)}),
                _ => json!({"Action": "PUT", "Value": self.value_of(kind)}),
            };
            updates.insert(name.to_owned(), update);
        }
        if self.errs(5) {
            let wrong = self.pick(&[
                json!({}),
                json!({"Action": "PUT"}),
                json!({"Action": "ADD"}),
                json!({"Action": "ADD", "Value": {"S": "a"}}),
                json!({"Action": "DELETE", "Value": {"S": "a"}}),
                json!({"Action": "SET", "Value": {"S": "a"}}),
            ]);
            updates.insert("a".to_owned(), wrong);
        }
        draft.set("AttributeUpdates", updates);
    }

    /// `KeyConditions`, and perhaps `QueryFilter` and `AttributesToGet`. Returns the partition key
    /// values.
    pub(super) fn legacy_query(
        &mut self,
        design: &Design,
        key: &Key,
        draft: &mut Draft,
    ) -> Map<String, Value> {
        let mut partition = Map::new();
        let mut conditions = Map::new();
        for attribute in &key.partition {
            let operator = if self.errs(3) { self.pick(OPERATORS) } else { "EQ" };
            let value = self.key_value(attribute.kind);
            partition.insert(attribute.name.to_owned(), value.clone());
            conditions.insert(
                attribute.name.to_owned(),
                json!({"ComparisonOperator": operator, "AttributeValueList": [value]}),
            );
        }
        let sort_len = if self.random.percent(65) { 1 + self.random.below(4) } else { 0 };
        let sort = &key.sort[..key.sort.len().min(sort_len)];
        for (place, attribute) in sort.iter().enumerate() {
            let operators = ["EQ", "LE", "LT", "GE", "GT", "BEGINS_WITH", "BETWEEN"];
            let operator = match self.pick(&operators) {
                _ if self.errs(5) => self.pick(OPERATORS),
                _ if place + 1 < sort.len() => "EQ",
                "BEGINS_WITH" if attribute.kind == "N" => "GE",
                operator => operator,
            };
            let (low, high) = self.bounds(attribute.kind);
            let values = if operator == "BETWEEN" { vec![low, high] } else { vec![low] };
            conditions.insert(
                attribute.name.to_owned(),
                json!({"ComparisonOperator": operator, "AttributeValueList": values}),
            );
        }
        if self.errs(3) {
            conditions.insert("a".to_owned(), self.comparison("S"));
        }
        draft.set("KeyConditions", conditions);
        self.legacy_filter("QueryFilter", design, draft);
        partition
    }

    /// Perhaps `ScanFilter` and `AttributesToGet`.
    pub(super) fn legacy_scan(&mut self, design: &Design, draft: &mut Draft) {
        self.legacy_filter("ScanFilter", design, draft);
    }

    fn legacy_filter(&mut self, member: &str, design: &Design, draft: &mut Draft) {
        if self.random.percent(40) {
            let mut filter = Map::new();
            for _ in 0..1 + self.random.below(2) {
                let (name, kind) = self.attribute(design);
                if member == "ScanFilter"
                    || !matches!(name, "pk" | "sk" | "g" | "h" | "i")
                    || self.errs(10)
                {
                    filter.insert(name.to_owned(), self.comparison(kind));
                }
            }
            self.conditional_operator(filter.len(), draft);
            draft.set(member, filter);
        }
        if self.random.percent(30) {
            let names = self.attributes_to_get(design);
            draft.set("AttributesToGet", names);
        }
    }
}
