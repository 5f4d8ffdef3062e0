//! One rank of a communicator.
//!
//! A call gets its place in the order of the communicator when the program makes it ([`Communicator::call`]), and begins when its stream
//! reaches it ([`Call::begin`]). Operations of all ranks go one after the other; messages of one pair and direction, too. Whoever
//! brings news advances what can advance: the thread that begins an operation, or the hub when another rank rings.
//!
//! Owns: the queue of calls of this rank. The board (`board.rs`) is shared with the other ranks.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::board::{Board, LEFT, PRESENT};
use crate::hub::Hub;
use crate::operation::{Description, Request};
use crate::rounds::{Progress, Rounds};
use crate::transfers::Transfers;

/// How an operation ended; a failure says why, for people.
pub type Ended = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Settings of one communicator.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its name.
    pub name: String,
    /// How long an operation may wait for other ranks; `None` for ever.
    pub limit: Option<Duration>,
    /// Reduce in another order in each run, to show what depends on it.
    pub shuffled: bool,
}

/// One rank of a communicator.
pub struct Communicator {
    board: Board,
    rank: usize,
    id: [u8; 16],
    settings: Settings,
    hub: Arc<Hub>,
    queue: Mutex<Queue>,
    /// Whether the hub looks at it.
    pub(crate) watched: AtomicBool,
    this: Weak<Self>,
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Communicator")
            .field("name", &self.settings.name)
            .field("rank", &self.rank)
            .finish_non_exhaustive()
    }
}

/// What must not overtake each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Line {
    Group,
    To(u32),
    From(u32),
}

#[derive(Default)]
struct Queue {
    calls: u64,
    /// Operations of all ranks that have begun, and the rounds that they take.
    groups: u64,
    rounds: u64,
    lines: HashMap<Line, VecDeque<u64>>,
    begun: HashMap<u64, Begun>,
    failure: Option<String>,
    closed: bool,
}

/// An operation that its stream has reached.
struct Begun {
    lines: Vec<Line>,
    work: Work,
    since: Instant,
    ended: Ended,
}

enum Work {
    /// Earlier ones have not ended.
    Waiting {
        request: Request,
        site: String,
        buffers: Vec<u64>,
    },
    Group(Box<Rounds>),
    Transfers(Transfers),
}

/// A call with its place in the order. One that is dropped without having begun ends the communicator: the other ranks would wait for
/// it.
#[derive(Debug)]
pub struct Call {
    communicator: Arc<Communicator>,
    number: u64,
    lines: Vec<Line>,
    begun: bool,
}

/// What a rank was doing when something went wrong.
type Endings = Vec<(Ended, Result<(), String>)>;

