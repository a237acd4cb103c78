//! The design as a Markdown document.

mod collections;
mod entities;
mod keys;
mod markdown;
mod patterns;
mod tables;

use super::Design;
use markdown::{Markdown, code};

impl Design {
    /// The design as a Markdown document: tables and indexes, item collections, entities with an
    /// example of each, access patterns with their cost, and accepted findings.
    ///
    /// ```
    /// use singlet::design::Design;
    ///
    /// let design = Design::from_json(r#"{"name": "Games", "tables": {"games": {
    ///     "key": {"partition": "PK", "sort": "SK"},
    ///     "entities": {
    ///         "Game": {"key": {"partition": "GAME#{code}", "sort": "METADATA"}},
    ///         "Player": {"key": {"partition": "GAME#{code}", "sort": "PLAYER#{id}"}}
    ///     }
    /// }}}"#)?;
    /// assert!(design.document().contains("\
    /// GAME#{code}
    /// ├─ METADATA     Game
    /// └─ PLAYER#{id}  Player
    /// "));
    /// # Ok::<(), singlet::design::ReadError>(())
    /// ```
    #[must_use]
    pub fn document(&self) -> String {
        let mut out = Markdown::default();
        out.heading(1, &self.name);
        if let Some(description) = &self.description {
            out.paragraph(description);
        }
        if self.tables.len() > 1 {
            tables::write_overview(self, &mut out);
        }
        for table in &self.tables {
            out.heading(2, &format!("Table {}", code(&table.name)));
            if let Some(description) = &table.description {
                out.paragraph(description);
            }
            tables::write(table, &mut out);
            collections::write(table, &mut out);
            entities::write(table, &mut out);
        }
        patterns::write(self, &mut out);
        write_accepted(self, &mut out);
        out.into_text()
    }
}

/// Lists the accepted findings.
fn write_accepted(design: &Design, out: &mut Markdown) {
    let findings = design.check();
    let accepted: Vec<Vec<String>> = findings
        .iter()
        .filter_map(|finding| {
            let because = finding.accepted.clone()?;
            Some(vec![finding.code.to_owned(), finding.message.clone(), because])
        })
        .collect();
    if !accepted.is_empty() {
        out.heading(2, "Known and accepted");
        out.table(&["rule", "what the check finds", "why it is meant to be so"], accepted);
    }
}
