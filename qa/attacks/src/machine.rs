//! What else the machine does meanwhile.

use crate::server::{Server, processor_ticks};
use std::fs::read_to_string;

/// What the processors have done since the machine was started, in ticks of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// All that there was to have.
    all: u64,
    /// What programs had, and other virtual machines.
    taken: u64,
    /// What this program and its servers had.
    own: u64,
}

impl Work {
    /// Up to now. `None` where there is no /proc.
    pub(crate) fn of(servers: [&Server; 2]) -> Option<Self> {
        let own = servers.map(|server| processor_ticks(&server.id().to_string()));
        let own = own.into_iter().chain([processor_ticks("self")]).sum::<Option<u64>>()?;
        Self::read(&read_to_string("/proc/stat").ok()?, own)
    }

    fn read(stat: &str, own: u64) -> Option<Self> {
        let fields = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        let fields: Vec<u64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
        let [user, nice, system, _, _, _, _, steal] = *fields.first_chunk()?;
        let all = fields.iter().take(8).sum();
        Some(Self { all, taken: user + nice + system + steal, own })
    }

    /// How many times longer work took since then because others had a part of the processors.
    pub(crate) fn stretch_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        let taken = self.taken.saturating_sub(before.taken);
        let others = taken.saturating_sub(self.own.saturating_sub(before.own));
        all as f64 / all.saturating_sub(others).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_others_stretches_ours() {
        let stat = "cpu  10 20 30 400 5 6 7 8 9 9\ncpu0 1 2 3 4\n";
        let before = Work::read(stat, 40).unwrap();
        assert_eq!((before.all, before.taken), (486, 68));
        let later = |taken: u64, own: u64| Work { all: 586, taken: 68 + taken, own: 40 + own };
        assert_eq!(later(50, 50).stretch_since(before), 1.0);
        assert_eq!(later(100, 20).stretch_since(before), 5.0);
        assert_eq!(Work::read("intr 1 2 3", 0).map(|work| work.all), None);
    }
}
