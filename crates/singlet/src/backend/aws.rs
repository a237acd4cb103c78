//! DynamoDB, or another server that speaks its protocol.
//!
//! Requests of the [language](crate::dynamo) are sent as the JSON that it writes, and it parses
//! responses and errors. The AWS SDK's runtime does the rest: credentials, signatures, connections,
//! time-outs and retries.

mod client;
mod endpoint;
mod error;
mod stream;

use super::{Backend, BackendError, BoxFuture, Execution, Feed};
use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::meta::credentials::CredentialsProviderChain;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_credential_types::Credentials;
use client::{Client, DYNAMODB, STREAMS, https_client};
use error::failed;
use singlet_dynamo::operation::{Answer, Request};
use std::time::Duration;
use stream::StreamFeed;

/// DynamoDB, or a server with its protocol: this project's endpoint, DynamoDB Local.
///
/// ```no_run
/// use singlet::backend::Aws;
/// use singlet::prelude::*;
/// use singlet::Settings;
///
/// id!(Code);
///
/// #[table(name = "games-{env}", key = (PK, SK), stream, entities(Game))]
/// pub struct Games;
///
/// #[derive(Entity)]
/// #[entity(Games, key = ("GAME#{code}", "METADATA"))]
/// pub struct Game {
///     pub code: Code,
///     pub turn: u32,
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let settings = Settings { environment: "prod".into(), ..Settings::default() };
/// let db = Db::<Games>::on(Aws::from_env().await, settings);
/// print!("{}", db.provision().await?);
///
/// let code = Code::new("ABC123")?;
/// db.run(create(&Game { code: code.clone(), turn: 0 })).await?;
/// # Ok(())
/// # }
/// ```
///
/// It requires Tokio and the feature `aws` of this crate.
///
/// The AWS SDK retries attempts, as in each of its clients: after a lost connection, with a wrong
/// clock, when the server is too busy. `AWS_MAX_ATTEMPTS` and `AWS_RETRY_MODE` configure this. The
/// model retries what the SDK does not, because the request was answered: unprocessed parts of
/// batches, and cancelled transactions.
///
/// The change feed is read from the table's stream, so a table has to be declared with `stream`.
#[derive(Clone, Debug)]
pub struct Aws {
    dynamodb: Client,
    streams: Client,
}

impl Aws {
    /// Configured by the environment, as usual with AWS: region, credentials and endpoint from
    /// variables (`AWS_REGION`, `AWS_PROFILE`, `AWS_ENDPOINT_URL` and so on), from the files in
    /// `~/.aws`, or from the instance.
    pub async fn from_env() -> Self {
        let loader = aws_config::defaults(BehaviorVersion::latest()).http_client(https_client());
        Self::new(&loader.load().await)
    }

    /// A server at this address. Region and credentials come from variables or from the files in
    /// `~/.aws`; the default is `local`, which development servers accept.
    pub async fn at(url: &str) -> Self {
        let region = RegionProviderChain::default_provider().or_else("local");
        let credentials = CredentialsProviderChain::first_try(
            "Environment",
            EnvironmentVariableCredentialsProvider::new(),
        )
        .or_else("Profile", ProfileFileCredentialsProvider::builder().build())
        .or_else("Local", Credentials::from_keys("local", "local", None));
        let loader = aws_config::defaults(BehaviorVersion::latest())
            .http_client(https_client())
            .endpoint_url(url)
            .region(region)
            .credentials_provider(credentials);
        Self::new(&loader.load().await)
    }

    /// With a configuration that was loaded elsewhere.
    ///
    /// Its time-outs and HTTP client are kept. The default time-outs are ten seconds for an attempt
    /// and a minute for a request.
    #[must_use]
    pub fn new(config: &SdkConfig) -> Self {
        let http_client = config.http_client().unwrap_or_else(https_client);
        Self {
            dynamodb: Client::new(config, http_client.clone(), &DYNAMODB),
            streams: Client::new(config, http_client, &STREAMS),
        }
    }
}

impl Backend for Aws {
    fn execute(&self, request: Request) -> Execution<'_> {
        Execution::pending(execute(&self.dynamodb, request))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        let table_name = table_name.to_owned();
        Box::pin(async move {
            let feed = StreamFeed::open(&self.dynamodb, self.streams.clone(), table_name, None);
            Ok(Box::new(feed.await?) as Box<dyn Feed>)
        })
    }

    fn changes_from(
        &self,
        table_name: &str,
        position: &str,
    ) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        let (table_name, position) = (table_name.to_owned(), position.to_owned());
        Box::pin(async move {
            let (dynamodb, streams) = (&self.dynamodb, self.streams.clone());
            let feed = StreamFeed::open(dynamodb, streams, table_name, Some(&position));
            Ok(Box::new(feed.await?) as Box<dyn Feed>)
        })
    }
}

async fn execute(client: &Client, mut request: Request) -> Result<Answer, BackendError> {
    if let Request::TransactWriteItems(transaction) = &mut request
        && transaction.client_request_token.is_none()
    {
        transaction.client_request_token = Some(random_token()?);
    }
    let operation = request.operation();
    let Some(body) = request.to_json() else {
        // The model never sends these: tags, limits, and streams other than feeds.
        return Err(failed(format!("{operation} is not sent through the model to AWS")));
    };
    let answer = client.send(operation, body.into_bytes()).await?;
    request.read_answer(&answer).map_err(|error| unreadable(operation, &error))
}

/// The response does not match the operation.
fn unreadable(operation: &str, error: &singlet_dynamo::Error) -> BackendError {
    failed(format!("the answer to {operation} cannot be read: {}", error.message()))
}

/// An unguessable idempotency token: retries apply a transaction once, and no other request can
/// reuse the token.
fn random_token() -> Result<String, BackendError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_of_a_length_that_dynamodb_takes_and_differ() {
        let (one, other) = (random_token().unwrap(), random_token().unwrap());
        assert!(one.len() == 32 && one != other, "{one} {other}");
    }
}
