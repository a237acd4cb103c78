//! Attacks on the pages.

use super::work::seconds_since_1970;
use crate::http::{Answer, Connection, get, post};
use crate::load::{Flood, Hostile, ask, converse, crowd, flood_one, trickle};
use crate::round::{Round, Target};
use crate::web::{ask_json, create_game, join, open, open_socket, token_of, upgrade};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The head of a request whose body comes a byte at a time.
pub(super) fn head_of_game(target: &Target) -> Vec<u8> {
    format!(
        "POST /snakes/games HTTP/1.1\r\nHost: {}\r\n\
         Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n",
        target.address()
    )
    .into_bytes()
}

/// The head of an upload. `headers` are whole lines.
fn head_of_upload(address: SocketAddr, headers: &str, bytes: usize) -> Vec<u8> {
    format!(
        "PUT /fus/v1/me/avatar HTTP/1.1\r\nHost: {address}\r\n{headers}\
         Content-Type: image/png\r\nContent-Length: {bytes}\r\n\r\n"
    )
    .into_bytes()
}

/// The header of a signed-in caller.
fn authorization(address: SocketAddr) -> Result<String, String> {
    let token = token_of(address, r#"{"name":"Eve","groups":[]}"#)?;
    Ok(format!("Authorization: Bearer {token}\r\n"))
}

/// Files that never end: large ones of callers who have signed in, ones that come a byte at a time, and
/// large ones without a sign-in, of which the server should read the head and no more.
pub(super) fn large_uploads(round: &mut Round, mut target: Target) -> Result<(), String> {
    const BYTES: usize = 16 << 20;
    const PIECE_BYTES: usize = 64 << 10;
    /// Small enough that slow uploads do not take all the room.
    const SLOW_BYTES: usize = 1 << 20;
    const RETRY_PAUSE: Duration = Duration::from_millis(50);
    let address = target.address();
    let authorization = authorization(address)?;
    let most = round.attack(&mut target, |until| {
        let signed = head_of_upload(address, &authorization, BYTES);
        let slow = head_of_upload(address, &authorization, SLOW_BYTES);
        let unsigned = head_of_upload(address, "", BYTES);
        let piece = vec![0; PIECE_BYTES];
        // Returns how much was sent at most on one connection.
        let upload = |head: &[u8]| {
            let mut most = 0;
            while !until.is_over() {
                let Ok(mut connection) = Connection::open(address, until.rest()) else { continue };
                let mut is_open = connection.send(head).is_ok();
                let mut sent = 0;
                // The last piece is never sent.
                while is_open && sent + PIECE_BYTES < BYTES && !until.is_over() {
                    is_open = connection.send(&piece).is_ok();
                    sent += usize::from(is_open) * PIECE_BYTES;
                }
                most = most.max(sent);
                match is_open {
                    true => until.wait(),
                    false => std::thread::sleep(RETRY_PAUSE),
                }
            }
            most
        };
        std::thread::scope(|scope| {
            scope.spawn(|| trickle(address, 100, &slow, until));
            scope.spawn(|| crowd(24, |_| upload(&signed)));
            Ok(crowd(8, |_| upload(&unsigned)).into_iter().max().unwrap_or_default())
        })
    })?;
    round.check(most < BYTES / 2, || format!("{} MB were read without a sign-in", most >> 20));
    round.note(format!("at most {} KB were read without a sign-in", most >> 10));
    Ok(())
}

/// Pictures of 65 KB that become 64 MB when they are decoded, many at once.
pub(super) fn large_pictures(target: &Target) -> Result<Vec<Hostile>, String> {
    let address = target.address();
    let picture = png().map_err(|error| error.to_string())?;
    let head = head_of_upload(address, &authorization(address)?, picture.len());
    Ok(vec![Hostile { what: "picture", bytes: [head, picture].concat() }])
}

/// A picture of one colour, as large as it may be.
fn png() -> io::Result<Vec<u8>> {
    const SIDE: u32 = 4096;
    let mut header = [SIDE.to_be_bytes(), SIDE.to_be_bytes()].concat();
    // Eight bits for each of four channels, with the usual compression, filter and order.
    header.extend([8, 6, 0, 0, 0]);
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::best());
    let row = vec![0; 1 + 4 * SIDE as usize];
    for _ in 0..SIDE {
        pixels.write_all(&row)?;
    }
    let chunks = [(b"IHDR", header), (b"IDAT", pixels.finish()?), (b"IEND", Vec::new())];
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in chunks {
        file.extend((data.len() as u32).to_be_bytes());
        let summed = [name.as_slice(), &data].concat();
        let mut sum = Crc::new();
        sum.update(&summed);
        file.extend(summed);
        file.extend(sum.sum().to_be_bytes());
    }
    Ok(file)
}

