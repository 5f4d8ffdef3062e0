//! `millpond probe`: loads the library and prints its properties, one `name=value` per line.
//!
//! `millpond doctor` runs this in a separate process, in the environment of `millpond run`. So a library that cannot be
//! loaded, or that crashes, is a result and does not end the doctor.
#![expect(
    unsafe_code,
    reason = "calls functions of a library that is loaded at run time"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;

use libloading::Library;
use millpond::{Config, DeviceKind};

use crate::installation::GLOO;

/// Arguments of `millpond probe`.
#[derive(Debug, clap::Args)]
pub(crate) struct Probe {
    library: PathBuf,
}

/// `ACL_HBM_MEM` of `aclrtMemAttr`.
const HBM_MEMORY: c_int = 1;

impl Probe {
    pub(crate) fn print(&self) -> ExitCode {
        match memfd() {
            Ok(()) => println!("memfd=ok"),
            Err(error) => println!("memfd={error}"),
        }
        let gloo = self.gloo();
        if gloo.exists() {
            // SAFETY: as below; it is a library of ours around Gloo.
            match unsafe { Library::new(&gloo) } {
                Ok(loaded) => {
                    println!("gloo={}", gloo.display());
                    // Its threads, if it has any, run until the process ends.
                    Box::leak(Box::new(loaded));
                }
                Err(error) => println!("no_gloo=cannot load it: {error}"),
            }
        } else {
            println!("no_gloo={GLOO} is not installed");
        }
        // SAFETY: loading runs the library's constructors. It is the file that the doctor found beside this executable,
        // and this process exists to test exactly that.
        let library = match unsafe { Library::new(&self.library) } {
            Ok(library) => library,
            Err(error) => {
                println!("error=cannot load it: {error}");
                return ExitCode::FAILURE;
            }
        };
        match Acl(library).describe() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                println!("error={error}");
                ExitCode::FAILURE
            }
        }
    }
}

impl Probe {
    /// Where the library looks for what connects machines.
    fn gloo(&self) -> PathBuf {
        if let Some(path) = std::env::var_os("MILLPOND_GLOO").filter(|path| !path.is_empty()) {
            return PathBuf::from(path);
        }
        let library = std::fs::canonicalize(&self.library);
        library
            .as_ref()
            .unwrap_or(&self.library)
            .with_file_name(GLOO)
    }
}

