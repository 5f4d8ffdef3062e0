//! The C functions of `include/millpond/plugin.h`, and the callbacks in the descriptors.
//!
//! No panic leaves: it becomes an error, a NULL block or nothing.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use millpond_abi as abi;

use crate::arena::NotFreed;
use crate::arenas::{self, Problem};
use crate::blocks;
use crate::calls::Calls;
use crate::lanes;
use crate::message;
use crate::options::{Options, Settings};
use crate::process;
use crate::statistics::Statistics;

/// The codes of the header, with the text that goes with each.
#[derive(Debug)]
enum Failure {
    Invalid(String),
    NoRuntime(String),
    Problem(Problem),
    Panicked,
}

impl Failure {
    fn code(&self) -> c_int {
        match self {
            Self::Invalid(_) => -1,
            Self::Problem(Problem::NotOurs(_)) => -2,
            Self::NoRuntime(_) => -3,
            Self::Problem(Problem::Refused(_)) => -4,
            Self::Problem(Problem::OtherOptions(_)) => -5,
            Self::Problem(Problem::Busy(_)) => -6,
            Self::Problem(Problem::TooMany) => -7,
            Self::Panicked => -8,
        }
    }

    fn text(&self, function: &str) -> String {
        let text = match self {
            Self::Invalid(text) | Self::NoRuntime(text) => text.clone(),
            Self::Problem(problem) => problem.to_string(),
            Self::Panicked => "a bug in the plugin stopped this call; please report it".to_owned(),
        };
        format!("{function}: {text}")
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

fn entry(function: &str, body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Failure::Panicked));
    match result {
        Ok(()) => 0,
        Err(failure) => {
            message::keep(&failure.text(function));
            failure.code()
        }
    }
}

fn runtime() -> Result<Arc<dyn Calls>, Failure> {
    process::runtime().map_err(Failure::NoRuntime)
}

fn null(argument: &str) -> Failure {
    Failure::Invalid(format!("the argument '{argument}' is NULL"))
}

fn number(pointer: *mut c_void) -> u64 {
    pointer.expose_provenance() as u64
}

/// A structure of C that says how long it is, as far as we know it; what is longer must be zero.
///
/// # Safety
///
/// `given` points to a structure that starts with its size and is as long as it says.
unsafe fn read_options(given: *const Options) -> Result<Options, Failure> {
    let known = size_of::<Options>();
    // SAFETY: the caller's promise.
    let size = unsafe { given.cast::<usize>().read_unaligned() };
    if size < size_of::<usize>() || size > 4096 {
        return Err(Failure::Invalid(format!(
            "options.struct_size is {size}, but must be sizeof(millpondAllocatorOptions)"
        )));
    }
    let mut options = Options::default();
    let bytes = size.min(known);
    let into = std::ptr::from_mut(&mut options).cast::<u8>();
    // SAFETY: both are at least so long, and ours is made of integers.
    unsafe { given.cast::<u8>().copy_to(into, bytes) };
    // SAFETY: the structure is as long as it says.
    let whole = unsafe { std::slice::from_raw_parts(given.cast::<u8>(), size) };
    if whole[bytes..].iter().any(|&byte| byte != 0) {
        return Err(Failure::Invalid(
            "options has fields that this version does not support; they must be zero".to_owned(),
        ));
    }
    Ok(options)
}

/// Makes a descriptor for a stream. See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondAllocatorCreate(
    stream: abi::aclrtStream,
    options: *const Options,
    desc: *mut abi::aclrtAllocatorDesc,
) -> c_int {
    entry("millpondAllocatorCreate", || {
        if stream.is_null() {
            return Err(null("stream"));
        }
        if desc.is_null() {
            return Err(null("desc"));
        }
        let settings = if options.is_null() {
            None
        } else {
            // SAFETY: the header asks for a structure that starts with its size.
            let options = unsafe { read_options(options) }?;
            Some(Settings::try_from(options).map_err(Failure::Invalid)?)
        };
        let created = arenas::create(&runtime()?, number(stream), settings)?;
        let created = usize::try_from(created).unwrap_or(0);
        // SAFETY: the header asks for a place to write to.
        unsafe { desc.write(std::ptr::with_exposed_provenance_mut(created)) };
        Ok(())
    })
}

/// Ends a descriptor. See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondAllocatorDestroy(desc: abi::aclrtAllocatorDesc) -> c_int {
    entry("millpondAllocatorDestroy", || {
        if desc.is_null() {
            return Err(null("desc"));
        }
        Ok(arenas::destroy(&runtime()?, number(desc))?)
    })
}

