//! A design with ten entities, and all of its access patterns.
//!
//! `cargo run --example github` runs it in memory and prints the design as a document. The test
//! suite runs the same story on every backend.

#![allow(missing_docs, unreachable_pub, clippy::print_stdout, reason = "an example")]

mod design;
mod service;
mod story;

use singlet::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    singlet::block_on(async {
        let db = Db::<design::GitHub>::memory().await?;
        story::tell(&db).await
    })?;
    for finding in design::GitHub::design().check() {
        println!("{finding}");
    }
    println!("{}", design::GitHub::design().document());
    Ok(())
}
