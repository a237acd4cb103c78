//! What a query or a scan reads: the table, or one of its indexes.

/// The query reads the table itself.
pub enum Primary {}

/// The query reads an index: that of the entity's pattern at this place. It is a local one or not,
/// and it holds all that is read of an item or not.
pub enum ByIndex<const PLACE: usize, const LOCAL: bool, const HELD: bool> {}

/// Stands for the primary key where a place of an index pattern can stand.
pub const PRIMARY: usize = usize::MAX;

/// The types of the fields in the templates of a key: the primary one, or that of the index pattern
/// at this place. Made by `#[derive(Entity)]`.
pub trait KeyParts<const PLACE: usize> {
    /// Those in the partition key's template, in their order.
    type Partition;
    /// Those in the sort key's template, and [`Tail`](super::Tail) if text stands behind them.
    type Sort;
}

/// What can be read consistently: tables and local indexes.
#[diagnostic::on_unimplemented(
    message = "a global index cannot be read consistently",
    label = "reads a global index",
    note = "global indexes follow their table a little later: query the table, or read the items found once more by their keys, consistently"
)]
pub trait Consistent {}

impl Consistent for Primary {}
impl<const PLACE: usize, const HELD: bool> Consistent for ByIndex<PLACE, true, HELD> {}

/// What holds all that is read of an item.
#[diagnostic::on_unimplemented(
    message = "the index does not hold all fields of `{P}`",
    label = "reads fields that the index does not hold",
    note = "read a smaller struct with `project`, whose fields the index holds, or `count`; or let the index hold more: `projecting(…)` in the table's declaration"
)]
pub trait HoldsAll<P> {}

impl<P> HoldsAll<P> for Primary {}
impl<P, const PLACE: usize, const LOCAL: bool> HoldsAll<P> for ByIndex<PLACE, LOCAL, true> {}

/// Where items are read, as a type: [`Primary`] or [`ByIndex`].
pub trait ReadFrom {
    /// The place of the index pattern; [`PRIMARY`] for the table.
    const PLACE: usize;
    /// The same, when only that is read which is known to be held.
    type Projected;
}

impl ReadFrom for Primary {
    const PLACE: usize = PRIMARY;
    type Projected = Self;
}

impl<const PLACE: usize, const LOCAL: bool, const HELD: bool> ReadFrom
    for ByIndex<PLACE, LOCAL, HELD>
{
    const PLACE: usize = PLACE;
    type Projected = ByIndex<PLACE, LOCAL, true>;
}
