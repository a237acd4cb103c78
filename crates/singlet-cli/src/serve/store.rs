//! Where the systems keep their data: an engine of their own, or DynamoDB.

use crate::failure::Failure;
use clap::ValueEnum;
use singlet::Settings;
use singlet_engine::Engine;
use singlet_web::Store;

/// What keeps the data.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// An engine of the server's own, in a folder or in memory.
    Embedded,
    /// DynamoDB, or what speaks its protocol: region, credentials and endpoint come from the
    /// environment, as for the AWS CLI.
    Dynamodb,
}

/// Tables in an engine.
pub(super) fn embedded(engine: &Engine, environment: &str) -> Store {
    Store::embedded(engine.clone(), settings(environment))
}

/// Tables in DynamoDB, as the environment says.
#[cfg(feature = "aws")]
pub(super) async fn dynamodb(environment: &str) -> Result<Store, Failure> {
    Ok(Store::new(singlet::backend::Aws::from_env().await, settings(environment)))
}

#[cfg(not(feature = "aws"))]
pub(super) async fn dynamodb(_: &str) -> Result<Store, Failure> {
    Err(Failure::new(
        "this build of singlet does not include the AWS backend",
        "Build it with the feature `aws`, which is on by default.",
    ))
}

fn settings(environment: &str) -> Settings {
    Settings { environment: environment.to_owned(), ..Settings::default() }
}
