//! The step `browser`: tests the pages of the systems in the system's Chromium. See `qa/browser`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::command::Line;
use crate::endpoint::Endpoint;
use crate::packages;
use crate::program::Program;
use crate::steps::Workshop;

/// The driver comes from npm. The browser does not, because npm packages download it from elsewhere
/// and it needs system libraries.
const BROWSERS: [Program; 3] = [
    browser(&["chromium", "--version"]),
    browser(&["chromium-browser", "--version"]),
    browser(&["google-chrome", "--version"]),
];

const fn browser(probe: &'static [&'static str]) -> Program {
    Program { name: "Chromium", probe, install: "apt-get install chromium" }
}

/// Prefix of the tests that a normal run selects. A suite without such tests always runs in full.
const STORY: &str = "story: ";

#[derive(Debug, PartialEq)]
struct Suite {
    file: String,
    has_story: bool,
}

/// Suites that run in parallel, each with a browser. They spend half of their time waiting for
/// pages.
const SUITES_AT_ONCE: usize = 2;

/// Installs missing packages, starts the systems and runs every suite.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let root = workshop.root;
    let (suites, scratch) = (root.join("qa/browser"), root.join("target/browser"));
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    let all = find(&suites)?;
    packages::node(&suites, &scratch)?;
    let chromium = install(root)?;
    let site = Endpoint::serve(root, scratch.join("serve.log"))?;
    let pictures = scratch.join("pictures").display().to_string();
    let test = |suite: &Suite| {
        let line = Line::new("node --no-warnings --test --test-reporter=spec");
        let line = match suite.has_story && !workshop.long() {
            true => line.argument(&format!("--test-name-pattern=^{STORY}")),
            false => line,
        };
        line.argument(&suite.file)
            .variable("SINGLET_URL", site.url())
            .variable("SINGLET_PICTURES", &pictures)
            .variable("CHROMIUM", chromium)
            .run_beside_others(&suites)
    };
    let failures = run_all(&all, SUITES_AT_ONCE, test);
    match failures.is_empty() {
        true => {
            println!("pictures to look at: {pictures}");
            site.stop()
        }
        false => Err(format!("{}\n{}", failures.join("\n"), site.told())),
    }
}

/// Runs a function on each element, this many at a time, and collects failures.
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

/// All suites, with those that always run in full first: they take longest.
fn find(folder: &Path) -> Result<Vec<Suite>, String> {
    let mut suites = Vec::new();
    for file in std::fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = file.map_err(|error| error.to_string())?.path();
        let Some(file) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if file.ends_with(".test.js") {
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
            let has_story = text.contains(&format!("test(\"{STORY}"))
                || text.contains(&format!("test(`{STORY}"));
            suites.push(Suite { file: file.to_owned(), has_story });
        }
    }
    suites.sort_by(|one, other| (one.has_story, &one.file).cmp(&(other.has_story, &other.file)));
    Ok(suites)
}

/// The browser's command. Installs the system's package if it is missing and this is allowed.
fn install(root: &Path) -> Result<&'static str, String> {
    let find = || BROWSERS.iter().find(|browser| browser.is_installed());
    let found = find().or_else(|| {
        println!("there is no Chromium here: trying to install one, which only root can");
        // The result shows in whether the browser is there.
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
    fn suites_are_found_and_those_with_a_story_come_last() {
        let folder = std::env::temp_dir().join(format!("singlet-suites-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let files = [
            ("chess.test.js", "test(\"story: a game\", play);"),
            ("draughts.test.js", "test(`story: a game, ${screen}`, play);"),
            // The word elsewhere does not count.
            ("kit.test.js", "// story: none\ntest(\"a story: no\", play);"),
            ("chess.views.js", "test(\"story: not a suite\", play);"),
        ];
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let found = find(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        let suite = |file: &str, has_story| Suite { file: file.to_owned(), has_story };
        let expected = [
            suite("kit.test.js", false),
            suite("chess.test.js", true),
            suite("draughts.test.js", true),
        ];
        assert_eq!(found.unwrap(), expected);
    }
}
