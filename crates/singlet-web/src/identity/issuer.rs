//! Token issuers and their claims.

use super::caller::public_name;
use super::{Caller, TokenError};
use serde_json::{Map, Value};
use singlet::key::ID_CHARS_MAX;
use std::collections::BTreeSet;
use std::time::Duration;

/// Allowed clock skew.
const LEEWAY: Duration = Duration::from_secs(60);

/// A token issuer: a Cognito user pool, or any OpenID Connect provider.
///
/// ```
/// use singlet_web::identity::Issuer;
///
/// let issuer = Issuer::cognito("eu-central-1", "eu-central-1_AbCdEfGhI", "3n4b5urk1ft4fl3mg5e62d9ado");
/// assert_eq!(issuer.url, "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// The exact `iss` claim of its tokens.
    pub url: String,
    /// The address of its keys: `jwks_uri` in the OpenID configuration.
    pub jwks_url: String,
    /// The required audience: the claim `aud`, or `client_id` in tokens without one.
    pub audience: String,
    /// The claim that lists the caller's groups.
    pub groups_claim: String,
}

impl Issuer {
    /// A Cognito user pool and the app client its tokens must be issued for.
    #[must_use]
    pub fn cognito(region: &str, pool: &str, client: &str) -> Self {
        let url = format!("https://cognito-idp.{region}.amazonaws.com/{pool}");
        Self {
            jwks_url: format!("{url}/.well-known/jwks.json"),
            url,
            audience: client.to_owned(),
            groups_claim: "cognito:groups".to_owned(),
        }
    }

