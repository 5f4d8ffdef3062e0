//! A thread beside the program. It flushes the record file when the program pauses, and reports for a thread that has
//! faulted, which may neither allocate nor take a lock.
//!
//! ```text
//!   IDLE ──▶ CLAIMED ──▶ POSTED ──▶ DONE ──▶ IDLE
//!       handler     handler    keeper    handler
//! ```
#![expect(unsafe_code, reason = "waits on a word, also inside a signal handler")]

use std::cell::UnsafeCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use millpond_report::Count;

use super::ledger;

/// How many frames of the faulting code are reported.
pub(super) const FRAMES: usize = 32;

/// What a thread was doing when it faulted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    /// The signal.
    pub(super) signal: i32,
    /// Whether the machine raised it: it was not sent by a process.
    pub(super) raised: bool,
    /// The accessed address.
    pub(super) address: u64,
    /// Whether it was a write.
    pub(super) write: bool,
    /// The instruction.
    pub(super) instruction: u64,
    /// The stack, innermost frame first: the instruction, as a return address, and return addresses.
    pub(super) frames: [u64; FRAMES],
    /// How many of them there are.
    pub(super) count: usize,
    /// It is an access to closed pinned memory, after which the program continues.
    pub(super) pinned: bool,
    /// The interpreter's id of the thread; 0 if it runs no script.
    pub(super) script: usize,
}

impl Fault {
    pub(super) const NONE: Self = Self {
        signal: 0,
        raised: false,
        address: 0,
        write: false,
        instruction: 0,
        frames: [0; FRAMES],
        count: 0,
        pinned: false,
        script: 0,
    };
}

const IDLE: u32 = 0;
const CLAIMED: u32 = 1;
const POSTED: u32 = 2;
const DONE: u32 = 3;

/// How long a faulting thread waits for its report: it may itself hold a lock that the report needs.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often the record file is flushed while nothing happens.
const PAUSE: Duration = Duration::from_millis(200);

static STATE: AtomicU32 = AtomicU32::new(IDLE);
static POST: Post = Post(UnsafeCell::new(Fault::NONE));
/// The thread, and the process that it belongs to: a forked child has none.
static KEEPER: AtomicI32 = AtomicI32::new(0);
static OWNER: AtomicI32 = AtomicI32::new(0);
/// A report was not done in time, so no thread waits for another.
static LATE: AtomicBool = AtomicBool::new(false);

/// The fault that is passed on.
struct Post(UnsafeCell<Fault>);

// SAFETY: written by whoever changed the state to CLAIMED, read by the keeper between POSTED and DONE.
unsafe impl Sync for Post {}

/// Starts the thread, unless it runs. Returns false if the system has no thread left. `report` is called for each fault,
/// `pause` periodically. There must be only one such thread.
pub(super) fn start(report: fn(&Fault), pause: fn()) -> bool {
    static STARTED: OnceLock<bool> = OnceLock::new();
    *STARTED.get_or_init(|| spawn(report, pause))
}

fn spawn(report: fn(&Fault), pause: fn()) -> bool {
    OWNER.store(process(), Ordering::Relaxed);
    // Signals of the program are for its threads.
    let mut all = std::mem::MaybeUninit::uninit();
    // SAFETY: the set is written here.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    let mut before = std::mem::MaybeUninit::uninit();
    // SAFETY: both sets live through the call; the first was just filled.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) };
    let spawned = std::thread::Builder::new()
        .name("millpond-check".to_owned())
        .spawn(move || keep(report, pause));
    // SAFETY: the set was written by the call above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    // A program may fault right away.
    let deadline = Instant::now() + PATIENCE;
    while spawned.is_ok() && KEEPER.load(Ordering::Acquire) == 0 && Instant::now() < deadline {
        wait(IDLE, Duration::from_millis(1));
    }
    spawned.is_ok()
}

fn keep(report: fn(&Fault), pause: fn()) {
    KEEPER.store(thread(), Ordering::Release);
    wake();
    loop {
        match STATE.load(Ordering::Acquire) {
            POSTED => {
                // SAFETY: the state says that nobody writes it now.
                let fault = unsafe { *POST.0.get() };
                report(&fault);
                STATE.store(DONE, Ordering::Release);
                wake();
            }
            other => {
                wait(other, PAUSE);
                if STATE.load(Ordering::Acquire) != POSTED {
                    pause();
                }
            }
        }
    }
}

/// Whether a fault of this thread can be passed on. Called in a signal handler.
pub(super) fn listens() -> bool {
    let keeper = KEEPER.load(Ordering::Acquire);
    keeper != 0
        && !LATE.load(Ordering::Relaxed)
        && OWNER.load(Ordering::Relaxed) == process()
        && keeper != thread()
}

/// Passes a fault on and waits until it is reported, for a limited time. Called in a signal handler.
pub(super) fn hand_over(fault: &Fault) {
    let deadline = Instant::now() + PATIENCE;
    // Another thread may be passing one on.
    loop {
        let claimed = STATE.compare_exchange(IDLE, CLAIMED, Ordering::AcqRel, Ordering::Acquire);
        let Err(state) = claimed else { break };
        if Instant::now() > deadline {
            ledger::add(Count::Faults, 1);
            return;
        }
        wait(state, Duration::from_millis(20));
    }
    // SAFETY: this thread made the claim, and the keeper reads only what was posted.
    unsafe { *POST.0.get() = *fault };
    STATE.store(POSTED, Ordering::Release);
    wake();
    while STATE.load(Ordering::Acquire) == POSTED {
        if Instant::now() > deadline {
            LATE.store(true, Ordering::Relaxed);
            ledger::add(Count::Faults, 1);
            return;
        }
        wait(POSTED, Duration::from_millis(50));
    }
    STATE.store(IDLE, Ordering::Release);
    wake();
}

/// Waits until the state differs from `state`, a wake-up arrives, or the time is over.
fn wait(state: u32, limit: Duration) {
    let limit = libc::timespec {
        tv_sec: 0,
        tv_nsec: i64::from(limit.subsec_nanos()),
    };
    let flags = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is a static, and the time lives through the call.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            STATE.as_ptr(),
            flags,
            state,
            &raw const limit,
        )
    };
}

fn wake() {
    let flags = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is a static.
    unsafe { libc::syscall(libc::SYS_futex, STATE.as_ptr(), flags, i32::MAX) };
}

fn process() -> i32 {
    // SAFETY: asks for a number.
    unsafe { libc::getpid() }
}

fn thread() -> i32 {
    // SAFETY: asks for a number.
    unsafe { libc::gettid() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_keeper_however_often_it_is_started() {
        assert!(start(|_| (), || ()) && start(|_| (), || ()));
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        let names = threads
            .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("comm")).ok());
        let keepers = names.filter(|name| name.trim() == "millpond-check");
        assert_eq!(keepers.count(), 1);
    }
}
