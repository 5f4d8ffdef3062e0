//! Judges a record file instead of a program: the same records give the same findings.

use std::path::Path;

use millpond_check::{Checker, Options};
use millpond_report::{Lost, LostKind, Report, ResolvedFinding, Symbols};
use millpond_trace::count;
use millpond_trace::file::{Loss, Losses, Reader};

use super::wrong;
use crate::program::Refusal;

/// How many damaged parts of a file are named with their offsets.
const MOST_DAMAGES: usize = 10;

/// Judges the records of a file.
pub(super) fn judge(
    file: &Path,
    rules: &[String],
    leaks: bool,
    report: &mut Report,
) -> Result<(), Refusal> {
    let mut reader = Reader::open(file).map_err(|error| {
        wrong(
            format!("{}: {error}", file.display()),
            "record files are written by millpond check --record FILE",
        )
    })?;
    if let Some(header) = reader.header()
        && !header.program.is_empty()
    {
        report.program = format!("{} ({})", report.program, header.program);
    }
    let mut checker = Checker::new(Options {
        rules: rules.to_vec(),
        leaks,
        ..Options::default()
    });
    let mut symbols = Symbols::from_records();
    let mut found = Vec::new();
    let mut damages = Vec::new();
    for record in &mut reader {
        let record = match record {
            Ok(record) => record,
            Err(loss) => {
                // The reader counts all of them.
                if damages.len() < MOST_DAMAGES {
                    damages.push(loss);
                }
                continue;
            }
        };
        symbols.learn(&record);
        checker.read(&record);
        found.extend(
            checker
                .drain()
                .iter()
                .map(|finding| ResolvedFinding::of(finding, &mut symbols)),
        );
    }
    // A killed program has no end to judge, neither here nor when it ran.
    if reader.end().is_some() {
        checker.end();
        found.extend(
            checker
                .drain()
                .iter()
                .map(|finding| ResolvedFinding::of(finding, &mut symbols)),
        );
    } else {
        report.lost.push(Lost::new(
            LostKind::RecordsUnclosed,
            "the record file was not closed: the program was killed, is still running or called _exit, so its last \
             records may be missing, and leaks were not checked",
        ));
    }
    for (finding, times) in found.iter_mut().zip(checker.times()) {
        finding.times = (*times).max(1);
    }
    for finding in found {
        report.add(finding);
    }
    let statistics = checker.statistics();
    report.records = statistics.records;
    report.peak_state_bytes = statistics.peak_state_bytes;
    report.dropped_facts = statistics.dropped_facts;
    if reader.end().is_some() {
        report.note_unfreed_blocks(statistics.unfreed_blocks);
    }
    report.lost.extend(losses(&damages, reader.losses()));
    if let Some(lost) = reader.end().map(|end| end.lost).filter(|lost| *lost > 0) {
        report.lost.push(Lost::new(
            LostKind::RecordsUnwritten,
            format!(
                "{} could not be written when the program ran, so findings may be missing or wrong",
                count(lost, "record")
            ),
        ));
    }
    Ok(())
}

/// What the file lacks: the first damaged parts with their offsets, and how many more there are.
fn losses(damages: &[Loss], all: Losses) -> Vec<Lost> {
    let damaged = |what: String| Lost::new(LostKind::RecordsDamaged, what);
    let mut lost: Vec<Lost> = damages
        .iter()
        .map(|loss| damaged(format!("{loss}; findings may be missing or wrong")))
        .collect();
    let more = all.times.saturating_sub(damages.len() as u64);
    if more > 0 {
        lost.push(damaged(format!(
            "{} of the file could not be read",
            count(more, "more part")
        )));
    }
    if all.unknown > 0 {
        lost.push(Lost::new(
            LostKind::RecordsNewer,
            format!(
                "{} of kinds that only newer versions of Millpond know could not be judged",
                count(all.unknown, "record")
            ),
        ));
    }
    lost
}
