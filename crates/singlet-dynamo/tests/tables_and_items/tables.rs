//! The operations on tables, tags and streams.

use super::{NOW, Tables};
use singlet_dynamo::Result;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::operation::{
    Answer, CreateTableAnswer, DeleteTableAnswer, DescribeEndpointsAnswer, DescribeLimitsAnswer,
    DescribeTableAnswer, Request, TagResourceAnswer, UntagResourceAnswer, UpdateTableAnswer,
    stream_not_found, table_not_found,
};
use singlet_dynamo::stream::{SequenceNumber, Shard, StreamDescription, StreamStatus, shard_id};
use singlet_dynamo::table::TableDescription;

impl Tables {
    fn description(&mut self, name: &str) -> Result<&mut TableDescription> {
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

    pub(super) fn tables(&mut self, request: Request) -> Result<Answer> {
        Ok(match request {
            Request::CreateTable(request) => {
                request.check(self.tables.get(&request.schema.name))?;
                let id = "00000000-0000-4000-8000-000000000000".to_owned();
                let table = request.describe(&self.home, id, NOW);
                self.tables.insert(table.name.clone(), table.clone());
                CreateTableAnswer { table_description: table }.into()
            }
            Request::UpdateTable(request) => {
                let table = self.description(&request.table_name)?;
                request.check(table)?;
                request.apply(table, NOW);
                UpdateTableAnswer { table_description: table.clone() }.into()
            }
            Request::DeleteTable(request) => {
                let table = self.description(&request.table_name)?;
                request.check(table)?;
                request.apply(table);
                DeleteTableAnswer { table_description: table.clone() }.into()
            }
            Request::DescribeTable(request) => {
                DescribeTableAnswer { table: self.description(&request.table_name)?.clone() }.into()
            }
            Request::ListTables(request) => {
                request.page(self.tables.keys().map(String::as_str)).into()
            }
            Request::UpdateTimeToLive(request) => {
                let table = self.description(&request.table_name)?;
                request.check(table)?;
                request.apply(table);
                request.answer().into()
            }
            Request::DescribeTimeToLive(request) => {
                request.answer(self.description(&request.table_name)?).into()
            }
            Request::TagResource(request) => {
                let name = request.resource_arn.table_name();
                request.check(&self.home, self.tables.get(name))?;
                request.apply(self.description(name)?);
                TagResourceAnswer.into()
            }
            Request::UntagResource(request) => {
                let name = request.resource_arn.table_name();
                request.check(&self.home, self.tables.get(name))?;
                request.apply(self.description(name)?);
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
            other => panic!("nobody carries out {}", other.operation()),
        })
    }
}
