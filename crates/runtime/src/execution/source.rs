//! Where the memory of a run comes from: the program's allocator, or ours.

use std::sync::{Arc, OnceLock};

use millpond_device::AddressRange;
use millpond_trace::{Operation, RunSource, Space};

use crate::api::allocator::{AllocatorBlock, StreamAllocator};
use crate::api::device::Device;
use crate::api::stream::Stream;
use crate::error::{Boxed, Error};
use crate::lock::assert_none_held;
use crate::memory::{MemoryPoolCore, Operand, Request};
use crate::shared::{DeviceCore, Shared};
use crate::stream::StreamCore;

use super::site::Site;

/// Memory for the runs of one stream, or of none.
#[derive(Debug)]
pub(super) enum BlockSource<'a> {
    /// The allocator that is registered on the stream.
    Registered {
        allocator: Arc<dyn StreamAllocator>,
        stream: &'a Arc<StreamCore>,
    },
    /// Our pool, in the order of the stream.
    Pool {
        pool: &'a Workspace,
        stream: &'a StreamCore,
        /// Why not an allocator.
        why: &'static str,
    },
    /// A range that the program provides for the model; our pool if it is too small.
    Provided {
        address: u64,
        bytes: u64,
        pool: &'a Workspace,
        stream: &'a StreamCore,
    },
    /// Device memory that belongs to no stream, for a run inside the call.
    Device(&'a Device),
}

/// Where runs of a model on a stream get their workspace: memory beyond inputs and outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkspaceSource {
    /// The allocator that is registered on the stream, or our pool: for operators and for models with
    /// dynamic shapes.
    #[default]
    Allocator,
    /// Our pool, whatever is registered: a model with fixed shapes uses no allocator.
    Pool,
    /// A block that the program provides for the model; our pool if it is too small. The program must not run
    /// the model on two streams at once.
    Provided {
        /// Where it starts, as the program sees it.
        address: u64,
        /// Its size.
        bytes: u64,
    },
}

impl WorkspaceSource {
    /// The same for a run without a plan, which asks for many pieces at a time.
    pub(super) fn in_pieces(self) -> Self {
        match self {
            Self::Provided { .. } => Self::Pool,
            other => other,
        }
    }
}

/// A pool of a device for runs that no allocator serves.
#[derive(Debug)]
pub(crate) struct Workspace {
    pool: Arc<MemoryPoolCore>,
    id: u64,
}

/// The workspaces of all devices.
#[derive(Debug)]
pub(crate) struct Workspaces(Box<[OnceLock<Workspace>]>);

impl Workspaces {
    pub(crate) fn new(devices: u32) -> Self {
        Self((0..devices).map(|_| OnceLock::new()).collect())
    }

    fn of(&self, shared: &Shared, device: &Arc<DeviceCore>) -> Boxed<&Workspace> {
        let slot = self
            .0
            .get(device.index as usize)
            .ok_or(Error::NoSuchDevice {
                index: i64::from(device.index),
                count: shared.config.visible_devices(),
            })?;
        if let Some(workspace) = slot.get() {
            return Ok(workspace);
        }
        let (pool, id) = shared.open_pool(device, device.store.capacity())?;
        // Of two threads that come here at once one pool stays unused; it costs addresses only.
        Ok(slot.get_or_init(|| Workspace { pool, id }))
    }
}

/// The token of a block of [`BlockSource::Provided`].
const PROVIDED: usize = 1;

/// Where a block of `bytes` bytes ends that starts at the first good place from `address` on.
fn aligned_end(address: u64, bytes: u64, alignment: u64) -> u64 {
    let start = address.checked_next_multiple_of(alignment);
    start.map_or(u64::MAX, |start| start.saturating_add(bytes))
}

/// A block from a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    token: usize,
    /// Where it starts, as programs see it.
    address: u64,
    /// What is used of it, aligned.
    pub(super) operand: Operand,
}

impl<'a> BlockSource<'a> {
    /// The source for a run on a stream, as of now.
    pub(super) fn of(stream: &'a Arc<StreamCore>, from: WorkspaceSource) -> Boxed<Self> {
        if from == WorkspaceSource::Allocator
            && let Some(allocator) = stream.allocator.lock().clone()
        {
            return Ok(Self::Registered { allocator, stream });
        }
        let shared = &stream.shared;
        let pool = shared.workspaces.of(shared, &stream.device)?;
        Ok(match from {
            WorkspaceSource::Allocator => Self::Pool {
                pool,
                stream,
                why: "no allocator is registered on the stream",
            },
            WorkspaceSource::Pool => Self::Pool {
                pool,
                stream,
                why: "its shapes are fixed, and allocators serve only dynamic shapes",
            },
            WorkspaceSource::Provided { address, bytes } => Self::Provided {
                address,
                bytes,
                pool,
                stream,
            },
        })
    }

