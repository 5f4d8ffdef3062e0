//! Judges record files instead of a program: the same records give the same findings.

use std::path::{Path, PathBuf};
use std::{fs, io};

use millpond_check::ranks::Roster;
use millpond_check::{Checker, Options};
use millpond_report::{Lost, LostKind, Report, ResolvedFinding, Symbols};
use millpond_trace::count;
use millpond_trace::file::{Loss, Losses, Reader};

use super::{cuda, job, wrong};
use crate::program::Refusal;

/// How many damaged parts of a file are named with their offsets.
const MOST_DAMAGES: usize = 10;

/// Judges the records of files: each one, and what their ranks did together.
pub(super) fn judge(
    paths: &[PathBuf],
    rules: &[String],
    leaks: bool,
    report: &mut Report,
) -> Result<(), Refusal> {
    let files = files(paths)?;
    let mut judged = Judged::default();
    for (index, file) in files.iter().enumerate() {
        let shown = (files.len() > 1).then_some(&**file);
        one(index, file, shown, rules, leaks, report, &mut judged)?;
    }
    report.note_unfreed_blocks(judged.unfreed);
    job::judge(&files, judged, report)
}

/// Judges the records of one process of a program that has just run.
pub(super) fn judge_process(
    file: &Path,
    rules: &[String],
    report: &mut Report,
) -> Result<(), Refusal> {
    let program = report.program.clone();
    let mut judged = Judged::default();
    let result = one(0, file, Some(file), rules, false, report, &mut judged);
    report.program = program;
    result
}

/// What the files have to say of ranks.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) roster: Roster,
    /// Findings of one process about several ranks.
    pub(super) findings: Vec<ResolvedFinding>,
    /// Blocks that programs did not free, and need not.
    unfreed: u64,
    /// Whether each file lacks records.
    pub(super) lacks: Vec<bool>,
}

/// The files, with those of folders.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Refusal> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |error: io::Error| {
            let hint = "record files are written by millpond check --record FILE";
            wrong(format!("{}: {error}", path.display()), hint)
        };
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            // Logs and reports may lie beside them.
            if Reader::open(&file).is_ok() {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(wrong(
                format!("{}: there is no record file in this folder", path.display()),
                "record files are written by millpond check --record FILE; %p in FILE becomes the process id",
            ));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// Judges the records of a file by themselves.
fn one(
    index: usize,
    file: &Path,
    shown: Option<&Path>,
    rules: &[String],
    leaks: bool,
    report: &mut Report,
    judged: &mut Judged,
) -> Result<(), Refusal> {
    let mut reader = Reader::open(file).map_err(|error| {
        wrong(
            format!("{}: {error}", file.display()),
            "record files are written by millpond check --record FILE",
        )
    })?;
    if reader.header().is_some_and(|header| header.memory_only) {
        return Err(wrong(
            format!(
                "{}: this recording has only records about memory, so it cannot be checked",
                file.display()
            ),
            "record files for checking are written by millpond check --record FILE",
        ));
    }
    let named = |what: String| match shown {
        Some(file) => format!("{}: {what}", file.display()),
        None => what,
    };
    if let Some(header) = reader.header()
        && !header.program.is_empty()
        && index == 0
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
    let mut is_cuda = false;
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
        is_cuda |= cuda::begins(&record.site.call);
        symbols.learn(&record);
        judged.roster.learn(index, &record);
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
            named(
                "the record file was not closed: the program was killed, is still running or called _exit, so its last \
                 records may be missing, and leaks were not checked"
                    .to_owned(),
            ),
        ));
    }
    for (finding, times) in found.iter_mut().zip(checker.times()) {
        finding.times = (*times).max(1);
    }
    for mut finding in found {
        if is_cuda {
            if !cuda::judges(&finding.rule) {
                continue;
            }
            cuda::speak(&mut finding);
        }
        if finding.ranks.is_some() {
            judged.findings.push(finding);
        } else {
            report.add(finding);
        }
    }
    let statistics = checker.statistics();
    report.records += statistics.records;
    report.peak_state_bytes = report.peak_state_bytes.max(statistics.peak_state_bytes);
    report.dropped_facts += statistics.dropped_facts;
    if reader.end().is_some() && !is_cuda {
        judged.unfreed += statistics.unfreed_blocks;
    }
    let lost = reader.end().map_or(0, |end| end.lost);
    let all = reader.losses();
    judged
        .lacks
        .push(lost > 0 || all.times > 0 || all.unknown > 0);
    let losses = losses(&damages, all).into_iter().map(|lost| Lost {
        what: named(lost.what),
        ..lost
    });
    report.lost.extend(losses);
    if lost > 0 {
        report.lost.push(Lost::new(
            LostKind::RecordsUnwritten,
            named(format!(
                "{} could not be written when the program ran, so findings may be missing or wrong",
                count(lost, "record")
            )),
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
