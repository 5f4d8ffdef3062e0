//! Model files: what they say, without running them.
//!
//! Nothing here touches a device or an engine. [`onnx`] writes, reads and alters the graphs that the engine
//! runs; [`shapes`] says which shapes a model takes. An [`Element`] is the type of a tensor's elements, in the
//! numbers of both worlds, and a [`Format`] the order of its dimensions.

mod element;
mod error;
mod format;
pub mod onnx;
pub mod shapes;

pub use element::Element;
pub use error::Error;
pub use format::Format;
