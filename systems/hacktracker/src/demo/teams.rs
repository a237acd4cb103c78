//! Copper Kettles and Old Tins: members and rosters.

use super::scorer::Scorer;
use super::{DAY, IVAN, Loader, NORA, OMAR, PIA, SKYE, missing};
use crate::design::{InviteCode, PlayerId, Role, TeamId, UserId};
use crate::input::{NewInvite, NewPlayer};
use crate::rules::status::Verb;
use serde_json::{from_value, json};
use singlet_web::Persona;
use singlet_web::api::Paging;
use singlet_web::demo::DemoError;
use std::collections::BTreeMap;

/// Players of a team by their numbers.
pub(super) struct Roster {
    pub(super) team: TeamId,
    players: BTreeMap<u8, PlayerId>,
}

/// Number, first name, last name and positions of a player.
type Row = (u8, &'static str, &'static str, &'static [&'static str]);

/// The number of the sub.
const SUBSTITUTE: u8 = 44;

impl Roster {
    /// A team of Nora's, who plays shortstop.
    async fn create(
        loader: &mut Loader,
        name: &str,
        description: Option<&str>,
        number: u8,
        others: &[Row],
    ) -> Result<Self, DemoError> {
        let nora = NORA.caller();
        let player = json!({"playerNumber": number, "positions": ["SS"]});
        let new = json!({"name": name, "description": description, "player": player});
        let team = loader.service.create_team(&nora, &from_value(new)?).await?.team_id;
        loader.pass(300);
        let player = |(number, first, last, positions): &Row| {
            let status = (*number == SUBSTITUTE).then_some("sub");
            json!({"firstName": first, "lastName": last, "playerNumber": number, "positions": positions, "status": status})
        };
        let new: Vec<NewPlayer> = from_value(others.iter().map(player).collect())?;
        loader.service.add_players(&nora, &team, &new).await?;
        let listed = loader.service.players(&nora, &team, &Paging::default()).await?.items;
        let players =
            listed.into_iter().filter_map(|one| Some((one.player_number?, one.player_id)));
        Ok(Self { team, players: players.collect() })
    }

    pub(super) fn player(&self, number: u8) -> Result<PlayerId, DemoError> {
        self.players.get(&number).cloned().ok_or_else(|| missing("a player"))
    }

    pub(super) fn lineup(&self, numbers: &[u8]) -> Result<Vec<PlayerId>, DemoError> {
        numbers.iter().map(|number| self.player(*number)).collect()
    }

    /// Invites a persona, who accepts.
    ///
    /// The invite is dated at the moment of loading: the store would delete an older one as expired.
    async fn join(
        &self,
        loader: &mut Loader,
        persona: &Persona,
        role: Role,
        number: Option<u8>,
    ) -> Result<(), DemoError> {
        let player_id = number.map(|number| self.player(number)).transpose()?;
        loader.demo.set_time(loader.demo.loaded_at());
        let new = NewInvite { role, player_id };
        let invite = loader.service.invite(&NORA.caller(), &self.team, &new).await?;
        loader.demo.set_time(loader.now);
        let code = InviteCode::new(invite.code)?;
        loader.service.accept_invite(&persona.caller(), &self.team, &code).await?;
        loader.pass(3660);
        Ok(())
    }
}

pub(super) async fn copper_kettles(loader: &mut Loader) -> Result<Roster, DemoError> {
    let others: [Row; 13] = [
        (12, "Pia", "Lindgren", &["LF", "CF"]),
        (5, "Omar", "Reyes", &["3B", "UTIL"]),
        (9, "Ivan", "Brandt", &["1B"]),
        (21, "Kim", "Falk", &["OF"]),
        (SUBSTITUTE, "Lou", "Hart", &["P"]),
        (3, "Rei", "Ito", &["2B"]),
        (10, "Luz", "Ortiz", &["CF"]),
        (14, "Max", "Bell", &["C"]),
        (18, "Ari", "Cho", &["2B", "SS"]),
        (22, "Sam", "Dunn", &["1B"]),
        (27, "Joss", "Evans", &["RF", "P"]),
        (31, "Toni", "Fry", &["EH"]),
        (33, "Bo", "Gray", &["3B"]),
    ];
    let description = Some("Slow-pitch on Saturdays, soup afterwards.");
    let roster = Roster::create(loader, "Copper Kettles", description, 7, &others).await?;
    roster.join(loader, &OMAR, Role::Manager, Some(5)).await?;
    roster.join(loader, &SKYE, Role::Scorekeeper, None).await?;
    roster.join(loader, &PIA, Role::Player, Some(12)).await?;
    roster.join(loader, &IVAN, Role::Player, Some(9)).await?;
    let (nora, ivan): (_, UserId) = (NORA.caller(), IVAN.caller().id()?);
    let inactive = json!({"status": "inactive"});
    let member = from_value(inactive.clone())?;
    loader.service.change_member(&nora, &roster.team, &ivan, &member).await?;
    let player = from_value(inactive)?;
    loader.service.change_player(&nora, &roster.team, &roster.player(9)?, &player).await?;
    Ok(roster)
}

/// A team that its owner deleted three days ago.
pub(super) async fn old_tins(loader: &mut Loader) -> Result<(), DemoError> {
    let back = loader.now;
    let others: [Row; 3] =
        [(2, "Pia", "Lindgren", &[]), (4, "Gus", "Wall", &[]), (6, "Ines", "Roth", &[])];
    let roster = Roster::create(loader, "Old Tins", None, 1, &others).await?;
    roster.join(loader, &PIA, Role::Player, Some(2)).await?;
    for (opponent, weeks) in [("Rusty Gate", 11), ("Brick Lane", 10)] {
        let start = loader.saturday(weeks);
        let mut game =
            Scorer::schedule(loader, &roster.team, &NORA, opponent, start, false).await?;
        game.set_lineup(roster.lineup(&[1, 2, 4, 6])?).await?;
        game.loader.set_time(start);
        game.change(Verb::Start).await?;
        game.play_half(12).await?;
        game.change(Verb::Finish).await?;
    }
    loader.set_time(loader.demo.loaded_at().before(3 * DAY));
    loader.service.delete_team(&NORA.caller(), &roster.team).await?;
    loader.set_time(back.after(DAY));
    Ok(())
}
