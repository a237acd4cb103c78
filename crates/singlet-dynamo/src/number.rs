//! Exact decimal numbers, stored as their sortable encoding.
//!
//! DynamoDB's number has up to 38 significant digits and a magnitude from 1e-130 to
//! 9.99…e125. A [`Number`] *is* its sortable encoding: one byte for sign and exponent, one
//! Numbers compare like their bytes, a number inside a key needs no conversion, and the size that
//! the service charges for a number is the length of this encoding (see [`Number::size`]).
//!
//! Layout, with the value written as `m × 100^e`, `1 ≤ m < 100`, so `-65 ≤ e ≤ 62`:
//!
//! | value    | first byte | each digit pair `p` | end mark |
//! |----------|------------|---------------------|----------|
//! | negative | `62 - e`   | `101 - p`           | `102`    |
//! | zero     | `128`      |                     | `0`      |
//! | positive | `193 + e`  | `p + 1`             | `0`      |
//!
//! The end mark sorts before every pair of a positive number and after every pair of a negative
//! one, so `1 < 1.5` and `-1.5 < -1` hold for the bytes too, regardless of what follows the number
//! in a longer key.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Maximum number of significant digits.
pub const DIGITS_MAX: usize = 38;
/// The decimal exponent of the largest leading digit: 9.99…e125.
const EXPONENT_MAX: i64 = 125;
/// The decimal exponent of the smallest leading digit: 1e-130.
const EXPONENT_MIN: i64 = -130;
/// First byte, at most 20 pairs (38 digits may straddle 20), end mark.
const ENCODED_MAX: usize = 22;

const ZERO: u8 = 128;
const POSITIVE_BIAS: i64 = 193;
const NEGATIVE_BIAS: i64 = 62;
const POSITIVE_END: u8 = 0;
const NEGATIVE_END: u8 = 102;

/// An exact decimal number: DynamoDB's type N.
///
/// ```
/// use singlet_dynamo::Number;
///
/// let price: Number = "12.50".parse()?;
/// assert_eq!(price.to_string(), "12.5");
/// assert_eq!(price, "1.25e1".parse()?);
/// assert!(price < "100".parse()?);
/// assert_eq!(price.checked_add("0.5".parse()?)?.to_string(), "13");
/// # Ok::<(), singlet_dynamo::NumberError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    len: u8,
    /// Bytes past `len` are zero, so that derived equality and hashing work.
    bytes: [u8; ENCODED_MAX],
}

/// Why a text or a sum is not a DynamoDB number. Displays as the service's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberError {
    /// The text is not a decimal number.
    NotNumeric,
    /// The magnitude is 1e126 or more.
    Overflow,
    /// The magnitude is below 1e-130, and not zero.
    Underflow,
    /// More than 38 significant digits.
    Precision,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotNumeric => "The parameter cannot be converted to a numeric value",
            Self::Overflow => {
                "Number overflow. Attempting to store a number with magnitude larger than supported range"
            }
            Self::Underflow => {
                "Number underflow. Attempting to store a number with magnitude smaller than supported range"
            }
            Self::Precision => "Attempting to store more than 38 significant digits in a Number",
        })
    }
}

impl std::error::Error for NumberError {}

impl Number {
    /// Zero. The only one: `-0` and `0.00` parse to this.
    pub const ZERO: Self = {
        let mut bytes = [0; ENCODED_MAX];
        bytes[0] = ZERO;
        Self { len: 2, bytes }
    };

    /// The sortable bytes: they compare like the numbers, even when other bytes follow.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Decodes a number from the front of `bytes` and returns the rest.
    ///
    /// Accepts only the output of [`Number::as_bytes`], so a value damaged in storage is detected
    /// here.
    #[must_use]
    pub fn split_first(bytes: &[u8]) -> Option<(Self, &[u8])> {
        Self::split_first_trusted(bytes).filter(|(number, _)| number.is_canonical())
    }

