//! Checks which host a request was sent to: a defence against DNS rebinding.
//!
//! A page may only read responses from its own origin. So an attacker points the DNS name of their
//! own site at 127.0.0.1 and has the page send requests to it. But the page cannot change the
//! `Host` header, in which the browser names the site.

use hyper::header::HOST;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Uri};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The host named in the request target or in `Host`. `None` if there is none, if there are
/// several, or if the two differ, because parsers disagree on which one counts.
///
/// ```
/// use hyper::Request;
/// use singlet_edge::host;
///
/// let (head, ()) = Request::get("/").header("host", "localhost:8000").body(())?.into_parts();
/// assert_eq!(host::of(&head), Some("localhost:8000"));
/// let (head, ()) = Request::get("http://a.example/").header("host", "b.example").body(())?.into_parts();
/// assert_eq!(host::of(&head), None);
/// # Ok::<(), hyper::http::Error>(())
/// ```
#[must_use]
pub fn of(head: &Parts) -> Option<&str> {
    of_parts(&head.uri, &head.headers)
}

/// Like [`of`], from a request's target and headers.
#[must_use]
pub fn of_parts<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let mut hosts = headers.get_all(HOST).iter();
    let header = match (hosts.next(), hosts.next()) {
        (Some(host), None) => Some(host.to_str().ok()?),
        (None, _) => None,
        (Some(_), Some(_)) => return None,
    };
    match (uri.authority(), header) {
        (Some(authority), None) => Some(authority.as_str()),
        (Some(authority), Some(header)) => {
            authority.as_str().eq_ignore_ascii_case(header).then_some(header)
        }
        (None, header) => header,
    }
}

/// Whether a host, with or without a port, can only mean this machine: `localhost` or a loopback
/// address.
///
/// Names below `.localhost` and `localhost.` with a trailing dot are refused: some systems resolve
/// them by DNS, where an attacker can answer.
#[must_use]
pub fn is_local(host: &str) -> bool {
    // Fast path for the two usual hosts, without parsing an address.
    let usual = host.strip_prefix("127.0.0.1").or_else(|| host.strip_prefix("localhost"));
    if usual.is_some_and(is_port) {
        return true;
    }
    if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        let address = address.parse().map(|address: Ipv6Addr| IpAddr::from(address).to_canonical());
        return is_port(port) && address.is_ok_and(|address| address.is_loopback());
    }
    let (name, port) = match host.bytes().position(|byte| byte == b':') {
        Some(colon) => host.split_at(colon),
        None => (host, ""),
    };
    is_port(port)
        && (name.eq_ignore_ascii_case("localhost")
            || name.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback()))
}

/// Whether this is empty, or a colon and a port.
fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        Some(port) => port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()),
        None => text.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    #[test]
    fn names_of_this_machine_are_local() {
        for host in [
            "localhost",
            "localhost:8000",
            "LOCALHOST:80",
            "127.0.0.1",
            "127.0.0.1:8000",
            "127.1.2.3:1",
            "[::1]",
            "[::1]:8000",
            "[::ffff:127.0.0.1]:8000",
            "localhost:",
        ] {
            assert!(is_local(host), "{host}");
        }
    }

    #[test]
    fn all_others_are_not() {
        for host in [
            "",
            ":",
            "example.com",
            "example.com:8000",
            "localhost.",
            "localhost.:8000",
            "dynamodb.localhost:8000",
            "localhost.example.com",
            "notlocalhost",
            "127.0.0.1.example.com",
            "10.0.0.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "[::1]x",
            "[::ffff:10.0.0.1]",
            "::1",
            "localhost:80:80",
            "localhost:a",
            "localhost@example.com",
            "user@localhost",
            "127.0.0.1:999999",
            "é",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }

    /// The host of a request with this target and these `Host` headers.
    fn host(target: &str, hosts: &[&str]) -> Option<String> {
        let request = hosts.iter().fold(Request::get(target), |r, host| r.header(HOST, *host));
        let (head, ()) = request.body(()).unwrap().into_parts();
        of(&head).map(str::to_owned)
    }

    #[test]
    fn a_request_with_two_hosts_has_none() {
        assert_eq!(host("/", &["localhost"]).as_deref(), Some("localhost"));
        assert_eq!(host("/", &[]), None);
        assert_eq!(host("/", &["localhost", "evil.example"]), None);
        assert_eq!(host("/", &["localhost", "localhost"]), None);
        assert_eq!(host("http://localhost/", &[]).as_deref(), Some("localhost"));
        assert_eq!(host("http://localhost/", &["LOCALHOST"]).as_deref(), Some("LOCALHOST"));
        assert_eq!(host("http://localhost/", &["evil.example"]), None);
        assert_eq!(host("http://evil.example/", &["localhost"]), None);
    }
}
