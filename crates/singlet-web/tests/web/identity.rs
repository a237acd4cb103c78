//! Authentication, and forged tokens.

use crate::client::{Running, start, system};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use singlet_web::api::{Api, Argument, Json, Operation, delete, get, post};
use singlet_web::identity::{Caller, Identity, Issuer, LocalIssuer, TokenError};
use singlet_web::limit::Rate;
use singlet_web::live::{EventStream, Live, Topic};
use singlet_web::problem::Problem;
use singlet_web::{IdentitySource, Options};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A 2048-bit test key in PKCS #8.
const RSA_KEY: &[u8] = include_bytes!("keys/rsa.pk8");

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn encode(json: &Value) -> String {
    BASE64.encode(json.to_string())
}

/// An issuer that serves its keys over HTTP on loopback.
struct Pool {
    rsa: RsaKeyPair,
    ec: EcdsaKeyPair,
    fetched: Arc<AtomicU32>,
    is_down: Arc<AtomicBool>,
    /// Responses wait while this is set.
    is_slow: Arc<AtomicBool>,
    server: Running,
}

impl Pool {
    async fn start() -> Self {
        let rsa = RsaKeyPair::from_pkcs8(RSA_KEY).unwrap();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let ec = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap();
        let public = PublicKeyComponents::<Vec<u8>>::from(rsa.public());
        let (modulus, exponent) = (BASE64.encode(public.n), BASE64.encode(public.e));
        let point = ec.public_key().as_ref();
        let keys = json!({"keys": [
            {"kty": "RSA", "kid": "r", "alg": "RS256", "use": "sig", "n": modulus, "e": exponent},
            {"kty": "EC", "kid": "e", "crv": "P-256", "x": BASE64.encode(&point[1..33]),
             "y": BASE64.encode(&point[33..])},
            // Keys of other types are ignored.
            {"kty": "oct", "kid": "o", "k": "AAAA"},
            {"kty": "RSA", "kid": "enc", "use": "enc", "n": modulus, "e": exponent},
            {"kty": "EC", "kid": "p384", "crv": "P-384", "x": "AA", "y": "AA"},
            7,
        ]});
        let (fetched, is_down) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let is_slow = Arc::new(AtomicBool::new(false));
        let router = {
            let (fetched, is_down) = (Arc::clone(&fetched), Arc::clone(&is_down));
            let is_slow = Arc::clone(&is_slow);
            let keys = keys.to_string();
            axum::Router::new().route(
                "/jwks.json",
                axum::routing::get(async move || {
                    fetched.fetch_add(1, Ordering::SeqCst);
                    while is_slow.load(Ordering::SeqCst) {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    }
                    match is_down.load(Ordering::SeqCst) {
                        true => Err(axum::http::StatusCode::BAD_GATEWAY),
                        false => Ok(keys),
                    }
                }),
            )
        };
        let server = start(Options::default(), |server| server.with_system(system(router))).await;
        Self { rsa, ec, fetched, is_down, is_slow, server }
    }

    fn issuer(&self) -> Issuer {
        Issuer {
            url: "https://issuer.example/pool".to_owned(),
            jwks_url: format!("http://127.0.0.1:{}/test/jwks.json", self.server.address.port()),
            audience: "app".to_owned(),
            groups_claim: "cognito:groups".to_owned(),
        }
    }

    fn claims(&self) -> Value {
        json!({
            "iss": "https://issuer.example/pool", "aud": "app", "sub": "user-1",
            "exp": now() + 600, "iat": now(), "cognito:groups": ["Admin"],
        })
    }

    fn rs256(&self, head: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encode(head), encode(claims));
        let mut signature = vec![0; self.rsa.public().modulus_len()];
        let random = SystemRandom::new();
        self.rsa.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature).unwrap();
        format!("{signed}.{}", BASE64.encode(signature))
    }

    fn es256(&self, head: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encode(head), encode(claims));
        let signature = self.ec.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", BASE64.encode(signature))
    }

    fn good(&self) -> String {
        self.rs256(&json!({"alg": "RS256", "kid": "r"}), &self.claims())
    }
}

async fn whoami(caller: Caller) -> Json<String> {
    Json(caller.subject)
}

