//! The checking mode of a process: `MILLPOND_CHECK=1`.
//!
//! A checker is attached to the runtime's tap when the runtime is made. It prints findings as they happen,
//! appends each to a file if one is named, and says at the end of the process how it was. Without the variable
//! nothing of this is made.
//!
//! - `settings`: what the variables ask for. Pure.
//! - `watch`: the sink: judges, prints and writes.
//! - `recording`: the record file, also without the mode.
//! - `signals`: code of the program that touches device memory, and other ways to end suddenly.
//! - `keeper`: a thread that does for those what they may not do themselves.
//! - `ending`: the end of the process.
//!
//! What must always hold: a sink is called under locks of the runtime and of the tap, so nothing here that a
//! record leads to calls the runtime, emits a record or loads a library. A setting that cannot be understood
//! is said on stderr and does not stop the program.

mod ending;
mod keeper;
mod recording;
mod settings;
mod signals;
mod watch;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use millpond::{Config, Runtime};
use millpond_trace::{CallSite, Frame, Operation, Space, StackRef};

use self::keeper::Fault;
use self::settings::Settings;
use self::watch::Watch;
use crate::process;

/// What the variables ask for; `None` if they do not ask for the mode.
static SETTINGS: OnceLock<Option<Settings>> = OnceLock::new();
static WATCH: OnceLock<Arc<Watch>> = OnceLock::new();

/// What the variables ask for, read once. Complaints go to stderr.
fn settings() -> Option<&'static Settings> {
    let read = || {
        let (settings, complaints) = Settings::from_variables(|name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })?;
        for complaint in complaints {
            watch::print(&format!("millpond check: {complaint}\n"));
        }
        Some(settings)
    };
    SETTINGS.get_or_init(read).as_ref()
}

/// Changes what a runtime is made from where the mode needs it.
pub(crate) fn prepare(config: &mut Config) {
    config.planted |= settings().is_some();
}

/// Attaches to a runtime that was just made what the variables ask for.
pub(crate) fn start(runtime: &Runtime) {
    let records = recording::start(runtime);
    let settings = settings();
    if let Some(settings) = settings {
        let watch = WATCH.get_or_init(|| Arc::new(Watch::new(settings)));
        runtime.tap().attach(Arc::clone(watch) as Arc<_>);
    }
    // Without a thread to report to, a fault is the program's own affair.
    if (records || settings.is_some())
        && keeper::start(report, recording::flush)
        && settings.is_some()
    {
        signals::install();
    }
}

/// Tells of a fault, for the thread that has it.
fn report(fault: &Fault) {
    let touches = fault.raised && matches!(fault.signal, libc::SIGSEGV | libc::SIGBUS);
    if let Some(runtime) = process::known()
        && touches
        && matches!(runtime.space_of(fault.address), Some(Space::Device(_)))
    {
        // As a return address is taken for that of the call before it.
        let caller = fault.instruction.wrapping_add(1);
        let stack = tell_stack(runtime, caller, &fault.frames[..fault.count]);
        let _site = CallSite::note("", caller, stack);
        runtime.tap().emit(|| Operation::HostTouched {
            address: fault.address,
            write: fault.write,
            instruction: fault.instruction,
        });
    }
    recording::flush();
}

/// Tells of the call stack of a fault; answers its number, 0 if none is wanted.
fn tell_stack(runtime: &Runtime, caller: u64, callers: &[u64]) -> StackRef {
    /// Counts down, while the stacks of calls are counted up.
    static NEXT: AtomicU32 = AtomicU32::new(StackRef::MAX);
    let depth = settings().map_or(0, |settings| settings.stacks);
    if depth == 0 {
        return 0;
    }
    let stack = NEXT.fetch_sub(1, Ordering::Relaxed);
    let frames = std::iter::once(&caller).chain(callers).take(depth);
    let frames = frames.map(|&address| Frame::Address(address)).collect();
    runtime
        .tap()
        .emit(|| Operation::StackSeen { stack, frames });
    stack
}

/// Looks at what the mode put into memory, if it is on. What has changed becomes a record.
pub(crate) fn look() {
    if let Some(runtime) = process::known() {
        runtime.look_at_planted();
    }
}
