//! Records as lines for people.

use std::fmt;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::clean::clean;
use crate::{
    AllocatorAct, Bytes, Deed, DescriptorProblem, Frame, Operation, Outcome, PoolSetting, Position,
    Record, Sink, Space, Span, Stall, Target,
};

/// Writes each record as one line.
pub struct TextSink {
    out: Mutex<Box<dyn Write + Send>>,
    place: Box<dyn Fn(u64) -> String + Send + Sync>,
}

impl fmt::Debug for TextSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextSink")
    }
}

impl TextSink {
    /// A sink that writes to `out`, line by line. `place` says where a caller's address is, for
    /// example in which file.
    pub fn new(
        out: Box<dyn Write + Send>,
        place: impl Fn(u64) -> String + Send + Sync + 'static,
    ) -> Self {
        Self {
            out: Mutex::new(out),
            place: Box::new(place),
        }
    }
}

impl Sink for TextSink {
    fn record(&self, record: &Record) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // A line that cannot be written is lost; the program it is about goes on.
        let line = match record.site.caller {
            0 => record.to_string(),
            caller => format!("{record}  from {}", (self.place)(caller)),
        };
        // Texts of a program may hold anything; a record stays one line.
        drop(writeln!(out, "{}", clean(&line)));
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.nanoseconds / 1000;
        write!(
            f,
            "{:>5} {:>4}.{:06} s  thread {}  {}",
            self.order,
            micros / 1_000_000,
            micros % 1_000_000,
            self.thread,
            self.operation
        )
    }
}

impl fmt::Display for PoolSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (right, allowed) = match self {
            Self::FollowEvents(allowed) => ("reuse along events", allowed),
            Self::Opportunistic(allowed) => ("reuse of what happens to have passed", allowed),
            Self::InternalWaits(allowed) => ("reuse by making streams wait", allowed),
            Self::ReleaseThreshold(bytes) => {
                return write!(f, "keeps {bytes} bytes at a synchronisation");
            }
        };
        write!(f, "{right} {}", if *allowed { "on" } else { "off" })
    }
}

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
                write!(f, "stream {stream} aborted behind task {begun}")
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
                "block {block} allocated on {space}: {requested} bytes asked, {range}, {charged} bytes of pages"
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
                    ", reused when queued work has passed"
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
                write!(f, "pool {pool} trimmed, but for {keep} bytes")
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
                    Some(from) => write!(f, "used from {}", User(*from)),
                    None => f.write_str("no access yet"),
                }
            }
            Self::AccessGranted { range, access } => {
                write!(f, "access granted: {range}, used from {}", User(*access))
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
            Self::Moved { deed, outcome } => write!(f, "{deed} at once: {outcome}"),
            Self::Enqueued {
                position,
                deed,
                event,
                captured,
            } => {
                write!(f, "{position} is {deed}")?;
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
                deed,
                reason,
            } => write!(f, "{deed} at once refused: {reason}"),
            Self::WorkRefused {
                stream: Some(stream),
                deed,
                reason,
            } => write!(f, "{deed} in stream {stream} refused: {reason}"),
            Self::FunctionBegan { position } => write!(f, "the function of {position} began"),
            Self::CallStalled { at, why, certain } => {
                let certain = if *certain {
                    ", and nothing can end that"
                } else {
                    ""
                };
                write!(f, "the call waits for {at}, which {why}{certain}")
            }
            Self::PeerAccessSet {
                device,
                peer,
                enabled,
            } => {
                let may = if *enabled { "may" } else { "may no longer" };
                write!(f, "device {device} {may} reach the memory of device {peer}")
            }
            Self::DirectionCorrected { stated, to, from } => {
                write!(f, "a copy said to be {stated} goes from {from} to {to}")
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
            Self::Queried { target, outcome } => write!(f, "asked about {target}: {outcome}"),
            Self::Allocator { stream, act } => match act {
                AllocatorAct::Registered { descriptor, object } => write!(
                    f,
                    "allocator of stream {stream}: object {object:#x} registered by {descriptor:#x}"
                ),
                AllocatorAct::Unregistered => {
                    write!(f, "allocator of stream {stream}: unregistered")
                }
            },
            Self::UseRecorded { address, position } => {
                write!(f, "{address:#x} is used up to {position}")
            }
            other => about_tools(f, other),
        }
    }
}

