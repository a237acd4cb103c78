//! Lists that keep their first 256 elements and count the rest.

use super::Reader;
use crate::error::Result;

/// How many elements of a list are kept. More than any list in a request may have; the longest are
/// the 255 names of `AttributesToGet`.
pub(crate) const KEPT_MAX: usize = 256;

/// A list that keeps its first [`KEPT_MAX`] elements and counts the others.
///
/// A body of 16 MB has room for five million empty structures, each of which takes up to 300 bytes
/// in memory. The others are still parsed, so malformed ones are rejected.
///
/// Invariant: readers must refuse a list that is not complete.
pub(crate) struct Kept<T> {
    elements: Vec<T>,
    count: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { elements: Vec::new(), count: 0 }
    }
}

impl<T> Kept<T> {
    /// Reads a list, element by element; `None` for `null`. Elements for which the function returns
    /// `None` do not count.
    pub(crate) fn read<'j>(
        reader: &mut Reader<'j>,
        mut read: impl FnMut(&mut Reader<'j>) -> Result<Option<T>>,
    ) -> Result<Option<Self>> {
        let mut kept = Self::default();
        let found = reader.list(|reader| {
            let Some(element) = read(reader)? else { return Ok(()) };
            kept.count += 1;
            if kept.elements.len() < KEPT_MAX {
                kept.elements.push(element);
            }
            Ok(())
        })?;
        Ok(found.then_some(kept))
    }

    /// The number of elements, kept or not.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether all elements were kept.
    pub(crate) fn is_whole(&self) -> bool {
        self.count == self.elements.len()
    }

    /// The kept elements.
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.elements
    }

    /// The kept elements.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.elements
    }

    /// The kept elements.
    pub(crate) fn into_vec(self) -> Vec<T> {
        self.elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(count: usize, last: &str) -> Result<Kept<i64>> {
        let body = format!("[{}{last}]", "1,".repeat(count));
        let mut reader = Reader::new(body.as_bytes())?;
        Kept::read(&mut reader, |reader| reader.integer("Integer")).map(Option::unwrap_or_default)
    }

    #[test]
    fn dropped_elements_are_parsed_and_counted() {
        let whole = read(KEPT_MAX - 1, "2").unwrap();
        assert!(whole.is_whole());
        assert_eq!((whole.len(), whole.as_slice().last()), (KEPT_MAX, Some(&2)));
        let long = read(KEPT_MAX + 6, "2").unwrap();
        assert!(!long.is_whole());
        assert_eq!((long.len(), long.as_slice().len()), (KEPT_MAX + 7, KEPT_MAX));
        assert!(read(KEPT_MAX + 6, "{}").is_err());
    }
}
