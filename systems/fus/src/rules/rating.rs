//! The average of ratings. Whole numbers all the way, so nothing is rounded twice. What pages draw
//! of it is in pages/rating.js.

/// The average in tenths of a star, rounded half up. None without ratings.
///
/// ```
/// // 5, 4 and 4, then another 4: 4.25 is shown as 4.3.
/// assert_eq!(fus::rules::average_tenths(13, 3), Some(43));
/// assert_eq!(fus::rules::average_tenths(17, 4), Some(43));
/// ```
pub fn average_tenths(sum: u64, count: u64) -> Option<u64> {
    (sum.saturating_mul(20).saturating_add(count)).checked_div(count.saturating_mul(2))
}
