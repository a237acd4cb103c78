//! Every worked example of the rules.

use crate::fixture::scheduled;
use cricket::design::{BallId, Fixture, MatchId, ProcessingState};
use cricket::feed::shape::FeedFixture;
use cricket::rules::{
    Advanced, Delivery, DisplayState, EventKind, Facts, Figures, Format, InningsScore, MatchView,
    Mood, Phase, Players, ResultKind, Target, TeamLabel, advance, ball_line, display, event_title,
    headline, net_run_rate, overs_text, own_result, projected, read_facts, run_rate, score_text,
    scorecard, strike_rate, target,
};
use serde_json::{Value, json};
use singlet::Timestamp;

/// 2026-11-15T10:00:00Z.
const TEN: i64 = 1_794_736_800_000;

fn label(id: &str, code: &str, name: &str) -> TeamLabel {
    TeamLabel { id: id.into(), code: code.into(), name: name.into() }
}

fn known(format: Format) -> MatchView {
    MatchView {
        fixture: Fixture {
            format,
            phase: Phase::Live,
            status: "1st Innings".into(),
            ..scheduled("9000001", Timestamp::from_millis(TEN))
        },
        home: label("101", "HAR", "Harbour Hawks"),
        away: label("102", "KIN", "Kinsale Kestrels"),
        deliveries: vec![],
        players: Default::default(),
        last_event: None,
        tables: Default::default(),
    }
}

fn with(mut view: MatchView, change: impl FnOnce(&mut Fixture)) -> MatchView {
    change(&mut view.fixture);
    view
}

fn fresh() -> ProcessingState {
    ProcessingState::new(MatchId::new("9000001").unwrap())
}

/// A ball: its id, label, and score.
fn ball(id: u64, label: &str, score: Value) -> Value {
    json!({
        "id": id, "ball": label, "scoreboard": "S1", "team_id": 101, "batsman_id": 1001,
        "batsman_one_on_creeze_id": 1001, "batsman_two_on_creeze_id": 1002, "bowler_id": 2009,
        "batsmanout_id": 1001, "catchstump_id": 2004, "score": score,
    })
}

fn runs(runs: u32) -> Value {
    json!({"name": format!("{runs} Runs"), "runs": runs, "ball": true})
}

fn wicket() -> Value {
    json!({"name": "Catch Out", "runs": 0, "is_wicket": 1, "out": true})
}

fn wide() -> Value {
    json!({"name": "1 Wide", "runs": 1, "ball": false})
}

fn feed(status: &str, balls: Vec<Value>) -> FeedFixture {
    FeedFixture::from_json(&json!({
        "id": 9000001, "localteam_id": 101, "visitorteam_id": 102, "type": "T20",
        "status": status, "balls": balls,
        "lineup": [{"id": 1001, "fullname": "Ravi Iyer"}, {"id": 2009, "fullname": "Tunde Okafor"},
                   {"id": 2004, "fullname": "Amos Mensah"}, {"id": 1002, "fullname": "Jo Brandt"}],
    }))
    .unwrap()
}

fn delivery(score: Value) -> Delivery {
    Delivery::from_feed(&feed("1st Innings", vec![ball(1, "0.1", score)]).balls[0]).unwrap()
}

fn facts(known: &MatchView, feed: &FeedFixture, at: i64) -> Facts {
    read_facts(known, feed, at, None)
}

fn step(
    known: &MatchView,
    before: Option<&ProcessingState>,
    feed: &FeedFixture,
    at: i64,
) -> Advanced {
    advance(known, before, &facts(known, feed, at), at, false)
}

fn innings(n: u32, team: &str, runs: u32, wickets: u32, balls: u32) -> InningsScore {
    InningsScore { n, team_id: team.into(), runs, wickets, balls, ..InningsScore::default() }
}

fn view(format: Format, innings: Vec<InningsScore>, target: Option<Target>) -> MatchView {
    let known = known(format);
    let feed = feed("2nd Innings", vec![]);
    with(facts(&known, &feed, TEN).view, |fixture| {
        (fixture.innings, fixture.target) = (innings, target);
    })
}

