//! Writes a large recording to measure the page with: `large FORMAT SIZE OUT`.
//!
//! FORMAT is `mpt`, `csv` or `pickle`; SIZE a number of events, or of bytes if it ends in `B`. The recording is the same in every format: a
//! training with weights that stay, activations that grow and go, scratch memory of a second stream, a window of blocks that live long, and
//! a few that are never freed. A pickle is what PyTorch writes: protocol 4, a list of frames for every event, frames shared.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use millpond_trace::file::{Header, Writer};
use millpond_trace::{Bytes, Frame, Operation, Record, Sink, Site, Space};

/// Call stacks that allocate, and how deep they are: as `millpond record` cuts them, and as PyTorch writes them.
const STACKS: u32 = 300;
const RECORDED_DEPTH: u32 = 16;
const SNAPSHOT_DEPTH: u32 = 40;
const SEGMENT: u64 = 1 << 30;
/// Layers of a step, and blocks that live about this many allocations.
const LAYERS: u64 = 48;
const WINDOW: usize = 4_000;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let usage = || io::Error::other("usage: large mpt|csv|pickle EVENTS|BYTESB OUT");
    let [format, size, out] = words.as_slice() else {
        return Err(usage());
    };
    let (events, bytes) = match size.strip_suffix('B') {
        Some(bytes) => (u64::MAX, bytes.parse().map_err(|_| usage())?),
        None => (size.parse().map_err(|_| usage())?, u64::MAX),
    };
    let file = BufWriter::with_capacity(1 << 20, File::create(out)?);
    let mut out: Box<dyn Format> = match format.as_str() {
        "mpt" => Box::new(Records::new(file)?),
        "csv" => Box::new(Csv::new(file)?),
        "pickle" => Box::new(Pickle::new(file)?),
        _ => return Err(usage()),
    };
    let mut training = Training::default();
    while training.events < events && out.written() < bytes {
        training.step(out.as_mut())?;
    }
    out.end(&training)
}

/// One block.
#[derive(Clone, Copy, Debug)]
struct Block {
    number: u64,
    address: u64,
    bytes: u64,
    stream: u64,
    stack: u32,
}

/// Where a recording goes. Times are microseconds.
trait Format {
    fn segment(&mut self, time: u64, address: u64) -> io::Result<()>;
    fn mark(&mut self, time: u64, step: u64) -> io::Result<()>;
    fn alloc(&mut self, time: u64, block: Block) -> io::Result<()>;
    /// The block can be reused at once.
    fn free(&mut self, time: u64, block: Block) -> io::Result<()>;
    /// Bytes so far.
    fn written(&self) -> u64;
    fn end(self: Box<Self>, training: &Training) -> io::Result<()>;
}

/// What happens, and an allocator with a list of free blocks for each size.
#[derive(Debug, Default)]
struct Training {
    time: u64,
    steps: u64,
    /// Allocations, frees, and moments at which memory can be reused.
    events: u64,
    blocks: u64,
    random: u64,
    segments: Vec<u64>,
    used: u64,
    free: BTreeMap<u64, Vec<u64>>,
    live: BTreeMap<u64, Block>,
    window: VecDeque<Block>,
}

impl Training {
    fn step(&mut self, out: &mut dyn Format) -> io::Result<()> {
        out.mark(self.time, self.steps)?;
        if self.steps == 0 {
            for layer in 0..4 * LAYERS {
                self.alloc(out, (4 + layer % 4) << 20, 0, layer)?;
            }
        }
        let tokens = 48 + self.next() % 64;
        let mut kept = Vec::new();
        for layer in 0..LAYERS {
            let scratch = self.alloc(out, tokens * 9_000, layer % 2, 40 + layer)?;
            kept.push(self.alloc(out, tokens * 5_000, 0, 90 + layer)?);
            let small = 512 << (self.next() % 6);
            let cached = self.alloc(out, small, 0, 140 + layer)?;
            self.window.push_back(cached);
            kept.push(self.alloc(out, tokens * 12_000, 0, 190 + layer)?);
            self.free(out, scratch)?;
            if self.window.len() > WINDOW
                && let Some(oldest) = self.window.pop_front()
            {
                self.free(out, oldest)?;
            }
        }
        while let Some(block) = kept.pop() {
            let gradient = self.alloc(out, tokens * 3_000, 0, 240 + block.number % 50)?;
            self.free(out, block)?;
            self.free(out, gradient)?;
        }
        if self.steps.is_multiple_of(8) {
            self.alloc(out, 4_096, 0, 299)?;
        }
        self.steps += 1;
        self.time += 500;
        Ok(())
    }

