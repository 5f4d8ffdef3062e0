//! The C functions by which a program says what its work does with memory.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::catch_unwind;

use millpond_trace::{Span, Spans};

use super::Lane;

/// `millpondCudaSpan`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct RawSpan {
    start: u64,
    width: u64,
    pitch: u64,
    rows: u64,
}

/// The code of the header for a wrong argument.
const INVALID: c_int = -1;

#[unsafe(no_mangle)]
extern "C" fn millpondCudaRecording() -> c_int {
    // A panic must not leave; then nothing is recorded.
    catch_unwind(|| c_int::from(super::wanted())).unwrap_or(0)
}

/// # Safety
///
/// `name` is NULL or a text; `reads` and `writes` point to as many spans as is said.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondCudaWork(
    device: c_int,
    stream: *mut c_void,
    name: *const c_char,
    reads: *const RawSpan,
    read_count: usize,
    writes: *const RawSpan,
    write_count: usize,
) -> c_int {
    if !super::on() {
        return 0;
    }
    if (reads.is_null() && read_count > 0) || (writes.is_null() && write_count > 0) {
        return INVALID;
    }
    let name = if name.is_null() {
        String::new()
    } else {
        // SAFETY: the caller promises a text.
        unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned()
    };
    // SAFETY: the caller promises as many spans.
    let reads = unsafe { spans(reads, read_count) };
    // SAFETY: as above.
    let writes = unsafe { spans(writes, write_count) };
    let lane = Lane {
        device,
        handle: stream.addr() as u64,
    };
    let written = catch_unwind(|| super::work(lane, &name, reads, writes));
    if written.is_ok() { 0 } else { INVALID }
}

/// # Safety
///
/// `first` points to `count` spans, or is NULL and `count` is 0.
unsafe fn spans(first: *const RawSpan, count: usize) -> Spans {
    if first.is_null() || count == 0 {
        return Spans::new();
    }
    // SAFETY: the caller promises that many.
    let given = unsafe { std::slice::from_raw_parts(first, count) };
    let span = |raw: &RawSpan| Span {
        start: raw.start,
        width: raw.width,
        pitch: raw.pitch,
        rows: raw.rows,
    };
    given.iter().map(span).collect()
}