#[test]
fn case_01_an_over_with_a_wide_a_no_ball_and_a_wicket() {
    let scores = [
        runs(1),
        wide(),
        runs(4),
        json!({"name": "1 No Ball + 1 Run", "runs": 2, "noball": 1, "noball_runs": 1}),
        runs(0),
        json!({"name": "1 Leg Bye", "runs": 1, "leg_bye": 1}),
        wicket(),
        runs(6),
    ];
    let labels = ["12.1", "12.2", "12.2", "12.3", "12.3", "12.4", "12.5", "12.6"];
    let balls = scores.into_iter().zip(labels).zip(1..);
    let balls = balls.map(|((score, label), id)| ball(id, label, score)).collect();
    let feed = feed("1st Innings", balls);
    let over: Vec<Delivery> = feed.balls.iter().filter_map(Delivery::from_feed).collect();
    assert_eq!(over.len(), 8);
    assert_eq!(over.iter().filter(|ball| ball.is_legal()).count(), 6);
    assert_eq!(over.iter().map(Delivery::total).sum::<u32>(), 15);
    assert_eq!(Figures::of(over.iter(), &Players::new()).bowlers[0].figures(), "1-0-14-1");
    assert_eq!(over.iter().filter(|ball| ball.is_faced()).count(), 7);
    let symbols: Vec<String> = over.iter().map(Delivery::symbol).collect();
    assert_eq!(symbols, ["1", "wd", "4", "1nb", "0", "1lb", "W", "6"]);
}

#[test]
fn case_02_leg_byes_with_runs() {
    let ball = delivery(json!({"name": "1 Leg Bye + 4 Runs", "runs": 4, "leg_bye": 5}));
    assert_eq!((ball.leg_byes, ball.bat, ball.total(), ball.is_legal()), (5, 0, 5, true));
}

/// Commentary was in code: "T. Okafor to J. Brandt, 1nb".
#[test]
fn commentary_is_in_words() {
    for (score, words) in [
        (runs(0), "no run"),
        (runs(1), "1 run"),
        (runs(3), "3 runs"),
        (runs(4), "FOUR"),
        (runs(6), "SIX"),
        (json!({"name": "1 Wide", "runs": 1, "ball": false}), "wide"),
        (json!({"name": "5 Wides", "runs": 5, "ball": false}), "5 wides"),
        (json!({"name": "1 Bye", "runs": 1, "bye": 1}), "1 bye"),
        (json!({"name": "1 Leg Bye + 4 Runs", "runs": 4, "leg_bye": 5}), "5 leg byes"),
        (json!({"name": "1 No Ball", "runs": 1, "noball": 1, "noball_runs": 1}), "no ball"),
        (
            json!({"name": "1 No Ball + 1 Run", "runs": 2, "noball": 1, "noball_runs": 1}),
            "no ball, 1 run",
        ),
    ] {
        let text = ball_line(&delivery(score), &Players::new()).text;
        assert_eq!(text.split_once(", ").unwrap().1, words);
    }
}

#[test]
fn odd_scores_of_the_feed() {
    let five = delivery(json!({"name": "5 Wides", "runs": 5, "ball": false}));
    assert_eq!((five.wides, five.bat, five.symbol().as_str()), (5, 0, "5wd"));
    assert!(!five.swaps_ends());
    let run = json!({"name": "1 No Ball + 1 Run", "runs": 2, "noball": 1, "noball_runs": 1});
    assert_eq!((delivery(run.clone()).no_balls, delivery(run).bat), (1, 1));
    let bye =
        json!({"name": "1 No Ball + 1 Bye", "runs": 1, "noball": 1, "noball_runs": 1, "bye": 1});
    let bye = delivery(bye);
    assert_eq!((bye.no_balls, bye.byes, bye.bat, bye.total()), (1, 1, 0, 2));
    let run_out = delivery(json!({"name": "Run Out + 1", "runs": 1, "is_wicket": true}));
    assert_eq!((run_out.bat, run_out.symbol().as_str()), (1, "1W"));
    assert!(run_out.wicket.is_some() && !run_out.is_bowlers_wicket());
    let hurt = json!({"name": "1 Bye + Retired Hurt", "runs": 1, "bye": 1, "is_wicket": false});
    let hurt = delivery(hurt);
    assert_eq!((hurt.byes, hurt.wicket.is_none()), (1, true));
    let hurt = delivery(json!({"name": "Retired Hurt", "runs": 0, "is_wicket": true}));
    assert!(hurt.wicket.is_none());
    let out = delivery(json!({"name": "Retired Out", "runs": 0, "is_wicket": true}));
    assert!(out.wicket.is_some() && !out.is_bowlers_wicket());
}

