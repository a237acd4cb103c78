//! A process of the command `singlet`, and what the operating system says about it.

use std::ffi::OsString;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The line on which the command names an address has this before it.
const READY: &str = "ready at http://";
/// Starting takes milliseconds, unless the machine is busy.
const START_TIME_MAX: Duration = Duration::from_secs(240);
/// Stopping takes up to 10 s, unless the machine is busy.
const STOP_TIME_MAX: Duration = Duration::from_secs(240);
/// How often files and processes are looked at while waiting for them.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How much of the log is shown.
const LOG_LINES_SHOWN: usize = 5;
/// The kernel counts processor time in ticks of 10 ms.
const TICK_MS: u64 = 10;

/// A process that runs. Dropping it kills it.
pub(crate) struct Server {
    process: Child,
    log: PathBuf,
    addresses: Vec<SocketAddr>,
}

impl Server {
    /// Starts the command, and waits until it has named so many addresses.
    ///
    /// # Errors
    ///
    /// Its output, if it exited instead.
    pub(crate) fn start(
        program: &Path,
        arguments: &[OsString],
        addresses: usize,
        log: PathBuf,
    ) -> Result<Self, String> {
        let named = |path: &Path, error| format!("{}: {error}", path.display());
        let output = File::create(&log).map_err(|error| named(&log, error))?;
        let errors = output.try_clone().map_err(|error| named(&log, error))?;
        let process = Command::new(program)
            .args(arguments)
            .args(["--log", "warn"])
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| named(program, error))?;
        let mut server = Self { process, log, addresses: Vec::new() };
        let start = Instant::now();
        loop {
            server.addresses = announced(&server.log_text());
            if server.addresses.len() >= addresses {
                return Ok(server);
            }
            if let Ok(Some(status)) = server.process.try_wait() {
                return Err(format!("it ended at once ({status}): {}", server.log_text().trim()));
            }
            if start.elapsed() > START_TIME_MAX {
                return Err(format!("it is not ready after {START_TIME_MAX:?}"));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The address that was named first.
    pub(crate) fn address(&self) -> Result<SocketAddr, String> {
        self.addresses.first().copied().ok_or_else(|| "the server named no address".to_owned())
    }

    /// The address of the DynamoDB endpoint, which is named last.
    pub(crate) fn endpoint(&self) -> Result<SocketAddr, String> {
        self.addresses.last().copied().ok_or_else(|| "the server named no address".to_owned())
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Ends it without a chance to tidy up, as a crash would.
    pub(crate) fn kill(&mut self) {
        // If it has ended already, there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Asks it to end as an operator would.
    pub(crate) fn terminate(&self) -> Result<(), String> {
        let sent = Command::new("kill").arg("-TERM").arg(self.id().to_string()).status();
        match sent {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`kill -TERM` failed ({status})")),
            Err(error) => Err(format!("`kill` did not start: {error}")),
        }
    }

    /// Waits until it ends after [`Server::terminate`]. Requests in flight have 10 s then.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus, String> {
        let start = Instant::now();
        while start.elapsed() < STOP_TIME_MAX {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Ok(status);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Err(format!("it still runs {STOP_TIME_MAX:?} after SIGTERM"))
    }

    /// How many bytes of memory it has now. `None` where there is no /proc.
    pub(crate) fn memory_bytes(&self) -> Option<u64> {
        self.status_bytes("VmRSS:")
    }

    /// The most memory that it had since [`Server::reset_peak`].
    pub(crate) fn peak_bytes(&self) -> Option<u64> {
        self.status_bytes("VmHWM:")
    }

    /// Begins to look for the peak anew. Where the kernel refuses, the peak is that since the start.
    pub(crate) fn reset_peak(&self) {
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.id()), "5");
    }

    /// How much processor time it has used.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let ticks = processor_ticks(&self.id().to_string())?;
        Some(Duration::from_millis(ticks * TICK_MS))
    }

    /// The end of its log.
    pub(crate) fn log_end(&self) -> String {
        let log = self.log_text();
        let lines: Vec<&str> = log.lines().collect();
        lines.get(lines.len().saturating_sub(LOG_LINES_SHOWN)..).unwrap_or_default().join("\n")
    }

    fn log_text(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    fn status_bytes(&self, field: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(field))?;
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kilobytes * 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How much processor time a process has used, in ticks. `None` where there is no /proc.
pub(crate) fn processor_ticks(id: &str) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program, in parentheses, may hold spaces. After it, user time is the
    // twelfth field and system time the next one.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(str::parse::<u64>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

/// The addresses in the lines that are whole.
fn announced(log: &str) -> Vec<SocketAddr> {
    let whole = log.rfind('\n').and_then(|end| log.get(..end)).unwrap_or_default();
    let addresses = whole.lines().filter_map(|line| line.split_once(READY));
    addresses.filter_map(|(_, rest)| rest.split(' ').next()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_once_their_lines_are_whole() {
        let first = "Pages ready at http://127.0.0.1:81 (open this)\n";
        let second = "DynamoDB endpoint ready at http://127.0.0.1:82 (same";
        assert_eq!(announced(&format!("{first}{second}")).len(), 1);
        assert_eq!(announced(&format!("{first}{second} data)\n")).len(), 2);
        assert_eq!(announced("error: the port is taken\n"), []);
    }
}
