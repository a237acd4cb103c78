//! A scripted table with a stream, behind DynamoDB's protocol: the test controls shards and faults.
//!
//! On a real table, shards split only after hours of growth, and records are trimmed after a day.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The stream, which the test modifies while it is read.
#[derive(Clone, Default)]
pub(super) struct Script(Arc<Mutex<State>>);

#[derive(Default)]
pub(super) struct State {
    shards: Vec<Shard>,
    /// Errors for the next reads of records.
    pub(super) faults: VecDeque<&'static str>,
    /// Duration of each read of records.
    pub(super) delay: Duration,
    pub(super) is_disabled: bool,
    /// How many times the stream was recreated.
    pub(super) made_anew: u32,
    /// Number of shard iterators issued.
    pub(super) iterators: u32,
}

struct Shard {
    id: String,
    parent: Option<String>,
    /// The values of attribute `n` written.
    records: Vec<u32>,
    /// Number of oldest records trimmed.
    trimmed: usize,
    is_closed: bool,
}

impl Script {
    /// Starts serving, until the test ends.
    pub(super) fn start(&self) -> String {
        let script = self.clone();
        serve(move |target, request| script.answer(target, request))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn answer(&self, target: &str, request: &Value) -> (u16, Value) {
        let delay = self.state().delay;
        if target == "GetRecords" {
            std::thread::sleep(delay);
        }
        let mut state = self.state();
        match target {
            "DescribeTable" => (
                200,
                json!({"Table": {
                    "TableName": "scripted",
                    "StreamSpecification": {
                        "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"
                    },
                    "LatestStreamArn": state.stream_arn(),
                }}),
            ),
            "DescribeStream" => (200, state.description()),
            "GetShardIterator" => match state.place(request) {
                Some(iterator) => {
                    state.iterators += 1;
                    (200, json!({"ShardIterator": iterator}))
                }
                None => (400, json!({"__type": "TrimmedDataAccessException"})),
            },
            "GetRecords" => match state.faults.pop_front() {
                None => (200, state.records(request)),
                Some("InternalServerError") => (500, json!({"__type": "InternalServerError"})),
                Some(fault) => (400, json!({"__type": fault})),
            },
            other => (400, json!({"__type": "ValidationException", "message": other})),
        }
    }
}

/// Serves DynamoDB operations with this function, until the test ends.
pub(super) fn serve<A>(answer: A) -> String
where
    A: Fn(&str, &Value) -> (u16, Value) + Clone + Send + 'static,
{
    serve_http(move |request| {
        let target = request.header("x-amz-target");
        let target = target.rsplit('.').next().unwrap_or_default();
        let (status, body) = answer(target, &request.body);
        Reply { status, headers: String::new(), body: body.to_string() }
    })
}

pub(super) struct Received {
    head: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Received {
    /// A header by lowercase name; empty if missing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.head.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }
}

pub(super) struct Reply {
    pub(super) status: u16,
    /// Additional header lines.
    pub(super) headers: String,
    pub(super) body: String,
}

/// Serves HTTP requests with this function, until the test ends.
pub(super) fn serve_http<A>(answer: A) -> String
where
    A: Fn(Received) -> Reply + Clone + Send + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || converse(stream, answer));
        }
    });
    url
}

/// Serves one connection until it is closed.
fn converse(mut stream: TcpStream, answer: impl Fn(Received) -> Reply) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some((name, value)) => head.push((name.to_ascii_lowercase(), value.to_owned())),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut request = Received { head, body: Value::Null };
        let mut body = vec![0; request.header("content-length").parse().ok()?];
        reader.read_exact(&mut body).ok()?;
        request.body = serde_json::from_slice(&body).ok()?;
        let Reply { status, headers, body } = answer(request);
        let length = body.len();
        let head = format!("HTTP/1.1 {status} -\r\nContent-Length: {length}\r\n{headers}\r\n");
        stream.write_all((head + &body).as_bytes()).ok()?;
    }
}

impl State {
    pub(super) fn open(&mut self, id: &str, parent: Option<&str>) {
        let (id, parent) = (id.to_owned(), parent.map(str::to_owned));
        self.shards.push(Shard { id, parent, records: vec![], trimmed: 0, is_closed: false });
    }

    pub(super) fn write(&mut self, id: &str, numbers: impl IntoIterator<Item = u32>) {
        self.shard(id).records.extend(numbers);
    }

    pub(super) fn close(&mut self, id: &str) {
        self.shard(id).is_closed = true;
    }

    pub(super) fn trim(&mut self, id: &str, records: usize) {
        self.shard(id).trimmed = records;
    }

    fn shard(&mut self, id: &str) -> &mut Shard {
        self.shards.iter_mut().find(|shard| shard.id == id).unwrap()
    }

    fn stream_arn(&self) -> String {
        format!("arn:of:table/scripted/stream/{}", self.made_anew)
    }

    fn description(&self) -> Value {
        let shards = self.shards.iter().map(|shard| {
            let mut range = json!({"StartingSequenceNumber": "0"});
            if shard.is_closed {
                range["EndingSequenceNumber"] = json!(shard.records.len().to_string());
            }
            json!({
                "ShardId": shard.id, "ParentShardId": shard.parent, "SequenceNumberRange": range
            })
        });
        json!({"StreamDescription": {
            "StreamStatus": if self.is_disabled { "DISABLED" } else { "ENABLED" },
            "Shards": shards.collect::<Vec<_>>(),
        }})
    }

    /// Removes a shard whose records are all trimmed.
    pub(super) fn remove(&mut self, id: &str) {
        self.shards.retain(|shard| shard.id != id);
    }

    /// An iterator is a shard and the number of records read; `None` if the next record was
    /// trimmed.
    fn place(&mut self, request: &Value) -> Option<String> {
        let id = request["ShardId"].as_str().unwrap();
        let shard = self.shard(id);
        let read = match request["ShardIteratorType"].as_str() {
            Some("LATEST") => shard.records.len(),
            Some("TRIM_HORIZON") => shard.trimmed,
            _ => request["SequenceNumber"].as_str().unwrap().parse().unwrap(),
        };
        (read >= shard.trimmed).then(|| format!("{id} {read}"))
    }

    fn records(&mut self, request: &Value) -> Value {
        let iterator = request["ShardIterator"].as_str().unwrap();
        let (id, read) = iterator.split_once(' ').unwrap();
        let read: usize = read.parse().unwrap();
        let limit = request["Limit"].as_u64().unwrap() as usize;
        let shard = self.shard(id);
        let end = shard.records.len().min(read + limit);
        let record = |place: usize| {
            let image = json!({"n": {"N": shard.records[place].to_string()}});
            json!({"eventName": "INSERT", "dynamodb": {
                "SequenceNumber": (place + 1).to_string(), "NewImage": image
            }})
        };
        let is_over = shard.is_closed && end == shard.records.len();
        json!({
            "Records": (read..end).map(record).collect::<Vec<_>>(),
            "NextShardIterator": (!is_over).then(|| format!("{id} {end}")),
        })
    }
}
