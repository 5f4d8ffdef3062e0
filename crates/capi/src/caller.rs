//! Where the program called from: the first return address outside this library.
//!
//! Asked only while somebody listens to records, so the price of walking the stack is paid by
//! those who want the answer.
#![expect(unsafe_code, reason = "calls the unwinder and the loader")]

use std::ffi::{CStr, c_int, c_void};

use millpond::trace::CallSite;

#[repr(C)]
pub(crate) struct UnwindContext {
    _private: [u8; 0],
}

pub(crate) type TraceFn = extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int;

unsafe extern "C" {
    pub(crate) fn _Unwind_Backtrace(trace: TraceFn, argument: *mut c_void) -> c_int;
    pub(crate) fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

const GO_ON: c_int = 0;
const END_OF_STACK: c_int = 5;

struct Search {
    own: usize,
    found: usize,
}

/// Notes the caller for the records of this call.
pub(crate) fn note(function: &'static str) -> CallSite {
    let mut search = Search {
        own: module_of(note as *const () as usize),
        found: 0,
    };
    // SAFETY: the callback gets back the pointer to `search`, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut search).cast()) };
    CallSite::note(function, search.found as u64, 0)
}

extern "C" fn visit(context: *mut UnwindContext, argument: *mut c_void) -> c_int {
    // SAFETY: the argument is the `Search` that `note` passed in, used by nobody else meanwhile.
    let search = unsafe { &mut *argument.cast::<Search>() };
    // SAFETY: the unwinder passes a context that is valid during this call.
    let address = unsafe { _Unwind_GetIP(context) };
    if module_of(address) == search.own {
        return GO_ON;
    }
    search.found = address;
    END_OF_STACK
}

/// Where an address is: the file and the distance from its start, as `addr2line` takes it.
pub(crate) fn place(address: u64) -> String {
    let Some(module) = usize::try_from(address).ok().and_then(module) else {
        return format!("{address:#x}");
    };
    // A program that is not position-independent is linked for the addresses it has.
    let base = if is_fixed(&module) {
        0
    } else {
        module.dli_fbase.addr() as u64
    };
    let distance = address - base;
    if module.dli_fname.is_null() {
        return format!("{address:#x}");
    }
    // SAFETY: the loader answers a NUL-terminated name that lives as long as the module.
    let file = unsafe { CStr::from_ptr(module.dli_fname) }.to_string_lossy();
    let name = file.rsplit('/').next().unwrap_or(&file);
    format!("{name}+{distance:#x}")
}

/// Whether a module is linked for fixed addresses: `e_type` of its ELF header says so.
fn is_fixed(module: &libc::Dl_info) -> bool {
    const TYPE_OFFSET: usize = 16;
    const FIXED: u16 = 2;
    let start = module.dli_fbase.cast::<u8>().cast_const();
    // SAFETY: a module begins with its ELF header, which the loader has mapped; the field lies in it.
    let place = unsafe { start.add(TYPE_OFFSET) };
    // SAFETY: as above.
    let kind = unsafe { place.cast::<u16>().read_unaligned() };
    kind == FIXED
}

/// The start of the module that an address belongs to; 0 if it belongs to none.
fn module_of(address: usize) -> usize {
    module(address).map_or(0, |module| module.dli_fbase.addr())
}

/// What the loader knows of the module that an address belongs to.
fn module(address: usize) -> Option<libc::Dl_info> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: dladdr accepts any address and fills the structure only when it knows it.
    let known = unsafe { libc::dladdr(std::ptr::without_provenance(address), &raw mut info) };
    (known != 0).then_some(info)
}
