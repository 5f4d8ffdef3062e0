//! What the processes of a program left behind.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use millpond_report::{Line, Report, Told};

use super::child::Ended;

/// A line that is longer is none of ours.
const LONGEST_LINE: u64 = 16 << 20;

/// Findings of one process that are kept; the others are counted.
const MOST_FINDINGS: usize = 20_000;

/// One process that had our library.
#[derive(Debug, Default)]
pub(super) struct Process {
    pid: u64,
    program: String,
    findings: Vec<Told>,
    /// What was said at the end: records, the most bytes of books, what was given up, blocks that are left.
    end: Option<(u64, u64, u64, u64)>,
    /// Lines that could not be understood.
    strange: u64,
    /// Findings that are not kept.
    beyond: u64,
}

impl Process {
    /// What it found.
    pub(super) fn findings(&self) -> &[Told] {
        &self.findings
    }
}

/// Reads all files of the folder, in the order of their numbers.
pub(super) fn read(folder: &Path) -> Vec<Process> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "findings"))
        .collect();
    files.sort_by_key(|path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let number = stem.and_then(|stem| stem.parse::<u64>().ok());
        (number, path.clone())
    });
    let mut processes = Vec::new();
    for file in files {
        if let Ok(file) = File::open(file) {
            read_file(BufReader::new(file), &mut processes);
        }
    }
    processes
}

/// A file has several processes where one program started another in its place.
fn read_file(mut input: impl BufRead, processes: &mut Vec<Process>) {
    let first = processes.len();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes);
        if !matches!(read, Ok(length) if length > 0) {
            return;
        }
        let whole = bytes.pop_if(|last| *last == b'\n').is_some();
        let line = Line::parse(&String::from_utf8_lossy(&bytes));
        if let Ok(Line::Begin { pid, program, .. }) = line {
            processes.push(Process {
                pid,
                program,
                ..Process::default()
            });
            continue;
        }
        if processes.len() == first {
            processes.push(Process::default());
        }
        let Some(process) = processes.last_mut() else {
            return;
        };
        match line {
            Ok(Line::Finding(_)) if process.findings.len() >= MOST_FINDINGS => process.beyond += 1,
            Ok(Line::Finding(told)) => process.findings.push(*told),
            Ok(Line::Times(times)) => {
                for (told, times) in process.findings.iter_mut().zip(times) {
                    told.times = times.max(1);
                }
            }
            Ok(Line::End {
                records,
                books_peak,
                forgotten,
                unasked,
            }) => process.end = Some((records, books_peak, forgotten, unasked)),
            Ok(Line::Begin { .. }) => {}
            // Killed in the middle of a line: that one was never said.
            Err(_) if !whole => {}
            Err(_) => process.strange += 1,
        }
    }
}

/// Puts what was found into the report, and notes what could not be.
pub(super) fn merge(processes: Vec<Process>, ended: Ended, report: &mut Report) {
    report.nothing_checked = processes.is_empty() && report.records == 0;
    if processes.is_empty() {
        report.notes.push(
            "the program never used Millpond's library: is it the right program? \
             Does it load libascendcl.so by another path?"
                .to_owned(),
        );
    }
    if let Ended::Killed(_) = ended {
        report.notes.push(format!("the program was {ended}"));
    }
    for process in processes {
        let name = if process.program.is_empty() {
            format!("process {}", process.pid)
        } else {
            format!("process {} ({})", process.pid, process.program)
        };
        if process.strange > 0 {
            report.notes.push(format!(
                "{} lines of {name} were not understood: is the library of another version?",
                process.strange
            ));
        }
        match process.end {
            Some((records, books_peak, forgotten, unasked)) => {
                report.note_unasked(unasked);
                report.records = report.records.saturating_add(records);
                report.books_peak = report.books_peak.max(books_peak);
                report.forgotten = report.forgotten.saturating_add(forgotten);
            }
            None => report.notes.push(format!(
                "{name} did not come to its end in order, so what it left behind \
                 was not looked for, and repeats were not counted"
            )),
        }
        report.dropped = report.dropped.saturating_add(process.beyond);
        for told in process.findings {
            report.add(told);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINDING: &str =
        "{\"finding\":{\"rule\":\"stream.race\",\"message\":\"m\",\"operations\":[]}}\n";

    fn processes(text: &str) -> Vec<Process> {
        let mut processes = Vec::new();
        read_file(text.as_bytes(), &mut processes);
        processes
    }

    #[test]
    fn a_process_that_was_killed_has_said_what_it_found() {
        let cut = &FINDING[..20];
        let text = format!("{{\"begin\":{{\"pid\":7,\"program\":\"a\"}}}}\n{FINDING}{cut}");
        let found = processes(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].findings.len(), 1);
        assert_eq!(found[0].strange, 0);
        let mut report = Report::default();
        merge(found, Ended::Killed(9), &mut report);
        assert!(report.fails());
        let notes = report.notes.join("\n");
        assert!(notes.contains("SIGKILL"), "{notes}");
        assert!(
            notes.contains("process 7 (a) did not come to its end"),
            "{notes}"
        );
    }

    #[test]
    fn times_belong_to_the_process_that_says_them() {
        let begin = "{\"begin\":{\"pid\":7}}\n";
        let end = "{\"times\":[4]}\n{\"end\":{\"records\":2,\"books_peak\":3,\"forgotten\":0}}\n";
        let text = format!("{begin}{FINDING}{end}{begin}{FINDING}{end}");
        let found = processes(&text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].findings[0].times, 4);
        let mut report = Report::default();
        merge(found, Ended::Exited(0), &mut report);
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].times, 8);
        assert_eq!((report.records, report.books_peak), (4, 3));
        assert!(report.notes.is_empty());
    }

    #[test]
    fn lines_of_another_version_are_counted_and_the_rest_is_read() {
        let text = format!("{{\"begin\":{{\"pid\":7}}}}\n{{\"new\":1}}\nrubbish\n{FINDING}");
        let found = processes(&text);
        assert_eq!((found[0].strange, found[0].findings.len()), (2, 1));
    }

    #[test]
    fn a_program_without_our_library_is_told_plainly() {
        let mut report = Report::default();
        merge(Vec::new(), Ended::Exited(0), &mut report);
        assert!(report.nothing_checked && report.notes[0].contains("never used"));
    }
}
