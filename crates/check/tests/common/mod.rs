//! A program told in a few words: each makes the records that a runtime would make, and the checker
//! reads them. Sites are counted, so that every word is a place of its own.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

pub mod memory;

use millpond_check::{Checker, Finding, Options};
use millpond_trace::{
    Accesses, AllocatorChange, Bytes, Operation, Outcome, Position, Record, Site, Space, Span,
    Target, TaskKind,
};

/// A program that is being told.
pub struct Script {
    pub checker: Checker,
    order: u64,
    next: u64,
    call: &'static str,
    thread: u64,
    tasks: std::collections::HashMap<u64, u64>,
    address: u64,
    pub findings: Vec<Finding>,
}

/// A block of the program.
#[derive(Clone, Copy)]
pub struct Block {
    pub number: u64,
    pub range: Bytes,
}

impl Block {
    /// A part of it.
    pub fn part(self, start: u64, bytes: u64) -> Bytes {
        Bytes {
            start: self.range.start + start,
            bytes,
        }
    }
}

/// Host memory that is not ours.
pub const HOST: Bytes = Bytes {
    start: 0x7000_0000_0000,
    bytes: 1 << 20,
};

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl Script {
    pub fn new() -> Self {
        Self::with(Options::default())
    }

    /// Looks for some rules only.
    pub fn about(rules: &[&str]) -> Self {
        Self::with(Options {
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            ..Options::default()
        })
    }

    pub fn with(options: Options) -> Self {
        Self {
            checker: Checker::new(options),
            order: 0,
            next: 0,
            call: "",
            thread: 1,
            tasks: std::collections::HashMap::new(),
            address: 0x12_0000_0000,
            findings: Vec::new(),
        }
    }

    /// The next records come from this function of the interface.
    pub fn call(&mut self, call: &'static str) -> &mut Self {
        self.call = call;
        self
    }

    /// The next records come from this thread.
    pub fn thread(&mut self, thread: u64) -> &mut Self {
        self.thread = thread;
        self
    }

    /// Any record.
    pub fn say(&mut self, operation: Operation) -> &mut Self {
        self.order += 1;
        let record = Record {
            order: self.order,
            nanoseconds: self.order * 1000,
            thread: self.thread,
            site: Site {
                call: self.call.into(),
                caller: 0x40_0000 + self.order,
                stack: 0,
            },
            operation,
        };
        self.checker.read(&record);
        self.findings.extend(self.checker.drain());
        self
    }

    /// The number of the last record.
    pub fn order(&self) -> u64 {
        self.order
    }

    /// A number that nothing else has.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub fn stream(&mut self) -> u64 {
        let stream = self.number();
        self.call("aclrtCreateStream")
            .say(Operation::StreamCreated {
                stream,
                context: 1,
                device: 0,
            });
        stream
    }

    pub fn event(&mut self) -> u64 {
        let event = self.number();
        self.call("aclrtCreateEvent")
            .say(Operation::EventCreated { event });
        event
    }

    /// A block of device memory.
    pub fn alloc(&mut self, bytes: u64) -> Block {
        self.call("aclrtMalloc");
        self.alloc_in(Space::Device(0), bytes, None, None)
    }

    /// A block of pinned host memory.
    pub fn alloc_host(&mut self, bytes: u64) -> Block {
        self.call("aclrtMallocHost");
        self.alloc_in(Space::Pinned, bytes, None, None)
    }

    pub fn alloc_in(
        &mut self,
        space: Space,
        bytes: u64,
        pool: Option<u64>,
        ordered: Option<Position>,
    ) -> Block {
        let number = self.number();
        let range = Bytes {
            start: self.address,
            bytes: bytes.next_multiple_of(512),
        };
        self.address += range.bytes + 512;
        self.say(Operation::Allocated {
            block: number,
            space,
            range,
            requested: bytes,
            charged: range.bytes,
            pool,
            ordered,
        });
        Block { number, range }
    }

    pub fn free(&mut self, block: Block) -> &mut Self {
        self.call("aclrtFree").say(Operation::Freed {
            block: block.number,
            range: block.range,
            retired: false,
            ordered: None,
        })
    }

    /// The place after what is in a stream now.
    pub fn last(&self, stream: u64) -> Position {
        Position {
            stream,
            task: self.tasks.get(&stream).copied().unwrap_or(0),
        }
    }

    pub fn enqueue(
        &mut self,
        stream: u64,
        accesses: Accesses,
        event: Option<u64>,
        captured: Option<Position>,
    ) -> Position {
        let task = self.tasks.entry(stream).or_default();
        *task += 1;
        let position = Position {
            stream,
            task: *task,
        };
        self.say(Operation::Enqueued {
            position,
            accesses,
            event,
            captured,
        });
        position
    }

    pub fn fill(&mut self, stream: u64, to: Bytes) -> Position {
        self.call("aclrtMemsetAsync");
        self.enqueue(stream, accesses(TaskKind::Fill, &[], &[to]), None, None)
    }

    pub fn copy(&mut self, stream: u64, to: Bytes, from: Bytes) -> Position {
        self.call("aclrtMemcpyAsync");
        self.enqueue(stream, accesses(TaskKind::Copy, &[from], &[to]), None, None)
    }

    /// An operator.
    pub fn compute(&mut self, stream: u64, reads: &[Bytes], writes: &[Bytes]) -> Position {
        self.call("aclopExecuteV2");
        self.enqueue(
            stream,
            accesses(TaskKind::Compute, reads, writes),
            None,
            None,
        )
    }

    pub fn fill_now(&mut self, to: Bytes) -> &mut Self {
        self.call("aclrtMemset").say(Operation::Moved {
            accesses: accesses(TaskKind::Fill, &[], &[to]),
            outcome: Outcome::Done,
        })
    }

    pub fn copy_now(&mut self, to: Bytes, from: Bytes) -> &mut Self {
        self.call("aclrtMemcpy").say(Operation::Moved {
            accesses: accesses(TaskKind::Copy, &[from], &[to]),
            outcome: Outcome::Done,
        })
    }

    pub fn record(&mut self, stream: u64, event: u64) -> Position {
        self.call("aclrtRecordEvent");
        let accesses = Accesses::none(TaskKind::RecordEvent);
        self.enqueue(stream, accesses, Some(event), None)
    }

    /// Waits for a recording; `None` for the next one.
    pub fn wait(&mut self, stream: u64, event: u64, captured: Option<Position>) -> Position {
        self.call("aclrtStreamWaitEvent");
        let accesses = Accesses::none(TaskKind::WaitEvent);
        self.enqueue(stream, accesses, Some(event), captured)
    }

    /// All tasks of a stream end, and the host waits for that.
    pub fn synchronize(&mut self, stream: u64) -> &mut Self {
        self.complete(stream);
        self.call("aclrtSynchronizeStream")
            .say(Operation::Synchronized {
                target: Target::Stream(stream),
                outcome: Outcome::Done,
            })
    }

    /// A function of the program.
    pub fn function(&mut self, stream: u64) -> Position {
        self.call("aclrtLaunchHostFunc");
        self.enqueue(stream, Accesses::none(TaskKind::HostFunction), None, None)
    }

    /// A task ends.
    pub fn complete_to(&mut self, position: Position) -> &mut Self {
        self.call("").say(Operation::Completed {
            position,
            outcome: Outcome::Done,
        })
    }

    /// The last task of a stream ends, and with it all before.
    pub fn complete(&mut self, stream: u64) -> &mut Self {
        let position = self.last(stream);
        if position.task > 0 {
            self.call("").say(Operation::Completed {
                position,
                outcome: Outcome::Done,
            });
        }
        self
    }

    /// Registers an allocator; its description has the object's address, and 1 more.
    pub fn register(&mut self, stream: u64, object: u64) -> &mut Self {
        self.call("aclrtAllocatorRegister")
            .say(Operation::Allocator {
                stream,
                change: AllocatorChange::Registered {
                    descriptor: object + 1,
                    object,
                },
            })
    }

    pub fn unregister(&mut self, stream: u64) -> &mut Self {
        self.call("aclrtAllocatorUnregister")
            .say(Operation::Allocator {
                stream,
                change: AllocatorChange::Unregistered,
            })
    }

    /// A registered allocator is asked and gives these bytes, known by where they start.
    pub fn asked(&mut self, stream: u64, object: u64, given: Bytes) -> &mut Self {
        self.call("aclopExecuteV2").say(Operation::AllocatorAsked {
            stream,
            object,
            bytes: given.bytes,
            token: given.start,
            address: given.start,
        })
    }

    /// A registered allocator gets bytes back.
    pub fn returned(&mut self, stream: u64, object: u64, given: Bytes) -> &mut Self {
        let position = self.last(stream);
        self.call("aclopExecuteV2")
            .say(Operation::AllocatorReturned {
                position,
                object,
                token: given.start,
                address: given.start,
                address_now: given.start,
            })
    }

    /// An operator runs with a block of a registered allocator.
    pub fn run(&mut self, stream: u64, object: u64, given: Bytes) -> &mut Self {
        self.asked(stream, object, given);
        self.compute(stream, &[], &[given]);
        self.returned(stream, object, given)
    }

    /// The same, inside the call: its place in the stream comes last.
    pub fn run_inside(&mut self, stream: u64, object: u64, given: Bytes) -> &mut Self {
        self.asked(stream, object, given);
        self.returned(stream, object, given);
        self.compute(stream, &[], &[]);
        self
    }

    /// Registers a heap on device 0, in the domain 0.
    pub fn heap(&mut self, range: Bytes) -> u64 {
        let heap = self.number();
        self.call("mstxMemHeapRegister")
            .say(Operation::HeapRegistered {
                heap,
                domain: 0,
                device: 0,
                range,
            });
        heap
    }

    pub fn end_heap(&mut self, heap: u64) -> &mut Self {
        self.call("mstxMemHeapUnregister")
            .say(Operation::HeapUnregistered { heap })
    }

    /// Registers a region on device 0, in the domain 0.
    pub fn region(&mut self, heap: u64, range: Bytes) -> u64 {
        let region = self.number();
        self.call("mstxMemRegionsRegister")
            .say(Operation::RegionRegistered {
                region,
                domain: 0,
                heap: Some(heap),
                device: 0,
                range,
            });
        region
    }

    pub fn end_region(&mut self, region: u64) -> &mut Self {
        self.call("mstxMemRegionsUnregister")
            .say(Operation::RegionUnregistered { region })
    }

    /// The program ends.
    pub fn end(&mut self) -> &mut Self {
        self.checker.end();
        self.findings.extend(self.checker.drain());
        self
    }

    /// The ids of the rules that were found broken, in order.
    pub fn rules(&self) -> Vec<&'static str> {
        self.findings.iter().map(|one| one.rule.id).collect()
    }

    /// Fails unless exactly these rules were found broken.
    #[track_caller]
    pub fn expect(&self, rules: &[&str]) {
        assert_eq!(self.rules(), rules, "{:#?}", self.findings);
    }

    pub fn checker(&self) -> &Checker {
        &self.checker
    }
}

/// What a task does that touches plain ranges.
pub fn accesses(task: TaskKind, reads: &[Bytes], writes: &[Bytes]) -> Accesses {
    Accesses {
        reads: reads.iter().map(|range| Span::from(*range)).collect(),
        writes: writes.iter().map(|range| Span::from(*range)).collect(),
        ..Accesses::none(task)
    }
}
