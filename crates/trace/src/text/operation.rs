//! The sentence of each operation.

use std::fmt;

use super::parts::{Later, User};
use crate::{AllocatorChange, Operation};

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeviceOpened {
                device,
                capacity,
                unified,
            } => {
                let unified = if *unified { ", unified" } else { "" };
                write!(f, "device {device} opened with {capacity} bytes{unified}")
            }
            Self::ResetBegan { device } => write!(f, "device {device} is being reset"),
            Self::DeviceReset { device } => write!(f, "device {device} reset"),
            Self::ContextCreated { context, device } => {
                write!(f, "context {context} created on device {device}")
            }
            Self::ContextDestroyed { context } => write!(f, "context {context} destroyed"),
            Self::StreamCreated {
                stream, context, ..
            } => {
                write!(f, "stream {stream} created in context {context}")
            }
            Self::StreamDestroyed { stream, dropped: 0 } => write!(f, "stream {stream} destroyed"),
            Self::StreamDestroyed { stream, dropped } => {
                write!(f, "stream {stream} destroyed, {dropped} tasks dropped")
            }
            Self::StreamAborted { stream, begun } => {
                write!(f, "stream {stream} aborted after task {begun}")
            }
            Self::Allocated {
                block,
                space,
                range,
                requested,
                charged,
                ..
            } => write!(
                f,
                "block {block} allocated on {space}: {requested} bytes requested, {range}, {charged} bytes of pages"
            ),
            Self::AllocationFailed {
                space,
                requested,
                reason,
            } => {
                write!(f, "{requested} bytes on {space} refused: {reason}")
            }
            Self::Freed {
                block,
                range,
                retired,
                ..
            } => {
                let when = if *retired {
                    ", reused after queued work"
                } else {
                    ""
                };
                write!(f, "block {block} freed: {range}{when}")
            }
            Self::PoolCreated {
                pool,
                device,
                limit,
            } => write!(
                f,
                "pool {pool} created on device {device} with at most {limit} bytes"
            ),
            Self::PoolSet { pool, setting } => write!(f, "pool {pool} set: {setting}"),
            Self::PoolTrimmed { pool, keep } => {
                write!(f, "pool {pool} trimmed to {keep} bytes")
            }
            Self::PoolDestroyed { pool } => write!(f, "pool {pool} destroyed"),
            Self::AddressesReserved { range } => write!(f, "addresses reserved: {range}"),
            Self::AddressesReleased { range, retired } => {
                write!(f, "addresses released: {range}{}", Later(*retired))
            }
            Self::PhysicalAllocated {
                piece,
                space,
                bytes,
            } => write!(f, "piece {piece} allocated on {space}: {bytes} bytes"),
            Self::PhysicalImported {
                piece,
                space,
                bytes,
            } => write!(f, "piece {piece} imported to {space}: {bytes} bytes"),
            Self::PhysicalShared { piece } => write!(f, "piece {piece} exported"),
            Self::MemoryShared { range } => write!(f, "exported: {range}"),
            Self::PhysicalFreed {
                piece,
                bytes,
                retired,
            } => {
                write!(f, "piece {piece} freed: {bytes} bytes{}", Later(*retired))
            }
            Self::Mapped {
                piece,
                range,
                access,
            } => {
                write!(f, "piece {piece} mapped: {range}, ")?;
                match access {
                    Some(from) => write!(f, "accessible from {}", User(*from)),
                    None => f.write_str("no access yet"),
                }
            }
            Self::AccessGranted { range, access } => {
                write!(
                    f,
                    "access granted: {range}, accessible from {}",
                    User(*access)
                )
            }
            Self::Unmapped {
                piece,
                range,
                retired,
            } => {
                write!(f, "piece {piece} unmapped: {range}{}", Later(*retired))
            }
            Self::MappingRefused { address: 0, reason } => {
                write!(f, "virtual memory refused: {reason}")
            }
            Self::MappingRefused { address, reason } => {
                write!(f, "virtual memory at {address:#x} refused: {reason}")
            }
            Self::FreeRefused { address, reason } => {
                write!(f, "free of {address:#x} refused: {reason}")
            }
            Self::PagesReturned { space, bytes } => {
                write!(
                    f,
                    "{bytes} bytes of idle pages on {space} returned to the machine"
                )
            }
            Self::Moved { accesses, outcome } => write!(f, "{accesses} inside the call: {outcome}"),
            Self::Enqueued {
                position,
                accesses,
                event,
                captured,
            } => {
                write!(f, "{position} is {accesses}")?;
                if let Some(event) = event {
                    write!(f, " of event {event}")?;
                }
                if let Some(captured) = captured {
                    write!(f, ", which follows {captured}")?;
                }
                Ok(())
            }
            Self::WorkRefused {
                stream: None,
                accesses,
                reason,
            } => write!(f, "{accesses} inside the call refused: {reason}"),
            Self::WorkRefused {
                stream: Some(stream),
                accesses,
                reason,
            } => write!(f, "{accesses} in stream {stream} refused: {reason}"),
            Self::FunctionBegan { position } => write!(f, "the function of {position} began"),
            Self::CallStalled { at, why, certain } => {
                let certain = if *certain {
                    ", and nothing can end the wait"
                } else {
                    ""
                };
                write!(f, "the call waits for {at}, which {why}{certain}")
            }
            Self::GraphLaunched {
                graph,
                stream,
                before,
            } => {
                write!(f, "graph {graph} launched in stream {stream}")?;
                match before {
                    Some(before) => write!(f, ", after a launch that ended at {before}"),
                    None => Ok(()),
                }
            }
            Self::CaptureBegan { graph, stream } => {
                write!(f, "graph {graph} is captured from stream {stream}")
            }
            Self::WorkCaptured { graph, accesses } => {
                write!(f, "{accesses} becomes part of graph {graph}")
            }
            Self::CaptureEnded { graph } => write!(f, "the capture of graph {graph} ended"),
            Self::GraphDestroyed { graph } => write!(f, "graph {graph} destroyed"),
            Self::GraphIssued { graph } => write!(f, "all tasks of graph {graph} are queued"),
            Self::GraphMemoryFreed {
                graph,
                name,
                range,
                reused,
            } => {
                let now = if *reused {
                    ", and is in use by others now"
                } else {
                    ""
                };
                write!(
                    f,
                    "{name} of graph {graph} uses {range}, which was freed since the capture{now}"
                )
            }
            Self::PeerAccessSet {
                device,
                peer,
                enabled,
            } => {
                let may = if *enabled { "may" } else { "may not" };
                write!(
                    f,
                    "device {device} {may} access the memory of device {peer}"
                )
            }
            Self::DirectionCorrected { stated, to, from } => {
                write!(f, "a copy stated as {stated} goes from {from} to {to}")
            }
            Self::CalledInside { position } => {
                write!(f, "a call from inside the function of {position}")
            }
            Self::HandleExpired { what, handle } => {
                write!(f, "handle {handle:#x} expired ({what})")
            }
            Self::HandleStale { what, handle } => {
                write!(f, "expired handle {handle:#x} used ({what})")
            }
            Self::Completed { position, outcome } => write!(f, "{position} ended: {outcome}"),
            Self::EventCreated { event } => write!(f, "event {event} created"),
            Self::EventDestroyed { event } => write!(f, "event {event} destroyed"),
            Self::Synchronized { target, outcome } => write!(f, "waited for {target}: {outcome}"),
            Self::Queried { target, outcome } => write!(f, "queried {target}: {outcome}"),
            Self::Allocator { stream, change } => match change {
                AllocatorChange::Registered { descriptor, object } => write!(
                    f,
                    "allocator of stream {stream}: object {object:#x} registered by {descriptor:#x}"
                ),
                AllocatorChange::Unregistered => {
                    write!(f, "allocator of stream {stream}: unregistered")
                }
            },
            Self::UseRecorded { address, position } => {
                write!(f, "use of {address:#x} recorded up to {position}")
            }
            other => tool_sentence(f, other),
        }
    }
}

