//! The access history: for each byte the last write, and the reads since.
//!
//! Only accesses of tasks are stored. What the host does itself comes before everything that is enqueued later, so
//! it cannot race with it. An access that is ordered before a later stored one is dropped: whoever is ordered after
//! the later one is ordered after the earlier one too.

use std::sync::Arc;

use millpond_trace::{BlockRef, Bytes, NumberMap, PieceRef, Position, Span, StreamRef, TaskKind};
use smallvec::SmallVec;

use super::words;
use crate::clock::{Clock, Epoch};
use crate::range_map::RangeMap;
use crate::world::{Block, BlockKind, Origin, Turn, World, is_word};

/// What a task does to bytes.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) position: Position,
    pub(super) writes: bool,
    pub(super) task: TaskKind,
    /// It writes or waits for a word that orders streams.
    pub(super) word: bool,
    /// All that it reads or writes there, from the first to the last byte.
    pub(super) range: Bytes,
    /// The block or mapping whose address it named.
    pub(super) via: BlockRef,
    pub(super) origin: Arc<Origin>,
}

impl PartialEq for Access {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.writes == other.writes && self.via == other.via
    }
}

impl Access {
    pub(super) fn epoch(&self) -> Epoch {
        Epoch::Task(self.position)
    }

    /// The operation for a finding.
    pub(super) fn operation(&self) -> crate::ReportedOperation {
        self.origin
            .operation(describe(self.task, self.writes, self.range))
    }
}

/// What something does to bytes, in words.
pub(crate) fn describe(task: TaskKind, writes: bool, range: Bytes) -> String {
    let what = match task {
        TaskKind::Copy => "copy",
        TaskKind::Fill => "fill",
        _ => "operator",
    };
    let does = if writes { "writes" } else { "reads" };
    format!("{what} {does} {}", words::range(range))
}

/// What is known of some bytes.
#[derive(Debug, Clone, Default, PartialEq)]
struct History {
    /// Ranges that one task accessed share this.
    write: Option<Arc<Access>>,
    reads: SmallVec<[Arc<Access>; 1]>,
}

/// Reads of the same bytes in different streams that are kept beside each other.
const MOST_READS: usize = 16;

/// How many rows of one task are examined.
const MOST_ROWS: u64 = 1 << 15;

/// Two accesses to the same bytes without an order.
#[derive(Debug)]
pub(super) struct Conflict {
    pub(super) other: Access,
    /// Whether the one whose turn it is writes.
    pub(super) writes: bool,
    /// The bytes that both touch.
    pub(super) bytes: Bytes,
    /// All that the one whose turn it is touches there.
    pub(super) range: Bytes,
}

/// Work that uses a block before the place of its allocation in a stream.
#[derive(Debug)]
pub(super) struct TooEarly {
    pub(super) allocated: Position,
    pub(super) writes: bool,
    pub(super) range: Bytes,
}

/// What the access of a task conflicts with.
#[derive(Debug, Default)]
pub(super) struct Stumbles {
    pub(super) conflicts: Vec<(Arc<Block>, Conflict)>,
    pub(super) early: Option<(Arc<Block>, TooEarly)>,
}

impl Stumbles {
    fn conflict(&mut self, block: &Arc<Block>, conflict: Conflict) {
        let end = |bytes: &Bytes| bytes.start.saturating_add(bytes.bytes);
        for (_, known) in &mut self.conflicts {
            if known.other.position == conflict.other.position && known.writes == conflict.writes {
                if end(&known.bytes) == conflict.bytes.start {
                    known.bytes.bytes += conflict.bytes.bytes;
                }
                return;
            }
        }
        self.conflicts.push((Arc::clone(block), conflict));
    }
}

/// Whose bytes they are. Two mappings of one piece of memory are the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Block(BlockRef),
    Piece(PieceRef),
}

impl Owner {
    fn of(block: &Block) -> Self {
        match block.kind {
            BlockKind::Mapping(piece) => Self::Piece(piece),
            BlockKind::Plain | BlockKind::Pool(_) => Self::Block(block.number),
        }
    }
}

#[derive(Debug)]
struct Owned {
    bytes: RangeMap<History>,
    /// How many of its pieces are counted.
    counted: usize,
    /// What comes before the positions up to which streams recorded a use.
    recorded: Vec<Recorded>,
    /// The last access of each stream by each mapping. Of the bytes only the last by any is known, and a
    /// mapping may go while others stay.
    by_mapping: Vec<Access>,
}

impl Owned {
    /// A task uses physical memory by one of its mappings. Answers how many others were given up for it.
    fn note_mapping(&mut self, access: &Access) -> u64 {
        let same =
            |it: &&mut Access| it.via == access.via && it.position.stream == access.position.stream;
        if let Some(known) = self.by_mapping.iter_mut().find(same) {
            *known = access.clone();
            return 0;
        }
        let full = self.by_mapping.len() >= MOST_BY_MAPPING;
        if full {
            self.by_mapping.remove(0);
        }
        self.by_mapping.push(access.clone());
        u64::from(full)
    }
}

