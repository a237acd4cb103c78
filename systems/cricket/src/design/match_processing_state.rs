//! `match-processing-state`: how far the balls of a match are processed.

use super::{BallId, MatchId, TeamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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

/// The event that a display shows.
#[derive(Attribute, Clone, Debug, PartialEq, Eq)]
#[attribute(rename_all = "camelCase")]
pub struct LastEvent {
    /// What happened.
    pub kind: EventKind,
    /// What happened, in words, as in "L. Moyo c A. Mensah b T. Okafor 21 (14)".
    pub text: String,
    /// The label of its delivery, such as `12.5`; missing for changes of phase.
    pub ball: Option<String>,
    /// The innings.
    pub innings: u32,
    /// The side for which it is good; missing if it is good for neither.
    pub good_for: Option<TeamId>,
    /// How many deliveries there were when it happened.
    pub deliveries: u32,
}

/// What can happen in a match that is worth a message.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum EventKind {
    /// The result is settled.
    MatchEnd,
    /// An innings is complete.
    InningsEnd,
    /// A bowler's wickets in three successive deliveries of his.
    HatTrick,
    /// A batter passes 100, 200 or 300.
    Hundred,
    /// A bowler's fifth wicket of an innings.
    FiveWickets,
    /// A wicket.
    Wicket,
    /// A batter passes 50.
    Fifty,
    /// Play stopped.
    Stopped,
    /// Play resumed.
    Resumed,
    /// A six.
    Six,
    /// A four.
    Four,
    /// A maiden over.
    Maiden,
}
