//! Joining a game.

use super::Service;
use super::budgets::Cost;
use crate::color::free_color;
use crate::design::{Code, Event, EventKind, Game, Lobby, Player, PlayerId, Status};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::secret::Secret;
use singlet_web::text::DisplayName;

/// A player who has just joined.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The game as it is now.
    pub lobby: Lobby,
    /// The new player.
    pub player: Player,
    /// By which it acts from now on. This is the only time that it is told.
    pub secret: Secret,
}

impl Service {
    /// 9: joins a game that has not begun. A name that somebody has is refused, and never makes
    /// the caller that player.
    ///
    /// # Errors
    ///
    /// If the game does not exist, has begun or is full, or if the name is taken or none.
    pub async fn join(&self, code: &Code, name: &str) -> Result<Joined, Error> {
        let name = parse_name(name)?;
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_join(code, &name)).await
    }

    async fn try_join(&self, code: &Code, name: &str) -> Result<Joined, Error> {
        let mut lobby = self.lobby(code).await?;
        let Lobby { game, players } = &mut lobby;
        if game.status != Status::Waiting {
            return Err(Error::AlreadyStarted);
        }
        if players.len() >= game.mode.players_max() {
            return Err(Error::GameFull);
        }
        // The address pays for the comparison too, so that nobody has names compared without an end.
        // What all have is not spent on a refusal.
        let cost = Cost::Join(&game.board, game.mode);
        self.charge_client(cost)?;
        if self.skeletons.is_taken(name, players.iter().map(|player| player.name.as_str())) {
            return Err(Error::NameTaken);
        }
        self.charge_budget(cost).await?;
        let expiries = self.renew(game).await?;
        let (player, secret) =
            new_player(self, code, name, players, self.db.now(), expiries.members)?;
        let event = Event {
            name: Some(player.name.clone()),
            color: Some(player.color.clone()),
            ..Event::of(EventKind::Joined, &player.id)
        };
        // Nobody has joined, left or started since the game was read, or this is refused. So the
        // name is still free and so is the place.
        let counted = update(Game::key(code))
            .set(Game::PLAYER_COUNT, players.len() as u32 + 1)
            .set(Game::SEQUENCE, game.sequence + 1)
            .set(Game::HISTORY, game.history_with(&event))
            .set(Game::LAST_EVENT, &event)
            .set(Game::MEMBERS_TTL, expiries.members)
            .set(Game::EXPIRES, expiries.game)
            .only_if(Game::SEQUENCE.eq(game.sequence));
        self.db.transact((counted.or(Error::changed()), create(&player))).await?;
        game.history = game.history_with(&event);
        game.player_count += 1;
        game.sequence += 1;
        game.last_event = event;
        game.updated_at = player.joined_at;
        players.push(player.clone());
        Ok(Joined { lobby, player, secret })
    }
}

/// How many characters a name may have, as people count them.
const NAME_LEN_MAX: usize = 24;
/// How many code points these may be: an emoji of a family has seven.
pub const NAME_CODE_POINTS_MAX: u32 = 384;

/// A name as it is shown.
pub(super) fn parse_name(text: &str) -> Result<String, Error> {
    let name = DisplayName::parse(text, 1..=NAME_LEN_MAX).map_err(Error::invalid_name)?;
    Ok(name.into_string())
}

/// A player among these, and the secret by which it acts.
pub(super) fn new_player(
    service: &Service,
    code: &Code,
    name: &str,
    others: &[Player],
    now: Timestamp,
    expires: Expiry,
) -> Result<(Player, Secret), Error> {
    let id: PlayerId = service.new_id()?;
    let secret = Secret::generate(id.as_str(), &service.random)?;
    let player = Player {
        id,
        game_code: code.clone(),
        name: name.to_owned(),
        color: free_color(others.iter().map(|player| player.color.as_str())),
        position: 0,
        connection_id: None,
        is_connected: false,
        secret_hash: secret.hash(),
        joined_at: now,
        expires: Some(expires),
    };
    Ok((player, secret))
}
