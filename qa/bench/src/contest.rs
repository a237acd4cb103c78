//! A task and its contenders.

use std::fmt::Write;

/// A task that Singlet and its peers carry out on the same data in the same run.
pub(crate) struct Contest {
    pub(crate) title: String,
    /// Bytes per call, for the throughput.
    bytes: Option<usize>,
    /// Ours comes first.
    pub(crate) contenders: Vec<Contender>,
}

/// One implementation of the task.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) run: Box<dyn Fn()>,
}

impl Contest {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), bytes: None, contenders: Vec::new() }
    }

    /// Sets the bytes per call.
    pub(crate) fn over(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Adds a contender. The first one is ours.
    pub(crate) fn contender<T>(
        mut self,
        name: &'static str,
        run: impl Fn() -> T + 'static,
    ) -> Self {
        let run = Box::new(move || {
            // Keeps the compiler from removing unused results.
            std::hint::black_box(run());
        });
        self.contenders.push(Contender { name, run });
        self
    }

    pub(crate) fn bodies(&self) -> Vec<&dyn Fn()> {
        self.contenders.iter().map(|contender| contender.run.as_ref()).collect()
    }

    /// The results, one line per contender. `counts` may be empty.
    pub(crate) fn report(&self, nanoseconds: &[f64], counts: &[u64]) -> String {
        let mut report = self.title.clone();
        if let Some(bytes) = self.bytes {
            // Writing to a String cannot fail.
            let _ = write!(report, " ({bytes} bytes)");
        }
        report.push('\n');
        let own = nanoseconds.first().copied().unwrap_or(f64::NAN);
        for (index, (contender, time)) in self.contenders.iter().zip(nanoseconds).enumerate() {
            let _ = write!(report, "  {:<28} {:>11} ns", contender.name, grouped(*time));
            if let Some(bytes) = self.bytes {
                let _ = write!(report, " {:>7.0} MB/s", bytes as f64 / time * 1e3);
            }
            if let Some(count) = counts.get(index) {
                let _ = write!(report, " {:>11} instructions", grouped(*count as f64));
            }
            if index > 0 {
                let _ = write!(report, "   {:.2} times ours", time / own);
            }
            report.push('\n');
        }
        report
    }
}

/// A number with one decimal if it is small, and with thousands separators if it is large.
fn grouped(number: f64) -> String {
    if number < 100.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_compares_with_ours() {
        let contest =
            Contest::new("copy").over(1000).contender("ours", || ()).contender("theirs", || ());
        assert_eq!(
            contest.report(&[500.0, 1250.0], &[1234, 99]),
            "copy (1000 bytes)\n  \
             ours                                 500 ns    2000 MB/s       1,234 instructions\n  \
             theirs                             1,250 ns     800 MB/s        99.0 instructions   \
             2.50 times ours\n"
        );
    }
}
