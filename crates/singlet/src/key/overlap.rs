//! Whether two key templates can give the same key.
//!
//! A template's keys form a simple regular language: a sequence of bytes and byte classes, some of
//! them repeated. The search visits pairs of positions in two templates; a pair is reached if some
//! text leads to both positions. Positions never decrease, so one pass over all pairs is enough,
//! without recursion or allocation: a table's macro runs this in the compiler for each pair of its
//! entities.
//!
//! Parts are assumed to be independent. If a template uses a field twice, an overlap may be
//! reported where there is none, but an overlap is never missed.

use super::{Form, Segment};

/// Maximum number of atoms of a template. The rest of a longer template is treated as arbitrary
/// text; keys have at most 2,048 bytes, and readable ones far fewer.
const ATOMS_MAX: usize = 256;

/// The bytes allowed at one position.
#[derive(Clone, Copy)]
enum Class {
    Byte(u8),
    Digit,
    HexDigit,
    Except(u8),
    Any,
}

impl Class {
    /// Whether some byte is in both classes.
    const fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::Byte(one), Self::Byte(other)) => one == other,
            (Self::Byte(byte), Self::Digit) | (Self::Digit, Self::Byte(byte)) => {
                byte.is_ascii_digit()
            }
            (Self::Byte(byte), Self::HexDigit) | (Self::HexDigit, Self::Byte(byte)) => {
                matches!(byte, b'0'..=b'9' | b'a'..=b'f')
            }
            (Self::Byte(byte), Self::Except(not)) | (Self::Except(not), Self::Byte(byte)) => {
                byte != not
            }
            // Any two classes of several bytes share a byte.
            _ => true,
        }
    }
}

/// One byte of a class, or any number of them.
#[derive(Clone, Copy)]
struct Atom {
    class: Class,
    repeats: bool,
}

/// A template as atoms.
pub(crate) struct Pattern {
    atoms: [Atom; ATOMS_MAX],
    len: usize,
}

#[expect(
    clippy::indexing_slicing,
    reason = "a constant function has no `get`; places are kept below the length"
)]
impl Pattern {
    /// The empty text.
    pub(crate) const fn empty() -> Self {
        let anything = Atom { class: Class::Any, repeats: true };
        Self { atoms: [anything; ATOMS_MAX], len: 0 }
    }

    const fn of(segments: &[Segment<'_>]) -> Self {
        let mut pattern = Self::empty();
        let mut rest = segments;
        while let [first, others @ ..] = rest {
            match first {
                Segment::Literal(text) => pattern.push_literal(text),
                Segment::Part { form, .. } => pattern.push_form(*form),
            }
            rest = others;
        }
        pattern
    }

    pub(crate) const fn push_literal(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            self.push(Class::Byte(*first), false);
            rest = others;
        }
    }

    pub(crate) const fn push_form(&mut self, form: Form) {
        match form {
            Form::Without(byte) => {
                self.push(Class::Except(byte), false);
                self.push(Class::Except(byte), true);
            }
            Form::Open => self.push(Class::Any, true),
            Form::Digits(width) => {
                let mut written = 0;
                while written < width {
                    self.push(Class::Digit, false);
                    written += 1;
                }
            }
            Form::Timestamp | Form::TimestampNanos | Form::Date | Form::Uuid => {
                if let Some(picture) = form.picture() {
                    self.push_picture(picture);
                }
            }
        }
    }

    /// Adds a digit for each `0`, a hexadecimal digit for each `f`, and other characters literally.
    const fn push_picture(&mut self, picture: &str) {
        let mut rest = picture.as_bytes();
        while let [first, others @ ..] = rest {
            let class = match *first {
                b'0' => Class::Digit,
                b'f' => Class::HexDigit,
                byte => Class::Byte(byte),
            };
            self.push(class, false);
            rest = others;
        }
    }

    /// In place: the compiler evaluates this for every byte of every key, and would copy all atoms
    /// each time.
    const fn push(&mut self, class: Class, repeats: bool) {
        // The last atom stays "anything, repeated", as it was initialized.
        if self.len + 1 < ATOMS_MAX {
            self.atoms[self.len] = Atom { class, repeats };
            self.len += 1;
        } else {
            self.len = ATOMS_MAX;
        }
    }

    /// Whether some key matches both patterns.
    pub(crate) const fn overlaps(&self, other: &Self) -> bool {
        walk(self, other, Question::SameText)
    }

    /// Whether a key of the other pattern can begin with a key of this one.
    pub(crate) const fn catches(&self, whole: &Self) -> bool {
        walk(self, whole, Question::Beginning)
    }

    /// Whether a key can be parsed in two ways.
    pub(crate) const fn is_ambiguous(&self) -> bool {
        walk(self, self, Question::TwoReadings)
    }

    /// The atom at a position, or none at the end.
    const fn at(&self, place: usize) -> Option<Atom> {
        if place < self.len { Some(self.atoms[place]) } else { None }
    }
}

/// Whether the templates begin with different literals, so that they cannot give the same key. This
/// covers most pairs, and is much cheaper for the compiler than walking both patterns.
pub(crate) const fn begin_differently(one: &[Segment<'_>], other: &[Segment<'_>]) -> bool {
    let ([Segment::Literal(one), ..], [Segment::Literal(other), ..]) = (one, other) else {
        return false;
    };
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([byte, rest @ ..], [other_byte, other_rest @ ..]) = (one, other) {
        if *byte != *other_byte {
            return true;
        }
        (one, other) = (rest, other_rest);
    }
    false
}

