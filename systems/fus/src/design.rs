//! The table: sites with tags, ratings and comments; groups and profiles; the squash club.
//!
//! Keys and indexes follow the source, with the additions in docs/systems/fus.md. Every index
//! projects whole items. `entity_type` is missing while a site or group is sealed; without it the
//! item has no `entitySk` and appears in no list.

mod accepted;

pub use accepted::accepted;

use crate::rules::Permission;
use singlet::prelude::*;
use singlet_web::prelude::*;

// Server-made ids are UUIDv7, so items sort by creation time. A user's id is the token's subject.
id!(SiteId, UserId, CommentId, PlayerId, MatchId, TaskId);
id! {
    /// Lower case letters, digits, `-`, `+` and `.`.
    TagName,
    /// As it was typed.
    GroupName,
    /// In lower case.
    FoldedName,
    Word,
    /// The first two characters of a word.
    WordStart,
}

#[table(
    name = "fus-main",
    elsewhere = "fus-{env}",
    key = (PK, SK),
    index(
        byEntity = (entityType, entitySk),
        byTag = (tag, siteId),
        byStars = (starRating: N, siteId),
        byGroup = (groupName, userId),
        bySquashDate = (squashDate, matchId),
        bySite = (siteId, commentSk)
    ),
    entities(
        Site, SiteTag, SiteWord, Rating, Comment, Group, GroupClaim, Membership, Profile,
        SquashPlayer, SquashMatch, Participation, Tag, Task
    )
)]
pub struct Fus;

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteList {
    #[attribute(rename = "SITE")]
    Site,
}

/// A live site has no state.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum SiteState {
    /// Its tags exceed one transaction and are not all stored yet.
    Creating,
    /// Hidden from all readers; its ratings and comments are being deleted.
    Deleting,
}

