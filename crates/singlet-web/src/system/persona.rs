//! Personas of the demo data.

use crate::identity::Caller;

/// A demo user to sign in as with one click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Persona {
    /// The subject of the tokens.
    pub subject: &'static str,
    /// The display name.
    pub name: &'static str,
    /// The groups the persona belongs to.
    pub groups: &'static [&'static str],
    /// A short description: "admin of Tidewall".
    pub description: &'static str,
    /// The e-mail address in the tokens, if any.
    pub email: Option<&'static str>,
}

impl Persona {
    /// A persona without groups or e-mail address.
    #[must_use]
    pub const fn new(subject: &'static str, name: &'static str, description: &'static str) -> Self {
        Self { subject, name, groups: &[], description, email: None }
    }

    /// Sets the groups.
    #[must_use]
    pub const fn with_groups(self, groups: &'static [&'static str]) -> Self {
        Self { groups, ..self }
    }

    /// Sets the e-mail address.
    #[must_use]
    pub const fn with_email(self, email: &'static str) -> Self {
        Self { email: Some(email), ..self }
    }

    /// The caller that services see for this persona.
    #[must_use]
    pub fn caller(&self) -> Caller {
        Caller {
            subject: self.subject.to_owned(),
            name: Some(self.name.to_owned()),
            email: self.email.map(str::to_owned),
            groups: self.groups.iter().map(|group| (*group).to_owned()).collect(),
            signed_in_at_s: None,
            expires_at_s: None,
        }
    }
}