async fn anybody(State(()): State<()>, caller: Option<Caller>) -> Json<Option<String>> {
    Json(caller.map(|caller| caller.subject))
}

async fn admin(caller: Caller) -> Result<Json<bool>, Problem> {
    caller.require_group("Admin")?;
    Ok(Json(true))
}

async fn watch(_: Caller) -> Result<EventStream, Problem> {
    let live = Live::signals("ready");
    Ok(live.subscribe(Topic::from("all"), None).await?.into())
}

async fn app(identity: Identity) -> Running {
    let api = Api::new(())
        .named("test", "Who?")
        .route(get("/me", whoami).describe("me", "Me."))
        .route(get("/watch", watch).describe("watch", "Watches."))
        .route(get("/anybody", anybody).describe("anybody", "Anybody."))
        .route(get("/admin", admin).describe("admin", "Admins."));
    start(Options::default(), |server| {
        server
            .with_identity(IdentitySource::Issuer(identity))
            .with_system(system(api.into_router()))
    })
    .await
}

async fn ask(app: &Running, path: &str, token: &str) -> (u16, String) {
    let line = format!("authorization: Bearer {token}");
    let answer = app.send(&format!("GET {path}"), &[&line], "").await;
    (answer.status, if answer.status == 200 { answer.body } else { answer.code() })
}

#[tokio::test]
async fn tokens_of_the_issuer_are_accepted() {
    let pool = Pool::start().await;
    let app = app(Identity::of(pool.issuer()).unwrap()).await;
    assert_eq!(ask(&app, "/test/me", &pool.good()).await, (200, "\"user-1\"".into()));
    let es256 = pool.es256(&json!({"alg": "ES256", "kid": "e"}), &pool.claims());
    assert_eq!(ask(&app, "/test/me", &es256).await, (200, "\"user-1\"".into()));
    assert_eq!(ask(&app, "/test/admin", &es256).await.0, 200);
    let mut claims = pool.claims();
    claims["cognito:groups"] = json!([]);
    let no_admin = pool.rs256(&json!({"alg": "RS256", "kid": "r"}), &claims);
    assert_eq!(ask(&app, "/test/admin", &no_admin).await, (403, "forbidden".into()));
    // All of this took one fetch of the issuer's keys.
    assert_eq!(pool.fetched.load(Ordering::SeqCst), 1);
    let nobody = app.get("/test/me").await;
    assert_eq!((nobody.status, nobody.headers["www-authenticate"].as_str()), (401, "Bearer"));
    assert_eq!(app.get("/test/anybody").await.body, "null");
    assert_eq!(ask(&app, "/test/anybody", "nonsense").await.0, 401);
}

