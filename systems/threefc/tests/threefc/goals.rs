//! Goals: minutes, rosters, entering twice, moving, undoing, correcting after the finish.

use crate::fixture::{
    Fixture, by, by_hand, code, distinct, game_id, ines, league_id, new_goal, no_change, noor,
    player, season_id, session_id, team, tomasz, user,
};
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::api::Change;
use std::time::Duration;
use threefc::design::{AuditAction, DrawKind, EventId, GameId, Role};
use threefc::service::input::{GoalChange, NewGoal};

on_every_backend! {
    case_09_stoppage_time_stays_in_its_third,
    case_10_minutes_by_hand_are_zero_to_999,
    case_11_an_own_goal_is_conceded_and_scored_by_nobody,
    case_12_scorers_and_assists_are_checked,
    case_13_a_goal_sent_ten_times_is_one_goal,
    case_14_a_removed_goal_stays_removed,
    case_15_two_moves_of_a_goal_leave_one,
    case_16_undo_removes_the_goal_that_was_entered_last,
    case_19_an_admin_corrects_a_finished_game,
    a_phone_that_was_offline_sends_its_own_time,
    moving_a_goal_changes_thirds_and_not_totals,
    a_lent_player_keeps_goals_with_the_team,
    rosters_are_bounded_and_keep_scorers,
}

fn event(goal: &NewGoal) -> EventId {
    goal.event_id.0.clone()
}

async fn case_09_stoppage_time_stays_in_its_third(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let begun = fixture.now();
    for (minutes, seconds) in [(19, 59), (20, 0), (22, 30)] {
        fixture.set_time(begun, minutes, seconds);
        fixture.goal(&game, &new_goal("red", Some("blue"))).await;
    }
    service.finish_third(&tomasz(), &game, 1, None).await.unwrap();
    service.start_third(&tomasz(), &game, 2, None).await.unwrap();
    fixture.goal(&game, &new_goal("red", Some("blue"))).await;
    let view = fixture.view(&game).await;
    let shown: Vec<&str> = view.goals.iter().map(|goal| goal.display_time.as_str()).collect();
    assert_eq!(shown, ["20'", "20+1'", "20+3'", "1'"]);
    assert_eq!(service.goals(None, &game).await.unwrap(), view.goals);
    let keys = fixture.keys_of("GAME#g1 GOAL#").await;
    for (key, part) in keys.iter().zip(["#1#0020#", "#1#0021#", "#1#0023#", "#2#0021#"]) {
        assert!(key.contains(part), "{key} has no {part}");
    }
    let by_third: Vec<u32> = view.teams[0].by_third.iter().map(|third| third.conceded).collect();
    assert_eq!(by_third, [3, 1, 0]);
}

async fn case_10_minutes_by_hand_are_zero_to_999(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    let add = async |third, minute| {
        let goal = by_hand(new_goal("red", Some("blue")), third, minute);
        code(&service.add_goal(&ines(), &game, &goal).await)
    };
    assert_eq!(add(1, 0).await, "ok");
    assert_eq!(add(3, 999).await, "ok");
    assert_eq!(add(3, 1000).await, "invalid");
    assert_eq!(add(2, 5).await, "invalid");
    let keys = fixture.keys_of("GAME#g1 GOAL#").await;
    assert!(keys[0].contains("GOAL#1#0000#") && keys[1].contains("GOAL#3#0999#"), "{keys:?}");
    let view = fixture.view(&game).await;
    let shown: Vec<&str> = view.goals.iter().map(|goal| goal.display_time.as_str()).collect();
    assert_eq!(shown, ["0'", "20+939'"]);
    // A minute needs a third, and no second time.
    let lone = NewGoal { third: None, ..by_hand(new_goal("red", Some("blue")), 1, 5) };
    assert_eq!(code(&service.add_goal(&ines(), &game, &lone).await), "invalid");
    let both = by_hand(new_goal("red", Some("blue")), 1, 5);
    let both = NewGoal { occurred_at: Some(fixture.now()), ..both };
    assert_eq!(code(&service.add_goal(&ines(), &game, &both).await), "invalid");
    let now = new_goal("red", Some("blue"));
    assert_eq!(code(&service.add_goal(&ines(), &game, &now).await), "no-third-running");
}

