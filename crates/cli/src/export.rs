//! `millpond export`: writes a recording in the format of another tool.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use millpond_recording::{ExportError, Notes, Options, Source, Target, export, open_watched};
use millpond_trace::{clean, count};

use crate::progress::{Progress, Shown};
use crate::say::say;

/// Arguments of `millpond export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
FILE is a recording of `millpond record`, a memory snapshot of PyTorch or torch_npu, an RMM log, or
CSV with the header t_us,op,addr,size,stream; any of the last three may be compressed with gzip.

Exit code: 0 if it was written, 1 if it could not be written, 2 if FILE is not a recording.")]
pub(crate) struct Export {
    /// The recording
    file: PathBuf,

    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    to: To,

    /// The file to write; - is stdout
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// The rank to write into Parquet, if the recording has none
    #[arg(long, value_name = "N")]
    rank: Option<u32>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum To {
    /// A PyTorch memory snapshot, for `memory_viz`
    Snapshot,
    /// Perfetto's protobuf
    Perfetto,
    /// Chrome's JSON of trace events
    Chrome,
    /// A table for SQL engines
    Parquet,
    /// `t_us,op,addr,size,stream`
    Csv,
}

impl Export {
    pub(crate) fn write(&self) -> ExitCode {
        let mut progress = Progress::new();
        let what = format!("reading {}:", self.file.display());
        let opened = open_watched(&self.file, &mut |part| progress.show(&what, part));
        let mut source = match opened {
            Ok(source) => source,
            Err(error) => {
                say!("millpond export: {}\n", clean(&error.to_string()));
                return ExitCode::from(2);
            }
        };
        let what = format!("writing {}", self.output.display());
        let written = self.export(&mut Shown::new(&mut *source, &mut progress, what));
        drop(progress);
        match written {
            Ok(()) => {}
            Err(ExportError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Err(ExportError::Output(error)) => {
                say!("millpond export: {}: {error}\n", self.output.display());
                return ExitCode::FAILURE;
            }
            Err(ExportError::Source(error)) => {
                say!("millpond export: {}\n", clean(&error.to_string()));
                return ExitCode::from(2);
            }
        }
        tell(source.notes());
        ExitCode::SUCCESS
    }

    fn export(&self, source: &mut dyn Source) -> Result<(), ExportError> {
        let target = match self.to {
            To::Snapshot => Target::Snapshot,
            To::Perfetto => Target::Perfetto,
            To::Chrome => Target::Chrome,
            To::Parquet => Target::Parquet,
            To::Csv => Target::Csv,
        };
        let options = Options { rank: self.rank };
        if self.output == Path::new("-") {
            let mut out = BufWriter::new(io::stdout());
            export(source, target, options, &mut out)?;
            return Ok(out.flush()?);
        }
        if same_file(&self.file, &self.output) {
            return Err(
                io::Error::other("this is the recording itself; nothing was written").into(),
            );
        }
        // A pipe or a device is written to. Renaming a file to its name would replace it: as root even /dev/null.
        if fs::metadata(&self.output).is_ok_and(|there| !there.is_file()) {
            let file = OpenOptions::new().write(true).open(&self.output)?;
            let mut out = BufWriter::new(file);
            export(source, target, options, &mut out)?;
            return Ok(out.flush()?);
        }
        // A half-written file never has the name that was asked for.
        let mut partial = self.output.clone().into_os_string();
        partial.push(".part");
        let partial = PathBuf::from(partial);
        let written = File::create(&partial)
            .map_err(ExportError::from)
            .and_then(|file| {
                let mut out = BufWriter::new(file);
                export(source, target, options, &mut out)?;
                Ok(out.flush()?)
            });
        let renamed = written.and_then(|()| Ok(fs::rename(&partial, &self.output)?));
        if renamed.is_err() {
            // What failed is reported; that the rest could not be removed as well is not news.
            fs::remove_file(&partial).unwrap_or_default();
        }
        renamed
    }
}

/// Whether both names lead to one file.
pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// What the reader mended or left out.
fn tell(notes: Notes) {
    for (number, what) in [
        (notes.lost, "damaged or missing in the file"),
        (
            notes.unknown,
            "of kinds that this version does not know, left out",
        ),
        (
            notes.unmatched,
            "left out: frees of blocks that were not alive",
        ),
        (
            notes.implied,
            "with an added free: a block began where another was alive",
        ),
        (
            notes.resized,
            "with the size of the allocation: the free had another",
        ),
        (
            notes.late,
            "with the time of the event before: its own was earlier",
        ),
    ] {
        if number > 0 {
            say!("millpond export: note: {} {what}\n", count(number, "event"));
        }
    }
}
