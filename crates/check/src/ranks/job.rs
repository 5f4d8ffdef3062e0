//! The calls of all ranks, matched by communicator and place.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use millpond_trace::{NumberMap, Operation, Outcome, Position, RankMessage, Record, Text};

use super::found::{self, RankFinding};
use super::lanes::{Item, Lanes};
use super::{Members, Roster};
use crate::world::Origin;

/// How much work it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobStatistics {
    /// Calls of ranks.
    pub calls: u64,
    /// Comparisons of two calls.
    pub comparisons: u64,
    /// The most calls that waited for other ranks at a time.
    pub peak_pending: u64,
    /// Calls that were not compared, because too many waited.
    pub dropped: u64,
}

/// Reads the files of a job.
#[derive(Debug)]
pub struct Job {
    files: Vec<File>,
    /// Files that have more to read, by the number of calls of each that wait.
    order: BTreeSet<(usize, usize)>,
    pub(super) communicators: Vec<Communicator>,
    roster: Roster,
    pub(super) calls: NumberMap<u64, Call>,
    next_call: u64,
    /// When to look for a cycle: at this many waiting calls.
    look_at: usize,
    suspects: Vec<Suspect>,
    statistics: JobStatistics,
    most_pending: usize,
    /// Streams that may be able to continue.
    ready: Vec<(usize, u64)>,
}

#[derive(Debug, Default)]
struct File {
    pending: usize,
    lanes: Lanes,
    /// The communicator of each task that waits.
    tasks: HashMap<Position, usize>,
    /// Its ranks: communicator and number.
    ranks: Vec<(usize, u32)>,
    is_over: bool,
}

/// A communicator.
#[derive(Debug)]
pub(super) struct Communicator {
    pub(super) name: String,
    pub(super) ranks: u32,
    /// The file of each rank that has one.
    pub(super) files: BTreeMap<u32, usize>,
    /// Operations of all ranks that are over, and those that are not.
    pub(super) base: u64,
    places: VecDeque<Place>,
    next: BTreeMap<u32, u64>,
    pairs: HashMap<(u32, u32), Pair>,
    /// Ranks that call nothing more, and whether that is certain.
    gone: BTreeMap<u32, Gone>,
    /// The last operations that matched.
    pub(super) recent: VecDeque<String>,
    /// The last call of each rank that is over, and its file.
    pub(super) last: BTreeMap<u32, (Origin, usize)>,
    /// All-to-alls that not all ranks have called: what each sends and expects.
    exchanges: BTreeMap<u64, BTreeMap<u32, Row>>,
    exchanged: BTreeMap<u32, u64>,
    /// A message that does not match, of an all-to-all that other ranks have yet to call.
    unequal: Option<Unequal>,
    /// Nothing more is compared.
    is_over: bool,
    /// An operation of it failed when the program ran.
    has_failed: bool,
}

/// Why a rank calls nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gone {
    /// It has left the communicator.
    Left,
    /// Its process has ended.
    Ended,
    /// Its file has no end: more calls may be missing from it.
    Unknown,
}

/// An operation of all ranks.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) calls: BTreeMap<u32, u64>,
    /// How many ranks have reached it.
    reached: usize,
    /// The different things that ranks do here.
    pub(super) sorts: Vec<Description>,
}

/// What an operation of all ranks is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Description {
    pub(super) function: Text,
    pub(super) count: u64,
    pub(super) element: Text,
    pub(super) reduction: Text,
    pub(super) root: Option<u32>,
    pub(super) parts: u64,
}

/// Messages from one rank to another.
#[derive(Debug, Default)]
struct Pair {
    sends: VecDeque<Message>,
    receives: VecDeque<Message>,
    /// How many of both were compared.
    compared: usize,
}

#[derive(Debug, Clone)]
struct Message {
    call: u64,
    bytes: u64,
    element: Text,
}

/// What a rank sends to each other rank and expects from it, in bytes.
#[derive(Debug, Default, Clone)]
pub(super) struct Row {
    pub(super) sends: BTreeMap<u32, u64>,
    pub(super) receives: BTreeMap<u32, u64>,
    pub(super) element: Text,
}