async fn case_11_an_own_goal_is_conceded_and_scored_by_nobody(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let game = fixture.live_game("g1").await;
    fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    let before = fixture.view(&game).await;
    fixture.goal(&game, &by(new_goal("blue", None), "b1", &[])).await;
    let after = fixture.view(&game).await;
    assert_eq!((before.teams[1].conceded, after.teams[1].conceded), (1, 2));
    for place in 0..3 {
        assert_eq!(before.teams[place].scored, after.teams[place].scored);
    }
    fixture.finish(&game).await;
    let data = fixture.data("SEASON#spring STAT#b1").await;
    assert_eq!(
        (&data["ownGoals"], &data["goals"], &data["games"]),
        (&1.into(), &0.into(), &1.into())
    );
    let boards = fixture.service.leaderboards(None, &season_id()).await.unwrap();
    assert_eq!(boards.own_goals[0].player.player_id, player("b1"));
    assert!(boards.goals.is_empty());
}

async fn case_12_scorers_and_assists_are_checked(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let add = async |goal: NewGoal| code(&service.add_goal(&tomasz(), &game, &goal).await);
    let goal = || new_goal("blue", Some("red"));
    assert_eq!(add(by(goal(), "r1", &["r1"])).await, "invalid");
    assert_eq!(add(by(new_goal("blue", None), "b1", &["b2"])).await, "invalid");
    assert_eq!(add(by(goal(), "r1", &["y1"])).await, "ok", "an assist of the third team");
    assert_eq!(add(by(goal(), "b1", &[])).await, "player-not-on-roster");
    assert_eq!(add(by(goal(), "nobody", &[])).await, "player-not-on-roster");
    assert_eq!(add(by(goal(), "r1", &["nobody"])).await, "player-not-on-roster");
    assert_eq!(add(by(new_goal("blue", None), "r1", &[])).await, "player-not-on-roster");
    assert_eq!(add(goal()).await, "ok", "no name");
    assert_eq!(add(new_goal("blue", Some("blue"))).await, "invalid");
    assert_eq!(add(new_goal("blue", Some("green"))).await, "team-not-in-game");
    assert_eq!(add(new_goal("green", Some("blue"))).await, "team-not-in-game");
    let no_team = NewGoal { own_goal: false, ..new_goal("blue", None) };
    assert_eq!(add(no_team).await, "invalid");
    let both = NewGoal { own_goal: true, ..goal() };
    assert_eq!(add(both).await, "invalid");
    assert_eq!(fixture.view(&game).await.goals.len(), 2);
    assert_eq!(fixture.stored_game(&game).await.sequence, 4);
}

async fn case_13_a_goal_sent_ten_times_is_one_goal(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let game = fixture.live_game("g1").await;
    let goal = by(new_goal("blue", Some("red")), "r1", &["r2"]);
    let services: Vec<_> = (0..10).map(|_| fixture.second()).collect();
    let results = at_once(10, |who| {
        let (service, game, goal) = (services[who].clone(), game.clone(), goal.clone());
        async move { service.add_goal(&tomasz(), &game, &goal).await.map(|(_, is_new)| is_new) }
    })
    .await;
    let new = results.iter().filter(|result| matches!(result, Ok(true))).count();
    let known = results.iter().filter(|result| matches!(result, Ok(false))).count();
    assert_eq!((new, known), (1, 9), "{results:?}");
    assert_eq!(fixture.keys_of("GAME#g1 GOAL#").await.len(), 1);
    assert_eq!(fixture.keys_of("GAME#g1 EVENT#").await.len(), 1);
    let view = fixture.view(&game).await;
    assert_eq!((view.teams[1].conceded, view.teams[0].scored, view.sequence), (1, 1, 3));
    let other = NewGoal { conceding_team_id: "yellow".parse().unwrap(), ..goal };
    let refused = fixture.service.add_goal(&tomasz(), &game, &other).await;
    assert_eq!(code(&refused), "event-id-taken");
}

