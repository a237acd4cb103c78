//! The step `clients`: the clients and libraries that people use with DynamoDB, unchanged,
//! against the built command `singlet dynamodb`. The suites are in the folder `clients`.

use std::path::{Path, PathBuf};

use crate::command::Line;
use crate::endpoint::{Endpoint, Place, Start};
use crate::packages;
use crate::steps::Workshop;

const PYTHON: &str = "qa/clients/python";
const NODE: &str = "qa/clients/node";

/// What the suites sign with. The secret has characters that a careless reader would mangle.
const ACCESS_KEY: &str = "AKIDSUITES";
const SECRET_KEY: &str = "secret/with+odd=characters #";

/// Installs the clients, starts an endpoint, and runs every suite against it.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let root = workshop.root;
    let scratch = root.join("target/clients");
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    let site = packages::python(root, &root.join(PYTHON), &scratch)?;
    packages::node(&root.join(NODE), &scratch)?;
    let suites = Suites { root, site };
    // The endpoint need not run while this compiles.
    suites.rust("--no-run").run(root)?;

    // In memory the signatures of all these clients are verified, on a folder anybody is let in.
    let credentials = scratch.join("credentials");
    let keys =
        format!("[suites]\naws_access_key_id={ACCESS_KEY}\naws_secret_access_key={SECRET_KEY}\n");
    std::fs::write(&credentials, keys).map_err(|error| error.to_string())?;
    let log = |name: &str| scratch.join(name);
    let start =
        Start { place: Place::Memory, credentials: Some(&credentials), log: log("memory.log") };
    finish(Endpoint::start(root, start)?, |url| suites.run_all(url))?;

    let folder = scratch.join("data");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    }
    let place = Place::Folder(&folder);
    let start = Start { place, credentials: None, log: log("folder.log") };
    finish(Endpoint::start(root, start)?, |url| {
        suites.unittest(url, "boto3_client")?;
        suites.restart(url, "write")
    })?;
    let start = Start { place, credentials: None, log: log("reopened.log") };
    finish(Endpoint::start(root, start)?, |url| suites.restart(url, "read"))
}

/// Does the work and stops the endpoint. If the work fails, the log is shown.
fn finish(endpoint: Endpoint, work: impl FnOnce(&str) -> Result<(), String>) -> Result<(), String> {
    match work(endpoint.url()) {
        Ok(()) => endpoint.stop(),
        Err(failure) => Err(format!("{failure}\n{}", endpoint.told())),
    }
}

struct Suites<'a> {
    root: &'a Path,
    /// Where the Python packages are.
    site: PathBuf,
}

impl Suites<'_> {
    fn run_all(&self, url: &str) -> Result<(), String> {
        for suite in ["signatures", "boto3_client", "boto3_resource", "pynamodb_models", "aws_cli"]
        {
            self.unittest(url, suite)?;
        }
        let node = Line::new("node --no-warnings --test --test-reporter=spec");
        at(node, url).run(&self.root.join(NODE))?;
        at(self.rust(""), url).run(self.root)
    }

    /// A suite of Python's own test runner.
    fn unittest(&self, url: &str, suite: &str) -> Result<(), String> {
        let line = format!("python3 -m unittest discover --top-level-directory . -s {suite}");
        self.python(url, &line)
    }

    /// One half of the story of an endpoint that is started again.
    fn restart(&self, url: &str, half: &str) -> Result<(), String> {
        self.python(url, &format!("python3 restart.py {half}"))
    }

    fn python(&self, url: &str, line: &str) -> Result<(), String> {
        let site = self.site.display().to_string();
        at(Line::new(line), url).variable("PYTHONPATH", &site).run(&self.root.join(PYTHON))
    }

    fn rust(&self, option: &str) -> Line {
        // Of the whole workspace, so that the SDK has the features that it was compiled with.
        Line::new(&format!("cargo test --quiet --workspace --test sdk {option}"))
    }
}

/// The line as every AWS SDK is told where to go, and kept away from the user's own settings.
fn at(line: Line, url: &str) -> Line {
    line.variable("AWS_ENDPOINT_URL", url)
        .variable("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        .variable("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        .variable("AWS_REGION", "us-east-1")
        .variable("AWS_DEFAULT_REGION", "us-east-1")
        .variable("AWS_CONFIG_FILE", "none")
        .variable("AWS_SHARED_CREDENTIALS_FILE", "none")
        .variable("NO_PROXY", "127.0.0.1")
}