#[test]
fn a_delivery_is_one_line() {
    let text = "17|2|12.5|2005|2004|1009|0|0|0|0|0|caught|2005|1004";
    assert_eq!(text.parse::<Delivery>().unwrap().to_string(), text);
    for text in ["", "17|2", "x|2|12.5|a|b|c|0|0|0|0|0|||", "1|2|1.1|a|b|c|0|0|0|0|0|eaten|a|"] {
        assert!(text.parse::<Delivery>().is_err(), "{text}");
    }
}

#[test]
fn case_03_overs() {
    assert_eq!((overs_text(80).as_str(), overs_text(120).as_str()), ("13.2", "20"));
}

#[test]
fn case_04_a_chase() {
    let scores = vec![innings(1, "101", 168, 7, 120), innings(2, "102", 111, 4, 78)];
    let goal = target(Format::T20, Phase::Live, &scores, (None, None));
    assert_eq!(goal, Some(Target { runs: 169, balls: Some(120), revised: false }));
    let state = display(&view(Format::T20, scores, goal), "neutral");
    assert_eq!((state.need, state.balls_left, state.projected), (Some(58), Some(42), None));
    assert_eq!(state.run_rate.as_deref(), Some("8.54"));
    assert_eq!(state.required_rate.as_deref(), Some("8.29"));
    assert_eq!(state.headline, "Kinsale Kestrels need 58 from 42 balls");
}

#[test]
fn case_05_a_revised_target() {
    let scores = vec![innings(1, "101", 160, 7, 120), innings(2, "102", 128, 6, 84)];
    let goal = target(Format::T20, Phase::Live, &scores, (Some(142), Some("15")));
    assert_eq!(goal, Some(Target { runs: 142, balls: Some(90), revised: true }));
    let state = display(&view(Format::T20, scores.clone(), goal.clone()), "neutral");
    assert_eq!((state.need, state.balls_left), (Some(14), Some(6)));
    assert_eq!(state.required_rate.as_deref(), Some("14.00"));
    let done = [scores[0].clone(), innings(2, "102", 142, 7, 88)];
    let known = known(Format::T20);
    let result = own_result(Format::T20, &done, goal.as_ref(), [&known.home, &known.away]);
    assert_eq!(result.text, "Kinsale Kestrels won by 3 wickets (2 balls left) (DLS)");
    assert_eq!((result.margin, result.unit.as_deref()), (Some(3), Some("wickets")));
}

#[test]
fn case_06_net_run_rate() {
    assert_eq!(net_run_rate((2282, "263.5"), (2188, "272.4")).as_deref(), Some("+0.625"));
    assert_eq!(net_run_rate((2188, "272.4"), (2282, "263.5")).as_deref(), Some("-0.625"));
    assert_eq!(net_run_rate((10, "0"), (10, "1")), None);
}

#[test]
fn case_07_an_innings_defeat() {
    let teams = [label("201", "NIS", "North Isles"), label("202", "SIS", "South Isles")];
    let third = InningsScore { follow_on: true, ..innings(3, "202", 190, 10, 400) };
    let scores = [innings(1, "201", 480, 10, 800), innings(2, "202", 255, 10, 500), third];
    let result = own_result(Format::Test, &scores, None, [&teams[0], &teams[1]]);
    assert_eq!(result.text, "North Isles won by an innings and 35 runs");
}

