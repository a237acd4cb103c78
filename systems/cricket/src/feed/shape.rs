//! The shapes of SportMonks v2.0, read leniently.
//!
//! A number may be text, `""` or null; a boolean 0, 1, `"0"`, `"1"` or null; a list `[]`,
//! `{"data": []}`, null, or an object with index keys; a time may have micro- or no fractions, a `T`
//! or a space. What cannot be read is absent. What is not listed here is ignored.

use super::lenient::{boolean, decimal, list, number, object, text, time};
use serde::Serialize;
use serde_json::Value;

/// A match.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedFixture {
    /// Its id.
    pub id: String,
    /// The league.
    pub league_id: Option<String>,
    /// The season.
    pub season_id: Option<String>,
    /// The round: "Final".
    pub round: Option<String>,
    /// The home side.
    pub localteam_id: Option<String>,
    /// The away side.
    pub visitorteam_id: Option<String>,
    /// When it begins, in milliseconds since 1970.
    pub starting_at: Option<i64>,
    /// The format, as the feed writes it: `T20`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Where it stands: `1st Innings`.
    pub status: Option<String>,
    /// A remark: the result.
    pub note: Option<String>,
    /// Who won the toss.
    pub toss_won_team_id: Option<String>,
    /// What they chose: `batting`, `bowling`.
    pub elected: Option<String>,
    /// Who won the match.
    pub winner_team_id: Option<String>,
    /// `draw`, `noresult`, if nobody won.
    pub draw_noresult: Option<String>,
    /// Whether there is a super over.
    pub super_over: bool,
    /// Whether the follow-on was enforced.
    pub follow_on: bool,
    /// Overs after a revision.
    pub rpc_overs: Option<String>,
    /// The target after a revision.
    pub rpc_target: Option<u32>,
    /// Where it is played.
    pub venue: Option<FeedVenue>,
    /// The home side, if included.
    pub localteam: Option<FeedTeam>,
    /// The away side, if included.
    pub visitorteam: Option<FeedTeam>,
    /// The league, if included.
    pub league: Option<FeedLeague>,
    /// Scores of the innings.
    pub runs: Vec<FeedRuns>,
    /// Extras and totals.
    pub scoreboards: Vec<FeedScoreboard>,
    /// Batters.
    pub batting: Vec<FeedBatting>,
    /// Bowlers.
    pub bowling: Vec<FeedBowling>,
    /// Who plays.
    pub lineup: Vec<FeedPlayer>,
    /// Deliveries, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub balls: Vec<FeedBall>,
}

/// A ground.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedVenue {
    /// Its name.
    pub name: Option<String>,
    /// Its town.
    pub city: Option<String>,
}

/// A team.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedTeam {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Its short form.
    pub code: Option<String>,
    /// The address of its crest.
    pub image_path: Option<String>,
    /// Its country.
    pub country_id: Option<String>,
    /// Whether it plays for a country.
    pub national_team: bool,
}

/// A league.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedLeague {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Its short form.
    pub code: Option<String>,
    /// The season in play.
    pub season_id: Option<String>,
    /// Its country.
    pub country_id: Option<String>,
    /// The address of its picture.
    pub image_path: Option<String>,
    /// `league`, `cup`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// A team's place in a season.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedStanding {
    /// The team.
    pub team_id: String,
    /// The league.
    pub league_id: Option<String>,
    /// Its place, from 1.
    pub position: u32,
    /// Points.
    pub points: i64,
    /// Matches.
    pub played: u32,
    /// Matches won.
    pub won: u32,
    /// Matches lost.
    pub lost: u32,
    /// Matches drawn or tied.
    pub draw: u32,
    /// Matches without a result.
    pub noresult: u32,
    /// Runs scored.
    pub runs_for: u32,
    /// In so many overs: `263.5`.
    pub overs_for: String,
    /// Runs against.
    pub runs_against: u32,
    /// In so many overs.
    pub overs_against: String,
    /// The net run rate, as the feed has it.
    pub netto_run_rate: Option<String>,
    /// The last matches: `W`, `L`.
    pub recent_form: Vec<String>,
}

