//! Signals that usually kill a program: they are reported, then they take effect.
//!
//! Our handler is installed before the existing one: it passes the fault to the keeper, waits, and calls the existing
//! handler; or it restores the default and returns, so that the program dies as it would have. A program that installs a
//! handler later replaces ours, and nothing is reported. But once pages of pinned memory can be closed, the program's
//! handler for faults comes after ours (`hooks`).
//!
//! An access to a closed page does not kill the program: it is reported, the page is opened, and the instruction runs again.
//!
//! Invariants: the handler allocates nothing and takes no lock. It may run on a small stack.
#![expect(unsafe_code, reason = "handles signals")]

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::keeper::{self, FRAMES, Fault};
use super::pinned::{self, Touch};
use crate::caller;
use crate::caller::{_Unwind_Backtrace, _Unwind_GetIP, UnwindContext};

/// The signals, and the previous action of each.
const SIGNALS: [c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGABRT,
    libc::SIGFPE,
    libc::SIGILL,
];
static BEFORE: [Before; SIGNALS.len()] = [const { Before::new() }; SIGNALS.len()];
/// The index of the signal for faults in both.
const FAULT: usize = 0;
/// The handler is installed.
static WATCHING: AtomicBool = AtomicBool::new(false);
/// It stays before the program's handler for faults.
static IN_FRONT: AtomicBool = AtomicBool::new(false);

/// The code for a page that exists and forbids the access.
const REFUSED: c_int = 2;

/// On a smaller stack, callers are not determined.
const ROOM: usize = 16 << 10;

/// What comes behind our handler. It can change while a handler reads it, so each value has a place of its own, and
/// places are used again only when many others were.
struct Before {
    places: [UnsafeCell<MaybeUninit<libc::sigaction>>; PLACES],
    /// The place that counts, from 1; 0 for none.
    current: AtomicUsize,
    next: AtomicUsize,
}

const PLACES: usize = 32;

// SAFETY: a place is written before it counts, and not again before many others were.
unsafe impl Sync for Before {}

impl Before {
    const fn new() -> Self {
        Self {
            places: [const { UnsafeCell::new(MaybeUninit::uninit()) }; PLACES],
            current: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
        }
    }

    fn get(&self) -> Option<libc::sigaction> {
        let current = self.current.load(Ordering::Acquire).checked_sub(1)?;
        // SAFETY: a place that counts is not written.
        let place = unsafe { *self.places[current].get() };
        // SAFETY: it was written before it counted.
        Some(unsafe { place.assume_init() })
    }

    fn set(&self, action: &libc::sigaction) {
        let place = self.next.fetch_add(1, Ordering::Relaxed) % PLACES;
        // SAFETY: the place is this thread's until it counts.
        unsafe { *self.places[place].get() = MaybeUninit::new(*action) };
        self.current.store(place + 1, Ordering::Release);
    }
}

/// Installs the handler before the existing one. Called once.
pub(super) fn install() {
    // The unwinder prepares itself at its first use; in the handler there is no room for that.
    let mut first = Walk::new(0);
    walk(&mut first);
    for (&signal, before) in SIGNALS.iter().zip(&BEFORE) {
        put_in_front(signal, before);
    }
    WATCHING.store(true, Ordering::Release);
}

