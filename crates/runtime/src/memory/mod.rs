//! Device and pinned memory: requests, blocks, and when memory is reused.

mod guards;
mod operand;
mod pinned;
mod pool_core;
mod registered;
mod report;
mod request;
mod store;

pub(crate) use guards::{StandIns, WatchedSource};
pub use operand::Direction;
pub(crate) use operand::Operand;
pub(crate) use pinned::PinnedRanges;
pub(crate) use pool_core::MemoryPoolCore;
pub use pool_core::{PoolNumbers, Reuse};
pub(crate) use registered::Registered;
pub(crate) use report::{blocks, describe_statistics};
pub use request::{PageChoice, PageKind, Request, Tail};
pub(crate) use store::Store;
pub use store::{BlockInfo, Usage};
