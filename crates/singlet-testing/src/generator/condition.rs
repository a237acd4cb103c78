//! Conditions, filters and projections, as text.

use super::Generator;
use super::design::Design;
use super::draft::Draft;
use super::update::Targets;
use super::value::KINDS;
use serde_json::json;

/// Non-key attributes and their usual types.
pub(super) const ATTRIBUTES: &[(&str, &str)] = &[
    ("a", "*"),
    ("c", "*"),
    ("s", "S"),
    ("n", "N"),
    ("b", "B"),
    ("t", "BOOL"),
    ("z", "NULL"),
    ("ss", "SS"),
    ("ns", "NS"),
    ("bs", "BS"),
    ("l", "L"),
    ("m", "M"),
    ("with.dot", "S"),
    ("status", "N"),
    ("sp ace", "S"),
    ("größe", "N"),
    ("_x", "M"),
    ("7th", "L"),
];

const COMPARATORS: &[&str] = &["=", "<>", "<", "<=", ">", ">="];

impl Generator {
    /// An attribute of a table's items and its usual type.
    pub(super) fn attribute(&mut self, design: &Design) -> (&'static str, &'static str) {
        let mut keys: Vec<_> = design.key().chain(&design.index_attributes).collect();
        keys.retain(|_| self.random.percent(60));
        match self.random.one_of(&keys) {
            Some(key) if self.random.percent(20) => (key.name, key.kind),
            _ => self.pick(ATTRIBUTES),
        }
    }

    /// A path into an item and the usual type there.
    pub(super) fn path(&mut self, design: &Design, draft: &mut Draft) -> (String, &'static str) {
        let (name, kind) = self.attribute(design);
        self.path_from(name, kind, draft)
    }

    /// A path and its first attribute.
    fn named_path(&mut self, design: &Design, draft: &mut Draft) -> (&'static str, String) {
        let (name, kind) = self.attribute(design);
        (name, self.path_from(name, kind, draft).0)
    }

    fn path_from(
        &mut self,
        name: &str,
        kind: &'static str,
        draft: &mut Draft,
    ) -> (String, &'static str) {
        let mut path = self.name(name, draft);
        let kind = match kind {
            "M" if self.random.percent(60) => {
                let (member, kind) = self.pick(&[("x", "*"), ("y", "N"), ("l", "L"), ("m", "M")]);
                path = format!("{path}.{}", self.name(member, draft));
                kind
            }
            "L" if self.random.percent(60) => {
                path = format!("{path}[{}]", self.pick(&["0", "1", "2", "9", "99999999"]));
                "*"
            }
            kind => kind,
        };
        if matches!(kind, "*" | "M" | "L") && self.random.percent(10) {
            let deeper = self.pick(&[".x", "[0]", "[1]", ".m.m", ".l[0]", "[0][0]", ".x.y[1].z"]);
            return (path + deeper, "*");
        }
        if self.errs(2) {
            let wrong = self.pick(&[
                "[",
                "[-1]",
                "[a]",
                "[]",
                ".",
                "..x",
                "[1",
                "[1.5]",
                "[:v0]",
                ".[0]",
                "[99999999999]",
                "[01]",
                ".#",
            ]);
            return (path + wrong, kind);
        }
        (path, kind)
    }

    pub(super) fn condition(&mut self, design: &Design, draft: &mut Draft) -> String {
        let condition = self.clause(design, draft, 3);
        self.misspelt(condition)
    }