/// The sentences for checking, allocators and annotations.
fn tool_sentence(f: &mut fmt::Formatter<'_>, operation: &Operation) -> fmt::Result {
    use Operation as Is;
    match operation {
        Is::WaitSkipped { stream, event } => write!(
            f,
            "stream {stream} does not wait for event {event}, which was never recorded"
        ),
        Is::DescriptorCreated { descriptor } => {
            write!(f, "allocator descriptor {descriptor:#x} created")
        }
        Is::DescriptorSet { descriptor, field } => {
            write!(f, "allocator descriptor {descriptor:#x}: {field:?} set")
        }
        Is::DescriptorDestroyed { descriptor } => {
            write!(f, "allocator descriptor {descriptor:#x} destroyed")
        }
        Is::DescriptorRefused {
            descriptor,
            problem,
        } => write!(f, "allocator descriptor {descriptor:#x} refused: {problem}"),
        Is::AllocatorAsked {
            stream,
            object,
            bytes,
            token: 0,
            ..
        } => write!(
            f,
            "allocator {object:#x} of stream {stream} refused {bytes} bytes"
        ),
        Is::AllocatorAsked {
            stream,
            object,
            bytes,
            token,
            address,
        } => write!(
            f,
            "allocator {object:#x} of stream {stream} returned {address:#x}+{bytes} as {token:#x}"
        ),
        Is::AllocatorReturned {
            position,
            object,
            token,
            address,
            ..
        } => write!(
            f,
            "allocator {object:#x} took {address:#x} back as {token:#x} after {position}"
        ),
        Is::RunPlaced {
            name,
            source,
            bytes,
            reason,
            ..
        } => write!(f, "{name} runs in {bytes} bytes, {source:?}: {reason}"),
        Is::Initialized => f.write_str("the program initialised AscendCL"),
        Is::Finalized => f.write_str("the program finalised AscendCL"),
        Is::HandleCreated { kind, handle } => write!(f, "{kind:?} {handle:#x} created"),
        Is::HandleDestroyed { kind, handle } => write!(f, "{kind:?} {handle:#x} destroyed"),
        Is::CallFailed { code, reason } => write!(f, "the call returned {code}: {reason}"),
        Is::FaultInjected { code, nth } => {
            write!(f, "call {nth} of this function was made to return {code}")
        }
        Is::DomainCreated { domain, name } => write!(f, "domain {domain} created: {name}"),
        Is::DomainDestroyed { domain } => write!(f, "domain {domain} destroyed"),
        Is::HeapRegistered {
            heap,
            domain,
            device,
            range,
        } => write!(
            f,
            "heap {heap} registered in domain {domain} on device {device}: {range}"
        ),
        Is::HeapUnregistered { heap } => write!(f, "heap {heap} unregistered"),
        Is::RegionRegistered {
            region,
            heap,
            device,
            range,
            ..
        } => {
            write!(f, "region {region} registered on device {device}: {range}")?;
            match heap {
                Some(heap) => write!(f, " in heap {heap}"),
                None => f.write_str(" in no heap"),
            }
        }
        Is::RegionUnregistered { region } => write!(f, "region {region} unregistered"),
        Is::RegionPermitted { region, flags } => {
            write!(f, "region {region} permits {flags:#x}")
        }
        Is::AnnotationUnknown {
            value, expected, ..
        } => write!(f, "{value:#x} is not a {expected}"),
        Is::AnnotationStrange { domain, what } => write!(f, "domain {domain}: {what}"),
        Is::Marked { message, .. } => write!(f, "mark: {message}"),
        Is::RangeStarted { range, message, .. } => {
            write!(f, "range {range} began: {message}")
        }
        Is::RangeEnded { range } => write!(f, "range {range} ended"),
        Is::GuardChanged {
            guard,
            block,
            range,
        } => write!(f, "{guard:?} of block {block} changed at {range}"),
        Is::RanksFailed {
            communicator,
            rank,
            reason,
            parts,
            ..
        } => {
            write!(f, "rank {rank} of communicator {communicator}: {reason}")?;
            parts
                .iter()
                .try_for_each(|part| write!(f, "; rank {}: {}", part.rank, part.what))
        }
        Is::MemoryLent {
            range,
            lease,
            process,
        } => write!(f, "process {process} maps {range} (lease {lease})"),
        Is::MemoryReturned { lease, .. } => write!(f, "lease {lease} ended"),
        Is::RankJoined {
            communicator,
            name,
            rank,
            ranks,
        } => write!(
            f,
            "rank {rank} of {ranks} joined communicator {name} ({communicator})"
        ),
        Is::RankCalled {
            communicator,
            rank,
            position,
            function,
            count,
            element,
            reduction,
            root,
            messages,
            ..
        } => {
            write!(f, "rank {rank} of {communicator} queued {function}")?;
            if messages.is_empty() {
                write!(f, "({count} {element}")?;
                if !reduction.is_empty() {
                    write!(f, ", {reduction}")?;
                }
                if let Some(root) = root {
                    write!(f, ", root {root}")?;
                }
                f.write_str(")")?;
            }
            for message in messages {
                let (to, peer, bytes) = (
                    if message.sends { "to" } else { "from" },
                    message.peer,
                    message.bytes,
                );
                write!(f, " {to} rank {peer}: {bytes} bytes of {}", message.element)?;
            }
            write!(f, ": {position}")
        }
        Is::RankLeft { communicator, rank } => write!(f, "rank {rank} left {communicator}"),
        Is::SourceChanged { position, range } => {
            write!(f, "what {position} reads at {range} changed before it ran")
        }
        Is::CopyFound { position, accesses } => {
            write!(f, "{position} has found its addresses: {accesses}")
        }
        Is::WordMet { position, writer } => match writer {
            Some(writer) => write!(f, "{position} saw the word that {writer} wrote"),
            None => write!(f, "{position} saw a word that no stream wrote as one"),
        },
        Is::HostTouched {
            address,
            instruction,
            ..
        } => write!(
            f,
            "code at {instruction:#x} touched device memory {address:#x}"
        ),
        Is::HostAccessed { range, write, .. } => {
            let did = if *write { "wrote" } else { "read" };
            write!(f, "the program {did} pinned memory {range}")
        }
        Is::StackSeen { stack, frames } => {
            write!(f, "stack {stack}:")?;
            frames.iter().try_for_each(|frame| write!(f, " {frame}"))
        }
        Is::ModuleSeen { range, file, .. } => write!(f, "code at {range} is {file}"),
        Is::TaskBegan { position } => write!(f, "{position} began"),
        Is::WorkBegan { .. } => f.write_str("the calling thread began work of its own"),
        Is::Returned { code: 0, .. } => f.write_str("the call returned"),
        Is::Returned { code, .. } => write!(f, "the call returned {code}"),
        Is::ThreadSeen {
            thread,
            system,
            name,
        } => write!(f, "thread {thread} is {system} for the system ({name})"),
        Is::ClockSeen { raw, wall } => {
            write!(f, "the raw clock is at {raw}, the wall clock at {wall}")
        }
        Is::MemoryUsed {
            space,
            charged,
            capacity,
        } => write!(f, "{charged} of {capacity} bytes of {space} are in use"),
        Is::ProfileBegan { switches, devices } => {
            write!(
                f,
                "a profile of devices {devices:?} began (switches {switches:#x})"
            )
        }
        Is::ProfileEnded => f.write_str("the profile ended"),
        other => write!(f, "{other:?}"),
    }
}
