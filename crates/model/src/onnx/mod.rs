//! ONNX graphs, written and read without a library for its format: a few message types suffice.

mod build;
mod dependence;
mod external;
mod message;
mod read;
mod wire;

pub use build::{Attribute, Dim, Graph, OPSET, Value};
pub use external::External;
pub use read::{Constant, Model, OPEN, Port, read};
