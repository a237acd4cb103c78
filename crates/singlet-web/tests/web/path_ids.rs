//! Path parameters shared by all routes of a system.

use crate::client::{Running, start, system};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use singlet::Date;
use singlet_web::Options;
use singlet_web::api::{Api, Json, Path, get};
use singlet_web::problem::NOT_FOUND;

singlet::id!(GameId, PlayerId);

singlet_web::problems! {
    /// Why the league refuses.
    enum Error {
        /// No such game.
        GameNotFound = 404, "game-not-found", "Game not found";
        /// No such player.
        PlayerNotFound = 404, "player-not-found", "Player not found";
        /// The player does not play.
        PlayerInjured = 409, "player-injured", "Player injured";
        /// No such day.
        DayNotFound = 404, "day-not-found", "Day not found";
    }
}

#[derive(Deserialize, JsonSchema)]
struct Third(#[schemars(range(min = 1, max = 3))] u8);

#[derive(Deserialize, JsonSchema)]
struct OfPlayer {
    player: PlayerId,
    game: GameId,
}

async fn show_game(Path(game): Path<GameId>) -> Result<Json<Value>, Error> {
    Ok(Json(json!([game])))
}

async fn show_player(Path((game, player)): Path<(GameId, PlayerId)>) -> Result<Json<Value>, Error> {
    Ok(Json(json!([game, player])))
}

async fn show_stats(of: Path<OfPlayer>) -> Result<Json<Value>, Error> {
    Ok(Json(json!([of.game, of.player])))
}

async fn show_day(
    Path((game, third, day)): Path<(GameId, Third, Date)>,
) -> Result<Json<Value>, Error> {
    Ok(Json(json!([game, third.0, day])))
}

fn api() -> Api<()> {
    Api::new(())
        .named("test", "A league.")
        .path_ids([
            ("game", "The id of the game.", Error::GameNotFound),
            ("player", "The id of the player.", Error::PlayerNotFound),
            ("day", "A day.", Error::DayNotFound),
        ])
        .path_problems("player", [Error::PlayerInjured])
        .path_ids([("third", "1, 2 or 3.", &NOT_FOUND)])
        .route(get("/games/{game}", show_game).describe("showGame", "Shows a game."))
        .route(
            get("/games/{game}/players/{player}", show_player)
                .describe("showPlayer", "Shows a player."),
        )
        .route(
            get("/games/{game}/players/{player}/stats", show_stats)
                .describe("showStats", "Shows statistics."),
        )
        .route(
            get("/games/{game}/{third}/{day}", show_day)
                .describe("showDay", "Shows a day.")
                .problems([Error::PlayerNotFound]),
        )
}

async fn server() -> Running {
    start(Options::default(), |server| server.with_system(system(api().into_router()))).await
}

#[tokio::test]
async fn values_come_in_the_order_of_the_path() {
    let server = server().await;
    for (path, answer) in [
        ("g", json!(["g"])),
        ("g/players/p%2F1", json!(["g", "p/1"])),
        ("g/players/p/stats", json!(["g", "p"])),
        ("7/2/2026-11-18", json!(["7", 2, "2026-11-18"])),
    ] {
        let found = server.get(&format!("/test/games/{path}")).await;
        assert_eq!((found.status, found.json()), (200, answer), "{path}");
    }
}

#[tokio::test]
async fn a_malformed_value_answers_the_problem_of_its_parameter() {
    let server = server().await;
    let long = "x".repeat(256);
    let longer = "x".repeat(257);
    for (path, code) in [
        ("a%23b", "game-not-found"),
        (long.as_str(), "game-not-found"),
        (longer.as_str(), "game-not-found"),
        ("g/players/a%23b", "player-not-found"),
        (&format!("g/players/{longer}"), "player-not-found"),
        ("a%23b/players/c%23d", "game-not-found"),
        ("g/players/a%23b/stats", "player-not-found"),
        ("a%23b/players/p/stats", "game-not-found"),
        ("g/4/2026-11-18", "not-found"),
        ("g/%202/2026-11-18", "not-found"),
        ("g/02/2026-11-18", "not-found"),
        ("g/two/2026-11-18", "not-found"),
        ("g/2/2026-11-31", "day-not-found"),
    ] {
        let refused = server.get(&format!("/test/games/{path}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (404, code), "{path}");
    }
}

#[test]
fn the_document_describes_parameters_and_their_problems() {
    let document = api().document();
    let operation = |path: &str| document["paths"][path]["get"].clone();
    let parameters = |path: &str| -> Vec<String> {
        let all = operation(path)["parameters"].as_array().unwrap().clone();
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        all.iter()
            .map(|one| format!("{}: {}", text(one, "name"), text(one, "description")))
            .collect()
    };
    let codes = |path: &str| {
        let content = &operation(path)["responses"]["404"]["content"]["application/problem+json"];
        content["schema"]["properties"]["code"]["enum"].clone()
    };
    let both = ["game: The id of the game.", "player: The id of the player."];
    for path in ["/games/{game}/players/{player}", "/games/{game}/players/{player}/stats"] {
        assert_eq!(parameters(path), both);
        assert_eq!(codes(path), json!(["game-not-found", "player-not-found"]));
    }
    let day = "/games/{game}/{third}/{day}";
    assert_eq!(parameters(day)[1..], ["third: 1, 2 or 3.", "day: A day."]);
    assert_eq!(codes("/games/{game}"), json!(["game-not-found"]));
    let responses = |path: &str| operation(path)["responses"].clone();
    assert!(responses("/games/{game}/players/{player}").get("409").is_some());
    assert!(responses("/games/{game}").get("409").is_none());
}

#[test]
#[should_panic(expected = "has the parameters")]
fn a_tuple_has_as_many_members_as_the_path() {
    let route = get::<_, _, ()>("/games/{game}", show_player).describe("a", "b");
    let _ = Api::new(()).named("test", "").route(route);
}

#[test]
#[should_panic(expected = "comes before the first route")]
fn ids_are_declared_before_routes() {
    let _ = api().path_ids([("team", "The id of the team.", &NOT_FOUND)]);
}

#[test]
#[should_panic(expected = "no path has the parameter team")]
fn an_id_that_no_path_has_is_found_at_the_start() {
    let route = get("/games/{game}", show_game).describe("a", "b");
    let api = Api::new(()).path_ids([("team", "The id of the team.", &NOT_FOUND)]);
    let _ = api.named("test", "").route(route).into_router();
}