    fn clause(&mut self, design: &Design, draft: &mut Draft, levels: usize) -> String {
        if levels > 0 && self.random.percent(40) {
            let first = self.clause(design, draft, levels - 1);
            let is_wrapped = first.starts_with('(') && first.ends_with(')');
            return match self.random.below(6) {
                0 => format!("NOT {first}"),
                1 | 2 if is_wrapped && !self.errs(10) => format!("NOT {first}"),
                1 => format!("({first})"),
                2 => format!("not ({first})"),
                operator => {
                    let second = self.clause(design, draft, levels - 1);
                    let word = if operator == 3 { "or" } else { self.pick(&["AND", "OR"]) };
                    format!("{first} {word} {second}")
                }
            };
        }
        match self.random.below(12) {
            0..4 => {
                let (left, kind) = self.operand(design, draft);
                let right = self.counterpart(kind, design, draft);
                let sorts = matches!(kind, "S" | "N" | "B") || self.errs(10);
                let comparators = if sorts { COMPARATORS } else { &COMPARATORS[..2] };
                format!("{left} {} {right}", self.pick(comparators))
            }
            4 => {
                let (left, kind) = self.operand(design, draft);
                if self.random.percent(70) {
                    let kind = if matches!(kind, "S" | "N" | "B") { kind } else { "N" };
                    let (low, high) = self.bounds(kind);
                    return format!(
                        "{left} BETWEEN {} AND {}",
                        draft.value(low),
                        draft.value(high)
                    );
                }
                let low = self.operand(design, draft).0;
                let high = self.counterpart(kind, design, draft);
                format!("{left} BETWEEN {low} AND {high}")
            }
            5 => {
                let (left, kind) = self.operand(design, draft);
                let count = if self.errs(2) { 101 } else { 1 + self.random.below(4) };
                let list: Vec<String> =
                    (0..count).map(|_| self.counterpart(kind, design, draft)).collect();
                format!("{left} IN ({})", list.join(", "))
            }
            6 => format!("attribute_exists({})", self.path(design, draft).0),
            7 => format!("attribute_not_exists({})", self.path(design, draft).0),
            8 => {
                let path = self.path(design, draft).0;
                let kind = if self.errs(10) { "X" } else { self.pick(&KINDS) };
                let kind = draft.value(json!({"S": kind}));
                format!("attribute_type({path}, {kind})")
            }
            9 => {
                let (path, kind) = self.path(design, draft);
                let kind = if kind == "B" { "B" } else { "S" };
                let prefix = self.counterpart(kind, design, draft);
                format!("begins_with({path}, {prefix})")
            }
            10 => {
                let (path, kind) = self.path(design, draft);
                let part = match kind {
                    "SS" => "S",
                    "NS" => "N",
                    "BS" => "B",
                    "S" | "B" => kind,
                    _ => "*",
                };
                let part = self.counterpart(part, design, draft);
                format!("contains({path}, {part})")
            }
            _ => {
                let path = self.path(design, draft).0;
                let size = draft.value(json!({"N": self.pick(&["0", "1", "2", "3", "4"])}));
                format!("size({path}) {} {size}", self.pick(COMPARATORS))
            }
        }
    }

    /// The left side of a comparison and its usual type.
    fn operand(&mut self, design: &Design, draft: &mut Draft) -> (String, &'static str) {
        match self.random.below(20) {
            0 => {
                let path = self.path(design, draft).0;
                (format!("size({path})"), "N")
            }
            1 => {
                let kind = self.pick(&KINDS);
                let value = self.value_of(kind);
                (draft.value(value), kind)
            }
            _ => self.path(design, draft),
        }
    }

    /// An operand to compare with this type: mostly a value of the same type.
    fn counterpart(&mut self, kind: &str, design: &Design, draft: &mut Draft) -> String {
        if self.random.percent(15) {
            return self.operand(design, draft).0;
        }
        let value = match self.random.percent(92) {
            true => self.value_of(kind),
            false => self.value(),
        };
        draft.value(value)
    }

    /// Perhaps misspells the expression.
    pub(super) fn misspelt(&mut self, expression: String) -> String {
        if !self.errs(12) {
            return expression;
        }
        let mut words: Vec<String> = tokens(&expression);
        let at = self.random.below(words.len());
        match self.random.below(9) {
            0 | 1 => {
                words.remove(at);
            }
            2 => words.insert(at, words[at].clone()),
            3 => words.insert(
                at,
                self.pick(&[
                    "AND", "(", ")", ",", "=", "foo", ":v9", "#n9", "!", "&", "\"", "1", "IN",
                    "BETWEEN", "SET", "-", "+", "'a'", "@", "[0]",
                ])
                .to_owned(),
            ),
            4 => {
                words[at] = self
                    .pick(&[
                        "AND",
                        "OR",
                        "(",
                        ")",
                        ",",
                        "=",
                        "==",
                        "!=",
                        "foo",
                        "status",
                        "year",
                        "size",
                        "attribute_exist",
                        "1a",
                        "12",
                        "a.b.c",
                    ])
                    .to_owned()
            }
            5 => words.truncate(at),
            6 => {
                let other = self.random.below(words.len());
                words.swap(at, other);
            }
            7 => return String::new(),
            _ => {
                return format!(
                    "{}{expression}",
                    self.pick(&[
                        "(",
                        "((((",
                        "NOT ",
                        "size(a) ",
                        " ",
                        "a ",
                        "foo(a) AND ",
                        "size(size(a)) = :v0 AND ",
                        "attribute_exists(a, a) AND ",
                        "attribute_exists(:v0) AND ",
                        "begins_with(a) AND ",
                        "contains(a, a) AND ",
                        "a = a AND ",
                        "(a) = :v0 AND "
                    ])
                );
            }
        }
        words.join(" ")
    }

    pub(super) fn projection(&mut self, design: &Design, draft: &mut Draft) -> String {
        let count = 1 + self.random.below(3);
        let mut paths: Vec<String> = Vec::new();
        let mut targets = Targets::default();
        for _ in 0..count {
            let (name, path) = self.named_path(design, draft);
            if targets.add(
                name,
                path.split_once(['.', '[']).map_or("", |(first, _)| &path[first.len()..]),
            ) || paths.is_empty()
                || self.errs(10)
            {
                paths.push(path);
            }
        }
        let projection = paths.join(", ");
        self.misspelt(projection)
    }
}

/// Splits an expression into words, parentheses and commas.
fn tokens(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace(',', " , ");
    spaced.split_whitespace().map(str::to_owned).collect()
}