    /// Like [`Number::split_first`], for bytes that were validated before.
    pub(crate) fn split_first_trusted(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let len = Self::encoded_len(bytes)?;
        let (own, rest) = bytes.split_at_checked(len)?;
        let mut number = Self { len: u8::try_from(len).ok()?, bytes: [0; ENCODED_MAX] };
        number.bytes.get_mut(..len)?.copy_from_slice(own);
        Some((number, rest))
    }

    /// The length of the number at the front of `bytes`.
    #[inline(always)]
    pub(crate) fn encoded_len(bytes: &[u8]) -> Option<usize> {
        let (&first, rest) = bytes.split_first()?;
        let end_mark = if first < ZERO { NEGATIVE_END } else { POSITIVE_END };
        let pairs = rest.iter().take(ENCODED_MAX - 1).position(|&b| b == end_mark)?;
        Some(pairs + 2)
    }

    fn is_canonical(&self) -> bool {
        let decimal = self.decimal();
        Self::from_decimal(&decimal).is_ok_and(|again| again == *self)
    }

    /// Whether the number is negative.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.bytes.first().is_some_and(|&b| b < ZERO)
    }

    /// Whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// The size that the service counts for this number in an item: one byte for the exponent, one
    /// for each pair of digits, and one more if negative.
    ///
    /// ```
    /// # use singlet_dynamo::Number;
    /// let size = |text: &str| text.parse::<Number>().map(|n| n.size());
    /// assert_eq!(size("0"), Ok(1));
    /// assert_eq!(size("7"), Ok(2));
    /// assert_eq!(size("-7"), Ok(3));
    /// assert_eq!(size("123"), Ok(3)); // the pairs 01 23
    /// ```
    #[must_use]
    pub fn size(&self) -> usize {
        usize::from(self.len) - usize::from(!self.is_negative())
    }

    /// The sum, or why it is not a DynamoDB number.
    pub fn checked_add(self, other: Self) -> Result<Self, NumberError> {
        Self::from_decimal(&self.decimal().add(&other.decimal())?)
    }

    /// The difference, or why it is not a DynamoDB number.
    pub fn checked_sub(self, other: Self) -> Result<Self, NumberError> {
        let mut subtrahend = other.decimal();
        subtrahend.negative = !subtrahend.negative;
        Self::from_decimal(&self.decimal().add(&subtrahend)?)
    }

    /// The value as an integer, if it is one and fits.
    ///
    /// ```
    /// # use singlet_dynamo::Number;
    /// assert_eq!(Number::from(-42).to_i64(), Some(-42));
    /// assert_eq!("1.5".parse::<Number>().unwrap().to_i64(), None);
    /// ```
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        let whole = self.floor_i64()?;
        (Self::from(whole) == *self).then_some(whole)
    }

    /// The integer part, rounded towards negative infinity, if it fits.
    #[must_use]
    pub fn floor_i64(&self) -> Option<i64> {
        let decimal = self.decimal();
        let mut whole: i128 = 0;
        let mut fraction = false;
        if decimal.len > 0 && decimal.top > 18 {
            return None;
        }
        for position in 0..=decimal.top.max(-1) {
            let digit = usize::try_from(position).ok().and_then(|p| decimal.digits().get(p));
            whole = whole * 10 + i128::from(digit.copied().unwrap_or(0));
        }
        if i64::try_from(decimal.len).ok()? > decimal.top + 1 {
            fraction = true;
        }
        if decimal.negative {
            whole = -whole - i128::from(fraction);
        }
        i64::try_from(whole).ok()
    }

    /// Appends the number in plain notation, as the service prints it.
    pub fn push_text(&self, out: &mut Vec<u8>) {
        let decimal = self.decimal();
        let digits = decimal.digits();
        if digits.is_empty() {
            out.push(b'0');
            return;
        }
        if decimal.negative {
            out.push(b'-');
        }
        let ascii = |digits: &[u8], out: &mut Vec<u8>| out.extend(digits.iter().map(|d| d + b'0'));
        let zeros = |n: i64, out: &mut Vec<u8>| {
            out.extend(std::iter::repeat_n(b'0', usize::try_from(n).unwrap_or(0)));
        };
        if decimal.top < 0 {
            out.extend_from_slice(b"0.");
            zeros(-decimal.top - 1, out);
            ascii(digits, out);
            return;
        }
        let whole_len = usize::try_from(decimal.top + 1).unwrap_or(0);
        match digits.split_at_checked(whole_len) {
            Some((whole, fraction)) => {
                ascii(whole, out);
                if !fraction.is_empty() {
                    out.push(b'.');
                    ascii(fraction, out);
                }
            }
            None => {
                ascii(digits, out);
                zeros(decimal.top + 1 - decimal.len as i64, out);
            }
        }
    }

    fn decimal(&self) -> Decimal {
        let mut decimal = Decimal { negative: self.is_negative(), ..Decimal::ZERO };
        let [first, pairs @ ..] = self.as_bytes() else {
            return Decimal::ZERO;
        };
        let exponent = match decimal.negative {
            true => NEGATIVE_BIAS - i64::from(*first),
            false => i64::from(*first) - POSITIVE_BIAS,
        };
        decimal.top = exponent * 2 + 1;
        for byte in pairs.iter().take(pairs.len().saturating_sub(1)) {
            let pair =
                if decimal.negative { 101_u8.wrapping_sub(*byte) } else { byte.wrapping_sub(1) };
            for digit in [pair / 10 % 10, pair % 10] {
                if decimal.len == 0 && digit == 0 {
                    decimal.top -= 1;
                } else {
                    decimal.push(digit);
                }
            }
        }
        decimal.trim();
        decimal
    }

    fn from_decimal(decimal: &Decimal) -> Result<Self, NumberError> {
        if decimal.len == 0 {
            return Ok(Self::ZERO);
        }
        if decimal.top > EXPONENT_MAX {
            return Err(NumberError::Overflow);
        }
        if decimal.top < EXPONENT_MIN {
            return Err(NumberError::Underflow);
        }
        if decimal.len > DIGITS_MAX {
            return Err(NumberError::Precision);
        }
        let exponent = decimal.top.div_euclid(2);
        let mut bytes = [0; ENCODED_MAX];
        let mut len = 0_u8;
        let mut push = |byte: u8| {
            if let Some(slot) = bytes.get_mut(usize::from(len)) {
                *slot = byte;
                len += 1;
            }
        };
        let first = match decimal.negative {
            true => NEGATIVE_BIAS - exponent,
            false => POSITIVE_BIAS + exponent,
        };
        push(u8::try_from(first).map_err(|_| NumberError::Overflow)?);
        let encode = |pair: u8| if decimal.negative { 101 - pair } else { pair + 1 };
        // With an even exponent the leading digit is alone in its pair.
        let mut digits = decimal.digits();
        if decimal.top.rem_euclid(2) == 0
            && let [leading, rest @ ..] = digits
        {
            push(encode(*leading));
            digits = rest;
        }
        for pair in digits.chunks(2) {
            push(encode(match pair {
                [tens, units] => tens * 10 + units,
                [tens] => tens * 10,
                _ => 0,
            }));
        }
        push(if decimal.negative { NEGATIVE_END } else { POSITIVE_END });
        Ok(Self { len, bytes })
    }
}

