//! One event of a recording.

/// A call stack: a number in [`Tables`](crate::Tables). 0 stands for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct StackId(pub u32);

/// A text: a number in [`Tables`](crate::Tables). 0 is the empty text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TextId(pub u32);

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// The program got a block: a tensor, or whatever else it asked for. `bytes` is what it asked for.
    Alloc = 0,
    /// The program gave a block back.
    FreeRequested = 1,
    /// The allocator may reuse the block: no stream uses it any more.
    FreeCompleted = 2,
    /// The allocator took a segment from the device.
    SegmentAlloc = 3,
    /// The allocator gave a segment back.
    SegmentFree = 4,
    /// The allocator put pages behind a part of an address range that it had reserved.
    SegmentMap = 5,
    /// The allocator took such pages away.
    SegmentUnmap = 6,
    /// The device refused memory: `bytes` is what was asked for, `address` how many bytes the device said were free; 0 if it
    /// is not known.
    OutOfMemory = 7,
    /// A point in time that the program named: the end of a step, for example. `label` is the name.
    Mark = 8,
    /// The begin of a time span that the program named. `address` is its number, from 1; 0 if it has none.
    RangeBegin = 9,
    /// The end of the span with that number, or, without one, of the latest open span with that name.
    RangeEnd = 10,
    /// `stream` waits for another stream, whose number is `address`: for the `EventRecord` with the number `bytes`, or, if that is
    /// 0, for what it has queued so far.
    StreamWait = 11,
    /// Somebody took a snapshot of the allocator's state here.
    Snapshot = 12,
    /// Work that is queued in `stream` uses the block at `address`, which belongs to another stream (`record_stream`).
    StreamUse = 13,
    /// An event was recorded on `stream`. `address` numbers such records, from 1.
    EventRecord = 14,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::Alloc,
        Self::FreeRequested,
        Self::FreeCompleted,
        Self::SegmentAlloc,
        Self::SegmentFree,
        Self::SegmentMap,
        Self::SegmentUnmap,
        Self::OutOfMemory,
        Self::Mark,
        Self::RangeBegin,
        Self::RangeEnd,
        Self::StreamWait,
        Self::Snapshot,
        Self::StreamUse,
        Self::EventRecord,
    ];

    /// The name that exported files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alloc => "alloc",
            Self::FreeRequested => "free_requested",
            Self::FreeCompleted => "free_completed",
            Self::SegmentAlloc => "segment_alloc",
            Self::SegmentFree => "segment_free",
            Self::SegmentMap => "segment_map",
            Self::SegmentUnmap => "segment_unmap",
            Self::OutOfMemory => "oom",
            Self::Mark => "mark",
            Self::RangeBegin => "range_begin",
            Self::RangeEnd => "range_end",
            Self::StreamWait => "stream_wait",
            Self::Snapshot => "snapshot",
            Self::StreamUse => "stream_use",
            Self::EventRecord => "event_record",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One event. 40 bytes: recordings have tens of millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Event {
    /// Nanoseconds since the recording began. Never less than in the event before.
    pub time_ns: u64,
    /// The first address; see [`Kind`] for kinds that have none.
    pub address: u64,
    /// How many bytes. A free has as many as its allocation.
    pub bytes: u64,
    /// The stream: its place in [`Tables::streams`](crate::Tables).
    pub stream: u32,
    /// Who asked, if that was recorded.
    pub stack: StackId,
    /// A name: of a mark or a span, or of what was allocated. 0 if there is none.
    pub label: TextId,
    /// The device: its place in [`Tables::devices`](crate::Tables).
    pub device: u16,
    /// What happened.
    pub kind: Kind,
}

const _: () = assert!(size_of::<Event>() == 40);
