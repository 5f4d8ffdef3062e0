//! What a machine's ranks write, copied to the boards of the other machines, and theirs copied here.
//!
//! A bridge belongs to one communicator and lives in the process of its lowest rank on this machine, longer than that rank's own
//! communicator if other ranks of the machine still use theirs. One thread looks at the boards of all bridges of a process when
//! a rank rings, and now and then whether ranks and links are still there.
#![expect(unsafe_code, reason = "addresses of bytes in boards")]

use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use millpond_sharing::wait_for_any;
use parking_lot::Mutex;

use super::link::{Bytes, Frame, Header, Kind, Link};
use super::{Exchange, Spread, engine};
use crate::board::{Board, DESCRIPTION, GONE, LEFT, LOST, Label, PRESENT};

/// How often ranks and links are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// One communicator's part of the traffic.
#[derive(Debug)]
pub(crate) struct Bridge {
    id: [u8; 16],
    board: Board,
    spread: Arc<Spread>,
    /// By machine; none for this one.
    links: Vec<Option<Arc<Link>>>,
    sent: Mutex<Sent>,
}

/// What the other machines know of the ranks of this one, and what this one knows of lost machines.
#[derive(Debug, Default)]
struct Sent {
    shown: HashMap<usize, u64>,
    written: HashMap<usize, u64>,
    read: HashMap<usize, u64>,
    chunks: HashMap<(usize, usize), u64>,
    taken: HashMap<(usize, usize), u64>,
    presence: HashMap<usize, u32>,
    is_broken: bool,
    lost: Vec<usize>,
}

