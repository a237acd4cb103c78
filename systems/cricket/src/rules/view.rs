//! One match with all that a display, a scorecard or a chart is made of.

use super::delivery::Delivery;
use super::facts::{Facts, StoredMatch, Tables};
use super::figures::Players;
use super::types::{Format, InningsScore, LastEvent, MatchResult, Phase, Target, TeamLabel, Toss};

/// A match as displays, scorecards and charts read it.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchView {
    /// The match.
    pub match_id: String,
    /// The league's code.
    pub league: String,
    /// Its format.
    pub format: Format,
    /// Where it stands.
    pub phase: Phase,
    /// The feed's own text for that.
    pub status: String,
    /// The day, in matches of several days.
    pub day: Option<u32>,
    /// The home side.
    pub home: TeamLabel,
    /// The away side.
    pub away: TeamLabel,
    /// The toss.
    pub toss: Option<Toss>,
    /// The innings.
    pub innings: Vec<InningsScore>,
    /// What the side that bats last has to reach.
    pub target: Option<Target>,
    /// The result.
    pub result: Option<MatchResult>,
    /// All deliveries.
    pub deliveries: Vec<Delivery>,
    /// Short names.
    pub players: Players,
    /// What has just happened.
    pub last_event: Option<LastEvent>,
    /// The feed's own figures, for matches without balls.
    pub tables: Tables,
}

impl MatchView {
    /// The view of a snapshot.
    #[must_use]
    pub fn new(known: &StoredMatch, facts: &Facts, last_event: Option<LastEvent>) -> Self {
        Self {
            match_id: known.match_id.clone(),
            league: known.league.clone(),
            format: known.format,
            phase: facts.phase,
            status: facts.status.clone(),
            day: facts.day,
            home: known.home.clone(),
            away: known.away.clone(),
            toss: facts.toss.clone(),
            innings: facts.innings.clone(),
            target: facts.target.clone(),
            result: facts.result.clone(),
            deliveries: facts.deliveries.clone(),
            players: facts.players.clone(),
            last_event,
            tables: facts.tables.clone(),
        }
    }

    /// The innings in play, or the last one.
    #[must_use]
    pub fn current(&self) -> Option<&InningsScore> {
        self.innings.last()
    }

    /// The team with this id; the home side if there is none.
    #[must_use]
    pub fn team(&self, id: &str) -> &TeamLabel {
        if self.away.id == id { &self.away } else { &self.home }
    }

    /// The side that does not bat in this innings.
    #[must_use]
    pub fn other(&self, id: &str) -> &TeamLabel {
        if self.home.id == id { &self.away } else { &self.home }
    }
}
