//! A record file instead of a program: the same records, the same findings.

use std::path::Path;

use millpond_check::{Checker, Options};
use millpond_report::{Report, Symbols, Told};
use millpond_trace::file::{Losses, Reader};

use super::wrong;
use crate::program::Refusal;

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
    for record in &mut reader {
        // What is lost is counted by the reader.
        let Ok(record) = record else { continue };
        symbols.learn(&record);
        checker.read(&record);
        found.extend(
            checker
                .drain()
                .iter()
                .map(|one| Told::of(one, &mut symbols)),
        );
    }
    // A program that was killed has no end to be judged; nor had it when it ran.
    if reader.end().is_some() {
        checker.end();
        found.extend(
            checker
                .drain()
                .iter()
                .map(|one| Told::of(one, &mut symbols)),
        );
    } else {
        report.notes.push(
            "the file was not closed by its writer: the program was killed or still runs. \
             What it left behind was not looked for"
                .to_owned(),
        );
    }
    for (told, times) in found.iter_mut().zip(checker.times()) {
        told.times = (*times).max(1);
    }
    for told in found {
        report.add(told);
    }
    let statistics = checker.statistics();
    report.records = statistics.records;
    report.books_peak = statistics.books_peak;
    report.forgotten = statistics.forgotten;
    if reader.end().is_some() {
        report.note_unasked(statistics.unasked);
    }
    note_losses(reader.losses(), report);
    if let Some(lost) = reader.end().map(|end| end.lost).filter(|lost| *lost > 0) {
        report.notes.push(format!(
            "{lost} records could not be written when the program ran, so findings may be missing or wrong"
        ));
    }
    Ok(())
}

fn note_losses(losses: Losses, report: &mut Report) {
    if losses.times > 0 {
        report.notes.push(format!(
            "{} parts of the file ({} bytes) could not be read, with at least {} records, so \
             findings may be missing or wrong",
            losses.times, losses.bytes, losses.records
        ));
    }
    if losses.unknown > 0 {
        report.notes.push(format!(
            "{} records are of kinds that only newer versions know",
            losses.unknown
        ));
    }
}
