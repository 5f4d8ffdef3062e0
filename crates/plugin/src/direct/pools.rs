//! All pools of the process: which device, arena and lane a number means.
//!
//! An arena is found from an address by a flat table: addresses of arenas start and end at multiples of [`SPAN`]. Arenas and devices
//! are never freed, so what a table names can be read at any time. A thread finds the lanes that it uses without either
//! (`recent`).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicU32, Ordering};

use parking_lot::{Mutex, RwLock};

use super::arena::{self, Arena, Lane, NoBlock, Statistics};
use super::clocks::{self, Key};
use super::cuda;
use super::device::{Device, Refused, inside};
use super::gpu::Gpu;
use super::recent;
use super::settings::Settings;
use crate::records;

pub(crate) const FORKED_TEXT: &str = "this process was forked from one that used the GPU, which cannot be used here: use CUDA \
     only after the fork, or start a new program";

/// Why a call got nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Problem {
    Invalid(String),
    NotOurs(String),
    NoDriver(String),
    Refused(Refused),
    TooMany(&'static str),
    Forked,
    NoBlock(NoBlock),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text) | Self::NotOurs(text) | Self::NoDriver(text) => f.write_str(text),
            Self::Refused(refused) => refused.fmt(f),
            Self::TooMany(what) => write!(f, "there are too many {what}"),
            Self::Forked => f.write_str(FORKED_TEXT),
            Self::NoBlock(no_block) => no_block.fmt(f),
        }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

/// Which driver a device belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Cuda,
    Ascend,
}

/// Addresses of an arena start and end at multiples of this.
const SPAN_SHIFT: u32 = 34;
const SPAN: u64 = 1 << SPAN_SHIFT;
/// Addresses have at most so many bits.
const ADDRESS_BITS: u32 = 49;
const SPANS: usize = 1 << (ADDRESS_BITS - SPAN_SHIFT);
/// The most arenas.
const MOST: usize = 4096;

/// The arena whose addresses are in a span, plus one.
static OF_SPAN: [AtomicU16; SPANS] = [const { AtomicU16::new(0) }; SPANS];
static ARENAS: [AtomicPtr<Arena>; MOST] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST];
static COUNT: AtomicU32 = AtomicU32::new(0);

#[derive(Debug, Default)]
struct Registry {
    gpus: Vec<(Family, &'static Gpu)>,
    /// Pools of devices that all parts of a program share, and their settings.
    defaults: Vec<(Family, i32, &'static Arena)>,
    /// Arenas that serve no pool now.
    idle: Vec<&'static Arena>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    gpus: Vec::new(),
    defaults: Vec::new(),
    idle: Vec::new(),
});

/// Arenas whose pool was destroyed and that are not empty yet.
static ENDING: RwLock<Vec<&'static Arena>> = RwLock::new(Vec::new());

static FORKED: AtomicBool = AtomicBool::new(false);

#[expect(
    unsafe_code,
    reason = "asks the system to call a function after a fork"
)]
fn watch_forks() {
    extern "C" fn child() {
        FORKED.store(true, Ordering::Release);
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function only stores to a static.
        unsafe { libc::pthread_atfork(None, None, Some(child)) };
    });
}

pub(crate) fn is_forked() -> bool {
    FORKED.load(Ordering::Acquire)
}

#[inline(always)]
#[expect(unsafe_code, reason = "arenas in the table are never freed")]
fn arena_at(index: usize) -> Option<&'static Arena> {
    let arena = ARENAS.get(index)?.load(Ordering::Acquire);
    // SAFETY: null, or an arena that was leaked.
    unsafe { arena.as_ref() }
}

/// The arena in whose range an address is.
#[inline(always)]
pub(crate) fn arena_of(address: u64) -> Option<&'static Arena> {
    let span = usize::try_from(address >> SPAN_SHIFT).ok()?;
    let index = OF_SPAN.get(span)?.load(Ordering::Acquire);
    arena_at(usize::from(index).checked_sub(1)?)
}

/// The arena that a pool's number means.
pub(crate) fn arena(handle: u64) -> Result<&'static Arena, Problem> {
    let index = usize::try_from(handle & 0xffff_ffff).unwrap_or(0);
    index
        .checked_sub(1)
        .and_then(arena_at)
        .filter(|arena| arena.handle() == handle && !arena.ended.load(Ordering::Acquire))
        .ok_or_else(|| {
            Problem::NotOurs(format!(
                "{handle:#x} is not a pool, or it was destroyed before"
            ))
        })
}

