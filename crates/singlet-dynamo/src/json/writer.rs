//! A push writer: appends JSON to a buffer, without a tree or a copy in between.

use super::plain::plain_len;

/// Appends JSON to a buffer.
///
/// ```
/// use singlet_dynamo::json::Writer;
///
/// let mut writer = Writer::new();
/// writer.object(|object| {
///     object.string("TableName", "games");
///     object.integer("Count", 2);
///     object.member("Names", |w| w.array(["a", "b"], |w, name| w.string(name)));
/// });
/// assert_eq!(writer.into_bytes(), br#"{"TableName":"games","Count":2,"Names":["a","b"]}"#);
/// ```
pub struct Writer {
    out: Vec<u8>,
    /// Above this many bytes, no further element is begun; a counting writer empties its buffer.
    bytes_max: usize,
    /// The number of bytes counted and discarded; `None` if the writer keeps its output.
    discarded: Option<usize>,
}

/// Buffer size of a counting writer, not including the last value.
const COUNTED_AT_A_TIME: usize = 16 << 10;

impl Default for Writer {
    fn default() -> Self {
        Self::with_buffer(Vec::new())
    }
}

/// An object being written.
pub struct Object<'a> {
    writer: &'a mut Writer,
    is_first: bool,
}

impl Writer {
    /// A writer with an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A writer that appends to a buffer and reuses its capacity.
    #[must_use]
    pub fn with_buffer(out: Vec<u8>) -> Self {
        Self { out, bytes_max: usize::MAX, discarded: None }
    }

    /// A writer that stops at a limit: it leaves out further elements and members, and
    /// [`Writer::is_over`] returns true. Its output is then not valid JSON.
    ///
    /// ```
    /// use singlet_dynamo::json::Writer;
    ///
    /// let mut writer = Writer::with_limit(Vec::new(), 100);
    /// writer.array(0..1_000_000, |writer, number| writer.integer(number));
    /// assert!(writer.is_over());
    /// assert!(writer.into_bytes().len() < 110);
    /// ```
    #[must_use]
    pub fn with_limit(out: Vec<u8>, bytes_max: usize) -> Self {
        Self { out, bytes_max, discarded: None }
    }

    /// A writer that only counts bytes, in little memory. See [`Writer::written_len`].
    ///
    /// ```
    /// use singlet_dynamo::json::Writer;
    ///
    /// let mut writer = Writer::counting();
    /// writer.array([1, 22, 333], |writer, number| writer.integer(number));
    /// assert_eq!(writer.written_len(), "[1,22,333]".len());
    /// ```
    #[must_use]
    pub fn counting() -> Self {
        Self { out: Vec::new(), bytes_max: COUNTED_AT_A_TIME, discarded: Some(0) }
    }

    /// The number of bytes written or counted.
    #[must_use]
    pub fn written_len(&self) -> usize {
        self.out.len() + self.discarded.unwrap_or_default()
    }

