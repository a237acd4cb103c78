use crate::crowd::{Outcome, PATIENCE, crowd};
use crate::dynamodb::Requests;
use crate::http::Connection;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::{Value, json};

const TABLE: &str = "streamed";
/// How many times the stream is turned on and off before an answer is read.
const AT_ONCE: usize = 8;
/// How many streams of one table may be there in the end.
const STREAMS_MAX: usize = 100;
/// How many pages of ListStreams are read, with a hundred streams each.
const PAGES_MAX: usize = 100;

/// Turns the stream of a table on and off as fast as one connection can. Each time made a stream that
/// was kept. After 30 s there were 20,000, and the p99 of puts was 29 ms and growing.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    victim::create_table(requests, TABLE)?;
    let turn = |stream: Value| {
        let body = json!({"TableName": TABLE, "StreamSpecification": stream});
        requests.make("UpdateTable", body.to_string())
    };
    let on = turn(json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}));
    let off = turn(json!({"StreamEnabled": false}));
    let both = [on, off].concat().repeat(AT_ONCE);
    let mut outcome = Outcome::default();
    round.attack_endpoint(&mut endpoint, |until| {
        let outcomes = crowd(1, |_| {
            let mut outcome = Outcome::default();
            while !until.is_over() {
                let Ok(mut connection) = Connection::open(requests.address, PATIENCE) else {
                    continue;
                };
                while !until.is_over() && connection.send(&both).is_ok() {
                    let answers = (0..2 * AT_ONCE).map_while(|_| connection.answer().ok());
                    answers.for_each(|answer| outcome.add(&answer));
                }
            }
            outcome
        });
        outcome = Outcome::sum(outcomes);
        Ok(())
    })?;
    let kept = count_streams(endpoint.requests)?;
    round.check(outcome.succeeded > 0, || "the stream was never turned on or off".to_owned());
    round.check(kept <= STREAMS_MAX, || format!("{kept} streams of one table are kept"));
    round.note(format!("{kept} streams are kept; turned on or off: {outcome}"));
    Ok(())
}

/// How many streams of the table there are.
fn count_streams(requests: Requests) -> Result<usize, String> {
    let mut connection = victim::open(requests)?;
    let (mut count, mut last) = (0, Value::Null);
    for _ in 0..PAGES_MAX {
        let mut body = json!({"TableName": TABLE});
        if !last.is_null() {
            body["ExclusiveStartStreamArn"] = last;
        }
        let answer = victim::ask(&mut connection, requests, "ListStreams", &body.to_string())?;
        let page: Value =
            serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
        count += page["Streams"].as_array().map_or(0, Vec::len);
        last = page["LastEvaluatedStreamArn"].clone();
        if last.is_null() {
            break;
        }
    }
    Ok(count)
}
