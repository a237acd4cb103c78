//! Evaluates conditions on items.

use super::search::{ElementIndex, Needle};
use super::{Comparator, Condition, Test};
use crate::Value;
use crate::binary::{ItemRef, ValueRef};
use crate::expression::Operand;
use crate::expression::operand::{Found, Scalar};
use crate::fuel::{Fuel, Meter, OutOfFuel, Unmetered};
use std::cmp::Ordering;

/// A small condition on an item up to this size is charged all at once.
const SMALL_ITEM_BYTES_MAX: usize = 1024;
/// The charge per test, in addition to the bytes it reads.
const TEST_FUEL: usize = 30;
/// The charge for comparing with one element of a list, in addition to its bytes.
const ELEMENT_FUEL: usize = 8;
/// The charge for adding one element to an index: encoding and sorting.
const INDEXING_FUEL: usize = 150;
/// The charge for a lookup in an index.
const LOOKUP_FUEL: usize = 300;
/// A shorter list in the request is searched linearly.
const INDEX_LEN_MIN: usize = 32;
/// How often a longer list is searched linearly before it is indexed. Building the index takes
/// about as long as this many searches.
const LINEAR_SEARCHES_MAX: u32 = 16;
/// A shorter needle is searched for without a cached table, which is cheap to build.
const KEPT_NEEDLE_LEN_MIN: usize = 64;

impl Condition {
    /// Whether the condition holds for an item, or for a missing one, which has no attributes.
    #[must_use]
    pub fn matches(&self, item: Option<ItemRef<'_>>) -> bool {
        // Unlimited fuel never runs out.
        self.evaluator().matches(item, &mut Fuel::unlimited()).unwrap_or(false)
    }

    /// Evaluates the condition on many items.
    #[must_use]
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator { condition: self, kept: Vec::new() }
    }
}

/// Evaluates a condition on many items, within a work budget.
///
/// Caches whatever does not depend on the item: the outcome of a test with constant operands, the
/// table for searching a long string or binary, the index of a long list. Each is built on first
/// use, so a small condition costs nothing extra.
///
/// ```
/// use singlet_dynamo::expression::{Condition, Operand, Path};
/// use singlet_dynamo::fuel::{Fuel, OutOfFuel};
/// use singlet_dynamo::{Item, Value, binary};
///
/// let list = Value::L((0..1000).map(Value::from).collect());
/// let condition =
///     Condition::contains(Operand::Value(list), Operand::Path(Path::attribute("n")?))?;
/// let mut evaluator = condition.evaluator();
/// let stored = binary::encode(&Item::from([("n", Value::from(7))]));
/// let item = Some(binary::ItemRef::trusted(&stored));
/// assert_eq!(evaluator.matches(item, &mut Fuel::limited(1_000_000)), Ok(true));
/// assert_eq!(evaluator.matches(item, &mut Fuel::limited(10)), Err(OutOfFuel));
/// # Ok::<(), singlet_dynamo::expression::Fault>(())
/// ```
pub struct Evaluator<'c> {
    condition: &'c Condition,
    /// Cached values, by the address of their test. Conditions have few tests of this kind.
    kept: Vec<(usize, Kept<'c>)>,
}

/// A value cached for a test.
enum Kept<'c> {
    /// The outcome of a test that does not depend on the item.
    Constant(bool),
    /// How often a list was searched linearly.
    Searched(u32),
    Index(ElementIndex),
    Needle(Needle<'c>),
}

/// An operand list or `IN` list that can be indexed.
#[derive(Clone, Copy)]
enum Literals<'c> {
    Values(&'c [Value]),
    Operands(&'c [Operand]),
}

impl<'c> Literals<'c> {
    fn len(self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Operands(operands) => operands.len(),
        }
    }

    /// The values, if all of them are in the request.
    fn index(self) -> ElementIndex {
        match self {
            Self::Values(values) => ElementIndex::new(values.iter()),
            Self::Operands(operands) => {
                ElementIndex::new(operands.iter().filter_map(|operand| match operand {
                    Operand::Value(value) => Some(value),
                    _ => None,
                }))
            }
        }
    }
}

