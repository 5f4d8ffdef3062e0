//! What the processes of a program said, and what of it was lost on the way.

use std::io::{self, BufRead, Read};

use millpond_report::{Entry, Line, Lost, LostKind, Report, Told};
use millpond_trace::count;

use super::channel::Heard;
use super::child::Ended;

/// A line that is longer is none of ours.
const LONGEST_LINE: u64 = 16 << 20;

/// Findings of one process that are kept; the others are counted.
const MOST_FINDINGS: usize = 20_000;

/// One process that had our library.
#[derive(Debug, Default)]
pub(super) struct Process {
    /// What its lines have in common.
    key: String,
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

    fn name(&self) -> String {
        match (self.pid, self.program.as_str()) {
            (0, "") => "an unknown process".to_owned(),
            (pid, "") => format!("process {pid}"),
            (pid, program) => format!("process {pid} ({program})"),
        }
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Finding(_) if self.findings.len() >= MOST_FINDINGS => self.beyond += 1,
            Line::Finding(told) => self.findings.push(*told),
            Line::Times(times) => {
                for (told, times) in self.findings.iter_mut().zip(times) {
                    told.times = times.max(1);
                }
            }
            Line::End {
                records,
                books_peak,
                forgotten,
                unasked,
            } => self.end = Some((records, books_peak, forgotten, unasked)),
            Line::Begin { .. } => {}
        }
    }
}

/// Reads all lines. Those of several processes may come in any order; each names its process.
pub(super) fn read(mut input: impl BufRead, processes: &mut Vec<Process>) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(());
        }
        let whole = bytes.pop_if(|last| *last == b'\n').is_some();
        if bytes.is_empty() {
            continue;
        }
        match Entry::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(Entry {
                process: key,
                line: Line::Begin { pid, program, .. },
            }) => processes.push(Process {
                key,
                pid,
                program,
                ..Process::default()
            }),
            Ok(Entry { process: key, line }) => of(processes, key).take(line),
            // Killed in the middle of a line: that one was never said.
            Err(_) if !whole => {}
            Err(_) => match processes.last_mut() {
                Some(process) => process.strange += 1,
                None => of(processes, String::new()).strange += 1,
            },
        }
    }
}

/// The process that a line belongs to: the latest that began under this name.
fn of(processes: &mut Vec<Process>, key: String) -> &mut Process {
    let known = processes.iter().rposition(|process| process.key == key);
    let index = known.unwrap_or_else(|| {
        processes.push(Process {
            key,
            ..Process::default()
        });
        processes.len() - 1
    });
    &mut processes[index]
}

/// Puts what was found into the report, and what was lost. A program that never uses the library is a loss unless
/// that is `allowed`.
pub(super) fn merge(heard: Heard, ended: Ended, allowed: bool, report: &mut Report) {
    report.lost.extend(losses(&heard, ended, allowed));
    let unused = heard.processes.is_empty() && heard.used == 0;
    report.nothing_checked = unused && report.records == 0;
    if unused && allowed {
        report.notes.push(never_used(&heard, ended));
    }
    if let Ended::Killed(_) = ended {
        report.notes.push(format!("the program was {ended}"));
    }
    for process in heard.processes {
        match process.end {
            Some((records, books_peak, forgotten, unasked)) => {
                report.note_unasked(unasked);
                report.records = report.records.saturating_add(records);
                report.books_peak = report.books_peak.max(books_peak);
                report.forgotten = report.forgotten.saturating_add(forgotten);
            }
            None => report.notes.push(format!(
                "{} did not exit cleanly, so leaks were not checked and repeats were not counted",
                process.name()
            )),
        }
        report.dropped = report.dropped.saturating_add(process.beyond);
        for told in process.findings {
            report.add(told);
        }
    }
    report.dropped = report.dropped.saturating_add(heard.beyond);
}

