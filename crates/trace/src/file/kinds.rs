//! The kinds of records: the number of each, and its fields in the order in which they are written.
//!
//! To add a variant of `Operation`, add a line here with the next number, and a row in docs/record-format.md. To add a
//! field, add it at the end of its line. The compiler demands the first; a test demands the second and prints what to
//! write. Numbers are never reused, and a line never loses or moves a field.

use crate::{
    Accesses, AllocatorChange, Bytes, DescriptorField, DescriptorProblem, Frame, GuardKind,
    HandleKind, Operation, Outcome, PoolSetting, Position, RankMessage, RankPart, RankProblem,
    RunSource, Space, Stall, Target, Text,
};

use super::field::Field;
use super::input::{Input, Unfit};
use super::output::Output;

#[cfg(test)]
use super::tests::Random;

macro_rules! kinds {
    ($($number:literal $name:ident $({ $($field:ident: $type:ty),* $(,)? })?)*) => {
        /// The number of a record's kind.
        pub(super) fn number_of(operation: &Operation) -> u64 {
            match operation {
                $(Operation::$name { .. } => $number,)*
            }
        }

        /// The name of a record's kind in docs/record-format.md.
        pub fn name_of(operation: &Operation) -> &'static str {
            match operation {
                $(Operation::$name { .. } => stringify!($name),)*
            }
        }

        /// Writes the fields.
        pub(super) fn write(operation: &Operation, out: &mut Output) {
            match operation {
                $(Operation::$name { $($($field),*)? } => {
                    $($(<$type as Field>::write($field, out);)*)?
                })*
            }
        }

        /// Reads the fields of a kind. Operations are large, so none is moved.
        pub(super) fn read(number: u64, input: &mut Input<'_>, into: &mut Operation) -> Result<(), Unfit> {
            match number {
                $($number => {
                    $($(let $field = <$type as Field>::read(input)?;)*)?
                    *into = Operation::$name { $($($field),*)? };
                })*
                _ => return Err(Unfit::Unknown),
            }
            Ok(())
        }

        /// One record of each kind, with random values.
        #[cfg(test)]
        pub(super) fn any_of_each(random: &mut Random) -> Vec<Operation> {
            vec![$(Operation::$name {
                $($($field: <$type as Field>::any(random)),*)?
            }),*]
        }

        /// The rows of the document: number, name, fields.
        #[cfg(test)]
        pub(super) fn rows() -> Vec<(u64, &'static str, String)> {
            vec![$((
                $number,
                stringify!($name),
                [$($((stringify!($field), <$type as Field>::form())),*)?]
                    .map(|(name, form): (&str, String)| format!("{name}: {form}"))
                    .join(", "),
            )),*]
        }
    };
}

