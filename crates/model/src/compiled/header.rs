//! The header of a compiled file, as readable JSON.

use serde_json::{Value, json};

use super::About;
use crate::aipp::Aipp;
use crate::onnx::{Model, OPEN};
use crate::shapes::{GearKind, Gears, Input, Interface, Slot, Span};
use crate::singleop::Operator;
use crate::{Element, Error, Format};

/// The contents of a header.
pub(super) enum Kind {
    Model(Draft),
    Operator(Operator),
}

/// An input in a header: its name, format and shape, and its preprocessing.
type Described = (String, Format, Option<Vec<Span>>, Option<Box<Aipp>>);

/// The interface in a header: without what the graph already contains.
pub(super) struct Draft {
    inputs: Vec<Described>,
    gears: Option<Gears>,
}

impl Draft {
    pub(super) fn complete(self, model: &Model) -> Result<Interface, Error> {
        if self.inputs.len() != model.inputs.len() {
            return Err(wrong("inputs"));
        }
        let both = self.inputs.into_iter().zip(&model.inputs);
        let inputs = both.map(|((name, format, spans, aipp), port)| Input {
            name,
            element: port.element,
            format,
            spans,
            aipp,
        });
        Ok(Interface {
            inputs: inputs.collect(),
            gears: self.gears,
        })
    }
}

fn common(about: &About, kind: &str) -> Value {
    json!({
        "kind": kind,
        "name": about.name,
        "soc_version": about.soc_version,
        "made_by": concat!("millpond ", env!("CARGO_PKG_VERSION")),
    })
}

pub(super) fn of_operator(about: &About, operator: &Operator) -> String {
    let mut header = common(about, "operator");
    header["operator"] = operator.to_json();
    header.to_string()
}

pub(super) fn of_model(about: &About, interface: &Interface) -> String {
    let span = |span: &Span| json!([span.least, span.most.unwrap_or(OPEN)]);
    let inputs = interface.inputs.iter().map(|input| {
        let spans = input.spans.as_ref();
        let spans = spans.map(|spans| spans.iter().map(span).collect::<Vec<_>>());
        let mut described =
            json!({ "name": input.name, "format": input.format.name(), "dims": spans });
        if let Some(aipp) = &input.aipp {
            let [channels, rows, columns] = aipp.result;
            let sizes = [aipp.width, aipp.height, channels, rows, columns];
            described["aipp"] =
                json!({ "fields": aipp.fields, "sizes": sizes, "element": aipp.element.name() });
        }
        described
    });
    let mut header = common(about, "model");
    header["inputs"] = inputs.collect();
    if let Some(gears) = &interface.gears {
        let slots = gears.slots.iter();
        let slots = slots.map(|slot| json!([slot.input, slot.dim, slot.value]));
        header["gears"] = json!({
            "kind": gears.kind.name(),
            "rows": gears.rows,
            "slots": slots.collect::<Vec<_>>(),
        });
    }
    header.to_string()
}

fn wrong(key: &str) -> Error {
    Error::damaged(format!(
        "the header of the compiled model has no valid '{key}'"
    ))
}

fn list<T>(value: &Value, one: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(one).collect()
}

pub(super) fn parse(bytes: &[u8]) -> Result<(About, Kind), Error> {
    let header: Value = serde_json::from_slice(bytes).map_err(|error| {
        Error::damaged(format!(
            "the header of the compiled model is not JSON: {error}"
        ))
    })?;
    let text = |key: &str| header[key].as_str().map(str::to_owned);
    let about = About {
        name: text("name").ok_or_else(|| wrong("name"))?,
        soc_version: text("soc_version"),
    };
    let kind = match header["kind"].as_str() {
        Some("operator") => Kind::Operator(Operator::from_json(&header["operator"])?),
        Some("model") => Kind::Model(Draft {
            inputs: list(&header["inputs"], input).ok_or_else(|| wrong("inputs"))?,
            gears: match &header["gears"] {
                Value::Null => None,
                value => Some(gears(value).ok_or_else(|| wrong("gears"))?),
            },
        }),
        _ => return Err(wrong("kind")),
    };
    Ok((about, kind))
}

fn input(value: &Value) -> Option<Described> {
    let spans = match &value["dims"] {
        Value::Null => None,
        dims => Some(list(dims, span)?),
    };
    let name = value["name"].as_str()?.to_owned();
    let aipp = match &value["aipp"] {
        Value::Null => None,
        aipp => Some(Box::new(preprocessing(aipp)?)),
    };
    let format = Format::from_name(value["format"].as_str()?)?;
    Some((name, format, spans, aipp))
}

fn preprocessing(value: &Value) -> Option<Aipp> {
    let fields = value["fields"].as_object()?.iter();
    let fields = fields.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let sizes = list(&value["sizes"], Value::as_i64)?;
    let element = Element::from_name(value["element"].as_str()?)?;
    Aipp::restore(
        &fields.collect::<Option<_>>()?,
        sizes.try_into().ok()?,
        element,
    )
    .ok()
}

fn span(value: &Value) -> Option<Span> {
    let [least, most] = *list(value, Value::as_i64)?.as_slice() else {
        return None;
    };
    let most = (most != OPEN).then_some(most);
    let fits = least >= 0 && most.is_none_or(|most| most >= least);
    fits.then_some(Span { least, most })
}

fn gears(value: &Value) -> Option<Gears> {
    let index = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let slot = |value: &Value| {
        let [input, dim, value] = *list(value, index)?.as_slice() else {
            return None;
        };
        Some(Slot { input, dim, value })
    };
    Some(Gears {
        kind: GearKind::from_name(value["kind"].as_str()?)?,
        rows: list(&value["rows"], |row| list(row, Value::as_i64))?,
        slots: list(&value["slots"], slot)?,
    })
}
