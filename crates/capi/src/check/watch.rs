//! The sink of the checking mode: judges records, prints findings, appends them to a file.
#![expect(unsafe_code, reason = "writes to stderr without a lock")]

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::time::SystemTime;

use millpond_check::{Finding, Statistics, Watcher};
use millpond_report::{Count, Entry, Line, Report, Style, Suppressions, Symbols, Told, clean};
use millpond_trace::{Record, Sink};
use parking_lot::Mutex;

use super::settings::Settings;
use super::{ledger, pinned};
use crate::own_file::OwnFile;

/// As many findings are printed and kept for the summary; more help nobody.
const MOST: usize = 10_000;

/// The checker of a process.
#[derive(Debug)]
pub(super) struct Watch {
    watcher: Watcher,
    state: Mutex<State>,
    /// Whether the summary is printed: not if somebody else tells how it was.
    sums_up: bool,
    /// Whether it says which pages of pinned memory are closed to the program.
    keeps_gate: bool,
}

#[derive(Debug)]
struct State {
    prints: bool,
    symbols: Symbols,
    style: Style,
    suppressions: Suppressions,
    findings: Option<Findings>,
    told: Vec<Told>,
    dropped: u64,
}

impl Watch {
    /// `sums_up` asks for a summary at the end, unless `millpond check` reads the file of findings and tells that.
    pub(super) fn new(settings: &Settings, sums_up: bool) -> Self {
        let findings = settings.findings.as_deref().and_then(Findings::begin);
        let suppressions = settings.suppressions.as_deref().map(Suppressions::read);
        let suppressions = suppressions.transpose().unwrap_or_else(|error| {
            say(&format!(
                "millpond check: nothing is suppressed, because {error}"
            ));
            None
        });
        let terminal = std::io::stderr().is_terminal();
        let watcher = Watcher::new(settings.options.clone());
        let keeps_gate = settings.pinned && watcher.keep_gate(pinned::options()) && pinned::take();
        Self {
            watcher,
            keeps_gate,
            sums_up: sums_up && settings.prints && findings.is_none(),
            state: Mutex::new(State {
                // What was to be written but cannot be is printed.
                prints: settings.prints || (settings.findings.is_some() && findings.is_none()),
                symbols: Symbols::live(),
                style: Style::of_environment(settings.colour, terminal),
                suppressions: suppressions.unwrap_or_default().with_shipped(),
                findings,
                told: Vec::new(),
                dropped: 0,
            }),
        }
    }

    /// Prints and writes what was found.
    fn tell(&self, found: &[Finding]) {
        if found.is_empty() {
            return;
        }
        // Kept here, with names, and not there too.
        drop(self.watcher.take());
        let mut state = self.state.lock();
        for finding in found {
            state.tell(finding);
        }
    }

    /// No more records count: says the rest, and how it was. The second time it does nothing.
    pub(super) fn end(&self) {
        if self.watcher.has_ended() {
            return;
        }
        let found = self.watcher.end();
        self.apply_changes();
        if self.keeps_gate {
            pinned::give_back();
        }
        self.tell(&found);
        let (times, statistics) = (self.watcher.times(), self.statistics());
        let mut state = self.state.lock();
        if let Some(mut findings) = state.findings.take() {
            findings.write(Line::Times(times.clone()));
            findings.write(Line::End {
                records: statistics.records,
                books_peak: statistics.books_peak,
                forgotten: statistics.forgotten,
                unasked: statistics.unasked,
            });
        }
        drop(state);
        if self.sums_up {
            let mut report = self.report();
            report.note_unasked(statistics.unasked);
            print(&report.summary(&self.state.lock().style));
        }
    }

