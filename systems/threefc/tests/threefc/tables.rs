//! Standings and statistics that are kept with every change equal those that are computed from all
//! games.

use crate::fixture::{
    Fixture, by_hand, code, distinct, ines, new_goal, no_change, player, season_id, session_id,
    team,
};
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::api::Change;
use std::collections::BTreeMap;
use threefc::design::{
    AbandonReason, GameId, GameItems, GameStatus, PlayerId, SeasonTables, TeamId,
};
use threefc::rules::{PlayerTally, TeamTally};
use threefc::service::input::{AbandonGame, GoalChange, NewGoal};

on_every_backend! {
    case_20_stored_tables_equal_computed_ones,
}

/// Numbers that look random, and are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((number ^ (number >> 31)) % bound as u64).unwrap()
    }
}

const TEAMS: [&str; 3] = ["red", "blue", "yellow"];

/// How often each kind of step had each outcome.
type Counts = BTreeMap<String, u32>;

async fn case_20_stored_tables_equal_computed_ones(store: TestStore) {
    let mut counts = Counts::new();
    random_season(store, 60, 1, &mut counts).await;
    assert!(counts.contains_key("finish ok"), "{counts:?}");
}

#[test]
fn case_20_many_random_seasons() {
    singlet_testing::run(async {
        let mut counts = Counts::new();
        for seed in 2..12 {
            random_season(TestStore::memory(), 60, seed, &mut counts).await;
        }
        for what in ["add", "edit", "delete", "assign", "remove", "abandon", "reopen", "finish"] {
            assert!(counts.contains_key(&format!("{what} ok")), "{what}: {counts:?}");
        }
    });
}

/// A season of three games in which things happen at random.
async fn random_season(store: TestStore, steps: usize, seed: u64, counts: &mut Counts) {
    let fixture = Fixture::new(store).await;
    let mut dice = Dice(seed);
    let mut games: Vec<GameId> = Vec::new();
    for number in 0..3 {
        games.push(fixture.game(&format!("game-{number}")).await);
    }
    for step in 0..steps {
        let game = games[dice.below(games.len())].clone();
        let (what, outcome) = random_step(&fixture, &game, &mut dice).await;
        *counts.entry(format!("{what} {outcome}")).or_default() += 1;
        let allowed = [
            "ok",
            "game-finished",
            "game-abandoned",
            "game-not-closed",
            "player-has-goals",
            "player-not-found",
            "player-not-on-roster",
            "goal-not-found",
            "invalid",
        ];
        assert!(allowed.contains(&outcome), "step {step} of seed {seed}: {what} is {outcome}");
        if step % 10 == 9 || step + 1 == steps {
            compare(&fixture, &games, &format!("step {step} of seed {seed}: {what}")).await;
        }
    }
}

async fn random_step(
    fixture: &Fixture,
    game: &GameId,
    dice: &mut Dice,
) -> (&'static str, &'static str) {
    let service = &fixture.service;
    let view = fixture.view(game).await;
    // An abandoned game refuses nearly everything: most of them are soon reopened.
    if view.status == GameStatus::Abandoned && dice.below(2) == 0 {
        return ("reopen", code(&service.reopen_game(&ines(), game).await));
    }
    let goals = view.goals;
    let pick = |dice: &mut Dice| {
        goals.get(dice.below(goals.len().max(1))).map(|goal| goal.event_id.clone())
    };
    let somebody = |team: &str, dice: &mut Dice| format!("{}{}", &team[..1], 1 + dice.below(3));
    match dice.below(13) {
        0..=3 => {
            let goal = random_goal(dice);
            ("add", code(&service.add_goal(&ines(), game, &goal).await))
        }
        4 | 5 => {
            let Some(event) = pick(dice) else { return ("edit of nothing", "ok") };
            let goal = random_goal(dice);
            let change = GoalChange {
                conceding_team_id: Some(goal.conceding_team_id),
                scoring_team_id: goal.scoring_team_id.map_or(Change::Remove, Change::Set),
                own_goal: Some(goal.own_goal),
                scorer_player_id: goal.scorer_player_id.map_or(Change::Remove, Change::Set),
                assist_player_ids: Some(goal.assist_player_ids),
                third: goal.third,
                game_minute: goal.game_minute,
                ..no_change()
            };
            ("edit", code(&service.edit_goal(&ines(), game, &event, &change).await))
        }
        6 => {
            let Some(event) = pick(dice) else { return ("delete of nothing", "ok") };
            ("delete", code(&service.delete_goal(&ines(), game, &event).await))
        }
        7 => {
            let (from, to) = (TEAMS[dice.below(3)], TEAMS[dice.below(3)]);
            let who = player(&somebody(from, dice));
            ("assign", code(&service.assign_roster(&ines(), game, &who, &team(to)).await))
        }
        8 => {
            let who = player(&somebody(TEAMS[dice.below(3)], dice));
            ("remove", code(&service.remove_roster(&ines(), game, &who).await))
        }
        9 => {
            let abandon = AbandonGame {
                reason: AbandonReason::Other,
                note: None,
                absent_team_ids: Default::default(),
            };
            ("abandon", code(&service.abandon_game(&ines(), game, &abandon).await))
        }
        10 => ("reopen", code(&service.reopen_game(&ines(), game).await)),
        // Twice as likely as each of the others.
        _ => ("finish", code(&service.finish_game(&ines(), game, true).await)),
    }
}

