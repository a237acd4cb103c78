//! The table: sites with tags, ratings and comments; groups and profiles; the squash club.
//!
//! As the source shows it, with what docs/systems/fus.md adds. Every index holds whole items.
//!
//! Where an index attribute is written by the program and not made of other fields, it is a field
//! itself: `entity_type` of a site and of a group is missing while the item is sealed. Then it has
//! no `entitySk` either, and is in no list.

use singlet::prelude::*;

id! {
    /// A site of the catalogue. UUIDv7, so sites sort by when they were added.
    SiteId,
    /// Somebody who signs in: the subject of their token.
    UserId,
    /// A comment. UUIDv7.
    CommentId,
    /// A tag: small letters, digits, `-`, `+` and `.`.
    TagName,
    /// The name of a group, as it was typed.
    GroupName,
    /// A player of the squash club. UUIDv7.
    PlayerId,
    /// A match of the squash club. UUIDv7.
    MatchId,
    /// Work that is done in several steps. UUIDv7.
    TaskId,
    /// A word by which sites are found.
    Word,
    /// The first two characters of a word.
    WordStart,
}

/// The one table.
#[table(
    name = "fus-{env}",
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
        Site, SiteTag, SiteWord, Rating, Comment, Group, Membership, Profile, SquashPlayer,
        SquashMatch, Participation, Tag, Task
    )
)]
pub struct Fus;

/// The list of all sites that are there for everybody.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteList {
    /// A site.
    #[attribute(rename = "SITE")]
    Site,
}

/// What is being done to a site. One that is there for everybody has no state.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum SiteState {
    /// It has more tags than a transaction has room for, and not all are stored.
    Creating,
    /// It is gone for everybody; its ratings and comments follow.
    Deleting,
}

/// A site of the catalogue.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SITE#{id}", "METADATA"),
    byEntity all = ("{entity_type}", "SITE#{id}") when entity_type = "SITE",
    rename_all = "camelCase"
)]
pub struct Site {
    /// By which it is found.
    #[attribute(in_key)]
    pub id: SiteId,
    /// Missing while it has a state: then no list shows it.
    pub entity_type: Option<SiteList>,
    /// Its address: http or https.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// The text of its page, pasted by an admin. Nothing is ever fetched.
    pub scraped_content: String,
    /// Its tags. They decide; the items of tags only lead here.
    pub tags: Vec<String>,
    /// Where its logo is stored.
    pub logo_key: Option<String>,
    /// The sum of all ratings.
    pub rating_sum: u64,
    /// How many ratings there are.
    pub rating_count: u64,
    /// How many of them gave one star.
    #[attribute(rename = "stars1")]
    pub stars_1: u64,
    /// How many of them gave two stars.
    #[attribute(rename = "stars2")]
    pub stars_2: u64,
    /// How many of them gave three stars.
    #[attribute(rename = "stars3")]
    pub stars_3: u64,
    /// How many of them gave four stars.
    #[attribute(rename = "stars4")]
    pub stars_4: u64,
    /// How many of them gave five stars.
    #[attribute(rename = "stars5")]
    pub stars_5: u64,
    /// How many comments there are, removed ones included.
    pub comment_count: u64,
    /// Counts the changes that admins make. Ratings and comments do not change it.
    pub version: u64,
    /// What is being done to it.
    pub state: Option<SiteState>,
    /// The task that does it. While there is one, nobody else changes the site.
    pub task_id: Option<TaskId>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When an admin last changed it.
    pub updated_at: Timestamp,
}

impl Site {
    /// Whether it is there for everybody.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.state.is_none()
    }

    /// How many ratings gave one star, two stars, and so on.
    #[must_use]
    pub fn histogram(&self) -> [u64; 5] {
        [self.stars_1, self.stars_2, self.stars_3, self.stars_4, self.stars_5]
    }
}

/// One for each tag of a site.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Fus, key = ("SITE#{id}", "TAG#{tag}"), byTag with_tag = ("{tag}", "SITE#{id}"))]
pub struct SiteTag {
    /// The site.
    #[attribute(in_key)]
    pub id: SiteId,
    /// The tag.
    pub tag: TagName,
}

/// One for each word by which a site is found.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SITE#{id}", "WORD#{word}"),
    byEntity beginning_with = ("WORD#{start}", "{word}#{id}"),
    rename_all = "camelCase"
)]
pub struct SiteWord {
    /// The site.
    #[attribute(in_key)]
    pub id: SiteId,
    /// The word.
    #[attribute(in_key)]
    pub word: Word,
    /// The first two characters of the word, so that all words are in many partitions.
    #[attribute(in_key)]
    pub start: WordStart,
    /// The title of the site, so that a search reads nothing else.
    pub title: String,
    /// All words of the site.
    pub words: Vec<String>,
}

