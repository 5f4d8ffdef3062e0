//! Graphs: a captured program does what it would have done, as often as it is launched.
//!
//! Random programs are run three ways: by a model in plain vectors, on the streams, and captured and launched several times with other
//! inputs. They have no races by construction: each block belongs to one stream at a time, and is handed to another by an event.
#![expect(
    unsafe_code,
    reason = "native work gets addresses, and reads and writes there"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test stops at the first surprise, also in what its tests share"
)]

#[path = "common/mod.rs"]
mod common;

use std::sync::{Arc, Mutex};

use common::{
    LONG, bytes_of, config, fill, flag, gate, is_set, open_under_every_schedule, value_of, within,
};
use millpond::trace::Collector;
use millpond::{
    CaptureStatus, Device, DeviceBlock, Error, Event, EventKind, Graph, HostBlock, Runtime,
    Schedule, Slice, Stream, Touch,
};
use proptest::prelude::*;

const STREAMS: usize = 3;
/// One is larger than what a stream runs inside a call.
const SIZES: [usize; 4] = [64, 200, 1000, 40_000];
const BLOCKS: usize = SIZES.len() + 1;
const PINNED: usize = BLOCKS - 1;
const PINNED_SIZE: usize = 300;

/// One step of a program. Numbers pick blocks, streams and places, modulo what there is.
#[derive(Debug, Clone, Copy)]
enum Step {
    Fill {
        block: u8,
        from: u16,
        value: u8,
    },
    Copy {
        to: u8,
        from: u8,
        at: u16,
    },
    /// Every byte becomes three times itself, plus one of another block.
    Mix {
        to: u8,
        from: u8,
        small: bool,
    },
    /// Notes the first byte of a block.
    Look {
        block: u8,
        small: bool,
    },
    /// A function of the host notes its number.
    Function {
        block: u8,
        number: u8,
    },
    HandOver {
        block: u8,
        stream: u8,
        event: u8,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let n = any::<u8>;
    prop_oneof![
        3 => (n(), any::<u16>(), n())
            .prop_map(|(block, from, value)| Step::Fill { block, from, value }),
        4 => (n(), n(), any::<u16>()).prop_map(|(to, from, at)| Step::Copy { to, from, at }),
        5 => (n(), n(), any::<bool>()).prop_map(|(to, from, small)| Step::Mix { to, from, small }),
        2 => (n(), any::<bool>()).prop_map(|(block, small)| Step::Look { block, small }),
        1 => (n(), n()).prop_map(|(block, number)| Step::Function { block, number }),
        4 => (n(), n(), n())
            .prop_map(|(block, stream, event)| Step::HandOver { block, stream, event }),
    ]
}

/// A launch, and what is written before it.
#[derive(Debug, Clone, Copy)]
struct Launch {
    stream: u8,
    block: u8,
    from: u16,
    value: u8,
    waits: bool,
}

fn launch() -> impl Strategy<Value = Launch> {
    let n = any::<u8>;
    let parts = (n(), n(), any::<u16>(), n(), any::<bool>());
    parts.prop_map(|(stream, block, from, value, waits)| Launch {
        stream,
        block,
        from,
        value,
        waits,
    })
}

/// What is noted by steps of each stream, in order.
type Notes = Vec<Vec<u8>>;

/// What the program does, in plain vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Plain {
    blocks: Vec<Vec<u8>>,
    owners: [usize; BLOCKS],
    notes: Notes,
}

/// The part of two blocks that a copy moves.
fn part(to: usize, from: usize, at: u16) -> (usize, usize, usize) {
    let (write, read) = (usize::from(at) % to, usize::from(at) % from);
    (write, read, (to - write).min(from - read))
}

impl Plain {
    fn new() -> Self {
        let sizes = SIZES.into_iter().chain([PINNED_SIZE]);
        Self {
            blocks: sizes.map(|size| vec![0xa5; size]).collect(),
            owners: [0; BLOCKS],
            notes: vec![Vec::new(); STREAMS],
        }
    }

