//! The suites `servers`: Singlet and its peers over HTTP.
//!
//! All get the same load, with items and requests as in the other suites. A server that only
//! returns prepared bytes is the limit. All servers run at the same time and take turns.

mod bare;
mod instructions;
mod load;
mod packages;
mod request;
mod server;

use crate::contender::Task;
use crate::folder::Folder;
use load::Load;
use server::{Kind, Server};
use std::time::Duration;

pub(crate) use instructions::run as instructions;
pub(crate) use server::{SERVE, serve};

const ITEMS: u64 = 10_000;
/// The number of items for the memory figure.
const ITEMS_WEIGHED: u64 = 100_000;
const ROUND: Duration = Duration::from_millis(1_500);
const ROUNDS: usize = 3;
const TASKS: [Task; 5] = [Task::Get, Task::Put, Task::Query, Task::Update, Task::Transact];

/// Requests per second in memory, start time and memory use.
pub(crate) fn memory() {
    packages::install();
    let mut servers: Vec<Server> = Kind::ALL.into_iter().map(|kind| kind.start(None)).collect();
    println!("Start and memory:\n");
    println!("| server | first answer | idle |");
    println!("|---|---|---|");
    for server in &servers {
        let megabytes = server.resident_bytes() as f64 / 1e6;
        println!("| {} | {:.0} ms | {megabytes:.0} MB |", server.name(), server.start_ms());
    }
    for server in &servers {
        load::create_table(server.port());
        load::fill(server.port(), ITEMS);
    }
    // The bare server returns Singlet's answers.
    if let [first, .., last] = servers.as_mut_slice() {
        for task in TASKS {
            let answer = load::one(first.port(), &request::bytes(task, 0, 1));
            bare::teach(last.port(), task, &answer);
        }
    }

    println!("\nRequests a second over HTTP, in memory, {ITEMS} items of 400 bytes:\n");
    table(&contestants(&servers), &[1, 16], &TASKS);
    drop(servers);

    println!("\nMemory with {ITEMS_WEIGHED} items of 400 bytes:\n");
    for kind in [Kind::Singlet, Kind::Dynoxide] {
        let server = kind.start(None);
        load::create_table(server.port());
        load::fill(server.port(), ITEMS_WEIGHED);
        println!("- {}: {:.0} MB", server.name(), server.resident_bytes() as f64 / 1e6);
    }
}

/// Durable PutItem.
pub(crate) fn durable() {
    let folders = [Folder::new("servers-singlet"), Folder::new("servers-dynoxide")];
    let servers: Vec<Server> = [Kind::Singlet, Kind::Dynoxide]
        .into_iter()
        .zip(&folders)
        .map(|(kind, folder)| kind.start(Some(folder.path())))
        .collect();
    for server in &servers {
        load::create_table(server.port());
        load::fill(server.port(), ITEMS);
    }
    println!("\nPutItem over HTTP that is on the disk, a second:\n");
    table(&contestants(&servers), &[1, 16, 64], &[Task::Put]);
}

/// The table of [`memory`] for servers that are already running on these ports, for example to
/// compare two builds. They should be empty, because the sample table is created.
pub(crate) fn ports(ports: &[&str]) -> Option<()> {
    let ports: Option<Vec<u16>> = ports.iter().map(|port| port.parse().ok()).collect();
    let contestants: Vec<Contestant> =
        ports?.into_iter().map(|port| Contestant { name: format!(":{port}"), port }).collect();
    for contestant in &contestants {
        load::create_table(contestant.port);
        load::fill(contestant.port, ITEMS);
    }
    table(&contestants, &[1, 16], &TASKS);
    Some(())
}

/// A server under test.
struct Contestant {
    name: String,
    port: u16,
}

fn contestants(servers: &[Server]) -> Vec<Contestant> {
    let contestant =
        |server: &Server| Contestant { name: server.name().to_owned(), port: server.port() };
    servers.iter().map(contestant).collect()
}

/// One line per task and number of connections, with all servers compared with the first.
fn table(servers: &[Contestant], connections: &[usize], tasks: &[Task]) {
    print!("| operation | connections |");
    for server in servers {
        print!(" {} |", server.name);
    }
    for server in servers.iter().skip(1) {
        print!(" times {} |", server.name);
    }
    println!();
    println!("|---|---|{}", "---|".repeat(2 * servers.len() - 1));
    for &task in tasks {
        // dynalite has no transactions.
        let trial = request::bytes(task, 0, 1);
        let able = servers.iter().map(|server| load::try_one(server.port, &trial).is_ok());
        let able: Vec<bool> = able.collect();
        for &connections in connections {
            let mut best = vec![0.0_f64; servers.len()];
            for round in 0..ROUNDS {
                let able = best.iter_mut().zip(servers).zip(&able).filter(|(_, able)| **able);
                for ((best, server), _) in able {
                    let load = Load { task, connections, items: ITEMS, seed: round as u64 };
                    *best = best.max(load.run(server.port, ROUND));
                }
            }
            print!("| {} | {connections} |", task.title());
            for rate in &best {
                print!(" {} |", if *rate > 0.0 { format!("{rate:.0}") } else { "–".to_owned() });
            }
            for rate in best.iter().skip(1) {
                let times = best[0] / rate;
                print!(" {} |", if *rate > 0.0 { format!("{times:.2}") } else { "–".to_owned() });
            }
            println!();
        }
    }
}