/// Pages that are asked for again and again on connections that read nothing. A server that kept the
/// answers would keep hundreds of megabytes.
pub(super) fn unread_pages(target: &Target, count: usize) -> Result<Vec<Flood>, String> {
    let pages = get(target.address(), "/snakes/board.js").repeat(100);
    let make = |_| {
        let pages = pages.clone();
        Flood { opening: Vec::new(), next: Box::new(move |_| pages.clone()), reads: false }
    };
    Ok((0..count).map(make).collect())
}

/// Sockets that follow a game in which much happens, and do not read. The server queues pushes
/// for them up to a bound; then they are dropped.
pub(super) fn unread_sockets(round: &mut Round, mut target: Target) -> Result<(), String> {
    const SOCKETS: usize = 100;
    /// A race may have three hundred players, and the one who made it is the first.
    const PLAYERS: usize = 290;
    let address = target.address();
    round.attack(&mut target, |until| {
        while !until.is_over() {
            let game = create_game(address)?;
            let sockets: Vec<_> =
                (0..SOCKETS).map_while(|_| open_socket(address, &game.code).ok()).collect();
            let mut connection = open(address)?;
            for player in 0..PLAYERS {
                if until.is_over() {
                    break;
                }
                join(&mut connection, address, &game, &format!("Player {player}"))?;
                std::thread::sleep(Duration::from_millis(2));
            }
            drop(sockets);
        }
        Ok(())
    })
}

