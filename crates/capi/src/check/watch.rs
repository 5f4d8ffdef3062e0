//! The sink of the checking mode: judges records, prints findings, appends them to a file.
#![expect(unsafe_code, reason = "writes to stderr without a lock")]

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use millpond_check::{Finding, Severity, Watcher};
use millpond_trace::{Record, Sink};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::plain::Teller;
use super::settings::Settings;

/// The checker of a process.
#[derive(Debug)]
pub(super) struct Watch {
    watcher: Watcher,
    state: Mutex<State>,
    /// Whether somebody else tells how it was: `millpond check` reads the file.
    told_elsewhere: bool,
}

#[derive(Debug)]
struct State {
    teller: Teller,
    findings: Option<File>,
    /// How many findings of each severity there were: hints, warnings, errors.
    counts: [u64; 3],
}

impl Watch {
    pub(super) fn new(settings: &Settings) -> Self {
        let mut findings = settings.findings.as_deref().and_then(open);
        if let Some(file) = &mut findings {
            append(file, &begin());
        }
        if let Some(file) = &settings.suppressions {
            print(&format!(
                "millpond check: {} is not read: suppressions are not offered yet\n",
                file.display()
            ));
        }
        Self {
            watcher: Watcher::new(settings.options.clone()),
            told_elsewhere: findings.is_some(),
            state: Mutex::new(State {
                teller: Teller {
                    colour: settings.colour.on_stderr(),
                },
                findings,
                counts: [0; 3],
            }),
        }
    }

    /// Prints and writes what was found.
    fn tell(&self, found: &[Finding]) {
        if found.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        let state = &mut *state;
        for finding in found {
            state.counts[finding.severity() as usize] += 1;
            if let Some(file) = &mut state.findings {
                append(file, &json!({ "finding": state.teller.json(finding) }));
            }
            print(&state.teller.text(finding));
        }
        // Kept by nobody: they have been told.
        drop(self.watcher.take());
    }

    /// No more records count: says the rest, and how it was. The second time it does nothing.
    pub(super) fn end(&self) {
        let found = self.watcher.end();
        self.tell(&found);
        let mut state = self.state.lock();
        let counts = state.counts;
        let Some(mut file) = state.findings.take() else {
            if !self.told_elsewhere {
                print(&summary(counts, &self.watcher.times()));
            }
            return;
        };
        let statistics = self.watcher.statistics();
        append(&mut file, &json!({ "times": self.watcher.times() }));
        append(
            &mut file,
            &json!({ "end": {
                "records": statistics.records,
                "books_peak": statistics.books_peak,
                "forgotten": statistics.forgotten,
            } }),
        );
    }
}

impl Sink for Watch {
    fn record(&self, record: &Record) {
        self.state.lock().teller.learn(record);
        let found = self.watcher.read(record);
        self.tell(&found);
    }
}

/// What the process is, as the first line of its file.
fn begin() -> Value {
    let program = std::env::current_exe().unwrap_or_default();
    json!({ "begin": {
        "pid": std::process::id(),
        "program": program.to_string_lossy(),
        "version": env!("CARGO_PKG_VERSION"),
    } })
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
fn append(file: &mut File, line: &Value) {
    // What cannot be written is lost; it was printed.
    drop(file.write_all(format!("{line}\n").as_bytes()));
}

fn summary([hints, warnings, errors]: [u64; 3], times: &[u64]) -> String {
    let count = |count: u64, what: &str| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{count} {what}{ending}")
    };
    if hints + warnings + errors == 0 {
        return "millpond check: nothing found\n".to_owned();
    }
    let parts = [(errors, "error"), (warnings, "warning"), (hints, "hint")];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|&(number, _)| number > 0)
        .map(|(number, what)| count(number, what))
        .collect();
    let all: u64 = times.iter().sum();
    let repeated = if all > hints + warnings + errors {
        format!(", {} in all", count(all, "time"))
    } else {
        String::new()
    };
    format!("millpond check: {}{repeated}\n", parts.join(", "))
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
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {
            }
            // Nobody can be told.
            Err(_) => return,
        }
    }
}

const _: () = assert!(Severity::Hint as usize == 0 && Severity::Error as usize == 2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_in_words() {
        assert_eq!(summary([0; 3], &[]), "millpond check: nothing found\n");
        let text = summary([1, 0, 2], &[1, 4, 1]);
        assert_eq!(text, "millpond check: 2 errors, 1 hint, 6 times in all\n");
    }
}
