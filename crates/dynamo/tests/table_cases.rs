//! Every validation case about tables, tags and streams: see `cases/`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

use singlet_dynamo::arn::{Home, StreamArn};
use singlet_dynamo::json::Writer;
use singlet_dynamo::operation::{
    Answer, CreateTableAnswer, DeleteTableAnswer, DescribeEndpointsAnswer, DescribeLimitsAnswer,
    DescribeTableAnswer, Request, TagResourceAnswer, UntagResourceAnswer, UpdateTableAnswer,
    stream_not_found, table_not_found,
};
use singlet_dynamo::stream::{SequenceNumber, Shard, StreamDescription, StreamStatus, shard_id};
use singlet_dynamo::table::TableDescription;
use singlet_dynamo::{Error, Result, Timestamp};
use singlet_testkit::cases::{self, Case};
use std::collections::BTreeMap;

/// 2026-01-01T00:00:00.000, when everything happens.
const NOW: Timestamp = Timestamp::from_millis(1_767_225_600_000);

struct World {
    home: Home,
    tables: BTreeMap<String, TableDescription>,
}

impl World {
    fn new() -> Self {
        let home = Home { region: "us-east-1".into(), account: "123456789012".into() };
        let mut world = Self { home, tables: BTreeMap::new() };
        for line in cases::tables().unwrap().lines().filter(|line| line.starts_with('{')) {
            world.done("CreateTable", line.trim_end_matches(','));
        }
        world
    }

    /// Carries out a request to its end.
    fn done(&mut self, operation: &str, body: &str) {
        self.answer(operation, body).unwrap_or_else(|error| panic!("{operation} {body}: {error}"));
        for table in self.tables.values_mut() {
            table.activate(NOW);
        }
    }

    fn table(&mut self, name: &str) -> Result<&mut TableDescription> {
        self.tables.get_mut(name).ok_or_else(|| table_not_found(name))
    }

    fn streams(&self) -> Vec<StreamDescription> {
        let stream = |table: &TableDescription| {
            Some(StreamDescription {
                arn: StreamArn::parse(table.latest_stream_arn()?).unwrap(),
                status: StreamStatus::Enabled,
                view_type: table.stream?,
                created_at: table.latest_stream_at?,
                key: table.key.clone(),
                shards: vec![Shard {
                    id: shard_id(NOW, 0),
                    parent_id: None,
                    starting_sequence_number: SequenceNumber::new(1),
                    ending_sequence_number: None,
                }],
            })
        };
        self.tables.values().filter_map(stream).collect()
    }

    fn answer(&mut self, operation: &str, body: &str) -> Result<Answer> {
        Ok(match Request::from_json(operation, body.as_bytes())? {
            Request::CreateTable(request) => {
                request.check(self.tables.get(&request.schema.name))?;
                let id = "00000000-0000-4000-8000-000000000000".to_owned();
                let table = request.describe(&self.home, id, NOW);
                self.tables.insert(table.name.clone(), table.clone());
                CreateTableAnswer { table_description: table }.into()
            }
            Request::UpdateTable(request) => {
                let table = self.table(&request.table_name)?;
                request.check(table)?;
                request.apply(table, NOW);
                UpdateTableAnswer { table_description: table.clone() }.into()
            }
            Request::DeleteTable(request) => {
                let table = self.table(&request.table_name)?;
                request.check(table)?;
                request.apply(table);
                DeleteTableAnswer { table_description: table.clone() }.into()
            }
            Request::DescribeTable(request) => {
                DescribeTableAnswer { table: self.table(&request.table_name)?.clone() }.into()
            }
            Request::ListTables(request) => {
                request.page(self.tables.keys().map(String::as_str)).into()
            }
            Request::UpdateTimeToLive(request) => {
                let table = self.table(&request.table_name)?;
                request.check(table)?;
                request.apply(table);
                request.answer().into()
            }
            Request::DescribeTimeToLive(request) => {
                request.answer(self.table(&request.table_name)?).into()
            }
            Request::TagResource(request) => {
                let name = request.resource_arn.table_name();
                request.check(&self.home, self.tables.get(name))?;
                request.apply(self.table(name)?);
                TagResourceAnswer.into()
            }
            Request::UntagResource(request) => {
                let name = request.resource_arn.table_name();
                request.check(&self.home, self.tables.get(name))?;
                request.apply(self.table(name)?);
                UntagResourceAnswer.into()
            }
            Request::ListTagsOfResource(request) => {
                let table = self.tables.get(request.resource_arn.table_name());
                request.answer(&self.home, table)?.into()
            }
            Request::DescribeLimits(_) => DescribeLimitsAnswer::default().into(),
            Request::DescribeEndpoints(_) => {
                let address = format!("dynamodb.{}.amazonaws.com", self.home.region);
                DescribeEndpointsAnswer { address }.into()
            }
            Request::ListStreams(request) => {
                let arns = self.tables.values().filter_map(TableDescription::latest_stream_arn);
                let arns: Vec<StreamArn> = arns.map(|arn| StreamArn::parse(arn).unwrap()).collect();
                request.page(&arns).into()
            }
            Request::DescribeStream(request) => {
                let mut streams = self.streams().into_iter();
                let stream = streams.find(|stream| stream.arn == request.stream_arn);
                request.answer(stream.ok_or_else(|| stream_not_found(&request.stream_arn))?).into()
            }
            Request::GetShardIterator(request) => {
                let streams = self.streams();
                request.check(streams.iter().find(|stream| stream.arn == request.stream_arn))?;
                let first = SequenceNumber::new(1);
                request.answer(first, first, NOW)?.into()
            }
            Request::GetRecords(request) => {
                request.shard_iterator.check(NOW)?;
                panic!("no case reads records")
            }
            other => panic!("no case asks for {}", other.operation()),
        })
    }
}

