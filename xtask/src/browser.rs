//! The step `browser`: the pages of the systems in a real browser. The suites are in the folder
//! of that name, and drive the Chromium of the system.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::command::Line;
use crate::endpoint::Endpoint;
use crate::packages;
use crate::program::Program;
use crate::steps::Workshop;

/// What drives the browser comes from npm; the browser itself does not, because what npm has is
/// fetched from elsewhere when it is installed, and runs only where its libraries are.
const BROWSERS: [Program; 3] = [
    browser(&["chromium", "--version"]),
    browser(&["chromium-browser", "--version"]),
    browser(&["google-chrome", "--version"]),
];

const fn browser(probe: &'static [&'static str]) -> Program {
    Program { name: "Chromium", probe, install: "apt-get install chromium" }
}

/// One file of tests.
struct Suite {
    file: &'static str,
    /// A part of the name of the test that does what people mainly do with the system. A usual run
    /// has only this test of the suite, a long run all.
    story: Option<&'static str>,
}

const fn suite(file: &'static str, story: Option<&'static str>) -> Suite {
    Suite { file, story }
}

/// All suites, those that take longest first. Those with a story take most of half an hour together.
const SUITES: [Suite; 7] = [
    suite("axe.test.js", None),
    suite("snakes.test.js", None),
    suite("pages.test.js", None),
    suite("cricket.test.js", Some("is followed, pushes appear")),
    suite("hacktracker.test.js", Some("a team from nothing")),
    suite("threefc.test.js", Some("runs a whole game")),
    suite("fus.test.js", Some("the whole story")),
];

/// How many suites run at the same time, each with a browser of its own. They wait for pages half of
/// the time.
const SUITES_AT_ONCE: usize = 2;

/// Installs what is missing, starts the systems, and runs every suite against them.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let root = workshop.root;
    let (suites, scratch) = (root.join("qa/browser"), root.join("target/browser"));
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    SUITES.iter().try_for_each(|suite| suite.check(&suites))?;
    packages::node(&suites, &scratch)?;
    let chromium = install(root)?;
    let site = Endpoint::serve(root, scratch.join("serve.log"))?;
    let pictures = scratch.join("pictures").display().to_string();
    let test = |suite: &Suite| {
        let line = Line::new("node --no-warnings --test --test-reporter=spec");
        let line = match suite.story.filter(|_| !workshop.long()) {
            Some(story) => line.argument(&format!("--test-name-pattern={story}")),
            None => line,
        };
        line.argument(suite.file)
            .variable("SINGLET_URL", site.url())
            .variable("SINGLET_PICTURES", &pictures)
            .variable("CHROMIUM", chromium)
            .run_beside_others(&suites)
    };
    let failures = run_all(&SUITES, SUITES_AT_ONCE, test);
    match failures.is_empty() {
        true => {
            println!("pictures to look at: {pictures}");
            site.stop()
        }
        false => Err(format!("{}\n{}", failures.join("\n"), site.told())),
    }
}

/// Does the same with each, so many at a time, and returns what failed.
fn run_all<T: Sync>(
    all: &[T],
    at_once: usize,
    work: impl Fn(&T) -> Result<(), String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let take_one = || all.get(next.fetch_add(1, Ordering::Relaxed));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(one) = take_one() {
                    if let Err(failure) = work(one) {
                        failures.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl Suite {
    /// Fails if there is no such test: for a pattern without a match, node reports success.
    fn check(&self, suites: &Path) -> Result<(), String> {
        let text = std::fs::read_to_string(suites.join(self.file));
        let text = text.map_err(|error| format!("{}: {error}", self.file))?;
        match self.story.filter(|story| !text.contains(story)) {
            None => Ok(()),
            Some(story) => {
                Err(format!("{} has no test whose name contains \"{story}\"", self.file))
            }
        }
    }
}

/// The browser's command. Where there is none, the system's package is installed, if this may.
fn install(root: &Path) -> Result<&'static str, String> {
    let find = || BROWSERS.iter().find(|browser| browser.is_installed());
    let found = find().or_else(|| {
        println!("there is no Chromium here: trying to install one, which only root can");
        // Whether it worked is seen by whether it is there.
        let lists = Line::new("apt-get --quiet update").run(root);
        let _ = lists.and_then(|()| {
            Line::new("apt-get --quiet --yes install --no-install-recommends chromium")
                .variable("DEBIAN_FRONTEND", "noninteractive")
                .run(root)
        });
        find()
    });
    let probe = found.and_then(|browser| browser.probe.first().copied());
    probe.ok_or_else(|| {
        let [first, ..] = BROWSERS;
        format!("{} IS MISSING. What to do: {}", first.name, first.install)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_done_once_and_all_failures_are_told() {
        let done = Mutex::new(Vec::new());
        let mut failures = run_all(&[1, 2, 3, 4, 5], 2, |number| {
            done.lock().unwrap_or_else(PoisonError::into_inner).push(*number);
            if number % 2 == 0 { Err(format!("{number} failed")) } else { Ok(()) }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable();
        failures.sort_unstable();
        assert_eq!(done, [1, 2, 3, 4, 5]);
        assert_eq!(failures, ["2 failed", "4 failed"]);
    }

    #[test]
    fn every_suite_has_its_story() {
        let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../qa/browser");
        for suite in SUITES {
            assert_eq!(suite.check(&suites), Ok(()));
        }
        let missing = suite("axe.test.js", Some("no such test")).check(&suites);
        assert!(missing.is_err_and(|told| told.contains("no such test")));
        let files = std::fs::read_dir(suites).into_iter().flatten().flatten();
        let files = files.filter(|file| file.file_name().to_string_lossy().ends_with(".test.js"));
        assert_eq!(files.count(), SUITES.len(), "every suite is in the list");
    }
}
