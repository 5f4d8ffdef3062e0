//! Model files: what they say, without running them.
//!
//! Nothing here touches a device or an engine. [`onnx`] writes and reads the graphs that the engine
//! runs; an [`Element`] is the type of a tensor's elements, in the numbers of both worlds.

mod element;
mod error;
pub mod onnx;

pub use element::Element;
pub use error::Error;
