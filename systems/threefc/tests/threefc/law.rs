//! What holds for every operation: see [`Law`].

use crate::fixture::Fixture;
use crate::matrix::{Names, prepare, request};
use singlet_testing::{Law, TestRequest, TestServer, TestStore, law_tests};
use threefc::{PERSONAS, system};

async fn server() -> (Names, TestServer) {
    let fixture = Fixture::new(TestStore::faulty()).await;
    let names = prepare(&fixture).await;
    (names, TestServer::without_jobs(vec![system()], fixture.store.share()).await)
}

fn law((names, server): &(Names, TestServer)) -> Law<'_, impl AsyncFn(&str, &str) -> TestRequest> {
    let callers = server.callers(&PERSONAS);
    Law::new(server, "threefc", include_str!("matrix.txt"), async move |row, caller| {
        let (_, client) = callers.iter().find(|(name, _)| *name == caller).unwrap();
        let (method, mut path, body) = request(row, names);
        if row == "revokeRole (of oneself)" {
            path = format!("/threefc/v1/leagues/tidewall/acl/{caller}");
        }
        TestRequest::new(client, method, &path, body)
    })
    .idle(&["finishGame (finished)", "previewInvite", "previewInvite (private)"])
}

law_tests! {
    requests: "tests/threefc/requests.txt",
    any_ids: ["acceptInvite", "previewInvite", "user"],
}
