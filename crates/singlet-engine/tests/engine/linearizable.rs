//! Concurrent operations are linearizable.
//!
//! A few threads work on very few items, some with transactions over two of them. The whole table
//! is the model, so the same search shows that single operations are linearizable and transactions
//! strictly serializable.

use singlet_dynamo::operation::{Answer, CreateTable, GetItem, PutItem, Request, TransactGetItems};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::stored::Attributes;
use singlet_dynamo::{ErrorKind, Item, Value};
use singlet_engine::{Engine, Error, Options};
use singlet_testing::history::{Model, Moments, Operation, explain};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

const KEYS: usize = 3;
const THREADS: u64 = 4;

/// The value of each item, if present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Table([Option<i64>; KEYS]);

#[derive(Clone, Copy, Debug)]
enum Command {
    Read(usize),
    ReadBoth(usize, usize),
    Put(usize, i64),
    /// Puts if absent.
    Create(usize, i64),
    /// Increments, and returns the sum.
    Count(usize),
    Delete(usize),
    /// Moves a value to an absent item.
    Move(usize, usize),
}

#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Value(Option<i64>),
    Values(Option<i64>, Option<i64>),
    Done,
    Refused,
}

impl Model for Table {
    type Command = Command;
    type Answer = Seen;

    fn apply(&mut self, command: &Command) -> Seen {
        let Self(values) = self;
        match *command {
            Command::Read(key) => Seen::Value(values[key]),
            Command::ReadBoth(a, b) => Seen::Values(values[a], values[b]),
            Command::Put(key, value) => {
                values[key] = Some(value);
                Seen::Done
            }
            Command::Create(key, value) if values[key].is_none() => {
                values[key] = Some(value);
                Seen::Done
            }
            Command::Create(..) => Seen::Refused,
            Command::Count(key) => {
                values[key] = Some(values[key].unwrap_or(0) + 1);
                Seen::Value(values[key])
            }
            Command::Delete(key) => {
                values[key] = None;
                Seen::Done
            }
            Command::Move(from, to) if values[from].is_some() && values[to].is_none() => {
                values[to] = Some(1);
                values[from] = None;
                Seen::Done
            }
            Command::Move(..) => Seen::Refused,
        }
    }
}

fn key(number: usize) -> Item {
    Item::from([("pk", Value::from(number as i64))])
}

fn item(number: usize, value: i64) -> Item {
    Item::from([("pk", Value::from(number as i64)), ("n", Value::from(value))])
}

fn value(attributes: Option<&Attributes>) -> Option<i64> {
    match attributes?.to_item().get("n")? {
        Value::N(number) => number.to_i64(),
        other => panic!("{other:?}"),
    }
}

fn carry_out(engine: &Engine, command: Command) -> Seen {
    carry_out_with(engine, command, "", "")
}

/// Size of a heavy item, and searches per heavy condition: more than the inline budget of a write,
/// but cheap enough to run many.
const FILLER_LEN: usize = 20_000;
const SEARCHES: usize = 12;

/// The same with conditions that exceed the inline budget.
fn carry_out_heavily(engine: &Engine, command: Command) -> Seen {
    let searches = ["NOT contains(filler, :word) AND "; SEARCHES].concat();
    carry_out_with(engine, command, &searches, &"ab".repeat(FILLER_LEN / 2))
}

