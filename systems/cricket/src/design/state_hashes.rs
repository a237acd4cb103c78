//! `cricket-state-hashes`: what was last given to be pushed, for each match and team.

use super::{MatchId, TeamId};
use crate::rules::EventKind;
use singlet::prelude::*;

/// The hashes. Only ticks, the push job and reconciliation touch them.
#[table(name = "cricket-state-hashes", key = (matchTeamKey), entities(StateHash))]
pub struct StateHashes;

/// The state of a match from one perspective that was last given to be pushed.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(StateHashes, key = ("{match_id}#{team_id}"), rename_all = "camelCase")]
pub struct StateHash {
    /// The match.
    #[attribute(in_key)]
    pub match_id: MatchId,
    /// The perspective.
    #[attribute(in_key)]
    pub team_id: TeamId,
    /// SHA-256 of the state, in 64 hexadecimal digits.
    pub hash: String,
    /// The fixture's sequence of that state.
    pub sequence: u64,
    /// What happened, if something did.
    pub event_kind: Option<EventKind>,
    /// When it was committed.
    pub pushed_at: Timestamp,
}
