//! Compiles an ONNX model with options into the file that programs load: for `millpond atc`, and for programs that
//! compile models themselves.

mod options;

use std::borrow::Cow;
use std::path::Path;

use crate::aipp::{self, Aipp};
use crate::compiled::{self, About};
use crate::onnx::{self, Model};
use crate::shapes::{self, GearKind, Interface, Span, Wishes};
use crate::{Element, Error, Format};

pub use options::{Options, known_name};

/// The result of a compilation.
#[derive(Debug)]
pub struct Compiled {
    /// The file.
    pub bytes: Vec<u8>,
    /// The inputs of the model.
    pub interface: Interface,
    /// The description of its graph.
    pub model: Model,
}

/// Compiles a model. `path` is the file that the bytes came from, if any; external weights are found only with it. An
/// [`Error::Argument`] is about the options, every other error about the bytes.
pub fn compile(
    mut bytes: Cow<'_, [u8]>,
    path: Option<&Path>,
    name: &str,
    options: &Options,
) -> Result<Compiled, Error> {
    // One variable for every stage: a model may be large, and only the latest stage is needed.
    if let Some(cut) = select(&bytes, options)? {
        bytes = cut.into();
    }
    let mut source = onnx::read(&bytes)?;
    let wishes = wishes(&source, options)?;
    if !source.externals.is_empty() {
        bytes = onnx::inline_externals(&bytes, |external| match path {
            Some(path) => external.load(path),
            // Returns the reason.
            None => external.path(None).map(|_| Vec::new()),
        })?
        .into();
    }
    if let Some(retyped) = retype(&bytes, &source, options)? {
        bytes = retyped.into();
        source = onnx::read(&bytes)?;
    }
    let mut interface = Interface::with(&source, &wishes)?;

    let dims: Vec<(&str, Vec<i64>)> = interface
        .inputs
        .iter()
        .filter_map(|input| Some((input.name.as_str(), input.dims()?)))
        .collect();
    let dims: Vec<(&str, &[i64])> = dims.iter().map(|(name, dims)| (*name, &**dims)).collect();
    bytes = onnx::set_input_dims(&bytes, &dims)?.into();
    let mut model = onnx::read(&bytes)?;
    for aipp in preprocessing(options, &interface)? {
        bytes = preprocess(&bytes, &model, &mut interface, aipp)?.into();
        model = onnx::read(&bytes)?;
    }

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

/// The preprocessing that the options request.
fn preprocessing(options: &Options, interface: &Interface) -> Result<Vec<Aipp>, Error> {
    let Some(path) = options.get("insert_op_conf") else {
        return Ok(Vec::new());
    };
    let refuse = |sentence: String| Err(Error::argument(format!("--insert_op_conf: {sentence}")));
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return refuse(format!("cannot read {}: {error}", path.escape_debug())),
    };
    if let Some(gears) = &interface.gears
        && gears.kind != GearKind::Batch
    {
        let option = gears.kind.option();
        return refuse(format!(
            "it cannot be combined with {option}, only with --dynamic_batch_size"
        ));
    }
    if options
        .get("input_format")
        .is_some_and(|format| !matches!(format, "NCHW" | "ND"))
    {
        return refuse("an ONNX model with AIPP has --input_format NCHW".to_owned());
    }
    aipp::read(&text)
}

/// The model with the preprocessing of one input, which becomes an image of bytes.
fn preprocess(
    bytes: &[u8],
    model: &Model,
    interface: &mut Interface,
    mut aipp: Aipp,
) -> Result<Vec<u8>, Error> {
    let (bytes, dims) = aipp::insert(bytes, model, &mut aipp)?;
    if let Some(input) = interface.inputs.get_mut(aipp.input) {
        let batch = input
            .spans
            .as_ref()
            .and_then(|spans| spans.first().copied());
        let image = dims[1..].iter().map(|dim| Span::of(*dim));
        input.spans = Some(batch.into_iter().chain(image).collect());
        input.element = Element::U8;
        input.format = Format::Nhwc;
        input.aipp = Some(Box::new(aipp));
    }
    Ok(bytes)
}

/// The model with the outputs that the options name, if they name any.
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

/// The shapes that the options request.
fn wishes(model: &Model, options: &Options) -> Result<Wishes, Error> {
    let format = options.get("input_format").map(|name| {
        Format::from_name(name)
            .filter(|format| !matches!(format, Format::Hwcn | Format::Nc | Format::Ncl))
            .ok_or_else(|| {
                Error::argument(format!(
                    "invalid --input_format {name}: expected NCHW, NHWC, NCDHW, NDHWC or ND"
                ))
            })
    });
    let shapes = match (options.get("input_shape"), options.get("input_shape_range")) {
        (Some(_), Some(_)) => {
            return Err(Error::argument(
                "--input_shape and --input_shape_range cannot be used together: write ranges in --input_shape, \
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
                "{} and --{name} cannot be used together: a model has one kind of gears",
                GearKind::option(first)
            )));
        }
        if options.get("input_shape_range").is_some() {
            return Err(Error::argument(format!(
                "--input_shape_range and --{name} cannot be used together: a model has ranges or gears"
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

/// Some programs write a scalar input as its name alone. Only the model can distinguish this from a name with missing
/// dimensions, or with a colon in it.
fn with_scalars(text: &str, model: &Model) -> String {
    let is_input = |part: &str| model.inputs.iter().any(|port| port.name == part.trim());
    let parts = text.split(';');
    let written = parts.map(|part| {
        let more = if is_input(part) { ":" } else { "" };
        format!("{part}{more}")
    });
    written.collect::<Vec<_>>().join(";")
}

/// The model with the requested element types of inputs and outputs, if any.
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

/// `FP16` for all outputs, or `y:FP16;z:0:FP32` for some. The output number of a node is ignored, because outputs of an
/// ONNX model have their own names.
fn output_types<'m>(text: &'m str, model: &'m Model) -> Result<Vec<(&'m str, Element)>, Error> {
    let element = |name: &str| {
        let element = Element::from_name(name.trim());
        element.ok_or_else(|| {
            Error::argument(format!(
                "--output_type: unknown type '{name}'; use for example FP32, FP16, UINT8 or INT8"
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
    fn wrong_options_are_distinguished_from_wrong_bytes() {
        for options in [("input_shape", "x"), ("input_shape", "q:1"), ("inpt", "")] {
            let error = compiled(&[options]).unwrap_err();
            assert!(matches!(error, Error::Argument(_)), "{options:?}: {error}");
        }
        let error = compile(b"no".into(), None, "", &Options::default()).unwrap_err();
        assert!(!matches!(error, Error::Argument(_)), "{error}");
    }
}