#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Fus,
    key = ("SITE#{id}", "METADATA"),
    byEntity all = ("{entity_type}", "SITE#{id}") when entity_type = "SITE",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Site {
    #[attribute(in_key)]
    pub id: SiteId,
    /// Missing while the site has a state, which hides it from lists.
    #[serde(skip)]
    pub entity_type: Option<SiteList>,
    pub url: String,
    pub title: String,
    pub description: String,
    /// Pasted by an admin. Nothing is ever fetched.
    #[serde(skip)]
    pub scraped_content: String,
    /// Authoritative; tag items are only an index.
    pub tags: Vec<String>,
    #[serde(skip)]
    pub logo_key: Option<String>,
    #[serde(skip)]
    pub rating_sum: u64,
    pub rating_count: u64,
    #[attribute(rename = "stars1")]
    #[serde(skip)]
    pub stars_1: u64,
    #[attribute(rename = "stars2")]
    #[serde(skip)]
    pub stars_2: u64,
    #[attribute(rename = "stars3")]
    #[serde(skip)]
    pub stars_3: u64,
    #[attribute(rename = "stars4")]
    #[serde(skip)]
    pub stars_4: u64,
    #[attribute(rename = "stars5")]
    #[serde(skip)]
    pub stars_5: u64,
    /// Includes removed comments.
    pub comment_count: u64,
    /// For If-Match: incremented by admins' changes, not by ratings or comments.
    pub version: u64,
    #[serde(skip)]
    pub state: Option<SiteState>,
    /// While set, only this task changes the site.
    #[serde(skip)]
    pub task_id: Option<TaskId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Site {
    pub fn is_live(&self) -> bool {
        self.state.is_none()
    }

    /// How many ratings gave one star, two stars, and so on.
    pub fn histogram(&self) -> [u64; 5] {
        [self.stars_1, self.stars_2, self.stars_3, self.stars_4, self.stars_5]
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Fus, key = ("SITE#{id}", "TAG#{tag}"), byTag with_tag = ("{tag}", "SITE#{id}"))]
pub struct SiteTag {
    #[attribute(in_key)]
    pub id: SiteId,
    pub tag: TagName,
}

/// One item per word of a site, for search.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SITE#{id}", "WORD#{word}"),
    byEntity beginning_with = ("WORD#{start}", "{word}#{id}"),
    rename_all = "camelCase"
)]
pub struct SiteWord {
    #[attribute(in_key)]
    pub id: SiteId,
    #[attribute(in_key)]
    pub word: Word,
    /// Spreads the words over many partitions.
    #[attribute(in_key)]
    pub start: WordStart,
    /// A copy, so that a search needs no second read.
    pub title: String,
    /// All words of the site.
    pub words: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Fus,
    key = ("USER#{id}", "SITE#{site_id}"),
    byStars with_stars = ("{stars}", "SITE#{site_id}"),
    byEntity of_user = ("RATING#{id}", "{updated_at}#{site_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Rating {
    #[attribute(in_key)]
    #[serde(skip)]
    pub id: UserId,
    #[attribute(in_key)]
    pub site_id: SiteId,
    /// 1 to 5.
    pub stars: u8,
    /// Visible to its author only.
    pub note: String,
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("USER#{id}", "SITE#{site_id}#COMMENT#{comment_id}"),
    bySite of_site = ("SITE#{site_id}", "COMMENT#{comment_id}"),
    byEntity of_user = ("COMMENT#{id}", "{comment_id}"),
    rename_all = "camelCase"
)]
pub struct Comment {
    #[attribute(in_key)]
    pub id: UserId,
    #[attribute(in_key)]
    pub site_id: SiteId,
    #[attribute(in_key)]
    pub comment_id: CommentId,
    /// Empty once a moderator has removed it.
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub removed_at: Option<Timestamp>,
    pub removed_by: Option<UserId>,
    pub removed_reason: Option<String>,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupList {
    #[attribute(rename = "GROUP")]
    Group,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum GroupState {
    /// Its permissions no longer apply; its memberships are being deleted.
    Deleting,
}

#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Fus,
    key = ("GROUP#{name}", "METADATA"),
    byEntity all = ("{entity_type}", "GROUP#{name}") when entity_type = "GROUP",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    pub name: GroupName,
    /// Missing while the group has a state.
    #[serde(skip)]
    pub entity_type: Option<GroupList>,
    pub description: String,
    pub permissions: Vec<Permission>,
    pub member_count: u64,
    /// For If-Match.
    pub version: u64,
    #[serde(skip)]
    pub state: Option<GroupState>,
    #[serde(skip)]
    pub task_id: Option<TaskId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Reserves a group's name case-insensitively, so that "moderators" cannot impersonate
/// "Moderators".
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Fus, key = ("GROUPNAME#{folded}", "METADATA"))]
pub struct GroupClaim {
    #[attribute(in_key)]
    pub folded: FoldedName,
    pub name: GroupName,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key groups_of = ("USER#{user_id}", "MEMBERSHIP#{group_name}"),
    byGroup members_of = ("{group_name}", "{user_id}"),
    rename_all = "camelCase"
)]
pub struct Membership {
    pub group_name: GroupName,
    pub user_id: UserId,
    pub added_at: Timestamp,
    pub added_by: UserId,
}

/// Characters of a folded name that are searchable.
const SEARCHED_CHARS_MAX: usize = 100;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("USER#{sub}", "PROFILE"),
    byEntity people = ("PROFILE", "{entity_sk}"),
    rename_all = "camelCase"
)]
pub struct Profile {
    #[attribute(in_key)]
    pub sub: UserId,
    /// See [`Profile::sort_key`].
    pub entity_sk: String,
    pub display_name: String,
    pub description: String,
    pub avatar_key: Option<String>,
    /// The player linked to this account, at most one.
    pub player_id: Option<PlayerId>,
    pub updated_at: Timestamp,
    pub group_count: u64,
    pub last_login_at: Option<Timestamp>,
    pub last_login_ip: Option<String>,
}

impl Profile {
    /// Sort key in the list of people.
    pub fn sort_key(display_name: &str, sub: &UserId) -> String {
        format!("{}#{sub}", Self::searched_name(display_name))
    }

    /// A name or prefix, folded for search. Folding can turn one character into 18 and a sort key
    /// holds 1,024 bytes, so long names are truncated.
    pub fn searched_name(text: &str) -> String {
        // `#` is the key delimiter.
        let folded = crate::rules::fold(text).replace('#', " ");
        folded.chars().take(SEARCHED_CHARS_MAX).collect()
    }
}

