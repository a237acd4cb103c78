//! Runs any operation: for servers, replays and tests.

use crate::client::{ClientAccount, RequestContext};
use crate::commit::{Command, Outcome, Write, find_room};
use crate::engine::{Core, Engine, Pending, answer_of};
use crate::error::{Error, Result, Unfinished};
use crate::lane::{INLINE_FUEL, Job, PLAN_FUEL, SLICE_FUEL, Turn};
use crate::options::Options;
use crate::state::State;
use singlet_dynamo::fuel::{Fuel, Supply};
use singlet_dynamo::operation::{
    Answer, BatchGetItem, DescribeEndpointsAnswer, GetRecords, Query, Request, Scan,
    TransactGetItems,
};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// Planning attempts for a heavy write whose items keep changing, before it fails as overloaded.
const PLANS_MAX: usize = 8;

enum Work {
    /// A small read, already done.
    Done(Answer),
    Read(Read),
    Write(Write),
}

/// A read that may take long.
enum Read {
    BatchGetItem(BatchGetItem),
    GetRecords(GetRecords),
    Query(Query),
    Scan(Scan),
    TransactGetItems(TransactGetItems),
}

impl Read {
    fn answer(
        &self,
        state: &State,
        options: &Options,
        fuel: &mut Fuel<'_>,
    ) -> Result<Answer, Unfinished> {
        Ok(match self {
            Self::BatchGetItem(request) => state.batch_get_item(request, fuel)?.into(),
            Self::GetRecords(request) => state.get_records(request, options, fuel)?.into(),
            Self::Query(request) => state.query(request, fuel)?.into(),
            Self::Scan(request) => state.scan(request, fuel)?.into(),
            Self::TransactGetItems(request) => state.transact_get_items(request, fuel)?.into(),
        })
    }
}

/// A request in progress; see [`Engine::start`].
#[must_use = "the answer comes to whoever awaits this"]
pub struct Started<'e> {
    progress: Progress,
    engine: &'e Engine,
    /// For a write that may continue in the lane.
    client: Option<ClientAccount>,
}

enum Progress {
    Done(Option<Result<Answer>>),
    Writing(Pending),
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
                // Polling again after completion stays pending.
                Progress::Done(answer) => return answer.take().map_or(Poll::Pending, Poll::Ready),
                Progress::InLane(job) => return Pin::new(job).poll(context),
                Progress::Writing(pending) => {
                    match ready!(Pin::new(pending).poll(context))?.finish() {
                        Ok(outcome) => return Poll::Ready(outcome.and_then(answer_of)),
                        Err(command) => {
                            let job = self.engine.write_in_lane(self.client.as_ref(), command);
                            self.progress = Progress::of(job, Progress::InLane);
                        }
                    }
                }
            }
        }
    }
}