/// The score of an innings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedRuns {
    /// The side that bats.
    pub team_id: Option<String>,
    /// The innings, from 1.
    pub inning: u32,
    /// Runs.
    pub score: u32,
    /// Wickets.
    pub wickets: u32,
    /// Overs: `13.2`.
    pub overs: String,
}

/// Extras or totals of an innings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedScoreboard {
    /// `S1` to `S4`.
    pub scoreboard: String,
    /// `extra` or `total`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Wides.
    pub wide: u32,
    /// No-balls.
    pub noball_runs: u32,
    /// Byes.
    pub bye: u32,
    /// Leg byes.
    pub leg_bye: u32,
    /// Penalty runs.
    pub penalty: u32,
    /// The sum.
    pub total: u32,
}

/// A batter in an innings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedBatting {
    /// `S1` to `S4`.
    pub scoreboard: String,
    /// Who.
    pub player_id: Option<String>,
    /// Runs.
    pub score: u32,
    /// Balls faced.
    pub ball: u32,
    /// Fours.
    pub four_x: u32,
    /// Sixes.
    pub six_x: u32,
    /// Whether they are at the crease.
    pub active: bool,
    /// Who caught or stumped them.
    pub catch_stump_player_id: Option<String>,
    /// Who ran them out.
    pub runout_by_id: Option<String>,
    /// Whose wicket it was.
    pub bowling_player_id: Option<String>,
    /// The score when they were out.
    pub fow_score: Option<u32>,
    /// The over when they were out.
    pub fow_balls: Option<String>,
}

/// A bowler in an innings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedBowling {
    /// `S1` to `S4`.
    pub scoreboard: String,
    /// Who.
    pub player_id: Option<String>,
    /// Overs: `3.2`.
    pub overs: String,
    /// Maidens; the feed's own name for them.
    pub medians: u32,
    /// Runs.
    pub runs: u32,
    /// Wickets.
    pub wickets: u32,
    /// Wides.
    pub wide: u32,
    /// No-balls.
    pub noball: u32,
    /// Whether they bowl at the moment.
    pub active: bool,
}

/// A player of a side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedPlayer {
    /// Their id.
    pub id: String,
    /// Their name.
    pub fullname: Option<String>,
    /// Their part in the side.
    pub lineup: FeedPlace,
}

/// A player's part in a side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedPlace {
    /// The side.
    pub team_id: Option<String>,
    /// Whether they lead it.
    pub captain: bool,
    /// Whether they keep wicket.
    pub wicketkeeper: bool,
    /// Whether they are a substitute.
    pub substitution: bool,
}

/// A delivery.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeedBall {
    /// Its id, which ascends in time.
    pub id: u64,
    /// Over and ball: `12.3`.
    #[serde(rename = "ball")]
    pub label: Option<String>,
    /// The innings, of `S1` to `S4`.
    #[serde(rename = "scoreboard", serialize_with = "as_scoreboard")]
    pub innings: Option<u32>,
    /// The side that bats.
    pub team_id: Option<String>,
    /// Who faces it.
    pub batsman_id: Option<String>,
    /// One batter at the crease.
    pub batsman_one_on_creeze_id: Option<String>,
    /// The other one.
    pub batsman_two_on_creeze_id: Option<String>,
    /// Who bowls it.
    pub bowler_id: Option<String>,
    /// Who is out.
    pub batsmanout_id: Option<String>,
    /// Who caught or stumped.
    pub catchstump_id: Option<String>,
    /// Who ran out.
    pub runout_by_id: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub updated_at: Option<i64>,
    /// What came of it.
    pub score: FeedScore,
}

/// What came of a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FeedScore {
    /// In words: `1 No Ball + 1 Run`.
    pub name: String,
    /// Runs; what is in them depends on the kind.
    pub runs: u32,
    /// Whether it reached the boundary.
    pub four: bool,
    /// Whether it went over it.
    pub six: bool,
    /// Byes.
    pub bye: u32,
    /// Leg byes.
    pub leg_bye: u32,
    /// Whether it is a no-ball, as a number.
    pub noball: u32,
    /// The runs for it.
    pub noball_runs: u32,
    /// Whether a wicket fell.
    pub is_wicket: bool,
    /// Whether somebody is out.
    pub out: bool,
    /// Whether it counts.
    pub ball: bool,
}

