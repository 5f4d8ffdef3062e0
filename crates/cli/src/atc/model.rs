//! A model: from the options and the ONNX file to the compiled one.

use std::fs;
use std::path::Path;

use millpond_model::compiled::{self, About};
use millpond_model::onnx::{self, Model, Port};
use millpond_model::shapes::{self, GearKind, Interface, Wishes};
use millpond_model::{Element, FileKind, Format, classify};

use super::options::Options;
use super::output;

pub(super) fn compile(path: &Path, options: &Options) -> Result<(), String> {
    check_framework(options.get("framework"))?;
    let target = options.get("output").ok_or("--output is missing")?;
    let wishes = wishes(options)?;

    let shown = path.display();
    // One name for every stage: a model may be large, and only the latest stage is needed.
    let mut bytes = fs::read(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let in_file = |error: millpond_model::Error| format!("{shown}: {error}");
    match classify(&bytes) {
        FileKind::Onnx => {}
        FileKind::Compiled => return Err(format!("{shown} is compiled already")),
        other => return Err(refusal(path, &other)),
    }
    let mut source = onnx::read(&bytes).map_err(in_file)?;
    if !source.externals.is_empty() {
        bytes = onnx::inline_externals(&bytes, |external| external.load(path)).map_err(in_file)?;
    }
    if let Some(retyped) = retype(&bytes, &source, options).map_err(in_file)? {
        bytes = retyped;
        source = onnx::read(&bytes).map_err(in_file)?;
    }
    let interface = Interface::with(&source, &wishes).map_err(|error| error.to_string())?;

    let dims: Vec<(&str, Vec<i64>)> = interface
        .inputs
        .iter()
        .filter_map(|input| Some((input.name.as_str(), input.dims()?)))
        .collect();
    let dims: Vec<(&str, &[i64])> = dims.iter().map(|(name, dims)| (*name, &**dims)).collect();
    bytes = onnx::set_input_dims(&bytes, &dims).map_err(in_file)?;
    let model = onnx::read(&bytes).map_err(in_file)?;

    let target = output::model_path(target);
    let about = About {
        name: target
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default(),
        soc_version: options.get("soc_version").map(str::to_owned),
    };
    let compiled = compiled::write_model(&about, &interface, &bytes).map_err(in_file)?;
    output::write(&target, &compiled)?;
    println!(
        "wrote {} ({}): {}",
        target.display(),
        output::size(compiled.len() as u64),
        about.name.escape_debug()
    );
    report(&interface, &model);
    Ok(())
}

fn refusal(path: &Path, kind: &FileKind) -> String {
    match kind.refusal() {
        Some(error) => format!("{}: {error}", path.display()),
        None => format!("{} is no ONNX model", path.display()),
    }
}

fn check_framework(framework: Option<&str>) -> Result<(), String> {
    let other = match framework {
        None | Some("5") => return Ok(()),
        Some("0") => "Caffe",
        Some("1") => "MindSpore",
        Some("3") => "TensorFlow",
        Some(number) => {
            return Err(format!(
                "--framework {number} is none that there is; ONNX is --framework 5"
            ));
        }
    };
    Err(format!(
        "--framework {} is {other}, which is not read here: export the model as ONNX and use --framework 5",
        framework.unwrap_or_default()
    ))
}

/// What the options ask of the shapes.
fn wishes(options: &Options) -> Result<Wishes, String> {
    let say = |error: millpond_model::Error| error.to_string();
    let format = options.get("input_format").map(|name| {
        Format::from_name(name)
            .filter(|format| !matches!(format, Format::Hwcn | Format::Nc | Format::Ncl))
            .ok_or_else(|| {
                format!("--input_format {name} is none of NCHW, NHWC, NCDHW, NDHWC and ND")
            })
    });
    let shapes = match (options.get("input_shape"), options.get("input_shape_range")) {
        (Some(_), Some(_)) => {
            return Err(
                "--input_shape and --input_shape_range do not go together: write ranges into --input_shape, \
                 for example x:1~8,3"
                    .to_owned(),
            );
        }
        (Some(text), None) => shapes::parse_shapes(text).map_err(say)?,
        (None, Some(text)) => shapes::parse_shape_ranges(text).map_err(say)?,
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
            return Err(format!(
                "{} and --{name} do not go together: a model has one kind of gears",
                GearKind::option(first)
            ));
        }
        if options.get("input_shape_range").is_some() {
            return Err(format!(
                "--input_shape_range and --{name} do not go together: a model has ranges or gears"
            ));
        }
        gears = Some((kind, shapes::parse_gears(kind, text).map_err(say)?));
    }
    Ok(Wishes {
        shapes,
        gears,
        format: format.transpose()?,
    })
}

