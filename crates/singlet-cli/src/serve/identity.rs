//! Command-line options for authentication: whose tokens are accepted.

use crate::failure::Failure;
use clap::Args;
use singlet_web::IdentitySource;
use singlet_web::identity::{Identity, Issuer, LocalIssuer};

/// Whose tokens are accepted. Without an issuer, a server on localhost issues tokens itself, for
/// any name (development sign-in).
#[derive(Args)]
pub(super) struct Callers {
    /// The token issuer, as in the `iss` claim: a Cognito user pool or any other OpenID provider.
    #[arg(long, value_name = "URL", requires = "audience")]
    issuer: Option<String>,
    /// The audience of tokens: their `aud` or `client_id` claim.
    #[arg(long, value_name = "NAME", requires = "issuer")]
    audience: Option<String>,
    /// The URL of the issuer's keys. [default: the issuer's address and /.well-known/jwks.json]
    #[arg(long, value_name = "URL", requires = "issuer")]
    jwks: Option<String>,
    /// The claim that lists the caller's groups.
    #[arg(long, value_name = "NAME", requires = "issuer", default_value = "cognito:groups")]
    groups_claim: String,
}

/// Whether development sign-in is allowed: on localhost, with the embedded engine.
pub(super) struct Trusting(pub(super) bool);

impl Callers {
    /// Whose tokens the server accepts, and a note for the home page.
    pub(super) fn identity(&self, trusting: Trusting) -> Result<(IdentitySource, String), Failure> {
        match (self.issuer(), trusting) {
            (Some(issuer), _) => {
                let note = format!("Sign-in: with {}.", issuer.url);
                let identity = Identity::of(issuer)
                    .map_err(|error| Failure::new(error, "Set the URL of the keys with --jwks."))?;
                Ok((IdentitySource::Issuer(identity), note))
            }
            (None, Trusting(true)) => {
                let local = LocalIssuer::new().map_err(|_| {
                    Failure::new(
                        "the operating system provides no random numbers",
                        "The server cannot create secure tokens without them.",
                    )
                })?;
                let note = "Development sign-in: choose any name; only this machine can reach this server.";
                Ok((IdentitySource::Local(local), note.to_owned()))
            }
            (None, Trusting(false)) => {
                let note = "Sign-in is disabled: no token issuer is configured.";
                Ok((IdentitySource::None, note.to_owned()))
            }
        }
    }

    fn issuer(&self) -> Option<Issuer> {
        let (url, audience) = (self.issuer.clone()?, self.audience.clone()?);
        let default = || format!("{}/.well-known/jwks.json", url.trim_end_matches('/'));
        let jwks_url = self.jwks.clone().unwrap_or_else(default);
        Some(Issuer { url, jwks_url, audience, groups_claim: self.groups_claim.clone() })
    }
}