    fn run(&mut self, steps: &[Step]) {
        self.owners = [0; BLOCKS];
        for step in steps {
            match *step {
                Step::Fill { block, from, value } => self.fill(block, from, value),
                Step::Copy { to, from, at } => {
                    let (to, from) = (any_block(to), any_block(from));
                    if to != from {
                        self.owners[from] = self.owners[to];
                        let source = self.blocks[from].clone();
                        let target = &mut self.blocks[to];
                        let (write, read, bytes) = part(target.len(), source.len(), at);
                        target[write..write + bytes].copy_from_slice(&source[read..read + bytes]);
                    }
                }
                Step::Mix { to, from, .. } => {
                    let (to, from) = (device_block(to), device_block(from));
                    self.owners[from] = self.owners[to];
                    let source = self.blocks[from].clone();
                    for (byte, other) in self.blocks[to].iter_mut().zip(source) {
                        *byte = byte.wrapping_mul(3).wrapping_add(other);
                    }
                }
                Step::Look { block, .. } => {
                    let block = device_block(block);
                    self.notes[self.owners[block]].push(self.blocks[block][0]);
                }
                Step::Function { block, number } => {
                    self.notes[self.owners[any_block(block)]].push(number);
                }
                Step::HandOver { block, stream, .. } => {
                    self.owners[any_block(block)] = usize::from(stream) % STREAMS;
                }
            }
        }
    }

    fn fill(&mut self, block: u8, from: u16, value: u8) {
        let block = &mut self.blocks[any_block(block)];
        let from = usize::from(from) % block.len();
        block[from..].fill(value);
    }
}

fn any_block(number: u8) -> usize {
    usize::from(number) % BLOCKS
}

fn device_block(number: u8) -> usize {
    usize::from(number) % SIZES.len()
}

/// The same on a device.
struct Real {
    streams: Vec<Stream>,
    events: Vec<Event>,
    blocks: Vec<DeviceBlock>,
    pinned: HostBlock,
    owners: [usize; BLOCKS],
    /// Streams that have had a block since the program began.
    used: [bool; STREAMS],
    notes: Arc<Mutex<Notes>>,
}

impl Real {
    fn new(runtime: &Runtime, device: &Device) -> Result<Self, Error> {
        let blocks: Result<Vec<_>, _> = SIZES
            .iter()
            .map(|size| device.alloc(*size as u64))
            .collect();
        let real = Self {
            streams: (0..STREAMS)
                .map(|_| device.create_stream())
                .collect::<Result<_, _>>()?,
            events: (0..2)
                .map(|_| runtime.create_event(EventKind::Rerecordable))
                .collect::<Result<_, _>>()?,
            blocks: blocks?,
            pinned: runtime.alloc_host(PINNED_SIZE as u64)?,
            owners: [0; BLOCKS],
            used: [false; STREAMS],
            notes: Arc::new(Mutex::new(vec![Vec::new(); STREAMS])),
        };
        for block in 0..BLOCKS {
            let whole = real.slice(block, 0, Real::length(block));
            real.streams[0].fill(whole, 0xa5)?;
        }
        real.streams[0].synchronize()?;
        Ok(real)
    }

    fn length(block: usize) -> usize {
        SIZES.get(block).copied().unwrap_or(PINNED_SIZE)
    }

