//! For test suites: calls that are made to fail (`MILLPOND_FAULT`), counts of calls (`MILLPOND_CALLS`) and a reset between tests.
//!
//! Every exported function passes through `boundary`, which asks here before its body runs and tells the result afterwards. The rules
//! themselves are `millpond::testing`. What a rule says about the *task* of a call waits on the thread until the call names its stream
//! (`current::on_stream`); what it says about *bytes* is decided where the call knows them ([`sized`]).
//!
//! Invariants: if nothing is asked for, a call costs one relaxed load (`process::needs_slow_path`). Functions of Millpond itself are neither
//! counted nor made to fail. A variable with an invalid rule is an error of `aclInit` and of the first call that needs a device.

mod names;
pub(crate) mod reset;

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock, Once};

use millpond::testing::{Action, Call, Counters, Decision, Rules};
use millpond::{Error, Stream};
use millpond_report::clean;
use millpond_trace::Operation;
use parking_lot::Mutex;

pub(crate) use names::is_known;

use crate::boundary::{CallError, Cause};
use crate::own_file::OwnFile;
use crate::{current, environment, process};

const SETTING: &str = "MILLPOND_FAULT";
/// The name of the allocating functions of registered allocators.
const ALLOCATOR: &str = "allocator.alloc";

static RULES: LazyLock<Rules> = LazyLock::new(Rules::new);
static COUNTERS: Counters = Counters::new();
/// Rules that made a device lost, and the device.
static LOST: Mutex<Vec<(u64, u32)>> = Mutex::new(Vec::new());
/// Where `MILLPOND_CALLS` wants the counts.
static CALLS_TO: Mutex<Option<String>> = Mutex::new(None);
/// What is wrong with the variable, once it was read.
static READ: Mutex<Option<Result<(), String>>> = Mutex::new(None);

thread_local! {
    /// The function of the current call. Only while there are rules.
    static FUNCTION: Cell<&'static str> = const { Cell::new("") };
    /// What the rules say about the task of the current call.
    static TASK: RefCell<Option<Decision>> = const { RefCell::new(None) };
}

/// A call that may be counted, delayed or made to fail, from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Begun {
    function: &'static str,
    outer: &'static str,
    is_ours: bool,
}

/// Reads the variables, once. An error says what is wrong with them.
pub(crate) fn settings() -> Result<(), Error> {
    let mut read = READ.lock();
    let result = read.get_or_insert_with(|| {
        let text = |name| environment::text(name).unwrap_or_default();
        let calls = text("MILLPOND_CALLS");
        if !calls.is_empty() {
            *CALLS_TO.lock() = Some(calls);
            COUNTERS.start();
        }
        let result = RULES.set(&text(SETTING), &names::Functions);
        note_use();
        result
    });
    result.clone().map_err(|problem| Error::BadSetting {
        setting: SETTING.to_owned(),
        value: environment::text(SETTING).unwrap_or_default(),
        expected: format!("a rule is wrong: {problem}"),
    })
}

/// Calls take the slow path if anything is asked for.
fn note_use() {
    let used = !RULES.is_empty() || COUNTERS.is_on() || !LOST.lock().is_empty();
    process::set_injection(used);
}

/// A call begins: the error that it is made to return, if any. Counts it for the rules.
#[cold]
pub(crate) fn begin(function: &'static str) -> Result<Begun, CallError> {
    // What is wrong with the variable is reported by the calls that make a runtime.
    let _known = settings();
    let begun = Begun {
        function,
        outer: FUNCTION.replace(function),
        is_ours: function.starts_with("millpond"),
    };
    if begun.is_ours {
        return Ok(begun);
    }
    lost_device(function)?;
    TASK.set(None);
    if let Some(decision) = decide(function, None) {
        act(&decision)?;
    }
    Ok(begun)
}

