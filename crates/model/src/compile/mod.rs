//! From an ONNX model and options to the file that programs load: what `millpond atc` does, and what programs ask
//! for that compile by themselves.

mod options;

use std::borrow::Cow;
use std::path::Path;

use crate::compiled::{self, About};
use crate::onnx::{self, Model};
use crate::shapes::{self, GearKind, Interface, Wishes};
use crate::{Element, Error, Format};

pub use options::{Options, known_name};

/// What was made.
#[derive(Debug)]
pub struct Compiled {
    /// The file.
    pub bytes: Vec<u8>,
    /// What the model takes.
    pub interface: Interface,
    /// What its graph says.
    pub model: Model,
}

/// Compiles a model. `path` is where the bytes came from, if they came from a file: only then can weights be found that
/// lie beside it. An [`Error::Argument`] is about the options, every other one about the bytes.
pub fn compile(
    mut bytes: Cow<'_, [u8]>,
    path: Option<&Path>,
    name: &str,
    options: &Options,
) -> Result<Compiled, Error> {
    // One name for every stage: a model may be large, and only the latest stage is needed.
    if let Some(cut) = select(&bytes, options)? {
        bytes = cut.into();
    }
    let mut source = onnx::read(&bytes)?;
    let wishes = wishes(&source, options)?;
    if !source.externals.is_empty() {
        bytes = onnx::inline_externals(&bytes, |external| match path {
            Some(path) => external.load(path),
            // Says why not.
            None => external.path(None).map(|_| Vec::new()),
        })?
        .into();
    }
    if let Some(retyped) = retype(&bytes, &source, options)? {
        bytes = retyped.into();
        source = onnx::read(&bytes)?;
    }
    let interface = Interface::with(&source, &wishes)?;

    let dims: Vec<(&str, Vec<i64>)> = interface
        .inputs
        .iter()
        .filter_map(|input| Some((input.name.as_str(), input.dims()?)))
        .collect();
    let dims: Vec<(&str, &[i64])> = dims.iter().map(|(name, dims)| (*name, &**dims)).collect();
    bytes = onnx::set_input_dims(&bytes, &dims)?.into();
    let model = onnx::read(&bytes)?;

    let about = About {
        name: name.to_owned(),
        soc_version: options.get("soc_version").map(str::to_owned),
    };
    let bytes = compiled::write_model(&about, &interface, &bytes)?;
    Ok(Compiled {
        bytes,
        interface,
        model,
    })
}

/// The model with the outputs that were asked for, if any were.
fn select(bytes: &[u8], options: &Options) -> Result<Option<Vec<u8>>, Error> {
    let Some(text) = options.get("out_nodes") else {
        return Ok(None);
    };
    let names = text.split(';').map(str::trim);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let selected = onnx::select_outputs(bytes, &names).map_err(|error| match error {
        Error::Argument(sentence) => Error::argument(format!("--out_nodes: {sentence}")),
        other => other,
    });
    selected.map(Some)
}

/// What the options ask of the shapes.
fn wishes(model: &Model, options: &Options) -> Result<Wishes, Error> {
    let format = options.get("input_format").map(|name| {
        Format::from_name(name)
            .filter(|format| !matches!(format, Format::Hwcn | Format::Nc | Format::Ncl))
            .ok_or_else(|| {
                Error::argument(format!(
                    "--input_format {name} is none of NCHW, NHWC, NCDHW, NDHWC and ND"
                ))
            })
    });
    let shapes = match (options.get("input_shape"), options.get("input_shape_range")) {
        (Some(_), Some(_)) => {
            return Err(Error::argument(
                "--input_shape and --input_shape_range do not go together: write ranges into --input_shape, \
                 for example x:1~8,3",
            ));
        }
        (Some(text), None) => shapes::parse_shapes(&with_scalars(text, model))?,
        (None, Some(text)) => shapes::parse_shape_ranges(text)?,
        (None, None) => Vec::new(),
    };
    let mut gears = None;
    for (kind, name) in [
        (GearKind::Batch, "dynamic_batch_size"),
        (GearKind::Image, "dynamic_image_size"),
        (GearKind::Dims, "dynamic_dims"),
    ] {
        let Some(text) = options.get(name) else {
            continue;
        };
        if let Some((first, _)) = gears {
            return Err(Error::argument(format!(
                "{} and --{name} do not go together: a model has one kind of gears",
                GearKind::option(first)
            )));
        }
        if options.get("input_shape_range").is_some() {
            return Err(Error::argument(format!(
                "--input_shape_range and --{name} do not go together: a model has ranges or gears"
            )));
        }
        gears = Some((kind, shapes::parse_gears(kind, text)?));
    }
    Ok(Wishes {
        shapes,
        gears,
        format: format.transpose()?,
    })
}

