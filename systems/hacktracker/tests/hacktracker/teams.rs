//! Teams, members and rosters.

use crate::fixture::{
    Fixture, caller, code_of, eventually, new_player, new_team, new_user, play, user_id,
};
use hacktracker::design::{
    AtBatResult, InviteCode, MemberStatus, Membership, Player, PlayerNumber, Role, Team, TeamMember,
};
use hacktracker::error::Error;
use hacktracker::input::{
    MemberChange, NewGame, NewInvite, NewOwnPlayer, NewTeam, PlayerChange, Positions,
};
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::api::{Change, Paging};
use singlet_web::identity::Caller;

on_every_backend! {
    case_02_one_number_for_two_players,
    case_03_both_owners_leave,
    case_04_a_ghost_becomes_kim,
    who_comes_back_gets_the_linked_player,
    an_owner_cannot_be_demoted_if_he_is_the_last,
    links_move_players_in_and_out_of_the_index,
    personal_teams_have_one_owner_and_one_player,
    players_who_batted_or_are_linked_stay,
}

async fn case_02_one_number_for_two_players(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let manager = fixture.member(&team, "omar", Role::Manager).await;
    let added = at_once(2, |number| {
        let (service, team_id) = (fixture.service.clone(), team.id.clone());
        let by = if number == 0 { owner.clone() } else { manager.clone() };
        async move { service.add_players(&by, &team_id, &[new_player("Pia", Some(12))]).await }
    });
    let added = added.await;
    assert_eq!(added.iter().filter(|one| one.is_ok()).count(), 1);
    let mut winner = None;
    for one in added {
        match one {
            Ok(list) => winner = Some(list.items[0].player_id.clone()),
            Err(Error::Problem(problem)) => {
                assert_eq!(problem.problem_type().name, "number-taken");
                assert_eq!(problem.to_json()["playerNumber"], 12);
            }
            Err(other) => panic!("{other}"),
        }
    }
    let winner = winner.unwrap();
    let roster = fixture.service.players(&owner, &team.id, &Paging::default()).await.unwrap().items;
    let with_12: Vec<_> = roster.iter().filter(|player| player.player_number == Some(12)).collect();
    assert_eq!(with_12.len(), 1);
    assert_eq!(with_12[0].player_id, winner);
    let db = fixture.service.db();
    let guard = db.get(PlayerNumber::key(&team.id, 12).consistent()).await.unwrap().unwrap();
    assert_eq!(guard.player_id, winner);
    // 12 becomes 13, and can be given again.
    let change = PlayerChange { player_number: Change::Set(13), ..PlayerChange::default() };
    let changed = fixture.service.change_player(&owner, &team.id, &winner, &change).await.unwrap();
    assert_eq!(changed.player_number, Some(13));
    fixture.service.add_players(&owner, &team.id, &[new_player("Lou", Some(12))]).await.unwrap();
    let taken = PlayerChange { player_number: Change::Set(1), ..PlayerChange::default() };
    let refused = fixture.service.change_player(&owner, &team.id, &winner, &taken).await;
    assert_eq!(code_of(refused), "number-taken");
    // Twice in one request is once too often, and nothing is written.
    let twice = [new_player("A", Some(50)), new_player("B", Some(50))];
    assert_eq!(
        code_of(fixture.service.add_players(&owner, &team.id, &twice).await),
        "number-taken"
    );
    assert_eq!(
        fixture.service.players(&owner, &team.id, &Paging::default()).await.unwrap().items.len(),
        11
    );
}

async fn case_03_both_owners_leave(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let first = fixture.user("nora").await;
    let team = fixture.team(&first).await;
    fixture.clock.advance(1000);
    let second = fixture.member(&team, "omar", Role::Owner).await;
    let db = fixture.service.db();
    let stored = db.get(Team::key(&team.id).consistent()).await.unwrap().unwrap();
    assert_eq!((stored.owner_count, &stored.owner_id), (2, &user_id(&first)));
    let owners = [first, second];
    let left = at_once(2, |number| {
        let (service, team_id) = (fixture.service.clone(), team.id.clone());
        let by = owners[number].clone();
        async move { service.remove_member(&by, &team_id, &user_id(&by)).await }
    });
    let left = left.await;
    assert_eq!(left.iter().filter(|one| one.is_ok()).count(), 1);
    let stayed = left.iter().position(Result::is_err).unwrap();
    let refused = left.into_iter().find(Result::is_err).unwrap();
    assert_eq!(code_of(refused), "last-owner");
    let stored = db.get(Team::key(&team.id).consistent()).await.unwrap().unwrap();
    assert_eq!((stored.owner_count, stored.owner_id), (1, user_id(&owners[stayed])));
    let members = db.query(TeamMember::members_of(&team.id).consistent()).all().await.unwrap();
    assert_eq!(members.len(), 1);
}

