//! Records and the types of their fields: plain data, such as numbers, ranges and names.
//!
//! A record says what happened, never whether that was right: readers judge. [`Operation`] lists what can happen.
//!
//! # What orders what
//!
//! To *know* a task is to be ordered after it.
//!
//! | record | who knows what from then on |
//! | --- | --- |
//! | [`Operation::Enqueued`] | the task knows all earlier tasks of its stream, and what the host knew |
//! | the same for a wait | and everything that the captured position knew. Without one, that is the position of the next recording of the event |
//! | [`Operation::Synchronized`] with [`Outcome::Done`] or [`Outcome::Failed`] | the host knows everything that was enqueued in the target before the call; of an event, its latest recording. The failure is that of a task, and all tasks have ended |
//! | the same with [`Outcome::NotReady`] | nothing: the wait timed out |
//! | [`Operation::Queried`] with [`Outcome::Done`] | the host knows the same as after a synchronisation |
//! | the same of [`Target::Waits`] | the host knows every enqueued wait for the event, and everything before it in that stream |
//! | [`Operation::FunctionBegan`] | the host knows all tasks before the function |
//! | [`Operation::Completed`] of a host function, or of a report that blocks | the host knows the task; later tasks know what the host has done so far |
//! | [`Operation::Completed`] with [`Outcome::Skipped`] or [`Outcome::Dropped`] | the task has ended and accessed no memory |
//! | [`Operation::StreamAborted`] | the tasks after the one that had begun access no memory; the host knows nothing of that one |
//! | [`Operation::StreamDestroyed`], [`Operation::ContextDestroyed`], [`Operation::DeviceReset`] | everything of the stream, of the context's streams, of the device's streams has ended |
//! | [`Operation::WordMet`] | the wait knows what its writer knew, and later tasks of its stream with it. Without a writer, everything that has begun |
//! | [`Operation::CopyFound`] | nobody; but only now is known what the copy does, in its place of the stream |
//! | [`Operation::Moved`] | it happened between two records of its thread, in host order |
//!
//! A wait inside a call is a separate record, before the record of what the call did. Such waits occur in functions
//! that destroy streams and contexts, in frees that wait for a device, in copies of memory that is not pinned, and in
//! operators that run inside the call because their results depend on contents. The call in the [`Site`] is then not a
//! synchronising one. Whether an operator waits also depends on the progress of the stream.
//!
//! # Who created it
//!
//! Objects that the runtime creates for itself have the same records as those of the program. The call in the [`Site`]
//! distinguishes them: the context and stream of `aclrtSetDevice`, the default stream of `aclrtCreateContext`, the pool
//! and the blocks of a running operator or model, and the pinned block of a copy that reads its source immediately. A
//! program destroys what a creating function returned to it.
//!
//! From [`Operation::ResetBegan`] to the end of the call, and from [`Operation::Finalized`] on, everything that still
//! exists is released: some objects have records for that, the rest is covered by [`Operation::ContextDestroyed`] and
//! [`Operation::DeviceReset`]. Pools and events survive both.

use std::borrow::Cow;

use crate::operation::Operation;
use crate::span::{Span, Spans};

/// A word or a sentence: borrowed in a process that emits records, owned if it was read from a file.
pub type Text = Cow<'static, str>;
/// A stream, by number. A runtime never reuses numbers.
pub type StreamRef = u64;
/// An event, by number; never reused.
pub type EventRef = u64;
/// A block, by number; never reused. Two blocks at one address have different numbers.
pub type BlockRef = u64;
/// A piece of physical memory, by number; never reused.
pub type PieceRef = u64;
/// A stream-ordered pool, by number; never reused.
pub type PoolRef = u64;
/// An MSTX domain, by number; never reused. 0 is the global one.
pub type DomainRef = u64;
/// An MSTX heap, by number; never reused.
pub type HeapRef = u64;
/// An MSTX region, by number; never reused.
pub type RegionRef = u64;
/// A recorded call stack, from 1; 0 stands for none. The same stack has the same number.
pub type StackRef = u32;

/// One entry of the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Position in the order of all records of a runtime, from 1.
    pub order: u64,
    /// Nanoseconds since the runtime began.
    pub nanoseconds: u64,
    /// The thread that did it, numbered from 1 in order of first appearance; 0 if unknown.
    pub thread: u64,
    /// Where the program called from.
    pub site: Site,
    /// What happened.
    pub operation: Operation,
}

/// A place for a record that is going to be read: what is in it means nothing.
impl Default for Record {
    fn default() -> Self {
        Self {
            order: 0,
            nanoseconds: 0,
            thread: 0,
            site: Site::default(),
            operation: Operation::DeviceReset { device: 0 },
        }
    }
}

/// Where in the program an operation was requested.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Site {
    /// The function of the interface that the program called; empty if unknown.
    pub call: Text,
    /// The return address in the program; 0 if unknown.
    pub caller: u64,
    /// The whole stack, if stacks are recorded.
    pub stack: StackRef,
}

/// One frame of a call stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Frame {
    /// A return address. Its function is looked up in the modules.
    Address(u64),
    /// A frame of an interpreted language, such as Python.
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

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// The memory of the device with this index.
    Device(u32),
    /// Pinned host memory.
    Pinned,
    /// Memory that Millpond did not allocate: the program's own.
    Foreign,
}

