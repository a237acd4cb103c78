//! Requests with a budget of work: begun where they arrive, and carried on where there is time.

use crate::client::ClientAccount;
use crate::commit::{DRY_RUNS_MAX, Mode, Precomputed, Stage, dry_run};
use crate::engine::{Core, Engine};
use crate::error::{Error, Result, Unfinished};
use crate::lane::SLICE_FUEL;
use crate::state::State;
use singlet_dynamo as dynamo;
use singlet_dynamo::fuel::{Fuel, Supply};

/// What came of a write that had the budget of the stage. The operation is given back: it may hold a
/// million values, which whoever waits for the answer drops, and not the thread that leads all
/// writes.
pub(crate) struct Attempt<A, W> {
    outcome: Result<A, Unfinished>,
    write: W,
}

impl<A, W> Attempt<A, W> {
    /// The outcome; or the operation, if it takes more than its budget and has staged nothing.
    pub(crate) fn finish(self) -> Result<Result<A>, W> {
        match self.outcome {
            Ok(answer) => Ok(Ok(answer)),
            Err(Unfinished::OutOfFuel) => Err(self.write),
            Err(Unfinished::Failed(error)) => Ok(Err(error)),
            // Only a dry run ends like this, and this is none.
            Err(Unfinished::DryRun) => Ok(Err(Error::Panicked)),
        }
    }
}

/// Who carries out a heavy write: a job of the lane, or the caller's thread.
pub(crate) trait Worker: Supply {
    /// Called before waiting for the queue.
    fn rest(&mut self) {}

    /// Called before the write is decided again, when all is dropped that was kept.
    fn start_over(&mut self) {}
}

impl<F: FnMut() -> bool> Worker for F {}

