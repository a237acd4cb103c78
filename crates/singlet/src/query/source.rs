//! The source of a query or scan: the table, or one of its indexes.

/// The table itself.
pub enum Primary {}

/// The index that the entity's pattern at `PLACE` uses. `LOCAL` if it is a local index, `HELD` if
/// it projects everything that the query reads.
pub enum ByIndex<const PLACE: usize, const LOCAL: bool, const HELD: bool> {}

/// The primary key, in place of an index pattern.
pub const PRIMARY: usize = usize::MAX;

/// The field types in the templates of a key: the primary key, or the index pattern at `PLACE`.
/// Implemented by `#[derive(Entity)]`.
pub trait KeyParts<const PLACE: usize> {
    /// The fields in the partition key, in order.
    type Partition;
    /// The fields in the sort key, and [`Tail`](super::Tail) if text follows them.
    type Sort;
}

/// Sources that support consistent reads: tables and local indexes.
#[diagnostic::on_unimplemented(
    message = "a global index cannot be read consistently",
    label = "reads a global index",
    note = "global indexes follow their table a little later: query the table, or read the items found once more by their keys, consistently"
)]
pub trait Consistent {}

impl Consistent for Primary {}
impl<const PLACE: usize, const HELD: bool> Consistent for ByIndex<PLACE, true, HELD> {}

/// Sources that hold every attribute of `P`.
#[diagnostic::on_unimplemented(
    message = "the index does not hold all fields of `{P}`",
    label = "reads fields that the index does not hold",
    note = "read a smaller struct with `project`, whose fields the index holds, or `count`; or let the index hold more: `projecting(…)` in the table's declaration"
)]
pub trait HoldsAll<P> {}

impl<P> HoldsAll<P> for Primary {}
impl<P, const PLACE: usize, const LOCAL: bool> HoldsAll<P> for ByIndex<PLACE, LOCAL, true> {}
#[diagnostic::do_not_recommend]
impl<P: PartlyHeld, const PLACE: usize, const LOCAL: bool> HoldsAll<P>
    for ByIndex<PLACE, LOCAL, false>
where
    P::HeldBy: Holds<PLACE>,
{
}

/// A projection, with the index patterns of its entity that hold all of its fields. Implemented by
/// `#[derive(Projection)]`, with constants that `cargo check` evaluates: it does not evaluate those
/// of generic functions.
#[doc(hidden)]
pub trait PartlyHeld {
    /// [`HeldBy`], with a flag for each pattern.
    type HeldBy;
}

/// The flag for the pattern at this place is set.
#[doc(hidden)]
pub trait Holds<const PLACE: usize> {}

macro_rules! held_by {
    ($($flag:ident)+) => {
        /// A flag for each index pattern of an entity, in order.
        #[doc(hidden)]
        pub struct HeldBy<$(const $flag: bool),+>;

        held_by!(@set 0; [] $($flag)+);
    };
    (@set $place:expr; [$($before:ident)*]) => {};
    (@set $place:expr; [$($before:ident)*] $flag:ident $($after:ident)*) => {
        impl<$(const $before: bool,)* $(const $after: bool),*> Holds<{ $place }>
            for HeldBy<$($before,)* true, $($after),*> {}

        held_by!(@set $place + 1; [$($before)* $flag] $($after)*);
    };
}

// A table has up to 25 indexes; an entity has more patterns only by conditions.
held_by! { A B C D E F G H I J K L M N O P Q R S T U V W X Y Z AA AB AC AD AE AF }

/// A source as a type: [`Primary`] or [`ByIndex`].
pub trait ReadFrom {
    /// The place of the index pattern; [`PRIMARY`] for the table.
    const PLACE: usize;
    /// The source after `project`, which requires that the index holds every field.
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
