//! Properties of all operations of a system, checked with one table of requests.
//!
//! The table is the authorization matrix: each row is sent as the first caller it admits. A system
//! thus writes down its requests once.

mod effects;
mod mask;
mod requests;

use crate::faults::{Fault, FaultPlan};
use crate::matrix::first_allowed;
use crate::server::{TestClient, TestResponse, TestServer};
use effects::{Baseline, Effects};
use hyper::Method;
use hyper::body::Bytes;
use mask::Mask;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A hang guard, far longer than any operation takes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time for the server to notice a disconnected client. It may also notice later.
const NOTICE: Duration = Duration::from_millis(10);
/// How long an abandoned request may go on where the store looks idle: the machine may be too busy
/// to run it.
const LINGER_MAX: Duration = Duration::from_secs(20);
/// The same bug often shows in many rows.
const COMPLAINTS_MAX: usize = 40;

/// A request that can be sent any number of times.
#[derive(Clone)]
pub struct TestRequest {
    /// The sender.
    pub client: TestClient,
    /// The HTTP method.
    pub method: Method,
    /// The path from the server's root.
    pub path: String,
    /// The request body.
    pub body: Bytes,
}

impl TestRequest {
    /// A request with an optional JSON body.
    pub fn new(client: &TestClient, method: Method, path: &str, body: Option<Value>) -> Self {
        let (client, body) = match body {
            Some(body) => {
                (client.with_header("content-type", "application/json"), body.to_string())
            }
            None => (client.clone(), String::new()),
        };
        Self { client, method, path: path.to_owned(), body: body.into() }
    }

    fn with_key(&self, key: Option<&str>) -> Self {
        let client = match key {
            Some(key) => self.client.with_header("idempotency-key", key),
            None => self.client.clone(),
        };
        Self { client, ..self.clone() }
    }

    /// Sends the request.
    pub async fn send(&self) -> TestResponse {
        self.client.send_bytes(self.method.clone(), &self.path, self.body.clone()).await
    }
}

/// The laws of one system. Its server runs on [`TestStore::faulty`](crate::TestStore::faulty).
///
/// `request` makes the request of a matrix row for a caller, and may write data that the request
/// needs. It is called once per row.
///
/// ```no_run
/// # use singlet_testing::{Law, TestRequest, TestServer, TestStore};
/// # async fn check(server: TestServer, table: &str) {
/// let law = Law::new(&server, "guestbook", table, async |row, caller| {
///     let client = server.as_user(caller, &[]);
///     match row {
///         "sign" => {
///             let body = serde_json::json!({"text": "Hello"});
///             TestRequest::new(&client, "POST".parse().unwrap(), "/guestbook/entries", Some(body))
///         }
///         other => panic!("no request for {other}"),
///     }
/// });
/// law.check_faults().await;
/// # }
/// ```
pub struct Law<'a, F> {
    server: &'a TestServer,
    system: &'a str,
    table: &'a str,
    request: F,
    steps: &'a [&'a str],
    idle: &'a [&'a str],
    caches: &'a [&'a str],
    /// Exceptions that a check has needed.
    needed: RefCell<BTreeSet<&'a str>>,
    plan: Arc<FaultPlan>,
}

/// A matrix row with its request.
struct LawCase {
    name: String,
    request: TestRequest,
    /// The Idempotency-Key, if the operation takes one.
    key: Option<String>,
    /// The path with parameters.
    template: String,
    baseline: Baseline,
}

/// The effects of a request without faults.
struct Undisturbed {
    done: Vec<String>,
    mask: Mask,
    /// The effects of executing it twice, for operations that only a key protects.
    twice: Vec<String>,
    requests: usize,
}

impl<'a, F: AsyncFn(&str, &str) -> TestRequest> Law<'a, F> {
    /// The laws for the operations in this matrix.
    pub fn new(server: &'a TestServer, system: &'a str, table: &'a str, request: F) -> Self {
        let plan = server.store.plan();
        plan.spare_kit();
        let needed = RefCell::default();
        Self { server, system, table, request, steps: &[], idle: &[], caches: &[], needed, plan }
    }

