//! Scoring, on every backend.

use crate::fixture::{Fixture, TestGame, code_of, no_change, play};
use hacktracker::design::{AtBatId, AtBatResult, GameStatus, Half, HomeAway, How};
use hacktracker::input::{AtBatChange, NewAtBat, NewGame, NewInsert, NewScore};
use hacktracker::rules::summary::Issue;
use singlet_testing::{TestStore, on_every_backend};

use AtBatResult::{Bb, Double, E, Fc, Hr, K, Out, Sac, Single};
use Half::{Opponent, Team};

on_every_backend! {
    case_05_the_worked_example,
    case_06_an_out_becomes_an_error_and_an_out_again,
    case_07_a_hit_becomes_an_out_and_the_inning_has_four,
    case_08_a_missed_walk_pushes_a_runner_home,
    case_09_undo_and_the_same_again,
    case_10_bases_loaded,
    case_11_a_double_play_and_a_sacrifice_with_two_outs,
    case_12_two_score_before_the_batter_is_out,
    case_13_a_dropped_third_strike,
    case_16_the_opponent_bats,
    case_17_a_walk_off_is_proposed_and_not_forced,
    case_20_a_substitute_is_up,
    runners_steal_and_are_caught,
    a_half_is_ended_early_and_resumed,
    a_tie_break_runner_counts_for_the_team_alone,
    rbis_that_the_scorer_chose_stay,
    removing_an_at_bat_takes_its_runner_out,
    an_inning_has_sixty_at_bats,
    undo_restores_who_was_up_after_the_lineup_changed,
    undo_takes_back_all_who_moved_together,
    undo_brings_the_score_by_hand_back,
    a_half_that_is_resumed_later_goes_on_with_the_order,
    there_are_thirty_innings,
}

/// The worked example of the specification.
const EXAMPLE: [AtBatResult; 7] = [Single, Bb, Double, Sac, Out, Hr, K];

async fn example(fixture: &Fixture) -> (TestGame<'_>, Vec<AtBatId>) {
    let mut game = fixture.game().await;
    let mut ids = Vec::new();
    for result in EXAMPLE {
        ids.push(game.bat(result).await.at_bat_id);
    }
    (game, ids)
}

fn with_result(result: AtBatResult) -> AtBatChange {
    AtBatChange { result: Some(result), ..no_change(0) }
}

/// Checks everything that the example comes to.
async fn check_example(game: &TestGame<'_>) {
    let detail = game.detail().await;
    let all = &detail.at_bats;
    assert_eq!(game.score(), (4, 0));
    assert_eq!(game.game.game.team_runs, Some(vec![4]));
    assert_eq!(all.iter().map(|one| one.rbis).collect::<Vec<_>>(), [0, 0, 1, 1, 0, 2, 0]);
    assert_eq!(all.iter().map(|one| one.outs).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 2, 2]);
    assert_eq!(all.iter().map(|one| one.sequence).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    let scored: Vec<bool> = all.iter().map(|one| one.scored).collect();
    assert_eq!(scored, [true, true, true, false, false, true, false]);
    assert_eq!(detail.line_score.left_on_base, 0);
    assert_eq!((game.at(), detail.issues.as_slice()), ((1, Opponent, 0, 0), &[][..]));
    let stats = game.fixture.service.team_stats(&game.by, &game.game.game.team_id, None).await;
    let line = stats.unwrap().line;
    let averages = [line.avg, line.obp, line.slg, line.ops].map(Option::unwrap);
    assert_eq!(averages, [".600", ".571", "1.400", "1.971"]);
}

async fn case_05_the_worked_example(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (game, _) = example(&fixture).await;
    check_example(&game).await;
    let state = game.game.game.state.as_ref().unwrap();
    assert_eq!((state.next_batting_order, game.game.game.at_bat_count), (8, 7));
    // The box has one row for each slot, with R for those who scored.
    let detail = game.detail().await;
    let runs: Vec<u32> = detail.box_score.iter().map(|row| row.line.r).collect();
    assert_eq!(runs, [1, 1, 1, 0, 0, 1, 0, 0, 0]);
    let slots: Vec<Option<u8>> = detail.box_score.iter().map(|row| row.batting_order).collect();
    assert_eq!(slots, (1..=9).map(Some).collect::<Vec<_>>());
}

