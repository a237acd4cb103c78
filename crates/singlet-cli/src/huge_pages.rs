//! Transparent huge pages.

/// Disables transparent huge pages for this process. The allocator asks for pages of 2 MB, which
/// stay resident for a few small blocks: `singlet serve` with demo data took 153 MB with them and
/// 104 MB without, and in a folder the attack `many-counts` took up to 470 MB above idle with them
/// and 125 MB without. Only data in memory keeps them, because lookups among millions of items are
/// faster; a folder's memtables are small.
#[cfg(target_os = "linux")]
pub(crate) fn disable() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "cannot turn off transparent huge pages");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn disable() {}
