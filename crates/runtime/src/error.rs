//! What can go wrong, split by what the caller can do about it.
//!
//! Variants carry numbers and names: the C layer turns them into codes, and the texts below into
//! messages.

use millpond_device::DeviceError;
use millpond_trace::Space;

use crate::graph::GraphError;
use crate::memory::blocks as counted;
use crate::virtual_memory::MappingError;

/// An error of the runtime. The documentation of each variant says what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such device. Ask for the count first.
    #[error("device {index} does not exist: {}", match count {
        0 => "no device is visible, see MILLPOND_DEVICES and ASCEND_RT_VISIBLE_DEVICES".to_owned(),
        _ => format!("the number of devices is {count}"),
    })]
    NoSuchDevice {
        /// The requested index.
        index: i64,
        /// How many there are.
        count: u32,
    },
    /// A setting could not be understood. Correct it.
    #[error("{setting} is '{value}', but {expected}")]
    BadSetting {
        /// Which setting, as the user wrote it.
        setting: String,
        /// Its value.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// A test made the call fail; the text says which rule.
    #[error("{text}")]
    Injected {
        /// The code that a C program gets for it.
        code: i32,
        /// Why.
        text: String,
    },
    /// True at this moment; freeing may help.
    #[error(
        "out of memory on {space}: {requested} bytes were requested{}, \
         {free} of {capacity} bytes are free; {report}",
        remark(*requested, *charge, *capacity)
    )]
    OutOfMemory {
        /// Where.
        space: Space,
        /// Bytes that the caller requested.
        requested: u64,
        /// Bytes of pages that would be needed.
        charge: u64,
        /// Bytes that are not charged to any block.
        free: u64,
        /// Bytes in all.
        capacity: u64,
        /// Where the memory is.
        report: String,
    },
    /// The machine itself has no room for the pages; other programs may be using it.
    #[error("out of memory on {space}: {requested} bytes were requested, but {cause}")]
    MachineFull {
        /// Where.
        space: Space,
        /// Bytes that the caller requested.
        requested: u64,
        /// What the device said.
        cause: DeviceError,
    },
    /// The size is zero, or so large that rounding it up overflows.
    #[error("a size of {requested} bytes cannot be allocated")]
    BadSize {
        /// The size.
        requested: u64,
    },
    /// Only the process that allocated memory can lend it to others.
    #[error(
        "the memory was imported from another process and cannot be exported again: export it in the process that allocated it"
    )]
    ImportedMemory,
    /// The device has no pages of that size. Ask for others.
    #[error("this device has no {pages} pages")]
    PagesNotOffered {
        /// What was requested.
        pages: &'static str,
    },
    /// The address is not one that an allocation returned, or the block was freed already.
    #[error("{}", describe_unknown(*address, *inside, *space))]
    NotABlock {
        /// The address.
        address: u64,
        /// The live block that contains it, if any.
        inside: Option<u64>,
        /// What memory the address belongs to.
        space: Space,
    },
    /// The block belongs to another kind of memory; another function frees it.
    #[error("{address:#x} is {found}, not {expected}")]
    WrongSpace {
        /// The address.
        address: u64,
        /// Where it is.
        found: Space,
        /// Where it should be.
        expected: &'static str,
    },
    /// The access leaves the block that it starts in.
    #[error(
        "{bytes} bytes at {address:#x} reach beyond the block at {block:#x}: {requested} bytes were \
         requested, and with rounding it has {length}"
    )]
    OutOfBlock {
        /// Where the access starts.
        address: u64,
        /// How long it is.
        bytes: u64,
        /// The block.
        block: u64,
        /// Its length.
        length: u64,
        /// The size that was requested when it was allocated.
        requested: u64,
    },
    /// The range does not fit the address space.
    #[error("{bytes} bytes at {address:#x} reach beyond the end of the address space")]
    BadRange {
        /// Where it starts.
        address: u64,
        /// How long it is.
        bytes: u64,
    },
    /// The address is not aligned as the operation needs it.
    #[error("{address:#x} is not a multiple of {alignment}")]
    Unaligned {
        /// The address.
        address: u64,
        /// What it must be a multiple of.
        alignment: u64,
    },
    /// The two operands do not fit the direction that was named.
    #[error(
        "the direction says that the {operand} is {claimed} memory, but {address:#x} is {found}"
    )]
    WrongDirection {
        /// Source or destination.
        operand: &'static str,
        /// What the direction says.
        claimed: &'static str,
        /// What it is.
        found: Space,
        /// The operand's address.
        address: u64,
    },
    /// Asynchronous copies between two host addresses are not supported. Copy synchronously instead.
    #[error("asynchronous copies between two host addresses are not supported; use aclrtMemcpy")]
    HostToHost,
    /// More bytes than the destination has room for.
    #[error("{count} bytes do not fit into a destination of {room} bytes")]
    DestinationTooSmall {
        /// Bytes to write.
        count: u64,
        /// Bytes of room.
        room: u64,
    },
    /// The device refused. State is as before the call.
    #[error("the device refused: {0}")]
    Device(DeviceError),
    /// Reserved addresses or physical memory were used wrongly. The text says what to do.
    #[error("{0}")]
    Mapping(MappingError),
    /// A rule of graphs was broken. The text says what to do.
    #[error("{0}")]
    Graph(GraphError),
    /// The stream was destroyed, or its context was.
    #[error("the stream was destroyed")]
    StreamGone,
    /// The stream's queued work was aborted while the caller waited for it.
    #[error("the stream was aborted while waiting for it")]
    StreamAborted,
    /// The context was destroyed.
    #[error("the context was destroyed")]
    ContextGone,
    /// A limit of the device. Destroy some first.
    #[error("too many {what}: the limit is {limit}; destroy some first")]
    TooMany {
        /// Of what.
        what: Limited,
        /// How many there may be.
        limit: u32,
    },
    /// The time limit is over. The work continues.
    #[error("{what} did not finish within {milliseconds} ms")]
    TimedOut {
        /// What was waited for.
        what: Waited,
        /// How long.
        milliseconds: u64,
    },
    /// A task of the stream failed earlier; this call reports it.
    #[error("task {task} of stream {stream} failed: {cause}")]
    TaskFailed {
        /// The stream's number.
        stream: u64,
        /// The task's number in it.
        task: u64,
        /// Why.
        cause: TaskFailure,
    },
    /// Waiting for this stream from inside its own host function would never end.
    #[error(
        "a host function cannot use or wait for its own stream: the stream waits until it returns"
    )]
    WouldDeadlock,
    /// The event has not been recorded.
    #[error("the event has never been recorded")]
    EventNotRecorded,
    /// The event was recorded but not reached yet, or has no timing.
    #[error("the event has no timestamp: {reason}")]
    NoTimestamp {
        /// Why.
        reason: &'static str,
    },
    /// This kind of event does not support the operation.
    #[error("this event cannot {operation}: create it with other flags")]
    EventCannot {
        /// What was tried.
        operation: &'static str,
    },
    /// Queued work still uses the memory. Synchronise first.
    #[error("queued work still uses this memory")]
    InUse,
    /// The pool was destroyed.
    #[error("the pool was destroyed")]
    PoolGone,
    /// Blocks of the pool are live. Free them first.
    #[error("the pool still has {}; free what it handed out first", counted(*blocks))]
    PoolInUse {
        /// How many.
        blocks: u64,
    },
    /// A size does not fit the pool.
    #[error("a {what} of {bytes} bytes is outside the range of this pool: {least} to {most} bytes")]
    PoolBounds {
        /// What was requested.
        what: &'static str,
        /// How many bytes.
        bytes: u64,
        /// The least allowed.
        least: u64,
        /// The most allowed.
        most: u64,
    },
    /// No more pools. Destroy some first.
    #[error("too many pools: the limit is {limit}; destroy some first")]
    TooManyPools {
        /// How many there may be.
        limit: usize,
    },
    /// The stream has a subscriber already.
    #[error("the stream's reports have a subscriber already")]
    AlreadySubscribed,
    /// Functions of the subscriber have not run yet. Process them first.
    #[error("reports of the stream have not been processed yet")]
    ReportsLeft,
    /// No thread processes the stream's reports.
    #[error("no thread is subscribed to the stream's reports")]
    NotSubscribed,
    /// No more threads for host functions.
    #[error("{0}")]
    NoThread(String),
    /// Operators and models need ONNX Runtime, which was not found. The text says what to install.
    #[error("operators and models are run by ONNX Runtime, which cannot be used: {reason}")]
    NoEngine {
        /// What is missing, where it was looked for and what to do.
        reason: String,
    },
    /// The engine rejects the model. The text is the engine's.
    #[error("{model} cannot be loaded: {reason}")]
    ModelRefused {
        /// Which model.
        model: String,
        /// Why.
        reason: String,
    },
    /// The inputs or outputs do not fit the model.
    #[error("{model}: {reason}")]
    BadArgument {
        /// Which model.
        model: String,
        /// What does not fit.
        reason: String,
    },
    /// An input has more bytes than the buffer that it is in.
    #[error("{model}: input {input} has {needed} bytes, but its buffer has {given}")]
    InputTooSmall {
        /// Which model.
        model: String,
        /// Which input, from 0.
        input: usize,
        /// Bytes it has.
        needed: u64,
        /// Bytes of the buffer.
        given: u64,
    },
    /// An output has more bytes than the buffer for it.
    #[error("{model}: output {output} has {needed} bytes, but its buffer has room for {room}")]
    OutputTooSmall {
        /// Which model.
        model: String,
        /// Which output, from 0.
        output: usize,
        /// Bytes it has.
        needed: u64,
        /// Bytes of room.
        room: u64,
    },
    /// The program's own allocator returned no memory. Nothing was queued.
    #[error("the allocator registered on the stream returned NULL for {bytes} bytes")]
    AllocatorRefused {
        /// Bytes that were requested.
        bytes: u64,
    },
    /// Memory for a run on a GPU is not memory of that GPU.
    #[error("the {bytes} bytes at {address:#x} for a run on a GPU are not memory of that GPU")]
    NotOnGpu {
        /// Where they are, as the program sees it.
        address: u64,
        /// How many bytes the run needs.
        bytes: u64,
    },
    /// The host has no memory for the contents that a trial makes up.
    #[error(
        "{model} was not run to find its shapes: there is no memory for the {bytes} bytes of input \
         {input}"
    )]
    NoTrialMemory {
        /// Which model.
        model: String,
        /// Which input, from 0.
        input: usize,
        /// Bytes it has.
        bytes: u64,
    },
    /// A run that the caller waited for failed.
    #[error("{0}")]
    ComputationFailed(String),
}