/// Runs a command with these terms before each condition, and this text in each item.
fn carry_out_with(engine: &Engine, command: Command, tests: &str, filler: &str) -> Seen {
    let json = |operation: &str, body: String| loop {
        match engine.execute(Request::from_json(operation, body.as_bytes()).unwrap()) {
            Ok(answer) => return Some(answer),
            // Its items changed too often: it did not run.
            Err(Error::Overloaded) => {}
            Err(error) => match error.refusal().map(|refusal| refusal.kind()) {
                Some(ErrorKind::ConditionalCheckFailed | ErrorKind::TransactionCanceled) => {
                    return None;
                }
                _ => panic!("{error}"),
            },
        }
    };
    let word = if tests.is_empty() { "" } else { r#"":word":{"S":"abababac"},"# };
    let values = |values: &str| match (word.trim_end_matches(','), values) {
        ("", "") => String::new(),
        (word, "") => format!(r#","ExpressionAttributeValues":{{{word}}}"#),
        (_, values) => format!(r#","ExpressionAttributeValues":{{{word}{values}}}"#),
    };
    let padding = format!(r#""filler":{{"S":"{filler}"}}"#);
    let get = |number: usize| {
        let mut get = GetItem::new("table", key(number));
        get.consistent_read = true;
        get
    };
    match command {
        Command::Read(number) => {
            Seen::Value(value(engine.get_item(&get(number)).unwrap().item.as_ref()))
        }
        Command::ReadBoth(a, b) => {
            let request = TransactGetItems::new(vec![get(a), get(b)]);
            let answer = engine.transact_get_items(&request).unwrap();
            Seen::Values(value(answer.responses[0].as_ref()), value(answer.responses[1].as_ref()))
        }
        Command::Put(number, value) => {
            let mut item = item(number, value);
            item.insert("filler", Value::from(filler));
            engine.put_item(PutItem::new("table", item)).unwrap();
            Seen::Done
        }
        Command::Create(number, value) => {
            let body = format!(
                r#"{{"TableName":"table","Item":{{"pk":{{"N":"{number}"}},"n":{{"N":"{value}"}},{padding}}},"ConditionExpression":"{tests}attribute_not_exists(pk)"{}}}"#,
                values("")
            );
            json("PutItem", body).map_or(Seen::Refused, |_| Seen::Done)
        }
        Command::Count(number) => {
            let condition = match tests.strip_suffix(" AND ") {
                None => String::new(),
                Some(tests) => format!(r#","ConditionExpression":"{tests}""#),
            };
            let body = format!(
                r#"{{"TableName":"table","Key":{{"pk":{{"N":"{number}"}}}},"UpdateExpression":"SET filler = :filler ADD n :one"{condition}{},"ReturnValues":"UPDATED_NEW"}}"#,
                values(&format!(r#"":one":{{"N":"1"}},":filler":{{"S":"{filler}"}}"#))
            );
            match json("UpdateItem", body) {
                Some(Answer::Write(answer)) => Seen::Value(value(answer.attributes.as_ref())),
                other => panic!("{other:?}"),
            }
        }
        Command::Delete(number) => {
            let body = format!(r#"{{"TableName":"table","Key":{{"pk":{{"N":"{number}"}}}}}}"#);
            json("DeleteItem", body);
            Seen::Done
        }
        Command::Move(from, to) => {
            let body = format!(
                r#"{{"TransactItems":[
                    {{"Delete":{{"TableName":"table","Key":{{"pk":{{"N":"{from}"}}}},"ConditionExpression":"{tests}attribute_exists(pk)"{0}}}}},
                    {{"Put":{{"TableName":"table","Item":{{"pk":{{"N":"{to}"}},"n":{{"N":"1"}},{padding}}},"ConditionExpression":"{tests}attribute_not_exists(pk)"{0}}}}}
                ]}}"#,
                values("")
            );
            json("TransactWriteItems", body).map_or(Seen::Refused, |_| Seen::Done)
        }
    }
}

/// A thread's commands, determined by the seed.
fn commands(seed: u64, len: usize) -> Vec<Command> {
    let random = singlet_engine::Random::seeded(seed);
    let next = |below: u64| random.next_u64() % below;
    (0..len)
        .map(|_| {
            let (a, b) = (next(KEYS as u64) as usize, next(KEYS as u64 - 1) as usize);
            let b = if b >= a { b + 1 } else { b };
            match next(8) {
                0 | 1 => Command::Read(a),
                2 => Command::ReadBoth(a, b),
                3 => Command::Put(a, next(5) as i64),
                4 => Command::Create(a, next(5) as i64),
                5 => Command::Count(a),
                6 => Command::Delete(a),
                _ => Command::Move(a, b),
            }
        })
        .collect()
}

fn create(engine: &Engine) {
    let key = KeySchema::simple(KeyAttribute::new("pk", KeyType::N), None);
    let schema = TableSchema { name: "table".into(), key, indexes: vec![] };
    engine.create_table(CreateTable::new(schema)).unwrap();
    engine.wait_until_active("table").unwrap();
}

/// The history of threads that run their commands by this function.
fn history(
    seed: u64,
    len: usize,
    carry_out: impl Fn(u64, Command) -> Seen + Sync,
) -> Vec<Operation<Command, Seen>> {
    let moments = Moments::default();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (moments, carry_out) = (&moments, &carry_out);
                scope.spawn(move || {
                    commands(seed * THREADS + thread, len)
                        .into_iter()
                        .map(|command| moments.watch(command, |c| carry_out(thread, *c)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn in_memory_one_order_explains_what_all_saw() {
    for seed in 0..60 {
        let engine = Engine::memory().unwrap();
        create(&engine);
        let seen = history(seed, 60, |_, command| carry_out(&engine, command));
        assert!(explain(Table::default(), &seen).is_some(), "seed {seed}");
    }
}

#[test]
fn one_order_explains_what_those_saw_whose_conditions_take_long() {
    for seed in 0..20 {
        let engine = Engine::memory().unwrap();
        create(&engine);
        // Interleaved small writes invalidate the heavy ones' plans.
        let seen = history(2000 + seed, 30, |thread, command| match thread {
            0 => carry_out(&engine, command),
            _ => carry_out_heavily(&engine, command),
        });
        assert!(explain(Table::default(), &seen).is_some(), "seed {seed}");
    }
}

#[test]
fn on_disk_one_order_explains_what_all_saw() {
    for seed in 0..4 {
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("linearizable-{seed}"));
        let _ = std::fs::remove_dir_all(&folder);
        let engine = Engine::open(&folder, Options::default()).unwrap();
        create(&engine);
        let seen = history(1000 + seed, 40, |_, command| carry_out(&engine, command));
        assert!(explain(Table::default(), &seen).is_some(), "seed {seed}");
    }
}

/// Whether some history out of many is not linearizable.
fn is_caught(broken: impl Fn(&Engine, &Mutex<Table>, u64, Command) -> Seen + Sync) -> bool {
    (0..40).any(|seed| {
        let engine = Engine::memory().unwrap();
        create(&engine);
        let memory = Mutex::new(Table::default());
        let seen = history(seed, 60, |thread, command| broken(&engine, &memory, thread, command));
        explain(Table::default(), &seen).is_none()
    })
}

#[test]
fn a_read_from_an_old_copy_is_caught() {
    // Planted: one thread reads the value that it last saw, like a stale cache.
    assert!(is_caught(|engine, memory, thread, command| match command {
        Command::Read(key) if thread == 0 => {
            let mut memory = memory.lock().unwrap();
            let before = memory.0[key];
            if let Seen::Value(now) = carry_out(engine, command) {
                memory.0[key] = now;
            }
            Seen::Value(before)
        }
        _ => carry_out(engine, command),
    }));
}

#[test]
fn a_condition_that_is_not_asked_is_caught() {
    // Planted: creating overwrites.
    assert!(is_caught(|engine, _, _, command| match command {
        Command::Create(key, value) => carry_out(engine, Command::Put(key, value)),
        _ => carry_out(engine, command),
    }));
}

#[test]
fn a_transaction_in_two_steps_is_caught() {
    // Planted: the two halves of a move are two writes.
    assert!(is_caught(|engine, _, _, command| match command {
        Command::Move(from, to) => {
            let there = carry_out(engine, Command::Read(from));
            if there == Seen::Value(None)
                || carry_out(engine, Command::Create(to, 1)) == Seen::Refused
            {
                return Seen::Refused;
            }
            thread::yield_now();
            carry_out(engine, Command::Delete(from))
        }
        _ => carry_out(engine, command),
    }));
}
