//! Closes pinned memory to the program while queued work uses it: applies the checker's decisions, and handles the
//! resulting faults.
//!
//! ```text
//!   record ──▶ checker ──▶ pages to close or open ──▶ Gate          in the sink, before the call returns
//!   touch  ──▶ fault ──▶ handler ──▶ keeper: record, finding ──▶ handler opens the page, the program goes on
//!   read() ──▶ replacement: opens the pages ──▶ the system ──▶ record of what was used
//! ```
//!
//! It starts with the first pinned block. Until then there is nothing to close, and nothing of the process must be
//! changed: replaced functions (`hooks`), a signal handler before the program's, handlers for fork.
//!
//! Invariants: a page that the program touches is open when the handler returns, whatever else fails. Code that the handler
//! calls allocates nothing and takes no lock.
#![expect(unsafe_code, reason = "shares the gate with signal handlers")]

use std::cell::RefCell;
use std::ffi::c_char;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Once};

use millpond::Pinned;
use millpond::device_api::{Access, AddressRange, Call, Frozen, Gate, os_page};
use millpond_check::{Change, GateOptions, Open};
use millpond_trace::{Bytes, Operation};

use super::hooks::frames::{self, Frame};
use super::hooks::{Parts, Quiet};
use super::watch::print;
use super::{hooks, signals};
use crate::{caller, process};

/// The gate, once everything is prepared; null before, and in a forked child.
static GATE: AtomicPtr<Gate> = AtomicPtr::new(std::ptr::null_mut());
/// A checker decides what to close.
static WANTED: AtomicBool = AtomicBool::new(false);
/// How many facts were lost here.
static LOST: AtomicU64 = AtomicU64::new(0);
/// How often pages were closed, or were met closed.
static CLOSED: AtomicU64 = AtomicU64::new(0);
/// How often that was at the last fault at an open page, with its address, and how many of those came since.
static AGAIN: AtomicU64 = AtomicU64::new(0);
static AGAIN_COUNT: AtomicU64 = AtomicU64::new(0);
/// So many faults at one open page, while none is closed, are not ours: each thread can have run into it once.
const MOST_AGAIN: u64 = 1000;

thread_local! {
    /// What a child that this thread forks is to have.
    static FROZEN: RefCell<Option<Frozen>> = const { RefCell::new(None) };
}

/// How pages can be closed.
pub(super) fn options() -> GateOptions {
    let most = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok();
    let most = most.and_then(|text| text.trim().parse::<usize>().ok());
    GateOptions {
        page: os_page(),
        // A run of closed pages makes two mappings more, and a quarter of all is enough.
        most: most.unwrap_or(65_530) / 8,
    }
}

/// Claims the decision about closed pages; false if another checker has it.
pub(super) fn take() -> bool {
    !WANTED.swap(true, Ordering::AcqRel)
}

/// Gives the claim back.
pub(super) fn give_back() {
    WANTED.store(false, Ordering::Release);
}

/// How many facts were lost: pages that could not be closed, and programs in which none can be.
pub(super) fn lost() -> u64 {
    let refused = gate().map_or(0, Gate::refused);
    LOST.load(Ordering::Relaxed) + refused
}

/// The same if there is any.
pub(super) fn began_before() {
    if process::known().is_some_and(|runtime| runtime.gate().is_some()) {
        began();
    }
}

/// There is pinned memory: prepares closing. Called without our locks.
pub(crate) fn began() {
    static ONCE: Once = Once::new();
    if ONCE.is_completed() || !WANTED.load(Ordering::Acquire) || !signals::is_watching() {
        return;
    }
    let Some(runtime) = process::known().filter(|it| it.config().pinned == Pinned::Gated) else {
        return;
    };
    ONCE.call_once(|| {
        let prepared = match runtime.gate() {
            Some(gate) => prepare(gate),
            None => Err(
                "the system does not allow a file in memory of that size (ulimit -f)".to_owned(),
            ),
        };
        if let Err(reason) = prepared {
            print(&format!(
                "millpond check: accesses to pinned memory are not checked: {reason}\n"
            ));
            LOST.fetch_add(1, Ordering::Relaxed);
        }
    });
}

