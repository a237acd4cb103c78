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
    /// The secret with which cursors are signed. By default every process makes one up, so that
    /// cursors do not outlive it.
    pub cursor_key: CursorKey,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            environment: "dev".to_owned(),
            clock: Clock::system(),
            cursor_key: CursorKey::random(),
        }
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