/// Regression: a stream outlived its caller's token.
#[tokio::test]
async fn a_stream_ends_with_the_token_of_whoever_watches() {
    let issuer = Pool::start().await;
    let app = app(Identity::of(issuer.issuer()).unwrap()).await;
    let mut claims = issuer.claims();
    // Tokens have a minute of leeway for clock skew.
    claims["exp"] = json!(now() - 55);
    let token = issuer.rs256(&json!({"alg": "RS256", "kid": "r"}), &claims);
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let head = format!(
        "GET /test/watch HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut received = String::new();
    let read = stream.read_to_string(&mut received);
    timeout(Duration::from_secs(120), read).await.unwrap().unwrap();
    assert!(received.starts_with("HTTP/1.1 200"), "{received}");
    assert!(received.contains("event: ready") && received.contains("\"code\":4002"), "{received}");
}

#[tokio::test]
async fn forged_tokens_are_not() {
    let pool = Pool::start().await;
    let app = app(Identity::of(pool.issuer()).unwrap()).await;
    let claims = pool.claims();
    let with = |name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        pool.rs256(&json!({"alg": "RS256", "kid": "r"}), &claims)
    };
    let good = pool.good();
    let (head_and_claims, signature) = good.rsplit_once('.').unwrap();
    let none = |alg: &str| {
        let head = encode(&json!({"alg": alg, "kid": "r"}));
        format!("{head}.{}.", encode(&claims))
    };
    // Algorithm confusion: the public key used as an HMAC secret.
    let confused = {
        let public = PublicKeyComponents::<Vec<u8>>::from(pool.rsa.public()).n;
        let signed =
            format!("{}.{}", encode(&json!({"alg": "HS256", "kid": "r"})), encode(&claims));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &public);
        let tag = ring::hmac::sign(&key, signed.as_bytes());
        format!("{signed}.{}", BASE64.encode(tag))
    };
    let (head, claims_and_signature) = good.split_once('.').unwrap();
    let other_claims = encode(&json!({"iss": "https://issuer.example/pool", "sub": "root"}));
    let forged = [
        none("none"),
        none("None"),
        none("RS256"),
        confused,
        // Key and algorithm do not match.
        pool.rs256(&json!({"alg": "ES256", "kid": "r"}), &claims),
        pool.rs256(&json!({"alg": "RS256", "kid": "e"}), &claims),
        pool.rs256(&json!({"alg": "RS512", "kid": "r"}), &claims),
        // An encryption key, and a symmetric one.
        pool.rs256(&json!({"alg": "RS256", "kid": "enc"}), &claims),
        pool.rs256(&json!({"alg": "RS256", "kid": "o"}), &claims),
        // No key id, with several keys.
        pool.rs256(&json!({"alg": "RS256"}), &claims),
        pool.rs256(&json!({"alg": "RS256", "kid": ["r"]}), &claims),
        // The forger's own key, embedded in the token.
        pool.es256(&json!({"alg": "ES256", "kid": "mine", "jwk": {"kty": "EC"}}), &claims),
        pool.rs256(&json!({"alg": "RS256", "kid": "r", "crit": ["b64"], "b64": false}), &claims),
        with("iss", json!("https://issuer.example/other")),
        with("aud", json!("other")),
        with("exp", json!(now() - 61)),
        with("exp", json!(null)),
        with("nbf", json!(now() + 3600)),
        with("sub", json!(null)),
        // Recombined parts.
        format!("{head}.{other_claims}.{signature}"),
        format!("{head_and_claims}."),
        format!("{head_and_claims}.{}", &signature[..signature.len() - 4]),
        format!("{head_and_claims}.{signature}="),
        format!(".{claims_and_signature}"),
        format!("{good}.{signature}"),
        good.replace('.', ""),
        String::new(),
        "a.b.c".to_owned(),
        "..".to_owned(),
        format!("{}.{}.{}", BASE64.encode("[]"), BASE64.encode("[]"), BASE64.encode("")),
        // Over the size limit of tokens, within that of a head.
        pool.rs256(&json!({"alg": "RS256", "kid": "r", "x": "y".repeat(8 << 10)}), &claims),
    ];
    for token in forged {
        let answer = ask(&app, "/test/me", &token).await;
        assert_eq!(answer, (401, "unauthenticated".into()), "{token}");
    }
    assert_eq!(ask(&app, "/test/me", &pool.good()).await.0, 200);
    let basic = app.send("GET /test/me", &["authorization: Basic YTpi"], "").await;
    assert_eq!(basic.status, 401);
}

#[tokio::test]
async fn tokens_with_alg_none_or_hs256() {
    let pool = Pool::start().await;
    let identity = Identity::of(pool.issuer()).unwrap();
    let claims = encode(&pool.claims());
    let public = PublicKeyComponents::<Vec<u8>>::from(pool.rsa.public()).n;
    for alg in ["none", "None", "NONE", "", "HS256", "HS384", "PS256", "EdDSA", "RS256 "] {
        for kid in ["r", "e"] {
            let signed = format!("{}.{claims}", encode(&json!({"alg": alg, "kid": kid})));
            let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &public);
            let tag = BASE64.encode(ring::hmac::sign(&key, signed.as_bytes()));
            for token in [format!("{signed}."), format!("{signed}.{tag}")] {
                let error = identity.caller(&token).await.unwrap_err();
                let kinds = [TokenError::Malformed, TokenError::WrongAlgorithm];
                assert!(kinds.contains(&error), "{alg} {kid}: {error}");
            }
        }
    }
    // No algorithm at all.
    let none = format!("{}.{claims}.", encode(&json!({"kid": "r"})));
    assert_eq!(identity.caller(&none).await, Err(TokenError::Malformed));
}