/// All arenas that serve a pool, or have served one and are not empty.
pub(crate) fn arenas() -> impl Iterator<Item = &'static Arena> {
    let count = COUNT.load(Ordering::Acquire) as usize;
    (0..count).filter_map(arena_at)
}

/// The device with this number, opened if it is new.
fn gpu(registry: &mut Registry, family: Family, number: i32) -> Result<&'static Gpu, Problem> {
    let known = |(of, gpu): &&(Family, &'static Gpu)| *of == family && gpu.number == number;
    if let Some((_, gpu)) = registry.gpus.iter().find(known) {
        return Ok(gpu);
    }
    let device: Box<dyn Device> = match family {
        Family::Cuda => {
            let number = u32::try_from(number)
                .map_err(|_| Problem::Invalid(format!("device {number} is negative")))?;
            let no_driver = |refused: Refused| Problem::NoDriver(refused.text);
            cuda::driver().map_err(no_driver)?;
            Box::new(cuda::Gpu::open(number)?)
        }
        Family::Ascend => Box::new(super::ascend::Npu::open(number).map_err(Problem::NoDriver)?),
    };
    add_gpu(registry, family, device)
}

fn add_gpu(
    registry: &mut Registry,
    family: Family,
    device: Box<dyn Device>,
) -> Result<&'static Gpu, Problem> {
    let (_, total) = inside(&*device, || device.memory())??;
    if family == Family::Cuda {
        records::begin().map_err(|problem| Problem::Invalid(problem.to_owned()))?;
        records::device("millpondCudaCreate", device.number(), total);
    }
    // One per device of the machine.
    let gpu: &'static Gpu = Box::leak(Box::new(Gpu::new(device, total)));
    registry.gpus.push((family, gpu));
    if family == Family::Cuda
        && let Some(place) = usize::try_from(gpu.number).ok().and_then(|at| GPUS.get(at))
    {
        place.store(std::ptr::from_ref(gpu).cast_mut(), Ordering::Release);
    }
    Ok(gpu)
}

/// GPUs that are open, by number.
static GPUS: [AtomicPtr<Gpu>; 128] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 128];

/// A GPU, if it is open.
#[expect(unsafe_code, reason = "GPUs in the table are never freed")]
pub(crate) fn opened(number: i32) -> Option<&'static Gpu> {
    let gpu = GPUS.get(usize::try_from(number).ok()?)?;
    // SAFETY: null, or a GPU that was leaked.
    unsafe { gpu.load(Ordering::Acquire).as_ref() }
}

/// A GPU of the driver, if it is open: whoever only asks makes no context on it.
pub(crate) fn look(number: i32) -> Result<Option<&'static Gpu>, Problem> {
    if let Some(gpu) = opened(number) {
        return Ok(Some(gpu));
    }
    let index = u32::try_from(number)
        .map_err(|_| Problem::Invalid(format!("device {number} is negative")))?;
    cuda::exists(index)?;
    Ok(None)
}

/// A device that is open, or is opened now.
pub(crate) fn device(family: Family, number: i32) -> Result<&'static Gpu, Problem> {
    gpu(&mut REGISTRY.lock(), family, number)
}

/// Opens the device of a stream that uses memory of another device: only on its own device can an event show the stream's
/// progress. The device's context exists already, or the stream would not.
pub(crate) fn open_for(stream: &clocks::Stream, memory_of: i32) {
    let device = stream.device();
    if device >= 0 && device != memory_of && opened(device).is_none() {
        // If this fails, the memory waits for a synchronisation instead.
        self::device(Family::Cuda, device).ok();
    }
}

/// Makes a pool; returns its number.
pub(crate) fn create(family: Family, number: i32, settings: Settings) -> Result<u64, Problem> {
    let mut registry = REGISTRY.lock();
    let arena = make(&mut registry, family, number, settings)?;
    Ok(arena.handle())
}

/// The pool that all share, made with these settings if there is none.
pub(crate) fn shared(
    family: Family,
    number: i32,
    settings: Option<Settings>,
) -> Result<&'static Arena, Problem> {
    let mut registry = REGISTRY.lock();
    let of =
        |(its, device, _): &&(Family, i32, &'static Arena)| *its == family && *device == number;
    if let Some((.., arena)) = registry.defaults.iter().find(of) {
        if settings.is_some_and(|settings| settings != arena.settings) {
            return Err(Problem::Invalid(format!(
                "device {number} has a pool already, with other options: pass the same ones, or NULL"
            )));
        }
        return Ok(arena);
    }
    let arena = make(&mut registry, family, number, settings.unwrap_or_default())?;
    registry.defaults.push((family, number, arena));
    if let Some(place) = place(family, number) {
        place.store(std::ptr::from_ref(arena).cast_mut(), Ordering::Release);
    }
    Ok(arena)
}

