//! Roles and invitations.

use crate::fixture::{
    Fixture, bea, code, ines, league_id, new_league, noor, ruben, season_id, somebody, tomasz, user,
};
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::identity::Caller;
use std::time::Duration;
use threefc::design::{InviteHash, LeagueId, Role};
use threefc::service::input::{AcceptInvite, GrantRole, NewInvite};

on_every_backend! {
    case_22_one_admin_remains,
    roles_are_granted_changed_and_revoked,
    invitations_are_made_previewed_accepted_and_deleted,
    an_invitation_keeps_the_greater_role_and_is_used_once,
    invitations_of_a_former_admin_are_withdrawn,
    grants_and_invitations_are_limited,
}

fn role(role: Role) -> GrantRole {
    GrantRole { role, display_name: Some("Somebody".parse().unwrap()) }
}

async fn case_22_one_admin_remains(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    for round in 0..6 {
        fixture.join(&ines(), &league_id(), &noor(), Role::Admin).await;
        let services = [fixture.second(), fixture.second()];
        let results = at_once(2, |who| {
            let service = services[who].clone();
            async move {
                let (caller, other) = match who {
                    0 => (ines(), noor()),
                    _ => (noor(), ines()),
                };
                code(&service.revoke_role(&caller, &league_id(), &user(&other)).await)
            }
        })
        .await;
        // The loser is no longer an admin. On DynamoDB a batch read is not one snapshot: it can
        // see the loser's old grant beside the league's new count, and then the winner is the
        // last admin.
        let (winners, losers): (Vec<_>, Vec<_>) = results.iter().partition(|&&code| code == "ok");
        assert_eq!(winners.len(), 1, "round {round}: {results:?}");
        assert!(["forbidden", "last-admin"].contains(losers[0]), "round {round}: {results:?}");
        assert_eq!(fixture.data("LEAGUE#tidewall METADATA").await["admins"], 1);
        if results[0] != "ok" {
            // Noor is left: she gives the league back.
            fixture.join(&noor(), &league_id(), &ines(), Role::Admin).await;
            service.revoke_role(&ines(), &league_id(), &user(&noor())).await.unwrap();
        }
    }
    let last = service.revoke_role(&ines(), &league_id(), &user(&ines())).await;
    assert_eq!(code(&last), "last-admin");
    let demoted =
        service.grant_role(&ines(), &league_id(), &user(&ines()), &role(Role::Viewer)).await;
    assert_eq!(code(&demoted), "last-admin");
    assert_eq!(fixture.data("LEAGUE#tidewall METADATA").await["grants"], 3);
}

async fn roles_are_granted_changed_and_revoked(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    service.create_league(&noor(), &new_league("harbour")).await.unwrap();
    let grant = async |new: &GrantRole| {
        service.grant_role(&ines(), &league_id(), &user(&noor()), new).await
    };
    let nameless = GrantRole { role: Role::Viewer, display_name: None };
    assert_eq!(code(&grant(&nameless).await), "invalid", "a new grant needs a name");
    let (made, is_new) = grant(&role(Role::Viewer)).await.unwrap();
    assert_eq!((made.role, is_new), (Role::Viewer, true));
    let items = fixture.items().await;
    fixture.advance(Duration::from_secs(1));
    assert!(!grant(&role(Role::Viewer)).await.unwrap().1);
    assert_eq!(fixture.items().await, items, "a repetition writes nothing");
    grant(&GrantRole { role: Role::Admin, display_name: None }).await.unwrap();
    for key in ["LEAGUE#tidewall ACL#USER#noor", "USER#noor ACL#LEAGUE#tidewall"] {
        let data = fixture.data(key).await;
        assert_eq!((&data["role"], &data["displayName"]), (&"admin".into(), &"Somebody".into()));
    }
    let league = fixture.data("LEAGUE#tidewall METADATA").await;
    assert_eq!((&league["admins"], &league["grants"]), (&2.into(), &4.into()));
    let grants = service.grants(&noor(), &league_id()).await.unwrap();
    assert_eq!(grants.len(), 4);
    // Everybody may leave; nobody else may be thrown out but by an admin.
    assert_eq!(
        code(&service.revoke_role(&tomasz(), &league_id(), &user(&bea())).await),
        "forbidden"
    );
    assert_eq!(code(&service.revoke_role(&bea(), &league_id(), &user(&bea())).await), "ok");
    assert_eq!(
        code(&service.revoke_role(&bea(), &league_id(), &user(&bea())).await),
        "grant-not-found"
    );
    assert_eq!(
        code(&service.revoke_role(&ines(), &league_id(), &user(&ruben())).await),
        "grant-not-found"
    );
    assert!(fixture.keys_of("USER#bea").await.is_empty());
}

