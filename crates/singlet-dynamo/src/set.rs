//! Sets of the types SS, NS and BS: distinct and never empty.

use std::fmt;

/// Distinct elements, kept sorted, never empty.
///
/// Sorting gives equal sets equal encodings, and is the order in the service's responses.
///
/// ```
/// use singlet_dynamo::{Set, SetError};
///
/// let set = Set::new(vec!["b", "a"])?;
/// assert_eq!(set.iter().collect::<Vec<_>>(), [&"a", &"b"]);
/// assert_eq!(Set::new(vec![1, 1]), Err(SetError::Duplicate));
/// assert_eq!(Set::<u8>::new(vec![]), Err(SetError::Empty));
/// # Ok::<(), SetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set<T>(Vec<T>);

/// Why a list of elements is not a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetError {
    /// A set has at least one element.
    Empty,
    /// An element occurs twice.
    Duplicate,
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "a set may not be empty",
            Self::Duplicate => "Input collection contains duplicates",
        })
    }
}

impl std::error::Error for SetError {}

impl<T: Ord> Set<T> {
    /// The set of these elements, given in any order.
    pub fn new(mut elements: Vec<T>) -> Result<Self, SetError> {
        if elements.is_empty() {
            return Err(SetError::Empty);
        }
        elements.sort_unstable();
        match elements.is_sorted_by(|a, b| a < b) {
            true => Ok(Self(elements)),
            false => Err(SetError::Duplicate),
        }
    }

    /// Whether the element is in the set.
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: std::borrow::Borrow<Q>,
    {
        self.0.binary_search_by(|own| own.borrow().cmp(element)).is_ok()
    }

    /// The elements of either set.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self.0.sort_unstable();
        self.0.dedup();
        self
    }

    /// The elements that are not in `other`; `None` if none are left.
    #[must_use]
    pub fn difference(mut self, other: &Self) -> Option<Self> {
        self.0.retain(|element| !other.contains(element));
        (!self.0.is_empty()).then_some(self)
    }
}

impl<T> Set<T> {
    /// The elements in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The number of elements: at least one.
    #[expect(clippy::len_without_is_empty, reason = "a set is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The elements in order.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn union_and_difference_stay_sets() {
        let set = |elements: &[u8]| Set::new(elements.to_vec()).unwrap();
        assert_eq!(set(&[3, 1]).union(set(&[2, 3])), set(&[1, 2, 3]));
        assert_eq!(set(&[1, 2]).difference(&set(&[2, 9])), Some(set(&[1])));
        assert_eq!(set(&[1, 2]).difference(&set(&[1, 2, 3])), None);
        assert!(set(&[1, 5]).contains(&5));
    }
}
