//! Every write is done completely or not at all, whichever request fails.

use crate::fixture::{
    Fixture, adam, caller, code, mina, new_match, new_site, nils, rating, sofia, text,
};
use crate::invariants::assert_invariants;
use fus::error::Error;
use fus::rules::Permission;
use fus::service::NewGroup;
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

/// What is stored, without generated ids and times: those of two worlds differ. One text per item.
#[derive(Debug, PartialEq, Eq)]
struct State {
    /// Tags are noted before the transaction of a site. One that no site has does no harm.
    tags: Vec<String>,
    others: Vec<String>,
}

impl State {
    async fn of(world: &World) -> Self {
        let mut items: Vec<(bool, String)> = Vec::new();
        for item in world.fixture.items().await {
            let is_tag = text(&item, "PK").starts_with("TAG#");
            items.push((is_tag, without_ids_and_times(&format!("{item:?}"))));
        }
        items.sort();
        let (tags, others): (Vec<_>, Vec<_>) = items.into_iter().partition(|(is_tag, _)| *is_tag);
        let texts = |items: Vec<(bool, String)>| items.into_iter().map(|(_, text)| text).collect();
        Self { tags: texts(tags), others: texts(others) }
    }
}

/// Whether a text begins with something of this form: `x` is a hexadecimal digit, `0` a decimal one,
/// and everything else stands for itself.
fn has_form(text: &str, form: &str) -> bool {
    let fits = |(byte, form): (u8, u8)| match form {
        b'x' => byte.is_ascii_hexdigit(),
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    };
    text.len() >= form.len() && text.bytes().zip(form.bytes()).all(fits)
}

fn without_ids_and_times(text: &str) -> String {
    let forms = ["xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "0000-00-00T00:00:00.000Z"];
    let (mut left, mut out) = (text, String::new());
    while let Some(first) = left.chars().next() {
        let found = forms.iter().find(|form| has_form(left, form));
        out.push(if found.is_some() { '*' } else { first });
        left = &left[found.map_or(first.len_utf8(), |form| form.len())..];
    }
    out
}

/// Runs an operation with every fault. Afterwards everything is stored that the operation writes
/// without a fault, or nothing of it; and everything if it has reported success. Repeated, it is
/// done; or answers `repeated`, if it was stored the first time.
fn all_or_nothing(repeated: &str, operation: impl AsyncFn(&World) -> Result<(), Error>) {
    check_faults(repeated, false, operation);
}

/// The same for an operation whose later steps the job takes if the server dies.
fn all_or_nothing_after_the_job(
    repeated: &str,
    operation: impl AsyncFn(&World) -> Result<(), Error>,
) {
    check_faults(repeated, true, operation);
}

fn check_faults(
    repeated: &str,
    has_steps: bool,
    operation: impl AsyncFn(&World) -> Result<(), Error>,
) {
    run(async {
        let world = World::new(Fixture::memory().await).await;
        operation(&world).await.unwrap();
        let after = State::of(&world).await;
        at_every_request(
            async |store| {
                let world = World::new(Fixture::new(store).await).await;
                let before = State::of(&world).await;
                (world, before)
            },
            async |(world, _)| operation(world).await,
            async |(world, before), is_done, fault: Fault| {
                assert_invariants(&world.fixture.items().await);
                if has_steps {
                    world.fixture.finish_tasks().await;
                }
                let stored = State::of(world).await;
                let is_stored = stored.others == after.others;
                assert!(is_stored || stored.others == before.others, "{fault:?}: {stored:#?}");
                assert!(!is_done || stored == after, "{fault:?}: it says that it is done");
                let expected = if is_stored { repeated } else { "done" };
                assert_eq!(code(operation(world).await), expected, "{fault:?}");
                if !is_stored {
                    assert_eq!(State::of(world).await, after, "{fault:?}");
                }
                assert_invariants(&world.fixture.items().await);
            },
        )
        .await;
    });
}

#[test]
fn ids_and_times_are_left_out_of_what_is_compared() {
    let text = "é 0198f000-0000-7000-8000-000000000001#2026-05-04T10:00:00.000Z 2026-05-04";
    assert_eq!(without_ids_and_times(text), "é *#* 2026-05-04");
}

#[test]
fn a_new_site() {
    all_or_nothing("done", async |world| {
        let new = new_site("Trains", &["a", "c"]);
        world.fixture.service.create_site(&adam(), &new).await.map(|_| ())
    });
}

#[test]
fn a_change_of_a_site() {
    all_or_nothing("changed-meanwhile", async |world| {
        let new = new_site("Tides and trains", &["b", "c", "d"]);
        world.fixture.service.update_site(&adam(), &world.site, 1, &new).await.map(|_| ())
    });
}

#[test]
fn a_first_rating() {
    all_or_nothing("done", async |world| {
        let ben = caller("ben", &[]);
        world.fixture.service.rate_site(&ben, &world.site, &rating(2)).await.map(|_| ())
    });
}

#[test]
fn another_rating() {
    all_or_nothing("done", async |world| {
        world.fixture.service.rate_site(&nils(), &world.site, &rating(1)).await.map(|_| ())
    });
}

#[test]
fn a_rating_taken_back() {
    all_or_nothing("rating-not-found", async |world| {
        world.fixture.service.remove_rating(&nils(), &world.site).await
    });
}

#[test]
fn a_comment() {
    all_or_nothing("done", async |world| {
        world.fixture.service.add_comment(&nils(), &world.site, "Also.").await.map(|_| ())
    });
}

#[test]
fn a_comment_deleted() {
    all_or_nothing("comment-not-found", async |world| {
        world.fixture.service.delete_comment(&nils(), &world.site, &world.comment).await
    });
}

#[test]
fn a_member_added() {
    all_or_nothing("done", async |world| {
        world.fixture.service.add_member(&adam(), "Readers", "ben").await.map(|_| ())
    });
}

#[test]
fn a_member_removed() {
    all_or_nothing("member-not-found", async |world| {
        world.fixture.service.remove_member(&adam(), "Readers", "nils").await
    });
}

#[test]
fn a_match() {
    all_or_nothing("done", async |world| {
        let players = [1, 2, 3, 4].map(|place| world.players[place].as_str());
        let new = new_match("2026-05-11", players, [0, 3]);
        world.fixture.service.create_match(&sofia(), &new).await.map(|_| ())
    });
}

#[test]
fn a_match_changed() {
    all_or_nothing("changed-meanwhile", async |world| {
        let players = [1, 2, 3, 4].map(|place| world.players[place].as_str());
        let new = new_match("2026-05-11", players, [0, 3]);
        world.fixture.service.update_match(&mina(), &world.played, 1, &new).await.map(|_| ())
    });
}

#[test]
fn a_match_deleted() {
    all_or_nothing("match-not-found", async |world| {
        world.fixture.service.delete_match(&mina(), &world.played).await
    });
}

#[test]
fn a_group_deleted_with_its_members() {
    all_or_nothing_after_the_job("group-not-found", async |world| {
        let task = world.fixture.service.delete_group(&adam(), "Readers").await?;
        world.fixture.service.run_task(&task).await.map(|_| ())
    });
}
