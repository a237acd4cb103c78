//! Validation cases: requests and DynamoDB's answers.
//!
//! Cases are plain text, so that people who know DynamoDB but not Rust can read and add them:
//!
//! ```text
//! == an item without its sort key is refused
//! source: DynamoDB Local 3.3.0
//! given: {"pk":{"S":"a"},"sk":{"S":"b"}}
//! PutItem {"TableName":"Range","Item":{"pk":{"S":"a"}}}
//! ValidationException: One or more parameter values were invalid: Missing the key sk in the item
//! ```
//!
//! `source:` says where the answer was observed. Each `given:` is an item in the table, each
//! `after:` a request sent before. `local:` is the answer of DynamoDB Local where it differs from
//! the service. An answer is `ok`, `ok` with the exact JSON, or an error code with its message and,
//! if it has any, its other members as JSON. `#` begins a comment. `[[ab * 3]]` anywhere in a line
//! expands to `ababab`.

mod verdict;

use std::fmt;
use std::path::{Path, PathBuf};

/// A request and the expected answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The file and line.
    pub place: String,
    /// The title.
    pub title: String,
    /// Where the answer was observed.
    pub source: String,
    /// Items in the table, as JSON.
    pub given: Vec<String>,
    /// Requests sent before.
    pub after: Vec<Request>,
    /// The request.
    pub request: Request,
    /// DynamoDB's answer.
    pub answer: Answer,
    /// DynamoDB Local's answer, where it differs.
    pub local: Option<Answer>,
}

impl Case {
    /// The table that the request names first. It holds the given items.
    #[must_use]
    pub fn table(&self) -> &str {
        let names = ["Hash", "Range", "Number", "Binary", "Indexed", "Composite"];
        let place = |name: &str| self.request.body.find(&format!("\"{name}\""));
        let places = names.iter().filter_map(|name| Some((place(name)?, *name)));
        places.min().map_or("Hash", |(_, name)| name)
    }
}

/// An unparsed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The operation.
    pub operation: String,
    /// The body, which may be invalid JSON.
    pub body: String,
}

impl Request {
    fn parse(line: &str) -> Self {
        // The body may be malformed or missing: bad requests are cases too.
        let (operation, body) = line.split_once(' ').unwrap_or((line, ""));
        Self { operation: operation.to_owned(), body: written_out(body) }
    }
}

/// An expected or actual answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Success with any body.
    Accepted,
    /// Success with this JSON.
    Exactly(String),
    /// An error.
    Refused {
        /// The error code, such as `ValidationException`.
        code: String,
        /// The message, if any.
        message: Option<String>,
        /// Other members as JSON, if any.
        details: Option<String>,
    },
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("ok"),
            Self::Exactly(json) => write!(f, "ok {json}"),
            Self::Refused { code, message, details } => {
                f.write_str(code)?;
                message.iter().try_for_each(|message| write!(f, ": {message}"))?;
                details.iter().try_for_each(|details| write!(f, " {details}"))
            }
        }
    }
}

impl Answer {
    fn parse(line: &str) -> Self {
        if line == "ok" {
            return Self::Accepted;
        }
        if let Some(json) = line.strip_prefix("ok ") {
            return Self::Exactly(json.to_owned());
        }
        let (text, details) = match line.find(" {\"").filter(|_| line.ends_with('}')) {
            Some(at) => (line.get(..at), line.get(at + 1..)),
            None => (Some(line), None),
        };
        let text = text.unwrap_or(line);
        let (code, message) = match text.split_once(": ") {
            Some((code, message)) => (code, Some(message)),
            None => (text, None),
        };
        Self::Refused {
            code: code.to_owned(),
            message: message.map(str::to_owned),
            details: details.map(str::to_owned),
        }
    }
}

/// The folder of the case files.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../singlet-dynamo/tests/cases")
}

/// The CreateTable requests of the tables in the cases, as a JSON array.
///
/// # Errors
/// If the file cannot be read.
pub fn tables() -> Result<String, String> {
    let path = folder().join("tables.json");
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// All cases, ordered by file name.
///
/// # Errors
/// If a file cannot be read or a case is malformed.
pub fn load() -> Result<Vec<Case>, String> {
    let listed = std::fs::read_dir(folder()).map_err(|error| error.to_string())?;
    let mut paths: Vec<PathBuf> = listed
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        cases.extend(parse(&name, &text)?);
    }
    Ok(cases)
}

/// The cases of one file.
///
/// # Errors
/// If a case lacks a part or has an extra line.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let mut draft: Option<Draft<'_>> = None;
    for (index, line) in text.lines().enumerate() {
        let place = format!("{file}:{}", index + 1);
        if let Some(title) = line.strip_prefix("== ") {
            cases.extend(draft.take().map(Draft::finish).transpose()?);
            draft = Some(Draft { place, title, ..Draft::default() });
        } else if !line.is_empty() && !line.starts_with('#') {
            draft
                .as_mut()
                .ok_or_else(|| format!("{place}: a line outside any case"))?
                .add(line)
                .map_err(|problem| format!("{place}: {problem}"))?;
        }
    }
    cases.extend(draft.map(Draft::finish).transpose()?);
    Ok(cases)
}

