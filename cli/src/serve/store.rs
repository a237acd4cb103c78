//! Where the systems keep their data: an engine of their own, or DynamoDB.

use crate::failure::Failure;
use clap::ValueEnum;
use singlet::backend::{Aws, Embedded};
use singlet::{Db, Declaration, Settings};
use singlet_engine::Engine;
use singlet_web::{Web, cursors};
use std::error::Error;

/// What keeps the data.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// An engine of the server's own, in a folder or in memory.
    Embedded,
    /// DynamoDB, or what speaks its protocol: region, credentials and endpoint come from the
    /// environment, as for the AWS CLI.
    Dynamodb,
}

/// Where tables can be.
pub(super) enum Place {
    Embedded(Engine),
    Dynamodb(Aws),
}

impl Place {
    /// DynamoDB, as the environment says.
    pub(super) async fn dynamodb() -> Self {
        Self::Dynamodb(Aws::from_env().await)
    }

    /// A database in this place, with all its tables.
    async fn open<D: Declaration>(&self, settings: Settings) -> Result<Db<D>, Failure> {
        let db = match self {
            Self::Embedded(engine) => Db::<D>::on(Embedded::new(engine.clone()), settings),
            Self::Dynamodb(aws) => Db::<D>::on(aws.clone(), settings),
        };
        let made = db.provision().await.map_err(|error| {
            Failure::new(
                format_args!("the tables cannot be made: {}", in_full(&error)),
                match self {
                    Self::Embedded(_) => "Choose other names for them with --environment.",
                    Self::Dynamodb(_) => {
                        "Look at the region, the credentials and the endpoint in the environment \
                         (AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL), or choose other names for \
                         the tables with --environment."
                    }
                },
            )
        })?;
        for difference in made.differences {
            tracing::warn!(difference, "a table is not as the design says, and was left so");
        }
        Ok(db)
    }
}

/// The databases of the systems.
pub(super) struct Store {
    place: Place,
    settings: Settings,
    /// What the web keeps for itself.
    pub(super) web: Db<Web>,
}

impl Store {
    /// The tables in this place whose names end in this. Their cursors are those of every other
    /// server on the same tables.
    pub(super) async fn open(place: Place, environment: &str) -> Result<Self, Failure> {
        let settings = Settings { environment: environment.to_owned(), ..Settings::default() };
        let web = place.open(settings.clone()).await?;
        let cursor_key = cursors::shared_key(&web).await.map_err(|error| {
            Failure::new(
                format_args!("the secret for cursors cannot be read: {}", in_full(&error)),
                "Try again.",
            )
        })?;
        let settings = Settings { cursor_key: Some(cursor_key), ..settings };
        Ok(Self { place, settings, web })
    }

    /// A database for a system, with all its tables.
    pub(super) async fn database<D: Declaration>(&self) -> Result<Db<D>, Failure> {
        self.place.open(self.settings.clone()).await
    }
}

/// An error with all that led to it: the SDK says first only that something has failed.
fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some say what their cause says.
        if !text.ends_with(&cause_text) {
            text += &format!(": {cause_text}");
        }
        source = cause.source();
    }
    text
}
