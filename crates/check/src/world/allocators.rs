//! Allocators that are registered on streams: the blocks they returned, and the work that used them.
//!
//! A block is returned to its allocator when the work that uses it is queued, not when that has ended: the
//! allocator may hand it out again in stream order. So the last task that used it counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_trace::{
    AllocatorChange, Bytes, NumberMap, Operation, Position, Record, StreamRef, Target, TaskKind,
};

use super::{Origin, Streams};
use crate::clock::{Epoch, HostLearned};

/// The allocator of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Registration {
    pub(crate) descriptor: u64,
    pub(crate) object: u64,
    pub(crate) made: Arc<Origin>,
}

/// A live block of an allocator.
#[derive(Debug, Clone)]
pub(crate) struct AllocatorBlock {
    pub(crate) object: u64,
    pub(crate) token: u64,
    pub(crate) stream: StreamRef,
    pub(crate) range: Bytes,
    /// The request that needed it.
    pub(crate) asked: Arc<Origin>,
    /// The last task of the stream before it.
    before: u64,
}

/// Work that used memory of an allocator.
#[derive(Debug, Clone)]
pub(crate) struct Used {
    pub(crate) position: Position,
    /// The request that needed the memory.
    pub(crate) asked: Arc<Origin>,
}

impl Used {
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch::Task(self.position)
    }
}

/// Bytes of an allocator that work has used.
#[derive(Debug, Clone)]
pub(crate) struct UsedBytes {
    pub(crate) object: u64,
    pub(crate) range: Bytes,
    pub(crate) used: Used,
}

/// Limit for each kind. Beyond it, uses are dropped and not judged.
const MOST: usize = 4096;

/// All registered allocators.
#[derive(Debug, Default)]
pub(crate) struct Allocators {
    registered: NumberMap<StreamRef, Registration>,
    /// Blocks that were not given back.
    given: Vec<AllocatorBlock>,
    /// The last work of each stream that used an object.
    used: BTreeMap<(u64, StreamRef), Used>,
    /// Bytes that were used, by where they start and which stream used them.
    bytes: BTreeMap<(u64, StreamRef), UsedBytes>,
    /// The longest of those.
    longest: u64,
    /// Bytes of runs inside a call; their position in the stream comes after the run.
    unplaced: Vec<UsedBytes>,
    /// The registration that the last record ended or replaced.
    ended: Option<(StreamRef, Registration)>,
    /// Memory of an allocator that the last record freed.
    taken: Vec<UsedBytes>,
    dropped_facts: u64,
}

impl Allocators {
    /// The registration of a stream.
    pub(crate) fn of(&self, stream: StreamRef) -> Option<&Registration> {
        self.registered.get(&stream)
    }

    /// All registrations.
    pub(crate) fn registered(&self) -> impl Iterator<Item = (StreamRef, &Registration)> {
        self.registered.iter().map(|(stream, it)| (*stream, it))
    }

    /// The registration that the last record ended or replaced.
    pub(crate) fn ended(&self) -> Option<(StreamRef, &Registration)> {
        self.ended.as_ref().map(|(stream, it)| (*stream, it))
    }

    /// Blocks that were not given back, the oldest first.
    pub(crate) fn given(&self) -> &[AllocatorBlock] {
        &self.given
    }

    /// The last work of each stream that used an object.
    pub(crate) fn users(&self, object: u64) -> impl Iterator<Item = &Used> {
        self.used
            .range((object, 0)..=(object, u64::MAX))
            .map(|(_, used)| used)
    }

    /// Bytes that the last record freed or unmapped and that an allocator had returned for work that the host has not
    /// waited for. Only the rules about allocators judge such a free.
    pub(crate) fn taken(&self) -> &[UsedBytes] {
        &self.taken
    }

