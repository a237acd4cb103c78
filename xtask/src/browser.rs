//! The step `browser`: the pages of the systems in a real browser. The suites are in the folder
//! of that name, and drive the Chromium of the system.

use std::path::Path;

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

/// Suites that take most of half an hour together, each with a part of the name of the test that
/// does what people mainly do with the system. A usual run has only these tests, a long run all.
const STORIES: [(&str, &str); 4] = [
    ("cricket.test.js", "is followed, pushes appear"),
    ("fus.test.js", "the whole story"),
    ("hacktracker.test.js", "a team from nothing"),
    ("threefc.test.js", "runs a whole game"),
];

/// Installs what is missing, starts the systems, and runs every suite against them.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let root = workshop.root;
    let (suites, scratch) = (root.join("browser"), root.join("target/browser"));
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    packages::node(&suites, &scratch)?;
    let chromium = install(root)?;
    let site = Endpoint::serve(root, scratch.join("serve.log"))?;
    let pictures = scratch.join("pictures");
    let node = |arguments: &[&str]| {
        let line = Line::new("node --no-warnings --test --test-reporter=spec");
        let line = arguments.iter().fold(line, |line, argument| line.argument(argument));
        line.variable("SINGLET_URL", site.url())
            .variable("SINGLET_PICTURES", &pictures.display().to_string())
            .variable("CHROMIUM", chromium)
            .run(&suites)
    };
    let tested = match workshop.long() {
        true => node(&[]),
        false => node(&["axe.test.js", "pages.test.js", "snakes.test.js"]).and_then(|()| {
            for (suite, story) in STORIES {
                find_story(&suites, suite, story)?;
                node(&[&format!("--test-name-pattern={story}"), suite])?;
            }
            Ok(())
        }),
    };
    match tested {
        Ok(()) => {
            println!("pictures to look at: {}", pictures.display());
            site.stop()
        }
        Err(failure) => Err(format!("{failure}\n{}", site.told())),
    }
}

/// Fails if a suite has no such test: for a pattern without a match, node reports success.
fn find_story(suites: &Path, suite: &str, story: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(suites.join(suite)).map_err(|error| error.to_string())?;
    match text.contains(story) {
        true => Ok(()),
        false => Err(format!("{suite} has no test whose name contains \"{story}\"")),
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
