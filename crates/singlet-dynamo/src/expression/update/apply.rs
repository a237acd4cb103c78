//! Applies updates to items.

use super::{Action, Computation, SetOperand, SetValue, Update};
use crate::binary::{self, ItemRef, ValueRef};
use crate::error::Error;
use crate::expression::path::{find_from, map_walk_fuel};
use crate::expression::projection::project;
use crate::expression::{Element, Path};
use crate::fuel::{Fuel, OutOfFuel};
use crate::json::value::TOO_DEEP;
use crate::limits::{ITEM_SIZE_MAX, NESTING_MAX, PARTITION_KEY_SIZE_MAX};
use crate::stored::StoredItem;
use crate::weight::{heap_bytes, tree_bytes};
use crate::{Item, NumberError, Value};
use std::fmt;

/// The charge per action, in addition to the bytes it reads.
const ACTION_FUEL: usize = 50;
/// The charge for moving one attribute or element, when one before it is inserted or removed.
const MOVING_FUEL: usize = 4;
/// The charge for creating one value.
const NODE_FUEL: usize = 60;
/// The charge per byte for decoding a container.
const CONTAINER_BYTE_FUEL: usize = 8;
/// Items up to this size are charged by their bytes.
const SMALL_ITEM_BYTES_MAX: usize = 1024;
/// From this many actions on, the old item is indexed, and attributes change in one pass.
const MANY_ACTIONS: usize = 32;

/// Why an update cannot be applied to an item. Displays as the service's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateFault {
    /// The item lacks an operand.
    Missing,
    /// An operand has a type that cannot be added, appended or deleted from.
    OperandType,
    /// A parent of the path is missing, or is not a map or list.
    Path,
    /// A sum or difference is not a valid number.
    Number(NumberError),
    /// The new item is nested too deep.
    Nesting,
    /// The values being set exceed the size of an item.
    TooLarge,
}

impl fmt::Display for UpdateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str(
                "The provided expression refers to an attribute that does not exist in the item",
            ),
            Self::OperandType => {
                f.write_str("An operand in the update expression has an incorrect data type")
            }
            Self::Path => f.write_str(
                "The document path provided in the update expression is invalid for update",
            ),
            Self::Number(error) => error.fmt(f),
            Self::Nesting => f.write_str(TOO_DEEP),
            Self::TooLarge => {
                f.write_str("Item size to update has exceeded the maximum allowed size")
            }
        }
    }
}

impl std::error::Error for UpdateFault {}

impl From<UpdateFault> for Error {
    fn from(fault: UpdateFault) -> Self {
        Self::validation(fault.to_string())
    }
}

impl From<NumberError> for UpdateFault {
    fn from(error: NumberError) -> Self {
        // The service reports a sum with too many digits as one that is too large.
        Self::Number(match error {
            NumberError::Precision => NumberError::Overflow,
            error => error,
        })
    }
}

impl Update {
    /// The item that the update makes from `old`. Without an old item it starts from `key`, the
    /// item's key attributes.
    ///
    /// All operands are read from the old item. Indexes refer to the old item too: elements are set
    /// before any is removed, and elements set past the end of a list are appended in index order.
    pub fn apply(&self, old: Option<ItemRef<'_>>, key: &Item) -> Result<Item, UpdateFault> {
        // Unlimited fuel never runs out, so the fault is a placeholder.
        self.apply_within(old, key, &mut Fuel::unlimited()).unwrap_or(Err(UpdateFault::Nesting))
    }

    /// Like [`Update::apply`], charging the work.
    ///
    /// # Errors
    ///
    /// The fuel runs out before the item is complete.
    pub fn apply_within(
        &self,
        old: Option<ItemRef<'_>>,
        key: &Item,
        fuel: &mut Fuel<'_>,
    ) -> Result<Result<Item, UpdateFault>, OutOfFuel> {
        let made = self.make_within(old, key, fuel)?;
        Ok(made.and_then(|made| match made {
            Made { is_oversized: true, .. } => Err(UpdateFault::TooLarge),
            Made { item, .. } => Ok(item),
        }))
    }

    /// Like [`Update::apply_within`], but also returns an item if the values are too large. They
    /// are then shortened.
    pub(crate) fn make_within(
        &self,
        old: Option<ItemRef<'_>>,
        key: &Item,
        fuel: &mut Fuel<'_>,
    ) -> Result<Result<Made, UpdateFault>, OutOfFuel> {
        let mut kept = 0;
        let made = self.applied(old, key, fuel, &mut kept);
        fuel.release(kept);
        match made {
            Ok(made) => Ok(Ok(made)),
            Err(Stop::Fault(fault)) => Ok(Err(fault)),
            Err(Stop::OutOfFuel) => Err(OutOfFuel),
        }
    }

