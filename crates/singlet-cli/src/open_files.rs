//! How many files and sockets the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than the servers have connections, with room for files.
const OPEN_FILES_MAX: u64 = 16_384;

/// Raises the process's own limit to what the system allows it. The usual one, 1024, is less than
/// the connections that the servers take on, and would be met before their own limits are.
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
