//! Reads bytes from the front.

use crate::{Number, Type};

/// The rest of a stored item. Every method returns `None` instead of reading past the end.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    #[inline(always)]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A count or a length, in its shortest form.
    #[inline(always)]
    pub(super) fn varint(&mut self) -> Option<usize> {
        let first = self.byte()?;
        if first < 0x80 {
            return Some(usize::from(first));
        }
        let mut number = usize::from(first & 0x7f);
        // Four groups of seven bits are 256 MB, far beyond any item.
        for shift in [7, 14, 21] {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return (byte != 0).then_some(number);
            }
        }
        None
    }

    #[inline(always)]
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// Bytes with a length prefix.
    #[inline(always)]
    pub(super) fn sized(&mut self) -> Option<&'a [u8]> {
        let len = self.varint()?;
        self.take(len)
    }

    pub(super) fn number(&mut self) -> Option<Number> {
        let (number, rest) = Number::split_first_trusted(self.0)?;
        self.0 = rest;
        Some(number)
    }

    #[inline(always)]
    pub(super) fn tag(&mut self) -> Option<Type> {
        Type::ALL.get(usize::from(self.byte()?)).copied()
    }

    /// The payload of a value whose tag was just read.
    #[inline(always)]
    pub(super) fn payload(&mut self, kind: Type) -> Option<&'a [u8]> {
        match kind {
            Type::S | Type::B | Type::M | Type::L | Type::Ss | Type::Ns | Type::Bs => self.sized(),
            Type::N => {
                let len = Number::encoded_len(self.0)?;
                self.take(len)
            }
            Type::Bool => self.take(1),
            Type::Null => self.take(0),
        }
    }
}
