//! Replacements for functions of the CUDA runtime and of the driver that show the order of streams: `millpondCudaWatch`.
//!
//! Each module has a table of the functions that it imports; entries of these functions are led through ours, which call the
//! function that was there and note what the call has shown. What is not seen costs memory; an event whose record was not
//! seen stands for nothing.
#![expect(
    unsafe_code,
    reason = "replacements for functions of C; arguments are passed on as they are"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::clocks::{self, SEEN};
use super::{cuda, noted, pools};
use crate::records::{self, Awaited};

type Handle = *mut c_void;

/// Whether a call only asks, for `millpond record`.
const ASKS: bool = true;
const WAITS: bool = false;

/// A function that is replaced.
struct Hook {
    name: &'static CStr,
    /// The function itself; 0 as long as no library with it was seen.
    real: AtomicUsize,
}

impl Hook {
    const fn new(name: &'static str) -> Self {
        let name = match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => name,
            Err(_) => c"",
        };
        Self {
            name,
            real: AtomicUsize::new(0),
        }
    }
}

/// Makes a replacement for each function: `real` calls the function itself.
macro_rules! replaced {
    ($($hook:ident: fn $name:ident($($arg:ident: $type:ty),*), |$real:ident| $body:expr;)*) => {
        $(
            static $hook: Hook = Hook::new(concat!(stringify!($name), "\0"));

            unsafe extern "C-unwind" fn $name($($arg: $type),*) -> c_int {
                type Real = unsafe extern "C-unwind" fn($($type),*) -> c_int;
                // SAFETY: the address of the function of this name, which has this type; it was found before the entry
                // was replaced.
                let function = unsafe { std::mem::transmute::<usize, Real>($hook.real.load(Ordering::Acquire)) };
                // SAFETY: with what the caller has passed.
                let $real = || unsafe { function($($arg),*) };
                $body
            }
        )*

        static HOOKS: &[(&Hook, fn() -> usize)] = &[$(
            (&$hook, || ($name as unsafe extern "C-unwind" fn($($type),*) -> c_int) as usize),
        )*];
    };
}

replaced! {
    RECORD: fn cudaEventRecord(event: Handle, stream: Handle), |real| record(event, stream, real);
    RECORD_WITH: fn cudaEventRecordWithFlags(event: Handle, stream: Handle, flags: c_uint), |real| record(event, stream, real);
    WAIT: fn cudaStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint), |real| wait(stream, event, real);
    QUERY: fn cudaEventQuery(event: Handle), |real| over(event, ASKS, real);
    SYNCHRONIZE: fn cudaEventSynchronize(event: Handle), |real| over(event, WAITS, real);
    DESTROY: fn cudaEventDestroy(event: Handle), |real| destroy(event, real);
    STREAM_QUERY: fn cudaStreamQuery(stream: Handle), |real| stream_over(stream, ASKS, real);
    STREAM_SYNCHRONIZE: fn cudaStreamSynchronize(stream: Handle), |real| stream_over(stream, WAITS, real);
    STREAM_DESTROY: fn cudaStreamDestroy(stream: Handle), |real| stream_destroy(stream, real);
    DEVICE_SYNCHRONIZE: fn cudaDeviceSynchronize(), |real| device_over(real);
    DRIVER_RECORD: fn cuEventRecord(event: Handle, stream: Handle), |real| record(event, stream, real);
    DRIVER_RECORD_WITH: fn cuEventRecordWithFlags(event: Handle, stream: Handle, flags: c_uint), |real| record(event, stream, real);
    DRIVER_WAIT: fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint), |real| wait(stream, event, real);
    DRIVER_QUERY: fn cuEventQuery(event: Handle), |real| over(event, ASKS, real);
    DRIVER_SYNCHRONIZE: fn cuEventSynchronize(event: Handle), |real| over(event, WAITS, real);
    DRIVER_DESTROY: fn cuEventDestroy_v2(event: Handle), |real| destroy(event, real);
    DRIVER_STREAM_QUERY: fn cuStreamQuery(stream: Handle), |real| stream_over(stream, ASKS, real);
    DRIVER_STREAM_SYNCHRONIZE: fn cuStreamSynchronize(stream: Handle), |real| stream_over(stream, WAITS, real);
    DRIVER_STREAM_DESTROY: fn cuStreamDestroy_v2(stream: Handle), |real| stream_destroy(stream, real);
    DRIVER_CONTEXT_SYNCHRONIZE: fn cuCtxSynchronize(), |real| device_over(real);
}

fn number(handle: Handle) -> u64 {
    handle.addr() as u64
}

fn count(seen: &AtomicU64) {
    seen.fetch_add(1, Ordering::Relaxed);
}

