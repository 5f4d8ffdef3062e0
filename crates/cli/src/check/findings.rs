//! Reads what the processes of a program reported, and notes what was lost.

use std::io::{self, BufRead, Read};

use millpond_check::limits;
use millpond_report::{Entry, Line, Lost, LostKind, ProcessEnd, Report, ResolvedFinding};
use millpond_trace::count;

use super::channel::Received;
use super::child::Ended;

/// Longer lines are not ours.
const LONGEST_LINE: u64 = 16 << 20;

/// One process that loaded our library.
#[derive(Debug, Default)]
pub(super) struct Process {
    /// The text by which its lines name it.
    key: String,
    pid: u64,
    program: String,
    findings: Vec<ResolvedFinding>,
    /// Its last line; none if it did not exit cleanly.
    end: Option<ProcessEnd>,
    /// Lines that could not be read.
    unreadable: u64,
    /// Findings beyond the limit.
    dropped: u64,
}

impl Process {
    /// Its findings.
    pub(super) fn findings(&self) -> &[ResolvedFinding] {
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
            Line::Finding(_) if self.findings.len() >= limits::FINDINGS => self.dropped += 1,
            Line::Finding(finding) => self.findings.push(*finding),
            Line::Times(times) => {
                for (finding, times) in self.findings.iter_mut().zip(times) {
                    finding.times = times.max(1);
                }
            }
            Line::End(end) => self.end = Some(end),
            Line::Begin { .. } => {}
        }
    }
}

/// Reads all lines. Lines of several processes may be interleaved; each names its process.
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
            // The process was killed in the middle of a write.
            Err(_) if !whole => {}
            Err(_) => match processes.last_mut() {
                Some(process) => process.unreadable += 1,
                None => of(processes, String::new()).unreadable += 1,
            },
        }
    }
}

/// The process that a line belongs to: the latest that began with this key.
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

/// Adds findings and losses to the report. A program that never uses the library is a loss, unless that is `allowed`.
pub(super) fn merge(received: Received, ended: Ended, allowed: bool, report: &mut Report) {
    report.lost.extend(losses(&received, ended, allowed));
    let unused = received.processes.is_empty() && received.used == 0;
    report.nothing_checked = unused && report.records == 0;
    if report.nothing_checked && allowed {
        report.notes.push(never_used(&received, ended));
    }
    if let Ended::Killed(_) = ended {
        report.notes.push(format!("the program was {ended}"));
    }
    for process in received.processes {
        match process.end {
            Some(end) => {
                report.note_unfreed_blocks(end.unfreed_blocks);
                report.records = report.records.saturating_add(end.records);
                report.peak_state_bytes = report.peak_state_bytes.max(end.peak_state_bytes);
                report.dropped_facts = report.dropped_facts.saturating_add(end.dropped_facts);
            }
            None => report.notes.push(format!(
                "{} did not exit cleanly, so leaks were not checked and repeats were not counted",
                process.name()
            )),
        }
        report.dropped_findings = report.dropped_findings.saturating_add(process.dropped);
        for finding in process.findings {
            report.add(finding);
        }
    }
    report.dropped_findings = report.dropped_findings.saturating_add(received.dropped);
}

/// What was lost in one run of the program.
fn losses(received: &Received, ended: Ended, allowed: bool) -> Vec<Lost> {
    let mut lost = Vec::new();
    let mut add = |kind, what: String| lost.push(Lost::new(kind, what));
    if received.processes.is_empty() && received.used == 0 && !allowed {
        add(LostKind::Unused, never_used(received, ended));
    }
    let began = received.processes.iter().filter(|one| one.pid != 0).count() as u64;
    if received.unwritten > 0 {
        let lines = count(received.unwritten, "line");
        add(
            LostKind::FindingsUnwritten,
            format!(
                "{lines} for the report could not be written by a process of the program; its findings are on stderr"
            ),
        );
    } else if received.used > began {
        let processes = count(received.used - began, "process");
        add(
            LostKind::FindingsUnwritten,
            format!("{processes} could not pass on findings"),
        );
    }
    if let Some(error) = &received.unreadable {
        add(
            LostKind::FindingsUnreadable,
            format!("the findings could not be read completely: {error}"),
        );
    }
    for process in received.processes.iter().filter(|one| one.unreadable > 0) {
        let lines = count(process.unreadable, "line");
        add(
            LostKind::FindingsUnreadable,
            format!(
                "{lines} of findings could not be read near {}: check that the library has the version of this command",
                process.name()
            ),
        );
    }
    if received.faults > 0 {
        let faults = count(received.faults, "fault");
        add(
            LostKind::FaultsUnreported,
            format!("{faults} of the program could not be reported in time"),
        );
    }
    if received.annotations > 0 {
        let annotations = count(received.annotations, "MSTX annotation of memory");
        add(
            LostKind::AnnotationsDropped,
            format!("{annotations} before the first AscendCL call were dropped"),
        );
    }
    if received.unchecked > 0 {
        let processes = count(received.unchecked, "process");
        add(
            LostKind::ProcessUnchecked,
            format!(
                "{processes} used the library without a checker, because the environment was cleared; pass the MILLPOND_CHECK* \
                 variables on, or set MILLPOND_CHECK=0 if that is intended"
            ),
        );
    }
    if received.records > 0 {
        add(
            LostKind::RecordsUnwritten,
            "the record file is incomplete: some records could not be written".to_owned(),
        );
    }
    lost
}

