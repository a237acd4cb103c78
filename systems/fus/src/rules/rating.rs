//! Stars: the average, and what is drawn. Whole numbers all the way, so nothing is rounded twice.

/// The average in tenths of a star, rounded half up. None without ratings.
///
/// ```
/// // 5, 4 and 4, then another 4: 4.25 is shown as 4.3.
/// assert_eq!(fus::rules::average_tenths(13, 3), Some(43));
/// assert_eq!(fus::rules::average_tenths(17, 4), Some(43));
/// ```
#[must_use]
pub fn average_tenths(sum: u64, count: u64) -> Option<u64> {
    (sum.saturating_mul(20).saturating_add(count)).checked_div(count.saturating_mul(2))
}

/// How many half stars are drawn, rounded half up.
#[must_use]
pub fn half_stars(sum: u64, count: u64) -> Option<u64> {
    (sum.saturating_mul(4).saturating_add(count)).checked_div(count.saturating_mul(2))
}

/// How long the bars of one star, two stars and so on are, in percent.
#[must_use]
pub fn bars(histogram: [u64; 5], count: u64) -> [u64; 5] {
    histogram.map(|stars| stars.saturating_mul(100).checked_div(count).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the specification; bars from five stars to one.
    #[test]
    fn stars_are_rounded_as_the_table_says() {
        let rows = [
            ([0, 0, 0, 2, 1], 13, 3, Some(43), Some(9), [33, 66, 0, 0, 0]),
            ([0, 0, 0, 3, 1], 17, 4, Some(43), Some(9), [25, 75, 0, 0, 0]),
            ([1, 0, 0, 3, 0], 13, 4, Some(33), Some(7), [0, 75, 0, 0, 25]),
            ([0, 0, 0, 3, 0], 12, 3, Some(40), Some(8), [0, 100, 0, 0, 0]),
            ([0; 5], 0, 0, None, None, [0; 5]),
        ];
        for (histogram, sum, count, average, halves, drawn) in rows {
            assert_eq!(average_tenths(sum, count), average, "{histogram:?}");
            assert_eq!(half_stars(sum, count), halves, "{histogram:?}");
            let mut bars = bars(histogram, count);
            bars.reverse();
            assert_eq!(bars, drawn, "{histogram:?}");
        }
    }

    #[test]
    fn numbers_that_cannot_be_do_no_harm() {
        assert_eq!(average_tenths(u64::MAX, 0), None);
        assert!(average_tenths(u64::MAX, u64::MAX).is_some());
        assert_eq!(bars([u64::MAX; 5], 1), [u64::MAX; 5]);
    }
}
