//! `millpond view`: shows recordings in a browser.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use millpond_recording::{Format, open_watched};
use millpond_trace::clean;
use millpond_trace::file::Reader;
use millpond_view::{Index, Server, findings, page_with_answers, read};

use crate::export::same_file;
use crate::progress::Progress;
use crate::say::say;

/// About how many bytes of answers a self-contained page has.
const ROOM: usize = 12 << 20;

/// Arguments of `millpond view`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A FILE is a recording of millpond record, a memory snapshot of PyTorch or torch_npu, a CSV trace or an RMM log.
With several files, each is a recording of the page, and the tab Compare shows what differs.

With --findings, the page marks what millpond check found: the report of
`millpond check --format json --record run.mpt -o report.json -- PROGRAM`, or of `millpond check --from run.mpt`.

The server listens on the loopback interface only. Ctrl-C ends it.

Exit code: 0 if the page was written or the server was ended, 2 if a file cannot be read.")]
pub(crate) struct View {
    /// Write one self-contained file instead of starting a server
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,

    /// Listen on this port; by default the system chooses one
    #[arg(long, default_value_t = 0, conflicts_with = "html")]
    port: u16,

    /// Mark the findings of this report of millpond check (JSON)
    #[arg(long, value_name = "REPORT")]
    findings: Option<PathBuf>,

    /// The recordings
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl View {
    /// Puts the findings of a report into the recordings. Records have numbers in one file only: with several, findings lie where their
    /// bytes do.
    fn mark(&self, runs: &mut [Index], report: &Path) -> Result<(), String> {
        let failed = |error: String| format!("{}: {}", shown(report), clean(&error));
        let text = fs::read(report).map_err(|error| failed(error.to_string()))?;
        let list = findings::read(&text).map_err(failed)?;
        let records: HashSet<u64> = list
            .iter()
            .flat_map(|finding| &finding.operations)
            .map(|operation| operation.record)
            .collect();
        let times = match &self.files[..] {
            [one] => times_of(one, &records)?,
            _ => HashMap::new(),
        };
        findings::place(runs, list, &|record| times.get(&record).copied());
        Ok(())
    }

    pub(crate) fn start(&self) -> ExitCode {
        match self.show() {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("millpond view: {message}\n");
                ExitCode::from(2)
            }
        }
    }

    fn show(&self) -> Result<(), String> {
        if let Some(out) = &self.html
            && self.files.iter().any(|file| same_file(file, out))
        {
            return Err(format!(
                "{}: the output file is one of the recordings; nothing was written",
                shown(out)
            ));
        }
        let mut runs: Vec<Index> = Vec::new();
        for file in &self.files {
            let mut progress = Progress::new();
            let opening = format!("reading {}:", shown(file));
            let mut source = open_watched(file, &mut |part| progress.show(&opening, part))
                .map_err(|error| told(&error))?;
            let arranging = format!("arranging {}:", shown(file));
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let read = read(&mut *source, &name, &mut |part| {
                progress.show(&arranging, part);
            });
            drop(progress);
            let devices = read.map_err(|error| told(&error))?;
            // Devices of one file have the same.
            for note in devices.first().iter().flat_map(|device| &device.notes) {
                say!("millpond view: {}: {}\n", shown(file), clean(note));
            }
            runs.extend(devices);
        }
        if runs.iter().all(|run| run.blocks.is_empty()) {
            return Err(
                "the recording has no allocations\nhint: a snapshot of PyTorch has them only after \
                 torch.cuda.memory._record_memory_history()"
                    .to_owned(),
            );
        }
        if let Some(report) = &self.findings {
            self.mark(&mut runs, report)?;
        }
        match &self.html {
            Some(out) => {
                let mut progress = Progress::new();
                let what = format!("writing {}:", shown(out));
                let page = page_with_answers(&runs, ROOM, &mut |part| progress.show(&what, part));
                drop(progress);
                fs::write(out, page).map_err(|error| format!("{}: {error}", shown(out)))?;
                say!("millpond view: wrote {}\n", shown(out));
                Ok(())
            }
            None => serve(runs, self.port),
        }
    }
}

