//! What phones get: who gets what, dead tokens, and the adapter for APNs against an HTTP/2 server
//! on this machine.

use crate::feeds::feed_match;
use crate::fixture::{MINUTE, match_id, scheduled, team_id, token, user_id};
use crate::instances::{FakeFeed, Server, prepare};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use cricket::design::Environment;
use cricket::feed::{Feed as _, SportMonks, SportMonksOptions};
use cricket::jobs::Jobs;
use cricket::push::{
    Apns, ApnsOptions, LogSender, ProviderKey, PushKind, PushMessage, PushOutcome, PushSender as _,
    fit,
};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _,
    UnparsedPublicKey,
};
use serde_json::{Value, json};
use singlet_testing::{Log, TestStore, at_once, run};
use singlet_web::random::Random;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

const ID: &str = "9000001";

pub(crate) async fn live_match(store: &TestStore) -> (Arc<FakeFeed>, Server) {
    let service = prepare(store).await;
    let fixture = scheduled(ID, service.db.now());
    assert!(service.fixtures.create(&fixture).await.unwrap());
    let feed = FakeFeed::new(store.clock.clone());
    feed.listed.lock().unwrap().push(feed_match("T20", "1st Innings", 8));
    let server = Server::on(store, feed.clone()).await;
    server.pass().await;
    (feed, server)
}

/// The feed lists one more ball of its first match.
pub(crate) fn add_ball(feed: &FakeFeed, score: &Value) {
    let mut listed = feed.listed.lock().unwrap();
    let balls = &mut listed[0].balls;
    let mut next = balls.last().unwrap().clone();
    next.id += 1;
    let number = balls.len();
    next.label = Some(format!("{}.{}", number / 6, number % 6 + 1));
    next.batsmanout_id = Some("1001".into());
    next.score = cricket::feed::shape::FeedScore::from_json(score).unwrap();
    balls.push(next);
}

/// Bowls these balls, and ticks until the last one is confirmed.
async fn bowl(store: &TestStore, feed: &FakeFeed, server: &Server, scores: &[Value]) {
    for score in scores {
        add_ball(feed, score);
        for _ in 0..2 {
            store.clock.advance(2_500);
            server.pass().await;
        }
    }
}

#[test]
fn case_28_one_event_one_buzz() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.phone_of("asha", false).await;
        server.follow("asha", ID, "101").await;
        server.subscribe("asha", ID, "101").await;
        server.phone_of("ben", false).await;
        server.follow("ben", ID, "102").await;
        server.phone.take();
        bowl(&store, &feed, &server, &[json!({"name": "1 Run", "runs": 1})]).await;
        let single = server.phone.take();
        assert!(!single.is_empty());
        for message in &single {
            assert_eq!((message.kind, message.priority), (PushKind::Update, 5));
            assert!(message.payload["aps"]["alert"].is_null());
        }
        let out = json!({"name": "Clean Bowled", "runs": 0, "is_wicket": true, "out": true});
        bowl(&store, &feed, &server, &[out]).await;
        let sent = server.phone.take();
        let alerts: Vec<&PushMessage> =
            sent.iter().filter(|one| one.payload["aps"]["alert"].is_object()).collect();
        assert_eq!(alerts.len(), 2, "{sent:?}");
        let to = |user: &str| *alerts.iter().find(|one| one.user.as_str() == user).unwrap();
        let asha = to("asha");
        assert_eq!((asha.kind, asha.priority), (PushKind::Update, 10));
        assert_eq!(asha.payload["aps"]["alert"]["title"], "Wicket lost HAR 9/1 (1.4)");
        let ben = to("ben");
        assert_eq!((ben.kind, ben.priority), (PushKind::Alert, 10));
        assert_eq!(ben.payload["aps"]["alert"]["title"], "WICKET! HAR 9/1 (1.4)");
        assert_eq!(ben.payload["kind"], "wicket");
        assert!(sent.iter().all(|one| one.user.as_str() != "asha" || one.kind != PushKind::Alert));
    });
}

