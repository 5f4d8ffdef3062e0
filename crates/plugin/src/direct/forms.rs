//! The forms that PyTorch's pluggable allocators call: alloc and free with size, device and stream.
//!
//! They use the pool that all parts of a program share. PyTorch raises its own error when a block is NULL, without a word of
//! ours, so the reason goes to stderr, once.
#![expect(unsafe_code, reason = "exported C symbols")]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_int, c_void};
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
    let found = exports::guarded(
        Err(Problem::Invalid("a bug in the library".to_owned())),
        || {
            let pool = shared(family, device)?.handle();
            match pools::alloc_kept(pool, bytes, stream) {
                Some(address) => Ok(address),
                None => pools::alloc(pool, bytes, stream, None).map_err(|(why, arena)| {
                    match (&why, arena) {
                        (Problem::NoBlock(no_block), Some(arena)) => {
                            noted::refused(arena, bytes, &no_block.to_string());
                            Problem::Invalid(arena.report(no_block))
                        }
                        _ => why,
                    }
                }),
            }
        },
    );
    match found {
        Ok(address) => {
            noted::allocated(address, bytes, stream);
            exports::pointer(address)
        }
        Err(why) => {
            message::misuse(&format!("{function}: {why}"));
            std::ptr::null_mut()
        }
    }
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
extern "C" fn millpondTorchCudaAlloc(
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
extern "C" fn millpondTorchNpuAlloc(
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
