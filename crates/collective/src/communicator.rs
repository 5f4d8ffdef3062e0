//! One rank of a communicator.
//!
//! A call gets its place in the order of the communicator when the program makes it ([`Communicator::call`]), and begins when its stream
//! reaches it ([`Call::begin`]). Operations of all ranks go one after the other; messages of one pair and direction, too. Whoever
//! brings news advances what can advance: the thread that begins an operation, or the hub when another rank rings.
//!
//! Owns: the queue of calls of this rank. The board (`board.rs`) is shared with the other ranks.
//!
//! - `call.rs`: a call with its place. `hopeless.rs`: ranks that are gone, and limits of time. `shown.rs`, `problems.rs`: what observers
//!   and messages say. `first_nan.rs`: which rank had a NaN first.
//!
//! What must always hold: an operation that has begun ends, with an error if need be. So a panic in the work of a communicator ends it.

mod call;
mod first_nan;
mod hopeless;
mod problems;
mod shown;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use millpond_sharing::monotonic_milliseconds;
use parking_lot::Mutex;

use crate::board::{Board, LEFT};
use crate::hub::Hub;
use crate::operation::{Description, Request};
use crate::rounds::{Progress, Rounds};
use crate::transfers::Transfers;
use crate::trouble::{Caller, Observer, Problem, Trouble};

const DESTROYED: &str = "the communicator has been destroyed";

pub use call::Call;

/// How an operation ended; a failure says why, for people.
pub type Ended = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Whether the program has given an operation up: its stream was aborted.
pub type Abandoned = Box<dyn Fn() -> bool + Send>;

/// Settings of one communicator.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its name.
    pub name: String,
    /// How long an operation may wait for other ranks; `None` means no limit.
    pub limit: Option<Duration>,
    /// Reduce in another order in each run, to show what depends on it.
    pub shuffled: bool,
    /// Who wants to know what goes wrong between ranks. With one, ranks show each other what they wait for.
    pub observer: Option<Observer>,
    /// The device that this rank uses, by a number that is the same on all ranks of the machine.
    pub device: Option<u32>,
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

/// Where a process that hosts a meeting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host {
    /// Whether it is on this machine.
    pub is_here: bool,
    /// Where other machines reach it.
    pub address: std::net::SocketAddr,
}

/// What must not overtake each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Line {
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
    /// What was called and has not ended; only for an observer.
    shown: HashMap<u64, Shown>,
    failure: Option<String>,
    closed: bool,
}

/// What ranks with an observer show of a call.
struct Shown {
    what: String,
    caller: Caller,
    /// Whether its stream has reached it.
    is_reached: bool,
}

/// Why a communicator ends.
struct Fault {
    text: String,
    problem: Option<Box<Problem>>,
    /// Whether the cause is this rank alone.
    is_own: bool,
}

impl Fault {
    fn of_this_rank(text: String, problem: Option<Box<Problem>>) -> Self {
        Self {
            text,
            problem,
            is_own: true,
        }
    }
}

/// An operation that its stream has reached.
struct Begun {
    lines: Vec<Line>,
    work: Work,
    since: Instant,
    ended: Ended,
    is_abandoned: Abandoned,
}

enum Work {
    /// Earlier ones have not ended.
    Waiting {
        request: Request,
        site: String,
        buffers: Vec<u64>,
    },
    Group(Box<Rounds>),
    /// With the count of taken chunks of each line when they have ended.
    Transfers(Transfers, Vec<(Line, u64)>),
}

/// What becomes of an operation.
enum Step {
    Ended,
    /// It has come further; what else waits here may be able to do so, too.
    Moved,
    Blocked,
}

