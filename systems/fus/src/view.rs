//! Response types that differ from the stored items: fields hidden, joined or computed.

use crate::design::{
    Comment, CommentId, GroupName, Membership, PlayerId, Profile, Rating, Site, SiteId,
    SquashMatch, UserId,
};
use crate::rules::{Line, Permission, Role, Squash, Standings, Totals, average_tenths};
use singlet::{Date, Timestamp};
use singlet_web::prelude::*;
use std::collections::BTreeMap;

/// The path under which clients find everything.
const ROOT: &str = "/fus/v1";

/// Display name for a user without a profile.
pub(crate) fn stand_in_name(user: &UserId) -> String {
    let start: String = user.as_str().chars().take(6).collect();
    format!("Member {start}")
}

pub(crate) fn display_name(user: &UserId, profile: Option<&Profile>) -> String {
    profile.map_or_else(|| stand_in_name(user), |profile| profile.display_name.clone())
}

/// The last part of a stored key is the name of the file.
fn file_of(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or_default()
}

fn avatar_url(profile: &Profile) -> Option<String> {
    let key = profile.avatar_key.as_deref()?;
    Some(format!("{ROOT}/users/{}/avatar/{}", profile.sub, file_of(key)))
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteView {
    #[serde(flatten)]
    pub site: Site,
    /// The text of its page; only where one site is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scraped_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
    /// With one decimal. Missing without ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// How many ratings gave one star, two stars, and so on.
    pub histogram: [u64; 5],
}

impl SiteView {
    /// A site as lists show it.
    pub fn listed(site: Site) -> Self {
        Self { scraped_content: None, ..Self::whole(site) }
    }

    pub fn whole(site: Site) -> Self {
        let logo = site.logo_key.as_deref().map(file_of);
        let tenths = average_tenths(site.rating_sum, site.rating_count);
        Self {
            logo_url: logo.map(|file| format!("{ROOT}/sites/{}/logo/{file}", site.id)),
            average: tenths.map(|tenths| tenths as f64 / 10.0),
            histogram: site.histogram(),
            scraped_content: Some(site.scraped_content.clone()),
            site,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// Tags that begin with the last word, and the one that is the whole text.
    pub tags: Vec<String>,
    /// Sites that match every word; titles that start with the query come first.
    pub sites: Vec<FoundSite>,
    /// Whether not everything was looked at: type more to narrow the list.
    pub partial: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundSite {
    pub id: SiteId,
    pub title: String,
}

/// A rating, as its author sees it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingView {
    #[serde(flatten)]
    pub rating: Rating,
    pub site_title: String,
}

/// A rating, as any signed-in user sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicRating {
    pub site_id: SiteId,
    pub site_title: String,
    /// 1 to 5.
    pub stars: u8,
    pub updated_at: Timestamp,
    pub user_id: UserId,
    pub display_name: String,
}

/// The removal of a comment by a moderator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Removal {
    pub at: Timestamp,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    pub comment_id: CommentId,
    pub site_id: SiteId,
    pub site_title: String,
    pub user_id: UserId,
    pub display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// Plain text; empty if it was removed.
    pub body: String,
    pub created_at: Timestamp,
    /// When its author last changed it.
    pub updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Removal>,
}

impl CommentView {
    pub(crate) fn new(comment: Comment, site_title: &str, author: Option<&Profile>) -> Self {
        let reason = comment.removed_reason.unwrap_or_default();
        Self {
            display_name: display_name(&comment.id, author),
            avatar_url: author.and_then(avatar_url),
            comment_id: comment.comment_id,
            site_id: comment.site_id,
            site_title: site_title.to_owned(),
            user_id: comment.id,
            body: comment.body,
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            removed: comment.removed_at.map(|at| Removal { at, reason }),
        }
    }
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    pub user_id: UserId,
    pub display_name: String,
    pub added_at: Timestamp,
    pub added_by: UserId,
}

impl MemberView {
    pub(crate) fn new(membership: Membership, profile: Option<&Profile>) -> Self {
        let Membership { user_id, added_at, added_by, .. } = membership;
        Self { display_name: display_name(&user_id, profile), user_id, added_at, added_by }
    }
}

/// A group the user belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembershipView {
    pub name: GroupName,
    pub added_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    #[serde(flatten)]
    pub user: UserView,
    pub roles: Vec<Role>,
    pub permissions: Vec<Permission>,
    pub groups: Vec<GroupName>,
    pub squash: Squash,
}

/// A user's public profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    pub user_id: UserId,
    pub display_name: String,
    pub description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// Visible to the user and to holders of logins.read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_login_at: Option<Timestamp>,
    /// Visible to the user and to holders of logins.read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_login_ip: Option<String>,
}

impl UserView {
    pub(crate) fn new(profile: Profile, with_login: bool) -> Self {
        Self {
            avatar_url: avatar_url(&profile),
            last_login_at: profile.last_login_at.filter(|_| with_login),
            last_login_ip: profile.last_login_ip.filter(|_| with_login),
            user_id: profile.sub,
            display_name: profile.display_name,
            description: profile.description,
        }
    }
}

/// A user in a picker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    pub user_id: UserId,
    pub display_name: String,
}

/// A part of a list of matches, with the names of all players in it, by their ids.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MatchPage {
    #[serde(flatten)]
    pub page: Page<SquashMatch>,
    pub players: BTreeMap<PlayerId, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlayerLine {
    pub id: PlayerId,
    pub name: String,
    #[serde(flatten)]
    pub totals: Totals,
}

/// Standings of a range of days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StandingsView {
    pub from: Date,
    pub to: Date,
    /// How many matches were counted.
    pub matches: usize,
    pub players: Vec<PlayerLine>,
    pub pairs: Vec<Line>,
}

impl StandingsView {
    pub(crate) fn new(from: Date, to: Date, matches: usize, standings: Standings) -> Self {
        let players = standings.players.into_iter().flat_map(|Line { ids, names, totals }| {
            let line = move |(id, name)| PlayerLine { id, name, totals: totals.clone() };
            ids.into_iter().zip(names).map(line)
        });
        Self { from, to, matches, players: players.collect(), pairs: standings.pairs }
    }
}
