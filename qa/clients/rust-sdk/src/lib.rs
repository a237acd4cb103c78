//! Shared by the tests of the AWS SDK for Rust: access to the endpoint, and temporary tables.

#![allow(clippy::expect_used, missing_docs, reason = "what is wrong fails the test that meets it")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement,
    KeyType, Projection, ProjectionType, ScalarAttributeType,
};

/// An item of the SDK.
pub type Item = std::collections::HashMap<String, AttributeValue>;

/// The endpoint's address. The tests refuse to run without it, because they would talk to AWS.
fn endpoint() -> String {
    std::env::var("AWS_ENDPOINT_URL").expect("AWS_ENDPOINT_URL must name the endpoint to test")
}

fn credentials() -> Credentials {
    let variable = |name| std::env::var(name).unwrap_or_else(|_| "local".to_owned());
    Credentials::from_keys(variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"), None)
}

/// A client without retries, which would hide wrong answers.
pub fn dynamodb() -> aws_sdk_dynamodb::Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(endpoint())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(credentials())
        .retry_config(RetryConfig::disabled())
        .build();
    aws_sdk_dynamodb::Client::from_conf(config)
}

/// A client of the streams.
pub fn streams() -> aws_sdk_dynamodbstreams::Client {
    let config = aws_sdk_dynamodbstreams::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(endpoint())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(credentials())
        .retry_config(RetryConfig::disabled())
        .build();
    aws_sdk_dynamodbstreams::Client::from_conf(config)
}

/// A unique name, so that suites can share an endpoint.
pub fn fresh_name(story: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970");
    format!("{story}-{}-{count}", since.as_nanos())
}

/// A CreateTable request with this key: one or two attributes with types.
pub fn table(
    dynamodb: &aws_sdk_dynamodb::Client,
    story: &str,
    key: &[(&str, ScalarAttributeType)],
) -> CreateTableFluentBuilder {
    dynamodb
        .create_table()
        .table_name(fresh_name(story))
        .set_key_schema(Some(key_schema(key)))
        .set_attribute_definitions(Some(key.iter().map(definition).collect()))
        .billing_mode(BillingMode::PayPerRequest)
}

/// An index with this key that projects all attributes.
pub fn index(name: &str, key: &[(&str, ScalarAttributeType)]) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex::builder()
        .index_name(name)
        .set_key_schema(Some(key_schema(key)))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .expect("it has a name and a key")
}

/// Creates a table, waits until it is active and returns its name.
pub async fn created(
    dynamodb: &aws_sdk_dynamodb::Client,
    request: CreateTableFluentBuilder,
) -> String {
    let name = request.get_table_name().clone().expect("`table` gives it one");
    request.send().await.expect("a table that is new and well described");
    dynamodb
        .wait_until_table_exists()
        .table_name(&name)
        .wait(Duration::from_secs(60))
        .await
        .expect("a table that was created becomes active");
    name
}

pub fn definition((name, kind): &(&str, ScalarAttributeType)) -> AttributeDefinition {
    AttributeDefinition::builder()
        .attribute_name(*name)
        .attribute_type(kind.clone())
        .build()
        .expect("it has a name and a type")
}

fn key_schema(key: &[(&str, ScalarAttributeType)]) -> Vec<KeySchemaElement> {
    let roles = [KeyType::Hash, KeyType::Range];
    let element = |((name, _), role): (&(&str, ScalarAttributeType), KeyType)| {
        KeySchemaElement::builder()
            .attribute_name(*name)
            .key_type(role)
            .build()
            .expect("it has a name and a role")
    };
    key.iter().zip(roles).map(element).collect()
}

/// A string.
pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// A number.
pub fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
    attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