/// Pools of the first devices that all parts of a program share, by family and number.
static SHARED: [[AtomicPtr<Arena>; 64]; 2] =
    [const { [const { AtomicPtr::new(std::ptr::null_mut()) }; 64] }; 2];

fn place(family: Family, number: i32) -> Option<&'static AtomicPtr<Arena>> {
    SHARED[family as usize].get(usize::try_from(number).ok()?)
}

/// The pool that all share, if there is one.
#[inline]
#[expect(unsafe_code, reason = "arenas in the table are never freed")]
pub(crate) fn existing(family: Family, number: i32) -> Option<&'static Arena> {
    let arena = place(family, number)?.load(Ordering::Acquire);
    // SAFETY: null, or an arena that was leaked.
    unsafe { arena.as_ref() }
}

fn make(
    registry: &mut Registry,
    family: Family,
    number: i32,
    mut settings: Settings,
) -> Result<&'static Arena, Problem> {
    if is_forked() {
        return Err(Problem::Forked);
    }
    watch_forks();
    let gpu = gpu(registry, family, number)?;
    settings.windows &= gpu.device.shows_pages_twice();
    clean_up(registry);
    // Addresses of a pool that was destroyed serve the next one that is like it.
    let like = |arena: &&'static Arena| std::ptr::eq(arena.gpu, gpu) && arena.settings == settings;
    if let Some(at) = registry.idle.iter().position(like) {
        let arena = registry.idle.swap_remove(at);
        arena.begin_again(settings.keep);
        return Ok(arena);
    }
    let index = COUNT.load(Ordering::Acquire);
    if index as usize >= MOST {
        return Err(Problem::TooMany("pools"));
    }
    let arena = inside(&*gpu.device, || open(gpu, settings, index))??;
    ARENAS[index as usize].store(std::ptr::from_ref(arena).cast_mut(), Ordering::Release);
    COUNT.store(index + 1, Ordering::Release);
    let spans = arena.base >> SPAN_SHIFT..(arena.base + arena.range).div_ceil(SPAN);
    for span in spans {
        let entry = usize::try_from(span)
            .ok()
            .and_then(|span| OF_SPAN.get(span));
        if let Some(entry) = entry {
            entry.store(u16::try_from(index + 1).unwrap_or(0), Ordering::Release);
        }
    }
    Ok(arena)
}