#[test]
fn results_in_words() {
    let known = known(Format::T20);
    let teams = [&known.home, &known.away];
    let of = |format, scores: &[InningsScore]| {
        let goal = target(format, Phase::Finished, scores, (None, None));
        own_result(format, scores, goal.as_ref(), teams)
    };
    let first = innings(1, "101", 160, 7, 120);
    let won = of(Format::T20, &[first.clone(), innings(2, "102", 148, 10, 118)]);
    assert_eq!(won.text, "Harbour Hawks won by 12 runs");
    let won = of(Format::T20, &[first.clone(), innings(2, "102", 159, 9, 120)]);
    assert_eq!(won.text, "Harbour Hawks won by 1 run");
    let won = of(Format::T20, &[first.clone(), innings(2, "102", 161, 5, 112)]);
    assert_eq!(won.text, "Kinsale Kestrels won by 5 wickets (8 balls left)");
    let tied = [first.clone(), innings(2, "102", 160, 5, 120)];
    assert_eq!(of(Format::T20, &tied).text, "Match tied");
    let over =
        |n, team: &str, runs| InningsScore { super_over: true, ..innings(n, team, runs, 1, 6) };
    let [one, two] = tied;
    let result = of(Format::T20, &[one, two, over(3, "102", 11), over(4, "101", 9)]);
    assert_eq!(result.text, "Match tied (Kinsale Kestrels won the super over)");
    assert_eq!(result.kind, ResultKind::Tied);
    let drawn = [first.clone(), innings(2, "102", 200, 10, 500), innings(3, "101", 20, 1, 60)];
    assert_eq!(of(Format::Test, &drawn).text, "Match drawn");
    let fourth = [
        innings(1, "101", 200, 10, 400),
        innings(2, "102", 150, 10, 400),
        innings(3, "101", 100, 10, 400),
        innings(4, "102", 151, 6, 300),
    ];
    assert_eq!(of(Format::Test, &fourth).text, "Kinsale Kestrels won by 4 wickets");
    assert_eq!(of(Format::T20, &[first]).text, "No result");
}

#[test]
fn scores_in_words() {
    let score = |scores: &[InningsScore]| score_text(scores, "101").unwrap();
    assert_eq!(score(&[innings(1, "101", 168, 7, 120)]), "168/7 (20)");
    assert_eq!(score(&[innings(1, "101", 152, 10, 111)]), "152 (18.3)");
    let declared = InningsScore { declared: true, ..innings(1, "101", 401, 6, 700) };
    assert_eq!(score(&[declared, innings(3, "101", 122, 3, 204)]), "401/6d & 122/3 (34)");
    let again = InningsScore { follow_on: true, ..innings(3, "101", 41, 1, 72) };
    assert_eq!(score(&[innings(2, "101", 255, 10, 500), again]), "255 & 41/1 (12) f/o");
    let over = InningsScore { super_over: true, ..innings(4, "101", 11, 1, 6) };
    assert_eq!(score(&[innings(1, "101", 165, 8, 120), over]), "165/8 (20) & SO 11/1");
    assert_eq!(score_text(&[], "101"), None);
}

#[test]
fn rates() {
    assert_eq!(run_rate(111, 78).as_deref(), Some("8.54"));
    assert_eq!(run_rate(58, 42).as_deref(), Some("8.29"));
    assert_eq!(run_rate(22, 18).as_deref(), Some("7.33"));
    assert_eq!((run_rate(0, 0), strike_rate(46, 31).as_deref()), (None, Some("148.39")));
    assert_eq!(projected(86, 57, 120), Some(181));
    let state = display(&view(Format::T20, vec![innings(1, "101", 86, 2, 57)], None), "101");
    assert_eq!((state.projected, state.headline.as_str()), (Some(181), "Projected 181"));
    let state = display(&view(Format::T20, vec![innings(1, "101", 18, 0, 15)], None), "101");
    assert_eq!((state.projected, state.headline.as_str()), (None, "Run rate 7.20"));
}

#[test]
fn headlines_of_a_test() {
    let scores = vec![innings(1, "101", 312, 10, 600), innings(2, "102", 287, 6, 500)];
    let mut shown = view(Format::Test, scores, None);
    shown.fixture.day = Some(3);
    assert_eq!(headline(&shown), "Kinsale Kestrels trail by 25");
    for (phase, status, text) in [
        (Phase::Interval, "Lunch", "Lunch, day 3"),
        (Phase::Interval, "Tea Break", "Tea, day 3"),
        (Phase::Stumps, "Stump Day 3", "Stumps, day 3: Kinsale Kestrels trail by 25"),
        (Phase::Interrupted, "Int.", "Play stopped"),
    ] {
        (shown.fixture.phase, shown.fixture.status) = (phase, status.to_owned());
        assert_eq!(headline(&shown), text);
    }
    let limited = vec![innings(1, "101", 168, 7, 120)];
    let goal = target(Format::T20, Phase::InningsBreak, &limited, (None, None));
    let mut shown = view(Format::T20, limited, goal);
    shown.fixture.phase = Phase::InningsBreak;
    assert_eq!(headline(&shown), "Innings break: target 169");
}

