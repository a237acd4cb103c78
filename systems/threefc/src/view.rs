//! Response bodies.
//!
//! Public answers have no user ids and no names of accounts; the fields that hold some are left out
//! unless the caller is an admin of the league.

mod game;
mod league;
mod season;

pub use game::{
    AuditView, EventKind, GameRow, GameView, GoalView, LeagueRef, Message, PlayerRef, SeasonRef,
    SessionRef, TeamView, ThirdScore,
};
pub(crate) use game::{Names, name_of};
pub use league::{
    GrantView, InvitePreview, InviteView, LeagueInfo, LeagueView, MeView, MyLeague, NewInviteView,
};
pub use season::{SeasonView, SessionRow, StandingsView};
