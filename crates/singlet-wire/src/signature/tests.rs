//! AWS's published vectors, the service's errors, and properties.

use super::*;
use hyper::header::{AUTHORIZATION, HeaderValue};
use proptest::prelude::*;

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/// 20150830T123600Z, the time of all published vectors.
const NOW: Timestamp = Timestamp::from_millis(1_440_938_160_000);

fn credentials(extra: &str) -> Credentials {
    let text =
        format!("[a]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = {SECRET}\n{extra}");
    Credentials::parse(&text).unwrap()
}

/// A request as text: a line with method and target, then headers.
struct Request {
    method: String,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Request {
    fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let (method, target) = lines.next().unwrap().split_once(' ').unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(':').unwrap();
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value.trim()).unwrap());
        }
        let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
        Self { method, path, query, headers, body: Vec::new() }
    }

    fn parts(&self) -> SignedParts<'_> {
        SignedParts {
            method: &self.method,
            path: &self.path,
            query: &self.query,
            host: self.headers.get("host").map_or("", |host| host.to_str().unwrap()),
            headers: &self.headers,
            body: &self.body,
        }
    }

    /// The request's signature for a service, over its headers.
    fn signature(&self, service: &str, signed_headers: &str) -> String {
        let scope = Scope {
            access_key_id: "AKIDEXAMPLE",
            day: "20150830",
            region: "us-east-1",
            service,
            terminator: TERMINATOR,
        };
        let to_sign = CanonicalRequest::new(self.parts(), signed_headers)
            .string_to_sign(Date::of(NOW), &scope);
        SigningKey::derive(SECRET, &scope).sign(to_sign.as_bytes())
    }

    fn authorize(&mut self, value: &str) {
        self.headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
    }

    fn sign(&mut self) {
        let signed = "host;x-amz-date;x-amz-target";
        let signature = self.signature("dynamodb", signed);
        self.authorize(&format!(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request, \
             SignedHeaders={signed}, Signature={signature}"
        ));
    }

    fn verify(&self) -> Result<(), Error> {
        verify(self.parts(), &credentials(""), NOW)
    }

    fn refusal(&self) -> String {
        self.verify().unwrap_err().to_string()
    }
}

/// A typical request from a DynamoDB client.
fn list_tables() -> Request {
    let mut request = Request::parse(
        "POST /\nHost: localhost:8000\nX-Amz-Date: 20150830T123600Z\n\
         X-Amz-Target: DynamoDB_20120810.ListTables\nContent-Type: application/x-amz-json-1.0",
    );
    request.body = b"{}".to_vec();
    request
}

