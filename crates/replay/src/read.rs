//! Reads traces: lines `t_us,op,addr,size,stream`, plain or gzipped. Addresses are hexadecimal, with or
//! without `0x`; the other numbers are decimal.
//!
//! `a` and `f` are what the program did. `c` says when the recorded allocator could reuse a freed
//! block; one that does not follow its `f` at once was held for another stream. `S` and `s` are the
//! segments that allocator took from the device and gave back.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::trace::{Op, Trace};

const HEADER: &str = "t_us,op,addr,size,stream";

/// What a segment that was there before the recording is counted as.
const PAGE_SHIFT: u32 = 21;

/// All traces of a folder, in the order of their names.
pub fn folder(folder: &Path) -> Result<Vec<Trace>, String> {
    if folder.is_file() {
        return Err(format!(
            "{} is a file\nhint: give the folder that holds the traces",
            folder.display()
        ));
    }
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| name(path).is_some())
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!(
            "there are no traces in {}\nhint: traces are files *.csv.gz or *.csv",
            folder.display()
        ));
    }
    files.iter().map(|path| file(path)).collect()
}

/// What a trace is called: its file's name without the endings. `None` if it is no trace.
fn name(path: &Path) -> Option<String> {
    let file = path.file_name()?.to_str()?;
    let name = file.strip_suffix(".gz").unwrap_or(file);
    name.strip_suffix(".csv").map(str::to_owned)
}

pub fn file(path: &Path) -> Result<Trace, String> {
    let failed = |error: String| format!("{}: {error}", path.display());
    let mut text = String::new();
    let mut opened = File::open(path).map_err(|error| failed(error.to_string()))?;
    let read = if path.extension().is_some_and(|ending| ending == "gz") {
        MultiGzDecoder::new(opened).read_to_string(&mut text)
    } else {
        opened.read_to_string(&mut text)
    };
    read.map_err(|error| {
        failed(match error.kind() {
            ErrorKind::InvalidInput => {
                "this is not gzip\nhint: a trace that is not compressed is called *.csv".to_owned()
            }
            ErrorKind::InvalidData => {
                "this is not text\nhint: a compressed trace is called *.csv.gz".to_owned()
            }
            _ => error.to_string(),
        })
    })?;
    parse(&name(path).unwrap_or_default(), &text).map_err(failed)
}

/// Reads a trace from its text.
pub fn parse(name: &str, text: &str) -> Result<Trace, String> {
    let mut reader = Reader::default();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if line.is_empty() || (number == 0 && line == HEADER) {
            continue;
        }
        let failed = |error| format!("line {}: {error}: `{line}`", number + 1);
        let line = Line::parse(line).map_err(failed)?;
        // Without another stream's use, the recorder writes `c` right behind `f`.
        let reused_at_once = lines.peek().is_some_and(|(_, next)| {
            Line::parse(next).is_ok_and(|next| next.op == "c" && next.address == line.address)
        });
        reader.line(&line, reused_at_once).map_err(failed)?;
    }
    let trace = reader.finish(name);
    if trace.ops.is_empty() {
        return Err("there are no operations in it".to_owned());
    }
    Ok(trace)
}

struct Line<'text> {
    op: &'text str,
    address: u64,
    bytes: u64,
    stream: u32,
}

impl<'text> Line<'text> {
    fn parse(line: &'text str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(',').collect();
        let &[time, op, address, bytes, stream] = fields.as_slice() else {
            return Err(format!("{} fields where 5 belong", fields.len()));
        };
        time.parse::<u64>()
            .map_err(|_not_a_number| "the time is not a number")?;
        Ok(Self {
            op,
            address: u64::from_str_radix(address.strip_prefix("0x").unwrap_or(address), 16)
                .map_err(|_not_a_number| "the address is not a hexadecimal number")?,
            bytes: bytes
                .parse()
                .map_err(|_not_a_number| "the size is not a number")?,
            stream: stream
                .parse()
                .map_err(|_not_a_number| "the stream is not a number")?,
        })
    }
}

#[derive(Default)]
struct Reader {
    trace: Trace,
    live: HashMap<u64, u32>,
    held: HashMap<u64, u32>,
    segments: BTreeMap<u64, u64>,
    /// Pages of blocks that lie in no segment of the trace: in segments older than it.
    older: HashSet<u64>,
    reserved: u64,
    peak_reserved: u64,
    has_segments: bool,
}

impl Reader {
    fn line(&mut self, line: &Line<'_>, reused_at_once: bool) -> Result<(), String> {
        match line.op {
            "a" => self.alloc(line)?,
            "f" => self.free(line, reused_at_once),
            "c" => {
                if let Some(block) = self.held.remove(&line.address) {
                    self.trace.ops.push(Op::Settled { block });
                }
            }
            "S" => {
                self.has_segments = true;
                if self.segments.insert(line.address, line.bytes).is_some() {
                    return Err("a segment that is there already".to_owned());
                }
                self.reserved += line.bytes;
                self.note_reserved();
            }
            "s" => match self.segments.remove(&line.address) {
                Some(bytes) if bytes == line.bytes => self.reserved -= bytes,
                Some(bytes) => return Err(format!("the segment has {bytes} bytes")),
                // It is older than the trace, as are blocks that are freed without being known.
                None => {}
            },
            other => return Err(format!("there is no operation {other}")),
        }
        Ok(())
    }