/// A position in a stream: its tasks are numbered from 1.
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
    /// Records an event.
    RecordEvent,
    /// Waits for an event.
    WaitEvent,
    /// Resets an event to its unrecorded state.
    ResetEvent,
    /// Calls a function of the program on a thread of the runtime.
    HostFunction,
    /// Passes a function to the thread that processes the stream's reports.
    Report,
    /// Runs an operator or a model.
    Compute,
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Successfully.
    Done,
    /// Not yet: the result of a query, or a wait that timed out.
    NotReady,
    /// With this error.
    Failed(String),
    /// It did not run, because an earlier task of the stream failed.
    Skipped,
    /// It did not run, because the stream was aborted or forcibly destroyed.
    Dropped,
}

/// What a synchronisation waits for, or a query asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// All work of a stream.
    Stream(StreamRef),
    /// All work of a device.
    Device(u32),
    /// An event.
    Event(EventRef),
    /// The waits of streams for an event, for any recording of it.
    Waits(EventRef),
}

/// What a task, or a synchronous call, does to memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Accesses {
    /// What kind of work it is.
    pub task: TaskKind,
    /// Bytes read. For a copy, the first of these goes to the first of `writes`, and so on.
    pub reads: Spans,
    /// Bytes written.
    pub writes: Spans,
    /// How many of the last `writes` are scratch: memory of the program that the work uses as workspace and that is
    /// undefined afterwards. Workspace from the runtime's own pool is not included.
    pub scratch: u64,
    /// The size of the destination that the program stated; 0 if it stated none.
    pub room: u64,
    /// Which operator or model; empty for everything else.
    pub name: Text,
    /// The loaded model that runs, by the number in its handle's records; 0 for everything else.
    pub model: u64,
    /// The model was compiled for several shapes (gears). Programs get one size for an output, whichever shape runs.
    pub geared: bool,
}

impl Accesses {
    /// The written bytes that are defined afterwards, and those that are scratch.
    pub fn written(&self) -> (&[Span], &[Span]) {
        let scratch = usize::try_from(self.scratch).unwrap_or(usize::MAX);
        let results = self.writes.len().saturating_sub(scratch);
        self.writes.split_at(results)
    }

    /// Work that accesses no memory.
    pub fn none(task: TaskKind) -> Self {
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
pub enum AllocatorChange {
    /// One was registered; it replaces an earlier one.
    Registered {
        /// The descriptor it was registered with; 0 if it is not from C.
        descriptor: u64,
        /// The object that is passed to its functions. Two descriptors may name one object.
        object: u64,
    },
    /// It was removed.
    Unregistered,
}

/// One of the five fields of an allocator descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DescriptorField {
    /// The object that is passed to the functions.
    Object,
    /// The function that allocates.
    Alloc,
    /// The function that frees.
    Free,
    /// The function that allocates near an address.
    AllocAdvise,
    /// The function that returns a block's address.
    GetAddress,
}

/// Why an allocator descriptor was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DescriptorProblem {
    /// It is not a descriptor, or was destroyed.
    Unknown,
    /// It was used with the null stream.
    NullStream,
    /// This field is not set.
    Missing(DescriptorField),
}

/// Where the workspace of an operator or model run came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunSource {
    /// The allocator that is registered on the stream.
    Allocator,
    /// The runtime's own pool.
    Pool,
    /// A block that the program provided when it loaded the model.
    Provided,
    /// Nowhere: the run needed none.
    Nothing,
}

/// The kind of object that a handle names, except for kinds with records of their own.
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
    /// `HcclComm`.
    Communicator,
}

/// Which guard bytes were overwritten. Only the checking mode writes guard bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuardKind {
    /// The redzone after a live block.
    Redzone,
    /// The poison in a freed block that was not reused.
    Poison,
}

/// Why a stream is stalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stall {
    /// It waits for an event whose recording has not been enqueued.
    Unrecorded,
    /// It waits for itself, through other streams.
    Circle,
    /// It waits until the thread that processes its reports has fetched a function, and that thread has not.
    Report,
    /// It waits for a word in memory, an event or a notification that something outside the runtime may set: a call that the program has not
    /// made, or another process.
    Outside,
}

/// Why ranks cannot continue together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RankProblem {
    /// At one place of their order they do different things.
    Mismatch,
    /// A message is sent with another size or type than it is received with.
    Message,
    /// A rank that others wait for has ended, or has destroyed its communicator.
    Gone,
    /// They wait for each other in a cycle.
    Cycle,
    /// They waited longer than the communicator's limit.
    TimedOut,
    /// They contradict each other when they meet, or one does not come.
    Meeting,
    /// A rank destroyed its communicator while its own operations were in flight.
    Closed,
    /// Two ranks use one device.
    SharedDevice,
    /// An operation was queued in a stream of another device than the communicator's.
    OtherDevice,
    /// What a rank gives to a reduction has a NaN, and no rank had one before.
    NotANumber,
}

/// What one rank does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RankPart {
    /// Which rank.
    pub rank: u32,
    /// What it does, or what it did last.
    pub what: String,
    /// Where its program called that, as an address and a stack of this process; as in a [`Site`].
    pub caller: u64,
    /// See `caller`.
    pub stack: StackRef,
    /// Other ranks that do the same.
    pub also: Vec<u32>,
}

/// A message of a call: one of a batch, or one rank's part of an all-to-all.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RankMessage {
    /// The other rank.
    pub peer: u32,
    /// Whether it goes there, not comes from there.
    pub sends: bool,
    /// Bytes.
    pub bytes: u64,
    /// The type of its elements.
    pub element: Text,
}

/// An attribute of a stream-ordered pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolSetting {
    /// Whether memory is reused across streams that events order.
    FollowEvents(bool),
    /// Whether memory is reused across streams if the work happens to have finished.
    Opportunistic(bool),
    /// Whether the pool may insert waits between streams.
    InternalWaits(bool),
    /// How many bytes it keeps at a synchronisation.
    ReleaseThreshold(u64),
}
