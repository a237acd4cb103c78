//! Whether a request meant this machine: a defence against DNS rebinding.
//!
//! A page in a browser may not read what other sites answer, unless their address is its own. So
//! it has the name of its own site lead to 127.0.0.1, and then asks its own site. What it cannot
//! change is that the browser says in `Host` which name it asked for.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a name, with or without a port, can only mean the machine itself.
pub(crate) fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else { return false };
            return is_port(port) && address.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback());
        }
        None => match host.rsplit_once(':') {
            Some((name, port)) if is_port(host.get(name.len()..).unwrap_or(port)) => name,
            Some(_) => return false,
            None => host,
        },
    };
    if let Ok(address) = name.parse::<Ipv4Addr>() {
        return address.is_loopback();
    }
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether this is nothing, or a colon with a port.
fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        Some(port) => port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()),
        None => text.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine_are_local() {
        for host in [
            "localhost",
            "localhost:8000",
            "LOCALHOST:80",
            "localhost.",
            "dynamodb.localhost:8000",
            "127.0.0.1",
            "127.0.0.1:8000",
            "127.1.2.3:1",
            "[::1]",
            "[::1]:8000",
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
            "localhost.example.com",
            "notlocalhost",
            "127.0.0.1.example.com",
            "10.0.0.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "[::1]x",
            "::1",
            "localhost:80:80",
            "localhost:a",
            "localhost@example.com",
            "127.0.0.1:999999",
            "é",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