/// Calls the existing handler after ours, unless it is ours.
fn put_in_front(signal: c_int, before: &Before) {
    let mut known = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks for what is there, and writes it.
    if unsafe { libc::sigaction(signal, std::ptr::null(), known.as_mut_ptr()) } != 0 {
        return;
    }
    // SAFETY: written by the call.
    let known = unsafe { known.assume_init() };
    let own = handle as *const () as usize;
    if known.sa_sigaction == own {
        return;
    }
    before.set(&known);
    // SAFETY: all of it are integers and a set, for which zeros are right.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = own;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: the action is complete; the handler lives as long as the library, which is never unloaded while
    // it is in use.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}

/// Whether faults are handled here.
pub(super) fn is_watching() -> bool {
    WATCHING.load(Ordering::Acquire)
}

/// From now on the program's handler for faults comes after ours.
pub(super) fn stay_in_front() {
    put_in_front(libc::SIGSEGV, &BEFORE[FAULT]);
    IN_FRONT.store(true, Ordering::Release);
}

/// Whether it does.
pub(super) fn is_in_front() -> bool {
    IN_FRONT.load(Ordering::Acquire)
}

/// What the program has installed for faults.
pub(super) fn program_handler() -> Option<libc::sigaction> {
    BEFORE[FAULT].get()
}

/// The program installs something for faults.
pub(super) fn set_program_handler(action: &libc::sigaction) {
    BEFORE[FAULT].set(action);
}

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: each thread has one.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let kept = unsafe { *errno };
    // SAFETY: the system passes a description that is valid during this call.
    let code = unsafe { (*info).si_code };
    // SAFETY: as above.
    let described = unsafe { &*info };
    // SAFETY: for a signal that was sent it is not an address, and not used as one.
    let address = unsafe { described.si_addr() };
    let touch = if signal == libc::SIGSEGV && code == REFUSED {
        pinned::look(address.addr() as u64)
    } else {
        Touch::Foreign
    };
    let script = caller::script_of_thread();
    let others = touch == Touch::Closed
        && script == Some(0)
        && pinned::is_opened_by_others(address.addr() as u64);
    if others {
        // Reported already.
    } else if keeper::listens() && touch != Touch::Open {
        // SAFETY: the system passes a context that is valid during this call.
        let (instruction, write) = unsafe { machine(context) };
        let mut walked = Walk::new(instruction);
        if has_room() {
            walk(&mut walked);
        }
        keeper::hand_over(&Fault {
            signal,
            raised: code > 0,
            address: address.addr() as u64,
            write,
            instruction,
            frames: walked.frames,
            count: walked.count,
            pinned: touch == Touch::Closed,
            script: script.unwrap_or(0),
        });
    } else if touch == Touch::Closed {
        pinned::lose();
    }
    let ended = touch != Touch::Foreign && pinned::open(address.addr() as u64);
    // SAFETY: as above.
    unsafe { *errno = kept };
    if ended {
        return;
    }
    // SAFETY: called once for a signal, with what the system passed.
    unsafe { pass_on(signal, code, info, context) };
}

