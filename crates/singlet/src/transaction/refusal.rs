//! Which error a transaction fails with, told by the types of its operations.

use crate::error::Error;
use crate::marker::Marker;

/// The operation has no error of its own.
pub enum Unnamed {}

/// The operation has an error of this type.
pub struct Named<R>(Marker<R>);

/// Errors that an operation can have of its own: those that a [`singlet::Error`](Error) can be made
/// into.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an error of an operation: it cannot be made from `singlet::Error`",
    label = "no `From<singlet::Error>`",
    note = "everything else that can go wrong comes as a `singlet::Error`: write `impl From<singlet::Error> for {Self}`"
)]
pub trait RefusalError: From<Error> {}

impl<R: From<Error>> RefusalError for R {}

/// Whether an operation has an error of its own, and which.
pub trait Refusal {
    /// What is returned when it is refused.
    type Error;
}

impl Refusal for Unnamed {
    type Error = Error;
}

impl<R> Refusal for Named<R> {
    type Error = R;
}

/// What two operations have together: an error if one of them has, and the same if both have.
#[diagnostic::on_unimplemented(
    message = "the operations of a transaction have errors of different types",
    label = "all errors given by `or` must be of one type"
)]
pub trait Join<Other> {
    /// What both have.
    type Both: Refusal;
}

impl Join<Unnamed> for Unnamed {
    type Both = Unnamed;
}

impl<R> Join<Named<R>> for Unnamed {
    type Both = Named<R>;
}

impl<R> Join<Unnamed> for Named<R> {
    type Both = Named<R>;
}

impl<R> Join<Named<R>> for Named<R> {
    type Both = Named<R>;
}

/// What several operations have together.
pub trait Joint {
    /// What all have.
    type Both: Refusal;
}

impl<A: Refusal> Joint for (A,) {
    type Both = A;
}

macro_rules! joints {
    ($(($($before:ident),+) $last:ident)+) => {
        $(
            impl<$($before,)+ $last> Joint for ($($before,)+ $last)
            where
                ($($before,)+): Joint,
                <($($before,)+) as Joint>::Both: Join<$last>,
            {
                type Both = <<($($before,)+) as Joint>::Both as Join<$last>>::Both;
            }
        )+
    };
}

joints! {
    (A) B
    (A, B) C
    (A, B, C) D
    (A, B, C, D) E
    (A, B, C, D, E) F
    (A, B, C, D, E, F) G
    (A, B, C, D, E, F, G) H
}

/// Makes the error of one operation one of all of them.
#[diagnostic::on_unimplemented(
    message = "the operations of a transaction have errors of different types",
    label = "all errors given by `or` must be of one type"
)]
pub trait Lift<To: Refusal>: Refusal {
    #[doc(hidden)]
    fn lift(refusal: Option<Self::Error>) -> Option<To::Error>;
}

impl<To: Refusal> Lift<To> for Unnamed {
    fn lift(_: Option<Error>) -> Option<To::Error> {
        None
    }
}

impl<R> Lift<Named<R>> for Named<R> {
    fn lift(refusal: Option<R>) -> Option<R> {
        refusal
    }
}
