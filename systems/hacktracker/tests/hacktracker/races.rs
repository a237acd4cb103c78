//! Somebody else writes between the reads and the write of an operation.

use crate::fixture::{Fixture, TestTeam, code_of, play, user_id};
use crate::watched::{Watch, watched};
use hacktracker::design::{
    AtBatResult, Game, GameId, GameStatus, InviteCode, Membership, Player, PlayerId, PlayerStatus,
    Position, Role,
};
use hacktracker::input::{GameChange, NewGame, NewInvite, NewLineup, PlayerChange, StatusChange};
use hacktracker::rules::status::Verb;
use hacktracker::service::Service;
use singlet_testing::{TestStore, run};
use singlet_web::api::Change;
use singlet_web::identity::Caller;
use std::sync::Arc;

/// A team with a member who is linked to its first player.
struct Linked {
    fixture: Fixture,
    team: TestTeam,
    pia: Caller,
    player: PlayerId,
    /// Whose requests are watched.
    slow: Service,
    watch: Arc<Watch>,
}

impl Linked {
    async fn new() -> Self {
        let fixture = Fixture::new(TestStore::memory()).await;
        let owner = fixture.user("nora").await;
        let team = fixture.team(&owner).await;
        let pia = fixture.member(&team, "pia", Role::Player).await;
        let player = team.players[0].clone();
        fixture.service.link_player(&owner, &team.id, &player, &user_id(&pia)).await.unwrap();
        let (slow, watch) = watched(&fixture.store);
        Self { fixture, team, pia, player, slow, watch }
    }

    /// Does this before the next transaction of the slow service.
    fn meanwhile<F: Future<Output = ()> + Send + 'static>(
        &self,
        work: impl FnOnce(Service, Caller, TestTeam) -> F,
    ) {
        let team = TestTeam {
            id: self.team.id.clone(),
            owner: self.team.owner.clone(),
            players: self.team.players.clone(),
        };
        let work = work(self.fixture.service.clone(), self.pia.clone(), team);
        self.watch.before("TransactWriteItems", work);
    }

    async fn stored_player(&self) -> Player {
        let key = Player::key(&self.team.id, &self.player).consistent();
        self.fixture.service.db().get(key).await.unwrap().unwrap()
    }

    async fn stored_membership(&self) -> Option<Membership> {
        let key = Membership::key(user_id(&self.pia), &self.team.id).consistent();
        self.fixture.service.db().get(key).await.unwrap()
    }

    async fn invite(&self) -> InviteCode {
        let new = NewInvite { role: Role::Player, player_id: None };
        let service = &self.fixture.service;
        let invite = service.invite(&self.team.owner, &self.team.id, &new).await.unwrap();
        InviteCode::new(invite.code).unwrap()
    }
}

/// A membership and the player that it names agree: both or neither are linked.
async fn check_linked(linked: &Linked) {
    let (player, membership) = (linked.stored_player().await, linked.stored_membership().await);
    let own = membership.and_then(|membership| membership.player_id);
    match own {
        Some(own) => {
            assert_eq!(own, linked.player);
            assert_eq!(player.user_id, Some(user_id(&linked.pia)));
        }
        None => assert!(player.is_ghost),
    }
}

#[test]
fn who_comes_back_while_the_player_is_unlinked() {
    run(async {
        let linked = Linked::new().await;
        let (owner, team, pia) = (&linked.team.owner, &linked.team.id, &linked.pia);
        let service = &linked.fixture.service;
        service.remove_member(owner, team, &user_id(pia)).await.unwrap();
        let code = linked.invite().await;
        let player = linked.player.clone();
        linked.meanwhile(|service, _, team| async move {
            service.unlink_player(&team.owner, &team.id, &player).await.unwrap();
        });
        let back = linked.slow.accept_invite(pia, team, &code).await.unwrap();
        assert_eq!(back.player_id, None);
        check_linked(&linked).await;
        // Not stuck: the player can be linked again.
        service.link_player(owner, team, &linked.player, &user_id(pia)).await.unwrap();
        check_linked(&linked).await;
    });
}