/// The model with the element types that were asked for at its edges, if any were.
fn retype(
    bytes: &[u8],
    model: &Model,
    options: &Options,
) -> Result<Option<Vec<u8>>, millpond_model::Error> {
    let names = options.get("input_fp16_nodes").unwrap_or_default();
    let names = names.split(';').map(str::trim);
    let names = names.filter(|name| !name.is_empty());
    let inputs: Vec<(&str, Element)> = names.map(|name| (name, Element::F16)).collect();
    let outputs = match options.get("output_type") {
        Some(types) => output_types(types, model).map_err(millpond_model::Error::Argument)?,
        None => Vec::new(),
    };
    if inputs.is_empty() && outputs.is_empty() {
        return Ok(None);
    }
    onnx::set_elements(bytes, &inputs, &outputs).map(Some)
}

/// `FP16` for all outputs, or `y:FP16;z:0:FP32` for some; the number of an output of a node is passed over, because
/// outputs of an ONNX model have names of their own.
fn output_types<'m>(text: &'m str, model: &'m Model) -> Result<Vec<(&'m str, Element)>, String> {
    let element = |name: &str| {
        let element = Element::from_name(name.trim());
        element.ok_or_else(|| {
            format!("--output_type: '{name}' is no type; for example FP32, FP16, UINT8, INT8")
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

/// What was made, so that a person sees whether it is what they meant.
fn report(interface: &Interface, model: &Model) {
    let open = |dims: &Option<Vec<i64>>| match dims {
        Some(dims) => {
            let texts: Vec<String> = dims.iter().map(ToString::to_string).collect();
            texts.join(",")
        }
        None => "any shape".to_owned(),
    };
    for (index, input) in interface.inputs.iter().enumerate() {
        let spans = match &input.spans {
            Some(spans) => shapes::show(spans),
            None => "any shape".to_owned(),
        };
        line(
            "input",
            index,
            &input.name,
            input.element,
            &spans,
            input.format.name(),
        );
    }
    if let Some(extra) = interface.gear_input() {
        let index = interface.inputs.len();
        line(
            "input",
            index,
            &extra.name,
            extra.element,
            &open(&extra.dims()),
            "chooses a gear",
        );
    }
    for (
        index,
        Port {
            name,
            element,
            dims,
        },
    ) in model.outputs.iter().enumerate()
    {
        line("output", index, name, *element, &open(dims), "");
    }
    if let Some(gears) = &interface.gears {
        let texts: Vec<String> = gears
            .rows
            .iter()
            .map(|row| {
                let values: Vec<String> = row.iter().map(ToString::to_string).collect();
                values.join(",")
            })
            .collect();
        let option = gears.kind.option().trim_start_matches("--");
        println!("  gears    {option} {}", texts.join(";"));
    }
    println!("  weights  {}", output::size(model.weight_bytes));
    let names: Vec<String> = model
        .shape_inputs
        .iter()
        .map(|index| model.inputs[*index].name.escape_debug().to_string())
        .collect();
    if model.data_dependent {
        println!("  note     contents decide shapes in this model: its runs wait for the stream");
    } else if !names.is_empty() {
        println!(
            "  note     the contents of {} may decide shapes",
            names.join(", ")
        );
    }
}

fn line(what: &str, index: usize, name: &str, element: Element, shape: &str, more: &str) {
    let name = name.escape_debug();
    let shape = if shape.is_empty() { "scalar" } else { shape };
    let text = format!(
        "  {what:<6} {index} {name} {} {shape} {more}",
        element.name()
    );
    println!("{}", text.trim_end());
}