/// Operations that have ended, and how.
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

    /// Where the process of a rank can be reached, if the ranks are on several machines.
    pub fn host(&self, rank: usize) -> Option<Host> {
        let spread = self.board.spread.as_ref()?;
        Some(Host {
            is_here: spread.is_here(rank),
            address: spread.doors.get(rank).copied().flatten()?,
        })
    }

    /// The ranks that use the same device as this one.
    pub fn on_same_device(&self) -> Vec<usize> {
        let device = |rank| self.board.device(rank).load(Ordering::Relaxed);
        let own = device(self.rank);
        (0..self.ranks())
            .filter(|&rank| own != 0 && rank != self.rank && device(rank) == own)
            .collect()
    }

    /// Why it is of no use any more, if so.
    pub fn failure(&self) -> Option<String> {
        let failure = self.queue.lock().failure.clone();
        failure.or_else(|| self.broken())
    }

    /// Why a call would be refused now, if so.
    pub fn refusal(&self) -> Option<String> {
        let queue = self.queue.lock();
        if queue.closed {
            return Some(DESTROYED.to_owned());
        }
        queue.failure.clone()
    }

    /// Gives a call its place behind all earlier ones.
    pub fn call(&self, request: &Request) -> Result<Call, String> {
        self.call_from(request, &Caller::default())
    }

    /// The same for a call that observers learn of.
    pub fn call_from(&self, request: &Request, caller: &Caller) -> Result<Call, String> {
        let mut queue = self.queue.lock();
        if queue.closed {
            return Err(DESTROYED.to_owned());
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
        self.board.busy(self.rank).store(1, Ordering::SeqCst);
        if self.settings.observer.is_some() {
            self.show_call(&mut queue, number, request, caller, &lines);
        }
        let communicator = self.this.upgrade();
        Ok(Call {
            communicator: communicator.ok_or(DESTROYED)?,
            number,
            lines,
            begun: false,
        })
    }

    /// Does something with the queue, and reports what has ended without its lock. `None` if that panicked.
    fn with_queue<T>(&self, work: impl FnOnce(&mut Queue, &mut Endings) -> T) -> Option<T> {
        let mut endings = Endings::new();
        let done = {
            let mut queue = self.queue.lock();
            let done = catch_unwind(AssertUnwindSafe(|| work(&mut queue, &mut endings)));
            done.inspect_err(|panic| {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                let text = format!(
                    "a bug in Millpond; please report it: the work of rank {} on communicator {} panicked: {}",
                    self.rank,
                    self.settings.name,
                    text.unwrap_or_default()
                );
                self.fail(&mut queue, Fault::of_this_rank(text, None), &mut endings);
            })
            .ok()
        };
        for (ended, result) in endings {
            // The stream's task ends with a failure when what it gave is dropped.
            drop(catch_unwind(AssertUnwindSafe(|| ended(result))));
        }
        done
    }

    /// Goes as far as possible with everything that has begun. Returns whether anything is left.
    pub(crate) fn advance(&self) -> bool {
        let is_left = self.with_queue(|queue, endings| {
            self.advance_locked(queue, endings);
            !queue.begun.is_empty()
        });
        is_left == Some(true)
    }

    fn advance_locked(&self, queue: &mut Queue, endings: &mut Endings) {
        loop {
            let is_waiting = !queue.begun.is_empty();
            let is_busy = is_waiting || !queue.lines.is_empty();
            self.board
                .busy(self.rank)
                .store(u32::from(is_busy), Ordering::SeqCst);
            // Before looking: a change after this look rings.
            self.board
                .asleep(self.rank)
                .store(u32::from(is_waiting), Ordering::SeqCst);
            if !is_waiting {
                return;
            }
            // The program may use the buffers for something else by now.
            if let Some(fault) = self.abandoned(queue) {
                self.fail(queue, fault, endings);
                return;
            }
            // Before the operations: what was there when it was ended counts.
            let broken = self.broken();
            let mut numbers: Vec<u64> = queue.begun.keys().copied().collect();
            numbers.sort_unstable();
            let mut has_moved = false;
            for number in numbers {
                match self.advance_one(queue, number) {
                    Ok(Step::Blocked) => {}
                    Ok(Step::Moved) => has_moved = true,
                    Ok(Step::Ended) => {
                        has_moved = true;
                        let lines = finish(queue, number, endings);
                        self.show_lines(queue, &lines);
                    }
                    Err(fault) => {
                        self.fail(queue, fault, endings);
                        return;
                    }
                }
            }
            if has_moved {
                continue;
            }
            if let Some(text) = broken {
                let (problem, is_own) = (None, false);
                let fault = Fault {
                    text,
                    problem,
                    is_own,
                };
                self.fail(queue, fault, endings);
            }
            return;
        }
    }

    /// Why an operation must not be carried out any more.
    fn abandoned(&self, queue: &Queue) -> Option<Fault> {
        let mut begun = queue.begun.iter();
        let (number, _) = begun.find(|(_, begun)| (begun.is_abandoned)())?;
        let text = format!(
            "operation {number} of rank {} on communicator {} did not end: its stream was aborted",
            self.rank, self.settings.name
        );
        Some(Fault::of_this_rank(text, None))
    }

    fn advance_one(&self, queue: &mut Queue, number: u64) -> Result<Step, Fault> {
        let (groups, rounds) = (queue.groups, queue.rounds);
        let Some(begun) = queue.begun.get_mut(&number) else {
            return Ok(Step::Blocked);
        };
        if matches!(begun.work, Work::Waiting { .. }) {
            let is_first = |line| {
                let line = queue.lines.get(line).and_then(VecDeque::front);
                line.is_none_or(|first| *first == number)
            };
            if !begun.lines.iter().all(is_first) {
                return Ok(Step::Blocked);
            }
            // Until now it waited for other operations of this rank, not for other ranks.
            begun.since = Instant::now();
            let nothing = Work::Transfers(Transfers::begin(Vec::new(), &[]), Vec::new());
            if let Work::Waiting {
                request,
                site,
                buffers,
            } = std::mem::replace(&mut begun.work, nothing)
            {
                begun.work = self.start(request, &site, &buffers, groups, rounds, &begun.lines);
                let lines = begun.lines.clone();
                if let Work::Group(started) = &begun.work {
                    queue.groups += 1;
                    queue.rounds = started.end();
                }
                self.show_lines(queue, &lines);
            }
        }
        let announce = || self.announce();
        let Some(begun) = queue.begun.get_mut(&number) else {
            return Ok(Step::Blocked);
        };
        match &mut begun.work {
            Work::Waiting { .. } => Ok(Step::Blocked),
            Work::Group(rounds) => match rounds.advance(&self.board, self.rank, &announce) {
                Progress::Done => {
                    self.look_for_nan(rounds.sequence());
                    Ok(Step::Ended)
                }
                Progress::Blocked => Ok(Step::Blocked),
                Progress::Mismatch { rank, theirs } => Err(Fault {
                    is_own: false,
                    text: self.mismatch(rounds.description(), rank, &theirs),
                    problem: self.problem(|it| {
                        it.disagreement(rounds.description(), rounds.sequence(), rank, &theirs)
                    }),
                }),
            },
            Work::Transfers(transfers, _) => transfers
                .advance(&self.board, self.rank, &announce)
                .map(|(has_ended, has_moved)| match (has_ended, has_moved) {
                    (true, _) => Step::Ended,
                    (false, true) => Step::Moved,
                    (false, false) => Step::Blocked,
                })
                .map_err(|unequal| Fault {
                    is_own: false,
                    text: format!(
                        "EI0005: the message from rank {} to rank {} of communicator {} does not match: {}",
                        unequal.peer, self.rank, self.settings.name, unequal.text
                    ),
                    problem: self.problem(|it| it.unequal(unequal.peer, &unequal.text)),
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
        lines: &[Line],
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
                self.mark_nan(&group, groups, buffers[0]);
                let mut started = Rounds::begin(group, description, groups, buffers, rounds, order);
                started.show(&self.board, self.rank);
                Work::Group(Box::new(started))
            }
            Request::Transfers(transfers) => {
                let started = Transfers::begin(transfers, buffers);
                let target = |line: &Line| (*line, started.target(&self.board, self.rank, *line));
                let targets = match self.settings.observer {
                    Some(_) => lines.iter().map(target).collect(),
                    None => Vec::new(),
                };
                Work::Transfers(started, targets)
            }
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

    /// Wakes the ranks that wait for something.
    fn announce(&self) {
        for other in (0..self.ranks()).filter(|&other| other != self.rank) {
            let asleep = self.board.asleep(other);
            if asleep.load(Ordering::SeqCst) == 1 && asleep.swap(0, Ordering::SeqCst) == 1 {
                self.hub.ring(self.board.bell(other));
            }
        }
        if let Some(relay) = self.board.wakes_relay() {
            self.hub.ring(relay);
        }
    }

    /// Ends it for this rank, with everything that has begun, and for the others.
    fn fail(&self, queue: &mut Queue, fault: Fault, endings: &mut Endings) {
        let Fault {
            text: mut failure,
            problem,
            is_own,
        } = fault;
        if self.board.claim_break() {
            // Before anyone sees the end: the process may end then.
            if let (Some(observer), Some(problem)) = (&self.settings.observer, problem) {
                drop(catch_unwind(AssertUnwindSafe(|| (observer.0)(&problem))));
            }
            let by = is_own.then(|| (self.rank, monotonic_milliseconds()));
            self.board.break_with(&failure, by);
        } else if let Some(first) = self.board.broken() {
            failure = first;
        }
        for rank in (0..self.ranks()).filter(|&rank| self.board.is_here(rank)) {
            self.board.asleep(rank).store(1, Ordering::SeqCst);
        }
        self.announce();
        for (_, begun) in queue.begun.drain() {
            endings.push((begun.ended, Err(failure.clone())));
        }
        queue.failure.get_or_insert(failure);
        self.board.busy(self.rank).store(0, Ordering::SeqCst);
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    pub(crate) fn observer(&self) -> Option<&Observer> {
        self.settings.observer.as_ref()
    }

    /// Ends it because ranks wait for each other; false if it has ended already.
    pub(crate) fn end_cycle(&self, text: String, problem: Option<Problem>) -> bool {
        let is_first = self.with_queue(|queue, endings| {
            let is_first = self.board.broken().is_none() && !queue.closed;
            if is_first {
                let fault = Fault {
                    text,
                    problem: problem.map(Box::new),
                    is_own: false,
                };
                self.fail(queue, fault, endings);
            }
            is_first
        });
        is_first == Some(true)
    }

    /// Takes this rank out. What has begun and not ended fails.
    pub fn close(&self) {
        let is_first = self.with_queue(|queue, endings| {
            if std::mem::replace(&mut queue.closed, true) {
                return false;
            }
            // What was called and not begun would wait for ranks that see that this one has left.
            if !queue.begun.is_empty() || !queue.lines.is_empty() {
                let text = format!(
                    "communicator {} was destroyed on rank {} while operations were in flight",
                    self.settings.name, self.rank
                );
                let problem = self.problem(|it| {
                    let first = queue.shown.keys().min().copied().unwrap_or(0);
                    let doings = it.waiting(queue, first, &[]);
                    it.trouble(Trouble::Closed, text.clone(), doings)
                });
                self.fail(queue, Fault::of_this_rank(text, problem), endings);
            }
            let left = self.board.left(self.rank);
            left.store(monotonic_milliseconds(), Ordering::Relaxed);
            let presence = self.board.presence(self.rank);
            presence.store(LEFT, Ordering::Release);
            true
        });
        if is_first == Some(true) {
            self.announce();
        }
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        self.close();
    }
}

/// Returns its lines.
fn finish(queue: &mut Queue, number: u64, endings: &mut Endings) -> Vec<Line> {
    let Some(begun) = queue.begun.remove(&number) else {
        return Vec::new();
    };
    remove(queue, &begun.lines, number);
    endings.push((begun.ended, Ok(())));
    begun.lines
}

fn remove(queue: &mut Queue, lines: &[Line], number: u64) {
    queue.shown.remove(&number);
    for line in lines {
        if let Some(waiting) = queue.lines.get_mut(line) {
            waiting.retain(|other| *other != number);
            if waiting.is_empty() {
                queue.lines.remove(line);
            }
        }
    }
}
