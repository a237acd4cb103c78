//! Random games with random corrections: what the rules derive equals what is computed from
//! scratch.

use crate::fixture::moves;
use hacktracker::design::{
    AtBat, AtBatId, AtBatResult, Book, Game, GameId, GameStatus, Half, HitType, HomeAway, How,
    Move, PlayerId, TeamId,
};
use hacktracker::input::{AtBatChange, NewAtBat, NewInsert, NewMove};
use hacktracker::rules::half::{self, HalfInning};
use hacktracker::rules::inning::{PLACED, replay, totals};
use hacktracker::rules::scoring;
use hacktracker::rules::stats::Line;
use hacktracker::rules::summary;
use singlet::Timestamp;
use singlet_web::api::Change;
use std::collections::BTreeMap;

/// How many games are played.
const GAMES: u64 = 1000;
/// How many things happen in each.
const STEPS: u32 = 90;

/// A small generator, so that a failing game can be played again by its number.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(bound)).unwrap()
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(u32::try_from(of.len()).unwrap()) as usize].clone()
    }

    /// How the ball was hit: half of the sacrifices are bunts, which count differently.
    pub(crate) fn hit_type(&mut self, result: AtBatResult) -> Option<HitType> {
        (result == AtBatResult::Sac && self.below(2) == 0).then_some(HitType::Bunt)
    }
}

pub(crate) const RESULTS: [AtBatResult; 14] = [
    AtBatResult::K,
    AtBatResult::Bb,
    AtBatResult::Hbp,
    AtBatResult::Single,
    AtBatResult::Single,
    AtBatResult::Double,
    AtBatResult::Triple,
    AtBatResult::Hr,
    AtBatResult::Out,
    AtBatResult::Out,
    AtBatResult::Out,
    AtBatResult::Sac,
    AtBatResult::Fc,
    AtBatResult::E,
];

fn new_game(dice: &mut Dice) -> Book {
    let now = Timestamp::from_millis(0);
    let players = 4 + dice.below(8);
    let mut game = Game {
        game_id: GameId::new("game").unwrap(),
        team_id: TeamId::new("team").unwrap(),
        status: GameStatus::InProgress,
        scheduled_start: None,
        opponent_name: None,
        location: None,
        season_id: None,
        team_score: 0,
        opponent_score: 0,
        lineup: (0..players).map(|one| PlayerId::new(format!("p{one}")).unwrap()).collect(),
        home_away: dice.pick(&[None, Some(HomeAway::Away), Some(HomeAway::Home)]),
        regulation_innings: None,
        revision: 1,
        last_event: None,
        at_bat_count: 0,
        state: None,
        team_runs: None,
        opponent_runs: None,
        ended_early: None,
        hand_score: None,
        placed: None,
        started_at: None,
        finished_at: None,
        created_at: now,
        updated_at: now,
    };
    half::begin(&mut game);
    Book { game, at_bats: Vec::new() }
}