/// Reserves addresses that start and end at multiples of the span. Called inside the device.
fn open(gpu: &'static Gpu, settings: Settings, index: u32) -> Result<&'static Arena, Problem> {
    let device = &*gpu.device;
    if !device.fits(settings.page.bytes())? {
        return Err(Problem::Invalid(format!(
            "device {} has no pages of {} bytes",
            gpu.number,
            settings.page.bytes()
        )));
    }
    let (home, windows) = arena::ranges(&settings, gpu.total);
    let bytes = (home + windows).next_multiple_of(SPAN) + SPAN;
    let address = device.reserve(bytes)?;
    if (address + bytes) >> ADDRESS_BITS != 0 {
        device.release(address, bytes);
        return Err(Problem::Refused(Refused {
            text: format!("the driver reserved addresses at {address:#x}, beyond 2^{ADDRESS_BITS}"),
            for_lack_of_memory: false,
            is_final: false,
        }));
    }
    let base = address.next_multiple_of(SPAN);
    // What a page costs is found out now and not in the middle of a program.
    Ok(Box::leak(Box::new(Arena::new(index, gpu, settings, base))))
}

/// A pool was destroyed.
pub(crate) fn destroy(handle: u64) -> Result<(), Problem> {
    let arena = arena(handle)?;
    {
        let mut registry = REGISTRY.lock();
        registry.defaults.retain(|(family, number, other)| {
            let goes = std::ptr::eq(*other, arena);
            if goes && let Some(place) = place(*family, *number) {
                place.store(std::ptr::null_mut(), Ordering::Release);
            }
            !goes
        });
    }
    if arena.ended.swap(true, Ordering::AcqRel) {
        return Err(Problem::NotOurs("the pool was destroyed before".to_owned()));
    }
    arena.life.fetch_add(1, Ordering::AcqRel);
    for lane in arena.lanes.read().iter() {
        lane.closed.store(true, Ordering::Release);
    }
    arena.keep.store(false, Ordering::Release);
    ENDING.write().push(arena);
    if !is_forked() {
        inside(&*arena.gpu.device, || {
            for lane in arena.lanes.read().iter() {
                arena.gpu.record(&lane.stream);
            }
            arena.gpu.poll();
            arena.give_back(0);
        })
        .ok();
        clean_up(&mut REGISTRY.lock());
    }
    Ok(())
}

/// Moves arenas that have become empty to those that serve the next pools.
fn clean_up(registry: &mut Registry) {
    if ENDING.read().is_empty() {
        return;
    }
    ENDING.write().retain(|arena| {
        let over = arena.is_empty();
        if over {
            registry.idle.push(arena);
        }
        !over
    });
}

/// Gives back what other arenas of a device have idle; answers whether any went. Called inside the device.
pub(crate) fn give_back(gpu: &Gpu) -> bool {
    let mut any = false;
    for arena in arenas().filter(|arena| std::ptr::eq(arena.gpu, gpu)) {
        any |= arena.give_back(0) > 0;
    }
    any
}

/// Now and then, when a pool takes memory: what has ended, and libraries that were loaded. Called inside the device.
pub(crate) fn look_around(gpu: &Gpu) {
    // The program hears of pages that go, and may destroy a pool meanwhile. An arena that has come to serve another pool by then
    // only gives back what it has idle.
    let ending = ENDING.read().clone();
    for arena in ending {
        if std::ptr::eq(arena.gpu, gpu) && arena.ended.load(Ordering::Acquire) {
            arena.give_back(0);
        }
    }
    super::watch::refresh();
}

/// Gives back idle memory of all arenas until each has at most `keep` bytes.
pub(crate) fn trim_all(keep: u64) -> u64 {
    let trimmed = arenas().map(|arena| arena.trim(keep).unwrap_or(0)).sum();
    clean_up(&mut REGISTRY.lock());
    trimmed
}

/// All arenas of a GPU.
pub(crate) fn arenas_of(device: i32) -> impl Iterator<Item = &'static Arena> {
    arenas().filter(move |arena| arena.gpu.number == device && arena.is_cuda())
}

/// Statistics of all pools of a GPU together.
pub(crate) fn device_statistics(device: i32) -> Result<Statistics, Problem> {
    let gpu = look(device)?;
    let none = || Statistics {
        struct_size: size_of::<Statistics>(),
        device,
        limit_bytes: gpu.map_or(u64::MAX, Gpu::limit),
        ..Statistics::default()
    };
    let Some(gpu) = gpu else {
        return Ok(none());
    };
    let mut all = arenas_of(device).map(Arena::statistics);
    let mut sum = all.next().unwrap_or_else(none);
    for more in all {
        sum.add(&more);
    }
    let (held, most) = gpu.held();
    let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    (sum.reserved_bytes.current, sum.reserved_bytes.peak) = (number(held), number(most));
    Ok(sum)
}

// Streams.

/// The legacy default stream, and that of the thread.
const LEGACY: u64 = 1;
const OF_THREAD: u64 = 2;

fn thread() -> u64 {
    thread_local! {
        static THREAD: u64 = {
            static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
            NEXT.fetch_add(1, Ordering::Relaxed)
        };
    }
    THREAD.try_with(|thread| *thread).unwrap_or(0)
}

/// Which stream a handle means on a device.
pub(crate) fn key(stream: u64, device: i32) -> Key {
    match stream {
        0 | LEGACY => Key {
            handle: 0,
            device,
            thread: 0,
        },
        OF_THREAD => Key {
            handle: OF_THREAD,
            device,
            thread: thread(),
        },
        handle => Key {
            handle,
            device: 0,
            thread: 0,
        },
    }
}

/// Whether the handle of a key means that stream on this thread too.
pub(crate) fn is_within_reach(key: &Key) -> bool {
    key.handle != OF_THREAD || key.thread != 0 && key.thread == thread()
}

/// [`key`] for a stream of the CUDA runtime, whose device is that of the thread if it is a default stream.
pub(crate) fn key_here(stream: u64) -> Key {
    let device = if stream <= OF_THREAD {
        cuda::current_device().unwrap_or(0)
    } else {
        0
    };
    key(stream, device)
}

