//! The companion that moves bytes between machines, found and loaded at run time.
//!
//! It is a small C++ library around Gloo (`companions/gloo`). Nothing here is used by ranks of one machine, and nothing is loaded for
//! them.
#![expect(unsafe_code, reason = "loads a library and calls its functions")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::net::IpAddr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The companion's file.
const NAME: &str = "libmillpond_gloo.so";
/// What the functions below belong to.
const VERSION: c_int = 1;
/// What to do where the companion is missing.
pub(crate) const HINT: &str = "install Debian's libgloo-dev and g++, build Millpond again with cargo xtask dist, and run millpond doctor on every machine";
/// More than an address of Gloo's has.
const ADDRESS: usize = 512;
const TEXT: usize = 512;

type Text = [c_char; TEXT];

type DeviceFn = unsafe extern "C" fn(*const c_char, *mut c_char, usize) -> *mut c_void;
type PairFn = unsafe extern "C" fn(
    *mut c_void,
    c_int,
    i64,
    *mut u8,
    *mut usize,
    *mut c_char,
    usize,
) -> *mut c_void;
type ConnectFn = unsafe extern "C" fn(*mut c_void, *const u8, usize, *mut c_char, usize) -> c_int;
type SendFn =
    unsafe extern "C" fn(*mut c_void, u64, *const c_void, usize, *mut c_char, usize) -> c_int;
type ReceiveFn =
    unsafe extern "C" fn(*mut c_void, u64, *mut c_void, usize, *mut c_char, usize) -> c_int;
type EndFn = unsafe extern "C" fn(*mut c_void);

/// The functions of the companion.
struct Functions {
    device: DeviceFn,
    pair: PairFn,
    connect: ConnectFn,
    send: SendFn,
    receive: ReceiveFn,
    abort: EndFn,
    close: EndFn,
}

/// Libraries stay loaded: their threads run code of theirs.
static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();

/// Where the companion is, if it is anywhere: where `MILLPOND_GLOO` says, or beside the library that contains this code.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("MILLPOND_GLOO").filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path)).filter(|path| path.exists());
    }
    let folder = own_folder()?;
    // Test programs are one folder further down.
    [folder.join(NAME), folder.parent()?.join(NAME)]
        .into_iter()
        .find(|path| path.exists())
}

fn functions() -> Result<&'static Functions, String> {
    let loaded = LOADED.get_or_init(|| {
        let Some(path) = find() else {
            return Err(format!(
                "ranks on several machines need {NAME}, which is not installed: {HINT}"
            ));
        };
        load(&path).map_err(|why| {
            format!(
                "ranks on several machines need {}, which cannot be loaded: {why}. {HINT}",
                path.display()
            )
        })
    });
    loaded.as_ref().map_err(Clone::clone)
}

fn load(path: &Path) -> Result<Functions, String> {
    let text = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // Other libraries of the process may contain another version of Gloo: PyTorch's does. Names of this one come first.
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
    // SAFETY: a valid string; the library's initialisers are Gloo's.
    let library = unsafe { libc::dlopen(text.as_ptr(), flags) };
    if library.is_null() {
        // SAFETY: the loader's message of this thread, or null.
        let why = unsafe { libc::dlerror() };
        if why.is_null() {
            return Err("unknown reason".to_owned());
        }
        // SAFETY: a string of the loader.
        let why = unsafe { CStr::from_ptr(why) };
        return Err(why.to_string_lossy().into_owned());
    }
    let symbol = |name: &CStr| {
        // SAFETY: the library is loaded and stays so.
        let symbol = unsafe { libc::dlsym(library, name.as_ptr()) };
        let missing = || format!("{} is missing in it", name.to_string_lossy());
        NonNull::new(symbol).ok_or_else(missing)
    };
    macro_rules! function {
        ($name:literal, $type:ty) => {{
            let symbol = symbol($name)?.as_ptr();
            // SAFETY: the companion declares the function with this type; the version below guards against another companion.
            unsafe { std::mem::transmute::<*mut c_void, $type>(symbol) }
        }};
    }
    let version = function!(c"millpond_gloo_version", extern "C" fn() -> c_int);
    if version() != VERSION {
        return Err(format!(
            "it has version {} and this library needs {VERSION}",
            version()
        ));
    }
    Ok(Functions {
        device: function!(c"millpond_gloo_device", DeviceFn),
        pair: function!(c"millpond_gloo_pair", PairFn),
        connect: function!(c"millpond_gloo_connect", ConnectFn),
        send: function!(c"millpond_gloo_send", SendFn),
        receive: function!(c"millpond_gloo_receive", ReceiveFn),
        abort: function!(c"millpond_gloo_abort", EndFn),
        close: function!(c"millpond_gloo_close", EndFn),
    })
}

