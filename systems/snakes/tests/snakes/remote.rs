//! Stores over HTTP, through the AWS SDK: the endpoint of this project, and Amazon's DynamoDB
//! Local.

use crate::ground::Stage;
use crate::place::{Place, number, standing_clock};
use aws_config::{BehaviorVersion, Region};
use aws_smithy_http_client::Builder;
use singlet::backend::Aws;
use singlet::engine::Engine;
use singlet_wire::{Options, Server};

/// Where DynamoDB Local is. The test command says so, in its step `local`.
const LOCAL_VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// The endpoint of this project, with an engine of its own. It ends with the test.
pub(crate) async fn endpoint() -> Stage {
    let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
    let server = Server::bind(options).await.unwrap();
    let url = format!("http://{}", server.local_address());
    tokio::spawn(server.serve(Engine::memory().unwrap(), std::future::pending()));
    stage_at(&url).await
}

/// DynamoDB Local.
pub(crate) async fn local() -> Stage {
    let url = std::env::var(LOCAL_VARIABLE)
        .unwrap_or_else(|_| panic!("{LOCAL_VARIABLE} does not say where DynamoDB Local is"));
    stage_at(&url).await
}

/// Tables of their own at this address, which others may use as well.
async fn stage_at(url: &str) -> Stage {
    let config = aws_config::defaults(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .test_credentials()
        .endpoint_url(url)
        .http_client(Builder::new().build_http())
        .load()
        .await;
    let environment = format!("test-{}-{}", std::process::id(), number());
    Stage::new(Place::Remote(Aws::new(&config)), standing_clock(), &environment)
}