    fn applied(
        &self,
        old: Option<ItemRef<'_>>,
        key: &Item,
        fuel: &mut Fuel<'_>,
        kept: &mut usize,
    ) -> Result<Made, Stop> {
        let is_new = old.is_none();
        let key_alone;
        let old = match old {
            Some(old) => old,
            None => {
                key_alone = binary::encode(key);
                ItemRef::trusted(&key_alone)
            }
        };
        // The tree is built, and encoded afterwards.
        fuel.spend(2 * tree_fuel(old))?;
        let attributes = Attributes::new(old, self.actions.len());
        let mut set: Vec<(&Path, Value)> = Vec::with_capacity(self.actions.len());
        let mut removed: Vec<&Path> = Vec::new();
        let mut set_bytes = 0;
        for action in &self.actions {
            fuel.spend(ACTION_FUEL)?;
            // The service ignores removing a part of a missing item, but refuses to remove a part
            // of a missing attribute.
            if is_new && matches!(action, Action::Remove(_)) {
                continue;
            }
            let path = action.path();
            attributes.check_parent(path, fuel)?;
            match action.effect(&attributes, fuel)? {
                Effect::Set(value) if path.rest().len() + value.levels() > NESTING_MAX => {
                    return Err(Stop::Fault(UpdateFault::Nesting));
                }
                Effect::Set(mut value) => {
                    // One attribute can be copied to hundreds, and each copy is a tree. The item is
                    // then too large, but a later action may fail with a different error.
                    set_bytes += size_if_large(&value);
                    if set_bytes > ITEM_SIZE_MAX {
                        shorten(&mut value);
                    }
                    *kept += fuel.keep(|| heap_bytes(&value))?;
                    set.push((path, value));
                }
                Effect::Remove => removed.push(path),
                Effect::Nothing => {}
            }
        }

        set.sort_by_key(|(path, _)| *path);
        removed.sort_unstable();
        *kept += fuel.keep(|| tree_bytes(old))?;
        let mut new = if self.actions.len() < MANY_ACTIONS {
            old.to_item()
        } else {
            with_whole_attributes(old, &mut set, &mut removed)
        };
        for (path, value) in set {
            put(&mut new, path, value, fuel)?;
        }
        for group in removed.chunk_by(|a, b| have_one_parent(a, b)).rev() {
            take(&mut new, group, fuel)?;
        }
        Ok(Made { item: new, is_oversized: set_bytes > ITEM_SIZE_MAX })
    }

    /// ReturnValues `UPDATED_OLD`: the old values at the paths that the actions change.
    #[must_use]
    pub fn updated_old(&self, old: Option<ItemRef<'_>>) -> Item {
        old.map(|old| self.parts(old)).unwrap_or_default()
    }

    /// ReturnValues `UPDATED_NEW`: the new values at the paths that the actions change. For an
    /// element removed from a list, this is the element that took its place.
    #[must_use]
    pub fn updated_new(&self, new: ItemRef<'_>) -> Item {
        self.parts(new)
    }

    /// The stored values at the paths that the actions change; `None` if there are none.
    pub(crate) fn stored_parts(
        &self,
        item: &StoredItem,
        fuel: &mut Fuel<'_>,
    ) -> Result<Option<StoredItem>, OutOfFuel> {
        let paths = self.paths();
        fuel.spend(item.copying_fuel(paths.len()))?;
        let parts = if paths.iter().all(|path| path.is_attribute()) {
            item.only(|name| paths.binary_search_by(|path| path.name().cmp(name)).is_ok())
        } else {
            fuel.spend(2 * tree_fuel(item.as_item()))?;
            StoredItem::from(&project(&paths, item.as_item()))
        };
        Ok((!parts.as_item().is_empty()).then_some(parts))
    }

    fn parts(&self, item: ItemRef<'_>) -> Item {
        project(&self.paths(), item)
    }

    /// The paths that the actions change, sorted.
    fn paths(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> = self.actions.iter().map(Action::path).collect();
        paths.sort_unstable();
        paths
    }
}

/// The result of an update.
pub(crate) struct Made {
    pub(crate) item: Item,
    /// Whether the values being set exceed the size of an item.
    pub(crate) is_oversized: bool,
}

