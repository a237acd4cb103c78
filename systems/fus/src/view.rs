//! What clients see. Keys, index attributes, states and tasks never leave the server.

use crate::design::{
    Comment, Group, Membership, Profile, Rating, Side, Site, SquashMatch, SquashPlayer,
};
use crate::design::{PlayerId, UserId};
use crate::rules::{Line, Permission, Role, Squash, Standings, average_tenths};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::{Date, Timestamp};
use std::collections::BTreeMap;

/// The path under which clients find everything.
pub(crate) const ROOT: &str = "/fus/v1";

/// What somebody without a profile is called.
pub(crate) fn stand_in_name(user: &UserId) -> String {
    let start: String = user.as_str().chars().take(6).collect();
    format!("Member {start}")
}

/// The last part of a stored key is the name of the file.
fn file_of(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or_default()
}

pub(crate) fn avatar_url(profile: &Profile) -> Option<String> {
    let key = profile.avatar_key.as_deref()?;
    Some(format!("{ROOT}/users/{}/avatar/{}", profile.sub, file_of(key)))
}

/// A site.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteView {
    /// By which it is found.
    pub id: String,
    /// Its address.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// The text of its page; only where one site is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scraped_content: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Where its logo is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
    /// The average of all ratings, with one decimal. Missing without ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// How many ratings there are.
    pub rating_count: u64,
    /// How many of them gave one star, two stars, and so on.
    pub histogram: [u64; 5],
    /// How many comments there are.
    pub comment_count: u64,
    /// When it was added.
    pub created_at: String,
    /// When an admin last changed it.
    pub updated_at: String,
    /// For If-Match.
    pub version: u64,
}

impl SiteView {
    /// A site as lists show it.
    #[must_use]
    pub fn listed(site: Site) -> Self {
        Self { scraped_content: None, ..Self::whole(site) }
    }

    /// A site by itself.
    #[must_use]
    pub fn whole(site: Site) -> Self {
        let logo = site.logo_key.as_deref().map(file_of);
        let tenths = average_tenths(site.rating_sum, site.rating_count);
        Self {
            logo_url: logo.map(|file| format!("{ROOT}/sites/{}/logo/{file}", site.id)),
            average: tenths.map(|tenths| tenths as f64 / 10.0),
            rating_count: site.rating_count,
            histogram: site.histogram(),
            comment_count: site.comment_count,
            created_at: site.created_at.to_string(),
            updated_at: site.updated_at.to_string(),
            version: site.version,
            id: site.id.to_string(),
            url: site.url,
            title: site.title,
            description: site.description,
            scraped_content: Some(site.scraped_content),
            tags: site.tags,
        }
    }
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TagView {
    /// The tag.
    pub tag: String,
}

/// What was found while somebody types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// Tags that begin with the last word.
    pub tags: Vec<String>,
    /// Sites with all words.
    pub sites: Vec<FoundSite>,
    /// Whether there are more words than were looked at: type more to narrow the list.
    pub partial: bool,
}

/// A site that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundSite {
    /// By which it is found.
    pub id: String,
    /// What it is called.
    pub title: String,
}

/// A rating, as its author sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingView {
    /// The site.
    pub site_id: String,
    /// What it is called.
    pub site_title: String,
    /// One to five.
    pub stars: u8,
    /// For the author alone.
    pub note: String,
    /// When it was last changed.
    pub updated_at: String,
}

impl RatingView {
    pub(crate) fn new(rating: Rating, site: &Site) -> Self {
        Self {
            site_id: rating.site_id.to_string(),
            site_title: site.title.clone(),
            stars: rating.stars,
            note: rating.note,
            updated_at: rating.updated_at.to_string(),
        }
    }
}

/// A rating, as everybody who has signed in sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicRating {
    /// The site.
    pub site_id: String,
    /// What it is called.
    pub site_title: String,
    /// One to five.
    pub stars: u8,
    /// When it was last changed.
    pub updated_at: String,
    /// Who rated.
    pub user_id: String,
    /// What they are called.
    pub display_name: String,
}

/// That a moderator has removed a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Removal {
    /// When.
    pub at: String,
    /// Why.
    pub reason: String,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    /// By which it is found.
    pub comment_id: String,
    /// The site.
    pub site_id: String,
    /// What it is called.
    pub site_title: String,
    /// Who wrote it.
    pub user_id: String,
    /// What they are called.
    pub display_name: String,
    /// Where their picture is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// Plain text; empty if it was removed.
    pub body: String,
    /// When it was written.
    pub created_at: String,
    /// When its author last changed it.
    pub updated_at: String,
    /// Set if a moderator has removed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Removal>,
}

