//! What systems are given besides tables: demo data, and a place for files.

use super::store::Backend;
use crate::failure::Failure;
use clap::Args;
use singlet_web::DemoPolicy;
use singlet_web::blob::Blobs;
use std::path::{Path, PathBuf};

/// The folder of files, in the folder of the data.
const BLOBS_FOLDER: &str = "blobs";

/// Demo data and files.
#[derive(Args)]
pub(super) struct Extras {
    /// Load no demo data. Otherwise systems with empty tables get some, once; tables in DynamoDB
    /// only with --demo.
    #[arg(long)]
    empty: bool,
    /// Load demo data into empty tables of DynamoDB too.
    #[arg(long, conflicts_with = "empty")]
    demo: bool,
    /// The folder for files of systems, such as pictures. [default: `blobs` in the folder of the
    /// data; in memory where that is no folder]
    #[arg(long, value_name = "DIR")]
    blobs: Option<PathBuf>,
}

impl Extras {
    /// Whether demo data is loaded. Tables in DynamoDB may be those of a real service.
    pub(super) fn demo_policy(&self, backend: Backend) -> DemoPolicy {
        let is_wanted = self.demo || backend == Backend::Embedded;
        if is_wanted && !self.empty { DemoPolicy::IfEmpty } else { DemoPolicy::Never }
    }

    /// Where files are kept. `folder` is that of the data, if it is in one.
    pub(super) fn open_blobs(&self, folder: Option<&Path>) -> Result<Blobs, Failure> {
        let in_data = folder.map(|folder| folder.join(BLOBS_FOLDER));
        let Some(folder) = self.blobs.clone().or(in_data) else { return Ok(Blobs::memory()) };
        Blobs::folder(&folder).map_err(|error| {
            Failure::new(
                format_args!("cannot open {}: {error}", folder.display()),
                "Choose another folder for files with --blobs.",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demo_data_on_dynamodb_needs_demo() {
        let policy =
            |empty, demo, backend| Extras { empty, demo, blobs: None }.demo_policy(backend);
        assert_eq!(policy(false, false, Backend::Embedded), DemoPolicy::IfEmpty);
        assert_eq!(policy(true, false, Backend::Embedded), DemoPolicy::Never);
        assert_eq!(policy(false, false, Backend::Dynamodb), DemoPolicy::Never);
        assert_eq!(policy(false, true, Backend::Dynamodb), DemoPolicy::IfEmpty);
    }
}
