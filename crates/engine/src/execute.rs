//! Any operation, for those who have requests of all kinds: a server, a replay, a test.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{Answer, DescribeEndpointsAnswer, Request};

/// What a request comes to.
#[expect(clippy::large_enum_variant, reason = "it lives for one match, on the stack")]
enum Step {
    /// It was a read, and is done.
    Done(Answer),
    /// It is a write, to be carried out by whoever leads the commit queue.
    Write(Write),
}

type Write = Box<dyn FnOnce(&mut Stage<'_>) -> Result<Answer> + Send>;

impl Engine {
    /// Carries out a request, and blocks the thread until it is done.
    ///
    /// ```
    /// use singlet_dynamo::operation::{Answer, Request};
    /// use singlet_engine::Engine;
    ///
    /// let engine = Engine::memory()?;
    /// let answer = engine.execute(Request::from_json("ListTables", b"{}")?)?;
    /// assert!(matches!(answer, Answer::ListTables(tables) if tables.table_names.is_empty()));
    /// # Ok::<(), singlet_engine::Error>(())
    /// ```
    pub fn execute(&self, request: Request) -> Result<Answer> {
        match self.step(request)? {
            Step::Done(answer) => Ok(answer),
            Step::Write(operation) => self.write(operation),
        }
    }

    /// Carries out a request from asynchronous code. Reads run at once, on the caller's thread;
    /// a write waits for its group without holding the thread up.
    pub async fn execute_async(&self, request: Request) -> Result<Answer> {
        match self.step(request)? {
            Step::Done(answer) => Ok(answer),
            Step::Write(operation) => self.write_async(operation).await,
        }
    }

    fn step(&self, request: Request) -> Result<Step> {
        macro_rules! write {
            (|$stage:ident| $answer:expr) => {
                Step::Write(Box::new(move |$stage| Ok(Answer::from($answer?))))
            };
        }
        let home = || self.options().home.clone();
        Ok(match request {
            Request::BatchGetItem(request) => Step::Done(self.batch_get_item(request)?.into()),
            Request::DescribeEndpoints(_) => {
                let address = format!("dynamodb.{}.amazonaws.com", self.options().home.region);
                Step::Done(DescribeEndpointsAnswer { address }.into())
            }
            Request::DescribeLimits(_) => Step::Done(self.describe_limits().into()),
            Request::DescribeStream(request) => Step::Done(self.describe_stream(&request)?.into()),
            Request::DescribeTable(request) => Step::Done(self.describe_table(&request)?.into()),
            Request::DescribeTimeToLive(request) => {
                Step::Done(self.describe_time_to_live(&request)?.into())
            }
            Request::GetItem(request) => Step::Done(self.get_item(&request)?.into()),
            Request::GetRecords(request) => Step::Done(self.get_records(&request)?.into()),
            Request::GetShardIterator(request) => {
                Step::Done(self.get_shard_iterator(&request)?.into())
            }
            Request::ListStreams(request) => Step::Done(self.list_streams(&request)?.into()),
            Request::ListTables(request) => Step::Done(self.list_tables(&request)?.into()),
            Request::ListTagsOfResource(request) => {
                Step::Done(self.list_tags_of_resource(&request)?.into())
            }
            Request::Query(request) => Step::Done(self.query(&request)?.into()),
            Request::Scan(request) => Step::Done(self.scan(&request)?.into()),
            Request::TransactGetItems(request) => {
                Step::Done(self.transact_get_items(&request)?.into())
            }
            Request::BatchWriteItem(request) => write!(|stage| stage.batch_write_item(&request)),
            Request::CreateTable(request) => {
                let (home, id) = (home(), self.options().random.uuid());
                write!(|stage| stage.create_table(&request, &home, id))
            }
            Request::DeleteItem(request) => write!(|stage| stage.delete_item(&request)),
            Request::DeleteTable(request) => write!(|stage| stage.delete_table(&request)),
            Request::PutItem(request) => write!(|stage| stage.put_item(&request)),
            Request::TagResource(request) => {
                let home = home();
                write!(|stage| stage.tag_resource(&request, &home))
            }
            Request::TransactWriteItems(request) => {
                write!(|stage| stage.transact_write_items(&request))
            }
            Request::UntagResource(request) => {
                let home = home();
                write!(|stage| stage.untag_resource(&request, &home))
            }
            Request::UpdateItem(request) => write!(|stage| stage.update_item(&request)),
            Request::UpdateTable(request) => write!(|stage| stage.update_table(&request)),
            Request::UpdateTimeToLive(request) => {
                write!(|stage| stage.update_time_to_live(&request))
            }
        })
    }
}