fn prepare(gate: &Arc<Gate>) -> Result<(), String> {
    hooks::install();
    hooks::unblocked_everywhere()
        .map_err(|thread| format!("the thread '{thread}' blocks SIGSEGV"))?;
    signals::stay_in_front();
    // SAFETY: the functions take what is in statics and in this thread.
    let registered =
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
    debug_assert_eq!(registered, 0);
    // Never freed: handlers use it.
    let kept = Arc::into_raw(Arc::clone(gate));
    GATE.store(kept.cast_mut(), Ordering::Release);
    Ok(())
}

fn gate() -> Option<&'static Gate> {
    // SAFETY: null, or a gate that is never freed.
    unsafe { GATE.load(Ordering::Acquire).as_ref() }
}

/// Whether pages may be closed.
pub(super) fn is_gated() -> bool {
    !GATE.load(Ordering::Relaxed).is_null()
}

/// Applies the changes of a checker. Called by sinks.
pub(super) fn apply(changes: &[Change]) {
    let Some(gate) = gate().filter(|_| !changes.is_empty()) else {
        return;
    };
    if changes.iter().any(|change| change.open != Open::Wide) {
        hooks::refresh();
        CLOSED.fetch_add(1, Ordering::Relaxed);
    }
    frames::sweep();
    for change in changes {
        let access = match change.open {
            Open::Wide => Access::Open,
            Open::ToReaders => Access::ReadOnly,
            Open::NotAtAll => Access::Closed,
        };
        gate.set(
            AddressRange::new(change.pages.start, change.pages.bytes),
            access,
        );
    }
}

/// What a fault at an address is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// Nothing of ours.
    Foreign,
    /// A page that is closed: to be reported, then [`open`]ed.
    Closed,
    /// A page that was opened meanwhile.
    Open,
}

/// Classifies a fault. Called in a signal handler.
pub(super) fn look(address: u64) -> Touch {
    match gate().and_then(|gate| gate.state_of(address)) {
        None => Touch::Foreign,
        Some(Access::Closed | Access::ReadOnly) => {
            CLOSED.fetch_add(1, Ordering::Relaxed);
            Touch::Closed
        }
        Some(Access::Open) => {
            // It may have been closed when the thread ran into it. If that does not end although nothing is closed
            // any more, it is something else.
            let now = CLOSED.load(Ordering::Relaxed).rotate_right(16) ^ address;
            if AGAIN.swap(now, Ordering::Relaxed) != now {
                AGAIN_COUNT.store(0, Ordering::Relaxed);
            }
            if AGAIN_COUNT.fetch_add(1, Ordering::Relaxed) > MOST_AGAIN {
                return Touch::Foreign;
            }
            Touch::Open
        }
    }
}

/// Waits a little for another thread's report of the same copy. An operator of PyTorch touches a tensor with several
/// threads at once, and only one of them knows the line of the script. False if that did not help, and where it never
/// does. Called in a signal handler.
pub(super) fn is_opened_by_others(address: u64) -> bool {
    const TRIES: usize = 300;
    const MOST_IN_VAIN: u64 = 8;
    static IN_VAIN: AtomicU64 = AtomicU64::new(0);
    let pause = libc::timespec {
        tv_sec: 0,
        tv_nsec: 1_000_000,
    };
    if IN_VAIN.load(Ordering::Relaxed) >= MOST_IN_VAIN {
        return false;
    }
    for _ in 0..TRIES {
        if gate().is_none_or(|gate| gate.state_of(address) == Some(Access::Open)) {
            return true;
        }
        // SAFETY: the time lives through the call.
        unsafe { libc::nanosleep(&raw const pause, std::ptr::null_mut()) };
    }
    IN_VAIN.fetch_add(1, Ordering::Relaxed);
    false
}

/// A touch was not reported: the keeper was not ready in time.
pub(super) fn lose() {
    LOST.fetch_add(1, Ordering::Relaxed);
}

/// Opens the page at an address. Called in a signal handler.
pub(super) fn open(address: u64) -> bool {
    gate().is_some_and(|gate| gate.open_at(address))
}

/// Touches memory that is closed, so that it is reported and open. False if nothing there is.
pub(super) fn touch(start: u64, bytes: u64) -> bool {
    let Some(gate) = gate() else { return false };
    let mut touched = false;
    let end = start.saturating_add(bytes);
    let mut at = start;
    while at < end {
        if gate.state_of(at) == Some(Access::Closed) {
            let place =
                std::ptr::with_exposed_provenance::<u8>(usize::try_from(at).unwrap_or_default());
            // SAFETY: pinned memory that was promised; if it is closed, our handler opens it.
            unsafe { place.read_volatile() };
            touched = true;
        }
        at = (at / gate.page() + 1) * gate.page();
    }
    touched
}