/// The sentences of what checking, allocators and annotations add.
fn about_tools(f: &mut fmt::Formatter<'_>, operation: &Operation) -> fmt::Result {
    use Operation as Is;
    match operation {
        Is::WaitSkipped { stream, event } => write!(
            f,
            "stream {stream} does not wait for event {event}, which was never recorded"
        ),
        Is::DescriptorCreated { descriptor } => {
            write!(f, "allocator description {descriptor:#x} created")
        }
        Is::DescriptorSet { descriptor, field } => {
            write!(f, "allocator description {descriptor:#x}: {field:?} set")
        }
        Is::DescriptorDestroyed { descriptor } => {
            write!(f, "allocator description {descriptor:#x} destroyed")
        }
        Is::DescriptorRefused {
            descriptor,
            problem,
        } => write!(
            f,
            "allocator description {descriptor:#x} refused: {problem}"
        ),
        Is::AllocatorAsked {
            stream,
            object,
            bytes,
            token: 0,
            ..
        } => write!(
            f,
            "allocator {object:#x} of stream {stream} had no {bytes} bytes"
        ),
        Is::AllocatorAsked {
            stream,
            object,
            bytes,
            token,
            address,
        } => write!(
            f,
            "allocator {object:#x} of stream {stream} gave {address:#x}+{bytes} as {token:#x}"
        ),
        Is::AllocatorReturned {
            position,
            object,
            token,
            address,
            ..
        } => write!(
            f,
            "allocator {object:#x} got {address:#x} back as {token:#x} after {position}"
        ),
        Is::RunPlaced {
            name,
            source,
            bytes,
            reason,
            ..
        } => write!(f, "{name} runs in {bytes} bytes, {source:?}: {reason}"),
        Is::Initialized => f.write_str("the program began"),
        Is::Finalized => f.write_str("the program said that it is done"),
        Is::HandleCreated { kind, handle } => write!(f, "{kind:?} {handle:#x} created"),
        Is::HandleDestroyed { kind, handle } => write!(f, "{kind:?} {handle:#x} destroyed"),
        Is::CallFailed { code, reason } => write!(f, "the call answered {code}: {reason}"),
        Is::FaultInjected { code, nth } => {
            write!(f, "call {nth} of this function was made to answer {code}")
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
        } => write!(f, "{value:#x} is no {expected}"),
        Is::AnnotationStrange { domain, what } => write!(f, "domain {domain}: {what}"),
        Is::Marked { message, .. } => write!(f, "mark: {message}"),
        Is::RangeStarted { range, message, .. } => {
            write!(f, "range {range} began: {message}")
        }
        Is::RangeEnded { range } => write!(f, "range {range} ended"),
        Is::PlantedChanged {
            planted,
            block,
            range,
        } => write!(f, "{planted:?} of block {block} changed at {range}"),
        Is::SourceChanged { position, range } => {
            write!(f, "what {position} reads at {range} changed before it ran")
        }
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
        other => write!(f, "{other:?}"),
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(f, "{address:#x}"),
            Self::Named {
                function,
                file,
                line,
            } => write!(f, "{function} ({file}:{line})"),
        }
    }
}

impl fmt::Display for DescriptorProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("it does not exist"),
            Self::NullStream => f.write_str("the stream is NULL"),
            Self::Missing(field) => write!(f, "{field:?} is not set"),
        }
    }
}

/// What was given up takes effect now, or when queued work has passed.
struct Later(bool);

impl fmt::Display for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 {
            ", gone when queued work has passed"
        } else {
            ""
        })
    }
}

