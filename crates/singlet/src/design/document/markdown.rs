//! A Markdown writer.

#[derive(Default)]
pub(super) struct Markdown {
    text: String,
}

impl Markdown {
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Separates blocks with an empty line.
    fn begin_block(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    pub(super) fn heading(&mut self, level: usize, title: &str) {
        self.begin_block();
        self.text.extend(std::iter::repeat_n('#', level));
        self.text.push(' ');
        self.text.push_str(&one_line(title));
        self.text.push('\n');
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.begin_block();
        self.text.push_str(&one_line(text));
        self.text.push('\n');
    }

    pub(super) fn list(&mut self, lines: impl IntoIterator<Item = String>) {
        self.begin_block();
        for line in lines {
            self.text.push_str("- ");
            self.text.push_str(&one_line(&line));
            self.text.push('\n');
        }
    }

    /// A table. Empty columns are omitted.
    pub(super) fn table(&mut self, columns: &[&str], rows: Vec<Vec<String>>) {
        self.begin_block();
        let is_used = |column: usize| {
            rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
        };
        let used: Vec<usize> = (0..columns.len()).filter(|column| is_used(*column)).collect();
        let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        self.row(&names, &used);
        self.text.push('|');
        for _ in &used {
            self.text.push_str("---|");
        }
        self.text.push('\n');
        for row in &rows {
            self.row(row, &used);
        }
    }

    fn row(&mut self, cells: &[String], used: &[usize]) {
        self.text.push('|');
        for column in used {
            let cell = cells.get(*column).map_or("", String::as_str);
            self.text.push(' ');
            self.text.push_str(&one_line(cell).replace('|', "\\|"));
            self.text.push_str(" |");
        }
        self.text.push('\n');
    }

    /// A fenced code block; `language` may be empty.
    pub(super) fn block(&mut self, language: &str, text: &str) {
        self.begin_block();
        // The fence must be longer than any run of backticks in the text.
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(3.max(longest + 1));
        for part in [&fence, language, "\n", text.trim_end(), "\n", &fence, "\n"] {
            self.text.push_str(part);
        }
    }
}

/// Inline code.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out() {
        let mut out = Markdown::default();
        out.heading(2, "a\n# b");
        out.table(&["x", "y", "z"], vec![vec!["1|2".into(), String::new(), code("a`b")]]);
        out.block("json", "```");
        assert_eq!(
            out.into_text(),
            "## a # b\n\n| x | z |\n|---|---|\n| 1\\|2 | `` a`b `` |\n\n````json\n```\n````\n"
        );
    }
}
