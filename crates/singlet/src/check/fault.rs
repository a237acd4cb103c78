//! What the rules find.

use super::message::Message;
use crate::design::check::Severity;

/// Something that is wrong with a declaration, or with a design in a file.
#[derive(Clone, Copy)]
pub struct Fault<'s> {
    /// The rule's code, which is also the name of its page in `docs/checks`. It is empty for what
    /// only Rust types can say.
    pub code: &'static str,
    /// How bad it is. A declaration is refused in any case.
    pub severity: Severity,
    /// The entity.
    pub entity: Option<&'s str>,
    /// The index.
    pub index: Option<&'s str>,
    /// The attribute.
    pub attribute: Option<&'s str>,
    /// What is wrong.
    pub message: Message,
    /// What to do about it.
    pub advice: Message,
}

impl<'s> Fault<'s> {
    /// An error of this rule.
    pub(super) const fn error(code: &'static str, message: Message, advice: &str) -> Self {
        Self {
            code,
            severity: Severity::Error,
            entity: None,
            index: None,
            attribute: None,
            message,
            advice: Message::new().and(advice),
        }
    }

    /// The same, as a warning.
    pub(super) const fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    pub(super) const fn entity(mut self, name: &'s str) -> Self {
        self.entity = Some(name);
        self
    }

    pub(super) const fn index(mut self, name: Option<&'s str>) -> Self {
        self.index = name;
        self
    }

    pub(super) const fn attribute(mut self, name: &'s str) -> Self {
        self.attribute = Some(name);
        self
    }

    /// Stops the compiler, at the declaration of this type.
    pub(super) const fn refuse(&self, declared: &str) -> ! {
        let mut message = Message::new().code(match self.entity {
            Some(name) => name,
            None => declared,
        });
        if let Some(index) = self.index {
            message = message.and(", index ").code(index);
        }
        message = message.and(": ").and(self.message.text()).and(". ").and(self.advice.text());
        if !self.code.is_empty() {
            message = message.and(" (").and(self.code).and(")");
        }
        message.refuse()
    }
}

/// Takes what the rules find, and keeps one of it: constant functions cannot keep lists. Whoever
/// wants all faults asks for the first, the second and so on.
pub(super) struct Faults<'s> {
    skip: usize,
    pub(super) found: Option<Fault<'s>>,
}

impl<'s> Faults<'s> {
    /// Keeps the fault of this number, counted from zero.
    pub(super) const fn keep(number: usize) -> Self {
        Self { skip: number, found: None }
    }

    pub(super) const fn add(&mut self, fault: Fault<'s>) {
        if self.skip > 0 {
            self.skip -= 1;
        } else if self.found.is_none() {
            self.found = Some(fault);
        }
    }
}
