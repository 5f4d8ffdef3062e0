//! The vocabulary of records. Plain data: numbers, ranges and names of what they concern.

/// A stream. Numbers are never reused within a runtime, so a number is a generation too.
pub type StreamRef = u64;
/// An event, by the same rule.
pub type EventRef = u64;
/// A block, by the same rule: two blocks at one address have different numbers.
pub type BlockRef = u64;
/// A piece of physical memory, by the same rule.
pub type PieceRef = u64;

/// One entry of the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Position in the order of all records of a runtime, from 1.
    pub order: u64,
    /// Nanoseconds since the runtime began.
    pub nanoseconds: u64,
    /// A number for the thread that did it, from 1 in the order in which threads are first seen.
    pub thread: u64,
    /// Where the program called from: a return address, or 0 when nobody noted it.
    pub caller: u64,
    /// What was done.
    pub operation: Operation,
}

/// A range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bytes {
    /// First address, as the program sees it.
    pub start: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// Where memory lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// On the device with this index.
    Device(u32),
    /// Pinned host memory.
    Pinned,
    /// Memory that is not ours: the program's own.
    Foreign,
}

/// A place in a stream: its tasks are numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The stream.
    pub stream: StreamRef,
    /// The task's number in it.
    pub task: u64,
}

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskKind {
    /// Copies bytes.
    Copy,
    /// Sets bytes.
    Fill,
    /// Marks an event as reached.
    RecordEvent,
    /// Waits until an event is reached.
    WaitEvent,
    /// Puts an event back into its unrecorded state.
    ResetEvent,
    /// Runs a function of the program on a thread of its own.
    HostFunction,
    /// Hands a function to the thread that processes the stream's reports.
    Report,
    /// Runs an operator or a model.
    Compute,
}

/// How something ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// As asked.
    Done,
    /// Not yet: the answer of a query, or a wait that ran out of time.
    NotReady,
    /// With this error.
    Failed(String),
    /// Not at all: an earlier task of the stream had failed.
    Skipped,
    /// Not at all: the stream was aborted or destroyed by force.
    Dropped,
}

/// What a synchronisation or query is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// All work of a stream.
    Stream(StreamRef),
    /// All work of a device.
    Device(u32),
    /// An event.
    Event(EventRef),
}

/// What happened to a stream's registered allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllocatorAct {
    /// One was registered; it replaces an earlier one.
    Registered,
    /// It was removed.
    Unregistered,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A device was opened with this much memory.
    DeviceOpened {
        /// Its index.
        device: u32,
        /// Bytes of its memory.
        capacity: u64,
    },
    /// Everything on a device was released.
    DeviceReset {
        /// Its index.
        device: u32,
    },
    /// A context came to be.
    ContextCreated {
        /// Its number, never reused.
        context: u64,
        /// The device it belongs to.
        device: u32,
    },
    /// A context ended, and its streams with it.
    ContextDestroyed {
        /// Its number.
        context: u64,
    },
    /// A stream came to be.
    StreamCreated {
        /// Its number.
        stream: StreamRef,
        /// The context it belongs to.
        context: u64,
        /// The device it runs on.
        device: u32,
    },
    /// A stream ended.
    StreamDestroyed {
        /// Its number.
        stream: StreamRef,
        /// Tasks that were dropped instead of run.
        dropped: u64,
    },
    /// A block was handed out.
    Allocated {
        /// Its number.
        block: BlockRef,
        /// Where it lies.
        space: Space,
        /// Its bytes.
        range: Bytes,
        /// Bytes the program asked for.
        requested: u64,
        /// Bytes of pages it is charged with.
        charged: u64,
    },
    /// An allocation was refused.
    AllocationFailed {
        /// Where it was tried.
        space: Space,
        /// Bytes the program asked for.
        requested: u64,
        /// Why.
        reason: String,
    },
    /// A block was given back by the program.
    Freed {
        /// Its number.
        block: BlockRef,
        /// Its bytes.
        range: Bytes,
        /// Work was queued when it was freed: its bytes are reused only when that has passed.
        retired: bool,
    },
    /// The program tried to free what is no block.
    FreeRefused {
        /// The address it gave.
        address: u64,
        /// Why it was refused.
        reason: String,
    },
    /// Idle pages went back to the machine.
    PagesReturned {
        /// Where they were.
        space: Space,
        /// Bytes that were resident and no longer are.
        bytes: u64,
    },
    /// Addresses were reserved. Nothing is behind them yet.
    AddressesReserved {
        /// The addresses.
        range: Bytes,
    },
    /// Reserved addresses were given up by the program.
    AddressesReleased {
        /// The addresses.
        range: Bytes,
        /// Work that names them was queued: they go only when that has passed.
        retired: bool,
    },
    /// A piece of physical memory was handed out. It has no address.
    PhysicalAllocated {
        /// Its number.
        piece: PieceRef,
        /// Where it lies.
        space: Space,
        /// How large it is.
        bytes: u64,
    },
    /// The program has neither a name nor an address of the piece any more.
    PhysicalFreed {
        /// Its number.
        piece: PieceRef,
        /// How large it was.
        bytes: u64,
        /// Work that names it was queued: it goes only when that has passed.
        retired: bool,
    },
    /// A piece got addresses; it may have several.
    Mapped {
        /// Which piece.
        piece: PieceRef,
        /// Its addresses.
        range: Bytes,
        /// Where the piece may be used from. Nowhere, if access has to be granted first.
        access: Option<Space>,
    },
    /// What is mapped in a range may be used from one more place.
    AccessGranted {
        /// The addresses.
        range: Bytes,
        /// From where.
        access: Space,
    },
    /// A piece lost addresses.
    Unmapped {
        /// Which piece.
        piece: PieceRef,
        /// Its addresses.
        range: Bytes,
        /// Work that names them was queued: it still finds the bytes there.
        retired: bool,
    },
    /// The program tried to reserve, release, map or unmap and was refused.
    MappingRefused {
        /// The address it gave; 0 when it gave none.
        address: u64,
        /// Why.
        reason: String,
    },
    /// A copy or fill that the calling thread carried out itself.
    Moved {
        /// What it did.
        task: TaskKind,
        /// Bytes read.
        reads: Vec<Bytes>,
        /// Bytes written.
        writes: Vec<Bytes>,
        /// How it ended.
        outcome: Outcome,
    },
    /// A task was put into a stream.
    Enqueued {
        /// Where.
        position: Position,
        /// What it does.
        task: TaskKind,
        /// Bytes it will read.
        reads: Vec<Bytes>,
        /// Bytes it will write.
        writes: Vec<Bytes>,
        /// The event it records, waits for or resets.
        event: Option<EventRef>,
        /// For a wait: the place in another stream that it waits for, as far as it is known when
        /// the wait is enqueued.
        captured: Option<Position>,
    },
    /// A task ended.
    Completed {
        /// Which.
        position: Position,
        /// How.
        outcome: Outcome,
    },
    /// An event came to be.
    EventCreated {
        /// Its number.
        event: EventRef,
    },
    /// An event ended.
    EventDestroyed {
        /// Its number.
        event: EventRef,
    },
    /// The program waited for something.
    Synchronized {
        /// For what.
        target: Target,
        /// How it ended.
        outcome: Outcome,
    },
    /// The program asked whether something is done.
    Queried {
        /// What.
        target: Target,
        /// The answer.
        outcome: Outcome,
    },
    /// A stream's registered allocator changed.
    Allocator {
        /// The stream.
        stream: StreamRef,
        /// How.
        act: AllocatorAct,
    },
}