/// How hot paths report: one word, so that success costs nothing to hand on.
pub(crate) type Boxed<T> = Result<T, Box<Error>>;

impl From<Box<Error>> for Error {
    fn from(error: Box<Error>) -> Self {
        *error
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}

impl From<GraphError> for Box<Error> {
    fn from(error: GraphError) -> Self {
        Self::new(error.into())
    }
}

/// What a device has a limited number of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    /// Streams.
    Streams,
    /// Events.
    Events,
}

impl std::fmt::Display for Limited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Streams => "streams",
            Self::Events => "events",
        })
    }
}

/// What a wait was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// A stream.
    Stream,
    /// A device.
    Device,
    /// An event.
    Event,
    /// A report.
    Report,
}

impl std::fmt::Display for Waited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Stream => "the stream",
            Self::Device => "the device",
            Self::Event => "the event",
            Self::Report => "a report",
        })
    }
}

/// Why a task failed while it ran.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskFailure {
    /// The time limit of its wait for an event is over.
    #[error("the event was not recorded within {milliseconds} ms")]
    WaitedTooLong {
        /// How long it waited.
        milliseconds: u64,
    },
    /// The device could not move the bytes.
    #[error("{0}")]
    Device(DeviceError),
    /// The program's function panicked.
    #[error("the host function panicked: {0}")]
    Panicked(String),
    /// No thread could be started for a host function.
    #[error("{0}")]
    NoThread(String),
    /// The engine failed; the text names the model and the node.
    #[error("{0}")]
    Computation(String),
    /// What another process or rank was to do did not happen; the text says what, and why.
    #[error("{0}")]
    Remote(String),
    /// A test made it fail; the text says which.
    #[error("{text}")]
    Injected {
        /// The code that a C program gets for it.
        code: i32,
        /// Why.
        text: String,
    },
}

/// What to add to the size of a request that got nothing.
fn remark(requested: u64, charge: u64, capacity: u64) -> String {
    let pages = if charge == requested {
        String::new()
    } else {
        format!(" ({charge} with whole pages)")
    };
    if charge > capacity {
        format!("{pages}, which is more than the whole memory")
    } else {
        pages
    }
}

fn describe_unknown(address: u64, inside: Option<u64>, space: Space) -> String {
    match (inside, space) {
        (Some(block), _) => {
            format!("{address:#x} lies inside the block at {block:#x} but is not its start")
        }
        (None, Space::Foreign) => format!("{address:#x} is not memory of this runtime"),
        (None, space) => format!(
            "no live block is at {address:#x} on {space}: it was never allocated or has been freed"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_is_not_reported_as_several() {
        let text = |blocks| Error::PoolInUse { blocks }.to_string();
        assert!(text(1).contains("has 1 block;"), "{}", text(1));
        assert!(text(2).contains("has 2 blocks;"), "{}", text(2));
    }
}