/// A write to items, which may be evaluated several times, and stages only in the last.
pub(crate) trait ItemWrite<A>:
    Fn(&mut Stage<'_>) -> Result<A, Unfinished> + Send + 'static
{
}

impl<A, W: Fn(&mut Stage<'_>) -> Result<A, Unfinished> + Send + 'static> ItemWrite<A> for W {}

/// The write as a command of the queue. `found` is the result of a dry run; `None` on the first try.
pub(crate) fn attempt<A, W: ItemWrite<A>>(
    write: W,
    found: Option<Precomputed>,
) -> impl FnOnce(&mut Stage<'_>) -> Result<Attempt<A, W>> + Send {
    move |stage| {
        if let Some(found) = found {
            stage.mode = Mode::WithDecision(found);
        }
        let outcome = write(stage).map_err(|unfinished| within_room(unfinished, stage));
        Ok(Attempt { outcome, write })
    }
}

/// Replaces a refusal that carries items by [`Error::Overloaded`] if there is no room for them. Those
/// that a dry run refuses are not asked for: the lane counts what they keep.
fn within_room(unfinished: Unfinished, stage: &Stage<'_>) -> Unfinished {
    let Unfinished::Failed(error) = &unfinished else { return unfinished };
    let bytes = error.refusal().map_or(0, dynamo::Error::item_bytes);
    stage.find_room_for(bytes).map_or_else(Unfinished::Failed, |()| unfinished)
}

impl Engine {
    /// Carries out a read on the caller's thread, however long it takes, unless the engine is
    /// closed meanwhile.
    pub(crate) fn read<A>(
        &self,
        read: impl FnOnce(&State, &mut Fuel<'_>) -> Result<A, Unfinished>,
    ) -> Result<A> {
        let core = self.core();
        core.read(read, &mut || !core.is_closed())
    }

    /// Carries out a write to items, and blocks the thread until it is done. One that is known to be
    /// heavy is not tried on the stage first.
    pub(crate) fn write_items<A: Send + 'static>(
        &self,
        is_heavy: bool,
        write: impl ItemWrite<A>,
    ) -> Result<A> {
        let core = self.core();
        let tried = if is_heavy { Err(write) } else { core.write(attempt(write, None))?.finish() };
        match tried {
            Ok(outcome) => outcome,
            Err(write) => core.write_heavy(None, write, &mut || !core.is_closed()),
        }
    }
}

impl Core {
    /// Carries out a read. `supply` is asked after each slice of work, and for what is kept.
    pub(crate) fn read<A>(
        &self,
        read: impl FnOnce(&State, &mut Fuel<'_>) -> Result<A, Unfinished>,
        supply: &mut dyn Supply,
    ) -> Result<A> {
        let state = self.state()?;
        match read(&state, &mut Fuel::sliced(SLICE_FUEL, supply)) {
            Ok(answer) => Ok(answer),
            Err(Unfinished::Failed(error)) => Err(error),
            // The engine was closed, nobody waits for the answer, or there is no room for it.
            Err(Unfinished::OutOfFuel | Unfinished::DryRun) => Err(Error::Closed),
        }
    }

    /// Carries out a write that takes more than the stage gives.
    pub(crate) fn write_heavy<A: Send + 'static, W: ItemWrite<A>>(
        &self,
        client: Option<&ClientAccount>,
        mut write: W,
        worker: &mut impl Worker,
    ) -> Result<A> {
        for _ in 0..DRY_RUNS_MAX {
            worker.start_over();
            let now = self.options().clock.now();
            let found = dry_run(&self.state()?, now, &write, worker)?;
            worker.rest();
            match self.write_for(client, attempt(write, Some(found)))?.finish() {
                Ok(outcome) => return outcome,
                Err(again) => write = again,
            }
        }
        Err(Error::Overloaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::WeighedPut;
    use crate::options::Random;
    use singlet_dynamo::capacity::ReturnConsumedCapacity;
    use singlet_dynamo::expression::{Comparator, Condition, Operand, Path};
    use singlet_dynamo::operation::{CreateTable, PutItem, Scan, UpdateItem};
    use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
    use singlet_dynamo::{Item, Value};

    fn engine_with(texts: impl Iterator<Item = usize>) -> Engine {
        let engine = Engine::memory().unwrap();
        let key = KeySchema { partition: KeyAttribute::new("pk", KeyType::N), sort: None };
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

    /// Whatever the budgets, a page is the same.
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

    /// A write without enough fuel stages nothing, and a dry run neither.
    #[test]
    fn a_write_that_is_not_finished_has_staged_nothing() {
        let engine = engine_with([20_000].into_iter());
        let body = br#"{"TableName":"table","Key":{"pk":{"N":"0"}},"UpdateExpression":"SET text = :t","ConditionExpression":"NOT contains(text, :w)","ExpressionAttributeValues":{":t":{"S":"new"},":w":{"S":"abac"}}}"#;
        let body = String::from_utf8(body.to_vec())
            .unwrap()
            .replace("text", "#t")
            .replace(r#""Key""#, r##""ExpressionAttributeNames":{"#t":"text"},"Key""##);
        let request = UpdateItem::from_json(body.as_bytes()).unwrap();
        let state = engine.state().unwrap();
        let now = engine.options().clock.now();
        let run = |mode: Mode, units: u64| {
            let catalogue = std::sync::Arc::clone(&state.catalogue);
            let mut stage = Stage::new(&state.snapshot, catalogue, now, 1, true);
            stage.fuel = Fuel::limited(units);
            stage.mode = mode;
            let outcome = stage.update_item(&request);
            let is_empty = stage.batch.is_empty() && stage.changes.is_empty();
            (outcome, is_empty)
        };
        let mut enough = None;
        for units in (0..200_000).step_by(500) {
            match run(Mode::Real, units) {
                (Err(Unfinished::OutOfFuel), is_empty) => {
                    assert!(is_empty && enough.is_none(), "{units}");
                }
                (outcome, is_empty) => {
                    assert!(outcome.is_ok() && !is_empty, "{units}");
                    enough.get_or_insert(units);
                }
            }
        }
        assert!(enough.is_some_and(|units| units > 0), "{enough:?}");
        let (outcome, is_empty) = run(Mode::Dry(Precomputed::default()), u64::MAX);
        assert!(matches!(outcome, Err(Unfinished::DryRun)) && is_empty);
    }

    /// A request can hold a million values, and all other writes waited while they were dropped.
    #[test]
    fn whoever_waits_drops_the_request() {
        let engine = engine_with([].into_iter());
        let core = engine.core();
        for outcome in [|| Ok(()), || Err(Unfinished::OutOfFuel), || Err(Error::Closed.into())] {
            let request = std::sync::Arc::new(());
            let held = std::sync::Arc::downgrade(&request);
            let write = move |_: &mut Stage<'_>| {
                let _ = &request;
                outcome()
            };
            let attempted = core.write(attempt(write, None)).unwrap();
            assert!(held.upgrade().is_some());
            drop(attempted);
            assert!(held.upgrade().is_none());
        }
    }

    /// A decision is taken over only for the items that it was made on.
    #[test]
    fn a_decision_on_another_item_is_made_again() {
        let engine = engine_with([10].into_iter());
        let body = br#"{"TableName":"table","Key":{"pk":{"N":"0"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}"#;
        let request = UpdateItem::from_json(body).unwrap();
        let core = engine.core();
        let now = engine.options().clock.now();
        let own = request.clone();
        let write = move |stage: &mut Stage<'_>| stage.update_item(&own);
        let found = dry_run(&engine.state().unwrap(), now, &write, &mut || true).unwrap();
        // Meanwhile somebody else adds one too.
        engine.update_item(request).unwrap();
        let attempted = core.write(attempt(write, Some(found))).unwrap();
        assert!(matches!(attempted.finish(), Ok(Ok(_))));
        let mut scan = Scan::new("table");
        scan.filter = Some(
            Condition::compare(path("n"), Comparator::Equal, Operand::Value(2.into())).unwrap(),
        );
        assert_eq!(engine.scan(&scan).unwrap().count, 1);
    }

    /// An item that is large was encoded again for each decision, for which the stage has no time: who
    /// lost a few races was throttled, also without a condition.
    #[test]
    fn a_large_item_is_encoded_once() {
        let engine = engine_with([10].into_iter());
        let texts = vec![r#"{"S":"a"}"#; 20_000].join(",");
        let body =
            format!(r#"{{"TableName":"table","Item":{{"pk":{{"N":"0"}},"l":{{"L":[{texts}]}}}}}}"#);
        let put = WeighedPut::new(PutItem::from_json(body.as_bytes()).unwrap());
        assert!(put.is_heavy());
        let core = engine.core();
        let now = engine.options().clock.now();
        let write = move |stage: &mut Stage<'_>| stage.put_item(&put);
        let found = dry_run(&engine.state().unwrap(), now, &write, &mut || true).unwrap();
        // Meanwhile somebody else changes the item.
        let other = br#"{"TableName":"table","Item":{"pk":{"N":"0"},"n":{"N":"7"}}}"#;
        engine.put_item(PutItem::from_json(other).unwrap()).unwrap();
        let attempted = core.write(attempt(write, Some(found))).unwrap();
        assert!(matches!(attempted.finish(), Ok(Ok(_))));
    }
}
