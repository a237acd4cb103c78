//! The stories over HTTP, through the AWS SDK: at the endpoint of this project, and at Amazon's
//! DynamoDB Local.

mod feed;
mod positions;
mod requests;
mod scripted;

use crate::{Place, Stage, tell_all};
use aws_config::{BehaviorVersion, ConfigLoader, Region};
use aws_smithy_http_client::Builder;
use singlet::backend::Aws;
use singlet::engine::Engine;
use singlet_wire::{Options, Server};
use std::future::Future;
use tokio::sync::oneshot;

/// Where DynamoDB Local is. The test command says so, in its step `local`.
const LOCAL_VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// Runs a test on the kind of runtime that programs have.
fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(test);
}

/// What the SDK has to know of an endpoint at this address. Nothing comes from the environment,
/// except how often attempts are repeated.
fn loader(url: &str) -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(Builder::new().build_http())
        .region(Region::from_static("us-east-1"))
        .test_credentials()
        .endpoint_url(url)
}

async fn stage_at(url: &str) -> Stage {
    let aws = Aws::new(&loader(url).load().await);
    // Tables of their own, in a database that others may use as well.
    Stage::new(Place::Aws(aws), &format!("suite-{}", std::process::id()))
}

/// Does something at an endpoint of this project, with an engine of its own.
async fn at_our_endpoint(work: impl AsyncFnOnce(&str)) {
    let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
    let server = Server::bind(options).await.unwrap();
    let url = format!("http://{}", server.local_address());
    let (stop, stopped) = oneshot::channel::<()>();
    let engine = Engine::memory().unwrap();
    let serving = tokio::spawn(async move {
        server
            .serve(engine, async {
                let _ = stopped.await;
            })
            .await;
    });
    work(&url).await;
    drop(stop);
    serving.await.unwrap();
}

#[test]
fn on_our_endpoint() {
    run(at_our_endpoint(async |url| tell_all(&stage_at(url).await).await));
}

#[test]
#[ignore = "needs DynamoDB Local, which `cargo xtask test local` starts"]
fn on_dynamodb_local() {
    let url = std::env::var(LOCAL_VARIABLE)
        .unwrap_or_else(|_| panic!("{LOCAL_VARIABLE} does not say where DynamoDB Local is"));
    run(async { tell_all(&Stage { is_local: true, ..stage_at(&url).await }).await });
}
