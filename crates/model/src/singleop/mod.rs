//! Precompiled single operators: the input file of `atc --singleop`.
//!
//! The file is a list of operators with their tensors and attributes. Each becomes a separate compiled file, which
//! programs find through `aclopSetModelDir`.

mod attribute;
mod tensor;

use serde_json::{Map, Value, json};

pub use attribute::Attribute;
pub use tensor::{Numbers, Tensor};

use crate::Error;

/// Maximum number of operators in a file.
const MOST_OPERATORS: usize = 10_000;
/// Maximum length of a file name on common file systems.
const LONGEST_NAME: usize = 200;

/// An operator with its tensors and attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Operator {
    /// Its type, such as `Add`.
    pub op: String,
    /// Its inputs.
    pub inputs: Vec<Tensor>,
    /// Its outputs.
    pub outputs: Vec<Tensor>,
    /// Its attributes, in the order of the file.
    pub attributes: Vec<(String, Attribute)>,
}

/// Reads the text of a file of operators.
pub fn parse(text: &str) -> Result<Vec<Operator>, Error> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Error::argument(format!("invalid JSON in the file of operators: {error}"))
    })?;
    let list = match value {
        Value::Array(list) => list,
        object @ Value::Object(_) => vec![object],
        _ => {
            return Err(Error::argument("the file of operators must be a JSON list"));
        }
    };
    if list.is_empty() || list.len() > MOST_OPERATORS {
        return Err(Error::argument(format!(
            "the file has {} operators; expected 1 to {MOST_OPERATORS}",
            list.len()
        )));
    }
    let read = |(index, value)| {
        Operator::from_json(value)
            .map_err(|error| Error::argument(format!("operator {index} of the file: {error}")))
    };
    list.iter().enumerate().map(read).collect()
}

impl Operator {
    pub(crate) fn from_json(value: &Value) -> Result<Self, Error> {
        let object = value
            .as_object()
            .ok_or_else(|| Error::argument("expected an object with the key \"op\""))?;
        let op = object.get("op").and_then(Value::as_str).unwrap_or_default();
        let letters = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if op.is_empty() || op.len() > LONGEST_NAME || !op.chars().all(letters) {
            return Err(Error::argument(
                "\"op\" must be the name of an operator, such as \"Add\"",
            ));
        }
        let tensors = |key: &str| {
            let read = |(index, value)| {
                Tensor::from_json(value)
                    .map_err(|error| Error::argument(format!("{op}: {key} {index}: {error}")))
            };
            let list = list(object, key)?.iter().enumerate();
            list.map(read).collect::<Result<Vec<_>, _>>()
        };
        let (inputs, outputs) = (tensors("input_desc")?, tensors("output_desc")?);
        if outputs.is_empty() {
            return Err(Error::argument(format!("{op}: \"output_desc\" is missing")));
        }
        let mut attributes: Vec<(String, Attribute)> = Vec::new();
        for value in list(object, "attr")? {
            let (name, attribute) = Attribute::from_json(value)
                .map_err(|error| Error::argument(format!("{op}: attr: {error}")))?;
            if attributes.iter().any(|(known, _)| *known == name) {
                return Err(Error::argument(format!(
                    "{op}: attr '{}' appears twice",
                    name.escape_debug()
                )));
            }
            attributes.push((name, attribute));
        }
        Ok(Self {
            op: op.to_owned(),
            inputs,
            outputs,
            attributes,
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        let tensors = |list: &[Tensor]| list.iter().map(Tensor::to_json).collect::<Vec<_>>();
        let attributes = self.attributes.iter();
        let attributes = attributes.map(|(name, attribute)| attribute.to_json(name));
        json!({
            "op": self.op,
            "input_desc": tensors(&self.inputs),
            "output_desc": tensors(&self.outputs),
            "attr": attributes.collect::<Vec<_>>(),
        })
    }

    /// The name of its compiled file: its index in the list, its type, then for each tensor the number of the element
    /// type, the number of the format, and the dimensions.
    pub fn file_name(&self, index: usize) -> String {
        let mut name = format!("{index}_{}", self.op);
        for tensor in self.inputs.iter().chain(&self.outputs) {
            name.push_str(&tensor.file_name_part());
        }
        // The index keeps the name unique if the rest is truncated.
        name.truncate(LONGEST_NAME);
        name + ".om"
    }
}

/// A list in an object; empty if it is missing.
fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a [Value], Error> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(Error::argument(format!("\"{key}\" must be a list"))),
    }
}

#[cfg(test)]
mod tests;
