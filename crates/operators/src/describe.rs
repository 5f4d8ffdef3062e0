//! Requests in words, for messages.

use crate::{Request, Tensor, Value};
use std::fmt;

/// Parts of a sentence with commas between them, or "none".
fn list(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    if parts.is_empty() {
        return "none".to_owned();
    }
    parts.join(", ")
}

impl fmt::Display for Tensor<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {:?}", self.element.name(), self.dims)?;
        if self.constant.is_some() {
            write!(formatter, " (constant)")?;
        }
        Ok(())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(formatter, "{value}"),
            Self::Int(value) => write!(formatter, "{value}"),
            Self::Float(value) => write!(formatter, "{value:?}"),
            Self::Text(value) => write!(formatter, "{value:?}"),
            Self::Element(value) => write!(formatter, "data type {value}"),
            Self::Bools(values) => write!(formatter, "{values:?}"),
            Self::Ints(values) => write!(formatter, "{values:?}"),
            Self::Floats(values) => write!(formatter, "{values:?}"),
            Self::Texts(values) => write!(formatter, "{values:?}"),
            Self::Elements(values) => write!(formatter, "data types {values:?}"),
            Self::IntLists(values) => write!(formatter, "{values:?}"),
        }
    }
}

/// What goes in and comes out, and the attributes.
impl fmt::Display for Request<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs = self.inputs.iter().map(|input| {
            input
                .as_ref()
                .map_or_else(|| "left out".to_owned(), ToString::to_string)
        });
        let outputs = self.outputs.iter().map(ToString::to_string);
        let attributes = self.attributes.iter();
        let attributes = attributes.map(|(name, value)| format!("{name} = {value}"));
        write!(
            formatter,
            "inputs: {}; outputs: {}; attributes: {}",
            list(inputs),
            list(outputs),
            list(attributes)
        )
    }
}
