//! A tensor of a single operator.

use serde_json::{Map, Value, json};

use crate::onnx::OPEN;
use crate::shapes::Span;
use crate::{Element, Error, Format};

/// As the only entry of a shape: the number of dimensions is dynamic too.
const UNKNOWN_RANK: i64 = -2;
/// Maximum number of dimensions in AscendCL's descriptions.
const MOST_DIMS: usize = 128;

/// An input or output in the description of an operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its element type; `None` for an omitted optional input.
    pub element: Option<Element>,
    /// The order of its dimensions.
    pub format: Format,
    /// The values that each dimension accepts; `None` if the number of dimensions is dynamic.
    pub spans: Option<Vec<Span>>,
    /// Its elements, if it is constant.
    pub constant: Option<Numbers>,
}

/// The elements of a constant.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Numbers {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Tensor {
    /// Its dimensions as shown in descriptions, [`OPEN`] for dynamic ones.
    pub fn dims(&self) -> Option<Vec<i64>> {
        let spans = self.spans.as_ref()?;
        Some(spans.iter().map(|span| span.dim()).collect())
    }

    pub(super) fn from_json(value: &Value) -> Result<Self, Error> {
        let object = value
            .as_object()
            .ok_or_else(|| Error::argument("expected an object with a \"type\""))?;
        let element = match object.get("type").and_then(Value::as_str) {
            Some(name) if name.eq_ignore_ascii_case("undefined") => None,
            Some(name) => Some(Element::from_name(name).ok_or_else(|| {
                Error::argument(format!(
                    "unknown type '{}'; use for example float16, float, int32, int64 or bool",
                    name.escape_debug()
                ))
            })?),
            None => return Err(Error::argument("\"type\" is missing")),
        };
        let format = match object.get("format").and_then(Value::as_str) {
            None => Format::Nd,
            Some(name) if name.eq_ignore_ascii_case("undefined") => Format::Nd,
            Some(name) => Format::from_name(name).ok_or_else(|| {
                Error::argument(format!(
                    "unsupported format '{}'; use NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, NC or NCL. Blocked formats \
                     exist only on NPUs",
                    name.escape_debug()
                ))
            })?,
        };
        let name = object.get("name").and_then(Value::as_str);
        let tensor = Self {
            name: name.filter(|name| !name.is_empty()).map(str::to_owned),
            element,
            format,
            spans: spans(object)?,
            constant: constant(object)?,
        };
        tensor.check_constant()?;
        Ok(tensor)
    }

    fn check_constant(&self) -> Result<(), Error> {
        let Some(constant) = &self.constant else {
            return Ok(());
        };
        let has = match constant {
            Numbers::Ints(list) => list.len(),
            Numbers::Floats(list) => list.len(),
        };
        let needs = self.dims().and_then(|dims| crate::onnx::count(&dims));
        if needs == Some(has as u64) {
            Ok(())
        } else {
            Err(Error::argument(format!(
                "\"const_value\" has {has} elements, which does not match the shape"
            )))
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let element = self.element.map_or("undefined", Element::name);
        let mut object = json!({ "type": element, "format": self.format.name() });
        object["shape"] = match self.dims() {
            Some(dims) => json!(dims),
            None => json!([UNKNOWN_RANK]),
        };
        let spans = self.spans.iter().flatten();
        let ranges = spans.filter(|span| span.fixed().is_none());
        let ranges: Vec<_> = ranges
            .map(|span| json!([span.least, span.most.unwrap_or(OPEN)]))
            .collect();
        if !ranges.is_empty() {
            object["shape_range"] = json!(ranges);
        }
        if let Some(name) = &self.name {
            object["name"] = json!(name);
        }
        match &self.constant {
            None => {}
            Some(Numbers::Ints(list)) => object["const_value"] = json!(list),
            Some(Numbers::Floats(list)) => object["const_value"] = json!(list),
        }
        object
    }

    pub(super) fn file_name_part(&self) -> String {
        const UNDEFINED: i32 = -1;
        let element = self.element.map_or(UNDEFINED, Element::acl);
        let dims = self.dims().unwrap_or_else(|| vec![UNKNOWN_RANK]);
        let dims: Vec<String> = dims.iter().map(|dim| format!("_{dim}")).collect();
        format!("_{element}_{}{}", self.format.acl(), dims.concat())
    }
}

fn ints(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

fn spans(object: &Map<String, Value>) -> Result<Option<Vec<Span>>, Error> {
    let dims = match object.get("shape") {
        None => Some(Vec::new()),
        Some(shape) => ints(shape),
    };
    let dims = dims.filter(|dims| dims.len() <= MOST_DIMS);
    let dims = dims.ok_or_else(|| Error::argument("\"shape\" must be a list of integers"))?;
    if dims == [UNKNOWN_RANK] {
        return Ok(None);
    }
    if let Some(dim) = dims.iter().find(|dim| **dim < OPEN) {
        return Err(Error::argument(format!(
            "\"shape\" has the dimension {dim}; expected a number from 0, or -1 for any value"
        )));
    }
    let mut spans: Vec<Span> = dims.iter().map(|dim| Span::of(*dim)).collect();
    let Some(ranges) = object.get("shape_range") else {
        return Ok(Some(spans));
    };
    let pair = |value: &Value| {
        let [least, most] = *ints(value)?.as_slice() else {
            return None;
        };
        let most = (most != OPEN).then_some(most);
        let fits = least >= 0 && most.is_none_or(|most| most >= least);
        fits.then_some(Span { least, most })
    };
    let ranges = ranges.as_array();
    let ranges = ranges.and_then(|list| list.iter().map(pair).collect::<Option<Vec<Span>>>());
    let ranges = ranges.ok_or_else(|| {
        Error::argument(
            "\"shape_range\" must be a list of [least, most]; -1 as most means no bound",
        )
    })?;
    // One range per dimension, or one per dynamic dimension: both occur.
    let mut open: Vec<&mut Span> = spans
        .iter_mut()
        .filter(|span| span.fixed().is_none())
        .collect();
    let fitting = if ranges.len() == dims.len() {
        let of_open = ranges.iter().zip(&dims).filter(|(_, dim)| **dim == OPEN);
        of_open.map(|(range, _)| *range).collect()
    } else {
        ranges
    };
    if fitting.len() != open.len() {
        return Err(Error::argument(format!(
            "\"shape_range\" has {} ranges, but \"shape\" contains -1 {} times",
            fitting.len(),
            open.len()
        )));
    }
    for (span, range) in open.iter_mut().zip(fitting) {
        **span = range;
    }
    Ok(Some(spans))
}

fn constant(object: &Map<String, Value>) -> Result<Option<Numbers>, Error> {
    let is_constant = object.get("is_const").and_then(Value::as_bool);
    let value = match (is_constant, object.get("const_value")) {
        (Some(false), _) | (None, None) => return Ok(None),
        (Some(true), None) => {
            return Err(Error::argument("\"is_const\" needs a \"const_value\""));
        }
        (_, Some(value)) => value,
    };
    // A single element may be written without a list.
    let listed = match value {
        Value::Array(_) => value.clone(),
        one => json!([one]),
    };
    if let Some(list) = ints(&listed) {
        return Ok(Some(Numbers::Ints(list)));
    }
    let floats = listed.as_array().into_iter().flatten().map(Value::as_f64);
    match floats.collect::<Option<Vec<f64>>>() {
        Some(list) => Ok(Some(Numbers::Floats(list))),
        None => Err(Error::argument("\"const_value\" must be a list of numbers")),
    }
}
