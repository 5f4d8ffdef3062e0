//! Folders of profiles: finds them, and writes the trace and the tables.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use millpond_trace::file::Reader;

use crate::clock::Clock;
use crate::collect::Profile;
use crate::{tables, timeline};

/// The record file inside the folder of a profile.
const RECORDS: &str = "host/data/records.millpond";
/// Where the results go.
const OUTPUT: &str = "mindstudio_profiler_output";

/// What was exported.
#[derive(Debug)]
pub struct Exported {
    /// The folder with the results.
    pub output: PathBuf,
    /// What was found.
    pub profile: Profile,
    /// What is missing, in sentences.
    pub lost: Vec<String>,
}

/// Why a profile could not be exported.
#[derive(Debug)]
pub struct Failed {
    path: PathBuf,
    why: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for Failed {}

fn failed(path: &Path, why: impl fmt::Display) -> Failed {
    Failed {
        path: path.to_owned(),
        why: why.to_string(),
    }
}

/// The folders of profiles that a path names: itself, or those inside it.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, Failed> {
    if path.join(RECORDS).is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).map_err(|error| failed(path, error))?;
    let inside = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = inside.filter(|path| path.join(RECORDS).is_file()).collect();
    if found.is_empty() {
        return Err(failed(
            path,
            format!(
                "no profile of Millpond is here: neither {RECORDS} nor a folder PROF_* that has it"
            ),
        ));
    }
    found.sort();
    Ok(found)
}

/// Writes the trace and the tables of a profile beside its records. They appear all at once.
pub fn export(folder: &Path) -> Result<Exported, Failed> {
    let (profile, began, lost) = read(folder)?;
    let output = folder.join(OUTPUT);
    let next = folder.join(format!("{OUTPUT}.next"));
    let write = || -> io::Result<()> {
        remove(&next)?;
        fs::create_dir(&next)?;
        write_all(&profile, &next, began / 1_000_000)?;
        remove(&output)?;
        fs::rename(&next, &output)
    };
    write().map_err(|error| failed(&output, error))?;
    Ok(Exported {
        output,
        profile,
        lost,
    })
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write_all(profile: &Profile, folder: &Path, milliseconds: u64) -> io::Result<()> {
    let trace = File::create(folder.join(format!("msprof_{milliseconds}.json")))?;
    let mut trace = BufWriter::new(trace);
    serde_json::to_writer(&mut trace, &timeline(profile))?;
    io::Write::flush(&mut trace)?;
    for (name, columns, rows) in tables(profile) {
        let path = folder.join(format!("{name}_{milliseconds}.csv"));
        let mut table = csv::Writer::from_path(path)?;
        table.write_record(columns)?;
        for row in rows {
            table.write_record(row)?;
        }
        table.flush()?;
    }
    Ok(())
}

/// Reads the records of a profile, when it began, and what is missing of it.
fn read(folder: &Path) -> Result<(Profile, u64, Vec<String>), Failed> {
    let path = folder.join(RECORDS);
    let mut reader = Reader::open(&path).map_err(|error| failed(&path, error))?;
    let mut lost = Vec::new();
    let mut records = Vec::new();
    for item in reader.by_ref() {
        match item {
            Ok(record) => records.push(record),
            Err(loss) => lost.push(format!("a part of the records is lost: {loss}")),
        }
    }
    match reader.end() {
        Some(end) if end.lost > 0 => lost.push(format!(
            "{} could not be written",
            millpond_trace::count(end.lost, "record")
        )),
        Some(_) => {}
        None => lost.push(
            "the profile was not stopped: what happened last is missing (aclprofStop)".to_owned(),
        ),
    }
    let header = reader.header().cloned();
    if records.is_empty() {
        return Err(failed(
            &path,
            "it has no records: the profile was not stopped (aclprofStop), or the program was killed",
        ));
    }
    let process = header.map_or(0, |header| header.process);
    let began = start_info(folder)?;
    let profile = Profile::collect(process, &records, Clock::new(began.0, began.1));
    if profile.unfinished > 0 {
        lost.push(format!(
            "{} had not ended when the profile was stopped: synchronise before aclprofStop",
            millpond_trace::count(profile.unfinished, "task")
        ));
    }
    Ok((profile, began.1, lost))
}

/// When the profile began: by the raw clock, and since 1970, in nanoseconds.
fn start_info(folder: &Path) -> Result<(u64, u64), Failed> {
    let path = folder.join("host/start_info");
    let text = fs::read_to_string(&path).map_err(|error| failed(&path, error))?;
    let info: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| failed(&path, error))?;
    let field = |name: &str| info.get(name).and_then(|value| value.as_str());
    let raw = field("clockMonotonicRaw").and_then(|text| text.parse().ok());
    let wall = field("collectionTimeBegin").and_then(|text| {
        let (micro, nano) = text.split_once('.').unwrap_or((text, "0"));
        let (micro, nano): (u64, u64) = (micro.parse().ok()?, nano.parse().ok()?);
        micro.checked_mul(1000)?.checked_add(nano)
    });
    raw.zip(wall)
        .ok_or_else(|| failed(&path, "it does not say when the profile began"))
}
