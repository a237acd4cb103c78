//! Access control, and that hidden resources stay hidden.

use crate::client::{Running, TestResponse, start, system};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use singlet_web::Options;
use singlet_web::access::{Access, missing};
use singlet_web::api::{Api, Argument, NoContent, Operation, Path, Route};
use singlet_web::identity::Caller;
use singlet_web::problem::{ApiError, FORBIDDEN, Problem, UNAUTHENTICATED};

singlet_web::problems! {
    /// Why the games refuse a request.
    pub enum Error {
        /// There is no such game.
        GameNotFound = 404, "game-not-found", "Game not found";
    }
}

singlet_web::roles! {
    /// What a caller is to a game.
    enum Role { Viewer, Scorekeeper, TeamAdmin }
}

fn caller(subject: &str) -> Caller {
    Caller { subject: subject.to_owned(), ..Caller::default() }
}

/// The status of the refusal, or 200.
fn status(result: Result<(), Problem>) -> u16 {
    result.map_or_else(|problem| problem.problem_type().status, |()| 200)
}

#[test]
fn greater_roles_include_lesser_ones() {
    let ann = caller("ann");
    let access = Access::new(Some(&ann), Some(Role::Scorekeeper));
    assert_eq!(access.role(), Some(Role::Scorekeeper));
    let statuses = [Role::Viewer, Role::Scorekeeper, Role::TeamAdmin];
    assert_eq!(statuses.map(|role| status(access.require(role))), [200, 200, 403]);
    let refused = access.require(Role::TeamAdmin).unwrap_err();
    assert_eq!(refused.detail_text(), Some("Only a team admin can do this."));
    let refused = access.require_if(false, "an admin of Tidewall").unwrap_err();
    assert_eq!(refused.detail_text(), Some("Only an admin of Tidewall can do this."));
    assert!(access.require_if(true, "anybody").is_ok());
}

#[test]
fn order_of_refusals_is_401_404_403() {
    let ann = caller("ann");
    let access = |caller, role| Access::new(caller, role).hidden_as(Error::GameNotFound);
    for (caller, role, expected) in [
        (None, None, 401),
        (None, Some(Role::Viewer), 401),
        (Some(&ann), None, 404),
        (Some(&ann), Some(Role::Viewer), 403),
        (Some(&ann), Some(Role::TeamAdmin), 200),
    ] {
        assert_eq!(status(access(caller, role).require(Role::TeamAdmin)), expected, "{role:?}");
        let allowed = role == Some(Role::TeamAdmin);
        assert_eq!(status(access(caller, role).require_if(allowed, "they")), expected, "{role:?}");
    }
    // A private league is a 404 for visitors.
    let reading = access(None, None).also_from_visitors();
    assert_eq!(status(reading.require(Role::Viewer)), 404);
    // Not hidden: no role is 403.
    assert_eq!(status(Access::new(Some(&ann), None::<Role>).require(Role::Viewer)), 403);
}

#[test]
fn a_subject_is_an_id() {
    singlet::id!(UserId);
    let id = |subject: &str| caller(subject).id::<UserId>().map(|id| id.to_string());
    assert_eq!(id("a1b2-c3").unwrap(), "a1b2-c3");
    assert_eq!(id("auth0|7#x%23").unwrap(), "auth0|7%23x%2523");
    assert_eq!(id("").unwrap_err().problem_type(), &UNAUTHENTICATED);
    assert_eq!(caller("ann").display_name(), "Somebody");
    let named = Caller { name: Some(" Ann ".to_owned()), ..caller("ann") };
    assert_eq!(named.display_name(), "Ann");
}

/// A test caller without a token: `Who: ann`.
struct Who(Option<Caller>);

impl Argument for Who {
    fn describe(operation: &mut Operation<'_>) {
        operation.add_problem(&UNAUTHENTICATED);
        operation.add_problem(&FORBIDDEN);
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Who {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let who = parts.headers.get("who").and_then(|value| value.to_str().ok());
        Ok(Self(who.map(caller)))
    }
}

/// The game `secret` is visible to Ann only; other ids do not exist.
async fn watch(State(()): State<()>, who: Who, game: Path<String>) -> Result<NoContent, Error> {
    let caller = who.0.as_ref();
    if game.as_str() != "secret" {
        return Err(missing(caller, Error::GameNotFound).into());
    }
    let role = caller.filter(|one| one.subject == "ann").map(|_| Role::Viewer);
    Access::new(caller, role).hidden_as(Error::GameNotFound).require(Role::Viewer)?;
    Ok(NoContent)
}

async fn server() -> Running {
    let route = Route::get("/games/{game}", watch).describe("watchGame", "Watches a game.");
    let api = Api::new(()).named("test", "Games.").route(route.problems([Error::GameNotFound]));
    start(Options::default(), |server| server.with_system(system(api.into_router()))).await
}

/// The visible part of a response, without per-request headers.
fn visible(mut response: TestResponse) -> String {
    response.headers.retain(|name, _| name != "x-request-id" && name != "date");
    format!("{} {:?} {}", response.status, response.headers, response.body)
}

#[tokio::test]
async fn hidden_resources_answer_exactly_as_missing_ones() {
    let server = server().await;
    let ask = async |game: &str, who: &[&str]| {
        server.send(&format!("GET /test/games/{game}"), who, "").await
    };
    assert_eq!(ask("secret", &["who: ann"]).await.status, 204);
    for (who, expected) in [(vec!["who: bob"], 404), (vec![], 401)] {
        let (hidden, missing) = (ask("secret", &who).await, ask("absent", &who).await);
        assert_eq!((hidden.status, missing.status), (expected, expected), "{who:?}");
        assert_ne!(hidden.headers.get("x-request-id"), None);
        assert_eq!(visible(hidden), visible(missing), "{who:?}");
    }
    assert_eq!(Error::GameNotFound.problem_type().status, 404);
}