/// One thing that a scorer may do; what is refused changes nothing.
fn step(book: &Book, dice: &mut Dice, number: u32) -> Book {
    let state = book.game.state.clone().unwrap();
    let any_moves = |dice: &mut Dice| -> Vec<NewMove> {
        let count = dice.below(3);
        let any = |_| NewMove { from: dice.below(4) as u8, to: dice.below(5) as u8 };
        (0..count).map(any).collect()
    };
    let known = |dice: &mut Dice| match book.at_bats.is_empty() {
        true => AtBatId::new("none").unwrap(),
        false => dice.pick(&book.at_bats).at_bat_id,
    };
    let id = AtBatId::new(format!("a{number:03}")).unwrap();
    let now = Timestamp::from_millis(i64::from(number));
    let only_game = |game: Game| Book { game, at_bats: book.at_bats.clone() };
    let rescored = match dice.below(100) {
        0..60 if state.half == Half::Team => {
            let moves = (dice.below(4) == 0).then(|| any_moves(dice));
            let rbis = (dice.below(10) == 0).then(|| dice.below(3) as u8);
            let player_id = (dice.below(12) == 0).then(|| dice.pick(&book.game.lineup));
            let result = dice.pick(&RESULTS);
            let hit_type = dice.hit_type(result);
            let new = NewAtBat { moves, rbis, player_id, hit_type, result, ..NewAtBat::default() };
            scoring::record(book, id, now, &new)
        }
        0..60 => {
            let next = state.position().next(book.game.home_away);
            let runner = (dice.below(8) == 0).then(|| dice.pick(&book.game.lineup));
            return half::change(book, next, runner.as_ref()).map_or(book.clone(), only_game);
        }
        60..72 => {
            let result = (dice.below(3) > 0).then(|| dice.pick(&RESULTS));
            let hit_type = result.and_then(|result| dice.hit_type(result));
            let correction = AtBatChange {
                result,
                hit_type: hit_type.map_or(Change::Keep, Change::Set),
                moves: (dice.below(4) == 0).then(|| any_moves(dice)),
                rbis: (dice.below(6) == 0).then(|| dice.below(3) as u8),
                ..AtBatChange::default()
            };
            scoring::correct(book, &known(dice), &correction)
        }
        72..77 => scoring::remove(book, &known(dice)),
        77..82 => scoring::undo(book),
        82..87 => {
            let after = known(dice);
            let inning = book.at_bats.iter().find(|one| one.at_bat_id == after);
            let inning = inning.map_or(1, |one| one.inning);
            let after = (dice.below(4) > 0 && !book.at_bats.is_empty()).then_some(after);
            let new = NewAtBat { result: dice.pick(&RESULTS), ..NewAtBat::default() };
            let insert = Some(NewInsert { inning, after });
            scoring::record(book, id, now, &NewAtBat { insert, ..new })
        }
        87..94 => {
            let how = dice.pick(&[How::Sb, How::Cs, How::Wp, How::Pb, How::Other]);
            scoring::move_runners(book, &any_moves(dice), how)
        }
        94..96 => {
            let at = state.position();
            let to = if dice.below(2) == 0 { at.previous(book.game.home_away) } else { None };
            let to = to.unwrap_or(at.next(book.game.home_away));
            return half::change(book, to, None).map_or(book.clone(), only_game);
        }
        _ => {
            let (inning, runs) = (1 + dice.below(4) as u8, dice.below(6) as u16);
            let changed = scoring::set_opponent_runs(&book.game, inning, runs);
            return changed.map_or(book.clone(), only_game);
        }
    };
    rescored.map_or(book.clone(), |rescored| rescored.book)
}

/// What a half comes to, by following the stored moves and nothing else.
fn follow(at_bats: &[&AtBat], placed: bool) -> (Vec<Option<AtBatId>>, u32, u32) {
    let mut bases: BTreeMap<u8, AtBatId> = BTreeMap::new();
    if placed {
        bases.insert(2, AtBatId::new(PLACED).unwrap());
    }
    let (mut outs, mut runs) = (0_u32, 0_u32);
    for at_bat in at_bats {
        let on_play: Vec<&Move> = at_bat.moves.iter().filter(|one| one.how.is_none()).collect();
        assert_eq!(on_play.len(), bases.len() + 1, "everybody on base has a move");
        assert_eq!(u32::from(at_bat.outs), outs.min(2));
        let between = at_bat.moves.iter().filter(|one| one.how.is_some()).map(|one| vec![one]);
        for steps in std::iter::once(on_play).chain(between) {
            // All leave their bases before anybody arrives.
            for one in steps.iter().filter(|one| one.from > 0) {
                assert_eq!(bases.remove(&one.from), Some(one.at_bat_id.clone()), "{one:?}");
            }
            for one in steps {
                let is_batter = one.at_bat_id == at_bat.at_bat_id && one.how.is_none();
                assert_eq!(one.from == 0, is_batter);
                match one.to {
                    0 => outs += 1,
                    4 => runs += 1,
                    base => assert_eq!(bases.insert(base, one.at_bat_id.clone()), None, "{one:?}"),
                }
            }
        }
    }
    ((1..=3).map(|base| bases.get(&base).cloned()).collect(), outs, runs)
}

/// What is recorded and undone leaves nothing behind, unless it has ended the half.
fn check_undo(book: &Book) {
    let (id, now) = (AtBatId::new("undone").unwrap(), Timestamp::from_millis(1_000));
    let recorded = [AtBatResult::Single, AtBatResult::Bb, AtBatResult::Hr, AtBatResult::K]
        .map(|result| NewAtBat { result, ..NewAtBat::default() })
        .map(|new| scoring::record(book, id.clone(), now, &new));
    let moved = [vec![(1, 2), (2, 3)], vec![(1, 2)], vec![(2, 4), (3, 4)], vec![(3, 0)]]
        .map(|named| scoring::move_runners(book, &moves(&named), How::Sb));
    let position = |book: &Book| book.game.state.as_ref().unwrap().position();
    for changed in recorded.into_iter().chain(moved).flatten() {
        if position(&changed.book) == position(book) {
            assert_eq!(scoring::undo(&changed.book).unwrap().book, *book);
        }
    }
}