/// Accesses by mappings of one piece that are kept.
const MOST_BY_MAPPING: usize = 64;

/// A stream recorded that it uses a block.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    stream: StreamRef,
    /// None if the position has not had its turn, so that what comes before is not settled.
    before: Option<Clock>,
}

impl Recorded {
    /// Whether memory that is kept until then is kept until a task has passed.
    pub(super) fn covers(&self, world: &World, access: &Access) -> bool {
        let before = self.before.as_ref();
        before.is_none_or(|before| world.ordered(access.epoch(), before))
    }
}

/// Who used which bytes of which block.
#[derive(Debug, Default)]
pub(super) struct Histories {
    owners: NumberMap<Owner, Owned>,
    /// Pieces of all of them together.
    pieces: usize,
    /// At this many owners, those that are no longer needed are dropped.
    sweep_at: usize,
    pub(super) dropped_facts: u64,
}

/// Fewer owners are not examined.
const FEW: usize = 4096;

/// Pieces of all blocks together that are kept.
const MOST_PIECES: usize = 1 << 19;

impl Histories {
    /// Work accesses bytes of a block, or of several.
    pub(super) fn touch(
        &mut self,
        world: &World,
        turn: &Turn,
        block: &Arc<Block>,
        span: Span,
        writes: bool,
        stumbles: &mut Stumbles,
    ) {
        // At its turn the block may be freed, and another one may be there.
        if turn.origin.order < world.now && world.blocks.get(block.number).is_none()
            || turn.origin.order < block.made.order
        {
            return;
        }
        if let Some(allocated) = block.ordered
            && !world.is_allocated_for(allocated, block.made.order, turn)
            && stumbles.early.is_none()
        {
            let early = TooEarly {
                allocated,
                writes,
                range: span.hull(),
            };
            stumbles.early = Some((Arc::clone(block), early));
        }
        if span.rows > MOST_ROWS && span.pitch != span.width {
            self.dropped_facts += 1;
            return;
        }
        match turn.epoch {
            Epoch::Task(position) => {
                let access = Arc::new(Access {
                    position,
                    writes,
                    task: turn.accesses.task,
                    word: is_word(&turn.accesses),
                    range: span.hull(),
                    via: block.number,
                    origin: Arc::clone(&turn.origin),
                });
                self.make_room(world);
                let owned = self
                    .owners
                    .entry(Owner::of(block))
                    .or_insert_with(|| Owned {
                        bytes: RangeMap::new(block.range.bytes, History::default()),
                        counted: 0,
                        recorded: Vec::new(),
                        by_mapping: Vec::new(),
                    });
                if matches!(block.kind, BlockKind::Mapping(_)) {
                    self.dropped_facts += owned.note_mapping(&access);
                }
                // The first piece is counted with the first access.
                let before = owned.counted;
                let was_full = owned.bytes.full();
                let mut dropped_facts = 0;
                let mut touch = |(from, until): (u64, u64), history: &mut History| {
                    history.meet(world, &turn.clock, writes, |other| {
                        if access.word && other.word {
                            return;
                        }
                        let conflict = Conflict {
                            other: other.clone(),
                            writes,
                            bytes: absolute(block, from, until),
                            range: access.range,
                        };
                        stumbles.conflict(block, conflict);
                    });
                    dropped_facts += history.take(world, &turn.clock, &access);
                };
                if span.rows > 1 && span.pitch > span.width {
                    let rows = parts(span, block);
                    owned
                        .bytes
                        .visit_all(rows, |_, piece, history| touch(piece, history));
                } else {
                    for (start, end) in parts(span, block) {
                        let mut at = start;
                        owned.bytes.visit(start, end, |until, history| {
                            touch((at, until), history);
                            at = until;
                        });
                    }
                }
                self.dropped_facts += dropped_facts;
                self.dropped_facts += u64::from(owned.bytes.full() && !was_full);
                owned.counted = owned.bytes.pieces();
                self.pieces = self.pieces + owned.counted - before;
            }
            Epoch::Host(_) => {
                let Some(owned) = self.owners.get_mut(&Owner::of(block)) else {
                    return;
                };
                for (start, end) in parts(span, block) {
                    for (from, until, history) in owned.bytes.look(start, end) {
                        history.meet(world, &turn.clock, writes, |other| {
                            let conflict = Conflict {
                                other: other.clone(),
                                writes,
                                bytes: absolute(block, from, until),
                                range: span.hull(),
                            };
                            stumbles.conflict(block, conflict);
                        });
                    }
                }
            }
        }
    }

    /// A stream recorded that its queued work uses a block.
    pub(super) fn record_use(&mut self, world: &World, block: &Block, number: StreamRef) {
        let Some(owned) = self.owners.get_mut(&Owner::of(block)) else {
            return;
        };
        let stream = world.streams.get(number);
        let settled = stream.is_some_and(|stream| !stream.is_behind());
        owned.recorded.retain(|it| it.stream != number);
        owned.recorded.push(Recorded {
            stream: number,
            before: settled.then(|| world.stream_clock(number)),
        });
    }

