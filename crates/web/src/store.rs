//! Where the tables of systems are: one backend for all of them.
