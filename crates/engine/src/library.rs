//! Opens the library and finds its entry point.
#![expect(unsafe_code, reason = "calls the system's loader")]

use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use ort_sys::OrtApiBase;

/// The entry point of every version of the library: returns its function tables.
pub(crate) type GetApiBase = unsafe extern "system" fn() -> *const OrtApiBase;

/// Throws the exception that the engine's own allocators throw when out of memory.
pub(crate) type Throw = unsafe extern "C-unwind" fn() -> !;

/// An open library.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    pub(crate) base: GetApiBase,
    /// `None` if the C++ library that it uses is not visible.
    pub(crate) throw: Option<Throw>,
}

/// Opens a library by path, or by name through the system's loader. It is never closed.
///
/// Its symbols stay local, so other copies in the process are not affected.
pub(crate) fn open(name: &OsStr) -> Result<Library, String> {
    let text =
        CString::new(name.as_bytes()).map_err(|_| "the path contains a NUL byte".to_owned())?;
    // SAFETY: the name is a string; the library's own initialisation is the user's choice of library.
    let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(last_error());
    }
    // SAFETY: the handle is open and never closed.
    let found = unsafe { libc::dlsym(handle, c"OrtGetApiBase".as_ptr()) };
    if found.is_null() {
        return Err(last_error());
    }
    // SAFETY: this symbol has this type in every version of the library.
    let base = unsafe { std::mem::transmute::<*mut c_void, GetApiBase>(found) };
    // `std::__throw_bad_alloc`, in the C++ library that this one is linked with.
    // SAFETY: as above; dlsym also searches the dependencies of the handle.
    let found = unsafe { libc::dlsym(handle, c"_ZSt17__throw_bad_allocv".as_ptr()) };
    let throw = (!found.is_null()).then(|| {
        // SAFETY: the name says that it takes nothing, and it never returns.
        unsafe { std::mem::transmute::<*mut c_void, Throw>(found) }
    });
    Ok(Library { base, throw })
}

/// Loads libraries that another one needs, so that it finds them by name. A failure is ignored here: the library that needs
/// the missing one reports it.
pub(crate) fn preload(files: &[PathBuf]) {
    for file in files {
        if let Ok(text) = CString::new(file.as_os_str().as_bytes()) {
            // SAFETY: the name is a string. NVIDIA's libraries may be loaded at any time.
            unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        }
    }
}

fn last_error() -> String {
    // SAFETY: takes nothing.
    let error = unsafe { libc::dlerror() };
    text(error)
}

/// A C string as text; empty for null.
pub(crate) fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: the callers pass strings of the loader or the library, which end with a zero.
    let string = unsafe { CStr::from_ptr(string) };
    string.to_string_lossy().into_owned()
}

/// The folder of the library or program that contains this code.
pub(crate) fn own_folder() -> Option<PathBuf> {
    let here: fn() -> Option<PathBuf> = own_folder;
    let file = file_with(here as *const c_void)?;
    file.parent().map(std::path::Path::to_owned)
}

/// The library or program that contains the code at an address.
pub(crate) fn file_with(code: *const c_void) -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is written only where the address is known.
    let found = unsafe { libc::dladdr(code, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own string, which lives as long as this code is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
    Some(std::fs::canonicalize(&path).unwrap_or(path))
}
