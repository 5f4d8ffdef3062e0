//! Records that no runtime would make: a file may hold anything, and a checker reads it to the end.

use millpond_check::{Checker, GateOptions, Options};
use millpond_trace::{
    Accesses, AllocatorChange, Bytes, GuardKind, HandleKind, Operation, Outcome, Position, Record,
    Site, Space, Span, Target, TaskKind,
};

/// Numbers that come one after the other, the same on every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// A small number, so that things meet, or one at the edge of what there is.
    fn number(&mut self) -> u64 {
        match self.below(12) {
            0 => u64::MAX,
            1 => u64::MAX - self.below(600),
            2 => 1 << 63,
            _ => self.below(6),
        }
    }

    fn amount(&mut self) -> u64 {
        match self.below(12) {
            0 => u64::MAX,
            1 => 0,
            2 => 1 << 62,
            _ => self.below(2048),
        }
    }

    fn range(&mut self) -> Bytes {
        let start = match self.below(12) {
            0 => u64::MAX - self.below(4096),
            1 => 0,
            _ => 0x1000 + self.below(16) * 256,
        };
        Bytes {
            start,
            bytes: self.amount(),
        }
    }

    fn span(&mut self) -> Span {
        let range = self.range();
        if self.below(3) > 0 {
            return range.into();
        }
        Span {
            start: range.start,
            width: self.amount(),
            pitch: self.amount(),
            rows: self.amount(),
        }
    }

    fn position(&mut self) -> Position {
        Position {
            stream: self.number(),
            task: self.number(),
        }
    }

    fn space(&mut self) -> Space {
        match self.below(4) {
            0 => Space::Pinned,
            1 => Space::Foreign,
            _ => Space::Device(u32::try_from(self.below(2)).unwrap_or(0)),
        }
    }

    fn target(&mut self) -> Target {
        match self.below(3) {
            0 => Target::Stream(self.number()),
            1 => Target::Device(0),
            _ => Target::Event(self.number()),
        }
    }

    fn accesses(&mut self) -> Accesses {
        let kinds = [
            TaskKind::Copy,
            TaskKind::Copy,
            TaskKind::Fill,
            TaskKind::Compute,
            TaskKind::RecordEvent,
            TaskKind::WaitEvent,
            TaskKind::ResetEvent,
            TaskKind::HostFunction,
            TaskKind::Report,
        ];
        let kind = kinds[usize::try_from(self.below(9)).unwrap_or(0)];
        let mut accesses = Accesses::none(kind);
        for _ in 0..self.below(4) {
            accesses.reads.push(self.span());
        }
        for _ in 0..self.below(4) {
            accesses.writes.push(self.span());
        }
        accesses.room = self.amount();
        accesses
    }

    fn outcome(&mut self) -> Outcome {
        match self.below(5) {
            0 => Outcome::NotReady,
            1 => Outcome::Failed("so".to_owned()),
            2 => Outcome::Dropped,
            _ => Outcome::Done,
        }
    }

    fn ordered(&mut self) -> Option<Position> {
        (self.below(3) == 0).then(|| self.position())
    }

    fn operation(&mut self) -> Operation {
        match self.below(3) {
            0 => self.about_memory(),
            1 => self.about_work(),
            _ => self.about_the_rest(),
        }
    }

    fn about_memory(&mut self) -> Operation {
        match self.below(16) {
            0..5 => Operation::Allocated {
                block: self.number(),
                space: self.space(),
                range: self.range(),
                requested: self.amount(),
                charged: self.amount(),
                pool: (self.below(4) == 0).then(|| self.number()),
                ordered: self.ordered(),
            },
            5..8 => Operation::Freed {
                block: self.number(),
                range: self.range(),
                retired: false,
                ordered: self.ordered(),
            },
            8 => Operation::FreeRefused {
                address: self.range().start,
                reason: "no".to_owned(),
            },
            9 => Operation::AddressesReserved {
                range: self.range(),
            },
            10 => Operation::AddressesReleased {
                range: self.range(),
                retired: false,
            },
            11 => Operation::PhysicalAllocated {
                piece: self.number(),
                space: self.space(),
                bytes: self.amount(),
            },
            12 => Operation::PhysicalFreed {
                piece: self.number(),
                bytes: self.amount(),
                retired: false,
            },
            13 => Operation::Mapped {
                piece: self.number(),
                range: self.range(),
                access: None,
            },
            14 => Operation::Unmapped {
                piece: self.number(),
                range: self.range(),
                retired: true,
            },
            _ => Operation::MappingRefused {
                address: self.range().start,
                reason: "no".to_owned(),
            },
        }
    }

    fn about_work(&mut self) -> Operation {
        match self.below(12) {
            0..5 => Operation::Enqueued {
                position: self.position(),
                accesses: self.accesses(),
                event: (self.below(2) == 0).then(|| self.number()),
                captured: self.ordered(),
            },
            5 | 6 => Operation::Moved {
                accesses: self.accesses(),
                outcome: self.outcome(),
            },
            7 => {
                let accesses = self.accesses();
                let about = accesses.writes.first().map_or(0, |span| span.start);
                Operation::WorkRefused {
                    stream: None,
                    accesses,
                    reason: format!("no live block is at {about:#x}"),
                }
            }
            8 => Operation::Completed {
                position: self.position(),
                outcome: self.outcome(),
            },
            9 => Operation::Synchronized {
                target: self.target(),
                outcome: self.outcome(),
            },
            10 => Operation::Queried {
                target: self.target(),
                outcome: self.outcome(),
            },
            _ => Operation::FunctionBegan {
                position: self.position(),
            },
        }
    }

    fn about_the_rest(&mut self) -> Operation {
        let (number, other, range) = (self.number(), self.number(), self.range());
        match self.below(31) {
            0 => Operation::StreamCreated {
                stream: number,
                context: other,
                device: 0,
            },
            1 => Operation::StreamDestroyed {
                stream: number,
                dropped: other,
            },
            2 => Operation::EventCreated { event: number },
            3 => Operation::EventDestroyed { event: number },
            4 => Operation::HeapRegistered {
                heap: number,
                domain: other,
                device: 0,
                range,
            },
            5 => Operation::HeapUnregistered { heap: number },
            6 | 7 => Operation::RegionRegistered {
                region: number,
                domain: 0,
                heap: (other < 6).then_some(other),
                device: 0,
                range,
            },
            8 => Operation::RegionUnregistered { region: number },
            9 => Operation::RegionPermitted {
                region: number,
                flags: 7,
            },
            10 => Operation::GuardChanged {
                guard: GuardKind::Redzone,
                block: number,
                range,
            },
            11 => Operation::GuardChanged {
                guard: GuardKind::Poison,
                block: number,
                range,
            },
            12 => Operation::HostTouched {
                address: range.start,
                write: true,
                instruction: other,
            },
            13 => Operation::SourceChanged {
                position: self.position(),
                range,
            },
            14 => Operation::Allocator {
                stream: number,
                change: AllocatorChange::Registered {
                    descriptor: other,
                    object: number,
                },
            },
            15 => Operation::Allocator {
                stream: number,
                change: AllocatorChange::Unregistered,
            },
            16 => Operation::AllocatorAsked {
                stream: number,
                object: other,
                bytes: range.bytes,
                token: number,
                address: range.start,
            },
            17 => Operation::AllocatorReturned {
                position: self.position(),
                object: other,
                token: number,
                address: range.start,
                address_now: range.start,
            },
            18 => Operation::DescriptorCreated { descriptor: number },
            19 => Operation::DescriptorDestroyed { descriptor: number },
            20 => Operation::HandleCreated {
                kind: HandleKind::Model,
                handle: number,
            },
            21 => Operation::HandleDestroyed {
                kind: HandleKind::Model,
                handle: number,
            },
            22 => Operation::RangeStarted {
                range: number,
                domain: 0,
                message: "step start".to_owned(),
                stream: None,
            },
            23 => Operation::RangeEnded { range: number },
            24 => Operation::UseRecorded {
                address: range.start,
                position: self.position(),
            },
            25 => Operation::ContextDestroyed { context: other },
            26 => Operation::ResetBegan { device: 0 },
            27 if self.below(8) == 0 => Operation::DeviceReset { device: 0 },
            28 if self.below(8) == 0 => Operation::Finalized,
            29 => Operation::HostAccessed {
                range,
                write: self.below(2) == 0,
                instruction: other,
            },
            _ => Operation::DeviceOpened {
                device: 0,
                capacity: other,
                unified: false,
            },
        }
    }
}

#[test]
fn nonsense_is_read_to_the_end() {
    let calls = [
        "aclrtMalloc",
        "aclrtFree",
        "aclrtResetDevice",
        "aclrtUnmapMem",
        "aclrtReleaseMemAddress",
        "aclrtMemcpyAsync",
        "",
    ];
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let mut checker = Checker::new(Options::default());
        checker.keep_gate(GateOptions { page: 64, most: 8 });
        for order in 1..=500 {
            let call = calls[usize::try_from(dice.below(7)).unwrap_or(0)];
            let record = Record {
                order,
                nanoseconds: order,
                thread: 1,
                site: Site {
                    call: call.into(),
                    caller: dice.below(8),
                    stack: 0,
                },
                operation: dice.operation(),
            };
            checker.read(&record);
            checker.drain();
            if seed % 2 == 0 {
                checker.changes();
            }
        }
        checker.end();
        checker.statistics();
    }
}
