//! Browser security.
//!
//! Responses restrict pages: scripts and styles from the same origin only, no framing, no referrer.
//! Requests are checked for their host and origin, against cross-site requests and DNS rebinding.

use crate::problem::{CROSS_SITE, MISDIRECTED, Problem};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Uri};
use singlet_edge::host;

/// Headers of every response. `default-src` covers scripts and styles without `unsafe-inline`, so
/// injected markup does not run.
static ANSWER_HEADERS: [(HeaderName, HeaderValue); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
             form-action 'self'; frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// Adds the security headers. A response with its own policy keeps it: stored files have a stricter
/// one.
pub fn add_security_headers(headers: &mut HeaderMap) {
    for (name, value) in &ANSWER_HEADERS {
        if name != header::CONTENT_SECURITY_POLICY || !headers.contains_key(name) {
            headers.insert(name, value.clone());
        }
    }
}

/// Host names a server accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedHosts {
    /// Loopback names only. For a server on loopback: any other name is DNS rebinding.
    Loopback,
    /// Any name: a public server does not know its own.
    Any,
}

/// Checks the host and the origin of a request.
///
/// # Errors
///
/// [`MISDIRECTED`] if the host is not accepted, [`CROSS_SITE`] if a page of another site sends a
/// write or opens a socket.
pub fn check(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    names: &AllowedHosts,
) -> Result<(), Problem> {
    let host = host::of_parts(uri, headers);
    if *names == AllowedHosts::Loopback && !host.is_some_and(host::is_local) {
        return Err(Problem::new(&MISDIRECTED));
    }
    let host = host.unwrap_or_default();
    let only_reads = *method == Method::GET || *method == Method::HEAD;
    if only_reads && !headers.contains_key(header::UPGRADE) {
        return Ok(());
    }
    if is_same_site(host, headers) { Ok(()) } else { Err(Problem::new(&CROSS_SITE)) }
}

/// Whether a request comes from a page of the same origin or from no page, according to headers
/// that scripts cannot set.
fn is_same_site(host: &str, headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin" || site == "none";
    }
    match headers.get(header::ORIGIN) {
        None => true,
        Some(origin) => {
            let origin = origin.to_str().unwrap_or_default();
            let (_, authority) = origin.split_once("://").unwrap_or_default();
            !authority.is_empty() && authority.eq_ignore_ascii_case(host)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(
        method: Method,
        headers: &[(&'static str, &str)],
        names: AllowedHosts,
    ) -> Option<&'static str> {
        let headers = headers.iter().map(|(name, value)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        });
        let headers: HeaderMap = headers.collect();
        let checked = check(&method, &Uri::from_static("/games"), &headers, &names);
        checked.err().map(|problem| problem.problem_type().name)
    }

    #[test]
    fn pages_of_other_sites_change_nothing() {
        let post =
            |headers: &[(&'static str, &str)]| verdict(Method::POST, headers, AllowedHosts::Any);
        let cross_site = Some("cross-site");
        // Not a browser.
        assert_eq!(post(&[("host", "a.example")]), None);
        assert_eq!(post(&[("host", "a.example"), ("origin", "http://a.example")]), None);
        assert_eq!(post(&[("host", "a.example"), ("origin", "http://b.example")]), cross_site);
        // `Sec-Fetch-Site` takes precedence.
        assert_eq!(post(&[("host", "a.example"), ("sec-fetch-site", "same-origin")]), None);
        assert_eq!(post(&[("host", "a.example"), ("sec-fetch-site", "cross-site")]), cross_site);
        // Another port is another site, and so is an opaque origin.
        assert_eq!(
            post(&[("host", "a.example:80"), ("origin", "http://a.example:81")]),
            cross_site
        );
        assert_eq!(post(&[("host", "a.example"), ("origin", "null")]), cross_site);
        assert_eq!(post(&[("origin", "null")]), cross_site);
    }

    #[test]
    fn reading_is_free_but_a_socket_is_more_than_reading() {
        let other = [("host", "a.example"), ("origin", "http://b.example")];
        assert_eq!(verdict(Method::GET, &other, AllowedHosts::Any), None);
        let [host, origin] = other;
        let socket = [host, origin, ("upgrade", "websocket")];
        assert_eq!(verdict(Method::GET, &socket, AllowedHosts::Any), Some("cross-site"));
    }

    /// Regression: the first of two `Host` headers was trusted, and the header over the target.
    #[test]
    fn a_request_that_names_two_hosts_is_misdirected() {
        let verdict = |target: &'static str, hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(header::HOST, HeaderValue::from_static(host));
            }
            let uri = Uri::from_static(target);
            let checked = check(&Method::GET, &uri, &headers, &AllowedHosts::Loopback);
            checked.err().map(|problem| problem.problem_type().name)
        };
        assert_eq!(verdict("http://localhost/games", &["localhost"]), None);
        let misdirected = Some("misdirected");
        assert_eq!(verdict("/games", &["localhost", "evil.example"]), misdirected);
        assert_eq!(verdict("http://evil.example/games", &["localhost"]), misdirected);
    }

    #[test]
    fn a_server_on_loopback_goes_by_the_names_of_loopback() {
        let get = |host| verdict(Method::GET, &[("host", host)], AllowedHosts::Loopback);
        for good in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "[::1]"] {
            assert_eq!(get(good), None, "{good}");
        }
        let bad = [
            "",
            "evil.example",
            "localhost.evil.example",
            "[::1",
            "localhost:evil",
            "10.0.0.1",
            "x.localhost",
            "localhost.",
        ];
        for bad in bad {
            assert_eq!(get(bad), Some("misdirected"), "{bad}");
        }
    }
}
