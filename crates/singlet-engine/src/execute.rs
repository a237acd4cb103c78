//! Any operation, for those who have requests of all kinds: a server, a replay, a test.

use crate::client::{ClientAccount, RequestContext};
use crate::commit::Stage;
use crate::engine::{Core, Engine, Pending};
use crate::error::{Error, Result, Unfinished};
use crate::heavy::{Attempt, attempt};
use crate::lane::{INLINE_FUEL, Job, Turn};
use crate::operation::{WeighedBatch, WeighedPut, WeighedTransaction};
use crate::state::State;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{Answer, DescribeEndpointsAnswer, Request};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// What a request comes to.
enum Step {
    /// It was a read, and is done.
    Done(Answer),
    /// It is a read that takes longer than a caller's thread may be held.
    HeavyRead(Read),
    /// It is a write to items, to be carried out by whoever leads the commit queue; unless it is
    /// known to take longer than that.
    WriteItems { write: WriteItems, is_heavy: bool },
    /// It is another write.
    Write(Write),
}

type Read = Box<dyn Fn(&Core, &State, &mut Fuel<'_>) -> Result<Answer, Unfinished> + Send>;
type WriteItems = Box<dyn Fn(&mut Stage<'_>) -> Result<Answer, Unfinished> + Send>;
type Write = Box<dyn FnOnce(&mut Stage<'_>) -> Result<Answer> + Send>;

/// A request that is being carried out; see [`Engine::start`].
#[must_use = "the answer comes to whoever awaits this"]
pub struct Started<'e> {
    progress: Progress,
    engine: &'e Engine,
    /// Of a write that may go on in the lane.
    client: Option<ClientAccount>,
}

enum Progress {
    Done(Option<Result<Answer>>),
    WritingItems(Pending<Attempt<Answer, WriteItems>>),
    Writing(Pending<Answer>),
    InLane(Job<Answer>),
}

impl Progress {
    fn of<P>(pending: Result<P>, waiting: impl FnOnce(P) -> Self) -> Self {
        pending.map_or_else(|error| Self::Done(Some(Err(error))), waiting)
    }
}

impl Future for Started<'_> {
    type Output = Result<Answer>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Answer>> {
        loop {
            match &mut self.progress {
                // A future is not polled again once it was ready.
                Progress::Done(answer) => return answer.take().map_or(Poll::Pending, Poll::Ready),
                Progress::Writing(pending) => return Pin::new(pending).poll(context),
                Progress::InLane(job) => return Pin::new(job).poll(context),
                Progress::WritingItems(pending) => {
                    match ready!(Pin::new(pending).poll(context))?.finish() {
                        Ok(outcome) => return Poll::Ready(outcome),
                        Err(write) => {
                            let job = self.engine.write_in_lane(self.client.as_ref(), write);
                            self.progress = Progress::of(job, Progress::InLane);
                        }
                    }
                }
            }
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
        match self.step(request, &RequestContext::default())? {
            Step::Done(answer) => Ok(answer),
            Step::HeavyRead(read) => self.read(|state, fuel| read(self.core(), state, fuel)),
            Step::WriteItems { write, is_heavy } => self.write_items(is_heavy, write),
            Step::Write(write) => self.write(write),
        }
    }

    /// Carries out a request from asynchronous code. Reads run at once, on the caller's thread;
    /// a write waits for its group without holding the thread up. What takes longer than about a
    /// millisecond to compute goes on in threads of the engine's own, which it shares with others
    /// of its kind.
    ///
    /// Dropping the future ends what is being computed for it; a write that was decided already may
    /// still be carried out.
    pub async fn execute_async(&self, request: Request) -> Result<Answer> {
        self.start(request).await
    }

    /// Begins to carry out a request, like [`Engine::execute_async`], but at once: whether or not
    /// somebody waits for the answer. Most reads, and most writes of an engine in memory, are done
    /// when this returns, and their future is ready. A write that takes long to compute goes on when
    /// the future is polled.
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
        self.start_for(&RequestContext::default(), request)
    }

    /// Like [`Engine::start`], for one of several clients. When more writes wait than one commit
    /// takes, the client charged least goes first, each client's writes stay in order, and a write
    /// whose future was dropped is not carried out. Heavy requests take turns by client, too.
    pub fn start_for(&self, context: &RequestContext, request: Request) -> Started<'_> {
        let client = context.client.as_ref();
        let progress = match self.step(request, context) {
            Ok(Step::Done(answer)) => Progress::Done(Some(Ok(answer))),
            Ok(Step::HeavyRead(read)) => {
                Progress::of(self.read_in_lane(client, read), Progress::InLane)
            }
            Ok(Step::WriteItems { write, is_heavy: true }) => {
                Progress::of(self.write_in_lane(client, write), Progress::InLane)
            }
            Ok(Step::WriteItems { write, is_heavy: false }) => {
                Progress::of(self.write_async(client, attempt(write, None)), Progress::WritingItems)
            }
            Ok(Step::Write(write)) => {
                Progress::of(self.write_async(client, write), Progress::Writing)
            }
            Err(error) => Progress::Done(Some(Err(error))),
        };
        let client = matches!(progress, Progress::WritingItems(_)).then(|| client.cloned());
        Started { progress, engine: self, client: client.flatten() }
    }

    fn read_in_lane(&self, client: Option<&ClientAccount>, read: Read) -> Result<Job<Answer>> {
        let core = Arc::clone(self.core());
        self.core().lane.start(client, move |turn| {
            // Nothing is computed without a turn, not even the first slice.
            if !turn.pass() {
                return turn.explain(Err(Error::Closed));
            }
            let outcome = core.read(|state, fuel| read(&core, state, fuel), &mut &*turn);
            turn.explain(outcome)
        })
    }

    fn write_in_lane(
        &self,
        client: Option<&ClientAccount>,
        write: WriteItems,
    ) -> Result<Job<Answer>> {
        let (core, own) = (Arc::clone(self.core()), client.cloned());
        self.core().lane.start(client, move |turn: &Turn| {
            if !turn.pass() {
                return turn.explain(Err(Error::Closed));
            }
            turn.explain(core.write_heavy(own.as_ref(), write, &mut &*turn))
        })
    }

    fn step(&self, request: Request, context: &RequestContext) -> Result<Step> {
        let room = context.room.as_ref();
        macro_rules! write {
            (|$stage:ident| $answer:expr) => {
                Step::Write(Box::new(move |$stage| Ok(Answer::from($answer?))))
            };
        }
        macro_rules! write_items {
            ($is_heavy:expr, |$stage:ident| $answer:expr) => {{
                let (is_heavy, room) = ($is_heavy, room.cloned());
                let write: WriteItems = Box::new(move |$stage| {
                    $stage.room.clone_from(&room);
                    Ok(Answer::from($answer?))
                });
                Step::WriteItems { write, is_heavy }
            }};
        }
        // Tried at once, and kept to be done again in the lane if it takes longer.
        macro_rules! read {
            (|$core:ident, $state:ident, $fuel:ident| $answer:expr) => {{
                let read = move |$core: &Core, $state: &State, $fuel: &mut Fuel<'_>| {
                    Ok(Answer::from($answer?))
                };
                let client = context.client.as_ref();
                let fuel = client.map_or(INLINE_FUEL, ClientAccount::inline_fuel);
                let outcome = read(self.core(), &self.state()?, &mut Fuel::limited(fuel));
                if let Some(client) = client {
                    client.note_inline_read(matches!(outcome, Err(Unfinished::OutOfFuel)));
                }
                match outcome {
                    Ok(answer) => Step::Done(answer),
                    Err(Unfinished::Failed(error)) => return Err(error),
                    Err(Unfinished::OutOfFuel | Unfinished::DryRun) => {
                        Step::HeavyRead(Box::new(read))
                    }
                }
            }};
        }
        let home = || self.options().home.clone();
        Ok(match request {
            Request::BatchGetItem(request) => {
                read!(|_core, state, fuel| state.batch_get_item(&request, fuel))
            }
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
            Request::GetRecords(request) => {
                read!(|core, state, fuel| state.get_records(&request, core.options(), fuel))
            }
            Request::GetShardIterator(request) => {
                Step::Done(self.get_shard_iterator(&request)?.into())
            }
            Request::ListStreams(request) => Step::Done(self.list_streams(&request)?.into()),
            Request::ListTables(request) => Step::Done(self.list_tables(&request)?.into()),
            Request::ListTagsOfResource(request) => {
                Step::Done(self.list_tags_of_resource(&request)?.into())
            }
            Request::Query(request) => read!(|_core, state, fuel| state.query(&request, fuel)),
            Request::Scan(request) => read!(|_core, state, fuel| state.scan(&request, fuel)),
            Request::TransactGetItems(request) => {
                read!(|_core, state, fuel| state.transact_get_items(&request, fuel))
            }
            Request::BatchWriteItem(request) => {
                let batch = WeighedBatch::new(request);
                write_items!(batch.is_heavy(), |stage| stage.batch_write_item(&batch))
            }
            Request::CreateTable(request) => {
                let (home, id) = (home(), self.options().random.uuid());
                write!(|stage| stage.create_table(&request, &home, id))
            }
            Request::DeleteItem(request) => {
                write_items!(false, |stage| stage.delete_item(&request))
            }
            Request::DeleteTable(request) => write!(|stage| stage.delete_table(&request)),
            Request::PutItem(request) => {
                let put = WeighedPut::new(request);
                write_items!(put.is_heavy(), |stage| stage.put_item(&put))
            }
            Request::TagResource(request) => {
                let home = home();
                write!(|stage| stage.tag_resource(&request, &home))
            }
            Request::TransactWriteItems(request) => {
                let transaction = WeighedTransaction::new(request);
                write_items!(transaction.is_heavy(), |stage| {
                    stage.transact_write_items(&transaction)
                })
            }
            Request::UntagResource(request) => {
                let home = home();
                write!(|stage| stage.untag_resource(&request, &home))
            }
            Request::UpdateItem(request) => {
                write_items!(false, |stage| stage.update_item(&request))
            }
            Request::UpdateTable(request) => write!(|stage| stage.update_table(&request)),
            Request::UpdateTimeToLive(request) => {
                write!(|stage| stage.update_time_to_live(&request))
            }
        })
    }
}
