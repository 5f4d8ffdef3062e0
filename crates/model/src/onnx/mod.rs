//! Reads and writes ONNX graphs without a protobuf library: a few message types suffice.

mod build;
mod dependence;
mod division;
mod edit;
mod external;
mod inline;
mod message;
mod prepend;
mod read;
mod retype;
mod select;
mod types;
mod wire;

pub use build::{Attribute, Dim, Graph, OPSET, Value};
pub use division::{Guarded, guard_divisions};
pub use edit::set_input_dims;
pub use external::External;
pub use inline::inline_externals;
pub use prepend::prepend;
pub use read::{Constant, Model, OPEN, Port, read};
pub(crate) use read::{count, looks_like_a_model};
pub use retype::set_elements;
pub use select::select_outputs;