    fn alloc(&mut self, line: &Line<'_>) -> Result<(), String> {
        if line.bytes == 0 {
            return Err("a block of no bytes".to_owned());
        }
        let block = u32::try_from(self.trace.blocks)
            .map_err(|_too_many| "more blocks than can be numbered")?;
        if self.live.insert(line.address, block).is_some() {
            return Err("the block at this address is still live".to_owned());
        }
        self.trace.blocks += 1;
        self.trace.ops.push(Op::Alloc {
            block,
            bytes: line.bytes,
            stream: line.stream,
        });
        self.note_pages(line);
        Ok(())
    }

    fn free(&mut self, line: &Line<'_>, reused_at_once: bool) {
        let Some(block) = self.live.remove(&line.address) else {
            self.trace.unknown_frees += 1;
            return;
        };
        let held = !reused_at_once;
        if held {
            self.held.insert(line.address, block);
        }
        self.trace.ops.push(Op::Free {
            block,
            stream: line.stream,
            held,
        });
    }

    fn note_pages(&mut self, line: &Line<'_>) {
        let last = line.address + (line.bytes - 1);
        let segment = self.segments.range(..=line.address).next_back();
        if segment.is_some_and(|(start, bytes)| last < start + bytes) {
            return;
        }
        self.older
            .extend(line.address >> PAGE_SHIFT..=last >> PAGE_SHIFT);
        self.note_reserved();
    }

    fn note_reserved(&mut self) {
        let older = (self.older.len() as u64) << PAGE_SHIFT;
        self.peak_reserved = self.peak_reserved.max(self.reserved + older);
    }

    fn finish(mut self, name: &str) -> Trace {
        name.clone_into(&mut self.trace.name);
        self.trace.recorded_reserved = self.has_segments.then_some(self.peak_reserved);
        // Without any `c` line there is nothing to be learnt about reuse.
        if !self
            .trace
            .ops
            .iter()
            .any(|op| matches!(op, Op::Settled { .. }))
        {
            for op in &mut self.trace.ops {
                if let Op::Free { held, .. } = op {
                    *held = false;
                }
            }
        }
        self.trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_becomes_calls() {
        let text = "t_us,op,addr,size,stream\n\
                    0,S,1000000,2097152,0\n\
                    1,a,1000000,700,0\n\
                    2,a,1000400,100,1\n\
                    3,f,1000000,700,0\n\
                    3,c,1000000,700,0\n\
                    4,f,1000400,100,1\n\
                    5,a,1000000,700,0\n\
                    6,c,1000400,100,1\n";
        let trace = parse("small", text).unwrap();
        let free = |block, stream, held| Op::Free {
            block,
            stream,
            held,
        };
        let alloc = |block, bytes, stream| Op::Alloc {
            block,
            bytes,
            stream,
        };
        let expected = [
            alloc(0, 700, 0),
            alloc(1, 100, 1),
            free(0, 0, false),
            free(1, 1, true),
            alloc(2, 700, 0),
            Op::Settled { block: 1 },
        ];
        assert_eq!(trace.ops, expected);
        assert_eq!((trace.blocks, trace.calls()), (3, 5));
        assert_eq!(trace.peak_live(), 800);
        assert_eq!(trace.recorded_reserved, Some(2 << 20));
        assert_eq!(trace.streams().len(), 2);
    }

    #[test]
    fn without_lines_of_reuse_no_block_is_held() {
        let trace = parse("plain", "0,a,0,512,0\n1,f,0,512,0\n").unwrap();
        assert!(matches!(trace.ops[1], Op::Free { held: false, .. }));
        assert_eq!(trace.recorded_reserved, None);
    }

    #[test]
    fn segments_older_than_the_trace_count_by_their_pages() {
        let text = "0,a,200000,512,0\n1,S,4000000,20971520,0\n2,a,1fff00,512,0\n";
        let trace = parse("late", text).unwrap();
        assert_eq!(trace.recorded_reserved, Some((20 << 20) + 2 * (2 << 20)));
    }

    #[test]
    fn frees_of_blocks_older_than_the_trace_are_counted_and_left_out() {
        let text = "0,f,0,512,0\n1,c,0,512,0\n2,a,0,512,0\n";
        let trace = parse("late", text).unwrap();
        assert_eq!((trace.ops.len(), trace.unknown_frees), (1, 1));
    }

    #[test]
    fn addresses_may_begin_with_0x() {
        let trace = parse("prefixed", "0,a,0x7f00,512,0\n1,f,7f00,512,0\n").unwrap();
        assert_eq!((trace.ops.len(), trace.unknown_frees), (2, 0));
    }

    #[test]
    fn a_trace_without_operations_is_refused() {
        for text in ["", "t_us,op,addr,size,stream\n", "0,f,0,512,0\n"] {
            let error = parse("empty", text).unwrap_err();
            assert!(error.contains("no operations"), "{error}");
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        let rows = [
            ("0,a,0,512", "4 fields"),
            ("x,a,0,512,0", "the time"),
            ("0,b,0,512,0", "no operation b"),
            ("0,a,xyz,512,0", "the address"),
            ("0,a,0,-1,0", "the size"),
            ("0,a,0,0,0", "no bytes"),
            ("0,a,0,512,", "the stream"),
            ("0,a,100,512,0", "still live"),
        ];
        for (line, expected) in rows {
            let error = parse("bad", &format!("0,a,100,512,0\n{line}\n")).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert!(error.starts_with("line 2: "), "{error}");
        }
    }
}