/// The folder of the library or program that contains this code.
fn own_folder() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here: fn() -> Option<PathBuf> = own_folder;
    // SAFETY: `info` is written only where the address is known.
    let found = unsafe { libc::dladdr(here as *const c_void, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own string, which lives as long as this code is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = PathBuf::from(std::ffi::OsString::from_vec(name.to_bytes().to_vec()));
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    path.parent().map(Path::to_owned)
}

fn words(text: &Text) -> String {
    let bytes = text.iter().map(|letter| letter.to_le_bytes()[0]);
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Keeps signals away from threads that the companion starts, and from broken connections: writing to one must not end the program.
fn without_signals<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: zero is a valid set, which is filled below.
    let mut all: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let mut before: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a set of this function.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: both sets are valid.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
    let result = body();
    // SAFETY: the mask that this thread had.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    result
}

/// Blocks all signals in a thread that only moves bytes.
pub(crate) fn block_signals() {
    // SAFETY: zero is a valid set, which is filled below.
    let mut all: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a set of this function.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: the set is valid.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut()) };
}

/// This process's address.
#[derive(Debug)]
pub(crate) struct Device(NonNull<c_void>);

// SAFETY: the companion's objects may be used by any thread.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// Loads the companion, and uses an address of this machine. It lives as long as the process.
    pub(crate) fn open(address: IpAddr) -> Result<Self, String> {
        let functions = functions()?;
        let host = CString::new(address.to_string()).map_err(|error| error.to_string())?;
        let mut text: Text = [0; TEXT];
        // SAFETY: a string, and room for the reason.
        let made = without_signals(|| unsafe {
            (functions.device)(host.as_ptr(), text.as_mut_ptr(), TEXT)
        });
        NonNull::new(made)
            .map(Self)
            .ok_or_else(|| format!("Gloo cannot use the address {address}: {}", words(&text)))
    }

    /// Makes one half of a connection, and returns its address for the other side.
    pub(crate) fn pair(
        &self,
        is_second: bool,
        patience: Duration,
    ) -> Result<(Arc<Pair>, Vec<u8>), String> {
        let functions = functions()?;
        let mut text: Text = [0; TEXT];
        let mut address = [0; ADDRESS];
        let mut bytes = ADDRESS;
        let milliseconds = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX);
        // SAFETY: a device of the companion's, room for the address and its length, and for the reason.
        let made = without_signals(|| unsafe {
            (functions.pair)(
                self.0.as_ptr(),
                c_int::from(is_second),
                milliseconds,
                address.as_mut_ptr(),
                &raw mut bytes,
                text.as_mut_ptr(),
                TEXT,
            )
        });
        match NonNull::new(made) {
            Some(pair) => Ok((
                Arc::new(Pair { pair, functions }),
                address[..bytes.min(ADDRESS)].to_vec(),
            )),
            None => Err(format!("Gloo cannot listen: {}", words(&text))),
        }
    }
}

/// A connection between two processes. Its last owner closes it.
pub(crate) struct Pair {
    pair: NonNull<c_void>,
    functions: &'static Functions,
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pair")
    }
}

// SAFETY: the companion's objects may be used by any thread.
unsafe impl Send for Pair {}
// SAFETY: as above; one thread sends, one receives, any may abort.
unsafe impl Sync for Pair {}

impl Pair {
    /// Connects to the other half.
    pub(crate) fn connect(&self, address: &[u8]) -> Result<(), String> {
        let mut text: Text = [0; TEXT];
        // SAFETY: the pair lives, and the address has that length.
        let failed = without_signals(|| unsafe {
            (self.functions.connect)(
                self.pair.as_ptr(),
                address.as_ptr(),
                address.len(),
                text.as_mut_ptr(),
                TEXT,
            )
        });
        if failed == 0 {
            Ok(())
        } else {
            Err(words(&text))
        }
    }

    /// Sends bytes, and returns when they may change.
    ///
    /// # Safety
    /// `data` is readable for so many bytes until it returns.
    pub(crate) unsafe fn send(
        &self,
        slot: u64,
        data: *const u8,
        bytes: usize,
    ) -> Result<(), String> {
        let mut text: Text = [0; TEXT];
        // SAFETY: the pair lives; the rest is passed on.
        let failed = unsafe {
            (self.functions.send)(
                self.pair.as_ptr(),
                slot,
                data.cast(),
                bytes,
                text.as_mut_ptr(),
                TEXT,
            )
        };
        if failed == 0 {
            Ok(())
        } else {
            Err(words(&text))
        }
    }

    /// Receives a message of at most so many bytes.
    ///
    /// # Safety
    /// `data` is writable for so many bytes until it returns.
    pub(crate) unsafe fn receive(
        &self,
        slot: u64,
        data: *mut u8,
        bytes: usize,
    ) -> Result<(), String> {
        let mut text: Text = [0; TEXT];
        // SAFETY: the pair lives; the rest is passed on.
        let failed = unsafe {
            (self.functions.receive)(
                self.pair.as_ptr(),
                slot,
                data.cast(),
                bytes,
                text.as_mut_ptr(),
                TEXT,
            )
        };
        if failed == 0 {
            Ok(())
        } else {
            Err(words(&text))
        }
    }

    /// Ends what waits.
    pub(crate) fn abort(&self) {
        // SAFETY: the pair lives.
        unsafe { (self.functions.abort)(self.pair.as_ptr()) };
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        // SAFETY: nobody else has it any more.
        unsafe { (self.functions.close)(self.pair.as_ptr()) };
    }
}
