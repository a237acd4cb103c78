//! Text to tokens.

use super::Comparator;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word that is not a keyword: the name of an attribute or function.
    Name,
    /// `#name`
    NamePlaceholder,
    /// `:value`
    ValuePlaceholder,
    Integer,
    Comparator(Comparator),
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    LeftParenthesis,
    RightParenthesis,
    LeftBracket,
    RightBracket,
    Dot,
    Comma,
    Plus,
    Minus,
    /// A character that begins no token.
    Unknown,
    End,
}

/// A part of an expression's text, as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Returns one token after another. After the last one it returns [`Kind::End`] every time.
#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The end of the run of bytes that begins at `at`.
    fn run(&self, mut at: usize, belongs: impl Fn(u8) -> bool) -> usize {
        while self.byte(at).is_some_and(&belongs) {
            at += 1;
        }
        at
    }

    pub(super) fn next(&mut self) -> Token {
        let start = self.run(self.at, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        let (kind, end) = self.token(start);
        self.at = end;
        Token { kind, span: Span { start, end } }
    }

    fn token(&self, start: usize) -> (Kind, usize) {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let Some(first) = self.byte(start) else {
            return (Kind::End, start);
        };
        let one = start + 1;
        let followed_by = |second: u8| self.byte(one) == Some(second);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' => {
                let end = self.run(one, is_word);
                (keyword(Span { start, end }.of(self.text)).unwrap_or(Kind::Name), end)
            }
            b'#' | b':' => match self.run(one, is_word) {
                end if end == one => (Kind::Unknown, one),
                end if first == b'#' => (Kind::NamePlaceholder, end),
                end => (Kind::ValuePlaceholder, end),
            },
            // A zero is a separate number: `01` is two tokens.
            b'0' => (Kind::Integer, one),
            b'1'..=b'9' => (Kind::Integer, self.run(one, |byte| byte.is_ascii_digit())),
            b'=' => (Kind::Comparator(Comparator::Equal), one),
            b'<' if followed_by(b'>') => (Kind::Comparator(Comparator::NotEqual), one + 1),
            b'<' if followed_by(b'=') => (Kind::Comparator(Comparator::LessOrEqual), one + 1),
            b'<' => (Kind::Comparator(Comparator::Less), one),
            b'>' if followed_by(b'=') => (Kind::Comparator(Comparator::GreaterOrEqual), one + 1),
            b'>' => (Kind::Comparator(Comparator::Greater), one),
            b'(' => (Kind::LeftParenthesis, one),
            b')' => (Kind::RightParenthesis, one),
            b'[' => (Kind::LeftBracket, one),
            b']' => (Kind::RightBracket, one),
            b'.' => (Kind::Dot, one),
            b',' => (Kind::Comma, one),
            b'+' => (Kind::Plus, one),
            b'-' => (Kind::Minus, one),
            // The whole character, so that error messages remain valid UTF-8.
            _ => (Kind::Unknown, self.run(one, |byte| byte & 0xc0 == 0x80)),
        }
    }
}

fn keyword(word: &str) -> Option<Kind> {
    const KEYWORDS: [(&str, Kind); 9] = [
        ("AND", Kind::And),
        ("OR", Kind::Or),
        ("NOT", Kind::Not),
        ("BETWEEN", Kind::Between),
        ("IN", Kind::In),
        ("SET", Kind::Set),
        ("REMOVE", Kind::Remove),
        ("ADD", Kind::Add),
        ("DELETE", Kind::Delete),
    ];
    KEYWORDS.iter().find(|(text, _)| text.eq_ignore_ascii_case(word)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                assert_eq!(token.span, Span { start: text.len(), end: text.len() });
                break;
            }
            tokens.push(format!("{:?} {}", token.kind, token.span.of(text)));
        }
        assert_eq!(tokens.join(", "), expected);
    }

    #[test]
    fn text_is_cut_into_tokens() {
        check("", "");
        check(" \t\r\n", "");
        check("a.b1_[10]", "Name a, Dot ., Name b1_, LeftBracket [, Integer 10, RightBracket ]");
        check("#a:_1", "NamePlaceholder #a, ValuePlaceholder :_1");
        check("# :", "Unknown #, Unknown :");
        check("001", "Integer 0, Integer 0, Integer 1");
        check("1a_", "Integer 1, Name a_");
        check("_é😀", "Unknown _, Unknown é, Unknown 😀");
        check(
            "<><=<>==",
            "Comparator(NotEqual) <>, Comparator(LessOrEqual) <=, Comparator(NotEqual) <>, \
             Comparator(Equal) =, Comparator(Equal) =",
        );
        check("nOt ANDx In", "Not nOt, Name ANDx, In In");
        check("a\u{a0}b\u{b}", "Name a, Unknown \u{a0}, Name b, Unknown \u{b}");
    }
}