impl CommentView {
    pub(crate) fn new(comment: Comment, site_title: &str, author: Option<&Profile>) -> Self {
        let removed = comment.removed_at.map(|at| Removal {
            at: at.to_string(),
            reason: comment.removed_reason.unwrap_or_default(),
        });
        Self {
            display_name: display_name(&comment.id, author),
            avatar_url: author.and_then(avatar_url),
            comment_id: comment.comment_id.to_string(),
            site_id: comment.site_id.to_string(),
            site_title: site_title.to_owned(),
            user_id: comment.id.to_string(),
            body: comment.body,
            created_at: comment.created_at.to_string(),
            updated_at: comment.updated_at.to_string(),
            removed,
        }
    }
}

/// What somebody is called.
pub(crate) fn display_name(user: &UserId, profile: Option<&Profile>) -> String {
    profile.map_or_else(|| stand_in_name(user), |profile| profile.display_name.clone())
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupView {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What its members may do.
    pub permissions: Vec<Permission>,
    /// How many members it has.
    pub member_count: u64,
    /// When it was made.
    pub created_at: String,
    /// When an admin last changed it.
    pub updated_at: String,
    /// For If-Match.
    pub version: u64,
}

impl From<Group> for GroupView {
    fn from(group: Group) -> Self {
        let permissions = group.permissions.iter();
        Self {
            permissions: permissions.filter_map(|text| Permission::parse(text)).collect(),
            name: group.name.to_string(),
            description: group.description,
            member_count: group.member_count,
            created_at: group.created_at.to_string(),
            updated_at: group.updated_at.to_string(),
            version: group.version,
        }
    }
}

/// Somebody in a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    /// The member.
    pub user_id: String,
    /// What they are called.
    pub display_name: String,
    /// Since when.
    pub added_at: String,
    /// By whom.
    pub added_by: String,
}

impl MemberView {
    pub(crate) fn new(membership: &Membership, profile: Option<&Profile>) -> Self {
        Self {
            user_id: membership.user_id.to_string(),
            display_name: display_name(&membership.user_id, profile),
            added_at: membership.added_at.to_string(),
            added_by: membership.added_by.to_string(),
        }
    }
}

/// A group that somebody is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembershipView {
    /// The group.
    pub name: String,
    /// Since when.
    pub added_at: String,
}

/// The caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    /// The subject of the token.
    pub user_id: String,
    /// What others call them.
    pub display_name: String,
    /// What they say about themselves.
    pub description: String,
    /// Where their picture is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// When they last signed in.
    pub last_login_at: Option<String>,
    /// From which address.
    pub last_login_ip: Option<String>,
    /// What the issuer of tokens says about them.
    pub roles: Vec<Role>,
    /// What they may do.
    pub permissions: Vec<Permission>,
    /// The groups that they are in.
    pub groups: Vec<String>,
    /// What they may do in the squash club.
    pub squash: Squash,
}

/// Somebody, as everybody sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    /// Who it is.
    pub user_id: String,
    /// What others call them.
    pub display_name: String,
    /// What they say about themselves.
    pub description: String,
    /// Where their picture is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// When they last signed in: for themselves, and for those with logins.read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_login_at: Option<String>,
    /// From which address, for the same people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_login_ip: Option<String>,
}

impl UserView {
    pub(crate) fn new(profile: Profile, with_login: bool) -> Self {
        let at = profile.last_login_at.filter(|_| with_login);
        Self {
            avatar_url: avatar_url(&profile),
            last_login_at: at.map(|at: Timestamp| at.to_string()),
            last_login_ip: profile.last_login_ip.filter(|_| with_login),
            user_id: profile.sub.to_string(),
            display_name: profile.display_name,
            description: profile.description,
        }
    }
}

/// Somebody in a list to pick from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    /// Who it is.
    pub user_id: String,
    /// What others call them.
    pub display_name: String,
}

/// A player of the squash club.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerView {
    /// By which matches name them.
    pub id: String,
    /// What they are called.
    pub name: String,
    /// For those who manage the club.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Their account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// How many matches name them.
    pub match_count: u64,
    /// For If-Match.
    pub version: u64,
}

impl PlayerView {
    pub(crate) fn new(player: SquashPlayer, with_email: bool) -> Self {
        Self {
            id: player.id.to_string(),
            name: player.name,
            email: player.email.filter(|_| with_email),
            user_id: player.user_id.map(|user| user.to_string()),
            match_count: player.match_count,
            version: player.version,
        }
    }
}

