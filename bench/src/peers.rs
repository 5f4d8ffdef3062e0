//! What Millpond is compared with.
#![expect(
    unsafe_code,
    reason = "calls allocators, memcpy and a function of a library that is made on the spot"
)]

use std::ffi::{c_int, c_void};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

use libloading::Library;

type EmptyFn = unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int;

/// An exported function that does nothing, in a library of its own.
#[derive(Debug)]
pub(crate) struct Empty {
    function: EmptyFn,
    _library: Library,
}

impl Empty {
    /// Compiles the library, unless it is there already, and loads it.
    pub(crate) fn load() -> Result<Self, String> {
        let path = compiled()?;
        // SAFETY: the library was compiled from `empty.c` and has no constructors.
        let library = unsafe { Library::new(&path) }
            .map_err(|error| format!("{} cannot be loaded: {error}", path.display()))?;
        // SAFETY: `empty.c` declares the function so.
        let function = *unsafe { library.get::<EmptyFn>("millpond_bench_empty") }
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self {
            function,
            _library: library,
        })
    }

    #[inline]
    pub(crate) fn call(&self, number: &mut c_int) -> i32 {
        // SAFETY: it uses neither argument.
        unsafe { (self.function)(null_mut(), number) }
    }
}

/// The library made from `empty.c`, kept in the target folder together with the text it was made of.
fn compiled() -> Result<PathBuf, String> {
    const SOURCE: &str = include_str!("../empty.c");
    let folder = beside_this_program("millpond-bench-peers")?;
    let (library, source) = (folder.join("libempty.so"), folder.join("empty.c"));
    if library.is_file() && fs::read_to_string(&source).is_ok_and(|text| text == SOURCE) {
        return Ok(library);
    }
    crate::machine::write(&source, SOURCE)?;
    // Made under another name first: whoever finds the library finds all of it.
    let next = folder.join(format!("libempty.{}.so", std::process::id()));
    compile(&source, &next)?;
    fs::rename(&next, &library)
        .map(|()| library)
        .map_err(|error| format!("{}: {error}", next.display()))
}

fn compile(source: &Path, library: &Path) -> Result<(), String> {
    let name = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    // CC may carry options.
    let mut words = name.split_whitespace();
    let compiled = Command::new(words.next().unwrap_or("cc"))
        .args(words)
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .args([library, source])
        .status();
    match compiled {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the C compiler {name} failed: {status}")),
        Err(error) => Err(format!(
            "the C compiler {name} cannot be started: {error}\nhint: apt-get install gcc libc6-dev"
        )),
    }
}

/// A file or folder in the folder of this program.
pub(crate) fn beside_this_program(name: &str) -> Result<PathBuf, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("where this program is: {error}"))?;
    Ok(program.with_file_name(name))
}

/// Makes the C library keep memory that was freed.
///
/// Otherwise it returns the end of its heap to the system after a large burst of messages and fetches
/// it again, zeroed, with the next one. Whether it does depends on what was allocated before, so the
/// same measurement would give different answers.
pub(crate) fn keep_memory() {
    #[cfg(target_env = "gnu")]
    for option in [libc::M_TRIM_THRESHOLD, libc::M_TOP_PAD] {
        // SAFETY: both are limits that take any number of bytes.
        unsafe { libc::mallopt(option, 64 << 20) };
    }
}

/// A general purpose allocator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allocator {
    pub(crate) name: &'static str,
    alloc: unsafe extern "C" fn(usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
}

impl Allocator {
    /// The one that the bound names.
    pub(crate) fn mimalloc() -> Self {
        Self {
            name: "mimalloc",
            alloc: libmimalloc_sys::mi_malloc,
            free: libmimalloc_sys::mi_free,
        }
    }

    /// The C library's.
    pub(crate) fn system() -> Self {
        Self {
            name: "C library",
            alloc: libc::malloc,
            free: libc::free,
        }
    }

    /// Allocates a block that stays.
    pub(crate) fn hold(&self, bytes: usize) -> Held {
        Held {
            // SAFETY: both allocators take any size.
            block: unsafe { (self.alloc)(bytes) },
            free: self.free,
        }
    }

    /// Allocates and frees; not 0 when there was nothing to be had.
    #[inline]
    pub(crate) fn alloc_and_free(&self, bytes: usize) -> i32 {
        // SAFETY: both allocators take any size.
        let block = black_box(unsafe { (self.alloc)(bytes) });
        // SAFETY: the block comes from the same allocator, and null is allowed.
        unsafe { (self.free)(block) };
        i32::from(block.is_null())
    }
}

/// A block of an [`Allocator`].
#[derive(Debug)]
pub(crate) struct Held {
    block: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the block comes from the same allocator, and null is allowed.
        unsafe { (self.free)(self.block) };
    }
}

/// Copies with the C library's `memcpy`. Both are equally long.
pub(crate) fn copy(to: &mut [u8], from: &[u8]) -> i32 {
    assert_eq!(to.len(), from.len());
    let (target, source) = (to.as_mut_ptr().cast(), from.as_ptr().cast());
    // SAFETY: both are `from.len()` bytes long, and a mutable slice overlaps no other.
    black_box(unsafe { libc::memcpy(target, source, from.len()) });
    0
}