/// Everything that is derived, computed another way.
pub(crate) fn check(book: &Book) {
    let (game, state) = (&book.game, book.game.state.as_ref().unwrap());
    let innings = game.team_runs.as_ref().unwrap().len();
    assert!(book.at_bats.iter().all(|one| usize::from(one.inning) <= innings));
    assert_eq!(usize::from(game.at_bat_count), book.at_bats.len());
    let mut home = 0;
    let mut left_on_base = 0;
    for (inning, stored_runs) in (1_u8..).zip(game.team_runs.as_ref().unwrap()) {
        let half: Vec<&AtBat> = book.at_bats.iter().filter(|one| one.inning == inning).collect();
        let order: Vec<u8> = half.iter().map(|one| one.sequence).collect();
        assert_eq!(order, (1..=u8::try_from(half.len()).unwrap()).collect::<Vec<_>>());
        let placed = half::is_placed(game, inning);
        let (bases, outs, runs) = follow(&half, placed);
        assert_eq!(u32::from(*stored_runs), runs);
        home += runs;
        // Each at-bat has scored if its runner came home, and RBIs are runs.
        for at_bat in &half {
            let came_home = half.iter().flat_map(|one| &one.moves);
            let came_home =
                came_home.filter(|one| one.to == 4 && one.at_bat_id == at_bat.at_bat_id);
            assert_eq!(usize::from(at_bat.scored), came_home.count());
            let on_play = at_bat.moves.iter().filter(|one| one.how.is_none() && one.to == 4);
            assert!(usize::from(at_bat.rbis) <= on_play.count());
        }
        // Replayed, nothing changes.
        let owned: Vec<AtBat> = half.iter().map(|one| (*one).clone()).collect();
        let mut again = owned.clone();
        let summed = replay(&mut again, placed, None).unwrap();
        assert_eq!(again, owned);
        assert_eq!((u32::from(summed.outs), u32::from(summed.runs)), (outs, runs));
        assert_eq!(summed, totals(&owned, placed));
        let is_open = state.half == Half::Team && state.inning == inning;
        if is_open {
            assert!(outs < 3);
            assert_eq!((u32::from(state.outs), &state.bases), (outs, &bases));
            assert_eq!(usize::from(state.at_bats), half.len());
        } else {
            // PA + placed runners = runs + left on base + outs.
            let left = u32::try_from(bases.iter().flatten().count()).unwrap();
            let appeared = u32::try_from(half.len() + usize::from(placed)).unwrap();
            assert_eq!(appeared, runs + left + outs);
            let at = HalfInning { inning, half: Half::Team };
            if is_before(at, state.position(), game.home_away) {
                left_on_base += left;
                let is_early =
                    game.ended_early.iter().flatten().any(|one| *one == u16::from(inning));
                let issue = summary::issues(book).into_iter().find(|one| one.inning == inning);
                assert_eq!(issue.is_some(), outs != 3 && !is_early);
            }
        }
    }
    let opponent: u32 = game.opponent_runs.iter().flatten().map(|runs| u32::from(*runs)).sum();
    assert_eq!((u32::from(game.team_score), u32::from(game.opponent_score)), (home, opponent));
    assert_eq!(u32::from(summary::line_score(book).left_on_base), left_on_base);
    if state.half == Half::Opponent {
        assert_eq!((state.outs, state.at_bats), (0, 0));
        assert!(state.bases.iter().all(Option::is_none));
    }
    assert!(usize::from(state.next_batting_order) <= game.lineup.len());
    check_statistics(book);
}

fn is_before(at: HalfInning, position: HalfInning, home_away: Option<HomeAway>) -> bool {
    let order = |at: HalfInning| (at.inning, !at.is_top(home_away));
    order(at) < order(position)
}

