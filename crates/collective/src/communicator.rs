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

use crate::board::{Board, Front, LEFT, LOST, PRESENT, QUEUED, STARTED};
use crate::hub::Hub;
use crate::operation::{Description, Request};
use crate::rounds::{Progress, Rounds};
use crate::transfers::Transfers;
use crate::trouble::{Caller, Doing, Observer, Problem, Trouble, readable};

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
}

/// Why a communicator ends.
struct Fault {
    text: String,
    problem: Option<Box<Problem>>,
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
        failure.or_else(|| self.board.broken())
    }

    /// Gives a call its place behind all earlier ones.
    pub fn call(&self, request: &Request) -> Result<Call, String> {
        self.call_from(request, &Caller::default())
    }

    /// The same for a call that observers learn of.
    pub fn call_from(&self, request: &Request, caller: &Caller) -> Result<Call, String> {
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
        self.board.busy(self.rank).store(1, Ordering::SeqCst);
        if self.settings.observer.is_some() {
            self.show_call(&mut queue, number, request, caller, &lines);
        }
        let communicator = self.this.upgrade();
        Ok(Call {
            communicator: communicator.ok_or("the communicator has been destroyed")?,
            number,
            lines,
            begun: false,
        })
    }

    /// Shows a call, where it is first in its lines.
    fn show_call(
        &self,
        queue: &mut Queue,
        number: u64,
        request: &Request,
        caller: &Caller,
        lines: &[Line],
    ) {
        let what = match request {
            Request::Group(group) => Description::new(group, "").summary(),
            Request::Transfers(transfers) => Transfers::title(transfers),
        };
        let last = Front {
            number,
            lane: caller.lane,
            index: 0,
            state: QUEUED,
            what: what.clone(),
            site: caller.site.clone(),
        };
        self.board.set_last(self.rank, &last);
        let caller = caller.clone();
        queue.shown.insert(number, Shown { what, caller });
        self.show_lines(queue, lines);
    }

    /// Shows what is first in each of these lines.
    fn show_lines(&self, queue: &Queue, lines: &[Line]) {
        if self.settings.observer.is_none() {
            return;
        }
        for line in lines {
            let first = queue.lines.get(line).and_then(VecDeque::front);
            let front = first.and_then(|number| {
                let shown = queue.shown.get(number)?;
                let (state, index) = match queue.begun.get(number).map(|begun| &begun.work) {
                    None | Some(Work::Waiting { .. }) => (QUEUED, queue.groups),
                    Some(Work::Group(_)) => (STARTED, queue.groups.saturating_sub(1)),
                    Some(Work::Transfers(_, targets)) => {
                        let target = targets.iter().find(|(known, _)| known == line);
                        (STARTED, target.map_or(0, |(_, target)| *target))
                    }
                };
                Some(Front {
                    number: *number,
                    lane: shown.caller.lane,
                    index,
                    state,
                    what: shown.what.clone(),
                    site: shown.caller.site.clone(),
                })
            });
            let (board, rank, front) = (&self.board, self.rank, front.as_ref());
            match *line {
                Line::Group => board.set_group_front(rank, front),
                Line::To(peer) => board.set_send_front(rank, peer as usize, front),
                Line::From(peer) => board.set_receive_front(peer as usize, rank, front),
            }
        }
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
            let broken = self.board.broken();
            let mut numbers: Vec<u64> = queue.begun.keys().copied().collect();
            numbers.sort_unstable();
            let mut ended = false;
            for number in numbers {
                match self.advance_one(queue, number) {
                    Ok(false) => {}
                    Ok(true) => {
                        ended = true;
                        let lines = finish(queue, number, endings);
                        self.show_lines(queue, &lines);
                    }
                    Err(fault) => {
                        self.fail(queue, fault, endings);
                        return;
                    }
                }
            }
            if ended {
                continue;
            }
            if let Some(text) = broken {
                let problem = None;
                self.fail(queue, Fault { text, problem }, endings);
            }
            return;
        }
    }

    /// Why an operation must not be carried out any more.
    fn abandoned(&self, queue: &Queue) -> Option<Fault> {
        let mut begun = queue.begun.iter();
        let (number, _) = begun.find(|(_, begun)| (begun.is_abandoned)())?;
        Some(Fault {
            text: format!(
                "operation {number} of rank {} on communicator {} did not end: its stream was aborted",
                self.rank, self.settings.name
            ),
            problem: None,
        })
    }

    /// Returns whether it has ended.
    fn advance_one(&self, queue: &mut Queue, number: u64) -> Result<bool, Fault> {
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
            return Ok(false);
        };
        match &mut begun.work {
            Work::Waiting { .. } => Ok(false),
            Work::Group(rounds) => match rounds.advance(&self.board, self.rank, &announce) {
                Progress::Done => Ok(true),
                Progress::Blocked => Ok(false),
                Progress::Mismatch { rank, theirs } => Err(Fault {
                    text: self.mismatch(rounds.description(), rank, &theirs),
                    problem: self.problem(|it| {
                        it.disagreement(rounds.description(), rounds.sequence(), rank, &theirs)
                    }),
                }),
            },
            Work::Transfers(transfers, _) => transfers
                .advance(&self.board, self.rank, &announce)
                .map_err(|unequal| Fault {
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

    fn mismatch(&self, mine: &Description, rank: usize, theirs: &Description) -> String {
        let Some((field, here, there)) = mine.difference(theirs) else {
            return String::new();
        };
        let at = |site: &str| {
            let site = readable(site);
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
        if let Some(relay) = self.board.wakes_relay() {
            self.hub.ring(relay);
        }
    }

    /// Describes a problem, if anybody wants to know.
    fn problem(&self, describe: impl FnOnce(&Self) -> Problem) -> Option<Box<Problem>> {
        let wanted = self.settings.observer.is_some();
        wanted.then(|| Box::new(describe(self)))
    }

    fn trouble(&self, trouble: Trouble, reason: String, doings: Vec<Doing>) -> Problem {
        Problem {
            trouble,
            communicator: self.settings.name.clone(),
            rank: self.rank,
            ranks: self.ranks(),
            reason,
            doings,
            before: String::new(),
        }
    }

    /// Ranks do different things as operation number `sequence`.
    fn disagreement(
        &self,
        mine: &Description,
        sequence: u64,
        rank: usize,
        theirs: &Description,
    ) -> Problem {
        // Ranks that do the same are one entry.
        let mut same: Vec<(Vec<usize>, Description)> = Vec::new();
        for other in 0..self.ranks() {
            let Some(shown) = self.board.shown(other, sequence) else {
                continue;
            };
            let known = same
                .iter_mut()
                .find(|(_, known)| known.difference(&shown).is_none());
            match known {
                Some((ranks, _)) => ranks.push(other),
                None => same.push((vec![other], shown)),
            }
        }
        let doings = same.into_iter().map(|(ranks, shown)| Doing {
            rank: ranks[0],
            what: match ranks.len() {
                1 => shown.summary(),
                _ => format!("{}, also on {}", shown.summary(), listed(&ranks[1..])),
            },
            site: shown.site,
        });
        let name = &self.settings.name;
        let place = sequence + 1;
        let (field, here, there) = mine.difference(theirs).unwrap_or_default();
        let [(low, one), (high, two)] = if self.rank < rank {
            [(self.rank, here), (rank, there)]
        } else {
            [(rank, there), (self.rank, here)]
        };
        let reason = match field {
            "operation" => format!(
                "rank {low} calls {one} as operation {place} of communicator {name}, and rank {high} calls {two}"
            ),
            _ if one.is_empty() => format!(
                "the {field} of operation {place} of communicator {name} differ between rank {low} and rank {high}"
            ),
            _ => format!(
                "the {field} of operation {place} of communicator {name} is {one} on rank {low} and {two} on rank {high}"
            ),
        };
        let mut problem = self.trouble(Trouble::Mismatch, reason, doings.collect());
        let before = sequence.checked_sub(1);
        let before = before.and_then(|before| self.board.shown(self.rank, before));
        problem.before = before.map_or_else(String::new, |before| before.summary());
        problem
    }

    /// A message that this rank receives in another way than it was sent.
    fn unequal(&self, peer: usize, text: &str) -> Problem {
        let fronts = [
            (peer, self.board.send_front(peer, self.rank)),
            (self.rank, self.board.receive_front(peer, self.rank)),
        ];
        let reason = format!(
            "the message from rank {peer} to rank {} of communicator {} does not match: {text}",
            self.rank, self.settings.name
        );
        self.trouble(Trouble::Message, reason, doings(fronts))
    }

    /// Ends it for this rank, with everything that has begun, and for the others.
    fn fail(&self, queue: &mut Queue, fault: Fault, endings: &mut Endings) {
        let Fault {
            text: mut failure,
            problem,
        } = fault;
        if self.board.claim_break() {
            // Before anyone sees the end: the process may end then.
            if let (Some(observer), Some(problem)) = (&self.settings.observer, problem) {
                (observer.0)(&problem);
            }
            self.board.break_with(&failure);
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

    /// Looks whether operations wait for ranks that are gone, or for too long.
    pub(crate) fn tick(&self, now: Instant) {
        let mut endings = Endings::new();
        {
            let mut queue = self.queue.lock();
            if let Some(fault) = self.abandoned(&queue) {
                self.fail(&mut queue, fault, &mut endings);
            } else if let Some(fault) = self.why_hopeless(&queue, now) {
                // What the others did before they ended may be enough.
                self.advance_locked(&mut queue, &mut endings);
                if self.why_hopeless(&queue, now).is_some() {
                    self.fail(&mut queue, fault, &mut endings);
                }
            }
        }
        for (ended, result) in endings {
            ended(result);
        }
    }

    fn why_hopeless(&self, queue: &Queue, now: Instant) -> Option<Fault> {
        queue.begun.iter().find_map(|(number, begun)| {
            let (missing, what) = match &begun.work {
                Work::Waiting { .. } => return None,
                Work::Group(rounds) => (
                    rounds.missing(&self.board, self.rank),
                    rounds.description().summary(),
                ),
                Work::Transfers(transfers, _) => (
                    transfers.missing(&self.board, self.rank),
                    transfers.summary(&self.board, self.rank),
                ),
            };
            let name = &self.settings.name;
            if let Some(gone) = missing.iter().find(|&&other| self.is_gone(other)) {
                let how = self.how_gone(*gone);
                let process = self.board.process(*gone).load(Ordering::Relaxed);
                return Some(Fault {
                    text: format!(
                        "EI0002: {what} on communicator {name} cannot complete: rank {gone} (pid {process}) {how}. Cluster Exception \
                         Location [rank {gone}]: Heartbeat Lost"
                    ),
                    problem: self.problem(|it| {
                        let reason = format!(
                            "{what} of rank {} on communicator {name} waits for rank {gone} (pid {process}), which {how}",
                            it.rank
                        );
                        it.trouble(Trouble::Gone, reason, it.waiting(queue, *number, &[*gone]))
                    }),
                });
            }
            let limit = self.settings.limit?;
            let waited = now.saturating_duration_since(begun.since);
            (waited >= limit).then(|| {
                let seconds = limit.as_secs();
                let names: Vec<String> = missing.iter().map(usize::to_string).collect();
                Fault {
                    text: format!(
                        "EI0002: {what} on communicator {name} waited {seconds} s: Notify register not received from remote rank [{}]. Check that \
                         every rank calls the same operations in the same order; HCCL_EXEC_TIMEOUT sets the limit",
                        names.join(", ")
                    ),
                    problem: self.problem(|it| {
                        let reason = format!(
                            "{what} of rank {} on communicator {name} waited {seconds} s for {}",
                            it.rank,
                            listed(&missing)
                        );
                        it.trouble(Trouble::TimedOut, reason, it.waiting(queue, *number, &missing))
                    }),
                }
            })
        })
    }

    /// What this rank waits with, and what the ranks that it waits for called last.
    fn waiting(&self, queue: &Queue, number: u64, missing: &[usize]) -> Vec<Doing> {
        let own = queue.shown.get(&number).map(|shown| Doing {
            rank: self.rank,
            what: format!("{} waits", shown.what),
            site: shown.caller.site.clone(),
        });
        let others = missing.iter().map(|&rank| {
            let last = self.board.last(rank);
            Doing {
                rank,
                what: match &last {
                    Some(last) => format!("{} is its last call", last.what),
                    None if !self.board.is_here(rank) => {
                        "runs on another machine, whose calls are not known here".to_owned()
                    }
                    None => "has called nothing on this communicator".to_owned(),
                },
                site: last.map_or_else(String::new, |last| last.site),
            }
        });
        own.into_iter().chain(others).collect()
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    pub(crate) fn observer(&self) -> Option<&Observer> {
        self.settings.observer.as_ref()
    }

    /// Ends it because ranks wait for each other; false if it has ended already.
    pub(crate) fn end_cycle(&self, text: String, problem: Option<Problem>) -> bool {
        let mut endings = Endings::new();
        let is_first = {
            let mut queue = self.queue.lock();
            let is_first = self.board.broken().is_none() && !queue.closed;
            if is_first {
                let problem = problem.map(Box::new);
                self.fail(&mut queue, Fault { text, problem }, &mut endings);
            }
            is_first
        };
        for (ended, result) in endings {
            ended(result);
        }
        is_first
    }

    /// What happened to a rank that is gone.
    fn how_gone(&self, other: usize) -> String {
        match self.board.presence(other).load(Ordering::Acquire) {
            LEFT => "has destroyed its communicator".to_owned(),
            LOST => format!("cannot be reached any more: {}", self.board.lost()),
            PRESENT if !self.board.is_here(other) => {
                "cannot be reached any more: the process that connects this machine to the others has ended".to_owned()
            }
            _ => "has ended".to_owned(),
        }
    }

    /// Whether another rank will never do anything again.
    fn is_gone(&self, other: usize) -> bool {
        if other == self.rank {
            return false;
        }
        if !self.board.is_here(other) {
            return self.board.presence(other).load(Ordering::Acquire) != PRESENT
                || self.board.is_relay_gone();
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
            // What was called and not begun would wait for ranks that are told that this one has left.
            if !queue.begun.is_empty() || !queue.lines.is_empty() {
                let text = format!(
                    "communicator {} was destroyed on rank {} while operations were in flight",
                    self.settings.name, self.rank
                );
                let problem = self.problem(|it| {
                    let first = queue.shown.keys().min().copied().unwrap_or(0);
                    it.trouble(
                        Trouble::Closed,
                        text.clone(),
                        it.waiting(&queue, first, &[]),
                    )
                });
                self.fail(&mut queue, Fault { text, problem }, &mut endings);
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
    /// `ended` is called when it has ended, on any thread; `is_abandoned` says whether the program has given it up.
    ///
    /// The buffers stay valid until then: the stream's task owns them.
    pub fn begin(
        mut self,
        request: Request,
        site: String,
        buffers: &[u64],
        is_abandoned: Abandoned,
        ended: Ended,
    ) {
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
                    is_abandoned,
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
        self.communicator.show_lines(&queue, &self.lines);
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
                let text = format!(
                    "operation {} of rank {} on communicator {} was dropped before it began: its stream was aborted or had failed",
                    self.number, communicator.rank, communicator.settings.name
                );
                let problem = None;
                communicator.fail(&mut queue, Fault { text, problem }, &mut endings);
            }
        }
        for (ended, result) in endings {
            ended(result);
        }
    }
}

/// What ranks show, in the order of the ranks.
pub(crate) fn doings(fronts: impl IntoIterator<Item = (usize, Option<Front>)>) -> Vec<Doing> {
    let shown = fronts.into_iter().map(|(rank, front)| Doing {
        rank,
        what: front
            .as_ref()
            .map_or_else(String::new, |it| it.what.clone()),
        site: front.map_or_else(String::new, |it| it.site),
    });
    let mut doings: Vec<Doing> = shown.collect();
    doings.sort_by_key(|doing| doing.rank);
    doings
}

/// `rank 3`, `ranks 0, 1 and 3`.
fn listed(ranks: &[usize]) -> String {
    match ranks {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        [most @ .., last] => {
            let most: Vec<String> = most.iter().map(usize::to_string).collect();
            format!("ranks {} and {last}", most.join(", "))
        }
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
