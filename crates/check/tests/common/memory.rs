//! Words about memory: what is refused, reserved, mapped and left behind.

use millpond_trace::{Accesses, Bytes, Operation, Record, Site, Span, TaskKind};

use super::{Block, Script, accesses};

impl Script {
    /// A device is opened; code of the program does not reach its memory.
    pub fn open(&mut self) -> &mut Self {
        self.call("aclrtSetDevice").say(Operation::DeviceOpened {
            device: 0,
            capacity: 1 << 30,
            unified: false,
        })
    }

    /// Work that is refused because of an address.
    pub fn refuse(&mut self, call: &'static str, accesses: Accesses, reason: String) -> &mut Self {
        self.call(call).say(Operation::WorkRefused {
            stream: None,
            accesses,
            reason,
        })
    }

    /// A fill that is refused because it is not a place of a block, or leaves one.
    pub fn refuse_fill(&mut self, to: Bytes) -> &mut Self {
        let reason = format!("no live block is at {:#x} on device 0", to.start);
        self.refuse("aclrtMemset", accesses(TaskKind::Fill, &[], &[to]), reason)
    }

    /// A copy that is refused because of one of its sides.
    pub fn refuse_copy(&mut self, to: Bytes, from: Bytes, about: u64) -> &mut Self {
        let reason = format!("no live block is at {about:#x} on device 0");
        let accesses = accesses(TaskKind::Copy, &[from], &[to]);
        self.refuse("aclrtMemcpy", accesses, reason)
    }

    /// A free that is refused.
    pub fn refuse_free(&mut self, call: &'static str, address: u64) -> &mut Self {
        self.call(call).say(Operation::FreeRefused {
            address,
            reason: "refused".to_owned(),
        })
    }

    /// Frees a block by some function.
    pub fn free_by(&mut self, call: &'static str, block: Block) -> &mut Self {
        self.call(call).say(Operation::Freed {
            block: block.number,
            range: block.range,
            retired: false,
            ordered: None,
        })
    }

    /// Reserved addresses.
    pub fn reserve(&mut self, bytes: u64) -> Bytes {
        let range = Bytes {
            start: self.address,
            bytes,
        };
        self.address += bytes + 512;
        self.call("aclrtReserveMemAddress")
            .say(Operation::AddressesReserved { range });
        range
    }

    pub fn release(&mut self, range: Bytes) -> &mut Self {
        self.call("aclrtReleaseMemAddress")
            .say(Operation::AddressesReleased {
                range,
                retired: false,
            })
    }

    /// A piece of physical memory.
    pub fn piece(&mut self, bytes: u64) -> u64 {
        let piece = self.number();
        self.call("aclrtMallocPhysical")
            .say(Operation::PhysicalAllocated {
                piece,
                space: millpond_trace::Space::Device(0),
                bytes,
            });
        piece
    }

    pub fn free_piece(&mut self, piece: u64, bytes: u64) -> &mut Self {
        self.call("aclrtFreePhysical")
            .say(Operation::PhysicalFreed {
                piece,
                bytes,
                retired: false,
            })
    }

    pub fn map(&mut self, piece: u64, range: Bytes) -> Block {
        self.call("aclrtMapMem").say(Operation::Mapped {
            piece,
            range,
            access: None,
        });
        Block {
            number: piece,
            range,
        }
    }

    pub fn unmap(&mut self, piece: u64, range: Bytes) -> &mut Self {
        self.call("aclrtUnmapMem").say(Operation::Unmapped {
            piece,
            range,
            retired: false,
        })
    }

    pub fn refuse_mapping(&mut self, call: &'static str, address: u64) -> &mut Self {
        self.call(call).say(Operation::MappingRefused {
            address,
            reason: "refused".to_owned(),
        })
    }

    /// The program resets its device, which releases everything.
    pub fn reset(&mut self) -> &mut Self {
        self.call("aclrtResetDevice")
            .say(Operation::ResetBegan { device: 0 })
            .say(Operation::DeviceReset { device: 0 })
    }

    /// The program says that it is done.
    pub fn finalize(&mut self) -> &mut Self {
        self.call("aclFinalize").say(Operation::Finalized)
    }

    /// Any record, from a place that is told.
    pub fn say_from(&mut self, site: Site, operation: Operation) -> &mut Self {
        self.order += 1;
        let record = Record {
            order: self.order,
            nanoseconds: self.order * 1000,
            thread: 1,
            site,
            operation,
        };
        self.checker.read(&record);
        self.findings.extend(self.checker.drain());
        self
    }

    /// The message of the only finding.
    #[track_caller]
    pub fn message(&self) -> &str {
        assert_eq!(self.findings.len(), 1, "{:#?}", self.findings);
        &self.findings[0].message
    }
}

/// Rows of a two-dimensional copy.
pub fn rows(start: u64, width: u64, pitch: u64, rows: u64) -> Span {
    Span {
        start,
        width,
        pitch,
        rows,
    }
}

/// A copy of rows.
pub fn copy_rows(to: Span, from: Span) -> Accesses {
    Accesses {
        reads: [from].into_iter().collect(),
        writes: [to].into_iter().collect(),
        ..Accesses::none(TaskKind::Copy)
    }
}
