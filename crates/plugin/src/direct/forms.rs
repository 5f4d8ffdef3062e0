//! The forms that PyTorch's pluggable allocators call: alloc and free with size, device and stream.
//!
//! They use the pool that all parts of a program share. PyTorch does not look at what it gets: kernels would write to address 0, and
//! the context would be lost. So a request that gets no block throws PyTorch's own error, with our reason; it unwinds through the
//! exported function into PyTorch. Where PyTorch is not in the process, the reason goes to stderr, once.
#![expect(
    unsafe_code,
    reason = "exported C symbols, and a call of PyTorch's function that throws"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use super::arena::Arena;
use super::exports;
use super::noted;
use super::pools::{self, Family, Problem};
use super::settings::{self, Settings};
use crate::message;

/// The settings of `MILLPOND_CUDA_OPTIONS`.
fn from_environment() -> Result<Settings, Problem> {
    static READ: OnceLock<Result<Settings, String>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let text = std::env::var("MILLPOND_CUDA_OPTIONS").unwrap_or_default();
        settings::parse(&text).map_err(|why| format!("MILLPOND_CUDA_OPTIONS: {why}"))
    });
    read.clone().map_err(Problem::Invalid)
}

/// The pool of a device: the one that is there, or one with the settings of the environment.
fn shared(family: Family, device: i32) -> Result<&'static Arena, Problem> {
    match pools::existing(family, device) {
        Some(arena) => Ok(arena),
        None => pools::shared(family, device, Some(from_environment()?)),
    }
}

fn alloc(function: &str, family: Family, bytes: isize, device: c_int, stream: u64) -> *mut c_void {
    // PyTorch asks for nothing, too, and wants nothing then.
    let Some(bytes) = u64::try_from(bytes).ok().filter(|&bytes| bytes > 0) else {
        return std::ptr::null_mut();
    };
    let memory = match family {
        Family::Cuda => "CUDA",
        Family::Ascend => "NPU",
    };
    let found = exports::guarded(Err(format!("{function}: a bug in the library")), || {
        let refused = |why: Problem| format!("{function}: {why}");
        let pool = shared(family, device).map_err(refused)?.handle();
        if let Some(address) = pools::alloc_kept(pool, bytes, stream) {
            return Ok(address);
        }
        pools::alloc(pool, bytes, stream, None).map_err(|(why, arena)| match (&why, arena) {
            (Problem::NoBlock(no_block), Some(arena)) => {
                noted::refused(arena, bytes, &no_block.to_string());
                // Programs look for the first words.
                let out = if no_block.for_lack_of_memory() {
                    format!("{memory} out of memory. ")
                } else {
                    String::new()
                };
                format!("{out}{function}: {}", arena.report(no_block))
            }
            _ => refused(why),
        })
    });
    match found {
        Ok(address) => {
            noted::allocated(address, bytes, stream);
            exports::pointer(address)
        }
        Err(text) => {
            message::keep(&text);
            drop(text);
            throw();
            message::repeat();
            std::ptr::null_mut()
        }
    }
}

/// `c10::detail::torchCheckFail(function, file, line, message)`.
type CheckFail = unsafe extern "C-unwind" fn(*const c_char, *const c_char, u32, *const c_char);
const CHECK_FAIL: &CStr = c"_ZN3c106detail14torchCheckFailEPKcS2_jS2_";

/// Throws PyTorch's error with the text that this thread kept last. Returns only if PyTorch is not there.
fn throw() {
    let found = millpond_imports::find_in("libc10.so", CHECK_FAIL);
    if found == 0 {
        return;
    }
    let place = std::ptr::with_exposed_provenance::<c_void>(found);
    // SAFETY: the function with this name has had this type since PyTorch 1.8.
    let fail = unsafe { std::mem::transmute::<*const c_void, CheckFail>(place) };
    let text = message::last();
    // SAFETY: strings that end and outlive the call; what it throws passes only functions that may unwind.
    unsafe { fail(c"millpond".as_ptr(), c"pool".as_ptr(), 0, text) };
}

fn free(function: &str, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    let address = exports::number(block);
    let freed = exports::guarded(true, || pools::free(address));
    if !freed {
        message::misuse(&format!(
            "{function}: {address:#x} is not a live block of the pool"
        ));
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C-unwind" fn millpondTorchCudaAlloc(
    bytes: isize,
    device: c_int,
    stream: *mut c_void,
) -> *mut c_void {
    let stream = exports::number(stream);
    alloc(
        "millpondTorchCudaAlloc",
        Family::Cuda,
        bytes,
        device,
        stream,
    )
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondTorchCudaFree(block: *mut c_void, _: isize, _: c_int, _: *mut c_void) {
    free("millpondTorchCudaFree", block);
}

/// See the header.
#[unsafe(no_mangle)]
extern "C-unwind" fn millpondTorchNpuAlloc(
    bytes: isize,
    device: c_int,
    stream: *mut c_void,
) -> *mut c_void {
    let stream = exports::number(stream);
    alloc(
        "millpondTorchNpuAlloc",
        Family::Ascend,
        bytes,
        device,
        stream,
    )
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondTorchNpuFree(block: *mut c_void, _: isize, _: c_int, _: *mut c_void) {
    free("millpondTorchNpuFree", block);
}