impl Bridge {
    pub(crate) fn new(
        id: [u8; 16],
        board: Board,
        spread: Arc<Spread>,
        links: Vec<Option<Arc<Link>>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            board,
            spread,
            links,
            sent: Mutex::default(),
        })
    }

    fn own(&self) -> impl Iterator<Item = usize> + '_ {
        self.spread.ranks(self.spread.own)
    }

    fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.board.shape.ranks).filter(|&rank| !self.spread.is_here(rank))
    }

    fn header(&self, kind: Kind, rank: usize, number: u64) -> Header {
        Header::new(kind, self.id, rank, number)
    }

    /// A frame with bytes of the board.
    fn from_board(self: &Arc<Self>, header: Header, place: *mut u8) -> Frame {
        Frame {
            header,
            bytes: Bytes::Board {
                _keeps: Arc::clone(self),
                address: place.expose_provenance(),
            },
        }
    }

    /// Sends what is new. Returns whether anybody of this machine still uses the communicator.
    pub(crate) fn look(self: &Arc<Self>, looks_at_ranks: bool) -> bool {
        let mut sent = self.sent.lock();
        // Before looking: a change after this look rings.
        self.board.relay_asleep().store(1, Ordering::SeqCst);
        let mut frames: Vec<Vec<Frame>> = self.links.iter().map(|_| Vec::new()).collect();
        // What a rank wrote before it left arrives before the news that it has: so these are read first and sent last.
        let broken = self.board.broken();
        let presences: Option<Vec<(usize, u32)>> = looks_at_ranks.then(|| {
            let ranks = self.own();
            ranks.map(|rank| (rank, self.presence(rank))).collect()
        });
        for rank in self.own() {
            self.rounds_of(rank, &mut sent, &mut frames);
            self.messages_of(rank, &mut sent, &mut frames);
        }
        let is_used = presences.is_none_or(|presences| {
            self.mark_lost(&mut sent);
            self.presences(&presences, &mut sent, &mut frames)
        });
        if !sent.is_broken
            && let Some(why) = broken
        {
            sent.is_broken = true;
            let header = Header {
                length: why.len(),
                ..self.header(Kind::Broken, 0, 0)
            };
            to_all(&mut frames, || Frame {
                header,
                bytes: Bytes::Own(why.clone().into_bytes()),
            });
        }
        for (link, frames) in self.links.iter().zip(frames) {
            if let Some(link) = link
                && !frames.is_empty()
            {
                link.push(frames);
            }
        }
        is_used
    }

    /// Whether a rank of another process of this machine waits for something that this process passes on.
    pub(crate) fn others_wait(&self) -> bool {
        if self.board.broken().is_some() {
            return false;
        }
        let own = std::process::id();
        self.own().any(|rank| {
            self.board.process(rank).load(Ordering::Relaxed) != own
                && self.presence(rank) == PRESENT
                && self.board.busy(rank).load(Ordering::SeqCst) == 1
        })
    }

    fn rounds_of(self: &Arc<Self>, rank: usize, sent: &mut Sent, frames: &mut [Vec<Frame>]) {
        let board = &self.board;
        // In this order: what is announced was shown.
        let read = board.read(rank).load(Ordering::SeqCst);
        let written = board.written(rank).load(Ordering::SeqCst);
        let shown = board.shown_count(rank).load(Ordering::SeqCst);
        let known = sent.shown.entry(rank).or_insert(0);
        for sequence in *known..shown {
            let header = Header {
                length: DESCRIPTION,
                ..self.header(Kind::Show, rank, sequence)
            };
            let bytes = board.shown_bytes(rank, sequence);
            to_all(frames, || Frame {
                header,
                bytes: Bytes::Own(bytes.to_vec()),
            });
        }
        *known = shown;
        let known = sent.written.entry(rank).or_insert(0);
        for round in *known..written {
            let parcels = board.parcels(rank, round);
            for (machine, frames) in frames.iter_mut().enumerate() {
                if machine == self.spread.own {
                    continue;
                }
                let mut mine: Vec<Header> = parcels
                    .iter()
                    .filter(|parcel| parcel.goes_to(machine))
                    .map(|parcel| Header {
                        start: parcel.start,
                        length: parcel.length,
                        is_last: false,
                        ..self.header(Kind::Round, rank, round)
                    })
                    .collect();
                if mine.is_empty() {
                    mine.push(self.header(Kind::Round, rank, round));
                }
                if let Some(last) = mine.last_mut() {
                    last.is_last = true;
                }
                for header in mine {
                    let place = board.outbox(rank, round).wrapping_add(header.start);
                    frames.push(self.from_board(header, place));
                }
            }
        }
        *known = written;
        let known = sent.read.entry(rank).or_insert(0);
        if *known != read {
            *known = read;
            let header = self.header(Kind::Read, rank, read);
            to_all(frames, || plain(header));
        }
    }

    fn messages_of(self: &Arc<Self>, rank: usize, sent: &mut Sent, frames: &mut [Vec<Frame>]) {
        let board = &self.board;
        for peer in self.others() {
            let machine = self.spread.machine[peer];
            let chunks = board.sent(rank, peer).load(Ordering::SeqCst);
            let known = sent.chunks.entry((rank, peer)).or_insert(0);
            for chunk in *known..chunks {
                let label = board.get_label(rank, peer, chunk);
                let header = Header {
                    peer,
                    whole: label.bytes,
                    element: label.element,
                    length: board
                        .piece(rank, peer, chunk)
                        .load(Ordering::Relaxed)
                        .min(u32::try_from(board.shape.pair_chunk).unwrap_or(u32::MAX))
                        as usize,
                    ..self.header(Kind::Chunk, rank, chunk)
                };
                let place = board.pair(rank, peer, chunk);
                frames[machine].push(self.from_board(header, place));
            }
            *known = chunks;
            let taken = board.taken(peer, rank).load(Ordering::SeqCst);
            let known = sent.taken.entry((peer, rank)).or_insert(0);
            if *known != taken {
                *known = taken;
                let header = Header {
                    peer: rank,
                    ..self.header(Kind::Taken, peer, taken)
                };
                frames[machine].push(plain(header));
            }
        }
    }

    fn presence(&self, rank: usize) -> u32 {
        let presence = self.board.presence(rank).load(Ordering::Acquire);
        let process = self.board.process(rank).load(Ordering::Relaxed);
        if presence == PRESENT
            && process != std::process::id()
            && matches!(self.board.segment().is_claimed(rank as u64), Ok(false))
        {
            return GONE;
        }
        presence
    }

    /// Says which ranks of this machine have left. Returns whether any is there.
    fn presences(
        &self,
        presences: &[(usize, u32)],
        sent: &mut Sent,
        frames: &mut [Vec<Frame>],
    ) -> bool {
        let mut is_used = false;
        for &(rank, presence) in presences {
            is_used |= presence == PRESENT;
            let known = sent.presence.entry(rank).or_insert(PRESENT);
            if *known != presence {
                *known = presence;
                let header = self.header(Kind::Presence, rank, u64::from(presence));
                to_all(frames, || plain(header));
            }
        }
        is_used
    }

    /// Marks the ranks of machines that cannot be reached any more.
    fn mark_lost(&self, sent: &mut Sent) {
        for (machine, link) in self.links.iter().enumerate() {
            let Some(why) = link.as_ref().and_then(|link| link.failure()) else {
                continue;
            };
            if sent.lost.contains(&machine) {
                continue;
            }
            sent.lost.push(machine);
            self.board.set_lost(machine, &why);
            for rank in self.spread.ranks(machine) {
                // One that has left in order before stays so.
                let presence = self.board.presence(rank);
                if presence.load(Ordering::Acquire) == PRESENT {
                    presence.store(LOST, Ordering::Release);
                }
            }
        }
    }

    /// Where the bytes of a frame belong.
    pub(crate) fn place(&self, header: &Header) -> Result<*mut u8, String> {
        self.check(header)?;
        let fits = |room: usize| {
            let end = header.start.checked_add(header.length);
            end.is_some_and(|end| end <= room)
        };
        let shape = &self.board.shape;
        match header.kind {
            Kind::Round if fits(shape.chunk) => Ok(self
                .board
                .outbox(header.rank, header.number)
                .wrapping_add(header.start)),
            Kind::Chunk if fits(shape.pair_chunk) => {
                Ok(self.board.pair(header.rank, header.peer, header.number))
            }
            _ => Err("a frame has more bytes than its place".to_owned()),
        }
    }

    /// Refuses what does not come from a rank of another machine.
    fn check(&self, header: &Header) -> Result<(), String> {
        let is_other = |rank: usize| rank < self.board.shape.ranks && !self.spread.is_here(rank);
        let fine = match header.kind {
            Kind::Show | Kind::Round | Kind::Read | Kind::Presence => is_other(header.rank),
            Kind::Chunk => is_other(header.rank) && self.spread.is_here(header.peer),
            Kind::Taken => self.spread.is_here(header.rank) && is_other(header.peer),
            Kind::Broken | Kind::Flush | Kind::Flushed => true,
        };
        fine.then_some(())
            .ok_or_else(|| "a frame names a rank that is not at its other end".to_owned())
    }

    /// Carries a frame out; `bytes` are those that came with it, unless they are in their place already.
    pub(crate) fn accept(&self, header: &Header, bytes: Option<&[u8]>) -> Result<(), String> {
        self.check(header)?;
        if let Some(bytes) = bytes
            && matches!(header.kind, Kind::Round | Kind::Chunk)
            && !bytes.is_empty()
        {
            if bytes.len() != header.length {
                return Err("a frame has another length than it says".to_owned());
            }
            let place = self.place(header)?;
            // SAFETY: `place` has room for them, and no rank reads there before they are announced below.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        }
        let board = &self.board;
        match header.kind {
            Kind::Show => {
                let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
                let bytes: &[u8; DESCRIPTION] = bytes.ok_or("a description is incomplete")?;
                board.show_bytes(header.rank, header.number, bytes);
            }
            Kind::Round => {
                if header.is_last {
                    let written = board.written(header.rank);
                    written.store(header.number + 1, Ordering::SeqCst);
                }
            }
            Kind::Read => board
                .read(header.rank)
                .store(header.number, Ordering::SeqCst),
            Kind::Chunk => {
                let label = Label {
                    bytes: header.whole,
                    element: header.element,
                };
                board.set_label(header.rank, header.peer, header.number, label);
                let sent = board.sent(header.rank, header.peer);
                sent.store(header.number + 1, Ordering::SeqCst);
            }
            Kind::Taken => board
                .taken(header.rank, header.peer)
                .store(header.number, Ordering::SeqCst),
            Kind::Presence => {
                let presence = u32::try_from(header.number).unwrap_or(GONE);
                let presence = if presence == LEFT { LEFT } else { GONE };
                board
                    .presence(header.rank)
                    .store(presence, Ordering::Release);
            }
            Kind::Broken => {
                if board.claim_break() {
                    let text = bytes.unwrap_or_default();
                    board.break_with(&String::from_utf8_lossy(text), None);
                }
                self.sent.lock().is_broken = true;
            }
            Kind::Flush | Kind::Flushed => {}
        }
        Ok(())
    }

    /// Wakes the ranks of this machine that wait for something.
    pub(crate) fn wake(&self, exchange: &Exchange) {
        for rank in self.own() {
            let asleep = self.board.asleep(rank);
            if asleep.load(Ordering::SeqCst) == 1 && asleep.swap(0, Ordering::SeqCst) == 1 {
                exchange.bell.ring(self.board.bell(rank));
            }
        }
    }
}