/// Some programs write an input without dimensions by its name alone. Only the model tells it from a name whose
/// dimensions were forgotten, or from one that has a colon in it.
fn with_scalars(text: &str, model: &Model) -> String {
    let is_input = |part: &str| model.inputs.iter().any(|port| port.name == part.trim());
    let parts = text.split(';');
    let written = parts.map(|part| {
        let more = if is_input(part) { ":" } else { "" };
        format!("{part}{more}")
    });
    written.collect::<Vec<_>>().join(";")
}

/// The model with the element types that were asked for at its edges, if any were.
fn retype(bytes: &[u8], model: &Model, options: &Options) -> Result<Option<Vec<u8>>, Error> {
    let names = options.get("input_fp16_nodes").unwrap_or_default();
    let names = names.split(';').map(str::trim);
    let names = names.filter(|name| !name.is_empty());
    let inputs: Vec<(&str, Element)> = names.map(|name| (name, Element::F16)).collect();
    let outputs = match options.get("output_type") {
        Some(types) => output_types(types, model)?,
        None => Vec::new(),
    };
    if inputs.is_empty() && outputs.is_empty() {
        return Ok(None);
    }
    onnx::set_elements(bytes, &inputs, &outputs).map(Some)
}

/// `FP16` for all outputs, or `y:FP16;z:0:FP32` for some; the number of an output of a node is passed over, because
/// outputs of an ONNX model have names of their own.
fn output_types<'m>(text: &'m str, model: &'m Model) -> Result<Vec<(&'m str, Element)>, Error> {
    let element = |name: &str| {
        let element = Element::from_name(name.trim());
        element.ok_or_else(|| {
            Error::argument(format!(
                "--output_type: '{name}' is no type; for example FP32, FP16, UINT8, INT8"
            ))
        })
    };
    if !text.contains(':') {
        let element = element(text)?;
        let outputs = model.outputs.iter();
        return Ok(outputs.map(|port| (port.name.as_str(), element)).collect());
    }
    let parts = text.split(';').filter(|part| !part.trim().is_empty());
    let read = |part: &'m str| {
        let (name, kind) = part.rsplit_once(':').unwrap_or(("", part));
        let name = name.trim();
        let is_output = |name: &str| model.outputs.iter().any(|port| port.name == name);
        let name = match name.rsplit_once(':') {
            Some((before, _)) if !is_output(name) => before,
            _ => name,
        };
        Ok((name, element(kind)?))
    };
    parts.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::{Dim, Graph};
    use crate::shapes::Input;
    use crate::{Opened, open};

    fn model() -> Vec<u8> {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Is(3)]);
        let scale = graph.input("a::scale", Element::F32, &[]);
        graph.output("y", &x, Element::F32, None);
        graph.output("z", &scale, Element::F32, None);
        graph.finish()
    }

    fn compiled(options: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
        let mut given = Options::default();
        for (name, value) in options {
            given.set(name, value)?;
        }
        compile(model().into(), None, "name", &given).map(|compiled| compiled.bytes)
    }

    #[test]
    fn the_file_has_the_name_and_the_shapes_that_were_asked_for() {
        let bytes = compiled(&[("input_shape", "x:8,3;a::scale")]).unwrap();
        let Opened::Model {
            name, interface, ..
        } = open(&bytes, None).unwrap()
        else {
            panic!("no model");
        };
        assert_eq!(name, "name");
        let dims: Vec<_> = interface.inputs.iter().map(Input::dims).collect();
        assert_eq!(dims, [Some(vec![8, 3]), Some(vec![])]);
    }

    #[test]
    fn wrong_options_are_told_from_wrong_bytes() {
        for options in [("input_shape", "x"), ("input_shape", "q:1"), ("inpt", "")] {
            let error = compiled(&[options]).unwrap_err();
            assert!(matches!(error, Error::Argument(_)), "{options:?}: {error}");
        }
        let error = compile(b"no".into(), None, "", &Options::default()).unwrap_err();
        assert!(!matches!(error, Error::Argument(_)), "{error}");
    }
}
