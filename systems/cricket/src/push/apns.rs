//! The adapter for Apple's push service: HTTP/2, one POST for each message.

use super::payload::{fit, trimmed};
use super::port::{PushKind, PushMessage, PushOutcome, PushSender};
use super::provider_token::ProviderKey;
use crate::design::Environment;
use serde_json::Value;
use singlet::Clock;
use singlet::backend::BoxFuture;
use singlet_web::outbound::{Client, ClientOptions, OutboundResponse};
use singlet_web::random::Random;
use std::time::Duration;
use tokio::sync::Semaphore;

const IN_FLIGHT_MAX: usize = 2_000;

pub struct ApnsOptions {
    /// `https://api.push.apple.com`, or a server on this machine.
    pub base: String,
    pub sandbox_base: String,
    /// The app: `com.example.cricket`.
    pub bundle: String,
    pub key: ProviderKey,
    /// Speak HTTP/2 without asking: for a server on this machine without TLS.
    pub http2_only: bool,
}

pub struct Apns {
    options: ApnsOptions,
    client: Client,
    clock: Clock,
    random: Random,
    in_flight: Semaphore,
}

const EXPIRED: &str = "ExpiredProviderToken";

impl Apns {
    pub fn new(options: ApnsOptions, clock: Clock, random: Random) -> Self {
        let client = Client::lazy(ClientOptions {
            connect_time_max: Duration::from_secs(3),
            request_time_max: Duration::from_secs(5),
            body_bytes_max: 64 << 10,
            http2_only: options.http2_only,
        });
        Self { options, client, clock, random, in_flight: Semaphore::new(IN_FLIGHT_MAX) }
    }

    async fn send_once(&self, message: &PushMessage) -> PushOutcome {
        let Ok(_permit) = self.in_flight.acquire().await else {
            return PushOutcome::Dropped("closed".to_owned());
        };
        let Some(mut body) = fit(&message.payload) else {
            return PushOutcome::Dropped("the payload is too large".to_owned());
        };
        let now = self.clock.now().as_millis() / 1000;
        let Some(mut jwt) = self.options.key.token(now) else {
            return PushOutcome::Misconfigured("the token cannot be signed".to_owned());
        };
        // A second attempt follows a new token or a smaller body.
        for attempt in 0..2 {
            let answer = match self.post(message, &body, &jwt).await {
                Ok(answer) => answer,
                Err(outcome) => return outcome,
            };
            let said: Value = answer.json().unwrap_or_default();
            let reason = said.get("reason").and_then(Value::as_str).unwrap_or_default();
            let described = || format!("{} {reason}", answer.status());
            match (answer.status(), reason) {
                (403, EXPIRED) if attempt == 0 => match self.options.key.renewed(now) {
                    Some(new) if new != jwt => jwt = new,
                    _ => return PushOutcome::Again(EXPIRED.to_owned()),
                },
                (413, _) if attempt == 0 => body = trimmed(&message.payload, usize::MAX),
                (403, EXPIRED) | (413, _) => break,
                (200, _) => return PushOutcome::Delivered,
                (400, "BadDeviceToken" | "DeviceTokenNotForTopic") => {
                    return PushOutcome::TokenDead { since: None };
                }
                (410, _) => {
                    let since = said.get("timestamp").and_then(Value::as_i64);
                    return PushOutcome::TokenDead { since };
                }
                (403, _)
                | (400, "BadTopic" | "MissingTopic" | "TopicDisallowed" | "InvalidPushType") => {
                    return PushOutcome::Misconfigured(described());
                }
                (429 | 500 | 502 | 503 | 504, _) => return PushOutcome::Again(described()),
                _ => return PushOutcome::Dropped(described()),
            }
        }
        PushOutcome::Dropped("refused twice".to_owned())
    }

    async fn post(
        &self,
        message: &PushMessage,
        body: &str,
        jwt: &str,
    ) -> Result<OutboundResponse, PushOutcome> {
        let base = match message.environment {
            Environment::Production => &self.options.base,
            Environment::Sandbox => &self.options.sandbox_base,
        };
        let token = message.token.as_str();
        if !token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            return Err(PushOutcome::TokenDead { since: None });
        }
        let bundle = &self.options.bundle;
        let (kind, topic) = match message.kind {
            PushKind::Alert => ("alert", bundle.clone()),
            PushKind::Start | PushKind::Update | PushKind::End => {
                ("liveactivity", format!("{bundle}.push-type.liveactivity"))
            }
        };
        let id = self.random.uuid_v4();
        let id = id.map_err(|_| PushOutcome::Again("no random numbers".to_owned()))?;
        let Ok(json) = serde_json::from_str::<Value>(body) else {
            return Err(PushOutcome::Dropped("no JSON".to_owned()));
        };
        let base = base.trim_end_matches('/');
        let mut request = self
            .client
            .post(&format!("{base}/3/device"))
            .secret_segment(token)
            .secret_header("authorization", &format!("bearer {jwt}"))
            .header("apns-topic", &topic)
            .header("apns-push-type", kind)
            .header("apns-priority", &message.priority.to_string())
            .header("apns-expiration", &message.expires_at.to_string())
            .header("apns-id", &id)
            .json(&json);
        if message.kind == PushKind::Alert {
            request = request.header("apns-collapse-id", &format!("match-{}", message.match_id));
        }
        request.send().await.map_err(|error| PushOutcome::Again(error.to_string()))
    }
}

impl PushSender for Apns {
    fn name(&self) -> &'static str {
        "apns"
    }

    fn send<'a>(&'a self, message: &'a PushMessage) -> BoxFuture<'a, PushOutcome> {
        Box::pin(self.send_once(message))
    }
}
