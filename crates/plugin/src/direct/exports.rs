//! The C functions of `include/millpond/cuda.h`.
//!
//! No panic leaves: it becomes an error or a NULL block.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use millpond_pool::{Extent, ExtentUse};
use parking_lot::Mutex;

use super::arena::{Arena, Statistics};
use super::clocks::{self, SEEN};
use super::cuda;
use super::gpu::Gpu;
use super::news::{self, Callback};
use super::noted;
use super::pools::{self, Family, Problem};
use super::settings::{Options, Settings};
use super::watch;
use crate::message;
use crate::records::{self, Awaited};

/// The codes of the header.
const INTERNAL: c_int = -8;

impl Problem {
    fn code(&self) -> c_int {
        match self {
            Self::Invalid(_) => -1,
            Self::NotOurs(_) => -2,
            Self::NoDriver(_) => -3,
            Self::Refused(refused) if refused.for_lack_of_memory => -7,
            Self::TooMany(_) => -5,
            Self::Forked => -6,
            Self::NoBlock(no_block) if no_block.for_lack_of_memory() => -7,
            Self::Refused(_) | Self::NoBlock(_) => -4,
        }
    }
}

thread_local! {
    static CODE: Cell<c_int> = const { Cell::new(0) };
}

fn fail(function: &str, code: c_int, text: &str) -> c_int {
    CODE.try_with(|last| last.set(code)).ok();
    message::keep(&format!("{function}: {text}"));
    code
}

const BUG: &str = "a bug in the library stopped this call; please report it";

fn entry(function: &str, body: impl FnOnce() -> Result<(), Problem>) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(problem)) => fail(function, problem.code(), &problem.to_string()),
        Err(_) => fail(function, INTERNAL, BUG),
    }
}

/// Runs `body`, and returns `failed` if it panics.
pub(super) fn guarded<R>(failed: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(failed)
}

#[inline(always)]
pub(super) fn number(pointer: *const c_void) -> u64 {
    pointer.expose_provenance() as u64
}

#[inline(always)]
pub(super) fn pointer(number: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(usize::try_from(number).unwrap_or(0))
}

fn null(argument: &str) -> Problem {
    Problem::Invalid(format!("the argument '{argument}' is NULL"))
}

/// A structure of C that says how long it is, as far as we know it; what is longer must be zero.
///
/// # Safety
///
/// `given` is NULL or points to a structure that starts with its size and is as long as it says.
unsafe fn read_settings(given: *const Options) -> Result<Option<Settings>, Problem> {
    if given.is_null() {
        return Ok(None);
    }
    let known = size_of::<Options>();
    // SAFETY: the caller's promise.
    let size = unsafe { given.cast::<usize>().read_unaligned() };
    if size < size_of::<usize>() || size > 4096 {
        return Err(Problem::Invalid(format!(
            "options.struct_size is {size}, but must be sizeof(millpondCudaOptions)"
        )));
    }
    let mut options = Options::default();
    let bytes = size.min(known);
    let into = std::ptr::from_mut(&mut options).cast::<u8>();
    // SAFETY: both are at least so long, and ours is made of integers.
    unsafe { given.cast::<u8>().copy_to(into, bytes) };
    // SAFETY: the structure is as long as it says.
    let whole = unsafe { std::slice::from_raw_parts(given.cast::<u8>(), size) };
    if whole[bytes..].iter().any(|&byte| byte != 0) {
        return Err(Problem::Invalid(
            "options has fields that this version does not support; they must be zero".to_owned(),
        ));
    }
    Settings::try_from(options)
        .map(Some)
        .map_err(Problem::Invalid)
}

/// Writes as much of a structure as fits into what is at `to`, which starts with its size.
///
/// # Safety
///
/// `to` is NULL or points to a structure that starts with its size and is as long as it says; `T` starts with a size too.
unsafe fn write_out<T>(to: *mut T, value: &T, name: &str) -> Result<(), Problem> {
    if to.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    let room = unsafe { to.cast::<usize>().read_unaligned() };
    if room < size_of::<usize>() {
        return Err(Problem::Invalid(format!(
            "{name}->struct_size is {room}, but must be the size of the structure"
        )));
    }
    let bytes = room.min(size_of::<T>());
    // SAFETY: both are at least so long.
    unsafe {
        std::ptr::from_ref(value)
            .cast::<u8>()
            .copy_to(to.cast(), bytes);
    };
    // SAFETY: the first field is the size.
    unsafe { to.cast::<usize>().write_unaligned(bytes) };
    Ok(())
}