#[derive(Debug, Clone)]
struct Unequal {
    from: u32,
    to: u32,
    sent: Message,
    expected: Message,
    /// Which all-to-all of the ranks it is.
    exchange: Option<u64>,
}

/// A call that is not over.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) file: usize,
    pub(super) communicator: usize,
    pub(super) rank: u32,
    pub(super) position: Position,
    pub(super) has_reached: bool,
    pub(super) work: Work,
    pub(super) origin: Origin,
}

#[derive(Debug)]
pub(super) enum Work {
    /// Operation of all ranks, and which of the place's descriptions it has.
    Together { place: u64, sort: usize },
    /// Messages: the pairs, how many are left, and what the call is.
    Messages {
        pairs: Vec<(u32, u32)>,
        left: usize,
        what: String,
    },
}

/// Something that is a finding unless the program ended it itself.
#[derive(Debug)]
struct Suspect {
    communicators: Vec<usize>,
    finding: RankFinding,
    /// Whether the records prove it however the program went on.
    is_certain: bool,
}

/// Calls that may wait at a time.
const MOST_PENDING: usize = 1 << 18;
/// Ranks of an all-to-all whose counts are kept for a finding.
const MOST_ROWS: u32 = 64;
/// Operations before a finding that its picture shows.
const RECENT: usize = 3;

impl Job {
    /// Begins with a roster of all files.
    pub fn new(roster: Roster, files: usize) -> Self {
        let communicators = roster.communicators.iter().map(|members| {
            let Members { name, ranks, files } = members.clone();
            Communicator {
                has_failed: roster.failed.binary_search(&name).is_ok(),
                name,
                ranks,
                files,
                base: 0,
                places: VecDeque::new(),
                next: BTreeMap::new(),
                pairs: HashMap::new(),
                gone: BTreeMap::new(),
                recent: VecDeque::new(),
                last: BTreeMap::new(),
                exchanges: BTreeMap::new(),
                exchanged: BTreeMap::new(),
                unequal: None,
                is_over: false,
            }
        });
        let communicators: Vec<Communicator> = communicators.collect();
        let mut states: Vec<File> = (0..files).map(|_| File::default()).collect();
        for (index, it) in communicators.iter().enumerate() {
            for (rank, file) in &it.files {
                states[*file].ranks.push((index, *rank));
            }
        }
        Self {
            communicators,
            roster,
            files: states,
            order: (0..files).map(|file| (0, file)).collect(),
            calls: NumberMap::default(),
            next_call: 0,
            look_at: 2 * files.max(8),
            suspects: Vec::new(),
            statistics: JobStatistics::default(),
            most_pending: MOST_PENDING,
            ready: Vec::new(),
        }
    }

