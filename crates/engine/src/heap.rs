//! The engine's own memory: for requests outside of runs, and as a placeholder when a run is out of memory.
#![expect(unsafe_code, reason = "maps and frees memory by address")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use parking_lot::Mutex;

/// The alignment that the engine's kernels expect.
pub(crate) const ALIGNMENT: usize = 64;

/// Heap memory, aligned for the engine. Freed on drop.
#[derive(Debug)]
pub struct Scratch {
    start: NonNull<u8>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Heap(Layout),
    /// Mapped addresses; pages are allocated on first access.
    Mapped(usize),
}

// SAFETY: it owns its memory, which can be freed from any thread.
unsafe impl Send for Scratch {}

impl Scratch {
    /// Allocates `bytes` uninitialised bytes; `None` if the machine is out of memory.
    pub fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        Some(Self {
            start,
            kind: Kind::Heap(layout),
        })
    }

    /// Allocates `bytes` bytes and fills them with a repeated `pattern`.
    pub fn filled(bytes: usize, pattern: &[u8]) -> Option<Self> {
        let scratch = Self::new(bytes)?;
        let start = scratch.start.as_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: the scratch has that many bytes and is not shared yet.
        let all = unsafe { std::slice::from_raw_parts_mut(start, bytes) };
        for part in all.chunks_mut(pattern.len().max(1)) {
            for (to, from) in part.iter_mut().zip(pattern) {
                to.write(*from);
            }
        }
        Some(scratch)
    }

    /// Maps addresses for `bytes` bytes without reserving memory, for short use.
    fn unpromised(bytes: usize) -> Option<Self> {
        let bytes = bytes.max(1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: new addresses, chosen by the system.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, rights, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        Some(Self {
            start: NonNull::new(start.cast())?,
            kind: Kind::Mapped(bytes),
        })
    }

    /// Whether it contains an address.
    pub fn contains(&self, address: usize) -> bool {
        let bytes = match self.kind {
            Kind::Heap(layout) => layout.size(),
            Kind::Mapped(bytes) => bytes,
        };
        address.wrapping_sub(self.start.as_ptr().addr()) < bytes
    }

    /// Where it starts.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        match self.kind {
            // SAFETY: allocated with this layout, and freed once.
            Kind::Heap(layout) => unsafe { dealloc(self.start.as_ptr(), layout) },
            Kind::Mapped(bytes) => {
                // SAFETY: mapped with this length, and unmapped once.
                unsafe { libc::munmap(self.start.as_ptr().cast(), bytes) };
            }
        }
    }
}

/// Memory that the engine holds outside of runs, by address.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    live: Mutex<HashMap<usize, Scratch>>,
}

impl Heap {
    /// Allocates heap memory; `None` if the machine is out of memory.
    pub(crate) fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        Scratch::new(bytes).map(|scratch| self.keep(scratch))
    }

    /// Returns writable placeholder memory for a run that is about to be terminated.
    pub(crate) fn stand_in(&self, bytes: usize) -> NonNull<u8> {
        match Scratch::unpromised(bytes) {
            Some(scratch) => self.keep(scratch),
            // The engine cannot continue without it, like any program.
            None => handle_alloc_error(
                Layout::from_size_align(bytes, ALIGNMENT).unwrap_or(Layout::new::<u64>()),
            ),
        }
    }

    fn keep(&self, scratch: Scratch) -> NonNull<u8> {
        let start = scratch.start;
        self.live.lock().insert(start.as_ptr().addr(), scratch);
        start
    }

    /// Frees an allocation of this heap. Other addresses are ignored: they are part of a run's memory, which
    /// is freed as a whole.
    pub(crate) fn free(&self, start: NonNull<u8>) {
        let scratch = self.live.lock().remove(&start.as_ptr().addr());
        drop(scratch);
    }
}
