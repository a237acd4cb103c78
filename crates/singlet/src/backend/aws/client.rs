//! HTTP requests, through the runtime under the generated clients of the AWS SDK.
//!
//! It signs, sends and retries requests within their time-outs. Bodies are plain bytes.

use super::endpoint::Resolver;
use super::error::{ServiceError, failed, service_error};
use crate::backend::BackendError;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_runtime::auth::SigV4OperationSigningConfig;
use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_runtime::invocation_id::InvocationIdInterceptor;
use aws_runtime::recursion_detection::RecursionDetectionInterceptor;
use aws_runtime::request_info::RequestInfoInterceptor;
use aws_runtime::retries::classifiers::AwsErrorCodeClassifier;
use aws_runtime::service_clock_skew::{
    DisableClockSkewCorrection, ServiceClockSkewClassifier, ServiceClockSkewInterceptor,
};
use aws_runtime::user_agent::{ApiMetadata, UserAgentInterceptor};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_runtime::client::defaults::{DefaultPluginParams, default_plugins};
use aws_smithy_runtime::client::http::connection_poisoning::ConnectionPoisoningInterceptor;
use aws_smithy_runtime::client::orchestrator;
use aws_smithy_runtime::client::retries::classifiers::{
    HttpStatusCodeClassifier, TransientErrorClassifier,
};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::auth::AuthSchemeOptionResolverParams;
use aws_smithy_runtime_api::client::auth::static_resolver::StaticAuthSchemeOptionResolver;
use aws_smithy_runtime_api::client::endpoint::EndpointResolverParams;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::interceptors::context::{Error, Input, Output};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_runtime_api::client::runtime_plugin::{RuntimePlugins, StaticRuntimePlugin};
use aws_smithy_runtime_api::client::ser_de::{
    DeserializeResponse, SerializeRequest, SharedRequestSerializer, SharedResponseDeserializer,
};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::{ConfigBag, FrozenLayer, Layer};
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SigningName;
use aws_types::region::SigningRegion;
use std::time::Duration;

/// Time-out of one attempt. The slowest request reads a megabyte, or writes a hundred items in a
/// transaction; DynamoDB does both within a second.
const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(10);
/// Time-out of a request, with all attempts and the pauses between them.
const OPERATION_TIME_MAX: Duration = Duration::from_secs(60);

/// Error codes to retry in addition to throttling: the SDK's list for all services, and the one
/// that DynamoDB's API model marks as retryable.
const TRANSIENT_ERRORS: &[&str] =
    &["RequestTimeout", "RequestTimeoutException", "ReplicatedWriteConflictException"];

/// An AWS service.
#[derive(Debug)]
pub(super) struct Service {
    /// Its name in setting names: `AWS_ENDPOINT_URL_DYNAMODB_STREAMS`.
    pub(super) id: &'static str,
    /// Prefix of its host names.
    pub(super) host: &'static str,
    /// Prefix of its dual-stack host names.
    pub(super) dual_stack_host: &'static str,
    /// Prefix of its operation names.
    target: &'static str,
    /// Name of the SDK's client in the user agent.
    agent: &'static str,
}

pub(super) const DYNAMODB: Service = Service {
    id: "DynamoDB",
    host: "dynamodb",
    dual_stack_host: "dynamodb",
    target: "DynamoDB_20120810",
    agent: "dynamodb",
};

pub(super) const STREAMS: Service = Service {
    id: "DynamoDB Streams",
    host: "streams.dynamodb",
    dual_stack_host: "streams-dynamodb",
    target: "DynamoDBStreams_20120810",
    agent: "dynamodbstreams",
};

/// A client of one service.
#[derive(Clone, Debug)]
pub(super) struct Client {
    service: &'static Service,
    plugins: RuntimePlugins,
}

impl Client {
    pub(super) fn new(
        config: &SdkConfig,
        http_client: SharedHttpClient,
        service: &'static Service,
    ) -> Self {
        // Retries share a budget per service and region.
        let partition = match config.region() {
            Some(region) => format!("{}-{region}", service.agent),
            None => service.agent.to_owned(),
        };
        let version = config.behavior_version().unwrap_or_else(BehaviorVersion::latest);
        let defaults = DefaultPluginParams::new()
            .with_retry_partition_name(partition)
            .with_behavior_version(version)
            .with_is_aws_sdk(true);
        let own = StaticRuntimePlugin::new()
            .with_config(settings(config, service))
            .with_runtime_components(components(config, http_client, service));
        let plugins = RuntimePlugins::new()
            .with_client_plugins(default_plugins(defaults))
            .with_client_plugin(own);
        Self { service, plugins }
    }

    /// Sends a request, with retries, and returns the body of the response.
    pub(super) async fn send(
        &self,
        operation: &'static str,
        body: Vec<u8>,
    ) -> Result<Vec<u8>, BackendError> {
        let input = Input::erase(Call { operation, body });
        let output = orchestrator::invoke(self.service.id, operation, input, &self.plugins).await;
        let Body(body) = output
            .map_err(service_error)?
            .downcast::<Body>()
            .map_err(|_| failed("the answer is not a body"))?;
        Ok(body)
    }
}