    /// The same with a lower limit of waiting calls, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_limit(mut self, most_pending: usize) -> Self {
        self.most_pending = most_pending;
        self
    }

    /// The file to read the next record of: that with the fewest waiting calls.
    pub fn wants(&self) -> Option<usize> {
        self.order.first().map(|(_, file)| *file)
    }

    /// Reads a record of a file.
    pub fn read(&mut self, file: usize, record: &Record) {
        match &record.operation {
            Operation::RankCalled {
                communicator,
                rank,
                position,
                function,
                messages,
                ..
            } => {
                let Some(index) = self.roster.find(communicator) else {
                    self.statistics.dropped += 1;
                    return;
                };
                self.statistics.calls += 1;
                if self.communicators[index].is_over {
                    return;
                }
                let description = description(&record.operation);
                let number = self.next_call;
                self.next_call += 1;
                let work = match description {
                    Some(description) => self.together(index, *rank, number, description),
                    None => self.messages(index, *rank, number, function, messages),
                };
                let pairs = match &work {
                    Work::Together { .. } => Vec::new(),
                    Work::Messages { pairs, .. } => pairs.clone(),
                };
                let call = Call {
                    file,
                    communicator: index,
                    rank: *rank,
                    position: *position,
                    has_reached: false,
                    work,
                    origin: Origin {
                        stream: Some(position.stream),
                        ..Origin::clone(&Origin::of(record))
                    },
                };
                self.calls.insert(number, call);
                self.files[file].tasks.insert(*position, index);
                self.count(file, 1);
                let lanes = &mut self.files[file].lanes;
                lanes.add_call(position.stream, position.task, number);
                self.judge(index, &pairs);
                self.ready.push((file, position.stream));
                self.advance();
                self.look();
            }
            Operation::RankLeft { communicator, rank } => {
                if let Some(index) = self.roster.find(communicator) {
                    self.gone(index, *rank, Gone::Left);
                }
            }
            Operation::Completed { position, outcome } if !matches!(outcome, Outcome::Done) => {
                if let Some(index) = self.files[file].tasks.get(position) {
                    self.communicators[*index].has_failed = true;
                }
            }
            Operation::Enqueued { position, .. } => {
                let lanes = &mut self.files[file].lanes;
                lanes.read(record);
                lanes.trim();
                self.ready.push((file, position.stream));
                self.advance();
            }
            _ => {}
        }
    }

    /// A file has no more records; whether it was closed.
    pub fn over(&mut self, file: usize, is_closed: bool) {
        let state = &mut self.files[file];
        if std::mem::replace(&mut state.is_over, true) {
            return;
        }
        self.order.remove(&(state.pending, file));
        let ranks = std::mem::take(&mut state.ranks);
        for (index, rank) in ranks {
            let why = if is_closed {
                Gone::Ended
            } else {
                Gone::Unknown
            };
            self.gone(index, rank, why);
        }
    }

    /// All files are over: what was found.
    pub fn end(mut self) -> (Vec<RankFinding>, JobStatistics) {
        for index in 0..self.communicators.len() {
            self.report_unequal(index, true);
        }
        while self.look_for_cycle() {}
        let communicators = &self.communicators;
        let stays = |suspect: &Suspect| {
            let mut all = suspect.communicators.iter();
            suspect.is_certain || !all.any(|index| communicators[*index].has_failed)
        };
        let mut found: Vec<Suspect> = std::mem::take(&mut self.suspects);
        found.retain(stays);
        let findings = found.into_iter().map(|suspect| suspect.finding).collect();
        let mut statistics = self.statistics;
        statistics.dropped += self.roster.dropped;
        (findings, statistics)
    }

    /// How much work it was up to here.
    pub fn statistics(&self) -> JobStatistics {
        self.statistics
    }

    /// An operation of all ranks that is not over.
    pub(super) fn place(&self, index: usize, place: u64) -> Option<&Place> {
        let it = &self.communicators[index];
        let at = usize::try_from(place.checked_sub(it.base)?).ok()?;
        it.places.get(at)
    }

    fn count(&mut self, file: usize, more: isize) {
        let state = &mut self.files[file];
        let before = state.pending;
        state.pending = before.saturating_add_signed(more);
        let after = state.pending;
        if !state.is_over {
            self.order.remove(&(before, file));
            self.order.insert((after, file));
        }
        let pending = self.calls.len() as u64;
        self.statistics.peak_pending = self.statistics.peak_pending.max(pending);
    }

    /// A rank calls an operation of all ranks.
    fn together(&mut self, index: usize, rank: u32, number: u64, description: Description) -> Work {
        let it = &mut self.communicators[index];
        let next = it.next.entry(rank).or_insert(0);
        let place = *next;
        *next += 1;
        let at = usize::try_from(place.saturating_sub(it.base)).unwrap_or(usize::MAX);
        while it.places.len() <= at {
            it.places.push_back(Place::default());
        }
        let here = &mut it.places[at];
        here.calls.insert(rank, number);
        let mut known = here.sorts.iter();
        let sort = known.position(|other| {
            self.statistics.comparisons += 1;
            *other == description
        });
        let sort = sort.unwrap_or_else(|| {
            here.sorts.push(description);
            here.sorts.len() - 1
        });
        Work::Together { place, sort }
    }

    /// A rank sends and receives messages.
    fn messages(
        &mut self,
        index: usize,
        rank: u32,
        number: u64,
        function: &Text,
        messages: &[RankMessage],
    ) -> Work {
        let it = &mut self.communicators[index];
        let mut pairs = Vec::with_capacity(messages.len());
        let is_exchange = function.contains("AlltoAll") && it.ranks <= MOST_ROWS;
        let mut row = Row::default();
        for message in messages {
            let pair = if message.sends {
                (rank, message.peer)
            } else {
                (message.peer, rank)
            };
            pairs.push(pair);
            let line = it.pairs.entry(pair).or_default();
            let side = if message.sends {
                &mut line.sends
            } else {
                &mut line.receives
            };
            side.push_back(Message {
                call: number,
                bytes: message.bytes,
                element: message.element.clone(),
            });
            if is_exchange {
                let counts = if message.sends {
                    &mut row.sends
                } else {
                    &mut row.receives
                };
                counts.insert(message.peer, message.bytes);
                row.element.clone_from(&message.element);
            }
        }
        if is_exchange {
            let nth = it.exchanged.entry(rank).or_insert(0);
            let here = it.exchanges.entry(*nth).or_default();
            here.insert(rank, row);
            let (nth, all) = (*nth, here.len() == it.files.len());
            *it.exchanged.entry(rank).or_insert(0) += 1;
            // Those that match are compared message by message.
            if all
                && it
                    .unequal
                    .as_ref()
                    .is_none_or(|it| it.exchange != Some(nth))
            {
                let row = it.exchanges.get(&nth);
                if row.is_some_and(found::agree) {
                    it.exchanges.remove(&nth);
                }
            }
        }
        Work::Messages {
            what: found::title(function, messages),
            left: pairs.len(),
            pairs,
        }
    }

    /// Looks at a communicator after a rank has called something on it, or is gone, and at these pairs of ranks.
    fn judge(&mut self, index: usize, pairs: &[(u32, u32)]) {
        self.judge_places(index);
        self.judge_messages(index, pairs);
        self.report_unequal(index, false);
    }

    fn judge_places(&mut self, index: usize) {
        let it = &self.communicators[index];
        let Some(place) = it.places.front().filter(|_| !it.is_over) else {
            return;
        };
        // Most calls are not the last ones.
        let is_whole = place.calls.len() == it.files.len();
        if place.calls.is_empty() || !is_whole && it.gone.is_empty() {
            return;
        }
        if is_whole && place.sorts.len() == 1 {
            return;
        }
        let is_gone = |rank: &&u32| !place.calls.contains_key(rank);
        let missing: Vec<u32> = it.files.keys().filter(is_gone).copied().collect();
        if !missing.iter().all(|rank| it.gone.contains_key(rank)) {
            return;
        }
        if place.sorts.len() > 1 {
            let finding = found::mismatch(self, index, place);
            self.suspect(vec![index], finding, true);
        } else if !missing.is_empty() {
            let finding = found::waits(self, index, place, &missing, &it.gone);
            let is_known = missing.iter().all(|rank| it.gone[rank] != Gone::Unknown);
            self.suspect_if(is_known, index, finding);
        }
    }

    /// Compares messages of pairs of ranks.
    fn judge_messages(&mut self, index: usize, pairs: &[(u32, u32)]) {
        let Self {
            communicators,
            statistics,
            calls,
            ..
        } = self;
        let it = &mut communicators[index];
        if it.is_over || it.unequal.is_some() {
            return;
        }
        let mut alone = None;
        for (from, to) in pairs {
            let Some(pair) = it.pairs.get_mut(&(*from, *to)) else {
                continue;
            };
            let both = pair.sends.len().min(pair.receives.len());
            while pair.compared < both {
                let at = pair.compared;
                let (sent, expected) = (&pair.sends[at], &pair.receives[at]);
                statistics.comparisons += 1;
                pair.compared += 1;
                if (sent.bytes, &sent.element) != (expected.bytes, &expected.element) {
                    it.unequal = Some(Unequal {
                        from: *from,
                        to: *to,
                        sent: sent.clone(),
                        expected: expected.clone(),
                        exchange: None,
                    });
                    break;
                }
            }
            if it.unequal.is_some() {
                break;
            }
            for (waits, misses, messages) in [
                (*from, *to, pair.sends.get(pair.receives.len())),
                (*to, *from, pair.receives.get(pair.sends.len())),
            ] {
                if let Some(message) = messages
                    && let Some(gone) = it.gone.get(&misses)
                {
                    alone = Some((message.call, waits, misses, *gone));
                }
            }
        }
        if let Some(unequal) = &mut it.unequal {
            let what = |call| match calls.get(&call).map(|it: &Call| &it.work) {
                Some(Work::Messages { what, .. }) => what.contains("AlltoAll"),
                _ => false,
            };
            // The call that was just made is not among the others yet.
            let nth = |rank| it.exchanged.get(&rank).map(|count| count - 1);
            if what(unequal.sent.call) || what(unequal.expected.call) {
                unequal.exchange = nth(unequal.from).min(nth(unequal.to));
            }
        } else if let Some((call, _, misses, gone)) = alone {
            let finding = found::message_waits(self, index, call, misses, gone);
            self.suspect_if(gone != Gone::Unknown, index, finding);
        }
    }

    /// Reports a message that does not match, once all ranks have called the all-to-all that it belongs to.
    fn report_unequal(&mut self, index: usize, is_end: bool) {
        let it = &self.communicators[index];
        let Some(unequal) = it.unequal.clone().filter(|_| !it.is_over) else {
            return;
        };
        let rows = unequal.exchange.and_then(|nth| it.exchanges.get(&nth));
        let waits = |rows: &BTreeMap<u32, Row>| {
            let mut ranks = it.files.keys();
            ranks.any(|rank| !rows.contains_key(rank) && !it.gone.contains_key(rank))
        };
        if rows.is_some_and(waits) && !is_end {
            return;
        }
        let matrix = rows.and_then(found::matrix);
        let Unequal {
            from,
            to,
            sent,
            expected,
            ..
        } = &unequal;
        let one = (*from, sent.call, sent.bytes, &sent.element);
        let other = (*to, expected.call, expected.bytes, &expected.element);
        let finding = found::unequal(self, index, one, other, matrix);
        self.suspect(vec![index], finding, true);
    }

    fn suspect_if(&mut self, is_known: bool, index: usize, finding: RankFinding) {
        if is_known {
            self.suspect(vec![index], finding, false);
        } else {
            // Calls may be missing from a file, which the report says anyway.
            self.abandon(index);
        }
    }

    fn suspect(&mut self, communicators: Vec<usize>, finding: RankFinding, is_certain: bool) {
        for index in &communicators {
            self.abandon(*index);
        }
        self.suspects.push(Suspect {
            communicators,
            finding,
            is_certain,
        });
    }

    /// Compares nothing more on a communicator: its calls count as over.
    fn abandon(&mut self, index: usize) {
        let it = &mut self.communicators[index];
        it.is_over = true;
        it.places.clear();
        it.pairs.clear();
        it.exchanges.clear();
        let calls: Vec<u64> = self
            .calls
            .iter()
            .filter(|(_, call)| call.communicator == index)
            .map(|(number, _)| *number)
            .collect();
        for number in calls {
            self.finish(number);
        }
    }

    fn gone(&mut self, index: usize, rank: u32, why: Gone) {
        let it = &mut self.communicators[index];
        it.gone.entry(rank).or_insert(why);
        if !it.is_over {
            let mut pairs: Vec<(u32, u32)> = it.pairs.keys().copied().collect();
            pairs.retain(|(from, to)| *from == rank || *to == rank);
            pairs.sort_unstable();
            self.judge(index, &pairs);
            self.advance();
        }
    }

    /// Goes as far as possible in the streams that may be able to continue.
    fn advance(&mut self) {
        while let Some((file, stream)) = self.ready.pop() {
            for number in self.files[file].lanes.advance(stream) {
                let Some(call) = self.calls.get_mut(&number) else {
                    continue;
                };
                if std::mem::replace(&mut call.has_reached, true) {
                    continue;
                }
                let index = call.communicator;
                let done = match &call.work {
                    Work::Together { place, .. } => {
                        let place = *place;
                        self.reach_place(index, place)
                    }
                    Work::Messages { pairs, .. } => {
                        let pairs = pairs.clone();
                        self.reach_messages(index, &pairs)
                    }
                };
                for number in done {
                    self.finish(number);
                }
            }
        }
    }

    /// A rank has reached an operation of all ranks. Returns the calls that are over now.
    fn reach_place(&mut self, index: usize, place: u64) -> Vec<u64> {
        let it = &mut self.communicators[index];
        let mut done = Vec::new();
        if let Some(at) = place.checked_sub(it.base)
            && let Ok(at) = usize::try_from(at)
            && let Some(place) = it.places.get_mut(at)
        {
            place.reached += 1;
        }
        while let Some(place) = it.places.front()
            && place.sorts.len() == 1
            && place.reached == it.files.len()
            && place.calls.len() == it.files.len()
        {
            done.extend(place.calls.values().copied());
            it.recent.push_back(place.sorts[0].summary());
            if it.recent.len() > RECENT {
                it.recent.pop_front();
            }
            it.base += 1;
            it.places.pop_front();
        }
        done
    }

    /// A rank has reached messages.
    fn reach_messages(&mut self, index: usize, pairs: &[(u32, u32)]) -> Vec<u64> {
        let mut done = Vec::new();
        let it = &mut self.communicators[index];
        if it.unequal.is_some() {
            return done;
        }
        for (from, to) in pairs {
            let Some(pair) = it.pairs.get_mut(&(*from, *to)) else {
                continue;
            };
            // A rank without a file does what is expected of it.
            let (has_sender, has_receiver) =
                (it.files.contains_key(from), it.files.contains_key(to));
            loop {
                let has_reached = |message: Option<&Message>, is_known: bool| match message {
                    Some(message) => self
                        .calls
                        .get(&message.call)
                        .is_some_and(|it| it.has_reached),
                    None => !is_known,
                };
                let (sent, received) = (pair.sends.front(), pair.receives.front());
                if sent.is_none() && received.is_none()
                    || !has_reached(sent, has_sender)
                    || !has_reached(received, has_receiver)
                {
                    break;
                }
                let both = [pair.sends.pop_front(), pair.receives.pop_front()];
                pair.compared = pair.compared.saturating_sub(1);
                for message in both.into_iter().flatten() {
                    if let Some(Call {
                        work: Work::Messages { left, .. },
                        ..
                    }) = self.calls.get_mut(&message.call)
                    {
                        *left -= 1;
                        if *left == 0 {
                            done.push(message.call);
                        }
                    }
                }
            }
            if pair.sends.is_empty() && pair.receives.is_empty() {
                it.pairs.remove(&(*from, *to));
            }
        }
        done
    }

    /// A call is over: its stream may continue.
    fn finish(&mut self, number: u64) {
        let Some(call) = self.calls.remove(&number) else {
            return;
        };
        let state = &mut self.files[call.file];
        state.lanes.remove(call.position.stream, number);
        let it = &mut self.communicators[call.communicator];
        if !it.is_over {
            state.tasks.remove(&call.position);
            it.last.insert(call.rank, (call.origin, call.file));
        }
        self.count(call.file, -1);
        self.ready.push((call.file, call.position.stream));
    }

    /// Looks for a cycle now and then, and gives up what is too much.
    fn look(&mut self) {
        let waiting = |file: &File| file.lanes.tasks();
        let pending = self.calls.len();
        if pending < self.look_at {
            return;
        }
        while self.look_for_cycle() {}
        self.look_at = (2 * self.calls.len()).max(self.look_at);
        if self.calls.len() >= self.most_pending {
            self.statistics.dropped += self.calls.len() as u64;
            self.statistics.dropped += self.files.iter().map(waiting).sum::<usize>() as u64;
            for index in 0..self.communicators.len() {
                if !self.communicators[index].places.is_empty()
                    || !self.communicators[index].pairs.is_empty()
                {
                    self.abandon(index);
                }
            }
            self.look_at = 2 * self.files.len().max(8);
            self.advance();
        }
    }

    /// Reports streams that wait for each other; false if none do.
    fn look_for_cycle(&mut self) -> bool {
        let Some(steps) = self.cycle() else {
            return false;
        };
        let mut communicators: Vec<usize> =
            steps.iter().filter_map(|step| step.communicator).collect();
        communicators.sort_unstable();
        communicators.dedup();
        let finding = found::cycle(self, &communicators, &steps);
        self.suspect(communicators, finding, false);
        self.advance();
        true
    }

    /// What each stream waits for: the streams that have not reached what it needs.
    fn edges(&self) -> BTreeMap<(usize, u64), Vec<Step>> {
        let mut edges: BTreeMap<(usize, u64), Vec<Step>> = BTreeMap::new();
        for (file, state) in self.files.iter().enumerate() {
            for (stream, item) in state.lanes.fronts() {
                let from = (file, stream);
                let steps = match item {
                    Item::Mark(_) => Vec::new(),
                    Item::Wait(mark) => state
                        .lanes
                        .stream_of(mark)
                        .map(|to| Step {
                            from,
                            to: (file, to),
                            communicator: None,
                            call: None,
                            needs: None,
                        })
                        .into_iter()
                        .collect(),
                    Item::Call(number) => self.needs(from, number),
                };
                edges.entry(from).or_default().extend(steps);
            }
        }
        edges
    }

    /// Calls that one waits for and that other streams have not reached.
    fn needs(&self, from: (usize, u64), number: u64) -> Vec<Step> {
        let Some(call) = self.calls.get(&number) else {
            return Vec::new();
        };
        let it = &self.communicators[call.communicator];
        let mut needed: Vec<u64> = Vec::new();
        match &call.work {
            Work::Together { .. } => {
                // Operations of all ranks go one after the other.
                if let Some(place) = it.places.front() {
                    needed.extend(place.calls.values());
                }
            }
            Work::Messages { pairs, .. } => {
                for pair in pairs {
                    let Some(pair) = it.pairs.get(pair) else {
                        continue;
                    };
                    needed.extend(pair.sends.front().map(|message| message.call));
                    needed.extend(pair.receives.front().map(|message| message.call));
                }
            }
        }
        let step = |needs: &u64| {
            let other = self.calls.get(needs).filter(|other| !other.has_reached)?;
            Some(Step {
                from,
                to: (other.file, other.position.stream),
                communicator: Some(call.communicator),
                call: Some(number),
                needs: Some(*needs),
            })
        };
        needed.iter().filter_map(step).collect()
    }

    fn cycle(&self) -> Option<Vec<Step>> {
        let edges = self.edges();
        let mut done: BTreeSet<(usize, u64)> = BTreeSet::new();
        for start in edges.keys() {
            // The way to where the search is, and which step it tries next at each place.
            let mut way: Vec<&Step> = Vec::new();
            let mut places = vec![(*start, 0)];
            while let Some((place, tried)) = places.last_mut() {
                if done.contains(place) {
                    places.pop();
                    way.pop();
                    continue;
                }
                let next = edges.get(place).and_then(|steps| steps.get(*tried));
                let Some(step) = next else {
                    done.insert(*place);
                    continue;
                };
                *tried += 1;
                let known = places.iter().position(|(place, _)| *place == step.to);
                if let Some(at) = known {
                    way.push(step);
                    return Some(way[at..].iter().map(|step| (*step).clone()).collect());
                }
                way.push(step);
                places.push((step.to, 0));
            }
        }
        None
    }
}

/// A stream that waits for another.
#[derive(Debug, Clone)]
pub(super) struct Step {
    from: (usize, u64),
    to: (usize, u64),
    pub(super) communicator: Option<usize>,
    /// The call that waits, and the one that it needs. None for a wait for an event.
    pub(super) call: Option<u64>,
    pub(super) needs: Option<u64>,
}

impl Step {
    pub(super) fn streams(&self) -> (u64, u64) {
        (self.from.1, self.to.1)
    }
}

/// What an operation of all ranks is; none if it is messages.
fn description(operation: &Operation) -> Option<Description> {
    match operation {
        Operation::RankCalled {
            function,
            count,
            element,
            reduction,
            root,
            parts,
            messages,
            ..
        } if messages.is_empty() => Some(Description {
            function: function.clone(),
            count: *count,
            element: element.clone(),
            reduction: reduction.clone(),
            root: *root,
            parts: *parts,
        }),
        _ => None,
    }
}
