//! Reading a game: one Query and one BatchGet.

use super::Service;
use super::access::{Scope, user_id};
use super::find::{Keys, names_among};
use crate::design::{
    AuditRecord, Game, GameId, GameItems, Goal, Grant, League, Player, Role, RosterEntry,
    SeasonMirror, SessionMirror, Team, TeamId, ThreeFcItem,
};
use crate::error::Error;
use crate::rules::{latest, score_of};
use crate::view::{
    GameView, GoalView, LeagueRef, PlayerRef, SeasonRef, SessionRef, TeamView, name_of,
};
use singlet::{Cursor, Page};
use singlet_web::identity::Caller;

/// How often a game is read whose goals do not add up to its score.
const READS_MAX: usize = 3;

impl Service {
    /// A game with its goals and rosters. A write may come between two of its items: then the goals
    /// do not add up to the score, and it is read again.
    async fn items_of(&self, id: &GameId) -> Result<GameItems, Error> {
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
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`].
    pub async fn game(&self, caller: Option<&Caller>, id: &GameId) -> Result<GameView, Error> {
        let items = self.items_of(id).await?;
        let (view, scope) = self.view_of(items, caller).await?;
        scope.require_reader()?;
        Ok(GameView { my_role: scope.role(), ..view })
    }

    /// A game as every watcher sees it. The caller must have checked the permission to read.
    pub(crate) async fn watched_game(&self, id: &GameId) -> Result<GameView, Error> {
        let items = self.items_of(id).await?;
        Ok(self.view_of(items, None).await?.0)
    }

    async fn view_of(
        &self,
        items: GameItems,
        caller: Option<&Caller>,
    ) -> Result<(GameView, Scope), Error> {
        let GameItems { goals, game, roster } = items;
        let found = self.find(keys_around(&game, &goals, &roster, caller)?).await?;
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
        let team_view = |team_id: &TeamId| {
            let on_roster = roster.iter().filter(|entry| entry.team_id == *team_id);
            let roster = on_roster.map(|entry| name_of(&names, &entry.player_id)).collect();
            let team = teams.iter().find(|team| team.team_id == *team_id);
            TeamView::new(team_id, team, &goals, roster)
        };
        let length = game.third_length_minutes;
        let view = GameView {
            league: LeagueRef { league_id: league.league_id.clone(), name: league.name.clone() },
            season: SeasonRef { season_id: season.season_id, name: season.name },
            session: SessionRef {
                session_id: session.session_id,
                session_date: session.session_date,
                venue: session.venue,
            },
            game_start_ts: game.game_start_ts,
            pitch: game.pitch,
            status: game.status,
            third_length_minutes: length,
            thirds: game.thirds,
            server_now: self.db.now(),
            sequence: game.sequence,
            teams: game.team_ids.iter().map(team_view).collect(),
            goals: goals.iter().map(|goal| GoalView::new(goal, length, &names)).collect(),
            latest_event_id: latest(&goals).map(|goal| goal.event_id.clone()),
            result: game.result,
            abandoned: game.abandoned,
            my_role: None,
            game_id: game.game_id,
        };
        Ok((view, Scope::new(league, grant, caller, || Error::GameNotFound)))
    }

    /// Refuses callers who may not see a game.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`].
    pub async fn check_game_reader(
        &self,
        caller: Option<&Caller>,
        id: &GameId,
    ) -> Result<Game, Error> {
        let game = self.db.get(Game::key(id).consistent()).await?.ok_or(Error::GameNotFound)?;
        let scope = self.scope(&game.league_id, caller, || Error::GameNotFound).await?;
        scope.require_reader()?;
        Ok(game)
    }

    /// 20: listGoals, in the order of the timeline.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`].
    pub async fn goals(
        &self,
        caller: Option<&Caller>,
        id: &GameId,
    ) -> Result<Vec<GoalView>, Error> {
        let game = self.check_game_reader(caller, id).await?;
        let goals = self.db.query(Goal::timeline(id).consistent()).all().await?;
        let names = self.names(goals.iter().flat_map(players_of)).await?;
        let length = game.third_length_minutes;
        Ok(goals.iter().map(|goal| GoalView::new(goal, length, &names)).collect())
    }

    /// 27: listRoster of a game, or of one team in it.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`].
    pub async fn roster(
        &self,
        caller: Option<&Caller>,
        id: &GameId,
        team: Option<&TeamId>,
    ) -> Result<Vec<(TeamId, PlayerRef)>, Error> {
        self.check_game_reader(caller, id).await?;
        let roster = RosterEntry::roster(id).consistent();
        let entries = match team {
            Some(team) => self.db.query(roster.with(team)).all().await?,
            None => self.db.query(roster).all().await?,
        };
        let names = self.names(entries.iter().map(|entry| &entry.player_id)).await?;
        let shown = |entry: RosterEntry| {
            let player = name_of(&names, &entry.player_id);
            (entry.team_id, player)
        };
        Ok(entries.into_iter().map(shown).collect())
    }

    /// 25: listAudit, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotFound`].
    pub async fn audit(
        &self,
        caller: &Caller,
        id: &GameId,
        limit: usize,
        cursor: Option<Cursor<AuditRecord>>,
    ) -> Result<Page<AuditRecord, AuditRecord>, Error> {
        let game = self.db.get(Game::key(id).consistent()).await?.ok_or(Error::GameNotFound)?;
        let scope = self.scope(&game.league_id, Some(caller), || Error::GameNotFound).await?;
        scope.require(Role::Admin)?;
        let newest = AuditRecord::of_game(id).consistent().descending().limit(limit);
        Ok(self.db.query(newest).page(cursor).await?)
    }
}

/// The players whom a goal names.
pub(super) fn players_of(goal: &Goal) -> impl Iterator<Item = &crate::design::PlayerId> {
    goal.scorer_player_id.iter().chain(&goal.assist_player_ids)
}

/// What a view needs besides the game's own items.
fn keys_around(
    game: &Game,
    goals: &[Goal],
    roster: &[RosterEntry],
    caller: Option<&Caller>,
) -> Result<Keys, Error> {
    let mut keys = Keys::default();
    keys.add(&League::key(&game.league_id))?;
    keys.add(&SeasonMirror::key(&game.season_id))?;
    keys.add(&SessionMirror::key(&game.session_id))?;
    if let Some(caller) = caller {
        keys.add(&Grant::key(&game.league_id, &user_id(caller)?))?;
    }
    for team in &game.team_ids {
        keys.add(&Team::key(&game.season_id, team))?;
    }
    for entry in roster {
        keys.add(&Player::key(&entry.player_id))?;
    }
    for player in goals.iter().flat_map(players_of) {
        keys.add(&Player::key(player))?;
    }
    Ok(keys)
}