impl Communicator {
    pub(crate) fn new(
        board: Board,
        rank: usize,
        id: [u8; 16],
        settings: Settings,
        hub: &Arc<Hub>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            board,
            rank,
            id,
            settings,
            hub: Arc::clone(hub),
            queue: Mutex::default(),
            watched: AtomicBool::new(false),
            this: Weak::clone(this),
        })
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.board.shape.ranks
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// What all ranks of it, and no other communicator, have in common.
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// Why it is of no use any more, if so.
    pub fn failure(&self) -> Option<String> {
        let failure = self.queue.lock().failure.clone();
        failure.or_else(|| self.board.broken())
    }

    /// Gives a call its place behind all earlier ones.
    pub fn call(&self, request: &Request) -> Result<Call, String> {
        let mut queue = self.queue.lock();
        if queue.closed {
            return Err("the communicator has been destroyed".to_owned());
        }
        if let Some(failure) = &queue.failure {
            return Err(failure.clone());
        }
        let lines = match request {
            Request::Group(_) => vec![Line::Group],
            Request::Transfers(transfers) => {
                let mut lines: Vec<Line> = Vec::with_capacity(transfers.len());
                for transfer in transfers {
                    let line = if transfer.sends {
                        Line::To(transfer.peer)
                    } else {
                        Line::From(transfer.peer)
                    };
                    if !lines.contains(&line) {
                        lines.push(line);
                    }
                }
                lines
            }
        };
        queue.calls += 1;
        let number = queue.calls;
        for line in &lines {
            queue.lines.entry(*line).or_default().push_back(number);
        }
        self.board.called(self.rank).store(number, Ordering::SeqCst);
        let communicator = self.this.upgrade();
        Ok(Call {
            communicator: communicator.ok_or("the communicator has been destroyed")?,
            number,
            lines,
            begun: false,
        })
    }

    /// Goes as far as possible with everything that has begun. Returns whether anything is left.
    pub(crate) fn advance(&self) -> bool {
        let mut endings = Endings::new();
        let is_left = {
            let mut queue = self.queue.lock();
            self.advance_locked(&mut queue, &mut endings);
            !queue.begun.is_empty()
        };
        for (ended, result) in endings {
            ended(result);
        }
        is_left
    }

    fn advance_locked(&self, queue: &mut Queue, endings: &mut Endings) {
        loop {
            let is_waiting = !queue.begun.is_empty();
            // Before looking: a change after this look rings.
            self.board
                .asleep(self.rank)
                .store(u32::from(is_waiting), Ordering::SeqCst);
            if !is_waiting {
                return;
            }
            if let Some(failure) = self.board.broken() {
                self.fail(queue, failure, endings);
                return;
            }
            let mut numbers: Vec<u64> = queue.begun.keys().copied().collect();
            numbers.sort_unstable();
            let mut ended = false;
            for number in numbers {
                match self.advance_one(queue, number) {
                    Ok(false) => {}
                    Ok(true) => {
                        ended = true;
                        finish(queue, number, endings);
                    }
                    Err(failure) => {
                        self.fail(queue, failure, endings);
                        return;
                    }
                }
            }
            if !ended {
                return;
            }
        }
    }

    /// Returns whether it has ended.
    fn advance_one(&self, queue: &mut Queue, number: u64) -> Result<bool, String> {
        let (groups, rounds) = (queue.groups, queue.rounds);
        let Some(begun) = queue.begun.get_mut(&number) else {
            return Ok(false);
        };
        if matches!(begun.work, Work::Waiting { .. }) {
            let is_first = |line| {
                let line = queue.lines.get(line).and_then(VecDeque::front);
                line.is_none_or(|first| *first == number)
            };
            if !begun.lines.iter().all(is_first) {
                return Ok(false);
            }
            let nothing = Work::Transfers(Transfers::begin(Vec::new(), &[]));
            if let Work::Waiting {
                request,
                site,
                buffers,
            } = std::mem::replace(&mut begun.work, nothing)
            {
                begun.work = self.start(request, &site, &buffers, groups, rounds);
                if let Work::Group(started) = &begun.work {
                    queue.groups += 1;
                    queue.rounds = started.end();
                }
            }
        }
        let announce = || self.announce();
        let Some(begun) = queue.begun.get_mut(&number) else {
            return Ok(false);
        };
        match &mut begun.work {
            Work::Waiting { .. } => Ok(false),
            Work::Group(rounds) => match rounds.advance(&self.board, self.rank, &announce) {
                Progress::Done => Ok(true),
                Progress::Blocked => Ok(false),
                Progress::Mismatch { rank, theirs } => {
                    Err(self.mismatch(rounds.description(), rank, &theirs))
                }
            },
            Work::Transfers(transfers) => transfers
                .advance(&self.board, self.rank, &announce)
                .map_err(|unequal| {
                    format!(
                        "EI0005: messages from rank {} to rank {} of communicator {} do not match: {}",
                        unequal.peer, self.rank, self.settings.name, unequal.text
                    )
                }),
        }
    }

    fn start(
        &self,
        request: Request,
        site: &str,
        buffers: &[u64],
        groups: u64,
        rounds: u64,
    ) -> Work {
        match request {
            Request::Group(group) => {
                let buffer = |index: usize| {
                    let address = buffers.get(index).copied().unwrap_or(0);
                    usize::try_from(address).unwrap_or(0)
                };
                let description = Description::new(&group, site);
                let order = self.order(groups);
                let buffers = [buffer(0), buffer(1)];
                let mut started = Rounds::begin(group, description, groups, buffers, rounds, order);
                started.show(&self.board, self.rank);
                Work::Group(Box::new(started))
            }
            Request::Transfers(transfers) => Work::Transfers(Transfers::begin(transfers, buffers)),
        }
    }

    /// The order of ranks in a reduction: the same on all of them.
    fn order(&self, sequence: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ranks()).collect();
        if self.settings.shuffled {
            let mut seed = sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for bytes in self.id.chunks_exact(8) {
                seed ^= u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            }
            for index in (1..order.len()).rev() {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let other = (seed >> 33) % (index as u64 + 1);
                order.swap(index, usize::try_from(other).unwrap_or(0));
            }
        }
        order
    }

    fn mismatch(&self, mine: &Description, rank: usize, theirs: &Description) -> String {
        let Some((field, here, there)) = mine.difference(theirs) else {
            return String::new();
        };
        let at = |site: &str| {
            if site.is_empty() {
                String::new()
            } else {
                format!(" at {site}")
            }
        };
        format!(
            "EI0005: the arguments of a collective are inconsistent between ranks of communicator {}: parameter[{field}], local[rank {}: \
             {here}], remote[rank {rank}: {there}]. Rank {} calls {}{}; rank {rank} calls {}{}",
            self.settings.name,
            self.rank,
            self.rank,
            mine.summary(),
            at(&mine.site),
            theirs.summary(),
            at(&theirs.site)
        )
    }

    /// Wakes the ranks that wait for something.
    fn announce(&self) {
        for other in (0..self.ranks()).filter(|&other| other != self.rank) {
            let asleep = self.board.asleep(other);
            if asleep.load(Ordering::SeqCst) == 1 && asleep.swap(0, Ordering::SeqCst) == 1 {
                self.hub.ring(self.board.bell(other));
            }
        }
    }

    /// Ends it for this rank, with everything that has begun, and for the others.
    fn fail(&self, queue: &mut Queue, failure: String, endings: &mut Endings) {
        self.board.break_with(&failure);
        for rank in 0..self.ranks() {
            self.board.asleep(rank).store(1, Ordering::SeqCst);
        }
        self.announce();
        for (_, begun) in queue.begun.drain() {
            endings.push((begun.ended, Err(failure.clone())));
        }
        queue.failure.get_or_insert(failure);
    }

    /// Looks whether operations wait for ranks that are gone, or for too long.
    pub(crate) fn tick(&self, now: Instant) {
        let mut endings = Endings::new();
        {
            let mut queue = self.queue.lock();
            if let Some(failure) = self.why_hopeless(&queue, now) {
                // What the others did before they ended may be enough.
                self.advance_locked(&mut queue, &mut endings);
                if self.why_hopeless(&queue, now).is_some() {
                    self.fail(&mut queue, failure, &mut endings);
                }
            }
        }
        for (ended, result) in endings {
            ended(result);
        }
    }

    fn why_hopeless(&self, queue: &Queue, now: Instant) -> Option<String> {
        queue.begun.values().find_map(|begun| {
            let (missing, what) = match &begun.work {
                Work::Waiting { .. } => return None,
                Work::Group(rounds) => (
                    rounds.missing(&self.board, self.rank),
                    rounds.description().summary(),
                ),
                Work::Transfers(transfers) => (
                    transfers.missing(&self.board, self.rank),
                    transfers.summary(&self.board, self.rank),
                ),
            };
            let name = &self.settings.name;
            if let Some(gone) = missing.iter().find(|&&other| self.is_gone(other)) {
                let how = if self.board.presence(*gone).load(Ordering::Acquire) == LEFT {
                    "has destroyed its communicator"
                } else {
                    "has ended"
                };
                return Some(format!(
                    "EI0002: {what} on communicator {name} cannot end: the process of rank {gone} (pid {}) {how}. Cluster Exception Location \
                     [rank {gone}]: Heartbeat Lost",
                    self.board.process(*gone).load(Ordering::Relaxed)
                ));
            }
            let limit = self.settings.limit?;
            let waited = now.saturating_duration_since(begun.since);
            (waited >= limit).then(|| {
                let missing: Vec<String> = missing.iter().map(usize::to_string).collect();
                format!(
                    "EI0002: {what} on communicator {name} waited {} s: Notify register not received from remote rank [{}]. Check that every rank \
                     calls the same operations in the same order; HCCL_EXEC_TIMEOUT sets the limit",
                    limit.as_secs(),
                    missing.join(", ")
                )
            })
        })
    }

    /// Whether another rank will never do anything again.
    fn is_gone(&self, other: usize) -> bool {
        if other == self.rank {
            return false;
        }
        match self.board.presence(other).load(Ordering::Acquire) {
            PRESENT => {
                let process = self.board.process(other).load(Ordering::Relaxed);
                process != std::process::id()
                    && matches!(self.board.segment().is_claimed(other as u64), Ok(false))
            }
            state => state == LEFT,
        }
    }

    /// Takes this rank out. What has begun and not ended fails.
    pub fn close(&self) {
        let mut endings = Endings::new();
        {
            let mut queue = self.queue.lock();
            if queue.closed {
                return;
            }
            queue.closed = true;
            if !queue.begun.is_empty() {
                let failure = format!(
                    "communicator {} was destroyed on rank {} while operations were in flight",
                    self.settings.name, self.rank
                );
                self.fail(&mut queue, failure, &mut endings);
            }
        }
        self.board
            .presence(self.rank)
            .store(LEFT, Ordering::Release);
        self.announce();
        for (ended, result) in endings {
            ended(result);
        }
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        self.close();
    }
}

