//! Counts what a checked process could not report, where `millpond check` sees it.
//!
//! The page of counters is mapped and the findings file opened when the library is loaded, which for most programs
//! is before `main`. So what the program does to itself later (another root folder, user or limits, an empty
//! environment, closed descriptors) does not matter. A process that cannot reach the command gets no runtime: it
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

/// The page, or why it cannot be reached; `None` if the variable is not set.
static LEDGER: OnceLock<Option<Result<Ledger, String>>> = OnceLock::new();
/// The findings file, until the checker takes it.
static FINDINGS: Mutex<Option<OwnFile>> = Mutex::new(None);

/// Run when the library is loaded.
#[used]
// SAFETY: the loader calls the functions of this section once, with arguments that this one does not take.
#[unsafe(link_section = ".init_array")]
static AT_THE_BEGINNING: extern "C" fn() = begin;

extern "C" fn begin() {
    // An error cannot be reported to the loader.
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
                "cannot reach millpond check at {}: {error}; it has ended, runs in another container or belongs to \
                 another user. This process would run unchecked",
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

/// Counts a process that `millpond check` started, directly or not, and that runs unchecked because its environment was
/// cleared. Called once, when a process without the variables starts its runtime.
pub(super) fn count_if_unchecked() {
    // MILLPOND_CHECK=0 is intended.
    if environment::variable("MILLPOND_CHECK").is_none()
        && let Some(ledger) = ledger_of_an_ancestor()
    {
        ledger.add(Count::Unchecked, 1);
    }
}

/// The page of the command, if an ancestor of this process is the command.
fn ledger_of_an_ancestor() -> Option<Ledger> {
    /// More ancestors than any program has.
    const GENERATIONS: usize = 64;
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..GENERATIONS {
        let folder = Path::new("/proc").join(process.to_string());
        let status = std::fs::read_to_string(folder.join("status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::trim)
        };
        if field("Name:") == Some("millpond") {
            let files = std::fs::read_dir(folder.join("fd")).into_iter().flatten();
            let mut places = files.flatten().map(|file| file.path());
            return places.find_map(|place| {
                let target = std::fs::read_link(&place).ok()?;
                let ours = target
                    .to_string_lossy()
                    .starts_with("/memfd:millpond-check");
                ours.then(|| Ledger::open(&place).ok())?
            });
        }
        process = field("PPid:")?.parse().ok().filter(|parent| *parent > 1)?;
    }
    None
}

/// Adds to a counter. May be called in a signal handler once the process is checked.
pub(crate) fn add(count: Count, more: u64) {
    if more > 0
        && let Some(Ok(ledger)) = ledger()
    {
        ledger.add(count, more);
    }
}

/// The findings file, if it was opened when the library was loaded.
pub(super) fn findings(path: &Path) -> Option<OwnFile> {
    FINDINGS.lock().take_if(|file| file.path() == path)
}
