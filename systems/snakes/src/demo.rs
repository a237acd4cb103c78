//! Demo data: a game that waits for players, one that is played, and one that is over.

use crate::rules::Mode;
use crate::service::{NewGame, Service};
use singlet_web::demo::{Demo, DemoError};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

pub(crate) async fn load(service: &Service, demo: &Demo) -> Result<(), DemoError> {
    demo.set_time(demo.loaded_at().before(40 * MINUTE));
    play(service, demo, &["Ada", "Blaise", "Carl"], Mode::Turns, usize::MAX).await?;
    demo.set_time(demo.loaded_at().before(12 * MINUTE));
    play(service, demo, &["Dora", "Emil"], Mode::Turns, 9).await?;
    demo.set_time(demo.loaded_at().before(3 * MINUTE));
    play(service, demo, &["Fritz", "Gerda"], Mode::Race, 0).await
}

/// Plays a game until it is over or has so many moves. Without moves it is not started.
async fn play(
    service: &Service,
    demo: &Demo,
    names: &[&str],
    mode: Mode,
    moves_max: usize,
) -> Result<(), DemoError> {
    let Some((creator, others)) = names.split_first() else { return Ok(()) };
    let new = NewGame { name: (*creator).to_owned(), mode, ..NewGame::default() };
    let made = service.create_game(new).await?;
    let code = made.lobby.game.code;
    let mut secrets = vec![made.secret];
    for name in others {
        demo.set_time(service.db().now().after(Duration::from_secs(20)));
        secrets.push(service.join(&code, name).await?.secret);
    }
    let Some(first) = secrets.first().filter(|_| moves_max > 0) else { return Ok(()) };
    service.start(&code, first).await?;
    for secret in secrets.iter().cycle().take(moves_max.min(10_000)) {
        demo.set_time(service.db().now().after(Duration::from_secs(3)));
        if service.roll(&code, secret).await?.1.wins {
            break;
        }
    }
    Ok(())
}