fn as_scoreboard<S: serde::Serializer>(
    innings: &Option<u32>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match innings {
        Some(innings) => serializer.collect_str(&format_args!("S{innings}")),
        None => serializer.serialize_none(),
    }
}

/// `S2` is 2.
pub(crate) fn scoreboard_number(text: &str) -> Option<u32> {
    let number = text.trim().trim_start_matches(['S', 's']).parse().ok()?;
    (1..=4).contains(&number).then_some(number)
}

impl FeedFixture {
    /// Reads a fixture; `None` without an id.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let mut balls: Vec<FeedBall> =
            list(value, "balls").into_iter().filter_map(FeedBall::from_json).collect();
        balls.sort_by_key(|ball| ball.id);
        Some(Self {
            id: text(value, "id")?,
            league_id: text(value, "league_id"),
            season_id: text(value, "season_id"),
            round: text(value, "round"),
            localteam_id: text(value, "localteam_id"),
            visitorteam_id: text(value, "visitorteam_id"),
            starting_at: time(value, "starting_at"),
            kind: text(value, "type"),
            status: text(value, "status"),
            note: text(value, "note"),
            toss_won_team_id: text(value, "toss_won_team_id"),
            elected: text(value, "elected"),
            winner_team_id: text(value, "winner_team_id"),
            draw_noresult: text(value, "draw_noresult"),
            super_over: boolean(value, "super_over"),
            follow_on: boolean(value, "follow_on"),
            rpc_overs: decimal(value, "rpc_overs"),
            rpc_target: number(value, "rpc_target"),
            venue: object(value, "venue")
                .map(|venue| FeedVenue { name: text(venue, "name"), city: text(venue, "city") }),
            localteam: object(value, "localteam").and_then(FeedTeam::from_json),
            visitorteam: object(value, "visitorteam").and_then(FeedTeam::from_json),
            league: object(value, "league").and_then(FeedLeague::from_json),
            runs: list(value, "runs").into_iter().filter_map(FeedRuns::from_json).collect(),
            scoreboards: list(value, "scoreboards")
                .into_iter()
                .map(FeedScoreboard::from_json)
                .collect(),
            batting: list(value, "batting").into_iter().map(FeedBatting::from_json).collect(),
            bowling: list(value, "bowling").into_iter().map(FeedBowling::from_json).collect(),
            lineup: list(value, "lineup").into_iter().filter_map(FeedPlayer::from_json).collect(),
            balls,
        })
    }

    /// The fixture in JSON without its balls, for the cache: at most 100 KB, `None` beyond.
    #[must_use]
    pub fn payload(&self) -> Option<String> {
        let without = Self { balls: Vec::new(), ..self.clone() };
        let payload = serde_json::to_string(&without).ok()?;
        (payload.len() <= 100_000).then_some(payload)
    }
}

impl FeedTeam {
    /// Reads a team; `None` without an id.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            id: text(value, "id")?,
            name: text(value, "name"),
            code: text(value, "code"),
            image_path: text(value, "image_path"),
            country_id: text(value, "country_id"),
            national_team: boolean(value, "national_team"),
        })
    }
}

impl FeedLeague {
    /// Reads a league; `None` without an id.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            id: text(value, "id")?,
            name: text(value, "name"),
            code: text(value, "code"),
            season_id: text(value, "season_id"),
            country_id: text(value, "country_id"),
            image_path: text(value, "image_path"),
            kind: text(value, "type"),
        })
    }
}

impl FeedStanding {
    /// Reads a standing; `None` without a team.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let count = |name| number(value, name).unwrap_or(0);
        let overs = |name| decimal(value, name).unwrap_or_else(|| "0".to_owned());
        let form = list(value, "recent_form");
        Some(Self {
            team_id: text(value, "team_id")?,
            league_id: text(value, "league_id"),
            position: count("position"),
            points: i64::from(count("points")),
            played: count("played"),
            won: count("won"),
            lost: count("lost"),
            draw: count("draw"),
            noresult: count("noresult"),
            runs_for: count("runs_for"),
            overs_for: overs("overs_for"),
            runs_against: count("runs_against"),
            overs_against: overs("overs_against"),
            netto_run_rate: text(value, "netto_run_rate"),
            recent_form: form
                .into_iter()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
        })
    }
}