/// The name of a file, as a terminal may have it.
fn shown(file: &Path) -> String {
    clean(&file.to_string_lossy()).into_owned()
}

/// An error, which may quote names and texts of a file.
fn told(error: &dyn Display) -> String {
    clean(&error.to_string()).into_owned()
}

/// When records of a record file were made, in the time of its recording; nothing for other files.
fn times_of(file: &Path, records: &HashSet<u64>) -> Result<HashMap<u64, u64>, String> {
    let failed = |error: &dyn Display| format!("{}: {}", shown(file), told(error));
    let mut progress = Progress::new();
    let what = format!(
        "looking for the records of the findings in {}:",
        shown(file)
    );
    let source =
        open_watched(file, &mut |part| progress.show(&what, part)).map_err(|error| told(&error))?;
    let mut times = HashMap::new();
    if source.about().format != Format::Millpond {
        return Ok(times);
    }
    let input = File::open(file).map_err(|error| failed(&error))?;
    let reader = Reader::new(BufReader::new(input)).map_err(|error| failed(&error))?;
    // A recording's time begins with its first event, a file's with its header.
    let started = reader.header().map(|header| header.started);
    let began = source.about().began_unix_ns.zip(started);
    let base = began.map_or(0, |(began, started)| began.saturating_sub(started));
    for record in reader.flatten() {
        if records.contains(&record.order) {
            times.insert(record.order, record.nanoseconds.saturating_sub(base));
        }
    }
    Ok(times)
}

fn serve(runs: Vec<Index>, port: u16) -> Result<(), String> {
    let server = Server::bind(runs, port).map_err(|error| {
        format!("cannot listen on port {port} of the loopback interface: {error}")
    })?;
    let address = server.address().map_err(|error| error.to_string())?;
    // The address is the result of the command; scripts read it.
    println!("{address}");
    say!("Open this address in a browser. Ctrl-C ends the server.\n");
    server.serve().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use millpond_trace::file::{Header, Writer};
    use millpond_trace::{Bytes, Operation, Record, Sink as _, Site, Space};

    use super::*;

    #[test]
    fn records_of_findings_have_the_times_of_the_recording() {
        let folder = std::env::temp_dir().join(format!("millpond-view-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("run.mpt");
        let writer =
            Writer::of_memory(File::create(&file).unwrap(), &Header::of_this_process()).unwrap();
        let range = Bytes {
            start: 0x1000,
            bytes: 64,
        };
        let allocated = Operation::Allocated {
            block: 1,
            space: Space::Device(0),
            range,
            requested: 64,
            charged: 64,
            pool: None,
            ordered: None,
        };
        let freed = Operation::Freed {
            block: 1,
            range,
            retired: false,
            ordered: None,
        };
        for (order, nanoseconds, operation) in [(1, 7_000, allocated), (2, 9_500, freed)] {
            writer.record(&Record {
                order,
                nanoseconds,
                thread: 1,
                site: Site::default(),
                operation,
            });
        }
        writer.close();
        let wanted = HashSet::from([1, 2, 77]);
        let times = times_of(&file, &wanted).unwrap();
        let mut source = millpond_recording::open(&file).unwrap();
        let runs = read(&mut *source, "it", &mut |_| ()).unwrap();
        let block = runs[0].blocks[0];
        assert_eq!(times, HashMap::from([(1, block.start), (2, block.end)]));
        assert_eq!(block.end - block.start, 2_500);
        // Other files have no records.
        let csv = folder.join("run.csv");
        fs::write(&csv, "t_us,op,addr,size,stream\n0,a,0,8,0\n").unwrap();
        assert_eq!(times_of(&csv, &wanted).unwrap(), HashMap::new());
        assert!(times_of(&folder.join("none"), &wanted).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
