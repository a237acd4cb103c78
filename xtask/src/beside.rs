//! Runs steps in parallel, each in a separate process.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

use crate::steps::{Step, Workshop};

#[derive(Default)]
pub(crate) struct Beside(Vec<Running>);

struct Running {
    name: &'static str,
    process: Child,
    start: SystemTime,
    /// The captured output.
    output: PathBuf,
}

impl Beside {
    /// Starts these steps. One that fails to start is skipped here and runs in its turn.
    pub(crate) fn start<'s>(steps: impl Iterator<Item = &'s Step>, workshop: &Workshop) -> Self {
        let start = |step: &Step| -> io::Result<Running> {
            let name = step.name();
            let output = workshop.root.join("target").join(format!("step-{name}.log"));
            let file = File::create(&output)?;
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["test", name]).args(workshop.long().then_some("--long"));
            command.current_dir(workshop.root).stderr(file.try_clone()?).stdout(file);
            let (process, start) = (command.spawn()?, SystemTime::now());
            Ok(Running { name, process, start, output })
        };
        Self(steps.filter_map(|step| start(step).ok()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits for a step, prints its output, and returns its result and duration; `None` if it was
    /// not started here.
    pub(crate) fn wait_for(&mut self, name: &str) -> Option<(Result<(), String>, Duration)> {
        let running = self.0.iter_mut().find(|running| running.name == name)?;
        let ended = running.process.wait();
        let printed = std::fs::read_to_string(&running.output).unwrap_or_default();
        print!("{}", own_output(&printed, name));
        // It may have ended long ago: take the time of its last output.
        let end = running.output.metadata().and_then(|output| output.modified());
        let took = end.ok().and_then(|end| end.duration_since(running.start).ok());
        let outcome = match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("it ended with {status}, as told above")),
            Err(error) => Err(error.to_string()),
        };
        Some((outcome, took.unwrap_or_default()))
    }
}

/// A step's output without its title and summary, which the waiting process prints too. The reason
/// for a failure is in between.
fn own_output<'p>(printed: &'p str, name: &str) -> &'p str {
    let printed = printed.strip_prefix('\n').unwrap_or(printed);
    let printed = match printed.split_once('\n') {
        Some((title, rest)) if title.starts_with("== ") => rest,
        _ => printed,
    };
    let end = [format!("-- {name}: ok in "), format!("\n{name:<10} ")]
        .iter()
        .filter_map(|start| printed.rfind(start.as_str()))
        .min();
    end.and_then(|end| printed.get(..end)).unwrap_or(printed)
}

impl Drop for Beside {
    fn drop(&mut self) {
        for running in &mut self.0 {
            // Killing it would leave servers behind. The result does not matter.
            let _ = running.process.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_summaries_are_printed_by_whoever_waits() {
        let title = "\n== browser: the pages\n";
        let passed =
            "$ node\nok 6\n-- browser: ok in 97.6 s\n\nbrowser    ok  97.6 s\n\n1 passed\n";
        assert_eq!(own_output(&format!("{title}{passed}"), "browser"), "$ node\nok 6\n");
        let failed = "$ node\n-- browser: FAILED after 3 s: why\n\nbrowser    FAILED\n\n1 failed\n";
        assert_eq!(
            own_output(&format!("{title}{failed}"), "browser"),
            "$ node\n-- browser: FAILED after 3 s: why\n"
        );
        assert_eq!(own_output("killed", "browser"), "killed");
    }
}
