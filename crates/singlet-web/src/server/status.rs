//! Status pages for clients on this machine: metrics and jobs.

use crate::api::Json;
use crate::identity::is_forwarded;
use crate::job::{JobStatus, JobStatuses};
use crate::limit::ClientLimits;
use crate::live::{Live, LiveFigures};
use crate::metrics::{Metrics, in_braces, written};
use crate::page::escape;
use crate::problem::{NOT_FOUND, Problem};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use singlet_edge::{Exposition, host};
use std::fmt::Write as _;

/// Sources of the status pages.
#[derive(Clone)]
pub(super) struct Status {
    metrics: Metrics,
    jobs: JobStatuses,
    lives: Vec<(&'static str, Live)>,
}

impl Status {
    pub(super) fn new(
        metrics: &Metrics,
        jobs: &JobStatuses,
        lives: Vec<(&'static str, Live)>,
    ) -> Self {
        Self { metrics: metrics.clone(), jobs: jobs.clone(), lives }
    }

    pub(super) fn into_router(self) -> Router {
        let router = Router::new().route("/metrics", get(metrics)).route("/jobs", get(jobs));
        for_this_machine(router.with_state(self))
    }

    fn write_lives(&self, page: &mut Exposition) {
        if self.lives.is_empty() {
            return;
        }
        let figures: Vec<_> = self
            .lives
            .iter()
            .map(|(system, live)| (in_braces(&written(&[("system", system)])), live.figures()))
            .collect();
        let mut family = |name, kind, help, value: fn(&LiveFigures) -> u64| {
            page.family(name, kind, help);
            for (labels, one) in &figures {
                page.sample(name, labels, value(one));
            }
        };
        family("singlet_web_topics", "gauge", "Topics that are watched.", |one| one.topics as u64);
        family("singlet_web_subscribers", "gauge", "Subscribers of topics.", |one| {
            one.subscribers as u64
        });
        family("singlet_web_pushes_total", "counter", "Pushes to watched topics.", |one| {
            one.pushes
        });
        family(
            "singlet_web_deliveries_total",
            "counter",
            "Pushes queued for subscribers.",
            |one| one.deliveries,
        );
        family(
            "singlet_web_dropped_total",
            "counter",
            "Subscribers that were dropped, because they did not keep up.",
            |one| one.dropped,
        );
    }

    fn write_jobs(&self, page: &mut Exposition) {
        let jobs = self.jobs.all();
        if jobs.is_empty() {
            return;
        }
        let name = "singlet_jobs_runs_total";
        page.family(name, "counter", "Runs of jobs by outcome.");
        for job in &jobs {
            let done = job.runs.saturating_sub(job.failures);
            for (outcome, count) in [("ok", done), ("error", job.failures)] {
                let labels = [("system", job.system), ("job", job.name), ("outcome", outcome)];
                page.sample(name, &in_braces(&written(&labels)), count);
            }
        }
        let name = "singlet_jobs_seconds_total";
        page.family(name, "counter", "Time that runs of jobs took.");
        for job in &jobs {
            let labels = written(&[("system", job.system), ("job", job.name)]);
            page.sample(name, &in_braces(&labels), job.took.as_secs_f64());
        }
    }
}

/// Restricts these routes to clients on this machine.
pub(super) fn for_this_machine(router: Router) -> Router {
    router.layer(from_fn(hide_from_others))
}

/// Answers 404 to other clients. A local proxy may speak for others, and so may a local browser on
/// a page of a rebound name (DNS rebinding).
async fn hide_from_others(request: Request, next: Next) -> Response {
    let client = request.extensions().get::<ClientLimits>();
    let is_local = client.is_some_and(ClientLimits::is_of_this_machine);
    let host = host::of_parts(request.uri(), request.headers());
    let is_for_us = is_local && host.is_some_and(host::is_local);
    let (parts, body) = request.into_parts();
    if !is_for_us || is_forwarded(&parts) {
        return Problem::new(&NOT_FOUND).into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

async fn metrics(State(status): State<Status>) -> Response {
    let mut page = Exposition::default();
    status.metrics.write(&mut page);
    status.write_lives(&mut page);
    status.write_jobs(&mut page);
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], page.into_text()).into_response()
}

/// The jobs, as a page or as JSON, by `Accept`.
async fn jobs(State(status): State<Status>, headers: HeaderMap) -> Response {
    let jobs = status.jobs.all();
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let no_store = [(CACHE_CONTROL, "no-store")];
    if accept.starts_with("application/json") {
        return (no_store, Json(jobs)).into_response();
    }
    let kind = [(CONTENT_TYPE, "text/html; charset=utf-8")];
    (no_store, kind, jobs_page(&jobs)).into_response()
}

fn jobs_page(jobs: &[JobStatus]) -> String {
    let mut rows = String::new();
    for job in jobs {
        let moment =
            |at: Option<singlet::Timestamp>| at.map_or("–".to_owned(), |at| at.to_string());
        let outcome = match (&job.last_error, job.last_start) {
            (Some(error), _) => format!("<span class=\"badge bad\">error</span> {}", escape(error)),
            (None, Some(_)) => "ok".to_owned(),
            (None, None) => "–".to_owned(),
        };
        let holder = job.holder.as_deref().map_or("–".to_owned(), escape);
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{} · {}</th><td data-label=\"Interval\">{:?}</td>\
             <td data-label=\"Last start\">{}</td><td data-label=\"Last outcome\" class=\"outcome\">{outcome}</td>\
             <td data-label=\"Failed\">{} of {}</td><td data-label=\"Next\">{}</td>\
             <td data-label=\"Lease\" class=\"long-text\">{holder}</td></tr>",
            escape(job.system),
            escape(job.name),
            job.interval,
            moment(job.last_start),
            job.failures,
            job.runs,
            moment(job.next),
        );
    }
    if rows.is_empty() {
        rows.push_str("<tr><td colspan=\"7\">No system has jobs.</td></tr>");
    }
    include_str!("../../assets/jobs.html").replace("{rows}", &rows)
}
