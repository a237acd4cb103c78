//! Compares an answer with the one that a case expects.
//!
//! Answers are compared as JSON. Objects and DynamoDB's sets are unordered, and numbers are
//! compared by value.

use super::{Answer, Case};
use serde_json::Value;
use singlet_dynamo::json::Writer;
use singlet_dynamo::{Error, operation};

impl Answer {
    /// Converts an actual answer to the form of the cases.
    #[must_use]
    pub fn of(answered: &Result<operation::Answer, Error>) -> Self {
        match answered {
            Ok(answer) => Self::Exactly(written(|writer| answer.write_json(writer))),
            Err(error) => Self::refused(error),
        }
    }

    fn refused(error: &Error) -> Self {
        let mut body = json(&written(|writer| error.write_json(writer)));
        let mut take = |name: &str| body.as_object_mut().and_then(|members| members.remove(name));
        take("__type");
        let message = take("message").or_else(|| take("Message"));
        let details = body.as_object().is_some_and(|members| !members.is_empty());
        Self::Refused {
            code: error.kind().name().to_owned(),
            message: message.as_ref().and_then(Value::as_str).map(str::to_owned),
            details: details.then(|| body.to_string()),
        }
    }
}

impl Case {
    /// Compares an answer with the expected one; an error describes the difference.
    pub fn check(&self, got: &Answer) -> Result<(), String> {
        let same = match (&self.answer, got) {
            (Answer::Accepted, Answer::Exactly(_)) => true,
            (Answer::Exactly(expected), Answer::Exactly(got)) => json(expected) == json(got),
            (
                Answer::Refused { code, message, details },
                Answer::Refused { code: got_code, message: got_message, details: got_details },
            ) => {
                (code, message) == (got_code, got_message)
                    && details.as_deref().map(json) == got_details.as_deref().map(json)
            }
            _ => false,
        };
        if same { Ok(()) } else { Err(self.told(&got.to_string())) }
    }

    fn told(&self, got: &str) -> String {
        let short = |text: &str| match text.char_indices().nth(600) {
            None => text.to_owned(),
            Some((end, _)) => format!("{}…", &text[..end]),
        };
        format!(
            "{}: {}\n  request  {} {}\n  expected {}\n  got      {}",
            self.place,
            self.title,
            self.request.operation,
            short(&self.request.body),
            short(&self.answer.to_string()),
            short(got)
        )
    }
}

fn written(write: impl FnOnce(&mut Writer)) -> String {
    let mut writer = Writer::new();
    write(&mut writer);
    String::from_utf8(writer.into_bytes()).expect("JSON is UTF-8")
}

fn json(text: &str) -> Value {
    normal(serde_json::from_str(text).expect("answers are JSON"))
}

fn normal(json: Value) -> Value {
    match json {
        Value::Number(number) => Value::from(number.as_f64()),
        Value::Array(values) => values.into_iter().map(normal).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| match value {
                Value::Array(mut elements) if matches!(name.as_str(), "SS" | "NS" | "BS") => {
                    elements.sort_by_key(ToString::to_string);
                    (name, Value::Array(elements))
                }
                value => (name, normal(value)),
            });
            Value::Object(members.collect())
        }
        scalar => scalar,
    }
}