async fn case_04_a_ghost_becomes_kim(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    let team_id = game.game.game.team_id.clone();
    // The first player has five at-bats.
    for _ in 0..5 {
        let entry = hacktracker::input::NewAtBat {
            player_id: Some(game.players[0].clone()),
            ..play(game.revision(), AtBatResult::Single)
        };
        game.record(entry).await.unwrap();
    }
    let (service, owner, ghost) = (&fixture.service, &game.by, game.players[0].clone());
    let new = NewInvite { role: Role::Player, player_id: Some(ghost.clone()) };
    let invite = service.invite(owner, &team_id, &new).await.unwrap();
    assert_eq!(invite.link, format!("/hacktracker/join/{team_id}/{}", invite.code));
    assert_eq!(invite.code.len(), 26);
    let code = InviteCode::new(invite.code).unwrap();
    let kim = fixture.user("kim").await;
    // A code alone is not enough: whoever sees an invite is signed in.
    let nobody = service.see_invite(&Caller::default(), &team_id, &code).await;
    assert_eq!(code_of(nobody), "unauthenticated");
    let shown = service.see_invite(&kim, &team_id, &code).await.unwrap();
    assert_eq!(
        (shown.team.name.as_str(), shown.player.unwrap().player_id),
        ("Copper Kettles", ghost.clone())
    );
    let membership = service.accept_invite(&kim, &team_id, &code).await.unwrap();
    assert_eq!((membership.role, membership.player_id), (Role::Player, Some(ghost.clone())));
    // GSI4 lags behind on DynamoDB.
    let linked = eventually(async || {
        let players = service.db().query(Player::of_user(user_id(&kim))).all().await.unwrap();
        players.iter().any(|player| player.player_id == ghost).then_some(())
    });
    linked.await;
    assert_eq!(service.career(&kim, None, None).await.unwrap().stats.line.pa, 5);
    assert_eq!(code_of(service.accept_invite(&kim, &team_id, &code).await), "invite-not-found");
    assert_eq!(code_of(service.see_invite(&kim, &team_id, &code).await), "invite-not-found");
    service.unlink_player(&kim, &team_id, &ghost).await.unwrap();
    eventually(async || {
        (service.career(&kim, None, None).await.unwrap().stats.line.pa == 0).then_some(())
    })
    .await;
    let stats = service.player_stats(owner, &team_id, &ghost, None).await.unwrap();
    assert_eq!(stats.line.pa, 5);
    let player = service.player(owner, &team_id, &ghost).await.unwrap();
    assert_eq!((player.is_ghost, player.user_id, player.linked_at), (true, None, None));
}

