//! One connection to a process of another machine, for all communicators that both processes lead.
//!
//! Two threads move the bytes: one sends what is queued, in order; the other receives, and hands each frame to the bridge of its
//! communicator. Small frames travel together. Bytes of a board are sent from where they are, and received where they belong.
//!
//! A link fails once, with a reason, and stays so: both threads end, and the relays look.
#![expect(unsafe_code, reason = "sends and receives bytes of boards")]

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::engine::{self, Pair};
use super::relay::Bridge;
use super::wire::{Reader, Writer};
use super::{Exchange, HubId};

/// What a frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What a rank does as its operation number `number`.
    Show,
    /// Bytes of a rank's outbox in round `number`; the last of them announces the round.
    Round,
    /// A rank has read rounds up to `number`.
    Read,
    /// Chunk `number` of the messages from a rank to a peer.
    Chunk,
    /// The peer has taken `number` chunks of a rank's messages.
    Taken,
    /// Whether a rank is there.
    Presence,
    /// Why the communicator has ended.
    Broken,
    /// A question that is answered when everything before it has been carried out.
    Flush,
    Flushed,
}

const KINDS: [Kind; 9] = [
    Kind::Show,
    Kind::Round,
    Kind::Read,
    Kind::Chunk,
    Kind::Taken,
    Kind::Presence,
    Kind::Broken,
    Kind::Flush,
    Kind::Flushed,
];

/// One frame without its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) communicator: [u8; 16],
    pub(crate) rank: usize,
    pub(crate) peer: usize,
    pub(crate) number: u64,
    /// For messages: the bytes of the whole, and the type of their elements.
    pub(crate) whole: u64,
    pub(crate) element: u32,
    /// Where the bytes start in their place, and how many there are.
    pub(crate) start: usize,
    pub(crate) length: usize,
    pub(crate) is_last: bool,
}

impl Header {
    pub(crate) fn new(kind: Kind, communicator: [u8; 16], rank: usize, number: u64) -> Self {
        Self {
            kind,
            communicator,
            rank,
            peer: 0,
            number,
            whole: 0,
            element: 0,
            start: 0,
            length: 0,
            is_last: true,
        }
    }

    fn write(&self, is_inside: bool, writer: &mut Writer) {
        let kind = KINDS.iter().position(|kind| *kind == self.kind);
        writer
            .byte(u8::try_from(kind.unwrap_or(0)).unwrap_or(0))
            .byte(u8::from(self.is_last) | u8::from(is_inside) << 1)
            .id(&self.communicator)
            .word(self.rank)
            .word(self.peer)
            .long(self.number)
            .long(self.whole)
            .word(self.element as usize)
            .word(self.start)
            .word(self.length);
    }

    /// With whether the bytes follow inside the batch.
    fn read(reader: &mut Reader<'_>) -> Option<(Self, bool)> {
        let kind = *KINDS.get(usize::from(reader.byte()?))?;
        let flags = reader.byte()?;
        let header = Self {
            kind,
            communicator: reader.id()?,
            rank: reader.word()?,
            peer: reader.word()?,
            number: reader.long()?,
            whole: reader.long()?,
            element: u32::try_from(reader.word()?).ok()?,
            start: reader.word()?,
            length: reader.word()?,
            is_last: flags & 1 != 0,
        };
        Some((header, flags & 2 != 0))
    }
}

/// A frame on its way out.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) header: Header,
    pub(crate) bytes: Bytes,
}

/// Where the bytes of a frame are.
#[derive(Debug)]
pub(crate) enum Bytes {
    Own(Vec<u8>),
    /// In the memory of a board, where they stay as they are until they have arrived.
    Board {
        _keeps: Arc<Bridge>,
        address: usize,
    },
}

/// Slots of the connection: batches of frames, and bytes that are too many for a batch.
const BATCHES: u64 = 0;
const BYTES: u64 = 1;
/// The longest batch, and the most bytes of one frame that are part of it.
const BATCH: usize = 64 << 10;
const INSIDE: usize = 4 << 10;
/// No place of a board has room for more.
const MOST: usize = 1 << 20;

/// A connection to another process.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) peer: HubId,
    pair: Arc<Pair>,
    /// The second connection: idle, and watched by the relay.
    pub(crate) pulse: TcpStream,
    state: Mutex<State>,
    changed: Condvar,
    exchange: Weak<Exchange>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Frame>,
    failure: Option<String>,
    /// The other process has closed the second connection: what it sent before may still arrive.
    ends: Option<Instant>,
    asked: u64,
    answered: u64,
}