/// What somebody thinks of a site.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("USER#{id}", "SITE#{site_id}"),
    byStars with_stars = ("{stars}", "SITE#{site_id}"),
    byEntity of_user = ("RATING#{id}", "{updated_at}#{site_id}"),
    rename_all = "camelCase"
)]
pub struct Rating {
    /// Who rated.
    #[attribute(in_key)]
    pub id: UserId,
    /// The site.
    #[attribute(in_key)]
    pub site_id: SiteId,
    /// One to five.
    pub stars: u8,
    /// For the author alone.
    pub note: String,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What somebody wrote about a site.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("USER#{id}", "SITE#{site_id}#COMMENT#{comment_id}"),
    bySite of_site = ("SITE#{site_id}", "COMMENT#{comment_id}"),
    byEntity of_user = ("COMMENT#{id}", "{comment_id}"),
    rename_all = "camelCase"
)]
pub struct Comment {
    /// Who wrote it.
    #[attribute(in_key)]
    pub id: UserId,
    /// The site.
    #[attribute(in_key)]
    pub site_id: SiteId,
    /// By which it is found. Comments sort by it.
    #[attribute(in_key)]
    pub comment_id: CommentId,
    /// Plain text; empty once a moderator has removed it.
    pub body: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// When its author last changed it.
    pub updated_at: Timestamp,
    /// When a moderator removed it.
    pub removed_at: Option<Timestamp>,
    /// Which moderator.
    pub removed_by: Option<UserId>,
    /// Why.
    pub removed_reason: Option<String>,
}

/// The list of all groups.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupList {
    /// A group.
    #[attribute(rename = "GROUP")]
    Group,
}

/// What is being done to a group.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum GroupState {
    /// Its permissions do not count any more; its memberships follow.
    Deleting,
}

/// People with permissions.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("GROUP#{name}", "METADATA"),
    byEntity all = ("{entity_type}", "GROUP#{name}") when entity_type = "GROUP",
    rename_all = "camelCase"
)]
pub struct Group {
    /// What it is called, for ever.
    pub name: GroupName,
    /// Missing while it has a state.
    pub entity_type: Option<GroupList>,
    /// What it is for.
    pub description: String,
    /// What its members may do; texts of [`Permission`](crate::rules::Permission).
    pub permissions: Vec<String>,
    /// How many members it has.
    pub member_count: u64,
    /// Counts the changes that admins make.
    pub version: u64,
    /// What is being done to it.
    pub state: Option<GroupState>,
    /// The task that does it.
    pub task_id: Option<TaskId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When an admin last changed it.
    pub updated_at: Timestamp,
}

/// Somebody in a group.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key groups_of = ("USER#{user_id}", "MEMBERSHIP#{group_name}"),
    byGroup members_of = ("{group_name}", "{user_id}"),
    rename_all = "camelCase"
)]
pub struct Membership {
    /// The group.
    pub group_name: GroupName,
    /// The member.
    pub user_id: UserId,
    /// Since when.
    pub added_at: Timestamp,
    /// By whom.
    pub added_by: UserId,
}

/// How many characters of a folded name are searched.
const SEARCHED_CHARS_MAX: usize = 100;

/// What somebody shows of themselves.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("USER#{sub}", "PROFILE"),
    byEntity people = ("PROFILE", "{entity_sk}"),
    rename_all = "camelCase"
)]
pub struct Profile {
    /// Who it is.
    #[attribute(in_key)]
    pub sub: UserId,
    /// The name as it is searched for, and the id: see [`Profile::sort_key`].
    pub entity_sk: String,
    /// What others call them.
    pub display_name: String,
    /// What they say about themselves.
    pub description: String,
    /// Where their picture is stored.
    pub avatar_key: Option<String>,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// How many groups they are in.
    pub group_count: u64,
    /// When they last signed in.
    pub last_login_at: Option<Timestamp>,
    /// From which address.
    pub last_login_ip: Option<String>,
}

impl Profile {
    /// The place of a name among all people.
    #[must_use]
    pub fn sort_key(display_name: &str, sub: &UserId) -> String {
        format!("{}#{sub}", Self::searched_name(display_name))
    }

    /// A name, or its beginning, as it is searched for. Folding makes up to 18 characters of one,
    /// and a sort key has room for 1,024 bytes: what is longer is compared by its beginning.
    #[must_use]
    pub fn searched_name(text: &str) -> String {
        // The delimiter stands in no folded name, and so ends it.
        let folded = crate::rules::fold(text).replace('#', " ");
        folded.chars().take(SEARCHED_CHARS_MAX).collect()
    }
}

/// A player of the squash club. Most have no account.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SQUASH#PLAYER#{id}", "METADATA"),
    byEntity all = ("SQUASH_PLAYER", "SQUASH#PLAYER#{id}"),
    rename_all = "camelCase"
)]
pub struct SquashPlayer {
    /// By which matches name them.
    #[attribute(in_key)]
    pub id: PlayerId,
    /// What they are called.
    pub name: String,
    /// For those who manage the club.
    pub email: Option<String>,
    /// Their account.
    pub user_id: Option<UserId>,
    /// How many matches name them. Zero lets them be deleted.
    pub match_count: u64,
    /// Counts the changes.
    pub version: u64,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they were last changed.
    pub updated_at: Timestamp,
}

