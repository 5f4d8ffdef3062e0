//! ONNX graphs, written and read without a library for its format: a few message types suffice.

mod build;
mod wire;

pub use build::{Attribute, Dim, Graph, OPSET, Value};
