//! Compares answers, ignoring values that are specific to a system.

use singlet_dynamo::Error;
use singlet_dynamo::operation::Answer;
use singlet_dynamo::table::TableDescription;
use std::fmt::Debug;

/// `AttributeUpdates` has a different message for an operand of the wrong type. The reference sees
/// only the actions and cannot tell how they were written.
const LEGACY_OPERAND_TYPE: &str = "Type mismatch for attribute to update";
const OPERAND_TYPE: &str = "An operand in the update expression has an incorrect data type";

/// Describes the difference between two answers, if any.
pub(super) fn compare(
    request: &impl Debug,
    actual: &Result<Answer, Error>,
    expected: &Result<Answer, Error>,
) -> Result<(), String> {
    let same = match (actual, expected) {
        (Ok(actual), Ok(expected)) => anonymous(actual.clone()) == anonymous(expected.clone()),
        (Err(actual), Err(expected)) if actual.message() == LEGACY_OPERAND_TYPE => {
            expected.message() == OPERAND_TYPE
        }
        (actual, expected) => actual == expected,
    };
    if same {
        return Ok(());
    }
    Err(format!("asked:    {request:?}\nanswered: {}\nexpected: {}", told(actual), told(expected)))
}

/// An answer as text, with the details of an error.
pub(super) fn told(answer: &Result<Answer, Error>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => {
            format!("{error} (item {:?}, reasons {:?})", error.item(), error.cancellation_reasons())
        }
    }
}

fn anonymous(mut answer: Answer) -> Answer {
    match &mut answer {
        Answer::CreateTable(answer) => forget_id(&mut answer.table_description),
        Answer::UpdateTable(answer) => forget_id(&mut answer.table_description),
        Answer::DeleteTable(answer) => forget_id(&mut answer.table_description),
        Answer::DescribeTable(answer) => forget_id(&mut answer.table),
        _ => {}
    }
    answer
}

fn forget_id(table: &mut TableDescription) {
    table.id.clear();
}