async fn case_06_an_out_becomes_an_error_and_an_out_again(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (mut game, ids) = example(&fixture).await;
    let before = game.detail().await;
    let changed = game.correct(&ids[4], with_result(E)).await.unwrap();
    assert_eq!(changed.issues, [Issue { inning: 1, outs: 2 }]);
    assert_eq!(game.score(), (5, 0));
    let detail = game.detail().await;
    assert_eq!((detail.at_bats[5].rbis, detail.at_bats[6].outs), (3, 1));
    assert_eq!(detail.at_bats.iter().filter(|one| one.scored).count(), 5);
    let team = &game.game.game.team_id;
    let stats = fixture.service.team_stats(&game.by, team, None).await.unwrap();
    assert_eq!(stats.line.avg.as_deref(), Some(".600"));
    game.correct(&ids[4], with_result(Out)).await.unwrap();
    check_example(&game).await;
    for (one, other) in before.at_bats.iter().zip(&game.detail().await.at_bats) {
        assert_eq!((&one.moves, one.rbis, one.scored), (&other.moves, other.rbis, other.scored));
    }
}

async fn case_07_a_hit_becomes_an_out_and_the_inning_has_four(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (mut game, ids) = example(&fixture).await;
    let changed = game.correct(&ids[0], with_result(Out)).await.unwrap();
    assert_eq!(changed.issues, [Issue { inning: 1, outs: 4 }]);
    assert_eq!(game.score(), (3, 0));
    let detail = game.detail().await;
    assert_eq!(detail.at_bats[2].rbis, 0);
    assert!(detail.at_bats.iter().all(|one| one.outs <= 2));
    let team = &game.game.game.team_id;
    let stats = fixture.service.team_stats(&game.by, team, None).await.unwrap();
    assert_eq!(stats.line.avg.as_deref(), Some(".400"));
}

async fn case_08_a_missed_walk_pushes_a_runner_home(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    let ortiz = game.bat(Single).await;
    // Bell was missed: Cho bats in the third slot.
    let cho =
        NewAtBat { player_id: Some(game.players[2].clone()), ..play(game.revision(), Double) };
    let cho = game.record(cho).await.unwrap().at_bat.unwrap();
    for _ in 0..3 {
        game.bat(Out).await;
    }
    assert_eq!((game.score(), game.at()), ((0, 0), (1, Opponent, 0, 0)));
    let insert = Some(NewInsert { inning: 1, after: Some(ortiz.at_bat_id.clone()) });
    let bell = NewAtBat { insert, ..play(game.revision(), Bb) };
    let scored = game.record(bell).await.unwrap();
    let bell = scored.at_bat.unwrap();
    assert_eq!((bell.sequence, bell.batting_order), (2, Some(2)));
    assert_eq!(bell.player_id, game.players[1]);
    assert_eq!((game.score(), scored.issues.as_slice()), ((1, 0), &[][..]));
    let detail = game.detail().await;
    assert!(detail.at_bats[0].scored);
    let second = &detail.at_bats[2];
    assert_eq!((&second.at_bat_id, second.rbis, second.sequence), (&cho.at_bat_id, 1, 3));
    assert_eq!(detail.line_score.left_on_base, 2);
    // The half stays over, and the next batter is the one after the last at-bat.
    assert_eq!(game.at(), (1, Opponent, 0, 0));
}