#[test]
fn case_26_each_follower_is_reminded_once() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        let start = service.db.now().after(28 * MINUTE);
        assert!(service.fixtures.create(&scheduled(ID, start)).await.unwrap());
        let feed = FakeFeed::new(store.clock.clone());
        let one = Arc::new(Server::on(&store, feed.clone()).await);
        let two = Arc::new(Server::on(&store, feed).await);
        for number in 0..1_000 {
            let user = format!("user-{number}");
            one.phone_of(&user, false).await;
            one.follow(&user, ID, "neutral").await;
        }
        let servers = [one.clone(), two.clone()];
        let sent = at_once(2, |number| {
            let server = servers[number].clone();
            async move { server.jobs.send_reminders().await.unwrap() }
        })
        .await;
        assert_eq!(sent.iter().sum::<usize>(), 1_000);
        let all: Vec<PushMessage> = [one.phone.take(), two.phone.take()].concat();
        assert_eq!(all.len(), 1_000);
        let alert = &all[0].payload["aps"]["alert"];
        assert_eq!(alert["title"], "HAR v KIN starts in 28 min");
        assert_eq!(alert["body"], "Coastal T20 League, Harbour Oval");
        for server in [&one, &two] {
            assert_eq!(server.jobs.send_reminders().await.unwrap(), 0);
        }
    });
}

/// Who follows a live match gets its activity at once: one that day, and none beside another one.
#[test]
fn who_follows_a_live_match_gets_an_activity_at_once() {
    run(async {
        let store = TestStore::memory();
        let (_, server) = live_match(&store).await;
        for user in ["asha", "ben"] {
            server.phone_of(user, true).await;
            server.follow(user, ID, "101").await;
        }
        let fixture = server.fixture(ID).await;
        let (id, ben, team) = (match_id(ID), user_id("ben"), team_id("101"));
        let activity = token("activity-ben");
        server.service.register_activity(&id, &ben, &activity, &team).await.unwrap();
        let follow_of = async |user: &str| {
            server.service.follows.get(&match_id(ID), &user_id(user)).await.unwrap().unwrap()
        };
        let start = async |user: &str| {
            server.jobs.start_for(&fixture, &follow_of(user).await).await.unwrap()
        };
        assert_eq!((start("asha").await, start("ben").await), (true, false));
        assert!(!start("asha").await, "once a day");
        // Who stops and follows again gets it again.
        server.service.unfollow_match(&id, &user_id("asha")).await.unwrap();
        server.follow("asha", ID, "101").await;
        assert!(start("asha").await);
        let sent = server.phone.take();
        assert_eq!(sent.iter().filter(|one| one.kind == PushKind::Start).count(), 2);
    });
}

/// The token of an activity comes after its user has stopped to follow the match: the activity is
/// not registered, and ends.
#[test]
fn an_activity_that_registers_itself_too_late_ends() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        let jobs = Jobs::new(&server.service, feed, None, Arc::new(LogSender)).unwrap();
        server.phone_of("asha", true).await;
        server.follow("asha", ID, "101").await;
        let (id, asha) = (match_id(ID), user_id("asha"));
        let follow = server.service.follows.get(&id, &asha).await.unwrap().unwrap();
        assert!(jobs.start_for(&server.fixture(ID).await, &follow).await.unwrap());
        server.service.unfollow_match(&id, &asha).await.unwrap();
        let kinds = || {
            let messages = jobs.outbox().messages(&asha);
            messages.iter().map(|one| one.kind).collect::<Vec<_>>()
        };
        let ended = async {
            while kinds() != [PushKind::End, PushKind::Start] {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(MINUTE, ended).await.unwrap();
        let own = futures_util::StreamExt::count(server.service.subscriptions.of_match(&id)).await;
        assert_eq!(own, 0);
    });
}

#[test]
fn the_toss_is_pushed_once() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        let start = service.db.now().after(20 * MINUTE);
        assert!(service.fixtures.create(&scheduled(ID, start)).await.unwrap());
        let feed = FakeFeed::new(store.clock.clone());
        let mut listed = feed_match("T20", "NS", 0);
        feed.others.lock().unwrap().push(listed.clone());
        let server = Server::on(&store, feed.clone()).await;
        server.phone_of("asha", false).await;
        server.follow("asha", ID, "101").await;
        assert_eq!(server.jobs.watch_tosses().await.unwrap(), 0);
        (listed.toss_won_team_id, listed.elected) = (Some("102".into()), Some("bowling".into()));
        *feed.others.lock().unwrap() = vec![listed];
        assert_eq!(server.jobs.watch_tosses().await.unwrap(), 1);
        let alert = server.phone.take().remove(0).payload["aps"]["alert"].clone();
        assert_eq!(
            alert,
            json!({"title": "Toss: KIN chose to bowl", "body": "Harbour Hawks bat first"})
        );
        assert_eq!(server.jobs.watch_tosses().await.unwrap(), 0);
        let fixture = server.fixture(ID).await;
        assert_eq!((fixture.phase.as_str(), fixture.sequence), ("toss", 1));
    });
}

