//! Any operation, for those who have requests of all kinds: a server, a replay, a test.

use crate::commit::Stage;
use crate::engine::{Engine, Pending};
use crate::error::Result;
use singlet_dynamo::operation::{Answer, DescribeEndpointsAnswer, Request};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What a request comes to.
enum Step {
    /// It was a read, and is done.
    Done(Answer),
    /// It is a write, to be carried out by whoever leads the commit queue.
    Write(Write),
}

type Write = Box<dyn FnOnce(&mut Stage<'_>) -> Result<Answer> + Send>;

/// A request that is being carried out; see [`Engine::start`].
#[must_use = "the answer comes to whoever awaits this"]
pub struct Started<'e> {
    progress: Progress,
    /// The engine stays open meanwhile.
    engine: PhantomData<&'e Engine>,
}

enum Progress {
    Done(Option<Result<Answer>>),
    Waiting(Pending<Answer>),
}

impl Future for Started<'_> {
    type Output = Result<Answer>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Answer>> {
        match &mut self.progress {
            // A future is not polled again once it was ready.
            Progress::Done(answer) => answer.take().map_or(Poll::Pending, Poll::Ready),
            Progress::Waiting(pending) => Pin::new(pending).poll(context),
        }
    }
}

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
        self.start(request).await
    }

    /// Begins to carry out a request, like [`Engine::execute_async`], but at once: whether or not
    /// somebody waits for the answer. Reads, and most writes of an engine in memory, are done when
    /// this returns, and their future is ready.
    ///
    /// ```
    /// use singlet_dynamo::operation::Request;
    /// use singlet_engine::Engine;
    /// use std::pin::pin;
    /// use std::task::{Context, Waker};
    ///
    /// let engine = Engine::memory()?;
    /// let started = engine.start(Request::from_json("ListTables", b"{}")?);
    /// assert!(pin!(started).poll(&mut Context::from_waker(Waker::noop())).is_ready());
    /// # Ok::<(), singlet_engine::Error>(())
    /// ```
    pub fn start(&self, request: Request) -> Started<'_> {
        let progress = match self.step(request) {
            Ok(Step::Done(answer)) => Progress::Done(Some(Ok(answer))),
            Ok(Step::Write(operation)) => match self.write_async(operation) {
                Ok(pending) => Progress::Waiting(pending),
                Err(error) => Progress::Done(Some(Err(error))),
            },
            Err(error) => Progress::Done(Some(Err(error))),
        };
        Started { progress, engine: PhantomData }
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
