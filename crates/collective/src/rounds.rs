//! An operation of all ranks, as rounds.
//!
//! In each round a rank writes into its half outbox, says so, waits until those whose bytes it needs have written, and reads. The first
//! round of an operation waits for all ranks and compares what they called. Ranks that call different operations fail there, before
//! they use each other's bytes.
//!
//! Large `AllReduce`s take two rounds per chunk: in the first, ranks write their elements; in the second, each reduces one slice of
//! the chunk, for all, and everyone collects the slices.
//!
//! With ranks on several machines every reduction takes two rounds per chunk: in the first, ranks write their elements for the ranks of
//! their machine; in the second, each of these reduces one slice of them, in rank order, and everyone combines the machines' partial
//! results in the order of the machines. Before a round is announced, a rank lists what of its outbox other machines need.
#![expect(
    unsafe_code,
    reason = "moves bytes between the program's buffers and the shared memory"
)]

use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::board::{Board, Parcel};
use crate::element::{Stage, reduce, reduce_stage};
use crate::machines::Spread;
use crate::operation::{Description, Group, Kind};

/// Up to so many bytes of all ranks together, everyone reduces everything: one round instead of two.
const DIRECT: usize = 64 << 10;

/// How far an operation has come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    /// It waits for other ranks.
    Blocked,
    /// Another rank does something else.
    Mismatch {
        rank: usize,
        theirs: Description,
    },
}

/// One operation on its way.
#[derive(Debug)]
pub(crate) struct Rounds {
    group: Group,
    description: Description,
    /// The operation's number among those of all ranks.
    sequence: u64,
    /// Where work finds the buffers.
    send: usize,
    receive: usize,
    /// The number of its first round among all rounds of the communicator.
    base: u64,
    count: u64,
    round: u64,
    /// Whether this round was written.
    wrote: bool,
    /// The order in which ranks are reduced.
    order: Vec<usize>,
    /// Whether ranks of a machine are reduced first, and then the machines.
    is_two_level: bool,
}

impl Rounds {
    /// Begins an operation; earlier ones have ended. Shows the others what it is.
    pub(crate) fn begin(
        group: Group,
        description: Description,
        sequence: u64,
        [send, receive]: [usize; 2],
        base: u64,
        order: Vec<usize>,
    ) -> Self {
        Self {
            group,
            description,
            sequence,
            send,
            receive,
            base,
            count: 0,
            round: 0,
            wrote: false,
            order,
            is_two_level: false,
        }
    }

    /// Shows the operation to the others. Before the first [`Rounds::advance`].
    pub(crate) fn show(&mut self, board: &Board, rank: usize) {
        self.is_two_level = board.spread.is_some() && self.group.kind.reduces();
        self.count = self.rounds(board);
        board.show(rank, self.sequence, &self.description);
    }

