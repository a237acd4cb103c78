//! A deterministic engine: tests advance its clock and run its maintenance.

use singlet_dynamo::operation::{Answer, Request};
use singlet_dynamo::{Error, Item};
use singlet_engine::{Clock, Engine, Options, Random};

/// 2026-01-01T00:00:00.000
pub(crate) const START_MS: i64 = 1_767_225_600_000;

pub(crate) struct FixedEngine {
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
}

impl FixedEngine {
    pub(crate) fn new() -> Self {
        let clock = Clock::fixed(START_MS);
        let options = Options {
            clock: clock.clone(),
            random: Random::seeded(1),
            background: false,
            ..Options::default()
        };
        Self { engine: Engine::memory_with(options).unwrap(), clock }
    }

    /// With one of the tables of the case files.
    pub(crate) fn with_table(table: &str) -> Self {
        let fixed = Self::new();
        let tables = include_str!("../../../singlet-dynamo/tests/cases/tables.json");
        let name = format!("\"TableName\": \"{table}\"");
        let line = tables.lines().find(|line| line.contains(&name)).unwrap();
        fixed.ask("CreateTable", line.trim_end_matches(','));
        fixed.engine.maintain().unwrap();
        fixed
    }

    pub(crate) fn try_ask(&self, operation: &str, body: &str) -> Result<Answer, Error> {
        let request = Request::from_json(operation, body.as_bytes())?;
        self.engine.execute(request).map_err(|error| error.to_dynamo())
    }

    pub(crate) fn ask(&self, operation: &str, body: &str) -> Answer {
        self.try_ask(operation, body).unwrap_or_else(|error| panic!("{operation} {body}: {error}"))
    }

    pub(crate) fn put(&self, table: &str, item: &str) {
        self.ask("PutItem", &format!(r#"{{"TableName":"{table}","Item":{item}}}"#));
    }

    pub(crate) fn all(&self, table: &str, index: Option<&str>) -> Vec<Item> {
        let index = index.map_or(String::new(), |index| format!(r#","IndexName":"{index}""#));
        match self.ask("Scan", &format!(r#"{{"TableName":"{table}"{index}}}"#)) {
            Answer::Page(page) => page.items.unwrap().iter().map(|item| item.to_item()).collect(),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn json(&self, operation: &str, body: &str) -> serde_json::Value {
        let mut writer = singlet_dynamo::json::Writer::new();
        self.ask(operation, body).write_json(&mut writer);
        serde_json::from_slice(&writer.into_bytes()).unwrap()
    }
}