#[test]
fn case_08_the_hash_of_a_state() {
    let text = r#"{"v":1,"matchId":"9000001","team":"neutral","league":"CTL","format":"T20","phase":"live","day":null,"teams":[{"id":"101","code":"HAR","name":"Harbour Hawks","score":"168/7 (20)"},{"id":"102","code":"KIN","name":"Kinsale Kestrels","score":"111/4 (13)"}],"batting":"102","innings":2,"batters":[{"id":"2004","name":"R. Iyer","runs":46,"balls":31,"fours":4,"sixes":2,"onStrike":true},{"id":"2006","name":"J. Brandt","runs":0,"balls":1,"fours":0,"sixes":0,"onStrike":false}],"bowler":{"id":"1009","name":"T. Okafor","figures":"3-0-22-2"},"thisOver":["1","0","4","1","W","0"],"target":169,"need":58,"ballsLeft":42,"runRate":"8.54","requiredRate":"8.29","projected":null,"headline":"Kinsale Kestrels need 58 from 42 balls","event":{"kind":"wicket","title":"WICKET","text":"L. Moyo c A. Mensah b T. Okafor 21 (14)","ball":"12.5","innings":2,"mood":"neutral"},"result":null,"updatedAt":"2026-11-15T14:30:00.000Z","stale":false}"#;
    let state: DisplayState = serde_json::from_str(text).unwrap();
    let neutral = "3c9de4ff03055db98775640a13fbbf2136b1dab4aa3ada8f3930a3646c00ac64";
    assert_eq!(state.hash(), neutral);
    // All keys, in their order, without what is added when it is read.
    let own = text.replace(r#","updatedAt":"2026-11-15T14:30:00.000Z","stale":false"#, "");
    assert_eq!(state.to_json(), own);
    let later: DisplayState = serde_json::from_str(&text.replace("14:30:00", "14:31:00")).unwrap();
    assert_eq!(later.hash(), neutral);
    let seen = |team: &str, title: &str, mood| {
        let mut state = state.clone();
        state.team = team.to_owned();
        if team == "102" {
            state.teams.reverse();
        }
        let event = state.event.as_mut().unwrap();
        (event.title, event.mood) = (title.to_owned(), mood);
        state.hash()
    };
    let home = seen("101", "WICKET!", Mood::Good);
    assert!(home.starts_with("7825863a") && home.ends_with("afa4"), "{home}");
    let away = seen("102", "Wicket lost", Mood::Bad);
    assert!(away.starts_with("d625e7e9") && away.ends_with("29b5"), "{away}");
}

/// Six balls of over 5 and one of over 7 by the same bowler; another one bowls over 6.
fn hat_trick(between: Option<Value>) -> FeedFixture {
    let mut balls = vec![];
    for (number, score) in
        [runs(0), runs(0), runs(0), runs(0), wicket(), wicket()].into_iter().enumerate()
    {
        balls.push(ball(number as u64 + 1, &format!("4.{}", number + 1), score));
    }
    let mut other = ball(7, "5.1", runs(1));
    other["bowler_id"] = json!(2010);
    balls.push(other);
    if let Some(score) = between {
        balls.push(ball(8, "6.1", score));
    }
    balls.push(ball(9, "6.1", wicket()));
    balls.push(ball(10, "6.2", runs(0)));
    feed("1st Innings", balls)
}

#[test]
fn case_09_a_hat_trick_over_two_overs() {
    let known = known(Format::T20);
    let progress = ProcessingState { last_processed_ball: BallId::new("7").ok(), ..fresh() };
    let advanced = step(&known, Some(&progress), &hat_trick(None), TEN);
    let event = advanced.event.unwrap();
    assert_eq!((event.kind, event.text.as_str()), (EventKind::HatTrick, "T. Okafor"));
    assert_eq!(event_title(&event, "102"), "HAT-TRICK");
    let advanced = step(&known, Some(&progress), &hat_trick(Some(wide())), TEN);
    assert_eq!(advanced.event.unwrap().kind, EventKind::Wicket);
}

#[test]
fn case_10_a_fifty_and_a_wicket_in_one_tick() {
    let known = known(Format::T20);
    let mut balls: Vec<Value> = (1..=8)
        .map(|id| ball(id, &format!("{}.{}", (id - 1) / 6, (id - 1) % 6 + 1), runs(6)))
        .collect();
    let progress = step(&known, Some(&fresh()), &feed("1st Innings", balls.clone()), TEN).progress;
    balls.push(ball(9, "1.3", runs(2)));
    balls.push(ball(10, "1.4", wicket()));
    balls.push(ball(11, "1.5", runs(0)));
    let both = step(&known, Some(&progress), &feed("1st Innings", balls.clone()), TEN + 120_000);
    assert_eq!(both.event.unwrap().kind, EventKind::Wicket);
    assert!(both.progress.fired.contains(&"50:1001:1".to_owned()));
    balls.push(ball(12, "1.6", runs(1)));
    balls.push(ball(13, "2.1", runs(1)));
    let later = step(&known, Some(&both.progress), &feed("1st Innings", balls), TEN + 180_000);
    assert_eq!(later.event, None);
}

#[test]
fn case_11_a_six_cools_down_for_a_minute() {
    let known = known(Format::T20);
    let at = |id: u64, label: &str, score: Value, seconds: i64| {
        let mut ball = ball(id, label, score);
        ball["updated_at"] = json!(TEN + seconds * 1000);
        ball
    };
    let mut balls = vec![at(1, "0.1", runs(6), 0), at(2, "0.2", runs(0), 1)];
    let first = step(&known, Some(&fresh()), &feed("1st Innings", balls.clone()), TEN);
    assert_eq!(first.event.unwrap().kind, EventKind::Six);
    balls.extend([at(3, "0.3", runs(6), 59), at(4, "0.4", runs(0), 59)]);
    let second = step(&known, Some(&first.progress), &feed("1st Innings", balls.clone()), TEN);
    assert_eq!(second.event, None);
    balls.extend([at(5, "0.5", runs(6), 60), at(6, "0.6", runs(0), 60)]);
    let third = step(&known, Some(&second.progress), &feed("1st Innings", balls), TEN);
    assert_eq!(third.event.unwrap().kind, EventKind::Six);
}

#[test]
fn case_12_a_four_that_becomes_five_wides() {
    let known = known(Format::T20);
    let four = feed("1st Innings", vec![ball(1, "0.1", runs(4))]);
    let first = step(&known, Some(&fresh()), &four, TEN);
    assert_eq!((first.event, &first.progress.last_processed_ball), (None, &None));
    let wides = json!({"name": "5 Wides", "runs": 5, "ball": false});
    let wides = feed("1st Innings", vec![ball(1, "0.1", wides)]);
    let second = step(&known, Some(&first.progress), &wides, TEN + 2_500);
    assert_eq!((second.event, &second.progress.last_processed_ball), (None, &None));
    let third = step(&known, Some(&second.progress), &wides, TEN + 5_000);
    assert_eq!((third.event, third.progress.last_processed_ball), (None, BallId::new("1").ok()));
    let facts = facts(&known, &wides, TEN);
    let card = &scorecard(&facts.view, &[])[0];
    assert_eq!((card.extras.total, card.extras.wd, card.batting[0].batter.fours), (5, 5, 0));
}

#[test]
fn case_13_coverage_is_not_play() {
    let mut raw = json!({"id": 1, "status": "NS", "live": true, "type": "T20"});
    let feed = FeedFixture::from_json(&raw).unwrap();
    let before = with(known(Format::T20), |fixture| fixture.phase = Phase::Scheduled);
    let read = facts(&before, &feed, TEN);
    assert_eq!((read.view.phase, read.view.phase.is_in_live_index()), (Phase::Scheduled, false));
    raw["toss_won_team_id"] = json!("102");
    raw["elected"] = json!("bowling");
    let feed = FeedFixture::from_json(&raw).unwrap();
    assert_eq!(facts(&before, &feed, TEN).view.phase, Phase::Toss);
    let odd = FeedFixture::from_json(&json!({"id": 1, "status": "Elevenses"})).unwrap();
    let read = facts(&known(Format::T20), &odd, TEN);
    assert_eq!((read.view.phase, read.is_status_unknown), (Phase::Live, true));
}

#[test]
fn case_14_a_result_is_held_until_there_is_a_winner() {
    let known = known(Format::T20);
    let finished = |winner: Value| {
        FeedFixture::from_json(&json!({
            "id": 1, "status": "Finished", "winner_team_id": winner, "type": "T20",
            "runs": [{"team_id": 101, "inning": 1, "score": 160, "wickets": 7, "overs": 20},
                     {"team_id": 102, "inning": 2, "score": 148, "wickets": 10, "overs": "19.4"}],
        }))
        .unwrap()
    };
    let mut progress = fresh();
    for minute in 0..=4 {
        let at = TEN + minute * 60_000;
        let since = progress.cooldowns.get("confirming").copied();
        let read = read_facts(&known, &finished(Value::Null), at, since);
        assert_eq!(read.view.result.as_ref().unwrap().text, "Result being confirmed");
        let advanced = advance(&known, Some(&progress), &read, at, true);
        assert_eq!(advanced.event, None);
        progress = advanced.progress;
    }
    let since = progress.cooldowns.get("confirming").copied();
    assert_eq!(since, Some(TEN));
    // The runs contradict the other side.
    let wrong = read_facts(&known, &finished(json!(102)), TEN + 245_000, since);
    assert!(!wrong.view.fixture.result.unwrap().is_settled());
    let at = TEN + 250_000;
    let read = read_facts(&known, &finished(json!(101)), at, since);
    let end = advance(&known, Some(&progress), &read, at, true);
    let event = end.event.unwrap();
    assert_eq!(
        (event.kind, event.text.as_str()),
        (EventKind::MatchEnd, "Harbour Hawks won by 12 runs")
    );
    assert_eq!(advance(&known, Some(&end.progress), &read, at, true).event, None);
    // After five minutes our own result counts.
    let own = read_facts(&known, &finished(Value::Null), TEN + 300_000, since);
    assert_eq!(own.view.fixture.result.unwrap().text, "Harbour Hawks won by 12 runs");
}

#[test]
fn a_match_without_balls_is_read_from_its_tables() {
    let known = with(known(Format::T20), |fixture| {
        fixture.innings = vec![innings(1, "101", 80, 1, 60)];
    });
    let feed = FeedFixture::from_json(&json!({
        "id": 1, "status": "1st Innings", "type": "T20", "balls": null,
        "runs": {"data": [{"team_id": "101", "inning": "1", "score": "92", "wickets": 2, "overs": "10.299999999"}]},
        "batting": {"0": {"scoreboard": "S1", "player_id": 1001, "score": 51, "ball": 30, "active": "1", "four_x": 5}},
        "bowling": [{"scoreboard": "S1", "player_id": 2009, "overs": 2, "medians": 0, "runs": 18, "wickets": 1, "active": true}],
        "lineup": [{"id": 1001, "fullname": "Ravi Iyer"}],
    }))
    .unwrap();
    let read = facts(&known, &feed, TEN);
    assert_eq!(read.view.innings, [innings(1, "101", 92, 2, 63)]);
    let advanced = advance(&known, Some(&fresh()), &read, TEN, false);
    assert_eq!(advanced.event.unwrap().kind, EventKind::Wicket);
    assert_eq!(advanced.progress.fired, ["50:1001:1"]);
    let state = display(&read.view, "101");
    assert_eq!((state.batters[0].name.as_str(), state.batters[0].runs), ("R. Iyer", 51));
    assert_eq!(state.bowler.unwrap().figures, "2-0-18-1");
}

#[test]
fn a_score_of_more_balls_counts_and_on_equal_balls_that_of_the_feed() {
    let known = known(Format::T20);
    let of = |score: u32, overs: &str| {
        let mut feed = feed("1st Innings", vec![ball(1, "0.1", runs(1)), ball(2, "0.2", runs(2))]);
        feed.runs = FeedFixture::from_json(&json!({"id": 1, "runs": [
            {"team_id": 101, "inning": 1, "score": score, "wickets": 0, "overs": overs}]}))
        .unwrap()
        .runs;
        facts(&known, &feed, TEN).view.innings[0].runs
    };
    assert_eq!((of(1, "0.1"), of(9, "0.3"), of(8, "0.2")), (3, 9, 8));
}

#[test]
fn the_day_of_a_test() {
    let of = |before: (Phase, Option<u32>), status: &str, hours: i64| {
        let known = with(known(Format::Test), |fixture| (fixture.phase, fixture.day) = before);
        facts(&known, &feed(status, vec![]), TEN + hours * 3_600_000).view.day
    };
    assert_eq!(of((Phase::Scheduled, None), "1st Innings", 1), Some(1));
    assert_eq!(of((Phase::Scheduled, None), "2nd Innings", 50), Some(3));
    assert_eq!(of((Phase::Live, Some(1)), "Stump Day 1", 8), Some(1));
    assert_eq!(of((Phase::Stumps, Some(1)), "Stump Day 1", 20), Some(1));
    assert_eq!(of((Phase::Stumps, Some(1)), "1st Innings", 24), Some(2));
    assert_eq!(of((Phase::Live, Some(2)), "Lunch", 27), Some(2));
}

#[test]
fn case_25_what_belongs_to_a_match_is_kept_48_hours_longer() {
    let hours = |format: Format| format.expiry().as_secs() / 3600;
    assert_eq!((hours(Format::Test), hours(Format::T20)), (168, 53));
    assert_eq!((hours(Format::Odi), hours(Format::Fc)), (58, 144));
}

#[test]
fn play_that_stops_and_resumes_fires_once_in_a_quarter_of_an_hour() {
    let live = known(Format::T20);
    let stopped = with(live.clone(), |fixture| fixture.phase = Phase::Interrupted);
    let rain = feed("Int.", vec![ball(1, "0.1", runs(1))]);
    let play = feed("1st Innings", vec![ball(1, "0.1", runs(1))]);
    let first = step(&live, Some(&fresh()), &rain, TEN);
    assert_eq!(first.event.unwrap().kind, EventKind::Stopped);
    let second = step(&stopped, Some(&first.progress), &play, TEN + 60_000);
    assert_eq!(second.event.unwrap().kind, EventKind::Resumed);
    let third = step(&live, Some(&second.progress), &rain, TEN + 120_000);
    assert_eq!(third.event, None);
    let fourth = step(&live, Some(&third.progress), &rain, TEN + 900_000);
    assert_eq!(fourth.event.unwrap().kind, EventKind::Stopped);
}

/// Also when the next innings has begun already, as after a seek.
#[test]
fn an_innings_that_ended_is_shown_with_its_own_score() {
    let known = known(Format::T20);
    let feed = feed("2nd Innings", vec![]);
    let played = vec![innings(1, "101", 168, 7, 120), innings(2, "102", 62, 4, 61)];
    let mut facts = facts(&known, &feed, TEN);
    facts.view.fixture.innings = played;
    let advanced = advance(&known, Some(&fresh()), &facts, TEN, false);
    let event = advanced.event.unwrap();
    assert_eq!((event.kind, event.score.as_str()), (EventKind::InningsEnd, "HAR 168/7 (20)"));
}

/// "INNINGS OVER" stood on the page for twelve balls of the chase.
#[test]
fn the_end_of_an_innings_is_shown_until_the_next_one_begins() {
    let known = known(Format::T20);
    let one = innings(1, "101", 168, 7, 120);
    let of = |status: &str, played: Vec<InningsScore>, before: Option<&ProcessingState>| {
        let feed = feed(status, vec![]);
        let mut facts = facts(&known, &feed, TEN);
        facts.view.fixture.innings = played;
        let advanced = advance(&known, before, &facts, TEN, false);
        facts.view.last_event.clone_from(&advanced.progress.last_event);
        (advanced.progress, display(&facts.view, "neutral").event.map(|event| event.kind))
    };
    let (progress, shown) = of("Innings Break", vec![one.clone()], Some(&fresh()));
    assert_eq!(shown, Some(EventKind::InningsEnd));
    let begun = vec![one, innings(2, "102", 0, 0, 0)];
    let (_, shown) = of("2nd Innings", begun, Some(&progress));
    assert_eq!(shown, None);
}
