//! Where the systems keep their data: an engine of their own, or DynamoDB.

use crate::failure::Failure;
use clap::ValueEnum;
use singlet::backend::{Aws, Embedded};
use singlet::{Db, Declaration, Settings};
use singlet_engine::Engine;

/// What keeps the data.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// An engine of the server's own, in a folder or in memory.
    Embedded,
    /// DynamoDB, or what speaks its protocol: region, credentials and endpoint come from the
    /// environment, as for the AWS CLI.
    Dynamodb,
}

/// A place for the tables of all systems.
pub(super) enum Store {
    Embedded(Engine),
    Dynamodb(Aws),
}

impl Store {
    /// DynamoDB, as the environment says.
    pub(super) async fn dynamodb() -> Self {
        Self::Dynamodb(Aws::from_env().await)
    }

    /// A database for a system, with all its tables.
    pub(super) async fn open<D: Declaration>(&self, environment: &str) -> Result<Db<D>, Failure> {
        let settings = Settings { environment: environment.to_owned(), ..Settings::default() };
        let db = match self {
            Self::Embedded(engine) => Db::<D>::on(Embedded::new(engine.clone()), settings),
            Self::Dynamodb(aws) => Db::<D>::on(aws.clone(), settings),
        };
        let made = db.provision().await.map_err(|error| {
            Failure::new(
                format_args!("the tables cannot be made: {error}"),
                "Is there something else in them? Choose other names with --environment.",
            )
        })?;
        for difference in made.differences {
            tracing::warn!(difference, "a table is not as the design says, and was left so");
        }
        Ok(db)
    }
}