    fn slice(&self, block: usize, from: usize, bytes: usize) -> Slice<'_> {
        let range = from as u64..(from + bytes) as u64;
        if block == PINNED {
            self.pinned.slice(range)
        } else {
            self.blocks[block].slice(range)
        }
    }

    fn touch(&self, block: usize, writes: bool) -> Touch {
        let whole = self.blocks[block].all();
        Touch {
            address: whole.address(),
            bytes: whole.bytes(),
            reads: true,
            writes,
        }
    }

    /// All steps. The first stream has all blocks at the beginning, and waits for all others at the end.
    fn run(&mut self, steps: &[Step]) -> Result<(), Box<Error>> {
        self.owners = [0; BLOCKS];
        self.used = [true, false, false];
        for step in steps {
            self.step(*step)?;
        }
        for other in 1..STREAMS {
            if self.used[other] {
                self.streams[other].record(&self.events[0])?;
                self.streams[0].wait_event(&self.events[0], None)?;
            }
        }
        Ok(())
    }

    fn hand_over(&mut self, block: usize, stream: usize, event: u8) -> Result<(), Error> {
        let owner = self.owners[block];
        if owner != stream {
            let event = &self.events[usize::from(event) % self.events.len()];
            self.streams[owner].record(event)?;
            self.streams[stream].wait_event(event, None)?;
            self.owners[block] = stream;
            self.used[stream] = true;
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), Box<Error>> {
        match step {
            Step::Fill { block, from, value } => {
                let block = any_block(block);
                let (stream, length) = (&self.streams[self.owners[block]], Self::length(block));
                let from = usize::from(from) % length;
                stream.fill(self.slice(block, from, length - from), value)?;
            }
            Step::Copy { to, from, at } => {
                let (to, from) = (any_block(to), any_block(from));
                if to == from {
                    return Ok(());
                }
                self.hand_over(from, self.owners[to], 0)?;
                let (write, read, bytes) = part(Self::length(to), Self::length(from), at);
                let stream = &self.streams[self.owners[to]];
                stream.copy(self.slice(to, write, bytes), self.slice(from, read, bytes))?;
            }
            Step::Mix { to, from, small } => {
                let (to, from) = (device_block(to), device_block(from));
                self.hand_over(from, self.owners[to], 1)?;
                let bytes = SIZES[to].min(SIZES[from]);
                let touches = [self.touch(to, true), self.touch(from, false)];
                let run = move |places: &[u64], _| {
                    mix(places[0], places[1], bytes);
                    Ok(())
                };
                self.streams[self.owners[to]].compute("mix", &touches, None, small, run)?;
            }
            Step::Look { block, small } => {
                let block = device_block(block);
                let (stream, notes) = (self.owners[block], Arc::clone(&self.notes));
                let look = move |places: &[u64], _| {
                    let first = at(places[0]);
                    // SAFETY: the block has at least one byte, and belongs to this stream.
                    notes.lock().unwrap()[stream].push(unsafe { first.read() });
                    Ok(())
                };
                let touches = [self.touch(block, false)];
                self.streams[stream].compute("look", &touches, None, small, look)?;
            }
            Step::Function { block, number } => {
                let stream = self.owners[any_block(block)];
                let notes = Arc::clone(&self.notes);
                self.streams[stream].call("note", move |on| {
                    let notes = Arc::clone(&notes);
                    Ok(on.host_function(move || notes.lock().unwrap()[stream].push(number))?)
                })?;
            }
            Step::HandOver {
                block,
                stream,
                event,
            } => self.hand_over(any_block(block), usize::from(stream) % STREAMS, event)?,
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Plain, Error> {
        let mut blocks: Vec<Vec<u8>> = self.blocks.iter().map(bytes_of).collect();
        blocks.push(self.pinned.bytes()?.to_vec());
        Ok(Plain {
            blocks,
            owners: self.owners,
            notes: self.notes.lock().unwrap().clone(),
        })
    }

    fn compare(&mut self, plain: &Plain, when: &str) -> Result<(), Error> {
        let found = self.read()?;
        assert_eq!(found.notes, plain.notes, "{when}");
        for (number, (found, expected)) in found.blocks.iter().zip(&plain.blocks).enumerate() {
            let differs = found.iter().zip(expected).position(|(a, b)| a != b);
            assert_eq!(
                differs, None,
                "{when}: the first wrong byte of block {number}"
            );
        }
        Ok(())
    }
}

/// Where native work finds a byte.
fn at(place: u64) -> *mut u8 {
    let place = usize::try_from(place).expect("an address");
    std::ptr::with_exposed_provenance_mut(place)
}

fn mix(to: u64, from: u64, bytes: usize) {
    for offset in 0..bytes {
        let (to, from) = (at(to).wrapping_add(offset), at(from).wrapping_add(offset));
        // SAFETY: both blocks have so many bytes, and nobody else uses them now. They may be the same.
        let byte = unsafe { to.read() };
        // SAFETY: as above.
        let other = unsafe { from.read() };
        // SAFETY: as above.
        unsafe { to.write(byte.wrapping_mul(3).wrapping_add(other)) };
    }
}

fn execute(
    schedule: Schedule,
    steps: &[Step],
    launches: &[Launch],
    listens: bool,
) -> Result<(), Box<Error>> {
    let runtime = Runtime::new(config(schedule))?;
    if listens {
        runtime.tap().attach(Arc::new(Collector::default()));
    }
    let device = runtime.device(0)?;
    let (mut real, mut plain) = (Real::new(&runtime, &device)?, Plain::new());
    real.run(steps)?;
    plain.run(steps);
    real.streams[0].synchronize()?;
    real.compare(&plain, "on the streams")?;

    let graph = real.streams[0].begin_capture()?;
    real.run(steps)?;
    assert!(real.streams[0].end_capture()?.is(&graph));
    // Nothing has run.
    device.synchronize()?;
    real.compare(&plain, "after the capture")?;

    let mut last = 0;
    for (number, launch) in launches.iter().enumerate() {
        let on = usize::from(launch.stream) % STREAMS;
        if on != last {
            real.streams[last].record(&real.events[0])?;
            real.streams[on].wait_event(&real.events[0], None)?;
        }
        let block = any_block(launch.block);
        let from = usize::from(launch.from) % Real::length(block);
        let part = real.slice(block, from, Real::length(block) - from);
        real.streams[on].fill(part, launch.value)?;
        plain.fill(launch.block, launch.from, launch.value);
        graph.launch(&real.streams[on])?;
        plain.run(steps);
        if launch.waits {
            real.streams[on].synchronize()?;
            real.compare(&plain, &format!("after launch {number}"))?;
        }
        last = on;
    }
    assert_eq!(graph.launches(), launches.len() as u64);
    drop(graph);
    real.streams[last].synchronize()?;
    real.compare(&plain, "at the end")?;
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_captured_program_does_at_every_launch_what_the_model_says(
        steps in prop::collection::vec(step(), 0..40),
        launches in prop::collection::vec(launch(), 1..6),
        seed in any::<u64>(),
        listens in any::<bool>(),
    ) {
        for schedule in [Schedule::Eager, Schedule::Latest, Schedule::Seeded(seed)] {
            let (steps, launches) = (steps.clone(), launches.clone());
            let outcome = within(LONG, move || execute(schedule, &steps, &launches, listens));
            prop_assert!(outcome.is_ok(), "{schedule:?}: {outcome:?}");
        }
    }
}

/// A graph that adds 1 to the byte of a block, and a stream.
fn counter(device: &Device) -> (Graph, DeviceBlock, Stream) {
    let stream = device.create_stream().unwrap();
    let block = device.alloc(1).unwrap();
    fill(&stream, &block, 0);
    stream.synchronize().unwrap();
    let graph = stream.begin_capture().unwrap();
    add_one(&stream, &block);
    stream.end_capture().unwrap();
    (graph, block, stream)
}

/// Adds 1 to the byte of a block, slowly: the byte is read long before it is written.
fn add_one(stream: &Stream, block: &DeviceBlock) {
    let touch = Touch {
        address: block.all().address(),
        bytes: 1,
        reads: true,
        writes: true,
    };
    let run = |places: &[u64], _| {
        let byte = at(places[0]);
        // SAFETY: the block has one byte, and launches of a graph do not overlap.
        let before = unsafe { byte.read_volatile() };
        std::thread::yield_now();
        // SAFETY: as above.
        unsafe { byte.write_volatile(before.wrapping_add(1)) };
        Ok(())
    };
    stream
        .compute("add", &[touch], None, false, run)
        .expect("an open stream and a live block");
}

#[test]
fn launches_on_two_streams_run_one_after_the_other() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let (graph, block, first) = counter(&device);
        let second = device.create_stream().unwrap();
        for round in 0..50 {
            graph.launch(&first).unwrap();
            graph
                .launch(if round % 3 == 0 { &first } else { &second })
                .unwrap();
        }
        first.synchronize().unwrap();
        second.synchronize().unwrap();
        assert_eq!(value_of(&block), 100, "{schedule:?}");
    });
}

