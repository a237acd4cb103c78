//! FUS, as its design document declares it: one table, six indexes whose keys are attributes.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a design is declared as a system does"
)]

use singlet::prelude::*;

id!(SiteId, UserId, CommentId, Tag, GroupName, SquashPlayerId, MatchId);

#[table(
    name = "fus-main",
    key = (PK, SK),
    index(
        byEntity = (entityType, entitySk),
        byTag = (tag, siteId),
        byStars = (starRating: N, siteId),
        byGroup = (groupName, userId),
        bySquashDate = (squashDate, matchId),
        bySite = (siteId, createdAt)
    ),
    entities(
        Site, SiteTag, Rating, Comment, Group, Membership, Profile, SquashPlayer, SquashMatch,
        Participation
    )
)]
pub struct Fus;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SITE#{id}", "METADATA"),
    byEntity all = ("SITE", "SITE#{id}"),
    rename_all = "camelCase"
)]
pub struct Site {
    #[attribute(in_key)]
    pub id: SiteId,
    pub url: String,
    pub title: String,
    pub description: String,
    pub scraped_content: String,
    pub tags: Vec<String>,
    pub rating_sum: u64,
    pub rating_count: u64,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// One for each tag of a site.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Fus, key = ("SITE#{id}", "TAG#{tag}"), byTag with_tag = ("{tag}", "SITE#{id}"))]
pub struct SiteTag {
    #[attribute(in_key)]
    pub id: SiteId,
    pub tag: Tag,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("USER#{id}", "SITE#{site_id}"),
    byStars with_stars = ("{stars}", "SITE#{site_id}"),
    rename_all = "camelCase"
)]
pub struct Rating {
    #[attribute(in_key)]
    pub id: UserId,
    #[attribute(in_key)]
    pub site_id: SiteId,
    pub stars: u8,
    pub note: String,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("USER#{id}", "SITE#{site_id}#COMMENT#{comment_id}"),
    bySite of_site = ("SITE#{site_id}", "{created_at}"),
    rename_all = "camelCase"
)]
pub struct Comment {
    #[attribute(in_key)]
    pub id: UserId,
    #[attribute(in_key)]
    pub site_id: SiteId,
    #[attribute(in_key)]
    pub comment_id: CommentId,
    pub body: String,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("GROUP#{name}", "METADATA"),
    byEntity all = ("GROUP", "GROUP#{name}"),
    rename_all = "camelCase"
)]
pub struct Group {
    pub name: GroupName,
    pub description: String,
    pub permissions: Vec<String>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
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

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Fus, key = ("USER#{sub}", "PROFILE"), rename_all = "camelCase")]
pub struct Profile {
    #[attribute(in_key)]
    pub sub: UserId,
    pub avatar_key: Option<String>,
    pub description: Option<String>,
    #[attribute(updated)]
    pub updated_at: Timestamp,
    pub last_login_at: Option<Timestamp>,
    pub last_login_ip: Option<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SQUASH#PLAYER#{id}", "METADATA"),
    byEntity all = ("SQUASH_PLAYER", "SQUASH#PLAYER#{id}"),
    rename_all = "camelCase"
)]
pub struct SquashPlayer {
    #[attribute(in_key)]
    pub id: SquashPlayerId,
    pub name: String,
    pub email: Option<String>,
    pub user_id: Option<UserId>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    A,
    B,
}

/// A match is in the list of all matches by its date, so that a range of dates is one query.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key = ("SQUASH#MATCH#{match_id}", "METADATA"),
    byEntity by_date = ("SQUASH_MATCH", "{date}#{match_id}"),
    bySquashDate on_day = ("{date}", "{match_id}"),
    rename_all = "camelCase"
)]
pub struct SquashMatch {
    pub date: Date,
    pub match_id: MatchId,
    #[attribute(rename = "teamAPlayer1Id")]
    pub team_a_player_1_id: SquashPlayerId,
    #[attribute(rename = "teamAPlayer2Id")]
    pub team_a_player_2_id: SquashPlayerId,
    #[attribute(rename = "teamBPlayer1Id")]
    pub team_b_player_1_id: SquashPlayerId,
    #[attribute(rename = "teamBPlayer2Id")]
    pub team_b_player_2_id: SquashPlayerId,
    pub winning_team: Side,
    pub team_a_games: u8,
    pub team_b_games: u8,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// One for each player of a match.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fus,
    key matches_of = ("SQUASH#PLAYER#{player_id}", "MATCH#{match_id}"),
    rename_all = "camelCase"
)]
pub struct Participation {
    #[attribute(in_key)]
    pub player_id: SquashPlayerId,
    pub match_id: MatchId,
    pub squash_date: Date,
}
