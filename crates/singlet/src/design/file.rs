//! Reading and writing design files.

use super::Design;
use serde::Serialize;
use std::fmt;

/// A JSON error in a design file, with its location.
#[derive(Debug)]
pub struct ReadError {
    place: String,
    error: serde_json::Error,
}

impl ReadError {
    /// Path to the error: `tables.snakes.entities.Game.key`. Empty for the design as a whole and
    /// for invalid JSON.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The line, starting at 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.error.line()
    }

    /// The column, starting at 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.error.column()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = (self.line(), self.column());
        let message = self.error.to_string();
        // serde_json appends the position; it is more visible at the front.
        let message = message.trim_end_matches(&format!(" at line {line} column {column}"));
        write!(f, "line {line}, column {column}: ")?;
        match self.place.as_str() {
            "" => f.write_str(message),
            place => write!(f, "{place}: {message}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl Design {
    /// Reads a design from JSON.
    ///
    /// The error has a location and the expected form. Mistakes in the design itself are not errors
    /// here; `check` reports them.
    ///
    /// ```
    /// use singlet::design::Design;
    ///
    /// let error = Design::from_json(r#"{"name": "snakes", "tables": {
    ///     "snakes": {"key": {"partition": "PK"}, "entities": {"Game": {"keys": {}}}}
    /// }}"#).unwrap_err();
    /// assert_eq!(error.place(), "tables.snakes.entities.Game.keys");
    /// assert_eq!(error.line(), 2);
    /// ```
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let design = serde_path_to_error::deserialize(&mut reader).map_err(|error| ReadError {
            // `serde_path_to_error` prints `.` for the root and `?` for an unknown path.
            place: Some(error.path().to_string())
                .filter(|place| place != "." && place != "?")
                .unwrap_or_default(),
            error: error.into_inner(),
        })?;
        reader.end().map_err(|error| ReadError { place: String::new(), error })?;
        Ok(design)
    }

    /// Writes the design as JSON that [`Design::from_json`] reads.
    #[must_use]
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// Pretty-printed JSON with a final newline.
pub(super) fn pretty(value: &impl Serialize) -> String {
    // Serialization fails only for non-string map keys and broken `Serialize` impls; neither occurs
    // here.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
