//! Runs the built command `singlet` for a step: the endpoint alone, or all systems.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::command::Line;

/// Precedes the address in the command's output when it is ready.
const READY: &str = "ready at ";
/// Timeout for starting and stopping. Both take milliseconds, unless the machine is busy.
const PATIENCE: Duration = Duration::from_secs(240);
/// Log lines shown when a step fails.
const LOG_LINES_SHOWN: usize = 60;

/// Where the endpoint keeps its data.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Memory,
    Folder(&'a Path),
}

/// How to start an endpoint.
pub(crate) struct Start<'a> {
    pub(crate) place: Place<'a>,
    /// A credentials file; without it, every signature is accepted.
    pub(crate) credentials: Option<&'a Path>,
    /// The log file.
    pub(crate) log: PathBuf,
}

/// A running endpoint, killed on drop.
pub(crate) struct Endpoint {
    process: Child,
    log: PathBuf,
    url: String,
}

impl Endpoint {
    /// Builds the command and starts it on a free port.
    pub(crate) fn start(root: &Path, start: Start) -> Result<Self, String> {
        let Start { place, credentials, log } = start;
        let mut arguments = vec!["dynamodb".into(), "--port".into(), "0".into()];
        match place {
            Place::Memory => arguments.push("--in-memory".into()),
            Place::Folder(folder) => arguments.extend(["--dir".into(), folder.into()]),
        }
        if let Some(file) = credentials {
            arguments.extend(["--credentials".into(), file.into()]);
        }
        Self::launch(root, &arguments, log)
    }

    /// Builds the command and starts it with all systems, in memory. The address is that of the
    /// pages, which the command prints first.
    pub(crate) fn serve(root: &Path, log: PathBuf) -> Result<Self, String> {
        let line = ["serve", "--port", "0", "--dynamodb-port", "0", "--in-memory"];
        Self::launch(root, &line.map(OsString::from), log)
    }

    fn launch(root: &Path, arguments: &[OsString], log: PathBuf) -> Result<Self, String> {
        build(root)?;
        let executable = sibling("singlet")?;
        let output = std::fs::File::create(&log).map_err(|error| named(&log, &error))?;
        let errors = output.try_clone().map_err(|error| named(&log, &error))?;
        let process = Command::new(&executable)
            .args(arguments)
            .current_dir(root)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| named(&executable, &error))?;
        let mut endpoint = Self { process, log, url: String::new() };
        endpoint.url = endpoint.ready()?;
        println!("singlet is at {}", endpoint.url);
        Ok(endpoint)
    }

    /// The address with its scheme.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Waits until it has printed its address.
    fn ready(&mut self) -> Result<String, String> {
        let start = Instant::now();
        loop {
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            if let Some(url) = announced(&log) {
                return Ok(url.to_owned());
            }
            if let Ok(Some(status)) = self.process.try_wait() {
                return Err(format!("the endpoint ended at once ({status}):\n{log}"));
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("the endpoint does not say that it is ready:\n{log}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends SIGTERM and waits until it exits.
    pub(crate) fn stop(mut self) -> Result<(), String> {
        Line::new(&format!("kill -TERM {}", self.process.id())).run(Path::new("."))?;
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            match self.process.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(self.blamed(status)),
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                Err(error) => return Err(error.to_string()),
            }
        }
        Err(format!("the endpoint does not end when asked to\n{}", self.told()))
    }

    fn blamed(&self, status: ExitStatus) -> String {
        format!("the endpoint ended badly ({status})\n{}", self.told())
    }

    /// The end of its log, for failure messages.
    pub(crate) fn told(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let shown = lines.get(lines.len().saturating_sub(LOG_LINES_SHOWN)..).unwrap_or_default();
        format!("what the endpoint logged last ({}):\n{}", self.log.display(), shown.join("\n"))
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        // Fails if it has exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Builds the command with the same features as the tests, which cargo unifies because of
/// `--examples`. So nothing is compiled twice.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    build_with(root, "singlet")
}

/// Builds a program together with the command.
pub(crate) fn build_with(root: &Path, program: &str) -> Result<(), String> {
    Line::new("cargo build --quiet --workspace --examples --bin singlet --bin")
        .argument(program)
        .run(root)
}

/// The path of another program in our build folder.
pub(crate) fn sibling(name: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = own.parent().ok_or("this program lies in no folder")?;
    Ok(folder.join(name).with_extension(std::env::consts::EXE_EXTENSION))
}

/// The address in the ready line.
fn announced(log: &str) -> Option<&str> {
    let (_, rest) = log.split_once(READY)?;
    // Wait for a complete line.
    let (line, _) = rest.split_once('\n')?;
    line.split(' ').next()
}

fn named(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_once_its_line_is_whole() {
        let line = "DynamoDB endpoint ready at http://127.0.0.1:4321 (in memory)\nmore\n";
        assert_eq!(announced(line), Some("http://127.0.0.1:4321"));
        assert_eq!(announced("DynamoDB endpoint ready at http://127.0.0.1:43"), None);
        assert_eq!(announced("error: the port is taken\n"), None);
    }
}
