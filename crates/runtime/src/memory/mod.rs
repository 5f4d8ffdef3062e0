//! Device and pinned memory: what is asked for, where it lies, and when it may be reused.

mod operand;
mod request;
mod store;

pub use operand::Direction;
pub(crate) use operand::Operand;
pub use request::{PageChoice, PageKind, Request, Tail};
pub use store::{BlockInfo, Usage};
pub(crate) use store::{Numbers, Store};
