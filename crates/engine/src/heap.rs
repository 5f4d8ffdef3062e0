//! Memory of the engine's own: what it takes when nobody runs, and what stands in where a run got none.
#![expect(unsafe_code, reason = "maps and frees memory by address")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use parking_lot::Mutex;

/// What the engine's kernels like their memory to be a multiple of.
pub(crate) const ALIGNMENT: usize = 64;

/// A piece of ordinary memory, aligned for the engine. Goes when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    start: NonNull<u8>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Heap(Layout),
    /// Addresses whose pages come only when they are touched.
    Mapped(usize),
}

// SAFETY: it owns its memory, and giving it back works from any thread.
unsafe impl Send for Scratch {}

impl Scratch {
    /// `bytes` bytes with nothing particular in them; `None` where the machine has not that many.
    pub fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        Some(Self {
            start,
            kind: Kind::Heap(layout),
        })
    }

    /// `bytes` bytes with `pattern` over and over.
    pub fn filled(bytes: usize, pattern: &[u8]) -> Option<Self> {
        let scratch = Self::new(bytes)?;
        let start = scratch.start.as_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: it has that many bytes, which are nobody else's.
        let all = unsafe { std::slice::from_raw_parts_mut(start, bytes) };
        for part in all.chunks_mut(pattern.len().max(1)) {
            for (to, from) in part.iter_mut().zip(pattern) {
                to.write(*from);
            }
        }
        Some(scratch)
    }

    /// Addresses for `bytes` bytes that promise no memory: written to for a moment only.
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

/// What the engine holds that no run gave it, by address.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    live: Mutex<HashMap<usize, Scratch>>,
}

impl Heap {
    /// Ordinary memory; `None` where the machine has not that much.
    pub(crate) fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        Scratch::new(bytes).map(|scratch| self.keep(scratch))
    }

    /// Something that can be written to, for an engine that is about to stop.
    pub(crate) fn stand_in(&self, bytes: usize) -> NonNull<u8> {
        match Scratch::unpromised(bytes) {
            Some(scratch) => self.keep(scratch),
            // Without it the engine has no way on, as any program.
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

    /// Takes one back. What was not given here is not touched: it is part of a run's memory, which goes as
    /// a whole.
    pub(crate) fn free(&self, start: NonNull<u8>) {
        let scratch = self.live.lock().remove(&start.as_ptr().addr());
        drop(scratch);
    }
}