impl Engine {
    /// Runs a request and blocks until it is done.
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
        match self.work(request)? {
            Work::Done(answer) => Ok(answer),
            Work::Read(read) => self.read(|state, fuel| read.answer(state, self.options(), fuel)),
            Work::Write(write) => self.write(write).and_then(answer_of),
        }
    }

    /// Runs a request from asynchronous code. Reads run at once on the caller's thread; a write
    /// awaits its group. Requests that need more than about a millisecond of computation continue
    /// on the engine's threads, shared with other heavy requests.
    ///
    /// Dropping the future cancels the computation; a write that was already submitted may still be
    /// committed.
    pub async fn execute_async(&self, request: Request) -> Result<Answer> {
        self.start(request).await
    }

    /// Like [`Engine::execute_async`], but starts at once, even if the future is never polled. Most
    /// reads, and most writes of an engine in memory, are done when this returns. A heavy write
    /// that must be planned again continues when the future is polled.
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
    /// whose future was dropped does not run. Heavy requests also take turns by client.
    pub fn start_for(&self, context: &RequestContext, request: Request) -> Started<'_> {
        let progress = match self.work(request) {
            Ok(Work::Done(answer)) => Progress::Done(Some(Ok(answer))),
            Ok(Work::Read(read)) => self.start_read(context, read),
            Ok(Work::Write(write)) => self.start_write(context, write),
            Err(error) => Progress::Done(Some(Err(error))),
        };
        let client = matches!(progress, Progress::Writing(_)).then(|| context.client.clone());
        Started { progress, engine: self, client: client.flatten() }
    }

    /// Reads at once, or in the lane if the inline budget is exceeded.
    fn start_read(&self, context: &RequestContext, read: Read) -> Progress {
        let client = context.client.as_ref();
        let fuel = client.map_or(INLINE_FUEL, ClientAccount::inline_fuel);
        let outcome = self
            .state()
            .map_err(Unfinished::from)
            .and_then(|state| read.answer(&state, self.options(), &mut Fuel::limited(fuel)));
        if let Some(client) = client {
            client.note_inline_read(matches!(outcome, Err(Unfinished::OutOfFuel)));
        }
        match outcome {
            Ok(answer) => Progress::Done(Some(Ok(answer))),
            Err(Unfinished::Failed(error)) => Progress::Done(Some(Err(error))),
            Err(Unfinished::OutOfFuel) => {
                Progress::of(self.read_in_lane(client, read), Progress::InLane)
            }
        }
    }

    /// Plans at once and waits for the commit, or continues in the lane if planning exceeds the
    /// inline budget.
    fn start_write(&self, context: &RequestContext, write: Write) -> Progress {
        let client = context.client.as_ref();
        let mut command = Command::new(write, context.room.clone());
        let planned = self.core().plan(&mut command, &mut Fuel::limited(PLAN_FUEL));
        match planned.map_err(|error| error.within_room(context.room.as_ref())) {
            Ok(Some(outcome)) => Progress::Done(Some(answer_of(outcome))),
            Ok(None) => {
                command.hold_plan(&self.core().waiting_plan_bytes);
                Progress::of(self.core().enqueue(client, command), Progress::Writing)
            }
            Err(Unfinished::Failed(error)) => Progress::Done(Some(Err(error))),
            Err(Unfinished::OutOfFuel) => {
                Progress::of(self.write_in_lane(client, command), Progress::InLane)
            }
        }
    }

    fn read_in_lane(&self, client: Option<&ClientAccount>, read: Read) -> Result<Job<Answer>> {
        let core = Arc::clone(self.core());
        self.core().lane.start(client, move |turn| {
            // Wait for a turn before the first slice, too.
            if !turn.pass() {
                return turn.explain(Err(Error::Closed));
            }
            let read =
                |state: &State, fuel: &mut Fuel<'_>| read.answer(state, core.options(), fuel);
            turn.explain(core.read(read, &mut &*turn))
        })
    }

    fn write_in_lane(
        &self,
        client: Option<&ClientAccount>,
        command: Box<Command>,
    ) -> Result<Job<Answer>> {
        let (core, own) = (Arc::clone(self.core()), client.cloned());
        self.core().lane.start(client, move |turn| {
            if !turn.pass() {
                return turn.explain(Err(Error::Closed));
            }
            turn.explain(core.write(own.as_ref(), command, Some(turn)).and_then(answer_of))
        })
    }

    fn work(&self, request: Request) -> Result<Work> {
        Ok(match request {
            Request::BatchGetItem(request) => Work::Read(Read::BatchGetItem(request)),
            Request::GetRecords(request) => Work::Read(Read::GetRecords(request)),
            Request::Query(request) => Work::Read(Read::Query(request)),
            Request::Scan(request) => Work::Read(Read::Scan(request)),
            Request::TransactGetItems(request) => Work::Read(Read::TransactGetItems(request)),
            Request::DescribeEndpoints(_) => {
                let address = format!("dynamodb.{}.amazonaws.com", self.options().home.region);
                Work::Done(DescribeEndpointsAnswer { address }.into())
            }
            Request::DescribeLimits(_) => Work::Done(self.describe_limits().into()),
            Request::DescribeStream(request) => Work::Done(self.describe_stream(&request)?.into()),
            Request::DescribeTable(request) => Work::Done(self.describe_table(&request)?.into()),
            Request::DescribeTimeToLive(request) => {
                Work::Done(self.describe_time_to_live(&request)?.into())
            }
            Request::GetItem(request) => Work::Done(self.get_item(&request)?.into()),
            Request::GetShardIterator(request) => {
                Work::Done(self.get_shard_iterator(&request)?.into())
            }
            Request::ListStreams(request) => Work::Done(self.list_streams(&request)?.into()),
            Request::ListTables(request) => Work::Done(self.list_tables(&request)?.into()),
            Request::ListTagsOfResource(request) => {
                Work::Done(self.list_tags_of_resource(&request)?.into())
            }
            Request::BatchWriteItem(request) => Work::Write(Write::Batch(request.into())),
            Request::CreateTable(request) => Work::Write(Write::CreateTable(request)),
            Request::DeleteItem(request) => Work::Write(Write::Delete(request)),
            Request::DeleteTable(request) => Work::Write(Write::DeleteTable(request)),
            Request::PutItem(request) => Work::Write(Write::Put(request.into())),
            Request::TagResource(request) => Work::Write(Write::TagResource(request)),
            Request::TransactWriteItems(request) => Work::Write(Write::Transaction(request.into())),
            Request::UntagResource(request) => Work::Write(Write::UntagResource(request)),
            Request::UpdateItem(request) => Work::Write(Write::Update(request)),
            Request::UpdateTable(request) => Work::Write(Write::UpdateTable(request)),
            Request::UpdateTimeToLive(request) => Work::Write(Write::UpdateTimeToLive(request)),
        })
    }

    /// Reads on the caller's thread, however long it takes, unless the engine is closed.
    pub(crate) fn read<A>(
        &self,
        read: impl FnOnce(&State, &mut Fuel<'_>) -> Result<A, Unfinished>,
    ) -> Result<A> {
        let core = self.core();
        core.read(read, &mut || !core.is_closed())
    }

    /// Writes on the caller's thread. Blocks until the write is as durable as the options require.
    pub(crate) fn write(&self, write: Write) -> Result<Outcome> {
        self.core().write(None, Command::new(write, None), None)
    }
}

