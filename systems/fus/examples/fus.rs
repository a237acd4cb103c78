//! FUS alone, in memory, with its demo data: for trying pages while other systems are being built.
//! The argument is the port. Runs until it is stopped.

use singlet_web::{OpenError, Store, serve};

#[tokio::main]
async fn main() -> Result<(), OpenError> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(8080);
    let system = fus::system();
    serve(vec![system], Store::memory().await?, ([127, 0, 0, 1], port), std::future::pending())
        .await
}