async fn who_comes_back_gets_the_linked_player(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let service = &fixture.service;
    let pia = fixture.user("pia").await;
    let invite = async |player_id| {
        let new = NewInvite { role: Role::Player, player_id };
        let invite = service.invite(&owner, &team.id, &new).await.unwrap();
        InviteCode::new(invite.code).unwrap()
    };
    let code = invite(Some(team.players[0].clone())).await;
    service.accept_invite(&pia, &team.id, &code).await.unwrap();
    // An active member has nothing to accept.
    let code = invite(None).await;
    assert_eq!(code_of(service.accept_invite(&pia, &team.id, &code).await), "already-member");
    service.remove_member(&pia, &team.id, &user_id(&pia)).await.unwrap();
    let player = service.player(&owner, &team.id, &team.players[0]).await.unwrap();
    assert_eq!(player.user_id, Some(user_id(&pia)));
    assert_eq!(player.status, hacktracker::design::PlayerStatus::Inactive);
    assert_eq!(code_of(service.team_page(&pia, &team.id).await), "team-not-found");
    let back = service.accept_invite(&pia, &team.id, &code).await.unwrap();
    assert_eq!(back.player_id, Some(team.players[0].clone()));
    // Who is inactive comes back by an invite, too.
    let inactive = MemberChange { status: Some(MemberStatus::Inactive), role: None };
    service.change_member(&owner, &team.id, &user_id(&pia), &inactive).await.unwrap();
    assert_eq!(code_of(service.team_page(&pia, &team.id).await), "membership-inactive");
    let code = invite(None).await;
    let back = service.accept_invite(&pia, &team.id, &code).await.unwrap();
    assert_eq!(
        (back.status, back.player_id),
        (MemberStatus::Active, Some(team.players[0].clone()))
    );
    // A member without a player is only linked.
    let skye = fixture.member(&team, "skye", Role::Scorekeeper).await;
    let code = invite(Some(team.players[1].clone())).await;
    let linked = service.accept_invite(&skye, &team.id, &code).await.unwrap();
    assert_eq!((linked.role, linked.player_id), (Role::Scorekeeper, Some(team.players[1].clone())));
    // The player of an invite was removed: whoever has it joins without one.
    let code = invite(Some(team.players[2].clone())).await;
    service.remove_player(&owner, &team.id, &team.players[2]).await.unwrap();
    assert_eq!(code_of(service.accept_invite(&skye, &team.id, &code).await), "already-member");
    let lou = fixture.user("lou").await;
    let joined = service.accept_invite(&lou, &team.id, &code).await.unwrap();
    assert_eq!((joined.role, joined.player_id), (Role::Player, None));
    // An invite is open for seven days.
    let code = invite(None).await;
    fixture.clock.advance(7 * 24 * 3_600_000 + 1000);
    let kim = fixture.user("kim").await;
    assert_eq!(code_of(service.accept_invite(&kim, &team.id, &code).await), "invite-not-found");
}

async fn an_owner_cannot_be_demoted_if_he_is_the_last(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let service = &fixture.service;
    let demote = MemberChange { role: Some(Role::Manager), status: None };
    let change = async |by, who, change: &MemberChange| {
        service.change_member(by, &team.id, &user_id(who), change).await
    };
    assert_eq!(code_of(change(&owner, &owner, &demote).await), "last-owner");
    let manager = fixture.member(&team, "omar", Role::Manager).await;
    // A manager makes nobody a manager, and changes no manager.
    let skye = fixture.member(&team, "skye", Role::Scorekeeper).await;
    assert_eq!(code_of(change(&manager, &skye, &demote).await), "forbidden");
    assert_eq!(code_of(change(&manager, &manager, &demote).await), "forbidden");
    let player = MemberChange { role: Some(Role::Player), status: None };
    assert_eq!(change(&manager, &skye, &player).await.unwrap().role, Role::Player);
    // With a second owner the first can be demoted, and the team has a new owner.
    fixture.clock.advance(1000);
    let promote = MemberChange { role: Some(Role::Owner), status: None };
    change(&owner, &manager, &promote).await.unwrap();
    change(&manager, &owner, &demote).await.unwrap();
    let stored = service.db().get(Team::key(&team.id).consistent()).await.unwrap().unwrap();
    assert_eq!((stored.owner_count, stored.owner_id), (1, user_id(&manager)));
    // An owner who is inactive does not count.
    let inactive = MemberChange { status: Some(MemberStatus::Inactive), role: None };
    assert_eq!(code_of(change(&manager, &manager, &inactive).await), "last-owner");
    let nobody = caller("nobody");
    assert_eq!(code_of(change(&manager, &nobody, &inactive).await), "member-not-found");
}

