//! Reading a game: one Query and one BatchGet.

use super::access::{Scope, user_id};
use super::{ADMIN, Need, Service, names_among};
use crate::design::*;
use crate::error::{Error, Result};
use crate::rules::score_of;
use crate::view::{GameContext, GameView, GoalView, RosterView, TeamView};
use singlet::prelude::*;
use singlet::{Cursor, Page};
use singlet_web::identity::Caller;

/// How often a game is read whose goals do not add up to its score.
const READS_MAX: usize = 3;

impl Service {
    /// A game with its goals and rosters. If the goals do not add up to the score, a write came
    /// between the items, and they are read again.
    async fn items_of(&self, id: &GameId) -> Result<GameItems> {
        let mut reads = 1;
        loop {
            let items = self.db.load(GameItems::of(id).consistent()).await?;
            let items = items.ok_or(Error::GameNotFound)?;
            let adds_up = score_of(&items.game.team_ids, &items.goals) == items.game.score;
            if adds_up || reads >= READS_MAX {
                return Ok(items);
            }
            reads += 1;
        }
    }

    /// 14: getGame.
    pub async fn game(&self, caller: Option<&Caller>, id: &GameId) -> Result<GameView> {
        let items = self.items_of(id).await?;
        let (context, scope) = self.context_of(&items, caller).await?;
        scope.require(Need::Read)?;
        Ok(context.view(&items, scope.role(), self.db.now()))
    }

    /// A game as every watcher sees it. The caller must have checked the permission to read.
    pub(crate) async fn watched_game(&self, id: &GameId) -> Result<GameView> {
        let items = self.items_of(id).await?;
        let (context, _) = self.context_of(&items, None).await?;
        Ok(context.view(&items, None, self.db.now()))
    }

    /// What a view of a game needs besides its own items, and the caller's grant.
    pub(super) async fn context_of(
        &self,
        items: &GameItems,
        caller: Option<&Caller>,
    ) -> Result<(GameContext, Scope)> {
        let GameItems { goals, game, roster } = items;
        let mut keys = Keys::new();
        keys.add(League::key(&game.league_id))?;
        keys.add(SeasonMirror::key(&game.season_id))?;
        keys.add(SessionMirror::key(&game.session_id))?;
        if let Some(caller) = caller {
            keys.add(Grant::key(&game.league_id, user_id(caller)?))?;
        }
        for team in &game.team_ids {
            keys.add(Team::key(&game.season_id, team))?;
        }
        let on_rosters = roster.iter().map(|entry| &entry.player_id);
        for player in on_rosters.chain(goals.iter().flat_map(Goal::players)) {
            keys.add(Player::key(player))?;
        }
        let found = self.db.get_all(keys.consistent()).await?;
        let names = names_among(&found);
        let (mut teams, mut season, mut session) = (Vec::new(), None, None);
        let (mut league, mut grant) = (None, None);
        for item in found {
            match item {
                ThreeFcItem::League(one) => league = Some(one),
                ThreeFcItem::Grant(one) => grant = Some(one),
                ThreeFcItem::SeasonMirror(one) => season = Some(one),
                ThreeFcItem::SessionMirror(one) => session = Some(one),
                ThreeFcItem::Team(one) => teams.push(one),
                _ => {}
            }
        }
        // A game cannot be without these: they are not deleted before it.
        let (Some(league), Some(season), Some(session)) = (league, season, session) else {
            return Err(Error::GameNotFound);
        };
        let scope = Scope::new(league.clone(), grant, caller, || Error::GameNotFound);
        Ok((GameContext { league, season, session, teams, names }, scope))
    }

    /// 20: listGoals, in the order of the timeline.
    pub async fn goals(&self, caller: Option<&Caller>, id: &GameId) -> Result<Vec<GoalView>> {
        Ok(self.game(caller, id).await?.goals)
    }

    /// 27: listRoster of a game, or of one team in it, by team and player.
    pub async fn roster(
        &self,
        caller: Option<&Caller>,
        id: &GameId,
        team: Option<&TeamId>,
    ) -> Result<Vec<RosterView>> {
        let mut teams = self.game(caller, id).await?.teams;
        teams.retain(|one| team.is_none_or(|team| one.team_id == *team));
        if teams.is_empty() {
            return Err(Error::TeamNotInGame);
        }
        teams.sort_by(|one, other| one.team_id.cmp(&other.team_id));
        let entries = teams.into_iter().flat_map(|TeamView { team_id, roster, .. }| {
            roster.into_iter().map(move |player| RosterView { team_id: team_id.clone(), player })
        });
        Ok(entries.collect())
    }

    /// 25: listAudit, newest first.
    pub async fn audit(
        &self,
        caller: &Caller,
        id: &GameId,
        limit: usize,
        cursor: Option<Cursor<AuditRecord>>,
    ) -> Result<Page<AuditRecord, AuditRecord>> {
        self.game_for(Some(caller), id, ADMIN).await?;
        let newest = AuditRecord::of_game(id).consistent().descending().limit(limit);
        Ok(self.db.query(newest).page(cursor).await?)
    }
}