/// A match of the squash club.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchView {
    /// By which it is found.
    pub match_id: String,
    /// The day.
    pub date: String,
    /// The first player of A.
    #[serde(rename = "teamAPlayer1Id")]
    pub team_a_player_1_id: String,
    /// The second player of A.
    #[serde(rename = "teamAPlayer2Id")]
    pub team_a_player_2_id: String,
    /// The first player of B.
    #[serde(rename = "teamBPlayer1Id")]
    pub team_b_player_1_id: String,
    /// The second player of B.
    #[serde(rename = "teamBPlayer2Id")]
    pub team_b_player_2_id: String,
    /// Games of A.
    #[serde(rename = "teamAGames")]
    pub team_a_games: u8,
    /// Games of B.
    #[serde(rename = "teamBGames")]
    pub team_b_games: u8,
    /// The pair with three games.
    pub winning_team: Side,
    /// For If-Match.
    pub version: u64,
}

impl From<SquashMatch> for MatchView {
    fn from(stored: SquashMatch) -> Self {
        Self {
            match_id: stored.match_id.to_string(),
            date: stored.date.to_string(),
            team_a_player_1_id: stored.team_a_player_1_id.to_string(),
            team_a_player_2_id: stored.team_a_player_2_id.to_string(),
            team_b_player_1_id: stored.team_b_player_1_id.to_string(),
            team_b_player_2_id: stored.team_b_player_2_id.to_string(),
            team_a_games: stored.team_a_games,
            team_b_games: stored.team_b_games,
            winning_team: stored.winning_team,
            version: stored.version,
        }
    }
}

/// A part of a list of matches, with the names of all players in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchPage {
    /// The matches.
    pub items: Vec<MatchView>,
    /// Pass this as `cursor` to get the next part.
    pub next: Option<String>,
    /// The names of players, by their ids.
    pub players: BTreeMap<String, String>,
}

/// One match of a player or a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormView {
    /// The day.
    pub date: String,
    /// The match.
    pub match_id: String,
    /// Games won less games lost: above zero for a win.
    pub margin: i32,
}

/// The numbers of a player or a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The place.
    pub rank: usize,
    /// Matches.
    pub played: u32,
    /// Matches won.
    pub won: u32,
    /// Matches lost.
    pub lost: u32,
    /// Games won.
    pub games_for: u32,
    /// Games lost.
    pub games_against: u32,
    /// The last ten matches, the oldest first.
    pub form: Vec<FormView>,
}

impl From<&Line> for Totals {
    fn from(line: &Line) -> Self {
        let form = line.form.iter().map(|form| FormView {
            date: form.date.to_string(),
            match_id: form.match_id.to_string(),
            margin: form.margin,
        });
        Self {
            form: form.collect(),
            rank: line.rank,
            played: line.played,
            won: line.won,
            lost: line.lost,
            games_for: line.games_for,
            games_against: line.games_against,
        }
    }
}

/// A player's line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlayerLine {
    /// The player.
    pub id: String,
    /// What they are called.
    pub name: String,
    /// Place, matches, games and form.
    #[serde(flatten)]
    pub numbers: Totals,
}

/// A pair's line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PairLine {
    /// The two players.
    pub ids: Vec<String>,
    /// What they are called.
    pub names: Vec<String>,
    /// Place, matches, games and form.
    #[serde(flatten)]
    pub numbers: Totals,
}

/// Standings of a range of days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StandingsView {
    /// The first day.
    pub from: String,
    /// The last day.
    pub to: String,
    /// How many matches were counted.
    pub matches: usize,
    /// Of players.
    pub players: Vec<PlayerLine>,
    /// Of pairs.
    pub pairs: Vec<PairLine>,
}

impl StandingsView {
    pub(crate) fn new(from: Date, to: Date, matches: usize, standings: &Standings) -> Self {
        let texts = |ids: &[PlayerId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let players = standings.players.iter().map(|line| PlayerLine {
            id: texts(&line.ids).concat(),
            name: line.names.concat(),
            numbers: line.into(),
        });
        let pairs = standings.pairs.iter().map(|line| PairLine {
            ids: texts(&line.ids),
            names: line.names.clone(),
            numbers: line.into(),
        });
        Self {
            from: from.to_string(),
            to: to.to_string(),
            matches,
            players: players.collect(),
            pairs: pairs.collect(),
        }
    }
}
