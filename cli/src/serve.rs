//! `singlet serve`: the systems, with the DynamoDB endpoint on the same data beside them.

mod identity;

use crate::dynamodb::parse_host;
use crate::failure::Failure;
use crate::log::{self, Detail};
use crate::stop::Stop;
use crate::storage::{self, Storage};
use clap::{Args, ValueEnum};
use identity::Trusting;
use singlet::backend::Embedded;
use singlet::{Db, Declaration, Settings};
use singlet_engine::Engine;
use singlet_snakes::chance::Chance;
use singlet_snakes::live::Live;
use singlet_snakes::service::Service;
use singlet_web::idempotency::Idempotency;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::sync::watch;

/// Runs the systems that come with Singlet, each with its pages, on data of their own.
#[derive(Args)]
#[command(after_help = "\
Examples:
  singlet serve
  singlet serve --in-memory --only snakes
  singlet serve --host 0.0.0.0 --port 80 --dir /var/lib/singlet

The data can be looked at over DynamoDB's protocol meanwhile, from this machine:
  aws dynamodb scan --table-name snakes-dev --endpoint-url http://127.0.0.1:8000
")]
pub(crate) struct Arguments {
    /// The port of the pages; 0 takes any free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address on which the pages are. 0.0.0.0 is for everybody who can reach this machine.
    #[arg(long, default_value = "127.0.0.1", value_parser = parse_host)]
    host: IpAddr,
    /// The port of the DynamoDB endpoint, which only this machine can reach; 0 takes any free one.
    #[arg(long, default_value_t = 8000)]
    dynamodb_port: u16,
    /// The systems to run; all of them unless some are named.
    #[arg(long, value_enum, value_name = "NAME", num_args = 1..)]
    only: Vec<Name>,
    /// What the names of tables end in.
    #[arg(long, value_name = "NAME", default_value = "dev")]
    environment: String,
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    identity: identity::Arguments,
    /// How much to note on standard error.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Detail::Info)]
    log: Detail,
}

/// The systems there are.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Snakes and ladders, live.
    Snakes,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    log::begin(arguments.log);
    let runtime = arguments.storage.runtime()?;
    let (pages, endpoint) = runtime.block_on(arguments.bind())?;
    let engine = arguments.storage.open_engine()?;
    runtime.block_on(serve(arguments, pages, endpoint, &engine))?;
    // Whatever still runs there is over before the engine is closed.
    drop(runtime);
    storage::close(&engine)
}

impl Arguments {
    /// Takes both addresses. One that cannot be had should leave no folder behind.
    async fn bind(&self) -> Result<(singlet_web::Server, singlet_wire::Server), Failure> {
        let address = SocketAddr::from((self.host, self.port));
        let options = singlet_web::Options { address, ..singlet_web::Options::default() };
        let pages = singlet_web::Server::bind(options).await.map_err(|error| {
            Failure::new(
                format_args!("cannot listen on {address}: {error}"),
                "Choose another port with --port; 0 takes any free one.",
            )
        })?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.dynamodb_port));
        let options = singlet_wire::Options { address, ..singlet_wire::Options::default() };
        let endpoint = singlet_wire::Server::bind(options).await.map_err(|error| {
            Failure::new(error, "Choose another port with --dynamodb-port; 0 takes any free one.")
        })?;
        Ok((pages, endpoint))
    }

    fn runs(&self, name: Name) -> bool {
        self.only.is_empty() || self.only.contains(&name)
    }

    /// A database for a system, with all its tables.
    async fn open<D: Declaration>(&self, engine: &Engine) -> Result<Db<D>, Failure> {
        let settings = Settings { environment: self.environment.clone(), ..Settings::default() };
        let db = Db::<D>::on(Embedded::new(engine.clone()), settings);
        db.provision().await.map_err(|error| {
            Failure::new(
                format_args!("the tables cannot be made: {error}"),
                "Is there something else in them? Choose other names with --environment.",
            )
        })?;
        Ok(db)
    }
}

async fn serve(
    arguments: &Arguments,
    mut pages: singlet_web::Server,
    endpoint: singlet_wire::Server,
    engine: &Engine,
) -> Result<(), Failure> {
    let stop = Stop::listen()?;
    let unknown = |error| Failure::new(format_args!("no address: {error}"), "");
    let (address, endpoint_address) =
        (pages.local_address().map_err(unknown)?, endpoint.local_address());
    if arguments.runs(Name::Snakes) {
        let service = Service::new(arguments.open(engine).await?, Chance::system());
        let live = Live::new(service.clone());
        pages = pages.with_system(singlet_snakes::system(service, live.clone()));
        // It ends with the runtime.
        tokio::spawn(async move { live.run().await });
    }
    let place = arguments.storage.place();
    pages = pages
        .with_idempotency(Idempotency::new(arguments.open(engine).await?))
        .with_note(format!("The data: {place}."))
        .with_note(format!("The same data over DynamoDB's protocol: http://{endpoint_address}"));
    let trusting = Trusting(address.ip().is_loopback());
    pages = arguments.identity.apply(pages, trusting)?;
    // If nobody reads the lines, they are not missed.
    let _ = writeln!(
        std::io::stdout(),
        "Pages ready at http://{address} (open this in a browser)\n\
         DynamoDB endpoint ready at http://{endpoint_address} (the same data: {place})\n\
         Press Ctrl-C to stop."
    );
    let (tell, told) = watch::channel(false);
    let mut told_too = told.clone();
    let mut told = told;
    tokio::join!(
        async {
            stop.asked().await;
            let _ = tell.send(true);
        },
        pages.serve(async move { drop(told.wait_for(|stop| *stop).await) }),
        endpoint.serve(engine.clone(), async move {
            drop(told_too.wait_for(|stop| *stop).await);
        }),
    );
    tracing::info!("stopped");
    Ok(())
}