fn text(result: Result<Answer, Error>) -> String {
    match result {
        Ok(answer) => {
            let mut writer = Writer::new();
            answer.write_json(&mut writer);
            format!("ok {}", String::from_utf8(writer.into_bytes()).unwrap())
        }
        Err(error) if error.message().is_empty() => error.kind().name().to_owned(),
        Err(error) => error.to_string(),
    }
}

/// JSON with the members of its objects in the order of their names.
fn canonical(json: &str) -> String {
    fn value(bytes: &[u8], at: &mut usize) -> String {
        let list = |at: &mut usize, end: u8| {
            let mut parts = Vec::new();
            *at += 1;
            while bytes[*at] != end {
                let mut part = value(bytes, at);
                if bytes[*at] == b':' {
                    *at += 1;
                    part = format!("{part}:{}", value(bytes, at));
                }
                parts.push(part);
                if bytes[*at] == b',' {
                    *at += 1;
                }
            }
            *at += 1;
            parts
        };
        match bytes[*at] {
            b'{' => {
                let mut members = list(at, b'}');
                members.sort();
                format!("{{{}}}", members.join(","))
            }
            b'[' => format!("[{}]", list(at, b']').join(",")),
            b'"' => {
                let start = *at;
                *at += 1;
                while bytes[*at] != b'"' {
                    *at += if bytes[*at] == b'\\' { 2 } else { 1 };
                }
                *at += 1;
                String::from_utf8(bytes[start..*at].to_vec()).unwrap()
            }
            _ => {
                let start = *at;
                while *at < bytes.len() && !b",]}".contains(&bytes[*at]) {
                    *at += 1;
                }
                String::from_utf8(bytes[start..*at].to_vec()).unwrap()
            }
        }
    }
    value(json.as_bytes(), &mut 0)
}

fn fault(case: &Case) -> Option<String> {
    let mut world = World::new();
    for before in &case.after {
        world.done(&before.operation, &before.body);
    }
    let found = text(world.answer(&case.request.operation, &case.request.body));
    let fits = match &case.answer {
        cases::Answer::Accepted => found.starts_with("ok"),
        cases::Answer::Exactly(json) => {
            found.strip_prefix("ok ").is_some_and(|found| canonical(found) == canonical(json))
        }
        refused @ cases::Answer::Refused { .. } => found == refused.to_string(),
    };
    (!fits).then(|| {
        format!("{}: {}\n  expected {}\n  found    {found}\n", case.place, case.title, case.answer)
    })
}

#[test]
fn every_case_is_answered_as_the_service_answers_it() {
    let files = ["create-table", "update-table", "tables.", "time-to-live", "tags", "streams"];
    let cases = cases::load().unwrap();
    let cases: Vec<&Case> =
        cases.iter().filter(|case| files.iter().any(|file| case.place.starts_with(file))).collect();
    let faults: Vec<String> = cases.iter().filter_map(|case| fault(case)).collect();
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), cases.len(), faults.concat());
}
