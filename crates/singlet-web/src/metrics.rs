//! Metrics of the server and its systems, in Prometheus format at `/metrics`.

use crate::problem::ProblemType;
use singlet::engine::Histogram;
use singlet_edge::{ConnectionCounters, Exposition, Unit};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Maximum number of label sets per family. Further ones share a single overflow set, so that
/// client-controlled labels cannot exhaust memory.
const LABEL_SETS_MAX: usize = 1_000;
/// Labels of the overflow set.
const OVERFLOW: &str = "overflow=\"true\"";

/// From an in-memory read to the request timeout.
const TIME_MICROS: &[u64] = &[
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 30_000_000,
];

/// The metrics of a server. Clones share them.
///
/// ```
/// use singlet_web::metrics::Metrics;
///
/// let metrics = Metrics::default();
/// let help = "Books that were lent.";
/// let loans = metrics.counter("library_loans_total", help, &[("branch", "north")]);
/// loans.add(1);
/// assert!(metrics.to_text().contains("library_loans_total{branch=\"north\"} 1\n"));
/// ```
#[derive(Clone, Default)]
pub struct Metrics(Arc<Inner>);

#[derive(Default)]
struct Inner {
    families: Mutex<BTreeMap<&'static str, Family>>,
    requests: RwLock<HashMap<RequestKey, (Counter, Timer)>>,
    connections: ConnectionCounters,
    /// The stream permits and their total.
    streams: OnceLock<(Arc<Semaphore>, usize)>,
}

/// System, operation and outcome of a request. Never client-controlled.
type RequestKey = (&'static str, &'static str, &'static str);

struct Family {
    help: &'static str,
    /// By labels, as written between braces.
    series: BTreeMap<String, Series>,
}

enum Series {
    Counter(Counter),
    Gauge(Gauge),
    Timer(Timer),
}

/// A counter. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// Adds to the counter.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }
}

/// A gauge. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<AtomicI64>);

