//! Groups of writes: valid and stale plans, limits of a commit, panics.

use super::*;
use crate::client::{AnswerRoom, RequestContext};
use crate::error::Unfinished;
use crate::feed::Event;
use crate::lane::PLAN_FUEL;
use singlet_dynamo::Value;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{
    BatchWriteItem, GetItem, PutItem, Request, TransactWriteItems, UpdateItem, UpdateTable,
};
use std::sync::mpsc;

fn engine_with_table() -> Engine {
    let engine = Engine::memory().unwrap();
    let create = br#"{"TableName":"table","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    engine.execute(Request::from_json("CreateTable", create).unwrap()).unwrap();
    engine.wait_until_active("table").unwrap();
    engine
}

fn item(id: usize, value: &str) -> String {
    format!(r#"{{"pk":{{"N":"{id}"}},"v":{value}}}"#)
}

fn put(id: usize, value: &str) -> Write {
    let body = format!(r#"{{"TableName":"table","Item":{}}}"#, item(id, value));
    Write::Put(PutItem::from_json(body.as_bytes()).unwrap().into())
}

fn add_one(id: usize) -> Write {
    let body = format!(
        r#"{{"TableName":"table","Key":{{"pk":{{"N":"{id}"}}}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#
    );
    Write::Update(UpdateItem::from_json(body.as_bytes()).unwrap())
}

fn text(length: usize) -> String {
    format!(r#"{{"S":"{}"}}"#, "a".repeat(length))
}

/// A value that exceeds the fuel of one plan to encode.
fn heavy_value() -> String {
    format!(r#"{{"L":[{}]}}"#, vec![r#"{"S":"a"}"#; 20_000].join(","))
}

fn attribute(engine: &Engine, id: usize, name: &str) -> Option<Value> {
    let key = format!(r#"{{"TableName":"table","Key":{{"pk":{{"N":"{id}"}}}}}}"#);
    let found = engine.get_item(&GetItem::from_json(key.as_bytes()).unwrap()).unwrap();
    found.item?.to_item().get(name).cloned()
}

fn unplanned(write: Write) -> Box<Command> {
    Command::new(write, None)
}

fn planned(engine: &Engine, write: Write) -> Box<Command> {
    let core = engine.core();
    let state = core.state().unwrap();
    let mut command = unplanned(write);
    let plan = core.view(&state).plan(&command.write, None, &mut Fuel::unlimited());
    command.plan = Some(plan.unwrap());
    command
}

fn is_done(done: Done<Result<Box<Command>>>) -> bool {
    matches!(done.answer.map(|command| command.finish()), Ok(Ok(Ok(_))))
}

/// Commits one command. Returns its outcome (or the command) and its cost.
fn commit(engine: &Engine, command: Box<Command>) -> (Result<Result<Outcome>, Box<Command>>, u64) {
    let mut done = engine.core().commit(&mut vec![command].into_iter(), COMMIT_FUEL_MAX);
    let done = done.pop().unwrap();
    (done.answer.unwrap().finish(), done.cost)
}

#[test]
fn a_mistake_in_one_command_takes_nothing_else_down() {
    let engine = engine_with_table();
    assert!(matches!(engine.write(Write::Mistake), Err(Error::Panicked)));
    engine.write(put(7, &text(1))).unwrap();
}

#[test]
fn a_plan_is_committed_as_long_as_what_it_read_is_unchanged() {
    let engine = engine_with_table();
    engine.write(add_one(1)).unwrap();
    let (first, second, other) =
        (planned(&engine, add_one(1)), planned(&engine, add_one(1)), planned(&engine, add_one(2)));
    let mut group = vec![first, second, other].into_iter();
    let done = engine.core().commit(&mut group, COMMIT_FUEL_MAX);
    assert!(done.into_iter().all(is_done));
    // Both were planned on 1. The second was planned again on the result of the first.
    assert_eq!(attribute(&engine, 1, "n"), Some(Value::from(3)));
    assert_eq!(attribute(&engine, 2, "n"), Some(Value::from(1)));
    // The same across commits.
    let stale = planned(&engine, add_one(1));
    engine.write(add_one(1)).unwrap();
    assert!(matches!(commit(&engine, stale).0, Ok(Ok(_))));
    assert_eq!(attribute(&engine, 1, "n"), Some(Value::from(5)));
}

#[test]
fn a_plan_costs_the_committing_thread_nothing_but_its_bytes() {
    let engine = engine_with_table();
    let heavy = heavy_value();
    let (outcome, cost) = commit(&engine, planned(&engine, put(1, &heavy)));
    assert!(matches!(outcome, Ok(Ok(_))) && cost <= 2 + 200_000 / COST_BYTES, "{cost}");
    // Without a plan it exceeds the budget, and the write is returned.
    let (outcome, cost) = commit(&engine, unplanned(put(2, &heavy)));
    assert!(matches!(outcome.map_err(|command| command.write), Err(Write::Put(_))));
    assert!(cost > PLAN_FUEL / COST_FUEL);
    assert_eq!(attribute(&engine, 2, "pk"), None);
}

#[test]
fn a_plan_on_other_tables_is_made_again() {
    let engine = engine_with_table();
    let stale = planned(&engine, put(1, &text(1)));
    let update = br#"{"TableName":"table","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}}"#;
    engine.update_table(UpdateTable::from_json(update).unwrap()).unwrap();
    assert!(matches!(commit(&engine, stale).0, Ok(Ok(_))));
    let streams = engine.list_streams(&Default::default()).unwrap();
    assert_eq!(streams.streams.len(), 1);
    let state = engine.state().unwrap();
    let all = (Bound::Unbounded, Bound::Unbounded);
    let records = state.snapshot.range(Keyspace::Streams, all.0, all.1, Direction::Forward);
    assert_eq!(records.unwrap().count(), 1);
    drop(state);

    let stale = planned(&engine, put(1, &text(2)));
    engine
        .execute(Request::from_json("DeleteTable", br#"{"TableName":"table"}"#).unwrap())
        .unwrap();
    assert!(matches!(commit(&engine, stale).0, Ok(Err(Error::Refused(_)))));
}

/// Regression: a large item was encoded again for each plan, which exceeds the committing thread's
/// budget, so a client that lost a few races was throttled even without a condition.
#[test]
fn a_large_item_is_encoded_once() {
    let engine = engine_with_table();
    let stale = planned(&engine, put(0, &heavy_value()));
    engine.write(put(0, &text(1))).unwrap();
    assert!(matches!(commit(&engine, stale).0, Ok(Ok(_))));
}

/// A plan that runs out of fuel has no effect, and the budget does not affect the result.
#[test]
fn planning_changes_nothing() {
    let engine = engine_with_table();
    engine.write(put(0, &text(20_000))).unwrap();
    let body = br##"{"TableName":"table","Key":{"pk":{"N":"0"}},"UpdateExpression":"SET #v = :t","ConditionExpression":"NOT contains(#v, :w)","ExpressionAttributeNames":{"#v":"v"},"ExpressionAttributeValues":{":t":{"S":"new"},":w":{"S":"aaab"}}}"##;
    let write = Write::Update(UpdateItem::from_json(body).unwrap());
    let state = engine.state().unwrap();
    let mut enough = None;
    for units in (0..200_000).step_by(500) {
        match engine.core().view(&state).plan(&write, None, &mut Fuel::limited(units)) {
            Err(Unfinished::OutOfFuel) => assert!(enough.is_none(), "{units}"),
            planned => {
                assert!(!planned.unwrap().is_empty(), "{units}");
                enough.get_or_insert(units);
            }
        }
    }
    assert!(enough.is_some_and(|units| units > 0), "{enough:?}");
    assert_eq!(attribute(&engine, 0, "v"), Some(Value::from("a".repeat(20_000))));
}

#[test]
fn one_commit_holds_no_more_than_is_enough() {
    const COMMANDS: usize = 10;
    const BYTES: usize = COMMIT_BYTES_MAX as usize / 4 + 1;
    let engine = engine_with_table();
    engine.write(put(0, &text(1))).unwrap();
    let core = &engine.handle.core;
    // Each depends on its predecessor, in the same commit or an earlier one.
    let put_behind = |number: usize| {
        let body = format!(
            r#"{{"TransactItems":[{{"ConditionCheck":{{"TableName":"table","Key":{{"pk":{{"N":"{}"}}}},"ConditionExpression":"attribute_exists(pk)"}}}},{{"Put":{{"TableName":"table","Item":{}}}}}]}}"#,
            number - 1,
            item(number, &text(BYTES)),
        );
        let request = TransactWriteItems::from_json(body.as_bytes()).unwrap();
        unplanned(Write::Transaction(request.into()))
    };
    let commits = || core.statistics.group_sizes.buckets().last().map_or(0, |(_, count)| count);
    let commits_before = commits();
    let mut commands = (1..=COMMANDS).map(put_behind).collect::<Vec<_>>().into_iter();
    let mut answers = 0;
    while commands.len() > 0 {
        let done = core.commit(&mut commands, COMMIT_FUEL_MAX);
        answers += done.len();
        assert!(done.into_iter().all(is_done));
    }
    assert_eq!(answers, COMMANDS);
    assert_eq!(commits() - commits_before, 3);
}

#[test]
fn one_commit_takes_no_longer_than_is_enough() {
    let engine = engine_with_table();
    let heavy = heavy_value();
    for fuel_max in [COMMIT_FUEL_MAX, TASK_COMMIT_FUEL_MAX] {
        let commands = (0..40).map(|id| unplanned(put(id, &heavy)));
        let mut commands = commands.collect::<Vec<_>>().into_iter();
        let done = engine.core().commit(&mut commands, fuel_max);
        assert_eq!(done.len() as u64, fuel_max / PLAN_FUEL);
        assert!(done.iter().all(|done| done.answer.is_ok() && done.cost > 200));
    }
}

/// The queue knows the client of a request, also when the write comes from the lane.
#[test]
fn writes_of_clients_share_the_queue() {
    const LARGE_WRITES: usize = 60;
    const FIRST: usize = 1000;
    for own in [text(1), heavy_value()] {
        let engine = engine_with_table();
        engine.write(put(FIRST, &text(10_000))).unwrap();
        let changes = engine.subscribe(Some("table"));
        let start = |client: &ClientAccount, room: Option<AnswerRoom>, id: usize, value: &str| {
            let returned = if room.is_some() { "ALL_OLD" } else { "NONE" };
            let body = format!(
                r#"{{"TableName":"table","ReturnValues":"{returned}","Item":{}}}"#,
                item(id, value)
            );
            let context = RequestContext { client: Some(client.clone()), room };
            engine.start_for(&context, Request::from_json("PutItem", body.as_bytes()).unwrap())
        };
        let (greedy, modest) = (ClientAccount::default(), ClientAccount::default());
        let large = text(60_000);
        let (begin, wait) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            // The leader blocks while it reserves memory for the answer.
            let (leads, is_led) = mpsc::channel();
            let wait = Mutex::new(wait);
            let room: AnswerRoom = Arc::new(move |_| {
                leads.send(()).unwrap();
                wait.lock().recv().is_ok()
            });
            let (start, greedy) = (&start, &greedy);
            scope.spawn(move || drop(start(greedy, Some(room), FIRST, r#"{"S":"new"}"#)));
            is_led.recv().unwrap();
            let mut waiting: Vec<_> =
                (1..=LARGE_WRITES).map(|id| start(greedy, None, id, &large)).collect();
            waiting.push(start(&modest, None, 0, &own));
            while engine.core().queue.waiting() <= LARGE_WRITES {
                std::thread::yield_now();
            }
            begin.send(()).unwrap();
            let mut order = Vec::new();
            while order.len() <= LARGE_WRITES {
                let event = changes.next_within(Duration::from_secs(30));
                let Some(Event::Change(change)) = event else { panic!("a change is missing") };
                let id = change.new.as_ref().unwrap().as_item().get("pk").unwrap().to_value();
                if id != Value::from(FIRST as i64) {
                    order.push(id);
                }
            }
            let place = order.iter().position(|id| *id == Value::from(0));
            // The first commit takes a megabyte, and marks the queue as crowded.
            assert!(place.is_some_and(|place| place < LARGE_WRITES / 2), "{place:?}");
        });
    }
}

/// The error goes to all commands of the commit; commands of later commits are unaffected.
#[test]
fn a_mistake_is_told_to_those_of_its_commit() {
    let engine = engine_with_table();
    let core = &engine.handle.core;
    let large = || {
        let puts = (100..103)
            .map(|id| format!(r#"{{"PutRequest":{{"Item":{}}}}}"#, item(id, &text(390_000))));
        let puts = puts.collect::<Vec<_>>().join(",");
        let body = format!(r#"{{"RequestItems":{{"table":[{puts}]}}}}"#);
        let request = BatchWriteItem::from_json(body.as_bytes()).unwrap();
        planned(&engine, Write::Batch(request.into()))
    };
    let small = |id: usize| unplanned(put(id, &text(1)));
    let mut commands = vec![large(), small(1), unplanned(Write::Mistake), small(2)].into_iter();
    let mut told = Vec::new();
    while commands.len() > 0 {
        let done = core.commit(&mut commands, COMMIT_FUEL_MAX);
        told.push(done.into_iter().map(is_done).collect::<Vec<bool>>());
    }
    assert_eq!(told, [vec![true], vec![false, false], vec![true]]);
    assert_eq!(attribute(&engine, 1, "v"), None);
    // If no command can start, all fail.
    core.is_poisoned.store(true, Ordering::Release);
    let mut commands = vec![small(1), small(2), small(3)].into_iter();
    let done = core.commit(&mut commands, COMMIT_FUEL_MAX);
    assert_eq!((done.len(), commands.len()), (3, 0));
    assert!(done.iter().all(|done| matches!(done.answer, Err(Error::Poisoned))));
}

#[test]
fn a_closed_engine_says_so() {
    let engine = Engine::memory().unwrap();
    assert!(engine.check_writable().is_ok());
    engine.close().unwrap();
    assert!(matches!(engine.check_writable(), Err(Error::Closed)));
    assert!(matches!(engine.write(Write::Task(Task::Expire)), Err(Error::Closed)));
    assert!(matches!(engine.state(), Err(Error::Closed)));
    engine.close().unwrap();
}
