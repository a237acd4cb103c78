use crate::crowd::ask;
use crate::http::post;
use crate::round::Round;
use crate::web_victim::{create_game, upgrade};

/// What a page of another site can have a browser do: send a form, and open a socket. Both are
/// refused by where they come from.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let game = create_game(address)?;
    let mut passed = Vec::new();
    round.attack_pages(&mut server, |_| {
        let origins = [
            "Origin: http://attacker.example\r\n".to_owned(),
            "Origin: null\r\n".to_owned(),
            format!("Origin: http://{address}.attacker.example\r\n"),
            // Another port of this machine is another site.
            format!("Origin: http://{}:1\r\n", address.ip()),
            "Sec-Fetch-Site: cross-site\r\n".to_owned(),
            format!("Sec-Fetch-Site: cross-site\r\nOrigin: http://{address}\r\n"),
        ];
        for origin in &origins {
            let create = post(address, "/snakes/games", origin, r#"{"name":"Eve"}"#);
            let form = String::from_utf8_lossy(&create).replace("application/json", "text/plain");
            let socket = upgrade(address, &game.code, origin);
            for request in [create, form.into_bytes(), socket] {
                let answer = ask(address, &request).map_err(|error| error.to_string())?;
                if answer.status != 403 {
                    passed.push(format!("{}: {}", origin.trim(), answer.shown()));
                }
            }
        }
        Ok(())
    })?;
    round.faults.extend(passed);
    Ok(())
}