async fn links_move_players_in_and_out_of_the_index(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let service = &fixture.service;
    let pia = fixture.member(&team, "pia", Role::Player).await;
    let id = user_id(&pia);
    let linked = service.link_player(&owner, &team.id, &team.players[0], &id).await.unwrap();
    assert!(!linked.is_ghost && linked.linked_at.is_some());
    // Repeated it does nothing, and the second player is refused.
    assert!(service.link_player(&owner, &team.id, &team.players[0], &id).await.is_ok());
    let second = service.link_player(&owner, &team.id, &team.players[1], &id).await;
    assert_eq!(code_of(second), "member-linked");
    let other = service.link_player(&owner, &team.id, &team.players[0], &user_id(&owner)).await;
    assert_eq!(code_of(other), "player-linked");
    let stranger = user_id(&fixture.user("stella").await);
    let stranger = service.link_player(&owner, &team.id, &team.players[1], &stranger).await;
    assert_eq!(code_of(stranger), "member-not-found");
    let count = async || service.db().query(Player::of_user(&id)).all().await.unwrap().len();
    // One for the PERSONAL team.
    eventually(async || (count().await == 2).then_some(())).await;
    // Pia leaves, stays linked, and takes the link off as a stranger.
    service.remove_member(&pia, &team.id, &id).await.unwrap();
    let other = service.unlink_player(&pia, &team.id, &team.players[1]).await;
    assert_eq!(code_of(other), "team-not-found");
    service.unlink_player(&pia, &team.id, &team.players[0]).await.unwrap();
    eventually(async || (count().await == 1).then_some(())).await;
    // Two at once: one wins.
    let kim = fixture.member(&team, "kim", Role::Player).await;
    let both = at_once(2, |number| {
        let (service, owner, team_id) = (service.clone(), owner.clone(), team.id.clone());
        let (player, kim) = (team.players[number].clone(), user_id(&kim));
        async move { service.link_player(&owner, &team_id, &player, &kim).await }
    });
    assert_eq!(both.await.iter().filter(|one| one.is_ok()).count(), 1);
}

async fn personal_teams_have_one_owner_and_one_player(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let stella = fixture.user("stella").await;
    let service = &fixture.service;
    let own = service.my_teams(&stella, &Paging::default()).await.unwrap().items.remove(0);
    let (team, player, id) = (own.team.team_id, own.player_id.unwrap(), user_id(&stella));
    let invite = NewInvite { role: Role::Player, player_id: None };
    for refused in [
        service.delete_team(&stella, &team).await,
        service.invite(&stella, &team, &invite).await.map(|_| ()),
        service.remove_member(&stella, &team, &id).await,
        service.add_players(&stella, &team, &[new_player("A", None)]).await.map(|_| ()),
        service.remove_player(&stella, &team, &player).await,
        service.link_player(&stella, &team, &player, &id).await.map(|_| ()),
        service.unlink_player(&stella, &team, &player).await,
    ] {
        assert_eq!(code_of(refused), "personal-team");
    }
    // Signing up again does nothing.
    assert!(!service.sign_up(&stella, &new_user("other")).await.unwrap().1);
    assert_eq!(service.my_teams(&stella, &Paging::default()).await.unwrap().items.len(), 1);
}

async fn players_who_batted_or_are_linked_stay(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let own = NewOwnPlayer { player_number: Some(7), positions: Positions::default() };
    let new = NewTeam { player: Some(own), ..new_team("Tin Roofs") };
    let other = fixture.service.create_team(&owner, &new).await.unwrap();
    let db = fixture.service.db();
    let membership = db.get(Membership::key(user_id(&owner), &other.team_id)).await.unwrap();
    let linked = membership.unwrap().player_id.unwrap();
    let refused = fixture.service.remove_player(&owner, &other.team_id, &linked).await;
    assert_eq!(code_of(refused), "player-linked");
    let team = fixture.team(&owner).await;
    let mut game = fixture.started(&team, NewGame::default()).await;
    game.bat(AtBatResult::K).await;
    let remove = async |index: usize| {
        fixture.service.remove_player(&owner, &team.id, &team.players[index]).await
    };
    assert_eq!(code_of(remove(0).await), "player-has-at-bats");
    remove(1).await.unwrap();
    remove(1).await.unwrap();
    // The number is free again.
    let again = [new_player("New", Some(2))];
    fixture.service.add_players(&owner, &team.id, &again).await.unwrap();
    assert_eq!(
        code_of(fixture.service.delete_game(&owner, &game.id, None).await),
        "game-has-at-bats"
    );
    game.undo().await.unwrap();
    fixture.service.delete_game(&owner, &game.id, None).await.unwrap();
    assert_eq!(code_of(fixture.service.game(&owner, &game.id).await), "game-not-found");
    // Without an at-bat the player can be removed, too.
    remove(0).await.unwrap();
}
