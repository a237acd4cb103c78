use crate::crowd::crowd;
use crate::http::{get, post};
use crate::round::Round;
use crate::web_victim::{ask_json, create_game, open, open_socket, token_of};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Each opens streams and sockets in turn. Together they are more than the 3072 that there may be.
const CLIENTS: usize = 8;
const WATCHERS_PER_CLIENT: usize = 420;
/// How long they may take to open all.
const OPENING_TIME_MAX: Duration = Duration::from_secs(6);
/// How often what they watch changes, and how many times at least.
const CHANGE_INTERVAL: Duration = Duration::from_millis(20);
const CHANGES_MIN: usize = 40;
/// A season of the demo data with a game that is live, and somebody who keeps its score.
const SEASON: &str = "/threefc/v1/seasons/tidewall-spring";
const SCOREKEEPER: &str = r#"{"persona":{"system":"threefc","subject":"tomasz"}}"#;

/// Watchers that never read: streams of a game whose state is large and which changes all the time,
/// and sockets of another one. What is pushed to them is kept up to a bound, and so is their number.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages_with_demo_data()?;
    let address = server.address()?;
    let token = token_of(address, SCOREKEEPER)?;
    let watched = WatchedGame::find(address)?;
    let snakes = create_game(address)?;
    let count = round.allowed_connections(CLIENTS * WATCHERS_PER_CLIENT);
    let (mut opened, mut refused, mut changes) = (0, 0, 0);
    round.attack_pages(&mut server, |until| {
        let end = Instant::now() + OPENING_TIME_MAX;
        let watchers = crowd(CLIENTS, |_| {
            let mut watchers = Vec::new();
            for number in 0..count / CLIENTS {
                if Instant::now() > end {
                    break;
                }
                watchers.push(match number % 2 {
                    0 => watched.open_stream(address),
                    _ => open_socket(address, &snakes.code),
                });
            }
            watchers
        });
        let watchers: Vec<_> = watchers.into_iter().flatten().collect();
        opened = watchers.iter().flatten().count();
        refused = watchers.len() - opened;
        let unexpected = watchers.iter().filter_map(|watcher| watcher.as_ref().err());
        if let Some(refusal) = unexpected.into_iter().find(|refusal| !refusal.contains(" 503")) {
            return Err(format!("a watcher: {refusal}"));
        }
        while changes < CHANGES_MIN || !until.is_over() {
            watched.score(address, &token, changes)?;
            changes += 1;
            std::thread::sleep(CHANGE_INTERVAL);
        }
        Ok(())
    })?;
    round.note(format!("{opened} watchers, {refused} refused, {changes} goals"));
    Ok(())
}

/// A game of 3FC that is live.
struct WatchedGame {
    path: String,
    teams: [String; 2],
}

impl WatchedGame {
    fn find(address: SocketAddr) -> Result<Self, String> {
        let season = ask_json(address, &get(address, SEASON))?;
        for session in season["sessions"].as_array().into_iter().flatten() {
            let id = session["sessionId"].as_str().unwrap_or_default();
            let games = format!("/threefc/v1/sessions/{id}/games");
            let games = ask_json(address, &get(address, &games))?;
            let mut games = games["items"].as_array().into_iter().flatten();
            if let Some(game) = games.find(|game| game["status"] == "live") {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let teams = [text(&game["teamIds"][0]), text(&game["teamIds"][1])];
                return Ok(Self {
                    path: format!("/threefc/v1/games/{}", text(&game["gameId"])),
                    teams,
                });
            }
        }
        Err("no game of the demo data is live".to_owned())
    }

    /// Opens a stream of which nothing is read but the status.
    fn open_stream(&self, address: SocketAddr) -> Result<TcpStream, String> {
        let mut stream = open(address)?.into_stream();
        let mut status = *b"HTTP/1.1 ...";
        let asked = stream.write_all(&get(address, &format!("{}/live", self.path)));
        let asked = asked.and_then(|()| stream.read_exact(&mut status));
        asked.map_err(|error| format!("no stream was opened: {error}"))?;
        match &status {
            b"HTTP/1.1 200" => Ok(stream),
            _ => Err(format!("no stream: {}", String::from_utf8_lossy(&status))),
        }
    }

    /// Enters a goal. Its id is a UUID of version 7.
    fn score(&self, address: SocketAddr, token: &str, number: usize) -> Result<(), String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let (high, low) = (now >> 16, now & 0xffff);
        let [conceding, scoring] = &self.teams;
        let goal = format!(
            r#"{{"eventId":"{high:08x}-{low:04x}-7000-8000-{number:012}","concedingTeamId":"{conceding}",
            "scoringTeamId":"{scoring}","ownGoal":false,"scorerPlayerId":null}}"#
        );
        let headers = format!("Authorization: Bearer {token}\r\n");
        ask_json(address, &post(address, &format!("{}/goals", self.path), &headers, &goal))?;
        Ok(())
    }
}
