//! Parses the `Authorization` header.

use super::{incomplete, repeated};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, DATE, HeaderName};
use singlet_dynamo::{Error, ErrorKind};

const AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
/// The query parameters of a presigned request, which has no header. DynamoDB clients do not
/// presign.
const QUERY_PARAMETERS: [&str; 5] =
    ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"];

/// The client's claims about its signature.
#[derive(Debug)]
pub(super) struct Authorization<'a> {
    pub(super) algorithm: &'a str,
    credential: &'a str,
    /// Header names, separated by semicolons.
    pub(super) signed_headers: &'a str,
    /// In hexadecimal.
    pub(super) signature: &'a str,
    /// When it was signed, unparsed.
    pub(super) date: &'a str,
}

/// The owner and scope of a signing key.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) access_key_id: &'a str,
    pub(super) day: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    pub(super) terminator: &'a str,
}

impl<'a> Authorization<'a> {
    pub(super) fn read(headers: &'a HeaderMap, query: &str) -> Result<Self, Error> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let header = text(AUTHORIZATION).map(str::trim);
        let in_query = |name: &str| {
            query.split('&').find_map(|pair| {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                (key == name).then_some(value)
            })
        };
        let is_in_query = in_query("X-Amz-Algorithm").is_some();
        let header = match (header, is_in_query) {
            (Some(_), true) => {
                return Err(super::invalid(
                    "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
                ));
            }
            (None, true) => return Err(not_by_query(|name| in_query(name).unwrap_or_default())),
            (Some(header), false) if header.starts_with("AWS4-") => header,
            (_, false) => return Err(Error::new(ErrorKind::MissingAuthenticationToken)),
        };
        let (algorithm, parameters) = header.split_once(' ').unwrap_or((header, ""));
        let parameter = |name: &str| {
            parameters
                .split([',', ' '])
                .filter_map(|pair| pair.split_once('='))
                .find_map(|(key, value)| (key == name).then_some(value))
        };
        let found = (
            parameter("Credential").filter(|value| !value.is_empty()),
            parameter("Signature").filter(|value| !value.is_empty()),
            parameter("SignedHeaders"),
            text(AMZ_DATE).or_else(|| text(DATE)),
        );
        if let (Some(credential), Some(signature), Some(signed_headers), Some(date)) = found {
            return Ok(Self { algorithm, credential, signed_headers, signature, date });
        }
        let mut message = String::new();
        let present = [found.0.is_some(), found.1.is_some(), found.2.is_some()];
        for (name, is_present) in ["Credential", "Signature", "SignedHeaders"].iter().zip(present) {
            if !is_present {
                message.push_str(&format!("Authorization header requires '{name}' parameter. "));
            }
        }
        if found.3.is_none() {
            message.push_str(
                "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ",
            );
        }
        message.push_str("Authorization=");
        message.push_str(repeated(header));
        Err(incomplete(message))
    }

    pub(super) fn scope(&self) -> Result<Scope<'a>, Error> {
        let mut parts = self.credential.trim_end_matches('/').split('/');
        let mut next = || parts.next();
        if let (
            Some(access_key_id),
            Some(day),
            Some(region),
            Some(service),
            Some(terminator),
            None,
        ) = (next(), next(), next(), next(), next(), next())
        {
            return Ok(Scope { access_key_id, day, region, service, terminator });
        }
        Err(incomplete(format!(
            "Credential must have exactly 5 slash-delimited elements, e.g. \
             keyid/date/region/service/term, got '{}'",
            repeated(self.credential)
        )))
    }
}

fn not_by_query<'a>(value: impl Fn(&str) -> &'a str) -> Error {
    let mut message = String::new();
    for name in QUERY_PARAMETERS {
        if value(name).is_empty() {
            message.push_str(&format!("AWS query-string parameters must include '{name}'. "));
        }
    }
    message.push_str(if message.is_empty() {
        "Presigned requests are not supported; use the Authorization header."
    } else {
        "Re-examine the query-string parameters."
    });
    incomplete(message)
}
