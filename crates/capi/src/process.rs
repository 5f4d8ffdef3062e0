//! The process-wide runtime: created at the first call that needs a device, never destroyed.
//!
//! `aclInit` and `aclFinalize` count, and the second releases the devices. Neither creates or
//! destroys this state, because programs call functions before the first and after the second.
//!
//! Queries such as `aclrtGetDeviceCount`, and `aclInit`, create no runtime: frameworks call them before
//! they fork workers, and before the program has decided which devices are visible.
#![expect(unsafe_code, reason = "registers a handler for forks")]

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Once, OnceLock};

use millpond::{Config, Device, Error, Runtime};
use millpond_report::clean;
use millpond_trace::{CallSite, Operation, Tap, TextSink};
use parking_lot::Mutex;

use crate::boundary::CallError;
use crate::own_file::OwnFile;
use crate::{caller, check, environment, profile, testing};

type Target = Box<dyn Write + Send>;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();
/// The configuration file of `aclInit`, for when the runtime is made.
static PENDING: Mutex<Option<serde_json::Value>> = Mutex::new(None);
/// Return addresses of the `aclInit` whose record is still to be emitted: there was no runtime.
static BEGAN: Mutex<Option<Vec<u64>>> = Mutex::new(None);
/// Whether the runtime was made or is being made.
static MADE: AtomicBool = AtomicBool::new(false);
/// Whether a call has looked at the settings, or annotated something.
static LOOKED: AtomicBool = AtomicBool::new(false);
/// What `MILLPOND_STATS` asks for.
static STATS: Mutex<Option<Target>> = Mutex::new(None);
/// Why calls must take the slow path, as bits; 0 in the usual case.
static SLOW_REASONS: AtomicU8 = AtomicU8::new(INJECTION);
/// The process is a forked child of one that used the runtime.
const FORKED: u8 = 1;
/// Calls may be made to fail, or are counted (`testing`), or the setting for that was not read yet.
const INJECTION: u8 = 2;

/// The runtime, made now if it is not yet.
#[inline]
pub(crate) fn runtime() -> Result<&'static Runtime, CallError> {
    match RUNTIME.get() {
        Some(runtime) => Ok(runtime),
        None => make(),
    }
}

/// The runtime, if it was made.
#[inline(always)]
pub(crate) fn known() -> Option<&'static Runtime> {
    RUNTIME.get()
}

/// The settings: those of the runtime, or without one those that it would be made with now.
pub(crate) fn settings() -> Result<Config, CallError> {
    note_use();
    testing::settings()?;
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.config().clone());
    }
    let pending = PENDING.lock();
    Ok(config(pending.as_ref())?)
}

/// Notes that the program uses this library, although there is no runtime yet.
pub(crate) fn note_use() {
    LOOKED.store(true, Ordering::Relaxed);
}

/// Whether the program has used this library.
pub(crate) fn was_used() -> bool {
    LOOKED.load(Ordering::Relaxed) || RUNTIME.get().is_some()
}

#[cold]
fn make() -> Result<&'static Runtime, CallError> {
    // First of all: in a child that is forked while a thread is here, nothing would finish this.
    watch_forks();
    let pending = PENDING.lock();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    if let Some(why) = check::unreachable() {
        static SAID: Once = Once::new();
        SAID.call_once(|| drop(writeln!(std::io::stderr(), "millpond: {}", clean(why))));
        return Err(CallError::coded(
            millpond_abi::ACL_ERROR_FAILURE,
            why.to_owned(),
        ));
    }
    check::note_unchecked();
    MADE.store(true, Ordering::Relaxed);
    let made = start(pending.as_ref()).inspect_err(|_| MADE.store(false, Ordering::Relaxed))?;
    Ok(RUNTIME.get_or_init(|| made))
}

fn start(document: Option<&serde_json::Value>) -> Result<Runtime, CallError> {
    testing::settings()?;
    let mut config = config(document)?;
    check::prepare(&mut config);
    millpond_functions::kernels::parallel::set_threads(config.threads);
    let runtime = Runtime::new(config)?;
    if let Some(sink) = records()? {
        runtime.tap().attach(Arc::new(sink));
    }
    check::start(&runtime);
    profile::start_whole(&runtime);
    if let Some(target) = target_of("MILLPOND_STATS")? {
        *STATS.lock() = Some(target);
    }
    if let Some(frames) = BEGAN.lock().take() {
        let caller = frames.first().copied().unwrap_or(0);
        let _site = CallSite::note(
            "aclInit",
            caller,
            millpond_stacks::number(&frames, runtime.tap()),
        );
        runtime.tap().emit(|| Operation::Initialized);
    }
    Ok(runtime)
}

fn watch_forks() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler only uses static atomics, which is allowed after a fork.
        let registered = unsafe { libc::pthread_atfork(None, None, Some(note_fork)) };
        debug_assert_eq!(registered, 0);
    });
}

