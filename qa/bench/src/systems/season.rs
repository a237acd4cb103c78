//! Sample teams and games.

use super::Outcome;
use ::systems::hacktracker::design::{
    AtBatResult, GameId, Half, HitLocation, HitType, PlayerId, TeamId,
};
use ::systems::hacktracker::input::{
    NewAtBat, NewGame, NewHalf, NewLineup, NewPlayer, NewTeam, NewUser, StatusChange,
};
use ::systems::hacktracker::rules::status::Verb;
use ::systems::hacktracker::service::Service;
use serde_json::{from_value, json};
use singlet_web::api::Paging;
use singlet_web::identity::Caller;

const INNINGS: usize = 7;
/// One of our halves: three outs, two home runs with runners on base.
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
/// At-bats per game.
const GAME_AT_BATS: usize = INNINGS * HALF.len();
/// At-bats per personal game.
const PERSONAL_AT_BATS: usize = 10;

async fn user(service: &Service, name: &str) -> Outcome<Caller> {
    let email = Some(format!("{name}@example.com"));
    let caller = Caller { subject: name.to_owned(), email, ..Caller::default() };
    let new: NewUser = from_value(json!({"firstName": name, "lastName": "Test"}))?;
    service.sign_up(&caller, &new).await?;
    Ok(caller)
}

async fn team(
    service: &Service,
    owner: &Caller,
    players: usize,
) -> Outcome<(TeamId, Vec<PlayerId>)> {
    let new: NewTeam = from_value(json!({"name": "Copper Kettles"}))?;
    let team_id = service.create_team(owner, &new).await?.team_id;
    let player = |number: usize| json!({"firstName": format!("Player {number}"), "lastName": "Lindgren", "playerNumber": number});
    let new: Vec<NewPlayer> = from_value((1..=players).map(player).collect())?;
    let players = service.add_players(owner, &team_id, &new).await?.items;
    Ok((team_id, players.into_iter().map(|player| player.player_id).collect()))
}

/// A scorer of a team's started games.
pub(super) struct Scorer {
    service: Service,
    caller: Caller,
    games: Vec<GameId>,
    /// The revision of the current game, once known.
    revision: Option<u64>,
    at_bats: usize,
}

impl Scorer {
    fn of(service: &Service, caller: Caller) -> Self {
        Self { service: service.clone(), caller, games: Vec::new(), revision: None, at_bats: 0 }
    }

    pub(super) async fn new(service: &Service, number: usize, games: usize) -> Outcome<Self> {
        let caller = user(service, &format!("scorer-{number}")).await?;
        let (team_id, lineup) = team(service, &caller, 9).await?;
        let mut scorer = Self::of(service, caller);
        for _ in 0..games {
            let game = service.create_game(&scorer.caller, &team_id, &NewGame::default()).await?;
            let id = game.game.game_id;
            let new = NewLineup { revision: game.game.revision, lineup: lineup.clone() };
            let game = service.set_lineup(&scorer.caller, &id, &new).await?.game;
            scorer.start(&id, game.game.revision).await?;
            scorer.games.push(id);
        }
        Ok(scorer)
    }

    async fn start(&self, game_id: &GameId, revision: u64) -> Outcome<u64> {
        let start = StatusChange { revision, scheduled_start: None };
        let started = self.service.change_status(&self.caller, game_id, Verb::Start, &start);
        Ok(started.await?.game.game.revision)
    }

    /// Records the next at-bat, after a change of the half if one is due.
    pub(super) async fn record(mut self) -> Outcome<Option<Self>> {
        let Some(game_id) = self.games.get(self.at_bats / GAME_AT_BATS) else { return Ok(None) };
        let place = self.at_bats % GAME_AT_BATS;
        let mut revision = match self.revision.filter(|_| place > 0) {
            Some(revision) => revision,
            None => self.service.game(&self.caller, game_id).await?.game.game.revision,
        };
        let (inning, at) = (place / HALF.len() + 1, place % HALF.len());
        if at == 0 && inning > 1 {
            let inning = u8::try_from(inning)?;
            let new = NewHalf { revision, inning, half: Half::Team, placed_runner: None };
            let changed = self.service.change_half(&self.caller, game_id, &new).await?;
            revision = changed.game.game.revision;
        }
        let result = HALF.get(at).copied().unwrap_or(AtBatResult::Out);
        let new = at_bat(revision, result, None);
        let scored = self.service.record_at_bat(&self.caller, game_id, &new).await?;
        self.revision = Some(scored.game.game.revision);
        self.at_bats += 1;
        Ok(Some(self))
    }
}

/// Personal at-bats, ten per game.
pub(super) async fn personal(
    service: &Service,
    number: usize,
    at_bats: usize,
) -> Outcome<(Caller, TeamId, PlayerId)> {
    let caller = user(service, &format!("batter-{number}")).await?;
    let own = service
        .my_teams(&caller, &Paging::default())
        .await?
        .items
        .into_iter()
        .next()
        .ok_or("no team")?;
    let (team_id, player_id) = (own.team.team_id, own.player_id.ok_or("no player")?);
    let scorer = Scorer::of(service, caller);
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