    fn alloc(
        &mut self,
        out: &mut dyn Format,
        bytes: u64,
        stream: u64,
        who: u64,
    ) -> io::Result<Block> {
        let bytes = bytes.next_multiple_of(512);
        // In steps of 64 KiB, so that addresses are used again.
        let room = bytes.next_multiple_of(1 << 16);
        let free = self.free.get_mut(&room).and_then(Vec::pop);
        let address = match (free, self.segments.last()) {
            (Some(address), _) => address,
            (None, Some(&segment)) if self.used + room <= SEGMENT => {
                self.used += room;
                segment + self.used - room
            }
            (None, last) => {
                let segment = last.map_or(0x7F20_0000_0000, |last| last + 2 * SEGMENT);
                self.segments.push(segment);
                self.used = room;
                out.segment(self.time, segment)?;
                segment
            }
        };
        self.blocks += 1;
        self.events += 1;
        let block = Block {
            number: self.blocks,
            address,
            bytes,
            stream,
            stack: u32::try_from(who).unwrap_or(0) % STACKS,
        };
        self.time += self.next() % 7;
        self.live.insert(address, block);
        out.alloc(self.time, block)?;
        Ok(block)
    }

    fn free(&mut self, out: &mut dyn Format, block: Block) -> io::Result<()> {
        self.live.remove(&block.address);
        let room = block.bytes.next_multiple_of(1 << 16);
        self.free.entry(room).or_default().push(block.address);
        self.events += 2;
        self.time += self.next() % 5;
        out.free(self.time, block)
    }

    fn next(&mut self) -> u64 {
        // Knuth's linear generator; the upper bits are good enough.
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.random >> 40
    }
}

/// The frames of a stack, the innermost first: file, line, function. The outer ones are the same everywhere.
fn frames(stack: u32, depth: u32) -> impl Iterator<Item = (String, u32, String)> {
    (0..depth).map(move |level| match level {
        0 => (
            "/opt/env/lib/python3.11/site-packages/torch/nn/functional.py".to_owned(),
            1000 + stack,
            format!("operator_{}", stack % 40),
        ),
        1..10 => (
            format!("/home/me/llm/model/layer_{}.py", stack / 20),
            100 * level + stack % 20,
            format!("forward_{level}"),
        ),
        _ => (
            format!("/home/me/llm/train_{level}.py"),
            level,
            format!("level_{level}"),
        ),
    })
}

struct Csv<W: Write> {
    out: W,
    bytes: u64,
}

impl<W: Write> Csv<W> {
    fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "t_us,op,addr,size,stream")?;
        Ok(Self { out, bytes: 25 })
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        self.bytes += line.len() as u64;
        self.out.write_all(line.as_bytes())
    }
}

impl<W: Write> Format for Csv<W> {
    fn segment(&mut self, time: u64, address: u64) -> io::Result<()> {
        self.line(&format!("{time},S,{address:x},{SEGMENT},0\n"))
    }

    fn mark(&mut self, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn alloc(&mut self, time: u64, block: Block) -> io::Result<()> {
        let Block {
            address,
            bytes,
            stream,
            ..
        } = block;
        self.line(&format!("{time},a,{address:x},{bytes},{stream}\n"))
    }

    fn free(&mut self, time: u64, block: Block) -> io::Result<()> {
        let Block {
            address,
            bytes,
            stream,
            ..
        } = block;
        self.line(&format!(
            "{time},f,{address:x},{bytes},{stream}\n{time},c,{address:x},{bytes},{stream}\n"
        ))
    }

    fn written(&self) -> u64 {
        self.bytes
    }

    fn end(mut self: Box<Self>, _: &Training) -> io::Result<()> {
        self.out.flush()
    }
}

/// What `millpond record` writes for `torch_npu`: segments are blocks with a heap in them, tensors are regions.
struct Records {
    writer: Writer,
    order: u64,
}

impl Records {
    fn new(out: impl Write + Send + 'static) -> io::Result<Self> {
        let writer = Writer::of_memory(out, &Header::of_this_process())?;
        let mut records = Self { writer, order: 0 };
        for stack in 0..STACKS {
            let frames = frames(stack, RECORDED_DEPTH)
                .map(|(file, line, function)| Frame::Named {
                    function: function.into(),
                    file: file.into(),
                    line,
                })
                .collect();
            let seen = Operation::StackSeen {
                stack: stack + 1,
                frames,
            };
            records.record(0, "", 0, seen);
        }
        Ok(records)
    }

