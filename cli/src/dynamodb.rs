//! `singlet dynamodb`: the endpoint alone.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use singlet_engine::{Durability, Engine, Options};
use singlet_wire::Server;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use tokio::signal::unix::{SignalKind, signal};

/// Answers DynamoDB's protocol over HTTP, on a folder or in memory.
#[derive(Args)]
#[command(
    after_help = "Example:\n  singlet dynamodb --in-memory --port 8000\n  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000"
)]
pub(crate) struct Arguments {
    /// The port to listen on; 0 takes any free one.
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// The folder that holds the data; it is made if it is missing.
    #[arg(long, default_value = "./singlet-data", conflicts_with = "in_memory")]
    dir: PathBuf,
    /// Keep everything in memory, and forget it at the end.
    #[arg(long)]
    in_memory: bool,
    /// When a write counts as done.
    #[arg(long, value_enum, default_value_t = Choice::Full)]
    durability: Choice,
}

#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    /// When it is on the disk.
    Full,
    /// At once; it is on the disk a moment later, unless the machine fails before.
    Relaxed,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let durability = match arguments.durability {
        Choice::Full => Durability::Full,
        Choice::Relaxed => Durability::Relaxed,
    };
    let options = Options { durability, ..Options::default() };
    let engine = if arguments.in_memory {
        Engine::memory_with(options)
    } else {
        Engine::open(&arguments.dir, options)
    };
    let engine = engine.map_err(|error| {
        Failure::new(
            error,
            "Choose another folder with --dir, or keep everything in memory with --in-memory.",
        )
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format_args!("no threads to work with: {error}"), ""))?;
    runtime.block_on(serve(arguments, engine.clone()))?;
    drop(runtime);
    engine.close().map_err(|error| Failure::new(error, ""))
}

#[expect(clippy::print_stdout, reason = "the line that says it is ready is for people and scripts")]
async fn serve(arguments: &Arguments, engine: Engine) -> Result<(), Failure> {
    let address = SocketAddr::from((arguments.host, arguments.port));
    let options = singlet_wire::Options { address, ..singlet_wire::Options::default() };
    let refused = |error| {
        Failure::new(
            format_args!("cannot listen on {address}: {error}"),
            "Choose another port with --port; 0 takes any free one.",
        )
    };
    let server = Server::bind(engine, options).await.map_err(refused)?;
    let address = server.local_address().map_err(refused)?;
    let unheard = |error| Failure::new(format_args!("cannot wait for signals: {error}"), "");
    let mut terminate = signal(SignalKind::terminate()).map_err(unheard)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(unheard)?;
    let place = if arguments.in_memory {
        "in memory".to_owned()
    } else {
        format!(
            "folder {}, durability {}",
            arguments.dir.display(),
            match arguments.durability {
                Choice::Full => "full",
                Choice::Relaxed => "relaxed",
            }
        )
    };
    println!("DynamoDB endpoint ready at http://{address} ({place})");
    server
        .serve(async {
            std::future::poll_fn(|context| {
                let is_asked = terminate.poll_recv(context).is_ready()
                    || interrupt.poll_recv(context).is_ready();
                if is_asked { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
            })
            .await;
        })
        .await;
    Ok(())
}