/// Gives idle memory back. See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondAllocatorTrim(
    desc: abi::aclrtAllocatorDesc,
    keep_bytes: u64,
    released: *mut u64,
) -> c_int {
    entry("millpondAllocatorTrim", || {
        let chosen = (!desc.is_null()).then(|| number(desc));
        runtime()?;
        let bytes = arenas::trim(chosen, keep_bytes)?;
        if !released.is_null() {
            // SAFETY: the header asks for NULL or a place to write to.
            unsafe { released.write(bytes) };
        }
        Ok(())
    })
}

/// The numbers of a descriptor and its device. See the header.
#[unsafe(no_mangle)]
unsafe extern "C" fn millpondAllocatorStats(
    desc: abi::aclrtAllocatorDesc,
    stats: *mut Statistics,
) -> c_int {
    entry("millpondAllocatorStats", || {
        if desc.is_null() {
            return Err(null("desc"));
        }
        if stats.is_null() {
            return Err(null("stats"));
        }
        // SAFETY: the header asks for a structure that starts with its size.
        let size = unsafe { stats.cast::<usize>().read_unaligned() };
        if size < size_of::<usize>() {
            return Err(Failure::Invalid(format!(
                "stats.struct_size is {size}, but must be sizeof(millpondAllocatorStatistics)"
            )));
        }
        let numbers = Statistics {
            struct_size: size.min(size_of::<Statistics>()),
            ..arenas::statistics(number(desc))?
        };
        let from = std::ptr::from_ref(&numbers).cast::<u8>();
        // SAFETY: the structure is as long as it says, and ours is at least as long as what is copied.
        unsafe { from.copy_to(stats.cast::<u8>(), numbers.struct_size) };
        Ok(())
    })
}

/// The text of this thread's last error. See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondAllocatorMessage() -> *const c_char {
    catch_unwind(message::last).unwrap_or(c"".as_ptr())
}

/// The version of the library. See the header.
#[unsafe(no_mangle)]
extern "C" fn millpondAllocatorVersion() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// Runs a callback's body; a panic becomes its result for failure.
fn guarded<R>(failed: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        message::keep(&Failure::Panicked.text("the allocator"));
        failed
    })
}

pub(crate) fn allocate(object: *mut c_void, size: usize, near: Option<u64>) -> *mut c_void {
    guarded(std::ptr::null_mut(), || {
        let Some(stream) = lanes::find(object.addr()) else {
            message::misuse("allocation from an invalid or destroyed descriptor");
            return std::ptr::null_mut();
        };
        match stream.arena.alloc(&stream.lane, size as u64, near) {
            Ok(header) => std::ptr::with_exposed_provenance_mut(header.handle()),
            Err(no_block) => {
                let arena = Arc::downgrade(&stream.arena);
                message::keep_later(move || match arena.upgrade() {
                    Some(arena) => arena.report(no_block),
                    None => no_block.to_string(),
                });
                std::ptr::null_mut()
            }
        }
    })
}

/// The descriptor's function that allocates.
pub(crate) unsafe extern "C-unwind" fn alloc(
    object: abi::aclrtAllocator,
    size: usize,
) -> *mut c_void {
    allocate(object, size, None)
}

/// The descriptor's function that allocates near an address, if that is possible.
pub(crate) unsafe extern "C-unwind" fn alloc_advise(
    object: abi::aclrtAllocator,
    size: usize,
    address: abi::aclrtAllocatorAddr,
) -> *mut c_void {
    allocate(object, size, (!address.is_null()).then(|| number(address)))
}

/// The descriptor's function that frees in the order of its stream.
pub(crate) unsafe extern "C-unwind" fn free(
    object: abi::aclrtAllocator,
    block: abi::aclrtAllocatorBlock,
) {
    guarded((), || {
        let Some(stream) = lanes::find(object.addr()) else {
            return message::misuse("free with an invalid or destroyed descriptor");
        };
        let Some(header) = blocks::find(block.addr()) else {
            return message::misuse(&format!(
                "free of {:#x}, which is not a block",
                block.addr()
            ));
        };
        match stream.arena.free(&stream.lane, header) {
            Ok(()) => {}
            Err(NotFreed::NotLive) => {
                message::misuse(&format!("double free of the block {:#x}", block.addr()));
            }
            Err(NotFreed::OtherArena) => message::misuse(&format!(
                "the block {:#x} was freed through the descriptor of another device",
                block.addr()
            )),
        }
    });
}

/// The descriptor's function that returns a block's address.
pub(crate) unsafe extern "C-unwind" fn get_address(block: abi::aclrtAllocatorBlock) -> *mut c_void {
    guarded(std::ptr::null_mut(), || {
        let live = blocks::find(block.addr()).and_then(blocks::Header::block);
        let Some(live) = live else {
            message::misuse(&format!(
                "cannot return the address of {:#x}, which is not a live block",
                block.addr()
            ));
            return std::ptr::null_mut();
        };
        let address = usize::try_from(live.address).unwrap_or(0);
        std::ptr::with_exposed_provenance_mut(address)
    })
}