impl Link {
    /// Starts the threads of a connection.
    pub(crate) fn start(
        exchange: &Arc<Exchange>,
        peer: HubId,
        pair: Arc<Pair>,
        pulse: TcpStream,
    ) -> std::io::Result<Arc<Self>> {
        pulse.set_nonblocking(true)?;
        let link = Arc::new(Self {
            peer,
            pair,
            pulse,
            state: Mutex::default(),
            changed: Condvar::new(),
            exchange: Arc::downgrade(exchange),
        });
        let (sends, receives) = (Arc::clone(&link), Arc::clone(&link));
        thread::Builder::new()
            .name("millpond-send".to_owned())
            .spawn(move || {
                engine::block_signals();
                sends.send_all();
            })?;
        thread::Builder::new()
            .name("millpond-recv".to_owned())
            .spawn(move || {
                engine::block_signals();
                receives.receive_all();
            })?;
        Ok(link)
    }

    /// Why it is of no use any more, if so.
    pub(crate) fn failure(&self) -> Option<String> {
        self.state.lock().failure.clone()
    }

    /// Ends it.
    pub(crate) fn fail(&self, why: &str) {
        {
            let mut state = self.state.lock();
            if state.failure.is_some() {
                return;
            }
            state.failure = Some(why.to_owned());
            state.queue.clear();
        }
        self.changed.notify_all();
        self.pair.abort();
        drop(self.pulse.shutdown(std::net::Shutdown::Both));
        if let Some(exchange) = self.exchange.upgrade() {
            exchange.bell.ring(exchange.bell.name());
        }
    }

    /// Queues frames.
    pub(crate) fn push(&self, frames: impl IntoIterator<Item = Frame>) {
        let mut state = self.state.lock();
        if state.failure.is_none() {
            state.queue.extend(frames);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Asks the other side to say when it has carried out everything so far. Returns the question's number.
    pub(crate) fn flush(&self) -> u64 {
        let mut state = self.state.lock();
        state.asked += 1;
        let number = state.asked;
        drop(state);
        self.push([Frame {
            header: Header::new(Kind::Flush, [0; 16], 0, number),
            bytes: Bytes::Own(Vec::new()),
        }]);
        number
    }

    pub(crate) fn wait_for_flush(&self, number: u64, deadline: Instant) {
        let mut state = self.state.lock();
        while state.answered < number && state.failure.is_none() {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                return;
            }
        }
    }

    /// The second connection has something to say: nothing is ever sent on it, so it has ended.
    pub(crate) fn feel(&self, now: Instant) {
        const GRACE: std::time::Duration = std::time::Duration::from_secs(2);
        let mut byte = [0; 1];
        match std::io::Read::read(&mut &self.pulse, &mut byte) {
            // In order: what was sent before is still on its way.
            Ok(0) => {
                self.state.lock().ends.get_or_insert(now + GRACE);
            }
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted
                ) => {}
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {
                self.state.lock().ends.get_or_insert(now + GRACE);
            }
            Err(error) => self.fail(&format!("no heartbeat ({error})")),
        }
    }

    /// Whether the second connection is still worth watching. Ends the link when the other process is gone for long enough.
    pub(crate) fn is_watched(&self, now: Instant) -> bool {
        let ends = self.state.lock().ends;
        match ends {
            None => true,
            Some(at) => {
                if now >= at {
                    self.fail("the process at the other end has ended");
                }
                false
            }
        }
    }

    fn send_all(&self) {
        loop {
            let batch = {
                let mut state = self.state.lock();
                while state.queue.is_empty() && state.failure.is_none() {
                    self.changed.wait(&mut state);
                }
                if state.failure.is_some() {
                    return;
                }
                Batch::take(&mut state.queue)
            };
            if let Err(why) = batch.send(&self.pair) {
                self.fail(&why);
                return;
            }
        }
    }

    fn receive_all(&self) {
        let mut room = vec![0; BATCH];
        loop {
            // SAFETY: the room has that many bytes and is used by nobody else.
            let received = unsafe { self.pair.receive(BATCHES, room.as_mut_ptr(), BATCH) };
            let Some(exchange) = self.exchange.upgrade() else {
                return;
            };
            let carried = received.and_then(|()| {
                let mut whole = Reader(&room);
                let frames = whole.bytes().ok_or("a frame is incomplete")?;
                self.carry_out(&exchange, frames)
            });
            if let Err(why) = carried {
                self.fail(&why);
                return;
            }
        }
    }

