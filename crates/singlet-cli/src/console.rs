//! `singlet console`: the console for any DynamoDB endpoint.

use crate::design_file;
use crate::failure::Failure;
use crate::log::{self, Detail};
use crate::stop::Stop;
use clap::Args;
use singlet::design::Design;
use singlet_console::{Console, Server};
use std::io::Write;
use std::path::PathBuf;

/// The port of the console unless another one is named.
pub(crate) const PORT_DEFAULT: u16 = 8001;

/// Shows the tables of DynamoDB, or of any server that speaks its protocol, in the browser.
///
/// Region, credentials and endpoint come from the environment, as for the AWS CLI.
#[derive(Args)]
#[command(after_help = "\
Examples:
  singlet console --endpoint http://127.0.0.1:8000
  singlet console --endpoint http://127.0.0.1:8000 --design shop.json
  AWS_PROFILE=prod singlet console --read-only
")]
pub(crate) struct Arguments {
    /// The endpoint to connect to. [default: DynamoDB, as the environment says]
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// A design file for these tables. Can be given several times.
    #[arg(long = "design", value_name = "FILE")]
    designs: Vec<PathBuf>,
    /// Refuse requests that write.
    #[arg(long)]
    read_only: bool,
    /// The port of the console, which only this machine can reach; 0 takes any free one.
    #[arg(long, default_value_t = PORT_DEFAULT)]
    port: u16,
    /// How much to note on standard error.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Detail::Info)]
    log: Detail,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    log::begin(arguments.log);
    let designs = arguments
        .designs
        .iter()
        .map(|path| design_file::read(path).map_err(|error| design_file::unusable(&error)))
        .collect::<Result<Vec<Design>, _>>()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::new(
            format_args!("cannot start threads: {error}"),
            "Look at the limits for processes and memory (ulimit -a).",
        )
    })?;
    runtime.block_on(async {
        let server = bind(arguments.port).await?;
        let console = open(arguments).await?.with_designs(designs);
        let stop = Stop::listen()?;
        announce(&server)?;
        serve(server, console, stop.asked()).await
    })
}

#[cfg(feature = "aws")]
async fn open(arguments: &Arguments) -> Result<Console, Failure> {
    use singlet::backend::Aws;
    let (backend, place) = match &arguments.endpoint {
        Some(url) => (Aws::at(url).await, url.clone()),
        None => (Aws::from_env().await, "DynamoDB, as the environment says".to_owned()),
    };
    let mut console = Console::new(backend, place);
    if let Some(url) = &arguments.endpoint {
        console = console.with_endpoint(url);
    }
    Ok(if arguments.read_only { console.read_only() } else { console })
}

#[cfg(not(feature = "aws"))]
async fn open(_: &Arguments) -> Result<Console, Failure> {
    Err(Failure::new(
        "this build of singlet cannot connect to other endpoints",
        "Build it with the feature `aws`, or show its own data with singlet dynamodb --console.",
    ))
}

pub(crate) async fn bind(port: u16) -> Result<Server, Failure> {
    Server::bind(port).await.map_err(|error| {
        Failure::new(
            format_args!("cannot listen on 127.0.0.1:{port}: {error}"),
            "Choose another port; 0 takes any free one.",
        )
    })
}

/// Says where the console is.
pub(crate) fn announce(server: &Server) -> Result<(), Failure> {
    let address = server
        .local_address()
        .map_err(|error| Failure::new(format_args!("no address: {error}"), "Try again."))?;
    // If nobody reads the line, it is not missed.
    let _ = writeln!(
        std::io::stdout(),
        "Console ready at http://{address}/console (open this in a browser)"
    );
    Ok(())
}

pub(crate) async fn serve(
    server: Server,
    console: Console,
    until: impl Future<Output = ()> + Send,
) -> Result<(), Failure> {
    server.serve(console, until).await.map_err(|error| {
        Failure::new(format_args!("the console stopped: {error}"), "Start it again.")
    })
}
