//! The authorization matrix: a text file of expected statuses, checked against a server.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Sends every row as every caller and compares the statuses with a table.
///
/// ```text
/// # operation           | visitor | nils | mina
/// listEntries           | 200     | 200  | 200
/// removeEntry (of nils) | 401     | 204  | 403
/// ```
///
/// A row's name is an operation id, with an optional case in parentheses. `operations` are the ids of
/// the OpenAPI document, `callers` the names of the columns: `visitor`, and the subjects of the
/// personas. `status_of` sends the request of a row as a caller.
///
/// # Panics
///
/// If an operation has no row, a row no operation, a caller no column, a column no caller, or a
/// status differs. The message contains the corrected table, ready to copy after review.
pub async fn check_matrix(
    table: &str,
    operations: &[&str],
    callers: &[&str],
    mut status_of: impl AsyncFnMut(&str, &str) -> u16,
) {
    let expected = Matrix::parse(table);
    let mut complaints = expected.complaints(operations, callers);
    let mut actual =
        Matrix { callers: callers.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() };
    let missing = expected.missing(operations).map(str::to_owned);
    let known = expected.rows.iter().map(|row| row.name.clone());
    for name in known.chain(missing) {
        let mut row = Row { name, statuses: Vec::new() };
        // Already a complaint.
        if !operations.contains(&row.operation()) {
            continue;
        }
        for &caller in callers {
            let status = status_of(&row.name, caller).await.to_string();
            if let Some(wanted) = expected.status(&row.name, caller).filter(|one| *one != status) {
                let name = &row.name;
                complaints.push(format!("{name} as {caller} is {status}, and not {wanted}"));
            }
            row.statuses.push(status);
        }
        actual.rows.push(row);
    }
    assert!(
        complaints.is_empty(),
        "the matrix is wrong:\n- {}\n\nAs it should be, if that is what you want:\n\n{}",
        complaints.join("\n- "),
        actual.to_text()
    );
}

/// The rows of an operation, each with the first caller that it admits. Rows that admit no caller
/// are left out.
#[cfg(feature = "server")]
pub(crate) fn first_allowed(table: &str, operation: &str) -> Vec<(String, String)> {
    let matrix = Matrix::parse(table);
    let rows = matrix.rows.iter().filter(|row| row.operation() == operation);
    let caller = |row: &Row| {
        let place = row.statuses.iter().position(|status| status.starts_with('2'))?;
        Some((row.name.clone(), matrix.callers.get(place)?.clone()))
    };
    rows.filter_map(caller).collect()
}

struct Matrix {
    callers: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    statuses: Vec<String>,
}

impl Row {
    /// The name without its case.
    fn operation(&self) -> &str {
        self.name.split(" (").next().unwrap_or_default()
    }
}

