use crate::crowd::{PATIENCE, crowd, flood};
use crate::http::Connection;
use crate::round::{Kind, Round};
use serde_json::json;

/// One that reads the answers, and one that does not.
const CONNECTIONS: usize = 2;
const REQUESTS: usize = 100_000;
/// How many are sent at a time.
const CHUNK: usize = 100;

/// Requests on one connection without waiting for the answers.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let key = json!({"TableName": "victim", "Key": {"pk": {"S": "0"}}}).to_string();
    let request = requests.make("GetItem", key);
    let mut sent = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let floods = crowd(CONNECTIONS, |index| {
            let connection = Connection::open(requests.address, PATIENCE)?;
            let chunk = request.repeat(CHUNK);
            flood(connection, index == 0, REQUESTS * request.len(), until, || chunk.clone())
        });
        sent = floods.into_iter().flatten().sum();
        Ok(())
    })?;
    round.note(format!("{} requests", sent / request.len()));
    Ok(())
}
