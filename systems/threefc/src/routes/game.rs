//! Games.

use super::{Shared, id_of, paths, third_of};
use crate::design::{EventId, GameId, PlayerId, Role, TeamId};
use crate::error::Error;
use crate::live;
use crate::service::input::{
    AbandonGame, AssignRoster, FinishGame, GameChange, GoalChange, NewGoal, ThirdChange, ThirdTime,
    UndoGoal,
};
use crate::view::{AuditView, GameView, GoalView, PlayerRef};
use singlet_web::prelude::*;

paths! {
    /// Of a game.
    OfGame {
        /// The id of the game.
        game,
    }

    /// Of a third.
    OfThird {
        /// The id of the game.
        game,
        /// 1, 2 or 3.
        third,
    }

    /// Of a goal.
    OfGoal {
        /// The id of the game.
        game,
        /// The event id of the goal.
        event,
    }

    /// Of a player in a game.
    OfRoster {
        /// The id of the game.
        game,
        /// The id of the player.
        player,
    }
}

/// Which part of the rosters.
#[derive(Deserialize, JsonSchema)]
pub(super) struct RosterQuery {
    /// The id of a team.
    #[schemars(length(min = 1, max = 40))]
    team: Option<String>,
}

/// A player on a roster.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RosterView {
    /// The team for which the player plays.
    team_id: TeamId,
    /// Who.
    #[serde(flatten)]
    player: PlayerRef,
}

fn game_id(text: &str) -> Result<GameId, Error> {
    id_of(text, Error::GameNotFound)
}

impl OfGoal {
    fn event(&self) -> Result<EventId, Error> {
        id_of(&self.event, Error::GoalNotFound)
    }
}

impl OfRoster {
    fn player(&self) -> Result<PlayerId, Error> {
        id_of(&self.player, Error::PlayerNotFound)
    }
}

pub(super) async fn game(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfGame>,
) -> Result<Json<GameView>, Error> {
    Ok(Json(shared.service.game(caller.as_ref(), &game_id(&of.game)?).await?))
}

pub(super) async fn update_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    change: Body<GameChange>,
) -> Result<Json<GameView>, Error> {
    Ok(Json(shared.service.update_game(&caller, &game_id(&of.game)?, &change).await?))
}

pub(super) async fn delete_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
) -> Result<NoContent, Error> {
    shared.service.delete_game(&caller, &game_id(&of.game)?).await?;
    Ok(NoContent)
}

pub(super) async fn start_third(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfThird>,
    time: Body<ThirdTime>,
) -> Result<Json<GameView>, Error> {
    let (game, third) = (game_id(&of.game)?, third_of(&of.third)?);
    Ok(Json(shared.service.start_third(&caller, &game, third, time.at).await?))
}

pub(super) async fn finish_third(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfThird>,
    time: Body<ThirdTime>,
) -> Result<Json<GameView>, Error> {
    let (game, third) = (game_id(&of.game)?, third_of(&of.third)?);
    Ok(Json(shared.service.finish_third(&caller, &game, third, time.at).await?))
}

pub(super) async fn correct_third(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfThird>,
    change: Body<ThirdChange>,
) -> Result<Json<GameView>, Error> {
    let (game, third) = (game_id(&of.game)?, third_of(&of.third)?);
    Ok(Json(shared.service.correct_third(&caller, &game, third, &change).await?))
}

pub(super) async fn add_goal(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    new: Body<NewGoal>,
) -> Result<CreatedOrFound<GameView>, Error> {
    let id = game_id(&of.game)?;
    let (game, is_new) = shared.service.add_goal(&caller, &id, &new).await?;
    Ok(match is_new {
        true => CreatedOrFound::Created(Created::at(format!("/v1/games/{id}/goals"), game)),
        false => CreatedOrFound::Found(game),
    })
}