impl<'c> Evaluator<'c> {
    /// Whether the condition holds for an item, or for a missing one.
    ///
    /// # Errors
    ///
    /// The fuel runs out first.
    pub fn matches(
        &mut self,
        item: Option<ItemRef<'_>>,
        fuel: &mut Fuel<'_>,
    ) -> Result<bool, OutOfFuel> {
        let bytes = item.map_or(0, |item| item.as_bytes().len());
        if self.condition.is_large || bytes > SMALL_ITEM_BYTES_MAX {
            return self.holds(self.condition, item, fuel);
        }
        // The usual case is small, so charge all of it at once.
        fuel.spend(self.condition.operators * (TEST_FUEL + bytes / 2))?;
        match self.holds(self.condition, item, &mut Unmetered) {
            Ok(holds) => Ok(holds),
        }
    }

    fn holds<M: Meter>(
        &mut self,
        condition: &'c Condition,
        item: Option<ItemRef<'_>>,
        meter: &mut M,
    ) -> Result<bool, M::Stop> {
        let test = condition.test();
        match test {
            Test::And(parts) => {
                for part in parts {
                    if !self.holds(part, item, meter)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Test::Or(parts) => {
                for part in parts {
                    if self.holds(part, item, meter)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::Not(condition) => Ok(!self.holds(condition, item, meter)?),
            _ => {
                meter.charge(|| TEST_FUEL)?;
                if !M::IS_METERED || !is_constant(test) {
                    return self.test(test, item, meter);
                }
                let key = address(test);
                if let Some(Kept::Constant(outcome)) = self.kept(key) {
                    return Ok(*outcome);
                }
                let outcome = self.test(test, item, meter)?;
                self.keep(key, Kept::Constant(outcome));
                Ok(outcome)
            }
        }
    }

    /// The outcome of a test without connectives.
    #[inline(always)]
    fn test<M: Meter>(
        &mut self,
        test: &'c Test,
        item: Option<ItemRef<'_>>,
        meter: &mut M,
    ) -> Result<bool, M::Stop> {
        match test {
            Test::Compare(left, comparator, right) => {
                compare(left, *comparator, right, item, meter)
            }
            Test::Between(operand, lower, upper) => {
                let Some(found) = operand.find(item, meter)? else { return Ok(false) };
                Ok(order(&found, lower, item, meter)?.is_some_and(Ordering::is_ge)
                    && order(&found, upper, item, meter)?.is_some_and(Ordering::is_le))
            }
            Test::In(operand, list) => match operand.find(item, meter)? {
                Some(found) => self.is_in(address(test), &found, list, item, meter),
                None => Ok(false),
            },
            Test::AttributeExists(path) => Ok(path.find_within(item, meter)?.is_some()),
            Test::AttributeNotExists(path) => Ok(path.find_within(item, meter)?.is_none()),
            Test::AttributeType(operand, kind) => {
                Ok(operand.find(item, meter)?.is_some_and(|found| found.kind() == *kind))
            }
            Test::BeginsWith(operand, prefix) => {
                match (operand.find(item, meter)?, prefix.find(item, meter)?) {
                    (Some(found), Some(prefix)) => {
                        meter.charge(|| found.comparing_fuel(&prefix))?;
                        Ok(found.begins_with(&prefix))
                    }
                    _ => Ok(false),
                }
            }
            Test::Contains(operand, part) => {
                match (operand.find(item, meter)?, part.find(item, meter)?) {
                    (Some(found), Some(found_part)) => {
                        self.contains(test, operand, &found, part, &found_part, meter)
                    }
                    _ => Ok(false),
                }
            }
            Test::And(_) | Test::Or(_) | Test::Not(_) => Ok(false),
        }
    }

    fn is_in<M: Meter>(
        &mut self,
        key: usize,
        found: &Found<'_>,
        list: &'c [Operand],
        item: Option<ItemRef<'_>>,
        meter: &mut M,
    ) -> Result<bool, M::Stop> {
        if list.len() >= INDEX_LEN_MIN
            && list.iter().all(|operand| matches!(operand, Operand::Value(_)))
        {
            return self.has_element(key, Literals::Operands(list), found, meter);
        }
        for operand in list {
            if let Some(one) = operand.find(item, meter)? {
                meter.charge(|| ELEMENT_FUEL + found.comparing_fuel(&one))?;
                if found.equals(&one) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a string or binary contains a part, or a set or list an element.
    fn contains<M: Meter>(
        &mut self,
        test: &'c Test,
        operand: &'c Operand,
        found: &Found<'_>,
        part: &'c Operand,
        found_part: &Found<'_>,
        meter: &mut M,
    ) -> Result<bool, M::Stop> {
        match (found.scalar(), found_part.scalar()) {
            (Some(Scalar::S(text)), Some(Scalar::S(part_text))) => {
                if part_text.len() > text.len() {
                    return Ok(false);
                }
                if part_text.len() < KEPT_NEEDLE_LEN_MIN {
                    meter.charge(|| Needle::searching_fuel(text.as_bytes()))?;
                    return Ok(text.contains(part_text));
                }
                let given = match part {
                    Operand::Value(Value::S(given)) => Some(given.as_bytes()),
                    _ => None,
                };
                let (text, part) = (text.as_bytes(), part_text.as_bytes());
                return self.has_part(address(test), text, part, given, meter);
            }
            (Some(Scalar::B(bytes)), Some(Scalar::B(part_bytes))) => {
                let given = match part {
                    Operand::Value(Value::B(given)) => Some(given.as_slice()),
                    _ => None,
                };
                return self.has_part(address(test), bytes, part_bytes, given, meter);
            }
            (Some(_), _) => return Ok(false),
            (None, _) => {}
        }
        match (found, operand) {
            (Found::Stored(ValueRef::L(list)), _) => {
                for element in list.iter() {
                    let element = Found::Stored(element);
                    meter.charge(|| ELEMENT_FUEL + element.comparing_fuel(found_part))?;
                    if element.equals(found_part) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Found::Given(_), Operand::Value(Value::L(list))) => {
                self.has_element(address(test), Literals::Values(list), found_part, meter)
            }
            _ => {
                meter.charge(|| found.set_search_fuel())?;
                Ok(found.has_set_element(found_part))
            }
        }
    }

    /// Whether the bytes contain the part. `given` is the part if it is in the request.
    fn has_part<M: Meter>(
        &mut self,
        key: usize,
        bytes: &[u8],
        part: &[u8],
        given: Option<&'c [u8]>,
        meter: &mut M,
    ) -> Result<bool, M::Stop> {
        if part.len() > bytes.len() {
            return Ok(false);
        }
        meter.charge(|| Needle::searching_fuel(bytes))?;
        let Some(given) = given.filter(|given| given.len() >= KEPT_NEEDLE_LEN_MIN) else {
            meter.charge(|| Needle::preparing_fuel(part))?;
            return Ok(Needle::new(part).is_in(bytes));
        };
        if let Some(Kept::Needle(needle)) = self.kept(key) {
            return Ok(needle.is_in(bytes));
        }
        meter.charge(|| Needle::preparing_fuel(given))?;
        let needle = Needle::new(given);
        let is_in = needle.is_in(bytes);
        self.keep(key, Kept::Needle(needle));
        Ok(is_in)
    }

    /// Whether a list in the request contains a value.
    fn has_element<M: Meter>(
        &mut self,
        key: usize,
        list: Literals<'c>,
        found: &Found<'_>,
        meter: &mut M,
    ) -> Result<bool, M::Stop> {
        if list.len() >= INDEX_LEN_MIN {
            let searches = match self.kept(key) {
                Some(Kept::Index(index)) => {
                    meter.charge(|| LOOKUP_FUEL + found.body_len())?;
                    return Ok(index.has(found));
                }
                Some(Kept::Searched(searches)) => *searches,
                _ => 0,
            };
            if searches >= LINEAR_SEARCHES_MAX {
                meter.charge(|| list.len().saturating_mul(INDEXING_FUEL))?;
                let index = list.index();
                let has = index.has(found);
                self.keep(key, Kept::Index(index));
                return Ok(has);
            }
            self.keep(key, Kept::Searched(searches + 1));
        }
        let mut has = |one: &Value| {
            let one = Found::Given(one);
            meter.charge(|| ELEMENT_FUEL + found.comparing_fuel(&one))?;
            Ok(found.equals(&one))
        };
        match list {
            Literals::Values(values) => any(values, &mut has),
            Literals::Operands(operands) => any(operands, |operand| match operand {
                Operand::Value(value) => has(value),
                _ => Ok(false),
            }),
        }
    }

    fn kept(&self, key: usize) -> Option<&Kept<'c>> {
        self.kept.iter().find(|(own, _)| *own == key).map(|(_, kept)| kept)
    }

    fn keep(&mut self, key: usize, kept: Kept<'c>) {
        match self.kept.iter_mut().find(|(own, _)| *own == key) {
            Some((_, own)) => *own = kept,
            None => self.kept.push((key, kept)),
        }
    }
}

/// Like [`Iterator::any`], for a function that can fail.
fn any<T, S>(all: &[T], mut holds: impl FnMut(&T) -> Result<bool, S>) -> Result<bool, S> {
    for one in all {
        if holds(one)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Identifies a test of a condition, which does not move.
fn address(test: &Test) -> usize {
    std::ptr::from_ref(test).addr()
}

/// Whether a test has the same outcome for every item.
fn is_constant(test: &Test) -> bool {
    match test {
        Test::Compare(a, _, b) | Test::BeginsWith(a, b) | Test::Contains(a, b) => {
            a.path().is_none() && b.path().is_none()
        }
        Test::Between(a, b, c) => a.path().is_none() && b.path().is_none() && c.path().is_none(),
        Test::In(a, list) => a.path().is_none() && list.iter().all(|one| one.path().is_none()),
        _ => false,
    }
}

fn compare<M: Meter>(
    left: &Operand,
    comparator: Comparator,
    right: &Operand,
    item: Option<ItemRef<'_>>,
    meter: &mut M,
) -> Result<bool, M::Stop> {
    let found = match (left.find(item, meter)?, right.find(item, meter)?) {
        (Some(left), Some(right)) => {
            meter.charge(|| left.comparing_fuel(&right))?;
            Some((left, right))
        }
        _ => None,
    };
    let equal = || found.is_some_and(|(left, right)| left.equals(&right));
    let ordered = |holds: fn(Ordering) -> bool| {
        found.and_then(|(left, right)| left.order(&right)).is_some_and(holds)
    };
    Ok(match comparator {
        Comparator::Equal => equal(),
        Comparator::NotEqual => !equal(),
        Comparator::Less => ordered(Ordering::is_lt),
        Comparator::LessOrEqual => ordered(Ordering::is_le),
        Comparator::Greater => ordered(Ordering::is_gt),
        Comparator::GreaterOrEqual => ordered(Ordering::is_ge),
    })
}

/// The order of a value and an operand, if both have the same ordered type.
fn order<M: Meter>(
    found: &Found<'_>,
    operand: &Operand,
    item: Option<ItemRef<'_>>,
    meter: &mut M,
) -> Result<Option<Ordering>, M::Stop> {
    let Some(other) = operand.find(item, meter)? else { return Ok(None) };
    meter.charge(|| found.comparing_fuel(&other))?;
    Ok(found.order(&other))
}
