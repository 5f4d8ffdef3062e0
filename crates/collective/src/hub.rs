//! What the communicators of one process share: the bell, the thread that answers it, and the segments.
//!
//! The thread sleeps until a rank rings. While operations wait, it also looks now and then whether the ranks they wait for still live
//! and whether their time is up.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use millpond_sharing::{Bell, BellName, Segment};
use parking_lot::Mutex;

use crate::communicator::Communicator;
use crate::machines::{Exchange, Network};
use crate::trouble::{self, Doing, Edge, Problem, Trouble};

/// How often the ranks that operations wait for are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// What the communicators of one process share.
#[derive(Debug)]
pub struct Hub {
    bell: Bell,
    watched: Mutex<Watched>,
    segments: Mutex<HashMap<[u8; 16], Kept>>,
    /// All of them, for those who look for ranks that wait for each other.
    known: Mutex<Vec<Weak<Communicator>>>,
    /// The calls of the cycle that the last look saw.
    cycle: Mutex<Option<Cycle>>,
    /// Connections to other machines.
    exchange: Arc<Exchange>,
}

/// Board, rank and number of each call that waits, and the number of the call that it waits for.
type Cycle = Vec<([u8; 16], usize, u64, u64)>;

#[derive(Debug, Default)]
struct Watched {
    communicators: Vec<Arc<Communicator>>,
    is_running: bool,
}

/// A segment, and further descriptors of it that arrived: closing one would release the process's claims.
#[derive(Debug, Default)]
struct Kept {
    segment: Weak<Segment>,
    descriptors: Vec<OwnedFd>,
}

impl Hub {
    /// A hub without communicators. Its thread starts with the first operation that waits.
    pub fn new() -> io::Result<Arc<Self>> {
        Self::with_network(Network::default())
    }

    /// The same for a process that may reach other machines.
    pub fn with_network(network: Network) -> io::Result<Arc<Self>> {
        let bell = Bell::new()?;
        Ok(Arc::new(Self {
            exchange: Exchange::new(network, bell.name().0)?,
            bell,
            watched: Mutex::default(),
            segments: Mutex::default(),
            known: Mutex::default(),
            cycle: Mutex::default(),
        }))
    }

    pub(crate) fn exchange(&self) -> &Arc<Exchange> {
        &self.exchange
    }

    /// Waits, not longer than the limit, until other machines have what the ranks of this process have written: nobody would send
    /// it once the process has ended.
    pub fn drain(&self, limit: Duration) {
        self.exchange.drain(limit);
    }

    /// The same without waiting for other ranks of this machine.
    pub fn flush(&self, limit: Duration) {
        self.exchange.flush(Instant::now() + limit);
    }

    pub(crate) fn bell(&self) -> BellName {
        self.bell.name()
    }

    pub(crate) fn ring(&self, other: BellName) {
        self.bell.ring(other);
    }

    /// The process's only value for a segment.
    pub(crate) fn segment(
        &self,
        id: [u8; 16],
        descriptor: Option<OwnedFd>,
        make: impl FnOnce() -> io::Result<Segment>,
    ) -> io::Result<Arc<Segment>> {
        let mut segments = self.segments.lock();
        segments.retain(|_, kept| kept.segment.strong_count() > 0);
        let kept = segments.entry(id).or_default();
        if let Some(segment) = kept.segment.upgrade() {
            kept.descriptors.extend(descriptor);
            return Ok(segment);
        }
        let segment = Arc::new(match descriptor {
            Some(descriptor) => Segment::open(descriptor)?,
            None => make()?,
        });
        kept.segment = Arc::downgrade(&segment);
        Ok(segment)
    }

    /// Remembers a new communicator.
    pub(crate) fn meet(&self, communicator: &Arc<Communicator>) {
        if communicator.observer().is_some() {
            let mut known = self.known.lock();
            known.retain(|other| other.strong_count() > 0);
            known.push(Arc::downgrade(communicator));
        }
    }