kinds! {
    16 DeviceOpened { device: u32, capacity: u64, unified: bool }
    17 DeviceReset { device: u32 }
    18 ContextCreated { context: u64, device: u32 }
    19 ContextDestroyed { context: u64 }
    20 StreamCreated { stream: u64, context: u64, device: u32 }
    21 StreamDestroyed { stream: u64, dropped: u64 }
    22 Allocated {
        block: u64,
        space: Space,
        range: Bytes,
        requested: u64,
        charged: u64,
        pool: Option<u64>,
        ordered: Option<Position>,
    }
    23 AllocationFailed { space: Space, requested: u64, reason: String }
    24 Freed { block: u64, range: Bytes, retired: bool, ordered: Option<Position> }
    25 UseRecorded { address: u64, position: Position }
    26 FreeRefused { address: u64, reason: String }
    27 PagesReturned { space: Space, bytes: u64 }
    28 PoolCreated { pool: u64, device: u32, limit: u64 }
    29 PoolSet { pool: u64, setting: PoolSetting }
    30 PoolTrimmed { pool: u64, keep: u64 }
    31 PoolDestroyed { pool: u64 }
    32 AddressesReserved { range: Bytes }
    33 AddressesReleased { range: Bytes, retired: bool }
    34 PhysicalAllocated { piece: u64, space: Space, bytes: u64 }
    35 PhysicalFreed { piece: u64, bytes: u64, retired: bool }
    36 Mapped { piece: u64, range: Bytes, access: Option<Space> }
    37 AccessGranted { range: Bytes, access: Space }
    38 Unmapped { piece: u64, range: Bytes, retired: bool }
    39 MappingRefused { address: u64, reason: String }
    40 Moved { accesses: Accesses, outcome: Outcome }
    41 Enqueued { position: Position, accesses: Accesses, event: Option<u64>, captured: Option<Position> }
    42 WorkRefused { stream: Option<u64>, accesses: Accesses, reason: String }
    43 Completed { position: Position, outcome: Outcome }
    44 EventCreated { event: u64 }
    45 EventDestroyed { event: u64 }
    46 Synchronized { target: Target, outcome: Outcome }
    47 Queried { target: Target, outcome: Outcome }
    48 Allocator { stream: u64, change: AllocatorChange }
    49 DescriptorCreated { descriptor: u64 }
    50 DescriptorSet { descriptor: u64, field: DescriptorField }
    51 DescriptorDestroyed { descriptor: u64 }
    52 AllocatorAsked { stream: u64, object: u64, bytes: u64, token: u64, address: u64 }
    53 AllocatorReturned {
        position: Position,
        object: u64,
        token: u64,
        address: u64,
        address_now: u64,
    }
    54 RunPlaced { stream: Option<u64>, name: Text, source: RunSource, bytes: u64, reason: Text }
    55 Initialized
    56 Finalized
    57 HandleCreated { kind: HandleKind, handle: u64 }
    58 HandleDestroyed { kind: HandleKind, handle: u64 }
    59 CallFailed { code: i32, reason: String }
    60 FaultInjected { code: i32, nth: u64 }
    61 DomainCreated { domain: u64, name: String }
    62 DomainDestroyed { domain: u64 }
    63 HeapRegistered { heap: u64, domain: u64, device: u32, range: Bytes }
    64 HeapUnregistered { heap: u64 }
    65 RegionRegistered { region: u64, domain: u64, heap: Option<u64>, device: u32, range: Bytes }
    66 RegionUnregistered { region: u64 }
    67 RegionPermitted { region: u64, flags: u32 }
    68 AnnotationUnknown { domain: u64, value: u64, expected: Text }
    69 AnnotationStrange { domain: u64, what: Text }
    70 Marked { domain: u64, message: String, stream: Option<u64> }
    71 RangeStarted { range: u64, domain: u64, message: String, stream: Option<u64> }
    72 RangeEnded { range: u64 }
    73 GuardChanged { guard: GuardKind, block: u64, range: Bytes }
    74 SourceChanged { position: Position, range: Bytes }
    75 HostTouched { address: u64, write: bool, instruction: u64 }
    76 StackSeen { stack: u32, frames: Vec<Frame> }
    77 ModuleSeen { range: Bytes, bias: u64, file: String }
    78 ResetBegan { device: u32 }
    79 WaitSkipped { stream: u64, event: u64 }
    80 FunctionBegan { position: Position }
    81 DescriptorRefused { descriptor: u64, problem: DescriptorProblem }
    82 StreamAborted { stream: u64, begun: u64 }
    83 HandleExpired { what: Text, handle: u64 }
    84 HandleStale { what: Text, handle: u64 }
    85 CalledInside { position: Position }
    86 PeerAccessSet { device: u32, peer: u32, enabled: bool }
    87 DirectionCorrected { stated: Text, to: Space, from: Space }
    88 CallStalled { at: Position, why: Stall, certain: bool }
    89 HostAccessed { range: Bytes, write: bool, instruction: u64 }
    90 PhysicalImported { piece: u64, space: Space, bytes: u64 }
    91 PhysicalShared { piece: u64 }
    92 MemoryShared { range: Bytes }
    93 RanksFailed {
        problem: RankProblem,
        communicator: String,
        rank: u32,
        ranks: u32,
        reason: String,
        parts: Vec<RankPart>,
        before: String,
        place: u64,
    }
    94 RankJoined { communicator: String, name: String, rank: u32, ranks: u32 }
    95 RankCalled {
        communicator: String,
        rank: u32,
        position: Position,
        function: Text,
        count: u64,
        element: Text,
        reduction: Text,
        root: Option<u32>,
        parts: u64,
        messages: Vec<RankMessage>,
    }
    96 RankLeft { communicator: String, rank: u32 }
    97 MemoryLent { range: Bytes, lease: u64, process: u32 }
    98 MemoryReturned { lease: u64, until: u64 }
    99 WordMet { position: Position, writer: Option<Position> }
    100 GraphLaunched { graph: u64, stream: u64, before: Option<Position> }
    101 GraphMemoryFreed { graph: u64, name: Text, range: Bytes, reused: bool }
    102 GraphIssued { graph: u64 }
    103 CaptureBegan { graph: u64, stream: u64 }
    104 WorkCaptured { graph: u64, accesses: Accesses }
    105 CaptureEnded { graph: u64 }
    106 GraphDestroyed { graph: u64 }
    107 CopyFound { position: Position, accesses: Accesses }
    120 TaskBegan { position: Position }
    121 WorkBegan { device: Option<u32>, stream: Option<u64> }
    122 Returned { began: u64, code: i32 }
    123 ThreadSeen { thread: u64, system: u32, name: String }
    124 ClockSeen { raw: u64, wall: u64 }
    125 MemoryUsed { space: Space, charged: u64, capacity: u64 }
    126 ProfileBegan { switches: u64, devices: Vec<u32> }
    127 ProfileEnded
}
