//! The rule tables, example by example.

use hacktracker::design::{AtBat, AtBatId, AtBatResult, GameId, HitType, PlayerId, TeamId};
use hacktracker::error::Error;
use hacktracker::rules::play::{
    Push, Situation, check, check_batted, defaults, named, proposed_rbis, settle,
};
use hacktracker::rules::stats::Line;
use singlet::Timestamp;
use singlet_web::problem::ApiError as _;

use AtBatResult::{Bb, Double, E, Fc, Hbp, Hr, K, Out, Sac, Single, Triple};

const ALL: [AtBatResult; 11] = [K, Bb, Hbp, Single, Double, Triple, Hr, Out, Sac, Fc, E];

fn on(bases: &[u8], outs: u8) -> Situation {
    Situation { taken: [1, 2, 3].map(|base| bases.contains(&base)), outs }
}

/// Destinations of the batter and of the runners on these bases.
fn ends(result: AtBatResult, hit_type: Option<HitType>, bases: &[u8], outs: u8) -> Vec<u8> {
    defaults(result, hit_type, on(bases, outs)).into_iter().flatten().collect()
}

/// Result, type of the hit, bases that are taken, outs; and where batter and runners end.
type Row = (AtBatResult, Option<HitType>, &'static [u8], u8, &'static [u8]);

#[test]
fn results_have_the_destinations_of_the_table() {
    let table: [Row; 27] = [
        (Single, None, &[1, 2, 3], 0, &[1, 2, 3, 4]),
        (Double, None, &[1, 2, 3], 0, &[2, 3, 4, 4]),
        (Triple, None, &[1, 2, 3], 0, &[3, 4, 4, 4]),
        (Hr, None, &[1, 2, 3], 0, &[4, 4, 4, 4]),
        (Single, None, &[], 2, &[1]),
        // Forced ones move.
        (Bb, None, &[1], 0, &[1, 2]),
        (Bb, None, &[2], 0, &[1, 2]),
        (Bb, None, &[3], 0, &[1, 3]),
        (Bb, None, &[1, 3], 0, &[1, 2, 3]),
        (Hbp, None, &[1, 2], 0, &[1, 2, 3]),
        (Bb, None, &[1, 2, 3], 0, &[1, 2, 3, 4]),
        // A fly: the lead runner. A bunt: each.
        (Sac, None, &[3], 0, &[0, 4]),
        (Sac, Some(HitType::FlyBall), &[1, 3], 1, &[0, 1, 4]),
        (Sac, None, &[1, 2], 0, &[0, 1, 3]),
        (Sac, Some(HitType::Bunt), &[1, 2], 0, &[0, 2, 3]),
        // First occupied: that runner is out, and forced ones move.
        (Fc, None, &[1], 0, &[1, 0]),
        (Fc, None, &[1, 2], 0, &[1, 0, 3]),
        (Fc, None, &[1, 3], 0, &[1, 0, 3]),
        (Fc, None, &[1, 2, 3], 1, &[1, 0, 3, 4]),
        // Else the lead runner.
        (Fc, None, &[2], 0, &[1, 0]),
        (Fc, None, &[2, 3], 0, &[1, 2, 0]),
        // A third out moves nobody else.
        (Fc, None, &[1, 2, 3], 2, &[1, 0, 2, 3]),
        (E, None, &[1, 2, 3], 0, &[1, 2, 3, 4]),
        (Out, None, &[1, 3], 0, &[0, 1, 3]),
        (K, None, &[2], 0, &[0, 2]),
        (Out, None, &[1, 2, 3], 2, &[0, 1, 2, 3]),
        (Out, None, &[], 0, &[0]),
    ];
    for (result, hit_type, bases, outs, expected) in table {
        assert_eq!(ends(result, hit_type, bases, outs), expected, "{result:?} {bases:?} {outs}");
    }
}

