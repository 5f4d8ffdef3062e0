//! The sink of the checking mode: judges records, prints findings, appends them to a file.
#![expect(unsafe_code, reason = "writes to stderr without a lock")]

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use millpond_check::{Finding, Statistics, Watcher};
use millpond_report::{Line, Report, Style, Suppressions, Symbols, Told};
use millpond_trace::{Record, Sink};
use parking_lot::Mutex;

use super::pinned;
use super::settings::Settings;

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
    findings: Option<File>,
    told: Vec<Told>,
    dropped: u64,
}

impl Watch {
    /// `sums_up` asks for a summary at the end, unless `millpond check` reads the file of findings and tells that.
    pub(super) fn new(settings: &Settings, sums_up: bool) -> Self {
        let mut findings = settings.findings.as_deref().and_then(open);
        if let Some(file) = &mut findings {
            append(file, &begin());
        }
        let suppressions = settings.suppressions.as_deref().map(Suppressions::read);
        let suppressions = suppressions.transpose().unwrap_or_else(|error| {
            print(&format!(
                "millpond check: nothing is suppressed, because {error}\n"
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
                // What was to be written but cannot be is printed rather than lost.
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
        if let Some(mut file) = state.findings.take() {
            append(&mut file, &Line::Times(times.clone()));
            let end = Line::End {
                records: statistics.records,
                books_peak: statistics.books_peak,
                forgotten: statistics.forgotten,
                unasked: statistics.unasked,
            };
            append(&mut file, &end);
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
            return;
        }
        let told = Told::of(finding, &mut self.symbols);
        let hidden = self.suppressions.hides(&told).is_some();
        if let Some(file) = &mut self.findings {
            // Also what is hidden: who reads the file decides that again.
            append(file, &Line::Finding(Box::new(told.clone())));
        }
        // Other return addresses can be the same lines, as where a script calls from one line in two ways.
        let again = || self.told.iter().any(|one| one.is_the_same_as(&told));
        if !hidden && self.prints && !again() {
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

/// What the process is, as the first line of its file.
fn begin() -> Line {
    Line::Begin {
        pid: std::process::id().into(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: program(),
    }
}

fn open(path: &Path) -> Option<File> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.inspect_err(|error| {
        print(&format!(
            "millpond check: findings are not written, because {} cannot be opened: {error}\n",
            path.display()
        ));
    })
    .ok()
}

/// Appends one line with one call, so that lines of several processes do not mix.
fn append(file: &mut File, line: &Line) {
    // What cannot be written is lost; it was printed.
    drop(file.write_all(format!("{line}\n").as_bytes()));
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