/// What a system call does with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Using {
    Reads,
    Writes,
}

/// What system functions return.
pub(super) trait Returned: Copy {
    /// Whether it says that memory could not be used.
    fn is_fault(self) -> bool;
}

impl Returned for isize {
    fn is_fault(self) -> bool {
        self < 0 && errno() == libc::EFAULT
    }
}

impl Returned for i32 {
    fn is_fault(self) -> bool {
        self < 0 && errno() == libc::EFAULT
    }
}

impl Returned for *mut c_char {
    fn is_fault(self) -> bool {
        self.is_null() && errno() == libc::EFAULT
    }
}

impl Returned for usize {
    fn is_fault(self) -> bool {
        false
    }
}

/// Makes a system call with its pages open, and reports what it accessed.
pub(super) fn during<A: Returned>(
    name: &'static str,
    using: Using,
    parts: Parts,
    call: impl Fn() -> A,
    used: impl Fn(A) -> usize,
) -> A {
    let Some(gate) = gate() else { return call() };
    if !parts.iter().any(|part| gate.overlaps(part)) {
        return call();
    }
    opened(gate, name, using, parts, &call, &used)
}

#[cold]
fn opened<A: Returned>(
    gate: &'static Gate,
    name: &'static str,
    using: Using,
    parts: Parts,
    call: &dyn Fn() -> A,
    used: &dyn Fn(A) -> usize,
) -> A {
    /// Another thread may close a page in between, but not again and again.
    const TRIES: usize = 16;
    let writes = using == Using::Writes;
    // It must not move.
    let frame = Frame::new();
    let enter = || {
        let _quiet = Quiet::new();
        let ours = parts.iter().filter(|part| gate.overlaps(*part));
        let calls = ours.map(|part| gate.enter(part, writes));
        calls
            .filter_map(|call| frame.keep(call))
            .collect::<Vec<Call<'_>>>()
    };
    frame.begin();
    // Those that the frame cannot keep.
    let mut calls = enter();
    let mut result = call();
    for _ in 0..TRIES {
        if !result.is_fault() {
            break;
        }
        calls.extend(enter());
        result = call();
    }
    let kept = errno();
    let bytes = used(result) as u64;
    let quiet = Quiet::new();
    let closed = frame.is_needed() || calls.iter().any(Call::is_needed);
    drop(calls);
    frame.end();
    if closed {
        report(name, writes, parts, gate, bytes);
    }
    drop(quiet);
    set_errno(kept);
    result
}

/// Reports which pinned memory a call of the system has used.
fn report(name: &'static str, write: bool, parts: Parts, gate: &Gate, used: u64) {
    let Some(runtime) = process::known() else {
        return;
    };
    let _site = caller::note_by_unwinding(name);
    let mut left = used;
    for part in parts.iter() {
        let bytes = part.bytes.min(left);
        left -= bytes;
        if bytes > 0 && gate.overlaps(part) {
            runtime.tap().emit(|| Operation::HostAccessed {
                range: Bytes {
                    start: part.start,
                    bytes,
                },
                write,
                instruction: 0,
            });
        }
    }
}

extern "C" fn before_fork() {
    let frozen = process::known().and_then(millpond::Runtime::freeze);
    // A thread that ends keeps nothing, and then its child has nothing.
    let _kept = FROZEN.try_with(|kept| kept.replace(frozen));
}

extern "C" fn after_fork() {
    drop(FROZEN.try_with(|kept| kept.borrow_mut().take()));
}

/// The child has memory of its own, and nothing is closed to it.
extern "C" fn in_child() {
    GATE.store(std::ptr::null_mut(), Ordering::Release);
    frames::forget();
    let frozen = FROZEN.try_with(|kept| kept.borrow_mut().take());
    if let Ok(Some(frozen)) = frozen {
        frozen.put_in_place();
    }
}

pub(super) fn errno() -> i32 {
    // SAFETY: each thread has one.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place }
}

pub(super) fn set_errno(value: i32) {
    // SAFETY: each thread has one.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place = value };
}
