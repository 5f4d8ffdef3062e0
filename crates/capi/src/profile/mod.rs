//! Profiles: what runs between `aclprofStart` and `aclprofStop`, written to a folder for the command `msprof`.
//!
//! A profile is a sink of records (`sink`) that writes those that its switches and devices ask for into a record file inside a folder
//! with the names that programs look for (`folder`). `MILLPOND_MSPROF` profiles a whole program, for `msprof PROGRAM`.
//!
//! Invariants: without a running profile nothing is timed; a sink is attached exactly while at least one configuration runs; what was
//! collected is in the file when `stop` returns.

mod folder;
mod sink;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_abi as abi;
use millpond_trace::{Operation, Space};
use parking_lot::Mutex;

use crate::boundary::CallError;
use crate::{environment, process};
use folder::Folder;
use sink::Sink;

const SETTING: &str = "MILLPOND_MSPROF";

/// What to collect, and on which devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) devices: Vec<u32>,
    pub(crate) switches: u64,
}

/// Options that hold for profiles that are started after they were set.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// The most bytes that a profile may have.
    pub(crate) limit: Option<u64>,
    /// Whether the use of memory is wanted.
    pub(crate) memory: bool,
}

#[derive(Debug, Default)]
struct State {
    /// The folder of `aclprofInit`, or of the variable.
    path: Option<PathBuf>,
    /// The program is profiled from outside.
    whole: bool,
    options: Options,
    /// Made by the first start or warm-up.
    profile: Option<Arc<Sink>>,
    /// What runs, by the handle of its configuration.
    running: Vec<(u64, Wanted)>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn with<T>(act: impl FnOnce(&mut State) -> Result<T, CallError>) -> Result<T, CallError> {
    act(STATE.lock().get_or_insert_with(State::default))
}

/// A folder is chosen.
pub(crate) fn begin(path: &Path) -> Result<(), CallError> {
    with(|state| {
        if state.whole {
            let text = format!(
                "the whole program is profiled already ({SETTING}, which msprof sets): run it without msprof"
            );
            return Err(CallError::coded(abi::ACL_ERROR_PROF_API_CONFLICT, text));
        }
        if let Some(path) = &state.path {
            let text = format!(
                "profiling was initialised already, with the folder {}: call aclprofFinalize first",
                path.display()
            );
            return Err(CallError::coded(abi::ACL_ERROR_REPEAT_INITIALIZE, text));
        }
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        std::fs::create_dir_all(&absolute).map_err(|error| {
            let text = format!("the folder {} cannot be created: {error}", path.display());
            CallError::coded(abi::ACL_ERROR_INVALID_FILE, text)
        })?;
        state.path = Some(absolute);
        Ok(())
    })
}

/// Stops what runs, and forgets the folder and the options.
pub(crate) fn end() -> Result<(), CallError> {
    with(|state| {
        if state.whole {
            return Err(never_begun());
        }
        state.path.take().ok_or_else(never_begun)?;
        state.running.clear();
        if let Some(profile) = state.profile.take() {
            close(&profile)?;
        }
        *state = State::default();
        Ok(())
    })
}

fn never_begun() -> CallError {
    let text = "profiling was not initialised: call aclprofInit first";
    CallError::coded(abi::ACL_ERROR_UNINITIALIZE, text)
}

/// Changes the options.
pub(crate) fn set(change: impl FnOnce(&mut Options)) -> Result<(), CallError> {
    with(|state| {
        state.path.as_ref().ok_or_else(never_begun)?;
        change(&mut state.options);
        Ok(())
    })
}

/// Creates the folder of the profile, if there is none yet.
pub(crate) fn prepare(wanted: &Wanted) -> Result<(), CallError> {
    with(|state| state.profile(wanted).map(drop))
}

/// Starts a configuration.
pub(crate) fn start(handle: u64, wanted: &Wanted) -> Result<(), CallError> {
    let runtime = process::runtime()?;
    with(|state| {
        state.path.as_ref().ok_or_else(never_begun)?;
        let running = |device: &u32| {
            let mut running = state.running.iter();
            running.any(|(_, other)| other.devices.contains(device))
        };
        let again = state.running.iter().any(|(running, _)| *running == handle);
        if again || wanted.devices.iter().any(running) {
            let text = if again {
                "this configuration runs already".to_owned()
            } else {
                "a profile of one of these devices runs already: stop it first".to_owned()
            };
            return Err(CallError::coded(abi::ACL_ERROR_PROF_ALREADY_RUN, text));
        }
        let profile = state.profile(wanted)?;
        let first = state.running.is_empty();
        state.running.push((handle, wanted.clone()));
        profile.choose(
            state.running.iter().map(|(_, wanted)| wanted),
            state.options,
        );
        profile.note(Operation::ProfileBegan {
            switches: wanted.switches,
            devices: wanted.devices.clone(),
        });
        for (stream, context, device) in runtime.live_streams() {
            profile.note(Operation::StreamCreated {
                stream,
                context,
                device,
            });
        }
        for device in runtime.open_devices() {
            let (charged, capacity) = device.charged();
            profile.note(Operation::MemoryUsed {
                space: Space::Device(device.index()),
                charged,
                capacity,
            });
        }
        if first {
            runtime.tap().attach(profile);
        }
        Ok(())
    })
}

/// Stops a configuration. What was collected is written.
pub(crate) fn stop(handle: u64) -> Result<(), CallError> {
    with(|state| {
        let running = state.running.iter().position(|(known, _)| *known == handle);
        let Some(index) = running else {
            let text = "this configuration does not run: call aclprofStart first";
            return Err(CallError::coded(abi::ACL_ERROR_PROF_NOT_RUN, text));
        };
        state.running.remove(index);
        let Some(profile) = &state.profile else {
            return Ok(());
        };
        if state.running.is_empty() {
            return close(profile);
        }
        profile.choose(
            state.running.iter().map(|(_, wanted)| wanted),
            state.options,
        );
        Ok(())
    })
}

/// Whether a configuration runs.
pub(crate) fn runs(handle: u64) -> bool {
    let state = STATE.lock();
    let running = state.as_ref().map(|state| &state.running);
    running.is_some_and(|running| running.iter().any(|(known, _)| *known == handle))
}

impl State {
    fn profile(&mut self, wanted: &Wanted) -> Result<Arc<Sink>, CallError> {
        let path = self.path.as_ref().ok_or_else(never_begun)?;
        let profile = if let Some(profile) = &self.profile {
            Arc::clone(profile)
        } else {
            let runtime = process::runtime()?;
            let made = Folder::create(path).and_then(|folder| Sink::create(folder, runtime));
            let made = Arc::new(made.map_err(|error| unwritable(path, &error))?);
            self.profile = Some(Arc::clone(&made));
            made
        };
        for device in &wanted.devices {
            let added = profile.folder().add_device(*device);
            added.map_err(|error| unwritable(path, &error))?;
        }
        Ok(profile)
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> CallError {
    let text = format!("a profile cannot be written to {}: {error}", path.display());
    CallError::coded(abi::ACL_ERROR_WRITE_FILE, text)
}

/// Detaches a profile and writes what it has. Losses are an error: an incomplete profile must not look like a whole one.
fn close(profile: &Arc<Sink>) -> Result<(), CallError> {
    if let Some(runtime) = process::known() {
        runtime
            .tap()
            .detach(&(Arc::clone(profile) as Arc<dyn millpond_trace::Sink>));
    }
    profile.close().map_err(|problem| {
        let text = format!(
            "the profile in {} is incomplete: {problem}",
            profile.folder().path().display()
        );
        CallError::coded(abi::ACL_ERROR_PROFILING_FAILURE, text)
    })
}

/// `MILLPOND_MSPROF`: profiles the program from its first use of a device to its end. If the folder cannot be written, a message
/// goes to stderr and the program continues.
pub(crate) fn start_whole(runtime: &millpond::Runtime) {
    let Some(path) = environment::text(SETTING).filter(|path| !path.is_empty()) else {
        return;
    };
    let path = PathBuf::from(path);
    let devices = (0..runtime.device_count()).collect();
    let wanted = Wanted {
        devices,
        switches: abi::ACL_PROF_ACL_API
            | abi::ACL_PROF_TASK_TIME
            | abi::ACL_PROF_HCCL_TRACE
            | abi::ACL_PROF_MSPROFTX
            | abi::ACL_PROF_TASK_MEMORY,
    };
    let made = std::fs::create_dir_all(&path)
        .and_then(|()| Folder::create(&path))
        .and_then(|folder| {
            for device in &wanted.devices {
                folder.add_device(*device)?;
            }
            Sink::create(folder, runtime)
        });
    let made = match made {
        Ok(made) => Arc::new(made),
        Err(error) => {
            let path = path.display();
            crate::check::say(&format!(
                "millpond: cannot write a profile to {path} ({SETTING}): {error}; nothing is profiled"
            ));
            return;
        }
    };
    let mut state = STATE.lock();
    let state = state.get_or_insert_with(State::default);
    made.choose(std::iter::once(&wanted), Options::default());
    made.note(Operation::ProfileBegan {
        switches: wanted.switches,
        devices: wanted.devices.clone(),
    });
    runtime.tap().attach(Arc::clone(&made) as Arc<_>);
    state.whole = true;
    state.profile = Some(made);
}

/// The process exits: a profile that still runs is written.
pub(crate) fn finish() {
    // A thread that is inside at the end of the process never leaves.
    let Some(mut state) = STATE.try_lock() else {
        return;
    };
    let profile = state.as_mut().and_then(|state| state.profile.take());
    drop(state);
    if let Some(profile) = profile
        && let Err(error) = close(&profile)
    {
        crate::check::say(&format!("millpond: {error}"));
    }
}

/// A call that began at `began` ends: records that, and what it did to the use of memory.
#[cold]
#[inline(never)]
pub(crate) fn returned(began: u64, code: abi::aclError) {
    if process::forked() {
        return;
    }
    let Some(runtime) = process::known() else {
        return;
    };
    if sink::take_memory_changed() {
        for device in runtime.open_devices() {
            let (charged, capacity) = device.charged();
            runtime.tap().emit_time(|| Operation::MemoryUsed {
                space: Space::Device(device.index()),
                charged,
                capacity,
            });
        }
    }
    runtime
        .tap()
        .emit_time(|| Operation::Returned { began, code });
}
