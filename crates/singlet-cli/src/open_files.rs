//! The limit for open files and sockets.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than the servers' connection limits, with room for files.
const OPEN_FILES_MAX: u64 = 16_384;

/// Raises the process's soft limit, up to the hard limit. The usual soft limit of 1024 is below the
/// servers' connection limits.
pub(crate) fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(OPEN_FILES_MAX).min(OPEN_FILES_MAX);
    if current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "cannot raise the limit for open files (ulimit -n)");
        }
    }
}
