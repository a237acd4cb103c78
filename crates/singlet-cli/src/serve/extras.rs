//! Demo data and file storage for the systems.

use super::store::Backend;
use crate::failure::Failure;
use clap::Args;
use singlet_web::blob::Blobs;
use singlet_web::{DemoPolicy, IdentitySource};
use std::path::{Path, PathBuf};

/// The folder for uploaded files, inside the data folder.
const BLOBS_FOLDER: &str = "blobs";

/// Demo data and files.
#[derive(Args)]
pub(super) struct Extras {
    /// Load no demo data. By default, systems with empty tables get demo data once, if development
    /// sign-in is active: on localhost, on the embedded engine and without --issuer.
    #[arg(long)]
    empty: bool,
    /// Load demo data into empty tables in any case: with --issuer, on a public --host, or in
    /// DynamoDB.
    #[arg(long, conflicts_with = "empty")]
    demo: bool,
    /// The folder for uploaded files, such as pictures. [default: `blobs` in the data folder;
    /// memory if there is none]
    #[arg(long, value_name = "DIR")]
    blobs: Option<PathBuf>,
}

impl Extras {
    /// Whether to load demo data. The default is yes only with development sign-in: with any other
    /// identity this may be a real service.
    pub(super) fn demo_policy(&self, identity: &IdentitySource) -> DemoPolicy {
        let is_wanted = self.demo || matches!(identity, IdentitySource::Local(_));
        if is_wanted && !self.empty { DemoPolicy::IfEmpty } else { DemoPolicy::Never }
    }

    /// A warning for the terminal if uploads are not stored where the tables are.
    pub(super) fn warning(&self, backend: Backend) -> Option<&'static str> {
        (backend == Backend::Dynamodb && self.blobs.is_none()).then_some(
            "Warning: uploaded files are kept in memory only and are lost when the server stops. \
             Choose a folder for them with --blobs.\n",
        )
    }

    /// Opens the file storage. `folder` is the data folder, if there is one.
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
    use singlet_web::identity::{Identity, Issuer, LocalIssuer};

    fn extras(empty: bool, demo: bool) -> Extras {
        Extras { empty, demo, blobs: None }
    }

    /// Servers with an issuer or a public address used to list the people of the demo data.
    #[test]
    fn demo_data_without_the_local_issuer_needs_demo() {
        let local = IdentitySource::Local(LocalIssuer::new().unwrap());
        let issuer = Issuer::cognito("eu-central-1", "eu-central-1_A", "client");
        let remote = IdentitySource::Issuer(Identity::of(issuer).unwrap());
        assert_eq!(extras(false, false).demo_policy(&local), DemoPolicy::IfEmpty);
        assert_eq!(extras(true, false).demo_policy(&local), DemoPolicy::Never);
        for elsewhere in [remote, IdentitySource::None] {
            assert_eq!(extras(false, false).demo_policy(&elsewhere), DemoPolicy::Never);
            assert_eq!(extras(false, true).demo_policy(&elsewhere), DemoPolicy::IfEmpty);
        }
    }

    #[test]
    fn uploads_in_memory_with_dynamodb_cause_a_warning() {
        let warning = extras(false, false).warning(Backend::Dynamodb).unwrap();
        assert!(warning.contains("in memory only") && warning.contains("--blobs"), "{warning}");
        assert_eq!(extras(false, false).warning(Backend::Embedded), None);
        let in_folder = Extras { blobs: Some("files".into()), ..extras(false, false) };
        assert_eq!(in_folder.warning(Backend::Dynamodb), None);
    }
}