/// The program has called `aclInit`: emits the record, or remembers to do so when the runtime is made.
pub(crate) fn began() {
    if listening() {
        // The caller was not noted if no sink was attached when the call began.
        let _site = caller::note_by_unwinding("aclInit");
        emit(|| Operation::Initialized);
    } else if RUNTIME.get().is_none() {
        *BEGAN.lock() = Some(caller::frames());
    }
}

/// The program has called `aclFinalize`.
pub(crate) fn ended() {
    *BEGAN.lock() = None;
    emit(|| Operation::Finalized);
}

fn config(document: Option<&serde_json::Value>) -> Result<Config, Error> {
    Config::from_sources(environment::text, document)
}

/// Takes over what the file of `aclInit` says about the devices, if it says anything.
pub(crate) fn configure(document: &serde_json::Value) -> Result<(), CallError> {
    if document.get("millpond").is_none() {
        return Ok(());
    }
    let mut wanted = config(Some(document))?;
    let mut pending = PENDING.lock();
    if let Some(runtime) = RUNTIME.get()
        && {
            check::prepare(&mut wanted);
            *runtime.config() != wanted
        }
    {
        return crate::boundary::bad_value(
            "configPath",
            "a file with different device settings",
            "the runtime is already in use: call aclInit first",
        );
    }
    *pending = Some(document.clone());
    Ok(())
}

/// `MILLPOND_RECORDS`: a file, or `stderr`, that gets every record as a line of text.
fn records() -> Result<Option<TextSink>, CallError> {
    let out = target_of("MILLPOND_RECORDS")?;
    Ok(out.map(|out| TextSink::new(out, caller::describe)))
}

/// Where something is to be written that a variable asks for: a file, or `stderr`.
fn target_of(setting: &str) -> Result<Option<Target>, CallError> {
    let Some(target) = environment::variable(setting).filter(|target| !target.is_empty()) else {
        return Ok(None);
    };
    if target == "stderr" {
        return Ok(Some(Box::new(std::io::stderr())));
    }
    let file = OwnFile::append(Path::new(&target));
    let file = file.map_err(|error| Error::BadSetting {
        setting: setting.to_owned(),
        value: target.to_string_lossy().into_owned(),
        expected: format!("the file cannot be written: {error}"),
    })?;
    Ok(Some(Box::new(file)))
}

/// Writes the memory statistics. Called when the process ends, but not in a forked child: it did not use the memory.
pub(crate) fn write_statistics() {
    let Some(mut out) = STATS.lock().take() else {
        return;
    };
    if let Some(runtime) = RUNTIME.get() {
        // What cannot be written is lost: the process is ending.
        drop(write!(out, "{}", runtime.memory_report()));
        drop(out.flush());
    }
}

/// Prints once, on stderr, what a user should know about how a device was opened: for example that it
/// got less address space than it asked for. Silent when everything is as asked.
pub(crate) fn print_note(device: &Device) {
    static PRINTED: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    let Some(note) = device.note() else { return };
    let mut printed = PRINTED.lock();
    if !printed.contains(&device.index()) {
        printed.push(device.index());
        // A note that cannot be written is lost; the program continues.
        drop(writeln!(
            std::io::stderr(),
            "millpond: note: {}",
            clean(&note)
        ));
    }
}

extern "C" fn note_fork() {
    if MADE.load(Ordering::Relaxed) {
        SLOW_REASONS.fetch_or(FORKED, Ordering::Relaxed);
    }
}

/// Whether calls must take the slow path.
#[inline]
pub(crate) fn needs_slow_path() -> bool {
    SLOW_REASONS.load(Ordering::Relaxed) != 0
}

/// Sets whether calls may be made to fail.
pub(crate) fn set_injection(on: bool) {
    if on {
        SLOW_REASONS.fetch_or(INJECTION, Ordering::Relaxed);
    } else {
        SLOW_REASONS.fetch_and(!INJECTION, Ordering::Relaxed);
    }
}

/// Whether this process is a forked child of one that used the runtime.
#[inline]
pub(crate) fn forked() -> bool {
    SLOW_REASONS.load(Ordering::Relaxed) & FORKED != 0
}

/// Where records are emitted to, once there is a runtime.
#[inline(always)]
pub(crate) fn tap() -> Option<&'static Tap> {
    RUNTIME.get().map(Runtime::tap)
}

/// Emits a record, which `operation` builds, if a sink is attached.
#[inline]
pub(crate) fn emit(operation: impl FnOnce() -> Operation) {
    if let Some(runtime) = RUNTIME.get() {
        runtime.tap().emit(operation);
    }
}

/// The time, if a sink wants to know when calls begin and end.
#[inline]
pub(crate) fn timed() -> Option<u64> {
    let tap = tap()?;
    tap.timing().then(|| tap.now())
}

/// Whether a sink is attached.
#[inline]
pub(crate) fn listening() -> bool {
    RUNTIME
        .get()
        .is_some_and(|runtime| runtime.tap().listening())
}
