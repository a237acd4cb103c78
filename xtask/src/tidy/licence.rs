//! SPDX licence expressions.

/// Whether the allowed licences satisfy an SPDX expression.
///
/// `AND` binds tighter than `OR`; old packages write a slash for `OR`. A malformed expression is
/// not satisfied.
pub(super) fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    parser.any().is_some_and(|met| met && parser.words.is_empty())
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.next();
        }
        found
    }

    fn any(&mut self) -> Option<bool> {
        let mut met = self.all()?;
        while self.take("OR") {
            met |= self.all()?;
        }
        Some(met)
    }

    fn all(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        let word = self.next()?;
        if word == "(" {
            let met = self.any()?;
            return self.take(")").then_some(met);
        }
        let mut name = word.to_owned();
        if self.take("WITH") {
            name = format!("{name} WITH {}", self.next()?);
        }
        Some(self.allowed.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(expression: &str) -> bool {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        is_met(expression, &allowed.map(str::to_owned))
    }

    #[test]
    fn one_allowed_choice_is_enough() {
        assert!(met("MIT"));
        assert!(met("GPL-3.0 OR MIT"));
        assert!(met("GPL-3.0/MIT"));
        assert!(met("(MIT OR GPL-3.0) AND Unicode-3.0"));
        assert!(met("Apache-2.0 WITH LLVM-exception OR GPL-2.0"));
    }

    #[test]
    fn all_that_is_demanded_must_be_allowed() {
        assert!(!met("GPL-3.0"));
        assert!(!met("MIT AND GPL-3.0"));
        assert!(met("GPL-3.0 AND MIT OR MIT"), "AND binds closer");
        assert!(!met("(GPL-3.0 OR LGPL-3.0) AND MIT"));
        assert!(!met("MIT WITH some-exception"));
    }

    #[test]
    fn nonsense_is_not_met() {
        for nonsense in ["", "MIT OR", "(MIT", "MIT MIT", "MIT)", "AND MIT"] {
            assert!(!met(nonsense), "{nonsense}");
        }
    }
}
