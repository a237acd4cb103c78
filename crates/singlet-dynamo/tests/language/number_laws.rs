//! Numbers obey the laws of arithmetic and order, and agree with a slow, simple implementation.

use proptest::prelude::*;
use singlet_dynamo::{Number, NumberError};
use singlet_testing::strategy::{number, number_text};
use std::cmp::Ordering;

/// Schoolbook arithmetic: 250 digits before the point and 350 after it, highest first. Wide enough
/// for every sum of two numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Paper {
    negative: bool,
    digits: Vec<u8>,
}

const WIDTH: usize = 600;
const POINT: usize = 250;

impl Paper {
    fn of(text: &str) -> Self {
        let negative = text.starts_with('-');
        let unsigned = text.trim_start_matches(['-', '+']);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().unwrap()),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = vec![0; WIDTH];
        for (place, digit) in whole.chars().chain(fraction.chars()).enumerate() {
            let digit = digit.to_digit(10).unwrap() as u8;
            if digit > 0 {
                let at = POINT as i64 - whole.len() as i64 - exponent + place as i64;
                digits[usize::try_from(at).unwrap()] = digit;
            }
        }
        let negative = negative && digits.iter().any(|&d| d > 0);
        Self { negative, digits }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.digits.cmp(&other.digits),
            (true, true) => other.digits.cmp(&self.digits),
        }
    }

    fn add(&self, other: &Self) -> Self {
        if self.negative == other.negative {
            let mut digits = vec![0; WIDTH];
            let mut carry = 0;
            for place in (0..WIDTH).rev() {
                let sum = self.digits[place] + other.digits[place] + carry;
                digits[place] = sum % 10;
                carry = sum / 10;
            }
            return Self { negative: self.negative, digits };
        }
        let (large, small) =
            if self.digits >= other.digits { (self, other) } else { (other, self) };
        let mut digits = vec![0; WIDTH];
        let mut borrow = 0;
        for place in (0..WIDTH).rev() {
            let difference = large.digits[place] as i8 - small.digits[place] as i8 - borrow;
            borrow = i8::from(difference < 0);
            digits[place] = difference.rem_euclid(10) as u8;
        }
        let negative = large.negative && digits.iter().any(|&d| d > 0);
        Self { negative, digits }
    }

    /// DynamoDB's verdict on this number.
    fn verdict(&self) -> Result<(), NumberError> {
        let Some(first) = self.digits.iter().position(|&d| d > 0) else { return Ok(()) };
        let last = self.digits.iter().rposition(|&d| d > 0).unwrap();
        let exponent = POINT as i64 - 1 - first as i64;
        if exponent > 125 {
            Err(NumberError::Overflow)
        } else if exponent < -130 {
            Err(NumberError::Underflow)
        } else if last - first + 1 > 38 {
            Err(NumberError::Precision)
        } else {
            Ok(())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn text_is_read_exactly(text in number_text()) {
        let number: Number = text.parse().unwrap();
        prop_assert_eq!(Paper::of(&number.to_string()), Paper::of(&text));
    }

    #[test]
    fn numbers_survive_printing_and_parsing(n in number()) {
        prop_assert_eq!(n.to_string().parse::<Number>().unwrap(), n);
    }

    #[test]
    fn order_of_bytes_is_order_of_values(a in number_text(), b in number_text(), tail in any::<[u8; 2]>()) {
        let (x, y): (Number, Number) = (a.parse().unwrap(), b.parse().unwrap());
        let expected = Paper::of(&a).cmp(&Paper::of(&b));
        prop_assert_eq!(x.cmp(&y), expected);
        prop_assert_eq!(x.as_bytes().cmp(y.as_bytes()), expected);
        // Bytes that follow in a longer key do not matter.
        let longer = [x.as_bytes(), &tail].concat();
        if expected.is_ne() {
            prop_assert_eq!(longer.as_slice().cmp(y.as_bytes()), expected);
        }
    }

    #[test]
    fn bytes_are_read_again(n in number(), rest in any::<[u8; 3]>()) {
        let bytes = [n.as_bytes(), &rest].concat();
        prop_assert_eq!(Number::split_first(&bytes), Some((n, rest.as_slice())));
    }

    #[test]
    fn any_bytes_are_a_number_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..30)) {
        if let Some((number, rest)) = Number::split_first(&bytes) {
            prop_assert_eq!([number.as_bytes(), rest].concat(), bytes);
            prop_assert_eq!(number.to_string().parse::<Number>(), Ok(number));
        }
    }

    #[test]
    fn sums_and_differences_are_exact_or_refused(a in number_text(), b in number_text()) {
        let (x, y): (Number, Number) = (a.parse().unwrap(), b.parse().unwrap());
        let sum = Paper::of(&a).add(&Paper::of(&b));
        match x.checked_add(y) {
            Ok(n) => prop_assert_eq!(Paper::of(&n.to_string()), sum.clone()),
            Err(error) => prop_assert_eq!(Err(error), sum.verdict()),
        }
        prop_assert_eq!(x.checked_add(y).is_ok(), sum.verdict().is_ok());
        prop_assert_eq!(x.checked_add(y), y.checked_add(x));
        let mut negated = Paper::of(&b);
        negated.negative = !negated.negative;
        prop_assert_eq!(x.checked_sub(y).is_ok(), Paper::of(&a).add(&negated).verdict().is_ok());
        prop_assert_eq!(x.checked_sub(x), Ok(Number::ZERO));
        if let Ok(there) = x.checked_add(y) {
            prop_assert_eq!(there.checked_sub(y).ok().filter(|back| *back != x), None);
        }
    }

    #[test]
    fn texts_beyond_the_limits_are_refused(text in "-?[0-9]{0,50}\\.?[0-9]{0,50}(e-?[0-9]{1,3})?") {
        // This is too small for extreme exponents; the unit tests cover those.
        let near = text.split_once('e').is_none_or(|(_, e)| e.parse::<i64>().unwrap().abs() < 60);
        if near && text.contains(|c: char| c.is_ascii_digit()) && !text.starts_with('e') {
            let mantissa = text.split('e').next().unwrap();
            if mantissa.contains(|c: char| c.is_ascii_digit()) {
                prop_assert_eq!(text.parse::<Number>().map(drop), Paper::of(&text).verdict());
            }
        }
    }

    #[test]
    fn whole_numbers_fit_both_ways(n in any::<i64>()) {
        prop_assert_eq!(Number::from(n).to_i64(), Some(n));
        prop_assert_eq!(Number::from(n).to_string(), n.to_string());
    }
}