impl Begun {
    /// The call has ended.
    #[cold]
    pub(crate) fn end(self, failed: bool) {
        if !self.is_ours {
            COUNTERS.count(self.function, failed);
            finish_task(self.function, failed);
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        FUNCTION.set(self.outer);
    }
}

/// A call was made to fail before it began.
#[cold]
pub(crate) fn failed(function: &'static str) {
    TASK.set(None);
    FUNCTION.set("");
    COUNTERS.count(function, true);
}

/// A function that is refused was called.
pub(crate) fn refused(function: &'static str) {
    if process::needs_slow_path() {
        COUNTERS.count(function, true);
    }
}

fn decide(function: &str, bytes: Option<u64>) -> Option<Decision> {
    let call = Call {
        function,
        bytes,
        device: device_of_thread(),
    };
    RULES.decide(&call)
}

fn device_of_thread() -> Option<u32> {
    current::with_known(|entry| Some(entry.context.device().index()))
}

/// Carries out what a rule says, or leaves it for the call's stream.
fn act(decision: &Decision) -> Result<(), CallError> {
    let nth = decision.nth;
    match decision.action {
        Action::Return(code) => Err(injected(decision, code)),
        Action::Lost(code) => {
            let device = device_of_thread().unwrap_or(0);
            LOST.lock().push((decision.id, device));
            process::set_injection(true);
            Err(injected(decision, code))
        }
        Action::Task(code) => {
            process::emit(|| Operation::FaultInjected { code, nth });
            TASK.set(Some(decision.clone()));
            Ok(())
        }
        Action::Delay(_) => {
            TASK.set(Some(decision.clone()));
            Ok(())
        }
    }
}

fn injected(decision: &Decision, code: i32) -> CallError {
    let nth = decision.nth;
    process::emit(|| Operation::FaultInjected { code, nth });
    CallError::coded(code, decision.sentence())
}

/// The call that is under way works on so many bytes.
#[inline]
pub(crate) fn sized(bytes: u64) -> Result<(), CallError> {
    if process::needs_slow_path() {
        sized_slowly(bytes)
    } else {
        Ok(())
    }
}

#[cold]
fn sized_slowly(bytes: u64) -> Result<(), CallError> {
    let function = FUNCTION.get();
    match decide(function, Some(bytes)) {
        Some(decision) if !function.is_empty() => act(&decision),
        _ => Ok(()),
    }
}

/// The call that is under way is going to put a task into this stream.
#[inline]
pub(crate) fn on_stream(stream: &Stream) -> Result<(), CallError> {
    if process::needs_slow_path() {
        on_stream_slowly(stream)
    } else {
        Ok(())
    }
}

#[cold]
fn on_stream_slowly(stream: &Stream) -> Result<(), CallError> {
    let Some(decision) = TASK.take() else {
        return Ok(());
    };
    match decision.action {
        Action::Task(code) => {
            stream.fail(code, decision.sentence())?;
            Err(Cause::FailsLater.into())
        }
        Action::Delay(time) => Ok(stream.delay(time)?),
        Action::Return(_) | Action::Lost(_) => Ok(()),
    }
}

/// A call has ended; what a rule says about its task was not used if it has none.
fn finish_task(function: &str, failed: bool) {
    let Some(decision) = TASK.take() else { return };
    match decision.action {
        Action::Delay(time) => {
            if let Some(runtime) = process::known() {
                runtime.clock().sleep(time);
            }
        }
        Action::Task(_) if !failed => {
            static SAID: Once = Once::new();
            SAID.call_once(|| {
                say(&format!(
                    "the rule '{}' has no effect: {function} puts no task into a stream",
                    decision.rule
                ));
            });
        }
        _ => {}
    }
}

/// Whether a rule made a device lost.
pub(crate) fn is_lost(device: u32) -> bool {
    process::needs_slow_path() && LOST.lock().iter().any(|(_, gone)| *gone == device)
}

/// Refuses calls that need a device which a rule made lost. Cleaning up still works.
fn lost_device(function: &str) -> Result<(), CallError> {
    if LOST.lock().is_empty() || !names::needs_device(function) {
        return Ok(());
    }
    let device = device_of_thread().unwrap_or(0);
    if !is_lost(device) {
        return Ok(());
    }
    Err(CallError::coded(
        names::LOST_CODE,
        format!("device {device} is lost: a fault was injected by a rule with 'lost'"),
    ))
}

/// Whether an allocation from a registered allocator is made to fail. Counts it.
#[inline]
pub(crate) fn fails_allocator() -> bool {
    process::needs_slow_path() && allocator_fails()
}

#[cold]
fn allocator_fails() -> bool {
    let Some(decision) = decide(ALLOCATOR, None) else {
        return false;
    };
    let nth = decision.nth;
    process::emit(|| Operation::FaultInjected { code: 0, nth });
    true
}

/// Replaces the rules and starts counting again; an empty text removes all.
pub(crate) fn set_rules(text: &str) -> Result<(), String> {
    let _known = settings();
    RULES.set(text, &names::Functions)?;
    LOST.lock().clear();
    note_use();
    Ok(())
}

pub(crate) fn add_rule(text: &str) -> Result<u64, String> {
    let _known = settings();
    let id = RULES.add(text, &names::Functions)?;
    note_use();
    Ok(id)
}

/// Removes a rule. A device that it made lost is back.
pub(crate) fn remove_rule(id: u64) -> bool {
    let removed = RULES.remove(id);
    LOST.lock().retain(|(rule, _)| *rule != id);
    note_use();
    removed
}

/// How many calls a rule has counted, and how many it has changed.
pub(crate) fn seen(id: u64) -> Option<(u64, u64)> {
    RULES.seen(id)
}

/// The counts of calls; `on` starts them from 0 or stops them.
pub(crate) fn count_calls(on: bool) {
    let _known = settings();
    if on {
        COUNTERS.start();
    } else {
        COUNTERS.stop();
    }
    note_use();
}

pub(crate) fn counters() -> &'static Counters {
    &COUNTERS
}

/// All counts as JSON.
pub(crate) fn calls_as_json() -> String {
    let all = COUNTERS.all().into_iter();
    let all: serde_json::Map<String, serde_json::Value> = all
        .map(|(function, count)| {
            let count = serde_json::json!({"calls": count.calls, "failures": count.failures});
            (function, count)
        })
        .collect();
    format!("{:#}\n", serde_json::Value::Object(all))
}

/// Writes all counts to a file, or to stderr.
pub(crate) fn write_calls(path: Option<&Path>) -> std::io::Result<()> {
    let text = calls_as_json();
    match path {
        None => std::io::stderr().write_all(text.as_bytes()),
        Some(path) => {
            // What an earlier run wrote is replaced.
            drop(std::fs::remove_file(path));
            OwnFile::append(path)?.write_all(text.as_bytes())
        }
    }
}

/// Writes what `MILLPOND_CALLS` asks for. Called when the process ends, but not in a forked child: it did not make the calls.
pub(crate) fn write_at_end() {
    let Some(target) = CALLS_TO.lock().take() else {
        return;
    };
    let path = (target != "stderr").then(|| Path::new(&target));
    if let Err(error) = write_calls(path) {
        say(&format!(
            "MILLPOND_CALLS: '{target}' cannot be written: {error}"
        ));
    }
}

fn say(text: &str) {
    // If stderr cannot be written, the message is lost and the program continues.
    drop(writeln!(std::io::stderr(), "millpond: {}", clean(text)));
}

/// The clock of the process, once there is a runtime.
pub(crate) fn clock() -> Option<&'static Arc<millpond::Clock>> {
    process::known().map(millpond::Runtime::clock)
}