/// The sign, the digits without leading and trailing zeros, and the decimal exponent of the first
/// digit.
#[derive(Clone, Copy)]
struct Decimal {
    negative: bool,
    top: i64,
    len: usize,
    digits: [u8; Decimal::CAPACITY],
}

impl Decimal {
    /// Two more digits than a number may have: one for a carry, one to detect that it is too long.
    const CAPACITY: usize = DIGITS_MAX + 2;
    const ZERO: Self = Self { negative: false, top: 0, len: 0, digits: [0; Self::CAPACITY] };

    fn digits(&self) -> &[u8] {
        self.digits.get(..self.len).unwrap_or_default()
    }

    fn push(&mut self, digit: u8) {
        if let Some(slot) = self.digits.get_mut(self.len) {
            *slot = digit;
            self.len += 1;
        }
    }

    fn trim(&mut self) {
        while self.len > 0 && self.digits.get(self.len - 1) == Some(&0) {
            self.len -= 1;
        }
        if self.len == 0 {
            *self = Self::ZERO;
        }
    }

    /// The digit of weight `10^exponent`.
    fn digit_at(&self, exponent: i64) -> u8 {
        let position = usize::try_from(self.top - exponent).ok();
        position.and_then(|p| self.digits().get(p)).copied().unwrap_or(0)
    }

