//! The sink of the checking mode: it judges records, prints findings and appends them to a file.
#![expect(unsafe_code, reason = "writes to stderr without a lock")]

use std::collections::HashSet;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::time::SystemTime;

use millpond_check::{Finding, Statistics, Watcher, limits};
use millpond_report::{
    Count, Entry, FindingKey, Line, ProcessEnd, Report, ResolvedFinding, Style, Suppressions,
    Symbols, clean,
};
use millpond_trace::{Record, Sink};
use parking_lot::Mutex;

use super::settings::Settings;
use super::{ledger, pinned};
use crate::own_file::OwnFile;

/// The checker of a process.
#[derive(Debug)]
pub(super) struct Watch {
    watcher: Watcher,
    state: Mutex<State>,
    /// Whether the summary is printed: not if `millpond check` prints it.
    sums_up: bool,
    /// Whether the checker decides which pages of pinned memory are closed to the program.
    keeps_gate: bool,
}

#[derive(Debug)]
struct State {
    prints: bool,
    symbols: Symbols,
    style: Style,
    suppressions: Suppressions,
    findings: Option<Findings>,
    resolved: Vec<ResolvedFinding>,
    /// The keys of `resolved`: what was printed once is not printed again.
    known: HashSet<FindingKey>,
    dropped: u64,
}