    /// Checks the claims of a token with a valid signature. `now` is in Unix seconds.
    ///
    /// # Errors
    ///
    /// If the token has another issuer or audience, or is not valid now.
    pub(super) fn caller(
        &self,
        claims: &Map<String, Value>,
        now: u64,
    ) -> Result<Caller, TokenError> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("iss") != Some(&self.url) {
            return Err(TokenError::WrongIssuer);
        }
        // Cognito access tokens have `client_id` instead of an audience.
        let is_for_us = match claims.get("aud") {
            Some(Value::Array(several)) => several.iter().any(|one| *one == *self.audience),
            Some(one) => *one == *self.audience,
            None => text("client_id") == Some(&self.audience),
        };
        if !is_for_us {
            return Err(TokenError::WrongAudience);
        }
        // A token without an expiry would be valid forever. Times may have fractions.
        let time = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(time) => time.as_f64().map(Some).ok_or(TokenError::Malformed),
        };
        let (now, leeway) = (now as f64, LEEWAY.as_secs_f64());
        let end = time("exp")?.ok_or(TokenError::Malformed)? + leeway;
        if end <= now {
            return Err(TokenError::Expired);
        }
        for begin in [time("nbf")?, time("iat")?].into_iter().flatten() {
            if begin - leeway > now {
                return Err(TokenError::NotYetValid);
            }
        }
        let subject = text("sub");
        let subject =
            subject.filter(|subject| (1..=ID_CHARS_MAX).contains(&subject.chars().count()));
        let subject = subject.ok_or(TokenError::Malformed)?;
        // User names are often e-mail addresses or subjects; only names are shown to others.
        let name = text("name").and_then(public_name).filter(|name| name != subject);
        // An unverified address may belong to another person.
        let is_unverified = claims
            .get("email_verified")
            .is_some_and(|verified| *verified == false || *verified == "false");
        let email = text("email").filter(|_| !is_unverified);
        let signed_in_at = claims.get("auth_time").and_then(Value::as_f64).or(time("iat")?);
        let groups = claims.get(&self.groups_claim).and_then(Value::as_array);
        let groups = groups.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Ok(Caller {
            subject: subject.to_owned(),
            name,
            email: email.map(str::to_owned),
            groups: groups.collect::<BTreeSet<_>>(),
            // `as` saturates.
            signed_in_at_s: signed_in_at.map(|at| at as u64),
            expires_at_s: Some(end as u64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: u64 = 1_800_000_000;

    fn issuer() -> Issuer {
        Issuer::cognito("eu-central-1", "eu-central-1_A", "client-1")
    }

    fn caller(changes: Value) -> Result<Caller, TokenError> {
        let mut claims = json!({
            "iss": issuer().url, "aud": "client-1", "exp": NOW + 3600, "iat": NOW - 10, "sub": "u-1",
        });
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => claims.as_object_mut().unwrap().remove(name),
                value => claims.as_object_mut().unwrap().insert(name.clone(), value.clone()),
            };
        }
        issuer().caller(claims.as_object().unwrap(), NOW)
    }

    #[test]
    fn the_claims_of_an_id_token_and_of_an_access_token_make_a_caller() {
        let caller_of_id = caller(json!({"cognito:groups": ["Admin", "Squash"], "email": "a@b.c"}));
        let caller_of_id = caller_of_id.unwrap();
        assert_eq!(caller_of_id.subject, "u-1");
        assert!(caller_of_id.groups.contains("Squash"));
        let access = caller(json!({"aud": null, "client_id": "client-1", "name": "Ann"}));
        assert_eq!(access.unwrap().name.as_deref(), Some("Ann"));
        assert!(caller(json!({"aud": ["other", "client-1"]})).is_ok());
    }

    #[test]
    fn whatever_is_not_ours_is_rejected() {
        let refused = [
            (json!({"iss": "https://evil.example"}), TokenError::WrongIssuer),
            (json!({"iss": format!("{}/", issuer().url)}), TokenError::WrongIssuer),
            (json!({"iss": null}), TokenError::WrongIssuer),
            (json!({"aud": "client-2"}), TokenError::WrongAudience),
            (json!({"aud": null}), TokenError::WrongAudience),
            (json!({"aud": ["client-2"]}), TokenError::WrongAudience),
            // `client_id` must not override the audience.
            (json!({"aud": "client-2", "client_id": "client-1"}), TokenError::WrongAudience),
            (json!({"aud": {"client-1": 1}}), TokenError::WrongAudience),
            (json!({"exp": NOW - 60}), TokenError::Expired),
            (json!({"exp": null}), TokenError::Malformed),
            (json!({"exp": "tomorrow"}), TokenError::Malformed),
            (json!({"nbf": NOW + 61}), TokenError::NotYetValid),
            (json!({"iat": NOW + 61}), TokenError::NotYetValid),
            (json!({"sub": null}), TokenError::Malformed),
            (json!({"sub": ""}), TokenError::Malformed),
            (json!({"sub": 7}), TokenError::Malformed),
            (json!({"sub": "x".repeat(256)}), TokenError::Malformed),
        ];
        for (changes, why) in refused {
            assert_eq!(caller(changes.clone()), Err(why), "{changes}");
        }
    }

    /// Regression: a system that shows the last sign-in had to parse the token again.
    #[test]
    fn a_caller_knows_when_they_signed_in() {
        let signed_in = |claims: Value| caller(claims).unwrap().signed_in_at_s;
        let claims = json!({"auth_time": NOW - 600, "iat": NOW - 60});
        assert_eq!(signed_in(claims), Some(NOW - 600));
        assert_eq!(signed_in(json!({"auth_time": null, "iat": NOW - 60})), Some(NOW - 60));
        assert_eq!(signed_in(json!({"auth_time": "today", "iat": null})), None);
    }

    #[test]
    fn clocks_may_differ_a_little() {
        assert!(caller(json!({"exp": NOW - 59})).is_ok());
        assert!(caller(json!({"exp": NOW as f64 - 59.5})).is_ok());
        assert!(caller(json!({"nbf": NOW + 60})).is_ok());
    }

    /// Regression: callers without a name were shown by their user name, which may be an e-mail
    /// address or the subject.
    #[test]
    fn only_a_name_is_shown_to_others() {
        let shown = |claims: Value| caller(claims).unwrap().display_name().to_owned();
        assert_eq!(shown(json!({"name": " Ann   Onym "})), "Ann Onym");
        for claims in [
            json!({}),
            json!({"username": "ann", "cognito:username": "ann", "preferred_username": "ann"}),
            json!({"username": "ann@example.com", "email": "ann@example.com"}),
            json!({"name": "ann@example.com"}),
            json!({"name": "ann\u{ff20}example.com"}),
            json!({"name": "u-1"}),
            json!({"name": ""}),
            json!({"name": "a\u{202e}b"}),
            json!({"name": "x".repeat(41)}),
            json!({"name": ["Ann"]}),
        ] {
            assert_eq!(shown(claims.clone()), "Somebody", "{claims}");
        }
    }

    #[test]
    fn an_unverified_address_is_none() {
        let email = |verified: Value| {
            caller(json!({"email": "a@b.c", "email_verified": verified})).unwrap().email
        };
        for verified in [json!(null), json!(true), json!("true")] {
            assert_eq!(email(verified).as_deref(), Some("a@b.c"));
        }
        for unverified in [json!(false), json!("false")] {
            assert_eq!(email(unverified), None);
        }
    }

    #[test]
    fn odd_groups_are_no_groups() {
        for odd in [json!("Admin"), json!({"Admin": true}), json!([["Admin"], 1])] {
            assert!(caller(json!({"cognito:groups": odd})).unwrap().groups.is_empty());
        }
    }
}