/// What a run of the program lost.
fn losses(heard: &Heard, ended: Ended, allowed: bool) -> Vec<Lost> {
    let mut lost = Vec::new();
    let mut add = |kind, what: String| lost.push(Lost::new(kind, what));
    if heard.processes.is_empty() && heard.used == 0 && !allowed {
        add(LostKind::Unused, never_used(heard, ended));
    }
    let began = heard.processes.iter().filter(|one| one.pid != 0).count() as u64;
    if heard.unwritten > 0 {
        let lines = count(heard.unwritten, "line");
        add(
            LostKind::FindingsUnwritten,
            format!(
                "{lines} for the report could not be written by a process of the program; its findings are on stderr"
            ),
        );
    } else if heard.used > began {
        let processes = count(heard.used - began, "process");
        add(
            LostKind::FindingsUnwritten,
            format!("{processes} could not hand over findings"),
        );
    }
    if let Some(error) = &heard.unreadable {
        add(
            LostKind::FindingsUnreadable,
            format!("the findings could not be read completely: {error}"),
        );
    }
    for process in heard.processes.iter().filter(|one| one.strange > 0) {
        let lines = count(process.strange, "line");
        add(
            LostKind::FindingsUnreadable,
            format!(
                "{lines} of findings could not be read near {}: is the library of another version?",
                process.name()
            ),
        );
    }
    if heard.faults > 0 {
        let faults = count(heard.faults, "fault");
        add(
            LostKind::FaultsUnreported,
            format!("{faults} of the program could not be reported in time"),
        );
    }
    if heard.annotations > 0 {
        let annotations = count(heard.annotations, "MSTX annotation of memory");
        add(
            LostKind::AnnotationsDropped,
            format!("{annotations} before the first AscendCL call were dropped"),
        );
    }
    if heard.unchecked > 0 {
        let processes = count(heard.unchecked, "process");
        add(
            LostKind::ProcessUnchecked,
            format!(
                "{processes} used the library without a checker, because the environment was emptied; keep the variables \
                 MILLPOND_CHECK*, or set MILLPOND_CHECK=0 where that is meant"
            ),
        );
    }
    if heard.records > 0 {
        add(
            LostKind::RecordsUnwritten,
            "the record file lacks records: not all of them could be written".to_owned(),
        );
    }
    lost
}

