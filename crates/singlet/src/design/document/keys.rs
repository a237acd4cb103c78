//! An overview of all entities' keys.

use super::markdown::{Markdown, code};
use crate::design::{Design, Entity, KeyAttribute, Table, Template};

impl Design {
    /// The keys of all entities, as one Markdown table per table of the design.
    ///
    /// ```
    /// use singlet::design::Design;
    ///
    /// let design = Design::from_json(r#"{"name": "games", "tables": {"games": {
    ///     "key": {"partition": "PK", "sort": "SK"},
    ///     "entities": {"Game": {"key": {"partition": "GAME#{code}", "sort": "METADATA"}}}
    /// }}}"#)?;
    /// assert_eq!(
    ///     design.key_table(),
    ///     "| entity | PK | SK |\n|---|---|---|\n| Game | `GAME#{code}` | `METADATA` |\n"
    /// );
    /// # Ok::<(), singlet::design::ReadError>(())
    /// ```
    #[must_use]
    pub fn key_table(&self) -> String {
        let mut out = Markdown::default();
        for table in &self.tables {
            if self.tables.len() > 1 {
                out.paragraph(&code(&table.name));
            }
            write(table, &mut out);
        }
        out.into_text()
    }
}

fn write(table: &Table, out: &mut Markdown) {
    let names = |attributes: &[KeyAttribute]| {
        attributes.iter().map(KeyAttribute::name).collect::<Vec<_>>().join(", ")
    };
    let partition = names(&table.key.partition);
    let sort = names(&table.key.sort);
    let discriminators = table.entities.iter().filter_map(|own| own.discriminator.as_ref());
    let discriminator = discriminators.map(|own| own.attribute.as_str()).next().unwrap_or("type");
    let rows = table.entities.iter().map(row).collect();
    out.table(&["entity", discriminator, &partition, &sort, "index keys"], rows);
}

fn row(entity: &Entity) -> Vec<String> {
    let indexes = entity.indexes.iter().map(|key| {
        let sort = if key.sort.is_empty() { String::new() } else { codes(&key.sort) };
        let separator = if sort.is_empty() { "" } else { " / " };
        let condition = match (&key.when, &key.only_with) {
            (Some(when), _) => format!(" when {}", code(&when.to_string())),
            (None, Some(name)) => format!(" with {}", code(name)),
            (None, None) => String::new(),
        };
        format!("{}: {}{separator}{sort}{condition}", key.index, codes(&key.partition))
    });
    vec![
        entity.name.clone(),
        entity.discriminator.as_ref().map(|own| code(&own.value)).unwrap_or_default(),
        codes(&entity.key.partition),
        codes(&entity.key.sort),
        indexes.collect::<Vec<_>>().join("; "),
    ]
}

fn codes(templates: &[Template]) -> String {
    templates.iter().map(|own| code(&own.to_string())).collect::<Vec<_>>().join(", ")
}
