//! The rules of the game: the tables of examples of the specification, and their edges.

use singlet::Timestamp;
use threefc::design::{
    Color, DrawKind, LeagueId, Outcome, PlayerId, SeasonId, Standing, Statistic, Team, TeamId,
    TeamOutcome, TeamScore,
};
use threefc::rules::{BoardValue, boards, display_time, minute_by_clock, result_of, standings};
use threefc::service::input::{Line, NewId, TeamCode};

fn statistic(player: &str, games: u32, goals: u32) -> Statistic {
    Statistic {
        season_id: SeasonId::new("spring").unwrap(),
        player_id: PlayerId::new(player).unwrap(),
        games,
        goals,
        own_goals: 0,
        assists: 0,
        created_at: Timestamp::MIN,
        updated_at: Timestamp::MIN,
    }
}

/// The example of the specification.
#[test]
fn equal_goals_share_a_rank_and_few_games_are_no_rate() {
    let boards =
        boards(&[statistic("moss", 9, 9), statistic("kite", 6, 9), statistic("juno", 1, 2)]);
    let goals: Vec<(u32, &str)> =
        boards.goals.iter().map(|one| (one.rank, one.player.as_str())).collect();
    assert_eq!(goals, [(1, "kite"), (1, "moss"), (3, "juno")]);
    let rates: Vec<(u32, &str, BoardValue)> =
        boards.per_game.iter().map(|one| (one.rank, one.player.as_str(), one.value)).collect();
    let expected = [(1, "kite", BoardValue::Rate(1.5)), (2, "moss", BoardValue::Rate(1.0))];
    assert_eq!(rates, expected);
    assert_eq!((boards.assists.len(), boards.own_goals.len()), (0, 0));
}

#[test]
fn rates_are_compared_exactly_and_shown_with_two_decimals() {
    // In early spring nobody has three games.
    let boards = boards(&[statistic("ann", 2, 1), statistic("bob", 1, 1)]);
    assert_eq!(boards.per_game.len(), 1, "one game is less than the most, which is two");
    let thirds: Vec<BoardValue> =
        threefc::rules::boards(&[statistic("ann", 3, 1), statistic("bob", 6, 2)])
            .per_game
            .iter()
            .map(|one| {
                assert_eq!(one.rank, 1);
                one.value
            })
            .collect();
    assert_eq!(thirds, [BoardValue::Rate(0.33); 2]);
}

#[test]
fn players_who_are_equal_in_everything_are_in_the_order_of_their_ids() {
    let boards =
        boards(&[statistic("moss", 6, 9), statistic("ann", 7, 9), statistic("kite", 6, 9)]);
    let goals: Vec<(u32, &str)> =
        boards.goals.iter().map(|one| (one.rank, one.player.as_str())).collect();
    assert_eq!(goals, [(1, "kite"), (1, "moss"), (1, "ann")]);
}

#[test]
fn a_board_has_twenty_entries() {
    let many: Vec<Statistic> =
        (0..50).map(|number| statistic(&format!("p{number:02}"), 3, 1 + number)).collect();
    let goals = boards(&many).goals;
    assert_eq!((goals.len(), goals[0].player.as_str()), (20, "p49"));
}

/// The examples of "minute by clock", with 20 minutes.
#[test]
fn the_clock_gives_the_minute() {
    for (third, minutes, seconds, minute, shown) in [
        (1, 0, 0, 1, "1'"),
        (1, 19, 59, 20, "20'"),
        (1, 20, 0, 21, "20+1'"),
        (1, 22, 30, 23, "20+3'"),
        (2, 4, 10, 25, "5'"),
    ] {
        let found = minute_by_clock(third, 20, minutes * 60 + seconds);
        assert_eq!(found, minute, "third {third} {minutes}:{seconds}");
        assert_eq!(display_time(third, 20, found), shown, "third {third} {minutes}:{seconds}");
    }
    // Somebody forgot to finish the third.
    assert_eq!(minute_by_clock(3, 30, 60 * 60 * 24), 999);
}

#[test]
fn minutes_by_hand_are_shown_within_their_third() {
    assert_eq!(display_time(1, 20, 0), "0'");
    assert_eq!(display_time(3, 20, 999), "20+939'");
    assert_eq!(display_time(2, 25, 50), "25'");
    assert_eq!(display_time(2, 20, 20), "0'");
}

fn score(conceded: [u32; 3], scored: [u32; 3]) -> Vec<TeamScore> {
    let teams = ["red", "blue", "yellow"].into_iter().zip(conceded).zip(scored);
    teams
        .map(|((team, conceded), scored)| TeamScore {
            team_id: TeamId::new(team).unwrap(),
            conceded,
            scored,
        })
        .collect()
}