    fn record(&mut self, time: u64, call: &'static str, stack: u32, operation: Operation) {
        self.order += 1;
        self.writer.record(&Record {
            order: self.order,
            nanoseconds: time * 1_000,
            thread: 1,
            site: Site {
                call: call.into(),
                caller: 0x7F00_1234_5678,
                stack,
            },
            operation,
        });
    }
}

impl Format for Records {
    fn segment(&mut self, time: u64, address: u64) -> io::Result<()> {
        let range = Bytes {
            start: address,
            bytes: SEGMENT,
        };
        let number = address / SEGMENT;
        let block = Operation::Allocated {
            block: number,
            space: Space::Device(0),
            range,
            requested: SEGMENT,
            charged: SEGMENT,
            pool: None,
            ordered: None,
        };
        self.record(time, "aclrtMallocAlign32", 0, block);
        let heap = Operation::HeapRegistered {
            heap: number,
            domain: 1,
            device: 0,
            range,
        };
        self.record(time, "mstxMemHeapRegister", 0, heap);
        Ok(())
    }

    fn mark(&mut self, time: u64, step: u64) -> io::Result<()> {
        let mark = Operation::Marked {
            domain: 0,
            message: format!("step {step}"),
            stream: None,
        };
        self.record(time, "mstxMarkA", 0, mark);
        Ok(())
    }

    fn alloc(&mut self, time: u64, block: Block) -> io::Result<()> {
        let region = Operation::RegionRegistered {
            region: block.number,
            domain: 1,
            heap: Some(block.address / SEGMENT),
            device: 0,
            range: Bytes {
                start: block.address,
                bytes: block.bytes,
            },
        };
        self.record(time, "mstxMemRegionsRegister", block.stack + 1, region);
        Ok(())
    }

    fn free(&mut self, time: u64, block: Block) -> io::Result<()> {
        let region = Operation::RegionUnregistered {
            region: block.number,
        };
        self.record(time, "mstxMemRegionsUnregister", 0, region);
        Ok(())
    }

    /// Not known: the writer has it.
    fn written(&self) -> u64 {
        0
    }

    fn end(self: Box<Self>, _: &Training) -> io::Result<()> {
        self.writer.close();
        match self.writer.problem() {
            Some(problem) => Err(io::Error::other(format!("{problem:?}"))),
            None => Ok(()),
        }
    }
}

/// Writes instructions of a pickle, in frames of 64 KiB.
struct Pickle<W: Write> {
    out: W,
    frame: Vec<u8>,
    bytes: u64,
    /// Numbers in the memo.
    memo: u32,
    words: BTreeMap<String, u32>,
    frames: BTreeMap<(String, u32, String), u32>,
    stacks: BTreeMap<u32, Arc<[u32]>>,
    /// Events of the list that is open.
    listed: u32,
    marks: Vec<(u64, u64)>,
}

/// Microseconds since 1970 at time 0.
const EPOCH: u64 = 1_700_000_000_000_000;

impl<W: Write> Pickle<W> {
    fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&[0x80, 4])?;
        let mut pickle = Self {
            out,
            frame: Vec::new(),
            bytes: 2,
            memo: 0,
            words: BTreeMap::new(),
            frames: BTreeMap::new(),
            stacks: BTreeMap::new(),
            listed: 0,
            marks: Vec::new(),
        };
        pickle.begin(b'}');
        pickle.frame.push(b'(');
        pickle.word("device_traces");
        pickle.begin(b']');
        pickle.begin(b']');
        pickle.frame.push(b'(');
        Ok(pickle)
    }

    /// An empty list or dictionary, which the memo keeps as Python has it.
    fn begin(&mut self, instruction: u8) {
        self.frame.push(instruction);
        self.keep();
    }

    fn keep(&mut self) -> u32 {
        self.frame.push(0x94);
        self.memo += 1;
        self.memo - 1
    }

    fn again(&mut self, place: u32) {
        if let Ok(place) = u8::try_from(place) {
            self.frame.extend([b'h', place]);
        } else {
            self.frame.push(b'j');
            self.frame.extend(place.to_le_bytes());
        }
    }

    fn word(&mut self, word: &str) {
        if let Some(&place) = self.words.get(word) {
            return self.again(place);
        }
        self.frame.push(0x8c);
        self.frame.push(u8::try_from(word.len()).unwrap_or(u8::MAX));
        self.frame.extend(word.as_bytes());
        let place = self.keep();
        self.words.insert(word.to_owned(), place);
    }

    fn number(&mut self, number: u64) {
        if let Ok(small) = u8::try_from(number) {
            self.frame.extend([b'K', small]);
        } else if let Ok(small) = u16::try_from(number) {
            self.frame.push(b'M');
            self.frame.extend(small.to_le_bytes());
        } else if let Ok(small) = i32::try_from(number) {
            self.frame.push(b'J');
            self.frame.extend(small.to_le_bytes());
        } else {
            self.frame.extend([0x8a, 8]);
            self.frame.extend(number.to_le_bytes());
        }
    }

    fn pair(&mut self, key: &str, value: u64) {
        self.word(key);
        self.number(value);
    }

    /// A list of frames, each of them once in the file.
    fn stack(&mut self, stack: u32) {
        self.begin(b']');
        self.frame.push(b'(');
        if let Some(places) = self.stacks.get(&stack).cloned() {
            for place in places.iter() {
                self.again(*place);
            }
        } else {
            let places = frames(stack, SNAPSHOT_DEPTH).map(|frame| self.one(frame));
            let places: Vec<u32> = places.collect();
            self.stacks.insert(stack, places.into());
        }
        self.frame.push(b'e');
    }

    /// A frame, and its place in the memo.
    fn one(&mut self, frame: (String, u32, String)) -> u32 {
        if let Some(&place) = self.frames.get(&frame) {
            self.again(place);
            return place;
        }
        self.frame.push(b'}');
        let place = self.keep();
        self.frame.push(b'(');
        self.word("name");
        self.word(&frame.2);
        self.word("filename");
        self.word(&frame.0);
        self.pair("line", u64::from(frame.1));
        self.frame.push(b'u');
        self.frames.insert(frame, place);
        place
    }

    fn event(&mut self, action: &str, time: u64, block: Block) -> io::Result<()> {
        self.begin(b'}');
        self.frame.push(b'(');
        self.word("action");
        self.word(action);
        self.pair("addr", block.address);
        self.pair("size", block.bytes);
        self.pair("stream", block.stream);
        self.pair("time_us", EPOCH + time);
        self.word("frames");
        self.stack(block.stack);
        self.frame.push(b'u');
        // Python appends a thousand at a time.
        self.listed += 1;
        if self.listed.is_multiple_of(1000) {
            self.frame.extend([b'e', b'(']);
        }
        self.flush(1 << 16)
    }

    fn flush(&mut self, least: usize) -> io::Result<()> {
        if self.frame.len() < least {
            return Ok(());
        }
        self.out.write_all(&[0x95])?;
        self.out
            .write_all(&(self.frame.len() as u64).to_le_bytes())?;
        self.out.write_all(&self.frame)?;
        self.bytes += 9 + self.frame.len() as u64;
        self.frame.clear();
        Ok(())
    }
}

