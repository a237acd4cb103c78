//! How many files and sockets this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the attacks need: ten thousand connections, and some for the victim and for files.
const WANTED: u64 = 10_500;
/// How many of them are left to the victim and to files.
const RESERVED: usize = 300;

/// Raises the open-file limit as far as allowed, and returns how many connections an attack may
/// open.
pub(crate) fn raise_limit() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(WANTED).min(WANTED);
    let is_raised = current.is_some_and(|current| current < wanted)
        && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok();
    let limit = if is_raised { wanted } else { current.unwrap_or(WANTED) };
    if limit < WANTED {
        println!(
            "ONLY {limit} OPEN FILES ARE ALLOWED (ulimit -n): attacks that want {WANTED} do less"
        );
    }
    usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(RESERVED)
}
