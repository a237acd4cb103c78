//! Addresses of sites.

use singlet_web::prelude::*;
use url::Url;

/// How many characters an address has at most.
const URL_CHARS_MAX: usize = 2048;

/// Normalizes an address and returns it with its display host. Accepts http and https with a host
/// and without credentials: other schemes could run code, and credentials disguise the host.
///
/// ```
/// use fus::rules::parse_address;
///
/// let (address, host) = parse_address(" https://Rust.example/book ").unwrap();
/// assert_eq!((address.as_str(), host.as_str()), ("https://rust.example/book", "rust.example"));
/// assert!(parse_address("javascript:alert(1)").is_err());
/// ```
pub fn parse_address(text: &str) -> Result<(String, String), &'static str> {
    let text = text.trim();
    let url = Url::parse(text).map_err(|_| "must be an address, such as https://example.org")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must have no user name or password in it");
    }
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or("must have a host")?;
    // Decode punycode (`xn--`) for display; IP addresses stay.
    let host = match url::quirks::domain_to_unicode(host) {
        unicode if unicode.is_empty() => host.to_owned(),
        unicode => unicode,
    };
    let address = String::from(url);
    match address.chars().count() {
        1..=URL_CHARS_MAX => Ok((address, host)),
        _ => Err("must have at most 2048 characters"),
    }
}

/// An address in a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
pub struct Address(#[schemars(length(min = 1, max = 2048))] pub String);

impl TryFrom<String> for Address {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        parse_address(&text).map(|(url, _)| Self(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_a_browser_only_shows() {
        for good in ["https://example.org", "http://example.org:8080/a?b#c", "https://日本.example"]
        {
            assert!(parse_address(good).is_ok(), "{good}");
        }
        let bad = [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "\u{1}javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,<script>",
            "file:///etc/passwd",
            "ftp://example.org",
            "https://",
            "https://user@example.org",
            "https://user:secret@example.org",
            "//example.org",
            "example.org",
            "",
        ];
        for bad in bad {
            assert!(parse_address(bad).is_err(), "{bad}");
        }
        assert!(parse_address(&format!("https://example.org/{}", "x".repeat(2048))).is_err());
    }

    #[test]
    fn a_host_is_read_in_its_own_letters() {
        for (address, stored, host) in [
            ("https://例え.jp/", "https://xn--r8jz45g.jp/", "例え.jp"),
            ("https://xn--r8jz45g.jp/", "https://xn--r8jz45g.jp/", "例え.jp"),
            ("https://Rust.example/", "https://rust.example/", "rust.example"),
            ("http://127.0.0.1:80/", "http://127.0.0.1/", "127.0.0.1"),
            ("http://[::1]/", "http://[::1]/", "[::1]"),
        ] {
            let parsed = parse_address(address);
            assert_eq!(parsed, Ok((stored.to_owned(), host.to_owned())), "{address}");
        }
    }
}
