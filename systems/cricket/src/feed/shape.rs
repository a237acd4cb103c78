//! The shapes of SportMonks v2.0, read leniently: unreadable values are absent, unknown fields
//! are ignored. Each field names how it is read; see `lenient`.

use super::lenient::{boolean, decimal, list, number, object, text, time};
use serde::Serialize;
use serde_json::Value;

/// The type of a field that is read this way.
macro_rules! kind {
    (id) => { String };
    (word) => { String };
    (overs) => { String };
    (text) => { Option<String> };
    (decimal) => { Option<String> };
    (count) => { u32 };
    (innings) => { u32 };
    (number) => { Option<u32> };
    (board) => { Option<u32> };
    (ball_id) => { u64 };
    (time) => { Option<i64> };
    (flag) => { bool };
    (balls) => {
        Vec<FeedBall>
    };
    (words) => { Vec<String> };
    (object $shape:ty) => { Option<$shape> };
    (part $shape:ty) => { $shape };
    (list $shape:ty) => { Vec<$shape> };
}

/// Reads a field. Without an id, or with an innings that does not exist, there is no value at all.
macro_rules! read {
    ($value:ident $name:expr, id) => {
        text($value, $name)?
    };
    ($value:ident $name:expr, word) => {
        text($value, $name).unwrap_or_default()
    };
    ($value:ident $name:expr, overs) => {
        decimal($value, $name).unwrap_or_else(|| "0".to_owned())
    };
    ($value:ident $name:expr, text) => {
        text($value, $name)
    };
    ($value:ident $name:expr, decimal) => {
        decimal($value, $name)
    };
    ($value:ident $name:expr, count) => {
        number($value, $name).unwrap_or(0)
    };
    ($value:ident $name:expr, innings) => {
        number($value, $name).filter(|n| (1..=4).contains(n))?
    };
    ($value:ident $name:expr, number) => {
        number($value, $name)
    };
    ($value:ident $name:expr, board) => {
        text($value, $name).and_then(|board| board_number(&board))
    };
    ($value:ident $name:expr, ball_id) => {
        text($value, $name)?.parse().ok()?
    };
    ($value:ident $name:expr, time) => {
        time($value, $name)
    };
    ($value:ident $name:expr, flag) => {
        boolean($value, $name)
    };
    ($value:ident $name:expr, balls) => {{
        let balls = list($value, $name).into_iter().filter_map(FeedBall::from_json);
        let mut balls: Vec<FeedBall> = balls.collect();
        balls.sort_by_key(|ball| ball.id);
        balls
    }};
    ($value:ident $name:expr, words) => {
        list($value, $name).iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
    };
    ($value:ident $name:expr, object $shape:ty) => {
        object($value, $name).and_then(<$shape>::from_json)
    };
    ($value:ident $name:expr, part $shape:ty) => {
        object($value, $name).and_then(<$shape>::from_json).unwrap_or_default()
    };
    ($value:ident $name:expr, list $shape:ty) => {
        list($value, $name).into_iter().filter_map(<$shape>::from_json).collect()
    };
}