async fn case_14_a_removed_goal_stays_removed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let goal = new_goal("blue", Some("red"));
    let event = fixture.goal(&game, &goal).await;
    service.delete_goal(&tomasz(), &game, &event).await.unwrap();
    let items = fixture.items().await;
    fixture.advance(Duration::from_secs(24 * 3600));
    let (view, is_new) = service.add_goal(&tomasz(), &game, &goal).await.unwrap();
    assert_eq!((view.goals.len(), is_new), (0, false));
    service.delete_goal(&tomasz(), &game, &event).await.unwrap();
    assert_eq!(fixture.items().await, items, "nothing was written");
    assert_eq!(fixture.data(&format!("GAME#g1 EVENT#{event}")).await["removed"], true);
    assert_eq!(
        code(&service.edit_goal(&tomasz(), &game, &event, &no_change()).await),
        "goal-not-found"
    );
    let unknown = EventId::new(crate::fixture::event_id()).unwrap();
    assert_eq!(code(&service.delete_goal(&tomasz(), &game, &unknown).await), "goal-not-found");
}

async fn case_15_two_moves_of_a_goal_leave_one(store: TestStore) {
    let fixture = Fixture::new(store).await;
    fixture.join(&ines(), &league_id(), &noor(), Role::Admin).await;
    for round in 0..6 {
        let game = fixture.game(&format!("game-{round}")).await;
        let goal = by_hand(new_goal("blue", Some("red")), 1, 3);
        fixture.service.add_goal(&ines(), &game, &goal).await.unwrap();
        let event = event(&goal);
        let services = [fixture.second(), fixture.second()];
        let results = at_once(2, |who| {
            let (service, game, event) = (services[who].clone(), game.clone(), event.clone());
            let (third, minute) = [(2, 30), (3, 50)][who];
            let change =
                GoalChange { third: Some(third), game_minute: Some(minute), ..no_change() };
            let caller = [ines(), noor()][who].clone();
            async move { code(&service.edit_goal(&caller, &game, &event, &change).await) }
        })
        .await;
        assert_eq!(results, ["ok", "ok"]);
        let goals = fixture.keys_of(&format!("GAME#{game} GOAL#")).await;
        assert_eq!(goals.len(), 1, "{goals:?}");
        let marker = fixture.data(&format!("GAME#{game} EVENT#{event}")).await;
        assert_eq!(format!("GAME#{game} {}", marker["goalSk"].as_str().unwrap()), goals[0]);
        let audit = fixture.service.audit(&ines(), &game, 50, None).await.unwrap().items;
        assert_eq!(audit.len(), 2);
        assert!(audit.iter().all(|record| record.action == AuditAction::GoalEdited
            && record.event_id.as_ref() == Some(&event)));
        // Each record names who moved the goal to where it says.
        for record in &audit {
            let third = record.after.as_ref().unwrap()["third"].as_u64().unwrap();
            let mover = if third == 2 { ines() } else { noor() };
            assert_eq!(record.by_name, mover.display_name(), "{record:?}");
            assert_eq!(record.by_user_id, user(&mover), "{record:?}");
        }
        assert_ne!(audit[0].by_name, audit[1].by_name);
        // The second move began where the first one had ended.
        assert_eq!(audit[0].before, audit[1].after);
    }
}

