//! The checking mode of a process: `MILLPOND_CHECK=1`.
//!
//! A checker is attached to the runtime's tap when the runtime is created. It prints findings as they happen,
//! appends each to a file if one is named, and prints a summary when the process ends. Without the variable nothing
//! of this is created.
//!
//! - `settings`: reads the variables. Pure.
//! - `ledger`: counts what could not be reported, where `millpond check` sees it.
//! - `watch`: the sink: judges, prints and writes.
//! - `recording`: the record file, also without the mode.
//! - `signals`: host code that accesses device memory, and other sudden ends.
//! - `keeper`: a thread that does what a signal handler may not do.
//! - `pinned`: closes pinned memory to the program while queued work uses it. `hooks`: system functions that must
//!   know of that.
//! - `session`: the same for a program that starts a check itself.
//! - `ending`: the end of the process.
//!
//! Invariants: a sink is called under locks of the runtime and of the tap, so nothing that a record triggers here
//! calls the runtime, emits a record or loads a library. An invalid setting is reported on stderr and does not stop
//! the program.

mod ending;
mod hooks;
mod keeper;
pub(crate) mod ledger;
pub(crate) mod pinned;
mod recording;
pub(crate) mod session;
mod settings;
mod signals;
mod watch;

pub(crate) use watch::say;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};

use millpond::{Config, Pinned, Runtime};
use millpond_trace::{Bytes, CallSite, Operation, Space};

use self::keeper::Fault as Faulted;
use self::settings::Settings;
use self::watch::Watch;
use crate::boundary::CallError;
use crate::{caller, environment, process};

/// The settings; `None` if the mode is not enabled.
static SETTINGS: OnceLock<Option<Settings>> = OnceLock::new();
static WATCH: OnceLock<Arc<Watch>> = OnceLock::new();
/// The program has begun a session.
static SESSIONS: AtomicBool = AtomicBool::new(false);

/// The settings, read once. Complaints go to stderr.
fn settings() -> Option<&'static Settings> {
    let read = || {
        let (settings, complaints) = Settings::from_variables(environment::text)?;
        complain(&complaints);
        Some(settings)
    };
    SETTINGS.get_or_init(read).as_ref()
}

fn complain(complaints: &[String]) {
    for complaint in complaints {
        watch::say(&format!("millpond check: {complaint}"));
    }
}

/// Why this process cannot be checked although `millpond check` started it.
pub(crate) fn unreachable() -> Option<&'static str> {
    settings().and_then(|_| ledger::unreachable())
}

/// A runtime is created. If `millpond check` started this process and it is not checked, this is counted.
pub(crate) fn note_unchecked() {
    if settings().is_none() {
        ledger::count_if_unchecked();
    }
}

/// Adapts the configuration of a runtime to the mode.
pub(crate) fn prepare(config: &mut Config) {
    let checks = settings().is_some() || SESSIONS.load(Ordering::Relaxed);
    config.guards |= checks;
    let mut complaints = Vec::new();
    if checks && settings::pinned(environment::text, &mut complaints) {
        config.pinned = Pinned::Gated;
    }
}

/// Attaches checker and recorder to a new runtime, as the variables request.
pub(crate) fn start(runtime: &Runtime) {
    let records = recording::start(runtime);
    let Some(settings) = settings() else {
        if records {
            let mut complaints = Vec::new();
            caller::set_depth(settings::stacks(environment::text, &mut complaints));
            complain(&complaints);
            keeper::start(report, recording::flush);
        }
        return;
    };
    caller::set_depth(settings.stacks);
    let watch = WATCH.get_or_init(|| Arc::new(Watch::new(settings, true)));
    runtime.tap().attach(Arc::clone(watch) as Arc<_>);
    watch_faults();
}

/// Reports faults from now on. Without the keeper's thread, faults are not reported.
fn watch_faults() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if keeper::start(report, recording::flush) {
            signals::install();
        }
    });
}

/// The runtime, prepared for a session of the program with `stacks` frames per call stack.
fn prepared_for_session(stacks: usize) -> Result<&'static Runtime, CallError> {
    SESSIONS.store(true, Ordering::Relaxed);
    let runtime = process::runtime()?;
    if settings().is_none() {
        caller::set_depth(stacks);
    }
    watch_faults();
    Ok(runtime)
}

/// Reports an access to pinned memory, for the thread that waits meanwhile.
fn report_touch(runtime: &Runtime, fault: &Faulted) {
    let frames = &fault.frames[..fault.count];
    let script = caller::script_number(fault.script);
    let stack = script.unwrap_or_else(|| caller::number(frames));
    let _site = CallSite::note("", frames[0], stack);
    runtime.tap().emit_for_another(|| Operation::HostAccessed {
        range: Bytes {
            start: fault.address,
            bytes: 1,
        },
        write: fault.write,
        instruction: fault.instruction,
    });
}

/// Reports a fault, for the thread that has it.
fn report(fault: &Faulted) {
    if let Some(runtime) = process::known().filter(|_| fault.pinned) {
        report_touch(runtime, fault);
        return;
    }
    let touches = fault.raised && matches!(fault.signal, libc::SIGSEGV | libc::SIGBUS);
    if let Some(runtime) = process::known()
        && touches
        && matches!(runtime.space_of(fault.address), Some(Space::Device(_)))
    {
        let frames = &fault.frames[..fault.count];
        let _site = CallSite::note("", frames[0], caller::number(frames));
        // This is the keeper's thread. The number of the faulting thread is not available in a handler.
        runtime.tap().emit_for_another(|| Operation::HostTouched {
            address: fault.address,
            write: fault.write,
            instruction: fault.instruction,
        });
    }
    recording::flush();
}

/// Checks the guard bytes of the mode, if it is enabled. Changes become records.
pub(crate) fn look() {
    if let Some(runtime) = process::known() {
        runtime.check_guards();
    }
}
