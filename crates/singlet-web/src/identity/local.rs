//! Development sign-in.

use super::issuer::Issuer;
use super::key::KeySet;
use super::token::encode;
use crate::api::{Api, Body, Json, get, is_declared_header, post};
use crate::limit::ClientLimits;
use crate::page;
use crate::problem::{FORBIDDEN, INTERNAL, Problem};
use crate::system::{Opened, Persona, System, SystemInfo};
use crate::validate::FieldLocation;
use axum::extract::{Request, State};
use axum::http::header::HeaderName;
use axum::http::request::Parts;
use axum::http::{Response, Version};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Lifetime of its tokens: a working day.
const TOKEN_AGE_MAX: Duration = Duration::from_secs(12 * 3600);
const KEY_ID: &str = "local";
const ISSUER: &str = "singlet-local";
const AUDIENCE: &str = "singlet";
const GROUPS_CLAIM: &str = "groups";

/// Signs tokens for any name, without a password: for development.
///
/// A server has one only if it listens on loopback and stores its data itself, and its pages say
/// so. Requests from other machines are refused, with or without a token, and so are requests that
/// a proxy may have forwarded: HTTP/1.0, or a header that clients do not send. The key is generated
/// at startup and stays in memory, so tokens are only valid for this process.
///
/// Clones share the key.
#[derive(Clone)]
pub struct LocalIssuer {
    key: Arc<EcdsaKeyPair>,
    random: SystemRandom,
}

impl LocalIssuer {
    /// Generates a key.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn new() -> Result<Self, ring::error::Unspecified> {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random)?;
        let key = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random)
            .map_err(|_| ring::error::Unspecified)?;
        Ok(Self { key: Arc::new(key), random })
    }

    /// Signs a token for this name. `now` is in Unix seconds.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn sign(
        &self,
        subject: &str,
        groups: &[String],
        now: u64,
    ) -> Result<String, ring::error::Unspecified> {
        self.sign_claims(subject, subject, None, &json!(groups), now)
    }

    /// Signs a token for a persona. `now` is in Unix seconds.
    ///
    /// # Errors
    ///
    /// If the operating system has no randomness.
    pub fn sign_persona(
        &self,
        persona: &Persona,
        now: u64,
    ) -> Result<String, ring::error::Unspecified> {
        let Persona { subject, name, email, groups, .. } = *persona;
        self.sign_claims(subject, name, email, &json!(groups), now)
    }

    fn sign_claims(
        &self,
        subject: &str,
        name: &str,
        email: Option<&str>,
        groups: &Value,
        now: u64,
    ) -> Result<String, ring::error::Unspecified> {
        let head = json!({"alg": "ES256", "typ": "JWT", "kid": KEY_ID});
        let mut claims = json!({
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": subject,
            "name": name,
            GROUPS_CLAIM: groups,
            "iat": now,
            "exp": now + TOKEN_AGE_MAX.as_secs(),
        });
        if let (Some(email), Some(claims)) = (email, claims.as_object_mut()) {
            claims.insert("email".to_owned(), json!(email));
        }
        let signed = format!("{}.{}", encode(head.to_string()), encode(claims.to_string()));
        let signature = self.key.sign(&self.random, signed.as_bytes())?;
        Ok(format!("{signed}.{}", encode(signature)))
    }

    pub(super) fn keys(&self) -> KeySet {
        KeySet::of_point(KEY_ID, self.key.public_key().as_ref())
    }

    pub(super) fn issuer() -> Issuer {
        Issuer {
            url: ISSUER.to_owned(),
            jwks_url: String::new(),
            audience: AUDIENCE.to_owned(),
            groups_claim: GROUPS_CLAIM.to_owned(),
        }
    }

    /// The sign-in page and its routes.
    pub(crate) fn into_system(self, personas: Vec<(SystemInfo, &'static [Persona])>) -> System {
        let sign_in = SignIn { issuer: self, personas: personas.into() };
        System::new(
            "local",
            "Sign in",
            "Development sign-in without passwords. Only this machine can reach it.",
        )
        .open(move |_| {
            let opened = sign_in.clone().open();
            async move { Ok(opened) }
        })
    }
}

