//! Endpoint resolution.

use super::client::Service;
use aws_config::SdkConfig;
use aws_smithy_runtime_api::client::endpoint::{
    EndpointFuture, EndpointResolverParams, ResolveEndpoint,
};
use aws_smithy_types::endpoint::Endpoint;
use aws_types::service_config::ServiceConfigKey;

/// The partitions of AWS except the first: region prefix, DNS suffix, and DNS suffix of dual-stack
/// hosts. From the table in the SDK's clients.
const PARTITIONS: [(&str, &str, &str); 6] = [
    ("cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"),
    ("eusc-", "amazonaws.eu", "api.amazonwebservices.eu"),
    ("us-iso-", "c2s.ic.gov", "api.aws.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov", "api.aws.scloud"),
    ("eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"),
    ("us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"),
];

/// The endpoint of a client; `None` without a region.
#[derive(Debug)]
pub(super) struct Resolver(Option<String>);

impl Resolver {
    pub(super) fn new(config: &SdkConfig, service: &Service) -> Self {
        Self(configured(config, service).or_else(|| {
            let region = config.region()?.as_ref();
            let is_fips = config.use_fips().unwrap_or_default();
            Some(url(service, region, is_fips, config.use_dual_stack().unwrap_or_default()))
        }))
    }
}

impl ResolveEndpoint for Resolver {
    fn resolve_endpoint<'a>(&'a self, _: &'a EndpointResolverParams) -> EndpointFuture<'a> {
        EndpointFuture::ready(match &self.0 {
            Some(url) => Ok(Endpoint::builder().url(url.clone()).build()),
            None => Err("no region is configured: set AWS_REGION".into()),
        })
    }
}

/// The URL from the program, the environment or the profile: for this service, or else for all
/// services. A URL set by the program takes precedence.
fn configured(config: &SdkConfig, service: &Service) -> Option<String> {
    let for_all = || config.endpoint_url().map(str::to_owned);
    if config.get_origin("endpoint_url").is_client_config() {
        return for_all();
    }
    let key = ServiceConfigKey::builder()
        .service_id(service.id)
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build()
        .ok();
    let own = key.and_then(|key| config.service_config()?.load_config(key));
    own.or_else(for_all)
}

fn url(service: &Service, region: &str, is_fips: bool, is_dual_stack: bool) -> String {
    let partition = PARTITIONS.iter().find(|(prefix, ..)| region.starts_with(prefix));
    let (_, suffix, dual_suffix) = partition.unwrap_or(&("", "amazonaws.com", "api.aws"));
    let (host, suffix) =
        if is_dual_stack { (service.dual_stack_host, dual_suffix) } else { (service.host, suffix) };
    // All endpoints of GovCloud for IPv4 are FIPS endpoints.
    let is_implied = region.starts_with("us-gov-") && !is_dual_stack;
    let fips = if is_fips && !is_implied { "-fips" } else { "" };
    format!("https://{host}{fips}.{region}.{suffix}")
}

#[cfg(test)]
mod tests {
    use super::super::client::{DYNAMODB, STREAMS};
    use super::*;
    use aws_config::Region;

    /// Expected addresses are copied from the SDK's own tests.
    #[test]
    fn addresses_are_those_of_the_sdk() {
        for (region, is_fips, is_dual_stack, expected) in [
            ("us-east-1", false, false, "https://dynamodb.us-east-1.amazonaws.com"),
            ("us-east-1", true, false, "https://dynamodb-fips.us-east-1.amazonaws.com"),
            ("us-east-1", false, true, "https://dynamodb.us-east-1.api.aws"),
            ("us-east-1", true, true, "https://dynamodb-fips.us-east-1.api.aws"),
            ("us-gov-east-1", true, false, "https://dynamodb.us-gov-east-1.amazonaws.com"),
            ("us-gov-east-1", true, true, "https://dynamodb-fips.us-gov-east-1.api.aws"),
            ("cn-north-1", false, false, "https://dynamodb.cn-north-1.amazonaws.com.cn"),
            ("cn-north-1", false, true, "https://dynamodb.cn-north-1.api.amazonwebservices.com.cn"),
            ("us-iso-east-1", true, true, "https://dynamodb-fips.us-iso-east-1.api.aws.ic.gov"),
            ("us-isob-east-1", true, false, "https://dynamodb-fips.us-isob-east-1.sc2s.sgov.gov"),
        ] {
            assert_eq!(url(&DYNAMODB, region, is_fips, is_dual_stack), expected);
        }
        for (region, is_fips, is_dual_stack, expected) in [
            ("us-east-1", false, false, "https://streams.dynamodb.us-east-1.amazonaws.com"),
            ("us-east-1", true, false, "https://streams.dynamodb-fips.us-east-1.amazonaws.com"),
            ("us-east-1", true, true, "https://streams-dynamodb-fips.us-east-1.api.aws"),
            ("us-gov-west-1", true, false, "https://streams.dynamodb.us-gov-west-1.amazonaws.com"),
            (
                "eusc-de-east-1",
                false,
                false,
                "https://streams.dynamodb.eusc-de-east-1.amazonaws.eu",
            ),
            (
                "eu-isoe-west-1",
                false,
                false,
                "https://streams.dynamodb.eu-isoe-west-1.cloud.adc-e.uk",
            ),
            (
                "us-isof-south-1",
                false,
                false,
                "https://streams.dynamodb.us-isof-south-1.csp.hci.ic.gov",
            ),
        ] {
            assert_eq!(url(&STREAMS, region, is_fips, is_dual_stack), expected);
        }
    }

    #[test]
    fn a_configured_address_comes_first() {
        let builder = || SdkConfig::builder().region(Region::from_static("eu-west-1"));
        let of = |config: &SdkConfig| Resolver::new(config, &STREAMS).0;
        let own = builder().endpoint_url("http://localhost:8000").build();
        assert_eq!(of(&own).as_deref(), Some("http://localhost:8000"));
        let usual = "https://streams.dynamodb.eu-west-1.amazonaws.com";
        assert_eq!(of(&builder().build()).as_deref(), Some(usual));
        assert_eq!(of(&SdkConfig::builder().build()), None);
    }
}
