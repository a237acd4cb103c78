//! Work that is done again and again in the background, on one server at a time where that matters.
