//! The vocabulary of records. Plain data: numbers, ranges and names of what they concern.
//!
//! A record says what happened, never whether that was right: judging is for those who read.
//!
//! # What orders what
//!
//! | record | who knows what from then on |
//! | --- | --- |
//! | [`Operation::Enqueued`] | the task knows all earlier tasks of its stream, and what the host knew |
//! | the same for a wait | and everything that the captured place knew. Without one it is the place of the next recording of the event |
//! | [`Operation::Synchronized`] with [`Outcome::Done`] or [`Outcome::Failed`] | the host knows everything that was enqueued in the target before the call; of an event, its latest recording. A failure is one of the tasks, and all of them have ended |
//! | the same with [`Outcome::NotReady`] | nothing: time ran out |
//! | [`Operation::Queried`] with [`Outcome::Done`] | the host knows the same as after a synchronisation |
//! | the same of [`Target::Waits`] | the host knows every wait for the event that was enqueued, and with it all that came before in that stream |
//! | [`Operation::FunctionBegan`] | the host knows all tasks before the function |
//! | [`Operation::Completed`] of a host function, or of a report that blocks | the host knows the task; later tasks know what the host did until then |
//! | [`Operation::Completed`] with [`Outcome::Skipped`] or [`Outcome::Dropped`] | the task has ended and touched nothing |
//! | [`Operation::StreamAborted`] | the tasks behind the one that had begun touch nothing; of that one the host knows nothing |
//! | [`Operation::StreamDestroyed`], [`Operation::ContextDestroyed`], [`Operation::DeviceReset`] | everything of the stream, of the context's streams, of the device's streams has ended |
//! | [`Operation::Moved`] | it happened between two records of its thread, in the order of the host |
//!
//! A wait inside a call is a record of its own, before that of what the call did: the functions that
//! destroy streams and contexts, those that free after a device's work, copies of memory that is
//! not pinned, and operators that run inside the call because what they do depends on contents. The
//! call in its [`Site`] is then not one that synchronises; whether an operator waits also depends on
//! how far the stream happens to be.
//!
//! # Who made it
//!
//! What the runtime makes for itself has the same records as what a program makes, and the call in
//! its [`Site`] tells them apart: the context and stream of `aclrtSetDevice`, the default stream of
//! `aclrtCreateContext`, the pool and the blocks of an operator or a model that runs, and the pinned
//! block of a copy that takes its source at once. A program destroys what it got from a function
//! that creates that.
//!
//! From [`Operation::ResetBegan`] to the end of the call, and from [`Operation::Finalized`] on,
//! what still exists goes: a part of it with records of its own, the rest with
//! [`Operation::ContextDestroyed`] and [`Operation::DeviceReset`]. Pools and events outlive both.

use std::borrow::Cow;

use crate::span::{Span, Spans};

/// A word or a sentence. Borrowed where it is made, owned where it was read from a file.
pub type Text = Cow<'static, str>;
/// A stream. Numbers are never reused within a runtime, so a number is a generation too.
pub type StreamRef = u64;
/// An event, by the same rule.
pub type EventRef = u64;
/// A block, by the same rule: two blocks at one address have different numbers.
pub type BlockRef = u64;
/// A piece of physical memory, by the same rule.
pub type PieceRef = u64;

/// A stream-ordered pool, by the same rule.
pub type PoolRef = u64;
/// A domain of MSTX, by the same rule; 0 is the global one.
pub type DomainRef = u64;
/// A heap of MSTX, by the same rule.
pub type HeapRef = u64;
/// A region of MSTX, by the same rule.
pub type RegionRef = u64;
/// A call stack that was seen, from 1; 0 stands for none. The same stack has the same number.
pub type StackRef = u32;

/// One entry of the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Position in the order of all records of a runtime, from 1.
    pub order: u64,
    /// Nanoseconds since the runtime began.
    pub nanoseconds: u64,
    /// A number for the thread that did it, from 1 in the order in which threads are first seen; 0 where that
    /// is not known.
    pub thread: u64,
    /// Where the program called from.
    pub site: Site,
    /// What was done.
    pub operation: Operation,
}

