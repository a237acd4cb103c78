//! Acceptance cases 15 to 18: groups, permissions, and membership of the squash club.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use fus::design::Task;
use fus::rules::{Permission, Squash};
use fus::service::{GroupChange, NewName, SignIn};
use singlet::prelude::*;
use singlet_testing::{TestStore, at_every_request, at_once, on_every_backend, run};
use singlet_web::identity::Caller;
use singlet_web::problem::Problem;

on_every_backend! {
    case_15_a_deleted_group_gives_no_rights_and_its_name_waits,
    case_16_nobody_gives_a_permission_that_they_lack,
    case_17_nobody_joins_squash_by_themselves,
    case_18_outside_of_squash_every_id_answers_alike,
    groups_are_changed_by_those_who_hold_what_they_give,
    members_come_and_go,
    a_group_is_found_in_any_letter_case,
    who_is_in_squash_shows_in_no_page_and_in_no_cursor,
    a_group_that_was_made_anew_keeps_its_members,
    the_first_sign_in_makes_a_profile_and_later_ones_note_the_time,
}

fn with(permissions: &[Permission]) -> GroupChange {
    GroupChange { description: says("For tests."), permissions: permissions.to_vec() }
}

async fn case_15_a_deleted_group_gives_no_rights_and_its_name_waits(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let lea = caller("lea", &[]);
    let moderators = with(&[Permission::ModerateComments]);
    service.create_group(&adam(), named("Moderators", &moderators)).await.unwrap();
    for who in ["lea", "ben", "cleo"] {
        fixture.sign_in(&caller(who, &[])).await;
        service.add_member(&adam(), &id("Moderators"), &id(who)).await.unwrap();
    }
    let site = fixture.site("Tides", &[]).await;
    let mut ids = Vec::new();
    for body in ["one", "two"] {
        fixture.clock.advance(1);
        ids.push(service.add_comment(&nils(), &site.id, &says(body)).await.unwrap().comment_id);
    }
    service.moderate_comment(&lea, (&site.id, &id("nils"), &ids[0]), &says("Why")).await.unwrap();
    let task = service.delete_group(&adam(), &id("Moderators")).await.unwrap();
    let removed =
        service.moderate_comment(&lea, (&site.id, &id("nils"), &ids[1]), &says("Why")).await;
    assert_eq!(code(removed), "forbidden");
    let made = service.create_group(&adam(), named("Moderators", &moderators)).await;
    assert_eq!(code(made), "group-busy");
    let spelled = service.create_group(&adam(), named("moderators", &moderators)).await;
    assert_eq!(code(spelled), "group-busy");
    assert_eq!(code(service.group(&adam(), &id("Moderators")).await), "group-not-found");
    assert_eq!(code(service.delete_group(&adam(), &id("Moderators")).await), "group-not-found");
    // Members may always leave.
    service.remove_member(&caller("ben", &[]), &id("Moderators"), &id("ben")).await.unwrap();
    assert_invariants(&fixture.items().await);
    service.run_task(&task).await.unwrap();
    assert_invariants(&fixture.items().await);
    service.create_group(&adam(), named("Moderators", &moderators)).await.unwrap();
    let members = service.members(&adam(), &id("Moderators"), &all()).await.unwrap();
    assert_eq!(members.items, []);
    let removed =
        service.moderate_comment(&lea, (&site.id, &id("nils"), &ids[1]), &says("Why")).await;
    assert_eq!(code(removed), "forbidden");
}

async fn case_16_nobody_gives_a_permission_that_they_lack(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let logins = with(&[Permission::ReadLogins]);
    assert_eq!(
        code(service.create_group(&adam(), named("Helpdesk", &logins)).await),
        "permission-not-held"
    );
    service.create_group(&adam(), named("Helpdesk", &with(&[]))).await.unwrap();
    let given = service.update_group(&adam(), &id("Helpdesk"), 1, logins.clone()).await;
    assert_eq!(code(given), "permission-not-held");
    let given = service.update_group(&sofia(), &id("Helpdesk"), 1, logins.clone()).await.unwrap();
    assert_eq!((given.version, given.permissions), (2, vec![Permission::ReadLogins]));
    // Adam may keep a permission he lacks, but cannot add members to the group.
    service.update_group(&adam(), &id("Helpdesk"), 2, logins.clone()).await.unwrap();
    fixture.sign_in(&nils()).await;
    let added = service.add_member(&adam(), &id("Helpdesk"), &id("nils")).await;
    assert_eq!(code(added), "permission-not-held");
    service.add_member(&sofia(), &id("Helpdesk"), &id("nils")).await.unwrap();
    let removed = service.remove_member(&adam(), &id("Helpdesk"), &id("nils")).await;
    assert_eq!(code(removed), "permission-not-held");
    service.remove_member(&nils(), &id("Helpdesk"), &id("nils")).await.unwrap();
}

