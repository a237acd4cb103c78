//! Stores over HTTP: this project's endpoint and DynamoDB Local.

use crate::store::{TestStore, fixed_clock, number};
use aws_config::{BehaviorVersion, ConfigLoader, Region};
use aws_smithy_http_client::Builder;
use singlet::backend::Aws;
use singlet::engine::Engine;
use singlet_wire::{Options, Server};
use std::sync::Arc;

/// The environment variable with the address of DynamoDB Local, set by `cargo xtask test local`.
pub const LOCAL_VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// The SDK configuration for an endpoint. Only the number of attempts comes from the environment.
pub fn loader(url: &str) -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(Builder::new().build_http())
        .region(Region::from_static("us-east-1"))
        .test_credentials()
        .endpoint_url(url)
}

impl TestStore {
    /// This project's endpoint on an engine in memory. It stops with the test.
    pub async fn endpoint() -> Self {
        let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
        let server = Server::bind(options).await.unwrap();
        let url = format!("http://{}", server.local_address());
        // A fixed clock, so that expired items stay until a test has seen them.
        let clock = fixed_clock();
        let engine = Engine::memory_with(singlet::engine::Options { clock, ..Default::default() });
        tokio::spawn(server.serve(engine.unwrap(), std::future::pending()));
        Self::at(&url).await
    }

    /// DynamoDB Local at the address in [`LOCAL_VARIABLE`], in a separate database.
    pub async fn dynamodb_local() -> Self {
        let url = std::env::var(LOCAL_VARIABLE)
            .unwrap_or_else(|_| panic!("{LOCAL_VARIABLE} does not say where DynamoDB Local is"));
        let mut store = Self::at(&url).await;
        store.is_dynamodb_local = true;
        store
    }

    async fn at(url: &str) -> Self {
        // DynamoDB Local has one database per region, so tests do not share tables.
        let region = Region::new(format!("test-{}-{}", std::process::id(), number()));
        let aws = Aws::new(&loader(url).region(region).load().await);
        let environment = format!("test-{}-{}", std::process::id(), number());
        Self::on(Arc::new(aws), fixed_clock(), &environment)
    }
}
