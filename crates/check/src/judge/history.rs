//! Who used which bytes: for each byte the last write, and the reads since.
//!
//! Only tasks are kept. What the host does itself comes before everything that is enqueued later, so
//! it can be in nobody's way later. And an access that is known to whoever comes after another is
//! not kept beside that one: who knows the later knows the earlier.

use std::sync::Arc;

use millpond_trace::{BlockRef, Bytes, NumberMap, PieceRef, Position, Span, StreamRef, TaskKind};
use smallvec::SmallVec;

use super::words;
use crate::clock::{Clock, Place};
use crate::segments::Segments;
use crate::world::{Block, BlockKind, Doer, Turn, World};

/// What a task does to bytes.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) position: Position,
    pub(super) writes: bool,
    pub(super) task: TaskKind,
    /// All that it reads or writes there, from the first to the last byte.
    pub(super) range: Bytes,
    /// The block or mapping whose address it named.
    pub(super) via: BlockRef,
    pub(super) doer: Arc<Doer>,
}

impl PartialEq for Access {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.writes == other.writes && self.via == other.via
    }
}

impl Access {
    pub(super) fn place(&self) -> Place {
        Place::Task(self.position)
    }

    /// As a finding tells it.
    pub(super) fn act(&self) -> crate::Act {
        self.doer.act(describe(self.task, self.writes, self.range))
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
    /// Pieces that one piece of work touched share what is known of it.
    write: Option<Arc<Access>>,
    reads: SmallVec<[Arc<Access>; 1]>,
}

/// Reads of the same bytes in different streams that are kept beside each other.
const MOST_READS: usize = 16;

/// Rows of one piece of work that are looked at.
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

/// What a piece of work stumbled over.
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
    bytes: Segments<History>,
    /// How many of its pieces are counted.
    counted: usize,
    /// What comes before the places up to which streams said that they use it.
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

/// A stream said that it uses a block.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    stream: StreamRef,
    /// None if the stream had not come there, so that it is not settled what comes before.
    before: Option<Clock>,
}

impl Recorded {
    /// Whether memory that is kept until then is kept until a task has passed.
    pub(super) fn covers(&self, world: &World, access: &Access) -> bool {
        let before = self.before.as_ref();
        before.is_none_or(|before| world.ordered(access.place(), before))
    }
}

/// Who used which bytes of which block.
#[derive(Debug, Default)]
pub(super) struct Histories {
    owners: NumberMap<Owner, Owned>,
    /// Pieces of all of them together.
    pieces: usize,
    /// At so many owners it is looked who can be forgotten.
    sweep_at: usize,
    pub(super) forgotten: u64,
}

/// Fewer than so many are not worth a look.
const FEW: usize = 4096;

/// Pieces of all blocks together that are kept.
const MOST_PIECES: usize = 1 << 19;

impl Histories {
    /// A piece of work touches bytes of a block, or of several.
    pub(super) fn touch(
        &mut self,
        world: &World,
        turn: &Turn,
        block: &Arc<Block>,
        span: Span,
        writes: bool,
        stumbles: &mut Stumbles,
    ) {
        // Its turn may come when the block is gone, or another lies there.
        if turn.doer.order < world.now && world.blocks.get(block.number).is_none()
            || turn.doer.order < block.made.order
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
            self.forgotten += 1;
            return;
        }
        match turn.place {
            Place::Task(position) => {
                let access = Arc::new(Access {
                    position,
                    writes,
                    task: turn.deed.task,
                    range: span.hull(),
                    via: block.number,
                    doer: Arc::clone(&turn.doer),
                });
                self.make_room(world);
                let owned = self
                    .owners
                    .entry(Owner::of(block))
                    .or_insert_with(|| Owned {
                        bytes: Segments::new(block.range.bytes, History::default()),
                        counted: 0,
                        recorded: Vec::new(),
                        by_mapping: Vec::new(),
                    });
                if matches!(block.kind, BlockKind::Mapping(_)) {
                    self.forgotten += owned.note_mapping(&access);
                }
                // The first piece is counted with the first access.
                let before = owned.counted;
                let was_full = owned.bytes.full();
                let mut forgotten = 0;
                let mut touch = |(from, until): (u64, u64), history: &mut History| {
                    history.meet(world, &turn.clock, writes, |other| {
                        let conflict = Conflict {
                            other: other.clone(),
                            writes,
                            bytes: absolute(block, from, until),
                            range: access.range,
                        };
                        stumbles.conflict(block, conflict);
                    });
                    forgotten += history.take(world, &turn.clock, &access);
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
                self.forgotten += forgotten;
                self.forgotten += u64::from(owned.bytes.full() && !was_full);
                owned.counted = owned.bytes.pieces();
                self.pieces = self.pieces + owned.counted - before;
            }
            Place::Host(_) => {
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

    /// A stream said that it uses a block, up to what it has now.
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
    /// streams said of their use of it. A block that is gone is forgotten.
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

    /// Physical memory is gone.
    pub(super) fn forget_piece(&mut self, piece: PieceRef) {
        self.forget(Owner::Piece(piece));
    }

    fn forget(&mut self, owner: Owner) -> Option<Owned> {
        let owned = self.owners.remove(&owner)?;
        self.pieces -= owned.counted;
        Some(owned)
    }

    pub(super) fn books(&self) -> u64 {
        let books = |owned: &Owned| {
            owned.bytes.books() + (owned.by_mapping.capacity() * size_of::<Access>()) as u64
        };
        let each: u64 = self.owners.values().map(books).sum();
        each + (self.owners.capacity() * size_of::<(Owner, Owned)>()) as u64
    }

    /// Forgets those whose accesses the host knows of: nobody can be in their way any more.
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
            self.forgotten += self.owners.len() as u64;
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

    /// Tells those that have no order with an access that comes now.
    fn meet(&self, world: &World, clock: &Clock, writes: bool, mut tell: impl FnMut(&Access)) {
        if let Some(write) = &self.write
            && !world.ordered(write.place(), clock)
        {
            tell(write);
        }
        if writes {
            for read in &self.reads {
                if !world.ordered(read.place(), clock) {
                    tell(read);
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
            .retain(|read| !world.ordered(read.place(), clock));
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
    match turn.place {
        Place::Task(position) => Some(position.stream),
        Place::Host(_) => None,
    }
}