async fn case_09_undo_and_the_same_again(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (mut game, ids) = example(&fixture).await;
    let before = game.detail().await;
    game.undo().await.unwrap();
    assert_eq!(game.at(), (1, Team, 2, 6));
    let state = game.game.game.state.clone().unwrap();
    assert_eq!(game.game.game.lineup[usize::from(state.next_batting_order) - 1], game.players[6]);
    assert_eq!(game.game.game.opponent_runs, Some(vec![]));
    game.bat(K).await;
    check_example(&game).await;
    let after = game.detail().await;
    // Equal but for ids, times, revision.
    let mut expected = before.game.game.clone();
    expected.revision = after.game.game.revision;
    expected.last_event = after.game.game.last_event.clone();
    expected.updated_at = after.game.game.updated_at;
    assert_eq!(after.game.game, expected);
    let mut last = after.at_bats[6].clone();
    let old = &before.at_bats[6];
    assert_ne!(last.at_bat_id, ids[6]);
    last.moves[0].at_bat_id = ids[6].clone();
    (last.at_bat_id, last.created_at, last.updated_at) =
        (old.at_bat_id.clone(), old.created_at, old.updated_at);
    assert_eq!(&last, old);
    assert_eq!(after.at_bats[..6], before.at_bats[..6]);
    // With runs of the opponent in this half it does not reach back.
    game.opponent(1, 2).await.unwrap();
    assert_eq!(code_of(game.undo().await), "nothing-to-undo");
    game.opponent(1, 0).await.unwrap();
    for _ in 0..7 {
        game.undo().await.unwrap();
    }
    assert_eq!((game.at(), game.score()), ((1, Team, 0, 0), (0, 0)));
    assert_eq!(code_of(game.undo().await), "nothing-to-undo");
}

/// Bases loaded by walks, with so many outs before.
async fn loaded(fixture: &Fixture, outs: usize) -> TestGame<'_> {
    let mut game = fixture.game().await;
    for _ in 0..outs {
        game.bat(K).await;
    }
    for _ in 0..3 {
        game.bat(Bb).await;
    }
    game
}

async fn case_10_bases_loaded(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = loaded(&fixture, 1).await;
    let walk = game.bat(Bb).await;
    assert_eq!((game.score().0, walk.rbis, game.bases()), (1, 1, vec![true; 3]));
    game.undo().await.unwrap();
    let choice = game.bat(Fc).await;
    assert_eq!((game.score().0, choice.rbis, game.at()), (1, 1, (1, Team, 2, 5)));
    game.undo().await.unwrap();
    // With two outs.
    game.undo().await.unwrap();
    game.bat(K).await;
    game.bat(Bb).await;
    assert_eq!((game.at(), game.bases()), ((1, Team, 2, 5), vec![true; 3]));
    let choice = game.bat(Fc).await;
    assert_eq!((game.score().0, choice.rbis, game.at()), (0, 0, (1, Opponent, 0, 0)));
    assert_eq!(game.detail().await.line_score.left_on_base, 3);
}

async fn case_11_a_double_play_and_a_sacrifice_with_two_outs(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    game.bat(Single).await;
    let played = game.bat_with(Out, &[(1, 0)]).await.unwrap();
    assert_eq!((game.at(), played.at_bat.unwrap().rbis), ((1, Team, 2, 2), 0));
    assert_eq!(game.bases(), [false; 3]);
    game.bat(Single).await;
    assert_eq!(code_of(game.bat_with(Sac, &[]).await), "play-impossible");
}

async fn case_12_two_score_before_the_batter_is_out(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    for result in [K, K, Double] {
        game.bat(result).await;
    }
    game.bat_with(Single, &[(2, 3)]).await.unwrap();
    game.runners(&[(1, 2)], How::Sb).await.unwrap();
    assert_eq!((game.at(), game.bases()), ((1, Team, 2, 4), vec![false, true, true]));
    let played = game.bat_with(Single, &[(3, 4), (2, 4), (0, 0)]).await.unwrap();
    let at_bat = played.at_bat.unwrap();
    assert_eq!((game.score().0, at_bat.rbis, game.at()), (2, 2, (1, Opponent, 0, 0)));
    let team = &game.game.game.team_id;
    let stats =
        fixture.service.player_stats(&game.by, team, &at_bat.player_id, None).await.unwrap();
    assert_eq!((stats.line.h, stats.line.rbi), (1, 2));
    // Both who scored are told as changed.
    assert_eq!(played.changed.iter().filter(|one| one.scored).count(), 2);
}

async fn case_13_a_dropped_third_strike(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    let played = game.bat_with(K, &[(0, 1)]).await.unwrap();
    assert_eq!((game.at(), game.bases()), ((1, Team, 0, 1), vec![true, false, false]));
    let player = played.at_bat.unwrap().player_id;
    let team = &game.game.game.team_id;
    let stats = fixture.service.player_stats(&game.by, team, &player, None).await.unwrap();
    assert_eq!((stats.line.strikeouts, stats.line.ab), (1, 1));
}

