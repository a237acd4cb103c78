use crate::crowd::{crowd, repeat};
use crate::dynamodb::wrong_signature;
use crate::round::{Kind, Round};

const CLIENTS: usize = 8;

/// Wrong signatures on small bodies, as fast as they are refused.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Signed)?;
    let requests = endpoint.requests;
    let headers = wrong_signature("host;x-amz-date;x-amz-target");
    let request = requests.head("ListTables", 2, &headers) + "{}";
    let mut answered = 0;
    round.attack_endpoint(&mut endpoint, |until| {
        let counts = crowd(CLIENTS, |_| repeat(requests.address, request.as_bytes(), until));
        answered = counts.into_iter().sum();
        Ok(())
    })?;
    round.note(format!("{answered} refused"));
    Ok(())
}
