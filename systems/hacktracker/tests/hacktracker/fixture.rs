//! What the tests work on.

use hacktracker::design::{
    AtBat, AtBatId, AtBatResult, GameId, HackTracker, Half, InviteCode, PlayerId, Role, TeamId,
    TeamType, UserId,
};
use hacktracker::error::Error;
use hacktracker::input::{
    AtBatChange, NewAtBat, NewGame, NewHalf, NewInvite, NewLineup, NewMove, NewPlayer, NewTeam,
    NewUser, OpponentRuns, Positions, Revision, RunnerMoves, StatusChange,
};
use hacktracker::rules::status::Verb;
use hacktracker::service::Service;
use hacktracker::view::{GameDetail, GameView, ScoringView};
use singlet::dynamo::Item;
use singlet::engine::Clock;
use singlet_testing::TestStore;
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;
use singlet_web::random::Random;

/// A service on a store of its own, with a fixed clock.
pub(crate) struct Fixture {
    pub(crate) service: Service,
    pub(crate) clock: Clock,
    pub(crate) store: TestStore,
}

/// A team, its owner, and its players in the order of their numbers.
pub(crate) struct TestTeam {
    pub(crate) id: TeamId,
    pub(crate) owner: Caller,
    pub(crate) players: Vec<PlayerId>,
}

/// The batters of the worked example, and two more.
pub(crate) const NAMES: [&str; 9] =
    ["Ortiz", "Bell", "Cho", "Dunn", "Evans", "Fry", "Gray", "Hale", "Ito"];

impl Fixture {
    pub(crate) async fn new(store: TestStore) -> Self {
        let service = Service::new(store.open::<HackTracker>().await, Random::new());
        Self { service, clock: store.clock.clone(), store }
    }

    /// All items of the table, as the AWS CLI shows them.
    pub(crate) async fn items(&self) -> Vec<Item> {
        self.store.items::<HackTracker>().await
    }

    /// Somebody who has signed up.
    pub(crate) async fn user(&self, name: &str) -> Caller {
        let caller = caller(name);
        self.service.sign_up(&caller, &new_user(name)).await.unwrap();
        caller
    }

    /// A team of this owner with nine players, numbers 1 to 9.
    pub(crate) async fn team(&self, owner: &Caller) -> TestTeam {
        let id =
            self.service.create_team(owner, &new_team("Copper Kettles")).await.unwrap().team_id;
        let new: Vec<NewPlayer> =
            NAMES.iter().zip(1..).map(|(name, number)| new_player(name, Some(number))).collect();
        let added = self.service.add_players(owner, &id, &new).await.unwrap().items;
        let players = added.into_iter().map(|player| player.player_id).collect();
        TestTeam { id, owner: owner.clone(), players }
    }

    /// Somebody who joins a team.
    pub(crate) async fn member(&self, team: &TestTeam, name: &str, role: Role) -> Caller {
        let caller = self.user(name).await;
        let new = NewInvite { role, player_id: None };
        let invite = self.service.invite(&team.owner, &team.id, &new).await.unwrap();
        let code = InviteCode::new(invite.code).unwrap();
        self.service.accept_invite(&caller, &team.id, &code).await.unwrap();
        caller
    }

    /// A game of a new team that has begun; we bat first.
    pub(crate) async fn game(&self) -> TestGame<'_> {
        let owner = self.user("nora").await;
        let team = self.team(&owner).await;
        self.started(&team, NewGame::default()).await
    }

    /// A game of a team that has begun.
    pub(crate) async fn started(&self, team: &TestTeam, new: NewGame) -> TestGame<'_> {
        let mut game = self.scheduled(team, new).await;
        game.lineup(&team.players).await.unwrap();
        game.change(Verb::Start).await.unwrap();
        game
    }

    /// A game of a team that has not begun.
    pub(crate) async fn scheduled(&self, team: &TestTeam, new: NewGame) -> TestGame<'_> {
        let game = self.service.create_game(&team.owner, &team.id, &new).await.unwrap();
        TestGame {
            fixture: self,
            by: team.owner.clone(),
            id: game.game.game_id.clone(),
            game,
            players: team.players.clone(),
        }
    }
}

/// A caller whose token has an e-mail address.
pub(crate) fn caller(name: &str) -> Caller {
    Caller {
        subject: name.to_owned(),
        name: Some(name.to_owned()),
        email: Some(format!("{name}@example.com")),
        ..Caller::default()
    }
}

pub(crate) fn user_id(caller: &Caller) -> UserId {
    caller.id().unwrap()
}

pub(crate) fn new_user(name: &str) -> NewUser {
    NewUser {
        first_name: name.parse().unwrap(),
        last_name: "Test".parse().unwrap(),
        phone_number: None,
        email: None,
    }
}

pub(crate) fn new_team(name: &str) -> NewTeam {
    NewTeam {
        name: name.parse().unwrap(),
        description: None,
        team_type: TeamType::Managed,
        player: None,
    }
}

pub(crate) fn new_player(name: &str, number: Option<u8>) -> NewPlayer {
    NewPlayer {
        first_name: name.parse().unwrap(),
        last_name: None,
        player_number: number,
        positions: Positions::default(),
        status: None,
    }
}

/// Waits until a read finds something: indexes lag behind on DynamoDB.
pub(crate) async fn eventually<T>(mut read: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..2_400 {
        if let Some(value) = read().await {
            return value;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the index does not follow");
}

/// The name of the problem with which something was refused.
pub(crate) fn code_of<T: std::fmt::Debug>(refused: Result<T, Error>) -> &'static str {
    refused.unwrap_err().problem_type().name
}

/// A game that is scored.
pub(crate) struct TestGame<'f> {
    pub(crate) fixture: &'f Fixture,
    pub(crate) by: Caller,
    pub(crate) id: GameId,
    pub(crate) game: GameView,
    pub(crate) players: Vec<PlayerId>,
}

