//! What happens when this library is loaded.
//!
//! Memory tools are preloaded and intercept our functions: they forward a call to the next library that has the function,
//! which the loader finds only among globally visible libraries. Ours is not globally visible if a Python extension loaded
//! it, so in a process with preloaded libraries it makes itself visible.
#![expect(
    unsafe_code,
    reason = "registers a function with the loader, and calls it"
)]

use std::ffi::c_void;
use std::mem::MaybeUninit;

#[used]
// SAFETY: the loader calls the functions of this section once, and what it passes is not looked at.
#[unsafe(link_section = ".init_array")]
static WHEN_LOADED: extern "C" fn() = be_seen_by_hooks;

extern "C" fn be_seen_by_hooks() {
    if std::env::var_os("LD_PRELOAD").is_none_or(|list| list.is_empty()) {
        return;
    }
    let here: extern "C" fn() = be_seen_by_hooks;
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the address is one of this library, and the answer is written to memory of ours.
    if unsafe { libc::dladdr(here as *const c_void, found.as_mut_ptr()) } == 0 {
        return;
    }
    // SAFETY: written by the call above, which succeeded.
    let file = unsafe { found.assume_init() }.dli_fname;
    if file.is_null() {
        return;
    }
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_GLOBAL;
    // SAFETY: the name is the loader's own and stays. Nothing is loaded: what is there is shown to others. Without
    // success hooks fail as they would have.
    unsafe { libc::dlopen(file, flags) };
}
