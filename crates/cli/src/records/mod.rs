//! `millpond records`: prints a record file as lines, or statistics of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use millpond_trace::file::{self, Losses, Reader};
use millpond_trace::{Record, clean, count};

use crate::say::say;

/// Arguments of `millpond records`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code: 0 if the file was read, 1 if a part of it is damaged (stderr says what was lost;
everything else is printed), 2 if it is not a record file.")]
pub(crate) struct Records {
    /// Print statistics instead: how many records of each kind, their size, what was lost
    #[arg(long)]
    stats: bool,

    /// The record file
    file: PathBuf,
}

impl Records {
    pub(crate) fn print(&self) -> ExitCode {
        let reader = match Reader::open(&self.file) {
            Ok(reader) => reader,
            Err(error) => {
                say!("millpond records: {}: {error}\n", self.file.display());
                return ExitCode::from(2);
            }
        };
        let mut out = BufWriter::new(io::stdout().lock());
        let printed = if self.stats {
            statistics(reader, &mut out)
        } else {
            lines(reader, &mut out)
        };
        match printed.and_then(|losses| out.flush().map(|()| losses)) {
            Ok(losses) if losses.times == 0 => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            // The reader closed the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => {
                say!("millpond records: {error}\n");
                ExitCode::FAILURE
            }
        }
    }
}

fn lines(mut reader: Reader<File>, out: &mut impl Write) -> io::Result<Losses> {
    for one in reader.by_ref() {
        match one {
            Ok(record) => line(&record, out)?,
            Err(loss) => {
                // Keeps the order if both go to a terminal.
                out.flush()?;
                say!("millpond records: {loss}\n");
            }
        }
    }
    Ok(reader.losses())
}

fn line(record: &Record, out: &mut impl Write) -> io::Result<()> {
    let site = &record.site;
    let mut parts = vec![record.to_string()];
    if !site.call.is_empty() {
        parts.push(format!("in {}", site.call));
    }
    if site.caller != 0 {
        parts.push(format!("from {:#x}", site.caller));
    }
    if site.stack != 0 {
        parts.push(format!("stack {}", site.stack));
    }
    // Texts of a program may contain anything; a record stays one line.
    writeln!(out, "{}", clean(&parts.join("  ")))
}

fn statistics(mut reader: Reader<File>, out: &mut impl Write) -> io::Result<Losses> {
    if let Some(header) = reader.header() {
        writeln!(out, "version    {}.{}", header.major, header.minor)?;
        writeln!(
            out,
            "process    {} {}",
            header.process,
            clean(&header.program)
        )?;
    }
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    let mut nanoseconds = 0;
    for one in reader.by_ref() {
        match one {
            Ok(record) => {
                *kinds.entry(file::name_of(&record.operation)).or_default() += 1;
                nanoseconds = record.nanoseconds;
            }
            Err(loss) => say!("millpond records: {loss}\n"),
        }
    }
    let (records, bytes) = (reader.records(), reader.bytes());
    writeln!(out, "records    {records}")?;
    let milliseconds = nanoseconds / 1_000_000;
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    writeln!(out, "until      {seconds}.{rest:03} s")?;
    let tenths = (bytes * 10).checked_div(records).unwrap_or(0);
    let (whole, tenth) = (tenths / 10, tenths % 10);
    writeln!(out, "bytes      {bytes}, {whole}.{tenth} a record")?;
    let closed = match reader.end() {
        Some(end) if end.lost > 0 => {
            format!("yes; {} could not be written", count(end.lost, "record"))
        }
        Some(_) => "yes".to_owned(),
        None => "no: the program was killed or is still running, or the end is lost".to_owned(),
    };
    writeln!(out, "closed     {closed}")?;
    let losses = reader.losses();
    match losses.times {
        0 => writeln!(out, "lost       nothing")?,
        times => writeln!(
            out,
            "lost       {}{}, {}, in {}",
            count(losses.records, "record"),
            if losses.uncounted > 0 { " or more" } else { "" },
            count(losses.bytes, "byte"),
            count(times, "place"),
        )?,
    }
    if losses.unknown > 0 {
        let unknown = count(losses.unknown, "record");
        writeln!(out, "skipped    {unknown} of newer versions")?;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    for (name, count) in kinds {
        writeln!(out, "{count:>10} {name}")?;
    }
    Ok(losses)
}