    /// Whether the output exceeded the limit.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.out.len() > self.bytes_max && self.discarded.is_none()
    }

    /// Whether to stop. Called before each element and member.
    #[inline]
    fn is_full(&mut self) -> bool {
        self.out.len() > self.bytes_max && !self.discard_counted()
    }

    /// Empties the buffer of a counting writer; returns whether this is one.
    #[cold]
    fn discard_counted(&mut self) -> bool {
        let Some(discarded) = &mut self.discarded else { return false };
        *discarded += self.out.len();
        self.out.clear();
        true
    }

    /// The output; meaningless for a counting writer.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// The buffer, for appending ready-made JSON.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Writes an object; the function writes its members.
    pub fn object(&mut self, members: impl FnOnce(&mut Object<'_>)) {
        self.out.push(b'{');
        members(&mut Object { writer: self, is_first: true });
        self.out.push(b'}');
    }

    /// Writes an array; the function writes one element.
    pub fn array<T>(
        &mut self,
        elements: impl IntoIterator<Item = T>,
        mut element: impl FnMut(&mut Self, T),
    ) {
        self.out.push(b'[');
        for (place, one) in elements.into_iter().enumerate() {
            if self.is_full() {
                break;
            }
            if place > 0 {
                self.out.push(b',');
            }
            element(self, one);
        }
        self.out.push(b']');
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) {
        self.string_bytes(text.as_bytes());
    }

    /// Writes a string from bytes known to be UTF-8.
    pub(crate) fn string_bytes(&mut self, text: &[u8]) {
        self.out.push(b'"');
        let mut rest = text;
        loop {
            let (before, after) = rest.split_at(plain_len(rest));
            self.out.extend_from_slice(before);
            let Some((&byte, after)) = after.split_first() else { break };
            match byte {
                b'"' => self.out.extend_from_slice(b"\\\""),
                b'\\' => self.out.extend_from_slice(b"\\\\"),
                b'\n' => self.out.extend_from_slice(b"\\n"),
                b'\r' => self.out.extend_from_slice(b"\\r"),
                b'\t' => self.out.extend_from_slice(b"\\t"),
                _ => self.out.extend_from_slice(&[
                    b'\\',
                    b'u',
                    b'0',
                    b'0',
                    hex_digit(byte >> 4),
                    hex_digit(byte & 15),
                ]),
            }
            rest = after;
        }
        self.out.push(b'"');
    }

    /// Writes bytes as a base64 string.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.out.push(b'"');
        crate::base64::push_encoded(bytes, &mut self.out);
        self.out.push(b'"');
    }

    /// Writes a boolean.
    pub fn boolean(&mut self, truth: bool) {
        self.out.extend_from_slice(if truth { b"true" } else { b"false" });
    }

    /// Writes an integer.
    pub fn integer(&mut self, number: impl Into<i128>) {
        self.out.extend_from_slice(number.into().to_string().as_bytes());
    }

    /// Writes a number that may have a fraction: capacity units, timestamps in seconds.
    pub fn double(&mut self, number: f64) {
        // JSON has no infinities, and no figure of ours is infinite.
        let number = if number.is_finite() { number } else { 0.0 };
        let text = format!("{number:?}");
        self.out.extend_from_slice(text.as_bytes());
    }
}

impl Object<'_> {
    /// Writes a member; the function must write exactly one value.
    pub fn member(&mut self, name: &str, value: impl FnOnce(&mut Writer)) {
        if self.writer.is_full() {
            return;
        }
        if !std::mem::take(&mut self.is_first) {
            self.writer.out.push(b',');
        }
        self.writer.string(name);
        self.writer.out.push(b':');
        value(self.writer);
    }

    /// Like [`Object::member`], with a name known to be UTF-8.
    pub(crate) fn member_bytes(&mut self, name: &[u8], value: impl FnOnce(&mut Writer)) {
        if self.writer.is_full() {
            return;
        }
        if !std::mem::take(&mut self.is_first) {
            self.writer.out.push(b',');
        }
        self.writer.string_bytes(name);
        self.writer.out.push(b':');
        value(self.writer);
    }

    /// Writes a string member.
    pub fn string(&mut self, name: &str, text: &str) {
        self.member(name, |writer| writer.string(text));
    }

    /// Writes a boolean member.
    pub fn boolean(&mut self, name: &str, truth: bool) {
        self.member(name, |writer| writer.boolean(truth));
    }

    /// Writes an integer member.
    pub fn integer(&mut self, name: &str, number: impl Into<i128>) {
        self.member(name, |writer| writer.integer(number));
    }

    /// Writes a member whose value may have a fraction.
    pub fn double(&mut self, name: &str, number: f64) {
        self.member(name, |writer| writer.double(number));
    }
}

fn hex_digit(digit: u8) -> u8 {
    if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut writer = Writer::new();
        writer.string("a\"b\\c\nd\u{1}é\u{7f}");
        assert_eq!(writer.into_bytes(), "\"a\\\"b\\\\c\\nd\\u0001é\u{7f}\"".as_bytes());
    }

    #[test]
    fn counting_keeps_little_and_counts_all() {
        let write = |writer: &mut Writer| {
            writer.array(0..20_000, |writer, number| {
                writer.object(|object| {
                    object.integer("n", number);
                    object.member("b", |writer| writer.blob(b"some bytes"));
                    object.string("s", "a \u{1} control character");
                });
            });
        };
        let (mut kept, mut counted) = (Writer::new(), Writer::counting());
        write(&mut kept);
        write(&mut counted);
        assert!(!counted.is_over() && counted.out.capacity() < 4 * COUNTED_AT_A_TIME);
        assert_eq!(counted.written_len(), kept.written_len());
        assert_eq!(kept.written_len(), kept.into_bytes().len());
    }

    #[test]
    fn figures_are_written_plainly() {
        let mut writer = Writer::new();
        writer.array([0.5, 1.0, 1_794_710_030.838], |w, n| w.double(n));
        assert_eq!(writer.into_bytes(), b"[0.5,1.0,1794710030.838]");
    }
}