#[test]
fn case_27_dead_tokens_are_removed_and_busy_services_are_asked_again() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        let out = json!({"name": "Clean Bowled", "runs": 0, "is_wicket": true, "out": true});
        let now = || store.clock.now().as_millis();
        let devices = &server.service.devices;
        server.phone_of("asha", false).await;
        server.follow("asha", ID, "101").await;
        // Dead since before the app was launched: the device has a new life.
        let dead = PushOutcome::TokenDead { since: Some(now() - 1_000) };
        server.phone.outcomes.lock().unwrap().push_back(dead);
        bowl(&store, &feed, &server, std::slice::from_ref(&out)).await;
        assert!(devices.of_user(&user_id("asha")).await.unwrap().is_some());
        let dead = PushOutcome::TokenDead { since: Some(now() + 1_000) };
        server.phone.outcomes.lock().unwrap().push_back(dead);
        bowl(&store, &feed, &server, std::slice::from_ref(&out)).await;
        assert_eq!(devices.of_user(&user_id("asha")).await.unwrap(), None);
        // An activity's token.
        server.phone_of("ben", false).await;
        server.subscribe("ben", ID, "102").await;
        server.phone.outcomes.lock().unwrap().push_back(PushOutcome::TokenDead { since: None });
        bowl(&store, &feed, &server, &[json!({"name": "1 Run", "runs": 1})]).await;
        let gone = server.service.subscriptions.remove(&match_id(ID), &token("activity-ben")).await;
        assert!(!gone.unwrap());
        server.follow("ben", ID, "102").await;
        server.phone.take();
        let busy = PushOutcome::Again("503".into());
        *server.phone.outcomes.lock().unwrap() = VecDeque::from([busy.clone(), busy]);
        let start = Instant::now();
        bowl(&store, &feed, &server, &[out]).await;
        let took = start.elapsed();
        assert_eq!(server.phone.take().len(), 1);
        assert!(took >= Duration::from_millis(2_400), "{took:?}");
    });
}

#[test]
fn a_wrong_setting_closes_the_way_for_five_minutes() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.phone_of("asha", false).await;
        server.subscribe("asha", ID, "101").await;
        let wrong = PushOutcome::Misconfigured("403 InvalidProviderToken".into());
        server.phone.outcomes.lock().unwrap().push_back(wrong);
        let single = json!({"name": "1 Run", "runs": 1});
        bowl(&store, &feed, &server, std::slice::from_ref(&single)).await;
        assert!(server.phone.take().is_empty());
        assert!(server.jobs.feed_status().push_closed_until.is_some());
        store.clock.advance(300_000);
        bowl(&store, &feed, &server, &[single]).await;
        assert!(!server.phone.take().is_empty());
    });
}

type Seen = Arc<Mutex<Vec<(String, HeaderMap, Bytes, Version)>>>;

/// A server like Apple's: notes requests, and answers as it is told to.
async fn apple(answers: Vec<(u16, &'static str)>) -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let seen: Seen = Arc::default();
    let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
    let noted = seen.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (noted, answers) = (noted.clone(), answers.clone());
            let handler = service_fn(move |request: Request<Incoming>| {
                let (noted, answers) = (noted.clone(), answers.clone());
                async move {
                    let (head, body) = request.into_parts();
                    let body = body.collect().await.unwrap().to_bytes();
                    let path = head.uri.path().to_owned();
                    noted.lock().unwrap().push((path, head.headers, body, head.version));
                    let (status, text) = answers.lock().unwrap().pop_front().unwrap_or((200, ""));
                    let answer = Response::builder().status(status).body(Full::<Bytes>::from(text));
                    Ok::<_, Infallible>(answer.unwrap())
                }
            });
            tokio::spawn(async move {
                let builder = auto::Builder::new(TokioExecutor::new());
                let _ = builder.serve_connection(TokioIo::new(stream), handler).await;
            });
        }
    });
    (base, seen)
}

fn key() -> (ProviderKey, Vec<u8>) {
    let random = SystemRandom::new();
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &random).unwrap();
    let key = ProviderKey::from_der("KEY123", "TEAM456", der.as_ref()).unwrap();
    (key, pair.public_key().as_ref().to_vec())
}

fn message(kind: PushKind, payload: Value) -> PushMessage {
    PushMessage {
        user: user_id("asha"),
        match_id: match_id(ID),
        token: token("0badcafe0badcafe0badcafe"),
        environment: Environment::Production,
        kind,
        payload,
        priority: 10,
        expires_at: 1_794_753_060,
        sequence: None,
    }
}