/// The stream that a handle means here.
pub(crate) fn stream_here(stream: u64) -> Arc<clocks::Stream> {
    let key = key_here(stream);
    let device = if stream <= OF_THREAD { key.device } else { -1 };
    stream_of(key, device)
}

/// The stream of a key; `device` says where it is if it is a default stream, or the driver does not know.
pub(crate) fn stream_of(key: Key, device: i32) -> Arc<clocks::Stream> {
    clocks::stream(key, || match key.handle {
        0..=OF_THREAD => device,
        handle => cuda::device_of(handle).unwrap_or(device),
    })
}

/// A stream was destroyed.
pub(crate) fn stream_gone(stream: u64) {
    let Some(stream) = clocks::known(key_here(stream)) else {
        return;
    };
    clocks::ends(&stream);
    if let Some(gpu) = opened(stream.device()) {
        // Without a last event its memory waits for a synchronisation.
        inside(&*gpu.device, || gpu.record_last(&stream)).ok();
    }
    clocks::gone(&stream);
    clocks::sweep();
    for arena in arenas() {
        arena.stream_gone(stream.id);
    }
}

// Blocks.

/// A cached block of a stream, if the thread knows the lane: the fast path.
#[inline(always)]
pub(crate) fn alloc_kept(pool: u64, bytes: u64, stream: u64) -> Option<u64> {
    // What the device has is not there after a fork.
    if FORKED.load(Ordering::Relaxed) {
        return None;
    }
    let ask = arena::ask(bytes)?;
    recent::with_lane(pool, stream, |lane| {
        let quick = lane.arena.pool.alloc(&lane.shard, &ask)?;
        Some(lane.arena.base + quick.offset)
    })
}

/// The lane of a stream in a pool.
pub(crate) fn lane(pool: u64, stream: u64) -> Result<Arc<Lane>, Problem> {
    if let Some(lane) = recent::lane(pool, stream) {
        return Ok(lane);
    }
    let arena = arena(pool)?;
    if is_forked() {
        return Err(Problem::Forked);
    }
    let number = arena.gpu.number;
    let key = key(stream, number);
    let of = if arena.is_cuda() {
        let of = stream_of(key, number);
        open_for(&of, number);
        of
    } else {
        clocks::stream(key, || number)
    };
    let lane = arena.lane(&of).ok_or(Problem::TooMany("streams"))?;
    recent::remember(pool, stream, &lane);
    Ok(lane)
}

/// A block, at `address` if there is one.
#[cold]
pub(crate) fn alloc(
    pool: u64,
    bytes: u64,
    stream: u64,
    address: Option<u64>,
) -> Result<u64, (Problem, Option<&'static Arena>)> {
    if is_forked() {
        return Err((Problem::Forked, None));
    }
    let lane = lane(pool, stream).map_err(|why| (why, None))?;
    let arena = lane.arena;
    let too_large = || Problem::Invalid(format!("{bytes} bytes are more than there are addresses"));
    let ask = arena::ask(bytes).ok_or_else(|| (too_large(), None))?;
    let wish = match address {
        None => None,
        Some(address) => Some(arena.offset(address).ok_or_else(|| {
            let text = format!("{address:#x} is not in the pool's range of addresses");
            (Problem::Invalid(text), None)
        })?),
    };
    let offset = arena
        .find(&lane, &ask, wish)
        .map_err(|no_block| (Problem::NoBlock(no_block), Some(arena)))?;
    if wish.is_some_and(|wish| wish != offset) {
        arena.pool.free_at_home(offset, clocks::now());
        let text = format!(
            "the bytes at {:#x} are not free",
            arena.base + wish.unwrap_or(0)
        );
        return Err((Problem::NotOurs(text), None));
    }
    Ok(arena.base + offset)
}

/// Frees a block; false if there is none at this address.
#[inline(always)]
pub(crate) fn free(address: u64) -> bool {
    // Before another thread can get the block.
    records::freed("millpondCudaFree", address);
    let freed = recent::with_last(|lane| {
        let offset = lane.arena.offset(address)?;
        let freed = lane
            .arena
            .pool
            .free_near(&lane.shard, offset, clocks::now());
        freed.then_some(())
    });
    freed.is_some() || free_anywhere(address)
}

/// Frees a block that is not of the lane that this thread used last.
fn free_anywhere(address: u64) -> bool {
    arena_of(address).is_some_and(|arena| {
        arena.offset(address).is_some_and(|offset| {
            arena.pool.free_at_home(offset, clocks::now()) || arena.free_slowly(offset)
        })
    })
}