#[test]
fn rbis_are_proposed_as_in_the_table() {
    for result in [Single, Double, Triple, Hr, Bb, Hbp, Sac, Fc, Out] {
        assert_eq!(proposed_rbis(result, 2, 1), 2, "{result:?}");
    }
    assert_eq!(proposed_rbis(Out, 1, 2), 0);
    assert_eq!((proposed_rbis(E, 1, 0), proposed_rbis(K, 1, 1)), (0, 0));
}

/// Whether a play with these destinations is refused.
fn is_refused(result: AtBatResult, bases: &[u8], outs: u8, moves: &[(u8, u8)]) -> bool {
    let situation = on(bases, outs);
    let play = || -> Result<(), Error> {
        let ends =
            settle(named(moves, situation)?, defaults(result, None, situation), Push::Unnamed)?;
        check(result, situation, ends)
    };
    play().is_err_and(|error| error.problem_type().name == "play-impossible")
}

#[test]
fn impossible_plays_are_refused() {
    for (result, bases, outs, moves) in [
        (Sac, &[1_u8][..], 2, &[][..]),
        (Sac, &[], 0, &[]),
        (Fc, &[], 0, &[]),
        (Out, &[], 0, &[(0, 1)]),
        (Bb, &[], 0, &[(0, 0)]),
        (Hbp, &[], 0, &[(0, 0)]),
        (Hr, &[], 0, &[(0, 0)]),
        // A fourth out.
        (Out, &[1, 2], 2, &[(1, 0)]),
        // A runner moved back, is named twice, is not there, shares a base, or is passed.
        (Single, &[2], 0, &[(2, 1)]),
        (Single, &[2], 0, &[(2, 3), (2, 4)]),
        (Single, &[2], 0, &[(1, 2)]),
        (Single, &[1], 0, &[(1, 1)]),
        (Single, &[1], 0, &[(0, 3), (1, 2)]),
        (Single, &[1], 0, &[(0, 4), (1, 3)]),
    ] {
        assert!(is_refused(result, bases, outs, moves), "{result:?} {bases:?} {outs} {moves:?}");
    }
    for (result, bases, outs, moves) in [
        // Thrown out stretching; dropped third strike; double play; run before a tag.
        (Single, &[][..], 0, &[(0, 0)][..]),
        (K, &[1], 0, &[(0, 1)]),
        (Out, &[1], 0, &[(1, 0)]),
        (Single, &[2, 3], 2, &[(2, 4), (3, 4), (0, 0)]),
        (Sac, &[3], 1, &[]),
    ] {
        assert!(!is_refused(result, bases, outs, moves), "{result:?} {bases:?} {outs} {moves:?}");
    }
    for result in ALL {
        let has_ball = !matches!(result, K | Bb | Hbp);
        assert_eq!(check_batted(result, true).is_ok(), has_ball, "{result:?}");
        assert!(check_batted(result, false).is_ok());
    }
}

#[test]
fn runners_who_are_not_named_are_pushed_on() {
    let settled = |result, bases: &[u8], moves: &[(u8, u8)]| {
        let situation = on(bases, 0);
        let ends = settle(
            named(moves, situation).unwrap(),
            defaults(result, None, situation),
            Push::Unnamed,
        );
        ends.unwrap().into_iter().flatten().collect::<Vec<u8>>()
    };
    // The batter takes second on the throw: the runner from first goes on to third.
    assert_eq!(settled(Single, &[1], &[(0, 2)]), [2, 3]);
    assert_eq!(settled(K, &[1, 2], &[(0, 1)]), [1, 2, 3]);
    assert_eq!(settled(K, &[1, 2, 3], &[(0, 1)]), [1, 2, 3, 4]);
    // Nobody is passed.
    assert_eq!(settled(Single, &[1, 2], &[(0, 4)]), [4, 4, 4]);
}

pub(crate) fn at_bat(result: AtBatResult, hit_type: Option<HitType>) -> AtBat {
    let now = Timestamp::from_millis(0);
    AtBat {
        game_id: GameId::new("g").unwrap(),
        at_bat_id: AtBatId::new("a").unwrap(),
        player_id: PlayerId::new("p").unwrap(),
        team_id: TeamId::new("t").unwrap(),
        inning: 1,
        outs: 0,
        result,
        rbis: 0,
        hit_location: None,
        hit_type,
        batting_order: None,
        slot_up: None,
        sequence: 1,
        moves: Vec::new(),
        scored: false,
        created_at: now,
        updated_at: now,
    }
}