fn accept(code: &str) -> AcceptInvite {
    AcceptInvite { code: code.to_owned(), display_name: "Noor".parse().unwrap() }
}

async fn invitations_are_made_previewed_accepted_and_deleted(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let new = NewInvite { role: Role::Scorekeeper };
    assert_eq!(code(&service.invite(&tomasz(), &league_id(), &new).await), "forbidden");
    let invite = service.invite(&ines(), &league_id(), &new).await.unwrap();
    assert_eq!(invite.code.len(), 26);
    // The code itself is stored nowhere.
    let stored = format!("{:?}", fixture.items().await);
    assert!(!stored.contains(&invite.code) && stored.contains(invite.hash.as_str()));
    let preview = service.preview_invite(&noor(), &league_id(), &invite.code).await.unwrap();
    assert_eq!((preview.name.as_str(), preview.role), ("Tidewall", Role::Scorekeeper));
    let lower = invite.code.to_lowercase();
    assert_eq!(code(&service.preview_invite(&noor(), &league_id(), &lower).await), "ok");
    let other = LeagueId::new("other").unwrap();
    assert_eq!(
        code(&service.preview_invite(&noor(), &other, &invite.code).await),
        "invite-not-found"
    );
    assert_eq!(
        code(&service.preview_invite(&noor(), &league_id(), "guess").await),
        "invite-not-found"
    );
    let listed = service.invites(&ines(), &league_id()).await.unwrap();
    assert_eq!((listed.len(), &listed[0].hash), (1, &invite.hash));
    let grant = service.accept_invite(&noor(), &league_id(), &accept(&invite.code)).await.unwrap();
    assert_eq!((grant.role, grant.user_id.as_str()), (Role::Scorekeeper, "noor"));
    assert_eq!(service.me(&noor(), 100, None).await.unwrap().1.items[0].role, Role::Scorekeeper);
    let league = fixture.data("LEAGUE#tidewall METADATA").await;
    assert_eq!((&league["invites"], &league["grants"]), (&0.into(), &4.into()));
    let again = service.accept_invite(&ruben(), &league_id(), &accept(&invite.code)).await;
    assert_eq!(code(&again), "invite-not-found", "it was used");
    // Deleted, and expired.
    let deleted = service.invite(&ines(), &league_id(), &new).await.unwrap();
    service.delete_invite(&ines(), &league_id(), &deleted.hash).await.unwrap();
    let gone = service.delete_invite(&ines(), &league_id(), &deleted.hash).await;
    assert_eq!(code(&gone), "invite-not-found");
    let unknown = InviteHash::new("00").unwrap();
    assert_eq!(
        code(&service.delete_invite(&ines(), &league_id(), &unknown).await),
        "invite-not-found"
    );
    let old = service.invite(&ines(), &league_id(), &new).await.unwrap();
    fixture.advance(Duration::from_secs(7 * 24 * 3600));
    let late = service.accept_invite(&ruben(), &league_id(), &accept(&old.code)).await;
    assert_eq!(code(&late), "invite-not-found");
    assert!(service.invites(&ines(), &league_id()).await.unwrap().is_empty());
    // The next invitation clears it away.
    service.invite(&ines(), &league_id(), &new).await.unwrap();
    assert_eq!(fixture.keys_of("LEAGUE#tidewall INVITE#").await.len(), 1);
    assert_eq!(fixture.data("LEAGUE#tidewall METADATA").await["invites"], 1);
}

