//! The Gregorian calendar, for all years, in UTC: days counted from 1970, and their dates.
//!
//! The only calendar of the workspace (decision 0018): timestamps here and in `singlet`, and the
//! dates in signatures, use it.

/// Days in 400 years, the calendar's period.
const ERA_DAYS: i64 = 146_097;
/// Days from 1 March of the year 0 to 1 January 1970. In years that start in March the leap day
/// comes last, and month lengths fit a linear formula.
const DAYS_TO_1970: i64 = 719_468;
/// The largest year that [`day`] accepts, positive or negative, so that nothing overflows.
const YEAR_MAX: i64 = 1_000_000_000;

/// Year, month and day of the month of a day counted from 1970.
///
/// ```
/// use singlet_dynamo::calendar;
///
/// assert_eq!(calendar::date(0), (1970, 1, 1));
/// assert_eq!(calendar::date(-1), (1969, 12, 31));
/// ```
#[must_use]
#[inline]
pub const fn date(day: i64) -> (i64, i64, i64) {
    let day = day.saturating_add(DAYS_TO_1970);
    let in_era = day.rem_euclid(ERA_DAYS);
    let leap_days_passed = in_era / 1460 - in_era / 36_524 + in_era / 146_096;
    let year_in_era = (in_era - leap_days_passed) / 365;
    let in_year = in_era - (365 * year_in_era + year_in_era / 4 - year_in_era / 100);
    let month_from_march = (5 * in_year + 2) / 153;
    let day_of_month = in_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_in_era + day.div_euclid(ERA_DAYS) * 400 + (month <= 2) as i64;
    (year, month, day_of_month)
}

/// The day of a date, counted from 1970; `None` for invalid dates such as 30 February.
///
/// ```
/// use singlet_dynamo::calendar;
///
/// assert_eq!(calendar::day(2026, 1, 1), Some(20_454));
/// assert_eq!(calendar::day(2026, 2, 30), None);
/// ```
#[must_use]
#[inline]
pub const fn day(year: i64, month: i64, day_of_month: i64) -> Option<i64> {
    let is_near = -YEAR_MAX <= year && year <= YEAR_MAX;
    if !is_near || month < 1 || month > 12 || day_of_month < 1 || day_of_month > 31 {
        return None;
    }
    let from_march = year - (month <= 2) as i64;
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let in_year = (153 * month_from_march + 2) / 5 + day_of_month - 1;
    let leap_days =
        from_march.div_euclid(4) - from_march.div_euclid(100) + from_march.div_euclid(400);
    let day = 365 * from_march + leap_days + in_year - DAYS_TO_1970;
    // A day past the end of its month comes out as a day of the next.
    match date(day) {
        (_, same_month, _) if same_month == month => Some(day),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_each_other_without_a_gap() {
        let mut before = date(-800_000);
        for number in -799_999..=800_000 {
            let found = date(number);
            let next_day = (before.0, before.1, before.2 + 1);
            let next_month = (before.0, before.1 + 1, 1);
            let next_year = (before.0 + 1, 1, 1);
            assert!([next_day, next_month, next_year].contains(&found), "{before:?} {found:?}");
            assert_eq!(day(found.0, found.1, found.2), Some(number));
            before = found;
        }
    }

    #[test]
    fn there_is_no_other_date() {
        for (year, month, day_of_month) in [
            (2026, 2, 29),
            (2100, 2, 29),
            (2026, 4, 31),
            (2026, 0, 1),
            (2026, 13, 1),
            (2026, 1, 0),
            (2026, 1, 32),
            (i64::MAX, 1, 1),
            (i64::MIN, 1, 1),
            (2026, i64::MAX, i64::MIN),
        ] {
            assert_eq!(day(year, month, day_of_month), None, "{year}-{month}-{day_of_month}");
        }
        assert_eq!(day(2000, 2, 29), Some(11_016));
        let _ = (date(i64::MIN), date(i64::MAX));
    }
}