/// The host device keeps its memory in a memfd; some sandboxes forbid them.
fn memfd() -> io::Result<()> {
    // SAFETY: the name is a C string that lives for the whole program.
    let fd = unsafe { libc::memfd_create(c"millpond-probe".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above returned this descriptor, and nothing else owns it.
    let owned = unsafe { OwnedFd::from_raw_fd(fd) };
    drop(owned);
    Ok(())
}

/// The file of ONNX Runtime that this process has loaded.
fn engine_file() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut files = maps
        .lines()
        .filter_map(|line| Some(&line[line.find('/')?..]));
    files
        .find(|file| file.contains("libonnxruntime"))
        .map(str::to_owned)
}

/// Whether device 0 is a GPU's memory.
fn is_on_gpu() -> bool {
    let kind = || {
        let config = Config::from_env().ok()?;
        Some(config.kind(config.physical(0).ok()?))
    };
    kind().is_some_and(|kind| kind != DeviceKind::Host)
}

/// A loaded libascendcl.so.
struct Acl(Library);

impl Acl {
    fn describe(&self) -> Result<(), String> {
        if let Some(version) = self.text("millpondVersion") {
            println!("version={version}");
        }
        self.check("aclInit", self.with_null("aclInit")?)?;
        if let Some(name) = self.text("aclrtGetSocName") {
            println!("soc={name}");
        }
        println!("devices={}", self.device_count()?);
        self.check("aclrtSetDevice", self.with_number("aclrtSetDevice", 0)?)?;
        let (free, total) = self.memory()?;
        println!("free={free}");
        println!("total={total}");
        match self.compile_a_copy() {
            Some(Ok(())) => {
                let file = engine_file().unwrap_or_default();
                println!("engine={file}");
                if is_on_gpu() {
                    match self.operators_gpu() {
                        Ok(gpu) => println!("operators=GPU {gpu}"),
                        Err(text) => {
                            let reason = text.rsplit_once("computed on the CPU: ");
                            println!(
                                "no_operators={}",
                                reason.map_or(&*text, |(_, reason)| reason)
                            );
                        }
                    }
                }
            }
            Some(Err(error)) => println!("no_engine={error}"),
            None => {}
        }
        self.check("aclrtResetDevice", self.with_number("aclrtResetDevice", 0)?)
    }

    /// A function of the library, with a type that the caller guarantees.
    ///
    /// # Safety
    ///
    /// `F` must be the function's C type.
    unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller guarantees the type.
        let symbol = unsafe { self.0.get::<F>(name) };
        symbol
            .map(|function| *function)
            .map_err(|_missing| format!("it has no function {name}"))
    }

    fn text(&self, name: &str) -> Option<String> {
        type Text = unsafe extern "C" fn() -> *const c_char;
        // SAFETY: include/ declares the functions asked for here as `const char *(void)`.
        let function = unsafe { self.function::<Text>(name) }.ok()?;
        // SAFETY: it takes nothing and may be called at any time.
        let text = unsafe { function() };
        if text.is_null() {
            return None;
        }
        // SAFETY: not null, and a C string until the next call on this thread, which comes later.
        let text = unsafe { CStr::from_ptr(text) };
        Some(text.to_string_lossy().replace('\n', " "))
    }

    fn with_null(&self, name: &str) -> Result<c_int, String> {
        type TakesText = unsafe extern "C" fn(*const c_char) -> c_int;
        // SAFETY: include/acl declares aclInit so.
        let function = unsafe { self.function::<TakesText>(name) }?;
        // SAFETY: a null path means no file.
        Ok(unsafe { function(std::ptr::null()) })
    }

    fn with_number(&self, name: &str, number: i32) -> Result<c_int, String> {
        type TakesNumber = unsafe extern "C" fn(i32) -> c_int;
        // SAFETY: include/acl declares aclrtSetDevice and aclrtResetDevice so.
        let function = unsafe { self.function::<TakesNumber>(name) }?;
        // SAFETY: every number is allowed; a wrong one returns an error code.
        Ok(unsafe { function(number) })
    }

    fn device_count(&self) -> Result<u32, String> {
        type Count = unsafe extern "C" fn(*mut u32) -> c_int;
        let name = "aclrtGetDeviceCount";
        // SAFETY: include/acl declares it so.
        let function = unsafe { self.function::<Count>(name) }?;
        let mut count = 0;
        // SAFETY: the pointer is to a local of the right type.
        let code = unsafe { function(&raw mut count) };
        self.check(name, code).map(|()| count)
    }

    /// The GPU that computes operators, or why none does.
    fn operators_gpu(&self) -> Result<i32, String> {
        type Gpu = unsafe extern "C" fn(*mut i32) -> c_int;
        let name = "millpondOperatorsGpu";
        // SAFETY: include/millpond declares it so.
        let function = unsafe { self.function::<Gpu>(name) }?;
        let mut gpu = 0;
        // SAFETY: the pointer is to a local of the right type.
        let code = unsafe { function(&raw mut gpu) };
        self.check(name, code).map(|()| gpu)
    }

    fn memory(&self) -> Result<(usize, usize), String> {
        type Memory = unsafe extern "C" fn(c_int, *mut usize, *mut usize) -> c_int;
        let name = "aclrtGetMemInfo";
        // SAFETY: include/acl declares it so; a C enum is an int.
        let function = unsafe { self.function::<Memory>(name) }?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are to locals of the right type.
        let code = unsafe { function(HBM_MEMORY, &raw mut free, &raw mut total) };
        self.check(name, code).map(|()| (free, total))
    }

    /// Compiles the simplest operator, which loads ONNX Runtime. `None` for a library without operators.
    fn compile_a_copy(&self) -> Option<Result<(), String>> {
        type Describe = unsafe extern "C" fn(c_int, c_int, *const i64, c_int) -> *mut c_void;
        type Compile = unsafe extern "C" fn(
            *const c_char,
            c_int,
            *const *mut c_void,
            c_int,
            *const *mut c_void,
            *const c_void,
            c_int,
            c_int,
            *const c_char,
        ) -> c_int;
        const FLOAT: c_int = 0;
        const ND: c_int = 2;
        // SAFETY: include/acl declares it so; C enums are ints and descriptions are pointers.
        let describe = unsafe { self.function::<Describe>("aclCreateTensorDesc") }.ok()?;
        let name = "aclopCompile";
        // SAFETY: as above.
        let compile = unsafe { self.function::<Compile>(name) }.ok()?;
        let dims = [1_i64];
        // SAFETY: as many dimensions as the call says.
        let tensor = [unsafe { describe(FLOAT, 1, dims.as_ptr(), ND) }];
        let (kind, tensors) = (c"Identity".as_ptr(), tensor.as_ptr());
        let (no_attributes, no_path) = (std::ptr::null(), std::ptr::null());
        // SAFETY: one input and one output with the description above; the process ends soon, so that nobody
        // has to destroy it.
        let code = unsafe { compile(kind, 1, tensors, 1, tensors, no_attributes, 0, 0, no_path) };
        Some(self.check(name, code))
    }

    fn check(&self, name: &str, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        let why = self.text("aclGetRecentErrMsg").unwrap_or_default();
        // Our own messages name the function already.
        if why.starts_with(name) {
            return Err(why);
        }
        Err(format!("{name} returned {code}: {why}"))
    }
}
