//! The built binary: starts, answers, stops, and starts again.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic here is a failing test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// A temporary folder.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `singlet dynamodb` on a free port.
struct Endpoint {
    child: Child,
    stdout: BufReader<ChildStdout>,
    ready: String,
}

impl Endpoint {
    fn start(arguments: &[&str]) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_singlet")), arguments)
    }

    /// Starts it in a shell that limits files to this many blocks of 512 bytes.
    fn start_with_file_limit(blocks: u32, arguments: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_singlet")]);
        Self::start_by(shell, arguments)
    }

    fn start_by(mut command: Command, arguments: &[&str]) -> Self {
        let mut child = command
            .args(["dynamodb", "--port", "0", "--log", "warn"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut ready = String::new();
        stdout.read_line(&mut ready).unwrap();
        Self { child, stdout, ready }
    }

    fn address(&self) -> &str {
        let rest = self.ready.strip_prefix("DynamoDB endpoint ready at http://").unwrap();
        rest.split(' ').next().unwrap()
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn head(&self, operation: &str, length: usize) -> String {
        format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
             Content-Type: application/x-amz-json-1.0\r\nConnection: close\r\n\
             Content-Length: {length}\r\n\r\n",
            self.address()
        )
    }

    fn request(&self, operation: &str, body: &str) -> String {
        let mut stream = self.connect();
        stream.write_all((self.head(operation, body.len()) + body).as_bytes()).unwrap();
        body_of(stream)
    }

    fn metrics(&self) -> String {
        self.get("/metrics")
    }

    fn get(&self, path: &str) -> String {
        let mut stream = self.connect();
        let host = self.address();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        body_of(stream)
    }

    fn make_table(&self) {
        let answer = self.request(
            "CreateTable",
            r#"{"TableName":"games","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
            "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}"#,
        );
        assert!(answer.contains("CREATING"), "{answer}");
        eventually(|| self.request("DescribeTable", r#"{"TableName":"games"}"#).contains("ACTIVE"));
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for a successful exit and returns the rest of the output.
    fn wait(mut self) -> String {
        eventually(|| self.child.try_wait().unwrap().is_some());
        assert!(self.child.wait().unwrap().success());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn body_of(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").expect("an answer").1.to_owned()
}

fn eventually(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "timed out");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_singlet")).args(arguments).output().unwrap()
}

/// The error message of a command that must fail.
fn complaint(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn acknowledged_writes_survive_a_restart() {
    let folder = Folder::new("restart");
    for (round, signal) in ["-TERM", "-INT", "-KILL"].into_iter().enumerate() {
        let endpoint = Endpoint::start(&["--dir", folder.path()]);
        assert_eq!(
            endpoint.ready,
            format!(
                "DynamoDB endpoint ready at http://{} (folder {}, durability full)\n",
                endpoint.address(),
                folder.path()
            )
        );
        if round == 0 {
            endpoint.make_table();
        }
        for earlier in 0..round {
            let get = format!(r#"{{"TableName":"games","Key":{{"pk":{{"S":"{earlier}"}}}}}}"#);
            assert_eq!(
                endpoint.request("GetItem", &get),
                format!(r#"{{"Item":{{"pk":{{"S":"{earlier}"}}}}}}"#)
            );
        }
        let put = format!(r#"{{"TableName":"games","Item":{{"pk":{{"S":"{round}"}}}}}}"#);
        assert_eq!(endpoint.request("PutItem", &put), "{}");
        let metrics = endpoint.metrics();
        for family in ["singlet_fsync_seconds_count", "singlet_commit_seconds_count"] {
            assert!(metrics.contains(family), "{family} is not in:\n{metrics}");
        }
        endpoint.signal(signal);
        if signal != "-KILL" {
            assert_eq!(endpoint.wait(), "", "one line is printed, and no more");
        }
    }
    let endpoint = Endpoint::start(&["--dir", folder.path(), "--durability", "relaxed"]);
    assert!(endpoint.ready.ends_with("durability relaxed)\n"), "{}", endpoint.ready);
    assert!(endpoint.request("Scan", r#"{"TableName":"games"}"#).contains(r#""Count":3"#));
}

/// SIGXFSZ used to kill the process in the middle of a write.
#[test]
fn a_limit_on_the_size_of_files_is_a_full_disk() {
    let folder = Folder::new("file-limit");
    // 2 MB are enough for the data, but not for the log.
    let mut endpoint = Endpoint::start_with_file_limit(4096, &["--dir", folder.path()]);
    endpoint.make_table();
    let put = |endpoint: &Endpoint, number: usize| {
        let text = "x".repeat(100_000);
        endpoint.request(
            "PutItem",
            &format!(
                r#"{{"TableName":"games","Item":{{"pk":{{"S":"{number}"}},"text":{{"S":"{text}"}}}}}}"#
            ),
        )
    };
    assert_eq!(endpoint.get("/health"), "ok\n");
    let written = (0..100).take_while(|number| put(&endpoint, *number) == "{}").count();
    assert!((1..100).contains(&written), "{written} writes");
    assert!(endpoint.child.try_wait().unwrap().is_none(), "the process exited");
    assert_ne!(endpoint.get("/health"), "ok\n");
    let has = |endpoint: &Endpoint, number: usize| {
        let key = format!(r#"{{"TableName":"games","Key":{{"pk":{{"S":"{number}"}}}}}}"#);
        endpoint.request("GetItem", &key).contains("Item")
    };
    assert!(has(&endpoint, 0), "reads go on");
    drop(endpoint);
    let endpoint = Endpoint::start(&["--dir", folder.path()]);
    assert!((0..written).all(|number| has(&endpoint, number)), "something is lost");
}

#[test]
fn a_request_in_flight_is_answered_before_the_end() {
    let endpoint = Endpoint::start(&["--in-memory"]);
    assert!(endpoint.ready.ends_with(" (in memory)\n"), "{}", endpoint.ready);
    let mut stream = endpoint.connect();
    let head = endpoint.head("ListTables", 2);
    let head = head.replacen("\r\n", "\r\nExpect: 100-continue\r\n", 1);
    stream.write_all(head.as_bytes()).unwrap();
    // The server has read the head when it asks for the body.
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"{").unwrap();
    endpoint.signal("-TERM");
    eventually(|| TcpStream::connect(endpoint.address()).is_err());
    stream.write_all(b"}").unwrap();
    assert_eq!(body_of(stream), r#"{"TableNames":[]}"#);
    endpoint.wait();
}

#[test]
fn complaints_say_what_to_do() {
    let folder = Folder::new("complaints");
    let open = complaint(&["dynamodb", "--host", "0.0.0.0", "--dir", folder.path()]);
    assert_eq!(
        open,
        "singlet: 0.0.0.0:8000 can be reached from other machines, and without credentials anyone \
         there could read and change everything\n\
         Remove --host to listen on localhost only, or pass a file with --credentials (see singlet \
         dynamodb --help).\n"
    );
    assert!(!folder.0.exists(), "no folder is created");

    let endpoint = Endpoint::start(&["--dir", folder.path()]);
    let port = endpoint.address().split(':').nth(1).unwrap();
    let taken = complaint(&["dynamodb", "--in-memory", "--port", port]);
    assert!(taken.starts_with(&format!("singlet: cannot listen on 127.0.0.1:{port}: ")), "{taken}");
    assert!(taken.contains("Choose another port with --port"), "{taken}");
    let locked = complaint(&["dynamodb", "--port", "0", "--dir", folder.path()]);
    assert!(locked.starts_with(&format!("singlet: cannot open {}: ", folder.path())), "{locked}");
    assert!(locked.contains("Choose another folder with --dir"), "{locked}");

    let missing = complaint(&["dynamodb", "--port", "0", "--credentials", "/nowhere"]);
    assert!(missing.starts_with("singlet: /nowhere: "), "{missing}");
    assert!(missing.contains("aws_secret_access_key"), "{missing}");
}

#[test]
fn help_has_examples() {
    for arguments in [&["--help"][..], &["dynamodb", "--help"], &["serve", "--help"]] {
        let output = run(arguments);
        assert!(output.status.success());
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains("--endpoint-url http://127.0.0.1:8000"), "{help}");
        // Without these the AWS CLI prompts for them.
        for variable in ["AWS_DEFAULT_REGION=", "AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="] {
            assert!(help.contains(variable), "{help}");
        }
    }
}

/// Clients send more than the endpoint may hold, and never finish.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_for_any_request() {
    const BODY: usize = 16 << 20;
    const CONNECTIONS: usize = 40;
    /// The limit for large bodies, times three for memory kept by the allocator, plus the rest.
    const MEMORY_KB_MAX: usize = 3 * (48 << 10) + (64 << 10);
    /// Less would mean that bodies did not get their room.
    const MEMORY_KB_MIN: usize = 40 << 10;
    let endpoint = Endpoint::start(&["--in-memory"]);
    let almost = vec![b' '; BODY - 1];
    let mut streams = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut stream = endpoint.connect();
        let sent = stream
            .write_all(endpoint.head("ListTables", BODY).as_bytes())
            .and_then(|()| stream.write_all(&almost));
        // The endpoint may refuse a body without reading it.
        let _ = sent;
        streams.push(stream);
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", endpoint.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kb: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak_kb > MEMORY_KB_MIN, "{peak_kb} KB is too little for this to be a test");
    assert!(peak_kb < MEMORY_KB_MAX, "{peak_kb} KB");
    assert_eq!(endpoint.request("ListTables", "{}"), r#"{"TableNames":[]}"#);
    drop(streams);
    let whole = format!("{{}}{}", " ".repeat(BODY - 2));
    eventually(|| endpoint.request("ListTables", &whole) == r#"{"TableNames":[]}"#);
}
