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
    /// What `{env}` in the names of tables stands for.
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
        declared.replace("{env}", &self.environment)
    }
}