impl Call {
    /// Its number among the calls of this rank, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The stream has reached it: `buffers` are where work finds the operation's buffers, `site` is where the program called it.
    /// `ended` is called when it has ended, on any thread.
    ///
    /// The buffers stay valid until then: the stream's task owns them.
    pub fn begin(mut self, request: Request, site: String, buffers: &[u64], ended: Ended) {
        self.begun = true;
        let communicator = Arc::clone(&self.communicator);
        let mut endings = Endings::new();
        let is_left = {
            let mut queue = communicator.queue.lock();
            if let Some(failure) = queue.failure.clone() {
                endings.push((ended, Err(failure)));
                false
            } else {
                let begun = Begun {
                    lines: std::mem::take(&mut self.lines),
                    work: Work::Waiting {
                        request,
                        site,
                        buffers: buffers.to_vec(),
                    },
                    since: Instant::now(),
                    ended,
                };
                queue.begun.insert(self.number, begun);
                communicator.advance_locked(&mut queue, &mut endings);
                !queue.begun.is_empty()
            }
        };
        if is_left {
            communicator.hub.watch(&communicator);
        }
        for (ended, result) in endings {
            ended(result);
        }
    }

    /// The program's call failed before the operation was queued: it has no place.
    pub fn withdraw(mut self) {
        self.begun = true;
        let mut queue = self.communicator.queue.lock();
        remove(&mut queue, &self.lines, self.number);
        if queue.calls == self.number {
            queue.calls -= 1;
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.begun {
            return;
        }
        let mut endings = Endings::new();
        {
            let communicator = &self.communicator;
            let mut queue = communicator.queue.lock();
            if !queue.closed {
                let failure = format!(
                    "operation {} of rank {} on communicator {} was dropped before it began: its stream was aborted or had failed",
                    self.number, communicator.rank, communicator.settings.name
                );
                communicator.fail(&mut queue, failure, &mut endings);
            }
        }
        for (ended, result) in endings {
            ended(result);
        }
    }
}

fn finish(queue: &mut Queue, number: u64, endings: &mut Endings) {
    if let Some(begun) = queue.begun.remove(&number) {
        remove(queue, &begun.lines, number);
        endings.push((begun.ended, Ok(())));
    }
}

fn remove(queue: &mut Queue, lines: &[Line], number: u64) {
    for line in lines {
        if let Some(waiting) = queue.lines.get_mut(line) {
            waiting.retain(|other| *other != number);
            if waiting.is_empty() {
                queue.lines.remove(line);
            }
        }
    }
}
