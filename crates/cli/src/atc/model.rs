//! Compiles a model: from the options and the ONNX file to the compiled file.

use std::fs;
use std::path::Path;

use millpond_model::compile::{self, Options};
use millpond_model::onnx::{Model, Port};
use millpond_model::shapes::{self, Interface};
use millpond_model::{Element, FileKind, classify};

use super::output;

pub(super) fn compile(path: &Path, options: &Options) -> Result<(), String> {
    check_framework(options.get("framework"))?;
    let target = options.get("output").ok_or("missing --output")?;
    let target = output::model_path(target);
    let name = target
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();

    let shown = path.display();
    let bytes = fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    match classify(&bytes) {
        FileKind::Onnx => {}
        FileKind::Compiled => return Err(format!("{shown} is already compiled")),
        other => return Err(refusal(path, &other)),
    }
    let compiled =
        compile::compile(bytes.into(), Some(path), &name, options).map_err(
            |error| match error {
                millpond_model::Error::Argument(message) => message,
                in_file => format!("{shown}: {in_file}"),
            },
        )?;
    output::write(&target, &compiled.bytes)?;
    println!(
        "wrote {} ({}): {}",
        target.display(),
        output::size(compiled.bytes.len() as u64),
        name.escape_debug()
    );
    report(&compiled.interface, &compiled.model);
    Ok(())
}

fn refusal(path: &Path, kind: &FileKind) -> String {
    match kind.refusal() {
        Some(error) => format!("{}: {error}", path.display()),
        None => format!("{} is not an ONNX model", path.display()),
    }
}

fn check_framework(framework: Option<&str>) -> Result<(), String> {
    let other = match framework {
        None | Some("5") => return Ok(()),
        Some("0") => "Caffe",
        Some("1") => "MindSpore",
        Some("3") => "TensorFlow",
        Some(number) => {
            return Err(format!("unsupported --framework {number}; use 5 (ONNX)"));
        }
    };
    Err(format!(
        "unsupported --framework {} ({other}); export the model as ONNX and use --framework 5",
        framework.unwrap_or_default()
    ))
}

/// Prints what was compiled, so that the user can check it.
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
            "selects the gear",
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
        println!(
            "  note     shapes depend on the contents of tensors: each run of this model waits for its stream"
        );
    } else if !names.is_empty() {
        println!(
            "  note     shapes may depend on the contents of {}",
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
