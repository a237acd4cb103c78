//! What holds for every operation: see [`Law`].

use crate::fixture::Fixture;
use crate::matrix::Game;
use singlet_testing::{Law, TestRequest, TestServer, TestStore, law_tests};
use singlet_web::random::Random;

/// A server whose dice always show one.
async fn server() -> (Fixture, TestServer) {
    let fixture = Fixture::new(TestStore::faulty(), Random::scripted([0], [])).await;
    let system = snakes::system_with(fixture.service.clone());
    let server = TestServer::without_jobs(vec![system], fixture.store.share()).await;
    (fixture, server)
}

fn law(
    (fixture, server): &(Fixture, TestServer),
) -> Law<'_, impl AsyncFn(&str, &str) -> TestRequest> {
    Law::new(server, "snakes", include_str!("matrix.txt"), async |row, caller| {
        let game = Game::new(fixture, row).await;
        let client = game.client(server, caller);
        let (method, path, body) = game.request(row);
        TestRequest::new(&client, method, &format!("/snakes{path}"), body)
    })
}

law_tests! { requests: "tests/snakes/requests.txt", any_ids: [] }
