//! Requests to the DynamoDB endpoint, signed or not.

use crate::http::{Answer, Connection, PATIENCE};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::net::SocketAddr;

/// The key whose holder may send requests where the endpoint asks for signatures.
pub(crate) const ACCESS_KEY: &str = "AKIDVICTIM";
const SECRET_KEY: &str = "the secret of the victim";
const REGION: &str = "eu-central-1";
const CONTENT_TYPE: &str = "application/x-amz-json-1.0";

/// A file with the key, as `--credentials` takes it.
pub(crate) fn credentials_file() -> String {
    format!("[victim]\naws_access_key_id={ACCESS_KEY}\naws_secret_access_key={SECRET_KEY}\n")
}

/// How requests are made for one endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests {
    pub(crate) address: SocketAddr,
    /// Whether they are signed.
    pub(crate) signed: bool,
}

impl Requests {
    /// A whole request over HTTP/1.1.
    pub(crate) fn make(&self, operation: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
        let body = body.as_ref();
        let authorization = if self.signed { self.sign(operation, body) } else { String::new() };
        let mut request = self.head(operation, body.len(), &authorization).into_bytes();
        request.extend_from_slice(body);
        request
    }

    /// The head of a request whose body has so many bytes. `headers` are whole lines.
    pub(crate) fn head(&self, operation: &str, body_bytes: usize, headers: &str) -> String {
        format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nX-Amz-Target: {}\r\n\
             Content-Type: {CONTENT_TYPE}\r\n{headers}Content-Length: {body_bytes}\r\n\r\n",
            self.address,
            target(operation),
        )
    }

    /// A connection for well-behaved requests.
    pub(crate) fn open(&self) -> Result<Connection, String> {
        Connection::open(self.address, PATIENCE).map_err(|error| format!("cannot connect: {error}"))
    }

    /// Sends a request that must succeed.
    pub(crate) fn ask(
        &self,
        connection: &mut Connection,
        operation: &str,
        body: &str,
    ) -> Result<Answer, String> {
        let asked = connection.ask(&self.make(operation, body));
        let answer = asked.map_err(|error| format!("{operation} got no answer: {error}"))?;
        match answer.status {
            200 => Ok(answer),
            _ => Err(format!("{operation}: {}", answer.shown())),
        }
    }

    /// Sends a request that must succeed, on a new connection, and reads the answer.
    pub(crate) fn ask_json(&self, operation: &str, body: &Value) -> Result<Value, String> {
        let answer = self.ask(&mut self.open()?, operation, &body.to_string())?;
        serde_json::from_slice(&answer.body).map_err(|error| error.to_string())
    }

    /// Makes a table with the partition key `pk`.
    pub(crate) fn create_table(&self, name: &str) -> Result<(), String> {
        self.create_table_with(name, &Value::Null)
    }

    /// Makes a table with the partition key `pk`, unless these members of the request say otherwise.
    pub(crate) fn create_table_with(&self, name: &str, members: &Value) -> Result<(), String> {
        self.ask_json("CreateTable", &table_body(name, members)).map(drop)
    }

    /// The headers of a request over HTTP/2.
    pub(crate) fn fields(&self, operation: &str) -> Vec<(&'static str, String)> {
        vec![
            (":method", "POST".to_owned()),
            (":scheme", "http".to_owned()),
            (":path", "/".to_owned()),
            (":authority", self.address.to_string()),
            ("x-amz-target", target(operation)),
            ("content-type", CONTENT_TYPE.to_owned()),
        ]
    }

    /// The headers that sign a request, by Signature Version 4.
    fn sign(&self, operation: &str, body: &[u8]) -> String {
        let (time, scope) = time_and_scope();
        let signed = "host;x-amz-date;x-amz-target";
        let canonical = format!(
            "POST\n/\n\nhost:{}\nx-amz-date:{time}\nx-amz-target:{}\n\n{signed}\n{}",
            self.address,
            target(operation),
            hex(&Sha256::digest(body))
        );
        let hash = hex(&Sha256::digest(canonical.as_bytes()));
        let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{hash}");
        let key = format!("AWS4{SECRET_KEY}").into_bytes();
        let key = scope.split('/').fold(key, |key, part| mac(&key, part));
        authorization(&time, &scope, signed, &hex(&mac(&key, &to_sign)))
    }
}

/// The body of a CreateTable with the partition key `pk`, unless `members` say otherwise.
pub(crate) fn table_body(name: &str, members: &Value) -> Value {
    let mut body = json!({
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    for (member, value) in members.as_object().into_iter().flatten() {
        body[member] = value.clone();
    }
    body
}

/// The attribute `n` of the one item in an answer.
pub(crate) fn number_in(text: &str) -> Option<u64> {
    let answer: Value = serde_json::from_str(text).ok()?;
    let item = answer.get("Item").or_else(|| answer.pointer("/Items/0"))?;
    item.pointer("/n/N")?.as_str()?.parse().ok()
}

/// The target header. Stream operations belong to another service.
fn target(operation: &str) -> String {
    let service = match operation {
        "ListStreams" => "DynamoDBStreams_20120810",
        _ => "DynamoDB_20120810",
    };
    format!("{service}.{operation}")
}

/// The headers of a request with a known key and a signature that is wrong.
pub(crate) fn wrong_signature(signed_headers: &str) -> String {
    let (time, scope) = time_and_scope();
    authorization(&time, &scope, signed_headers, &"0".repeat(64))
}

fn authorization(time: &str, scope: &str, signed_headers: &str, signature: &str) -> String {
    format!(
        "X-Amz-Date: {time}\r\nAuthorization: AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{scope}, \
         SignedHeaders={signed_headers}, Signature={signature}\r\n"
    )
}

/// The time as a request says it, and what a key for it is good for.
fn time_and_scope() -> (String, String) {
    let now = jiff::Timestamp::now();
    let scope = format!("{}/{REGION}/dynamodb/aws4_request", now.strftime("%Y%m%d"));
    (now.strftime("%Y%m%dT%H%M%SZ").to_string(), scope)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    // A key of any length will do, so there is always one.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}
