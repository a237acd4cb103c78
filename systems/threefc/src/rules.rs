//! The rules of the game: pure functions, without clock, randomness or storage.

mod goal;
mod leaderboards;
mod minute;
mod result;
mod standings;
mod tally;
mod thirds;

pub use goal::{RosterTeams, check_fields, check_goal, latest, score_of};
pub use leaderboards::{BOARD_LEN_MAX, BoardEntry, BoardValue, Boards, boards};
pub use minute::{
    MINUTE_MAX, Timing, WhenScored, check_timing, display_time, minute_by_clock, when_scored,
};
pub use result::result_of;
pub use standings::{StandingRow, standings};
pub use tally::{PlayerTally, Tally, TeamTally, tally};
pub use thirds::{correct_third, end_running_third, finish_third, new_thirds, start_third};
