//! What the communicators of one process share: the bell, the thread that answers it, and the segments.
//!
//! The thread sleeps until a rank rings. While operations wait, it also looks now and then whether the ranks they wait for still live
//! and whether their time is up.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use std::{fmt, io};

use millpond_sharing::{Bell, BellName, Segment, monotonic_milliseconds, spawn};
use parking_lot::Mutex;

use crate::board::{Front, Relayed};
use crate::communicator::Communicator;
use crate::machines::{Exchange, Network};
use crate::trouble::{Doing, Problem, Trouble};
use crate::waits::{self, EventWait, Half, Step, Waits};

/// How often the ranks that operations wait for are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// What the communicators of one process share.
#[derive(Debug)]
pub struct Hub {
    bell: Bell,
    watched: Mutex<Vec<Arc<Communicator>>>,
    segments: Mutex<HashMap<[u8; 16], Weak<Segment>>>,
    /// All of them, for those who look for ranks that wait for each other.
    known: Mutex<Vec<Weak<Communicator>>>,
    /// What this process knows of waiting streams.
    waits: Mutex<Waits>,
    events: OnceLock<EventWaits>,
    /// Whether an operation has brought a NaN to this process, or may have: from another machine.
    pub(crate) has_nan: AtomicBool,
    /// Connections to other machines.
    exchange: Arc<Exchange>,
}

/// Returns streams of this process that wait for events: lane and task that wait, and those that record.
pub struct EventWaits(pub Box<dyn Fn() -> Vec<EventWait> + Send + Sync>);

impl fmt::Debug for EventWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventWaits")
    }
}

/// After so many looks that see a cycle, the process that should end it has something else to do.
const PATIENCE: u32 = 40;

impl Hub {
    /// A hub without communicators, and its thread.
    pub fn new() -> io::Result<Arc<Self>> {
        Self::with_network(Network::default())
    }

    /// The same for a process that may reach other machines.
    pub fn with_network(network: Network) -> io::Result<Arc<Self>> {
        let bell = Bell::new()?;
        let hub = Arc::new(Self {
            exchange: Exchange::new(network, bell.name().0)?,
            bell,
            watched: Mutex::default(),
            segments: Mutex::default(),
            known: Mutex::default(),
            waits: Mutex::default(),
            events: OnceLock::new(),
            has_nan: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&hub);
        spawn("millpond-ranks", move || of_thread.run())?;
        Ok(hub)
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
        segments.retain(|_, known| known.strong_count() > 0);
        if let Some(segment) = segments.get(&id).and_then(Weak::upgrade) {
            segment.keep(descriptor);
            return Ok(segment);
        }
        let segment = Arc::new(match descriptor {
            Some(descriptor) => Segment::open(descriptor)?,
            None => make()?,
        });
        segments.insert(id, Arc::downgrade(&segment));
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

    /// From now on cycles through events of this process's streams are found, too: `waits` returns streams, by lane, that wait.
    pub fn watch_events(&self, waits: EventWaits) {
        drop(self.events.set(waits));
    }

    /// Ends communicators whose ranks wait for each other.
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
        let began = monotonic_milliseconds();
        let mut found: Vec<(Half, Step)> = Vec::new();
        for (index, communicator) in boards.iter().enumerate() {
            waits::on_board(communicator.board(), communicator.id(), index, &mut found);
        }
        if let Some(EventWaits(events)) = self.events.get()
            && !found.is_empty()
        {
            waits::on_events(&events(), &mut found);
        }
        // The next millisecond, because this one may have begun before the look ended.
        let ended = monotonic_milliseconds() + 1;
        let is_own = |communicator: &Communicator, rank| {
            let mut ranks = known.iter().filter(|it| it.id() == communicator.id());
            ranks.any(|it| it.rank() == rank)
        };
        let mut others = Vec::new();
        for communicator in &boards {
            for rank in 0..communicator.ranks() {
                if !is_own(communicator, rank) {
                    others.extend(communicator.board().relayed(rank));
                }
            }
        }
        let mut state = self.waits.lock();
        let own = found.iter().map(|(half, _)| *half);
        let all = state.learn((began, ended), own, others);
        let steps: HashMap<Half, Step> = found.into_iter().collect();
        for communicator in &known {
            let is_here = |board: &usize| boards[*board].id() == communicator.id();
            let seen_there = |half| {
                let step = steps.get(half).and_then(Step::board);
                step.as_ref().is_some_and(is_here)
            };
            let relayed = all.iter().filter(|(half, _)| !seen_there(*half));
            let mut relayed: Vec<Relayed> = relayed
                .map(|(&half, &held)| Relayed { half, held })
                .collect();
            // What nobody else can see comes first, in case not all of it fits.
            relayed.sort_by_key(|it| !steps.contains_key(&it.half));
            let board = communicator.board();
            board.set_relayed(communicator.rank(), &relayed);
        }
        let Some(cycle) = waits::cycle(&all) else {
            return;
        };
        let times = state.times(&cycle);
        drop(state);
        // One process acts: that of the first lane. If it does not, another one does.
        let is_first = match cycle.first().and_then(|half| steps.get(half)) {
            Some(Step::Starts { board, rank, .. } | Step::Message { board, rank, .. }) => {
                is_own(boards[*board], *rank)
            }
            Some(Step::Event) => true,
            Some(Step::Lacks { .. }) | None => false,
        };
        if is_first || times > PATIENCE {
            end_cycle(&boards, &cycle, &steps);
        }
    }

    /// Looks at a communicator until nothing of it is left.
    pub(crate) fn watch(self: &Arc<Self>, communicator: &Arc<Communicator>) {
        if communicator.watched.swap(true, Ordering::SeqCst) {
            return;
        }
        self.watched.lock().push(Arc::clone(communicator));
        // The thread may sleep without a limit, and what rang before it knew the communicator is forgotten.
        self.ring(self.bell());
    }

    fn run(&self) {
        let mut looked = Instant::now();
        loop {
            let communicators = self.watched.lock().clone();
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
                let communicators = self.watched.lock().clone();
                for communicator in communicators {
                    communicator.tick(now);
                }
                // A panic must not end the thread that all communicators depend on; their own work catches its panics.
                drop(catch_unwind(AssertUnwindSafe(|| self.look_for_cycle())));
            }
        }
    }

