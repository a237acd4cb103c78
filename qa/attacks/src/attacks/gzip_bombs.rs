use crate::crowd::{ask, crowd};
use crate::round::{Kind, Round};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const CLIENTS: usize = 8;
const INFLATED_BYTES: usize = 64 << 20;

/// Bodies of 64 KB that become 64 MB. Decompression ends at the 16 MB that a body may have.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let spaces = vec![b' '; 1 << 20];
    for _ in 0..INFLATED_BYTES / spaces.len() {
        encoder.write_all(&spaces).map_err(|error| error.to_string())?;
    }
    let body = encoder.finish().map_err(|error| error.to_string())?;
    let head = requests.head("PutItem", body.len(), "Content-Encoding: gzip\r\n");
    let request = [head.as_bytes(), &body].concat();
    let mut answers = Vec::new();
    round.attack_endpoint(&mut endpoint, |until| {
        let asked = crowd(CLIENTS, |_| {
            let mut answers = Vec::new();
            while !until.is_over() {
                answers.push(ask(requests.address, &request));
            }
            answers
        });
        answers = asked.into_iter().flatten().flatten().collect();
        Ok(())
    })?;
    round.check(!answers.is_empty(), || "no bomb was answered".to_owned());
    for answer in &answers {
        let is_refused = (400..500).contains(&answer.status);
        round.check(is_refused, || format!("a bomb was not refused: {}", answer.shown()));
        round.check_refusal("a bomb", answer);
    }
    round.note(format!("{} bombs", answers.len()));
    Ok(())
}