async fn case_16_undo_removes_the_goal_that_was_entered_last(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    service.finish_third(&tomasz(), &game, 1, None).await.unwrap();
    service.start_third(&tomasz(), &game, 2, None).await.unwrap();
    let first = fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    // Entered later, and earlier in the timeline.
    let second = fixture.goal(&game, &by_hand(new_goal("red", Some("blue")), 1, 7)).await;
    assert_eq!(fixture.view(&game).await.latest_event_id.as_ref(), Some(&second));
    let refused = service.undo_goal(&tomasz(), &game, &first).await.unwrap_err();
    let problem: singlet_web::problem::Problem = refused.into();
    assert_eq!(problem.problem_type().name, "not-the-latest");
    assert_eq!(problem.to_json()["latestEventId"], second.as_str());
    let view = service.undo_goal(&tomasz(), &game, &second).await.unwrap();
    assert_eq!((view.goals.len(), view.latest_event_id.as_ref()), (1, Some(&first)));
    let audit = service.audit(&ines(), &game, 50, None).await.unwrap().items;
    assert_eq!((audit.len(), audit[0].action), (1, AuditAction::GoalUndone));
    assert_eq!(audit[0].before.as_ref().unwrap()["gameMinute"], 7);
    assert_eq!(audit[0].after, None);
    let items = fixture.items().await;
    fixture.advance(Duration::from_secs(1));
    service.undo_goal(&tomasz(), &game, &second).await.unwrap();
    assert_eq!(fixture.items().await, items, "a repetition writes nothing");
}

/// The example "edit after finish": 2 2 3 with 4 3 0, and a goal becomes an own goal.
async fn case_19_an_admin_corrects_a_finished_game(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    // Red concedes 2, blue 2, yellow 3; red scores 4, blue 3.
    let mut last = None;
    for (conceding, scoring, scorer) in [
        ("red", "blue", "b1"),
        ("red", "blue", "b1"),
        ("blue", "red", "r1"),
        ("blue", "red", "r1"),
        ("yellow", "blue", "b2"),
        ("yellow", "red", "r2"),
        ("yellow", "red", "r3"),
    ] {
        let goal = by(new_goal(conceding, Some(scoring)), scorer, &[]);
        last = Some(fixture.goal(&game, &goal).await);
    }
    let finished = fixture.finish(&game).await;
    assert_eq!(finished.result.as_ref().unwrap().winner_team_id, Some(team("red")));
    let finished_at = fixture.stored_game(&game).await.finished_at;
    fixture.advance(Duration::from_secs(3600));
    let late = by_hand(new_goal("red", Some("blue")), 3, 41);
    assert_eq!(code(&service.add_goal(&tomasz(), &game, &late).await), "game-finished");
    let change = GoalChange {
        scoring_team_id: Change::Remove,
        own_goal: Some(true),
        scorer_player_id: Change::Set("y1".parse().unwrap()),
        ..no_change()
    };
    let view = service.edit_goal(&ines(), &game, &last.unwrap(), &change).await.unwrap();
    let result = view.result.unwrap();
    assert_eq!((result.draw_kind, &result.winner_team_id), (Some(DrawKind::TwoWay), &None));
    let stored = fixture.stored_game(&game).await;
    assert_eq!((stored.finished_at, stored.result.as_ref()), (finished_at, Some(&result)));
    let link = &service.games(None, &session_id()).await.unwrap()[0];
    assert_eq!((link.outcome, &link.winner_team_id), (Some(result.outcome), &None));
    let rows = service.standings(None, &season_id()).await.unwrap();
    let found: Vec<(&str, u32, u32, u32, u32, u32)> = rows
        .iter()
        .map(|row| {
            (row.team_id.as_str(), row.wins, row.draws, row.losses, row.conceded, row.scored)
        })
        .collect();
    let expected = [("blue", 0, 1, 0, 2, 3), ("red", 0, 1, 0, 2, 3), ("yellow", 0, 0, 1, 3, 0)];
    assert_eq!(found, expected);
    let statistic = fixture.data("SEASON#spring STAT#r3").await;
    assert_eq!((&statistic["goals"], &statistic["games"]), (&0.into(), &1.into()));
    assert_eq!(fixture.data("SEASON#spring STAT#y1").await["ownGoals"], 1);
    let audit = service.audit(&ines(), &game, 50, None).await.unwrap().items;
    let actions: Vec<AuditAction> = audit.iter().map(|record| record.action).collect();
    assert_eq!(actions, [AuditAction::GoalEdited, AuditAction::GameFinished]);
    // A goal after the finish leaves a record of its own.
    service.add_goal(&ines(), &game, &late).await.unwrap();
    let audit = service.audit(&ines(), &game, 1, None).await.unwrap().items;
    assert_eq!(audit[0].action, AuditAction::GoalAddedAfterFinish);
}

