//! What holds for every operation: see [`Law`].

use crate::matrix::{prepare, request};
use crate::site::CricketServer;
use cricket::demo::PERSONAS;
use singlet_testing::{Law, TestRequest, law_tests};
use std::sync::atomic::{AtomicU32, Ordering};

async fn server() -> CricketServer {
    CricketServer::faulty().await
}

fn law(site: &CricketServer) -> Law<'_, impl AsyncFn(&str, &str) -> TestRequest> {
    let (callers, numbers) = (site.server.callers(PERSONAS), AtomicU32::new(0));
    let law =
        Law::new(&site.server, "cricket", include_str!("matrix.txt"), async move |row, caller| {
            let id = format!("m{}", numbers.fetch_add(1, Ordering::Relaxed));
            prepare(site, &id, row).await;
            let (_, client) = callers.iter().find(|(name, _)| *name == caller).unwrap();
            let (method, path, body) = request(row, &id);
            TestRequest::new(client, method, &format!("/cricket{path}"), body)
        });
    // A replay is in many tables, a new one may have to make its league and teams, and a device is
    // registered before the others of its user are deleted.
    law.caches(&["getDisplay"])
        .steps(&["deleteReplay", "loadReplay", "registerDevice"])
        .idle(&["removeActivity"])
}

law_tests! { requests: "tests/cricket/requests.txt", any_ids: [] }
