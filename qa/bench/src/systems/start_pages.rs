//! The first page of each system over HTTP, with the demo data.

use super::client::Connection;
use super::{Outcome, Rows};
use singlet_web::{DemoPolicy, Options, Server, Site, SiteOptions, Store};

const CONNECTIONS: usize = 8;

pub(super) async fn measure(rows: &Rows) -> Outcome<()> {
    let title = |name: &str| format!("{name}: start page over HTTP, {CONNECTIONS} connections");
    let systems = vec![
        ::systems::snakes::system(),
        ::systems::threefc::system(),
        ::systems::hacktracker::system(),
        ::systems::fus::system(),
        ::systems::cricket::system(),
    ];
    let names: Vec<String> = systems.iter().map(|system| system.name().to_owned()).collect();
    if !names.iter().any(|name| rows.wants(&title(name))) {
        return Ok(());
    }
    let server =
        Server::bind(Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() });
    let server = server.await?;
    let address = server.local_address()?;
    let mut options = SiteOptions::default();
    options.demo = DemoPolicy::IfEmpty;
    options.run_jobs = false;
    let site = Site::open(systems, Store::memory().await?, options).await?;
    tokio::spawn(server.serve(site, std::future::pending()));
    for name in names {
        if !rows.wants(&title(&name)) {
            continue;
        }
        let mut clients = Vec::new();
        for _ in 0..CONNECTIONS {
            clients.push((Connection::open(address).await?, format!("/{name}")));
        }
        rows.measure(&title(&name), 1, clients, |(mut connection, path)| async move {
            connection.ask("GET", &path, "").await?;
            Ok(Some((connection, path)))
        })
        .await?;
    }
    Ok(())
}
