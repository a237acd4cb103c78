//! A system as one value: what `serve` has to know about it.
