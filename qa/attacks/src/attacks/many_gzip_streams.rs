use crate::crowd::{STREAMS, crowd};
use crate::frames::{self, END_HEADERS, END_STREAM};
use crate::round::{Kind, LATENCY_MAX, Round};
use crate::victim;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::time::{Duration, Instant};

const CLIENTS: usize = 2;
/// Almost as many as a body may have.
const INFLATED_BYTES: usize = 15 << 20;

/// HTTP/2 connections with 120 bodies each of 15 KB that become 15 MB. They waited in one queue with
/// the large requests of everybody else, which took seconds then.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(&vec![b' '; INFLATED_BYTES]).and_then(|()| encoder.finish());
    let body = packed.map_err(|error| error.to_string())?;
    let mut block = frames::request_block(&requests, "PutItem");
    block.extend(frames::block([("content-encoding", "gzip")]));
    let (mut asked, mut longest) = (0, Duration::ZERO);
    round.attack_endpoint(&mut endpoint, |until| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                crowd(CLIENTS, |_| {
                    let opened = frames::open(requests.address, &[], Duration::from_secs(5));
                    let Ok(mut connection) = opened else { return };
                    for index in 0..STREAMS {
                        let stream = 2 * index + 1;
                        let mut request = frames::headers(stream, &block, END_HEADERS);
                        request.extend(frames::data(stream, &body, END_STREAM));
                        if until.is_over() || connection.send(&request).is_err() {
                            break;
                        }
                    }
                    until.wait();
                })
            });
            // Somebody else has large requests, too.
            while !until.is_over() {
                let begun = Instant::now();
                victim::put_large(requests)?;
                longest = longest.max(begun.elapsed());
                asked += 1;
            }
            Ok(())
        })
    })?;
    let is_served = asked > 0 && longest <= LATENCY_MAX;
    round.check(is_served, || format!("a large request took {longest:.1?}"));
    round.note(format!("{asked} large requests in between, at most {longest:.1?}"));
    Ok(())
}
