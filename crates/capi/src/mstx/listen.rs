//! Our own listener: whether anybody reads records, and the way into the books.
//!
//! Domains are often created before the runtime exists. If somebody will read records, what is said
//! until then waits, and comes out before the next annotation that is heard.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use millpond::Runtime;
use millpond::trace::{CallSite, Operation};
use millpond_report::Count;
use parking_lot::Mutex;

use super::books::{Books, Notes, Words};
use super::chain;
use super::slots::Tool;
use crate::check::ledger;
use crate::{caller, environment, process};

/// Records that may wait for the runtime. Later ones are lost.
const MAX_WAITING: usize = 1 << 14;
/// As many of them may be marks and ranges, which no rule needs from a time without devices: those beyond are no loss.
const MAX_MARKS: usize = 1 << 12;

/// Variables by which somebody asks for records.
const READERS: [&str; 3] = ["MILLPOND_CHECK", "MILLPOND_RECORDS", "MILLPOND_RECORD"];

#[derive(Debug, Default)]
struct Desk {
    books: Books,
    waiting: Vec<Operation>,
}

impl Desk {
    fn new() -> Self {
        Self {
            books: Books::new(is_queued()),
            waiting: Vec::new(),
        }
    }
}

fn is_mark(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Marked { .. } | Operation::RangeStarted { .. } | Operation::RangeEnded { .. }
    )
}

/// Whether PyTorch's own queue of tasks is on, as it is if nobody turned it off.
fn is_queued() -> bool {
    std::env::var_os("TASK_QUEUE_ENABLE").is_none_or(|value| value != "0")
}

static DESK: Mutex<Option<Desk>> = Mutex::new(None);

#[derive(Debug, Clone, Copy)]
enum Hearing {
    /// Nobody reads records.
    Nobody,
    /// Somebody will, when the runtime exists.
    Later,
    Now(&'static Runtime),
}

thread_local! {
    /// Set while this thread tells tools and books.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Ends the time in which a thread is busy.
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

/// Whether somebody wants to read records.
#[inline]
pub(crate) fn expected() -> bool {
    static EXPECTED: OnceLock<bool> = OnceLock::new();
    *EXPECTED.get_or_init(|| READERS.into_iter().any(asked))
}

#[inline]
fn hearing() -> Hearing {
    match process::known() {
        Some(runtime) if runtime.tap().listening() => Hearing::Now(runtime),
        None if expected() => {
            process::note_use();
            Hearing::Later
        }
        _ => Hearing::Nobody,
    }
}

/// One call of the program that somebody attends to.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tools: &'static [Tool],
    hearing: Hearing,
    _site: Option<CallSite>,
}

/// Runs the body of an exported function, if anybody attends. `otherwise` is the answer without a
/// tool; also in a forked child, where books and tools may be in the middle of something, and for
/// tools that call while they are called.
#[inline(always)]
pub(super) fn with<T>(function: &'static str, otherwise: T, body: impl FnOnce(&Call) -> T) -> T {
    if process::forked() {
        return otherwise;
    }
    let hearing = hearing();
    let Some(tools) = chain::tools() else {
        return otherwise;
    };
    if tools.is_empty() && matches!(hearing, Hearing::Nobody) {
        return otherwise;
    }
    if BUSY.replace(true) {
        return otherwise;
    }
    let _busy = Busy;
    // Not in a closure: the way back to the caller is known by the place of the code.
    let site = if matches!(hearing, Hearing::Now(_)) {
        Some(caller::note(function))
    } else {
        None
    };
    let call = Call {
        tools,
        hearing,
        _site: site,
    };
    // The books are changed in whole steps; what a panic leaves behind is consistent.
    catch_unwind(AssertUnwindSafe(|| body(&call))).unwrap_or(otherwise)
}

impl Call {
    /// Whether our own listener hears this.
    pub(super) fn heard(&self) -> bool {
        !matches!(self.hearing, Hearing::Nobody)
    }

    /// Changes the books and records what they note. No tool may be called meanwhile.
    pub(super) fn keep<T>(&self, act: impl FnOnce(&mut Books, &mut Notes) -> T) -> T {
        let mut desk = DESK.lock();
        let desk = desk.get_or_insert_with(Desk::new);
        let mut notes = Notes::new(self.heard());
        let answer = act(&mut desk.books, &mut notes);
        match self.hearing {
            Hearing::Now(runtime) => {
                for operation in desk.waiting.drain(..).chain(notes.operations) {
                    runtime.tap().emit(|| operation);
                }
            }
            Hearing::Later => {
                for operation in notes.operations {
                    let mark = is_mark(&operation);
                    let most = if mark { MAX_MARKS } else { MAX_WAITING };
                    if desk.waiting.len() < most {
                        desk.waiting.push(operation);
                    } else if !mark {
                        ledger::add(Count::Annotations, 1);
                    }
                }
            }
            Hearing::Nobody => {}
        }
        answer
    }

    /// Asks each tool in turn. No lock is held: a tool is somebody else's code.
    pub(super) fn ask(&self, mut ask: impl FnMut(Tool, usize) -> u64) -> Words {
        let asked = self.tools.iter().enumerate();
        asked.map(|(place, tool)| ask(*tool, place)).collect()
    }

    /// Tells each tool in turn, with what it calls something.
    pub(super) fn tell(
        &self,
        find: impl Fn(&Books, usize) -> u64,
        mut tell: impl FnMut(Tool, u64),
    ) {
        for (place, tool) in self.tools.iter().enumerate() {
            let word = look(|books| find(books, place));
            tell(*tool, word);
        }
    }
}

/// The process ends. Annotations that still wait for a runtime get one now: a program that only annotates is checked
/// too.
pub(crate) fn settle() {
    let waits = DESK
        .try_lock()
        .is_some_and(|desk| desk.as_ref().is_some_and(|desk| !desk.waiting.is_empty()));
    if !waits {
        return;
    }
    let Ok(runtime) = process::runtime() else {
        return;
    };
    let waiting = DESK
        .lock()
        .as_mut()
        .map(|desk| std::mem::take(&mut desk.waiting));
    for operation in waiting.unwrap_or_default() {
        runtime.tap().emit(|| operation);
    }
}

/// Looks something up in the books.
pub(super) fn look<T>(look: impl FnOnce(&Books) -> T) -> T {
    look(&DESK.lock().get_or_insert_with(Desk::new).books)
}
