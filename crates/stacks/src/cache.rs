//! What each thread remembers of its callers, so that most calls need no unwinding.
//!
//! - An exported function keeps its return address at a constant distance from its stack pointer. The distance
//!   is learned by unwinding, once for each function.
//! - A stack that was unwound is remembered together with where its return addresses are. When the thread comes back
//!   with the same stack pointer and finds the same addresses in the same slots, it is the same stack.
#![expect(unsafe_code, reason = "reads return addresses from its own stack")]

use std::cell::RefCell;

use millpond_trace::{CallSite, StackRef, Tap};

use crate::{depth, epoch, modules, numbers, provider, python, unwind};

/// Notes the caller for the records of this call, until the result is dropped.
///
/// The code that calls this must be compiled into one exported function only: the distance to the return address
/// is learned per code address at which this function is inlined.
#[inline(always)]
pub fn note(function: &'static str, tap: &Tap) -> CallSite {
    let here = Here::now();
    note_at(function, here, tap)
}

/// The same where several exported functions share the code: unwinds the stack every time.
#[cold]
pub fn note_by_unwinding(function: &'static str, tap: &Tap) -> CallSite {
    note_at(function, Here { code: 0, stack: 0 }, tap)
}

#[inline(never)]
fn note_at(function: &'static str, here: Here, tap: &Tap) -> CallSite {
    let depth = depth();
    // Lines of a script are more useful than the interpreter's own frames.
    let script = match depth {
        0 => None,
        depth => python::number(depth, tap),
    };
    let unwound = if script.is_some() { 0 } else { depth };
    let (caller, stack) = CallerCache::with(|cache| cache.find(here, unwound, tap));
    let stack = match depth {
        0 => stack,
        // The extension that makes the call knows its script best.
        depth => provider::number(caller, depth, tap)
            .or(script)
            .unwrap_or(stack),
    };
    CallSite::note(function, caller as u64, stack)
}

/// A code address, and the stack pointer there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Here {
    /// 0 if it is unknown.
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

/// Reads a word of this thread's own stack. An instruction of its own, because `AddressSanitizer` puts forbidden zones between the
/// variables of a caller, and checks every other read.
pub(crate) fn stack_word(slot: usize) -> usize {
    let slot = std::ptr::with_exposed_provenance::<usize>(slot);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: callers pass slots between the stack pointer of a function that has not returned and the return
    // address of one of its callers: mapped, and not written by any other thread.
    unsafe {
        let word;
        std::arch::asm!(
            "mov {word}, qword ptr [{slot}]",
            slot = in(reg) slot,
            word = out(reg) word,
            options(readonly, nostack, preserves_flags)
        );
        word
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        let word;
        std::arch::asm!(
            "ldr {word}, [{slot}]",
            slot = in(reg) slot,
            word = out(reg) word,
            options(readonly, nostack, preserves_flags)
        );
        word
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: as above.
    unsafe {
        slot.read_volatile()
    }
}

/// Entries of each of a thread's tables. A power of two.
const ENTRIES: usize = 256;

thread_local! {
    static CACHE: RefCell<Option<Box<CallerCache>>> = const { RefCell::new(None) };
}

/// What a thread remembers of its callers.
struct CallerCache {
    epoch: u32,
    /// For a code address, how far above the stack pointer the return address is.
    distances: [(usize, usize); ENTRIES],
    /// Return addresses that are known to be code of the program.
    known_callers: [usize; ENTRIES],
    /// Stacks that were unwound.
    stacks: [Option<Box<CachedStack>>; ENTRIES],
}

/// A stack that was unwound.
struct CachedStack {
    stack_pointer: usize,
    /// The slot of each return address, and the address in it, from the caller's outwards.
    slots: Vec<(usize, usize)>,
    depth: usize,
    number: StackRef,
}

impl CachedStack {
    /// Whether this is still the current stack. A slot is read only if all slots below it are unchanged, so that
    /// it is known to be in use.
    fn is_current(&self, stack_pointer: usize, depth: usize) -> bool {
        self.stack_pointer == stack_pointer
            && self.depth == depth
            && self
                .slots
                .iter()
                .all(|&(slot, address)| stack_word(slot) == address)
    }
}

fn entry_of(word: usize) -> usize {
    // Fibonacci hashing: the upper bits of the product depend on all bits.
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - ENTRIES.ilog2())) & (ENTRIES - 1)
}

