//! Where the program called from: the first return address outside this library, and, if somebody wants
//! them, the ones behind it.
//!
//! Asked only while somebody listens to records, and still cheap, because a checker asks at every call.
//! Walking a stack by its unwinding tables takes microseconds, so it is done once for each place:
//!
//! - An exported function keeps its return address at a constant distance from its stack pointer. The distance
//!   is learned by walking, once for each function, and then is all that is needed.
//! - A stack that was walked is remembered with the places of its return addresses. When a thread comes
//!   by with the same stack pointer and finds the same addresses in the same places, it is the same stack.
//!
//! - `frames`: stacks of a language that knows itself, such as Python. `python`: the same, in a process whose interpreter
//!   does not know of us. `unwind`: walks. `modules`: which code lies where. `stacks`: numbers for stacks, and the records of both.
#![expect(
    unsafe_code,
    reason = "reads return addresses from its own stack, and asks the loader"
)]

mod frames;
mod modules;
mod python;
mod stacks;
pub(crate) mod unwind;

pub(crate) use frames::set_provider;

use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use millpond::trace::{CallSite, StackRef};

/// Frames of a stack that are looked at, however many are asked for.
pub(crate) const MOST_FRAMES: usize = 256;

/// Frames of each stack that somebody wants; 0 if only the caller.
static DEPTH: AtomicUsize = AtomicUsize::new(0);
/// Counts up when everything is to be told again.
static EPOCH: AtomicU32 = AtomicU32::new(0);

/// Says how many frames of each stack records are to name from now on; 0 for none but the caller.
pub(crate) fn set_depth(frames: usize) {
    DEPTH.store(frames.min(MOST_FRAMES), Ordering::Relaxed);
    retell();
}

/// How many frames of each stack somebody wants; 0 if nobody listens.
pub(crate) fn depth_wanted() -> usize {
    if crate::process::listening() {
        DEPTH.load(Ordering::Relaxed)
    } else {
        0
    }
}

/// Stacks and modules are told again when they are next seen: for a listener that was not there before.
#[allow(dead_code, reason = "for listeners that come later")]
pub(crate) fn retell() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

/// The return addresses of the program on this stack, the innermost first.
pub(crate) fn frames() -> Vec<u64> {
    let frames = unwind::walk(MOST_FRAMES, modules::is_own);
    frames.iter().map(|frame| frame.address as u64).collect()
}

/// The number of a stack that somebody else has walked, the innermost first; 0 if stacks are not wanted.
pub(crate) fn number(frames: &[u64]) -> StackRef {
    match DEPTH.load(Ordering::Relaxed) {
        0 => 0,
        depth => {
            let frames = frames.iter().copied().take(depth);
            stacks::number(frames, EPOCH.load(Ordering::Relaxed))
        }
    }
}

/// What an interpreter knows this thread by, 0 where no script is on it; `None` where there is no interpreter, or it
/// was not looked for before. Called in a signal handler.
pub(crate) fn script_of_thread() -> Option<usize> {
    python::this_thread()
}

/// The number of the stack of a script, on a thread that stands still meanwhile.
pub(crate) fn script_number(thread: usize) -> Option<StackRef> {
    match DEPTH.load(Ordering::Relaxed) {
        0 => None,
        depth => python::number_of(thread, depth),
    }
}

/// Notes the caller for the records of this call. What calls it must be compiled into the exported function,
/// or belong to it alone: the distance to the return address is that of the place where this is compiled in.
#[inline(always)]
pub(crate) fn note(function: &'static str) -> CallSite {
    let here = Here::now();
    noted(function, here)
}

/// The same where several exported functions share the code: walks the stack every time.
#[cold]
pub(crate) fn note_slowly(function: &'static str) -> CallSite {
    noted(function, Here { code: 0, stack: 0 })
}

#[inline(never)]
fn noted(function: &'static str, here: Here) -> CallSite {
    let depth = DEPTH.load(Ordering::Relaxed);
    // Lines of a script say more than the interpreter's own.
    let script = match depth {
        0 => None,
        depth => python::number(depth),
    };
    let walked = if script.is_some() { 0 } else { depth };
    let (caller, stack) = Memory::with(|memory| memory.find(here, walked));
    let stack = match depth {
        0 => stack,
        // The extension that makes the call knows best.
        depth => frames::number(caller, depth).or(script).unwrap_or(stack),
    };
    CallSite::note(function, caller as u64, stack)
}