async fn an_invitation_keeps_the_greater_role_and_is_used_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let invite = service.invite(&ines(), &league_id(), &NewInvite { role: Role::Viewer }).await;
    let invite = invite.unwrap();
    let grant = service.accept_invite(&ines(), &league_id(), &accept(&invite.code)).await.unwrap();
    assert_eq!(grant.role, Role::Admin);
    assert_eq!(fixture.data("LEAGUE#tidewall METADATA").await["admins"], 1);
    // Whoever raises a role has granted it.
    let granted_by = async |caller: &Caller, role: Role| {
        let invite = service.invite(caller, &league_id(), &NewInvite { role }).await.unwrap();
        let grant = service.accept_invite(&bea(), &league_id(), &accept(&invite.code)).await;
        grant.unwrap().granted_by_user_id.to_string()
    };
    fixture.join(&ines(), &league_id(), &ruben(), Role::Admin).await;
    assert_eq!(granted_by(&ruben(), Role::Viewer).await, "ines", "it stays as it was");
    assert_eq!(granted_by(&ruben(), Role::Scorekeeper).await, "ruben");
    service.revoke_role(&ines(), &league_id(), &user(&ruben())).await.unwrap();
    let invite = service.invite(&ines(), &league_id(), &NewInvite { role: Role::Admin }).await;
    let invite = invite.unwrap();
    let services = [fixture.second(), fixture.second()];
    let results = at_once(2, |who| {
        let (service, accept) = (services[who].clone(), accept(&invite.code));
        async move {
            let caller = [noor(), tomasz()][who].clone();
            code(&service.accept_invite(&caller, &league_id(), &accept).await)
        }
    })
    .await;
    let mut sorted = results;
    sorted.sort_unstable();
    assert_eq!(sorted, ["invite-not-found", "ok"]);
    assert_eq!(fixture.data("LEAGUE#tidewall METADATA").await["admins"], 2);
    assert_eq!(code(&service.season(None, &season_id()).await), "ok");
}

/// Who is admin no longer does not come back by an invitation made before.
async fn invitations_of_a_former_admin_are_withdrawn(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let new = NewInvite { role: Role::Admin };
    let kept = service.invite(&ines(), &league_id(), &new).await.unwrap();
    for (is_revoked, grants) in [(true, 3), (false, 4)] {
        fixture.join(&ines(), &league_id(), &ruben(), Role::Admin).await;
        let mut codes = Vec::new();
        for _ in 0..2 {
            codes.push(service.invite(&ruben(), &league_id(), &new).await.unwrap().code);
        }
        let former = user(&ruben());
        if is_revoked {
            service.revoke_role(&ines(), &league_id(), &former).await.unwrap();
        } else {
            let viewer = role(Role::Viewer);
            service.grant_role(&ines(), &league_id(), &former, &viewer).await.unwrap();
        }
        for code_of in &codes {
            let back = service.accept_invite(&ruben(), &league_id(), &accept(code_of)).await;
            assert_eq!(code(&back), "invite-not-found");
        }
        let league = fixture.data("LEAGUE#tidewall METADATA").await;
        let counts = (&league["invites"], &league["grants"], &league["admins"]);
        assert_eq!(counts, (&1.into(), &grants.into(), &1.into()));
        // What others have made stays.
        let invites = service.invites(&ines(), &league_id()).await.unwrap();
        assert_eq!((invites.len(), &invites[0].hash), (1, &kept.hash));
    }
}

async fn grants_and_invitations_are_limited(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let new = NewInvite { role: Role::Viewer };
    let mut last = None;
    for _ in 0..15 {
        last = Some(service.invite(&ines(), &league_id(), &new).await.unwrap());
    }
    assert_eq!(code(&service.invite(&ines(), &league_id(), &new).await), "limit-reached");
    for number in 3..40 {
        let who = somebody(&format!("user-{number}"));
        service.create_league(&who, &new_league(&format!("of-{number}"))).await.unwrap();
        service.grant_role(&ines(), &league_id(), &user(&who), &role(Role::Viewer)).await.unwrap();
    }
    service.create_league(&noor(), &new_league("harbour")).await.unwrap();
    let one_more =
        service.grant_role(&ines(), &league_id(), &user(&noor()), &role(Role::Viewer)).await;
    assert_eq!(code(&one_more), "limit-reached");
    let accepted = accept(&last.unwrap().code);
    let refused = service.accept_invite(&noor(), &league_id(), &accepted).await;
    assert_eq!(code(&refused), "limit-reached");
}