    pub(crate) fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }

    pub(crate) fn state_bytes(&self) -> u64 {
        let each = self.used.len() * (size_of::<Used>() + 16)
            + self.bytes.len() * (size_of::<UsedBytes>() + 16)
            + self.given.capacity() * size_of::<AllocatorBlock>()
            + self.registered.capacity() * (size_of::<Registration>() + 8);
        each as u64
    }

    pub(super) fn learn(&mut self, record: &Record, streams: &Streams, learned: &HostLearned) {
        if !self.taken.is_empty() {
            self.taken.clear();
        }
        self.ended = None;
        match &record.operation {
            Operation::Enqueued {
                position, accesses, ..
            } if !self.unplaced.is_empty() => {
                self.place(*position, accesses.task, learned);
            }
            Operation::Freed { range, ordered, .. } => {
                self.take(*range, streams);
                if ordered.is_some() || is_end(&record.site.call) {
                    self.taken.clear();
                }
                self.taken.retain(|it| is_queued(&it.used, learned));
            }
            Operation::Unmapped { range, .. } => {
                self.take(*range, streams);
                self.taken.retain(|it| is_queued(&it.used, learned));
            }
            Operation::Allocator { stream, change } => {
                let before = match change {
                    AllocatorChange::Registered { descriptor, object } => {
                        let fresh = Registration {
                            descriptor: *descriptor,
                            object: *object,
                            made: Origin::of(record),
                        };
                        self.registered.insert(*stream, fresh)
                    }
                    AllocatorChange::Unregistered => self.registered.remove(stream),
                };
                self.ended = before.map(|it| (*stream, it));
            }
            Operation::AllocatorAsked {
                stream,
                object,
                bytes,
                token,
                address,
            } if *token != 0 => self.give(AllocatorBlock {
                object: *object,
                token: *token,
                stream: *stream,
                range: Bytes {
                    start: *address,
                    bytes: *bytes,
                },
                asked: Origin::of(record),
                before: streams.get(*stream).map_or(0, |it| it.enqueued),
            }),
            Operation::AllocatorReturned {
                position,
                object,
                token,
                ..
            } => self.take_back(*position, *object, *token, learned),
            Operation::Synchronized { target, .. } if !self.unplaced.is_empty() => {
                // A run inside the call has ended; a wait after it is what the documentation requires.
                self.unplaced.retain(|it| {
                    let stream = it.used.position.stream;
                    match target {
                        Target::Stream(waited) => *waited != stream,
                        Target::Device(device) => {
                            streams.get(stream).is_none_or(|it| it.device != *device)
                        }
                        Target::Event(_) | Target::Waits(_) => true,
                    }
                });
            }
            Operation::StreamDestroyed { stream, .. } => self.forget(*stream),
            Operation::DeviceReset { device } => {
                for stream in streams.on_device(*device) {
                    self.forget(stream);
                }
                self.ended = None;
            }
            _ => {}
        }
    }

    fn give(&mut self, given: AllocatorBlock) {
        if self.given.len() == MOST {
            self.given.remove(0);
            self.dropped_facts += 1;
        }
        self.given.push(given);
    }

    fn take_back(&mut self, position: Position, object: u64, token: u64, learned: &HostLearned) {
        let found = self
            .given
            .iter()
            .rposition(|it| it.object == object && it.token == token);
        let Some(found) = found else {
            return;
        };
        let given = self.given.remove(found);
        let queued = position.task > given.before;
        let used = UsedBytes {
            object,
            range: given.range,
            used: Used {
                position: Position {
                    stream: position.stream,
                    task: position.task + u64::from(!queued),
                },
                asked: given.asked,
            },
        };
        if queued {
            self.use_bytes(used, learned);
        } else if self.unplaced.len() < MOST {
            self.unplaced.push(used);
        }
    }

    /// A task was enqueued: that is how a run inside a call marks its position. Anything else means that there was no run.
    fn place(&mut self, position: Position, task: TaskKind, learned: &HostLearned) {
        let mut index = 0;
        while index < self.unplaced.len() {
            if self.unplaced[index].used.position.stream != position.stream {
                index += 1;
                continue;
            }
            let used = self.unplaced.swap_remove(index);
            if task == TaskKind::Compute && used.used.position == position {
                self.use_bytes(used, learned);
            }
        }
    }

    fn use_bytes(&mut self, used: UsedBytes, learned: &HostLearned) {
        let stream = used.used.position.stream;
        if self.used.len() >= MOST || self.bytes.len() >= MOST {
            self.make_room(learned);
        }
        self.used.insert((used.object, stream), used.used.clone());
        self.longest = self.longest.max(used.range.bytes);
        self.bytes.insert((used.range.start, stream), used);
    }

    /// Drops what has ended, and everything if that is not enough.
    fn make_room(&mut self, learned: &HostLearned) {
        self.used.retain(|_, it| is_queued(it, learned));
        self.bytes.retain(|_, it| is_queued(&it.used, learned));
        if self.used.len() >= MOST || self.bytes.len() >= MOST / 2 {
            self.used.clear();
            self.bytes.clear();
            self.longest = 0;
            self.dropped_facts += 1;
        }
    }

    /// Memory was freed: it does not belong to an allocator any more.
    fn take(&mut self, range: Bytes, streams: &Streams) {
        if self.bytes.is_empty() && self.given.is_empty() && self.unplaced.is_empty() {
            return;
        }
        let end = range.start.saturating_add(range.bytes);
        let overlaps =
            |it: &Bytes| it.start < end && range.start < it.start.saturating_add(it.bytes);
        let first = range.start.saturating_sub(self.longest);
        let gone: Vec<_> = self
            .bytes
            .range((first, 0)..(end, 0))
            .filter(|(_, it)| overlaps(&it.range))
            .map(|(key, _)| *key)
            .collect();
        self.taken
            .extend(gone.iter().filter_map(|key| self.bytes.remove(key)));
        let (taken, kept) = std::mem::take(&mut self.unplaced)
            .into_iter()
            .partition::<Vec<_>, _>(|it| overlaps(&it.range));
        self.taken.extend(taken);
        self.unplaced = kept;
        // Freed before it was given back: the work that needed it may be queued by now.
        for given in self.given.iter().filter(|it| overlaps(&it.range)) {
            let enqueued = streams.get(given.stream).map_or(0, |it| it.enqueued);
            self.taken.push(UsedBytes {
                object: given.object,
                range: given.range,
                used: Used {
                    position: Position {
                        stream: given.stream,
                        task: enqueued.max(given.before.saturating_add(1)),
                    },
                    asked: Arc::clone(&given.asked),
                },
            });
        }
    }

    /// A stream has ended, and its work with it.
    fn forget(&mut self, stream: StreamRef) {
        self.ended = self.registered.remove(&stream).map(|it| (stream, it));
        self.used.retain(|(_, user), _| *user != stream);
        self.bytes.retain(|(_, user), _| *user != stream);
        self.given.retain(|it| it.stream != stream);
        self.unplaced.retain(|it| it.used.position.stream != stream);
    }
}

/// Whether the host is not known to come after the work.
fn is_queued(used: &Used, learned: &HostLearned) -> bool {
    let position = used.position;
    learned.now(position.stream) < position.task
}

/// Whether a call releases everything, in its own order.
fn is_end(call: &str) -> bool {
    call.starts_with("aclrtResetDevice") || call.starts_with("aclFinalize")
}