/// Where in the program something was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Site {
    /// The function of the interface that the program called; empty when nobody noted it.
    pub call: Text,
    /// The return address in the program; 0 when nobody noted it.
    pub caller: u64,
    /// The whole stack, if stacks are taken.
    pub stack: StackRef,
}

/// One line of a call stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Frame {
    /// A return address; what it is called is looked up in the modules.
    Address(u64),
    /// A line of a language that knows itself, such as Python.
    Named {
        /// The function.
        function: Text,
        /// The file.
        file: Text,
        /// The line in it.
        line: u32,
    },
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
    /// The waits of streams for an event, for whichever recording of it.
    Waits(EventRef),
}

/// What a task, or a call that does not wait for its turn, does to memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Deed {
    /// What it is.
    pub task: TaskKind,
    /// Bytes read. For a copy, the first of these goes to the first of `writes`, and so on.
    pub reads: Spans,
    /// Bytes written.
    pub writes: Spans,
    /// So many of the last of `writes` are scratch: memory of the program that the work uses for itself, and that has no
    /// content afterwards. What the runtime takes from a pool of its own is not among them.
    pub scratch: u64,
    /// How much room the program said there is at the destination; 0 where it says nothing.
    pub room: u64,
    /// Which operator or model; empty for everything else.
    pub name: Text,
    /// The loaded model that runs, by the number in its handle's records; 0 for everything else.
    pub model: u64,
    /// The model was compiled for several shapes. Programs are told one size for an output, whichever shape runs.
    pub geared: bool,
}

impl Deed {
    /// The bytes that get a content, and those that are scratch.
    pub fn written(&self) -> (&[Span], &[Span]) {
        let scratch = usize::try_from(self.scratch).unwrap_or(usize::MAX);
        let results = self.writes.len().saturating_sub(scratch);
        self.writes.split_at(results)
    }

    /// One that touches no memory.
    pub fn untouching(task: TaskKind) -> Self {
        Self {
            task,
            reads: Spans::new(),
            writes: Spans::new(),
            scratch: 0,
            room: 0,
            name: Text::default(),
            model: 0,
            geared: false,
        }
    }
}

/// What happened to a stream's registered allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllocatorAct {
    /// One was registered; it replaces an earlier one.
    Registered {
        /// The description it was registered with; 0 if it is not from C.
        descriptor: u64,
        /// The object that its functions get. Two descriptions may name one object.
        object: u64,
    },
    /// It was removed.
    Unregistered,
}

/// One of the five things that a description of an allocator holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DescriptorField {
    /// The object that the functions get.
    Object,
    /// The function that allocates.
    Alloc,
    /// The function that frees.
    Free,
    /// The function that allocates near an address.
    AllocAdvise,
    /// The function that tells a block's address.
    GetAddress,
}

/// Why a description of an allocator was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DescriptorProblem {
    /// It is none, or was destroyed.
    Unknown,
    /// It was to be registered on, or asked of, the null stream.
    NullStream,
    /// It was to be registered without this field.
    Missing(DescriptorField),
}

/// Where the memory of a run of an operator or a model came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunSource {
    /// From the allocator that is registered on the stream.
    Allocator,
    /// From the runtime's own pool.
    Pool,
    /// From a block that the program gave when it loaded the model.
    Given,
    /// It needed none beyond the caller's buffers.
    Nothing,
}

/// What kind of thing a handle names, apart from those that have records of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandleKind {
    /// `aclDataBuffer`.
    DataBuffer,
    /// `aclTensorDesc`.
    TensorDesc,
    /// `aclopAttr`.
    OperatorAttributes,
    /// `aclopHandle`.
    Operator,
    /// `aclmdlDataset`.
    Dataset,
    /// `aclmdlDesc`.
    ModelDescription,
    /// `aclmdlConfigHandle`.
    LoadOptions,
    /// `aclmdlExecConfigHandle`.
    RunOptions,
    /// A loaded model, by its number.
    Model,
}