#[test]
fn a_player_is_unlinked_while_its_user_comes_back() {
    run(async {
        let linked = Linked::new().await;
        let (owner, team, pia) = (&linked.team.owner, &linked.team.id, &linked.pia);
        let service = &linked.fixture.service;
        service.remove_member(owner, team, &user_id(pia)).await.unwrap();
        let code = linked.invite().await;
        linked.meanwhile(|service, pia, team| async move {
            let back = service.accept_invite(&pia, &team.id, &code).await.unwrap();
            assert!(back.player_id.is_some());
        });
        linked.slow.unlink_player(owner, team, &linked.player).await.unwrap();
        assert_eq!(linked.stored_membership().await.unwrap().player_id, None);
        check_linked(&linked).await;
    });
}

#[test]
fn a_change_of_a_player_writes_what_was_asked_for() {
    run(async {
        let linked = Linked::new().await;
        let (owner, team, pia) = (&linked.team.owner, &linked.team.id, &linked.pia);
        linked.meanwhile(|service, pia, team| async move {
            service.remove_member(&team.owner, &team.id, &user_id(&pia)).await.unwrap();
        });
        let positions = Some(vec![Position::P]);
        let change = PlayerChange {
            positions: positions.map(|all| all.try_into().unwrap()),
            ..PlayerChange::default()
        };
        linked.slow.change_player(owner, team, &linked.player, &change).await.unwrap();
        let player = linked.stored_player().await;
        assert_eq!(
            (player.status, player.positions, player.first_name.as_str()),
            (PlayerStatus::Inactive, vec![Position::P], "Ortiz")
        );
        // Who is unlinked meanwhile is not the own player any more.
        let player = linked.player.clone();
        let code = linked.invite().await;
        linked.fixture.service.accept_invite(pia, team, &code).await.unwrap();
        linked.meanwhile(|service, _, team| async move {
            service.unlink_player(&team.owner, &team.id, &player).await.unwrap();
        });
        let change =
            PlayerChange { first_name: Some("Mine".parse().unwrap()), ..PlayerChange::default() };
        let refused = linked.slow.change_player(pia, team, &linked.player, &change).await;
        assert_eq!(code_of(refused), "forbidden");
    });
}

#[test]
fn a_member_is_removed_while_a_player_is_linked_or_unlinked() {
    run(async {
        let linked = Linked::new().await;
        let (owner, team, pia) = (&linked.team.owner, &linked.team.id, &linked.pia);
        let service = &linked.fixture.service;
        // Unlinked meanwhile, and given to somebody else: that one stays active.
        let kim = linked.fixture.member(&linked.team, "kim", Role::Player).await;
        let (player, other) = (linked.player.clone(), user_id(&kim));
        linked.meanwhile(|service, _, team| async move {
            service.unlink_player(&team.owner, &team.id, &player).await.unwrap();
            service.link_player(&team.owner, &team.id, &player, &other).await.unwrap();
        });
        linked.slow.remove_member(owner, team, &user_id(pia)).await.unwrap();
        let player = linked.stored_player().await;
        assert_eq!((player.status, player.user_id), (PlayerStatus::Active, Some(user_id(&kim))));
        // Linked meanwhile: the player is inactive with its member gone.
        let code = linked.invite().await;
        service.accept_invite(pia, team, &code).await.unwrap();
        service.unlink_player(owner, team, &linked.player).await.unwrap();
        let player = linked.player.clone();
        linked.meanwhile(|service, pia, team| async move {
            service.link_player(&team.owner, &team.id, &player, &user_id(&pia)).await.unwrap();
        });
        linked.slow.remove_member(owner, team, &user_id(pia)).await.unwrap();
        assert_eq!(linked.stored_membership().await, None);
        let player = linked.stored_player().await;
        assert_eq!((player.status, player.user_id), (PlayerStatus::Inactive, Some(user_id(pia))));
    });
}