async fn case_17_nobody_joins_squash_by_themselves(store: TestStore) {
    let fixture = Fixture::new(store).await;
    fixture.club(&[]).await;
    let service = &fixture.service;
    for somebody in [sofia(), adam(), mina(), nils(), caller("max", &["manager"])] {
        fixture.sign_in(&somebody).await;
        let joined = service.add_member(&somebody, &id("Squash"), &id(&somebody.subject)).await;
        assert!(matches!(code(joined), "self-join" | "squash-only"), "{}", somebody.subject);
    }
    assert_eq!(code(service.players(&nils(), &all()).await), "squash-only");
    let added = service.add_member(&mina(), &id("Squash"), &id("nils")).await.unwrap();
    assert!(added.is_new);
    assert!(!service.add_member(&mina(), &id("Squash"), &id("nils")).await.unwrap().is_new);
    service.players(&nils(), &all()).await.unwrap();
    assert_eq!(service.me(&nils()).await.unwrap().squash, Squash::Read);
    // An admin in Squash can read; after leaving, they see nothing.
    service.add_member(&mina(), &id("Squash"), &id("adam")).await.unwrap();
    assert_eq!(service.me(&adam()).await.unwrap().squash, Squash::Read);
    service.remove_member(&nils(), &id("Squash"), &id("nils")).await.unwrap();
    assert_eq!(code(service.players(&nils(), &all()).await), "squash-only");
    assert_eq!(
        code(service.remove_member(&adam(), &id("Squash"), &id("mina")).await),
        "squash-managers-only"
    );
    assert_invariants(&fixture.items().await);
}

async fn case_18_outside_of_squash_every_id_answers_alike(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan"]).await;
    let service = &fixture.service;
    let new = new_match("2026-05-04", [&ids[0], &ids[1], &ids[2], &ids[3]], [3, 1]);
    let there = service.create_match(&mina(), &new).await.unwrap().match_id;
    for somebody in [caller("max", &["manager"]), adam(), nils()] {
        let mut answers = Vec::new();
        for made_up in [there.as_str(), "0198f000-0000-7000-8000-00000000dead", "x"] {
            let answer = service.one_match(&somebody, &id(made_up)).await.unwrap_err();
            answers.push(Problem::from(answer).to_json().to_string());
        }
        assert!(answers[0].contains("squash-only"), "{answers:?}");
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        for id in [&ids[0], &id("nobody")] {
            assert_eq!(code(service.player(&somebody, id).await), "squash-only");
            assert_eq!(code(service.matches_of(&somebody, id, &all()).await), "squash-only");
            assert_eq!(code(service.delete_player(&somebody, id).await), "squash-only");
        }
        let range = service.standings(&somebody, "never", "ever").await;
        assert_eq!(code(range), "squash-only");
    }
    assert_eq!(code(service.one_match(&mina(), &id("made-up")).await), "match-not-found");
}

async fn groups_are_changed_by_those_who_hold_what_they_give(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    for reserved in ["Squash", "squash", "SQUASH"] {
        assert_eq!(
            code(service.create_group(&sofia(), named(reserved, &with(&[]))).await),
            "group-reserved"
        );
        let changed = service.update_group(&sofia(), &id(reserved), 1, with(&[]).clone()).await;
        assert_eq!(code(changed), "group-reserved");
        assert_eq!(code(service.delete_group(&sofia(), &id(reserved)).await), "group-reserved");
    }
    for bad in ["x", "has space", "a#b", &"x".repeat(41)] {
        assert!(NewName::try_from(bad.to_owned()).is_err(), "{bad}");
    }
    assert_eq!(code(service.create_group(&nils(), named("Mine", &with(&[]))).await), "forbidden");
    service
        .create_group(&adam(), named("Librarians", &with(&[Permission::ReadGroups])))
        .await
        .unwrap();
    let again = service.create_group(&adam(), named("Librarians", &with(&[]))).await;
    assert_eq!(code(again), "group-exists");
    // Names may not differ only in case.
    for spelling in ["librarians", "LIBRARIANS"] {
        let again = service.create_group(&adam(), named(spelling, &with(&[]))).await;
        assert_eq!(code(again), "group-exists", "{spelling}");
    }
    let changed = service.update_group(&adam(), &id("Librarians"), 7, with(&[]).clone()).await;
    assert_eq!(code(changed), "changed-meanwhile");
    let nowhere = service.update_group(&adam(), &id("Nowhere"), 1, with(&[]).clone()).await;
    assert_eq!(code(nowhere), "group-not-found");
    let names: Vec<String> = service
        .groups(&adam(), &all())
        .await
        .unwrap()
        .items
        .into_iter()
        .map(|group| group.name.to_string())
        .collect();
    assert_eq!(names, ["Librarians", "Squash"]);
    assert_eq!(code(service.groups(&nils(), &all()).await), "forbidden");
}

