//! Type-level selection of a transaction's error.

use crate::error::Error;
use crate::marker::Marker;

/// The operation has no error set with `or`.
pub enum Unnamed {}

/// The operation has an error of this type.
pub struct Named<R>(Marker<R>);

/// Errors that `or` accepts: types that implement `From<singlet::Error>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an error of an operation: it cannot be made from `singlet::Error`",
    label = "no `From<singlet::Error>`",
    note = "everything else that can go wrong comes as a `singlet::Error`: write `impl From<singlet::Error> for {Self}`"
)]
pub trait RefusalError: From<Error> {}

impl<R: From<Error>> RefusalError for R {}

/// The error set with `or`, if any.
pub trait Refusal {
    /// The type returned when the operation fails.
    type Error;
}

impl Refusal for Unnamed {
    type Error = Error;
}

impl<R> Refusal for Named<R> {
    type Error = R;
}

/// Combines two operations: at most one error type is allowed.
#[diagnostic::on_unimplemented(
    message = "the operations of a transaction have errors of different types",
    label = "all errors given by `or` must be of one type"
)]
pub trait Join<Other> {
    /// The combination.
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

/// Combines several operations.
pub trait Joint {
    /// The combination.
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

/// Converts one operation's error into the transaction's.
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