/// The second stream has to wait for the launch, not for whatever else the first stream has been given since.
#[test]
fn a_launch_on_another_stream_does_not_wait_for_later_work_of_the_first() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (graph, block, first) = counter(&device);
        let (second, opener) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let (launched, done) = (
            runtime.create_event(EventKind::Rerecordable).unwrap(),
            gate(&runtime),
        );
        // Held back, so that the first launch is not over when the second is made.
        let hold = gate(&runtime);
        first.wait_event(&hold, None).unwrap();
        graph.launch(&first).unwrap();
        first.record(&launched).unwrap();
        // The first stream goes on when the second is done.
        first.wait_event(&done, None).unwrap();
        second.wait_event(&launched, None).unwrap();
        graph.launch(&second).unwrap();
        second.record(&done).unwrap();
        opener.record(&hold).unwrap();
        first.synchronize().unwrap();
        assert_eq!(value_of(&block), 2, "{schedule:?}");
    });
}

/// A launch never makes its stream part of a capture.
#[test]
fn a_launch_while_the_stream_of_the_last_one_is_captured() {
    open_under_every_schedule(|schedule, runtime, device| {
        for listens in [false, true] {
            let (graph, block, first) = counter(&device);
            let [second, opener] = [(); 2].map(|()| device.create_stream().unwrap());
            if listens {
                runtime.tap().attach(Arc::new(Collector::default()));
            }
            graph.launch(&first).unwrap();
            first.synchronize().unwrap();
            let other = first.begin_capture().unwrap();
            graph.launch(&second).unwrap();
            assert_eq!(second.capture_status().0, CaptureStatus::None);
            second.synchronize().unwrap();
            first.end_capture().unwrap();
            assert_eq!(other.describe().len(), 0, "{schedule:?}");

            // The last launch is not over, and nothing can be queued behind it.
            let hold = gate(&runtime);
            first.wait_event(&hold, None).unwrap();
            graph.launch(&first).unwrap();
            first.begin_capture().unwrap();
            let refused = graph.launch(&second).unwrap_err();
            assert!(refused.to_string().contains("being captured"), "{refused}");
            assert_eq!(second.capture_status().0, CaptureStatus::None);
            first.end_capture().unwrap();
            // It still comes after the last.
            graph.launch(&second).unwrap();
            opener.record(&hold).unwrap();
            second.synchronize().unwrap();
            assert_eq!(value_of(&block), 4, "{schedule:?}");
        }
    });
}

