//! Models for requests, one JSON object per line: what `tests/rows.py` runs and compares with numpy.
//!
//! A line in: `{"kind", "inputs": [{"element", "dims", "format"?, "constant"?} | null], "outputs": [...],
//! "attributes": {name: {"ints": [...]}}}`. Elements are AscendCL's numbers, constants are hexadecimal. A line
//! out: `{"model", "inputs", "outputs", "asked", "data_dependent"}` or `{"refusal"}`. With `--known`, the names of all rows; with
//! `--described`, what each takes as well.

use millpond_model::onnx::guard_divisions;
use millpond_operators::{Attributes, Element, Request, Tensor, Value, build, described, known};
use serde_json::{Value as Json, json};
use std::io::{BufRead, Write};

fn ints(json: &Json) -> Vec<i64> {
    let list = json.as_array().into_iter().flatten();
    list.filter_map(Json::as_i64).collect()
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "attributes are 32-bit floats"
)]
fn float(json: &Json) -> f32 {
    // JSON has no infinities.
    let text = json.as_str().and_then(|text| text.parse().ok());
    text.or(json.as_f64()).unwrap_or_default() as f32
}

fn attribute(kind: &str, json: &Json) -> Option<Value> {
    let list = || json.as_array().into_iter().flatten();
    Some(match kind {
        "bool" => Value::Bool(json.as_bool()?),
        "int" => Value::Int(json.as_i64()?),
        "float" => Value::Float(float(json)),
        "text" => Value::Text(json.as_str()?.to_owned()),
        "type" => Value::Element(json.as_i64()?.try_into().ok()?),
        "ints" => Value::Ints(ints(json)),
        "floats" => Value::Floats(list().map(float).collect()),
        "lists" => Value::IntLists(list().map(ints).collect()),
        _ => return None,
    })
}

/// What a [`Tensor`] borrows from.
struct Owned {
    element: Element,
    dims: Vec<i64>,
    format: i32,
    constant: Option<Vec<u8>>,
}

fn tensor(json: &Json) -> Option<Owned> {
    let number = i32::try_from(json["element"].as_i64()?).ok()?;
    let constant = json["constant"].as_str().map(|text| {
        let digits = text.as_bytes().chunks_exact(2);
        let bytes =
            digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        bytes.collect()
    });
    Some(Owned {
        element: Element::from_acl(number)?,
        dims: ints(&json["dims"]),
        format: json["format"]
            .as_i64()
            .and_then(|it| it.try_into().ok())
            .unwrap_or(2),
        constant,
    })
}

fn lend(owned: &Owned) -> Tensor<'_> {
    Tensor {
        element: owned.element,
        dims: &owned.dims,
        format: owned.format,
        constant: owned.constant.as_deref(),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        text.extend(
            [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])),
        );
    }
    text
}

/// What the engine is given. A row says the types of everything that it divides.
fn guarded(model: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let guarded = guard_divisions(model)?;
    if guarded.unknown > 0 {
        return Err("a division of an unknown type".into());
    }
    Ok(guarded.bytes.into_owned())
}

fn answer(line: &str) -> Result<Json, Box<dyn std::error::Error>> {
    let json: Json = serde_json::from_str(line)?;
    let list = |name: &str| json[name].as_array().cloned().unwrap_or_default();
    let inputs: Vec<Option<Owned>> = list("inputs").iter().map(tensor).collect();
    let outputs: Vec<Owned> = list("outputs").iter().filter_map(tensor).collect();
    let mut attributes = Attributes::new();
    for (name, value) in json["attributes"].as_object().into_iter().flatten() {
        let (kind, value) = value
            .as_object()
            .and_then(|it| it.iter().next())
            .ok_or("no kind")?;
        attributes.set(name, attribute(kind, value).ok_or("an odd attribute")?);
    }
    let inputs: Vec<Option<Tensor>> = inputs.iter().map(|it| it.as_ref().map(lend)).collect();
    let outputs: Vec<Tensor> = outputs.iter().map(lend).collect();
    let built = build(&Request {
        kind: json["kind"].as_str().ok_or("no kind")?,
        inputs: &inputs,
        outputs: &outputs,
        attributes: &attributes,
    });
    Ok(match built {
        Err(refusal) => json!({ "refusal": refusal.to_string() }),
        Ok(built) => json!({
            "model": hexadecimal(&guarded(&built.model)?),
            "inputs": built.inputs,
            "outputs": built.outputs,
            "data_dependent": built.data_dependent,
            "asked": !built.asked.is_empty(),
        }),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    if std::env::args().any(|argument| argument == "--known") {
        for name in known() {
            writeln!(out, "{name}")?;
        }
        return Ok(());
    }
    if std::env::args().any(|argument| argument == "--described") {
        for (name, takes) in described() {
            writeln!(out, "{name}\t{takes}")?;
        }
        return Ok(());
    }
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&line?)?)?;
    }
    Ok(())
}