/// One of the two pairs of a match.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub enum Side {
    /// The pair that is named first.
    A,
    /// The other one.
    B,
}

/// The list of all matches.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchList {
    /// A match.
    #[attribute(rename = "SQUASH_MATCH")]
    SquashMatch,
}

/// Two pairs, up to five games. It is in the list of all matches by its date, so that a range of
/// dates is one Query.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SQUASH#MATCH#{match_id}", "METADATA"),
    byEntity by_date = ("{entity_type}", "{date}#{match_id}"),
    bySquashDate on_day = ("{date}", "{match_id}"),
    rename_all = "camelCase"
)]
pub struct SquashMatch {
    /// By which it is found. Matches of one day sort by it.
    pub match_id: MatchId,
    /// Always the same: by it the filter of a day tells matches from participations.
    pub entity_type: MatchList,
    /// The day.
    pub date: Date,
    /// The first player of A.
    #[attribute(rename = "teamAPlayer1Id")]
    pub team_a_player_1_id: PlayerId,
    /// The second player of A.
    #[attribute(rename = "teamAPlayer2Id")]
    pub team_a_player_2_id: PlayerId,
    /// The first player of B.
    #[attribute(rename = "teamBPlayer1Id")]
    pub team_b_player_1_id: PlayerId,
    /// The second player of B.
    #[attribute(rename = "teamBPlayer2Id")]
    pub team_b_player_2_id: PlayerId,
    /// The pair with three games.
    pub winning_team: Side,
    /// Games of A.
    pub team_a_games: u8,
    /// Games of B.
    pub team_b_games: u8,
    /// Counts the changes.
    pub version: u64,
    /// When it was entered.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl SquashMatch {
    /// The four players: A's, then B's.
    #[must_use]
    pub fn players(&self) -> [&PlayerId; 4] {
        [
            &self.team_a_player_1_id,
            &self.team_a_player_2_id,
            &self.team_b_player_1_id,
            &self.team_b_player_2_id,
        ]
    }
}

/// One for each player of a match. It has the key attributes of bySquashDate and so is in that
/// index, as in the source, although nothing looks for it there.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key matches_of = ("SQUASH#PLAYER#{player_id}", "MATCH#{match_id}"),
    rename_all = "camelCase"
)]
pub struct Participation {
    /// The player.
    #[attribute(in_key)]
    pub player_id: PlayerId,
    /// The match.
    pub match_id: MatchId,
    /// Its day.
    pub squash_date: Date,
}

/// A tag that is in use, or was a while ago.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("TAG#{tag}", "METADATA"),
    byEntity all = ("TAG", "TAG#{tag}"),
    rename_all = "camelCase"
)]
pub struct Tag {
    /// The tag.
    #[attribute(in_key)]
    pub tag: TagName,
    /// When it was last given to a site.
    pub last_used_at: Timestamp,
}

/// What a task does.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "camelCase")]
pub enum TaskKind {
    /// Changes more tags of a site than a transaction has room for.
    SiteChange,
    /// Deletes a site with everything that belongs to it.
    SiteDelete,
    /// Deletes a group with all memberships.
    GroupDelete,
}

/// How far a task is.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum Phase {
    /// New tags are stored; nobody sees them.
    Add,
    /// The change is made; old tags are deleted.
    Remove,
}

/// What admins write about a site.
#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub struct Content {
    /// Its address.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// The text of its page.
    pub scraped_content: String,
    /// Its tags.
    pub tags: Vec<String>,
}

/// What a task needs to know.
#[derive(Attribute, Clone, Debug, Default, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub struct Payload {
    /// The complete new content of a site.
    pub content: Option<Content>,
    /// Tags to add.
    pub add: Option<Vec<String>>,
    /// Tags to remove.
    pub remove: Option<Vec<String>>,
}

/// Work of several steps, each of which may be done twice without harm.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("TASK#{task_id}", "METADATA"),
    byEntity due = ("TASK", "{next_at}#{task_id}"),
    rename_all = "camelCase"
)]
pub struct Task {
    /// By which it is found.
    #[attribute(in_key)]
    pub task_id: TaskId,
    /// What it does.
    pub kind: TaskKind,
    /// The PK of what it does it to.
    pub target: String,
    /// How far it is.
    pub phase: Phase,
    /// What it needs to know.
    pub payload: Payload,
    /// How often it has failed.
    pub attempts: u32,
    /// When it is tried next.
    pub next_at: Timestamp,
    /// Why it failed last.
    pub last_error: Option<String>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last tried.
    pub updated_at: Timestamp,
}