/// Fields have the feed's names, or another one before `as`.
macro_rules! shapes {
    ($($shape:ident { $($(#[$meta:meta])* $field:ident $(as $name:literal)?: $how:ident $(($of:ident))?,)+ })+) => { $(
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        pub struct $shape {
            $($(#[$meta])* $(#[serde(rename = $name)])? pub $field: kind!($how $($of)?),)+
        }

        impl $shape {
            pub fn from_json(value: &Value) -> Option<Self> {
                Some(Self {
                    $($field: read!(value { let _name = stringify!($field); $(let _name = $name;)? _name }, $how $($of)?),)+
                })
            }
        }
    )+ };
}

shapes! {
    FeedFixture {
        id: id,
        league_id: text,
        season_id: text,
        round: text,
        localteam_id: text,
        visitorteam_id: text,
        starting_at: time,
        kind as "type": text,
        status: text,
        note: text,
        toss_won_team_id: text,
        elected: text,
        winner_team_id: text,
        draw_noresult: text,
        super_over: flag,
        follow_on: flag,
        rpc_overs: decimal,
        rpc_target: number,
        venue: object(FeedVenue),
        localteam: object(FeedTeam),
        visitorteam: object(FeedTeam),
        league: object(FeedLeague),
        runs: list(FeedRuns),
        scoreboards: list(FeedScoreboard),
        batting: list(FeedBatting),
        bowling: list(FeedBowling),
        lineup: list(FeedPlayer),
        #[serde(skip_serializing_if = "Vec::is_empty")]
        balls: balls,
    }
    FeedVenue { name: text, city: text, }
    FeedTeam {
        id: id,
        name: text,
        code: text,
        image_path: text,
        country_id: text,
        national_team: flag,
    }
    FeedLeague {
        id: id,
        name: text,
        code: text,
        season_id: text,
        country_id: text,
        image_path: text,
        kind as "type": text,
    }
    FeedStanding {
        team_id: id,
        league_id: text,
        position: count,
        points: count,
        played: count,
        won: count,
        lost: count,
        draw: count,
        noresult: count,
        runs_for: count,
        overs_for: overs,
        runs_against: count,
        overs_against: overs,
        netto_run_rate: text,
        recent_form: words,
    }
    FeedRuns { team_id: text, inning: innings, score: count, wickets: count, overs: overs, }
    FeedScoreboard {
        scoreboard: word,
        kind as "type": word,
        wide: count,
        noball_runs: count,
        bye: count,
        leg_bye: count,
        penalty: count,
        total: count,
    }
    FeedBatting {
        scoreboard: word,
        player_id: text,
        score: count,
        ball: count,
        four_x: count,
        six_x: count,
        active: flag,
        catch_stump_player_id: text,
        runout_by_id: text,
        bowling_player_id: text,
        fow_score: number,
        fow_balls: decimal,
    }
    FeedBowling {
        scoreboard: word,
        player_id: text,
        overs: overs,
        medians: count,
        runs: count,
        wickets: count,
        wide: count,
        noball: count,
        active: flag,
    }
    FeedPlayer { id: id, fullname: text, lineup: part(FeedPlace), }
    FeedPlace { team_id: text, captain: flag, wicketkeeper: flag, substitution: flag, }
    FeedBall {
        id: ball_id,
        label as "ball": decimal,
        #[serde(serialize_with = "as_board")]
        innings as "scoreboard": board,
        team_id: text,
        batsman_id: text,
        batsman_one_on_creeze_id: text,
        batsman_two_on_creeze_id: text,
        bowler_id: text,
        batsmanout_id: text,
        catchstump_id: text,
        runout_by_id: text,
        updated_at: time,
        score: part(FeedScore),
    }
    FeedScore {
        name: word,
        runs: count,
        four: flag,
        six: flag,
        bye: count,
        leg_bye: count,
        noball: count,
        noball_runs: count,
        is_wicket: flag,
        out: flag,
        ball: flag,
    }
}

fn as_board<S: serde::Serializer>(innings: &Option<u32>, to: S) -> Result<S::Ok, S::Error> {
    match innings {
        Some(innings) => to.collect_str(&format_args!("S{innings}")),
        None => to.serialize_none(),
    }
}

/// `S2` is 2.
fn board_number(text: &str) -> Option<u32> {
    let number = text.trim().trim_start_matches(['S', 's']).parse().ok()?;
    (1..=4).contains(&number).then_some(number)
}

impl FeedFixture {
    /// JSON without the balls, for the cache: at most 100 KB, `None` beyond.
    pub fn payload(&self) -> Option<String> {
        let without = Self { balls: Vec::new(), ..self.clone() };
        let payload = serde_json::to_string(&without).ok()?;
        (payload.len() <= 100_000).then_some(payload)
    }
}
