//! The attributes of an operator.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// What an attribute holds. Floating-point numbers are the same when their bits are.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Value {
    Bool(bool),
    Int(i64),
    Float(f32),
    Text(String),
    /// A type of elements, by AscendCL's number.
    Element(i32),
    Bools(Vec<bool>),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Texts(Vec<String>),
    /// Types of elements, by AscendCL's numbers.
    Elements(Vec<i32>),
    IntLists(Vec<Vec<i64>>),
}

impl Value {
    /// What people call this kind of attribute.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "a string",
            Self::Element(_) => "a data type",
            Self::Bools(_) => "a list of bools",
            Self::Ints(_) => "a list of integers",
            Self::Floats(_) => "a list of floats",
            Self::Texts(_) => "a list of strings",
            Self::Elements(_) => "a list of data types",
            Self::IntLists(_) => "a list of lists of integers",
        }
    }
}

fn bits(values: &[f32]) -> impl Iterator<Item = u32> {
    values.iter().map(|value| value.to_bits())
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Element(a), Self::Element(b)) => a == b,
            (Self::Bools(a), Self::Bools(b)) => a == b,
            (Self::Ints(a), Self::Ints(b)) => a == b,
            (Self::Floats(a), Self::Floats(b)) => bits(a).eq(bits(b)),
            (Self::Texts(a), Self::Texts(b)) => a == b,
            (Self::Elements(a), Self::Elements(b)) => a == b,
            (Self::IntLists(a), Self::IntLists(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Float(value) => value.to_bits().hash(state),
            Self::Text(value) => value.hash(state),
            Self::Element(value) => value.hash(state),
            Self::Bools(values) => values.hash(state),
            Self::Ints(values) => values.hash(state),
            Self::Floats(values) => {
                values.len().hash(state);
                bits(values).for_each(|value| value.hash(state));
            }
            Self::Texts(values) => values.hash(state),
            Self::Elements(values) => values.hash(state),
            Self::IntLists(values) => values.hash(state),
        }
    }
}

/// Attributes by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Attributes(BTreeMap<String, Value>);

impl Attributes {
    /// No attributes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one; the last value of a name counts. Names that begin with an underscore are hints to a
    /// compiler (`_exclude_engines`) that change no result, and are not kept.
    pub fn set(&mut self, name: &str, value: Value) {
        if !name.starts_with('_') {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// The attribute of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::DefaultHasher;

    fn hash(value: &Value) -> u64 {
        let mut state = DefaultHasher::new();
        value.hash(&mut state);
        state.finish()
    }

    #[test]
    fn floats_are_compared_by_their_bits() {
        let nan = Value::Float(f32::NAN);
        assert_eq!(nan, nan.clone());
        assert_eq!(hash(&nan), hash(&nan.clone()));
        assert_ne!(Value::Float(0.0), Value::Float(-0.0));
        assert_ne!(Value::Floats(vec![1.0]), Value::Floats(vec![1.0, 1.0]));
    }

    #[test]
    fn kinds_are_told_apart() {
        assert_ne!(Value::Int(1), Value::Bool(true));
        assert_ne!(Value::Int(1), Value::Element(1));
        assert_ne!(Value::Ints(vec![]), Value::Floats(vec![]));
    }

    #[test]
    fn hints_to_the_compiler_are_not_kept() {
        let mut attributes = Attributes::new();
        attributes.set("_exclude_engines", Value::Text("AiCore".into()));
        attributes.set("axis", Value::Int(1));
        assert_eq!(attributes.len(), 1);
        assert_eq!(attributes.get("axis"), Some(&Value::Int(1)));
    }
}
