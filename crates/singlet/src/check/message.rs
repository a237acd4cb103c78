//! Error messages that are put together while the compiler runs.

/// How long a message can be; what is longer is cut off.
const MESSAGE_MAX: usize = 1024;

/// A message for whoever declared something that cannot be.
#[derive(Clone, Copy)]
pub struct Message {
    text: [u8; MESSAGE_MAX],
    len: usize,
}

#[expect(
    clippy::indexing_slicing,
    reason = "a constant function has no `get_mut`; the length is kept below the size"
)]
impl Message {
    pub(super) const fn new() -> Self {
        Self { text: [0; MESSAGE_MAX], len: 0 }
    }

    /// The same with more text.
    pub(super) const fn and(mut self, text: &str) -> Self {
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            if self.len < MESSAGE_MAX {
                self.text[self.len] = *first;
                self.len += 1;
            }
            rest = others;
        }
        self
    }

    /// The same with more text, as code.
    pub(super) const fn code(self, text: &str) -> Self {
        self.and("`").and(text).and("`")
    }

    /// The same with a character, as code.
    pub(super) const fn byte(mut self, byte: u8) -> Self {
        self = self.and("`");
        if self.len < MESSAGE_MAX {
            self.text[self.len] = byte;
            self.len += 1;
        }
        self.and("`")
    }

    /// The same with a number below ten; a greater one is "more".
    pub(super) const fn count(self, number: usize) -> Self {
        const DIGITS: &str = "0123456789";
        match DIGITS.split_at_checked(number) {
            Some((_, rest)) if !rest.is_empty() => self.and(rest.split_at(1).0),
            _ => self.and("more"),
        }
    }

    /// The message.
    #[must_use]
    pub const fn text(&self) -> &str {
        let (text, _) = self.text.split_at(self.len);
        match std::str::from_utf8(text) {
            Ok(text) => text,
            // Cut off in the middle of a character.
            Err(_) => "the declaration contradicts itself",
        }
    }

    /// Stops the compiler.
    #[expect(clippy::panic, reason = "it is the compiler that is to stop")]
    pub(super) const fn refuse(&self) -> ! {
        panic!("{}", self.text())
    }
}

/// Whether two texts are the same.
pub(crate) const fn same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    loop {
        match (one, other) {
            ([], []) => return true,
            ([a, rest_of_one @ ..], [b, rest_of_other @ ..]) if *a == *b => {
                one = rest_of_one;
                other = rest_of_other;
            }
            _ => return false,
        }
    }
}

/// Whether a text is among others.
pub(super) const fn is_among(text: &str, others: &[&str]) -> bool {
    let mut rest = others;
    while let [first, more @ ..] = rest {
        if same(first, text) {
            return true;
        }
        rest = more;
    }
    false
}
