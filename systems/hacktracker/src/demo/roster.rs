//! Copper Kettles: members and roster.

use super::{DemoLoader, IVAN, NORA, OMAR, PIA, SKYE, missing};
use crate::design::{
    InviteCode, MemberStatus, PlayerId, PlayerStatus, Position, Role, TeamId, UserId,
};
use crate::input::{MemberChange, NewInvite, NewOwnPlayer, NewPlayer, NewTeam, PlayerChange};
use singlet_web::Persona;
use singlet_web::demo::DemoError;
use std::collections::BTreeMap;

/// A team, and its players by their numbers.
pub(super) struct Roster {
    pub(super) team: TeamId,
    pub(super) players: BTreeMap<u8, PlayerId>,
}

impl Roster {
    pub(super) fn player(&self, number: u8) -> Result<PlayerId, DemoError> {
        self.players.get(&number).cloned().ok_or_else(|| missing("a player"))
    }

    pub(super) fn lineup(&self, numbers: &[u8]) -> Result<Vec<PlayerId>, DemoError> {
        numbers.iter().map(|number| self.player(*number)).collect()
    }
}

pub(super) async fn load(loader: &mut DemoLoader) -> Result<Roster, DemoError> {
    let service = loader.service.clone();
    let nora = NORA.caller();
    let own = NewOwnPlayer { player_number: Some(7), positions: vec![Position::Ss] };
    let new = NewTeam {
        name: "Copper Kettles".to_owned(),
        description: Some("Slow-pitch on Saturdays, soup afterwards.".to_owned()),
        player: Some(own),
    };
    let team = service.create_team(&nora, &new).await?.team_id;
    loader.pass(300);
    let others = [
        (12, "Pia", "Lindgren", vec![Position::Of]),
        (5, "Omar", "Reyes", vec![Position::Third, Position::Util]),
        (9, "Ivan", "Brandt", vec![Position::First]),
        (21, "Kim", "Falk", vec![Position::Of]),
        (44, "Lou", "Hart", vec![Position::P]),
        (3, "Rei", "Ito", vec![Position::Second]),
        (10, "Luz", "Ortiz", vec![Position::Of]),
        (14, "Max", "Bell", vec![Position::C]),
        (18, "Ari", "Cho", vec![Position::Second, Position::Ss]),
        (22, "Sam", "Dunn", vec![Position::First]),
        (27, "Joss", "Evans", vec![Position::Of, Position::P]),
        (31, "Toni", "Fry", vec![Position::Dh]),
        (33, "Bo", "Gray", vec![Position::Third]),
    ];
    let others: Vec<NewPlayer> = others
        .into_iter()
        .map(|(number, first, last, positions)| NewPlayer {
            first_name: first.to_owned(),
            last_name: Some(last.to_owned()),
            player_number: Some(number),
            positions,
            status: (number == 44).then_some(PlayerStatus::Sub),
        })
        .collect();
    service.add_players(&nora, &team, &others).await?;
    let listed = service.players(&nora, &team).await?.items;
    let players =
        listed.into_iter().filter_map(|player| Some((player.player_number?, player.player_id)));
    let roster = Roster { team, players: players.collect() };
    join(loader, &roster, &OMAR, Role::Manager, Some(5)).await?;
    join(loader, &roster, &SKYE, Role::Scorekeeper, None).await?;
    join(loader, &roster, &PIA, Role::Player, Some(12)).await?;
    join(loader, &roster, &IVAN, Role::Player, Some(9)).await?;
    let ivan: UserId = IVAN.caller().id()?;
    let inactive = MemberChange { status: Some(MemberStatus::Inactive), role: None };
    service.change_member(&nora, &roster.team, &ivan, &inactive).await?;
    let inactive = PlayerChange { status: Some(PlayerStatus::Inactive), ..PlayerChange::default() };
    service.change_player(&nora, &roster.team, &roster.player(9)?, &inactive).await?;
    Ok(roster)
}

/// Invites somebody, who accepts.
///
/// The invite is made at the moment of loading and accepted in the past: one that was made in the
/// past would have expired by now, and the store deletes by its own clock what has expired.
pub(super) async fn join(
    loader: &mut DemoLoader,
    roster: &Roster,
    persona: &Persona,
    role: Role,
    number: Option<u8>,
) -> Result<(), DemoError> {
    let service = loader.service.clone();
    let player_id = number.map(|number| roster.player(number)).transpose()?;
    let new = NewInvite { role, player_id };
    loader.demo.set_time(loader.demo.loaded_at());
    let invite = service.invite(&NORA.caller(), &roster.team, &new).await?;
    loader.demo.set_time(loader.now);
    let code = InviteCode::new(invite.code)?;
    service.accept_invite(&persona.caller(), &roster.team, &code).await?;
    loader.pass(3660);
    Ok(())
}
