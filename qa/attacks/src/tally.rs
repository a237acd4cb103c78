//! Latencies of the victim, and whether the attack starved it.
//!
//! Latencies depend on the machine and its load, so no absolute time fails a test. Each kind of
//! request is compared with simultaneous requests to a twin server that is not attacked. Both share
//! the processors with the attackers and other programs. A busy server loses more time to other
//! programs than an idle one, which the victim's latencies are corrected for.

use std::time::{Duration, Instant};

/// How many times longer a request of the victim may typically take than at the twin, with the pause
/// before the next one.
///
/// The server lets clients take turns, so a small request waits for the turns of others under way and
/// not for their queues. On two cores this was mostly below 9, and 21 once, also where other programs
/// had nine tenths of them. With costly scans on the threads that serve sockets it was 377 and more in
/// `full-lane`.
pub(crate) const SLOWDOWN_MAX: f64 = 50.0;

/// The latencies of one kind of request, and the first refusal.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) name: &'static str,
    /// The pause between two requests.
    interval: Duration,
    samples: Vec<Sample>,
    pub(crate) refusal: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    ended: Instant,
    latency: Duration,
}

impl Tally {
    pub(crate) fn new(name: &'static str, interval: Duration) -> Self {
        Self { name, interval, samples: Vec::new(), refusal: None }
    }

    /// Counts a request that has ended, answered or not.
    pub(crate) fn add(&mut self, ended: Instant, latency: Duration) {
        self.samples.push(Sample { ended, latency });
    }

    /// How many times longer a request took than at the twin since `attack` began. Medians: a machine
    /// that stops for a moment does not change them, but a server that makes its clients wait does.
    fn slowdown(&self, twin: &Self, attack: &Attacked) -> Option<f64> {
        let median = |tally: &Self| {
            let mut latencies = tally.latencies(attack.begun);
            latencies.sort_unstable();
            latencies.get(latencies.len() / 2).map(Duration::as_secs_f64)
        };
        let interval = self.interval.as_secs_f64();
        Some((median(self)? / attack.stretch + interval) / (median(twin)? + interval))
    }

    /// Latencies since the attack began. A client sends its next request only after an answer, so the
    /// requests that it would have sent meanwhile are added with their waiting times.
    fn latencies(&self, attack: Instant) -> Vec<Duration> {
        let mut latencies = Vec::new();
        for sample in self.samples.iter().filter(|sample| sample.ended > attack) {
            latencies.push(sample.latency);
            let mut rest = sample.latency.saturating_sub(self.interval);
            while rest > self.interval {
                latencies.push(rest);
                rest -= self.interval;
            }
        }
        latencies
    }
}

/// An attack as a victim sees it.
pub(crate) struct Attacked {
    pub(crate) begun: Instant,
    /// How many times longer work took because of other programs.
    pub(crate) stretch: f64,
    /// How many times longer requests may take than at the twin.
    pub(crate) slowdown_max: f64,
}

/// All of a victim's requests in one attack.
#[derive(Debug)]
pub(crate) struct Service {
    /// In ascending order.
    latencies: Vec<Duration>,
    /// The kind of request that was slowed down most, and how much.
    pub(crate) slowest: Option<(&'static str, f64)>,
    /// Refusals, and kinds of requests that were starved.
    pub(crate) faults: Vec<String>,
}

impl Service {
    /// Judges what a victim saw of an attack, beside the same client of the twin.
    pub(crate) fn judge(tallies: &[Tally], twins: &[Tally], attack: &Attacked) -> Self {
        let mut latencies: Vec<Duration> =
            tallies.iter().flat_map(|tally| tally.latencies(attack.begun)).collect();
        latencies.sort_unstable();
        let mut service = Self { latencies, slowest: None, faults: Vec::new() };
        for (tally, twin) in tallies.iter().zip(twins) {
            let name = tally.name;
            if let Some(refusal) = &tally.refusal {
                service.faults.push(format!("the victim was refused: {refusal}"));
                continue;
            }
            if let Some(refusal) = &twin.refusal {
                service.faults.push(format!("the twin refused: {refusal}"));
                continue;
            }
            match tally.slowdown(twin, attack) {
                None => service.faults.push(format!("the victim's {name} was never answered")),
                Some(slowdown) => {
                    if slowdown > attack.slowdown_max {
                        let text = format!("the victim's {name} took {slowdown:.0} times as long");
                        service.faults.push(text);
                    }
                    if service.slowest.is_none_or(|(_, most)| slowdown > most) {
                        service.slowest = Some((name, slowdown));
                    }
                }
            }
        }
        service
    }