#[test]
fn threads_that_launch_one_graph_take_turns() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let (graph, block, _) = counter(&device);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let stream = device.create_stream().unwrap();
                    for _ in 0..20 {
                        graph.launch(&stream).unwrap();
                    }
                    stream.synchronize().unwrap();
                });
            }
        });
        assert_eq!(value_of(&block), 60, "{schedule:?}");
    });
}

#[test]
fn a_graph_that_is_dropped_while_launches_are_queued_still_runs() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (graph, block, stream) = counter(&device);
        let opener = device.create_stream().unwrap();
        let hold = gate(&runtime);
        stream.wait_event(&hold, None).unwrap();
        for _ in 0..3 {
            graph.launch(&stream).unwrap();
        }
        assert!(graph.is_running());
        drop(graph);
        opener.record(&hold).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&block), 3, "{schedule:?}");
    });
}

/// The streams of its other lanes are its own, and must outlive it as well.
#[test]
fn a_graph_of_two_streams_that_is_dropped_while_launches_are_queued_still_runs() {
    open_under_every_schedule(|schedule, runtime, device| {
        let [stream, side, opener] = [(); 3].map(|()| device.create_stream().unwrap());
        let [forked, joined] =
            [(); 2].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
        let block = device.alloc(1).unwrap();
        fill(&stream, &block, 0);
        stream.synchronize().unwrap();
        let graph = stream.begin_capture().unwrap();
        stream.record(&forked).unwrap();
        side.wait_event(&forked, None).unwrap();
        add_one(&side, &block);
        side.record(&joined).unwrap();
        stream.wait_event(&joined, None).unwrap();
        add_one(&stream, &block);
        stream.end_capture().unwrap();
        let hold = gate(&runtime);
        stream.wait_event(&hold, None).unwrap();
        for _ in 0..3 {
            graph.launch(&stream).unwrap();
        }
        drop((graph, forked, joined, side));
        opener.record(&hold).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&block), 6, "{schedule:?}");
    });
}

