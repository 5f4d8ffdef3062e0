//! Our own listener: whether records are read, and access to the state.
//!
//! Domains are often created before the runtime exists. If records will be read, annotations until then
//! are buffered, and emitted before the next one.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use millpond::Runtime;
use millpond_report::Count;
use millpond_trace::{CallSite, Operation};
use parking_lot::Mutex;

use super::chain;
use super::slots::Tool;
use super::state::{Notes, State, ToolHandles};
use crate::check::ledger;
use crate::{caller, environment, process};

/// How many records may be buffered until there is a runtime. Later ones are lost, and counted.
const MAX_BUFFERED: usize = 1 << 14;
/// How many of them may be marks and ranges. No rule needs those from before the first device, so the rest is not counted as lost.
const MAX_MARKS: usize = 1 << 12;

/// Variables that ask for records.
const READERS: [&str; 4] = [
    "MILLPOND_CHECK",
    "MILLPOND_RECORDS",
    "MILLPOND_RECORD",
    "MILLPOND_MSPROF",
];

#[derive(Debug, Default)]
struct Listener {
    state: State,
    buffered: Vec<Operation>,
}

impl Listener {
    fn new() -> Self {
        Self {
            state: State::new(is_queued()),
            buffered: Vec::new(),
        }
    }
}

fn is_mark(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Marked { .. } | Operation::RangeStarted { .. } | Operation::RangeEnded { .. }
    )
}

/// Whether PyTorch's task queue is on, which is its default.
fn is_queued() -> bool {
    std::env::var_os("TASK_QUEUE_ENABLE").is_none_or(|value| value != "0")
}

static LISTENER: Mutex<Option<Listener>> = Mutex::new(None);

#[derive(Debug, Clone, Copy)]
enum Listening {
    /// No records are read.
    No,
    /// They will be read, once there is a runtime.
    Later,
    Now(&'static Runtime),
}

thread_local! {
    /// Set while this thread calls tools and changes the state.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Clears `BUSY` when dropped.
struct Busy;

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.set(false);
    }
}

/// Whether the program is run by a checker.
pub(super) fn checking() -> bool {
    asked(READERS[0])
}

fn asked(variable: &str) -> bool {
    environment::variable(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether records will be read.
#[inline]
pub(crate) fn expected() -> bool {
    static EXPECTED: OnceLock<bool> = OnceLock::new();
    *EXPECTED.get_or_init(|| READERS.into_iter().any(asked))
}

#[inline]
fn listening() -> Listening {
    match process::known() {
        Some(runtime) if runtime.tap().listening() => Listening::Now(runtime),
        None if expected() => {
            process::note_use();
            Listening::Later
        }
        _ => Listening::No,
    }
}

/// One annotation that a tool or our listener receives.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tools: &'static [Tool],
    listening: Listening,
    _site: Option<CallSite>,
}

/// Runs the body of an exported function, if a tool or our listener receives it. Else returns `without_tool`; so it does in a
/// forked child, where the state may be incomplete, and for a tool that calls MSTX while it is called.
#[inline(always)]
pub(super) fn with<T>(function: &'static str, without_tool: T, body: impl FnOnce(&Call) -> T) -> T {
    if process::forked() {
        return without_tool;
    }
    let listening = listening();
    let Some(tools) = chain::tools() else {
        return without_tool;
    };
    if tools.is_empty() && matches!(listening, Listening::No) {
        return without_tool;
    }
    if BUSY.replace(true) {
        return without_tool;
    }
    let _busy = Busy;
    // Not in a closure: the caller is found by the code address at which this is inlined.
    let site = if matches!(listening, Listening::Now(_)) {
        Some(caller::note(function))
    } else {
        None
    };
    let call = Call {
        tools,
        listening,
        _site: site,
    };
    // The state is changed in whole steps; what a panic leaves behind is consistent.
    catch_unwind(AssertUnwindSafe(|| body(&call))).unwrap_or(without_tool)
}

impl Call {
    /// Whether our own listener receives this.
    pub(super) fn heard(&self) -> bool {
        !matches!(self.listening, Listening::No)
    }

    /// Changes the state and emits the records of it. No tool may be called meanwhile.
    pub(super) fn update<T>(&self, act: impl FnOnce(&mut State, &mut Notes) -> T) -> T {
        let mut listener = LISTENER.lock();
        let listener = listener.get_or_insert_with(Listener::new);
        let mut notes = Notes::new(self.heard());
        let result = act(&mut listener.state, &mut notes);
        match self.listening {
            Listening::Now(runtime) => {
                for operation in listener.buffered.drain(..).chain(notes.operations) {
                    runtime.tap().emit(|| operation);
                }
            }
            Listening::Later => {
                for operation in notes.operations {
                    let mark = is_mark(&operation);
                    let most = if mark { MAX_MARKS } else { MAX_BUFFERED };
                    if listener.buffered.len() < most {
                        listener.buffered.push(operation);
                    } else if !mark {
                        ledger::add(Count::Annotations, 1);
                    }
                }
            }
            Listening::No => {}
        }
        result
    }

    /// Asks each tool in turn. No lock is held, because a tool is foreign code.
    pub(super) fn ask(&self, mut ask: impl FnMut(Tool, usize) -> u64) -> ToolHandles {
        let asked = self.tools.iter().enumerate();
        asked.map(|(position, tool)| ask(*tool, position)).collect()
    }

    /// Calls each tool in turn, with its own handle of something.
    pub(super) fn for_each_tool(
        &self,
        find: impl Fn(&State, usize) -> u64,
        mut call: impl FnMut(Tool, u64),
    ) {
        for (position, tool) in self.tools.iter().enumerate() {
            let word = with_state(|state| find(state, position));
            call(*tool, word);
        }
    }
}

/// The process exits. Buffered annotations get a runtime now: a program that only annotates is checked
/// too.
pub(crate) fn flush_buffered() {
    let any = LISTENER.try_lock().is_some_and(|listener| {
        listener
            .as_ref()
            .is_some_and(|listener| !listener.buffered.is_empty())
    });
    if !any {
        return;
    }
    let Ok(runtime) = process::runtime() else {
        return;
    };
    let buffered = LISTENER
        .lock()
        .as_mut()
        .map(|listener| std::mem::take(&mut listener.buffered));
    for operation in buffered.unwrap_or_default() {
        runtime.tap().emit(|| operation);
    }
}

/// Looks something up in the state.
pub(super) fn with_state<T>(act: impl FnOnce(&State) -> T) -> T {
    act(&LISTENER.lock().get_or_insert_with(Listener::new).state)
}
