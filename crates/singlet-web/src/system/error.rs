//! Why systems were not opened.

use crate::demo::DemoError;
use crate::random::RandomUnavailable;
use std::error::Error;
use std::fmt;
use std::net::SocketAddr;

/// Why systems were not opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The store failed, or refused to create a table.
    Store(singlet::Error),
    /// A system opened a design that it does not declare.
    UndeclaredDesign {
        /// The system.
        system: &'static str,
        /// The design.
        design: &'static str,
    },
    /// Two systems have this name, or it is one of the server's own paths.
    DuplicateName(&'static str),
    /// Demo data could not be loaded.
    Demo {
        /// The system.
        system: &'static str,
        /// Why.
        error: DemoError,
    },
    /// The operating system gives no random numbers.
    Random,
    /// The address cannot be listened on.
    Bind(std::io::Error),
    /// The local issuer signs in everybody, and others than this machine can reach this address.
    LocalIssuerInPublic(SocketAddr),
    /// A system could not be opened for a reason of its own.
    System(Box<dyn Error + Send + Sync>),
}

impl OpenError {
    /// A reason of a system's own.
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

/// An error with its causes: the AWS SDK's own text is only "service error".
pub(crate) fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some errors repeat the text of their cause.
        if !text.ends_with(&cause_text) {
            text += ": ";
            text += &cause_text;
        }
        source = cause.source();
    }
    text
}