/// A place in the code, and where the stack is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Here {
    /// 0 where it is not known.
    code: usize,
    stack: usize,
}

impl Here {
    #[inline(always)]
    fn now() -> Self {
        let (code, stack);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads two registers and changes nothing.
        unsafe {
            std::arch::asm!(
                "lea {code}, [rip]",
                "mov {stack}, rsp",
                code = out(reg) code,
                stack = out(reg) stack,
                options(nomem, nostack, preserves_flags)
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "adr {code}, .",
                "mov {stack}, sp",
                code = out(reg) code,
                stack = out(reg) stack,
                options(nomem, nostack, preserves_flags)
            );
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            (code, stack) = (0, 0);
        }
        Self { code, stack }
    }
}

/// Reads a word of this thread's own stack, above its end.
fn word_at(place: usize) -> usize {
    let place = std::ptr::with_exposed_provenance::<usize>(place);
    // SAFETY: callers name places between the stack pointer of a function that has not returned and the return
    // address of one of its callers: mapped, and written by nobody else.
    unsafe { place.read_volatile() }
}

/// Entries of each of a thread's tables. A power of two.
const ENTRIES: usize = 256;

thread_local! {
    static MEMORY: RefCell<Option<Box<Memory>>> = const { RefCell::new(None) };
}

/// What a thread has learned about its callers.
struct Memory {
    epoch: u32,
    /// How far above the stack pointer the return address is, for a place in the code.
    distances: [(usize, usize); ENTRIES],
    /// Return addresses that were looked up.
    vouched: [usize; ENTRIES],
    /// Stacks that were walked.
    walks: [Option<Box<Walk>>; ENTRIES],
}

/// A stack that was walked.
struct Walk {
    stack_pointer: usize,
    /// Where each return address was, and what it was. The caller's is the first.
    places: Vec<(usize, usize)>,
    depth: usize,
    number: StackRef,
}

impl Walk {
    /// Whether the stack is the same still. Each place is looked at only if those before it are as they were.
    fn is_here(&self, stack_pointer: usize, depth: usize) -> bool {
        self.stack_pointer == stack_pointer
            && self.depth == depth
            && self
                .places
                .iter()
                .all(|&(place, address)| word_at(place) == address)
    }
}

fn entry_of(word: usize) -> usize {
    // Fibonacci's way: the upper bits of the product depend on all bits.
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - ENTRIES.ilog2())) & (ENTRIES - 1)
}

impl Memory {
    fn new() -> Box<Self> {
        Box::new(Self {
            epoch: 0,
            distances: [(0, 0); ENTRIES],
            vouched: [0; ENTRIES],
            walks: [const { None }; ENTRIES],
        })
    }

    /// Calls `act` on this thread's memory; on an empty one while the thread is ending, or is here already.
    fn with<T>(act: impl Fn(&mut Self) -> T) -> T {
        let found = MEMORY.try_with(|memory| {
            let own = memory.try_borrow_mut().ok();
            own.map(|mut own| act(own.get_or_insert_with(Self::new)))
        });
        found
            .ok()
            .flatten()
            .unwrap_or_else(|| act(&mut Self::new()))
    }

    /// The caller's return address, and the number of the stack if stacks are wanted.
    fn find(&mut self, here: Here, depth: usize) -> (usize, StackRef) {
        let epoch = EPOCH.load(Ordering::Relaxed);
        if self.epoch != epoch {
            *self = *Self::new();
            self.epoch = epoch;
        }
        let Some(caller) = self.caller(here) else {
            return self.walk(here, depth);
        };
        if depth == 0 {
            return (caller, 0);
        }
        let known = &self.walks[entry_of(here.stack ^ caller)];
        if let Some(walk) = known
            && walk
                .places
                .first()
                .is_some_and(|&(_, first)| first == caller)
            && walk.is_here(here.stack, depth)
        {
            return (caller, walk.number);
        }
        self.walk(here, depth)
    }

