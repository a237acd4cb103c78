//! `singlet serve`: the systems, and the DynamoDB endpoint on the same data.

mod extras;
mod identity;
mod store;

use crate::dynamodb::parse_host;
use crate::failure::Failure;
use crate::huge_pages;
use crate::log::{self, Detail};
use crate::open_files;
use crate::stop::Stop;
use crate::storage::{self, Storage};
use clap::Args;
use clap::builder::PossibleValuesParser;
use extras::Extras;
use identity::{Callers, Trusting};
use singlet_engine::Engine;
use singlet_web::{ConsoleOptions, OpenError, Site, SiteOptions, Store, System};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use store::{Backend, TableNames};
use tokio::sync::watch;

/// Default port of the DynamoDB endpoint, the same as DynamoDB Local's.
const DYNAMODB_PORT_DEFAULT: u16 = 8000;

/// Runs the systems that come with Singlet, each with its web pages.
#[derive(Args)]
#[command(after_help = "\
Examples:
  singlet serve
  singlet serve --in-memory --only snakes
  singlet serve --host 0.0.0.0 --port 80 --dir /var/lib/singlet
  AWS_REGION=eu-central-1 singlet serve --backend dynamodb --environment prod
  singlet serve --table fus-main=club --table cricket-fixtures=matches

The data can be looked at over DynamoDB's protocol meanwhile, from this machine:
  export AWS_DEFAULT_REGION=local AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  aws dynamodb scan --table-name snakes-dev --endpoint-url http://127.0.0.1:8000
")]
pub(crate) struct Arguments {
    /// The port of the web pages; 0 picks a free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address of the web pages. With 0.0.0.0, other machines can reach them; the DynamoDB
    /// endpoint always stays on localhost.
    #[arg(long, default_value = "127.0.0.1", value_parser = parse_host)]
    host: IpAddr,
    /// Where to store the data. The options for folders, memory and the DynamoDB endpoint apply to
    /// the embedded engine only.
    #[arg(long, value_enum, default_value_t = Backend::Embedded)]
    backend: Backend,
    /// The port of the DynamoDB endpoint, on localhost; 0 picks a free one. [default: 8000]
    #[arg(long)]
    dynamodb_port: Option<u16>,
    /// The systems to run; all of them by default.
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = system_names())]
    only: Vec<String>,
    #[command(flatten)]
    table_names: TableNames,
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    extras: Extras,
    #[command(flatten)]
    callers: Callers,
    /// Log level; the log goes to standard error.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Detail::Info)]
    log: Detail,
}

fn system_names() -> PossibleValuesParser {
    PossibleValuesParser::new(systems::all().iter().map(System::name))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.check()?;
    let settings = arguments.table_names.settings()?;
    log::begin(arguments.log);
    open_files::raise_limit();
    huge_pages::disable();
    let runtime = arguments.storage.runtime()?;
    let pages = runtime.block_on(arguments.bind_pages())?;
    if arguments.backend == Backend::Dynamodb {
        let store = runtime.block_on(store::dynamodb(settings))?;
        return runtime.block_on(serve(arguments, pages, None, store));
    }
    let endpoint = runtime.block_on(arguments.bind_endpoint())?;
    let engine = arguments.storage.open_engine()?;
    let endpoint = Some((endpoint, engine.clone()));
    let store = store::embedded(&engine, settings);
    runtime.block_on(serve(arguments, pages, endpoint, store))?;
    // Ends all tasks before the engine is closed.
    drop(runtime);
    storage::close(&engine)
}

/// The endpoint on the systems' data; `None` if that is in DynamoDB.
type Endpoint = Option<(singlet_wire::Server, Engine)>;

impl Arguments {
    /// Rejects options of the embedded engine when the backend is DynamoDB, rather than ignoring
    /// them.
    fn check(&self) -> Result<(), Failure> {
        let port = self.dynamodb_port.map(|_| "--dynamodb-port");
        match self.storage.chosen().chain(port).next() {
            Some(option) if self.backend == Backend::Dynamodb => Err(Failure::new(
                format_args!("{option} applies to the embedded engine only"),
                format!("Remove either {option} or --backend dynamodb."),
            )),
            _ => Ok(()),
        }
    }

    /// Binds the address of the pages first: if it is taken, no folder must be created.
    async fn bind_pages(&self) -> Result<singlet_web::Server, Failure> {
        let address = SocketAddr::from((self.host, self.port));
        let options = singlet_web::Options { address, ..singlet_web::Options::default() };
        singlet_web::Server::bind(options).await.map_err(|error| {
            Failure::new(
                format_args!("cannot listen on {address}: {error}"),
                "Choose another port with --port; 0 picks a free one.",
            )
        })
    }