    pub(crate) fn count(&self) -> usize {
        self.latencies.len()
    }

    /// The latency that so many of a thousand requests did not exceed; `None` without requests.
    pub(crate) fn quantile(&self, per_mille: usize) -> Option<Duration> {
        let last = self.latencies.len().checked_sub(1)?;
        self.latencies.get((last * per_mille).div_ceil(1000)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const INTERVAL: Duration = Duration::from_millis(5);

    /// Judges a victim with these latencies in milliseconds, at the twin and under attack.
    fn judged(twin: &[u32], attacked: &[u32]) -> Service {
        judged_beside(1.0, twin, attacked)
    }

    /// The same on a machine on which other programs make work take longer.
    fn judged_beside(stretch: f64, twin: &[u32], attacked: &[u32]) -> Service {
        let begun = Instant::now();
        let tally = |latencies: &[u32]| {
            let mut tally = Tally::new("read", INTERVAL);
            // Samples before the attack are ignored.
            (0..100).for_each(|_| tally.add(begun, 100 * MS));
            latencies.iter().for_each(|latency| tally.add(begun + MS, *latency * MS));
            tally
        };
        let attack = Attacked { begun, stretch, slowdown_max: SLOWDOWN_MAX };
        Service::judge(&[tally(attacked)], &[tally(twin)], &attack)
    }

    #[test]
    fn a_slow_machine_is_not_a_fault() {
        assert_eq!(judged(&[300; 20], &[800; 20]).faults, [""; 0]);
    }

    #[test]
    fn other_programs_are_not_a_fault() {
        assert_eq!(judged(&[1; 20], &[800; 20]).faults.len(), 1);
        assert_eq!(judged_beside(4.0, &[1; 20], &[800; 20]).faults, [""; 0]);
        assert_eq!(judged_beside(4.0, &[1; 20], &[4 * 960; 20]).faults.len(), 1);
    }

    #[test]
    fn one_pause_of_the_machine_is_not_a_fault() {
        let mut attacked = [2; 100];
        attacked[50] = 400;
        assert_eq!(judged(&[1; 50], &attacked).faults, [""; 0]);
    }

    #[test]
    fn waiting_for_a_whole_queue_is_a_fault() {
        // 960 requests of a millisecond each are ahead of every request.
        assert_eq!(judged(&[1; 50], &[960, 960]).faults.len(), 1);
        // On a machine that takes ten times as long for everything.
        assert_eq!(judged(&[10; 50], &[9_600]).faults.len(), 1);
    }

    #[test]
    fn a_victim_without_an_answer_is_a_fault() {
        assert_eq!(judged(&[1; 50], &[]).faults, ["the victim's read was never answered"]);
    }

    #[test]
    fn quantiles_are_of_the_attack() {
        let service = judged(&[500; 10], &[5; 99]);
        let quantiles = [500, 990, 1000].map(|part| service.quantile(part));
        assert_eq!(quantiles, [Some(5 * MS); 3]);
        assert_eq!(judged(&[], &[]).quantile(990), None);
    }

    #[test]
    fn a_long_wait_counts_for_all_that_would_have_waited() {
        let mut attacked = [1; 1_001];
        attacked[1_000] = 1_000;
        let service = judged(&[1], &attacked);
        assert_eq!(service.count(), 1_000 + 199);
        assert!(service.quantile(990) > Some(800 * MS));
    }
}