/// Which bytes that only the checking mode writes were found changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Planted {
    /// Those behind a live block.
    Guard,
    /// Those of a block that was freed and not handed out again.
    Poison,
}

/// Why a stream stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stall {
    /// It waits for a recording of an event that has not been enqueued.
    Unrecorded,
    /// It waits for itself, by way of other streams.
    Circle,
    /// It has handed a function to the thread that processes its reports, and that thread has not fetched it.
    Report,
}

/// What a program can set about a stream-ordered pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolSetting {
    /// Whether memory follows events from stream to stream.
    FollowEvents(bool),
    /// Whether memory goes from stream to stream when the work happens to have passed.
    Opportunistic(bool),
    /// Whether the pool may make streams wait.
    InternalWaits(bool),
    /// How many bytes it keeps at a synchronisation.
    ReleaseThreshold(u64),
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
        /// Whether code of the program reaches its memory without a copy.
        unified: bool,
    },
    /// The program gave up its last claim on a device: what still exists on it goes now.
    ResetBegan {
        /// Its index.
        device: u32,
    },
    /// Everything on a device was released: its blocks, also those of pools, and its streams.
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
    /// What had not begun in a stream was thrown away. Its ends follow, when the task that had begun has
    /// ended; it touches nothing from now on.
    StreamAborted {
        /// Its number.
        stream: StreamRef,
        /// The last task that is not thrown away.
        begun: u64,
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
        /// The stream-ordered pool it is from.
        pool: Option<PoolRef>,
        /// For a block that a stream got: the place in the stream from which on it may be used, the
        /// last task enqueued before.
        ordered: Option<Position>,
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
        /// For a block that is freed in the order of a stream: the last task enqueued before.
        ordered: Option<Position>,
    },
    /// A stream said that its work uses a block, up to what is queued now.
    UseRecorded {
        /// An address in the block.
        address: u64,
        /// The stream and its last task.
        position: Position,
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
    /// A stream-ordered pool came to be.
    PoolCreated {
        /// Its number.
        pool: PoolRef,
        /// The device that its memory comes from.
        device: u32,
        /// Bytes that it may hand out.
        limit: u64,
    },
    /// Something about a pool was set.
    PoolSet {
        /// Its number.
        pool: PoolRef,
        /// What, and to which value.
        setting: PoolSetting,
    },
    /// A pool was told to give back what it does not use. What went is in records of pages.
    PoolTrimmed {
        /// Its number.
        pool: PoolRef,
        /// Bytes that it may keep.
        keep: u64,
    },
    /// A pool ended.
    PoolDestroyed {
        /// Its number.
        pool: PoolRef,
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
    /// Work that the calling thread carried out itself.
    Moved {
        /// What it did.
        deed: Deed,
        /// How it ended.
        outcome: Outcome,
    },
    /// A task was put into a stream.
    Enqueued {
        /// Where.
        position: Position,
        /// What it does.
        deed: Deed,
        /// The event it records, waits for or resets.
        event: Option<EventRef>,
        /// For a wait: the place in a stream that it waits for. None if it waits for the next
        /// recording of the event, which has not been enqueued yet.
        captured: Option<Position>,
    },
    /// A stream was told to wait for an event that was never recorded and counts as reached: nothing
    /// was queued.
    WaitSkipped {
        /// The stream.
        stream: StreamRef,
        /// The event.
        event: EventRef,
    },
    /// Work was refused before anything happened: its ranges are not memory that may be used so.
    WorkRefused {
        /// The stream it was meant for; none if it was meant to be done at once.
        stream: Option<StreamRef>,
        /// What it would have done.
        deed: Deed,
        /// Why it was refused.
        reason: String,
    },
    /// A function of the program that a stream came to begins: everything before it in the stream has
    /// passed.
    FunctionBegan {
        /// The task that it is.
        position: Position,
    },
    /// A task ended. A report that does not block has ended when it was handed on.
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
    /// A description of an allocator came to be.
    DescriptorCreated {
        /// Its address, which is its handle. May be that of an earlier one.
        descriptor: u64,
    },
    /// A field of a description was set by the program.
    DescriptorSet {
        /// Its address.
        descriptor: u64,
        /// Which field.
        field: DescriptorField,
    },
    /// A description ended.
    DescriptorDestroyed {
        /// Its address.
        descriptor: u64,
    },
    /// A description was not taken. Nothing was changed.
    DescriptorRefused {
        /// Its address, as the program gave it; 0 if it gave none.
        descriptor: u64,
        /// Why.
        problem: DescriptorProblem,
    },
    /// A registered allocator was asked for a block, and answered.
    AllocatorAsked {
        /// For which stream.
        stream: StreamRef,
        /// The object that was asked.
        object: u64,
        /// Bytes that were asked for: what is needed, and as many as its place may take to be on 64.
        bytes: u64,
        /// What it knows the block by; 0 if it gave none.
        token: u64,
        /// Where the block is, as it says.
        address: u64,
    },
    /// A block was given back to a registered allocator, in the order of the stream.
    AllocatorReturned {
        /// The stream and its last task.
        position: Position,
        /// The object that got it.
        object: u64,
        /// What it knows the block by.
        token: u64,
        /// Where the block is, as it said when it gave it.
        address: u64,
        /// Where it says the block is now.
        address_now: u64,
    },
    /// It was decided where the memory of a run comes from.
    RunPlaced {
        /// On which stream; none if the run is waited for in the call.
        stream: Option<StreamRef>,
        /// Which operator or model.
        name: Text,
        /// From where.
        source: RunSource,
        /// How many bytes.
        bytes: u64,
        /// Why from there.
        reason: Text,
    },
    /// The program began to use the interface.
    Initialized,
    /// The program said that it is done with the interface. What still exists goes after this.
    Finalized,
    /// A handle came to be.
    HandleCreated {
        /// Of what.
        kind: HandleKind,
        /// The handle.
        handle: u64,
    },
    /// What a handle names was destroyed by the program.
    HandleDestroyed {
        /// Of what.
        kind: HandleKind,
        /// The handle.
        handle: u64,
    },
    /// A handle stopped naming something that has records of its own: the program destroyed it, or it went with its
    /// context or device. Kinds of [`HandleKind`] have [`Operation::HandleDestroyed`] instead.
    HandleExpired {
        /// What it named, in a word.
        what: Text,
        /// The handle.
        handle: u64,
    },
    /// A call was given the handle of something that is gone. The call fails.
    HandleStale {
        /// What it should name, in a word.
        what: Text,
        /// The handle.
        handle: u64,
    },
    /// The interface was called from a function of the program that a stream runs.
    CalledInside {
        /// The task that the function is.
        position: Position,
    },
    /// A call waits, and the stream that it depends on stands still. Told while it waits, once, and only in the checking
    /// mode.
    CallStalled {
        /// The task that the stream stands at.
        at: Position,
        /// Why.
        why: Stall,
        /// Nothing that could end it is left.
        certain: bool,
    },
    /// The program allowed one device to reach the memory of another, or took that back.
    PeerAccessSet {
        /// The device that reaches.
        device: u32,
        /// The device whose memory it is.
        peer: u32,
        /// Whether it may.
        enabled: bool,
    },
    /// What the program said about the direction of a copy does not fit its addresses. The addresses decide; the record
    /// of the copy follows.
    DirectionCorrected {
        /// What the program said: `host to device`.
        stated: Text,
        /// Where the destination lies.
        to: Space,
        /// Where the source lies.
        from: Space,
    },
    /// A call answered an error. What was refused may have a record of its own before this one.
    CallFailed {
        /// The code it answered.
        code: i32,
        /// The sentence that goes with it.
        reason: String,
    },
    /// A call was made to fail because somebody asked for that.
    FaultInjected {
        /// The code it answers.
        code: i32,
        /// The how-manieth call of this function it was, from 1.
        nth: u64,
    },
    /// A domain of MSTX came to be.
    DomainCreated {
        /// Its number.
        domain: DomainRef,
        /// Its name.
        name: String,
    },
    /// A domain ended.
    DomainDestroyed {
        /// Its number.
        domain: DomainRef,
    },
    /// A heap was registered.
    HeapRegistered {
        /// Its number.
        heap: HeapRef,
        /// In which domain.
        domain: DomainRef,
        /// The device that the program said.
        device: u32,
        /// Its bytes.
        range: Bytes,
    },
    /// A heap was unregistered.
    HeapUnregistered {
        /// Its number.
        heap: HeapRef,
    },
    /// A region was registered.
    RegionRegistered {
        /// Its number.
        region: RegionRef,
        /// In which domain.
        domain: DomainRef,
        /// In which heap; none if it stands alone.
        heap: Option<HeapRef>,
        /// The device that the program said.
        device: u32,
        /// Its bytes.
        range: Bytes,
    },
    /// A region was unregistered.
    RegionUnregistered {
        /// Its number.
        region: RegionRef,
    },
    /// What may be done with a region changed.
    RegionPermitted {
        /// Its number.
        region: RegionRef,
        /// Flags of MSTX: 1 read, 2 write, 4 shared.
        flags: u32,
    },
    /// A heap, region or domain was named that is not known.
    AnnotationUnknown {
        /// In which domain.
        domain: DomainRef,
        /// The word that the program gave: a handle or a pointer.
        value: u64,
        /// What it should have been.
        expected: Text,
    },
    /// A producer of annotations does not follow the documented contract. Said once a domain.
    AnnotationStrange {
        /// In which domain.
        domain: DomainRef,
        /// What it does.
        what: Text,
    },
    /// The program set a mark.
    Marked {
        /// In which domain.
        domain: DomainRef,
        /// What it says.
        message: String,
        /// In the order of which stream.
        stream: Option<StreamRef>,
    },
    /// A range began. A range called `step start` is a step.
    RangeStarted {
        /// Its number.
        range: u64,
        /// In which domain.
        domain: DomainRef,
        /// What it says.
        message: String,
        /// In the order of which stream.
        stream: Option<StreamRef>,
    },
    /// A range ended.
    RangeEnded {
        /// Its number.
        range: u64,
    },
    /// Bytes that the checking mode wrote were found changed.
    PlantedChanged {
        /// Which bytes.
        planted: Planted,
        /// The block.
        block: BlockRef,
        /// From the first to the last byte that has changed.
        range: Bytes,
    },
    /// The bytes that a queued copy reads from the host changed before it ran.
    SourceChanged {
        /// The copy.
        position: Position,
        /// Bytes among which some changed.
        range: Bytes,
    },
    /// Code of the program touched device memory, which faults.
    HostTouched {
        /// The address it touched.
        address: u64,
        /// Whether it wrote.
        write: bool,
        /// The instruction that did it.
        instruction: u64,
    },
    /// Code of the program, or a call of the system for it, used bytes of pinned memory that were closed to it. Seen only
    /// where somebody closes them: see `Config::pinned` of the runtime.
    HostAccessed {
        /// The bytes: of a fault only the first, which is all that is known.
        range: Bytes,
        /// Whether they were written.
        write: bool,
        /// The instruction that did it; 0 for a call of the system, whose name is in the site.
        instruction: u64,
    },
    /// A call stack that records name from now on.
    StackSeen {
        /// Its number.
        stack: StackRef,
        /// The innermost first.
        frames: Vec<Frame>,
    },
    /// Code that addresses of call stacks lie in.
    ModuleSeen {
        /// Where it lies.
        range: Bytes,
        /// What to subtract from an address to get one of the file.
        bias: u64,
        /// The file.
        file: String,
    },
}
