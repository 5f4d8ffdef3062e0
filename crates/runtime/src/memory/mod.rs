//! Device and pinned memory: what is asked for, where it lies, and when it may be reused.

mod operand;
mod planted;
mod report;
mod request;
mod store;
mod stream_pool;

pub use operand::Direction;
pub(crate) use operand::Operand;
pub(crate) use planted::{Held, Source};
pub(crate) use report::{blocks, describe_statistics};
pub use request::{PageChoice, PageKind, Request, Tail};
pub(crate) use store::Store;
pub use store::{BlockInfo, Usage};
pub(crate) use stream_pool::PoolCore;
pub use stream_pool::{PoolNumbers, Reuse};