/// What the scorer enters.
pub(crate) fn play(revision: u64, result: AtBatResult) -> NewAtBat {
    NewAtBat { revision, result, ..NewAtBat::default() }
}

pub(crate) fn moves(moves: &[(u8, u8)]) -> Vec<NewMove> {
    moves.iter().map(|(from, to)| NewMove { from: *from, to: *to }).collect()
}

/// A correction that changes nothing yet.
pub(crate) fn no_change(revision: u64) -> AtBatChange {
    AtBatChange { revision, ..AtBatChange::default() }
}

impl TestGame<'_> {
    pub(crate) fn revision(&self) -> u64 {
        self.game.game.revision
    }

    fn saw(&mut self, scored: Result<ScoringView, Error>) -> Result<ScoringView, Error> {
        if let Ok(scored) = &scored {
            self.game = scored.game.clone();
            self.fixture.clock.advance(1000);
        }
        scored
    }

    pub(crate) async fn lineup(&mut self, players: &[PlayerId]) -> Result<ScoringView, Error> {
        let new = NewLineup { revision: self.revision(), lineup: players.to_vec() };
        let scored = self.fixture.service.set_lineup(&self.by, &self.id, &new).await;
        self.saw(scored)
    }

    pub(crate) async fn change(&mut self, verb: Verb) -> Result<ScoringView, Error> {
        let change = StatusChange { revision: self.revision(), scheduled_start: None };
        let scored = self.fixture.service.change_status(&self.by, &self.id, verb, &change).await;
        self.saw(scored)
    }

    pub(crate) async fn record(&mut self, new: NewAtBat) -> Result<ScoringView, Error> {
        let scored = self.fixture.service.record_at_bat(&self.by, &self.id, &new).await;
        self.saw(scored)
    }

    /// Records a result by defaults.
    pub(crate) async fn bat(&mut self, result: AtBatResult) -> AtBat {
        let new = play(self.revision(), result);
        self.record(new).await.unwrap().at_bat.unwrap()
    }

    /// Records a result with destinations.
    pub(crate) async fn bat_with(
        &mut self,
        result: AtBatResult,
        named: &[(u8, u8)],
    ) -> Result<ScoringView, Error> {
        let new = NewAtBat { moves: Some(moves(named)), ..play(self.revision(), result) };
        self.record(new).await
    }

    pub(crate) async fn correct(
        &mut self,
        id: &AtBatId,
        change: AtBatChange,
    ) -> Result<ScoringView, Error> {
        let change = AtBatChange { revision: self.revision(), ..change };
        let scored = self.fixture.service.correct_at_bat(&self.by, &self.id, id, &change).await;
        self.saw(scored)
    }

    pub(crate) async fn undo(&mut self) -> Result<ScoringView, Error> {
        let seen = Revision { revision: self.revision() };
        let scored = self.fixture.service.undo(&self.by, &self.id, &seen).await;
        self.saw(scored)
    }

    pub(crate) async fn remove(&mut self, id: &AtBatId) -> Result<ScoringView, Error> {
        let seen = Revision { revision: self.revision() };
        let scored = self.fixture.service.remove_at_bat(&self.by, &self.id, id, &seen).await;
        self.saw(scored)
    }

    pub(crate) async fn runners(
        &mut self,
        named: &[(u8, u8)],
        how: hacktracker::design::How,
    ) -> Result<ScoringView, Error> {
        let new = RunnerMoves { revision: self.revision(), moves: moves(named), how };
        let scored = self.fixture.service.move_runners(&self.by, &self.id, &new).await;
        self.saw(scored)
    }

    pub(crate) async fn opponent(&mut self, inning: u8, runs: u16) -> Result<ScoringView, Error> {
        let new = OpponentRuns { revision: self.revision(), runs };
        let service = &self.fixture.service;
        let scored = service.set_opponent_runs(&self.by, &self.id, inning, &new).await;
        self.saw(scored)
    }

    pub(crate) async fn half(&mut self, inning: u8, half: Half) -> Result<ScoringView, Error> {
        self.half_with(inning, half, None).await
    }

    pub(crate) async fn half_with(
        &mut self,
        inning: u8,
        half: Half,
        placed_runner: Option<PlayerId>,
    ) -> Result<ScoringView, Error> {
        let new = NewHalf { revision: self.revision(), inning, half, placed_runner };
        let scored = self.fixture.service.change_half(&self.by, &self.id, &new).await;
        self.saw(scored)
    }

    /// The game as operation 21 shows it.
    pub(crate) async fn detail(&self) -> GameDetail {
        self.fixture.service.game(&self.by, &self.id).await.unwrap()
    }

    /// Where the game is: inning, half, outs, at-bats of the half.
    pub(crate) fn at(&self) -> (u8, Half, u8, u8) {
        let state = self.game.game.state.as_ref().unwrap();
        (state.inning, state.half, state.outs, state.at_bats)
    }

    /// Which bases are taken.
    pub(crate) fn bases(&self) -> Vec<bool> {
        self.game.game.state.as_ref().unwrap().bases.iter().map(Option::is_some).collect()
    }

    pub(crate) fn score(&self) -> (u16, u16) {
        (self.game.game.team_score, self.game.game.opponent_score)
    }
}