impl Core {
    /// Reads with fuel from `supply`, which is asked after each slice and for memory that is kept.
    fn read<A>(
        &self,
        read: impl FnOnce(&State, &mut Fuel<'_>) -> Result<A, Unfinished>,
        supply: &mut dyn Supply,
    ) -> Result<A> {
        let state = self.state()?;
        match read(&state, &mut Fuel::sliced(SLICE_FUEL, supply)) {
            Ok(answer) => Ok(answer),
            Err(Unfinished::Failed(error)) => Err(error),
            // The engine was closed, the request was cancelled, or memory is short.
            Err(Unfinished::OutOfFuel) => Err(Error::Closed),
        }
    }

    /// Plans a write on the latest state. Returns the outcome if it changes nothing; otherwise it
    /// must be committed.
    fn plan(
        &self,
        command: &mut Command,
        fuel: &mut Fuel<'_>,
    ) -> Result<Option<Outcome>, Unfinished> {
        self.check_writable()?;
        if command.write.is_for_committing_thread() {
            return Ok(None);
        }
        let state = self.state()?;
        let plan = self.view(&state).plan(&command.write, None, fuel)?;
        if plan.is_empty() {
            find_room(command.room.as_ref(), plan.returned_bytes())?;
            return Ok(Some(plan.into_outcome()));
        }
        command.plan = Some(plan);
        Ok(None)
    }

    /// Plans and commits a write on this thread: in the lane, or the caller's.
    pub(crate) fn write(
        &self,
        client: Option<&ClientAccount>,
        mut command: Box<Command>,
        turn: Option<&Turn>,
    ) -> Result<Outcome> {
        for _ in 0..PLANS_MAX {
            if let Some(outcome) = self.plan_in_slices(&mut command, turn)? {
                return Ok(outcome);
            }
            if let Some(turn) = turn {
                // Let others compute while this waits for its commit.
                turn.give_back();
            }
            match self.commit_one(client, command)?.finish() {
                Ok(outcome) => return outcome,
                Err(again) => command = again,
            }
        }
        Err(Error::Overloaded)
    }

    fn plan_in_slices(
        &self,
        command: &mut Command,
        turn: Option<&Turn>,
    ) -> Result<Option<Outcome>> {
        let (mut in_lane, mut of_caller) = (turn, || !self.is_closed());
        let supply: &mut dyn Supply = match &mut in_lane {
            Some(turn) => {
                turn.start_over();
                turn
            }
            None => &mut of_caller,
        };
        let planned = self.plan(command, &mut Fuel::sliced(SLICE_FUEL, supply));
        planned.map_err(|error| match error {
            Unfinished::Failed(error) => error,
            Unfinished::OutOfFuel => Error::Closed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Random;
    use singlet_dynamo::capacity::ReturnConsumedCapacity;
    use singlet_dynamo::expression::{Comparator, Condition, Operand, Path};
    use singlet_dynamo::operation::{CreateTable, PutItem};
    use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
    use singlet_dynamo::{Item, Value};

    fn engine_with(texts: impl Iterator<Item = usize>) -> Engine {
        let engine = Engine::memory().unwrap();
        let key = KeySchema::simple(KeyAttribute::new("pk", KeyType::N), None);
        let schema = TableSchema { name: "table".into(), key, indexes: vec![] };
        engine.create_table(CreateTable::new(schema)).unwrap();
        engine.wait_until_active("table").unwrap();
        for (id, len) in texts.enumerate() {
            let mut item = Item::from([("pk", Value::from(id as i64))]);
            item.insert("text", Value::from("ab".repeat(len)));
            engine.put_item(PutItem::new("table", item)).unwrap();
        }
        engine
    }

    fn path(name: &str) -> Operand {
        Operand::Path(Path::attribute(name).unwrap())
    }

    #[test]
    fn a_budget_changes_no_page() {
        let random = Random::seeded(7);
        let below = |end: u64| random.next_u64() % end;
        let (mut ended, mut finished) = (0, 0);
        for _ in 0..40 {
            let texts: Vec<usize> = (0..below(60)).map(|_| below(40_000) as usize).collect();
            let engine = engine_with(texts.into_iter());
            let mut scan = Scan::new("table");
            scan.limit = (below(2) == 0).then(|| 1 + below(40) as usize);
            scan.return_consumed_capacity = ReturnConsumedCapacity::Total;
            let word = Operand::Value("ab".repeat(below(20_000) as usize).into());
            let has = Condition::contains(path("text"), word).unwrap();
            let size = Operand::size(path("text")).unwrap();
            let limit = Operand::Value((below(80_000) as i64).into());
            let is_small = Condition::compare(size, Comparator::Less, limit).unwrap();
            scan.filter = Some(match below(3) {
                0 => has,
                1 => is_small,
                _ => Condition::and(vec![has, is_small]).unwrap(),
            });
            let state = engine.state().unwrap();
            let expected = state.scan(&scan, &mut Fuel::unlimited()).unwrap();
            for _ in 0..10 {
                match state.scan(&scan, &mut Fuel::limited(below(8_000_000))) {
                    Ok(page) => {
                        finished += 1;
                        assert_eq!(page, expected);
                    }
                    Err(Unfinished::OutOfFuel) => ended += 1,
                    Err(other) => panic!("{other:?}"),
                }
                let slice = 1 + below(100_000);
                let page = state.scan(&scan, &mut Fuel::sliced(slice, &mut || true)).unwrap();
                assert_eq!(page, expected);
            }
        }
        assert!(ended > 20 && finished > 20, "{ended} {finished}");
    }
}