impl CallerCache {
    fn new() -> Box<Self> {
        Box::new(Self {
            epoch: 0,
            distances: [(0, 0); ENTRIES],
            known_callers: [0; ENTRIES],
            stacks: [const { None }; ENTRIES],
        })
    }

    /// Calls `act` with this thread's cache; with an empty one while the thread exits or the cache is borrowed.
    fn with<T>(act: impl Fn(&mut Self) -> T) -> T {
        let found = CACHE.try_with(|cache| {
            let own = cache.try_borrow_mut().ok();
            own.map(|mut own| act(own.get_or_insert_with(Self::new)))
        });
        found
            .ok()
            .flatten()
            .unwrap_or_else(|| act(&mut Self::new()))
    }

    /// The caller's return address, and the number of the stack if stacks are wanted.
    fn find(&mut self, here: Here, depth: usize, tap: &Tap) -> (usize, StackRef) {
        let epoch = epoch();
        if self.epoch != epoch {
            *self = *Self::new();
            self.epoch = epoch;
        }
        let Some(caller) = self.caller(here, tap) else {
            return self.unwind(here, depth, tap);
        };
        if depth == 0 {
            return (caller, 0);
        }
        let cached = &self.stacks[entry_of(here.stack ^ caller)];
        if let Some(stack) = cached
            && stack
                .slots
                .first()
                .is_some_and(|&(_, first)| first == caller)
            && stack.is_current(here.stack, depth)
        {
            return (caller, stack.number);
        }
        self.unwind(here, depth, tap)
    }

    /// The caller, if the distance to it is known and the word there is a code address of the program.
    fn caller(&mut self, here: Here, tap: &Tap) -> Option<usize> {
        let (code, distance) = self.distances[entry_of(here.code)];
        if here.code == 0 || code != here.code {
            return None;
        }
        let caller = stack_word(here.stack + distance);
        let known = &mut self.known_callers[entry_of(caller)];
        if *known == caller {
            return Some(caller);
        }
        // A function that aligns its stack has no constant distance, nor has code that several functions share. The word
        // is then most likely not a code address, or one of ours.
        if modules::is_own(caller) || !numbers::emit_module(caller, self.epoch, tap) {
            self.distances[entry_of(here.code)] = (0, 0);
            return None;
        }
        *known = caller;
        Some(caller)
    }

    /// Unwinds the stack, and caches what it can.
    #[cold]
    fn unwind(&mut self, here: Here, depth: usize, tap: &Tap) -> (usize, StackRef) {
        let frames = unwind::walk(depth.max(1), modules::is_own);
        let Some(first) = frames.first() else {
            return (0, 0);
        };
        let caller = first.address;
        let mut slots = Vec::with_capacity(frames.len());
        let mut below = here.stack;
        for frame in &frames {
            if here.code == 0 {
                break;
            }
            let Some(slot) = frame.slot_above(below) else {
                break;
            };
            slots.push((slot, frame.address));
            below = frame.stack;
        }
        let known = numbers::emit_module(caller, self.epoch, tap);
        if let Some(&(slot, _)) = slots.first()
            && known
        {
            self.distances[entry_of(here.code)] = (here.code, slot - here.stack);
            self.known_callers[entry_of(caller)] = caller;
        }
        if depth == 0 {
            return (caller, 0);
        }
        let number = numbers::number(
            frames.iter().map(|frame| frame.address as u64),
            self.epoch,
            tap,
        );
        if slots.len() == frames.len() {
            self.stacks[entry_of(here.stack ^ caller)] = Some(Box::new(CachedStack {
                stack_pointer: here.stack,
                slots,
                depth,
                number,
            }));
        }
        (caller, number)
    }
}
