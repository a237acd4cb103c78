//! A file that many threads append to, with one fdatasync per group: the lower bound for group
//! commit.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

/// At this size the file is overwritten from its start, like the log.
const FILE_BYTES: usize = 64 << 20;

pub(super) struct Appended {
    file: File,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// Callers so far, and how many of them were served.
    come: u64,
    served: u64,
    is_led: bool,
    end: u64,
}

impl Appended {
    /// Preallocates the file, which makes syncs faster.
    pub(super) fn new(path: &Path) -> Self {
        std::fs::write(path, vec![0; FILE_BYTES]).expect("a file");
        let file = File::options().write(true).open(path).expect("a file");
        file.sync_all().expect("an fsync");
        Self { file, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Returns when the bytes are durable.
    pub(super) fn append(&self, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.extend_from_slice(bytes);
        state.come += 1;
        let own = state.come;
        while state.served < own {
            if state.is_led {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.is_led = true;
            let (group, served) = (std::mem::take(&mut state.waiting), state.come);
            let start = if state.end < FILE_BYTES as u64 { state.end } else { 0 };
            state.end = start + group.len() as u64;
            drop(state);
            self.file.write_all_at(&group, start).expect("a write");
            self.file.sync_data().expect("an fdatasync");
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            (state.served, state.is_led) = (served, false);
            self.changed.notify_all();
        }
    }
}
