//! Judges what the ranks of a job did together: the files of all of them, side by side.
//!
//! Each file has been read once. Here it is read a second time, as far as [`Job`] wants, and those that a finding names a third time, for
//! the names of their functions. So only parts of files are in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use millpond_check::ranks::{Job, RankFinding};
use millpond_report::{Report, ResolvedFinding, ResolvedOperation, Symbols};
use millpond_trace::file::Reader;

use super::from::Judged;
use super::wrong;
use crate::program::Refusal;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 14;

/// How many communicators with missing ranks are named.
const MOST_NAMED: usize = 3;

/// Judges the ranks of all files.
pub(super) fn judge(files: &[PathBuf], judged: Judged, report: &mut Report) -> Result<(), Refusal> {
    let Judged {
        roster,
        findings: own,
        lacks,
        ..
    } = judged;
    if !roster.has_ranks() {
        for finding in own {
            report.add(finding);
        }
        return Ok(());
    }
    for (name, missing, ranks) in roster.incomplete().into_iter().take(MOST_NAMED) {
        report.notes.push(format!(
            "{missing} of the {ranks} ranks of communicator {name} have no record file here, so only the others were compared"
        ));
    }
    let mut job = Job::new(roster, files.len());
    let readers: Result<Vec<_>, Refusal> = files.iter().map(|file| open(file)).collect();
    let mut readers = readers?;
    for (file, lacks) in lacks.iter().enumerate() {
        // Calls may be missing from it, and all later ones would be compared with others than their own.
        if *lacks {
            job.over(file, false);
        }
    }
    while let Some(file) = job.wants() {
        let reader = &mut readers[file];
        match reader.next() {
            Some(Ok(record)) => job.read(file, &record),
            Some(Err(_)) => job.over(file, false),
            None => job.over(file, reader.end().is_some()),
        }
    }
    drop(readers);
    let (found, statistics) = job.end();
    report.dropped_facts += statistics.dropped;
    let wanted = |found: &RankFinding| {
        let mut rules = report.rules.iter();
        rules.any(|rule| rule.id == found.finding.rule.id)
    };
    let found: Vec<RankFinding> = found.into_iter().filter(wanted).collect();
    let found = resolve(files, &found)?;
    // What one process reported is the same with less to see.
    let is_known = |own: &ResolvedFinding| {
        let name = |it: &ResolvedFinding| it.ranks.as_ref().map(|it| it.communicator.clone());
        found
            .iter()
            .any(|other| other.rule == own.rule && name(other) == name(own))
    };
    let own: Vec<ResolvedFinding> = own.into_iter().filter(|own| !is_known(own)).collect();
    for finding in found.into_iter().chain(own) {
        report.add(finding);
    }
    Ok(())
}

fn open(file: &Path) -> Result<Reader<BufReader<Pieces>>, Refusal> {
    let pieces = Pieces {
        file: file.to_owned(),
        at: 0,
    };
    Reader::new(BufReader::with_capacity(PIECE, pieces)).map_err(|error| {
        wrong(
            format!("{}: {error}", file.display()),
            "it was changed while it was read",
        )
    })
}

/// A file that is open only while it is read: a job may have more ranks than a process may have open files.
#[derive(Debug)]
struct Pieces {
    file: PathBuf,
    at: u64,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = File::open(&self.file)?;
        file.seek(SeekFrom::Start(self.at))?;
        let count = file.read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Looks up the names of findings, each operation in the file that it is from.
fn resolve(files: &[PathBuf], found: &[RankFinding]) -> Result<Vec<ResolvedFinding>, Refusal> {
    let mut nothing = Symbols::from_records();
    let mut resolved: Vec<ResolvedFinding> = found
        .iter()
        .map(|it| ResolvedFinding::of(&it.finding, &mut nothing))
        .collect();
    let mut wanted: BTreeMap<usize, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for (number, it) in found.iter().enumerate() {
        for (operation, file) in it.files.iter().enumerate() {
            wanted.entry(*file).or_default().insert((number, operation));
        }
    }
    for (file, operations) in wanted {
        let mut symbols = Symbols::from_records();
        for record in open(&files[file])?.flatten() {
            symbols.learn(&record);
        }
        for (number, operation) in operations {
            let reported = &found[number].finding.operations[operation];
            resolved[number].operations[operation] = ResolvedOperation::of(reported, &mut symbols);
        }
    }
    Ok(resolved)
}