impl<W: Write> Format for Pickle<W> {
    fn segment(&mut self, time: u64, address: u64) -> io::Result<()> {
        let segment = Block {
            number: 0,
            address,
            bytes: SEGMENT,
            stream: 0,
            stack: 0,
        };
        self.event("segment_alloc", time, segment)
    }

    fn mark(&mut self, time: u64, step: u64) -> io::Result<()> {
        self.marks.push((time, step));
        Ok(())
    }

    fn alloc(&mut self, time: u64, block: Block) -> io::Result<()> {
        self.event("alloc", time, block)
    }

    fn free(&mut self, time: u64, block: Block) -> io::Result<()> {
        self.event("free_requested", time, block)?;
        self.event("free_completed", time, block)
    }

    fn written(&self) -> u64 {
        self.bytes
    }

    fn end(mut self: Box<Self>, training: &Training) -> io::Result<()> {
        // The events' list, and the list of devices around it.
        self.frame.extend([b'e', b'a']);
        self.word("segments");
        self.begin(b']');
        self.frame.push(b'(');
        for &segment in &training.segments {
            self.begin(b'}');
            self.frame.push(b'(');
            self.pair("device", 0);
            self.pair("address", segment);
            self.pair("total_size", SEGMENT);
            self.pair("stream", 0);
            self.word("blocks");
            self.begin(b']');
            self.frame.push(b'(');
            for (&address, block) in training.live.range(segment..segment + SEGMENT) {
                self.begin(b'}');
                self.frame.push(b'(');
                self.pair("address", address);
                self.pair("size", block.bytes);
                self.pair("requested_size", block.bytes);
                self.word("state");
                self.word("active_allocated");
                self.word("frames");
                self.stack(block.stack);
                self.frame.push(b'u');
                self.flush(1 << 16)?;
            }
            self.frame.extend([b'e', b'u']);
        }
        self.frame.push(b'e');
        self.word("external_annotations");
        self.begin(b']');
        self.frame.push(b'(');
        for (time, step) in std::mem::take(&mut self.marks) {
            self.begin(b'}');
            self.frame.push(b'(');
            self.pair("device", 0);
            self.pair("time_us", EPOCH + time);
            self.word("name");
            self.word(&format!("ProfilerStep#{step}"));
            self.word("stage");
            self.word("START");
            self.frame.push(b'u');
            self.flush(1 << 16)?;
        }
        self.frame.extend([b'e', b'u', b'.']);
        self.flush(0)?;
        self.out.flush()
    }
}
