//! The game as pure functions: no clock, no randomness, no store.
//!
//! A snapshot of the feed is read by [`read_facts`]; [`advance`] finds the event in it and the new
//! progress; a [`MatchView`] of both is shown by [`display`], [`scorecard`],
//! [`charts`] and [`ball_line`].
//!
//! - `types`: formats, phases, innings, results, events, as they are stored.
//! - `delivery`: one ball, read from the feed's score, kept as one line of text.
//! - `figures`: batters, bowlers, who is on strike. `rates`: overs, rates, projections.
//! - `score`: the score of an innings. `result`: targets and results.
//! - `facts`: a snapshot, read. `events`: which events fire. `display`, `scorecard`: views.

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

pub use delivery::{Delivery, Wicket, WicketKind};
pub use display::{
    DisplayBatter, DisplayBowler, DisplayEvent, DisplayState, DisplayTeam, Mood, display,
    event_title, headline, mood, toss_text,
};
pub use events::{Advanced, CONFIRMING, advance};
pub use facts::{Facts, MatchView, Tables, day_by_clock, read_facts, toss};
pub use figures::{
    Batter, Bowler, Extras, Figures, Players, how_out, of_innings, player_name, short_name,
};
pub use rates::{balls_of, net_run_rate, overs_text, projected, run_rate, strike_rate};
pub use result::{is_complete, own_result, result, target};
pub use score::{innings_scores, score_text, total_of};
pub use scorecard::{
    BallLine, BattingLine, BowlingLine, FallLine, InningsCard, InningsChart, OverBar, ball_line,
    charts, scorecard,
};
pub use types::{
    Elected, EventKind, Format, InningsScore, LastEvent, MatchResult, Phase, ResultKind, Target,
    TeamLabel, Toss,
};