    /// Ends communicators whose ranks wait for each other, if two looks see the same.
    fn look_for_cycle(&self) {
        let known: Vec<Arc<Communicator>> =
            self.known.lock().iter().filter_map(Weak::upgrade).collect();
        // Ranks of this process share a board.
        let mut boards: Vec<&Arc<Communicator>> = Vec::new();
        for communicator in &known {
            if boards.iter().all(|other| other.id() != communicator.id()) {
                boards.push(communicator);
            }
        }
        boards.sort_by_key(|communicator| communicator.id());
        let mut edges = Vec::new();
        for (index, communicator) in boards.iter().enumerate() {
            trouble::edges(communicator.board(), index, &mut edges);
        }
        let cycle = trouble::cycle(&edges);
        let calls: Option<Cycle> = cycle.as_ref().map(|cycle| {
            let call = |edge: &Edge| {
                let id = boards[edge.board].id();
                (id, edge.rank, edge.from.number, edge.to.number)
            };
            let mut calls: Cycle = cycle.iter().map(call).collect();
            calls.sort_unstable();
            calls
        });
        let before = std::mem::replace(&mut *self.cycle.lock(), calls.clone());
        if let Some(cycle) = cycle
            && before == calls
        {
            end_cycle(&boards, &cycle);
        }
    }

    /// Looks at a communicator until nothing of it is left.
    pub(crate) fn watch(self: &Arc<Self>, communicator: &Arc<Communicator>) {
        if communicator.watched.swap(true, Ordering::SeqCst) {
            return;
        }
        let mut watched = self.watched.lock();
        watched.communicators.push(Arc::clone(communicator));
        if !watched.is_running {
            let hub = Arc::clone(self);
            let started = thread::Builder::new()
                .name("millpond-ranks".to_owned())
                .spawn(move || hub.run());
            watched.is_running = started.is_ok();
        }
        drop(watched);
        // The thread may sleep without a limit, and what rang before it knew the communicator is forgotten.
        self.ring(self.bell());
    }

    fn run(&self) {
        let mut looked = Instant::now();
        loop {
            let communicators = self.watched.lock().communicators.clone();
            for communicator in &communicators {
                if !communicator.advance() {
                    self.forget(communicator);
                }
            }
            let limit = (!communicators.is_empty()).then_some(LOOK);
            drop(communicators);
            self.bell.wait(limit);
            let now = Instant::now();
            if now.saturating_duration_since(looked) >= LOOK {
                looked = now;
                let communicators = self.watched.lock().communicators.clone();
                for communicator in communicators {
                    communicator.tick(now);
                }
                self.look_for_cycle();
            }
        }
    }

    /// Stops looking at one, unless something has begun meanwhile.
    fn forget(&self, communicator: &Arc<Communicator>) {
        let mut watched = self.watched.lock();
        communicator.watched.store(false, Ordering::SeqCst);
        watched
            .communicators
            .retain(|other| !Arc::ptr_eq(other, communicator));
        drop(watched);
        if communicator.advance() {
            // It began between the look and the removal; whoever began it may have seen it watched.
            if !communicator.watched.swap(true, Ordering::SeqCst) {
                self.watched
                    .lock()
                    .communicators
                    .push(Arc::clone(communicator));
            }
        }
    }
}

/// Ends the communicators of a cycle. The first of them decides who reports it.
fn end_cycle(boards: &[&Arc<Communicator>], cycle: &[Edge]) {
    let mut involved: Vec<usize> = cycle.iter().map(|edge| edge.board).collect();
    involved.sort_unstable();
    involved.dedup();
    let several = involved.len() > 1;
    let mut steps: Vec<(usize, usize, Doing)> = cycle
        .iter()
        .map(|edge| {
            let on = if several {
                format!(" on communicator {}", boards[edge.board].name())
            } else {
                String::new()
            };
            let what = format!(
                "{}{on} waits for rank {}, whose {} is queued behind other waiting work",
                edge.from.what, edge.peer, edge.to.what
            );
            let (rank, site) = (edge.rank, edge.from.site.clone());
            (edge.board, rank, Doing { rank, what, site })
        })
        .collect();
    steps.sort_by_key(|(board, rank, _)| (*board, *rank));
    let names: Vec<&str> = involved.iter().map(|&board| boards[board].name()).collect();
    let names = names.join(" and ");
    let reason =
        format!("ranks of communicator {names} wait for each other, and none of them can continue");
    let text = format!("EI0002: {reason}: {}", {
        let steps = steps
            .iter()
            .map(|(_, rank, doing)| format!("rank {rank}: {}", doing.what));
        steps.collect::<Vec<_>>().join("; ")
    });
    let first = boards[involved[0]];
    let problem = Problem {
        trouble: Trouble::Cycle,
        communicator: names,
        rank: first.rank(),
        ranks: first.ranks(),
        reason,
        doings: steps.into_iter().map(|(_, _, doing)| doing).collect(),
        before: String::new(),
    };
    if first.end_cycle(text.clone(), Some(problem)) {
        for &board in &involved[1..] {
            boards[board].end_cycle(text.clone(), None);
        }
    }
}
