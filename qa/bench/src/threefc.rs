//! Three-sided football, in process and without HTTP: goals that are on the disk, a timeline in one
//! Query, and the page of a season with many games.

mod league;

use crate::folder::Folder;
use crate::systems::{Outcome, Recording, send, together};
use ::systems::threefc::design::{GameId, Goal, ThreeFc};
use ::systems::threefc::service::Service;
use league::{GAME_GOALS, League};
use singlet::backend::{Backend, Embedded};
use singlet::engine::{Engine, Options};
use singlet::{CursorKey, Db, Settings};
use singlet_web::random::Random;
use std::time::{Duration, Instant};

/// How much is measured. A debug build only shows that it works.
struct Scale {
    /// Rounds of each contender; they take turns.
    rounds: usize,
    /// Games into which a caller enters goals in a round, by the number of callers.
    games: [(usize, usize); 2],
    /// Calls for a page.
    pages: u32,
    /// Games of a season, the fewer first.
    season_games: [usize; 2],
}

const FULL: Scale =
    Scale { rounds: 3, games: [(1, 10), (16, 4)], pages: 2_000, season_games: [100, 1_000] };
const TINY: Scale =
    Scale { rounds: 1, games: [(1, 1), (16, 1)], pages: 5, season_games: [50, 100] };

/// Measures, and prints the figures.
pub(crate) fn run() -> Outcome<()> {
    let scale = if cfg!(debug_assertions) { TINY } else { FULL };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        goals(&scale).await?;
        timeline(&scale).await?;
        season(&scale).await
    })
}

fn database(backend: impl Backend) -> Db<ThreeFc> {
    let cursor_key = Some(CursorKey::of_this_process());
    Db::on(backend, Settings { cursor_key, ..Settings::default() })
}

async fn service(backend: impl Backend) -> Outcome<Service> {
    let db = database(backend);
    db.provision().await?;
    Ok(Service::new(db, Random::new()))
}

/// Goals that are on the disk when they are answered, beside their transactions alone.
async fn goals(scale: &Scale) -> Outcome<()> {
    println!(
        "Goals recorded a second, on the disk: each reads the game with its goals and rosters, the \
         league and the caller's role, applies the rules, writes goal, marker, game and link in one \
         transaction, and answers with the whole game. Beside it the same transactions, sent to \
         the engine by hand without reads and rules: the limit. Games of {GAME_GOALS} goals, each \
         caller in its own; {} rounds.\n",
        scale.rounds
    );
    println!("| callers | goals a second | transactions alone | part |");
    println!("|---|---|---|---|");
    for (callers, games) in scale.games {
        let mut times = [Duration::ZERO; 2];
        for _ in 0..scale.rounds {
            times[0] += entered(callers, games).await?;
            times[1] += sent_by_hand(callers, games).await?;
        }
        let count = (callers * games * GAME_GOALS * scale.rounds) as f64;
        let [ours, by_hand] = times.map(|time| count / time.as_secs_f64());
        println!("| {callers} | {ours:.0} | {by_hand:.0} | {:.2} |", ours / by_hand);
    }
    Ok(())
}

/// A league with games whose first third runs.
async fn started(service: &Service, number: usize, games: usize) -> Outcome<(League, Vec<GameId>)> {
    let league = League::new(service, number).await?;
    let games = league.games(0, games).await?;
    for game in &games {
        league.start(game).await?;
    }
    Ok((league, games))
}

async fn enter_all((league, games): (League, Vec<GameId>)) -> Outcome<()> {
    for game in &games {
        league.goals(game, GAME_GOALS).await?;
    }
    Ok(())
}

/// Callers who enter goals, each into games of its own.
async fn entered(callers: usize, games: usize) -> Outcome<Duration> {
    let folder = Folder::new("threefc");
    let service = service(Embedded::new(Engine::open(folder.path(), Options::default())?)).await?;
    let mut work = Vec::new();
    for number in 0..callers {
        work.push(started(&service, number, games).await?);
    }
    together(work, enter_all).await
}