fn adapter(base: &str, key: ProviderKey, clock: &singlet::engine::Clock) -> Apns {
    let options = ApnsOptions {
        base: base.to_owned(),
        sandbox_base: base.to_owned(),
        bundle: "com.example.cricket".into(),
        key,
        http2_only: true,
    };
    Apns::new(options, clock.clone(), Random::new())
}

#[test]
fn apns_gets_http_2_with_a_signed_token_and_its_headers() {
    run(async {
        let clock = singlet_testing::fixed_clock();
        let (base, seen) = apple(vec![]).await;
        let (key, public) = key();
        let apns = adapter(&base, key, &clock);
        let alert = json!({"aps": {"alert": {"title": "WICKET!"}}, "matchId": ID});
        assert_eq!(
            apns.send(&message(PushKind::Alert, alert.clone())).await,
            PushOutcome::Delivered
        );
        let update = json!({"aps": {"event": "update", "content-state": {}}});
        assert_eq!(apns.send(&message(PushKind::Update, update)).await, PushOutcome::Delivered);
        let seen = seen.lock().unwrap();
        let (path, headers, body, version) = &seen[0];
        assert_eq!(
            (path.as_str(), *version),
            ("/3/device/0badcafe0badcafe0badcafe", Version::HTTP_2)
        );
        let header = |name: &str| headers.get(name).unwrap().to_str().unwrap();
        assert_eq!(header("apns-topic"), "com.example.cricket");
        assert_eq!((header("apns-push-type"), header("apns-priority")), ("alert", "10"));
        assert_eq!(header("apns-expiration"), "1794753060");
        assert_eq!(header("apns-collapse-id"), "match-9000001");
        assert_eq!(header("apns-id").len(), 36);
        assert_eq!(serde_json::from_slice::<Value>(body).unwrap(), alert);
        let jwt = header("authorization").strip_prefix("bearer ").unwrap();
        let (signed, signature) = jwt.rsplit_once('.').unwrap();
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
        public.verify(signed.as_bytes(), &signature).unwrap();
        let part = |text: &str| -> Value {
            serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
        };
        let (head, claims) = signed.split_once('.').unwrap();
        assert_eq!(part(head), json!({"alg": "ES256", "kid": "KEY123"}));
        assert_eq!(part(claims), json!({"iss": "TEAM456", "iat": clock.now().as_millis() / 1000}));
        let (_, headers, _, _) = &seen[1];
        assert_eq!(headers["apns-topic"], "com.example.cricket.push-type.liveactivity");
        assert_eq!(headers["apns-push-type"], "liveactivity");
        assert!(headers.get("apns-collapse-id").is_none());
    });
}

#[test]
fn a_provider_token_is_kept_for_40_minutes() {
    let (key, _) = key();
    let first = key.token(0).unwrap();
    assert_eq!(key.token(40 * 60 - 1).unwrap(), first);
    assert_eq!(key.renewed(20 * 60 - 1).unwrap(), first);
    assert_ne!(key.renewed(20 * 60).unwrap(), first);
    let (key, _) = self::key();
    let first = key.token(0).unwrap();
    assert_ne!(key.token(40 * 60).unwrap(), first);
    assert!(ProviderKey::from_pem("k", "t", "-----BEGIN PRIVATE KEY-----\nAAAA\n").is_err());
}