async fn members_come_and_go(store: TestStore) {
    let fixture = Fixture::new(store).await;
    fixture.club(&[]).await;
    let service = &fixture.service;
    service.create_group(&adam(), named("Readers", &with(&[]))).await.unwrap();
    fixture.sign_in(&nils()).await;
    assert_eq!(
        code(service.add_member(&adam(), &id("Readers"), &id("nobody")).await),
        "user-not-found"
    );
    assert_eq!(
        code(service.add_member(&adam(), &id("Nowhere"), &id("nils")).await),
        "group-not-found"
    );
    assert_eq!(code(service.add_member(&adam(), &id("Readers"), &id("adam")).await), "self-join");
    assert_eq!(code(service.add_member(&nils(), &id("Readers"), &id("mina")).await), "forbidden");
    assert!(service.add_member(&adam(), &id("Readers"), &id("nils")).await.unwrap().is_new);
    service.add_member(&mina(), &id("Squash"), &id("nils")).await.unwrap();
    // Membership in Squash is visible to the club only.
    let groups_of = async |somebody: Caller| -> Vec<String> {
        let page = service.groups_of(&somebody, &id("nils"), &all()).await.unwrap();
        page.items.into_iter().map(|one| one.name.to_string()).collect()
    };
    assert_eq!(groups_of(nils()).await, ["Readers", "Squash"]);
    assert_eq!(groups_of(mina()).await, ["Readers", "Squash"]);
    assert_eq!(groups_of(adam()).await, ["Readers"]);
    assert_eq!(code(service.groups_of(&nils(), &id("mina"), &all()).await), "forbidden");
    assert_eq!(code(service.members(&adam(), &id("Squash"), &all()).await), "squash-only");
    let members = service.members(&nils(), &id("Squash"), &all()).await.unwrap().items;
    let names: Vec<&str> = members.iter().map(|one| one.display_name.as_str()).collect();
    assert_eq!(names, ["Mina", "Nils"]);
    assert_eq!(members[1].added_by.as_str(), "mina");
    service.remove_member(&adam(), &id("Readers"), &id("nils")).await.unwrap();
    assert_eq!(
        code(service.remove_member(&adam(), &id("Readers"), &id("nils")).await),
        "member-not-found"
    );
    assert_eq!(
        code(service.remove_member(&nils(), &id("Readers"), &id("nils")).await),
        "member-not-found"
    );
    assert_eq!(
        code(service.remove_member(&nils(), &id("Readers"), &id("mina")).await),
        "forbidden"
    );
    assert_invariants(&fixture.items().await);
}

