//! An attribute of a single operator.

use serde_json::{Value, json};

use crate::{Element, Error};

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Attribute {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Element(Element),
    Bools(Vec<bool>),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Texts(Vec<String>),
    Elements(Vec<Element>),
    IntLists(Vec<Vec<i64>>),
}

const TYPES: &str = "bool, int, float, string, data_type, list_bool, list_int, list_float, list_string, \
                     list_data_type, list_list_int";

impl Attribute {
    /// The name of its type in files.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "string",
            Self::Element(_) => "data_type",
            Self::Bools(_) => "list_bool",
            Self::Ints(_) => "list_int",
            Self::Floats(_) => "list_float",
            Self::Texts(_) => "list_string",
            Self::Elements(_) => "list_data_type",
            Self::IntLists(_) => "list_list_int",
        }
    }

    pub(super) fn from_json(value: &Value) -> Result<(String, Self), Error> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, kind) = (text("name"), text("type"));
        if name.is_empty() {
            return Err(Error::argument("one has no \"name\""));
        }
        let held = value.get("value").unwrap_or(&Value::Null);
        let attribute = match kind {
            "bool" => held.as_bool().map(Self::Bool),
            "int" => held.as_i64().map(Self::Int),
            "float" => held.as_f64().map(Self::Float),
            "string" => held.as_str().map(str::to_owned).map(Self::Text),
            "data_type" => element(held).map(Self::Element),
            "list_bool" => list(held, Value::as_bool).map(Self::Bools),
            "list_int" => list(held, Value::as_i64).map(Self::Ints),
            "list_float" => list(held, Value::as_f64).map(Self::Floats),
            "list_string" => list(held, |one| one.as_str().map(str::to_owned)).map(Self::Texts),
            "list_data_type" => list(held, element).map(Self::Elements),
            "list_list_int" => list(held, |one| list(one, Value::as_i64)).map(Self::IntLists),
            other => {
                return Err(Error::argument(format!(
                    "'{}' has the unknown type '{}'; expected one of {TYPES}",
                    name.escape_debug(),
                    other.escape_debug()
                )));
            }
        };
        let attribute = attribute.ok_or_else(|| {
            Error::argument(format!(
                "the value of '{}' is not of type {kind}",
                name.escape_debug()
            ))
        })?;
        Ok((name.to_owned(), attribute))
    }

    pub(super) fn to_json(&self, name: &str) -> Value {
        let value = match self {
            Self::Bool(value) => json!(value),
            Self::Int(value) => json!(value),
            Self::Float(value) => json!(value),
            Self::Text(value) => json!(value),
            Self::Element(value) => json!(value.name()),
            Self::Bools(value) => json!(value),
            Self::Ints(value) => json!(value),
            Self::Floats(value) => json!(value),
            Self::Texts(value) => json!(value),
            Self::Elements(value) => json!(value.iter().map(|one| one.name()).collect::<Vec<_>>()),
            Self::IntLists(value) => json!(value),
        };
        json!({ "name": name, "type": self.type_name(), "value": value })
    }
}

fn list<T>(value: &Value, one: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(one).collect()
}

/// An element type by name, with or without the prefix used in graphs, or by AscendCL's number.
fn element(value: &Value) -> Option<Element> {
    if let Some(number) = value.as_i64() {
        return Element::from_acl(i32::try_from(number).ok()?);
    }
    let name = value.as_str()?;
    Element::from_name(name.strip_prefix("DT_").unwrap_or(name))
}
