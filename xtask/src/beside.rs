//! Steps that run at the same time, each as a command of its own.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};

use crate::steps::{Step, Workshop};

/// The steps that are running.
#[derive(Default)]
pub(crate) struct Beside(Vec<Running>);

struct Running {
    name: &'static str,
    process: Child,
    /// What it prints.
    output: PathBuf,
}

impl Beside {
    /// Starts these steps. One that cannot be started is missing here, and runs when it is its
    /// turn.
    pub(crate) fn start<'s>(steps: impl Iterator<Item = &'s Step>, workshop: &Workshop) -> Self {
        let start = |step: &Step| -> io::Result<Running> {
            let name = step.name();
            let output = workshop.root.join("target").join(format!("step-{name}.log"));
            let file = File::create(&output)?;
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["test", name]).args(workshop.long().then_some("--long"));
            command.current_dir(workshop.root).stderr(file.try_clone()?).stdout(file);
            Ok(Running { name, process: command.spawn()?, output })
        };
        Self(steps.filter_map(|step| start(step).ok()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Prints what a step has printed, once it is done; nothing if it was not started here.
    pub(crate) fn wait_for(&mut self, name: &str) -> Option<Result<(), String>> {
        let running = self.0.iter_mut().find(|running| running.name == name)?;
        let ended = running.process.wait();
        let printed = std::fs::read_to_string(&running.output).unwrap_or_default();
        // Without its table and closing line: whoever counts by those counts the last ones.
        let summary = format!("\n\n{name:<10} ");
        println!("{}", printed.rsplit_once(&summary).map_or(&*printed, |(before, _)| before));
        Some(match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("it ended with {status}, as told above")),
            Err(error) => Err(error.to_string()),
        })
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        for running in &mut self.0 {
            // Not stopped, since it would leave servers behind. How it ends, nobody wants to know.
            let _ = running.process.wait();
        }
    }
}
