//! Settings of a database.

use crate::cursor::CursorKey;
use crate::shape::TableShapeOf;
use singlet_engine::Clock;
use std::collections::BTreeMap;

/// Settings of a database, chosen when it is opened.
///
/// ```
/// use singlet::Settings;
///
/// let settings = Settings { environment: "prod".into(), ..Settings::default() };
/// assert_eq!(settings.table_name("snakes-{env}"), "snakes-prod");
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// The value of `{env}`, or of any other placeholder, in table names.
    pub environment: String,
    /// Names for individual tables, keyed by their [default name](Settings::default_name_of). They
    /// take precedence over the declaration.
    pub table_names: BTreeMap<String, String>,
    /// The source of time.
    pub clock: Clock,
    /// The secret that signs cursors. By default there is none, and reading pages fails
    /// with [`Error::NoCursorKey`](crate::Error::NoCursorKey): the program decides whether other
    /// instances accept its cursors, and whether they survive a restart.
    pub cursor_key: Option<CursorKey>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            environment: Self::DEFAULT_ENVIRONMENT.to_owned(),
            table_names: BTreeMap::new(),
            clock: Clock::system(),
            cursor_key: None,
        }
    }
}

impl Settings {
    /// The default environment.
    pub const DEFAULT_ENVIRONMENT: &str = "dev";

    /// The actual name of a table declared with this name.
    #[must_use]
    pub fn table_name(&self, declared: &str) -> String {
        fill(declared, &self.environment)
    }

    /// The actual name of a table: its entry in `table_names`, or the declared name in this
    /// environment.
    #[must_use]
    pub fn name_of(&self, table: &TableShapeOf<'_>) -> String {
        if let Some(chosen) = self.table_names.get(&Self::default_name_of(table)) {
            return chosen.clone();
        }
        match table.elsewhere {
            Some(elsewhere) if self.environment != Self::DEFAULT_ENVIRONMENT => {
                self.table_name(elsewhere)
            }
            _ => self.table_name(table.name),
        }
    }

    /// The name of a table in the default environment.
    #[must_use]
    pub fn default_name_of(table: &TableShapeOf<'_>) -> String {
        fill(table.name, Self::DEFAULT_ENVIRONMENT)
    }
}

/// Replaces every placeholder in braces with the environment.
fn fill(declared: &str, environment: &str) -> String {
    let mut name = String::with_capacity(declared.len() + environment.len());
    let mut rest = declared;
    while let Some((before, variable)) = rest.split_once('{') {
        name.push_str(before);
        name.push_str(environment);
        rest = variable.split_once('}').map_or("", |(_, behind)| behind);
    }
    name.push_str(rest);
    name
}
