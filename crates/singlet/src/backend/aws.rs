//! DynamoDB itself, or whatever speaks its protocol.
//!
//! Requests of the [language](crate::dynamo) go out through the AWS SDK, their expressions printed
//! as text with placeholders, and its answers and errors come back as the language has them.

mod batch;
mod capacity;
mod error;
mod expression;
mod item;
mod page;
mod stream;
mod table;
mod transaction;
pub(crate) mod value;

use super::{Backend, BackendError, BoxFuture, Execution, Feed};
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb as dynamodb;
use aws_sdk_dynamodb::config::SharedHttpClient;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodbstreams as streams;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use error::failed;
use singlet_dynamo::operation::{Answer, Request};
use std::time::Duration;
use stream::StreamFeed;

/// How long one attempt may take. The slowest request reads a megabyte, or writes a hundred items
/// in a transaction; DynamoDB does both within a second.
const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a request may take with all attempts and the pauses between them.
const OPERATION_TIME_MAX: Duration = Duration::from_secs(60);

/// DynamoDB, or whatever speaks its protocol: the endpoint of this project, DynamoDB Local.
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
/// It runs on Tokio. It is there with the feature `aws` of this crate.
///
/// Attempts are repeated by the SDK, which knows what can be repeated, also below the level at
/// which DynamoDB answers: a lost connection, a clock that is wrong, a server that is too busy.
/// `AWS_MAX_ATTEMPTS` and `AWS_RETRY_MODE` say how often. What the SDK does not repeat, because the
/// request was answered, the model does: what is left of batches, and whatever met a transaction.
///
/// The change feed is read from the table's stream, so a table has to be declared with `stream`.
#[derive(Clone, Debug)]
pub struct Aws {
    dynamodb: dynamodb::Client,
    streams: streams::Client,
}

impl Aws {
    /// As the environment says, in the way that is usual with AWS: region, credentials and
    /// endpoint from variables (`AWS_REGION`, `AWS_PROFILE`, `AWS_ENDPOINT_URL` and so on), from
    /// the files in `~/.aws`, or from the machine that this runs on.
    pub async fn from_env() -> Self {
        let loader = aws_config::defaults(BehaviorVersion::latest()).http_client(https_client());
        Self::new(&loader.load().await)
    }

    /// As a configuration says that was loaded otherwise.
    ///
    /// What it says of time-outs and of the HTTP client is kept; where it says nothing, an attempt
    /// may take ten seconds and a request a minute.
    #[must_use]
    pub fn new(config: &SdkConfig) -> Self {
        let mut timeouts = config.timeout_config().cloned().unwrap_or_else(TimeoutConfig::disabled);
        let usual = TimeoutConfig::builder()
            .operation_attempt_timeout(ATTEMPT_TIME_MAX)
            .operation_timeout(OPERATION_TIME_MAX)
            .build();
        timeouts.take_defaults_from(&usual);
        let client = config.http_client().unwrap_or_else(https_client);
        let dynamodb = dynamodb::config::Builder::from(config)
            .timeout_config(timeouts.clone())
            .http_client(client.clone());
        let streams =
            streams::config::Builder::from(config).timeout_config(timeouts).http_client(client);
        Self::of(
            dynamodb::Client::from_conf(dynamodb.build()),
            streams::Client::from_conf(streams.build()),
        )
    }

    /// With clients that are there already, as they are.
    #[must_use]
    pub fn of(dynamodb: dynamodb::Client, streams: streams::Client) -> Self {
        Self { dynamodb, streams }
    }
}

/// HTTPS by rustls and ring, which are pure Rust and assembly: the SDK's usual choice takes a C
/// compiler and CMake to build.
fn https_client() -> SharedHttpClient {
    Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https()
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

async fn execute(client: &dynamodb::Client, request: Request) -> Result<Answer, BackendError> {
    Ok(match request {
        Request::GetItem(request) => item::get(client, request).await?.into(),
        Request::PutItem(request) => item::put(client, request).await?.into(),
        Request::UpdateItem(request) => item::update(client, request).await?.into(),
        Request::DeleteItem(request) => item::delete(client, request).await?.into(),
        Request::Query(request) => page::query(client, request).await?.into(),
        Request::Scan(request) => page::scan(client, request).await?.into(),
        Request::BatchGetItem(request) => batch::get(client, request).await?.into(),
        Request::BatchWriteItem(request) => batch::write(client, request).await?.into(),
        Request::TransactGetItems(request) => transaction::get(client, request).await?.into(),
        Request::TransactWriteItems(request) => transaction::write(client, request).await?.into(),
        Request::CreateTable(request) => table::create(client, request).await?.into(),
        Request::UpdateTable(request) => table::update(client, request).await?.into(),
        Request::DeleteTable(request) => table::delete(client, request).await?.into(),
        Request::ListTables(request) => table::list(client, request).await?.into(),
        Request::DescribeTable(request) => table::describe_table(client, request).await?.into(),
        Request::DescribeTimeToLive(request) => {
            table::describe_time_to_live(client, request).await?.into()
        }
        Request::UpdateTimeToLive(request) => {
            table::update_time_to_live(client, request).await?.into()
        }
        // The model asks for none of these, and whoever wants them has the SDK itself: tags,
        // limits, and streams other than as changes.
        other => {
            let operation = other.operation();
            return Err(failed(format!("{operation} is not sent through the model to AWS")));
        }
    })
}