/// HTTPS through rustls and ring, which are pure Rust and assembly: the SDK's default needs a C
/// compiler and CMake to build.
pub(super) fn https_client() -> SharedHttpClient {
    Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https()
}

fn settings(config: &SdkConfig, service: &'static Service) -> FrozenLayer {
    let mut layer = Layer::new("singlet");
    layer.store_put(SharedRequestSerializer::new(Serializer(service)));
    layer.store_put(SharedResponseDeserializer::new(Deserializer));
    layer.store_put(AuthSchemeOptionResolverParams::new(()));
    layer.store_put(EndpointResolverParams::new(()));
    layer.store_put(SigV4OperationSigningConfig::default());
    layer.store_put(SigningName::from_static("dynamodb"));
    layer.store_put(ApiMetadata::new(service.agent, env!("CARGO_PKG_VERSION")));
    if let Some(region) = config.region() {
        layer.store_put(region.clone());
        layer.store_put(SigningRegion::from(region.clone()));
    }
    let mut timeouts = config.timeout_config().cloned().unwrap_or_else(TimeoutConfig::disabled);
    let usual = TimeoutConfig::builder()
        .operation_attempt_timeout(ATTEMPT_TIME_MAX)
        .operation_timeout(OPERATION_TIME_MAX)
        .build();
    timeouts.take_defaults_from(&usual);
    layer.store_put(timeouts);
    if let Some(retries) = config.retry_config() {
        layer.store_put(retries.clone());
    }
    if let Some(is_disabled) = config.disable_clock_skew_correction() {
        layer.store_put(DisableClockSkewCorrection::from(is_disabled));
    }
    if let Some(name) = config.app_name() {
        layer.store_put(name.clone());
    }
    for framework in config.framework_metadata() {
        layer.store_append(framework.clone());
    }
    layer.freeze()
}

fn components(
    config: &SdkConfig,
    http_client: SharedHttpClient,
    service: &Service,
) -> RuntimeComponentsBuilder {
    let codes = AwsErrorCodeClassifier::<ServiceError>::builder();
    let mut components = RuntimeComponentsBuilder::new("singlet")
        .with_http_client(Some(http_client))
        .with_endpoint_resolver(Some(Resolver::new(config, service)))
        .with_auth_scheme(SigV4AuthScheme::new())
        .with_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![
            SCHEME_ID,
        ])))
        .with_identity_cache(config.identity_cache())
        .with_time_source(config.time_source())
        .with_sleep_impl(config.sleep_impl())
        .with_interceptor(ConnectionPoisoningInterceptor::new())
        .with_interceptor(ServiceClockSkewInterceptor::new())
        .with_interceptor(RequestInfoInterceptor::new())
        .with_interceptor(UserAgentInterceptor::new())
        .with_interceptor(InvocationIdInterceptor::new())
        .with_interceptor(RecursionDetectionInterceptor::new())
        .with_retry_classifier(TransientErrorClassifier::<ServiceError>::new())
        .with_retry_classifier(codes.transient_errors(TRANSIENT_ERRORS).build())
        .with_retry_classifier(HttpStatusCodeClassifier::default())
        .with_retry_classifier(ServiceClockSkewClassifier::<ServiceError>::new());
    if let Some(credentials) = config.credentials_provider() {
        components = components.with_identity_resolver(SCHEME_ID, credentials);
    }
    components
}

/// Input of the runtime.
#[derive(Debug)]
struct Call {
    operation: &'static str,
    body: Vec<u8>,
}

/// Output of the runtime: the body of a response.
#[derive(Debug)]
struct Body(Vec<u8>);

#[derive(Debug)]
struct Serializer(&'static Service);

impl SerializeRequest for Serializer {
    fn serialize_input(&self, input: Input, _: &mut ConfigBag) -> Result<HttpRequest, BoxError> {
        let Call { operation, body } =
            input.downcast::<Call>().map_err(|_| "the input is not a call")?;
        let length = body.len().to_string();
        let mut request = HttpRequest::new(SdkBody::from(body));
        request.set_method("POST")?;
        request.set_uri("/")?;
        let headers = request.headers_mut();
        headers.try_insert("content-type", "application/x-amz-json-1.0")?;
        headers.try_insert("content-length", length)?;
        headers.try_insert("x-amz-target", format!("{}.{operation}", self.0.target))?;
        Ok(request)
    }
}

#[derive(Debug)]
struct Deserializer;

impl DeserializeResponse for Deserializer {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> Result<Output, OrchestratorError<Error>> {
        let body = response.body().bytes().unwrap_or_default();
        let checksum = response.headers().get("x-amz-crc32").and_then(|text| text.parse().ok());
        if checksum.is_some_and(|checksum: u32| checksum != crc32fast::hash(body)) {
            let error = "the answer's body does not fit its checksum";
            return Err(OrchestratorError::response(error.into()));
        }
        if response.status().is_success() {
            return Ok(Output::erase(Body(body.to_vec())));
        }
        Err(OrchestratorError::operation(Error::erase(ServiceError::read(response, body))))
    }
}
