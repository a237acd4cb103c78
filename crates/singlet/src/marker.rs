//! Zero-sized markers for type parameters.

use std::marker::PhantomData;

/// A zero-sized marker for a type parameter. It is `Send` and `Sync` whatever the type is.
pub(crate) type Marker<T> = PhantomData<fn() -> T>;
