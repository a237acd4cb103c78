//! Teams and games to measure with.

use crate::systems::Outcome;
use ::systems::hacktracker::design::{
    AtBatResult, GameId, Half, HitLocation, HitType, InviteCode, PlayerId, Role, TeamId,
};
use ::systems::hacktracker::input::{
    NewAtBat, NewGame, NewHalf, NewInvite, NewLineup, NewPlayer, NewTeam, NewUser, StatusChange,
};
use ::systems::hacktracker::rules::status::Verb;
use ::systems::hacktracker::service::Service;
use singlet_web::identity::Caller;

const INNINGS: u8 = 7;
/// A half of ours: three outs, two home runs with runners on base.
const HALF: [AtBatResult; 8] = [
    AtBatResult::Single,
    AtBatResult::Double,
    AtBatResult::Out,
    AtBatResult::Hr,
    AtBatResult::Bb,
    AtBatResult::Out,
    AtBatResult::Hr,
    AtBatResult::K,
];
/// How many at-bats a game has.
pub(super) const GAME_AT_BATS: usize = INNINGS as usize * HALF.len();
/// At-bats of a PERSONAL game.
const PERSONAL_AT_BATS: usize = 10;

async fn user(service: &Service, name: &str) -> Outcome<Caller> {
    let email = Some(format!("{name}@example.com"));
    let caller = Caller { subject: name.to_owned(), email, ..Caller::default() };
    let new = NewUser {
        first_name: name.to_owned(),
        last_name: "Test".to_owned(),
        phone_number: None,
        email: None,
    };
    service.sign_up(&caller, &new).await?;
    Ok(caller)
}

async fn team(
    service: &Service,
    owner: &Caller,
    players: usize,
) -> Outcome<(TeamId, Vec<PlayerId>)> {
    let new = NewTeam { name: "Copper Kettles".to_owned(), description: None, player: None };
    let team_id = service.create_team(owner, &new).await?.team_id;
    let new: Vec<NewPlayer> = (1..)
        .take(players)
        .map(|number| NewPlayer {
            first_name: format!("Player {number}"),
            last_name: Some("Lindgren".to_owned()),
            player_number: Some(number),
            positions: Vec::new(),
            status: None,
        })
        .collect();
    let players = service.add_players(owner, &team_id, &new).await?.items;
    Ok((team_id, players.into_iter().map(|player| player.player_id).collect()))
}

/// A team with 20 members, 25 players and 5 open invites.
pub(super) async fn full_team(service: &Service) -> Outcome<(Caller, TeamId)> {
    let owner = user(service, "owner").await?;
    let (team_id, _) = team(service, &owner, 25).await?;
    let new = NewInvite { role: Role::Player, player_id: None };
    for number in 1..20 {
        let member = user(service, &format!("member-{number}")).await?;
        let code = InviteCode::new(service.invite(&owner, &team_id, &new).await?.code)?;
        service.accept_invite(&member, &team_id, &code).await?;
    }
    for _ in 0..5 {
        service.invite(&owner, &team_id, &new).await?;
    }
    Ok((owner, team_id))
}

/// Somebody who scores the games of a team, which have begun.
pub(super) struct Scorer {
    service: Service,
    caller: Caller,
    games: Vec<(GameId, u64)>,
}

impl Scorer {
    pub(super) async fn new(service: &Service, number: usize, games: usize) -> Outcome<Self> {
        let caller = user(service, &format!("scorer-{number}")).await?;
        let (team_id, lineup) = team(service, &caller, 9).await?;
        let mut scorer = Self { service: service.clone(), caller, games: Vec::new() };
        for _ in 0..games {
            let game = service.create_game(&scorer.caller, &team_id, &NewGame::default()).await?;
            let id = game.game.game_id;
            let new = NewLineup { revision: game.game.revision, lineup: lineup.clone() };
            let game = service.set_lineup(&scorer.caller, &id, &new).await?.game;
            let revision = scorer.start(&id, game.game.revision).await?;
            scorer.games.push((id, revision));
        }
        Ok(scorer)
    }

    async fn start(&self, game_id: &GameId, revision: u64) -> Outcome<u64> {
        let start = StatusChange { revision, scheduled_start: None };
        let started = self.service.change_status(&self.caller, game_id, Verb::Start, &start);
        Ok(started.await?.game.game.revision)
    }

    /// Scores all games.
    pub(super) async fn score_all(self) -> Outcome<()> {
        let Self { service, caller, games } = self;
        for (game_id, mut revision) in games {
            for inning in 1..=INNINGS {
                for result in HALF {
                    let new = at_bat(revision, result, None);
                    let scored = service.record_at_bat(&caller, &game_id, &new).await?;
                    revision = scored.game.game.revision;
                }
                if inning < INNINGS {
                    let inning = inning + 1;
                    let new = NewHalf { revision, inning, half: Half::Team, placed_runner: None };
                    let changed = service.change_half(&caller, &game_id, &new).await?;
                    revision = changed.game.game.revision;
                }
            }
        }
        Ok(())
    }
}

/// Somebody's own at-bats, ten in each game.
pub(super) async fn personal(
    service: &Service,
    number: usize,
    at_bats: usize,
) -> Outcome<(Caller, TeamId, PlayerId)> {
    let caller = user(service, &format!("batter-{number}")).await?;
    let own = service.my_teams(&caller).await?.items.into_iter().next().ok_or("no team")?;
    let (team_id, player_id) = (own.team.team_id, own.player_id.ok_or("no player")?);
    let scorer = Scorer { service: service.clone(), caller, games: Vec::new() };
    for _ in 0..at_bats / PERSONAL_AT_BATS {
        let game = service.create_game(&scorer.caller, &team_id, &NewGame::default()).await?.game;
        let mut revision = scorer.start(&game.game_id, game.revision).await?;
        for (inning, result) in (1..).zip(HALF.into_iter().cycle()).take(PERSONAL_AT_BATS) {
            let new = at_bat(revision, result, Some(inning));
            let scored = service.record_at_bat(&scorer.caller, &game.game_id, &new).await?;
            revision = scored.game.game.revision;
        }
    }
    Ok((scorer.caller, team_id, player_id))
}

fn at_bat(revision: u64, result: AtBatResult, inning: Option<u8>) -> NewAtBat {
    let is_batted = !matches!(result, AtBatResult::K | AtBatResult::Bb);
    NewAtBat {
        revision,
        result,
        player_id: None,
        hit_location: is_batted.then_some(HitLocation { x: 0.22, y: 0.45 }),
        hit_type: is_batted.then_some(HitType::LineDrive),
        rbis: None,
        moves: None,
        insert: None,
        inning,
        outs: None,
        scored: None,
    }
}
