//! Metrics of the endpoint, in Prometheus format.

use crate::admission::Admission;
use crate::rejection::Rejection;
use crate::target::Operation;
use singlet_dynamo::ErrorKind;
use singlet_edge::{ConnectionCounters, Exposition, Unit};
use singlet_engine::{Engine, Histogram};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// From a read in memory to a write that waits for a slow disk.
const LATENCY_MICROS: &[u64] = &[
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    5_000_000,
];

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered,
    /// A DynamoDB error.
    Refused(ErrorKind),
    /// An HTTP error.
    Rejected(Rejection),
}

impl Outcome {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Answered => "ok",
            Self::Refused(kind) => kind.name(),
            Self::Rejected(rejection) => rejection.label(),
        }
    }

    /// All outcomes, ordered by index.
    fn all() -> impl Iterator<Item = Self> {
        let refused = ErrorKind::ALL.iter().copied().map(Self::Refused);
        let rejected = Rejection::ALL.iter().copied().map(Self::Rejected);
        [Self::Answered].into_iter().chain(refused).chain(rejected)
    }

    fn place(self) -> usize {
        // Both lists are in declaration order, so the index is the discriminant.
        match self {
            Self::Answered => 0,
            Self::Refused(kind) => 1 + kind as usize,
            Self::Rejected(rejection) => 1 + ErrorKind::ALL.len() + rejection as usize,
        }
    }
}

/// Counters of requests and connections since start.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// By operation; the last entry is for requests without one.
    operations: Box<[PerOperation]>,
    pub(crate) connections: ConnectionCounters,
    pub(crate) panics: AtomicU64,
}

#[derive(Debug)]
struct PerOperation {
    /// By outcome.
    requests: Box<[AtomicU64]>,
    latency_micros: Histogram,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let per_operation = || PerOperation {
            requests: Outcome::all().map(|_| AtomicU64::new(0)).collect(),
            latency_micros: Histogram::new(LATENCY_MICROS),
        };
        Self {
            operations: (0..=Operation::COUNT).map(|_| per_operation()).collect(),
            connections: ConnectionCounters::default(),
            panics: AtomicU64::new(0),
        }
    }

    /// Counts an answered request.
    pub(crate) fn record(&self, operation: Option<Operation>, outcome: Outcome, time: Duration) {
        let place = operation.map_or(Operation::COUNT, Operation::place);
        let Some(figures) = self.operations.get(place) else { return };
        figures.latency_micros.record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        if let Some(count) = figures.requests.get(outcome.place()) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The page of metrics.
    pub(crate) fn render(&self, engine: &Engine, admission: &Admission) -> String {
        let mut page = Exposition::default();
        let operations = || {
            let names = Operation::all().map(Operation::name).chain(["none"]);
            names.zip(&self.operations)
        };
        page.family("singlet_requests_total", "counter", "Requests by operation and outcome.");
        for (name, figures) in operations() {
            for (outcome, count) in Outcome::all().map(Outcome::label).zip(&figures.requests) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let labels = format!("{{operation=\"{name}\",outcome=\"{outcome}\"}}");
                    page.sample("singlet_requests_total", &labels, count);
                }
            }
        }
        let latency = "singlet_request_seconds";
        page.family(latency, "histogram", "Time from request head to response.");
        for (name, figures) in operations() {
            let label = format!("operation=\"{name}\"");
            histogram(&mut page, latency, &label, &figures.latency_micros, Unit::Micros);
        }
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let connections = &self.connections;
        page.gauge("singlet_requests_in_flight", "Requests in flight.", admission.requests());
        page.gauge(
            "singlet_held_bytes",
            "Bytes of request bodies, responses and returned items in memory, without small ones over HTTP/1.1.",
            admission.rooms.used(),
        );
        page.gauge("singlet_connections", "Open connections.", now(&connections.open));
        page.counter(
            "singlet_connections_total",
            "Connections accepted.",
            now(&connections.accepted),
        );
        page.counter(
            "singlet_connections_refused_total",
            "Connections refused because the server was full.",
            now(&connections.refused),
        );
        page.counter(
            "singlet_connections_replaced_total",
            "Idle connections closed to admit new ones.",
            now(&connections.replaced),
        );
        page.counter(
            "singlet_connections_timed_out_total",
            "Connections closed because the client was too slow.",
            now(&connections.timed_out),
        );
        page.counter("singlet_panics_total", "Requests whose handler panicked.", now(&self.panics));
        engine_figures(&mut page, engine);
        page.into_text()
    }
}

fn engine_figures(page: &mut Exposition, engine: &Engine) {
    let statistics = engine.statistics();
    let sizes = "singlet_commit_group_size";
    page.family(sizes, "histogram", "Writes in a commit.");
    histogram(page, sizes, "", &statistics.group_sizes, Unit::Count);
    let times = "singlet_commit_seconds";
    page.family(times, "histogram", "Time to commit to the disk.");
    histogram(page, times, "", &statistics.commit_micros, Unit::Micros);
    if let Some(micros) = engine.sync_micros() {
        let times = "singlet_fsync_seconds";
        page.family(times, "histogram", "Time for an fsync.");
        histogram(page, times, "", micros, Unit::Micros);
    }
    if let Ok(bytes) = engine.size_bytes() {
        page.gauge("singlet_store_bytes", "Approximate size of the data in bytes.", bytes);
    }
}

fn histogram(page: &mut Exposition, name: &str, label: &str, histogram: &Histogram, unit: Unit) {
    page.histogram(name, label, histogram.buckets(), histogram.sum(), unit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn requests_are_counted_by_operation_and_outcome() {
        let metrics = Metrics::new();
        let put = Operation::of_target(b"DynamoDB_20120810.PutItem");
        metrics.record(put, Outcome::Answered, Duration::from_micros(70));
        metrics.record(put, Outcome::Answered, Duration::from_micros(30));
        for outcome in Outcome::all() {
            metrics.record(None, outcome, Duration::from_secs(7));
        }
        let page = metrics.render(&Engine::memory().unwrap(), &Admission::new(&Limits::default()));
        for line in [
            "# TYPE singlet_requests_total counter",
            "singlet_requests_total{operation=\"PutItem\",outcome=\"ok\"} 2",
            "singlet_requests_total{operation=\"none\",outcome=\"ValidationException\"} 1",
            "singlet_requests_total{operation=\"none\",outcome=\"InternalServerError\"} 1",
            "singlet_requests_total{operation=\"none\",outcome=\"body_too_large\"} 1",
            "singlet_request_seconds_bucket{operation=\"PutItem\",le=\"0.00005\"} 1",
            "singlet_request_seconds_bucket{operation=\"PutItem\",le=\"+Inf\"} 2",
            "singlet_request_seconds_sum{operation=\"PutItem\"} 0.0001",
            "singlet_request_seconds_count{operation=\"PutItem\"} 2",
            "singlet_connections 0",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is not in:\n{page}");
        }
        let once = page.lines().filter(|line| line.ends_with(" 1") && line.contains("\"none\""));
        assert_eq!(once.count(), Outcome::all().count());
    }
}