/// Three outs.
async fn out(game: &mut TestGame<'_>) {
    for _ in 0..3 {
        game.bat(K).await;
    }
}

async fn case_16_the_opponent_bats(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (mut game, _) = example(&fixture).await;
    game.opponent(1, 1).await.unwrap();
    game.half(2, Team).await.unwrap();
    out(&mut game).await;
    game.opponent(2, 3).await.unwrap();
    game.half(3, Team).await.unwrap();
    game.bat(Single).await;
    game.bat(Hr).await;
    out(&mut game).await;
    assert_eq!((game.score(), game.at()), ((6, 4), (3, Opponent, 0, 0)));
    assert_eq!(game.game.game.team_runs, Some(vec![4, 0, 2]));
    assert_eq!(game.game.game.opponent_runs, Some(vec![1, 3, 0]));
    assert_eq!(code_of(game.bat_with(Single, &[]).await), "wrong-half");
    game.opponent(3, 3).await.unwrap();
    assert_eq!(game.score(), (6, 7));
    game.half(4, Team).await.unwrap();
    assert_eq!(game.at(), (4, Team, 0, 0));
    assert_eq!(code_of(game.half(7, Team).await), "invalid");
    assert_eq!(code_of(game.opponent(4, 1).await), "invalid");
}

async fn case_17_a_walk_off_is_proposed_and_not_forced(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let home = NewGame { home_away: Some(HomeAway::Home), ..NewGame::default() };
    let mut game = fixture.started(&team, home).await;
    assert_eq!(game.at(), (1, Opponent, 0, 0));
    for inning in 1..=7 {
        if inning <= 5 {
            game.opponent(inning, 1).await.unwrap();
        }
        game.half(inning, Team).await.unwrap();
        if inning == 7 {
            break;
        }
        if inning <= 5 {
            game.bat(Hr).await;
        }
        out(&mut game).await;
    }
    assert_eq!((game.score(), game.at()), ((5, 5), (7, Team, 0, 0)));
    assert!(!game.game.finish_proposed);
    game.bat(Hr).await;
    assert_eq!(game.score(), (6, 5));
    assert!(game.game.finish_proposed);
    assert_eq!(game.game.game.status, GameStatus::InProgress);
    // Scoring can go on.
    game.bat(K).await;
}

async fn case_20_a_substitute_is_up(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let more: Vec<_> =
        (10..13).map(|number| crate::fixture::new_player("More", Some(number))).collect();
    let added = fixture.service.add_players(&owner, &team.id, &more).await.unwrap().items;
    let more: Vec<_> = added.into_iter().map(|player| player.player_id).collect();
    let mut game = fixture.started(&team, NewGame::default()).await;
    game.bat(K).await;
    game.bat(Single).await;
    let mut lineup = team.players.clone();
    lineup[2] = more[0].clone();
    game.lineup(&lineup).await.unwrap();
    let at_bat = game.bat(Single).await;
    assert_eq!((&at_bat.player_id, at_bat.batting_order), (&more[0], Some(3)));
    // One more at the end: the order of the others stays.
    lineup.push(more[1].clone());
    game.lineup(&lineup).await.unwrap();
    let at_bat = game.bat(K).await;
    assert_eq!((&at_bat.player_id, at_bat.batting_order), (&team.players[3], Some(4)));
    // Who is up stays up in another slot.
    lineup.swap(4, 8);
    game.lineup(&lineup).await.unwrap();
    assert_eq!(game.bat(Single).await.player_id, team.players[4]);
    // Earlier at-bats keep player and slot; the substitute stands under the slot.
    let box_score = game.detail().await.box_score;
    let of_slot_3: Vec<_> = box_score.iter().filter(|row| row.batting_order == Some(3)).collect();
    assert_eq!(of_slot_3.len(), 1);
    assert_eq!(code_of(game.lineup(&lineup[..3]).await), "lineup-invalid");
}

