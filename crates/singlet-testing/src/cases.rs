//! The validation cases: requests, and what the service says to them.
//!
//! They are plain text, so that somebody who knows DynamoDB and no Rust can read them and
//! add to them:
//!
//! ```text
//! == an item without its sort key is refused
//! source: DynamoDB Local 3.3.0
//! given: {"pk":{"S":"a"},"sk":{"S":"b"}}
//! PutItem {"TableName":"Range","Item":{"pk":{"S":"a"}}}
//! ValidationException: One or more parameter values were invalid: Missing the key sk in the item
//! ```
//!
//! `source:` says where the answer was seen. Each `given:` is an item that is in the table
//! beforehand; each `after:` is a request that was carried out before. `local:` is what DynamoDB Local answers where it differs from the service.
//! An answer is `ok`, or `ok` with the exact JSON, or the error's code with its message and,
//! where it has more than that, with its other members as JSON.
//! A line that begins with `#` is a remark. `[[ab * 3]]` anywhere in a line is `ababab`,
//! since a key that is too long is tedious to read.

mod verdict;

use std::fmt;
use std::path::{Path, PathBuf};

/// A request, and the answer that it must get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The file and the line that it begins at.
    pub place: String,
    /// What it shows.
    pub title: String,
    /// Where the answer was seen.
    pub source: String,
    /// Items that are in the table beforehand, as JSON.
    pub given: Vec<String>,
    /// Requests that were carried out before.
    pub after: Vec<Request>,
    /// The request itself.
    pub request: Request,
    /// What the service answers.
    pub answer: Answer,
    /// What DynamoDB Local answers, where that is something else.
    pub local: Option<Answer>,
}

impl Case {
    /// The table that the request names first, which is where the given items are.
    #[must_use]
    pub fn table(&self) -> &str {
        let names = ["Hash", "Range", "Number", "Binary", "Indexed"];
        let place = |name: &str| self.request.body.find(&format!("\"{name}\""));
        let places = names.iter().filter_map(|name| Some((place(name)?, *name)));
        places.min().map_or("Hash", |(_, name)| name)
    }
}

/// A request as it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The name of the operation.
    pub operation: String,
    /// The body, which need not be JSON.
    pub body: String,
}

impl Request {
    fn parse(line: &str) -> Self {
        // The body may be anything, or nothing: bad requests are cases too.
        let (operation, body) = line.split_once(' ').unwrap_or((line, ""));
        Self { operation: operation.to_owned(), body: written_out(body) }
    }
}

/// What is said to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accepted, whatever else the answer says.
    Accepted,
    /// Accepted with this JSON.
    Exactly(String),
    /// Refused.
    Refused {
        /// The error's code, as in `ValidationException`.
        code: String,
        /// Its message, if it has one.
        message: Option<String>,
        /// Its other members, as JSON, if it has some.
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

/// The CreateTable requests of the tables that the cases speak of, as a JSON array.
///
/// # Errors
/// What the operating system says if the file cannot be read.
pub fn tables() -> Result<String, String> {
    let path = folder().join("tables.json");
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// All cases of all files, in the order of the files' names.
///
/// # Errors
/// A file that cannot be read, or a case that is not written as it should be.
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
/// A case that lacks a part, or has a line too many.
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

/// The parts of a case that were read so far.
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

/// The line with every `[[text * count]]` written out. Other brackets stay as they are.
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
