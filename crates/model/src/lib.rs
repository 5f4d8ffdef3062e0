//! Reads, writes and compiles model files, without running them.
//!
//! Nothing here uses a device or an engine.
//! - [`onnx`] writes, reads and edits the graphs that the engine runs.
//! - [`shapes`] describes which shapes a model accepts.
//! - [`compiled`] is the file format that stores both; [`compile`] creates such a file.
//! - [`aipp`] adds image preprocessing to a model.
//! - [`singleop`] describes a single operator, which a compiled file may contain instead of a model.
//! - [`classify`] detects the kind of a file; [`open`] reads a whole file of any kind; [`read_regular`] reads a file from a path
//!   that a program gave.
//! - [`Element`] is the type of a tensor's elements, with its numbers in ONNX and AscendCL. [`Format`] is the
//!   order of its dimensions.
#![forbid(unsafe_code)]

pub mod aipp;
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