async fn the_first_sign_in_makes_a_profile_and_later_ones_note_the_time(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    assert_eq!(code(service.user(None, &id("nils")).await), "user-not-found");
    // A user without a profile still has a name.
    assert_eq!(service.me(&nils()).await.unwrap().user.display_name, "Nils");
    let now = service.db().now();
    let at = |seconds: u64, ip: &str| SignIn {
        at: now.after(std::time::Duration::from_secs(seconds)),
        ip: Some(ip.to_owned()),
    };
    let me = service.record_login(&nils(), &at(10, "192.0.2.1")).await.unwrap();
    assert_eq!(me.user.last_login_ip.as_deref(), Some("192.0.2.1"));
    // An older token changes nothing, and neither does the same one.
    fixture.control.forget();
    for older in [at(5, "192.0.2.2"), at(10, "192.0.2.3")] {
        let me = service.record_login(&nils(), &older).await.unwrap();
        assert_eq!(me.user.last_login_ip.as_deref(), Some("192.0.2.1"));
    }
    assert_eq!(fixture.control.writes(), [] as [&str; 0]);
    let me = service.record_login(&nils(), &at(20, "192.0.2.4")).await.unwrap();
    assert_eq!(me.user.last_login_ip.as_deref(), Some("192.0.2.4"));
    let nameless = Caller { name: None, ..caller("abcdefghij", &[]) };
    let me = service.record_login(&nameless, &at(1, "192.0.2.5")).await.unwrap();
    assert_eq!(me.user.display_name, "Member abcdef");
    // Sign-in times of others need logins.read.
    for (who, sees) in
        [(None, false), (Some(adam()), false), (Some(sofia()), true), (Some(nils()), true)]
    {
        let user = service.user(who.as_ref(), &id("nils")).await.unwrap();
        assert_eq!((user.last_login_at.is_some(), user.last_login_ip.is_some()), (sees, sees));
    }
    let sign_in = at(30, "192.0.2.6");
    let me =
        service.update_profile(&nils(), &sign_in, &profile(" Zoë  Nils ", "Hello.")).await.unwrap();
    assert_eq!(
        (me.user.display_name.as_str(), me.user.description.as_str()),
        ("Zoë Nils", "Hello.")
    );
    let people = service.people(&adam(), "zoe").await.unwrap();
    assert_eq!(people.iter().map(|one| one.user_id.as_str()).collect::<Vec<_>>(), ["nils"]);
    assert_eq!(service.people(&adam(), "Nils").await.unwrap(), []);
    assert_eq!(code(service.people(&nils(), "zoe").await), "forbidden");
    let strange = caller("no#id", &[]);
    assert_eq!(code(service.me(&strange).await), "forbidden");
    assert_eq!(code(service.user(Some(&strange), &id("nils")).await), "done");
}

/// Regression: "librarians" was neither free nor found beside "Librarians".
async fn a_group_is_found_in_any_letter_case(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    fixture.club(&[]).await;
    fixture.sign_in(&nils()).await;
    let readers = with(&[Permission::ReadGroups]);
    service.create_group(&adam(), named("Librarians", &readers)).await.unwrap();
    let small = id("librarians");
    assert_eq!(service.group(&adam(), &small).await.unwrap().name.as_str(), "Librarians");
    let added = service.add_member(&adam(), &small, &id("nils")).await.unwrap();
    assert!(added.is_new);
    assert!(!service.add_member(&adam(), &id("LIBRARIANS"), &id("nils")).await.unwrap().is_new);
    assert_eq!(service.member(&adam(), &small, &id("nils")).await.unwrap(), added.member);
    assert_eq!(service.members(&adam(), &small, &all()).await.unwrap().items, [added.member]);
    assert_eq!(service.groups_of(&nils(), &id("nils"), &all()).await.unwrap().items.len(), 1);
    service.update_group(&adam(), &small, 1, with(&[])).await.unwrap();
    service.remove_member(&adam(), &small, &id("nils")).await.unwrap();
    let task = service.delete_group(&adam(), &small).await.unwrap();
    service.run_task(&task).await.unwrap();
    assert_eq!(code(service.group(&adam(), &small).await), "group-not-found");
    // The club is for the club, however its name is written.
    let squash = id("sQUASH");
    assert_eq!(code(service.members(&adam(), &squash, &all()).await), "squash-only");
    assert_eq!(code(service.add_member(&adam(), &squash, &id("nils")).await), "squash-only");
    assert_eq!(service.members(&mina(), &squash, &all()).await.unwrap().items.len(), 1);
    service.add_member(&mina(), &squash, &id("nils")).await.unwrap();
    assert_eq!(service.rights(&nils()).await.unwrap().squash, Squash::Read);
    assert_invariants(&fixture.items().await);
}