/// Lets the signal take effect.
///
/// # Safety
/// Called in the handler, with its arguments.
unsafe fn pass_on(signal: c_int, code: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let place = SIGNALS.iter().position(|&known| known == signal);
    let Some(behind) = place.map(|place| &BEFORE[place]) else {
        return;
    };
    let Some(before) = behind.get() else { return };
    let handler = before.sa_sigaction;
    if handler == libc::SIG_IGN && code <= 0 && is_in_front() {
        // It is ignored, and the handler is still needed.
        return;
    }
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // SAFETY: what was there is there again.
        unsafe { libc::sigaction(signal, &raw const before, std::ptr::null_mut()) };
        // A fault happens again when this returns. What was sent does not: it is sent once more, and comes when
        // this returns, because it is held back until then.
        if code <= 0 {
            // SAFETY: sends a signal to this thread.
            unsafe { libc::raise(signal) };
        }
        return;
    }
    if before.sa_flags & libc::SA_RESETHAND != 0 {
        // SAFETY: all of it are integers and a set, for which zeros are right: they are the default.
        let default: libc::sigaction = unsafe { std::mem::zeroed() };
        // As the system would have before it called the handler.
        behind.set(&default);
    }
    // SAFETY: the set was made by whoever installed the handler.
    unsafe {
        libc::pthread_sigmask(
            libc::SIG_BLOCK,
            &raw const before.sa_mask,
            std::ptr::null_mut(),
        )
    };
    if before.sa_flags & libc::SA_NODEFER != 0 {
        let mut own = MaybeUninit::uninit();
        // SAFETY: the set is written here.
        unsafe { libc::sigemptyset(own.as_mut_ptr()) };
        // SAFETY: the set was just written.
        unsafe { libc::sigaddset(own.as_mut_ptr(), signal) };
        // SAFETY: the set was just written.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, own.as_ptr(), std::ptr::null_mut()) };
    }
    let handler = std::ptr::with_exposed_provenance::<c_void>(handler);
    if before.sa_flags & libc::SA_SIGINFO != 0 {
        type Full = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        // SAFETY: the flag says that it is a function with these arguments.
        let handler = unsafe { std::mem::transmute::<*const c_void, Full>(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: without the flag it is a function of the signal alone.
        let handler =
            unsafe { std::mem::transmute::<*const c_void, extern "C" fn(c_int)>(handler) };
        handler(signal);
    }
}

/// The instruction that faulted, and whether it wrote.
///
/// # Safety
/// The context is the one that the system passed to a handler.
unsafe fn machine(context: *mut c_void) -> (u64, bool) {
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    {
        const WRITE: i64 = 2;
        // SAFETY: as the caller promises.
        let registers = unsafe { &(*context).uc_mcontext.gregs };
        let instruction = registers[usize::try_from(libc::REG_RIP).unwrap_or(0)];
        let error = registers[usize::try_from(libc::REG_ERR).unwrap_or(0)];
        (instruction.cast_unsigned(), error & WRITE != 0)
    }
    #[cfg(target_arch = "aarch64")]
    {
        // SAFETY: as the caller promises.
        let instruction = unsafe { (*context).uc_mcontext.pc };
        // Every store has this bit clear and every load of the same class has it set; that is exact for the
        // plain ones.
        const LOADS: u32 = 1 << 22;
        let place =
            std::ptr::with_exposed_provenance::<u32>(usize::try_from(instruction).unwrap_or(0));
        // SAFETY: the instruction was just carried out, so it can be read.
        let word = unsafe { place.read_unaligned() };
        (instruction, word & LOADS == 0)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = context;
        (0, false)
    }
}

/// Whether the stack that this runs on is a usual one.
fn has_room() -> bool {
    let mut stack = MaybeUninit::<libc::stack_t>::uninit();
    // SAFETY: asks for what is there, and writes it.
    if unsafe { libc::sigaltstack(std::ptr::null(), stack.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: written by the call.
    let stack = unsafe { stack.assume_init() };
    stack.ss_flags & libc::SS_ONSTACK == 0 || stack.ss_size >= ROOM
}

/// The instruction that faulted, and its callers.
struct Walk {
    instruction: u64,
    /// The instruction was met: what comes now called it.
    met: bool,
    frames: [u64; FRAMES],
    count: usize,
}

impl Walk {
    fn new(instruction: u64) -> Self {
        let mut frames = [0; FRAMES];
        // Return addresses are taken for the call before them.
        frames[0] = instruction.wrapping_add(1);
        Self {
            instruction,
            met: false,
            frames,
            count: 1,
        }
    }
}

fn walk(walk: &mut Walk) {
    // SAFETY: the callback gets back the pointer, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, std::ptr::from_mut(walk).cast()) };
}

extern "C" fn visit(context: *mut UnwindContext, argument: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const END_OF_STACK: c_int = 5;
    // SAFETY: the argument is the `Walk` that `walk` passed in, used by nobody else meanwhile.
    let walk = unsafe { &mut *argument.cast::<Walk>() };
    // SAFETY: the unwinder passes a context that is valid during this call.
    let address = unsafe { _Unwind_GetIP(context) } as u64;
    if !walk.met {
        walk.met = address == walk.instruction;
        return GO_ON;
    }
    if walk.count == FRAMES {
        return END_OF_STACK;
    }
    walk.frames[walk.count] = address;
    walk.count += 1;
    GO_ON
}
