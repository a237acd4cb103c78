//! Designs in files.

use super::Design;
use serde::Serialize;
use std::fmt;

/// Why a text is no design: where in it, and what is wrong there.
#[derive(Debug)]
pub struct ReadError {
    place: String,
    error: serde_json::Error,
}

impl ReadError {
    /// The way to the place, by names: `tables.snakes.entities.Game.key`. It is empty for the
    /// design as a whole, and for a text that is no JSON at all.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.error.line()
    }

    /// The character in the line, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.error.column()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = (self.line(), self.column());
        let message = self.error.to_string();
        // The parser says the place at the end, where it is overlooked.
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
    /// The error says where it is and what is expected there. Mistakes in the design itself are
    /// no errors here: `check` finds them, all at once.
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
            // A place that is the whole design, or not known, has a sign and no name.
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

/// JSON for people, and for files.
pub(super) fn pretty(value: &impl Serialize) -> String {
    // Only maps with keys that are no text and broken implementations of `Serialize` fail, and
    // there are none here.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
