//! The visible contents of an engine.

use singlet_dynamo::Item;
use singlet_dynamo::operation::{
    DescribeStream, DescribeTable, GetRecords, GetShardIterator, ListStreams, ListTables, Scan,
    ShardIteratorType,
};
use singlet_dynamo::stream::StreamRecord;
use singlet_dynamo::table::{TableDescription, TableStatus};
use singlet_engine::{Engine, Error};

/// Everything that clients can see of an engine at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Every table, with its counts.
    pub tables: Vec<TableDescription>,
    /// The items of each table and of each of its indexes, in Scan order.
    pub items: Vec<(String, Vec<Item>)>,
    /// The records of all streams.
    pub records: Vec<StreamRecord>,
}

impl Contents {
    /// Reads everything through client operations.
    pub fn read(engine: &Engine) -> Result<Self, Error> {
        let mut contents = Self::default();
        for table_name in engine.list_tables(&ListTables::default())?.table_names {
            let table = engine.describe_table(&DescribeTable { table_name })?.table;
            if !matches!(table.status, TableStatus::Creating | TableStatus::Deleting) {
                contents.items.push((table.name.clone(), scan(engine, &table.name, None)?));
                for index in &table.indexes {
                    if index.status == TableStatus::Active {
                        let items = scan(engine, &table.name, Some(&index.index.name))?;
                        let name = format!("{} by {}", table.name, index.index.name);
                        contents.items.push((name, items));
                    }
                }
            }
            contents.tables.push(table);
        }
        for stream_arn in engine.list_streams(&ListStreams::default())?.streams {
            let request = DescribeStream {
                stream_arn: stream_arn.clone(),
                exclusive_start_shard_id: None,
                children_of: None,
                limit: None,
            };
            for shard in engine.describe_stream(&request)?.shards {
                let iterator = engine.get_shard_iterator(&GetShardIterator {
                    stream_arn: stream_arn.clone(),
                    shard_id: shard.id,
                    place: ShardIteratorType::TrimHorizon,
                })?;
                let shard_iterator = iterator.shard_iterator;
                let answer = engine.get_records(&GetRecords { shard_iterator, limit: 1000 })?;
                contents.records.extend(answer.records);
            }
        }
        Ok(contents)
    }

    pub fn items_of(&self, name: &str) -> &[Item] {
        self.items.iter().find(|(own, _)| own == name).map_or(&[], |(_, items)| items)
    }
}

fn scan(engine: &Engine, table: &str, index: Option<&str>) -> Result<Vec<Item>, Error> {
    let request = Scan { index_name: index.map(str::to_owned), ..Scan::new(table) };
    let answer = engine.scan(&request)?;
    assert!(answer.last_evaluated_key.is_none(), "the tests' tables fit into a page");
    Ok(answer.items.unwrap_or_default().iter().map(|item| item.to_item()).collect())
}