async fn runners_steal_and_are_caught(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    assert_eq!(code_of(game.runners(&[(1, 2)], How::Sb).await), "play-impossible");
    game.bat(Single).await;
    game.bat(Single).await;
    // A double steal, then the lead runner comes home on a wild pitch.
    let scored = game.runners(&[(1, 2), (2, 3)], How::Sb).await.unwrap();
    assert_eq!(game.bases(), [false, true, true]);
    assert_eq!(scored.at_bat.unwrap().moves.len(), 4);
    game.runners(&[(3, 4)], How::Wp).await.unwrap();
    assert_eq!(game.score().0, 1);
    assert!(game.detail().await.at_bats[0].scored);
    // Undo takes off one runner move at a time.
    game.undo().await.unwrap();
    assert_eq!((game.score().0, game.bases()), (0, vec![false, true, true]));
    assert!(!game.detail().await.at_bats[0].scored);
    game.bat(K).await;
    game.bat(K).await;
    let up = game.game.game.state.as_ref().unwrap().next_batting_order;
    // The third out between at-bats leaves the same batter up.
    game.runners(&[(2, 0)], How::Cs).await.unwrap();
    assert_eq!(game.at(), (1, Opponent, 0, 0));
    assert_eq!(game.game.game.state.as_ref().unwrap().next_batting_order, up);
    assert_eq!(code_of(game.runners(&[(1, 2)], How::Sb).await), "wrong-half");
    game.undo().await.unwrap();
    assert_eq!((game.at(), game.bases()), ((1, Team, 2, 4), vec![false, true, true]));
    assert_eq!(code_of(game.runners(&[(2, 1)], How::Other).await), "play-impossible");
    assert_eq!(code_of(game.runners(&[(1, 2)], How::Other).await), "play-impossible");
}

async fn a_half_is_ended_early_and_resumed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    game.bat(K).await;
    game.bat(Single).await;
    let ended = game.half(1, Opponent).await.unwrap();
    assert_eq!(game.game.game.ended_early, Some(vec![1]));
    assert!(ended.issues.is_empty());
    assert_eq!(game.game.game.opponent_runs, Some(vec![0]));
    game.half(1, Team).await.unwrap();
    assert_eq!((game.at(), game.bases()), ((1, Team, 1, 2), vec![true, false, false]));
    assert_eq!(
        (&game.game.game.ended_early, &game.game.game.opponent_runs),
        (&None, &Some(vec![]))
    );
    game.bat(K).await;
    game.bat(K).await;
    assert_eq!(code_of(game.half(1, Team).await), "half-complete");
    // A correction opens it again: the issue is told until it is resumed.
    let last = game.detail().await.at_bats.last().unwrap().at_bat_id.clone();
    let changed = game.correct(&last, with_result(Single)).await.unwrap();
    assert_eq!(changed.issues, [Issue { inning: 1, outs: 2 }]);
    assert!(game.half(1, Team).await.unwrap().issues.is_empty());
    assert_eq!(game.at(), (1, Team, 2, 4));
    game.bat(K).await;
    assert_eq!(game.at(), (1, Opponent, 0, 0));
}

async fn a_tie_break_runner_counts_for_the_team_alone(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    out(&mut game).await;
    let stranger = hacktracker::design::PlayerId::new("nobody").unwrap();
    assert_eq!(code_of(game.half_with(2, Team, Some(stranger)).await), "invalid");
    let runner = game.players[0].clone();
    game.half_with(2, Team, Some(runner.clone())).await.unwrap();
    assert_eq!(game.bases(), [false, true, false]);
    game.bat(Single).await;
    game.bat(Single).await;
    assert_eq!((game.score().0, game.bases()), (1, vec![true, true, false]));
    let detail = game.detail().await;
    assert!(detail.at_bats.iter().all(|one| !one.scored));
    out(&mut game).await;
    let detail = game.detail().await;
    // PA + placed = runs + left on base + outs, for both halves.
    assert_eq!(detail.at_bats.len() + 1, 1 + usize::from(detail.line_score.left_on_base) + 6);
}