#[tokio::test]
async fn each_wrong_token_is_wrong_for_its_own_reason() {
    let pool = Pool::start().await;
    let identity = Identity::of(pool.issuer()).unwrap();
    let with = |name: &str, value: Value| {
        let mut claims = pool.claims();
        claims[name] = value;
        pool.rs256(&json!({"alg": "RS256", "kid": "r"}), &claims)
    };
    let head = |head: Value| pool.rs256(&head, &pool.claims());
    let good = pool.good();
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let other = pool.rs256(&json!({"alg": "RS256", "kid": "r"}), &json!({}));
    let (_, other) = other.rsplit_once('.').unwrap();
    for (token, why) in [
        (with("iss", json!("https://issuer.example/other")), TokenError::WrongIssuer),
        (with("iss", json!(["https://issuer.example/pool"])), TokenError::WrongIssuer),
        (with("aud", json!("other")), TokenError::WrongAudience),
        (with("aud", json!(["other"])), TokenError::WrongAudience),
        (with("exp", json!("4102444800")), TokenError::Malformed),
        (with("exp", json!(null)), TokenError::Malformed),
        (with("exp", json!([4_102_444_800_u64])), TokenError::Malformed),
        (with("exp", json!(now() - 61)), TokenError::Expired),
        (with("nbf", json!("0")), TokenError::Malformed),
        (with("nbf", json!(now() + 3600)), TokenError::NotYetValid),
        (with("iat", json!(now() + 3600)), TokenError::NotYetValid),
        (head(json!({"alg": "RS256", "kid": "r", "crit": ["b64"]})), TokenError::Unsupported),
        (head(json!({"alg": "RS256", "kid": "r", "crit": []})), TokenError::Unsupported),
        (head(json!({"alg": "RS256", "kid": "r", "crit": 7})), TokenError::Malformed),
        // The id belongs to a key of another type.
        (head(json!({"alg": "RS256", "kid": "e"})), TokenError::WrongAlgorithm),
        (
            pool.es256(&json!({"alg": "ES256", "kid": "r"}), &pool.claims()),
            TokenError::WrongAlgorithm,
        ),
        (head(json!({"alg": "RS256", "kid": "other"})), TokenError::UnknownKey),
        (head(json!({"alg": "RS256", "kid": "o"})), TokenError::UnknownKey),
        (head(json!({"alg": "RS256"})), TokenError::UnknownKey),
        (head(json!({"alg": "RS256", "kid": "r", "x": "y".repeat(8 << 10)})), TokenError::TooLong),
        (format!("{signed}.{other}"), TokenError::WrongSignature),
        (format!("{signed}.{signature}="), TokenError::Malformed),
        (format!("{good}.{signature}"), TokenError::Malformed),
    ] {
        assert_eq!(identity.caller(&token).await, Err(why), "{token}");
    }
    assert!(identity.caller(&good).await.is_ok());
}