#[test]
fn the_published_vectors_come_out() {
    let vectors = [
        ("GET /", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST /", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "GET /?Param2=value2&Param1=value1",
            "",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        (
            "GET /?Param1=value1",
            "",
            "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
        ),
        ("GET /?ሴ=bar", "", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        (
            "GET /?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
            "",
            "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
        ),
        ("GET /ሴ", "", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        (
            "GET /example space/",
            "",
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
        ),
        ("GET //example//", "", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        (
            "GET /example1/example2/../..",
            "",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            "GET /-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
        ),
        (
            "GET /",
            "My-Header1:value2\nMy-Header1:value2\nMy-Header1:value1",
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
        ),
        (
            "GET /",
            "My-Header1:value4\nMy-Header1:value1\nMy-Header1:value3\nMy-Header1:value2",
            "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
        ),
        (
            "GET /",
            "My-Header1: value1\nMy-Header2: \"a   b   c\"",
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
        ),
        (
            "POST /",
            "My-Header1:value1",
            "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
        ),
        (
            "POST /",
            "My-Header1:VALUE1",
            "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
        ),
        (
            "GET /",
            "X-Amz-Security-Token:6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
            "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
        ),
    ];
    for (line, headers, expected) in vectors {
        let text =
            format!("{line}\nHost:example.amazonaws.com\nX-Amz-Date:20150830T123600Z\n{headers}");
        let request = Request::parse(&text);
        let mut names: Vec<&str> = request.headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(request.signature("service", &names.join(";")), expected, "{text}");
    }
}

#[test]
fn the_published_vector_with_a_body_matches() {
    let mut request = Request::parse(
        "POST /\nContent-Type:application/x-www-form-urlencoded\nHost:example.amazonaws.com\n\
         Content-Length:13\nX-Amz-Date:20150830T123600Z\n\
         x-amz-content-sha256:9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
    );
    request.body = b"Param1=value1".to_vec();
    assert_eq!(
        request.signature(
            "service",
            "content-length;content-type;host;x-amz-content-sha256;x-amz-date"
        ),
        "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"
    );
}

#[test]
fn a_path_is_encoded_once_more_than_on_the_wire() {
    let canonical = |path| {
        CanonicalRequest::new(Request::parse(&format!("GET {path}")).parts(), "host").to_string()
    };
    assert!(canonical("/a%20b/../c%2F").starts_with("GET\n/c%252F\n"));
    assert!(canonical("/a/.").starts_with("GET\n/a/\n"));
    assert!(canonical("/../..").starts_with("GET\n/\n"));
}

#[test]
fn a_signed_request_is_let_in() {
    let mut request = list_tables();
    request.sign();
    request.verify().unwrap();
    // Header names may have any case, and values any surrounding space.
    let moved = request.headers.get(AUTHORIZATION).unwrap().to_str().unwrap().replace(", ", ",");
    request.authorize(&moved);
    request.verify().unwrap();
}

#[test]
fn incomplete_signatures_are_rejected_with_the_missing_part() {
    let mut request = list_tables();
    let missing = "MissingAuthenticationTokenException: Request is missing Authentication Token";
    assert_eq!(request.refusal(), missing);
    request.authorize("AWS4");
    assert_eq!(request.refusal(), missing);
    request.authorize("Basic YTpi");
    assert_eq!(request.refusal(), missing);
    request.authorize("AWS4- Signature=b,Credential=a");
    assert_eq!(
        request.refusal(),
        "IncompleteSignatureException: Authorization header requires 'SignedHeaders' parameter. \
         Authorization=AWS4- Signature=b,Credential=a"
    );
    request.headers.remove("x-amz-date");
    request.authorize("AWS4-");
    assert_eq!(
        request.refusal(),
        "IncompleteSignatureException: Authorization header requires 'Credential' parameter. \
         Authorization header requires 'Signature' parameter. Authorization header requires \
         'SignedHeaders' parameter. Authorization header requires existence of either a \
         'X-Amz-Date' or a 'Date' header. Authorization=AWS4-"
    );
}

#[test]
fn signatures_in_the_query_are_refused() {
    let mut request = list_tables();
    request.query =
        "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d".to_owned();
    assert_eq!(
        request.refusal(),
        "IncompleteSignatureException: AWS query-string parameters must include \
         'X-Amz-SignedHeaders'. Re-examine the query-string parameters."
    );
    request.authorize("X");
    assert_eq!(
        request.refusal(),
        "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and \
         'Authorization' as HTTP header."
    );
}

#[test]
fn a_signature_is_valid_for_five_minutes_either_way() {
    let mut request = list_tables();
    request.sign();
    let at = |seconds: i64| {
        let now = Timestamp::from_millis(NOW.as_millis() + seconds * 1000);
        verify(request.parts(), &credentials(""), now).map_err(|error| error.to_string())
    };
    assert_eq!(at(300), Ok(()));
    assert_eq!(at(-300), Ok(()));
    assert_eq!(
        at(301).unwrap_err(),
        "InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than \
         20150830T123601Z (20150830T124101Z - 5 min.)"
    );
    assert_eq!(
        at(-301).unwrap_err(),
        "InvalidSignatureException: Signature not yet current: 20150830T123600Z is still later \
         than 20150830T123559Z (20150830T123059Z + 5 min.)"
    );
}

#[test]
fn essential_headers_must_be_signed() {
    let mut request = list_tables();
    let credential = "Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request";
    request
        .authorize(&format!("AWS4-HMAC-SHA256 {credential},SignedHeaders=x-amz-date,Signature=0"));
    assert_eq!(
        request.refusal(),
        "InvalidSignatureException: 'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
    );
    request.authorize(&format!(
        "AWS4-HMAC-SHA256 {credential},SignedHeaders=Host;x-amz-date,Signature=0"
    ));
    assert_eq!(
        request.refusal(),
        "InvalidSignatureException: 'x-amz-target' must be a 'SignedHeader' in the AWS Authorization."
    );
}

#[test]
fn the_scope_must_fit() {
    let mut request = list_tables();
    let mut with = |algorithm: &str, credential: &str| {
        request.authorize(&format!(
            "{algorithm} Credential={credential},SignedHeaders=host;x-amz-date;x-amz-target,Signature=00"
        ));
        request.refusal()
    };
    assert_eq!(
        with("AWS4-HMAC-SHA25", "a"),
        "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). "
    );
    assert_eq!(
        with(ALGORITHM, "a/b/c/d"),
        "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, \
         e.g. keyid/date/region/service/term, got 'a/b/c/d'"
    );
    assert_eq!(
        with(ALGORITHM, "AKIDEXAMPLE/b/c/d/e"),
        "InvalidSignatureException: Credential should be scoped to correct service: 'dynamodb'. \
         Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. Date in \
         Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != \
         '20150830', from '20150830T123600Z'."
    );
    assert_eq!(
        with(ALGORITHM, "nobody/20150830/us-east-1/dynamodb/aws4_request"),
        "UnrecognizedClientException: The security token included in the request is invalid."
    );
    assert_eq!(
        with(ALGORITHM, "AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request"),
        "InvalidSignatureException: The request signature we calculated does not match the \
         signature you provided. Check your AWS Secret Access Key and signing method. Consult the \
         service documentation for details.\n\nThe Canonical String for this request should have \
         been\n'POST\n/\n\nhost:localhost:8000\nx-amz-date:20150830T123600Z\n\
         x-amz-target:DynamoDB_20120810.ListTables\n\nhost;x-amz-date;x-amz-target\n\
         44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'\n\nThe String-to-Sign \
         should have been\n'AWS4-HMAC-SHA256\n20150830T123600Z\n\
         20150830/us-east-1/dynamodb/aws4_request\n\
         973bd7685be56b2415a3d78fbf3ef924bfc728014b13cc5a82b1e5a702fe9374'\n"
    );
}

#[test]
fn a_session_token_must_be_the_one_of_the_key() {
    let mut request = list_tables();
    request.headers.insert(SECURITY_TOKEN, HeaderValue::from_static("token"));
    request.sign();
    let refused =
        "UnrecognizedClientException: The security token included in the request is invalid";
    assert_eq!(request.refusal(), refused);
    let with = |token: &str| {
        let credentials = credentials(&format!("aws_session_token = {token}"));
        verify(request.parts(), &credentials, NOW).map_err(|error| error.to_string())
    };
    assert_eq!(with("token"), Ok(()));
    assert_eq!(with("another").unwrap_err(), refused);
}

proptest! {
    /// Changing any signed part invalidates the signature.
    #[test]
    fn no_change_goes_unnoticed(
        body in prop::collection::vec(any::<u8>(), 1..64),
        place in any::<prop::sample::Index>(),
        flip in 1_u8..,
        what in 0..5,
    ) {
        let mut request = list_tables();
        request.body = body;
        request.sign();
        prop_assert!(request.verify().is_ok());
        match what {
            0 => {
                let at = place.index(request.body.len());
                request.body[at] ^= flip;
            }
            1 => {
                let target = HeaderValue::from_static("DynamoDB_20120810.DeleteTable");
                request.headers.insert("x-amz-target", target);
            }
            2 => _ = request.headers.insert("host", HeaderValue::from_static("elsewhere")),
            3 => request.path.push('a'),
            _ => request.query.push_str("a=1"),
        }
        prop_assert_eq!(request.verify().unwrap_err().kind(), ErrorKind::InvalidSignature);
    }

    /// Arbitrary headers get an error and never cause a panic.
    #[test]
    fn nonsense_is_refused(
        authorization in "(AWS4-HMAC-SHA256 )?[ -~]{0,80}",
        date in "[0-9TZ]{0,20}",
        query in "[ -~]{0,40}",
        path in "/[ -~]{0,40}",
    ) {
        let mut request = list_tables();
        request.authorize(&authorization);
        request.headers.insert("x-amz-date", HeaderValue::from_str(&date).unwrap());
        (request.query, request.path) = (query, path);
        prop_assert!(request.verify().is_err());
        _ = CanonicalRequest::new(request.parts(), "host;a;;é").to_string();
    }
}
