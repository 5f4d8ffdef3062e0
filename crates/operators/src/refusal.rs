//! Why a model could not be put together, in sentences for people.

use crate::Element;

/// An operator that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {why}")]
pub struct Refusal {
    /// The type of the operator.
    pub kind: String,
    /// What is wrong with the request.
    pub why: Why,
}

impl Refusal {
    pub(crate) fn new(kind: &str, why: Why) -> Self {
        Self {
            kind: kind.to_owned(),
            why,
        }
    }
}

fn suggestions(closest: &[&str]) -> String {
    match closest {
        [] => String::new(),
        names => format!(" (did you mean {}?)", names.join(" or ")),
    }
}

/// What is wrong with a request. Inputs and outputs are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// No row has this name.
    #[error(
        "there is no operator of this type{}. It has {given}. Compute it on the host instead (in PyTorch, on x.cpu()), or \
         add it to Millpond: write a row in crates/operators/src/table; docs/operators.md says how, under \"Adding a row\"",
        suggestions(closest)
    )]
    Unknown {
        /// Rows with names that look like it.
        closest: Vec<&'static str>,
        /// The tensors and attributes, in words.
        given: String,
    },
    /// An input that the operator needs is not there.
    #[error("input {0} is missing")]
    MissingInput(usize),
    /// An output that the operator needs is not there.
    #[error("output {0} is missing")]
    MissingOutput(usize),
    /// An element type that the operator does not take there.
    #[error("input {index} has elements of type {}, but {wants} is needed", .element.name())]
    Element {
        /// Which input.
        index: usize,
        /// What it has.
        element: Element,
        /// What it should have.
        wants: &'static str,
    },
    /// An output of a type that nothing here computes.
    #[error("output {index} cannot have elements of type {}", .element.name())]
    OutputElement {
        /// Which output.
        index: usize,
        /// What it has.
        element: Element,
    },
    /// A number of dimensions that does not fit.
    #[error("input {index} has {has} dimensions, but {wants} are needed")]
    Rank {
        /// Which input.
        index: usize,
        /// How many it has.
        has: usize,
        /// How many it should have.
        wants: &'static str,
    },
    /// An attribute without a default was not set.
    #[error("the attribute `{0}` is not set")]
    MissingAttribute(&'static str),
    /// An attribute that the row does not know, and that may mean something.
    #[error("unknown attribute `{name}`; it takes {takes}")]
    UnknownAttribute {
        /// Its name.
        name: String,
        /// What the row takes.
        takes: &'static str,
    },
    /// An attribute of the wrong kind.
    #[error("the attribute `{name}` is {is}, but {wants} is needed")]
    AttributeKind {
        /// Its name.
        name: &'static str,
        /// What it is.
        is: &'static str,
        /// What it should be.
        wants: &'static str,
    },
    /// An attribute with a value that makes no sense or is not supported.
    #[error("the attribute `{name}` is {is}, but it must be {wants}")]
    AttributeValue {
        /// Its name.
        name: &'static str,
        /// Its value.
        is: String,
        /// What it should be.
        wants: String,
    },
    /// Contents that must be known before anything runs are not.
    #[error("input {0} must be constant: its contents decide what is computed")]
    MissingConstant(usize),
    /// A constant whose bytes do not fit its description, or whose values make no sense.
    #[error("the contents of input {index} are invalid: {reason}")]
    Constant {
        /// Which input.
        index: usize,
        /// What is wrong.
        reason: String,
    },
    /// A layout of memory that nothing here reads.
    #[error("input {index} is stored in format {format}, which is not a plain layout")]
    Format {
        /// Which input.
        index: usize,
        /// AscendCL's number of the format.
        format: i32,
    },
    /// The same for an output: nothing here writes it.
    #[error("output {index} is stored in format {format}, which is not a plain layout")]
    OutputFormat {
        /// Which output.
        index: usize,
        /// AscendCL's number of the format.
        format: i32,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Why {
    pub(crate) fn other(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }
}
