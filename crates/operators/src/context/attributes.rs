//! How a row reads attributes.

use super::Context;
use crate::{Element, Value, Why};

/// Numbers and truth values are taken for each other: programs set `ceil_mode` as either.
impl Context<'_> {
    fn read<T>(
        &self,
        name: &'static str,
        wants: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Why> {
        let Some(value) = self.attribute(name) else {
            return Ok(None);
        };
        let is = value.kind();
        let wrong = Why::AttributeKind { name, is, wants };
        read(value).map(Some).ok_or(wrong)
    }

    pub(crate) fn optional_int(&self, name: &'static str) -> Result<Option<i64>, Why> {
        self.read(name, "an integer", |value| match value {
            Value::Int(number) => Some(*number),
            Value::Bool(flag) => Some((*flag).into()),
            Value::Element(number) => Some((*number).into()),
            Value::Ints(list) => <[i64; 1]>::try_from(&list[..]).ok().map(|[one]| one),
            _ => None,
        })
    }

    pub(crate) fn int_or(&self, name: &'static str, default: i64) -> Result<i64, Why> {
        Ok(self.optional_int(name)?.unwrap_or(default))
    }

    pub(crate) fn int(&self, name: &'static str) -> Result<i64, Why> {
        self.optional_int(name)?.ok_or(Why::MissingAttribute(name))
    }

    pub(crate) fn flag_or(&self, name: &'static str, default: bool) -> Result<bool, Why> {
        let flag = self.read(name, "a bool", |value| match value {
            Value::Bool(flag) => Some(*flag),
            Value::Int(number) => Some(*number != 0),
            _ => None,
        })?;
        Ok(flag.unwrap_or(default))
    }

    pub(crate) fn optional_real(&self, name: &'static str) -> Result<Option<f32>, Why> {
        self.read(name, "a float", |value| match value {
            Value::Float(number) => Some(*number),
            // Integers that programs set for a float are small.
            #[allow(clippy::cast_precision_loss, reason = "as the line above says")]
            Value::Int(number) => Some(*number as f32),
            _ => None,
        })
    }

    pub(crate) fn real_or(&self, name: &'static str, default: f32) -> Result<f32, Why> {
        Ok(self.optional_real(name)?.unwrap_or(default))
    }

    pub(crate) fn real(&self, name: &'static str) -> Result<f32, Why> {
        self.optional_real(name)?.ok_or(Why::MissingAttribute(name))
    }

    pub(crate) fn text_or(&self, name: &'static str, default: &str) -> Result<String, Why> {
        let text = self.read(name, "a string", |value| match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        })?;
        Ok(text.unwrap_or_else(|| default.to_owned()))
    }

    pub(crate) fn optional_list(&self, name: &'static str) -> Result<Option<Vec<i64>>, Why> {
        self.read(name, "a list of integers", |value| match value {
            Value::Ints(list) => Some(list.clone()),
            Value::Int(one) => Some(vec![*one]),
            Value::IntLists(lists) => Some(lists.concat()),
            _ => None,
        })
    }

    pub(crate) fn list(&self, name: &'static str) -> Result<Vec<i64>, Why> {
        self.optional_list(name)?.ok_or(Why::MissingAttribute(name))
    }

    pub(crate) fn list_or(&self, name: &'static str, default: &[i64]) -> Result<Vec<i64>, Why> {
        Ok(self.optional_list(name)?.unwrap_or_else(|| default.into()))
    }

    pub(crate) fn reals_or(&self, name: &'static str, default: &[f32]) -> Result<Vec<f32>, Why> {
        let list = self.read(name, "a list of floats", |value| match value {
            Value::Floats(list) => Some(list.clone()),
            Value::Ints(list) if list.is_empty() => Some(Vec::new()),
            _ => None,
        })?;
        Ok(list.unwrap_or_else(|| default.into()))
    }

    /// A type of elements, which programs set as such or as AscendCL's number.
    pub(crate) fn type_of(&self, name: &'static str) -> Result<Option<Element>, Why> {
        let Some(number) = self.optional_int(name)? else {
            return Ok(None);
        };
        let element = i32::try_from(number).ok().and_then(Element::from_acl);
        element.map(Some).ok_or_else(|| Why::AttributeValue {
            name,
            is: number.to_string(),
            wants: "the number of a data type".into(),
        })
    }
}

/// A refusal of an attribute's value.
pub(crate) fn refused(name: &'static str, is: &dyn std::fmt::Display, wants: &str) -> Why {
    Why::AttributeValue {
        name,
        is: is.to_string(),
        wants: wants.to_owned(),
    }
}