/// Regression: the page was short by the hidden group, and the cursor named it.
async fn who_is_in_squash_shows_in_no_page_and_in_no_cursor(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    fixture.club(&[]).await;
    fixture.sign_in(&nils()).await;
    for name in ["Alpha", "Tango", "Zeta"] {
        service.create_group(&adam(), named(name, &GroupChange::default())).await.unwrap();
        for member in ["mina", "nils"] {
            service.add_member(&adam(), &id(name), &id(member)).await.unwrap();
        }
    }
    // Mina is in Squash and Nils is not; Adam, an outsider, sees no difference.
    let mut shown = Vec::new();
    for user in ["mina", "nils"] {
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let part = paging(1, cursor.as_deref());
            let page = service.groups_of(&adam(), &id(user), &part).await.unwrap();
            pages.push(page.items.iter().map(|one| one.name.to_string()).collect::<Vec<_>>());
            cursor = page.next;
            let Some(cursor) = &cursor else { break };
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(text.contains("MEMBERSHIP#"), "cursors are not as this test takes them to be");
            assert!(!text.contains("Squash"), "{text}");
        }
        shown.push(pages);
    }
    assert_eq!(shown[0], [["Alpha"], ["Tango"], ["Zeta"]]);
    assert_eq!(shown[0], shown[1]);
    let own = service.groups_of(&mina(), &id("mina"), &all()).await.unwrap();
    assert_eq!(own.items.len(), 4);
}

/// Regression: a late second executor of a deletion continued with the new group.
async fn a_group_that_was_made_anew_keeps_its_members(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (service, db) = (&fixture.service, fixture.service.db());
    let people = ["ben", "nils", "pia"];
    let make = async || {
        service.create_group(&adam(), named("Phoenix", &GroupChange::default())).await.unwrap();
        for name in people {
            fixture.sign_in(&caller(name, &[])).await;
            service.add_member(&adam(), &id("Phoenix"), &id(name)).await.unwrap();
        }
    };
    make().await;
    let task = service.delete_group(&adam(), &id("Phoenix")).await.unwrap();
    let late = db.get(Task::key(&task)).await.unwrap().unwrap();
    service.run_task(&task).await.unwrap();
    make().await;
    // The stale task, as the late executor still holds it.
    db.run(put(&late)).await.unwrap();
    service.run_task(&task).await.unwrap();
    assert_eq!(service.group(&adam(), &id("Phoenix")).await.unwrap().member_count, 3);
    assert!(db.get(Task::key(&task)).await.unwrap().is_none());
    assert_invariants(&fixture.items().await);
    // The same while another task deletes the new group.
    let next = service.delete_group(&adam(), &id("Phoenix")).await.unwrap();
    db.run(put(&late)).await.unwrap();
    service.run_task(&task).await.unwrap();
    assert!(fixture.stored().await.contains("MEMBERSHIP#Phoenix"));
    service.run_task(&next).await.unwrap();
    assert!(!fixture.stored().await.contains("Phoenix"));
    assert_invariants(&fixture.items().await);
}

#[test]
fn of_twenty_spellings_of_a_name_one_becomes_a_group() {
    run(async {
        let fixture = Fixture::memory().await;
        let made = at_once(20, |number| {
            let service = fixture.service.clone();
            async move {
                let letter = |(place, letter): (usize, char)| match number >> place & 1 {
                    0 => letter,
                    _ => letter.to_ascii_uppercase(),
                };
                let name: String = "readers".chars().enumerate().map(letter).collect();
                code(service.create_group(&adam(), named(name, &with(&[]))).await)
            }
        });
        let made = made.await;
        assert_eq!(made.iter().filter(|code| **code == "done").count(), 1, "{made:?}");
        assert!(made.iter().all(|code| ["done", "group-exists"].contains(code)), "{made:?}");
    });
}

/// Every other write is one transaction, which `law` lets fail.
#[test]
fn a_deletion_of_a_group_that_dies_anywhere_is_completed_by_the_job() {
    run(at_every_request(
        async |store| {
            let fixture = Fixture::new(store).await;
            fixture.service.create_group(&adam(), named("Readers", &with(&[]))).await.unwrap();
            for name in ["ben", "nils", "pia"] {
                fixture.sign_in(&caller(name, &[])).await;
                let added = fixture.service.add_member(&adam(), &id("Readers"), &id(name)).await;
                added.unwrap();
            }
            fixture
        },
        async |fixture| {
            let task = fixture.service.delete_group(&adam(), &id("Readers")).await?;
            fixture.service.run_task(&task).await.map(|_| ())
        },
        async |fixture, is_done, fault| {
            assert_invariants(&fixture.items().await);
            if code(fixture.service.group(&adam(), &id("Readers")).await) == "done" {
                // It died before the first step.
                assert!(!is_done, "{fault:?}");
                fixture.service.delete_group(&adam(), &id("Readers")).await.unwrap();
            }
            fixture.finish_tasks().await;
            let left = fixture.stored().await;
            assert!(!left.contains("eaders") && !left.contains("TASK#"), "{fault:?}: {left}");
            assert_invariants(&fixture.items().await);
        },
    ));
}
