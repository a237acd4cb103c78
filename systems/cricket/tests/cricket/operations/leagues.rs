//! Operations 17 to 22: leagues.

use crate::fixture::{league, service};
use cricket::design::{League, LeagueId};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    op_17_and_20_a_league_is_put_and_read,
    op_18_all_leagues_by_name,
    op_19_active_leagues_by_code,
    op_21_a_league_is_changed_if_it_is_there,
    op_22_a_league_is_deleted,
}

fn id(text: &str) -> LeagueId {
    LeagueId::new(text).unwrap()
}

async fn op_17_and_20_a_league_is_put_and_read(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    assert_eq!(service.leagues.get(&id("7001")).await.unwrap(), None);
    let first = league("7001", "CTL", "Coastal", true, now);
    assert_eq!(service.leagues.put(&first).await.unwrap(), first);
    let second = League { name: "Coastal T20 League".into(), active: false, ..first.clone() };
    service.leagues.put(&second).await.unwrap();
    assert_eq!(service.leagues.get(&id("7001")).await.unwrap(), Some(second.clone()));
    // LeagueSync creates new ones only, so that `active` stays the admin's.
    assert!(!service.leagues.create(&first).await.unwrap());
    assert_eq!(service.leagues.get(&id("7001")).await.unwrap(), Some(second));
}

async fn op_18_all_leagues_by_name(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    service.leagues.put(&league("1", "SOC", "Summit", true, now)).await.unwrap();
    service.leagues.put(&league("2", "CTL", "Coastal", false, now)).await.unwrap();
    let all = service.leagues.all().await.unwrap();
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Coastal", "Summit"]);
}

async fn op_19_active_leagues_by_code(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    for (n, code, active) in [(1, "SOC", true), (2, "CTL", true), (3, "ITS", false)] {
        service.leagues.put(&league(&n.to_string(), code, code, active, now)).await.unwrap();
    }
    let codes = async || {
        let active = service.leagues.active().await.unwrap();
        active.iter().map(|one| one.code.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(codes().await, ["CTL", "SOC"]);
    let off = update(League::key(id("1"))).set(League::ACTIVE, false);
    service.leagues.update(off).await.unwrap();
    assert_eq!(codes().await, ["CTL"]);
}

async fn op_21_a_league_is_changed_if_it_is_there(store: TestStore) {
    let service = service(&store).await;
    let rename = || update(League::key(id("7001"))).set(League::NAME, "Coastal T20 League");
    assert_eq!(service.leagues.update(rename()).await.unwrap(), None);
    service.leagues.put(&league("7001", "CTL", "Old", false, service.db.now())).await.unwrap();
    let changed = service.leagues.update(rename()).await.unwrap().unwrap();
    assert_eq!((changed.name.as_str(), changed.active), ("Coastal T20 League", false));
}

async fn op_22_a_league_is_deleted(store: TestStore) {
    let service = service(&store).await;
    let old = league("7001", "CTL", "Coastal", true, service.db.now());
    service.leagues.put(&old).await.unwrap();
    service.leagues.all().await.unwrap();
    assert_eq!(service.leagues.delete(&id("7001")).await.unwrap(), Some(old));
    assert_eq!(service.leagues.delete(&id("7001")).await.unwrap(), None);
    assert!(service.leagues.all().await.unwrap().is_empty());
}