#[tokio::test]
async fn a_flood_of_unknown_keys_does_not_reach_the_issuer() {
    let pool = Pool::start().await;
    let app = Arc::new(app(Identity::of(pool.issuer()).unwrap()).await);
    assert_eq!(ask(&app, "/test/me", &pool.good()).await.0, 200);
    let tasks = (0..50).map(|number| {
        let token =
            pool.rs256(&json!({"alg": "RS256", "kid": format!("k{number}")}), &pool.claims());
        let app = Arc::clone(&app);
        tokio::spawn(async move { ask(&app, "/test/me", &token).await.0 })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert_eq!(task.await.unwrap(), 401);
    }
    // The keys were fetched a moment ago and are not fetched again.
    assert_eq!(pool.fetched.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_issuer_that_is_down_lets_nobody_in_and_is_not_pestered() {
    let pool = Pool::start().await;
    pool.is_down.store(true, Ordering::SeqCst);
    let app = app(Identity::of(pool.issuer()).unwrap()).await;
    for _ in 0..5 {
        assert_eq!(ask(&app, "/test/me", &pool.good()).await.0, 401);
    }
    assert_eq!(pool.fetched.load(Ordering::SeqCst), 1);
}

/// Regression: an attempt was recorded after it ended, so clients that disconnected early caused a
/// fetch each.
#[tokio::test]
async fn clients_that_hang_up_do_not_pester_the_issuer() {
    let pool = Pool::start().await;
    pool.is_slow.store(true, Ordering::SeqCst);
    let identity = Identity::of(pool.issuer()).unwrap();
    for _ in 0..3 {
        let gone = timeout(Duration::from_millis(100), identity.caller(&pool.good())).await;
        assert!(gone.is_err(), "{gone:?}");
    }
    // Their disconnect does not cancel the fetch for others.
    pool.is_slow.store(false, Ordering::SeqCst);
    assert_eq!(identity.caller(&pool.good()).await.unwrap().subject, "user-1");
    assert_eq!(pool.fetched.load(Ordering::SeqCst), 1);
}

/// Regression: user names, which may be e-mail addresses, and subjects were shown to others.
#[tokio::test]
async fn others_see_a_name_or_somebody() {
    let pool = Pool::start().await;
    let identity = Identity::of(pool.issuer()).unwrap();
    for (claim, value, shown) in [
        ("name", "Ann Onym", "Ann Onym"),
        ("name", "ann@example.com", "Somebody"),
        ("name", "user-1", "Somebody"),
        ("username", "ann", "Somebody"),
        ("cognito:username", "ann@example.com", "Somebody"),
    ] {
        let mut claims = pool.claims();
        claims[claim] = json!(value);
        let token = pool.rs256(&json!({"alg": "RS256", "kid": "r"}), &claims);
        let caller = identity.caller(&token).await.unwrap();
        assert_eq!(caller.display_name(), shown, "{claim}: {value}");
    }
    // With the local issuer the subject is an entered name.
    let local = LocalIssuer::new().unwrap();
    for (typed, shown) in [("Ann", "Ann"), ("ann@example.com", "Somebody")] {
        let token = local.sign(typed, &[], now()).unwrap();
        let caller = Identity::local(&local).caller(&token).await.unwrap();
        assert_eq!(caller.display_name(), shown);
    }
}

#[tokio::test]
async fn keys_come_over_https_or_not_at_all() {
    let pool = Pool::start().await;
    for address in ["http://issuer.example/jwks.json", "ftp://localhost/", "jwks.json", ""] {
        let issuer = Issuer { jwks_url: address.to_owned(), ..pool.issuer() };
        assert!(Identity::of(issuer).is_err(), "{address}");
    }
}

#[tokio::test]
async fn the_local_issuer_is_trusted_by_its_own_server_and_no_other() {
    let (here, there) = (LocalIssuer::new().unwrap(), LocalIssuer::new().unwrap());
    let app = app(Identity::local(&here)).await;
    let token = here.sign("ann", &["Admin".to_owned()], now()).unwrap();
    assert_eq!(ask(&app, "/test/me", &token).await, (200, "\"ann\"".into()));
    assert_eq!(ask(&app, "/test/admin", &token).await.0, 200);
    let foreign = there.sign("ann", &[], now()).unwrap();
    assert_eq!(ask(&app, "/test/me", &foreign).await.0, 401);
    let old = here.sign("ann", &[], now() - 24 * 3600).unwrap();
    assert_eq!(ask(&app, "/test/me", &old).await.0, 401);
}

#[tokio::test]
async fn on_ones_own_machine_one_signs_in_as_anybody() {
    let issuer = LocalIssuer::new().unwrap();
    let api = Api::new(()).named("test", "Who?").route(get("/me", whoami).describe("me", "Me."));
    let app = start(Options::default(), |server| {
        server.with_identity(IdentitySource::Local(issuer)).with_system(system(api.into_router()))
    })
    .await;
    let page = app.get("/local").await;
    assert!(page.body.contains("without passwords"));
    let signed = app.post("/local/tokens", r#"{"name":"Ann","groups":["Admin"]}"#).await;
    let token = signed.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(ask(&app, "/test/me", &token).await, (200, "\"Ann\"".into()));
    let foreign = ["origin: http://evil.example", "content-type: application/json"];
    let foreign = app.send("POST /local/tokens", &foreign, r#"{"name":"Ann"}"#).await;
    assert_eq!(foreign.status, 403);
    // Behind a proxy on this machine, clients may be anywhere.
    for line in [
        "forwarded: for=198.51.100.7",
        "via: 1.1 proxy.example",
        "x-forwarded-for: 198.51.100.7",
        "x-forwarded-proto: https",
        "x-real-ip: 198.51.100.7",
    ] {
        let lines = ["content-type: application/json", line];
        let passed_on = app.send("POST /local/tokens", &lines, r#"{"name":"Ann"}"#).await;
        assert_eq!((passed_on.status, passed_on.code().as_str()), (403, "forbidden"), "{line}");
        assert_eq!(app.send("GET /local", &[line], "").await.status, 403, "{line}");
    }
}

async fn change(caller: Caller) -> Result<Json<String>, Problem> {
    Ok(Json(caller.subject))
}

async fn change_as_anybody(caller: Option<Caller>) -> Result<Json<bool>, Problem> {
    Ok(Json(caller.is_some()))
}

/// Regression: one caller could make a thousand changes a second, each kept for a day.
#[tokio::test]
async fn a_caller_changes_things_so_often_and_no_more() {
    let issuer = LocalIssuer::new().unwrap();
    let bearer = |subject: &str| {
        format!("authorization: Bearer {}", issuer.sign(subject, &[], now()).unwrap())
    };
    let [ann, bob] = ["ann", "bob"].map(bearer);
    let serve = async |change_rate| {
        let api = Api::new(())
            .named("test", "Changes.")
            .route(get("/me", whoami).describe("me", "Me."))
            .route(post("/change", change).describe("change", "Changes.").idempotent())
            .route(delete("/any", change_as_anybody).describe("changeAny", "Changes."));
        let options = Options { change_rate, ..Options::default() };
        let identity = IdentitySource::Local(issuer.clone());
        start(options, |server| {
            server.with_identity(identity).with_system(system(api.into_router()))
        })
        .await
    };
    // The bucket does not refill during the test.
    let app = serve(Some(Rate { per_second: 0.001, burst: 4.0 })).await;
    // A request with a key counts once, although its caller is extracted twice.
    let keys = ["7d1c1fd1-3d3e-4f53-9f0e-3f2d8a3f1c11", "8d1c1fd1-3d3e-4f53-9f0e-3f2d8a3f1c11"];
    for key in keys.map(|key| format!("idempotency-key: {key}")) {
        assert_eq!(app.send("POST /test/change", &[&ann, &key], "").await.status, 200);
    }
    assert_eq!(app.send("POST /test/change", &[&ann], "").await.status, 200);
    assert_eq!(app.send("DELETE /test/any", &[&ann], "").await.status, 200);
    for (first, peer) in [("POST /test/change", "127.0.0.1"), ("DELETE /test/any", "127.0.0.2")] {
        let refused = app.send_from(peer, first, &[&ann], "").await;
        assert_eq!((refused.status, refused.code().as_str()), (429, "rate-limited"), "{first}");
        assert!(refused.headers.contains_key("retry-after"));
    }
    // Reads, other callers and visitors are not limited.
    assert_eq!(app.send("GET /test/me", &[&ann], "").await.status, 200);
    assert_eq!(app.send("POST /test/change", &[&bob], "").await.status, 200);
    for _ in 0..10 {
        assert_eq!(app.send("DELETE /test/any", &[], "").await.status, 200);
    }
    let unlimited = serve(None).await;
    for _ in 0..10 {
        assert_eq!(unlimited.send("POST /test/change", &[&ann], "").await.status, 200);
    }
}

/// An argument that reads a header.
struct PageToken;

impl Argument for PageToken {
    fn describe(operation: &mut Operation<'_>) {
        operation.header("Page-Token", false, "A page.");
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PageToken {
    type Rejection = Problem;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self)
    }
}

async fn whoami_on_page(caller: Caller, _: PageToken) -> Json<String> {
    Json(caller.subject)
}

/// Regression: proxies that sent a header outside a short list were trusted.
#[tokio::test]
async fn the_local_issuer_believes_no_proxy_of_any_kind() {
    let issuer = LocalIssuer::new().unwrap();
    let token = issuer.sign("Ann", &[], now()).unwrap();
    let api = Api::new(())
        .named("test", "Who?")
        .route(get("/me", whoami).describe("me", "Me."))
        .route(get("/page", whoami_on_page).describe("page", "Me, on a page."));
    let app = start(Options::default(), |server| {
        server.with_identity(IdentitySource::Local(issuer)).with_system(system(api.into_router()))
    })
    .await;
    let bearer = format!("authorization: Bearer {token}");
    for name in [
        "Forwarded",
        "Via",
        "X-Forwarded-For",
        "X-Forwarded",
        "X-Forwarded-Client-Cert",
        "Forwarded-For",
        "X-Real-IP",
        "CF-Connecting-IP",
        "CF-Ray",
        "CDN-Loop",
        "True-Client-IP",
        "X-Client-IP",
        "Client-IP",
        "X-Cluster-Client-IP",
        "X-Original-Host",
        "X-Original-URL",
        "X-Originating-IP",
        "X-Remote-Addr",
        "Fly-Client-IP",
        "Fly-Region",
        "Fastly-FF",
        "X-Envoy-External-Address",
        "X-ProxyUser-Ip",
        "X-Proxied-By",
        "X-Amzn-Trace-Id",
        "X-Azure-SocketIP",
        "X-Vercel-Id",
        "Ngrok-Skip-Browser-Warning",
        // Names that a word list missed.
        "Xforwardedfor",
        "X-Client",
        "X-Cluster-Client",
        "X-Client-Address",
        "Clientaddress",
        "X-Client-Port",
        "X-Client-Cert",
        "X-Host",
        "X-Scheme",
        "Front-End-Https",
        "X-Rewrite-URL",
        "X-Appgw-Trace-Id",
        "X-Cloud-Trace-Context",
        "Surrogate-Capability",
        "X-Gateway",
        "X-Kong-Request-Id",
        "X-Tunnel",
        "X-Request-Id",
        "Traceparent",
    ] {
        let line = format!("{name}: 198.51.100.7");
        let lines = ["content-type: application/json", &line];
        let passed_on = app.send("POST /local/tokens", &lines, r#"{"name":"Ann"}"#).await;
        assert_eq!((passed_on.status, passed_on.code().as_str()), (403, "forbidden"), "{name}");
        // A locally signed token is only accepted on this machine.
        let used = app.send("GET /test/me", &[&bearer, &line], "").await;
        assert_eq!(used.status, 401, "{name}");
    }
    // The error quotes only the start of a long name.
    let lines = ["content-type: application/json", &format!("x-{}: a", "y".repeat(10_000))];
    let refused = app.send("POST /local/tokens", &lines, r#"{"name":"Ann"}"#).await;
    assert_eq!(refused.status, 403);
    assert!(refused.body.len() < 1_000, "{}", refused.body);
    // A proxy that adds nothing speaks HTTP/1.0 by default.
    let head = "host: localhost\r\nconnection: close\r\ncontent-type: application/json";
    let body = r#"{"name":"Ann"}"#;
    for (version, status) in [("1.1", 200), ("1.0", 403)] {
        let length = body.len();
        let request = format!(
            "POST /local/tokens HTTP/{version}\r\n{head}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        assert_eq!(app.send_raw(&request).await.status, status, "{version}");
    }
    let request = format!("GET /test/me HTTP/1.0\r\nhost: localhost\r\n{bearer}\r\n\r\n");
    assert_eq!(app.send_raw(&request).await.status, 401);
    // Headers of browsers do not indicate a proxy.
    let lines = [
        "user-agent: Mozilla/5.0",
        "accept: */*",
        "accept-language: en",
        "sec-fetch-site: same-origin",
        "sec-ch-ua-platform: Linux",
        "upgrade-insecure-requests: 1",
        "priority: u=1",
        "dnt: 1",
        "sec-gpc: 1",
        "cookie: a=b",
        "referer: http://localhost/local",
        "cache-control: no-cache",
        "pragma: no-cache",
        "content-type: application/json",
    ];
    let signed = app.send("POST /local/tokens", &lines, r#"{"name":"Ann"}"#).await;
    assert_eq!(signed.status, 200, "{}", signed.body);
    assert_eq!(app.send("GET /test/me", &[&bearer], "").await.status, 200);
    // Clients may send headers that a route declares, also with a token.
    let lines = [bearer.as_str(), "page-token: 7"];
    assert_eq!(app.send("GET /test/page", &lines, "").await.status, 200);
    assert_eq!(app.send("GET /test/me", &lines, "").await.status, 401);
}
