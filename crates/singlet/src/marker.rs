//! Types that a value remembers without holding any.

use std::marker::PhantomData;

/// Remembers a type. It is sent and shared whatever the type is, since there is none of it.
pub(crate) type Marker<T> = PhantomData<fn() -> T>;
