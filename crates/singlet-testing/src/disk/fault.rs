//! Injected faults.

use std::io;

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Read a range of bytes.
    Read,
    /// Write a range of bytes.
    Write,
    /// Change the length of the file.
    SetLen,
    /// Make all writes durable.
    Sync,
}

/// The error that an operation fails with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// I/O error (EIO).
    Io,
    /// Disk full (ENOSPC).
    Full,
}

impl Failure {
    /// The error as the operating system returns it.
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

/// A planned failure.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The kind of operation that fails; `None` for any.
    pub kind: Option<Operation>,
    /// How many operations of this kind the disk carries out first.
    pub after: u64,
    /// The error.
    pub failure: Failure,
    /// Whether all later operations of this kind fail too, as without power.
    pub lasting: bool,
}

/// The planned faults and the operation counts.
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

    /// Counts an operation and returns its planned error.
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
