//! Describes a route by its function's signature.

use super::{Argument, Operation, Reply};

/// A function whose arguments and result can be described. Implemented for async functions of up to
/// six [`Argument`]s that return a [`Reply`]; `T` matches the type parameter of axum's handlers.
pub trait Signature<T> {
    /// Adds the arguments and the result to the operation.
    fn describe(operation: &mut Operation<'_>);
}

impl<F, R> Signature<((),)> for F
where
    F: AsyncFnOnce() -> R,
    R: Reply,
{
    fn describe(operation: &mut Operation<'_>) {
        R::describe(operation);
    }
}

macro_rules! signatures {
    ($($argument:ident),+) => {
        impl<F, R, M, $($argument),+> Signature<(M, $($argument,)+)> for F
        where
            F: AsyncFnOnce($($argument),+) -> R,
            R: Reply,
            $($argument: Argument,)+
        {
            fn describe(operation: &mut Operation<'_>) {
                $($argument::describe(operation);)+
                R::describe(operation);
            }
        }
    };
}

signatures!(A1);
signatures!(A1, A2);
signatures!(A1, A2, A3);
signatures!(A1, A2, A3, A4);
signatures!(A1, A2, A3, A4, A5);
signatures!(A1, A2, A3, A4, A5, A6);
