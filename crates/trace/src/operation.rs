//! The operations that records are about.

use crate::{
    Accesses, AllocatorChange, BlockRef, Bytes, DescriptorField, DescriptorProblem, DomainRef,
    EventRef, Frame, GuardKind, HandleKind, HeapRef, Outcome, PieceRef, PoolRef, PoolSetting,
    Position, RankMessage, RankPart, RankProblem, RegionRef, RunSource, Space, StackRef, Stall,
    StreamRef, Target, TaskKind, Text,
};

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A device was opened with this much memory.
    DeviceOpened {
        /// Its index.
        device: u32,
        /// Bytes of its memory.
        capacity: u64,
        /// Whether host code can access its memory directly.
        unified: bool,
    },
    /// The program released its last reference to a device: everything on it is released now.
    ResetBegan {
        /// Its index.
        device: u32,
    },
    /// Everything on a device was released: its blocks, including those of pools, and its streams.
    DeviceReset {
        /// Its index.
        device: u32,
    },
    /// A context was created.
    ContextCreated {
        /// Its number, never reused.
        context: u64,
        /// The device it belongs to.
        device: u32,
    },
    /// A context was destroyed, with its streams.
    ContextDestroyed {
        /// Its number.
        context: u64,
    },
    /// A stream was created.
    StreamCreated {
        /// Its number.
        stream: StreamRef,
        /// The context it belongs to.
        context: u64,
        /// The device it runs on.
        device: u32,
    },
    /// A stream was destroyed.
    StreamDestroyed {
        /// Its number.
        stream: StreamRef,
        /// Tasks that were dropped instead of run.
        dropped: u64,
    },
    /// The tasks of a stream that had not begun were discarded; they access no memory from now on. Their completion
    /// records follow when the task that had begun has ended.
    StreamAborted {
        /// Its number.
        stream: StreamRef,
        /// The last task that is not discarded.
        begun: u64,
    },
    /// A block was allocated.
    Allocated {
        /// Its number.
        block: BlockRef,
        /// The memory it is in.
        space: Space,
        /// Its bytes.
        range: Bytes,
        /// Bytes that the program requested.
        requested: u64,
        /// Bytes of pages that it is charged for.
        charged: u64,
        /// The stream-ordered pool it is from.
        pool: Option<PoolRef>,
        /// For a stream-ordered allocation: the last task enqueued before it. Later work of the stream may use the
        /// block.
        ordered: Option<Position>,
    },
    /// An allocation was refused.
    AllocationFailed {
        /// In which memory.
        space: Space,
        /// Bytes that the program requested.
        requested: u64,
        /// Why.
        reason: String,
    },
    /// The program freed a block.
    Freed {
        /// Its number.
        block: BlockRef,
        /// Its bytes.
        range: Bytes,
        /// Queued work used it: its bytes are reused only after that work.
        retired: bool,
        /// For a stream-ordered free: the last task enqueued before it.
        ordered: Option<Position>,
    },
    /// The program stated that the work queued in a stream uses a block (`record_stream`).
    UseRecorded {
        /// An address in the block.
        address: u64,
        /// The stream and its last task.
        position: Position,
    },
    /// The program tried to free something that is not a block.
    FreeRefused {
        /// The address it gave.
        address: u64,
        /// Why it was refused.
        reason: String,
    },
    /// Idle pages were returned to the machine.
    PagesReturned {
        /// In which memory they were.
        space: Space,
        /// Bytes that were resident and no longer are.
        bytes: u64,
    },
    /// A stream-ordered pool was created.
    PoolCreated {
        /// Its number.
        pool: PoolRef,
        /// The device that its memory comes from.
        device: u32,
        /// The most bytes that may be allocated from it.
        limit: u64,
    },
    /// An attribute of a pool was set.
    PoolSet {
        /// Its number.
        pool: PoolRef,
        /// The attribute and its value.
        setting: PoolSetting,
    },
    /// The program trimmed a pool. [`Operation::PagesReturned`] says what was returned.
    PoolTrimmed {
        /// Its number.
        pool: PoolRef,
        /// Bytes that it may keep.
        keep: u64,
    },
    /// A pool was destroyed.
    PoolDestroyed {
        /// Its number.
        pool: PoolRef,
    },
    /// Addresses were reserved. No memory is mapped there yet.
    AddressesReserved {
        /// The addresses.
        range: Bytes,
    },
    /// The program released reserved addresses.
    AddressesReleased {
        /// The addresses.
        range: Bytes,
        /// Queued work uses them: they are released only after that work.
        retired: bool,
    },
    /// A piece of physical memory was allocated. It has no address.
    PhysicalAllocated {
        /// Its number.
        piece: PieceRef,
        /// The memory it is in.
        space: Space,
        /// Its size.
        bytes: u64,
    },
    /// Pages of another process, or of another block, became a piece. Their contents are the owner's.
    PhysicalImported {
        /// Its number.
        piece: PieceRef,
        /// The memory that it counts as.
        space: Space,
        /// Its size.
        bytes: u64,
    },
    /// A piece was exported: from now on other processes may read and write it.
    PhysicalShared {
        /// Its number.
        piece: PieceRef,
    },
    /// Device memory was exported: from now on other processes may read and write it.
    MemoryShared {
        /// Its addresses.
        range: Bytes,
    },
    /// The program has released the handle and all mappings of a piece.
    PhysicalFreed {
        /// Its number.
        piece: PieceRef,
        /// Its size.
        bytes: u64,
        /// Queued work uses it: it is released only after that work.
        retired: bool,
    },
    /// A piece was mapped; it may be mapped several times.
    Mapped {
        /// Which piece.
        piece: PieceRef,
        /// Its addresses.
        range: Bytes,
        /// From where the piece may be accessed; none if access must be granted first.
        access: Option<Space>,
    },
    /// The program granted access to what is mapped in a range.
    AccessGranted {
        /// The addresses.
        range: Bytes,
        /// From where.
        access: Space,
    },
    /// A piece was unmapped.
    Unmapped {
        /// Which piece.
        piece: PieceRef,
        /// Its addresses.
        range: Bytes,
        /// Queued work uses them: it still finds the bytes there.
        retired: bool,
    },
    /// An attempt to reserve, release, map or unmap was refused.
    MappingRefused {
        /// The address it gave; 0 if it gave none.
        address: u64,
        /// Why.
        reason: String,
    },
    /// The calling thread did the work itself.
    Moved {
        /// What it did to memory.
        accesses: Accesses,
        /// How it ended.
        outcome: Outcome,
    },
    /// A task was enqueued.
    Enqueued {
        /// Where.
        position: Position,
        /// What it does.
        accesses: Accesses,
        /// The event it records, waits for or resets.
        event: Option<EventRef>,
        /// For a wait: the position that it waits for. None if it waits for the next recording of the event, which has
        /// not been enqueued yet.
        captured: Option<Position>,
    },
    /// A stream was to wait for an event that was never recorded. Such an event counts as reached, so nothing was
    /// enqueued.
    WaitSkipped {
        /// The stream.
        stream: StreamRef,
        /// The event.
        event: EventRef,
    },
    /// Work was refused before anything happened: its ranges are not memory that it may access.
    WorkRefused {
        /// The stream; none for a synchronous call.
        stream: Option<StreamRef>,
        /// What it would have done.
        accesses: Accesses,
        /// Why it was refused.
        reason: String,
    },
    /// A function of the program that was enqueued in a stream begins: everything before it in the stream has ended.
    FunctionBegan {
        /// Its task.
        position: Position,
    },
    /// A task ended. A report that does not block ends when it is passed on.
    Completed {
        /// Which.
        position: Position,
        /// How.
        outcome: Outcome,
    },
    /// An event was created.
    EventCreated {
        /// Its number.
        event: EventRef,
    },
    /// An event was destroyed.
    EventDestroyed {
        /// Its number.
        event: EventRef,
    },
    /// The program waited.
    Synchronized {
        /// For what.
        target: Target,
        /// How it ended.
        outcome: Outcome,
    },
    /// The program asked whether work is done.
    Queried {
        /// Which work.
        target: Target,
        /// The result.
        outcome: Outcome,
    },
    /// A stream's registered allocator changed.
    Allocator {
        /// The stream.
        stream: StreamRef,
        /// How.
        change: AllocatorChange,
    },
    /// An allocator descriptor was created.
    DescriptorCreated {
        /// Its address, which is its handle. An earlier one may have had the same.
        descriptor: u64,
    },
    /// The program set a field of a descriptor.
    DescriptorSet {
        /// Its address.
        descriptor: u64,
        /// Which field.
        field: DescriptorField,
    },
    /// A descriptor was destroyed.
    DescriptorDestroyed {
        /// Its address.
        descriptor: u64,
    },
    /// A descriptor was refused. Nothing was changed.
    DescriptorRefused {
        /// Its address, as the program gave it; 0 if it gave none.
        descriptor: u64,
        /// Why.
        problem: DescriptorProblem,
    },
    /// A registered allocator was called for a block, and returned.
    AllocatorAsked {
        /// For which stream.
        stream: StreamRef,
        /// The allocator's object.
        object: u64,
        /// Bytes that were requested: what is needed, plus what alignment to 64 may take.
        bytes: u64,
        /// The allocator's name for the block; 0 if it gave none.
        token: u64,
        /// The address that the allocator returned.
        address: u64,
    },
    /// A block was returned to a registered allocator, in stream order.
    AllocatorReturned {
        /// The stream and its last task.
        position: Position,
        /// The allocator's object.
        object: u64,
        /// The allocator's name for the block.
        token: u64,
        /// The address that the allocator returned when it allocated the block.
        address: u64,
        /// The address that it returns now.
        address_now: u64,
    },
    /// The source of a run's workspace was chosen.
    RunPlaced {
        /// The stream; none if the call waits for the run.
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
    /// The program initialised the interface.
    Initialized,
    /// The program finalised the interface. Everything that still exists is released after this.
    Finalized,
    /// A handle was created.
    HandleCreated {
        /// Of what.
        kind: HandleKind,
        /// The handle.
        handle: u64,
    },
    /// The program destroyed the object of a handle.
    HandleDestroyed {
        /// Of what.
        kind: HandleKind,
        /// The handle.
        handle: u64,
    },
    /// A handle became invalid, because the program destroyed its object or because the context or device was released.
    /// Used for objects with records of their own; the kinds of [`HandleKind`] have [`Operation::HandleDestroyed`].
    HandleExpired {
        /// The kind of object, in a word.
        what: Text,
        /// The handle.
        handle: u64,
    },
    /// A call got an invalid handle of a destroyed object, and fails.
    HandleStale {
        /// The kind of object that was expected, in a word.
        what: Text,
        /// The handle.
        handle: u64,
    },
    /// The interface was called from inside a function that a stream runs.
    CalledInside {
        /// The task of that function.
        position: Position,
    },
    /// A call waits for a stream that is stalled. Recorded once per call while it waits, and only in the checking mode.
    CallStalled {
        /// The task at which the stream is stalled.
        at: Position,
        /// Why.
        why: Stall,
        /// Nothing is left that could end the stall.
        certain: bool,
    },
    /// Ranks of a communicator cannot continue together, or cannot meet. One rank records it for all of them; the site is
    /// where it called its operation.
    RanksFailed {
        /// What is wrong.
        problem: RankProblem,
        /// The communicator's name.
        communicator: String,
        /// The rank that records it.
        rank: u32,
        /// How many ranks there are.
        ranks: u32,
        /// What happened, in a sentence.
        reason: String,
        /// What the ranks were doing, as far as it is known.
        parts: Vec<RankPart>,
        /// The last operation that they did together; empty if there was none.
        before: String,
        /// The number of the operation among those of all ranks, from 1; 0 if it is none of these, or unknown.
        place: u64,
    },
    /// Another process has mapped memory that this one exported.
    MemoryLent {
        /// Which bytes.
        range: Bytes,
        /// The number of this use.
        lease: u64,
        /// The other process.
        process: u32,
    },
    /// The other process does not use it any more.
    MemoryReturned {
        /// The number of the use.
        lease: u64,
        /// When it ended, in nanoseconds since the runtime began, or a little before; 0 if that is not known, because the process has ended.
        until: u64,
    },
    /// A rank of this process has joined a communicator.
    RankJoined {
        /// What all ranks of the communicator, and no other one, have in common.
        communicator: String,
        /// Its name.
        name: String,
        /// The rank.
        rank: u32,
        /// How many ranks there are.
        ranks: u32,
    },
    /// A rank has queued an operation. Records are in the order of its calls.
    RankCalled {
        /// As in `RankJoined`.
        communicator: String,
        /// The rank.
        rank: u32,
        /// Its task.
        position: Position,
        /// The function.
        function: Text,
        /// Elements, for an operation of all ranks.
        count: u64,
        /// Their type.
        element: Text,
        /// How they are combined; empty if they are not.
        reduction: Text,
        /// The special rank, if the operation has one.
        root: Option<u32>,
        /// A number that is equal if the counts and displacements of a V form are.
        parts: u64,
        /// The messages. There are none in an operation of all ranks.
        messages: Vec<RankMessage>,
    },
    /// A rank has left its communicator.
    RankLeft {
        /// As in `RankJoined`.
        communicator: String,
        /// The rank.
        rank: u32,
    },
    /// The program enabled or disabled access from one device to the memory of another.
    PeerAccessSet {
        /// The accessing device.
        device: u32,
        /// The device whose memory is accessed.
        peer: u32,
        /// Whether access is enabled.
        enabled: bool,
    },
    /// A graph was launched. Records of its tasks follow; their call sites are those of the capture.
    GraphLaunched {
        /// Its number.
        graph: u64,
        /// Where.
        stream: StreamRef,
        /// Where the launch before ended, if there was one.
        before: Option<Position>,
    },
    /// All tasks of the launch that began on this thread are queued.
    GraphIssued {
        /// The graph's number.
        graph: u64,
    },
    /// A graph is launched that uses memory which was freed since it was captured. The call site is that of the capture.
    GraphMemoryFreed {
        /// The graph's number.
        graph: u64,
        /// The captured call.
        name: Text,
        /// What it uses.
        range: Bytes,
        /// Whether another block is there now.
        reused: bool,
    },
    /// A capture began. What it captures is not queued, so it has no position until the graph is launched.
    CaptureBegan {
        /// The graph's number.
        graph: u64,
        /// On which stream.
        stream: StreamRef,
    },
    /// Work that uses memory was captured. Each launch does it anew, with records of its own.
    WorkCaptured {
        /// The graph's number.
        graph: u64,
        /// What it will do.
        accesses: Accesses,
    },
    /// A capture ended, with a graph or without.
    CaptureEnded {
        /// The graph's number.
        graph: u64,
    },
    /// A graph is gone, with everything that it kept.
    GraphDestroyed {
        /// Its number.
        graph: u64,
    },
    /// The stated direction of a copy does not match its addresses. The addresses decide; the record of the copy
    /// follows.
    DirectionCorrected {
        /// The stated direction: `host to device`.
        stated: Text,
        /// The memory of the destination.
        to: Space,
        /// The memory of the source.
        from: Space,
    },
    /// A call returned an error. A record of what was refused may precede this one.
    CallFailed {
        /// The error code.
        code: i32,
        /// The error message.
        reason: String,
    },
    /// A call failed because fault injection was requested.
    FaultInjected {
        /// The error code.
        code: i32,
        /// The number of this call of the function, from 1.
        nth: u64,
    },
    /// An MSTX domain was created.
    DomainCreated {
        /// Its number.
        domain: DomainRef,
        /// Its name.
        name: String,
    },
    /// A domain was destroyed.
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
        /// The device that the program stated.
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
        /// In which heap, if any.
        heap: Option<HeapRef>,
        /// The device that the program stated.
        device: u32,
        /// Its bytes.
        range: Bytes,
    },
    /// A region was unregistered.
    RegionUnregistered {
        /// Its number.
        region: RegionRef,
    },
    /// The permissions of a region changed.
    RegionPermitted {
        /// Its number.
        region: RegionRef,
        /// MSTX flags: 1 read, 2 write, 4 shared.
        flags: u32,
    },
    /// The program named an unknown heap, region or domain.
    AnnotationUnknown {
        /// In which domain.
        domain: DomainRef,
        /// The value that the program gave: a handle or a pointer.
        value: u64,
        /// What it should have been.
        expected: Text,
    },
    /// A producer of annotations violates the documented contract. Recorded once per domain.
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
        /// Its message.
        message: String,
        /// The stream in whose order it is.
        stream: Option<StreamRef>,
    },
    /// A range began. A range with the message `step start` is a step.
    RangeStarted {
        /// Its number.
        range: u64,
        /// In which domain.
        domain: DomainRef,
        /// Its message.
        message: String,
        /// The stream in whose order it is.
        stream: Option<StreamRef>,
    },
    /// A range ended.
    RangeEnded {
        /// Its number.
        range: u64,
    },
    /// Guard bytes of the checking mode were overwritten.
    GuardChanged {
        /// Which bytes.
        guard: GuardKind,
        /// The block.
        block: BlockRef,
        /// From the first to the last byte that has changed.
        range: Bytes,
    },
    /// The host bytes that a queued copy reads changed before it ran.
    SourceChanged {
        /// The copy.
        position: Position,
        /// A range in which bytes changed.
        range: Bytes,
    },
    /// A stream's wait for a word in memory is over.
    WordMet {
        /// The wait.
        position: Position,
        /// The task that wrote what the wait saw, if a stream wrote it as a word; none if something else did.
        writer: Option<Position>,
    },
    /// A copy whose addresses are in memory has read them, and begins.
    CopyFound {
        /// The copy. Its [`Operation::Enqueued`] says where the addresses are.
        position: Position,
        /// What it copies.
        accesses: Accesses,
    },
    /// Host code accessed device memory, which faults.
    HostTouched {
        /// The accessed address.
        address: u64,
        /// Whether it wrote.
        write: bool,
        /// The instruction that did it.
        instruction: u64,
    },
    /// Host code, or a system call, accessed pinned memory that was closed to it. Recorded only if the runtime closes
    /// pinned memory: see its `Config::pinned`.
    HostAccessed {
        /// The bytes. A fault only reveals the first.
        range: Bytes,
        /// Whether they were written.
        write: bool,
        /// The instruction that did it; 0 for a system call, whose name is in the site.
        instruction: u64,
    },
    /// A call stack that later records refer to.
    StackSeen {
        /// Its number.
        stack: StackRef,
        /// Innermost frame first.
        frames: Vec<Frame>,
    },
    /// A program or library that addresses of call stacks are in.
    ModuleSeen {
        /// Its addresses.
        range: Bytes,
        /// What to subtract from an address to get an address in the file.
        bias: u64,
        /// The file.
        file: String,
    },
    /// A stream began a task. Only recorded while a sink wants times: see `Sink::wants_times`. A wait that is parked may begin
    /// more than once.
    TaskBegan {
        /// Which.
        position: Position,
    },
    /// The calling thread begins work that it does itself; [`Operation::Moved`] of the same thread says what it was. Only recorded
    /// while a sink wants times.
    WorkBegan {
        /// The device that it works for, if there is one.
        device: Option<u32>,
        /// The stream in whose order it is, if there is one.
        stream: Option<StreamRef>,
    },
    /// A call of the interface, the one in the site, returned. Only recorded while a sink wants times.
    Returned {
        /// When it began, in nanoseconds since the runtime began.
        began: u64,
        /// What it returned; 0 if it returns something else than a code.
        code: i32,
    },
    /// What a thread of the records is for the system. Only in profiles.
    ThreadSeen {
        /// Its number in records.
        thread: u64,
        /// Its number for the system.
        system: u32,
        /// Its name.
        name: String,
    },
    /// The time of this record by other clocks. Only in profiles.
    ClockSeen {
        /// The clock that nothing adjusts (`CLOCK_MONOTONIC_RAW`), in nanoseconds.
        raw: u64,
        /// Nanoseconds since 1970 in UTC.
        wall: u64,
    },
    /// How much of a memory is in use. Only recorded while a sink wants times, after a call that changed it, and at the start of a profile.
    MemoryUsed {
        /// Which memory.
        space: Space,
        /// Bytes of pages that are charged.
        charged: u64,
        /// The most bytes that can be charged.
        capacity: u64,
    },
    /// A profile begins. What follows is filtered: see docs/profiling.md.
    ProfileBegan {
        /// What the program asked for: bits of `acl_prof.h`.
        switches: u64,
        /// The devices.
        devices: Vec<u32>,
    },
    /// A profile ends.
    ProfileEnded,
}