    /// A block of `bytes` bytes that a run at the site can use. User code may run, so no lock is held.
    pub(super) fn alloc(&self, shared: &Shared, site: &Site, bytes: u64) -> Boxed<Block> {
        let alignment = site.alignment();
        let (token, address) = match self {
            Self::Registered { allocator, stream } => {
                // Where it will be is the allocator's affair.
                let asked = bytes.saturating_add(alignment - 1);
                assert_none_held();
                let block = allocator.alloc(asked);
                record_answer(stream, &**allocator, asked, block);
                let block = block.ok_or(Error::AllocatorRefused { bytes: asked })?;
                (block.token, block.address)
            }
            Self::Provided { address, .. } if self.is_enough(bytes, alignment) => {
                (PROVIDED, *address)
            }
            Self::Pool { pool, stream, .. } | Self::Provided { pool, stream, .. } => {
                (0, pool.pool.alloc(pool.id, stream, bytes)?.address)
            }
            Self::Device(device) => (0, device.alloc_raw(Request::of(bytes))?.address),
        };
        let aligned = address.next_multiple_of(alignment);
        let found = shared.operand(aligned, bytes).and_then(|operand| {
            shared.check_side(&operand, None)?;
            let range = AddressRange::new(operand.kernel, bytes);
            match site.access() {
                Some(access) if access.address_of(range).is_none() => {
                    Err(Error::NotOnGpu { address, bytes }.into())
                }
                _ => Ok(operand),
            }
        });
        match found {
            Ok(operand) => Ok(Block {
                token,
                address,
                operand,
            }),
            Err(error) => {
                // It is the allocator's, wherever it is.
                let operand = Operand::nowhere();
                self.free(Block {
                    token,
                    address,
                    operand,
                });
                Err(error)
            }
        }
    }

    /// Gives a block back, in the order of the stream. User code may run: no lock is held.
    pub(super) fn free(&self, block: Block) {
        let Block { token, address, .. } = block;
        match self {
            Self::Registered { allocator, stream } => {
                let block = AllocatorBlock { token, address };
                if stream.shared.tap.listening() {
                    record_return(stream, &**allocator, block);
                }
                assert_none_held();
                allocator.free(block);
            }
            // It stays the model's.
            Self::Provided { .. } if token == PROVIDED => {}
            // A reset of the device has freed it already: nothing is left to do.
            Self::Pool { pool, stream, .. } | Self::Provided { pool, stream, .. } => {
                drop(pool.pool.free(stream, address, None));
            }
            Self::Device(device) => drop(device.core.store.free(address, None)),
        }
    }

    /// Whether the block that the program gave has room.
    fn is_enough(&self, bytes: u64, alignment: u64) -> bool {
        match self {
            Self::Provided {
                address,
                bytes: room,
                ..
            } => aligned_end(*address, bytes, alignment) <= address.saturating_add(*room),
            Self::Registered { .. } | Self::Pool { .. } | Self::Device(_) => false,
        }
    }

    /// On which stream a run of so many bytes gets them, where from, and why.
    pub(super) fn origin(&self, site: &Site, bytes: u64) -> (Option<u64>, RunSource, &'static str) {
        match self {
            Self::Registered { stream, .. } => (
                Some(stream.id),
                RunSource::Allocator,
                "an allocator is registered on the stream",
            ),
            Self::Pool { stream, why, .. } => (Some(stream.id), RunSource::Pool, why),
            Self::Provided { stream, .. } if self.is_enough(bytes, site.alignment()) => (
                Some(stream.id),
                RunSource::Provided,
                "the program provided a block for it when it loaded the model",
            ),
            Self::Provided { stream, .. } => (
                Some(stream.id),
                RunSource::Pool,
                "the block that the program provided for it is too small",
            ),
            Self::Device(_) => (
                None,
                RunSource::Pool,
                "the call waits for the run, and allocators serve only asynchronous runs",
            ),
        }
    }

    /// Waits for work that the allocator put into the stream, such as a fill of the block that it gave: a run
    /// inside the call uses the block at once, and that work goes before it.
    pub(super) fn catch_up(&self) -> Boxed<()> {
        match self {
            Self::Registered { stream, .. } if !stream.is_settled() => Stream::drain_core(stream),
            Self::Registered { .. }
            | Self::Pool { .. }
            | Self::Provided { .. }
            | Self::Device(_) => Ok(()),
        }
    }

    /// Whether blocks are from an allocator of the program, so that records name them and their owner has to know
    /// which task uses them. Ours are freed behind the task anyway.
    pub(super) fn is_registered(&self) -> bool {
        matches!(self, Self::Registered { .. })
    }
}

/// Records what an allocator returned.
fn record_answer(
    stream: &StreamCore,
    allocator: &dyn StreamAllocator,
    bytes: u64,
    block: Option<AllocatorBlock>,
) {
    stream.shared.tap.emit(|| Operation::AllocatorAsked {
        stream: stream.id,
        object: allocator.identity().1,
        bytes,
        token: block.map_or(0, |block| block.token as u64),
        address: block.map_or(0, |block| block.address),
    });
}

/// Records the free of a block before it happens: afterwards the block may be reused.
#[cold]
fn record_return(stream: &StreamCore, allocator: &dyn StreamAllocator, block: AllocatorBlock) {
    // User code, which no sink may wait for.
    assert_none_held();
    let address_now = allocator.address_now(block);
    stream.shared.tap.emit(|| Operation::AllocatorReturned {
        position: stream.last_place(),
        object: allocator.identity().1,
        token: block.token as u64,
        address: block.address,
        address_now,
    });
}

impl Block {
    /// Whether it is memory of the program itself, which it may reuse as soon as it has it back.
    pub(super) fn is_foreign(&self) -> bool {
        self.operand.space == Space::Foreign
    }
}
