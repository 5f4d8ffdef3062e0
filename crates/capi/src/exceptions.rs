//! Functions of the program that learn of failed tasks.
//!
//! They run on a thread of their own, because a task may fail on a worker or inside a call. A call that returns the failure
//! waits until they have returned, so a program that sees the error has seen the details before.
#![expect(unsafe_code, reason = "calls functions of the program")]

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use millpond::lock::assert_none_held;
use millpond_abi as abi;
use parking_lot::{Condvar, Mutex};

use crate::boundary::CallError;
use crate::handles::pointer;
use crate::{process, status};

/// A function of the program, never null.
type Function = unsafe extern "C-unwind" fn(*mut abi::aclrtExceptionInfo);

/// What is known of a failed task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure {
    pub(crate) device: u32,
    pub(crate) stream: u32,
    pub(crate) task: u32,
    /// The thread that queued it, if that is known.
    pub(crate) thread: Option<u32>,
    pub(crate) code: abi::aclError,
}

#[derive(Debug, Default)]
struct State {
    /// The one that was set, and those that were added.
    set: Option<Function>,
    added: Vec<Function>,
    /// Failures that functions have not been told of.
    pending: u64,
    /// What the pointers that functions get stand for.
    live: Option<HashMap<u64, Failure>>,
    next: u64,
}

static STATE: Mutex<State> = Mutex::new(State {
    set: None,
    added: Vec::new(),
    pending: 0,
    live: None,
    next: 1,
});
static TOLD: Condvar = Condvar::new();

/// The longest that a call waits for functions of the program: one that hangs must not hang the call.
const PATIENCE: Duration = Duration::from_secs(5);

thread_local! {
    /// Whether this is the thread that calls them.
    static IS_TELLER: Cell<bool> = const { Cell::new(false) };
}

/// Begins to watch for failures.
fn watch() -> Result<(), CallError> {
    static WATCHING: OnceLock<()> = OnceLock::new();
    let runtime = process::runtime()?;
    WATCHING.get_or_init(|| {
        let (send, failures) = channel::<Failure>();
        let started = millpond_sharing::spawn("millpond-failures", move || {
            IS_TELLER.set(true);
            while let Ok(failure) = failures.recv() {
                tell(failure);
            }
        });
        if started.is_ok() {
            runtime.on_task_failure(move |task| {
                note(
                    &send,
                    Failure {
                        device: task.device,
                        stream: low(task.stream),
                        task: low(task.task),
                        thread: task.thread,
                        code: status::of_task(task.cause),
                    },
                );
            });
        }
    });
    Ok(())
}

/// The part of a number that programs see.
fn low(number: u64) -> u32 {
    u32::try_from(number & 0x7fff_ffff).unwrap_or(0)
}

fn note(send: &Sender<Failure>, failure: Failure) {
    let mut state = STATE.lock();
    let wanted = state.set.is_some() || !state.added.is_empty();
    if wanted && send.send(failure).is_ok() {
        state.pending += 1;
    }
}

fn tell(failure: Failure) {
    let (functions, handle) = {
        let mut state = STATE.lock();
        let handle = state.next << 4;
        state.next += 1;
        state.live.get_or_insert_default().insert(handle, failure);
        let functions: Vec<Function> = state.set.iter().chain(&state.added).copied().collect();
        (functions, handle)
    };
    for function in functions {
        assert_none_held();
        // SAFETY: the program registered this function for this purpose. What it gets is a handle, which nobody dereferences.
        unsafe { function(pointer(handle).cast()) };
    }
    let mut state = STATE.lock();
    state.live.get_or_insert_default().remove(&handle);
    state.pending -= 1;
    TOLD.notify_all();
}

/// Waits until functions of the program have seen the failures so far.
pub(crate) fn settle() {
    if IS_TELLER.get() {
        return;
    }
    let deadline = Instant::now() + PATIENCE;
    let mut state = STATE.lock();
    while state.pending > 0 && !TOLD.wait_until(&mut state, deadline).timed_out() {}
}

/// Replaces the function that was set; none for none.
pub(crate) fn set(function: Option<Function>) -> Result<(), CallError> {
    watch()?;
    STATE.lock().set = function;
    Ok(())
}

fn is_same(one: Function, other: Function) -> bool {
    std::ptr::fn_addr_eq(one, other)
}

/// Adds a function. One that is there already stays once.
pub(crate) fn add(function: Function) -> Result<(), CallError> {
    watch()?;
    let mut state = STATE.lock();
    if !state.added.iter().any(|known| is_same(*known, function)) {
        state.added.push(function);
    }
    Ok(())
}

/// Removes a function; false if it is not there.
pub(crate) fn remove(function: Function) -> bool {
    let mut state = STATE.lock();
    let before = state.added.len();
    state.added.retain(|known| !is_same(*known, function));
    state.added.len() != before
}

/// What a pointer stands for that a function of the program got, until that has returned.
pub(crate) fn get(info: *const abi::aclrtExceptionInfo) -> Option<Failure> {
    let state = STATE.lock();
    state.live.as_ref()?.get(&(info.addr() as u64)).copied()
}
