//! The rlsf crate, over host memory that is never touched except by its own headers.
//!
//! It keeps its books inside the memory that it manages, so no device memory can be managed with it;
//! it is here as the best of its kind.
#![expect(
    unsafe_code,
    reason = "maps address space and lends it to an allocator that works inside it"
)]

use std::alloc::Layout;
use std::ptr::NonNull;

use millpond_replay::policies::per_stream::Arena;
use millpond_replay::policies::touched::Touched;

/// The largest range that its first-level bitmap can describe is a little below this.
const BYTES: usize = 1 << 37;
const ALIGN: usize = 512;

/// First level up to 32 bytes << 32, second level in 32 steps.
type Tlsf = rlsf::Tlsf<'static, u32, u32, 32, 32>;

/// Address space without memory behind it until it is touched; unmapped at the end.
#[derive(Debug)]
struct Range(NonNull<u8>);

// SAFETY: a range of addresses belongs to no thread.
unsafe impl Send for Range {}

impl Range {
    fn map() -> Result<Self, String> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: asks for new addresses, wherever the system likes.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err("128 GiB of addresses cannot be mapped".to_owned());
        }
        NonNull::new(start.cast())
            .map(Self)
            .ok_or_else(|| "the system mapped address 0".to_owned())
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this length, and nothing uses it any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), BYTES) };
    }
}

/// The crate's allocator with its range.
pub(crate) struct Lent {
    allocator: Tlsf,
    range: Range,
}

// SAFETY: the pointers inside lead into the range, which nobody else touches.
unsafe impl Send for Lent {}

impl Lent {
    pub(crate) fn new() -> Result<Self, String> {
        let range = Range::map()?;
        let mut allocator = Tlsf::new();
        // One granule less than the largest block there can be.
        let usable = NonNull::slice_from_raw_parts(range.0, BYTES - 4096);
        // SAFETY: the range is readable and writable, and stays as long as the allocator.
        let lent = unsafe { allocator.insert_free_block_ptr(usable) };
        lent.map(|_bytes| Self { allocator, range })
            .ok_or_else(|| "rlsf did not take its memory".to_owned())
    }

    #[inline]
    pub(crate) fn alloc(&mut self, bytes: u64) -> Option<u64> {
        let layout = Layout::from_size_align(usize::try_from(bytes).ok()?, ALIGN).ok()?;
        let block = self.allocator.allocate(layout)?;
        Some((block.addr().get() - self.range.0.addr().get()) as u64)
    }

    /// Frees what `alloc` answered with `start`.
    #[inline]
    pub(crate) fn free(&mut self, start: u64) {
        let Ok(start) = usize::try_from(start) else {
            return;
        };
        let block = self
            .range
            .0
            .map_addr(|base| base.checked_add(start).unwrap_or(base));
        // SAFETY: the replayer and the timed cases free each block once, and only blocks from here.
        unsafe { self.allocator.deallocate(block, ALIGN) };
    }
}

pub(crate) struct Rlsf {
    lent: Lent,
    touched: Touched,
}

impl Arena for Rlsf {
    fn new() -> Result<Self, String> {
        Ok(Self {
            lent: Lent::new()?,
            touched: Touched::default(),
        })
    }

    fn alloc(&mut self, bytes: u64) -> Option<u64> {
        let start = self.lent.alloc(bytes)?;
        self.touched.add(start, bytes);
        Some(start)
    }

    fn free(&mut self, start: u64) {
        self.lent.free(start);
    }

    fn reserved(&self) -> u64 {
        self.touched.bytes()
    }
}