/// Statistics, counted another way.
fn check_statistics(book: &Book) {
    for row in summary::box_score(book) {
        let own: Vec<&AtBat> =
            book.at_bats.iter().filter(|one| one.player_id == row.player_id).collect();
        let count = |results: &[AtBatResult]| {
            u32::try_from(own.iter().filter(|one| results.contains(&one.result)).count()).unwrap()
        };
        use AtBatResult::{Bb, Double, Hbp, Hr, Sac, Single, Triple};
        let line = row.line;
        let hits = count(&[Single, Double, Triple, Hr]);
        let bases =
            count(&[Single]) + 2 * count(&[Double]) + 3 * count(&[Triple]) + 4 * count(&[Hr]);
        let pa = u32::try_from(own.len()).unwrap();
        let at_bats = pa - count(&[Bb, Hbp, Sac]);
        assert_eq!((line.pa, line.ab, line.h, line.tb), (pa, at_bats, hits, bases));
        assert_eq!(line.g, u32::from(pa > 0));
        assert_eq!(line.r, u32::try_from(own.iter().filter(|one| one.scored).count()).unwrap());
        assert_eq!(line.rbi, own.iter().map(|one| u32::from(one.rbis)).sum::<u32>());
        let average = |over: u32, under: u32| {
            let rounded = (f64::from(over) / f64::from(under) * 1000.0 + 0.5 + 1e-9).floor() as u32;
            let text = format!("{}.{:03}", rounded / 1000, rounded % 1000);
            (under > 0).then(|| text.strip_prefix('0').unwrap_or(&text).to_owned())
        };
        let is_bunt = |one: &&&AtBat| one.result == Sac && one.hit_type == Some(HitType::Bunt);
        let bunts = u32::try_from(own.iter().filter(is_bunt).count()).unwrap();
        assert_eq!((line.sacrifices, line.sf), (count(&[Sac]), count(&[Sac]) - bunts));
        let reached = hits + count(&[Bb, Hbp]);
        let chances = at_bats + count(&[Bb, Hbp, Sac]) - bunts;
        assert_eq!(line.avg, average(hits, at_bats));
        assert_eq!(line.obp, average(reached, chances));
        assert_eq!(line.slg, average(bases, at_bats));
        // Added as fractions, and rounded once.
        let sum = reached * at_bats + bases * chances;
        assert_eq!(line.ops, average(sum, chances * at_bats));
    }
    let whole = Line::of(&book.at_bats);
    assert_eq!(usize::try_from(whole.pa).unwrap(), book.at_bats.len());
}

#[test]
fn case_15_random_games_equal_what_is_computed_from_scratch() {
    let (mut at_bats, mut innings) = (0, 0);
    for number in 0..GAMES {
        let mut dice = Dice(number);
        let mut book = new_game(&mut dice);
        for index in 0..STEPS {
            book = step(&book, &mut dice, index);
            // Most mistakes stay in the book.
            if index % 9 != 8 {
                continue;
            }
            let checked = std::panic::catch_unwind(|| {
                check(&book);
                if index == STEPS / 2 + 8 {
                    check_undo(&book);
                }
            });
            assert!(checked.is_ok(), "game {number}, step {index}: {:#?}", book.game);
        }
        at_bats += book.at_bats.len();
        innings += book.game.team_runs.map_or(0, |runs| runs.len());
    }
    // The games are games, and not refusals.
    assert!(at_bats > 20_000 && innings > 3_000, "{at_bats} at-bats in {innings} innings");
}

/// Undo restores everything that an at-bat or a runner move changed.
#[test]
fn undo_restores_what_was_before() {
    let mut undone = 0;
    for number in 0..300 {
        let mut dice = Dice(7_000 + number);
        let mut book = new_game(&mut dice);
        for index in 0..STEPS {
            let id = AtBatId::new(format!("u{index:03}")).unwrap();
            let result = dice.pick(&RESULTS);
            let at = Timestamp::from_millis(i64::from(index));
            let player_id = (dice.below(8) == 0).then(|| dice.pick(&book.game.lineup));
            let new = NewAtBat { player_id, result, ..NewAtBat::default() };
            if let Ok(after) = scoring::record(&book, id, at, &new) {
                // It does not reach into a half behind one in which the opponent has runs.
                if let Ok(back) = scoring::undo(&after.book) {
                    assert_eq!(back.book, book, "game {number}");
                    undone += 1;
                }
            }
            let named = moves(&[(1 + dice.below(3) as u8, dice.below(5) as u8)]);
            if let Ok(after) = scoring::move_runners(&book, &named, How::Sb) {
                let count =
                    |book: &Book| book.at_bats.iter().map(|one| one.moves.len()).sum::<usize>();
                let mut back = after.book.clone();
                let mut is_refused = false;
                while count(&back) > count(&book) && !is_refused {
                    match scoring::undo(&back) {
                        Ok(undone) => back = undone.book,
                        Err(_) => is_refused = true,
                    }
                }
                assert!(is_refused || back == book, "game {number}");
                undone += u32::from(!is_refused);
            }
            book = step(&book, &mut dice, index);
        }
    }
    assert!(undone > 5_000, "{undone}");
}
