//! What requests bring along. Lengths are bounded here, before anything else looks at them: four
//! times what is stored, because blanks around a text do not count, and an accent is a character of
//! its own until the text is in NFC. What a text must be is for the service to say.

use crate::design::Side;
use crate::rules::{NewMatch, Permission};
use crate::service::{NewGroup, NewPlayer, NewRating, NewSite};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SiteBody {
    /// Its address: http or https, with a host, without a user name.
    #[schemars(length(min = 1, max = 2048))]
    url: String,
    /// What it is called, in at most 120 characters.
    #[schemars(length(min = 1, max = 480))]
    title: String,
    /// What it is about, in at most 2,000 characters.
    #[serde(default)]
    #[schemars(length(max = 8000))]
    description: String,
    /// The text of its page, at most 8,192 bytes. Nothing is ever fetched.
    #[serde(default)]
    #[schemars(length(max = 32768))]
    scraped_content: String,
    /// Its tags, at most 200: letters, digits, `-`, `+` and `.`; a space becomes `-`.
    #[serde(default)]
    #[schemars(length(max = 400), inner(length(min = 1, max = 160)))]
    tags: Vec<String>,
}

impl From<SiteBody> for NewSite {
    fn from(body: SiteBody) -> Self {
        let SiteBody { url, title, description, scraped_content, tags } = body;
        Self { url, title, description, scraped_content, tags }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RatingBody {
    /// One to five.
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    /// For yourself alone, in at most 500 characters.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    note: String,
}

impl From<RatingBody> for NewRating {
    fn from(body: RatingBody) -> Self {
        Self { stars: body.stars, note: body.note }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentBody {
    /// Plain text of at most 4,000 characters.
    #[schemars(length(min = 1, max = 16000))]
    pub(super) body: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemovalBody {
    /// Why the comment is removed, in at most 200 characters. Everybody sees it.
    #[schemars(length(min = 1, max = 800))]
    pub(super) reason: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GroupBody {
    /// What it is called, for ever: 2 to 40 letters, digits, `_` and `-`.
    #[schemars(length(min = 2, max = 40))]
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) rest: GroupRest,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GroupRest {
    /// What it is for, in at most 500 characters.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    description: String,
    /// What its members may do.
    #[serde(default)]
    #[schemars(length(max = 4))]
    permissions: Vec<Permission>,
}

impl From<GroupRest> for NewGroup {
    fn from(body: GroupRest) -> Self {
        let permissions = body.permissions.into_iter().collect();
        Self { description: body.description, permissions }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ProfileBody {
    /// What others call you.
    #[schemars(length(min = 1, max = 640))]
    pub(super) display_name: String,
    /// What you say about yourself, in at most 500 characters.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub(super) description: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PlayerBody {
    /// What they are called.
    #[schemars(length(min = 1, max = 960))]
    name: String,
    /// For those who manage the club.
    #[schemars(length(max = 254))]
    email: Option<String>,
    /// Their account.
    #[schemars(length(max = 64))]
    user_id: Option<String>,
}

impl From<PlayerBody> for NewPlayer {
    fn from(body: PlayerBody) -> Self {
        Self { name: body.name, email: body.email, user_id: body.user_id }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct MatchBody {
    /// The day: YYYY-MM-DD.
    #[schemars(length(max = 40))]
    date: String,
    /// The first player of A.
    #[serde(rename = "teamAPlayer1Id")]
    #[schemars(length(max = 64))]
    team_a_player_1_id: String,
    /// The second player of A.
    #[serde(rename = "teamAPlayer2Id")]
    #[schemars(length(max = 64))]
    team_a_player_2_id: String,
    /// The first player of B.
    #[serde(rename = "teamBPlayer1Id")]
    #[schemars(length(max = 64))]
    team_b_player_1_id: String,
    /// The second player of B.
    #[serde(rename = "teamBPlayer2Id")]
    #[schemars(length(max = 64))]
    team_b_player_2_id: String,
    /// Games of A.
    #[serde(rename = "teamAGames")]
    team_a_games: i32,
    /// Games of B.
    #[serde(rename = "teamBGames")]
    team_b_games: i32,
    /// The pair with three games; it can be left out.
    winning_team: Option<Side>,
}

impl From<MatchBody> for NewMatch {
    fn from(body: MatchBody) -> Self {
        Self {
            date: body.date,
            players: [
                body.team_a_player_1_id,
                body.team_a_player_2_id,
                body.team_b_player_1_id,
                body.team_b_player_2_id,
            ],
            games: [body.team_a_games, body.team_b_games],
            winning_team: body.winning_team,
        }
    }
}