#[test]
fn work_that_was_queued_before_the_capture_runs() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, opener) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let (before, inside) = (device.alloc(16).unwrap(), device.alloc(16).unwrap());
        fill(&stream, &before, 0);
        fill(&stream, &inside, 0);
        let hold = gate(&runtime);
        stream.wait_event(&hold, None).unwrap();
        fill(&stream, &before, 7);
        let (ran, set) = flag();
        stream.host_function(set).unwrap();

        stream.begin_capture().unwrap();
        opener.record(&hold).unwrap();
        fill(&stream, &inside, 9);
        // What was queued before runs while the stream is captured.
        let came = common::comes_true(LONG, || is_set(&ran));
        assert!(came, "{schedule:?}");
        let graph = stream.end_capture().unwrap();
        stream.synchronize().unwrap();
        assert_eq!(
            (value_of(&before), value_of(&inside)),
            (7, 0),
            "{schedule:?}"
        );
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(
            (value_of(&before), value_of(&inside)),
            (7, 9),
            "{schedule:?}"
        );
    });
}

#[test]
fn an_update_reaches_a_launch_that_waits() {
    open_under_every_schedule(|schedule, runtime, device| {
        let (stream, updates) = (
            device.create_stream().unwrap(),
            device.create_stream().unwrap(),
        );
        let block = device.alloc(64).unwrap();
        fill(&stream, &block, 0);
        stream.synchronize().unwrap();
        stream.begin_capture().unwrap();
        stream.begin_group().unwrap();
        fill(&stream, &block, 1);
        let group = stream.end_group().unwrap();
        let graph = stream.end_capture().unwrap();
        for value in 2..5 {
            let hold = gate(&runtime);
            stream.wait_event(&hold, None).unwrap();
            graph.launch(&stream).unwrap();
            updates.begin_update(&group).unwrap();
            fill(&updates, &block, value);
            updates.end_update().unwrap();
            // The launch goes on when the update is done.
            updates.record(&hold).unwrap();
            stream.synchronize().unwrap();
            assert_eq!(value_of(&block), value, "{schedule:?}");
        }
        // Without another update the last one stays.
        fill(&stream, &block, 0);
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&block), 4, "{schedule:?}");
        // An update with nothing in it changes nothing.
        updates.begin_update(&group).unwrap();
        assert!(updates.end_update().is_err());
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&block), 4, "{schedule:?}");
    });
}

#[test]
fn memory_that_was_freed_stops_a_launch_before_anything_of_it_runs() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let (kept, gone) = (device.alloc(64).unwrap(), device.alloc(64).unwrap());
        fill(&stream, &kept, 0);
        stream.synchronize().unwrap();
        stream.begin_capture().unwrap();
        fill(&stream, &kept, 1);
        stream
            .call("note", |on| Ok(on.host_function(|| ())?))
            .unwrap();
        fill(&stream, &gone, 1);
        let graph = stream.end_capture().unwrap();
        drop(gone);
        let refused = graph.launch(&stream);
        assert!(refused.is_err(), "{schedule:?}");
        stream.synchronize().unwrap();
        assert_eq!(value_of(&kept), 0, "{schedule:?}");
    });
}
