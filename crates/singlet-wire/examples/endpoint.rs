//! Embeds the DynamoDB endpoint in a program: an engine, a port, and a plain HTTP client.
//!
//! ```console
//! $ cargo run --quiet --example endpoint
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use singlet_engine::Engine;
use singlet_wire::{Options, Server};
use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use tokio::sync::oneshot;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Port 0 picks a free one.
    let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
    let server = Server::bind(options).await?;
    let address = server.local_address();
    let engine = Engine::memory()?;

    // The endpoint and the program share one engine.
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(engine.clone(), async { _ = stopped.await }));
    let conversation = tokio::task::spawn_blocking(move || -> std::io::Result<()> {
        send(
            address,
            "CreateTable",
            r#"{"TableName":"games","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],
            "AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}]}"#,
        )?;
        engine.wait_until_active("games").map_err(std::io::Error::other)?;
        for (operation, body) in [
            ("PutItem", r#"{"TableName":"games","Item":{"PK":{"S":"GAME#1"},"turn":{"N":"7"}}}"#),
            ("GetItem", r#"{"TableName":"games","Key":{"PK":{"S":"GAME#1"}}}"#),
            ("GetItem", r#"{"TableName":"players","Key":{"PK":{"S":"GAME#1"}}}"#),
        ] {
            println!("{operation}: {}", send(address, operation, body)?);
        }
        Ok(())
    });
    conversation.await??;

    // The endpoint answers requests in flight before it stops.
    drop(stop);
    serving.await?;
    Ok(())
}

/// Sends a request as any client would and returns the body of the response.
fn send(address: SocketAddr, operation: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: {address}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         Content-Type: application/x-amz-json-1.0\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or(answer))
}
