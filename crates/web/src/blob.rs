//! Uploaded files, in a folder, in memory or in object storage.
