//! Update expressions, as text.

use super::Generator;
use super::condition::ATTRIBUTES;
use super::design::{Design, EXPIRY};
use super::draft::Draft;

impl Generator {
    pub(super) fn update(&mut self, design: &Design, draft: &mut Draft) -> String {
        let mut clauses = Vec::new();
        let mut targets = Targets::default();
        for word in ["SET", "REMOVE", "ADD", "DELETE"] {
            if !self.random.percent(if word == "SET" { 70 } else { 25 }) {
                continue;
            }
            let mut actions = Vec::new();
            for _ in 0..1 + self.random.below(3) {
                actions.extend(self.action(word, design, draft, &mut targets));
            }
            if !actions.is_empty() {
                let word =
                    if self.random.percent(10) { word.to_lowercase() } else { word.to_owned() };
                clauses.push(format!("{word} {}", actions.join(", ")));
            }
        }
        if clauses.is_empty() {
            clauses.push(format!("REMOVE {}", self.name("a", draft)));
        }
        if self.errs(2) {
            clauses.push(clauses[0].clone());
        }
        let from = self.random.below(clauses.len());
        clauses.rotate_left(from);
        let update = clauses.join(" ");
        self.misspelt(update)
    }

    fn action(
        &mut self,
        word: &str,
        design: &Design,
        draft: &mut Draft,
        targets: &mut Targets,
    ) -> Option<String> {
        let (target, kind) = self.target(word, design, draft, targets)?;
        Some(match word {
            "SET" => format!("{target} = {}", self.new_value(&target, kind, design, draft)),
            "REMOVE" => target,
            _ => {
                let kind = match (word, kind) {
                    ("ADD", "N") | (_, "SS" | "NS" | "BS") => kind,
                    _ => self.pick(&["N", "SS", "NS", "BS"]),
                };
                let kind =
                    if self.errs(5) { self.pick(&["S", "L", "M", "BOOL", "N"]) } else { kind };
                let value = self.value_of(kind);
                format!("{target} {}", draft.value(value))
            }
        })
    }

    /// A path that no other action touches, unless by mistake.
    fn target(
        &mut self,
        word: &str,
        design: &Design,
        draft: &mut Draft,
        targets: &mut Targets,
    ) -> Option<(String, &'static str)> {
        if self.errs(3) {
            return Some((self.name("pk", draft), "S"));
        }
        if self.errs(3) {
            return Some(self.path(design, draft));
        }
        let (name, kind) = match word {
            "ADD" | "DELETE" => self.pick(&[
                ("n", "N"),
                ("ss", "SS"),
                ("ns", "NS"),
                ("bs", "BS"),
                ("a", "*"),
                ("größe", "N"),
            ]),
            _ if self.random.percent(20) => {
                let key = self.pick(&design.index_attributes);
                (key.name, key.kind)
            }
            _ => self.pick(ATTRIBUTES),
        };
        let nested = matches!(kind, "M" | "L" | "*") && self.random.percent(60);
        let (rest, kind) = match kind {
            _ if !nested => ("", kind),
            "L" => (self.pick(&["[0]", "[1]", "[2]", "[10]"]), "*"),
            "M" => self.pick(&[
                (".x", "*"),
                (".y", "N"),
                (".l", "L"),
                (".m", "M"),
                (".l[0]", "*"),
                (".m.x", "*"),
                (".new", "*"),
            ]),
            _ => (self.pick(&[".x", "[0]"]), "*"),
        };
        if !targets.add(name, rest) && !self.errs(10) {
            return None;
        }
        Some((self.name(name, draft) + rest, kind))
    }

    fn new_value(
        &mut self,
        target: &str,
        kind: &'static str,
        design: &Design,
        draft: &mut Draft,
    ) -> String {
        if target == EXPIRY && self.random.percent(70) {
            let value = self.expiry();
            return draft.value(value);
        }
        match self.random.below(10) {
            0..5 => {
                let value =
                    if self.random.percent(90) { self.value_of(kind) } else { self.value() };
                draft.value(value)
            }
            5 => self.path(design, draft).0,
            6 => {
                let left = self.term(target, "N", design, draft);
                let right = self.term(target, "N", design, draft);
                format!("{left} {} {right}", self.pick(&["+", "-"]))
            }
            7 => {
                let first = self.term(target, "L", design, draft);
                let second = self.term(target, "L", design, draft);
                format!("list_append({first}, {second})")
            }
            _ => {
                let path = if self.random.percent(50) {
                    target.to_owned()
                } else {
                    self.path(design, draft).0
                };
                let mut other = self.term(target, kind, design, draft);
                if other == path && !self.errs(10) {
                    let value = self.value_of(kind);
                    other = draft.value(value);
                }
                let text = format!("if_not_exists({path}, {other})");
                match kind {
                    "N" if self.random.percent(40) => {
                        let step = self.value_of("N");
                        format!("{text} + {}", draft.value(step))
                    }
                    _ => text,
                }
            }
        }
    }

    fn term(
        &mut self,
        target: &str,
        kind: &'static str,
        design: &Design,
        draft: &mut Draft,
    ) -> String {
        match self.random.below(8) {
            0 => self.path(design, draft).0,
            1 | 2 => target.to_owned(),
            3 => {
                let name = if kind == "L" { "l" } else { "n" };
                self.name(name, draft)
            }
            4 if kind != "*" => {
                let value = self.value_of(kind);
                format!("if_not_exists({}, {})", self.name("n", draft), draft.value(value))
            }
            _ => {
                let value = self.value_of(kind);
                draft.value(value)
            }
        }
    }
}

/// The paths that the actions of an update touch.
#[derive(Default)]
pub(super) struct Targets(Vec<String>);

impl Targets {
    /// Adds a path unless it overlaps one that is there.
    pub(super) fn add(&mut self, name: &str, rest: &str) -> bool {
        let path = format!("{}{}", name.replace('.', "_"), rest);
        let is_within = |inner: &str, outer: &str| {
            inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let clashes = self.0.iter().any(|known| {
            let own = known.split(['.', '[']).next() == path.split(['.', '[']).next();
            // Member and element access to one attribute conflict.
            let kinds_differ = own && known.contains('.') != path.contains('.');
            is_within(&path, known) || is_within(known, &path) || kinds_differ
        });
        if !clashes {
            self.0.push(path);
        }
        !clashes
    }
}
