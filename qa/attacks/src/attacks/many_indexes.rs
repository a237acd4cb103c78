use crate::crowd::{ask, crowd};
use crate::round::{Kind, Round};

const CLIENTS: usize = 8;
/// As many as a body of 16 MB can hold.
const INDEXES: usize = 5_200_000;

/// Tables with five million indexes of three bytes each. In memory each took a hundred bytes and
/// more, and all of them were read before they were counted: eight requests took gigabytes.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let body = format!(
        r#"{{"TableName":"bomb","AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],
            "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],"BillingMode":"PAY_PER_REQUEST",
            "GlobalSecondaryIndexes":[{}{{}}]}}"#,
        "{},".repeat(INDEXES - 1)
    );
    let request = requests.make("CreateTable", body);
    let mut answers = Vec::new();
    round.attack_endpoint(&mut endpoint, |_| {
        answers = crowd(CLIENTS, |_| ask(requests.address, &request));
        Ok(())
    })?;
    for answer in answers.iter().flatten() {
        round.check_refusal("GlobalSecondaryIndexes", answer);
        round.check(answer.status != 200, || "a table with so many indexes was made".to_owned());
    }
    Ok(())
}
