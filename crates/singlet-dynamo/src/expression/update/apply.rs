//! What an update does to an item.

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

/// What each action is charged besides what it looks at.
const ACTION_FUEL: usize = 50;
/// What moving one attribute or element is charged, when one before it comes or goes.
const MOVING_FUEL: usize = 4;
/// What making one value is charged.
const NODE_FUEL: usize = 60;
/// What making the values in a container is charged for each of its bytes.
const CONTAINER_BYTE_FUEL: usize = 8;
/// Up to this size the bytes of an item are a good measure of what it takes.
const SMALL_ITEM_BYTES_MAX: usize = 1024;
/// From so many actions on the old item is indexed, and attributes change in one pass.
const MANY_ACTIONS: usize = 32;

/// Why an update cannot be made to an item. Displays as the service's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateFault {
    /// An operand is not in the item.
    Missing,
    /// An operand is of a type that cannot be added, appended or deleted from.
    OperandType,
    /// What the path leads through is not there, or is no map or list.
    Path,
    /// A sum or difference is not a number that DynamoDB has.
    Number(NumberError),
    /// The new item is nested too deep.
    Nesting,
    /// What is set has more bytes than an item may have.
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
        // The service tells a sum that needs more digits than there are as one that is too large.
        Self::Number(match error {
            NumberError::Precision => NumberError::Overflow,
            error => error,
        })
    }
}

impl Update {
    /// The item that the update makes of `old`, or of nothing: then `key`, the item's key
    /// attributes, is what it begins with.
    ///
    /// All operands are read from the old item. Indexes are those of the old item too: elements
    /// are set before any is removed, and what is set past the end of a list is appended in the
    /// order of its indexes.
    pub fn apply(&self, old: Option<ItemRef<'_>>, key: &Item) -> Result<Item, UpdateFault> {
        // Fuel without a limit is never used up, so the fault stands for nothing.
        self.apply_within(old, key, &mut Fuel::unlimited()).unwrap_or(Err(UpdateFault::Nesting))
    }

    /// Like [`Update::apply`], with the work charged.
    ///
    /// # Errors
    ///
    /// The fuel is used up before the item is made.
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

    /// Like [`Update::apply_within`], and gives an item also if what is set is too large. The values
    /// are shortened then.
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
        // The tree is made, and encoded afterwards.
        fuel.spend(2 * tree_fuel(old))?;
        let attributes = Attributes::new(old, self.actions.len());
        let mut set: Vec<(&Path, Value)> = Vec::with_capacity(self.actions.len());
        let mut removed: Vec<&Path> = Vec::new();
        let mut set_bytes = 0;
        for action in &self.actions {
            fuel.spend(ACTION_FUEL)?;
            // The service takes parts out of an item that is not there without a word, though it
            // refuses to take them out of an attribute that is not there.
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
                    // too large then, but a later action may be refused for a reason of its own.
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

    /// What ReturnValues `UPDATED_OLD` returns: the parts that the actions change, as they were.
    #[must_use]
    pub fn updated_old(&self, old: Option<ItemRef<'_>>) -> Item {
        old.map(|old| self.parts(old)).unwrap_or_default()
    }

    /// What ReturnValues `UPDATED_NEW` returns: what is now at the paths that the actions change.
    /// Of an element that was removed from a list, that is the one that took its place.
    #[must_use]
    pub fn updated_new(&self, new: ItemRef<'_>) -> Item {
        self.parts(new)
    }

    /// The parts of an item that the actions change, as they are stored; `None` if there are none.
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

/// What an update makes of an item.
pub(crate) struct Made {
    pub(crate) item: Item,
    /// Whether the values that are set have more bytes than an item may have.
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

/// Shortens a value of an item that is too large, and leaves what keys of indexes are checked for:
/// whether it has the type of a key, whether it is empty, and whether it is too long.
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

/// Why an update ends before the item is made.
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

/// What an action comes down to.
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

/// Sets are never empty: one that loses all its elements goes itself.
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

/// What an operand is for the old item.
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

/// The attributes of the old item, for many actions that look for them.
struct Attributes<'a> {
    item: ItemRef<'a>,
    /// Sorted by name, if there are many actions: walking along a large item for each of them would
    /// take the product of both.
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

    /// What a path changes must be in a map or a list that is there already.
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

/// The old item as a tree, with all whole attributes set and removed, which are taken out of what
/// is to be set and removed. One pass, however many they are.
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

/// Sets what is at a path whose parent was checked.
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

/// Whether two paths lead into one map or list.
fn have_one_parent(a: &Path, b: &Path) -> bool {
    match (a.rest().split_last(), b.rest().split_last()) {
        (Some((_, above_a)), Some((_, above_b))) => a.name() == b.name() && above_a == above_b,
        _ => false,
    }
}

/// Takes out what is at the paths, which lead into one map or list, or are one attribute.
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

/// What making a tree of a stored item is charged.
fn tree_fuel(item: ItemRef<'_>) -> usize {
    match item.as_bytes().len() {
        bytes @ 0..=SMALL_ITEM_BYTES_MAX => 4 * bytes,
        _ => item.iter().map(|(_, value)| stored_fuel(value)).sum(),
    }
}

/// What making a tree of a stored value is charged. A container may have an element in each byte.
fn stored_fuel(value: ValueRef<'_>) -> usize {
    NODE_FUEL
        + match value {
            ValueRef::S(_) | ValueRef::B(_) => value.body().len() / 8,
            _ => CONTAINER_BYTE_FUEL * value.body().len(),
        }
}

/// What copying a value of the request is charged.
fn given_fuel(value: &Value) -> usize {
    NODE_FUEL
        + match value {
            Value::S(text) => text.len() / 8,
            Value::B(bytes) => bytes.len() / 8,
            Value::N(_) | Value::Bool(_) | Value::Null => 0,
            _ => CONTAINER_BYTE_FUEL * value.size(),
        }
}
