//! What happens when this library is loaded.
//!
//! Memory tools are preloaded and stand before our functions: they take a call and hand it on to the next library that
//! has the function, which they ask the loader for. It looks only among libraries that everybody sees. Ours is none of them
//! where an extension of Python brought it in, so in a process with preloaded libraries it makes itself one.
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
