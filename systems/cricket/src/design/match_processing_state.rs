//! `match-processing-state`: how far the balls of a match are processed.

use super::{BallId, MatchId};
use crate::rules::LastEvent;
use singlet::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// How far ticks have come. Written in the transaction of the tick.
#[table(
    name = "match-processing-state",
    key = (matchId),
    ttl = expiresAt,
    stream,
    entities(ProcessingState)
)]
pub struct MatchProcessingState;

/// How far the balls of a match are processed.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(MatchProcessingState, key = ("{match_id}"), rename_all = "camelCase")]
pub struct ProcessingState {
    /// The match.
    pub match_id: MatchId,
    /// The last ball whose events were considered; missing before the first.
    pub last_processed_ball: Option<BallId>,
    /// All deliveries, one text each: at most [`ProcessingState::BALLS_MAX`].
    #[attribute(default)]
    pub ball_by_ball: Vec<String>,
    /// The short names of the players.
    #[attribute(default)]
    pub players: BTreeMap<String, String>,
    /// The event that is shown for some deliveries.
    pub last_event: Option<LastEvent>,
    /// The keys of events that fire once.
    #[attribute(default)]
    pub fired: Vec<String>,
    /// When events with a cooldown last fired, in epoch milliseconds of feed time.
    #[attribute(default)]
    pub cooldowns: BTreeMap<String, i64>,
    /// The fixture's sequence of this state.
    pub sequence: u64,
    /// Seven days later.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

impl ProcessingState {
    /// How many deliveries are kept: 230 KB, more than a Test can have.
    pub const BALLS_MAX: usize = 3_500;
    /// How long a state is kept.
    pub const KEPT: Duration = Duration::from_hours(7 * 24);
}
