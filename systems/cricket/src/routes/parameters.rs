//! What several routes take.

use crate::design::{LeagueId, MatchId, PushToken, SeasonId, TeamId, UserId};
use crate::error::Error;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{Argument, Operation};
use singlet_web::identity::Caller;
use singlet_web::problem::Problem;

/// How many characters a token may have.
pub(super) const TOKEN_CHARS_MAX: usize = 200;

/// The id of a match in an address. What is no id is no match.
#[derive(Deserialize, JsonSchema)]
pub(super) struct OfMatch {
    /// The id of the match.
    id: String,
}

impl OfMatch {
    pub(super) fn id(&self) -> Result<MatchId, Error> {
        MatchId::new(self.id.as_str()).map_err(|_| Error::MatchNotFound)
    }
}

/// The id of a team in an address.
#[derive(Deserialize, JsonSchema)]
pub(super) struct OfTeam {
    /// The id of the team.
    id: String,
}

impl OfTeam {
    pub(super) fn id(&self) -> Result<TeamId, Error> {
        TeamId::new(self.id.as_str()).map_err(|_| Error::TeamNotFound)
    }
}

/// The id of a league in an address.
#[derive(Deserialize, JsonSchema)]
pub(super) struct OfLeague {
    /// The id of the league.
    id: String,
}

impl OfLeague {
    pub(super) fn id(&self) -> Result<LeagueId, Error> {
        LeagueId::new(self.id.as_str()).map_err(|_| Error::LeagueNotFound)
    }
}

/// The id of a season in an address.
#[derive(Deserialize, JsonSchema)]
pub(super) struct OfSeason {
    /// The id of the season.
    id: String,
}

impl OfSeason {
    /// A season without teams, if it is no id.
    pub(super) fn id(&self) -> Option<SeasonId> {
        SeasonId::new(self.id.as_str()).ok()
    }
}

/// The caller, as tables know them.
pub(super) fn user_of(caller: &Caller) -> Result<UserId, Problem> {
    caller.id()
}

/// A team that a caller names. What is no id is no team of any match.
pub(super) fn team_of(text: &str) -> Result<TeamId, Error> {
    TeamId::new(text).map_err(|_| Error::TeamNotInMatch)
}

/// The token of one activity, in a header: tokens never travel in an address.
pub(super) struct ActivityToken(pub(super) Option<PushToken>);

impl Argument for ActivityToken {
    fn describe(operation: &mut Operation<'_>) {
        let about = "The token of one activity. Without it, all of the match are meant.";
        operation.header("Activity-Token", false, about);
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ActivityToken {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(header) = parts.headers.get("activity-token") else { return Ok(Self(None)) };
        let token = header.to_str().ok().filter(|text| text.len() <= TOKEN_CHARS_MAX);
        let token = token.and_then(|text| PushToken::new(text).ok());
        token.map(|token| Self(Some(token))).ok_or_else(|| {
            Problem::new(&singlet_web::problem::MALFORMED)
                .detail("the header Activity-Token is not a token")
        })
    }
}