/// Most players have no account.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Fus,
    key = ("SQUASH#PLAYER#{id}", "METADATA"),
    byEntity all = ("SQUASH_PLAYER", "SQUASH#PLAYER#{id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct SquashPlayer {
    #[attribute(in_key)]
    pub id: PlayerId,
    pub name: String,
    /// Shown to managers of the club only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Their account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// Number of matches with this player. A player can be deleted only at zero.
    pub match_count: u64,
    /// For If-Match.
    pub version: u64,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Side {
    A,
    B,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchList {
    #[attribute(rename = "SQUASH_MATCH")]
    SquashMatch,
}

/// Sorted by date, so that a date range is one Query.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Fus,
    key = ("SQUASH#MATCH#{match_id}", "METADATA"),
    byEntity by_date = ("{entity_type}", "{date}#{match_id}"),
    bySquashDate on_day = ("{date}", "{match_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct SquashMatch {
    pub match_id: MatchId,
    /// Constant: the filter of a day's query uses it to tell matches from participations.
    #[serde(skip)]
    pub entity_type: MatchList,
    pub date: Date,
    #[attribute(rename = "teamAPlayer1Id")]
    pub team_a_player_1_id: PlayerId,
    #[attribute(rename = "teamAPlayer2Id")]
    pub team_a_player_2_id: PlayerId,
    #[attribute(rename = "teamBPlayer1Id")]
    pub team_b_player_1_id: PlayerId,
    #[attribute(rename = "teamBPlayer2Id")]
    pub team_b_player_2_id: PlayerId,
    /// The pair with three games.
    pub winning_team: Side,
    pub team_a_games: u8,
    pub team_b_games: u8,
    /// For If-Match.
    pub version: u64,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl SquashMatch {
    /// The four players: A's, then B's.
    pub fn players(&self) -> [&PlayerId; 4] {
        [
            &self.team_a_player_1_id,
            &self.team_a_player_2_id,
            &self.team_b_player_1_id,
            &self.team_b_player_2_id,
        ]
    }
}

/// One per player of a match. Its attributes also put it into bySquashDate, as in the source; no
/// query needs it there.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key matches_of = ("SQUASH#PLAYER#{player_id}", "MATCH#{match_id}"),
    rename_all = "camelCase"
)]
pub struct Participation {
    #[attribute(in_key)]
    pub player_id: PlayerId,
    pub match_id: MatchId,
    pub squash_date: Date,
}

/// A tag that a site has, or had a while ago.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Fus,
    key = ("TAG#{tag}", "METADATA"),
    byEntity all = ("TAG", "TAG#{tag}"),
    rename_all = "camelCase"
)]
pub struct Tag {
    #[attribute(in_key)]
    pub tag: TagName,
    #[serde(skip)]
    pub last_used_at: Timestamp,
    /// The site that last claimed it. That site's change may not be stored yet.
    #[serde(skip)]
    pub last_used_by: SiteId,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "camelCase")]
pub enum TaskKind {
    SiteChange,
    SiteDelete,
    GroupDelete,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum Phase {
    /// New tags are being stored; readers still see the old ones.
    Add,
    /// The switch is committed; old tags are being deleted.
    Remove,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub struct Content {
    pub url: String,
    pub title: String,
    pub description: String,
    pub scraped_content: String,
    pub tags: Vec<String>,
}

/// A site's complete new content, and the tags to add and remove. Empty for deletions.
#[derive(Attribute, Clone, Debug, Default, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub struct Payload {
    pub content: Option<Content>,
    pub add: Option<Vec<String>>,
    pub remove: Option<Vec<String>>,
}

/// A multi-step procedure whose steps are idempotent.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("TASK#{task_id}", "METADATA"),
    byEntity due = ("TASK", "{next_at}#{task_id}"),
    rename_all = "camelCase"
)]
pub struct Task {
    #[attribute(in_key)]
    pub task_id: TaskId,
    pub kind: TaskKind,
    /// Partition key of the item it works on.
    pub target: String,
    pub phase: Phase,
    pub payload: Payload,
    pub attempts: u32,
    pub next_at: Timestamp,
    pub last_error: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