fn record(event: Handle, stream: Handle, real: impl FnOnce() -> c_int) -> c_int {
    let event = number(event);
    let record = clocks::recording(event);
    // In a graph, the event is an edge between its nodes and says nothing of when they run.
    let captured = !cuda::captures(number(stream));
    let captured = captured.then(|| pools::stream_here(number(stream)).capture());
    let code = real();
    match captured {
        Some(captured) if code == 0 => {
            count(&SEEN.records);
            clocks::recorded(event, record, captured);
            noted::event_recorded(event, number(stream));
        }
        _ => {
            clocks::forget_event(event);
            records::event_gone(event);
        }
    }
    code
}

fn wait(stream: Handle, event: Handle, real: impl FnOnce() -> c_int) -> c_int {
    let event = number(event);
    let captured = clocks::look(event);
    let code = real();
    if code == 0
        && let Some((record, captured)) = captured
        && clocks::is_still(event, record)
        && !cuda::captures(number(stream))
    {
        count(&SEEN.waits);
        pools::stream_here(number(stream)).merge(&captured);
        noted::stream_waits(number(stream), event);
    }
    code
}

/// A call that says, with 0, that the work in front of an event is over.
fn over(event: Handle, asks: bool, real: impl FnOnce() -> c_int) -> c_int {
    let event = number(event);
    let captured = clocks::look(event);
    let code = real();
    if code == 0
        && let Some((record, captured)) = captured
        && clocks::is_still(event, record)
    {
        count(&SEEN.synchronisations);
        captured.is_over();
        noted::event_over(event, asks);
    }
    code
}

fn destroy(event: Handle, real: impl FnOnce() -> c_int) -> c_int {
    records::event_gone(number(event));
    clocks::forget_event(number(event));
    real()
}

/// A call that says, with 0, that the work of a stream is over.
fn stream_over(stream: Handle, asks: bool, real: impl FnOnce() -> c_int) -> c_int {
    let captured = pools::stream_here(number(stream)).capture();
    let code = real();
    if code == 0 {
        count(&SEEN.synchronisations);
        captured.is_over();
        noted::stream_over(number(stream), asks);
    }
    code
}

fn stream_destroy(stream: Handle, real: impl FnOnce() -> c_int) -> c_int {
    noted::stream_gone(number(stream));
    pools::stream_gone(number(stream));
    real()
}

fn device_over(real: impl FnOnce() -> c_int) -> c_int {
    let device = cuda::current_device();
    let moment = clocks::end_moment();
    let code = real();
    if code == 0
        && let Some(device) = device
    {
        count(&SEEN.synchronisations);
        clocks::device_passed(device, moment);
        records::synchronized(Awaited::Device(device));
    }
    code
}

/// Where the functions are.
const LIBRARIES: [&str; 2] = ["libcudart.so", "libcuda.so"];

static WATCHES: OnceLock<()> = OnceLock::new();
/// How often modules had come and gone when the tables were last looked at.
static LOADED: AtomicU64 = AtomicU64::new(0);
static REPLACED: AtomicU32 = AtomicU32::new(0);
/// The modules that were looked at.
static DONE: Mutex<millpond_imports::Done> = Mutex::new(millpond_imports::Done::new());

/// Replaces entries from now on; returns how many have been.
pub(crate) fn install() -> u32 {
    WATCHES.get_or_init(|| ());
    refresh();
    REPLACED.load(Ordering::Acquire)
}

/// The same in modules that were loaded since. Called where no lock of ours is held: it asks the loader.
pub(crate) fn refresh() {
    if WATCHES.get().is_none() {
        return;
    }
    let loaded = millpond_imports::loaded();
    if LOADED.swap(loaded, Ordering::AcqRel) == loaded {
        return;
    }
    let mut found_more = false;
    for (hook, _) in HOOKS {
        if hook.real.load(Ordering::Acquire) == 0 {
            let find = |library| millpond_imports::find_in(library, hook.name);
            let real = LIBRARIES.into_iter().map(find).find(|&real| real != 0);
            if let Some(real) = real {
                hook.real.store(real, Ordering::Release);
                found_more = true;
            }
        }
    }
    let entries: Vec<_> = HOOKS
        .iter()
        .filter(|(hook, _)| hook.real.load(Ordering::Acquire) != 0)
        .map(|(hook, replacement)| millpond_imports::Entry {
            name: hook.name,
            real: hook.real.load(Ordering::Acquire),
            replacement: replacement(),
        })
        .collect();
    let mut done = DONE.lock();
    if found_more {
        // Modules that were loaded before the library that has the functions.
        *done = millpond_imports::Done::new();
    }
    let replaced = millpond_imports::replace(&entries, &mut done);
    REPLACED.fetch_add(replaced, Ordering::AcqRel);
}