    /// The caller, if the distance to it is known and what lies there is code of the program.
    fn caller(&mut self, here: Here) -> Option<usize> {
        let (code, distance) = self.distances[entry_of(here.code)];
        if here.code == 0 || code != here.code {
            return None;
        }
        let caller = word_at(here.stack + distance);
        let vouched = &mut self.vouched[entry_of(caller)];
        if *vouched == caller {
            return Some(caller);
        }
        // A function that aligns its stack has no constant distance, nor has code that several functions share; then
        // this is most likely no code, or our own.
        if modules::is_own(caller) || !stacks::tell_caller(caller, self.epoch) {
            self.distances[entry_of(here.code)] = (0, 0);
            return None;
        }
        *vouched = caller;
        Some(caller)
    }

    /// Walks the stack, and remembers what can be.
    #[cold]
    fn walk(&mut self, here: Here, depth: usize) -> (usize, StackRef) {
        let frames = unwind::walk(depth.max(1), modules::is_own);
        let Some(first) = frames.first() else {
            return (0, 0);
        };
        let caller = first.address;
        let mut places = Vec::with_capacity(frames.len());
        let mut below = here.stack;
        for frame in &frames {
            if here.code == 0 {
                break;
            }
            let Some(place) = frame.place_above(below) else {
                break;
            };
            places.push((place, frame.address));
            below = frame.stack;
        }
        let known = stacks::tell_caller(caller, self.epoch);
        if let Some(&(place, _)) = places.first()
            && known
        {
            self.distances[entry_of(here.code)] = (here.code, place - here.stack);
            self.vouched[entry_of(caller)] = caller;
        }
        if depth == 0 {
            return (caller, 0);
        }
        let number = stacks::number(frames.iter().map(|frame| frame.address as u64), self.epoch);
        if places.len() == frames.len() {
            self.walks[entry_of(here.stack ^ caller)] = Some(Box::new(Walk {
                stack_pointer: here.stack,
                places,
                depth,
                number,
            }));
        }
        (caller, number)
    }
}

/// Where an address is: the file and the distance from its start, as `addr2line` takes it.
///
/// Asks the loader and nothing of ours: sinks call it, and they are called while stacks are told.
pub(crate) fn place(address: u64) -> String {
    let Some(module) = usize::try_from(address).ok().and_then(module) else {
        return format!("{address:#x}");
    };
    // A program that is not position-independent is linked for the addresses it has.
    let base = if is_fixed(&module) {
        0
    } else {
        module.dli_fbase.addr() as u64
    };
    let distance = address - base;
    if module.dli_fname.is_null() {
        return format!("{address:#x}");
    }
    // SAFETY: the loader answers a NUL-terminated name that lives as long as the module.
    let file = unsafe { CStr::from_ptr(module.dli_fname) }.to_string_lossy();
    let name = file.rsplit('/').next().unwrap_or(&file);
    format!("{name}+{distance:#x}")
}

/// Whether a module is linked for fixed addresses: `e_type` of its ELF header says so.
fn is_fixed(module: &libc::Dl_info) -> bool {
    const TYPE_OFFSET: usize = 16;
    const FIXED: u16 = 2;
    let start = module.dli_fbase.cast::<u8>().cast_const();
    // SAFETY: a module begins with its ELF header, which the loader has mapped; the field lies in it.
    let place = unsafe { start.add(TYPE_OFFSET) };
    // SAFETY: as above.
    let kind = unsafe { place.cast::<u16>().read_unaligned() };
    kind == FIXED
}

/// The start of the module that an address belongs to; 0 if it belongs to none.
pub(crate) fn module_of(address: usize) -> usize {
    module(address).map_or(0, |module| module.dli_fbase.addr())
}

/// What the loader knows of the module that an address belongs to.
fn module(address: usize) -> Option<libc::Dl_info> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: dladdr accepts any address and fills the structure only when it knows it.
    let known = unsafe { libc::dladdr(std::ptr::without_provenance(address), &raw mut info) };
    (known != 0).then_some(info)
}