    fn bottom(&self) -> i64 {
        self.top - self.len as i64 + 1
    }

    fn add(&self, other: &Self) -> Result<Self, NumberError> {
        if self.len == 0 {
            return Ok(*other);
        }
        if other.len == 0 {
            return Ok(*self);
        }
        let top = self.top.max(other.top);
        let bottom = self.bottom().min(other.bottom());
        // The lowest digit stays in place and a borrow removes at most one digit at the top, so a
        // span this wide cannot shrink to 38 digits.
        if top - bottom + 1 > DIGITS_MAX as i64 + 1 {
            return Err(NumberError::Precision);
        }
        let subtract = self.negative != other.negative;
        // Subtract the smaller magnitude from the larger, which determines the sign.
        let (large, small) = if subtract && self.cmp_magnitude(other).is_lt() {
            (other, self)
        } else {
            (self, other)
        };
        let mut sum =
            Self { negative: large.negative, top: top + 1, len: 0, digits: [0; Self::CAPACITY] };
        let mut carry = 0_i8;
        // Lowest digit first; digits[0] is for the last carry.
        for exponent in bottom..=top {
            let (a, b) = (large.digit_at(exponent) as i8, small.digit_at(exponent) as i8);
            let digit = if subtract { a - b } else { a + b } + carry;
            carry = digit.div_euclid(10);
            if let Some(slot) =
                usize::try_from(sum.top - exponent).ok().and_then(|p| sum.digits.get_mut(p))
            {
                *slot = digit.rem_euclid(10) as u8;
            }
        }
        if let Some(slot) = sum.digits.first_mut() {
            *slot = carry.unsigned_abs();
        }
        sum.len = usize::try_from(top - bottom + 2).unwrap_or(0).min(Self::CAPACITY);
        sum.trim();
        let leading = sum.digits().iter().take_while(|&&d| d == 0).count();
        sum.digits.copy_within(leading.min(sum.len)..sum.len, 0);
        sum.len -= leading;
        sum.top -= leading as i64;
        Ok(if sum.len == 0 { Self::ZERO } else { sum })
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        self.top.cmp(&other.top).then_with(|| self.digits().cmp(other.digits()))
    }
}

impl FromStr for Number {
    type Err = NumberError;