fn never_used(heard: &Heard, ended: Ended) -> String {
    let ended = match ended {
        Ended::Exited(0) => String::new(),
        ended => format!(" ({ended})"),
    };
    if heard.loaded > 0 {
        format!(
            "the program{ended} loaded Millpond's library and never used a device: is it the right program? \
             --allow-unused lets it pass"
        )
    } else {
        format!(
            "the program{ended} never used Millpond's library: is it the right program? Does it load \
             libascendcl.so by another path? --allow-unused lets it pass"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINDING: &str =
        "{\"finding\":{\"rule\":\"stream.race\",\"message\":\"m\",\"operations\":[]}}\n";

    fn heard(text: &str) -> Heard {
        let mut heard = Heard::default();
        read(text.as_bytes(), &mut heard.processes).unwrap();
        heard.used = heard.processes.len() as u64;
        heard
    }

    fn merged(heard: Heard, ended: Ended) -> Report {
        let mut report = Report::default();
        merge(heard, ended, false, &mut report);
        report
    }

    #[test]
    fn a_process_that_was_killed_has_said_what_it_found() {
        let cut = &FINDING[..20];
        let text = format!("{{\"begin\":{{\"pid\":7,\"program\":\"a\"}}}}\n{FINDING}{cut}");
        let found = heard(&text);
        assert_eq!(found.processes.len(), 1);
        assert_eq!(found.processes[0].findings.len(), 1);
        assert_eq!(found.processes[0].strange, 0);
        let report = merged(found, Ended::Killed(9));
        assert!(report.fails() && report.lost.is_empty());
        let notes = report.notes.join("\n");
        assert!(notes.contains("SIGKILL"), "{notes}");
        assert!(
            notes.contains("process 7 (a) did not exit cleanly"),
            "{notes}"
        );
    }

    #[test]
    fn times_belong_to_the_process_that_says_them() {
        let begin = "{\"begin\":{\"pid\":7}}\n";
        let end = "{\"times\":[4]}\n{\"end\":{\"records\":2,\"books_peak\":3,\"forgotten\":0}}\n";
        let text = format!("{begin}{FINDING}{end}{begin}{FINDING}{end}");
        let found = heard(&text);
        assert_eq!(found.processes.len(), 2);
        assert_eq!(found.processes[1].findings[0].times, 4);
        let report = merged(found, Ended::Exited(0));
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].times, 8);
        assert_eq!((report.records, report.books_peak), (4, 3));
        assert!(report.notes.is_empty() && report.lost.is_empty());
    }

    #[test]
    fn lines_of_several_processes_may_mix() {
        let line =
            |process: &str, rest: &str| format!("{{\"process\":\"{process}\",{}\n", &rest[1..]);
        let mut text = line("7.1", "{\"begin\":{\"pid\":7}}");
        text += &line("8.1", "{\"begin\":{\"pid\":8}}");
        text += &line("7.1", FINDING.trim());
        text += &line("8.1", "{\"end\":{\"records\":2}}");
        text += &line("7.1", "{\"times\":[5]}");
        let found = heard(&text);
        assert_eq!(found.processes.len(), 2);
        assert_eq!(found.processes[0].findings[0].times, 5);
        assert!(found.processes[0].end.is_none() && found.processes[1].end.is_some());
    }

    #[test]
    fn lines_that_are_not_understood_are_a_loss_and_the_rest_is_read() {
        let text = format!("{{\"begin\":{{\"pid\":7}}}}\n{{\"new\":1}}\nrubbish\n{FINDING}");
        let found = heard(&text);
        let one = &found.processes[0];
        assert_eq!((one.strange, one.findings.len()), (2, 1));
        let report = merged(found, Ended::Exited(0));
        assert_eq!(report.lost[0].kind, LostKind::FindingsUnreadable);
    }

    #[test]
    fn a_program_without_our_library_is_a_loss_unless_that_is_allowed() {
        let report = merged(Heard::default(), Ended::Exited(3));
        assert!(report.nothing_checked);
        assert_eq!(report.lost[0].kind, LostKind::Unused);
        assert!(report.lost[0].what.contains("(exit status 3) never used"));
        let mut report = Report::default();
        merge(Heard::default(), Ended::Exited(0), true, &mut report);
        assert!(report.nothing_checked && report.lost.is_empty());
        assert!(report.notes[0].contains("never used"));
    }

    #[test]
    fn every_count_of_the_processes_is_a_loss() {
        let begun = || heard("{\"begin\":{\"pid\":7}}\n");
        for (kind, set) in [
            (
                LostKind::FindingsUnwritten,
                (|heard: &mut Heard| heard.unwritten = 1) as fn(&mut Heard),
            ),
            (LostKind::FindingsUnwritten, |heard| heard.used = 2),
            (LostKind::FaultsUnreported, |heard| heard.faults = 1),
            (LostKind::AnnotationsDropped, |heard| heard.annotations = 1),
            (LostKind::RecordsUnwritten, |heard| heard.records = 1),
            (LostKind::ProcessUnchecked, |heard| heard.unchecked = 1),
            (LostKind::FindingsBeyond, |heard| heard.beyond = 1),
            (LostKind::FindingsUnreadable, |heard| {
                heard.unreadable = Some("full".to_owned());
            }),
        ] {
            let mut heard = begun();
            set(&mut heard);
            let lost = merged(heard, Ended::Exited(0)).losses();
            assert_eq!(lost.len(), 1, "{kind:?}");
            assert_eq!(lost[0].kind, kind);
        }
    }
}
