//! `millpondAllocatorStatistics`, and the numbers that an arena counts itself.

use std::sync::atomic::AtomicU64;

/// The C structure. Fields are only ever added at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Statistics {
    pub(crate) struct_size: usize,
    pub(crate) device: i32,
    pub(crate) source: u32,
    pub(crate) limit_bytes: u64,
    pub(crate) used_bytes: u64,
    pub(crate) peak_used_bytes: u64,
    pub(crate) reserved_bytes: u64,
    pub(crate) peak_reserved_bytes: u64,
    pub(crate) pieces: u64,
    pub(crate) live_blocks: u64,
    pub(crate) streams: u64,
    pub(crate) growths: u64,
    pub(crate) returned_bytes: u64,
    pub(crate) epochs_recorded: u64,
    pub(crate) epochs_passed: u64,
    pub(crate) waits: u64,
    pub(crate) failures: u64,
    pub(crate) stream_used_bytes: u64,
    pub(crate) stream_live_blocks: u64,
    pub(crate) stream_allocations: u64,
    pub(crate) stream_frees: u64,
}

// The header's twin: crates/plugin/tests/c/layout.c has the same numbers.
const _: () = assert!(
    size_of::<Statistics>() == 160
        && std::mem::offset_of!(Statistics, limit_bytes) == 16
        && std::mem::offset_of!(Statistics, live_blocks) == 64
        && std::mem::offset_of!(Statistics, stream_used_bytes) == 128
        && std::mem::offset_of!(Statistics, stream_frees) == 152
);

/// What an arena counts besides its pool.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) growths: AtomicU64,
    pub(crate) returned: AtomicU64,
    pub(crate) recorded: AtomicU64,
    pub(crate) passed: AtomicU64,
    pub(crate) waits: AtomicU64,
    pub(crate) failures: AtomicU64,
    /// Texts about requests that got nothing.
    pub(crate) reports: AtomicU64,
}