impl Operation {
    /// Whether it says where memory went, when, and who asked for it: what a recording of memory has. What work did with
    /// the memory is not part of that.
    pub fn is_about_memory(&self) -> bool {
        match self {
            Self::DeviceOpened { .. }
            | Self::ResetBegan { .. }
            | Self::DeviceReset { .. }
            | Self::Allocated { .. }
            | Self::AllocationFailed { .. }
            | Self::Freed { .. }
            | Self::UseRecorded { .. }
            | Self::PhysicalAllocated { .. }
            | Self::PhysicalImported { .. }
            | Self::PhysicalFreed { .. }
            | Self::Mapped { .. }
            | Self::Unmapped { .. }
            | Self::HeapRegistered { .. }
            | Self::HeapUnregistered { .. }
            | Self::RegionRegistered { .. }
            | Self::RegionUnregistered { .. }
            | Self::Marked { .. }
            | Self::RangeStarted { .. }
            | Self::RangeEnded { .. }
            | Self::RankJoined { .. }
            | Self::StackSeen { .. }
            | Self::ModuleSeen { .. } => true,
            // What lets a freed block be used again.
            Self::Synchronized { outcome, .. } => *outcome == Outcome::Done,
            Self::Enqueued {
                accesses, captured, ..
            } => match accesses.task {
                TaskKind::RecordEvent => true,
                TaskKind::WaitEvent => captured.is_some(),
                _ => false,
            },
            _ => false,
        }
    }
}
