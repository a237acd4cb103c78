//! Operations 11 to 16: teams and standings.

use crate::fixture::{record, service, team, team_id};
use cricket::design::{SeasonId, Team, TeamSeason};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    op_11_a_team_is_read_by_its_id,
    op_12_all_teams_are_kept_for_a_minute,
    op_13_only_new_teams_are_written,
    op_14_a_team_is_changed_if_it_is_there,
    op_15_and_16_standings_are_read_by_position,
}

async fn op_11_a_team_is_read_by_its_id(store: TestStore) {
    let service = service(&store).await;
    let hawks = team("101", "Harbour Hawks", "HAR", service.db.now());
    assert_eq!(service.teams.get(&team_id("101")).await.unwrap(), None);
    service.teams.create_many(std::slice::from_ref(&hawks)).await.unwrap();
    assert_eq!(service.teams.get(&team_id("101")).await.unwrap(), Some(hawks));
}

async fn op_12_all_teams_are_kept_for_a_minute(store: TestStore) {
    let service = service(&store).await;
    let other = crate::fixture::other_service(&store);
    let now = service.db.now();
    let teams = [team("2", "Kestrels", "KIN", now), team("1", "Hawks", "HAR", now)];
    service.teams.create_many(&teams).await.unwrap();
    let names = async || {
        let all = service.teams.all().await.unwrap();
        all.iter().map(|team| team.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["Hawks", "Kestrels"]);
    // Another server adds one: it is seen after a minute.
    other.teams.create_many(&[team("3", "Dolphins", "DEL", now)]).await.unwrap();
    store.clock.advance(59_999);
    assert_eq!(names().await, ["Hawks", "Kestrels"]);
    store.clock.advance(1);
    assert_eq!(names().await, ["Dolphins", "Hawks", "Kestrels"]);
}

async fn op_13_only_new_teams_are_written(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let teams: Vec<Team> = (0..60).map(|n| team(&format!("t{n}"), "Team", "TEA", now)).collect();
    assert_eq!(service.teams.create_many(&teams[..40]).await.unwrap(), 40);
    let change = update(Team::key(team_id("t0"))).set(Team::COLOUR, "#112233".to_owned());
    service.teams.update(change).await.unwrap().unwrap();
    assert_eq!(service.teams.create_many(&teams).await.unwrap(), 20);
    let first = service.teams.get(&team_id("t0")).await.unwrap().unwrap();
    assert_eq!(first.colour.as_deref(), Some("#112233"));
    assert_eq!(service.teams.all().await.unwrap().len(), 60);
}

async fn op_14_a_team_is_changed_if_it_is_there(store: TestStore) {
    let service = service(&store).await;
    let change = || update(Team::key(team_id("101"))).set(Team::SHORT_NAME, "Hawks".to_owned());
    assert_eq!(service.teams.update(change()).await.unwrap(), None);
    let hawks = team("101", "Harbour Hawks", "HAR", service.db.now());
    service.teams.create_many(&[hawks]).await.unwrap();
    // What is in memory does not outlive a change.
    service.teams.all().await.unwrap();
    let changed = service.teams.update(change()).await.unwrap().unwrap();
    assert_eq!(
        (changed.name.as_str(), changed.short_name.as_deref()),
        ("Harbour Hawks", Some("Hawks"))
    );
    assert_eq!(service.teams.all().await.unwrap()[0], changed);
}

async fn op_15_and_16_standings_are_read_by_position(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let season = SeasonId::new("s1").unwrap();
    let record = |id: &str, position: u32| record(id, position, now);
    let records = [record("103", 2), record("102", 2), record("101", 1)];
    assert_eq!(service.team_seasons.put_many(&records).await.unwrap(), 3);
    // They are replaced, and one that stands twice is written once.
    let better = TeamSeason { points: 12, ..record("101", 1) };
    let again = [record("101", 1), better.clone()];
    assert_eq!(service.team_seasons.put_many(&again).await.unwrap(), 1);
    let read = service.team_seasons.of_season(&season).await.unwrap();
    let ids: Vec<&str> = read.iter().map(|one| one.team_id.as_str()).collect();
    assert_eq!(ids, ["101", "102", "103"]);
    assert_eq!(read[0], better);
    let other = SeasonId::new("s2").unwrap();
    assert!(service.team_seasons.of_season(&other).await.unwrap().is_empty());
}