/// # Safety
///
/// `to` is NULL or can be written.
unsafe fn write_if<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller's promise.
        unsafe { to.write_unaligned(value) };
    }
}

fn arena_of_pool(pool: *mut c_void) -> Result<&'static Arena, Problem> {
    if pool.is_null() {
        return Err(null("pool"));
    }
    pools::arena(number(pool))
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaCreate(
    device: c_int,
    options: *const Options,
    pool: *mut *mut c_void,
) -> c_int {
    entry("millpondCudaCreate", || {
        if pool.is_null() {
            return Err(null("pool"));
        }
        // SAFETY: the header asks for a structure that starts with its size.
        let settings = unsafe { read_settings(options) }?.unwrap_or_default();
        let made = pools::create(Family::Cuda, device, settings)?;
        // SAFETY: not NULL, and the header asks for a place to write to.
        unsafe { pool.write_unaligned(pointer(made)) };
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaDefault(
    device: c_int,
    options: *const Options,
    pool: *mut *mut c_void,
) -> c_int {
    entry("millpondCudaDefault", || {
        if pool.is_null() {
            return Err(null("pool"));
        }
        // SAFETY: the header asks for a structure that starts with its size.
        let settings = unsafe { read_settings(options) }?;
        let arena = pools::shared(Family::Cuda, device, settings)?;
        // SAFETY: not NULL, and the header asks for a place to write to.
        unsafe { pool.write_unaligned(pointer(arena.handle())) };
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaKeep(pool: *mut c_void, keep: c_int) -> c_int {
    entry("millpondCudaKeep", || {
        let arena = arena_of_pool(pool)?;
        if keep != 0 && arena.settings.windows {
            return Err(Problem::Invalid(
                "this pool moves pages; create one with MILLPOND_CUDA_KEEP, or with MILLPOND_CUDA_NO_WINDOWS"
                    .to_owned(),
            ));
        }
        arena.keep.store(keep != 0, Ordering::Release);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaDestroy(pool: *mut c_void) -> c_int {
    entry("millpondCudaDestroy", || {
        if pool.is_null() {
            return Err(null("pool"));
        }
        pools::destroy(number(pool))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaAlloc(
    pool: *mut c_void,
    bytes: usize,
    stream: *mut c_void,
) -> *mut c_void {
    let (pool, bytes, stream) = (number(pool), bytes as u64, number(stream));
    match guarded(None, || pools::alloc_kept(pool, bytes, stream)) {
        Some(address) => {
            noted::allocated(address, bytes, stream);
            pointer(address)
        }
        None => alloc_slowly("millpondCudaAlloc", pool, bytes, stream, None),
    }
}

#[cold]
fn alloc_slowly(
    function: &'static str,
    pool: u64,
    bytes: u64,
    stream: u64,
    address: Option<u64>,
) -> *mut c_void {
    let found = catch_unwind(|| pools::alloc(pool, bytes, stream, address));
    match found {
        Ok(Ok(address)) => {
            noted::allocated(address, bytes, stream);
            pointer(address)
        }
        Ok(Err((Problem::NoBlock(no_block), Some(arena)))) => {
            noted::refused(arena, bytes, &no_block.to_string());
            let code = Problem::NoBlock(no_block.clone()).code();
            CODE.try_with(|last| last.set(code)).ok();
            message::keep_later(move || format!("{function}: {}", arena.report(&no_block)));
            std::ptr::null_mut()
        }
        Ok(Err((problem, _))) => {
            fail(function, problem.code(), &problem.to_string());
            std::ptr::null_mut()
        }
        Err(_) => {
            fail(function, INTERNAL, BUG);
            std::ptr::null_mut()
        }
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaAllocAt(
    pool: *mut c_void,
    bytes: usize,
    stream: *mut c_void,
    address: *mut c_void,
) -> *mut c_void {
    alloc_slowly(
        "millpondCudaAllocAt",
        number(pool),
        bytes as u64,
        number(stream),
        Some(number(address)),
    )
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaFree(block: *mut c_void) -> c_int {
    let address = number(block);
    if guarded(false, || pools::free(address)) || block.is_null() {
        return 0;
    }
    not_freed(address)
}

#[cold]
fn not_freed(address: u64) -> c_int {
    let text = format!(
        "{address:#x} is not the start of a live block: it was freed before, or is not from this library"
    );
    message::misuse(&format!("millpondCudaFree: {text}"));
    fail("millpondCudaFree", -2, &text)
}

fn no_block(address: u64) -> Problem {
    Problem::NotOurs(format!("there is no live block at {address:#x}"))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaRecordUse(block: *mut c_void, stream: *mut c_void) -> c_int {
    entry("millpondCudaRecordUse", || record_use(block, None, stream))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaRecordUseOn(
    block: *mut c_void,
    device: c_int,
    stream: *mut c_void,
) -> c_int {
    entry("millpondCudaRecordUseOn", || {
        if device < 0 {
            return Err(Problem::Invalid(format!("device {device} is negative")));
        }
        record_use(block, Some(device), stream)
    })
}

fn record_use(block: *mut c_void, device: Option<i32>, stream: *mut c_void) -> Result<(), Problem> {
    let address = number(block);
    let arena = pools::arena_of(address).ok_or_else(|| no_block(address))?;
    let offset = arena.offset(address).ok_or_else(|| no_block(address))?;
    if let Some(device) = device {
        // Work on a device that does not exist would never be seen to complete.
        pools::look(device)?;
    }
    let device = device.unwrap_or(arena.gpu.number);
    let handle = number(stream);
    let stream = pools::stream_of(pools::key(handle, device), device);
    if arena.is_cuda() {
        pools::open_for(&stream, arena.gpu.number);
    }
    if !arena.note_use(offset, &stream) {
        return Err(no_block(address));
    }
    noted::used(address, stream.device(), handle);
    Ok(())
}

/// The C structure `millpondCudaBlock`. Fields are only ever added at its end.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Block {
    struct_size: usize,
    pool: *mut c_void,
    device: i32,
    state: u32,
    address: *mut c_void,
    bytes: u64,
    requested_bytes: u64,
    stream: *mut c_void,
}

const _: () = assert!(size_of::<Block>() == 56 && std::mem::offset_of!(Block, address) == 24);

const LIVE: u32 = 1;
const PENDING: u32 = 2;
const FREE: u32 = 3;
const SEGMENT: u32 = 4;

fn block(arena: &Arena, extent: &Extent, state: u32) -> Block {
    Block {
        struct_size: size_of::<Block>(),
        pool: pointer(arena.handle()),
        device: arena.gpu.number,
        state,
        address: pointer(arena.base + extent.offset),
        bytes: extent.bytes,
        requested_bytes: extent.requested,
        stream: pointer(arena.stream_of(extent.stream)),
    }
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaFind(address: *const c_void, to: *mut Block) -> c_int {
    entry("millpondCudaFind", || {
        let address = number(address);
        let arena = pools::arena_of(address).ok_or_else(|| no_block(address))?;
        let offset = arena.offset(address).ok_or_else(|| no_block(address))?;
        let found = arena.pool.find(offset).ok_or_else(|| no_block(address))?;
        let home = arena
            .pool
            .home_of(offset)
            .ok_or_else(|| no_block(address))?;
        let extent = Extent {
            offset: found.offset,
            bytes: found.bytes,
            requested: found.requested,
            is: ExtentUse::Live,
            stream: home.stream(),
        };
        // SAFETY: the header asks for a structure that starts with its size.
        unsafe { write_out(to, &block(arena, &extent, LIVE), "block") }
    })
}

type Visitor = unsafe extern "C" fn(*mut c_void, *const Block) -> c_int;

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaVisit(
    pool: *mut c_void,
    visitor: Option<Visitor>,
    user: *mut c_void,
) -> c_int {
    let mut answer = 0;
    let code = entry("millpondCudaVisit", || {
        let visitor = visitor.ok_or_else(|| null("visitor"))?;
        let arenas: Vec<&Arena> = if pool.is_null() {
            pools::arenas().collect()
        } else {
            vec![arena_of_pool(pool)?]
        };
        for arena in arenas {
            for segment in arena.segments() {
                let bytes = segment.iter().map(|extent| extent.bytes).sum();
                let whole = segment.first().map(|first| Extent {
                    bytes,
                    requested: 0,
                    ..*first
                });
                let parts = segment.iter().map(|extent| {
                    let state = match extent.is {
                        ExtentUse::Live => LIVE,
                        ExtentUse::Pending => PENDING,
                        ExtentUse::Free | ExtentUse::Lent => FREE,
                    };
                    block(arena, extent, state)
                });
                let whole = whole.map(|whole| block(arena, &whole, SEGMENT));
                for block in whole.into_iter().chain(parts) {
                    // SAFETY: the program's function, with what it passed and a block that lives during the call.
                    answer = unsafe { visitor(user, &raw const block) };
                    if answer != 0 {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    });
    if code == 0 { answer } else { code }
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaTrim(
    pool: *mut c_void,
    keep_bytes: u64,
    returned: *mut u64,
) -> c_int {
    entry("millpondCudaTrim", || {
        let went = if pool.is_null() {
            pools::trim_all(keep_bytes)
        } else {
            arena_of_pool(pool)?.trim(keep_bytes)?
        };
        // SAFETY: the header asks for NULL or a place to write to.
        unsafe { write_if(returned, went) };
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaSetLimit(device: c_int, bytes: u64) -> c_int {
    entry("millpondCudaSetLimit", || {
        pools::device(Family::Cuda, device)?.set_limit(bytes);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaGetLimit(device: c_int, bytes: *mut u64) -> c_int {
    entry("millpondCudaGetLimit", || {
        if bytes.is_null() {
            return Err(null("bytes"));
        }
        let limit = pools::look(device)?.map_or(u64::MAX, Gpu::limit);
        // SAFETY: not NULL, and the header asks for a place to write to.
        unsafe { write_if(bytes, limit) };
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaStats(pool: *mut c_void, stats: *mut Statistics) -> c_int {
    entry("millpondCudaStats", || {
        let numbers = arena_of_pool(pool)?.statistics();
        // SAFETY: the header asks for a structure that starts with its size.
        unsafe { write_out(stats, &numbers, "stats") }
    })
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaDeviceStats(device: c_int, stats: *mut Statistics) -> c_int {
    entry("millpondCudaDeviceStats", || {
        let numbers = pools::device_statistics(device)?;
        // SAFETY: the header asks for a structure that starts with its size.
        unsafe { write_out(stats, &numbers, "stats") }
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaResetPeaks(device: c_int) -> c_int {
    entry("millpondCudaResetPeaks", || {
        let Some(gpu) = pools::look(device)? else {
            return Ok(());
        };
        gpu.reset_peak();
        for arena in pools::arenas_of(device) {
            arena.reset_peaks();
        }
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaResetCounts(device: c_int) -> c_int {
    entry("millpondCudaResetCounts", || {
        let Some(gpu) = pools::look(device)? else {
            return Ok(());
        };
        gpu.reset_counts();
        for arena in pools::arenas_of(device) {
            arena.reset_counts();
        }
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaListen(callback: Option<Callback>, user: *mut c_void) -> c_int {
    entry("millpondCudaListen", || {
        let callback = callback.ok_or_else(|| null("callback"))?;
        let added = news::listen(callback, user);
        added.then_some(()).ok_or(Problem::TooMany("callbacks"))
    })
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaWatch(replaced: *mut u32) -> c_int {
    entry("millpondCudaWatch", || {
        let count = watch::install();
        // SAFETY: the header asks for NULL or a place to write to.
        unsafe { write_if(replaced, count) };
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaEventRecorded(event: *mut c_void, stream: *mut c_void) -> c_int {
    entry("millpondCudaEventRecorded", || {
        let event = number(event);
        let record = clocks::recording(event);
        let captured = pools::stream_here(number(stream)).capture();
        clocks::recorded(event, record, captured);
        noted::event_recorded(event, number(stream));
        SEEN.records.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaEventGone(event: *mut c_void) -> c_int {
    entry("millpondCudaEventGone", || {
        clocks::forget_event(number(event));
        records::event_gone(number(event));
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaStreamWaits(stream: *mut c_void, event: *mut c_void) -> c_int {
    entry("millpondCudaStreamWaits", || {
        if let Some((_, captured)) = clocks::look(number(event)) {
            pools::stream_here(number(stream)).merge(&captured);
            noted::stream_waits(number(stream), number(event));
            SEEN.waits.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaEventSynchronized(event: *mut c_void) -> c_int {
    entry("millpondCudaEventSynchronized", || {
        if let Some((_, captured)) = clocks::look(number(event)) {
            captured.is_over();
            noted::event_over(number(event), false);
            SEEN.synchronisations.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaNow() -> u64 {
    clocks::end_moment()
}

fn check_moment(moment: u64) -> Result<(), Problem> {
    if moment < clocks::now() {
        return Ok(());
    }
    Err(Problem::Invalid(format!(
        "{moment} is not a moment that millpondCudaNow returned"
    )))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaStreamSynchronized(stream: *mut c_void, moment: u64) -> c_int {
    entry("millpondCudaStreamSynchronized", || {
        check_moment(moment)?;
        pools::stream_here(number(stream)).learn(moment);
        noted::stream_over(number(stream), false);
        SEEN.synchronisations.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaDeviceSynchronized(device: c_int, moment: u64) -> c_int {
    entry("millpondCudaDeviceSynchronized", || {
        check_moment(moment)?;
        clocks::device_passed(device, moment);
        records::synchronized(Awaited::Device(device));
        SEEN.synchronisations.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaStreamGone(stream: *mut c_void) -> c_int {
    entry("millpondCudaStreamGone", || {
        noted::stream_gone(number(stream));
        pools::stream_gone(number(stream));
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaCapture(device: c_int, change: c_int) -> c_int {
    entry("millpondCudaCapture", || {
        if change.abs() != 1 {
            return Err(Problem::Invalid(format!(
                "change is {change}, but must be 1 or -1"
            )));
        }
        let counted = pools::device(Family::Cuda, device)?.capture(change);
        counted.then_some(()).ok_or_else(|| {
            Problem::Invalid(format!(
                "no capture is under way on device {device}, so none can end"
            ))
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaPages(
    address: *const c_void,
    handles: *mut u64,
    room: usize,
    count: *mut usize,
    page_bytes: *mut u64,
    offset: *mut u64,
) -> c_int {
    entry("millpondCudaPages", || {
        let address = number(address);
        let arena = pools::arena_of(address).ok_or_else(|| no_block(address))?;
        let place = arena.offset(address).ok_or_else(|| no_block(address))?;
        let found = arena.pool.find(place).ok_or_else(|| no_block(address))?;
        let pages = arena.mapped.handles(found.offset, found.bytes);
        let pages = pages.ok_or_else(|| no_block(address))?;
        if handles.is_null() && room > 0 {
            return Err(null("handles"));
        }
        for (at, &handle) in pages.iter().take(room).enumerate() {
            // SAFETY: there is room for so many, as the caller says.
            let place = unsafe { handles.add(at) };
            // SAFETY: as above.
            unsafe { place.write_unaligned(handle) };
        }
        let page = arena.settings.page;
        // SAFETY: the header asks for NULL or a place to write to.
        unsafe { write_if(count, pages.len()) };
        // SAFETY: as above.
        unsafe { write_if(page_bytes, page.bytes()) };
        // SAFETY: as above.
        unsafe { write_if(offset, place - page.down(found.offset)) };
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaAllowPeer(device: c_int, peer: c_int) -> c_int {
    entry("millpondCudaAllowPeer", || {
        // A caller that finds a device in the list relies on its access to all that is mapped.
        static ALLOWING: Mutex<()> = Mutex::new(());
        let gpu = pools::device(Family::Cuda, device)?;
        if peer == device {
            return Ok(());
        }
        cuda::can_access(peer, device)?;
        let _allowing = ALLOWING.lock();
        {
            let mut others = gpu.others.write();
            if others.contains(&peer) {
                return Ok(());
            }
            others.push(peer);
        }
        let allowed = pools::arenas_of(device).try_for_each(Arena::allow);
        if allowed.is_err() {
            gpu.others.write().retain(|&other| other != peer);
        }
        Ok(allowed?)
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaMessage() -> *const c_char {
    guarded(c"".as_ptr(), message::last)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaCode() -> c_int {
    CODE.try_with(Cell::get).unwrap_or(0)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondCudaVersion() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
