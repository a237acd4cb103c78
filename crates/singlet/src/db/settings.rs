//! What can be chosen when a database is opened.

use crate::cursor::CursorKey;
use singlet_engine::Clock;

/// What can be chosen when a database is opened.
///
/// ```
/// use singlet::Settings;
///
/// let settings = Settings { environment: "prod".into(), ..Settings::default() };
/// assert_eq!(settings.table_name("snakes-{env}"), "snakes-prod");
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// What `{env}`, or anything else in braces, stands for in the names of tables.
    pub environment: String,
    /// Where time comes from.
    pub clock: Clock,
    /// The secret with which cursors are signed. By default there is none, and reading pages fails
    /// with [`Error::NoCursorKey`](crate::Error::NoCursorKey): whether cursors are to be taken by
    /// other instances and after a restart is for the program to say.
    pub cursor_key: Option<CursorKey>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { environment: "dev".to_owned(), clock: Clock::system(), cursor_key: None }
    }
}

impl Settings {
    /// The name of a table that was declared with this name.
    #[must_use]
    pub fn table_name(&self, declared: &str) -> String {
        let mut name = String::with_capacity(declared.len() + self.environment.len());
        let mut rest = declared;
        while let Some((before, variable)) = rest.split_once('{') {
            name.push_str(before);
            name.push_str(&self.environment);
            rest = variable.split_once('}').map_or("", |(_, behind)| behind);
        }
        name.push_str(rest);
        name
    }
}
