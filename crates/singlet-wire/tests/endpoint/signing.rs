//! Signature Version 4 as a client computes it, written independently from the specification.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

pub(crate) const NOW_MILLIS: i64 = 1_440_938_160_000;
pub(crate) const NOW: &str = "20150830T123600Z";
const SCOPE: [&str; 4] = ["20150830", "eu-central-1", "dynamodb", "aws4_request"];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// The `Authorization` header for an operation.
pub(crate) fn authorization(
    key: &str,
    secret: &str,
    host: &str,
    operation: &str,
    body: &[u8],
) -> String {
    let target = format!("x-amz-target:DynamoDB_20120810.{operation}\n");
    sign(key, secret, ["POST", "/", host], &target, body)
}

/// The `Authorization` header for a GET.
pub(crate) fn authorization_of_get(key: &str, secret: &str, host: &str, path: &str) -> String {
    sign(key, secret, ["GET", path, host], "", b"")
}

fn sign(key: &str, secret: &str, request: [&str; 3], target: &str, body: &[u8]) -> String {
    let [method, path, host] = request;
    let signed = if target.is_empty() { "host;x-amz-date" } else { "host;x-amz-date;x-amz-target" };
    let canonical = format!(
        "{method}\n{path}\n\nhost:{host}\nx-amz-date:{NOW}\n{target}\n{signed}\n{}",
        hex(&Sha256::digest(body))
    );
    let scope = SCOPE.join("/");
    let to_sign =
        format!("AWS4-HMAC-SHA256\n{NOW}\n{scope}\n{}", hex(&Sha256::digest(canonical.as_bytes())));
    let signing_key =
        SCOPE.iter().fold(format!("AWS4{secret}").into_bytes(), |key, part| mac(&key, part));
    let signature = hex(&mac(&signing_key, &to_sign));
    format!(
        "AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={signed}, Signature={signature}"
    )
}