    /// Does what the frames of a batch say, and wakes the ranks that may wait for it.
    fn carry_out(&self, exchange: &Arc<Exchange>, frames: &[u8]) -> Result<(), String> {
        let mut reader = Reader(frames);
        let mut touched: Vec<Arc<Bridge>> = Vec::new();
        while !reader.0.is_empty() {
            let (header, is_inside) =
                Header::read(&mut reader).ok_or("a frame is incomplete or unknown")?;
            let bytes = if is_inside {
                Some(reader.bytes().ok_or("a frame is incomplete")?)
            } else {
                None
            };
            match header.kind {
                Kind::Flush => {
                    self.push([Frame {
                        header: Header::new(Kind::Flushed, [0; 16], 0, header.number),
                        bytes: Bytes::Own(Vec::new()),
                    }]);
                    continue;
                }
                Kind::Flushed => {
                    self.state.lock().answered = header.number;
                    self.changed.notify_all();
                    continue;
                }
                _ => {}
            }
            let bridge = exchange.bridge(&header.communicator);
            if let Some(bytes) = bytes {
                if let Some(bridge) = &bridge {
                    bridge.accept(&header, Some(bytes))?;
                }
            } else {
                // Bytes of a communicator that this machine has left are received all the same.
                let mut nowhere = Vec::new();
                let place = if let Some(bridge) = &bridge {
                    bridge.place(&header)?
                } else {
                    if header.length > MOST {
                        return Err("a frame has more bytes than any place".to_owned());
                    }
                    nowhere.resize(header.length, 0);
                    nowhere.as_mut_ptr()
                };
                // SAFETY: the place has room for the frame's bytes: `place` checked it, or it was made for them. On a board, no rank
                // reads them before they are announced.
                unsafe { self.pair.receive(BYTES, place, header.length) }?;
                if let Some(bridge) = &bridge {
                    bridge.accept(&header, None)?;
                }
            }
            if let Some(bridge) = bridge
                && !touched.iter().any(|other| Arc::ptr_eq(other, &bridge))
            {
                touched.push(bridge);
            }
        }
        for bridge in touched {
            bridge.wake(exchange);
        }
        Ok(())
    }
}

/// Frames that travel together.
struct Batch {
    frames: Vec<Frame>,
}

impl Batch {
    fn take(queue: &mut VecDeque<Frame>) -> Self {
        const HEADER: usize = 64;
        let mut frames = Vec::new();
        let mut room = BATCH - 4;
        while let Some(next) = queue.front() {
            let length = next.header.length;
            let needed = HEADER + if length <= INSIDE { 4 + length } else { 0 };
            if needed > room {
                break;
            }
            room -= needed;
            frames.extend(queue.pop_front());
        }
        Self { frames }
    }

    fn send(&self, pair: &Pair) -> Result<(), String> {
        let mut batch = Writer::default();
        for frame in &self.frames {
            let is_inside = frame.header.length <= INSIDE;
            frame.header.write(is_inside, &mut batch);
            if is_inside {
                batch.text(frame.bytes.view(frame.header.length));
            }
        }
        let mut message = Writer::default();
        message.text(&batch.0);
        // SAFETY: the message lives until the call returns.
        unsafe { pair.send(BATCHES, message.0.as_ptr(), message.0.len()) }?;
        for frame in &self.frames {
            if frame.header.length > INSIDE {
                let bytes = frame.bytes.view(frame.header.length);
                // SAFETY: the frame owns the bytes, or keeps the board mapped.
                unsafe { pair.send(BYTES, bytes.as_ptr(), bytes.len()) }?;
            }
        }
        Ok(())
    }
}

impl Bytes {
    fn view(&self, length: usize) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Board { address, .. } => {
                // SAFETY: inside the board that this value keeps mapped; its rank does not write these bytes before the ranks of the
                // other machines have read them.
                unsafe {
                    std::slice::from_raw_parts(
                        std::ptr::with_exposed_provenance::<u8>(*address),
                        length,
                    )
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_arrives_as_it_was_sent() {
        for kind in KINDS {
            let header = Header {
                peer: 3,
                whole: 1 << 40,
                element: 7,
                start: 11,
                length: 12,
                is_last: false,
                ..Header::new(kind, [9; 16], 1023, u64::MAX)
            };
            let mut writer = Writer::default();
            header.write(true, &mut writer);
            assert!(writer.0.len() <= 64);
            assert_eq!(Header::read(&mut Reader(&writer.0)), Some((header, true)));
            assert_eq!(Header::read(&mut Reader(&writer.0[1..])), None);
        }
    }
}