impl Gauge {
    /// Sets the value.
    pub fn set(&self, value: i64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Adds to the value; negative to subtract.
    pub fn add(&self, difference: i64) {
        self.0.fetch_add(difference, Ordering::Relaxed);
    }
}

/// A histogram of durations. Clones share it.
#[derive(Clone, Debug)]
pub struct Timer(Arc<Histogram>);

impl Timer {
    /// Records a duration.
    pub fn record(&self, time: Duration) {
        self.0.record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }
}

impl Default for Timer {
    fn default() -> Self {
        Self(Arc::new(Histogram::new(TIME_MICROS)))
    }
}

macro_rules! kinds {
    ($($(#[$attribute:meta])* $function:ident $kind:ident;)+) => {
        $(
            $(#[$attribute])*
            pub fn $function(
                &self,
                name: &'static str,
                help: &'static str,
                labels: &[(&'static str, &str)],
            ) -> $kind {
                let found = self.with_series(name, help, labels, |series| match series {
                    Series::$kind(found) => Some(found.clone()),
                    _ => None,
                }, || Series::$kind($kind::default()));
                found.unwrap_or_else(|| {
                    // Not exposed: a family has one kind.
                    tracing::error!(name, "a metric has two kinds");
                    $kind::default()
                })
            }
        )+
    };
}

impl Metrics {
    kinds! {
        /// The counter with this name and these labels, created on first use. Names end in `_total`
        /// by convention. Keep it if it is updated often.
        counter Counter;
        /// The gauge with this name and these labels, created on first use.
        gauge Gauge;
        /// The histogram with this name and these labels, created on first use. Names end in
        /// `_seconds` by convention.
        histogram Timer;
    }

    fn with_series<T>(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &[(&'static str, &str)],
        read: impl FnOnce(&Series) -> Option<T>,
        create: impl FnOnce() -> Series,
    ) -> Option<T> {
        let mut families = self.0.families.lock().unwrap_or_else(PoisonError::into_inner);
        let series = &mut families
            .entry(name)
            .or_insert_with(|| Family { help, series: BTreeMap::new() })
            .series;
        let mut labels = written(labels);
        if series.len() >= LABEL_SETS_MAX && !series.contains_key(&labels) {
            OVERFLOW.clone_into(&mut labels);
        }
        // A family has one kind, for all labels.
        let is_other_kind = {
            let new = create();
            let kind = std::mem::discriminant(&new);
            let is_other = series.values().next();
            let is_other = is_other.is_some_and(|first| std::mem::discriminant(first) != kind);
            if !is_other {
                series.entry(labels.clone()).or_insert(new);
            }
            is_other
        };
        if is_other_kind {
            return None;
        }
        series.get(&labels).and_then(read)
    }

    /// Records an answered request.
    pub(crate) fn record_request(
        &self,
        system: Option<&'static str>,
        operation: Option<&'static str>,
        problem: Option<&'static ProblemType>,
        time: Duration,
    ) {
        let outcome = problem.map_or("ok", |problem| problem.name);
        let key = (system.unwrap_or("none"), operation.unwrap_or("none"), outcome);
        let known = self.0.requests.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((counter, timer)) = known.get(&key) {
            counter.add(1);
            timer.record(time);
            return;
        }
        drop(known);
        let (system, operation) = (("system", key.0), ("operation", key.1));
        let counter = self.counter(
            "singlet_web_requests_total",
            "Requests by system, operation and outcome.",
            &[system, operation, ("outcome", outcome)],
        );
        let timer = self.histogram(
            "singlet_web_request_seconds",
            "Time from the head of a request to its answer.",
            &[system, operation],
        );
        counter.add(1);
        timer.record(time);
        let mut known = self.0.requests.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, (counter, timer));
    }

    /// Connection counters, updated by the edge.
    pub(crate) fn connections(&self) -> &ConnectionCounters {
        &self.0.connections
    }

    /// Exposes how many stream permits are taken.
    pub(crate) fn watch_streams(&self, places: &Arc<Semaphore>, count: usize) {
        // A site is served once.
        let _ = self.0.streams.set((Arc::clone(places), count));
    }

    /// Writes all metrics.
    pub fn write(&self, page: &mut Exposition) {
        let families = self.0.families.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, Family { help, series }) in &*families {
            let kind = match series.values().next() {
                Some(Series::Counter(_)) => "counter",
                Some(Series::Gauge(_)) => "gauge",
                Some(Series::Timer(_)) => "histogram",
                None => continue,
            };
            page.family(name, kind, help);
            for (labels, one) in series {
                let braced = in_braces(labels);
                match one {
                    Series::Counter(Counter(count)) => {
                        page.sample(name, &braced, count.load(Ordering::Relaxed));
                    }
                    Series::Gauge(Gauge(value)) => {
                        page.sample(name, &braced, value.load(Ordering::Relaxed));
                    }
                    Series::Timer(Timer(times)) => {
                        page.histogram(name, labels, times.buckets(), times.sum(), Unit::Micros);
                    }
                }
            }
        }
        drop(families);
        self.write_connections(page);
    }

    fn write_connections(&self, page: &mut Exposition) {
        let ConnectionCounters { open, accepted, refused, replaced, timed_out, .. } =
            &self.0.connections;
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        page.gauge("singlet_web_connections", "Open connections.", now(open));
        if let Some((places, count)) = self.0.streams.get() {
            let taken = count.saturating_sub(places.available_permits());
            page.gauge("singlet_web_streams", "Open sockets and event streams.", taken);
        }
        for (name, help, count) in [
            ("singlet_web_connections_total", "Connections that were accepted.", accepted),
            (
                "singlet_web_connections_refused_total",
                "Connections that were turned away, because there were too many.",
                refused,
            ),
            (
                "singlet_web_connections_replaced_total",
                "Idle connections that were closed to make room for others.",
                replaced,
            ),
            (
                "singlet_web_connections_timed_out_total",
                "Connections that were closed, because the client took too long.",
                timed_out,
            ),
        ] {
            page.counter(name, help, now(count));
        }
    }

    /// All metrics as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut page = Exposition::default();
        self.write(&mut page);
        page.into_text()
    }
}

/// Labels as written between braces.
pub(crate) fn written(labels: &[(&'static str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in labels {
        if !text.is_empty() {
            text.push(',');
        }
        let _ = write!(text, "{name}=\"");
        for character in value.chars() {
            match character {
                '\\' => text.push_str("\\\\"),
                '"' => text.push_str("\\\""),
                '\n' => text.push_str("\\n"),
                other => text.push(other),
            }
        }
        text.push('"');
    }
    text
}

/// The labels in braces, if any.
pub(crate) fn in_braces(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_one_kind_and_a_bound() {
        let metrics = Metrics::default();
        for number in 0..LABEL_SETS_MAX + 10 {
            metrics.counter("c_total", "C.", &[("n", &number.to_string())]).add(1);
        }
        metrics.gauge("c_total", "C.", &[]).set(7);
        let text = metrics.to_text();
        assert!(text.contains("c_total{overflow=\"true\"} 10\n"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("c_total{")).count(), 1_001);
        assert!(!text.contains(" 7\n"));
        metrics.counter("d_total", "D.", &[("text", "a\"b\\c\nd")]).add(1);
        assert!(metrics.to_text().contains(r#"d_total{text="a\"b\\c\nd"} 1"#));
    }
}
