//! People of the demo data.

use crate::identity::Caller;

/// A person of the demo data who can be signed in as with one click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Persona {
    /// The subject of their tokens.
    pub subject: &'static str,
    /// What people call them.
    pub name: &'static str,
    /// The groups that they are in.
    pub groups: &'static [&'static str],
    /// What they are: "admin of Tidewall".
    pub description: &'static str,
    /// Their e-mail address, if their tokens have one.
    pub email: Option<&'static str>,
}

impl Persona {
    /// A person in no group, without an e-mail address.
    #[must_use]
    pub const fn new(subject: &'static str, name: &'static str, description: &'static str) -> Self {
        Self { subject, name, groups: &[], description, email: None }
    }

    /// The same person in these groups.
    #[must_use]
    pub const fn with_groups(self, groups: &'static [&'static str]) -> Self {
        Self { groups, ..self }
    }

    /// The same person with this e-mail address.
    #[must_use]
    pub const fn with_email(self, email: &'static str) -> Self {
        Self { email: Some(email), ..self }
    }

    /// The caller whom services see when this person has signed in.
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
