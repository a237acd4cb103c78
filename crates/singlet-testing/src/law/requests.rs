//! The number of store requests per operation, kept in a text file.

use super::Law;
use crate::faults::RequestCounts;
use crate::law::TestRequest;
use hyper::Method;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::Path;

/// Set to update the file.
const UPDATE: &str = "UPDATE_EXPECT";
const HEAD: [&str; 5] = ["# operation", "reads", "writes", "kit", "repeated"];

impl<F: AsyncFn(&str, &str) -> TestRequest> Law<'_, F> {
    /// Compares the number of store requests with a file, and checks that
    ///
    /// - a read writes nothing;
    /// - a repeated key gives the same answer and has no effect;
    /// - `Location` answers GET.
    ///
    /// ```text
    /// # operation | reads | writes | kit | repeated
    /// listEntries | 1     | 0      | 0
    /// sign        | 0     | 1      | 2   | again
    /// ```
    ///
    /// `kit` counts requests for keys and budgets. `repeated` is the effect of repeating the
    /// request without a key: nothing (`same`), the same `again`, or an error code. `UPDATE_EXPECT`
    /// in the environment rewrites the file.
    ///
    /// # Panics
    ///
    /// If a property does not hold or the file differs.
    pub async fn check_requests(&self, file: impl AsRef<Path>) {
        let rows = RefCell::new(Vec::new());
        let complaints = self.for_each(async |case, complaints| {
            let name = &case.name;
            let request = case.request.with_key(case.key.as_deref());
            // Fills caches.
            request.send().await;
            self.reset(case).await;
            self.plan.arm(None);
            let first = request.send().await;
            self.settle().await;
            let counts = self.plan.counts();
            if first.status >= 300 {
                complaints.push(format!("{name} answers {} {}", first.status, first.code()));
                return;
            }
            let done = case.baseline.effects(&self.server.store, &self.plan).await;
            let mut repeated = String::new();
            if request.method == Method::GET {
                if !done.is_empty() && !self.is_excepted(self.caches, super::operation_of(name)) {
                    complaints.push(format!("{name} reads, and writes {done:#?}"));
                }
            } else {
                if let Some(place) = first.headers.get("location") {
                    let made = case.request.client.get(place).await;
                    if made.status != 200 {
                        let (status, code) = (made.status, made.code());
                        complaints.push(format!("{name}: {place} answers {status} {code}"));
                    }
                }
                if case.key.is_some() {
                    let again = request.send().await;
                    let is_same = (again.status, &again.body) == (first.status, &first.body);
                    if !is_same || !again.headers.contains_key("idempotency-replayed") {
                        let (status, code) = (again.status, again.code());
                        complaints.push(format!("{name} is repeated as {status} {code}"));
                    }
                }
                let kept = case.baseline.effects(&self.server.store, &self.plan).await;
                if kept != done {
                    complaints.push(format!("{name} is repeated with its key, and writes"));
                }
                self.reset(case).await;
                repeated = self.repeated(case).await;
            }
            rows.borrow_mut().push((name.clone(), counts, repeated));
        });
        let mut complaints = complaints.await;
        complaints.extend(compare(file.as_ref(), &to_text(&rows.take())));
        self.expect_none(complaints, self.caches);
    }

    /// The effect of repeating the request without its key.
    async fn repeated(&self, case: &super::LawCase) -> String {
        case.request.send().await;
        self.settle().await;
        let once = case.baseline.effects(&self.server.store, &self.plan).await;
        let again = case.request.send().await;
        self.settle().await;
        let twice = case.baseline.effects(&self.server.store, &self.plan).await;
        match (again.status, once == twice) {
            (200..300, true) => "same".to_owned(),
            (200..300, false) => "again".to_owned(),
            (_, true) => again.code(),
            (status, false) => panic!("{}: refused with {status}, and has written", case.name),
        }
    }
}

fn to_text(rows: &[(String, RequestCounts, String)]) -> String {
    let cells = |(name, counts, repeated): &(String, RequestCounts, String)| {
        let RequestCounts { reads, writes, kit } = counts;
        [name.clone(), reads.to_string(), writes.to_string(), kit.to_string(), repeated.clone()]
    };
    let rows: Vec<[String; 5]> =
        [HEAD.map(str::to_owned)].into_iter().chain(rows.iter().map(cells)).collect();
    let len = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let lens: Vec<usize> = (0..HEAD.len()).filter_map(len).collect();
    let mut text = String::new();
    for row in &rows {
        for (column, (cell, len)) in row.iter().zip(&lens).enumerate() {
            let bar = if column == 0 { "" } else { " | " };
            let _ = write!(text, "{bar}{cell:len$}");
        }
        text.truncate(text.trim_end_matches([' ', '|']).len());
        text.push('\n');
    }
    text
}

/// Compares or rewrites the file.
fn compare(file: &Path, actual: &str) -> Option<String> {
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(file, actual).unwrap();
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    let differs = |line: &&str| !expected.lines().any(|one| one == *line);
    let lines: Vec<&str> = actual.lines().filter(differs).collect();
    let (name, lines) = (file.display(), lines.join("\n"));
    (actual != expected).then(|| format!("{name} differs; {UPDATE}=1 writes it:\n{lines}"))
}
