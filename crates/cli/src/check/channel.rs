//! The way from the processes of a program to this command: what they found, and what they could not say.
//!
//! Three files in memory, without a name in any folder. Processes reach them as `/proc/PID/fd/N` of this process, by
//! variables that every process of the program inherits:
//!
//! - *findings*: each process appends lines of JSON, each of them naming its process;
//! - *ledger*: a page of counts that each process maps when the library is loaded (`millpond_report::Ledger`);
//! - *suppressions*: several files as one, where several were given.
//!
//! Why not a folder for temporary files: it may be full, which then looks like a program without findings; it has to be
//! removed, which a command that is killed cannot do; and it must not be removed while a process still writes. Why not
//! a descriptor that is inherited: many programs close those before they start others, or close all that they do not
//! know.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use millpond_report::{Ledger, memory_file};

use super::failed;
use super::findings::{self, Process};
use crate::program::Refusal;

/// What one run of the program is heard by.
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
                format!("the findings of the program could not be received: {error}"),
                "memfd_create has to work, and /proc has to be mounted: millpond doctor",
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
        // Processes of the program reach it this way or not at all.
        Ledger::open(Path::new(&place(&channel.ledger_file)))?;
        Ok(channel)
    }

    /// The file that findings are appended to.
    pub(super) fn findings(&self) -> OsString {
        place(&self.findings)
    }

    /// The page of counts.
    pub(super) fn ledger(&self) -> OsString {
        place(&self.ledger_file)
    }

    /// Several files as one.
    pub(super) fn joined(&mut self, files: &[PathBuf]) -> Result<OsString, Refusal> {
        let problem = |file: &Path, error: &io::Error| {
            failed(format!("{}: {error}", file.display()), "look at its rights")
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
        let place = place(&joined);
        self.suppressions = Some(joined);
        Ok(place)
    }

    /// What the processes have said until now.
    pub(super) fn read(&self) -> Heard {
        let mut heard = Heard::default();
        let mut file = &self.findings;
        let read = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| findings::read(BufReader::new(file), &mut heard.processes));
        heard.unreadable = read.err().map(|error| error.to_string());
        heard.count(&self.ledger);
        heard
    }
}

/// What was heard in one run.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) processes: Vec<Process>,
    /// Why the rest could not be read.
    pub(super) unreadable: Option<String>,
    /// The counts of all processes together.
    pub(super) loaded: u64,
    pub(super) used: u64,
    pub(super) unwritten: u64,
    pub(super) beyond: u64,
    pub(super) faults: u64,
    pub(super) annotations: u64,
    pub(super) records: u64,
    pub(super) unchecked: u64,
}

impl Heard {
    fn count(&mut self, ledger: &Ledger) {
        use millpond_report::Count;
        self.loaded = ledger.get(Count::Loaded);
        self.used = ledger.get(Count::Used);
        self.unwritten = ledger.get(Count::Unwritten);
        self.beyond = ledger.get(Count::Beyond);
        self.faults = ledger.get(Count::Faults);
        self.annotations = ledger.get(Count::Annotations);
        self.records = ledger.get(Count::Records);
        self.unchecked = ledger.get(Count::Unchecked);
    }
}

/// Where others find a file of this process.
fn place(file: &File) -> OsString {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into()
}
