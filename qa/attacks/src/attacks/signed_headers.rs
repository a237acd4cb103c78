use crate::crowd::{ask, crowd};
use crate::dynamodb::wrong_signature;
use crate::round::{Kind, Round};

/// How often the header is named, and how long it is: with both the head has 56 KB.
const NAMED: usize = 14_000;
const HEADER_BYTES: usize = 28_000;

/// A request with a known access key and a wrong signature, whose `SignedHeaders` name one long
/// header again and again. The canonical request repeated the header each time and the error
/// repeated the canonical request: one such request took 4 to 7 s and 1.5 GB, and was answered with
/// 392 MB.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Signed)?;
    let requests = endpoint.requests;
    let signed = "a;".repeat(NAMED) + "host;x-amz-date;x-amz-target";
    let mut answers = Vec::new();
    round.attack_endpoint(&mut endpoint, |_| {
        let long = format!("A: {}\r\n", "x".repeat(HEADER_BYTES));
        let request = requests.head("ListTables", 2, &(long + &wrong_signature(&signed))) + "{}";
        answers = crowd(2, |_| ask(requests.address, request.as_bytes()));
        Ok(())
    })?;
    for answer in answers.iter().flatten() {
        round.check_refusal("SignedHeaders", answer);
        round.check(answer.status >= 400, || format!("the request passed: {}", answer.shown()));
    }
    Ok(())
}
