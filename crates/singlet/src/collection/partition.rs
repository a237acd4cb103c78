//! The type of a collection's partition key.

use crate::attribute::NotStorable;
use crate::key::{KeyArgument, KeyPart};
use crate::query::KeyParts;
use singlet_dynamo::Value;

/// The partition of a collection: a single part, or a tuple of several.
#[diagnostic::on_unimplemented(
    message = "the partition of this collection is made of `{T}`, and this is a `{Self}`",
    label = "expected `{T}`",
    note = "one part is given by itself, two to eight as a tuple"
)]
pub trait Partition<T> {
    #[doc(hidden)]
    fn values(&self) -> Vec<Result<Option<Value>, NotStorable>>;
}

impl Partition<()> for () {
    fn values(&self) -> Vec<Result<Option<Value>, NotStorable>> {
        Vec::new()
    }
}

impl<A: KeyPart, X: KeyArgument<A>> Partition<(A,)> for X {
    fn values(&self) -> Vec<Result<Option<Value>, NotStorable>> {
        vec![self.to_part()]
    }
}

macro_rules! partitions {
    ($(($($part:ident $argument:ident $place:tt),+))+) => {
        $(
            impl<$($part: KeyPart, $argument: KeyArgument<$part>),+> Partition<($($part,)+)>
                for ($($argument,)+)
            {
                fn values(&self) -> Vec<Result<Option<Value>, NotStorable>> {
                    vec![$(self.$place.to_part()),+]
                }
            }
        )+
    };
}

partitions! {
    (A X 0, B Y 1)
    (A X 0, B Y 1, C Z 2)
    (A X 0, B Y 1, C Z 2, D W 3)
    (A X 0, B Y 1, C Z 2, D W 3, E V 4)
    (A X 0, B Y 1, C Z 2, D W 3, E V 4, F U 5)
    (A X 0, B Y 1, C Z 2, D W 3, E V 4, F U 5, G T 6)
    (A X 0, B Y 1, C Z 2, D W 3, E V 4, F U 5, G T 6, H S 7)
}

/// Asserts that the partition keys of two entities have the same part types.
#[diagnostic::on_unimplemented(
    message = "the members of a collection share a partition, and this one's is made of `{Self}`, that of the first member of `{Parts}`",
    label = "in another partition",
    note = "one query reads one partition: the members of a collection have the same template and the same types for it"
)]
pub trait SameParts<Parts> {}

impl<Parts> SameParts<Parts> for Parts {}

/// Rejects members of different partitions.
#[doc(hidden)]
pub const fn assert_same_partition<Head, E, const HEAD: usize, const PLACE: usize>()
where
    Head: KeyParts<HEAD>,
    E: KeyParts<PLACE>,
    E::Partition: SameParts<Head::Partition>,
{
}