    /// The last accesses of each stream to a block's bytes, through its own addresses; with what
    /// streams recorded of their use of it. A freed block has been dropped.
    pub(super) fn accesses(
        &mut self,
        block: &Block,
        wanted: impl Fn(&Access) -> bool,
    ) -> (Vec<Access>, Vec<Recorded>) {
        let owner = Owner::of(block);
        let Some(owned) = self.owners.get_mut(&owner) else {
            return (Vec::new(), Vec::new());
        };
        let mut found: Vec<Access> = Vec::new();
        if let Owner::Piece(_) = owner {
            let mine = |access: &mut Access| access.via == block.number;
            let ended = owned.by_mapping.extract_if(.., mine);
            found.extend(ended.filter(|access| wanted(access)));
            return (found, Vec::new());
        }
        if !owned.bytes.full() {
            for (_, _, history) in owned.bytes.look(0, block.range.bytes) {
                for access in history.all().filter(|access| wanted(access)) {
                    add_latest(&mut found, access);
                }
            }
        }
        let recorded = self.forget(owner).map(|owned| owned.recorded);
        (found, recorded.unwrap_or_default())
    }

    /// Physical memory was freed.
    pub(super) fn forget_piece(&mut self, piece: PieceRef) {
        self.forget(Owner::Piece(piece));
    }

    fn forget(&mut self, owner: Owner) -> Option<Owned> {
        let owned = self.owners.remove(&owner)?;
        self.pieces -= owned.counted;
        Some(owned)
    }

    pub(super) fn state_bytes(&self) -> u64 {
        let bytes_of = |owned: &Owned| {
            owned.bytes.state_bytes() + (owned.by_mapping.capacity() * size_of::<Access>()) as u64
        };
        let each: u64 = self.owners.values().map(bytes_of).sum();
        each + (self.owners.capacity() * size_of::<(Owner, Owned)>()) as u64
    }

    /// Drops blocks whose accesses the host knows: nothing can conflict with them any more.
    fn make_room(&mut self, world: &World) {
        if self.owners.len() < self.sweep_at.max(FEW) && self.pieces < MOST_PIECES {
            return;
        }
        self.owners.retain(|_, owned| {
            let mut pieces = owned.bytes.look(0, u64::MAX);
            owned.bytes.full()
                || pieces.any(|(_, _, history)| {
                    let mut accesses = history.all();
                    accesses.any(|access| !world.host_knows(access.position))
                })
        });
        self.pieces = self.owners.values().map(|owned| owned.counted).sum();
        if self.pieces >= MOST_PIECES / 2 {
            self.dropped_facts += self.owners.len() as u64;
            self.owners.clear();
            self.owners.shrink_to_fit();
            self.pieces = 0;
        }
        self.sweep_at = self.owners.len() * 2;
    }
}

impl History {
    fn all(&self) -> impl Iterator<Item = &Access> {
        self.write.iter().chain(&self.reads).map(|it| &**it)
    }

    /// Calls `each` for the accesses that are not ordered before a new one.
    fn meet(&self, world: &World, clock: &Clock, writes: bool, mut each: impl FnMut(&Access)) {
        if let Some(write) = &self.write
            && !world.ordered(write.epoch(), clock)
        {
            each(write);
        }
        if writes {
            for read in &self.reads {
                if !world.ordered(read.epoch(), clock) {
                    each(read);
                }
            }
        }
    }

    /// Takes a task's access in. Answers how many others were given up for it.
    fn take(&mut self, world: &World, clock: &Clock, access: &Arc<Access>) -> u64 {
        if access.writes {
            self.reads.clear();
            self.write = Some(Arc::clone(access));
            return 0;
        }
        self.reads
            .retain(|read| !world.ordered(read.epoch(), clock));
        let full = self.reads.len() >= MOST_READS;
        if full {
            self.reads.remove(0);
        }
        self.reads.push(Arc::clone(access));
        u64::from(full)
    }
}

/// The parts of a block that a span touches, from its start.
fn parts(span: Span, block: &Block) -> impl Iterator<Item = (u64, u64)> {
    let (base, length) = (block.range.start, block.range.bytes);
    let parts = span.ranges().map(move |range| {
        let end = range.start.saturating_add(range.bytes);
        let start = range.start.saturating_sub(base);
        (start, end.saturating_sub(base).min(length))
    });
    parts.filter(|(start, end)| start < end)
}

fn absolute(block: &Block, start: u64, end: u64) -> Bytes {
    Bytes {
        start: block.range.start + start,
        bytes: end - start,
    }
}

/// Keeps the latest access of each stream.
pub(super) fn add_latest(found: &mut Vec<Access>, access: &Access) {
    let same = |it: &&mut Access| it.position.stream == access.position.stream;
    match found.iter_mut().find(same) {
        Some(known) if known.position.task < access.position.task => *known = access.clone(),
        Some(_) => {}
        None => found.push(access.clone()),
    }
}

/// The stream of work, if it is a task.
pub(super) fn stream_of(turn: &Turn) -> Option<StreamRef> {
    match turn.epoch {
        Epoch::Task(position) => Some(position.stream),
        Epoch::Host(_) => None,
    }
}
