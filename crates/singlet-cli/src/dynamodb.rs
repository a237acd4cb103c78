//! `singlet dynamodb`: the endpoint alone.

use crate::console;
use crate::failure::Failure;
use crate::log::{self, Detail};
use crate::open_files;
use crate::stop::Stop;
use crate::storage::{self, Storage};
use clap::Args;
use singlet::backend::Embedded;
use singlet_console::Console;
use singlet_engine::Engine;
use singlet_wire::{BindError, Credentials, Server};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use tokio::sync::watch;

/// Serves DynamoDB's protocol over HTTP, from a folder or from memory.
#[derive(Args)]
#[command(after_help = "\
Examples:
  singlet dynamodb
  singlet dynamodb --in-memory --port 0
  singlet dynamodb --console
  singlet dynamodb --host 0.0.0.0 --credentials ~/.aws/credentials

  export AWS_DEFAULT_REGION=local AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
")]
pub(crate) struct Arguments {
    /// The port to listen on; 0 picks a free one.
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The address to listen on. Any but a loopback address requires --credentials.
    #[arg(long, default_value = "127.0.0.1", value_parser = parse_host)]
    host: IpAddr,
    #[command(flatten)]
    storage: Storage,
    /// Accept only requests signed with a key in this file, which has the format of
    /// ~/.aws/credentials. Without it signatures are not checked.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// Show the tables in the browser as well, on this port of this machine.
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8001")]
    console: Option<u16>,
    /// Log level; the log goes to standard error.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Detail::Info)]
    log: Detail,
}

pub(crate) fn parse_host(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    text.parse().map_err(|_| "give an address such as 127.0.0.1, ::1 or 0.0.0.0".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    log::begin(arguments.log);
    open_files::raise_limit();
    let options = arguments.endpoint_options()?;
    let runtime = arguments.storage.runtime()?;
    // Bind first: if the address is taken, no folder must be created.
    let server = runtime.block_on(Server::bind(options)).map_err(cannot_bind)?;
    let console = match arguments.console {
        Some(port) => Some(runtime.block_on(console::bind(port))?),
        None => None,
    };
    let engine = arguments.storage.open_engine()?;
    runtime.block_on(serve(arguments, server, console, engine.clone()))?;
    // Ends all tasks before the engine is closed.
    drop(runtime);
    storage::close(&engine)
}

fn cannot_bind(error: BindError) -> Failure {
    let advice = match error {
        BindError::Unprotected(_) => {
            "Remove --host to listen on localhost only, or pass a file with --credentials (see \
             singlet dynamodb --help)."
        }
        _ => "Choose another port with --port; 0 picks a free one.",
    };
    Failure::new(error, advice)
}

impl Arguments {
    fn endpoint_options(&self) -> Result<singlet_wire::Options, Failure> {
        let credentials = match &self.credentials {
            None => None,
            Some(path) => Some(Credentials::read(path).map_err(|error| {
                Failure::new(
                    format_args!("{}: {error}", path.display()),
                    "Give a file with a section like this:\n\
                     [default]\naws_access_key_id = local\naws_secret_access_key = a long secret",
                )
            })?),
        };
        let address = SocketAddr::from((self.host, self.port));
        Ok(singlet_wire::Options { address, credentials, ..singlet_wire::Options::default() })
    }
}

async fn serve(
    arguments: &Arguments,
    server: Server,
    console: Option<singlet_console::Server>,
    engine: Engine,
) -> Result<(), Failure> {
    let address = server.local_address();
    let stop = Stop::listen()?;
    // Output may be closed.
    let _ = writeln!(
        std::io::stdout(),
        "DynamoDB endpoint ready at http://{address} ({})",
        arguments.storage.place()
    );
    let Some(page) = console else {
        server.serve(engine, stop.asked()).await;
        tracing::info!("stopped");
        return Ok(());
    };
    console::announce(&page)?;
    let shown = Console::new(Embedded::new(engine.clone()), arguments.storage.place())
        .with_endpoint(format!("http://{address}"));
    let (stop_sender, stopped) = watch::channel(false);
    let until = |mut stopped: watch::Receiver<bool>| async move {
        drop(stopped.wait_for(|stop| *stop).await);
    };
    let (_, _, outcome) = tokio::join!(
        async {
            stop.asked().await;
            let _ = stop_sender.send(true);
        },
        server.serve(engine, until(stopped.clone())),
        console::serve(page, shown, until(stopped)),
    );
    outcome?;
    tracing::info!("stopped");
    Ok(())
}
