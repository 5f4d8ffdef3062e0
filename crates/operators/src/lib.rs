//! CANN's operators as ONNX graphs.
//!
//! [`build`] turns a [`Request`] (a type of operator, its tensors, its attributes) into the bytes of a
//! small model, or into a [`Refusal`] that says in a sentence why not. Nothing here runs anything.
//!
//! A row of the table asks its context for what it needs: a dimension, the contents of a constant. What
//! it asked for comes back in [`Built::asked`], and a [`Cache`] uses it as the second part of its keys,
//! so that a row that looks at no dimension serves every shape of that rank with one model.
#![forbid(unsafe_code)]

mod asked;
mod attributes;
mod cache;
mod context;
mod describe;
mod flow;
mod kernels;
mod key;
mod names;
mod refusal;
mod request;
mod table;
mod unread;

pub use asked::Asked;
pub use attributes::{Attributes, Value};
pub use cache::Cache;
pub use millpond_model::Element;
pub use refusal::{Refusal, Why};
pub use request::{Request, Tensor};

/// The model of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The model's bytes.
    pub model: Vec<u8>,
    /// For each input of the graph, which input of the request feeds it.
    pub inputs: Vec<usize>,
    /// For each output of the graph, which output of the request it fills. An output that no graph output
    /// fills has contents that nobody may read (the mask of a pooling, which its gradient does not need).
    pub outputs: Vec<usize>,
    /// What the row looked at beyond types, ranks and attributes.
    pub asked: Asked,
    /// Whether the contents of inputs decide the shape of an output.
    pub data_dependent: bool,
}

/// Puts together the model that computes `request`.
pub fn build(request: &Request) -> Result<Built, Refusal> {
    let Some(row) = table::find(request.kind) else {
        return Err(Refusal::new(
            request.kind,
            Why::Unknown {
                closest: names::closest(request.kind, known()),
                given: request.to_string(),
            },
        ));
    };
    let context = context::Context::new(request);
    (row.build)(&context)
        .and_then(|()| unread::check(row, request.attributes, |name| context.has_read(name)))
        .and_then(|()| context.finish())
        .map_err(|why| Refusal::new(request.kind, why))
}

/// The types of operators that can be built, in no particular order.
pub fn known() -> impl Iterator<Item = &'static str> {
    table::rows().map(|row| row.name)
}

/// Each known type with a line on its inputs and attributes, in no particular order.
pub fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
    table::rows().map(|row| (row.name, row.takes))
}
