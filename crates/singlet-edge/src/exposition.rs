//! Metrics in Prometheus text format.

use std::fmt::{Display, Write};

/// A page of metrics in Prometheus text format.
///
/// ```
/// use singlet_edge::Exposition;
///
/// let mut page = Exposition::default();
/// page.counter("requests_total", "Requests.", 3);
/// assert!(page.into_text().ends_with("requests_total 3\n"));
/// ```
#[derive(Default)]
pub struct Exposition(String);

/// The unit of a histogram's values.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// A plain count.
    Count,
    /// Microseconds, exported as seconds.
    Micros,
}

impl Unit {
    fn show(self, value: u64) -> String {
        match self {
            Self::Count => value.to_string(),
            Self::Micros => (value as f64 / 1e6).to_string(),
        }
    }
}

impl Exposition {
    /// Begins a metric family; `kind` is `counter`, `gauge` or `histogram`.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds one sample. `labels` includes its braces, or is empty.
    pub fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    /// Adds a family with one gauge.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, "", value);
    }

    /// Adds a family with one counter.
    pub fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "counter", help);
        self.sample(name, "", value);
    }

    /// Adds a histogram: for each bound (`None` for infinity) the number of values up to it, and
    /// the sum of all values. Empty histograms are left out, so that unused operations do not fill
    /// the page. `label` has no braces.
    pub fn histogram(
        &mut self,
        name: &str,
        label: &str,
        buckets: impl Iterator<Item = (Option<u64>, u64)>,
        sum: u64,
        unit: Unit,
    ) {
        let buckets: Vec<_> = buckets.collect();
        let count = buckets.last().map_or(0, |(_, count)| *count);
        if count == 0 {
            return;
        }
        let comma = if label.is_empty() { "" } else { "," };
        for (bound, count) in buckets {
            let bound = bound.map_or_else(|| "+Inf".to_owned(), |bound| unit.show(bound));
            let labels = format!("{{{label}{comma}le=\"{bound}\"}}");
            self.sample(&format!("{name}_bucket"), &labels, count);
        }
        let labels = if label.is_empty() { String::new() } else { format!("{{{label}}}") };
        self.sample(&format!("{name}_sum"), &labels, unit.show(sum));
        self.sample(&format!("{name}_count"), &labels, count);
    }

    /// The text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0
    }
}
