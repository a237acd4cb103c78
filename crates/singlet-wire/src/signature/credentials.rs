//! The key pairs that may sign requests.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::Path;

/// The key pairs that may sign requests.
///
/// Read from a file in the format of AWS's credentials file, with a section per profile. Every
/// profile in it may send requests. `aws_session_token` is optional; other settings are ignored.
///
/// ```
/// use singlet_wire::Credentials;
///
/// let credentials = Credentials::parse(
///     "[default]\n\
///      aws_access_key_id = AKIDEXAMPLE\n\
///      aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n",
/// )?;
/// assert_eq!(credentials.len(), 1);
/// # Ok::<(), singlet_wire::CredentialsError>(())
/// ```
#[derive(Clone)]
pub struct Credentials {
    by_access_key: HashMap<String, Credential>,
}

#[derive(Clone, Default)]
pub(super) struct Credential {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
}

/// Why credentials cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum CredentialsError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// A line is neither a section nor a setting.
    Line {
        /// The line number, counted from 1.
        number: usize,
    },
    /// A section has a key but no secret, or a secret but no key.
    Incomplete {
        /// The section's name.
        section: String,
    },
    /// Two sections have the same key.
    Twice {
        /// The key id, which is not secret.
        access_key_id: String,
    },
    /// The file has no keys.
    Empty,
}

impl Credentials {
    /// Reads a credentials file.
    ///
    /// # Errors
    ///
    /// As for [`Credentials::parse`], and if the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, CredentialsError> {
        Self::parse(&std::fs::read_to_string(path).map_err(CredentialsError::Unreadable)?)
    }

    /// Parses the text of a credentials file.
    ///
    /// # Errors
    ///
    /// If a line is malformed, a section is incomplete, or there are no keys.
    pub fn parse(text: &str) -> Result<Self, CredentialsError> {
        let mut credentials = Self { by_access_key: HashMap::new() };
        let mut section = String::new();
        let mut current = Credential::default();
        for (place, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                credentials.add(&section, std::mem::take(&mut current))?;
                section = name.trim().to_owned();
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                return Err(CredentialsError::Line { number: place + 1 });
            };
            let value = value.trim().to_owned();
            match name.trim() {
                "aws_access_key_id" => current.access_key_id = value,
                "aws_secret_access_key" => current.secret_access_key = value,
                "aws_session_token" => current.session_token = Some(value),
                _ => {}
            }
        }
        credentials.add(&section, current)?;
        if credentials.is_empty() { Err(CredentialsError::Empty) } else { Ok(credentials) }
    }

    fn add(&mut self, section: &str, credential: Credential) -> Result<(), CredentialsError> {
        let access_key_id = credential.access_key_id.clone();
        match (access_key_id.is_empty(), credential.secret_access_key.is_empty()) {
            // A section may hold unrelated settings.
            (true, true) => Ok(()),
            (false, false) => match self.by_access_key.insert(access_key_id.clone(), credential) {
                None => Ok(()),
                Some(_) => Err(CredentialsError::Twice { access_key_id }),
            },
            _ => Err(CredentialsError::Incomplete { section: section.to_owned() }),
        }
    }

    /// The number of key pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_access_key.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_access_key.is_empty()
    }

    pub(super) fn get(&self, access_key_id: &str) -> Option<&Credential> {
        self.by_access_key.get(access_key_id)
    }
}

impl Credential {
    pub(super) fn secret_access_key(&self) -> &str {
        &self.secret_access_key
    }

    pub(super) fn session_token(&self) -> Option<&str> {
        self.session_token.as_deref()
    }
}

/// Shows the number of key pairs, never their content.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::Line { number } => {
                write!(f, "line {number} is neither a [section] nor a name = value")
            }
            Self::Incomplete { section } => write!(
                f,
                "the section [{section}] needs both aws_access_key_id and aws_secret_access_key"
            ),
            Self::Twice { access_key_id } => {
                write!(f, "two sections have the access key {access_key_id}")
            }
            Self::Empty => {
                f.write_str("no section has an aws_access_key_id and an aws_secret_access_key")
            }
        }
    }
}

impl std::error::Error for CredentialsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_may_send_requests() {
        let text = "# ours\n[default]\naws_access_key_id=A\naws_secret_access_key = s=1\n\
                    region = eu-west-1\n\n[ profile two ]\r\naws_access_key_id = B\r\n\
                    aws_secret_access_key = t\r\naws_session_token = u\r\n[empty]\n";
        let credentials = Credentials::parse(text).unwrap();
        assert_eq!(credentials.len(), 2);
        assert_eq!(credentials.get("A").unwrap().secret_access_key(), "s=1");
        assert_eq!(credentials.get("A").unwrap().session_token(), None);
        assert_eq!(credentials.get("B").unwrap().session_token(), Some("u"));
        assert!(credentials.get("C").is_none());
    }

    #[test]
    fn a_malformed_file_is_reported_with_its_position() {
        let message = |text: &str| Credentials::parse(text).unwrap_err().to_string();
        assert_eq!(
            message("[default]\nnonsense"),
            "line 2 is neither a [section] nor a name = value"
        );
        assert_eq!(
            message("[a]\naws_access_key_id = A\n[b]"),
            "the section [a] needs both aws_access_key_id and aws_secret_access_key"
        );
        assert_eq!(
            message(
                "[a]\naws_access_key_id=A\naws_secret_access_key=s\n[b]\naws_access_key_id=A\naws_secret_access_key=t"
            ),
            "two sections have the access key A"
        );
        assert_eq!(message(""), "no section has an aws_access_key_id and an aws_secret_access_key");
    }

    #[test]
    fn debugging_shows_no_secrets() {
        let credentials =
            Credentials::parse("[a]\naws_access_key_id=KEY\naws_secret_access_key=SECRET").unwrap();
        assert_eq!(format!("{credentials:?}"), "Credentials { len: 1, .. }");
    }
}