    /// Parses decimal notation with an optional sign, fraction and exponent.
    fn from_str(text: &str) -> Result<Self, NumberError> {
        let mut bytes = text.as_bytes();
        let mut decimal = Decimal::ZERO;
        if let [sign @ (b'+' | b'-'), rest @ ..] = bytes {
            decimal.negative = *sign == b'-';
            bytes = rest;
        }
        let mut seen_digit = false;
        let mut seen_point = false;
        // Zeros are counted, not stored, until a digit follows that makes them significant.
        let mut pending_zeros = 0_usize;
        let mut too_long = false;
        let mut top = -1_i64;
        while let [byte, rest @ ..] = bytes {
            match byte {
                b'0'..=b'9' => {
                    seen_digit = true;
                    let digit = byte - b'0';
                    if decimal.len == 0 && digit == 0 {
                        top -= i64::from(seen_point);
                    } else {
                        top += i64::from(!seen_point);
                        if digit == 0 {
                            pending_zeros += 1;
                        } else {
                            too_long |= decimal.len + pending_zeros + 1 > DIGITS_MAX;
                            for _ in 0..pending_zeros.min(Decimal::CAPACITY) {
                                decimal.push(0);
                            }
                            decimal.push(digit);
                            pending_zeros = 0;
                        }
                    }
                }
                b'.' if !seen_point => seen_point = true,
                b'e' | b'E' if seen_digit => {
                    top += parse_exponent(rest)?;
                    bytes = &[];
                    break;
                }
                _ => return Err(NumberError::NotNumeric),
            }
            bytes = rest;
        }
        if !seen_digit || !bytes.is_empty() {
            return Err(NumberError::NotNumeric);
        }
        if decimal.len == 0 {
            return Ok(Self::ZERO);
        }
        decimal.top = top;
        let number = Self::from_decimal(&decimal)?;
        if too_long { Err(NumberError::Precision) } else { Ok(number) }
    }
}

