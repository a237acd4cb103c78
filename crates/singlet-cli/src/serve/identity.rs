//! Who may call: the part of the command line that says whose tokens are good.

use crate::failure::Failure;
use clap::Args;
use singlet_web::IdentitySource;
use singlet_web::identity::{Identity, Issuer, LocalIssuer};

/// Whose tokens are good. Without an issuer, a server that only this machine can reach signs
/// tokens itself, in whatever name one asks for.
#[derive(Args)]
pub(super) struct Callers {
    /// The issuer of tokens, as it stands in their claim `iss`: a Cognito user pool, or any other
    /// OpenID provider.
    #[arg(long, value_name = "URL", requires = "audience")]
    issuer: Option<String>,
    /// Whom tokens must be for: their claim `aud`, or `client_id`.
    #[arg(long, value_name = "NAME", requires = "issuer")]
    audience: Option<String>,
    /// Where the issuer's keys are. [default: the issuer's address and /.well-known/jwks.json]
    #[arg(long, value_name = "URL", requires = "issuer")]
    jwks: Option<String>,
    /// The claim that lists the groups of the caller.
    #[arg(long, value_name = "NAME", requires = "issuer", default_value = "cognito:groups")]
    groups_claim: String,
}

/// Whether the server believes everybody. That is for a machine of one's own, and for data that
/// nobody else uses.
pub(super) struct Trusting(pub(super) bool);

impl Callers {
    /// Whose tokens the server accepts, and a line about it for the first page.
    pub(super) fn identity(&self, trusting: Trusting) -> Result<(IdentitySource, String), Failure> {
        match (self.issuer(), trusting) {
            (Some(issuer), _) => {
                let note = format!("Sign-in: with {}.", issuer.url);
                let identity = Identity::of(issuer).map_err(|error| {
                    Failure::new(error, "Give the address of the keys with --jwks.")
                })?;
                Ok((IdentitySource::Issuer(identity), note))
            }
            (None, Trusting(true)) => {
                let local = LocalIssuer::new().map_err(|_| {
                    Failure::new(
                        "the operating system gives no randomness",
                        "Nothing is safe without it.",
                    )
                })?;
                let note =
                    "Sign-in: anybody as anybody, because only this machine can reach this server.";
                Ok((IdentitySource::Local(local), note.to_owned()))
            }
            (None, Trusting(false)) => {
                let note = "Nobody can sign in: no issuer of tokens was named.";
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