/// Watchers that never read: streams of a game whose state is large and which changes all the time,
/// and sockets of another one. Their number is bounded, and so are the pushes queued for each.
pub(super) fn unread_streams(round: &mut Round, mut target: Target) -> Result<(), String> {
    const CLIENTS: usize = 8;
    /// Together more than the 3072 that there may be.
    const WATCHERS_PER_CLIENT: usize = 420;
    /// How long it takes at most to open them. On a slow machine there are fewer.
    const OPENING_TIME_MAX: Duration = Duration::from_secs(6);
    /// The game changes this often, and at least so many times.
    const CHANGE_INTERVAL: Duration = Duration::from_millis(20);
    const CHANGES_MIN: usize = 40;
    const SCOREKEEPER: &str = r#"{"persona":{"system":"threefc","subject":"tomasz"}}"#;
    let address = target.address();
    let token = token_of(address, SCOREKEEPER)?;
    let watched = WatchedGame::find(address)?;
    let snakes = create_game(address)?;
    let count = round.allowed_connections(CLIENTS * WATCHERS_PER_CLIENT);
    let (opened, refused, changes) = round.attack(&mut target, |until| {
        let end = Instant::now() + OPENING_TIME_MAX;
        let watchers = crowd(CLIENTS, |_| {
            let numbers = (0..count / CLIENTS).take_while(|_| Instant::now() < end);
            let watchers = numbers.map(|number| match number % 2 {
                0 => watched.open_stream(address),
                _ => open_socket(address, &snakes.code),
            });
            watchers.collect::<Vec<_>>()
        });
        let watchers: Vec<_> = watchers.into_iter().flatten().collect();
        let opened = watchers.iter().flatten().count();
        let mut refusals = watchers.iter().filter_map(|watcher| watcher.as_ref().err());
        if let Some(refusal) = refusals.find(|refusal| !refusal.contains(" 503")) {
            return Err(format!("a watcher: {refusal}"));
        }
        let mut changes = 0;
        while changes < CHANGES_MIN || !until.is_over() {
            watched.score(address, &token, changes)?;
            changes += 1;
            std::thread::sleep(CHANGE_INTERVAL);
        }
        Ok((opened, watchers.len() - opened, changes))
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
    /// Finds one in the demo data.
    fn find(address: SocketAddr) -> Result<Self, String> {
        const SEASON: &str = "/threefc/v1/seasons/tidewall-s2";
        let season = ask_json(address, &get(address, SEASON))?;
        for session in season["sessions"].as_array().into_iter().flatten() {
            let id = session["sessionId"].as_str().unwrap_or_default();
            let games = format!("/threefc/v1/sessions/{id}/games");
            let games = ask_json(address, &get(address, &games))?;
            let mut games = games["items"].as_array().into_iter().flatten();
            if let Some(game) = games.find(|game| game["status"] == "live") {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let teams = [text(&game["teamIds"][0]), text(&game["teamIds"][1])];
                let path = format!("/threefc/v1/games/{}", text(&game["gameId"]));
                return Ok(Self { path, teams });
            }
        }
        Err("no game of the demo data is live".to_owned())
    }

    /// Opens a stream, of which the status is read and no more.
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

/// Sockets that send as fast as they can: messages, pings, and messages that never end. A client that
/// sends more than a person can click is cut off.
pub(super) fn socket_floods(round: &mut Round, mut target: Target) -> Result<(), String> {
    const BYTES_MAX: usize = 16 << 20;
    let address = target.address();
    let game = create_game(address)?;
    // A client's frame is masked, here with zeros.
    let frame = |first: u8, payload: &[u8]| {
        [&[first, 0x80 | payload.len() as u8, 0, 0, 0, 0], payload].concat()
    };
    let most = round.attack(&mut target, |until| {
        let sent = crowd(20, |index| {
            let stream = open_socket(address, &game.code)?;
            let frames = match index % 3 {
                0 => frame(0x81, br#"{"type":"ping"}"#).repeat(100),
                1 => frame(0x89, b"attack").repeat(100),
                // A fragment that is not the last one, and its continuation.
                _ => [frame(0x01, b"{\"a\":\""), frame(0x00, &[b'a'; 100]).repeat(1000)].concat(),
            };
            let next = Box::new(move |_| frames.clone());
            let flood = Flood { opening: Vec::new(), next, reads: index % 2 == 0 };
            flood_one(Connection::of(stream), &flood, until).map_err(|error| error.to_string())
        });
        let sent = sent.into_iter().collect::<Result<Vec<usize>, String>>()?;
        Ok(sent.into_iter().max().unwrap_or_default())
    })?;
    round.check(most < BYTES_MAX, || "a socket was never cut off".to_owned());
    round.note(format!("cut off after at most {} KB", most >> 10));
    Ok(())
}

/// Bodies of another type than an object. The search for all wrong fields never ended when the whole
/// body was wrong, and held a thread for each request.
pub(super) fn wrong_shapes(target: &Target) -> Result<Vec<Hostile>, String> {
    let bodies = ["[]", "[[{}]]", r#""name""#, "7", "null"];
    let make =
        |body| Hostile { what: body, bytes: post(target.address(), "/snakes/games", "", body) };
    Ok(bodies.map(make).into())
}

/// What a page of another site can have a browser do: send a form, and open a socket. Both are
/// refused by where they come from.
pub(super) fn cross_origin(round: &mut Round, target: Target) -> Result<(), String> {
    let address = target.address();
    let game = create_game(address)?;
    let origins = [
        "Origin: http://attacker.example\r\n".to_owned(),
        "Origin: null\r\n".to_owned(),
        format!("Origin: http://{address}.attacker.example\r\n"),
        // Another port of this machine is another site.
        format!("Origin: http://{}:1\r\n", address.ip()),
        "Sec-Fetch-Site: cross-site\r\n".to_owned(),
        format!("Sec-Fetch-Site: cross-site\r\nOrigin: http://{address}\r\n"),
    ];
    let requests = origins.iter().flat_map(|origin| {
        let create = post(address, "/snakes/games", origin, r#"{"name":"Eve"}"#);
        let form = String::from_utf8_lossy(&create).replace("application/json", "text/plain");
        [create, form.into_bytes(), upgrade(address, &game.code, origin)]
    });
    let requests = requests.map(|request| (address, request)).collect();
    super::check_refused(round, target, 403..404, requests)
}

/// Cursors that were made up, changed or cut. They are signed: no other place of the table can be
/// read by them.
pub(super) fn cursors(round: &mut Round, target: Target) -> Result<(), String> {
    let address = target.address();
    for _ in 0..3 {
        create_game(address)?;
    }
    let list = |cursor: &str| get(address, &format!("/snakes/games?limit=1&cursor={cursor}"));
    let first = ask_json(address, &get(address, "/snakes/games?limit=1"))?;
    let real = first.get("next").and_then(Value::as_str).ok_or("the list has no second page")?;
    ask_json(address, &list(real)).map_err(|_| "the real cursor is refused")?;
    let mut forged = vec!["a".to_owned(), "AAAA".repeat(50), "%00".to_owned(), "a".repeat(1024)];
    for place in (0..real.len()).step_by(7) {
        let change = |(index, c): (usize, char)| match (index == place, c) {
            (false, c) => c,
            (true, 'A') => 'B',
            (true, _) => 'A',
        };
        forged.push(real.chars().enumerate().map(change).collect());
        forged.push(real.get(..place).unwrap_or_default().to_owned() + "A");
    }
    let forged = forged.iter().filter(|cursor| *cursor != real);
    let requests = forged.map(|cursor| (address, list(cursor))).collect();
    super::check_refused(round, target, 400..500, requests)
}

/// Makes as many games as possible. Each was kept for a day, without a bound: some gigabytes an hour
/// for callers on this machine, or behind a proxy on it.
pub(super) fn games(round: &mut Round, mut target: Target) -> Result<(), String> {
    const CLIENTS: usize = 8;
    /// More than may be kept.
    const REQUESTS: usize = 3_200;
    /// The maximum number of games: the hourly limit of all callers in docs/systems, the victim's
    /// game, and some slack for a budget that is shared out in parts.
    const GAMES_MAX: usize = 2_100;
    let address = target.address();
    let request = post(address, "/snakes/games", "", r#"{"name":"Eve"}"#);
    // With the hour on the clock, a new budget begins.
    let hour = || seconds_since_1970() / 3600;
    let first_hour = hour();
    let outcome = round.attack(&mut target, |_| {
        Ok(converse(address, CLIENTS, |_, number, _| {
            (number < REQUESTS / CLIENTS).then(|| request.clone())
        }))
    })?;
    let made = outcome.succeeded;
    // A game of one player has two items: the game and the player.
    let games = super::count_items(target.requests, json!({"TableName": "snakes-dev"}))? / 2;
    let text = format!("{games} games are kept, {made} of {REQUESTS} requests made one");
    let hours = usize::try_from(1 + hour() - first_hour).unwrap_or(usize::MAX);
    round.check(games <= GAMES_MAX * hours, || text.clone());
    round.note(text);
    Ok(())
}

/// Sends the Idempotency-Key of another caller. The answer that is kept under it may hold a secret, so
/// only its caller may get it: not with another request, and not as another player. Keys that can be
/// guessed are refused.
pub(super) fn idempotency(round: &mut Round, mut target: Target) -> Result<(), String> {
    const KEY: &str = "5a1b7c3d-9e2f-4a6b-8c0d-1e3f5a7b9c2d";
    const TRIVIAL_KEYS: [&str; 5] =
        ["1", "test", "aaaaaaaaaaaaaaaa", "0000000000000000", "1234567890123456"];
    let address = target.address();
    let game = create_game(address)?;
    let (_, guest) = join(&mut open(address)?, address, &game, "Guest")?;
    let act = |action: &str, secret: &str, headers: &str| {
        let request = format!(
            "POST /snakes/games/{}/{action} HTTP/1.1\r\nHost: {address}\r\n\
             Player-Secret: {secret}\r\n{headers}Content-Length: 0\r\n\r\n",
            game.code
        );
        ask(address, request.as_bytes())
    };
    let create = |key: &str, name: &str| {
        let body = format!(r#"{{"name":"{name}"}}"#);
        let headers = format!("Idempotency-Key: {key}\r\n");
        ask(address, &post(address, "/snakes/games", &headers, &body))
    };
    let is_replayed = |answer: &Answer| answer.head.to_lowercase().contains("idempotency-replayed");
    act("start", &game.secret, "")?;
    let faults = round.attack(&mut target, |_| {
        let mut faults = Vec::new();
        let first = create(KEY, "Ann")?;
        if first.status != 201 {
            return Err(format!("a game with a key: {}", first.shown()));
        }
        let other = create(KEY, "Eve")?;
        if is_replayed(&other) || other.status < 400 {
            faults.push(format!("another request with the same key: {}", other.shown()));
        }
        let key = format!("Idempotency-Key: {KEY}\r\n");
        let own = act("roll", &game.secret, &key)?;
        let foreign = act("roll", &guest, &key)?;
        if own.status != 200 || is_replayed(&foreign) {
            faults.push(format!("another player with the same key: {}", foreign.shown()));
        }
        for trivial in TRIVIAL_KEYS {
            let answer = create(trivial, "Ann")?;
            if answer.status < 400 {
                faults.push(format!("the key {trivial} is taken: {}", answer.status));
            }
        }
        Ok(faults)
    })?;
    round.faults.extend(faults);
    Ok(())
}
