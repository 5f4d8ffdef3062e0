//! Errors of reserved addresses and physical memory.

use super::Location;

/// Why virtual memory was refused. The text says what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// The address belongs to nothing that was reserved, or what was reserved has been released.
    #[error("{address:#x} is not a reserved address: it was never reserved or has been released")]
    NotReserved {
        /// The address.
        address: u64,
    },
    /// A reservation is named by its start.
    #[error("{address:#x} lies inside the addresses reserved at {start:#x} but is not their start")]
    InsideReservation {
        /// The address.
        address: u64,
        /// Where the reservation starts.
        start: u64,
    },
    /// The range leaves the reservation that it starts in.
    #[error(
        "{bytes} bytes at {address:#x} reach beyond the {length} bytes of addresses reserved at \
         {start:#x}"
    )]
    BeyondReservation {
        /// Where the range starts.
        address: u64,
        /// How long it is.
        bytes: u64,
        /// Where the reservation starts.
        start: u64,
        /// How long that is.
        length: u64,
    },
    /// Something is mapped there. Unmap it first.
    #[error(
        "{bytes} bytes at {address:#x} cannot be mapped: {length} bytes at {start:#x} are mapped \
         already, so unmap them first"
    )]
    Occupied {
        /// Where the range starts.
        address: u64,
        /// How long it is.
        bytes: u64,
        /// What is in the way.
        start: u64,
        /// How long that is.
        length: u64,
    },
    /// What was mapped there is still used by queued work. Synchronise first.
    #[error("{}", describe_queued(*start, *task))]
    StillQueued {
        /// What is in the way.
        start: u64,
        /// Stream and task that still use it; `None` for a copy that another thread carries out.
        task: Option<(u64, u64)>,
    },
    /// Nothing is mapped at an address that is to be used.
    #[error(
        "nothing is mapped at the reserved address {address:#x}: map physical memory there first"
    )]
    NotMapped {
        /// The first address that has nothing behind it.
        address: u64,
    },
    /// A mapping is named by its start.
    #[error(
        "{address:#x} lies inside the {length} bytes mapped at {start:#x} but is not their start"
    )]
    InsideMapping {
        /// The address.
        address: u64,
        /// Where the mapping starts.
        start: u64,
        /// How long it is.
        length: u64,
    },
    /// Access is granted to whole mappings.
    #[error(
        "{bytes} bytes at {address:#x} are only a part of the {length} bytes mapped at {start:#x}: \
         name whole mappings"
    )]
    PartOfMapping {
        /// Where the range starts.
        address: u64,
        /// How long it is.
        bytes: u64,
        /// The mapping that is cut.
        start: u64,
        /// How long that is.
        length: u64,
    },
    /// It was mapped without access. Grant it first.
    #[error("what is mapped at {address:#x} has no access yet: grant it before it is used")]
    NoAccess {
        /// The first address without access.
        address: u64,
    },
    /// Mappings are left. Unmap them first.
    #[error("the addresses reserved at {start:#x} have {left} mappings left: unmap them first")]
    MappingsLeft {
        /// The reservation.
        start: u64,
        /// How many.
        left: usize,
    },
    /// One reservation holds memory of one place. Reserve other addresses.
    #[error(
        "the addresses reserved at {start:#x} have memory of {there} mapped, and this is memory of \
         {here}: reserve other addresses for it"
    )]
    OtherPlace {
        /// The reservation.
        start: u64,
        /// What is mapped in it.
        there: Location,
        /// What was to be mapped.
        here: Location,
    },
    /// Physical memory comes in whole pages.
    #[error("{bytes} bytes are not a multiple of {page}, the size of a page of this kind")]
    NotWholePages {
        /// What was requested.
        bytes: u64,
        /// What it must be a multiple of.
        page: u64,
    },
    /// The memory ended when its device was reset.
    #[error("the physical memory is gone: its device was reset")]
    Gone,
    /// The number names no memory that is shared.
    #[error(
        "{number:#x} names no physical memory: it was never exported, or has been freed and unmapped"
    )]
    NotExported {
        /// The number.
        number: u64,
    },
    /// Reserved addresses are not a block. They are unmapped and released.
    #[error(
        "{address:#x} is a reserved address, not a block: it is unmapped and released, not freed"
    )]
    NotABlock {
        /// The address.
        address: u64,
    },
}

fn describe_queued(start: u64, task: Option<(u64, u64)>) -> String {
    match task {
        Some((stream, task)) => format!(
            "what was mapped at {start:#x} is unmapped, but task {task} of stream {stream} still uses \
             it: synchronise that stream before mapping there again"
        ),
        None => format!(
            "what was mapped at {start:#x} is unmapped, but a copy of another thread still uses it: \
             let it finish before mapping there again"
        ),
    }
}