async fn a_phone_that_was_offline_sends_its_own_time(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let begun = fixture.now();
    let at =
        |minutes: u64, seconds: u64| Some(begun.after(Duration::from_secs(60 * minutes + seconds)));
    let timed = |third, occurred_at| NewGoal {
        third: Some(third),
        occurred_at,
        ..new_goal("blue", Some("red"))
    };
    fixture.set_time(begun, 21, 30);
    fixture.goal(&game, &timed(1, at(12, 30))).await;
    service.finish_third(&tomasz(), &game, 1, None).await.unwrap();
    service.start_third(&tomasz(), &game, 2, None).await.unwrap();
    fixture.set_time(begun, 40, 0);
    // A third that is over, and clocks that are wrong.
    fixture.goal(&game, &timed(1, at(15, 0))).await;
    fixture.goal(&game, &timed(1, at(30, 0))).await;
    fixture.goal(&game, &timed(1, Some(begun.before(Duration::from_secs(60))))).await;
    fixture.goal(&game, &timed(2, at(90, 0))).await;
    let view = fixture.view(&game).await;
    let shown: Vec<(u8, &str)> =
        view.goals.iter().map(|goal| (goal.third, goal.display_time.as_str())).collect();
    let expected = [(1, "1'"), (1, "13'"), (1, "16'"), (1, "20+2'"), (2, "19'")];
    assert_eq!(shown, expected);
    let refused = service.add_goal(&tomasz(), &game, &timed(3, at(40, 0))).await;
    assert_eq!(code(&refused), "third-out-of-order");
}

async fn moving_a_goal_changes_thirds_and_not_totals(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    let goal = by_hand(new_goal("blue", Some("red")), 1, 23);
    service.add_goal(&ines(), &game, &goal).await.unwrap();
    let entry = async || {
        let key = fixture.keys_of("GAME#g1 GOAL#").await.remove(0);
        (key.clone(), fixture.data(&key).await["entry"].clone())
    };
    let (key, entered) = entry().await;
    assert!(key.contains("GOAL#1#0023#"), "{key}");
    let created = fixture.items().await.into_iter().find(|(of, _)| *of == key).unwrap().1;
    fixture.advance(Duration::from_secs(5));
    let change = GoalChange { third: Some(2), game_minute: Some(21), ..no_change() };
    let view = service.edit_goal(&ines(), &game, &event(&goal), &change).await.unwrap();
    let (key, kept) = entry().await;
    assert!(key.contains("GOAL#2#0021#"), "{key}");
    assert_eq!(entered, kept);
    let moved = fixture.items().await.into_iter().find(|(of, _)| *of == key).unwrap().1;
    assert_eq!(moved.get("createdAt"), created.get("createdAt"));
    assert_ne!(moved.get("updatedAt"), created.get("updatedAt"));
    let by_third: Vec<u32> = view.teams[1].by_third.iter().map(|third| third.conceded).collect();
    assert_eq!((view.teams[1].conceded, by_third), (1, vec![0, 1, 0]));
}

