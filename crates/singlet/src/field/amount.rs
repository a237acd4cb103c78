//! Numeric fields, and the amounts that an update can add.

use crate::attribute::{Attribute, NotStorable};
use singlet_dynamo::{Number, Value};

/// Numbers, for additions.
///
/// An integer type has a smaller range than DynamoDB's numbers. An
/// [`add`](crate::operation::Update::add) that would take a stored number out of the
/// [range](Self::range) of its type is refused, because the number could not be read back.
///
/// ```
/// use singlet::dynamo::Number;
/// use singlet::field::Numeric;
///
/// assert_eq!(u8::range(), Some((Number::from(0), Number::from(255))));
/// assert_eq!(f64::range(), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is not a number",
    label = "cannot be added to"
)]
pub trait Numeric: Attribute {
    /// The amounts that can be added: [`Whole`] numbers, or [`Fractional`] ones as well.
    type Amounts;

    /// The smallest and largest number of this type; `None` if it covers DynamoDB's range.
    fn range() -> Option<(Number, Number)>;
}

/// The type holds integers, so only integers can be added.
pub enum Whole {}

/// The type holds fractions, so any number can be added.
pub enum Fractional {}

/// An amount to add to a number: an integer, or for fields with fractions also an `f32`, an `f64`
/// or a [`Number`].
///
/// ```
/// use singlet::dynamo::Number;
/// use singlet::field::{Amount, Fractional, Whole};
///
/// assert_eq!(Amount::<Whole>::into_number(u64::MAX)?.to_string(), "18446744073709551615");
/// assert_eq!(Amount::<Fractional>::into_number(0.5)?.to_string(), "0.5");
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be added to this field",
    label = "not an amount for a field of `{Kind}` numbers",
    note = "integers can be added to every number, fractions only to `f32`, `f64` and decimals: an integer could not be read any more"
)]
pub trait Amount<Kind> {
    /// The amount as a DynamoDB number.
    ///
    /// # Errors
    ///
    /// Some floating-point numbers cannot be represented in DynamoDB.
    fn into_number(self) -> Result<Number, NotStorable>;
}

macro_rules! integers {
    ($($integer:ident)+) => {
        $(
            impl Numeric for $integer {
                type Amounts = Whole;

                fn range() -> Option<(Number, Number)> {
                    Some((bound(&$integer::MIN)?, bound(&$integer::MAX)?))
                }
            }

            impl<Kind> Amount<Kind> for $integer {
                fn into_number(self) -> Result<Number, NotStorable> {
                    number(&self)
                }
            }
        )+
    };
}

integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl Numeric for f32 {
    type Amounts = Fractional;

    fn range() -> Option<(Number, Number)> {
        Some((number(&Self::MIN).ok()?, number(&Self::MAX).ok()?))
    }
}

impl Numeric for f64 {
    type Amounts = Fractional;

    fn range() -> Option<(Number, Number)> {
        None
    }
}

impl Numeric for Number {
    type Amounts = Fractional;

    fn range() -> Option<(Number, Number)> {
        None
    }
}

impl<N: Numeric> Numeric for Option<N> {
    type Amounts = N::Amounts;

    fn range() -> Option<(Number, Number)> {
        N::range()
    }
}

impl Amount<Fractional> for f32 {
    fn into_number(self) -> Result<Number, NotStorable> {
        number(&self)
    }
}

impl Amount<Fractional> for f64 {
    fn into_number(self) -> Result<Number, NotStorable> {
        number(&self)
    }
}

impl Amount<Fractional> for Number {
    fn into_number(self) -> Result<Number, NotStorable> {
        Ok(self)
    }
}

fn number(value: &impl Attribute) -> Result<Number, NotStorable> {
    match value.to_value()? {
        Some(Value::N(number)) => Ok(number),
        _ => Err(NotStorable::new("an amount must be a number")),
    }
}

/// An end of a range. The ends of 128-bit integers have 39 digits and DynamoDB's numbers 38, so
/// there it is the last number before the end.
fn bound<T: Attribute + ToString>(end: &T) -> Option<Number> {
    number(end).ok().or_else(|| {
        let mut digits = end.to_string();
        digits.pop();
        digits.push('0');
        digits.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends of a range can be read back; the numbers just outside cannot.
    #[test]
    fn ranges_end_where_reading_ends() {
        fn holds<T: Numeric>(number: Number) -> bool {
            let item = singlet_dynamo::Item::from([("n", Value::N(number))]);
            let stored = singlet_dynamo::stored::StoredItem::from(&item);
            T::from_value(stored.as_item().get("n")).is_ok()
        }
        fn check<T: Numeric>() {
            let (least, greatest) = T::range().unwrap();
            assert!(holds::<T>(least) && holds::<T>(greatest), "{least} {greatest}");
            if let (Ok(below), Ok(above)) =
                (least.checked_sub(1.into()), greatest.checked_add(1.into()))
            {
                assert!(!holds::<T>(below) && !holds::<T>(above), "{below} {above}");
            }
        }
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<i128>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<u128>();
        check::<Option<u8>>();
    }
}