    /// Closes and opens what the checker says.
    fn apply_changes(&self) {
        if self.keeps_gate {
            pinned::apply(&self.watcher.changes());
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = self.watcher.statistics();
        if self.keeps_gate {
            statistics.forgotten += pinned::lost();
        }
        statistics
    }

    /// Everything that was found so far, with how often it happened.
    pub(super) fn report(&self) -> Report {
        let (times, statistics) = (self.watcher.times(), self.statistics());
        let mut report = self.state.lock().report(&times);
        report.records = statistics.records;
        report.books_peak = statistics.books_peak;
        report.forgotten = statistics.forgotten;
        report
    }
}

impl State {
    fn tell(&mut self, finding: &Finding) {
        if self.told.len() >= MOST {
            self.dropped += 1;
            ledger::add(Count::Beyond, 1);
            return;
        }
        let told = Told::of(finding, &mut self.symbols);
        let hidden = self.suppressions.hides(&told).is_some();
        // Also what is hidden: who reads the file decides that again.
        let line = || Line::Finding(Box::new(told.clone()));
        let written = self
            .findings
            .as_mut()
            .is_none_or(|findings| findings.write(line()));
        // Other return addresses can be the same lines, as where a script calls from one line in two ways.
        let again = || self.told.iter().any(|one| one.is_the_same_as(&told));
        if !hidden && (self.prints || !written) && !again() {
            print(&told.text(&self.style));
        }
        self.told.push(told);
    }

    fn report(&self, times: &[u64]) -> Report {
        let mut report = Report::new(program(), self.suppressions.clone());
        for (told, &times) in self.told.iter().zip(times) {
            report.add(Told {
                times,
                ..told.clone()
            });
        }
        report.dropped += self.dropped;
        report
    }
}

impl Sink for Watch {
    fn record(&self, record: &Record) {
        self.state.lock().symbols.learn(record);
        let found = self.watcher.read(record);
        self.apply_changes();
        self.tell(&found);
    }
}

/// The file of the program.
pub(super) fn program() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    program.to_string_lossy().into_owned()
}

/// The file of findings.
#[derive(Debug)]
struct Findings {
    file: OwnFile,
    /// What all lines of this process have in common and no other's have.
    process: String,
    /// A line was cut off: the next begins a new one.
    cut: bool,
    /// It was said that lines are missing.
    told: bool,
}

impl Findings {
    /// Opens the file and says what the process is. Why that is not possible is said on stderr.
    fn begin(path: &Path) -> Option<Self> {
        ledger::add(Count::Used, 1);
        let file = ledger::findings(path).map_or_else(|| OwnFile::append(path), Ok);
        let file = file.inspect_err(|error| missing(path, error)).ok()?;
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut findings = Self {
            file,
            // Numbers of processes come again, and are the same in several containers.
            process: format!(
                "{}.{}",
                std::process::id(),
                since.unwrap_or_default().as_nanos()
            ),
            cut: false,
            told: false,
        };
        findings.write(Line::Begin {
            pid: std::process::id().into(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: program(),
        });
        Some(findings)
    }

    /// Appends one line with one call, so that lines of several processes do not mix. Says whether it could.
    fn write(&mut self, line: Line) -> bool {
        let entry = Entry {
            process: self.process.clone(),
            line,
        };
        let start = if self.cut { "\n" } else { "" };
        let written = self.file.write_all(format!("{start}{entry}\n").as_bytes());
        self.cut = written.is_err();
        if let Err(error) = &written {
            ledger::add(Count::Unwritten, 1);
            if !std::mem::replace(&mut self.told, true) {
                missing(self.file.path(), error);
            }
        }
        written.is_ok()
    }
}

fn missing(path: &Path, error: &io::Error) {
    say(&format!(
        "millpond check: findings could not be written to {}: {error}; they are printed here only",
        path.display()
    ));
}

/// Writes a sentence to stderr, with nothing in it that a terminal would obey.
pub(super) fn say(sentence: &str) {
    print(&format!("{}\n", clean(sentence)));
}

/// Writes to stderr as it is. Not by way of the library's own lock: a program may hold that while it waits for
/// a thread that is here.
pub(super) fn print(text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        // SAFETY: the bytes are readable for the length that is given.
        let written = unsafe { libc::write(libc::STDERR_FILENO, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(0) => return,
            Ok(written) => rest = &rest[written.min(rest.len())..],
            Err(_) if std::io::Error::last_os_error().kind() == ErrorKind::Interrupted => {}
            // Nobody can be told.
            Err(_) => return,
        }
    }
}
