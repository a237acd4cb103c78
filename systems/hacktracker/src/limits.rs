//! How many there can be of everything.
//!
//! Lists that are not paged, and statistics, read all of something: these numbers bound them. Each
//! is kept by a condition on a stored count, in the transaction that adds one more, so that it also
//! holds when many are added at the same moment.

/// Teams of a user, PERSONAL and deleted ones included: `teamCount` of the user.
pub const TEAMS_MAX: u32 = 50;
/// PERSONAL teams of a user that are not deleted: `personalCount` of the user.
pub const PERSONAL_TEAMS_MAX: u32 = 10;
/// Players that a user is linked to: `playerCount` of the user.
pub const LINKS_MAX: u32 = 50;
/// Members of a team, inactive ones included: `memberCount` of the team.
pub const MEMBERS_MAX: u32 = 200;
/// Players of a team: `playerCount` of the team.
pub const PLAYERS_MAX: u32 = 100;
/// Open invites of a team. Expired ones go without anybody who counts them, so they are counted when
/// another one is made, on condition that none was made since: `invitesMade` of the team.
pub const INVITES_MAX: usize = 200;
/// Games of a team: `gameCount` of the team.
pub const GAMES_MAX: u32 = 1_000;
pub const GAME_AT_BATS_MAX: usize = 500;
/// At-bats of a player: `atBatCount` of the player.
pub const PLAYER_AT_BATS_MAX: u32 = 10_000;
/// Points of a spray chart. A career has the newest ones.
pub const SPRAY_MAX: usize = 10_000;
