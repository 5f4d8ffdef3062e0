//! Model files: what they say, without running them.
//!
//! Nothing here touches a device or an engine. [`onnx`] writes, reads and alters the graphs that the engine
//! runs; [`shapes`] says which shapes a model takes; [`compiled`] is the file that keeps both, [`compile`] makes it, and [`singleop`] the
//! description of an operator that such a file may hold instead. [`classify`] says what a file is, and [`open`] takes it whole; [`read_regular`] reads one. An [`Element`] is the type of a tensor's elements, in the
//! numbers of both worlds, and a [`Format`] the order of its dimensions.

mod classify;
pub mod compile;
pub mod compiled;
mod element;
mod error;
mod format;
pub mod onnx;
mod open;
mod regular;
pub mod shapes;
pub mod singleop;

pub use classify::{FileKind, NpuFile, classify};
pub use element::Element;
pub use error::Error;
pub use format::Format;
pub use open::{Opened, open};
pub use regular::{LARGEST_MODEL, open_regular, read_regular};