/// The sign-in page: an issuer and the personas to choose from.
#[derive(Clone)]
struct SignIn {
    issuer: LocalIssuer,
    personas: Arc<[(SystemInfo, &'static [Persona])]>,
}

impl SignIn {
    fn open(self) -> Opened {
        let api = Api::new(self)
            .named("local", "Development sign-in: signs a token for any name.")
            .route(
                post("/tokens", sign_in)
                    .describe(
                        "signIn",
                        "Signs a token in any name. Only this machine can ask for it.",
                    )
                    .problems([&FORBIDDEN]),
            )
            .route(
                get("/personas", list_personas)
                    .describe("listPersonas", "Lists the people of the demo data, by system.")
                    .problems([&FORBIDDEN]),
            );
        let pages = page::router(crate::assets! {
            "/" => "../../assets/local.html",
            "/local.js" => "../../assets/local.js",
        });
        api.into_router().merge(pages).layer(from_fn(refuse_others)).into()
    }
}

/// Refuses clients on other machines, and requests that a proxy on this machine may have forwarded
/// for them.
async fn refuse_others(request: Request, next: Next) -> Response<axum::body::Body> {
    let client = request.extensions().get::<ClientLimits>();
    if !client.is_some_and(ClientLimits::is_of_this_machine) {
        let detail = "Only clients on this machine may sign in here.";
        return Problem::new(&FORBIDDEN).detail(detail).into_response();
    }
    let (parts, body) = request.into_parts();
    if let Some(sign) = sign_of_proxy(&parts) {
        let detail = format!(
            "This request has {sign}, as if a proxy had forwarded it, and only clients on this \
             machine may sign in here. Connect to the server directly and without it, or name an \
             issuer with --issuer."
        );
        return Problem::new(&FORBIDDEN).detail(detail).into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

/// Errors quote this much of a header's name.
const HEADER_NAME_SHOWN_MAX: usize = 64;

/// Headers sent by browsers, command-line clients and metrics scrapers. Any other header counts as
/// added by a proxy.
const CLIENT_HEADERS: &[&str] = &[
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "access-control-request-headers",
    "access-control-request-method",
    "access-control-request-private-network",
    "authorization",
    "cache-control",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-type",
    "cookie",
    "dnt",
    "expect",
    "host",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "last-event-id",
    "origin",
    "pragma",
    "priority",
    "purpose",
    "range",
    "referer",
    "save-data",
    "service-worker",
    "service-worker-navigation-preload",
    "te",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    // Sent by the console.
    "x-amz-target",
    // Sent by Prometheus.
    "x-prometheus-scrape-timeout-seconds",
];
/// Pages cannot set headers with this prefix, and browsers keep adding new ones.
const BROWSER_PREFIX: &str = "sec-";

/// A sign that a proxy forwarded the request: a header that neither clients send nor the route
/// declares, or HTTP/1.0, which only proxies still use. An HTTP/1.1 proxy that adds no header
/// cannot be detected.
fn sign_of_proxy(request: &Parts) -> Option<String> {
    if request.version < Version::HTTP_11 {
        return Some("the version HTTP/1.0".to_owned());
    }
    let is_of_client = |name: &str| {
        CLIENT_HEADERS.contains(&name)
            || name.starts_with(BROWSER_PREFIX)
            || is_declared_header(&request.extensions, name)
    };
    let mut names = request.headers.keys().map(HeaderName::as_str);
    // A name may be as long as the head allows. Header names are ASCII.
    names
        .find(|name| !is_of_client(name))
        .map(|name| format!("the header {}", name.get(..HEADER_NAME_SHOWN_MAX).unwrap_or(name)))
}

/// Whether a proxy may have forwarded the request with this head.
pub(crate) fn is_forwarded(request: &Parts) -> bool {
    sign_of_proxy(request).is_some()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignInRequest {
    /// The persona to sign in as. Required unless `name` is given.
    persona: Option<PersonaId>,
    /// The name to sign in with.
    #[schemars(length(min = 1, max = 64))]
    name: Option<String>,
    /// The groups to join. Ignored for a persona, which has its own.
    #[serde(default)]
    #[schemars(length(max = 20))]
    groups: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PersonaId {
    /// The name of the persona's system.
    #[schemars(length(max = 64))]
    system: String,
    /// The subject of the persona.
    #[schemars(length(max = 128))]
    subject: String,
}

#[derive(Serialize, JsonSchema)]
struct SignInResponse {
    /// Send as `Authorization: Bearer …`.
    token: String,
}

async fn sign_in(
    State(sign_in): State<SignIn>,
    request: Body<SignInRequest>,
) -> Result<Json<SignInResponse>, Problem> {
    let SignIn { issuer, personas } = sign_in;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let invalid = |field, detail: &'static str| {
        Err(Problem::invalid_field(FieldLocation::Body, field, detail))
    };
    let token = match (&request.persona, &request.name) {
        (Some(PersonaId { system, subject }), None) => {
            let of_system = personas.iter().filter(|(info, _)| info.name == system);
            let mut of_system = of_system.flat_map(|(_, personas)| personas.iter());
            match of_system.find(|persona| persona.subject == subject) {
                Some(persona) => issuer.sign_persona(persona, now),
                None => return invalid("/persona", "is not a person of this system"),
            }
        }
        (None, Some(name)) => issuer.sign(name, &request.groups, now),
        (None, None) => return invalid("/name", "is missing"),
        (Some(_), Some(_)) => return invalid("/name", "must be left out with a persona"),
    };
    Ok(Json(SignInResponse { token: token.map_err(|_| Problem::new(&INTERNAL))? }))
}

#[derive(Serialize, JsonSchema)]
struct Personas {
    /// Systems with personas.
    systems: Vec<SystemPersonas>,
}

#[derive(Serialize, JsonSchema)]
struct SystemPersonas {
    /// The name of the system.
    name: &'static str,
    /// The display name of the system.
    title: &'static str,
    /// The personas of the system.
    personas: Vec<PersonaView>,
}

#[derive(Serialize, JsonSchema)]
struct PersonaView {
    /// The subject of the persona's tokens.
    subject: &'static str,
    /// The display name.
    name: &'static str,
    /// A short description of the person.
    description: &'static str,
    /// The groups the person belongs to.
    groups: &'static [&'static str],
}

async fn list_personas(State(sign_in): State<SignIn>) -> Json<Personas> {
    let view = |persona: &'static Persona| {
        let Persona { subject, name, groups, description, .. } = persona;
        PersonaView { subject, name, description, groups }
    };
    let systems = sign_in.personas.iter().filter(|(_, personas)| !personas.is_empty());
    let systems = systems.map(|(info, personas)| SystemPersonas {
        name: info.name,
        title: info.title,
        personas: personas.iter().map(view).collect(),
    });
    Json(Personas { systems: systems.collect() })
}