/// The size of a value that can be large.
fn size_if_large(value: &Value) -> usize {
    match value {
        Value::S(text) => text.len(),
        Value::B(bytes) => bytes.len(),
        Value::N(_) | Value::Bool(_) | Value::Null => 0,
        _ => value.size(),
    }
}

/// Shortens a value of an item that is too large. Keeps what the checks of index keys look at:
/// whether it has a key type, is empty, or is too long.
fn shorten(value: &mut Value) {
    const LEN_MAX: usize = 2 * PARTITION_KEY_SIZE_MAX;
    match value {
        Value::S(text) if text.len() > LEN_MAX => *value = Value::S("-".repeat(LEN_MAX)),
        Value::B(bytes) if bytes.len() > LEN_MAX => *value = Value::B(vec![0; LEN_MAX]),
        Value::L(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => *value = Value::L(Vec::new()),
        Value::M(_) => *value = Value::M(Item::new()),
        _ => {}
    }
}

/// Why an update stops before the item is complete.
enum Stop {
    Fault(UpdateFault),
    OutOfFuel,
}

impl From<UpdateFault> for Stop {
    fn from(fault: UpdateFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<NumberError> for Stop {
    fn from(error: NumberError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<OutOfFuel> for Stop {
    fn from(_: OutOfFuel) -> Self {
        Self::OutOfFuel
    }
}

/// The effect of an action.
enum Effect {
    Set(Value),
    Remove,
    Nothing,
}

impl Action {
    fn effect(&self, old: &Attributes<'_>, fuel: &mut Fuel<'_>) -> Result<Effect, Stop> {
        match self {
            Self::Set(_, value) => value.compute(old, fuel).map(Effect::Set),
            Self::Remove(path) => match old.find(path, fuel)? {
                Some(_) => Ok(Effect::Remove),
                None => Ok(Effect::Nothing),
            },
            Self::Add(path, value) => {
                fuel.spend(given_fuel(value))?;
                match old.find(path, fuel)? {
                    None => Ok(Effect::Set(value.clone())),
                    Some(before) => {
                        fuel.spend(stored_fuel(before))?;
                        Ok(add(before.to_value(), value).map(Effect::Set)?)
                    }
                }
            }
            Self::Delete(path, value) => match old.find(path, fuel)? {
                None => Ok(Effect::Nothing),
                Some(before) => {
                    fuel.spend(stored_fuel(before) + given_fuel(value))?;
                    Ok(delete(before.to_value(), value)?)
                }
            },
        }
    }
}

fn add(before: Value, value: &Value) -> Result<Value, UpdateFault> {
    match (before, value) {
        (Value::N(a), Value::N(b)) => Ok(Value::N(a.checked_add(*b)?)),
        (Value::Ss(a), Value::Ss(b)) => Ok(Value::Ss(a.union(b.clone()))),
        (Value::Ns(a), Value::Ns(b)) => Ok(Value::Ns(a.union(b.clone()))),
        (Value::Bs(a), Value::Bs(b)) => Ok(Value::Bs(a.union(b.clone()))),
        _ => Err(UpdateFault::OperandType),
    }
}

/// Sets are never empty: a set that loses all its elements is removed.
fn delete(before: Value, value: &Value) -> Result<Effect, UpdateFault> {
    let rest = match (before, value) {
        (Value::Ss(a), Value::Ss(b)) => a.difference(b).map(Value::Ss),
        (Value::Ns(a), Value::Ns(b)) => a.difference(b).map(Value::Ns),
        (Value::Bs(a), Value::Bs(b)) => a.difference(b).map(Value::Bs),
        _ => return Err(UpdateFault::OperandType),
    };
    Ok(rest.map_or(Effect::Remove, Effect::Set))
}

impl SetValue {
    fn compute(&self, old: &Attributes<'_>, fuel: &mut Fuel<'_>) -> Result<Value, Stop> {
        let mut number = |operand: &SetOperand| match operand.find(old, fuel)? {
            Found::Stored(ValueRef::N(number)) => Ok(number),
            Found::Given(Value::N(number)) => Ok(*number),
            _ => Err(Stop::Fault(UpdateFault::OperandType)),
        };
        match self.computation() {
            Computation::Operand(operand) => {
                let found = operand.find(old, fuel)?;
                fuel.spend(found.copying_fuel())?;
                Ok(found.to_value())
            }
            Computation::Sum(a, b) => Ok(Value::N(number(a)?.checked_add(number(b)?)?)),
            Computation::Difference(a, b) => Ok(Value::N(number(a)?.checked_sub(number(b)?)?)),
            Computation::ListAppend(a, b) => {
                let mut list = |operand: &SetOperand| {
                    let found = operand.find(old, fuel)?;
                    fuel.spend(found.copying_fuel())?;
                    match found.to_value() {
                        Value::L(list) => Ok(list),
                        _ => Err(Stop::Fault(UpdateFault::OperandType)),
                    }
                };
                let mut all = list(a)?;
                all.extend(list(b)?);
                Ok(Value::L(all))
            }
        }
    }
}

/// The value of an operand for the old item.
enum Found<'a> {
    Stored(ValueRef<'a>),
    Given(&'a Value),
}

impl Found<'_> {
    fn to_value(&self) -> Value {
        match self {
            Self::Stored(value) => value.to_value(),
            Self::Given(value) => (*value).clone(),
        }
    }

    fn copying_fuel(&self) -> usize {
        match self {
            Self::Stored(value) => stored_fuel(*value),
            Self::Given(value) => given_fuel(value),
        }
    }
}

impl SetOperand {
    fn find<'a>(&'a self, old: &Attributes<'a>, fuel: &mut Fuel<'_>) -> Result<Found<'a>, Stop> {
        let mut operand = self;
        loop {
            match operand {
                Self::Path(path) => {
                    let found = old.find(path, fuel)?;
                    return found.map(Found::Stored).ok_or(Stop::Fault(UpdateFault::Missing));
                }
                Self::Value(value) => return Ok(Found::Given(value)),
                Self::IfNotExists(inner) => match old.find(inner.path(), fuel)? {
                    Some(found) => return Ok(Found::Stored(found)),
                    None => operand = inner.otherwise(),
                },
            }
        }
    }
}

/// The attributes of the old item, for lookups by many actions.
struct Attributes<'a> {
    item: ItemRef<'a>,
    /// Sorted by name if there are many actions: a linear search for each would be quadratic.
    sorted: Option<Vec<(&'a str, ValueRef<'a>)>>,
}

impl<'a> Attributes<'a> {
    fn new(item: ItemRef<'a>, actions: usize) -> Self {
        Self { item, sorted: (actions >= MANY_ACTIONS).then(|| item.iter().collect()) }
    }

    fn get(&self, name: &str, fuel: &mut Fuel<'_>) -> Result<Option<ValueRef<'a>>, OutOfFuel> {
        match &self.sorted {
            None => {
                fuel.spend(map_walk_fuel(self.item))?;
                Ok(self.item.get(name))
            }
            Some(sorted) => {
                let place = sorted.binary_search_by(|(own, _)| (*own).cmp(name)).ok();
                Ok(place.and_then(|place| sorted.get(place)).map(|(_, value)| *value))
            }
        }
    }

    fn find(&self, path: &Path, fuel: &mut Fuel<'_>) -> Result<Option<ValueRef<'a>>, OutOfFuel> {
        match self.get(path.name(), fuel)? {
            Some(value) => find_from(value, path.rest(), fuel),
            None => Ok(None),
        }
    }

    /// The parent of a changed path must be an existing map or list.
    fn check_parent(&self, path: &Path, fuel: &mut Fuel<'_>) -> Result<(), Stop> {
        let Some((last, above)) = path.rest().split_last() else { return Ok(()) };
        let parent = match self.get(path.name(), fuel)? {
            Some(value) => find_from(value, above, fuel)?,
            None => None,
        };
        match (last, parent) {
            (Element::Field(_), Some(ValueRef::M(_)))
            | (Element::Index(_), Some(ValueRef::L(_))) => Ok(()),
            _ => Err(Stop::Fault(UpdateFault::Path)),
        }
    }
}

/// Decodes the old item, with all changes of whole attributes applied in one pass. These are
/// removed from the lists of changes.
fn with_whole_attributes(
    old: ItemRef<'_>,
    set: &mut Vec<(&Path, Value)>,
    removed: &mut Vec<&Path>,
) -> Item {
    let gone: Vec<&str> =
        removed.extract_if(.., |path| path.is_attribute()).map(|path| path.name()).collect();
    let whole: Vec<(&Path, Value)> = set.extract_if(.., |(path, _)| path.is_attribute()).collect();
    let stays = |name: &str| {
        gone.binary_search(&name).is_err()
            && whole.binary_search_by(|(path, _)| path.name().cmp(name)).is_err()
    };
    let mut entries: Vec<(String, Value)> = old
        .iter()
        .filter(|(name, _)| stays(name))
        .map(|(name, value)| (name.to_owned(), value.to_value()))
        .collect();
    entries.extend(whole.into_iter().map(|(path, value)| (path.name().to_owned(), value)));
    Item::from_entries(entries)
}

/// Sets the value at a path whose parent was checked.
fn put(item: &mut Item, path: &Path, value: Value, fuel: &mut Fuel<'_>) -> Result<(), OutOfFuel> {
    let Some((last, above)) = path.rest().split_last() else {
        fuel.spend(MOVING_FUEL * item.len())?;
        item.insert(path.name(), value);
        return Ok(());
    };
    match (parent(item, path.name(), above), last) {
        (Some(Value::M(map)), Element::Field(name)) => {
            fuel.spend(MOVING_FUEL * map.len())?;
            map.insert(name.as_str(), value);
        }
        (Some(Value::L(list)), Element::Index(index)) => match list.get_mut(place(*index)) {
            Some(element) => *element = value,
            None => list.push(value),
        },
        _ => {}
    }
    Ok(())
}

/// Whether two paths have the same parent.
fn have_one_parent(a: &Path, b: &Path) -> bool {
    match (a.rest().split_last(), b.rest().split_last()) {
        (Some((_, above_a)), Some((_, above_b))) => a.name() == b.name() && above_a == above_b,
        _ => false,
    }
}

/// Removes the values at the paths, which have the same parent or are one attribute.
fn take(item: &mut Item, paths: &[&Path], fuel: &mut Fuel<'_>) -> Result<(), OutOfFuel> {
    let Some(first) = paths.first() else { return Ok(()) };
    let Some((_, above)) = first.rest().split_last() else {
        fuel.spend(MOVING_FUEL * item.len())?;
        item.remove(first.name());
        return Ok(());
    };
    let last = |path: &&Path| path.rest().last().cloned();
    match parent(item, first.name(), above) {
        Some(Value::M(map)) => {
            let gone: Vec<Element> = paths.iter().filter_map(last).collect();
            fuel.spend(MOVING_FUEL * (map.len() + gone.len()))?;
            if let [Element::Field(name)] = gone.as_slice() {
                map.remove(name);
            } else {
                map.retain(|name, _| {
                    let is_it = |own: &Element| match own {
                        Element::Field(own) => own.as_str().cmp(name),
                        Element::Index(_) => std::cmp::Ordering::Greater,
                    };
                    gone.binary_search_by(is_it).is_err()
                });
            }
        }
        Some(Value::L(list)) => {
            fuel.spend(MOVING_FUEL * list.len())?;
            let mut gone = paths.iter().filter_map(last).filter_map(|element| match element {
                Element::Index(index) => Some(place(index)),
                Element::Field(_) => None,
            });
            // Indexes ascend, as the paths do.
            let mut next = gone.next();
            let mut index = 0;
            list.retain(|_| {
                let goes = next == Some(index);
                if goes {
                    next = gone.next();
                }
                index += 1;
                !goes
            });
        }
        _ => {}
    }
    Ok(())
}

fn parent<'a>(item: &'a mut Item, name: &str, above: &[Element]) -> Option<&'a mut Value> {
    above.iter().try_fold(item.get_mut(name)?, |value, element| match (value, element) {
        (Value::M(map), Element::Field(name)) => map.get_mut(name),
        (Value::L(list), Element::Index(index)) => list.get_mut(place(*index)),
        _ => None,
    })
}

fn place(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// The charge for decoding a stored item.
fn tree_fuel(item: ItemRef<'_>) -> usize {
    match item.as_bytes().len() {
        bytes @ 0..=SMALL_ITEM_BYTES_MAX => 4 * bytes,
        _ => item.iter().map(|(_, value)| stored_fuel(value)).sum(),
    }
}

/// The charge for decoding a stored value. A container may have an element in each byte.
fn stored_fuel(value: ValueRef<'_>) -> usize {
    NODE_FUEL
        + match value {
            ValueRef::S(_) | ValueRef::B(_) => value.body().len() / 8,
            _ => CONTAINER_BYTE_FUEL * value.body().len(),
        }
}

/// The charge for copying a value in the request.
fn given_fuel(value: &Value) -> usize {
    NODE_FUEL
        + match value {
            Value::S(text) => text.len() / 8,
            Value::B(bytes) => bytes.len() / 8,
            Value::N(_) | Value::Bool(_) | Value::Null => 0,
            _ => CONTAINER_BYTE_FUEL * value.size(),
        }
}
