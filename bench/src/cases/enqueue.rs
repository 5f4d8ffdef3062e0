//! Putting a task into a stream, as the thread that does it feels it.
//!
//! *Parked*: the stream waits for an event, so nobody takes tasks out meanwhile. *Running*: a worker
//! carries them out at the same time, and had begun before the clock started. The peer is a channel of
//! messages as long as what a task sets, with a thread that receives them afterwards or at the same
//! time. What comes after the last one is put in is not timed. The thread that puts in has a core to
//! itself, on both sides.

use std::hint::black_box;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, RecvError, Sender, unbounded};

use crate::acl::{Acl, DeviceMemory, Stream};
use crate::affinity::Apart;
use crate::measure::{Comparison, PAIRS, compare, per_call};
use crate::report::{Bound, Row};

const BOUND: Bound = Bound::AtMost(3.0);

/// Bytes that a task sets, and bytes of a message.
const BYTES: usize = 64;
/// Tasks in a sample: few enough that the queue stays in the cache while nobody takes them out.
const PARKED: u32 = 1_000;
const RUNNING: u32 = 20_000;
/// Tasks put in at a time until the other side has begun.
const FEW: u32 = 100;

pub(super) fn measure(acl: &Acl) -> Result<Vec<Row>, String> {
    let memory = acl.device_memory(BYTES)?;
    let channel = Channel::new();
    // The library has started its workers when a first task is done.
    let stream = acl.stream()?;
    put_in(1, &stream, &memory)?;
    stream.synchronize()?;
    let _apart = Apart::now();
    let rows = vec![
        Row::times(
            "aclrtMemsetAsync, parked",
            "crossbeam send, received later",
            parked(acl, &memory, &channel)?,
            BOUND,
        ),
        Row::times(
            "aclrtMemsetAsync, running",
            "crossbeam send, received",
            running(acl, &memory, &channel)?,
            BOUND,
        ),
    ];
    channel.end()?;
    Ok(rows)
}

fn parked(acl: &Acl, memory: &DeviceMemory<'_>, channel: &Channel) -> Result<Comparison, String> {
    let (stream, opener) = (acl.stream()?, acl.stream()?);
    let ours = || {
        let event = acl.event()?;
        stream.wait(&event)?;
        let time = put_in(PARKED, &stream, memory);
        opener.record(&event)?;
        stream.synchronize()?;
        time
    };
    let peer = || {
        let time = channel.send(PARKED);
        channel.open()?;
        channel.wait()?;
        time
    };
    compare(PAIRS, ours, peer)
}

fn running(acl: &Acl, memory: &DeviceMemory<'_>, channel: &Channel) -> Result<Comparison, String> {
    let stream = acl.stream()?;
    let ours = || {
        let event = acl.event()?;
        stream.record(&event)?;
        // The worker has begun when it has passed the event, and there is more for it to do.
        while !event.reached()? {
            put_in(FEW, &stream, memory)?;
        }
        let time = put_in(RUNNING, &stream, memory);
        stream.synchronize()?;
        time
    };
    let peer = || {
        channel.open()?;
        let mut sent = 0;
        // The receiver has begun when something is missing, and there is more for it to do.
        while channel.waiting() >= sent {
            channel.send(FEW)?;
            sent += FEW as usize;
        }
        let time = channel.send(RUNNING);
        channel.wait()?;
        time
    };
    compare(PAIRS, ours, peer)
}

fn put_in(tasks: u32, stream: &Stream<'_>, memory: &DeviceMemory<'_>) -> Result<f64, String> {
    per_call(tasks, || stream.fill(memory, 0, 1, BYTES))
}

type Message = [u8; BYTES];

/// The message that ends a sample.
const LAST: Message = [u8::MAX; BYTES];

/// A channel with a thread that receives, from when it is opened until the last message of a sample.
#[derive(Debug)]
struct Channel {
    messages: Sender<Message>,
    gate: Sender<()>,
    emptied: Receiver<()>,
    thread: JoinHandle<()>,
}

impl Channel {
    fn new() -> Self {
        let (messages, received) = unbounded();
        let (gate, opened) = unbounded();
        let (empty, emptied) = unbounded();
        let thread = thread::spawn(move || {
            // Ends with an error when the other side is gone.
            while opened.recv().is_ok() && receive(&received).is_ok() && empty.send(()).is_ok() {}
        });
        Self {
            messages,
            gate,
            emptied,
            thread,
        }
    }

    fn open(&self) -> Result<(), String> {
        self.gate.send(()).map_err(|error| error.to_string())
    }

    fn send(&self, messages: u32) -> Result<f64, String> {
        per_call(messages, || {
            i32::from(self.messages.send(black_box([1; BYTES])).is_err())
        })
    }

    /// How many messages nobody has received yet.
    fn waiting(&self) -> usize {
        self.messages.len()
    }

    /// Ends the sample and waits until everything was received.
    fn wait(&self) -> Result<(), String> {
        let sent = self.messages.send(LAST);
        sent.map_err(|error| error.to_string())?;
        self.emptied.recv().map_err(|error| error.to_string())
    }

    fn end(self) -> Result<(), String> {
        drop((self.messages, self.gate));
        let ended = self.thread.join();
        ended.map_err(|_panic| "the receiving thread failed".to_owned())
    }
}

fn receive(messages: &Receiver<Message>) -> Result<(), RecvError> {
    while black_box(messages.recv()?) != LAST {}
    Ok(())
}