/// The table of results of the specification.
#[test]
fn the_table_of_results() {
    use TeamOutcome::{Draw, Loss, Win};
    let two = Some(DrawKind::TwoWay);
    for (conceded, scored, ranks, outcomes, winner, draw) in [
        ([1, 2, 3], [3, 2, 1], [1, 2, 3], [Win, Loss, Loss], Some("red"), None),
        ([2, 2, 3], [4, 3, 0], [1, 2, 3], [Win, Loss, Loss], Some("red"), None),
        ([2, 2, 3], [3, 3, 1], [1, 1, 3], [Draw, Draw, Loss], None, two),
        ([1, 3, 3], [3, 2, 2], [1, 2, 2], [Win, Loss, Loss], Some("red"), None),
        ([2, 2, 2], [3, 2, 1], [1, 2, 3], [Win, Loss, Loss], Some("red"), None),
        ([1, 1, 1], [1, 1, 0], [1, 1, 3], [Draw, Draw, Loss], None, two),
        ([2, 2, 2], [2, 2, 2], [1, 1, 1], [Draw; 3], None, Some(DrawKind::ThreeWay)),
    ] {
        let result = result_of(&score(conceded, scored));
        let case = format!("{conceded:?} {scored:?}");
        let found: Vec<u8> = result.teams.iter().map(|team| team.rank).collect();
        assert_eq!(found, ranks, "{case}");
        let found: Vec<TeamOutcome> = result.teams.iter().map(|team| team.outcome).collect();
        assert_eq!(found, outcomes, "{case}");
        assert_eq!(result.winner_team_id.as_ref().map(TeamId::as_str), winner, "{case}");
        assert_eq!(result.draw_kind, draw, "{case}");
        let outcome = if winner.is_some() { Outcome::Win } else { Outcome::Draw };
        assert_eq!(result.outcome, outcome, "{case}");
    }
}

fn standing(team: &str, [wins, draws, conceded, scored]: [u32; 4]) -> Standing {
    Standing {
        season_id: SeasonId::new("spring").unwrap(),
        team_id: TeamId::new(team).unwrap(),
        played: 6,
        wins,
        draws,
        losses: 6 - wins - draws,
        conceded,
        scored,
        created_at: Timestamp::MIN,
        updated_at: Timestamp::MIN,
    }
}

fn team(id: &str, retired: bool) -> Team {
    Team {
        season_id: SeasonId::new("spring").unwrap(),
        team_id: TeamId::new(id).unwrap(),
        name: id.to_owned(),
        code: "XYZ".to_owned(),
        color: Color::Red,
        squad_player_ids: Vec::new(),
        retired,
        created_at: Timestamp::MIN,
        updated_at: Timestamp::MIN,
    }
}

/// Draws count before goals conceded, and those before goals scored.
#[test]
fn each_number_is_compared_in_its_turn() {
    let stored = [
        standing("few-conceded", [2, 0, 1, 9]),
        standing("many-draws", [2, 1, 9, 1]),
        standing("many-scored", [2, 0, 2, 12]),
        standing("many-wins", [3, 0, 12, 0]),
    ];
    let rows = standings(&stored, &[]);
    let found: Vec<&str> = rows.iter().map(|row| row.team_id.as_str()).collect();
    assert_eq!(found, ["many-wins", "many-draws", "few-conceded", "many-scored"]);
}

/// The example of the specification, with teams that have not played.
#[test]
fn equal_teams_share_a_position() {
    let stored = [
        standing("dri", [2, 2, 5, 9]),
        standing("cin", [2, 2, 5, 9]),
        standing("bel", [3, 0, 9, 10]),
        standing("anc", [3, 0, 9, 12]),
    ];
    let teams = [team("anc", false), team("new", false), team("old", true)];
    let rows = standings(&stored, &teams);
    let found: Vec<(&str, u32)> =
        rows.iter().map(|row| (row.team_id.as_str(), row.position)).collect();
    assert_eq!(found, [("anc", 1), ("bel", 2), ("cin", 3), ("dri", 3), ("new", 5)]);
}

#[test]
fn texts_are_trimmed_and_have_no_at_sign() {
    let line: Line<60> = "  Tide\u{301}wall ".parse().unwrap();
    assert_eq!(String::from(line), "Tid\u{e9}wall");
    let long = "x".repeat(61);
    for text in ["", " ", "ann@example.org", "ann\u{ff20}example.org", "a\u{202e}b", &long] {
        assert!(text.parse::<Line<60>>().is_err(), "{text:?}");
    }
}

#[test]
fn ids_and_codes_have_few_characters() {
    let is_id = |text: &str| text.parse::<NewId<LeagueId>>().is_ok();
    assert!(is_id("spring-2026") && is_id("ab") && is_id(&"a".repeat(40)));
    for text in ["a", "", "A1", "a b", "a#b", "--", "-a", "\u{e4}\u{e4}", &"a".repeat(41)] {
        assert!(!is_id(text), "{text:?}");
    }
    assert!("ANC".parse::<TeamCode>().is_ok() && "A1".parse::<TeamCode>().is_ok());
    for text in ["A", "ANCH", "anc", "A-C", ""] {
        assert!(text.parse::<TeamCode>().is_err(), "{text:?}");
    }
}