/// A goal by hand, of anybody; not always one that is accepted.
fn random_goal(dice: &mut Dice) -> NewGoal {
    let conceding = dice.below(3);
    let scoring = (conceding + 1 + dice.below(2)) % 3;
    let is_own = dice.below(6) == 0;
    let goal = new_goal(TEAMS[conceding], (!is_own).then_some(TEAMS[scoring]));
    let side = if is_own { TEAMS[conceding] } else { TEAMS[scoring] };
    let scorer = (dice.below(4) > 0).then(|| format!("{}{}", &side[..1], 1 + dice.below(3)));
    let scorer = scorer.map(|scorer| player(&scorer));
    let helper = player(&format!("{}{}", &TEAMS[dice.below(3)][..1], 1 + dice.below(3)));
    let helps = !is_own && dice.below(2) == 0 && scorer.as_ref() != Some(&helper);
    let third = 1 + dice.below(3) as u8;
    let minute = u16::from(third - 1) * 20 + dice.below(30) as u16;
    NewGoal {
        scorer_player_id: scorer,
        assist_player_ids: distinct(helps.then_some(helper)),
        ..by_hand(goal, third, minute)
    }
}

/// What all games add up to, counted here by the rules of the specification: the code under test
/// must not be its own judge.
#[derive(Default)]
struct Expected {
    teams: BTreeMap<TeamId, TeamTally>,
    players: BTreeMap<PlayerId, PlayerTally>,
}

impl Expected {
    /// Counts a game, if it is finished.
    fn add(&mut self, GameItems { game, goals, roster }: &GameItems) {
        if game.status != GameStatus::Finished {
            return;
        }
        // For each team: goals conceded, and goals scored as a negative number. The least is best.
        let mut merits: BTreeMap<&TeamId, (i64, i64)> =
            game.team_ids.iter().map(|team| (team, (0, 0))).collect();
        for goal in goals {
            merits.get_mut(&goal.conceding_team_id).unwrap().0 += 1;
            if let Some(scoring) = &goal.scoring_team_id {
                merits.get_mut(scoring).unwrap().1 -= 1;
            }
        }
        let best = *merits.values().min().unwrap();
        let is_shared = merits.values().filter(|merit| **merit == best).count() > 1;
        for (team, merit) in merits {
            let row = self.teams.entry(team.clone()).or_default();
            row.played += 1;
            row.conceded += merit.0;
            row.scored -= merit.1;
            match (merit == best, is_shared) {
                (true, false) => row.wins += 1,
                (true, true) => row.draws += 1,
                (false, _) => row.losses += 1,
            }
        }
        for entry in roster {
            self.players.entry(entry.player_id.clone()).or_default().games += 1;
        }
        for goal in goals {
            if let Some(scorer) = &goal.scorer_player_id {
                let row = self.players.entry(scorer.clone()).or_default();
                // An own goal has no scoring team.
                match goal.scoring_team_id {
                    Some(_) => row.goals += 1,
                    None => row.own_goals += 1,
                }
            }
            for assist in &goal.assist_player_ids {
                self.players.entry(assist.clone()).or_default().assists += 1;
            }
        }
    }
}

/// Compares what is stored with what all games add up to.
pub(crate) async fn compare(fixture: &Fixture, games: &[GameId], when: &str) {
    let db = fixture.service.db();
    let mut expected = Expected::default();
    for game in games {
        let items = db.load(GameItems::of(game).consistent()).await.unwrap().unwrap();
        expected.add(&items);
        let is_finished = items.game.status == GameStatus::Finished;
        assert_eq!(items.game.result.is_some(), is_finished, "{when}");
        assert_eq!(items.game.goals as usize, items.goals.len(), "{when}");
        let links = fixture.service.games(None, &session_id()).await.unwrap();
        let link = links.iter().find(|link| link.game_id == *game).unwrap();
        assert_eq!((&link.score, link.status), (&items.game.score, items.game.status), "{when}");
    }
    let stored = db.load(SeasonTables::of(season_id()).consistent()).await.unwrap().unwrap();
    let teams: BTreeMap<TeamId, TeamTally> = stored
        .standings
        .iter()
        .map(|row| {
            let tally = TeamTally {
                played: row.played.into(),
                wins: row.wins.into(),
                draws: row.draws.into(),
                losses: row.losses.into(),
                conceded: row.conceded.into(),
                scored: row.scored.into(),
            };
            (row.team_id.clone(), tally)
        })
        .collect();
    assert_eq!(teams, expected.teams, "{when}");
    let players: BTreeMap<PlayerId, PlayerTally> = stored
        .statistics
        .iter()
        .map(|row| {
            let tally = PlayerTally {
                games: row.games.into(),
                goals: row.goals.into(),
                own_goals: row.own_goals.into(),
                assists: row.assists.into(),
            };
            (row.player_id.clone(), tally)
        })
        .collect();
    assert_eq!(players, expected.players, "{when}");
}