async fn a_lent_player_keeps_goals_with_the_team(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let goal = by(new_goal("blue", Some("red")), "r1", &[]);
    let goal_id = fixture.goal(&game, &goal).await;
    service.assign_roster(&tomasz(), &game, &player("r1"), &team("yellow")).await.unwrap();
    let view = fixture.view(&game).await;
    assert_eq!((view.teams[0].scored, view.teams[0].roster.len()), (1, 2));
    assert_eq!(view.teams[2].roster.len(), 4);
    assert_eq!(fixture.keys_of("GAME#g1 ROSTER#").await.len(), 9);
    // The goal can be changed without naming the scorer again, and r1 scores for yellow now.
    let change = GoalChange { assist_player_ids: Some(distinct([player("r2")])), ..no_change() };
    service.edit_goal(&tomasz(), &game, &goal_id, &change).await.unwrap();
    fixture.goal(&game, &by(new_goal("blue", Some("yellow")), "r1", &[])).await;
    let refused = by(new_goal("blue", Some("red")), "r1", &[]);
    assert_eq!(code(&service.add_goal(&tomasz(), &game, &refused).await), "player-not-on-roster");
    fixture.finish(&game).await;
    let data = fixture.data("SEASON#spring STAT#r1").await;
    assert_eq!((&data["goals"], &data["games"]), (&2.into(), &1.into()));
}

async fn rosters_are_bounded_and_keep_scorers(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game: GameId = fixture.live_game("g1").await;
    let league = league_id();
    for number in 0..13 {
        let id = format!("guest-{number}");
        service.create_player(&tomasz(), &league, &crate::fixture::new_player(&id)).await.unwrap();
        let assigned = service.assign_roster(&tomasz(), &game, &player(&id), &team("red")).await;
        assert_eq!(code(&assigned), if number < 12 { "ok" } else { "roster-full" }, "{number}");
    }
    let assign = async |id: &str, to: &str| {
        code(&service.assign_roster(&tomasz(), &game, &player(id), &team(to)).await)
    };
    assert_eq!(assign("nobody", "red").await, "player-not-found");
    assert_eq!(assign("b1", "green").await, "team-not-in-game");
    let items = fixture.items().await;
    fixture.advance(Duration::from_secs(1));
    assert_eq!(assign("b1", "blue").await, "ok");
    assert_eq!(fixture.items().await, items, "a repetition writes nothing");
    let archived = threefc::service::input::PlayerChange {
        nickname: None,
        number: Change::Keep,
        archived: Some(true),
    };
    service.update_player(&ines(), &player("guest-12"), &archived).await.unwrap();
    assert_eq!(assign("guest-12", "blue").await, "player-archived");
    fixture.goal(&game, &by(new_goal("blue", Some("red")), "r1", &["r2"])).await;
    let remove = async |id: &str| code(&service.remove_roster(&tomasz(), &game, &player(id)).await);
    assert_eq!(remove("r1").await, "player-has-goals");
    assert_eq!(remove("r2").await, "player-has-goals");
    assert_eq!(remove("r3").await, "ok");
    assert_eq!(remove("r3").await, "player-not-found");
    let listed = service.roster(None, &game, Some(&team("red"))).await.unwrap();
    assert_eq!(listed.len(), 14);
    assert_eq!(service.roster(None, &game, None).await.unwrap().len(), 20);
    // After the finish an admin changes rosters, with an audit record; games follow.
    fixture.finish(&game).await;
    let view = service.remove_roster(&ines(), &game, &player("b3")).await.unwrap();
    assert_eq!(view.teams[1].roster.len(), 2);
    assert!(!fixture.keys().await.contains(&"SEASON#spring STAT#b3".to_owned()));
    let audit = service.audit(&ines(), &game, 1, None).await.unwrap().items;
    assert_eq!(audit[0].action, AuditAction::RosterChanged);
}

#[test]
fn goals_are_limited() {
    singlet_testing::run(two_hundred_goals());
}

async fn two_hundred_goals() {
    let fixture = Fixture::new(TestStore::memory()).await;
    let game = fixture.live_game("g1").await;
    for _ in 0..200 {
        fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    }
    let one_more = new_goal("blue", Some("red"));
    let refused = fixture.service.add_goal(&tomasz(), &game_id("g1"), &one_more).await;
    assert_eq!(code(&refused), "limit-reached");
    assert_eq!(fixture.service.goals(None, &game).await.unwrap().len(), 200);
}
