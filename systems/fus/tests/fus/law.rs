//! Rules that every operation obeys: see [`Law`].

use crate::matrix::Everybody;
use fus::{DeletionMode, system_with};
use singlet_testing::{Law, TestRequest, TestServer, TestStore, law_tests};
use singlet_web::DemoPolicy;

async fn server() -> (Everybody, TestServer) {
    let systems = vec![system_with(DeletionMode::JobOnly)];
    let server = TestServer::quiet(systems, TestStore::faulty(), DemoPolicy::IfEmpty).await;
    (Everybody::new(&server).await, server)
}

fn law(
    (everybody, server): &(Everybody, TestServer),
) -> Law<'_, impl AsyncFn(&str, &str) -> TestRequest> {
    let table = include_str!("matrix.txt");
    let law = Law::new(server, "fus", table, async |row, caller| everybody.request(row, caller));
    // Tags are recorded before the site's transaction. An unused tag is harmless.
    // The site has neither.
    law.steps(&["createSite", "updateSite"]).idle(&["removeAvatar", "removeLogo"])
}

law_tests! {
    requests: "tests/fus/requests.txt",
    // These look for a part first, and not for whose it is.
    any_ids: [
        "editComment",
        "deleteComment",
        "moderateComment",
        "getLogo",
        "getAvatar",
        "getMember",
        "removeMember",
        "removeRating",
    ],
}
