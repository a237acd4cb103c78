//! Overs, rates and projections.

/// Overs as they are written: 80 legal balls are `13.2`, 120 are `20`.
pub fn overs_text(balls: u32) -> String {
    match balls % 6 {
        0 => (balls / 6).to_string(),
        rest => format!("{}.{rest}", balls / 6),
    }
}

/// The legal balls of overs as they are written; 0 if that is not possible.
pub fn balls_of(overs: &str) -> u32 {
    let (whole, rest) = overs.trim().split_once('.').unwrap_or((overs.trim(), "0"));
    let whole: u32 = whole.parse().unwrap_or(0).min(100_000);
    // `12.6` is thirteen overs; more than that is not a count of balls.
    let rest: u32 = rest.parse().unwrap_or(0);
    whole * 6 + rest.min(6)
}

/// `numerator / denominator` with so many decimals, half up; `None` if the denominator is 0.
fn ratio(numerator: u64, denominator: u64, decimals: u32) -> Option<String> {
    let scale = 10_u64.checked_pow(decimals)?;
    let scaled = (2 * numerator.checked_mul(scale)?).checked_add(denominator)?;
    let scaled = scaled.checked_div(2 * denominator)?;
    let width = decimals as usize;
    Some(format!("{}.{:0width$}", scaled / scale, scaled % scale))
}

/// Runs an over, with two decimals, half up; `None` before the first ball. The economy of a bowler
/// is the same.
pub fn run_rate(runs: u32, balls: u32) -> Option<String> {
    ratio(6 * u64::from(runs), u64::from(balls), 2)
}

pub fn strike_rate(runs: u32, balls: u32) -> Option<String> {
    ratio(100 * u64::from(runs), u64::from(balls), 2)
}

/// What an innings 1 ends with at this rate.
pub fn projected(runs: u32, balls: u32, quota_balls: u32) -> Option<u32> {
    let product = u64::from(runs) * u64::from(quota_balls);
    u32::try_from(product.checked_div(u64::from(balls))?).ok()
}

/// The net run rate of a season: runs an over for, minus runs an over against, with three decimals
/// and a sign.
pub fn net_run_rate(scored: (u32, &str), conceded: (u32, &str)) -> Option<String> {
    let (for_balls, against_balls) =
        (i128::from(balls_of(scored.1)), i128::from(balls_of(conceded.1)));
    let denominator = for_balls * against_balls;
    if denominator == 0 {
        return None;
    }
    let numerator = 6 * (i128::from(scored.0) * against_balls - i128::from(conceded.0) * for_balls);
    let sign = if numerator < 0 { '-' } else { '+' };
    let scaled = (2 * numerator.abs() * 1000 + denominator) / (2 * denominator);
    Some(format!("{sign}{}.{:03}", scaled / 1000, scaled % 1000))
}
