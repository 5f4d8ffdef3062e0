//! The loaded library with its one environment.
#![expect(unsafe_code, reason = "calls functions of the engine")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use ort_sys::{OrtAllocatorType, OrtEnv, OrtLoggingLevel, OrtMemType, OrtMemoryInfo};
use parking_lot::Mutex;

use crate::api::Api;
use crate::error::EngineError;
use crate::find::{SONAMES, Search};
use crate::heap::Heap;
use crate::library::{self, Throw};
use crate::memory::{Allocator, Outside};

/// All loaded libraries. A library has one environment per process, and an allocator can be registered with it
/// once, so there is one engine per library.
static LOADED: Mutex<Vec<(PathBuf, &'static Engine)>> = Mutex::new(Vec::new());

/// ONNX Runtime, ready to load models.
pub struct Engine {
    pub(crate) api: Api,
    pub(crate) env: *mut OrtEnv,
    pub(crate) info: *mut OrtMemoryInfo,
    pub(crate) throw: Option<Throw>,
    /// Allocators of GPUs, by the number of the GPU.
    pub(crate) gpus: Mutex<BTreeMap<u32, &'static Allocator>>,
    path: PathBuf,
    /// The file, also if the system's loader found it.
    pub(crate) file: PathBuf,
    version: String,
    threads: usize,
}

// SAFETY: the environment and the memory description may be used from any thread; nothing else is shared.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("path", &self.path)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Finds and loads the library, or returns the engine that is already loaded. A library that is loaded now gets `threads` threads
    /// for all models together, including the one that runs a model.
    pub fn load(search: &Search, threads: usize) -> Result<&'static Self, EngineError> {
        let mut loaded = LOADED.lock();
        let mut reasons = Vec::new();
        for file in search.files() {
            let file = std::fs::canonicalize(&file).unwrap_or(file);
            match load_one(&mut loaded, &file, threads) {
                Ok(engine) => return Ok(engine),
                Err(reason) => reasons.push(format!("{}: {reason}", file.display())),
            }
        }
        if search.named.is_none() && search.system {
            for name in SONAMES {
                if let Ok(engine) = load_one(&mut loaded, Path::new(name), threads) {
                    return Ok(engine);
                }
            }
        }
        if reasons.is_empty() {
            return Err(EngineError::Missing(search.advice()));
        }
        let text = format!("{}; {}", reasons.join("; "), search.advice());
        Err(EngineError::Missing(text))
    }

    /// The file, or the name by which the system loader found it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, such as `1.31.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The number of threads shared by all models.
    pub fn threads(&self) -> usize {
        self.threads
    }
}

fn load_one(
    loaded: &mut Vec<(PathBuf, &'static Engine)>,
    file: &Path,
    threads: usize,
) -> Result<&'static Engine, String> {
    if let Some((_, engine)) = loaded.iter().find(|(path, _)| path == file) {
        return Ok(engine);
    }
    let library = library::open(OsStr::new(file))?;
    let (api, version) = Api::of(library.base)?;
    let text = |error: EngineError| error.to_string();
    let env = create_env(api, threads).map_err(text)?;
    let info = register(api, env, library.throw).map_err(text)?;
    let engine: &'static Engine = Box::leak(Box::new(Engine {
        api,
        env,
        info,
        throw: library.throw,
        gpus: Mutex::default(),
        path: file.to_owned(),
        file: library::file_with(library.base as *const c_void).unwrap_or_else(|| file.to_owned()),
        version,
        threads,
    }));
    loaded.push((file.to_owned(), engine));
    Ok(engine)
}

/// Creates the environment with the threads shared by all models. Idle threads sleep rather than spin: a program
/// that waits for its stream needs the cores.
fn create_env(api: Api, threads: usize) -> Result<*mut OrtEnv, EngineError> {
    let table = api.table;
    let mut options = ptr::null_mut();
    // SAFETY: writes one pointer.
    api.check(unsafe { (table.CreateThreadingOptions)(&raw mut options) })?;
    let count = i32::try_from(threads).unwrap_or(1);
    // SAFETY: the options are live until they are released below, here and in the next two.
    let intra = api.check(unsafe { (table.SetGlobalIntraOpNumThreads)(options, count) });
    // SAFETY: as above.
    let inter = api.check(unsafe { (table.SetGlobalInterOpNumThreads)(options, 1) });
    // SAFETY: as above.
    let spin = api.check(unsafe { (table.SetGlobalSpinControl)(options, 0) });
    let mut env = ptr::null_mut();
    // Errors are returned as statuses; the engine must not write to the program's terminal.
    let level = OrtLoggingLevel::ORT_LOGGING_LEVEL_FATAL;
    // SAFETY: the name is a string, the options are live, and one pointer is written.
    let created = api.check(unsafe {
        (table.CreateEnvWithGlobalThreadPools)(level, c"millpond".as_ptr(), options, &raw mut env)
    });
    // SAFETY: created above, released once.
    unsafe { (table.ReleaseThreadingOptions)(options) };
    intra.and(inter).and(spin).and(created)?;
    // Newer versions send telemetry unless it is disabled.
    // SAFETY: the environment was created above.
    api.check(unsafe { (table.DisableTelemetryEvents)(env) })?;
    Ok(env)
}

/// Registers our allocator with the environment and returns the description of its memory.
fn register(
    api: Api,
    env: *mut OrtEnv,
    throw: Option<Throw>,
) -> Result<*mut OrtMemoryInfo, EngineError> {
    let table = api.table;
    let mut info = ptr::null_mut();
    // SAFETY: the name is a string, and one pointer is written.
    api.check(unsafe {
        (table.CreateMemoryInfo)(
            c"Cpu".as_ptr(),
            OrtAllocatorType::OrtDeviceAllocator,
            0,
            OrtMemType::OrtMemTypeDefault,
            &raw mut info,
        )
    })?;
    let allocator: &'static Allocator = Box::leak(Box::new(Allocator::new(
        info,
        throw,
        Outside::Host(Heap::default()),
    )));
    // SAFETY: the allocator is leaked and never freed.
    api.check(unsafe { (table.RegisterAllocator)(env, allocator.table()) })?;
    Ok(info)
}
