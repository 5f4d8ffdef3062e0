//! How the processes of a program report to this command.
//!
//! There are three files in memory, without a name in any folder. Processes open them as `/proc/PID/fd/N` of this
//! process; every process of the program inherits the variables with these paths:
//!
//! - *findings*: each process appends lines of JSON, and each line names its process;
//! - *ledger*: a page of counters that each process maps when it loads the library (`millpond_report::Ledger`);
//! - *suppressions*: several suppression files joined into one.
//!
//! Why not a temporary folder: it may be full, which looks like a program without findings; a killed command cannot
//! remove it; and it must not be removed while a process still writes. Why not an inherited descriptor: many programs
//! close all descriptors that they do not know, or do so before they start others.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use millpond_report::{Ledger, memory_file};

use super::failed;
use super::findings::{self, Process};
use crate::program::Refusal;

/// The files of one run.
#[derive(Debug)]
pub(super) struct Channel {
    findings: File,
    ledger: Ledger,
    ledger_file: File,
    suppressions: Option<File>,
}

impl Channel {
    pub(super) fn new() -> Result<Self, Refusal> {
        Self::make().map_err(|error| {
            failed(
                format!("cannot receive findings from the program: {error}"),
                "memfd_create must work and /proc must be mounted; run millpond doctor",
            )
        })
    }

    fn make() -> io::Result<Self> {
        let (ledger, ledger_file) = Ledger::create()?;
        let channel = Self {
            findings: memory_file()?,
            ledger,
            ledger_file,
            suppressions: None,
        };
        // The processes of the program open it the same way.
        Ledger::open(Path::new(&proc_path(&channel.ledger_file)))?;
        Ok(channel)
    }

    /// The file that findings are appended to.
    pub(super) fn findings(&self) -> OsString {
        proc_path(&self.findings)
    }

    /// The page of counters.
    pub(super) fn ledger(&self) -> OsString {
        proc_path(&self.ledger_file)
    }

    /// Joins several suppression files into one.
    pub(super) fn joined(&mut self, files: &[PathBuf]) -> Result<OsString, Refusal> {
        let problem = |file: &Path, error: &io::Error| {
            failed(
                format!("{}: {error}", file.display()),
                "check that the file is readable",
            )
        };
        let mut text = Vec::new();
        for file in files {
            text.extend(fs::read(file).map_err(|error| problem(file, &error))?);
            text.push(b'\n');
        }
        let joined = memory_file().and_then(|mut joined| {
            joined.write_all(&text)?;
            Ok(joined)
        });
        let joined = joined.map_err(|error| problem(Path::new("the suppressions"), &error))?;
        let path = proc_path(&joined);
        self.suppressions = Some(joined);
        Ok(path)
    }

    /// Reads what the processes have reported until now.
    pub(super) fn read(&self) -> Received {
        let mut received = Received::default();
        let mut file = &self.findings;
        let read = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| findings::read(BufReader::new(file), &mut received.processes));
        received.unreadable = read.err().map(|error| error.to_string());
        received.count(&self.ledger);
        received
    }
}

/// What the processes of one run reported.
#[derive(Debug, Default)]
pub(super) struct Received {
    pub(super) processes: Vec<Process>,
    /// Why reading failed, if it did.
    pub(super) unreadable: Option<String>,
    /// The counters, summed over all processes.
    pub(super) loaded: u64,
    pub(super) used: u64,
    pub(super) unwritten: u64,
    pub(super) dropped: u64,
    pub(super) faults: u64,
    pub(super) annotations: u64,
    pub(super) records: u64,
    pub(super) unchecked: u64,
}

impl Received {
    fn count(&mut self, ledger: &Ledger) {
        use millpond_report::Count;
        self.loaded = ledger.get(Count::Loaded);
        self.used = ledger.get(Count::Used);
        self.unwritten = ledger.get(Count::Unwritten);
        self.dropped = ledger.get(Count::DroppedFindings);
        self.faults = ledger.get(Count::Faults);
        self.annotations = ledger.get(Count::Annotations);
        self.records = ledger.get(Count::Records);
        self.unchecked = ledger.get(Count::Unchecked);
    }
}

/// The path by which other processes open a file of this process.
fn proc_path(file: &File) -> OsString {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into()
}