fn plain(header: Header) -> Frame {
    Frame {
        header,
        bytes: Bytes::Own(Vec::new()),
    }
}

/// One frame for each other machine; the list of this one is dropped.
fn to_all(frames: &mut [Vec<Frame>], make: impl Fn() -> Frame) {
    for frames in frames {
        frames.push(make());
    }
}

impl Exchange {
    /// Adds a bridge, and starts the thread with the first.
    pub(super) fn add(self: &Arc<Self>, bridge: &Arc<Bridge>) -> std::io::Result<()> {
        self.bridges.lock().insert(bridge.id, Arc::clone(bridge));
        let mut is_running = self.is_running.lock();
        if !*is_running {
            let exchange = Arc::clone(self);
            thread::Builder::new()
                .name("millpond-relay".to_owned())
                .spawn(move || {
                    engine::block_signals();
                    exchange.relay();
                })?;
            *is_running = true;
        }
        drop(is_running);
        self.bell.ring(self.bell.name());
        Ok(())
    }

    fn relay(&self) {
        let mut looked = Instant::now();
        loop {
            let now = Instant::now();
            let looks_at_ranks = now.saturating_duration_since(looked) >= LOOK;
            if looks_at_ranks {
                looked = now;
            }
            let links = self.links();
            let mut watched: Vec<&Arc<Link>> = Vec::new();
            for link in &links {
                if link.failure().is_some() {
                    self.links.lock().retain(|it| !Arc::ptr_eq(it, link));
                } else if link.is_watched(now) {
                    watched.push(link);
                }
            }
            let bridges = self.bridges();
            for bridge in &bridges {
                if !bridge.look(looks_at_ranks) {
                    self.bridges.lock().remove(&bridge.id);
                }
            }
            let is_idle = bridges.is_empty() && watched.len() == links.len();
            drop(bridges);
            let mut sources: Vec<BorrowedFd<'_>> = vec![self.bell.as_fd()];
            sources.extend(watched.iter().map(|link| link.pulse.as_fd()));
            let Ok(ready) = wait_for_any(&sources, (!is_idle).then_some(LOOK)) else {
                return;
            };
            self.bell.hush();
            for (link, ready) in watched.iter().zip(&ready[1..]) {
                if *ready {
                    link.feel(now);
                }
            }
        }
    }
}