impl FeedRuns {
    fn from_json(value: &Value) -> Option<Self> {
        let inning = number(value, "inning").filter(|inning| (1..=4).contains(inning))?;
        Some(Self {
            team_id: text(value, "team_id"),
            inning,
            score: number(value, "score").unwrap_or(0),
            wickets: number(value, "wickets").unwrap_or(0),
            overs: decimal(value, "overs").unwrap_or_else(|| "0".to_owned()),
        })
    }
}

impl FeedScoreboard {
    fn from_json(value: &Value) -> Self {
        let count = |name| number(value, name).unwrap_or(0);
        Self {
            scoreboard: text(value, "scoreboard").unwrap_or_default(),
            kind: text(value, "type").unwrap_or_default(),
            wide: count("wide"),
            noball_runs: count("noball_runs"),
            bye: count("bye"),
            leg_bye: count("leg_bye"),
            penalty: count("penalty"),
            total: count("total"),
        }
    }
}

impl FeedBatting {
    fn from_json(value: &Value) -> Self {
        let count = |name| number(value, name).unwrap_or(0);
        Self {
            scoreboard: text(value, "scoreboard").unwrap_or_default(),
            player_id: text(value, "player_id"),
            score: count("score"),
            ball: count("ball"),
            four_x: count("four_x"),
            six_x: count("six_x"),
            active: boolean(value, "active"),
            catch_stump_player_id: text(value, "catch_stump_player_id"),
            runout_by_id: text(value, "runout_by_id"),
            bowling_player_id: text(value, "bowling_player_id"),
            fow_score: number(value, "fow_score"),
            fow_balls: decimal(value, "fow_balls"),
        }
    }
}

impl FeedBowling {
    fn from_json(value: &Value) -> Self {
        let count = |name| number(value, name).unwrap_or(0);
        Self {
            scoreboard: text(value, "scoreboard").unwrap_or_default(),
            player_id: text(value, "player_id"),
            overs: decimal(value, "overs").unwrap_or_else(|| "0".to_owned()),
            medians: count("medians"),
            runs: count("runs"),
            wickets: count("wickets"),
            wide: count("wide"),
            noball: count("noball"),
            active: boolean(value, "active"),
        }
    }
}

impl FeedPlayer {
    fn from_json(value: &Value) -> Option<Self> {
        let place = object(value, "lineup").map(|place| FeedPlace {
            team_id: text(place, "team_id"),
            captain: boolean(place, "captain"),
            wicketkeeper: boolean(place, "wicketkeeper"),
            substitution: boolean(place, "substitution"),
        });
        Some(Self {
            id: text(value, "id")?,
            fullname: text(value, "fullname"),
            lineup: place.unwrap_or_default(),
        })
    }
}

impl FeedBall {
    /// Reads a ball; `None` without an id.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            id: text(value, "id")?.parse().ok()?,
            label: decimal(value, "ball"),
            innings: text(value, "scoreboard").and_then(|board| scoreboard_number(&board)),
            team_id: text(value, "team_id"),
            batsman_id: text(value, "batsman_id"),
            batsman_one_on_creeze_id: text(value, "batsman_one_on_creeze_id"),
            batsman_two_on_creeze_id: text(value, "batsman_two_on_creeze_id"),
            bowler_id: text(value, "bowler_id"),
            batsmanout_id: text(value, "batsmanout_id"),
            catchstump_id: text(value, "catchstump_id"),
            runout_by_id: text(value, "runout_by_id"),
            updated_at: time(value, "updated_at"),
            score: object(value, "score").map(FeedScore::from_json).unwrap_or_default(),
        })
    }
}

impl FeedScore {
    /// Reads a score.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let count = |name| number(value, name).unwrap_or(0);
        Self {
            name: text(value, "name").unwrap_or_default(),
            runs: count("runs"),
            four: boolean(value, "four"),
            six: boolean(value, "six"),
            bye: count("bye"),
            leg_bye: count("leg_bye"),
            noball: count("noball"),
            noball_runs: count("noball_runs"),
            is_wicket: boolean(value, "is_wicket"),
            out: boolean(value, "out"),
            ball: boolean(value, "ball"),
        }
    }
}