#[test]
fn answers_of_apns() {
    run(async {
        let clock = singlet_testing::fixed_clock();
        let dead = |since| PushOutcome::TokenDead { since };
        for (status, text, expected) in [
            (400, r#"{"reason":"BadDeviceToken"}"#, dead(None)),
            (400, r#"{"reason":"DeviceTokenNotForTopic"}"#, dead(None)),
            (
                410,
                r#"{"reason":"Unregistered","timestamp":1794753000000}"#,
                dead(Some(1_794_753_000_000)),
            ),
            (
                403,
                r#"{"reason":"InvalidProviderToken"}"#,
                PushOutcome::Misconfigured("403 InvalidProviderToken".into()),
            ),
            (400, r#"{"reason":"BadTopic"}"#, PushOutcome::Misconfigured("400 BadTopic".into())),
            (
                429,
                r#"{"reason":"TooManyRequests"}"#,
                PushOutcome::Again("429 TooManyRequests".into()),
            ),
            (503, "", PushOutcome::Again("503 ".into())),
            (
                405,
                r#"{"reason":"MethodNotAllowed"}"#,
                PushOutcome::Dropped("405 MethodNotAllowed".into()),
            ),
        ] {
            let (base, _) = apple(vec![(status, text)]).await;
            let apns = adapter(&base, key().0, &clock);
            let outcome = apns.send(&message(PushKind::Update, json!({"aps": {}}))).await;
            assert_eq!(outcome, expected, "{status} {text}");
        }
        // A token that is old enough is made anew, and a large payload is trimmed: once each.
        let (base, seen) = apple(vec![(403, r#"{"reason":"ExpiredProviderToken"}"#)]).await;
        let apns = adapter(&base, key().0, &clock);
        let sent =
            message(PushKind::Update, json!({"aps": {"content-state": {"thisOver": ["1"]}}}));
        apns.send(&sent).await;
        clock.advance(21 * 60_000);
        let (base, seen_large) = apple(vec![(413, r#"{"reason":"PayloadTooLarge"}"#)]).await;
        let large = adapter(&base, key().0, &clock);
        assert_eq!(large.send(&sent).await, PushOutcome::Delivered);
        let seen_large = seen_large.lock().unwrap();
        assert_eq!(seen_large.len(), 2);
        assert!(String::from_utf8_lossy(&seen_large[1].2).contains(r#""thisOver":null"#));
        assert_eq!(seen.lock().unwrap().len(), 1, "the token was new: kept, and tried later");
    });
}

#[test]
fn case_30_a_payload_fits_and_no_log_has_a_token() {
    let state = json!({
        "headline": "x".repeat(1_000), "thisOver": ["6".repeat(1_500)], "bowler": "b".repeat(1_500),
        "batters": ["a".repeat(1_000)],
    });
    let large = json!({"aps": {"event": "update", "content-state": state}});
    assert!(large.to_string().len() > 5_000);
    let text = fit(&large).unwrap();
    assert!(text.len() <= 4_096, "{}", text.len());
    let kept: Value = serde_json::from_str(&text).unwrap();
    assert!(kept["aps"]["content-state"]["thisOver"].is_null());
    assert!(kept["aps"]["content-state"]["batters"].is_array());

    let log = Log::all();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guard = tracing::subscriber::set_default(log.clone());
    let jwt = runtime.block_on(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.phone_of("asha", false).await;
        server.follow("asha", ID, "101").await;
        server.subscribe("ben", ID, "101").await;
        *server.phone.outcomes.lock().unwrap() = VecDeque::from([
            PushOutcome::TokenDead { since: None },
            PushOutcome::Dropped("405".into()),
        ]);
        let out = json!({"name": "Clean Bowled", "runs": 0, "is_wicket": true, "out": true});
        bowl(&store, &feed, &server, std::slice::from_ref(&out)).await;
        // The same with the adapter that logs.
        let logging = Jobs::new(&server.service, feed.clone(), None, Arc::new(LogSender)).unwrap();
        server.jobs.release_feed_lock().await.unwrap();
        server.phone_of("asha", false).await;
        server.subscribe("ben", ID, "101").await;
        add_ball(&feed, &out);
        let mut logged = 0;
        for _ in 0..3 {
            store.clock.advance(2_500);
            logging.live_score_pass().await.unwrap();
            logged += logging.push_orders().await.unwrap();
        }
        assert!(logged >= 2, "{logged} messages: an alert for Asha, an update for Ben");
        let (base, seen) = apple(vec![(503, ""), (400, r#"{"reason":"BadDeviceToken"}"#)]).await;
        let apns = adapter(&base, key().0, &store.clock);
        for _ in 0..3 {
            apns.send(&message(PushKind::Update, large.clone())).await;
        }
        // Nobody listens there.
        let nowhere = adapter("http://127.0.0.1:9", key().0, &store.clock);
        let outcome = nowhere.send(&message(PushKind::Alert, json!({"aps": {}}))).await;
        assert!(!format!("{outcome:?}").contains("0badcafe"), "{outcome:?}");
        // The same of the feed: one that answers, and one that does not.
        let (answering, _) = apple(vec![(500, "")]).await;
        for base in [answering.as_str(), "http://127.0.0.1:9"] {
            let feed = SportMonks::new(SportMonksOptions::new(base, "hush"), store.clock.clone());
            let error = feed.live().await.unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hush"), "{error}");
        }
        let seen = seen.lock().unwrap();
        assert!(seen.iter().all(|(_, _, body, _)| body.len() <= 4_096));
        seen[0].1["authorization"].to_str().unwrap().strip_prefix("bearer ").unwrap().to_owned()
    });
    drop(guard);
    let log = log.text();
    assert!(log.contains("asked another service"), "{log}");
    assert!(log.contains("a push was logged"), "{log}");
    for secret in ["0badcafe", "activity-ben", "device-asha", &jwt, "api_token", "hush"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