impl Watch {
    /// `sums_up` requests a summary at the end, unless there is a findings file: then `millpond check` prints it.
    pub(super) fn new(settings: &Settings, sums_up: bool) -> Self {
        let findings = settings.findings.as_deref().and_then(Findings::begin);
        let suppressions = settings.suppressions.as_deref().map(Suppressions::read);
        let suppressions = suppressions.transpose().unwrap_or_else(|error| {
            say(&format!(
                "millpond check: suppressions are ignored: {error}"
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
                // Findings that cannot be written are printed.
                prints: settings.prints || (settings.findings.is_some() && findings.is_none()),
                symbols: Symbols::live(),
                style: Style::of_environment(settings.colour, terminal),
                suppressions: suppressions.unwrap_or_default().with_shipped(),
                findings,
                resolved: Vec::new(),
                known: HashSet::new(),
                dropped: 0,
            }),
        }
    }

    /// Prints and writes findings.
    fn publish(&self, found: &[Finding]) {
        if found.is_empty() {
            return;
        }
        // They are kept here, resolved. Do not keep them twice.
        drop(self.watcher.take());
        let mut state = self.state.lock();
        for finding in found {
            state.publish(finding);
        }
    }

    /// Ends the check: no more records count. Publishes the last findings and the summary. A second call does nothing.
    pub(super) fn end(&self) {
        if self.watcher.has_ended() {
            return;
        }
        let found = self.watcher.end();
        self.apply_changes();
        if self.keeps_gate {
            pinned::give_back();
        }
        self.publish(&found);
        let (times, statistics) = (self.watcher.times(), self.statistics());
        let mut state = self.state.lock();
        if let Some(mut findings) = state.findings.take() {
            findings.write(Line::Times(times.clone()));
            findings.write(Line::End(ProcessEnd {
                records: statistics.records,
                peak_state_bytes: statistics.peak_state_bytes,
                dropped_facts: statistics.dropped_facts,
                unfreed_blocks: statistics.unfreed_blocks,
            }));
        }
        drop(state);
        if self.sums_up {
            let mut report = self.report();
            report.note_unfreed_blocks(statistics.unfreed_blocks);
            print(&report.summary(&self.state.lock().style));
        }
    }

    /// Closes and opens the pages that the checker names.
    fn apply_changes(&self) {
        if self.keeps_gate {
            pinned::apply(&self.watcher.changes());
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = self.watcher.statistics();
        if self.keeps_gate {
            statistics.dropped_facts += pinned::lost();
        }
        statistics
    }

    /// All findings so far, with how often they happened.
    pub(super) fn report(&self) -> Report {
        let (times, statistics) = (self.watcher.times(), self.statistics());
        let mut report = self.state.lock().report(&times);
        report.records = statistics.records;
        report.peak_state_bytes = statistics.peak_state_bytes;
        report.dropped_facts = statistics.dropped_facts;
        report
    }
}

impl State {
    fn publish(&mut self, finding: &Finding) {
        if self.resolved.len() >= limits::FINDINGS {
            self.dropped += 1;
            ledger::add(Count::DroppedFindings, 1);
            return;
        }
        let resolved = ResolvedFinding::of(finding, &mut self.symbols);
        let suppressed = self.suppressions.hides(&resolved).is_some();
        // Suppressed ones too: the reader of the file applies suppressions itself.
        let line = || Line::Finding(Box::new(resolved.clone()));
        let written = self
            .findings
            .as_mut()
            .is_none_or(|findings| findings.write(line()));
        // Different return addresses can be the same lines, for example where a script calls twice on one line.
        let is_new = self.known.insert(resolved.key());
        if is_new && !suppressed && (self.prints || !written) {
            print(&resolved.text(&self.style));
        }
        self.resolved.push(resolved);
    }

    fn report(&self, times: &[u64]) -> Report {
        let mut report = Report::new(program(), self.suppressions.clone());
        for (resolved, &times) in self.resolved.iter().zip(times) {
            report.add(ResolvedFinding {
                times,
                ..resolved.clone()
            });
        }
        report.dropped_findings += self.dropped;
        report
    }
}

impl Sink for Watch {
    fn record(&self, record: &Record) {
        self.state.lock().symbols.learn(record);
        let found = self.watcher.read(record);
        self.apply_changes();
        self.publish(&found);
    }
}

/// The file of the program.
pub(super) fn program() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    program.to_string_lossy().into_owned()
}

/// The findings file.
#[derive(Debug)]
struct Findings {
    file: OwnFile,
    /// A text that is in all lines of this process and in no others.
    process: String,
    /// The last write was incomplete: the next one begins a new line.
    cut: bool,
    /// The first failed write was reported.
    complained: bool,
}

impl Findings {
    /// Opens the file and writes the first line. Prints an error to stderr if that fails.
    fn begin(path: &Path) -> Option<Self> {
        ledger::add(Count::Used, 1);
        let file = ledger::findings(path).map_or_else(|| OwnFile::append(path), Ok);
        let file = file.inspect_err(|error| missing(path, error)).ok()?;
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut findings = Self {
            file,
            // Process ids are reused, and are the same in several containers.
            process: format!(
                "{}.{}",
                std::process::id(),
                since.unwrap_or_default().as_nanos()
            ),
            cut: false,
            complained: false,
        };
        findings.write(Line::Begin {
            pid: std::process::id().into(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: program(),
        });
        Some(findings)
    }

    /// Appends one line with one call, so that lines of several processes do not mix. Returns whether it succeeded.
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
            if !std::mem::replace(&mut self.complained, true) {
                missing(self.file.path(), error);
            }
        }
        written.is_ok()
    }
}

fn missing(path: &Path, error: &io::Error) {
    say(&format!(
        "millpond check: cannot write findings to {}: {error}; they are only printed",
        path.display()
    ));
}

/// Writes a sentence to stderr, with control characters escaped.
pub(crate) fn say(sentence: &str) {
    print(&format!("{}\n", clean(sentence)));
}

/// Writes text to stderr unchanged. It does not take the standard library's lock: the program may hold that while it waits
/// for this thread.
pub(super) fn print(text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        // SAFETY: the bytes are readable for the length that is given.
        let written = unsafe { libc::write(libc::STDERR_FILENO, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(0) => return,
            Ok(written) => rest = &rest[written.min(rest.len())..],
            Err(_) if std::io::Error::last_os_error().kind() == ErrorKind::Interrupted => {}
            // There is nowhere left to report it.
            Err(_) => return,
        }
    }
}
