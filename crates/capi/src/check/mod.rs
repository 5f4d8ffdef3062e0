//! The checking mode of a process: `MILLPOND_CHECK=1`.
//!
//! A checker is attached to the runtime's tap when the runtime is made. It prints findings as they happen,
//! appends each to a file if one is named, and says at the end of the process how it was. Without the variable
//! nothing of this is made.
//!
//! - `settings`: what the variables ask for. Pure.
//! - `watch`: the sink: judges, prints and writes.
//! - `plain`: how a finding looks.
//! - `ending`: the end of the process.
//!
//! What must always hold: a sink is called under locks of the runtime and of the tap, so nothing here that a
//! record leads to calls the runtime, emits a record or loads a library. A setting that cannot be understood
//! is said on stderr and does not stop the program.

mod ending;
mod plain;
mod settings;
mod watch;

use std::sync::{Arc, OnceLock};

use millpond::{Config, Runtime};

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

/// Attaches the checker to a runtime that was just made, if the variables ask for it.
pub(crate) fn start(runtime: &Runtime) {
    let Some(settings) = settings() else { return };
    let watch = WATCH.get_or_init(|| Arc::new(Watch::new(settings)));
    runtime.tap().attach(Arc::clone(watch) as Arc<_>);
}

/// Looks at what the mode put into memory, if it is on. What has changed becomes a record.
pub(crate) fn look() {
    if let Some(runtime) = process::known() {
        runtime.look_at_planted();
    }
}