/// A partly parsed case.
#[derive(Default)]
struct Draft<'a> {
    place: String,
    title: &'a str,
    source: Option<&'a str>,
    local: Option<&'a str>,
    given: Vec<&'a str>,
    after: Vec<&'a str>,
    request: Option<&'a str>,
    answer: Option<&'a str>,
}

impl<'a> Draft<'a> {
    fn add(&mut self, line: &'a str) -> Result<(), String> {
        if self.request.is_none() {
            if let Some(source) = line.strip_prefix("source: ") {
                return set(&mut self.source, source, "source");
            }
            if let Some(local) = line.strip_prefix("local: ") {
                return set(&mut self.local, local, "local");
            }
            if let Some(given) = line.strip_prefix("given: ") {
                self.given.push(given);
                return Ok(());
            }
            if let Some(after) = line.strip_prefix("after: ") {
                self.after.push(after);
                return Ok(());
            }
            return set(&mut self.request, line, "request");
        }
        set(&mut self.answer, line, "answer")
    }

    fn finish(self) -> Result<Case, String> {
        let lacks = |part: &str| format!("{}: the case has no {part}", self.place);
        Ok(Case {
            title: self.title.to_owned(),
            source: self.source.ok_or_else(|| lacks("source"))?.to_owned(),
            given: self.given.iter().map(|item| written_out(item)).collect(),
            after: self.after.iter().map(|line| Request::parse(line)).collect(),
            request: Request::parse(self.request.ok_or_else(|| lacks("request"))?),
            answer: Answer::parse(&written_out(self.answer.ok_or_else(|| lacks("answer"))?)),
            local: self.local.map(|answer| Answer::parse(&written_out(answer))),
            place: self.place,
        })
    }
}

fn set<T>(part: &mut Option<T>, value: T, name: &str) -> Result<(), String> {
    match part.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("a second {name} in one case")),
    }
}

/// Expands every `[[text * count]]`. Other brackets are kept.
fn written_out(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("[[") {
        out.push_str(before);
        let repetition = after.split_once("]]").and_then(|(inside, after)| {
            let (text, count) = inside.rsplit_once(" * ")?;
            Some((text.repeat(count.parse().ok()?), after))
        });
        match repetition {
            Some((text, after)) => {
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push_str("[[");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUT: &str = "\
# A remark.

== an item without its key is refused
source: DynamoDB Local 3.3.0
local: ok
given: {\"pk\":{\"S\":\"a\"}}
after: DeleteTable {\"TableName\":\"Range\"}
PutItem {\"TableName\":\"Hash\",\"Item\":{}}
ValidationException: Missing: the key
";

    #[test]
    fn a_case_has_its_parts() {
        let cases = parse("put.txt", PUT).unwrap();
        let expected = Case {
            place: "put.txt:3".to_owned(),
            title: "an item without its key is refused".to_owned(),
            source: "DynamoDB Local 3.3.0".to_owned(),
            given: vec!["{\"pk\":{\"S\":\"a\"}}".to_owned()],
            after: vec![Request {
                operation: "DeleteTable".to_owned(),
                body: "{\"TableName\":\"Range\"}".to_owned(),
            }],
            request: Request {
                operation: "PutItem".to_owned(),
                body: "{\"TableName\":\"Hash\",\"Item\":{}}".to_owned(),
            },
            answer: Answer::Refused {
                code: "ValidationException".to_owned(),
                message: Some("Missing: the key".to_owned()),
                details: None,
            },
            local: Some(Answer::Accepted),
        };
        assert_eq!(cases, [expected]);
    }

    #[test]
    fn answers_come_in_five_forms() {
        let details = "Code: a {b} {\"Item\":{\"pk\":{\"S\":\"a\"}}}";
        for line in ["ok", "ok {\"Item\":{}}", "Serialization", "Code: a: {b}", details] {
            assert_eq!(Answer::parse(line).to_string(), line);
        }
        let expected = Answer::Refused {
            code: "Code".to_owned(),
            message: Some("a {b}".to_owned()),
            details: Some("{\"Item\":{\"pk\":{\"S\":\"a\"}}}".to_owned()),
        };
        assert_eq!(Answer::parse(details), expected);
    }

    #[test]
    fn repetitions_are_written_out() {
        assert_eq!(written_out("a [[xy * 3]] b [[z * 0]]."), "a xyxyxy b .");
        assert_eq!(written_out("[[{\"L\":[ * 2]]]}]}"), "{\"L\":[{\"L\":[]}]}");
        assert_eq!(written_out("{\"L\":[[]]} [[a * 2]]"), "{\"L\":[[]]} aa");
    }

    #[test]
    fn a_case_that_lacks_a_part_is_refused_with_its_place() {
        let lacking = "== one\nsource: x\nGetItem {}\n\n== two\nsource: y\nGetItem {}\nok\n";
        assert_eq!(parse("f", lacking).unwrap_err(), "f:1: the case has no answer");
        let surplus = PUT.to_owned() + "ok\n";
        assert_eq!(parse("f", &surplus).unwrap_err(), "f:10: a second answer in one case");
        assert_eq!(parse("f", "ok\n").unwrap_err(), "f:1: a line outside any case");
    }

    #[test]
    fn the_case_files_are_well_formed() {
        let cases = load().unwrap();
        assert!(!cases.is_empty());
    }
}