/// Somebody changes a game after it was read for deletion.
#[test]
fn a_game_that_has_changed_is_deleted_only_by_who_does_not_mind() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let owner = fixture.user("nora").await;
        let team = fixture.team(&owner).await;
        let (other, watch) = watched(&fixture.store);
        let change = |game_id: GameId, revision: u64| {
            let (service, owner) = (fixture.service.clone(), owner.clone());
            async move {
                let location = Change::Set("Field 3".parse().unwrap());
                let change = GameChange { location, ..no_game_change(revision) };
                service.change_game(&owner, &game_id, &change).await.unwrap();
            }
        };
        let game = fixture.scheduled(&team, NewGame::default()).await;
        watch.before("TransactWriteItems", change(game.id.clone(), 1));
        let refused = other.delete_game(&owner, &game.id, Some(1)).await;
        assert_eq!(code_of(refused), "game-moved-on");
        let stored = fixture.service.game(&owner, &game.id).await.unwrap().game.game;
        assert_eq!((stored.revision, stored.location.as_deref()), (2, Some("Field 3")));
        watch.before("TransactWriteItems", change(game.id.clone(), 2));
        other.delete_game(&owner, &game.id, None).await.unwrap();
        let key = Game::key(&game.id).consistent();
        assert_eq!(fixture.service.db().get(key).await.unwrap(), None);
        // An at-bat that comes in between is not lost.
        let game = fixture.started(&team, NewGame::default()).await;
        let (service, by, id) = (fixture.service.clone(), owner.clone(), game.id.clone());
        let new = play(game.revision(), AtBatResult::Single);
        watch.before("TransactWriteItems", async move {
            service.record_at_bat(&by, &id, &new).await.unwrap();
        });
        assert_eq!(code_of(other.delete_game(&owner, &game.id, None).await), "game-has-at-bats");
        assert_eq!(game.detail().await.at_bats.len(), 1);
    });
}

/// A player goes after the roster was read for a lineup, or for the start.
#[test]
fn a_lineup_has_only_players_who_can_play_when_it_is_written() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let owner = fixture.user("nora").await;
        let team = fixture.team(&owner).await;
        let mut game = fixture.scheduled(&team, NewGame::default()).await;
        let (slow, watch) = watched(&fixture.store);
        let (service, by, team_id) = (fixture.service.clone(), owner.clone(), team.id.clone());
        let removed = team.players[8].clone();
        watch.before("TransactWriteItems", async move {
            service.remove_player(&by, &team_id, &removed).await.unwrap();
        });
        let new = NewLineup { revision: game.revision(), lineup: team.players.clone() };
        let refused = slow.set_lineup(&owner, &game.id, &new).await;
        assert_eq!(code_of(refused), "lineup-invalid");
        game.lineup(&team.players[..8]).await.unwrap();
        let (service, by, team_id) = (fixture.service.clone(), owner.clone(), team.id.clone());
        let inactive = team.players[7].clone();
        watch.before("TransactWriteItems", async move {
            let status = Some(PlayerStatus::Inactive);
            let change = PlayerChange { status, ..PlayerChange::default() };
            service.change_player(&by, &team_id, &inactive, &change).await.unwrap();
        });
        let start = StatusChange { revision: game.revision(), scheduled_start: None };
        let refused = slow.change_status(&owner, &game.id, Verb::Start, &start).await;
        assert_eq!(code_of(refused), "lineup-invalid");
        let stored = game.detail().await.game.game;
        assert_eq!((stored.status, stored.lineup.len()), (GameStatus::Scheduled, 8));
        // Without both it starts.
        game.lineup(&team.players[..7]).await.unwrap();
        game.change(Verb::Start).await.unwrap();
    });
}

fn no_game_change(revision: u64) -> GameChange {
    GameChange {
        revision,
        scheduled_start: Change::Keep,
        opponent_name: Change::Keep,
        location: Change::Keep,
        season_id: Change::Keep,
        home_away: Change::Keep,
        regulation_innings: Change::Keep,
    }
}