fn never_used(received: &Received, ended: Ended) -> String {
    let ended = match ended {
        Ended::Exited(0) => String::new(),
        ended => format!(" ({ended})"),
    };
    if received.loaded > 0 {
        format!(
            "the program{ended} loaded Millpond's library but never used a device; check that this is the right program, \
             or pass --allow-unused"
        )
    } else {
        format!(
            "the program{ended} never used Millpond's library; check that this is the right program and that it does not \
             load libascendcl.so by another path, or pass --allow-unused"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINDING: &str =
        "{\"finding\":{\"rule\":\"stream.race\",\"message\":\"m\",\"operations\":[]}}\n";

    fn received(text: &str) -> Received {
        let mut received = Received::default();
        read(text.as_bytes(), &mut received.processes).unwrap();
        received.used = received.processes.len() as u64;
        received
    }

    fn merged(received: Received, ended: Ended) -> Report {
        let mut report = Report::default();
        merge(received, ended, false, &mut report);
        report
    }

    #[test]
    fn the_findings_of_a_killed_process_are_kept() {
        let cut = &FINDING[..20];
        let text = format!("{{\"begin\":{{\"pid\":7,\"program\":\"a\"}}}}\n{FINDING}{cut}");
        let found = received(&text);
        assert_eq!(found.processes.len(), 1);
        assert_eq!(found.processes[0].findings.len(), 1);
        assert_eq!(found.processes[0].unreadable, 0);
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
    fn times_belong_to_the_process_that_wrote_them() {
        let begin = "{\"begin\":{\"pid\":7}}\n";
        let end = "{\"times\":[4]}\n{\"end\":{\"records\":2,\"peak_state_bytes\":3,\"dropped_facts\":0}}\n";
        let text = format!("{begin}{FINDING}{end}{begin}{FINDING}{end}");
        let found = received(&text);
        assert_eq!(found.processes.len(), 2);
        assert_eq!(found.processes[1].findings[0].times, 4);
        let report = merged(found, Ended::Exited(0));
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].times, 8);
        assert_eq!((report.records, report.peak_state_bytes), (4, 3));
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
        let found = received(&text);
        assert_eq!(found.processes.len(), 2);
        assert_eq!(found.processes[0].findings[0].times, 5);
        assert!(found.processes[0].end.is_none() && found.processes[1].end.is_some());
    }

    #[test]
    fn lines_that_cannot_be_read_are_a_loss_and_the_rest_is_read() {
        let text = format!("{{\"begin\":{{\"pid\":7}}}}\n{{\"new\":1}}\nrubbish\n{FINDING}");
        let found = received(&text);
        let one = &found.processes[0];
        assert_eq!((one.unreadable, one.findings.len()), (2, 1));
        let report = merged(found, Ended::Exited(0));
        assert_eq!(report.lost[0].kind, LostKind::FindingsUnreadable);
    }

    #[test]
    fn a_program_without_our_library_is_a_loss_unless_that_is_allowed() {
        let report = merged(Received::default(), Ended::Exited(3));
        assert!(report.nothing_checked);
        assert_eq!(report.lost[0].kind, LostKind::Unused);
        assert!(report.lost[0].what.contains("(exit status 3) never used"));
        let mut report = Report::default();
        merge(Received::default(), Ended::Exited(0), true, &mut report);
        assert!(report.nothing_checked && report.lost.is_empty());
        assert!(report.notes[0].contains("never used"));
    }

    #[test]
    fn every_count_of_the_processes_is_a_loss() {
        let begun = || received("{\"begin\":{\"pid\":7}}\n");
        for (kind, set) in [
            (
                LostKind::FindingsUnwritten,
                (|received: &mut Received| received.unwritten = 1) as fn(&mut Received),
            ),
            (LostKind::FindingsUnwritten, |received| received.used = 2),
            (LostKind::FaultsUnreported, |received| received.faults = 1),
            (LostKind::AnnotationsDropped, |received| {
                received.annotations = 1;
            }),
            (LostKind::RecordsUnwritten, |received| received.records = 1),
            (LostKind::ProcessUnchecked, |received| {
                received.unchecked = 1;
            }),
            (LostKind::FindingsDropped, |received| received.dropped = 1),
            (LostKind::FindingsUnreadable, |received| {
                received.unreadable = Some("full".to_owned());
            }),
        ] {
            let mut received = begun();
            set(&mut received);
            let lost = merged(received, Ended::Exited(0)).losses();
            assert_eq!(lost.len(), 1, "{kind:?}");
            assert_eq!(lost[0].kind, kind);
        }
    }
}
