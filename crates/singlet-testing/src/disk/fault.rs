//! Operations that are told to fail.

use std::io;

/// What a disk is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reading a range of bytes.
    Read,
    /// Writing a range of bytes.
    Write,
    /// Changing the length of the file.
    SetLen,
    /// Making everything durable that was written.
    Sync,
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The device reports an error (EIO).
    Io,
    /// There is no space left (ENOSPC).
    Full,
}

impl Failure {
    /// The error that the system would return.
    #[must_use]
    pub fn to_error(self) -> io::Error {
        const ENOSPC: i32 = 28;
        const EIO: i32 = 5;
        io::Error::from_raw_os_error(match self {
            Self::Io => EIO,
            Self::Full => ENOSPC,
        })
    }
}

/// Something that will go wrong.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Which operations count; all of them, when none is named.
    pub kind: Option<Operation>,
    /// How many of those that count have happened on this disk before it fails.
    pub after: u64,
    /// How it fails.
    pub failure: Failure,
    /// Whether all later ones that count fail too. A disk without power fails so.
    pub lasting: bool,
}

/// The faults of a disk, and its operations so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    planned: Vec<Fault>,
    reads: u64,
    writes: u64,
    set_lens: u64,
    syncs: u64,
}

impl Faults {
    pub(super) fn inject(&mut self, fault: Fault) {
        self.planned.push(fault);
    }

    pub(super) fn count(&self, kind: Option<Operation>) -> u64 {
        match kind {
            None => self.reads + self.writes + self.set_lens + self.syncs,
            Some(Operation::Read) => self.reads,
            Some(Operation::Write) => self.writes,
            Some(Operation::SetLen) => self.set_lens,
            Some(Operation::Sync) => self.syncs,
        }
    }

    /// Counts an operation, and says whether it fails.
    pub(super) fn check(&mut self, operation: Operation) -> io::Result<()> {
        let failing = self.planned.iter().find(|fault| {
            let counts = fault.kind.is_none_or(|kind| kind == operation);
            let before = self.count(fault.kind);
            counts && (before == fault.after || fault.lasting && before > fault.after)
        });
        let failure = failing.map(|fault| fault.failure);
        *match operation {
            Operation::Read => &mut self.reads,
            Operation::Write => &mut self.writes,
            Operation::SetLen => &mut self.set_lens,
            Operation::Sync => &mut self.syncs,
        } += 1;
        failure.map_or(Ok(()), |failure| Err(failure.to_error()))
    }
}
