//! Random numbers, codes and identifiers from the operating system.
