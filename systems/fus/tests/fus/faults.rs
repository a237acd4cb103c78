//! Every write is done completely or not at all, whichever request fails.

use crate::fixture::{Fixture, adam, caller, mina, new_match, new_site, nils, rating, sofia};
use crate::invariants::assert_invariants;
use singlet_fus::error::Error;
use singlet_fus::rules::Permission;
use singlet_fus::service::NewGroup;
use singlet_testing::{Fault, at_every_request, run};

/// A site with a rating and a comment, a group with a member, a club with a match.
struct World {
    fixture: Fixture,
    site: String,
    comment: String,
    players: Vec<String>,
    played: String,
}

impl World {
    async fn new(fixture: Fixture) -> Self {
        let site = fixture.site("Tides", &["a", "b"]).await.id;
        let players = fixture.club(&["Ada", "Ben", "Cleo", "Dan", "Eve"]).await;
        let service = &fixture.service;
        fixture.sign_in(&nils()).await;
        fixture.sign_in(&caller("ben", &[])).await;
        service.rate_site(&nils(), &site, &rating(4)).await.unwrap();
        let comment = service.add_comment(&nils(), &site, "Yes.").await.unwrap().comment_id;
        let new = NewGroup { permissions: [Permission::ReadGroups].into(), ..NewGroup::default() };
        service.create_group(&adam(), "Readers", &new).await.unwrap();
        service.add_member(&adam(), "Readers", "nils").await.unwrap();
        let four = [0, 1, 2, 3].map(|place| players[place].as_str());
        let new = new_match("2026-05-04", four, [3, 1]);
        let played = service.create_match(&mina(), &new).await.unwrap().match_id;
        Self { fixture, site, comment, players, played }
    }
}

/// Runs an operation with every fault. What is stored then is what was there, or what the operation
/// makes of it; and what it says is so.
fn all_or_nothing(operation: impl AsyncFn(&World) -> Result<(), Error>) {
    run(at_every_request(
        async |store| {
            let world = World::new(Fixture::new(store).await).await;
            let before = world.fixture.stored().await;
            (world, before)
        },
        async |(world, _)| operation(world).await,
        async |(world, before), is_done, fault: Fault| {
            let items = world.fixture.items().await;
            assert_invariants(&items);
            let is_changed = world.fixture.stored().await != *before;
            assert!(is_changed || !is_done, "{fault:?}: it says that it is done");
            // Repeated without faults, it is done or was done before.
            let _ = operation(world).await;
            assert_invariants(&world.fixture.items().await);
        },
    ));
}

#[test]
fn a_new_site() {
    all_or_nothing(async |world| {
        let new = new_site("Trains", &["a", "c"]);
        world.fixture.service.create_site(&adam(), &new).await.map(|_| ())
    });
}

#[test]
fn a_change_of_a_site() {
    all_or_nothing(async |world| {
        let new = new_site("Tides and trains", &["b", "c", "d"]);
        world.fixture.service.update_site(&adam(), &world.site, 1, &new).await.map(|_| ())
    });
}

#[test]
fn a_first_rating() {
    all_or_nothing(async |world| {
        let ben = caller("ben", &[]);
        world.fixture.service.rate_site(&ben, &world.site, &rating(2)).await.map(|_| ())
    });
}

#[test]
fn another_rating() {
    all_or_nothing(async |world| {
        world.fixture.service.rate_site(&nils(), &world.site, &rating(1)).await.map(|_| ())
    });
}

#[test]
fn a_rating_taken_back() {
    all_or_nothing(async |world| world.fixture.service.remove_rating(&nils(), &world.site).await);
}

#[test]
fn a_comment() {
    all_or_nothing(async |world| {
        world.fixture.service.add_comment(&nils(), &world.site, "Also.").await.map(|_| ())
    });
}

#[test]
fn a_comment_deleted() {
    all_or_nothing(async |world| {
        world.fixture.service.delete_comment(&nils(), &world.site, &world.comment).await
    });
}

#[test]
fn a_member_added() {
    all_or_nothing(async |world| {
        world.fixture.service.add_member(&adam(), "Readers", "ben").await.map(|_| ())
    });
}

#[test]
fn a_member_removed() {
    all_or_nothing(async |world| {
        world.fixture.service.remove_member(&adam(), "Readers", "nils").await
    });
}

#[test]
fn a_match() {
    all_or_nothing(async |world| {
        let players = [1, 2, 3, 4].map(|place| world.players[place].as_str());
        let new = new_match("2026-05-11", players, [0, 3]);
        world.fixture.service.create_match(&sofia(), &new).await.map(|_| ())
    });
}

#[test]
fn a_match_changed() {
    all_or_nothing(async |world| {
        let players = [1, 2, 3, 4].map(|place| world.players[place].as_str());
        let new = new_match("2026-05-11", players, [0, 3]);
        world.fixture.service.update_match(&mina(), &world.played, 1, &new).await.map(|_| ())
    });
}

#[test]
fn a_match_deleted() {
    all_or_nothing(async |world| world.fixture.service.delete_match(&mina(), &world.played).await);
}

#[test]
fn a_group_deleted_with_its_members() {
    all_or_nothing(async |world| {
        let task = world.fixture.service.delete_group(&adam(), "Readers").await?;
        world.fixture.service.run_task(&task).await.map(|_| ())
    });
}
