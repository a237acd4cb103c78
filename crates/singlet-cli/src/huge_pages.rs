//! Transparent huge pages.

/// Disables transparent huge pages for this process. The allocator asks for pages of 2 MB, which
/// stay resident for a few small blocks: `singlet serve` with demo data took 153 MB with them and
/// 104 MB without. `singlet dynamodb` keeps them, because lookups among millions of items are
/// faster.
#[cfg(target_os = "linux")]
pub(crate) fn disable() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "cannot turn off transparent huge pages");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn disable() {}
