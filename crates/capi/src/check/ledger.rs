//! What a checked process could not say, counted where `millpond check` sees it.
//!
//! The page of counts is mapped and the file of findings opened when the library is loaded, which for most programs is
//! before `main`: what the program does to itself later (another root folder, another user, other limits, no
//! environment, no descriptors) then changes nothing. A process that cannot reach the command gets no runtime: it
//! would run unchecked, and the check would pass.
#![expect(unsafe_code, reason = "registers a function with the loader")]

use std::panic::catch_unwind;
use std::path::Path;
use std::sync::OnceLock;

use millpond_report::{Count, Ledger};
use parking_lot::Mutex;

use crate::environment;
use crate::own_file::OwnFile;

/// The variable that names the page.
const SETTING: &str = "MILLPOND_CHECK_LEDGER";

/// The page, or why it cannot be reached; `None` if it was not asked for.
static LEDGER: OnceLock<Option<Result<Ledger, String>>> = OnceLock::new();
/// The file of findings, until the checker takes it.
static FINDINGS: Mutex<Option<OwnFile>> = Mutex::new(None);

/// Run when the library is loaded.
#[used]
// SAFETY: the loader calls the functions of this section once, with arguments that this one does not take.
#[unsafe(link_section = ".init_array")]
static AT_THE_BEGINNING: extern "C" fn() = begin;

extern "C" fn begin() {
    // Nothing can be told to the loader.
    drop(catch_unwind(|| {
        if std::env::var_os(SETTING).is_none_or(|value| value.is_empty()) {
            return;
        }
        environment::note();
        if let Some(Ok(ledger)) = ledger() {
            ledger.add(Count::Loaded, 1);
            if let Some(path) = environment::variable("MILLPOND_CHECK_FINDINGS") {
                *FINDINGS.lock() = OwnFile::append(Path::new(&path)).ok();
            }
        }
    }));
}

fn ledger() -> Option<&'static Result<Ledger, String>> {
    let open = || {
        let path = environment::variable(SETTING).filter(|path| !path.is_empty())?;
        let path = Path::new(&path);
        Some(Ledger::open(path).map_err(|error| {
            format!(
                "millpond check cannot be reached at {}: {error}; it has ended, or it is in another container or \
                 belongs to another user. This process would run unchecked",
                path.display()
            )
        }))
    };
    LEDGER.get_or_init(open).as_ref()
}

/// Why the command cannot be reached.
pub(super) fn unreachable() -> Option<&'static str> {
    match ledger() {
        Some(Err(why)) => Some(why),
        _ => None,
    }
}

/// Counts something. May be called in a signal handler once the process is checked.
pub(crate) fn add(count: Count, more: u64) {
    if more > 0
        && let Some(Ok(ledger)) = ledger()
    {
        ledger.add(count, more);
    }
}

/// The file of findings, if it was opened when the library was loaded.
pub(super) fn findings(path: &Path) -> Option<OwnFile> {
    FINDINGS.lock().take_if(|file| file.path() == path)
}
