//! What a system needs, in one line.