/// For the service, an exponent that does not fit a Java `int` is not a number.
fn parse_exponent(bytes: &[u8]) -> Result<i64, NumberError> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bytes),
    };
    if digits.is_empty() {
        return Err(NumberError::NotNumeric);
    }
    let mut exponent = 0_i64;
    for byte in digits {
        if !byte.is_ascii_digit() || exponent > i64::from(i32::MAX) {
            return Err(NumberError::NotNumeric);
        }
        exponent = exponent * 10 + i64::from(byte - b'0');
    }
    if exponent > i64::from(i32::MAX) {
        return Err(NumberError::NotNumeric);
    }
    Ok(if negative { -exponent } else { exponent })
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        let mut decimal = Decimal { negative: value < 0, ..Decimal::ZERO };
        let mut magnitude = value.unsigned_abs();
        let mut reversed = [0_u8; 20];
        let mut len = 0;
        for slot in &mut reversed {
            if magnitude == 0 {
                break;
            }
            *slot = (magnitude % 10) as u8;
            magnitude /= 10;
            len += 1;
        }
        for digit in reversed.iter().take(len).rev() {
            decimal.push(*digit);
        }
        decimal.top = len as i64 - 1;
        decimal.trim();
        // 19 digits are within all limits.
        Self::from_decimal(&decimal).unwrap_or(Self::ZERO)
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self::from(i64::from(value))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(40);
        self.push_text(&mut text);
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        match text.parse::<Number>() {
            Ok(number) => assert_eq!(number.to_string(), expected, "{text}"),
            Err(error) => assert_eq!(error.to_string(), expected, "{text}"),
        }
    }

    #[test]
    fn numbers_are_parsed_and_trimmed_as_in_the_service() {
        // All seen from DynamoDB Local 3.3.0.
        for (text, expected) in [
            ("1.", "1"),
            (".5", "0.5"),
            ("+1", "1"),
            ("1e+5", "100000"),
            ("1E5", "100000"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("007", "7"),
            ("0e99999", "0"),
            ("0.10", "0.1"),
            ("-12.50", "-12.5"),
            ("100.001", "100.001"),
            (
                "0.000000000000000000000000000000000000000000001",
                "0.000000000000000000000000000000000000000000001",
            ),
            (
                "1234567890123456789012345678901234567800000",
                "1234567890123456789012345678901234567800000",
            ),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
            (
                "9.9999999999999999999999999999999999999e125",
                &format!("{}{}", "9".repeat(38), "0".repeat(88)),
            ),
            ("1e-130", &format!("0.{}1", "0".repeat(129))),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn texts_beyond_the_limits_are_refused_with_the_services_words() {
        for text in [
            "", " 1", "1 ", "0x1", "NaN", "Infinity", "1e", "e5", ".", "-", "+", "1_0", "1d",
            "--1", "1.2.3",
        ] {
            check(text, "The parameter cannot be converted to a numeric value");
        }
        for text in ["1e99999999999", "1e2147483648", "1e-99999999999999999999"] {
            check(text, "The parameter cannot be converted to a numeric value");
        }
        for text in ["1e126", "-1e126", "10e125", "1e2147483647"] {
            check(
                text,
                "Number overflow. Attempting to store a number with magnitude larger than supported range",
            );
        }
        for text in ["1e-131", "-0.1e-130", "1e-2147483647"] {
            check(
                text,
                "Number underflow. Attempting to store a number with magnitude smaller than supported range",
            );
        }
        for text in
            ["123456789012345678901234567890123456789", "1.00000000000000000000000000000000000001"]
        {
            check(text, "Attempting to store more than 38 significant digits in a Number");
        }
    }

    #[test]
    fn sums_are_exact_or_refused() {
        let add = |a: &str, b: &str| {
            let (a, b): (Number, Number) = (a.parse().unwrap(), b.parse().unwrap());
            assert_eq!(a.checked_add(b), b.checked_add(a));
            a.checked_add(b).map_or_else(|e| e.to_string(), |n| n.to_string())
        };
        assert_eq!(add("1", "-1"), "0");
        assert_eq!(add("0.1", "0.2"), "0.3");
        assert_eq!(
            add("99999999999999999999999999999999999999", "1"),
            format!("1{}", "0".repeat(38))
        );
        assert_eq!(add("1e38", "-1"), "9".repeat(38));
        assert_eq!(add("1e20", "1e-20"), NumberError::Precision.to_string());
        assert_eq!(add("1e125", "1e-130"), NumberError::Precision.to_string());
        assert_eq!(add("9.9e125", "9e125"), NumberError::Overflow.to_string());
        assert_eq!(add("1.5e-130", "-1e-130"), NumberError::Underflow.to_string());
        assert_eq!(add("-7", "0"), "-7");
    }

    #[test]
    fn integers_go_in_and_come_out() {
        for value in [0, 1, -1, 9, 10, 99, 100, 101, 12345, -70000, i64::MAX, i64::MIN] {
            let number = Number::from(value);
            assert_eq!(number.to_string(), value.to_string());
            assert_eq!(number.to_i64(), Some(value));
        }
        let floor = |text: &str| text.parse::<Number>().unwrap().floor_i64();
        assert_eq!(floor("1.9"), Some(1));
        assert_eq!(floor("-1.1"), Some(-2));
        assert_eq!(floor("0.5"), Some(0));
        assert_eq!(floor("-0.5"), Some(-1));
        assert_eq!(floor("1e19"), None);
        assert_eq!(floor("9223372036854775808"), None);
    }

    #[test]
    fn sizes_are_the_services() {
        let size = |text: &str| text.parse::<Number>().unwrap().size();
        assert_eq!(size("0"), 1);
        assert_eq!(size("1"), 2);
        assert_eq!(size("12"), 2);
        assert_eq!(size("10"), 2);
        assert_eq!(size("100"), 2);
        assert_eq!(size("123"), 3);
        assert_eq!(size("1234"), 3);
        assert_eq!(size("-1234"), 4);
        assert_eq!(size("0.12"), 2);
        assert_eq!(size("0.123"), 3);
        assert_eq!(size("1.23"), 3);
        assert_eq!(size(&"9".repeat(38)), 20);
        assert_eq!(size(&format!("{}.9", "9".repeat(37))), 21);
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let number: Number = "-123.45".parse().unwrap();
        let mut bytes = number.as_bytes().to_vec();
        bytes.extend_from_slice(b"rest");
        assert_eq!(Number::split_first(&bytes), Some((number, b"rest".as_slice())));
        for bad in [
            &b""[..],
            &[128],
            &[128, 1, 0],
            &[193, 0],
            &[193, 101, 0],
            &[194, 1, 2, 0],
            &[62, 102],
            &[62, 1, 102],
            &[200; 40],
        ] {
            assert_eq!(Number::split_first(bad), None, "{bad:?}");
        }
    }
}