impl Matrix {
    fn parse(table: &str) -> Self {
        let mut callers = Vec::new();
        let mut rows = Vec::new();
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut cells = line.split('|').map(|cell| cell.trim().to_owned());
            let name = cells.next().unwrap_or_default();
            match name.strip_prefix('#') {
                // The first comment is the header; ignore others.
                Some(_) if callers.is_empty() => callers = cells.collect(),
                Some(_) => {}
                None => rows.push(Row { name, statuses: cells.collect() }),
            }
        }
        Self { callers, rows }
    }

    /// Operations without a row.
    fn missing<'o>(&self, operations: &[&'o str]) -> impl Iterator<Item = &'o str> {
        let has_row = |operation: &str| self.rows.iter().any(|row| row.operation() == operation);
        operations.iter().copied().filter(move |operation| !has_row(operation))
    }

    /// Missing and superfluous rows and columns.
    fn complaints(&self, operations: &[&str], callers: &[&str]) -> Vec<String> {
        let missing = self.missing(operations);
        let mut complaints: Vec<String> =
            missing.map(|operation| format!("{operation} has no row")).collect();
        let mut names = BTreeSet::new();
        for row in &self.rows {
            if !operations.contains(&row.operation()) {
                complaints.push(format!("{} is no operation", row.operation()));
            }
            if !names.insert(&row.name) {
                complaints.push(format!("{} has two rows", row.name));
            }
            if row.statuses.len() != self.callers.len() {
                complaints.push(format!("{} has not one status for each column", row.name));
            }
        }
        for caller in
            callers.iter().filter(|caller| !self.callers.iter().any(|one| one == **caller))
        {
            complaints.push(format!("{caller} has no column"));
        }
        for column in self.callers.iter().filter(|one| !callers.contains(&one.as_str())) {
            complaints.push(format!("{column} is no caller"));
        }
        complaints
    }

    fn status(&self, row: &str, caller: &str) -> Option<&str> {
        let column = self.callers.iter().position(|one| one == caller)?;
        let row = self.rows.iter().find(|one| one.name == row)?;
        row.statuses.get(column).map(String::as_str)
    }

    fn to_text(&self) -> String {
        let head = "# operation".to_owned();
        let names = self.rows.iter().map(|row| row.name.chars().count());
        let name_len = names.chain([head.len()]).max().unwrap_or_default();
        let mut text = String::new();
        let head = Row { name: head, statuses: self.callers.clone() };
        for row in [&head].into_iter().chain(&self.rows) {
            let _ = write!(text, "{:name_len$}", row.name);
            for (status, caller) in row.statuses.iter().zip(&self.callers) {
                let len = caller.chars().count().max(3);
                let _ = write!(text, " | {status:len$}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    const TABLE: &str = "
# operation           | visitor | nils | mina
listEntries           | 200     | 200  | 200
# Only the author and moderators remove an entry.
removeEntry (of nils) | 401     | 204  | 403
removeEntry (of mina) | 401     | 403  | 204
";

    /// A guest book: everyone reads, authors remove their own entries.
    async fn status_of(row: &str, caller: &str) -> u16 {
        match (row, caller) {
            ("listEntries", _) => 200,
            ("sign", "visitor") | (_, "visitor") => 401,
            ("sign", _) => 201,
            (row, caller) if row.ends_with(&format!("(of {caller})")) => 204,
            _ => 403,
        }
    }

    /// Checks the guest book and returns the panic message.
    fn message(table: &str, operations: &[&str], callers: &[&str]) -> Option<String> {
        let checked = std::panic::catch_unwind(|| {
            let check = pin!(check_matrix(table, operations, callers, status_of));
            let polled = check.poll(&mut Context::from_waker(Waker::noop()));
            assert!(matches!(polled, Poll::Ready(())), "nothing here waits");
        });
        checked.err().map(|panic| panic.downcast_ref::<String>().unwrap().clone())
    }

    const OPERATIONS: &[&str] = &["listEntries", "removeEntry"];
    const CALLERS: &[&str] = &["visitor", "nils", "mina"];

    #[test]
    fn a_matching_table_passes() {
        assert_eq!(message(TABLE, OPERATIONS, CALLERS), None);
    }

    #[test]
    fn a_matrix_without_a_row_fails() {
        let operations = ["listEntries", "removeEntry", "sign"];
        let message = message(TABLE, &operations, CALLERS).unwrap();
        assert!(message.contains("- sign has no row"), "{message}");
        // Includes the missing row, ready to copy.
        assert!(message.contains("\nsign                  | 401     | 201  | 201\n"), "{message}");
        let (_, table) = message.split_once("if that is what you want:\n\n").unwrap();
        assert_eq!(self::message(table, &operations, CALLERS), None, "{table}");
    }

    #[test]
    fn what_the_table_has_too_much_or_too_little_fails() {
        for (operations, callers, complaint) in [
            (&["removeEntry"][..], CALLERS, "listEntries is no operation"),
            (OPERATIONS, &["visitor", "nils"][..], "mina is no caller"),
            (OPERATIONS, &["visitor", "nils", "mina", "adam"][..], "adam has no column"),
        ] {
            let message = message(TABLE, operations, callers).unwrap();
            assert!(message.contains(&format!("- {complaint}\n")), "{message}");
        }
        let twice = format!("{TABLE}listEntries | 200 | 200 | 200\n");
        assert!(message(&twice, OPERATIONS, CALLERS).unwrap().contains("listEntries has two rows"));
        let short = TABLE.replace("| 200  | 200\n", "| 200\n");
        assert!(message(&short, OPERATIONS, CALLERS).unwrap().contains("not one status for each"));
    }

    #[test]
    fn a_status_that_differs_fails() {
        let wrong = TABLE.replace("| 403", "| 204");
        let message = message(&wrong, OPERATIONS, CALLERS).unwrap();
        assert!(message.contains("removeEntry (of nils) as mina is 403, and not 204"), "{message}");
    }
}