async fn rbis_that_the_scorer_chose_stay(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    let first = game.bat(Double).await;
    let too_many = NewAtBat { rbis: Some(2), ..play(game.revision(), Single) };
    assert_eq!(code_of(game.record(too_many).await), "play-impossible");
    let none = NewAtBat {
        rbis: Some(0),
        moves: Some(crate::fixture::moves(&[(2, 4)])),
        ..play(game.revision(), Single)
    };
    let single = game.record(none).await.unwrap().at_bat.unwrap();
    assert_eq!((game.score().0, single.rbis), (1, 0));
    game.bat(Double).await;
    // The first becomes a triple: he still comes home, and the RBI that was taken off stays off.
    game.correct(&first.at_bat_id, with_result(AtBatResult::Triple)).await.unwrap();
    let detail = game.detail().await;
    assert_eq!((game.score().0, detail.at_bats[1].rbis), (1, 0));
    // RBIs alone can be corrected, too.
    let one = AtBatChange { rbis: Some(1), ..no_change(0) };
    let corrected = game.correct(&single.at_bat_id, one).await.unwrap().at_bat.unwrap();
    assert_eq!((corrected.rbis, corrected.moves.len()), (1, 2));
}

async fn removing_an_at_bat_takes_its_runner_out(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (mut game, ids) = example(&fixture).await;
    let removed = game.remove(&ids[1]).await.unwrap();
    // Ortiz scores on the double, Cho on the homer; Bell is gone.
    assert_eq!((game.score(), removed.at_bat), ((3, 0), None));
    let detail = game.detail().await;
    let order: Vec<u8> = detail.at_bats.iter().map(|one| one.sequence).collect();
    assert_eq!(order, [1, 2, 3, 4, 5, 6]);
    assert!(detail.at_bats.iter().all(|one| one.moves.iter().all(|step| step.at_bat_id != ids[1])));
    assert_eq!(code_of(game.remove(&ids[1]).await), "at-bat-not-found");
    // Another batter, too.
    let other = AtBatChange { player_id: Some(game.players[8].clone()), ..no_change(0) };
    let corrected = game.correct(&ids[0], other).await.unwrap().at_bat.unwrap();
    assert_eq!((&corrected.player_id, corrected.batting_order), (&game.players[8], Some(9)));
    let unknown = hacktracker::design::PlayerId::new("nobody").unwrap();
    let unknown = AtBatChange { player_id: Some(unknown), ..no_change(0) };
    assert_eq!(code_of(game.correct(&ids[0], unknown).await), "invalid");
}

async fn an_inning_has_sixty_at_bats(store: TestStore) {
    // Sixty are a lot over HTTP.
    if store.engine().is_none() {
        return;
    }
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    for _ in 0..60 {
        game.bat(Hr).await;
    }
    assert_eq!((game.score().0, game.at()), (60, (1, Team, 0, 60)));
    assert_eq!(code_of(game.bat_with(Hr, &[]).await), "half-full");
    // Correcting the first writes what changes, in one transaction.
    let first = game.detail().await.at_bats[0].at_bat_id.clone();
    game.correct(&first, with_result(Single)).await.unwrap();
    assert_eq!(game.score().0, 60);
}

/// Everything of a game that undo restores.
fn undone(game: &TestGame<'_>) -> hacktracker::design::Game {
    let mut game = game.game.game.clone();
    (game.revision, game.last_event, game.updated_at) = (0, None, game.created_at);
    game
}

async fn undo_restores_who_was_up_after_the_lineup_changed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    let slot = |game: &TestGame<'_>| game.game.game.state.as_ref().unwrap().next_batting_order;
    let order = |game: &TestGame<'_>, numbers: &[usize]| -> Vec<_> {
        numbers.iter().map(|number| game.players[*number].clone()).collect()
    };
    // Before the first at-bat.
    let lineup = order(&game, &[4, 3, 0, 1, 2]);
    game.lineup(&lineup).await.unwrap();
    assert_eq!(slot(&game), 3);
    let before = undone(&game);
    game.bat(Single).await;
    game.undo().await.unwrap();
    assert_eq!(undone(&game), before);
    // Between two at-bats.
    game.bat(Single).await;
    let lineup = order(&game, &[0, 2, 3, 4, 5, 1]);
    game.lineup(&lineup).await.unwrap();
    assert_eq!(slot(&game), 6);
    let before = undone(&game);
    let at_bat = game.bat(Single).await;
    assert_eq!((&at_bat.player_id, at_bat.slot_up), (&game.players[1], Some(6)));
    game.undo().await.unwrap();
    assert_eq!(undone(&game), before);
    // Somebody else than who was up has batted.
    let other = NewAtBat { player_id: Some(lineup[2].clone()), ..play(game.revision(), Out) };
    game.record(other).await.unwrap();
    game.undo().await.unwrap();
    assert_eq!(undone(&game), before);
    // The lineup changes after the at-bat: who was up is up again, in the new slot.
    game.bat(Single).await;
    let lineup = order(&game, &[6, 1, 0, 2]);
    game.lineup(&lineup).await.unwrap();
    game.undo().await.unwrap();
    assert_eq!(slot(&game), 2);
}

