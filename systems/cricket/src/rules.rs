//! The game as pure functions: no clock, no randomness, no store.
//!
//! A snapshot of the feed is read by [`read_facts`]; [`advance`] says which event it brings and how
//! far the balls are processed; a [`MatchView`] of both is shown by [`display`], [`scorecard`],
//! [`charts`] and [`ball_line`].
//!
//! - `types`: formats, phases, innings, results, events, as they are stored.
//! - `delivery`: one ball, read from the feed's score, kept as one line of text.
//! - `figures`: batters, bowlers, who is on strike. `rates`: overs, rates, projections.
//! - `score`: the score of an innings. `result`: targets and results.
//! - `facts`: a snapshot, read. `events`: which events fire. `view`, `display`, `scorecard`.

mod delivery;
mod display;
mod events;
mod facts;
mod figures;
mod rates;
mod result;
mod score;
mod scorecard;
mod types;
mod view;

pub use delivery::{Delivery, NotADelivery, Wicket, WicketKind};
pub use display::{
    DisplayBatter, DisplayBowler, DisplayEvent, DisplayState, DisplayTeam, Mood, NEUTRAL, display,
    event_title, headline, mood, shows_the_same, toss_text,
};
pub use events::{Advanced, CONFIRMING, Progress, advance};
pub use facts::{Facts, StoredMatch, Tables, read_facts, toss};
pub use figures::{
    Batter, Bowler, Crease, Players, batters, bowlers, crease, how_out, of_innings, player_name,
    short_name,
};
pub use rates::{balls_of, net_balls, net_run_rate, overs_text, projected, run_rate, strike_rate};
pub use result::{is_complete, own_result, result, target};
pub use score::{innings_scores, score_text, total_of};
pub use scorecard::{
    BallLine, BattingLine, BowlingLine, Extras, FallLine, InningsCard, InningsChart, OverBar,
    ball_line, charts, scorecard,
};
pub use types::{
    Elected, EventKind, Format, InningsScore, LastEvent, MatchResult, Phase, ResultKind, Target,
    TeamLabel, Toss,
};
pub use view::MatchView;
