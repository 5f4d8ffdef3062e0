//! Which calls are allowed while streams are captured.
//!
//! Some calls would change or read memory at once, behind the back of a capture. Whether one is allowed depends on the mode of every
//! capture and on the mode of the calling thread. One that is not fails, and the capture is invalid from then on.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use millpond::Graph;
use millpond_abi as abi;
use millpond_trace::thread_number;
use parking_lot::Mutex;

use crate::boundary::CallError;

/// A capture that has not ended.
#[derive(Debug)]
struct Active {
    graph: Graph,
    /// The stream on which it began, and the stream's context.
    stream: u64,
    context: u64,
    thread: u64,
    mode: abi::aclmdlRICaptureMode,
}

static ACTIVE: Mutex<Vec<Active>> = Mutex::new(Vec::new());
/// How many there are: usually none, and then nothing else is looked at.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How often everything was forgotten. A thread's mode counts if it was set since.
static FORGOTTEN: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The mode, and how often everything had been forgotten when it was set.
    static MODE: Cell<(abi::aclmdlRICaptureMode, u64)> =
        const { Cell::new((abi::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, 0)) };
}

/// The mode of the calling thread.
fn own() -> abi::aclmdlRICaptureMode {
    let (mode, set) = MODE.get();
    if set == FORGOTTEN.load(Ordering::Acquire) {
        mode
    } else {
        abi::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
    }
}

/// Sets the mode of the calling thread and returns the one before.
pub(super) fn exchange(mode: abi::aclmdlRICaptureMode) -> abi::aclmdlRICaptureMode {
    let before = own();
    MODE.set((mode, FORGOTTEN.load(Ordering::Acquire)));
    before
}

/// Forgets the modes of all threads, and captures whose streams are gone.
pub(crate) fn forget() {
    FORGOTTEN.fetch_add(1, Ordering::AcqRel);
    drop_ended(&mut ACTIVE.lock());
}

/// A program may destroy a stream instead of ending its capture.
fn drop_ended(active: &mut Vec<Active>) {
    active.retain(|one| one.graph.is_capturing());
    COUNT.store(active.len(), Ordering::Release);
}

/// A capture begins.
pub(super) fn begin(graph: &Graph, stream: &millpond::Stream, mode: abi::aclmdlRICaptureMode) {
    let mut active = ACTIVE.lock();
    active.push(Active {
        graph: graph.clone(),
        stream: stream.id(),
        context: stream.context_id(),
        thread: thread_number(),
        mode,
    });
    COUNT.store(active.len(), Ordering::Release);
}

/// Refuses to end a capture on another thread than it began on, unless its mode is relaxed.
pub(super) fn check_thread(stream: u64) -> Result<(), CallError> {
    let active = ACTIVE.lock();
    let Some(one) = active.iter().find(|one| one.stream == stream) else {
        return Ok(());
    };
    if one.thread == thread_number() || one.mode == abi::ACL_MODEL_RI_CAPTURE_MODE_RELAXED {
        return Ok(());
    }
    Err(CallError::coded(
        abi::ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
        "the capture began on another thread: end it there, or begin it with ACL_MODEL_RI_CAPTURE_MODE_RELAXED",
    ))
}

/// A capture has ended.
pub(super) fn end(stream: u64) {
    let mut active = ACTIVE.lock();
    active.retain(|one| one.stream != stream);
    COUNT.store(active.len(), Ordering::Release);
}

/// Whether a capture is going on.
#[inline]
pub(crate) fn any() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

/// Refuses a call that is unsafe while a stream is captured, where the modes say so.
#[inline]
pub(crate) fn forbid(function: &'static str) -> Result<(), CallError> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    let text = "reads or writes memory at once, which is unsafe while a stream is being captured: use the asynchronous form on the \
                captured stream, or set the thread's mode with aclmdlRICaptureThreadExchangeMode";
    check(
        function,
        abi::ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
        text,
        |_| true,
    )
}

/// Refuses an asynchronous copy or fill with host memory that is not pinned, where the modes say so: it is done at once. A stream that is captured
/// itself refuses it in any mode.
#[inline]
pub(crate) fn forbid_pageable(
    stream: &millpond::Stream,
    sides: &[(u64, u64)],
) -> Result<(), CallError> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    let is_pageable = |(address, bytes): &(u64, u64)| stream.is_foreign(*address, *bytes);
    if stream.is_recording() || !sides.iter().any(is_pageable) {
        return Ok(());
    }
    let text = "is done at once, which is unsafe while a stream is being captured: allocate the host memory with aclrtMallocHost, or \
                set the thread's mode with aclmdlRICaptureThreadExchangeMode";
    check(
        "an asynchronous copy or fill with host memory that is not pinned",
        abi::ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
        text,
        |_| true,
    )
}

/// Refuses to use a context's default stream, where the modes say so.
#[inline]
pub(crate) fn forbid_default_stream(context: u64) -> Result<(), CallError> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    let text = "cannot be used while a stream of its context is being captured: use another stream";
    let code = abi::ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT;
    check("the default stream", code, text, |one| {
        one.context == context
    })
}

#[cold]
fn check(
    what: &'static str,
    code: abi::aclError,
    text: &str,
    concerns: impl Fn(&Active) -> bool,
) -> Result<(), CallError> {
    let own = own();
    if own == abi::ACL_MODEL_RI_CAPTURE_MODE_RELAXED {
        return Ok(());
    }
    let thread = thread_number();
    let forbids = |one: &&Active| {
        concerns(one)
            && match one.mode {
                abi::ACL_MODEL_RI_CAPTURE_MODE_RELAXED => false,
                abi::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL => {
                    one.thread == thread || own == abi::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
                }
                _ => one.thread == thread,
            }
    };
    let mut active = ACTIVE.lock();
    drop_ended(&mut active);
    let broken: Vec<&Active> = active.iter().filter(forbids).collect();
    if broken.is_empty() {
        return Ok(());
    }
    for one in broken {
        one.graph.invalidate(&format!("{what} {text}"));
    }
    Err(CallError::coded(code, format!("{what} {text}")))
}
