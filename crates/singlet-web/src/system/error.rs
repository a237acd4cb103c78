//! Errors when opening systems.

use crate::demo::DemoError;
use crate::random::RandomUnavailable;
use std::error::Error;
use std::fmt;
use std::net::SocketAddr;

/// Why systems could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The store failed, or refused to create a table.
    Store(singlet::Error),
    /// A system opened a design it does not declare.
    UndeclaredDesign {
        /// The system.
        system: &'static str,
        /// The design.
        design: &'static str,
    },
    /// The name is used twice, or is reserved by the server.
    DuplicateName(&'static str),
    /// A name was set for a table that does not exist.
    UnknownTable {
        /// The unknown default name.
        name: String,
        /// The default names of all tables.
        known: Vec<String>,
    },
    /// Two tables have this name.
    DuplicateTable(String),
    /// Demo data could not be loaded.
    Demo {
        /// The system.
        system: &'static str,
        /// The cause.
        error: DemoError,
    },
    /// The operating system has no randomness.
    Random,
    /// The address cannot be bound.
    Bind(std::io::Error),
    /// The local issuer lets anyone sign in, and this address is not loopback.
    LocalIssuerInPublic(SocketAddr),
    /// A system-specific error.
    System(Box<dyn Error + Send + Sync>),
}

impl OpenError {
    /// A system-specific error.
    pub fn system(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::System(error.into())
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => f.write_str(&in_full(error)),
            Self::UndeclaredDesign { system, design } => {
                write!(f, "the system {system} opens {design}, which it does not declare")
            }
            Self::DuplicateName(name) => write!(f, "the name {name} is taken"),
            Self::UnknownTable { name, known } => {
                write!(f, "there is no table {name}; the tables are {}", known.join(", "))
            }
            Self::DuplicateTable(name) => write!(f, "two tables would be called {name}"),
            Self::Demo { system, error } => {
                write!(f, "the demo data of {system} cannot be loaded: {error}")
            }
            Self::Random => f.write_str("the operating system gives no random numbers"),
            Self::Bind(error) => write!(f, "cannot listen: {error}"),
            Self::LocalIssuerInPublic(address) => write!(
                f,
                "the local issuer signs in everybody, and others can reach {address}; listen on \
                 127.0.0.1, or name another issuer"
            ),
            Self::System(error) => f.write_str(&in_full(&**error)),
        }
    }
}

impl Error for OpenError {}

impl From<singlet::Error> for OpenError {
    fn from(error: singlet::Error) -> Self {
        match error {
            singlet::Error::RandomUnavailable => Self::Random,
            other => Self::Store(other),
        }
    }
}

impl From<RandomUnavailable> for OpenError {
    fn from(_: RandomUnavailable) -> Self {
        Self::Random
    }
}

/// An error with its causes: the AWS SDK's message is only "service error".
pub(crate) fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some errors repeat the message of their cause.
        if !text.ends_with(&cause_text) {
            text += ": ";
            text += &cause_text;
        }
        source = cause.source();
    }
    text
}