    /// Operations with several writes, which a fault may leave unfinished. A repetition completes
    /// them.
    #[must_use]
    pub fn steps(self, steps: &'a [&'a str]) -> Self {
        Self { steps, ..self }
    }

    /// Rows of writing operations that succeed without an effect. Any other row must have one, or its
    /// faults would be tested on a request that writes nothing.
    #[must_use]
    pub fn idle(self, idle: &'a [&'a str]) -> Self {
        Self { idle, ..self }
    }

    /// Whether an exception is declared. A check fails if it does not need one of its exceptions.
    fn is_excepted(&self, exceptions: &[&'a str], name: &str) -> bool {
        let found = exceptions.iter().find(|exception| **exception == name);
        found.is_some_and(|exception| {
            self.needed.borrow_mut().insert(exception);
            true
        })
    }

    /// Fails with the complaints of a check and its unneeded exceptions.
    fn expect_none(&self, mut complaints: Vec<String>, exceptions: &[&str]) {
        let needed = self.needed.take();
        let unneeded = exceptions.iter().filter(|exception| !needed.contains(**exception));
        complaints.extend(unneeded.map(|name| format!("{name} is an exception without a need")));
        let count = complaints.len();
        complaints.truncate(COMPLAINTS_MAX);
        assert!(count == 0, "{count} complaints:\n- {}", complaints.join("\n- "));
    }

    /// Read operations that fill a cache in the store.
    #[must_use]
    pub fn caches(self, caches: &'a [&'a str]) -> Self {
        Self { caches, ..self }
    }

    /// Fails each store request of every writing operation in turn, in each way of [`Fault`], and
    /// repeats the operation. Then:
    ///
    /// - a fault is a 5xx or has no effect;
    /// - the effects are stored completely or not at all, and completely after a 2xx;
    /// - after the repetition the store is as after an undisturbed request. If only the key
    ///   prevents a second execution, its effects may be there twice: the kit's record and the
    ///   write are separate.
    ///
    /// Requests to the kit's table do not fail, except in a crash.
    ///
    /// # Panics
    ///
    /// If a property does not hold.
    pub async fn check_faults(&self) {
        let complaints = self.for_each(async |case, complaints| {
            let Some(expected) = self.undisturbed(case, complaints).await else { return };
            for number in 0..expected.requests {
                for fault in [Fault::Lost(number), Fault::AnswerLost(number), Fault::Crash(number)]
                {
                    if let Err(complaint) = self.check_fault(case, &expected, fault).await {
                        complaints.push(format!("{}, {fault:?}: {complaint}", case.name));
                    }
                    self.reset(case).await;
                }
            }
        });
        self.expect_none(complaints.await, &[self.steps, self.idle].concat());
    }

    async fn check_fault(
        &self,
        case: &LawCase,
        expected: &Undisturbed,
        fault: Fault,
    ) -> Result<(), String> {
        let request = case.request.with_key(case.key.as_deref());
        self.plan.arm(Some(fault));
        let response = request.send().await;
        self.settle().await;
        self.plan.arm(None);
        let stored = self.stored(case, &expected.mask).await;
        let (is_done, is_told) = (stored == expected.done, response.status < 300);
        if (300..500).contains(&response.status) {
            return Err(format!("answers {} {}", response.status, response.code()));
        }
        if !is_done && is_told {
            return Err(format!("answers {}, and stored {stored:#?}", response.status));
        }
        let is_partial = !is_done && !stored.is_empty();
        if is_partial && !self.is_excepted(self.steps, operation_of(&case.name)) {
            return Err(format!("is stored in part: {stored:#?}"));
        }
        self.repeat(case, expected, is_done).await
    }

    /// Repeats a request, as a client does without an answer.
    async fn repeat(
        &self,
        case: &LawCase,
        expected: &Undisturbed,
        is_done: bool,
    ) -> Result<(), String> {
        let request = case.request.with_key(case.key.as_deref());
        let mut again = request.send().await;
        if again.code() == "in-progress" {
            // The fault left the key in progress: free it, as the passing of a minute would.
            case.baseline.undo_kit(&self.server.store, &self.plan).await;
            again = request.send().await;
        }
        self.settle().await;
        let stored = self.stored(case, &expected.mask).await;
        let is_right = stored == expected.done || (is_done && stored == expected.twice);
        let answer = format!("{} {}", again.status, again.code());
        if !is_right {
            let done = &expected.done;
            return Err(format!("repeated ({answer}) it left {stored:#?}, not {done:#?}"));
        }
        match again.status {
            200..300 => Ok(()),
            400..500 if is_done => Ok(()),
            _ => Err(format!("repeated it answers {answer}")),
        }
    }

    /// Disconnects the client of every writing operation during each of its store requests, and
    /// repeats the operation: the key is free at once or the answer is kept, and the store is as
    /// after an undisturbed request.
    ///
    /// # Panics
    ///
    /// If a property does not hold.
    pub async fn check_departures(&self) {
        let complaints = self.for_each(async |case, complaints| {
            let Some(expected) = self.undisturbed(case, complaints).await else { return };
            for number in 0..expected.requests {
                if let Err(complaint) = self.check_departure(case, &expected, number).await {
                    complaints.push(format!("{}, gone at {number}: {complaint}", case.name));
                }
                self.reset(case).await;
            }
        });
        self.expect_none(complaints.await, self.idle);
    }

    async fn check_departure(
        &self,
        case: &LawCase,
        expected: &Undisturbed,
        number: usize,
    ) -> Result<(), String> {
        let request = case.request.with_key(case.key.as_deref());
        let pause = self.plan.arm_pause(number);
        let (method, path) = (request.method.clone(), request.path.as_str());
        let sending = request.client.begin(method, path, request.body.clone()).await;
        let reached = tokio::time::timeout(PATIENCE, pause.reached.acquire()).await;
        sending.leave();
        tokio::time::sleep(NOTICE).await;
        pause.released.close();
        self.settle().await;
        self.plan.arm(None);
        if reached.is_err() {
            return Err("the request is not made".to_owned());
        }
        let since = tokio::time::Instant::now();
        let again = loop {
            let again = request.send().await;
            if again.code() != "in-progress" {
                break again;
            }
            if since.elapsed() > PATIENCE {
                return Err("its key is held".to_owned());
            }
            tokio::time::sleep(NOTICE).await;
        };
        // Without a key, only the operation itself can detect a repetition.
        let may_be_twice = case.key.is_none();
        let is_right = |stored: &[String]| {
            stored == expected.done || (may_be_twice && stored == expected.twice)
        };
        let since = tokio::time::Instant::now();
        let stored = loop {
            self.settle().await;
            let stored = self.stored(case, &expected.mask).await;
            if is_right(&stored) || since.elapsed() > LINGER_MAX {
                break stored;
            }
        };
        if !is_right(&stored) {
            return Err(format!("repeated ({}) it left {stored:#?}", again.status));
        }
        match again.status {
            200..300 => Ok(()),
            400..500 if case.key.is_none() => Ok(()),
            status => Err(format!("repeated it answers {status} {}", again.code())),
        }
    }

    /// A malformed path parameter is a 404 with the same problem in all operations, and writes
    /// nothing. The kit rejects parameters that are too long or not UTF-8.
    ///
    /// Parameters and operations in `any` only must not fail or write.
    ///
    /// # Panics
    ///
    /// If a property does not hold.
    pub async fn check_ids(&self, any: &[&'a str]) {
        let codes: RefCell<BTreeMap<String, (String, String)>> = RefCell::default();
        let long = "a".repeat(3000);
        let odd = ["%20", "%00", "a%2Fb", "a%23b", "%2E%2E", "%25", "%F0%9F%98%80", "%FF", &long];
        let complaints = self.for_each(async |case, complaints| {
            let path = case.request.path.split('?').next().unwrap_or_default();
            let template = format!("/{}{}", self.system, case.template);
            let names: Vec<&str> = template.split('/').collect();
            let parts: Vec<&str> = path.split('/').collect();
            assert_eq!(names.len(), parts.len(), "{}: {template} and {path}", case.name);
            for (place, name) in names.iter().enumerate().filter(|(_, name)| name.starts_with('{'))
            {
                for odd in odd {
                    let mut parts = parts.clone();
                    parts[place] = odd;
                    let request = TestRequest { path: parts.join("/"), ..case.request.clone() };
                    let answer = request.send().await;
                    let (status, code) = (answer.status, answer.code());
                    let short: String = odd.chars().take(20).collect();
                    let shown = format!("{}, {name} = {short}", case.name);
                    let name = name.trim_matches(['{', '}']);
                    // `id` has another meaning after `/sites` than after `/players`.
                    let prefix = names[..=place].join("/");
                    let is_fine = match (status, code.as_str()) {
                        (400, "malformed") => odd == "%FF",
                        (404, "not-found") => odd == long,
                        _ => false,
                    };
                    if is_fine {
                        continue;
                    }
                    if any.contains(&name) || any.contains(&operation_of(&case.name)) {
                        let known = codes.borrow().get(&prefix).cloned();
                        if status >= 500 {
                            complaints.push(format!("{shown}: answers {status} {code}"));
                        } else if status != 404 || known.is_none_or(|(known, _)| known != code) {
                            self.is_excepted(any, name);
                            self.is_excepted(any, operation_of(&case.name));
                        }
                        continue;
                    }
                    if status != 404 {
                        complaints.push(format!("{shown}: answers {status} {code}"));
                        continue;
                    }
                    let mut codes = codes.borrow_mut();
                    let known = codes.entry(prefix).or_insert((code.clone(), shown.clone()));
                    if known.0 != code {
                        complaints.push(format!("{shown}: is {code}; {} is {}", known.1, known.0));
                    }
                }
            }
            if !case.baseline.effects(&self.server.store, &self.plan).await.is_empty() {
                complaints.push(format!("{}: a malformed id has written", case.name));
            }
        });
        self.expect_none(complaints.await, any);
    }

    /// Runs a check for all cases and returns all complaints.
    async fn for_each(&self, check: impl AsyncFn(&LawCase, &mut Vec<String>)) -> Vec<String> {
        let mut complaints = Vec::new();
        for operation in self.server.described_operations(self.system).await {
            if operation.is_stream {
                continue;
            }
            for (name, caller) in first_allowed(self.table, &operation.id) {
                let request = (self.request)(&name, &caller).await;
                self.settle().await;
                self.plan.take_written();
                let baseline = Baseline::of(&self.server.store).await;
                let key = operation.takes_key.then(|| new_key(&name));
                let template = operation.path.clone();
                let case = LawCase { name, request, key, template, baseline };
                check(&case, &mut complaints).await;
                self.reset(&case).await;
            }
        }
        complaints
    }

    /// The effects of a request without faults; `None` if it writes nothing.
    async fn undisturbed(
        &self,
        case: &LawCase,
        complaints: &mut Vec<String>,
    ) -> Option<Undisturbed> {
        if case.request.method == Method::GET {
            return None;
        }
        let request = case.request.with_key(case.key.as_deref());
        let mut runs = Vec::new();
        for _ in 0..2 {
            self.plan.arm(None);
            let response = request.send().await;
            self.settle().await;
            let requests = self.plan.count();
            let effects = case.baseline.effects(&self.server.store, &self.plan).await;
            if response.status >= 300 {
                let (status, code) = (response.status, response.code());
                complaints.push(format!("{}: answers {status} {code}", case.name));
                return None;
            }
            self.reset(case).await;
            runs.push((effects, requests));
        }
        // The first run may have filled a cache in memory.
        let [(first, _), (second, requests)] = runs.try_into().ok()?;
        let mask = Mask::of(&first, &second);
        let done = mask.apply(&first);
        if done != mask.apply(&second) {
            let name = &case.name;
            complaints
                .push(format!("{name}: two runs differ: {done:#?} {:#?}", mask.apply(&second)));
        }
        if done.is_empty() {
            if !self.is_excepted(self.idle, &case.name) {
                complaints.push(format!("{}: succeeds, and has no effect", case.name));
            }
            return None;
        }
        for _ in 0..2 {
            case.request.send().await;
        }
        self.settle().await;
        let twice = self.stored(case, &mask).await;
        self.reset(case).await;
        Some(Undisturbed { done, mask, twice, requests })
    }

    async fn stored(&self, case: &LawCase, mask: &Mask) -> Vec<String> {
        let effects: Effects = case.baseline.effects(&self.server.store, &self.plan).await;
        mask.apply(&effects)
    }

    async fn reset(&self, case: &LawCase) {
        self.plan.arm(None);
        case.baseline.undo(&self.server.store, &self.plan).await;
    }

    /// Waits until the store is idle: an answer may precede the last write.
    async fn settle(&self) {
        let mut last = self.plan.activity();
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let now = self.plan.activity();
            if now.0 && now == last {
                return;
            }
            last = now;
        }
    }
}