pub(super) async fn list_goals(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfGame>,
) -> Result<Json<Page<GoalView>>, Error> {
    let items = shared.service.goals(caller.as_ref(), &game_id(&of.game)?).await?;
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn edit_goal(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGoal>,
    change: Body<GoalChange>,
) -> Result<Json<GameView>, Error> {
    let (game, event) = (game_id(&of.game)?, of.event()?);
    Ok(Json(shared.service.edit_goal(&caller, &game, &event, &change).await?))
}

pub(super) async fn delete_goal(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGoal>,
) -> Result<Json<GameView>, Error> {
    let (game, event) = (game_id(&of.game)?, of.event()?);
    Ok(Json(shared.service.delete_goal(&caller, &game, &event).await?))
}

pub(super) async fn undo_goal(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    undo: Body<UndoGoal>,
) -> Result<Json<GameView>, Error> {
    let game = game_id(&of.game)?;
    let expected = id_of(&undo.expected_event_id, Error::GoalNotFound)?;
    Ok(Json(shared.service.undo_goal(&caller, &game, &expected).await?))
}

pub(super) async fn finish_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    finish: Body<FinishGame>,
) -> Result<Json<GameView>, Error> {
    Ok(Json(shared.service.finish_game(&caller, &game_id(&of.game)?, finish.force).await?))
}

pub(super) async fn abandon_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    abandon: Body<AbandonGame>,
) -> Result<Json<GameView>, Error> {
    Ok(Json(shared.service.abandon_game(&caller, &game_id(&of.game)?, &abandon).await?))
}

pub(super) async fn reopen_game(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
) -> Result<Json<GameView>, Error> {
    Ok(Json(shared.service.reopen_game(&caller, &game_id(&of.game)?).await?))
}

pub(super) async fn list_audit(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    paging: Paging<50, 50>,
) -> Result<Json<Page<AuditView>>, Error> {
    let id = game_id(&of.game)?;
    let page = shared.service.audit(&caller, &id, paging.limit(), paging.cursor()?).await?;
    Ok(Json(Page::from(page).map(AuditView::from)))
}

pub(super) async fn assign_roster(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfRoster>,
    assign: Body<AssignRoster>,
) -> Result<Json<GameView>, Error> {
    let (game, player) = (game_id(&of.game)?, of.player()?);
    let team = id_of(&assign.team_id, Error::TeamNotInGame)?;
    Ok(Json(shared.service.assign_roster(&caller, &game, &player, &team).await?))
}

pub(super) async fn remove_roster(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfRoster>,
) -> Result<Json<GameView>, Error> {
    let (game, player) = (game_id(&of.game)?, of.player()?);
    Ok(Json(shared.service.remove_roster(&caller, &game, &player).await?))
}

pub(super) async fn list_roster(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfGame>,
    query: Query<RosterQuery>,
) -> Result<Json<Page<RosterView>>, Error> {
    let id = game_id(&of.game)?;
    let team = query.team.as_deref().map(|team| id_of(team, Error::TeamNotInGame)).transpose()?;
    let roster = shared.service.roster(caller.as_ref(), &id, team.as_ref()).await?;
    let items = roster.into_iter().map(|(team_id, player)| RosterView { team_id, player });
    Ok(Json(Page { items: items.collect(), next: None }))
}

pub(super) async fn watch_game(
    State(shared): State<Shared>,
    caller: Option<Caller>,
    of: Path<OfGame>,
    last: LastEventId,
) -> Result<EventStream, Error> {
    let id = game_id(&of.game)?;
    shared.service.check_game_reader(caller.as_ref(), &id).await?;
    let subscription = shared.live.subscribe(live::game_topic(&id), last).await?;
    let service = shared.service;
    Ok(EventStream::new(subscription).recheck(move || {
        let (service, caller, id) = (service.clone(), caller.clone(), id.clone());
        async move { Ok(service.check_game_reader(caller.as_ref(), &id).await.map(|_| ())?) }
    }))
}

pub(super) async fn check_admin(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
) -> Result<NoContent, Error> {
    let game = game_id(&of.game)?;
    shared.service.check_game(&caller, &game, Role::Admin).await.map(|()| NoContent)
}

/// To finish with open thirds takes an admin, also the second time.
pub(super) async fn check_finish(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
    finish: Body<FinishGame>,
) -> Result<NoContent, Error> {
    let role = if finish.force { Role::Admin } else { Role::Scorekeeper };
    shared.service.check_game(&caller, &game_id(&of.game)?, role).await.map(|()| NoContent)
}

pub(super) async fn check_scorekeeper(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfGame>,
) -> Result<NoContent, Error> {
    let game = game_id(&of.game)?;
    shared.service.check_game(&caller, &game, Role::Scorekeeper).await.map(|()| NoContent)
}
