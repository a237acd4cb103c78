//! Generated matches: the same for a seed, and plausible over many of them.

use cricket::generate::{enforces_follow_on, name_of, parse_name, play, tape, uncut_innings};
use cricket::rules::Format;
use ring::digest::{SHA256, digest};

fn sha256(text: &str) -> String {
    digest(&SHA256, text.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Mean and standard deviation.
fn spread(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, (squares / values.len() as f64).sqrt())
}

#[test]
fn a_seed_gives_the_same_bytes_and_score() {
    for (name, expected, hash) in [
        (
            "t20-20",
            "196/2 178/6",
            "86f1ac6888c89c4f18ef8c454a257af029ca31ed66bd6808c6d2e5b8224dc09f",
        ),
        (
            "odi-50",
            "258/5 262/4",
            "d1655a1328eecde19a5ebe0431d61076673c5e6c95461ec2e1fae14427ebb1d3",
        ),
        (
            "test-5",
            "216/10 295/10 294/10 216/7",
            "f29b9e5ed612d2915dcdcd87988ba6f23b49d14bfd08efd5b9777184c8dc179f",
        ),
    ] {
        let (format, seed) = parse_name(name).unwrap();
        let scores: Vec<String> = play(format, seed)
            .innings
            .iter()
            .map(|one| format!("{}/{}", one.runs, one.wickets))
            .collect();
        assert_eq!(scores.join(" "), expected, "{name}");
        assert_eq!(sha256(&tape(name).unwrap()), hash, "{name}");
    }
}

#[test]
fn t20_scores_are_plausible() {
    let first: Vec<_> = (1..=1000).map(|seed| play(Format::T20, seed).innings[0].clone()).collect();
    let runs: Vec<f64> = first.iter().map(|one| f64::from(one.runs)).collect();
    let (mean, deviation) = spread(&runs);
    let all_out = first.iter().filter(|one| one.wickets == 10).count();
    assert!((156.0..=166.0).contains(&mean), "{mean}");
    assert!((19.0..=25.0).contains(&deviation), "{deviation}");
    assert!((70..=140).contains(&all_out), "{all_out}");
}

#[test]
fn one_day_scores_are_plausible() {
    let first = (1..=1000).map(|seed| play(Format::Odi, seed).innings[0].runs);
    let runs: Vec<f64> = first.map(f64::from).collect();
    let (mean, deviation) = spread(&runs);
    assert!((246.0..=260.0).contains(&mean), "{mean}");
    assert!((38.0..=46.0).contains(&deviation), "{deviation}");
}

#[test]
fn test_scores_are_plausible() {
    let innings: Vec<(u32, u32)> = (1..=1000).map(uncut_innings).collect();
    let runs: f64 = innings.iter().map(|(runs, _)| f64::from(*runs)).sum();
    let balls: f64 = innings.iter().map(|(_, balls)| f64::from(*balls)).sum();
    let (mean, rate) = (runs / 1000.0, 6.0 * runs / balls);
    assert!((293.0..=322.0).contains(&mean), "{mean}");
    assert!((3.1..=3.3).contains(&rate), "{rate}");
}

#[test]
fn case_07_a_lead_of_199_never_enforces_the_follow_on() {
    assert!((0..1000).all(|roll| !enforces_follow_on(Format::Test, 199, roll)));
    assert!(
        enforces_follow_on(Format::Test, 200, 599) && !enforces_follow_on(Format::Test, 200, 600)
    );
    assert!(enforces_follow_on(Format::Fc, 150, 0) && !enforces_follow_on(Format::Fc, 149, 0));
    let mut enforced = 0;
    for seed in 1..=300 {
        let played = play(Format::Test, seed);
        if played.follow_on {
            enforced += 1;
            assert!(played.innings[0].runs >= played.innings[1].runs + 200, "seed {seed}");
            assert_eq!(played.innings[1].side, played.innings[2].side);
        }
    }
    assert!(enforced > 0);
}

#[test]
fn names_of_tapes_are_unique() {
    assert_eq!(parse_name("t20-20"), Some((Format::T20, 20)));
    assert_eq!(name_of(Format::Test, 5).as_deref(), Some("test-5"));
    for name in ["t20-020", "t20-", "t20", "hundred-1", "t20--1", "t20-1000001"] {
        assert_eq!(parse_name(name), None, "{name}");
    }
}

/// The finished matches of the demo data, tapes `t20-210` and `t20-624`.
#[test]
fn one_demo_match_is_decided_by_few_runs_and_one_by_a_super_over() {
    let close = play(Format::T20, 210);
    let margin = close.innings[0].runs - close.innings[1].runs;
    assert!(close.innings.len() == 2 && (1..10).contains(&margin), "{margin}");
    let decided = play(Format::T20, 624);
    assert!(decided.winner.is_some() && decided.innings[2].is_super);
}
