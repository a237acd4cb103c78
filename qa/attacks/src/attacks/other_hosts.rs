use crate::crowd::ask;
use crate::round::{Kind, Round};
use std::net::SocketAddr;

/// A host that somebody has made point at this machine, in every place where a request can say whom
/// it means ("DNS rebinding"). Both servers answer to names of this machine only.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let address = endpoint.requests.address;
    let pages = round.pages()?;
    let mut passed = Vec::new();
    round.attack_endpoint(&mut endpoint, |_| {
        for (server, path) in [(address, "/metrics"), (pages.address()?, "/snakes/games")] {
            for request in misdirected(server, path) {
                let asked = ask(server, request.as_bytes());
                let answer = asked.map_err(|error| format!("{request:?}: {error}"))?;
                if !(400..500).contains(&answer.status) {
                    passed.push(format!("{request:?}: {}", answer.shown()));
                }
            }
        }
        Ok(())
    })?;
    round.faults.extend(passed);
    Ok(())
}

fn misdirected(server: SocketAddr, path: &str) -> Vec<String> {
    let host = |headers: String| format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    let port = server.port();
    vec![
        host(format!("Host: attacker.example:{port}\r\n")),
        host(format!("Host: localhost.attacker.example:{port}\r\n")),
        host(format!("Host: 127.0.0.1.attacker.example:{port}\r\n")),
        host(format!("Host: 127.0.0.1:{port}@attacker.example\r\n")),
        host(format!("Host: {server}\r\nHost: attacker.example\r\n")),
        host(format!("Host: attacker.example\r\nHost: {server}\r\n")),
        host("Host: \r\n".to_owned()),
        host(String::new()),
        format!("GET http://attacker.example{path} HTTP/1.1\r\nHost: {server}\r\n\r\n"),
        format!("GET http://attacker.example:{port}{path} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!(
            "POST http://attacker.example{path} HTTP/1.1\r\nHost: {server}\r\n\
                 Content-Length: 0\r\n\r\n"
        ),
    ]
}