/// Where memory is used from.
struct User(Space);

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Space::Device(index) => write!(f, "device {index}"),
            Space::Pinned | Space::Foreign => f.write_str("the host"),
        }
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.task)?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        let (results, scratch) = self.written();
        let kinds = [
            ("reads", &self.reads[..]),
            ("writes", results),
            ("works in", scratch),
        ];
        for (verb, spans) in kinds {
            for span in spans {
                write!(f, ", {verb} {span}")?;
            }
        }
        if self.room != 0 {
            write!(f, ", room for {}", self.room)?;
        }
        Ok(())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}+{}", self.start, self.width)?;
        if self.rows == 1 {
            return Ok(());
        }
        write!(f, " in {} rows, {} apart", self.rows, self.pitch)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}+{}", self.start, self.bytes)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(index) => write!(f, "device {index}"),
            Self::Pinned => f.write_str("pinned host memory"),
            Self::Foreign => f.write_str("the program's own memory"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {} of stream {}", self.task, self.stream)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(stream) => write!(f, "stream {stream}"),
            Self::Device(device) => write!(f, "device {device}"),
            Self::Event(event) => write!(f, "event {event}"),
            Self::Waits(event) => write!(f, "waits for event {event}"),
        }
    }
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unrecorded => "waits for an event that is not recorded",
            Self::Circle => "waits for itself by way of other streams",
            Self::Report => "waits for the thread that processes its reports",
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::NotReady => f.write_str("not ready"),
            Self::Failed(reason) => write!(f, "failed: {reason}"),
            Self::Skipped => f.write_str("skipped"),
            Self::Dropped => f.write_str("dropped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Site;

    #[test]
    fn a_line_says_where_the_call_came_from() {
        #[derive(Clone, Default)]
        struct Shared(std::sync::Arc<Mutex<Vec<u8>>>);
        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.lock().unwrap().write(bytes)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let text = Shared::default();
        let sink = TextSink::new(Box::new(text.clone()), |caller| format!("main+{caller}"));
        sink.record(&Record {
            order: 1,
            nanoseconds: 0,
            thread: 1,
            site: Site {
                call: "aclrtResetDevice".into(),
                caller: 7,
                stack: 0,
            },
            operation: Operation::DeviceReset { device: 0 },
        });
        let line = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
        assert!(line.ends_with("device 0 reset  from main+7\n"), "{line}");
    }

    #[test]
    fn a_record_reads_as_a_sentence() {
        let record = Record {
            order: 12,
            nanoseconds: 1_002_003_000,
            thread: 1,
            site: Site::default(),
            operation: Operation::Freed {
                block: 3,
                range: Bytes {
                    start: 0x1000,
                    bytes: 512,
                },
                retired: true,
                ordered: None,
            },
        };
        assert_eq!(
            record.to_string(),
            "   12    1.002003 s  thread 1  block 3 freed: 0x1000+512, reused when queued work has passed"
        );
    }

    #[test]
    fn pools_read_as_sentences() {
        let pool = 3;
        let set = |setting| Operation::PoolSet { pool, setting };
        let lines = [
            (
                Operation::PoolCreated {
                    pool,
                    device: 1,
                    limit: 4096,
                },
                "pool 3 created on device 1 with at most 4096 bytes",
            ),
            (
                set(PoolSetting::FollowEvents(true)),
                "pool 3 set: reuse along events on",
            ),
            (
                set(PoolSetting::Opportunistic(false)),
                "pool 3 set: reuse of what happens to have passed off",
            ),
            (
                set(PoolSetting::InternalWaits(true)),
                "pool 3 set: reuse by making streams wait on",
            ),
            (
                set(PoolSetting::ReleaseThreshold(7)),
                "pool 3 set: keeps 7 bytes at a synchronisation",
            ),
            (
                Operation::PoolTrimmed { pool, keep: 5 },
                "pool 3 trimmed, but for 5 bytes",
            ),
            (Operation::PoolDestroyed { pool }, "pool 3 destroyed"),
        ];
        for (operation, line) in lines {
            assert_eq!(operation.to_string(), line);
        }
    }

    #[test]
    fn virtual_memory_reads_as_sentences() {
        let range = Bytes {
            start: 0x20_0000,
            bytes: 4096,
        };
        let (piece, bytes) = (7, 4096);
        let space = Space::Device(1);
        let lines = [
            (
                Operation::AddressesReserved { range },
                "addresses reserved: 0x200000+4096",
            ),
            (
                Operation::AddressesReleased {
                    range,
                    retired: true,
                },
                "addresses released: 0x200000+4096, gone when queued work has passed",
            ),
            (
                Operation::PhysicalAllocated {
                    piece,
                    space,
                    bytes,
                },
                "piece 7 allocated on device 1: 4096 bytes",
            ),
            (
                Operation::PhysicalFreed {
                    piece,
                    bytes,
                    retired: false,
                },
                "piece 7 freed: 4096 bytes",
            ),
            (
                Operation::Mapped {
                    piece,
                    range,
                    access: None,
                },
                "piece 7 mapped: 0x200000+4096, no access yet",
            ),
            (
                Operation::Mapped {
                    piece,
                    range,
                    access: Some(space),
                },
                "piece 7 mapped: 0x200000+4096, used from device 1",
            ),
            (
                Operation::AccessGranted {
                    range,
                    access: Space::Pinned,
                },
                "access granted: 0x200000+4096, used from the host",
            ),
            (
                Operation::Unmapped {
                    piece,
                    range,
                    retired: false,
                },
                "piece 7 unmapped: 0x200000+4096",
            ),
            (
                Operation::MappingRefused {
                    address: 0x1000,
                    reason: "no".to_owned(),
                },
                "virtual memory at 0x1000 refused: no",
            ),
        ];
        for (operation, line) in lines {
            assert_eq!(operation.to_string(), line);
        }
    }
}
