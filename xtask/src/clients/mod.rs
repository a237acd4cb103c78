//! The step `clients`: tests popular DynamoDB clients and libraries against `singlet dynamodb`. See
//! `qa/clients`.

use std::path::{Path, PathBuf};

use crate::command::Line;
use crate::endpoint::{Endpoint, Place, Start};
use crate::packages;
use crate::steps::Workshop;

const PYTHON: &str = "qa/clients/python";
const NODE: &str = "qa/clients/node";

/// The suites' credentials. The secret has characters that need care in parsing.
const ACCESS_KEY: &str = "AKIDSUITES";
const SECRET_KEY: &str = "secret/with+odd=characters #";

pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let root = workshop.root;
    let scratch = root.join("target/clients");
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    let site = packages::python(root, &root.join(PYTHON), &scratch)?;
    packages::node(&root.join(NODE), &scratch)?;
    let suites = Suites { root, site };
    // Compile before starting the endpoint.
    suites.rust("--no-run").run(root)?;

    // The endpoint verifies signatures in memory, and accepts all on a folder.
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

/// Runs the work and stops the endpoint. Shows the log on failure.
fn finish(endpoint: Endpoint, work: impl FnOnce(&str) -> Result<(), String>) -> Result<(), String> {
    match work(endpoint.url()) {
        Ok(()) => endpoint.stop(),
        Err(failure) => Err(format!("{failure}\n{}", endpoint.told())),
    }
}

struct Suites<'a> {
    root: &'a Path,
    /// The Python packages.
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

    /// A suite for Python's unittest.
    fn unittest(&self, url: &str, suite: &str) -> Result<(), String> {
        let line = format!("python3 -m unittest discover --top-level-directory . -s {suite}");
        self.python(url, &line)
    }

    /// One half of the restart test.
    fn restart(&self, url: &str, half: &str) -> Result<(), String> {
        self.python(url, &format!("python3 restart.py {half}"))
    }

    fn python(&self, url: &str, line: &str) -> Result<(), String> {
        let site = self.site.display().to_string();
        at(Line::new(line), url).variable("PYTHONPATH", &site).run(&self.root.join(PYTHON))
    }

    fn rust(&self, option: &str) -> Line {
        // The whole workspace, so that the SDK's features match those already compiled.
        Line::new(&format!("cargo test --quiet --workspace --test sdk {option}"))
    }
}

/// Points every AWS SDK at the endpoint and away from the user's settings.
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