    /// Stops looking at one, unless something has begun meanwhile.
    fn forget(&self, communicator: &Arc<Communicator>) {
        let mut watched = self.watched.lock();
        communicator.watched.store(false, Ordering::SeqCst);
        watched.retain(|other| !Arc::ptr_eq(other, communicator));
        drop(watched);
        if communicator.advance() {
            // It began between the look and the removal; whoever began it may have seen it watched.
            if !communicator.watched.swap(true, Ordering::SeqCst) {
                self.watched.lock().push(Arc::clone(communicator));
            }
        }
    }
}

/// Ends the communicators of a cycle. The first of them decides who reports it.
fn end_cycle(boards: &[&Arc<Communicator>], cycle: &[Half], steps: &HashMap<Half, Step>) {
    let known: Vec<Option<&Step>> = cycle.iter().map(|half| steps.get(half)).collect();
    let mut waiting: Vec<Waiting<'_>> = Vec::new();
    let mut is_whole = true;
    for (at, step) in known.iter().enumerate() {
        // An operation of all ranks leads from the call that waits to the one that is missing.
        let next = known[(at + 1) % known.len()];
        let (one, after) = match (step, next) {
            (
                Some(Step::Starts { board, rank, call }),
                Some(Step::Lacks { peer, call: to, .. }),
            ) => {
                let one = Waiting {
                    board: *board,
                    rank: *rank,
                    peer: *peer,
                    from: call,
                    to,
                    is_event: false,
                };
                (one, at + 2)
            }
            (
                Some(Step::Message {
                    board,
                    rank,
                    peer,
                    from,
                    to,
                }),
                _,
            ) => {
                let one = Waiting {
                    board: *board,
                    rank: *rank,
                    peer: *peer,
                    from,
                    to,
                    is_event: false,
                };
                (one, at + 1)
            }
            (Some(Step::Lacks { .. } | Step::Event), _) => continue,
            _ => {
                is_whole = false;
                continue;
            }
        };
        let is_event = matches!(known[after % known.len()], Some(Step::Event));
        waiting.push(Waiting { is_event, ..one });
    }
    let mut involved: Vec<usize> = waiting.iter().map(|it| it.board).collect();
    involved.sort_unstable();
    involved.dedup();
    let Some(first) = involved.first().map(|board| boards[*board]) else {
        return;
    };
    let several = involved.len() > 1;
    let mut doings: Vec<(usize, usize, Doing)> = waiting
        .iter()
        .map(|it| {
            let on = if several {
                format!(" on communicator {}", boards[it.board].name())
            } else {
                String::new()
            };
            let behind = if it.is_event {
                "a wait for an event"
            } else {
                "other waiting work"
            };
            let what = format!(
                "{}{on} waits for rank {}, whose {} is queued behind {behind}",
                it.from.what, it.peer, it.to.what
            );
            let doing = Doing {
                rank: it.rank,
                what,
                site: it.from.site.clone(),
                also: Vec::new(),
            };
            (it.board, it.rank, doing)
        })
        .collect();
    doings.sort_by_key(|(board, rank, _)| (*board, *rank));
    let names: Vec<&str> = involved.iter().map(|&board| boards[board].name()).collect();
    let names = names.join(" and ");
    let through = if is_whole {
        ""
    } else {
        ", through waits in other processes"
    };
    let reason = format!(
        "ranks of communicator {names} wait for each other{through}, and none of them can continue"
    );
    let text = format!("EI0002: {reason}: {}", {
        let steps = doings
            .iter()
            .map(|(_, rank, doing)| format!("rank {rank}: {}", doing.what));
        steps.collect::<Vec<_>>().join("; ")
    });
    let problem = Problem {
        trouble: Trouble::Cycle,
        communicator: names,
        rank: first.rank(),
        ranks: first.ranks(),
        reason,
        doings: doings.into_iter().map(|(_, _, doing)| doing).collect(),
        before: String::new(),
        place: 0,
    };
    if first.end_cycle(text.clone(), Some(problem)) {
        for &board in &involved[1..] {
            boards[board].end_cycle(text.clone(), None);
        }
    }
}

/// A call of a cycle, and the one that it waits for.
struct Waiting<'a> {
    board: usize,
    rank: usize,
    peer: usize,
    from: &'a Front,
    to: &'a Front,
    /// Whether the stream of the other call waits for an event.
    is_event: bool,
}
