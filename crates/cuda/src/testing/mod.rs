//! For tests: a stand-in for the driver over host memory.
//!
//! The top of `standin.c` says what it does. It is built with the system's C compiler when the first test of a process asks
//! for it, into the system's folder for temporary files, once for each text of the source.
#![expect(unsafe_code, reason = "calls functions of the stand-in")]

use std::ffi::{CString, OsStr, c_char, c_int, c_void};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::driver::Driver;
use crate::library::Library;
use crate::streams::{Capture, Stream};

const SOURCE: &str = include_str!("standin.c");

/// Builds the stand-in. The path can be given to programs as `MILLPOND_CUDA_DRIVER`.
///
/// # Panics
/// If there is no C compiler, or it refuses the source.
pub fn build() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    SOURCE.hash(&mut hasher);
    // SAFETY: takes nothing.
    let user = unsafe { libc::getuid() };
    let folder = std::env::temp_dir().join(format!("millpond-cuda-{user}"));
    let library = folder.join(format!("standin-{:016x}.so", hasher.finish()));
    if library.exists() {
        return library;
    }
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    let own = folder.join(format!("{}-{}", std::process::id(), next()));
    let source = own.with_extension("c");
    let built = own.with_extension("so");
    fs::write(&source, SOURCE).expect("a temporary file");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]);
    compiler.args(["-shared", "-fPIC", "-pthread", "-o"]);
    let output = compiler.arg(&built).arg(&source).output();
    let output = output.expect("cc, the C compiler, runs: install gcc");
    assert!(
        output.status.success(),
        "cc refuses the stand-in: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Another test may have been faster: both are the same.
    fs::rename(&built, &library).expect("a temporary file");
    fs::remove_file(&source).ok();
    library
}

fn next() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

type SetUp = unsafe extern "C" fn(c_int, u64);

/// A stand-in of one test's own: other tests of the process have others.
#[derive(Debug)]
pub struct Standin {
    driver: Arc<Driver>,
    library: Library,
}

impl Standin {
    /// One GPU with 1 GiB of memory.
    pub fn new() -> Self {
        Self::with(1, 1 << 30)
    }

    /// So many GPUs with so much memory each.
    ///
    /// # Panics
    /// If it cannot be built or opened.
    pub fn with(devices: u32, memory: u64) -> Self {
        // The loader takes another file for another library, with a state of its own.
        let built = build();
        let own = built.with_extension(format!("{}-{}", std::process::id(), next()));
        fs::copy(&built, &own).expect("a temporary file");
        let library = Library::open(own.as_os_str()).expect("the stand-in opens");
        let set_up: SetUp = function(&library, c"standinSetUp");
        // SAFETY: called before the driver is initialised.
        unsafe { set_up(c_int::try_from(devices).unwrap_or(0), memory) };
        let driver = Driver::open_at(own.as_os_str()).expect("the stand-in starts");
        remove(&own);
        Self { driver, library }
    }

    /// The driver.
    pub fn driver(&self) -> &Arc<Driver> {
        &self.driver
    }

    /// The `number`-th call of `name` from now on, or of all functions, returns `code`.
    pub fn fail(&self, name: Option<&str>, number: u64, code: i32) {
        type Fail = unsafe extern "C" fn(*const c_char, u64, c_int);
        let fail: Fail = function(&self.library, c"standinFail");
        let name = name.map(|name| CString::new(name).unwrap_or_default());
        let text = name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
        // SAFETY: the text is a string or null.
        unsafe { fail(text, number, code) };
    }

    /// How often a function was called, or all of them.
    pub fn calls(&self, name: Option<&str>) -> u64 {
        type Calls = unsafe extern "C" fn(*const c_char) -> u64;
        let calls: Calls = function(&self.library, c"standinCalls");
        let name = name.map(|name| CString::new(name).unwrap_or_default());
        let text = name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
        // SAFETY: the text is a string or null.
        unsafe { calls(text) }
    }

    /// Whether work runs only when somebody waits for it.
    pub fn late(&self, on: bool) {
        self.set(c"standinLate", c_int::from(on));
    }

    /// Every call fails with this code from now on; 0 ends it.
    pub fn sticky(&self, code: i32) {
        self.set(c"standinSticky", code);
    }

    /// What the driver says of a stream when it is asked whether it is captured.
    pub fn capture(&self, stream: Stream, state: Capture) {
        type SetCapture = unsafe extern "C" fn(usize, c_int);
        let capture: SetCapture = function(&self.library, c"standinCapture");
        let state = match state {
            Capture::None => 0,
            Capture::Active => 1,
            Capture::Broken => 2,
        };
        // SAFETY: the value is a stream of this driver.
        unsafe { capture(stream.raw(), state) };
    }

    /// Bytes of physical memory that a device holds.
    pub fn used(&self, device: u32) -> u64 {
        type Used = unsafe extern "C" fn(c_int) -> u64;
        let used: Used = function(&self.library, c"standinUsed");
        // SAFETY: the number is one of a device.
        unsafe { used(c_int::try_from(device).unwrap_or(0)) }
    }

    fn set(&self, name: &'static std::ffi::CStr, value: c_int) {
        type Set = unsafe extern "C" fn(c_int);
        let set: Set = function(&self.library, name);
        // SAFETY: takes any number.
        unsafe { set(value) };
    }
}

impl Default for Standin {
    fn default() -> Self {
        Self::new()
    }
}

/// A function of the stand-in; `F` is its type.
fn function<F: Copy>(library: &Library, name: &'static std::ffi::CStr) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let found = library.find(name).expect("a function of the stand-in");
    // SAFETY: a function pointer has the size of a pointer, and callers name the type that the source has.
    unsafe { std::mem::transmute_copy(&found) }
}

/// The loader keeps the file open in memory.
fn remove(path: &Path) {
    fs::remove_file(path).ok();
}

/// The real driver, or a reason why it is not there; tests skip then, unless `MILLPOND_REQUIRE` names `cuda`.
///
/// # Panics
/// If it is required and not there.
pub fn real() -> Result<Arc<Driver>, String> {
    let opened = Driver::open_at(OsStr::new(crate::NAME)).map_err(|error| error.to_string());
    let required = std::env::var("MILLPOND_REQUIRE").unwrap_or_default();
    let required = required.split(',').any(|name| name.trim() == "cuda");
    assert!(
        opened.is_ok() || !required,
        "MILLPOND_REQUIRE=cuda, but {opened:?}"
    );
    opened
}
