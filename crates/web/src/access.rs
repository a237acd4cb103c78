//! Roles: what a caller may do with one resource.
