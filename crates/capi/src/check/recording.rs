//! `MILLPOND_RECORD`: writes every record to a file, which can be judged later.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use millpond::Runtime;
use millpond_report::Count;
use millpond_trace::file::{Header, Writer};

use super::ledger;
use super::settings::expand;
use super::watch::say;
use crate::environment;
use crate::own_file::OwnFile;

static WRITER: OnceLock<Arc<Writer>> = OnceLock::new();

/// Attaches the file, if the variable names one, and returns whether it does. If it cannot be written, a message goes to
/// stderr and the program continues.
pub(super) fn start(runtime: &Runtime) -> bool {
    let Some(path) = environment::text("MILLPOND_RECORD").filter(|path| !path.is_empty()) else {
        return false;
    };
    let path = expand(&path);
    match create(Path::new(&path)) {
        Ok(writer) => {
            let writer = WRITER.get_or_init(|| Arc::new(writer));
            runtime.tap().attach(Arc::clone(writer) as Arc<_>);
            true
        }
        Err(error) => {
            ledger::add(Count::Records, 1);
            say(&format!(
                "millpond: cannot write records to {path}: {error}; nothing is recorded"
            ));
            false
        }
    }
}

/// Creates the file, unknown to the program.
fn create(path: &Path) -> io::Result<Writer> {
    let file = Counted(OwnFile::new(Writer::open(path)?, path)?);
    let header = Header::of_this_process();
    match environment::text("MILLPOND_RECORD_SCOPE").as_deref() {
        None | Some("" | "all") => Writer::new(file, &header),
        Some("memory") => Writer::of_memory(file, &header),
        Some(other) => {
            say(&format!(
                "millpond: invalid MILLPOND_RECORD_SCOPE '{other}': expected all or memory; all is used"
            ));
            Writer::new(file, &header)
        }
    }
}

/// The file. Failed writes are counted immediately: the process may not exit cleanly.
#[derive(Debug)]
struct Counted(OwnFile);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes);
        if let Err(error) = &written
            && error.kind() != io::ErrorKind::Interrupted
        {
            ledger::add(Count::Records, 1);
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes buffered records.
pub(super) fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.flush();
    }
}

/// The process exits cleanly.
pub(super) fn end() {
    let Some(writer) = WRITER.get() else { return };
    writer.close();
    if let Some(problem) = writer.problem() {
        let lost = writer.lost();
        ledger::add(Count::Records, lost);
        let records = millpond_trace::count(lost, "record");
        say(&format!(
            "millpond: {records} could not be written to the file of MILLPOND_RECORD: {problem}"
        ));
    }
}