/// Whether the templates can give the same key.
///
/// ```
/// use singlet::key::{Form, Segment, overlaps};
///
/// let site = [Segment::Literal("SITE#"), Segment::part("id", Form::CLOSED)];
/// let comment =
///     [site[0], site[1], Segment::Literal("#COMMENT#"), Segment::part("comment", Form::CLOSED)];
/// assert!(!overlaps(&site, &comment));
///
/// // An identifier that may contain anything may contain `#COMMENT#`.
/// let careless = [Segment::Literal("SITE#"), Segment::part("id", Form::Open)];
/// assert!(overlaps(&careless, &comment));
/// ```
#[must_use]
pub const fn overlaps(one: &[Segment<'_>], other: &[Segment<'_>]) -> bool {
    Pattern::of(one).overlaps(&Pattern::of(other))
}

/// Whether a key of the template `whole` can begin with a key of the template `prefix`, so that
/// `begins_with` finds it.
///
/// ```
/// use singlet::key::{Form, Segment, catches};
///
/// let player = [Segment::Literal("PLAYER#"), Segment::part("id", Form::CLOSED)];
/// assert!(catches(&[Segment::Literal("PLAYER#")], &player));
/// assert!(!catches(&[Segment::Literal("GAME#")], &player));
/// ```
#[must_use]
pub const fn catches(prefix: &[Segment<'_>], whole: &[Segment<'_>]) -> bool {
    Pattern::of(prefix).catches(&Pattern::of(whole))
}

/// Whether two different lists of values can give the same key, which makes the key ambiguous.
///
/// ```
/// use singlet::key::{Form, Segment, is_ambiguous};
///
/// let pair = |form| [Segment::part("a", form), Segment::Literal("#"), Segment::part("b", form)];
/// assert!(!is_ambiguous(&pair(Form::CLOSED)));
/// // Is `x#y#z` the pair of `x` and `y#z`, or of `x#y` and `z`?
/// assert!(is_ambiguous(&pair(Form::Open)));
/// ```
#[must_use]
pub const fn is_ambiguous(segments: &[Segment<'_>]) -> bool {
    Pattern::of(segments).is_ambiguous()
}

/// The question that a walk over two patterns answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Whether some text matches both.
    SameText,
    /// Whether a text of the first can be a prefix of a text of the second.
    Beginning,
    /// Whether some text matches in two ways; both patterns are the same.
    TwoReadings,
}

#[expect(
    clippy::indexing_slicing,
    reason = "a constant function has no `get`; places are at most ATOMS_MAX"
)]
const fn walk(one: &Pattern, other: &Pattern, question: Question) -> bool {
    // The positions of `other` that are reached together with position `i` of `one`. Two readings
    // start out identical, and a pair is reached from where they first differ.
    let mut row = [false; ATOMS_MAX + 1];
    row[0] = !matches!(question, Question::TwoReadings);
    let mut i = 0;
    while i <= one.len {
        if matches!(question, Question::TwoReadings) {
            row = with_second_readings(one, i, row);
        }
        let mut next = [false; ATOMS_MAX + 1];
        let mut is_any_reached = matches!(question, Question::TwoReadings);
        let mut j = 0;
        while j <= other.len {
            if row[j] {
                is_any_reached = true;
                if i == one.len && (j == other.len || matches!(question, Question::Beginning)) {
                    return true;
                }
                let (ours, theirs) = (one.at(i), other.at(j));
                // A repeated atom may end at any time.
                if matches!(ours, Some(Atom { repeats: true, .. })) {
                    next[j] = true;
                }
                if matches!(theirs, Some(Atom { repeats: true, .. })) {
                    row[j + 1] = true;
                }
                if let (Some(ours), Some(theirs)) = (ours, theirs)
                    && ours.class.meets(theirs.class)
                {
                    match (ours.repeats, theirs.repeats) {
                        (true, true) => {}
                        (true, false) => row[j + 1] = true,
                        (false, true) => next[j] = true,
                        (false, false) => next[j + 1] = true,
                    }
                }
            }
            j += 1;
        }
        // Most pairs of templates differ in their first letters, and constant evaluation is slow.
        if !is_any_reached {
            return false;
        }
        row = next;
        i += 1;
    }
    false
}

/// Adds the positions where a second reading can diverge from the first here: the first takes a
/// byte with a repeated atom, while the second has left that atom and takes the byte with a later
/// one.
#[expect(
    clippy::indexing_slicing,
    reason = "a constant function has no `get`; places are at most ATOMS_MAX"
)]
const fn with_second_readings(
    pattern: &Pattern,
    place: usize,
    mut row: [bool; ATOMS_MAX + 1],
) -> [bool; ATOMS_MAX + 1] {
    let Some(Atom { class, repeats: true }) = pattern.at(place) else {
        return row;
    };
    let mut later = place + 1;
    while let Some(atom) = pattern.at(later) {
        if class.meets(atom.class) {
            row[if atom.repeats { later } else { later + 1 }] = true;
        }
        if !atom.repeats {
            break;
        }
        later += 1;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::{begin_differently, overlaps};
    use crate::key::{Form, Segment};
    use proptest::prelude::*;

    fn segments() -> impl Strategy<Value = Vec<Segment<'static>>> {
        let literal = prop::sample::select(vec!["", "A", "B", "AB", "A#", "#", "1"]);
        let form = prop::sample::select(vec![Form::CLOSED, Form::Open, Form::Digits(1)]);
        let segment = prop_oneof![
            literal.prop_map(Segment::Literal),
            form.prop_map(|form| Segment::part("part", form))
        ];
        prop::collection::vec(segment, 0..4)
    }

    proptest! {
        /// If the shortcut says that templates differ, so does the walk.
        #[test]
        fn templates_that_begin_differently_do_not_overlap(one in segments(), other in segments()) {
            prop_assert!(!(begin_differently(&one, &other) && overlaps(&one, &other)));
        }
    }
}
