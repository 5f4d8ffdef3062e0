//! The process-wide runtime: made at the first call that needs a device, never unmade.
//!
//! `aclInit` and `aclFinalize` count; what they begin and end is the use of the devices, not the
//! life of this state, because programs call functions before the one and after the other.
//!
//! Functions that only look, such as `aclrtGetDeviceCount`, and `aclInit` make no runtime: frameworks call them before
//! they fork workers, and before the program has decided which devices are visible.
#![expect(unsafe_code, reason = "registers a handler for forks")]

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Once, OnceLock};

use millpond::trace::{CallSite, Operation, TextSink};
use millpond::{Config, Device, Error, Runtime};
use millpond_report::clean;
use parking_lot::Mutex;

use crate::boundary::Fault;
use crate::own_file::OwnFile;
use crate::{caller, check, environment};

type Target = Box<dyn Write + Send>;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();
/// What the file given to `aclInit` said, for the runtime to be made.
static PENDING: Mutex<Option<serde_json::Value>> = Mutex::new(None);
/// Return addresses of the `aclInit` that no listener has heard of yet: there was no runtime.
static BEGAN: Mutex<Option<Vec<u64>>> = Mutex::new(None);
/// Whether the runtime was made or is being made.
static MADE: AtomicBool = AtomicBool::new(false);
/// Whether a call has looked at the settings, or annotated something.
static LOOKED: AtomicBool = AtomicBool::new(false);
/// What `MILLPOND_STATS` asks for.
static STATS: Mutex<Option<Target>> = Mutex::new(None);
/// What calls have to look at before anything else; 0 in the usual case.
static UNUSUAL: AtomicU8 = AtomicU8::new(FAULTS);
/// The process is a forked child of one that used the runtime.
const FORKED: u8 = 1;
/// Calls may be made to fail, or nobody has looked yet whether they are.
const FAULTS: u8 = 2;

/// The runtime, made now if it is not yet.
#[inline]
pub(crate) fn runtime() -> Result<&'static Runtime, Fault> {
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
pub(crate) fn settings() -> Result<Config, Fault> {
    note_use();
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
fn make() -> Result<&'static Runtime, Fault> {
    // First of all: a child that is forked while a thread is here has nobody who would finish this.
    watch_forks();
    let pending = PENDING.lock();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    if let Some(why) = check::unreachable() {
        static SAID: Once = Once::new();
        SAID.call_once(|| drop(writeln!(std::io::stderr(), "millpond: {}", clean(why))));
        return Err(Fault::coded(
            millpond_abi::ACL_ERROR_FAILURE,
            why.to_owned(),
        ));
    }
    check::note_unchecked();
    MADE.store(true, Ordering::Relaxed);
    let made = start(pending.as_ref()).inspect_err(|_| MADE.store(false, Ordering::Relaxed))?;
    Ok(RUNTIME.get_or_init(|| made))
}

fn start(document: Option<&serde_json::Value>) -> Result<Runtime, Fault> {
    let mut config = config(document)?;
    check::prepare(&mut config);
    let runtime = Runtime::new(config)?;
    if let Some(sink) = records()? {
        runtime.tap().attach(Arc::new(sink));
    }
    check::start(&runtime);
    if let Some(target) = target_of("MILLPOND_STATS")? {
        *STATS.lock() = Some(target);
    }
    if let Some(frames) = BEGAN.lock().take() {
        let caller = frames.first().copied().unwrap_or(0);
        let _site = CallSite::note("aclInit", caller, caller::number(&frames));
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

/// The program has called `aclInit`: tells whoever listens, or will when the runtime is made.
pub(crate) fn began() {
    if listening() {
        // Nobody has noted who calls if nobody could listen when the call came in.
        let _site = caller::note_slowly("aclInit");
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
pub(crate) fn configure(document: &serde_json::Value) -> Result<(), Fault> {
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
            "a file with other device settings",
            "the runtime has been in use before this call: call aclInit first",
        );
    }
    *pending = Some(document.clone());
    Ok(())
}

/// `MILLPOND_RECORDS`: a file, or `stderr`, that gets every record as a line of text.
fn records() -> Result<Option<TextSink>, Fault> {
    let out = target_of("MILLPOND_RECORDS")?;
    Ok(out.map(|out| TextSink::new(out, crate::caller::place)))
}

/// Where something is to be written that a variable asks for: a file, or `stderr`.
fn target_of(setting: &str) -> Result<Option<Target>, Fault> {
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
        expected: format!("that file cannot be written: {error}"),
    })?;
    Ok(Some(Box::new(file)))
}

/// Says how memory was used. Called when the process ends, but not in a forked child: it did not use the memory.
pub(crate) fn tell_statistics() {
    let Some(mut out) = STATS.lock().take() else {
        return;
    };
    if let Some(runtime) = RUNTIME.get() {
        // What cannot be written is lost: the process is ending.
        drop(write!(out, "{}", runtime.memory_report()));
        drop(out.flush());
    }
}

/// Says once, on stderr, what a user should know about how a device came to be: for example that it
/// got less address space than it asked for. Silent when everything is as asked.
pub(crate) fn tell_note(device: &Device) {
    static TOLD: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    let Some(note) = device.note() else { return };
    let mut told = TOLD.lock();
    if !told.contains(&device.index()) {
        told.push(device.index());
        // A note that cannot be written is lost; the program goes on.
        drop(writeln!(
            std::io::stderr(),
            "millpond: note: {}",
            clean(&note)
        ));
    }
}

extern "C" fn note_fork() {
    if MADE.load(Ordering::Relaxed) {
        UNUSUAL.fetch_or(FORKED, Ordering::Relaxed);
    }
}

/// Whether there is something to look at before a call is carried out.
#[inline]
pub(crate) fn is_unusual() -> bool {
    UNUSUAL.load(Ordering::Relaxed) != 0
}

/// No call is made to fail.
pub(crate) fn no_faults() {
    UNUSUAL.fetch_and(!FAULTS, Ordering::Relaxed);
}

/// Calls may be made to fail from now on.
pub(crate) fn some_faults() {
    UNUSUAL.fetch_or(FAULTS, Ordering::Relaxed);
}

/// Whether this process is a forked child of one that used the runtime.
#[inline]
pub(crate) fn forked() -> bool {
    UNUSUAL.load(Ordering::Relaxed) & FORKED != 0
}

/// Tells whoever listens what `operation` builds.
#[inline]
pub(crate) fn emit(operation: impl FnOnce() -> Operation) {
    if let Some(runtime) = RUNTIME.get() {
        runtime.tap().emit(operation);
    }
}

/// Whether anybody listens to records.
#[inline]
pub(crate) fn listening() -> bool {
    RUNTIME
        .get()
        .is_some_and(|runtime| runtime.tap().listening())
}