/// The same writes, as requests that were made before in memory.
async fn sent_by_hand(callers: usize, games: usize) -> Outcome<Duration> {
    let folder = Folder::new("threefc");
    let durable = Embedded::new(Engine::open(folder.path(), Options::default())?);
    database(durable.clone()).provision().await?;
    let memory = Embedded::new(Engine::memory()?);
    database(memory.clone()).provision().await?;
    let mut work = Vec::new();
    for number in 0..callers {
        let recording = Recording::default();
        let db = database(recording.of(memory.clone()));
        let service = Service::new(db, Random::new());
        let prepared = started(&service, number, games).await?;
        send(&durable, recording.take_writes()).await?;
        enter_all(prepared).await?;
        work.push(recording.take_writes());
    }
    let durable = &durable;
    together(work, |requests| {
        let durable = durable.clone();
        async move { send(&durable, requests).await }
    })
    .await
}

/// How long a call takes, on average.
async fn time_of<T, F>(calls: u32, call: impl Fn() -> F) -> Outcome<Duration>
where
    F: Future<Output = Outcome<T>>,
{
    let begun = Instant::now();
    for _ in 0..calls {
        call().await?;
    }
    Ok(begun.elapsed() / calls)
}

/// A timeline of sixty goals.
async fn timeline(scale: &Scale) -> Outcome<()> {
    let engine = Embedded::new(Engine::memory()?);
    let recording = Recording::default();
    let service = service(recording.of(engine.clone())).await?;
    let (league, games) = started(&service, 0, 1).await?;
    let game = games.first().ok_or("a game is missing")?;
    league.goals(game, GAME_GOALS).await?;
    recording.take();
    let timeline = Goal::timeline(game).consistent();
    let goals: Vec<Goal> = service.db().query(timeline).all().await?;
    let requests = recording.take_operations();
    if requests != ["Query"] || goals.len() != GAME_GOALS {
        let found = goals.len();
        return Err(format!("a timeline is one Query, and not {requests:?} of {found}").into());
    }
    service.game(None, game).await?;
    let requests = recording.take_operations();
    if requests != ["Query", "BatchGetItem"] {
        return Err(format!("a game is one Query and one BatchGet, and not {requests:?}").into());
    }
    let plain = Service::new(database(engine), Random::new());
    let read = || async {
        let timeline = Goal::timeline(game).consistent();
        Ok(plain.db().query(timeline).all().await?)
    };
    let view = || async { Ok(plain.game(None, game).await?) };
    let (timeline, page) = (time_of(scale.pages, read).await?, time_of(scale.pages, view).await?);
    println!(
        "\nA timeline of {GAME_GOALS} goals, in memory: one Query, {timeline:.2?}. The page of the \
         game, with rosters and names: one Query and one BatchGet, {page:.2?}."
    );
    Ok(())
}

/// The page of a season, with few games and with ten times as many.
async fn season(scale: &Scale) -> Outcome<()> {
    let engine = Embedded::new(Engine::memory()?);
    let recording = Recording::default();
    let service = service(recording.of(engine.clone())).await?;
    let plain = Service::new(database(engine), Random::new());
    let league = League::new(&service, 0).await?;
    let (mut times, mut requests, mut from) = (Vec::new(), Vec::new(), 0);
    for to in scale.season_games {
        for game in league.games(from, to).await? {
            league.start(&game).await?;
            league.goals(&game, 3).await?;
            league.finish(&game).await?;
        }
        recording.take();
        let view = service.season(None, &league.season).await?;
        let games: u32 = view.sessions.iter().map(|session| session.games).sum();
        let played: u32 = view.standings.iter().map(|row| row.played).sum();
        if (games as usize, played as usize) != (to, 3 * to) {
            return Err(format!("the season has {games} games, {played} counted").into());
        }
        requests.push(recording.take_operations());
        let read = || async { Ok(plain.season(None, &league.season).await?) };
        times.push(time_of(scale.pages, read).await?);
        from = to;
    }
    let (Some(few), Some(many)) = (times.first(), times.last()) else {
        return Err("two measurements".into());
    };
    if requests.first() != requests.last() {
        return Err(format!("more games cost more requests: {requests:?}").into());
    }
    let [fewer, more] = scale.season_games;
    println!(
        "\nThe page of a season, in memory: {} requests, none of them for an item of a game; with \
         {fewer} games {few:.2?}, with {more} {many:.2?}, {:.2} times as long.",
        requests.first().map_or(0, Vec::len),
        many.as_secs_f64() / few.as_secs_f64()
    );
    Ok(())
}
