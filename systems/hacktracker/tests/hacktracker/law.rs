//! What holds for every operation: see [`Law`].

use crate::matrix::DemoIds;
use hacktracker::{PERSONAS, system};
use singlet_testing::{Law, TestRequest, TestServer, TestStore, law_tests};
use singlet_web::DemoPolicy;

async fn server() -> (DemoIds, TestServer) {
    let server = TestServer::quiet(vec![system()], TestStore::faulty(), DemoPolicy::IfEmpty).await;
    (DemoIds::new(&server).await, server)
}

fn law((ids, server): &(DemoIds, TestServer)) -> Law<'_, impl AsyncFn(&str, &str) -> TestRequest> {
    let callers = server.callers(PERSONAS);
    Law::new(server, "hacktracker", include_str!("matrix.txt"), async move |row, caller| {
        let (_, client) = callers.iter().find(|(name, _)| *name == caller).unwrap();
        let (method, path, body) = ids.request(row);
        TestRequest::new(client, method, &format!("/hacktracker{path}"), body)
    })
    // Everybody of the demo data has signed up. The law has no other person.
    .idle(&["deleteTeam (deleted)", "recoverTeam", "signUp"])
}

law_tests! {
    requests: "tests/hacktracker/requests.txt",
    any_ids: [
        "acceptInvite",
        "getInvite",
        "removeAtBat",
        "removeMember",
        "removePlayer",
        "unlinkPlayer",
        "withdrawInvite",
    ],
}