/// Declares the [`Law`] tests of a system: `law` takes the result of `server` by reference.
/// `requests` is the file for [`Law::check_requests`], relative to the package, and `any_ids` the
/// exceptions for [`Law::check_ids`].
///
/// ```no_run
/// # use singlet_testing::{Law, TestRequest, TestServer, law_tests};
/// # async fn server() -> TestServer { unimplemented!() }
/// # fn law(server: &TestServer) -> Law<'_, impl AsyncFn(&str, &str) -> TestRequest> {
/// #     Law::new(server, "notes", "", async |_, _| unimplemented!())
/// # }
/// law_tests! { requests: "tests/notes/requests.txt", any_ids: ["season"] }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! law_tests {
    (requests: $requests:literal, any_ids: $any:expr $(,)?) => {
        $crate::law_tests! {
            @each
            requests_to_the_store_are_as_written_down =>
                check_requests(concat!(env!("CARGO_MANIFEST_DIR"), "/", $requests));
            faults_leave_all_or_nothing => check_faults();
            clients_that_go_away_can_repeat => check_departures();
            malformed_ids_are_not_found => check_ids(&$any);
        }
    };
    (@each $($test:ident => $check:ident($($argument:expr)?);)+) => {
        $(
            #[test]
            fn $test() {
                $crate::run(async {
                    let server = server().await;
                    law(&server).$check($($argument)?).await;
                });
            }
        )+
    };
}

fn operation_of(row: &str) -> &str {
    row.split(" (").next().unwrap_or_default()
}

/// An idempotency key that is the same for all attempts of a case.
fn new_key(name: &str) -> String {
    let letters = name.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
    format!("5b8e5f0c-3b0e-4f53-{letters:016x}")
}