fn line(results: &[(AtBatResult, usize)]) -> Line {
    let all = results.iter().flat_map(|(result, count)| vec![at_bat(*result, None); *count]);
    Line::of(&all.collect::<Vec<_>>())
}

fn averages(line: &Line) -> [&str; 4] {
    [&line.avg, &line.obp, &line.slg, &line.ops].map(|one| one.as_deref().unwrap_or("–"))
}

#[test]
fn results_count_as_in_the_table() {
    for (result, ab, h, tb, reached, chances) in [
        (Single, 1, 1, 1, 1, 1),
        (Double, 1, 1, 2, 1, 1),
        (Triple, 1, 1, 3, 1, 1),
        (Hr, 1, 1, 4, 1, 1),
        (Bb, 0, 0, 0, 1, 1),
        (Hbp, 0, 0, 0, 1, 1),
        (Sac, 0, 0, 0, 0, 1),
        (Fc, 1, 0, 0, 0, 1),
        (E, 1, 0, 0, 0, 1),
        (Out, 1, 0, 0, 0, 1),
        (K, 1, 0, 0, 0, 1),
    ] {
        // With a single in four at-bats before it.
        let line = line(&[(Single, 1), (Out, 3), (result, 1)]);
        assert_eq!((line.pa, line.ab, line.h, line.tb), (5, 4 + ab, 1 + h, 1 + tb), "{result:?}");
        let obp = (2000 * (1 + reached) + 4 + chances) / (2 * (4 + chances));
        assert_eq!(line.obp.unwrap(), format!(".{obp:03}"), "{result:?}");
    }
    let bunt = Line::of([&at_bat(Sac, Some(HitType::Bunt))]);
    assert_eq!((bunt.pa, bunt.sacrifices, bunt.sf, bunt.obp), (1, 1, 0, None));
    let fly = Line::of([&at_bat(Sac, Some(HitType::FlyBall))]);
    assert_eq!((fly.sf, fly.obp.as_deref()), (1, Some(".000")));
}

#[test]
fn the_example_of_averages() {
    let results = [
        (Single, 4),
        (Double, 2),
        (Hr, 1),
        (Bb, 2),
        (Hbp, 1),
        (Sac, 1),
        (K, 3),
        (Out, 8),
        (Fc, 1),
        (E, 1),
    ];
    let with_fly = line(&results);
    assert_eq!((with_fly.pa, with_fly.ab, with_fly.h, with_fly.tb), (24, 20, 7, 12));
    assert_eq!(averages(&with_fly), [".350", ".417", ".600", "1.017"]);
    let mut all: Vec<AtBat> =
        results.iter().flat_map(|(result, count)| vec![at_bat(*result, None); *count]).collect();
    for one in all.iter_mut().filter(|one| one.result == Sac) {
        one.hit_type = Some(HitType::Bunt);
    }
    let with_bunt = Line::of(&all);
    assert_eq!(averages(&with_bunt), [".350", ".435", ".600", "1.035"]);
}

#[test]
fn case_14_averages_are_rounded_once_and_missing_without_chances() {
    assert_eq!(averages(&line(&[(Single, 3), (Out, 6)])), [".333", ".333", ".333", ".667"]);
    assert_eq!(line(&[(Single, 1), (Out, 15)]).avg.as_deref(), Some(".063"));
    assert_eq!(averages(&line(&[(Bb, 2), (Hbp, 1)])), ["–", "1.000", "–", "–"]);
    let bunt = Line::of([&at_bat(Sac, Some(HitType::Bunt))]);
    assert_eq!(averages(&bunt), ["–", "–", "–", "–"]);
    assert_eq!(averages(&Line::default()), ["–", "–", "–", "–"]);
}
