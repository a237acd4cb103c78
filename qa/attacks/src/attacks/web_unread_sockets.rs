use crate::crowd::PATIENCE;
use crate::http::{Connection, post};
use crate::round::Round;
use crate::web_victim::{create_game, open_socket};
use std::time::Duration;

const SOCKETS: usize = 100;
/// A race may have three hundred players, and the one who made it is the first.
const PLAYERS: usize = 290;

/// Sockets that follow a game in which much happens, and do not read. What is pushed to them is kept
/// up to a bound; then they are dropped.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    round.attack_pages(&mut server, |until| {
        while !until.is_over() {
            let game = create_game(address)?;
            let sockets: Vec<_> =
                (0..SOCKETS).map_while(|_| open_socket(address, &game.code).ok()).collect();
            let opened = Connection::open(address, PATIENCE);
            let mut connection = opened.map_err(|error| error.to_string())?;
            let players = format!("/snakes/games/{}/players", game.code);
            for player in 0..PLAYERS {
                if until.is_over() {
                    break;
                }
                let body = format!(r#"{{"name":"Player {player}"}}"#);
                let joined = connection.ask(&post(address, &players, "", &body));
                joined.map_err(|error| format!("joining got no answer: {error}"))?;
                std::thread::sleep(Duration::from_millis(2));
            }
            drop(sockets);
        }
        Ok(())
    })
}