    /// The number of the first round after it.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.count
    }

    /// Goes as far as possible. `announce` is called after each change that others may wait for.
    pub(crate) fn advance(&mut self, board: &Board, rank: usize, announce: &dyn Fn()) -> Progress {
        while self.round < self.count {
            let round = self.base + self.round;
            if !self.wrote {
                if !self.all(board, |other| {
                    board.read(other).load(Ordering::SeqCst) + 1 >= round
                }) {
                    return Progress::Blocked;
                }
                self.write(board, rank, round);
                if let Some(spread) = &board.spread {
                    board.set_parcels(rank, round, &self.parcels(board, spread, rank));
                }
                if self.is_second() {
                    board.read(rank).store(round, Ordering::SeqCst);
                }
                board.written(rank).store(round + 1, Ordering::SeqCst);
                self.wrote = true;
                announce();
            }
            let needed =
                |other: usize| self.round == 0 || self.needs(board, rank, other) || other == rank;
            if !self.all(board, |other| {
                !needed(other) || board.written(other).load(Ordering::SeqCst) > round
            }) {
                return Progress::Blocked;
            }
            if self.round == 0
                && let Some(mismatch) = self.compare(board, rank)
            {
                return mismatch;
            }
            if !self.is_first_of_two() {
                self.read(board, rank, round);
                board.read(rank).store(round + 1, Ordering::SeqCst);
                announce();
            }
            self.wrote = false;
            self.round += 1;
        }
        Progress::Done
    }

    /// The ranks that it waits for.
    pub(crate) fn missing(&self, board: &Board, rank: usize) -> Vec<usize> {
        let round = self.base + self.round;
        (0..board.shape.ranks)
            .filter(|&other| {
                if self.wrote {
                    (self.round == 0 || self.needs(board, rank, other))
                        && board.written(other).load(Ordering::SeqCst) <= round
                } else {
                    board.read(other).load(Ordering::SeqCst) + 1 < round
                }
            })
            .collect()
    }

    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    fn all(&self, board: &Board, is_so: impl Fn(usize) -> bool) -> bool {
        debug_assert!(self.count > 0, "it was shown");
        (0..board.shape.ranks).all(is_so)
    }

    fn compare(&self, board: &Board, rank: usize) -> Option<Progress> {
        (0..board.shape.ranks)
            .filter(|&other| other != rank)
            .find_map(|other| {
                let theirs = board.shown(other, self.sequence)?;
                let differs = self.description.difference(&theirs).is_some();
                differs.then_some(Progress::Mismatch {
                    rank: other,
                    theirs,
                })
            })
    }

    fn size(&self) -> usize {
        self.group.element.bytes()
    }

    fn elements(&self) -> usize {
        usize::try_from(self.group.count).unwrap_or(usize::MAX)
    }

    /// Elements of one rank's part.
    fn part(&self, rank: usize) -> Range<usize> {
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        match self.group.parts.get(rank) {
            // An empty part may start anywhere.
            Some(part) if part.count == 0 => 0..0,
            Some(part) => number(part.start)..number(part.start) + number(part.count),
            None => rank * self.elements()..(rank + 1) * self.elements(),
        }
    }

    /// Elements that one round moves: of one rank's part where the outbox is divided among the ranks.
    fn stride(&self, board: &Board) -> usize {
        let room = match self.group.kind {
            Kind::ReduceScatter | Kind::ReduceScatterV | Kind::Scatter => {
                board.shape.chunk / board.shape.ranks
            }
            _ => board.shape.chunk,
        };
        (room / self.room()).max(1)
    }

    /// Bytes that an element takes in an outbox: partial results are there, too.
    fn room(&self) -> usize {
        if self.is_two_level {
            self.group.element.partial()
        } else {
            self.size()
        }
    }

    fn is_direct(&self, board: &Board) -> bool {
        self.elements() * self.size() * board.shape.ranks <= DIRECT
    }

    fn rounds(&self, board: &Board) -> u64 {
        let longest = match self.group.kind {
            Kind::AllGatherV | Kind::ReduceScatterV => {
                let parts = self.group.parts.iter().map(|part| part.count);
                usize::try_from(parts.max().unwrap_or(0)).unwrap_or(usize::MAX)
            }
            Kind::Barrier => 0,
            _ => self.elements(),
        };
        let chunks = (longest.div_ceil(self.stride(board)) as u64).max(1);
        match self.group.kind {
            _ if self.is_two_level => 2 * chunks,
            Kind::AllReduce if !self.is_direct(board) => 2 * chunks,
            _ => chunks,
        }
    }

    /// Whether this round is the first, or second, of a chunk that takes two.
    fn is_first_of_two(&self) -> bool {
        self.is_two_step() && self.round.is_multiple_of(2)
    }

    fn is_second(&self) -> bool {
        self.is_two_step() && self.round % 2 == 1
    }

    fn is_two_step(&self) -> bool {
        // Direct ones have a single round.
        self.is_two_level || (self.group.kind == Kind::AllReduce && self.count > 1)
    }

    /// Whether this rank reads what the other wrote.
    fn needs(&self, board: &Board, rank: usize, other: usize) -> bool {
        let root = self.group.root as usize;
        if self.is_two_level && self.is_first_of_two() {
            return board.is_here(other);
        }
        match self.group.kind {
            Kind::Broadcast | Kind::Scatter => other == root,
            Kind::Reduce => rank == root,
            _ => true,
        }
    }

    /// The elements of a part that this round moves.
    fn window(&self, stride: usize, length: usize) -> Range<usize> {
        let round = usize::try_from(if self.is_two_step() {
            self.round / 2
        } else {
            self.round
        })
        .unwrap_or(usize::MAX);
        let start = (round * stride).min(length);
        start..(start + stride).min(length)
    }

    fn write(&self, board: &Board, rank: usize, round: u64) {
        let (size, stride) = (self.size(), self.stride(board));
        let outbox = board.outbox(rank, round);
        let put = |place: usize, elements: Range<usize>| {
            // SAFETY: the program's buffer has these elements (`Stream::external` checked it), and the half outbox has room for a
            // stride of each rank's part. Nobody reads this half now.
            unsafe {
                copy(
                    outbox.wrapping_add(place * size),
                    std::ptr::with_exposed_provenance::<u8>(self.send + elements.start * size),
                    elements.len() * size,
                );
            }
        };
        let is_root = rank == self.group.root as usize;
        match self.group.kind {
            _ if self.is_two_level && self.is_second() => self.reduce_partly(board, rank, round),
            Kind::AllReduce if self.is_second() => self.reduce_slice(board, rank, round),
            Kind::AllReduce | Kind::AllGather | Kind::Reduce => {
                put(0, self.window(stride, self.elements()));
            }
            Kind::AllGatherV => put(0, self.window(stride, self.part(rank).len())),
            Kind::Broadcast if is_root => put(0, self.window(stride, self.elements())),
            Kind::ReduceScatter | Kind::ReduceScatterV => self.put_parts(board, stride, &put),
            Kind::Scatter if is_root => self.put_parts(board, stride, &put),
            Kind::Broadcast | Kind::Scatter | Kind::Barrier => {}
        }
    }

    fn put_parts(&self, board: &Board, stride: usize, put: &dyn Fn(usize, Range<usize>)) {
        for other in 0..board.shape.ranks {
            let part = self.part(other);
            let window = self.window(stride, part.len());
            put(
                other * stride,
                part.start + window.start..part.start + window.end,
            );
        }
    }

    /// The slice of a chunk that a rank reduces.
    fn slice(chunk: &Range<usize>, rank: usize, ranks: usize) -> Range<usize> {
        let length = chunk.len();
        length * rank / ranks..length * (rank + 1) / ranks
    }

    fn reduce_slice(&self, board: &Board, rank: usize, round: u64) {
        let chunk = self.window(self.stride(board), self.elements());
        let slice = Self::slice(&chunk, rank, board.shape.ranks);
        let from = slice.start * self.size();
        let to = board.outbox(rank, round).wrapping_add(from);
        self.reduce(board, round - 1, from, to, slice.len());
    }

    /// Reduces elements at a place of all outboxes.
    fn reduce(&self, board: &Board, round: u64, place: usize, to: *mut u8, count: usize) {
        let sources: Vec<*const u8> = self
            .order
            .iter()
            .map(|&other| board.outbox(other, round).wrapping_add(place).cast_const())
            .collect();
        // SAFETY: all ranks have written these elements in that round, and none writes there before this rank has said that it
        // has read them. The destination is this rank's own, and not among the sources.
        unsafe {
            reduce(
                self.group.element,
                self.group.reduction,
                to,
                &sources,
                count,
            );
        }
    }

    /// The places of an outbox that hold elements in this chunk of a reduction in two stages.
    fn filled(&self, board: &Board) -> Vec<Range<usize>> {
        let stride = self.stride(board);
        match self.group.kind {
            Kind::ReduceScatter | Kind::ReduceScatterV => (0..board.shape.ranks)
                .map(|rank| {
                    let window = self.window(stride, self.part(rank).len());
                    rank * stride..rank * stride + window.len()
                })
                .collect(),
            _ => std::iter::once(0..self.window(stride, self.elements()).len()).collect(),
        }
    }

    /// The slice of all places that a rank reduces for its machine.
    fn own_slice(&self, board: &Board, spread: &Spread, rank: usize) -> Range<usize> {
        let stride = self.stride(board);
        let end = match self.group.kind {
            Kind::ReduceScatter | Kind::ReduceScatterV => {
                let last = board.shape.ranks - 1;
                last * stride + self.window(stride, self.part(last).len()).len()
            }
            _ => self.window(stride, self.elements()).len(),
        };
        let machine = spread.machine[rank];
        let index = spread.ranks(machine).position(|other| other == rank);
        let ranks = spread.ranks(machine).count();
        Self::slice(&(0..end), index.unwrap_or(0), ranks)
    }

    /// Reduces a slice of the elements of this machine's ranks.
    fn reduce_partly(&self, board: &Board, rank: usize, round: u64) {
        let Some(spread) = &board.spread else { return };
        let slice = self.own_slice(board, spread, rank);
        let here: Vec<usize> = self
            .order
            .iter()
            .copied()
            .filter(|&other| spread.is_here(other))
            .collect();
        for filled in self.filled(board) {
            let range = both(&filled, &slice);
            let place = |other: usize, round: u64, bytes: usize| {
                board.outbox(other, round).wrapping_add(range.start * bytes)
            };
            let sources: Vec<*const u8> = here
                .iter()
                .map(|&other| place(other, round - 1, self.size()).cast_const())
                .collect();
            // SAFETY: the ranks of this machine have written these elements in the round before, and none writes there before this rank
            // has said that it has read them. The destination is in the other half of this rank's outbox, which has room for partial
            // results.
            unsafe {
                reduce_stage(
                    Stage::First,
                    self.group.element,
                    self.group.reduction,
                    place(rank, round, self.room()),
                    &sources,
                    range.len(),
                );
            }
        }
    }

    /// Combines the partial results of all machines for a range of places.
    fn combine(&self, board: &Board, round: u64, range: Range<usize>, to: *mut u8) {
        let Some(spread) = &board.spread else { return };
        let mut machines: Vec<usize> = Vec::new();
        for &rank in &self.order {
            let machine = spread.machine[rank];
            if !machines.contains(&machine) {
                machines.push(machine);
            }
        }
        let mut at = range.start;
        while at < range.end {
            // Up to where the slice of some rank ends.
            let mut end = range.end;
            let mut sources: Vec<*const u8> = Vec::with_capacity(machines.len());
            for &machine in &machines {
                let owner = spread.ranks(machine).find_map(|rank| {
                    let slice = self.own_slice(board, spread, rank);
                    slice.contains(&at).then_some((rank, slice.end))
                });
                let Some((rank, slice_end)) = owner else {
                    debug_assert!(false, "every place belongs to a rank of each machine");
                    return;
                };
                end = end.min(slice_end);
                let place = board.outbox(rank, round).wrapping_add(at * self.room());
                sources.push(place.cast_const());
            }
            // SAFETY: the owners have written these partial results in this round, and leave them alone until this rank has said that it
            // has read them. The program's buffer has room for the elements.
            unsafe {
                reduce_stage(
                    Stage::Last,
                    self.group.element,
                    self.group.reduction,
                    to.wrapping_add((at - range.start) * self.size()),
                    &sources,
                    end - at,
                );
            }
            at = end;
        }
    }

    /// What of this rank's outbox ranks of other machines need in this round.
    fn parcels(&self, board: &Board, spread: &Spread, rank: usize) -> Vec<Parcel> {
        let stride = self.stride(board);
        let bytes = self.room();
        let parcel = |machine: Option<usize>, range: Range<usize>| Parcel {
            machine,
            start: range.start * bytes,
            length: range.len() * bytes,
        };
        let root = self.group.root as usize;
        let parts_of_others = |slice: Range<usize>| {
            (0..board.shape.ranks)
                .filter(|&other| !spread.is_here(other))
                .map(|other| {
                    let window = self.window(stride, self.part(other).len());
                    let part = other * stride..other * stride + window.len();
                    parcel(Some(spread.machine[other]), both(&part, &slice))
                })
                .collect()
        };
        let all: Vec<Parcel> = match self.group.kind {
            Kind::Barrier => Vec::new(),
            _ if self.is_two_level && self.is_first_of_two() => Vec::new(),
            Kind::AllReduce => vec![parcel(None, self.own_slice(board, spread, rank))],
            Kind::Reduce => {
                let slice = self.own_slice(board, spread, rank);
                vec![parcel(Some(spread.machine[root]), slice)]
            }
            Kind::ReduceScatter | Kind::ReduceScatterV => {
                parts_of_others(self.own_slice(board, spread, rank))
            }
            Kind::AllGather => {
                let window = self.window(stride, self.elements());
                vec![parcel(None, 0..window.len())]
            }
            Kind::AllGatherV => {
                let window = self.window(stride, self.part(rank).len());
                vec![parcel(None, 0..window.len())]
            }
            Kind::Broadcast if rank == root => {
                let window = self.window(stride, self.elements());
                vec![parcel(None, 0..window.len())]
            }
            Kind::Scatter if rank == root => parts_of_others(0..usize::MAX),
            Kind::Broadcast | Kind::Scatter => Vec::new(),
        };
        all.into_iter().filter(|it| it.length > 0).collect()
    }

    fn read(&self, board: &Board, rank: usize, round: u64) {
        let (size, stride) = (self.size(), self.stride(board));
        let ranks = board.shape.ranks;
        let into = |element: usize| {
            std::ptr::with_exposed_provenance_mut::<u8>(self.receive + element * size)
        };
        let get = |from: usize, place: usize, to: usize, count: usize| {
            // SAFETY: the rank has written these bytes in this round, and the program's buffer has room for them.
            unsafe {
                copy(
                    into(to),
                    board.outbox(from, round).wrapping_add(place * size),
                    count * size,
                );
            }
        };
        let root = self.group.root as usize;
        if self.is_two_level {
            let length = |part: usize| self.window(stride, part);
            match self.group.kind {
                Kind::Reduce if rank != root => {}
                Kind::ReduceScatter | Kind::ReduceScatterV => {
                    let window = length(self.part(rank).len());
                    let start = rank * stride;
                    let range = start..start + window.len();
                    self.combine(board, round, range, into(window.start));
                }
                _ => {
                    let window = length(self.elements());
                    self.combine(board, round, 0..window.len(), into(window.start));
                }
            }
            return;
        }
        match self.group.kind {
            Kind::AllReduce if self.is_second() => {
                let chunk = self.window(stride, self.elements());
                for other in 0..ranks {
                    let slice = Self::slice(&chunk, other, ranks);
                    get(other, slice.start, chunk.start + slice.start, slice.len());
                }
            }
            Kind::AllReduce => {
                self.reduce(board, round, 0, into(0), self.elements());
            }
            Kind::Broadcast if rank != root => {
                let window = self.window(stride, self.elements());
                get(root, 0, window.start, window.len());
            }
            Kind::AllGather | Kind::AllGatherV => {
                for other in 0..ranks {
                    let part = self.part(other);
                    let window = self.window(stride, part.len());
                    get(other, 0, part.start + window.start, window.len());
                }
            }
            Kind::ReduceScatter | Kind::ReduceScatterV => {
                let window = self.window(stride, self.part(rank).len());
                let place = rank * stride * size;
                self.reduce(board, round, place, into(window.start), window.len());
            }
            Kind::Reduce if rank == root => {
                let window = self.window(stride, self.elements());
                self.reduce(board, round, 0, into(window.start), window.len());
            }
            Kind::Scatter => {
                let window = self.window(stride, self.elements());
                get(root, rank * stride, window.start, window.len());
            }
            Kind::Broadcast | Kind::Reduce | Kind::Barrier => {}
        }
    }
}

/// What two ranges have in common.
fn both(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let start = one.start.max(other.start);
    start..one.end.min(other.end).max(start)
}

/// # Safety
/// Both ranges are valid; they may overlap.
unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: passed on.
        unsafe { std::ptr::copy(from, to, bytes) };
    }
}