async fn undo_takes_back_all_who_moved_together(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    game.bat(Bb).await;
    game.bat(Bb).await;
    let before = undone(&game);
    game.runners(&[(1, 2), (2, 3)], How::Sb).await.unwrap();
    assert_eq!(game.bases(), [false, true, true]);
    game.undo().await.unwrap();
    assert_eq!((undone(&game), game.bases()), (before.clone(), vec![true, true, false]));
    // Two calls are two steps, and so is who is pushed on.
    game.runners(&[(1, 2), (2, 3)], How::Sb).await.unwrap();
    let stolen = undone(&game);
    game.runners(&[(2, 3)], How::Wp).await.unwrap();
    assert_eq!((game.bases(), game.score().0), (vec![false, false, true], 1));
    game.undo().await.unwrap();
    assert_eq!(undone(&game), stolen);
    game.runners(&[(3, 4)], How::Wp).await.unwrap();
    game.runners(&[(2, 3)], How::Wp).await.unwrap();
    game.undo().await.unwrap();
    assert_eq!(game.bases(), [false, true, false]);
    game.undo().await.unwrap();
    game.undo().await.unwrap();
    assert_eq!(undone(&game), before);
    game.undo().await.unwrap();
    assert_eq!(game.bases(), [true, false, false]);
}

async fn undo_brings_the_score_by_hand_back(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    let score = NewScore { revision: game.revision(), team_score: 5, opponent_score: 3 };
    game.game = fixture.service.set_score(&game.by, &game.id, &score).await.unwrap().game;
    let before = undone(&game);
    game.bat(K).await;
    assert_eq!(game.score(), (0, 0));
    game.undo().await.unwrap();
    assert_eq!((game.score(), undone(&game)), ((5, 3), before));
    // A run of the opponent replaces it, too, and nothing else does.
    game.half(1, Opponent).await.unwrap();
    assert_eq!(game.score(), (5, 3));
    game.opponent(1, 1).await.unwrap();
    assert_eq!(game.score(), (0, 1));
    game.opponent(1, 0).await.unwrap();
    assert_eq!(game.score(), (5, 3));
}

async fn a_half_that_is_resumed_later_goes_on_with_the_order(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    game.bat(K).await;
    game.bat(K).await;
    game.half(1, Opponent).await.unwrap();
    game.half(2, Team).await.unwrap();
    assert_eq!(game.bat(Single).await.batting_order, Some(3));
    game.half(1, Opponent).await.unwrap();
    game.half(1, Team).await.unwrap();
    let before = undone(&game);
    for slot in 4..7 {
        assert_eq!(game.bat(Bb).await.batting_order, Some(slot));
    }
    for _ in 0..3 {
        game.undo().await.unwrap();
    }
    assert_eq!(undone(&game), before);
}

async fn there_are_thirty_innings(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let new = NewGame { home_away: Some(HomeAway::Home), ..NewGame::default() };
    let mut game = fixture.started(&team, new).await;
    for inning in 1..30 {
        game.half(inning, Team).await.unwrap();
        game.half(inning + 1, Opponent).await.unwrap();
    }
    game.half(30, Team).await.unwrap();
    assert_eq!(code_of(game.half(31, Opponent).await), "invalid");
    // The third out of the last half: the game can only be finished, or the out undone.
    let before = undone(&game);
    for _ in 0..3 {
        game.bat(K).await;
    }
    assert_eq!(game.game.game.opponent_runs.as_ref().unwrap().len(), 30);
    assert_eq!(code_of(game.opponent(31, 1).await), "invalid");
    assert_eq!(code_of(game.half(31, Team).await), "invalid");
    for _ in 0..3 {
        game.undo().await.unwrap();
    }
    assert_eq!(undone(&game), before);
}