    async fn bind_endpoint(&self) -> Result<singlet_wire::Server, Failure> {
        let port = self.dynamodb_port.unwrap_or(DYNAMODB_PORT_DEFAULT);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let options = singlet_wire::Options { address, ..singlet_wire::Options::default() };
        singlet_wire::Server::bind(options).await.map_err(|error| {
            Failure::new(error, "Choose another port with --dynamodb-port; 0 picks a free one.")
        })
    }
}

async fn serve(
    arguments: &Arguments,
    pages: singlet_web::Server,
    endpoint: Endpoint,
    store: Store,
) -> Result<(), Failure> {
    let stop = Stop::listen()?;
    let address = pages
        .local_address()
        .map_err(|error| Failure::new(format_args!("no address: {error}"), "Try again."))?;
    let mut options = SiteOptions::default();
    let folder = endpoint.as_ref().and_then(|_| arguments.storage.folder());
    options.blobs = arguments.extras.open_blobs(folder)?;
    let is_linked = address.ip().to_canonical().is_loopback();
    let mut ready = format!("Pages ready at http://{address} (open this in a browser)\n");
    match &endpoint {
        Some((endpoint, _)) => {
            let (beside, place) = (endpoint.local_address(), arguments.storage.place());
            ready += &format!("DynamoDB endpoint ready at http://{beside} (same data: {place})\n");
            options.console = Some(ConsoleOptions {
                endpoint: Some(format!("http://{beside}")),
                place: place.clone(),
                is_linked,
            });
            options.notes.push(format!("The data: {place}."));
            let note = format!("The same data over DynamoDB's protocol: http://{beside}");
            options.notes.push(note);
        }
        None => {
            ready += "The data is in DynamoDB, as configured by the AWS environment variables.\n";
            options.console =
                Some(ConsoleOptions { place: "DynamoDB".to_owned(), endpoint: None, is_linked });
            options.notes.push("The data is in DynamoDB.".to_owned());
        }
    }
    let trusting = Trusting(address.ip().to_canonical().is_loopback() && endpoint.is_some());
    let (identity, note) = arguments.callers.identity(trusting)?;
    options.demo = arguments.extras.demo_policy(&identity);
    options.identity = identity;
    options.notes.push(note);
    ready.extend(arguments.extras.warning(arguments.backend));
    let only = &arguments.only;
    let mut systems = systems::all();
    systems.retain(|system| only.is_empty() || only.iter().any(|name| name == system.name()));
    let site = Site::open(systems, store, options).await;
    let site = site.map_err(|error| cannot_open(&error, arguments.backend))?;
    pages.check(&site).map_err(|error| cannot_open(&error, arguments.backend))?;
    // Output may be closed.
    let _ = writeln!(std::io::stdout(), "{ready}Press Ctrl-C to stop.");
    let (stop_sender, stopped) = watch::channel(false);
    let until = |mut stopped: watch::Receiver<bool>| async move {
        drop(stopped.wait_for(|stop| *stop).await);
    };
    tokio::join!(
        async {
            stop.asked().await;
            let _ = stop_sender.send(true);
        },
        pages.serve(site, until(stopped.clone())),
        async {
            if let Some((endpoint, engine)) = endpoint {
                endpoint.serve(engine, until(stopped)).await;
            }
        },
    );
    tracing::info!("stopped");
    Ok(())
}

fn cannot_open(error: &OpenError, backend: Backend) -> Failure {
    let advice = match (error, backend) {
        (OpenError::Store(_), Backend::Embedded) => {
            "Choose other names for the tables with --environment or --table."
        }
        (OpenError::Store(_), Backend::Dynamodb) => {
            "Look at the region, the credentials and the endpoint in the environment (AWS_REGION, \
             AWS_PROFILE, AWS_ENDPOINT_URL), or choose other names for the tables with \
             --environment or --table."
        }
        (OpenError::UnknownTable { .. }, _) => "Use one of these names in --table.",
        (OpenError::DuplicateTable(_), _) => {
            "Choose another name with --table, or another --environment."
        }
        (OpenError::Demo { .. }, _) => "Skip the demo data with --empty.",
        (OpenError::LocalIssuerInPublic(_), _) => "Remove --host.",
        _ => "Choose other systems with --only.",
    };
    Failure::new(format_args!("cannot open the systems: {error}"), advice)
}
