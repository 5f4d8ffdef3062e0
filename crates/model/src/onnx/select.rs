//! Other outputs for a model: values inside of it, by the name of the value or of the node that makes it.
//!
//! What the new outputs are not computed from goes: nodes behind them would still decide whether shapes depend on contents, and
//! weights would still take room. Inputs stay, because programs count them.

use std::collections::{HashMap, HashSet};

use super::message::{Bounds, Graph, Info, Node, Tensor};
use super::read::read;
use super::types::Types;
use super::wire::{Reader, Writer};
use crate::Error;

/// Gives a model these outputs, in this order. Each is the name of a value, `NODE:NUMBER` for an output of a node, or the name of
/// a node with one output.
pub fn select_outputs(bytes: &[u8], wanted: &[&str]) -> Result<Vec<u8>, Error> {
    // Says what is wrong with the file, and bounds what follows.
    read(bytes)?;
    let mut model = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 7 {
            let bytes = entry.run()?;
            let graph = Graph::read(bytes, &mut Bounds::new())?;
            let outputs = find(&graph, wanted)?;
            model.message(7, &cut(bytes, &graph, &outputs)?);
        } else {
            model.copy(&entry);
        }
    }
    Ok(model.finish())
}

/// The names of the values that are wanted.
fn find<'a>(graph: &Graph<'a>, wanted: &[&str]) -> Result<Vec<&'a str>, Error> {
    let mut found: Vec<&'a str> = Vec::new();
    for name in wanted {
        let value = value(graph, name)?;
        if found.contains(&value) {
            let shown = value.escape_debug();
            return Err(Error::argument(format!("'{shown}' appears twice")));
        }
        found.push(value);
    }
    Ok(found)
}

fn value<'a>(graph: &Graph<'a>, wanted: &str) -> Result<&'a str, Error> {
    let shown = wanted.escape_debug();
    let made = graph.nodes.iter().flat_map(|node| &node.outputs);
    if let Some(value) = made.copied().find(|value| *value == wanted) {
        return Ok(value);
    }
    if graph.inputs.iter().any(|input| input.name == wanted)
        || graph.constants.iter().any(|it| it.name == wanted)
    {
        return Err(Error::argument(format!(
            "'{shown}' is an input or a constant of the model; expected the output of a node"
        )));
    }
    let named = |name: &str| graph.nodes.iter().find(|node| node.name == name);
    let numbered = wanted.rsplit_once(':').and_then(|(name, number)| {
        let number: usize = number.trim().parse().ok()?;
        Some((named(name.trim())?, Some(number)))
    });
    let Some((node, number)) = numbered.or_else(|| Some((named(wanted)?, None))) else {
        return Err(Error::argument(format!(
            "the model has no node or value '{shown}'"
        )));
    };
    let (name, count) = (node.name.escape_debug(), node.outputs.len());
    match (number, &node.outputs[..]) {
        (None, [only]) => Ok(only),
        (None, _) => Err(Error::argument(format!(
            "node '{name}' has {count} outputs: write {name}:0 for the first one"
        ))),
        (Some(number), outputs) => match outputs.get(number) {
            Some(value) if !value.is_empty() => Ok(value),
            _ => Err(Error::argument(format!(
                "node '{name}' has {count} outputs, but '{shown}' is not one of them"
            ))),
        },
    }
}

/// The values that `outputs` are computed from, themselves among them.
fn needed<'a>(graph: &Graph<'a>, outputs: &[&'a str]) -> HashSet<&'a str> {
    let mut makers: HashMap<&str, &Node<'a>> = HashMap::new();
    for node in &graph.nodes {
        makers.extend(node.outputs.iter().map(|output| (*output, node)));
    }
    let mut needed: HashSet<&'a str> = outputs.iter().copied().collect();
    let mut open: Vec<&'a str> = outputs.to_vec();
    while let Some(name) = open.pop() {
        let Some(node) = makers.remove(name) else {
            continue;
        };
        let mut used = Vec::new();
        names(node, &mut used);
        open.extend(used.into_iter().filter(|name| needed.insert(name)));
    }
    needed
}

/// Everything that a node uses, also from within its graphs.
fn names<'a>(node: &Node<'a>, into: &mut Vec<&'a str>) {
    into.extend(node.inputs.iter().filter(|name| !name.is_empty()));
    for graph in &node.graphs {
        into.extend(graph.outputs.iter().map(|output| output.name));
        for node in &graph.nodes {
            names(node, into);
        }
    }
}

fn cut(bytes: &[u8], graph: &Graph<'_>, outputs: &[&str]) -> Result<Writer, Error> {
    let needed = needed(graph, outputs);
    let types = Types::of(graph, None);
    let bounds = &mut Bounds::new();
    let mut writer = Writer::default();
    let mut nodes = graph.nodes.iter();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        let stays = match entry.number {
            1 => {
                let node = nodes.next();
                node.is_some_and(|node| node.outputs.iter().any(|it| needed.contains(it)))
            }
            5 => needed.contains(Tensor::read(entry.run()?, bounds)?.name),
            12 => false,
            _ => true,
        };
        if stays {
            writer.copy(&entry);
        }
    }
    for name in outputs {
        writer.message(12, &output(graph, &types, name)?);
    }
    Ok(writer)
}

/// The description of an output: what the file notes of the value, or its element type alone.
fn output(graph: &Graph<'_>, types: &Types<'_, '_>, name: &str) -> Result<Writer, Error> {
    let mut info = Writer::default();
    info.text(1, name);
    let mut noted = graph.notes.iter().chain(&graph.outputs);
    if let Some(Info {
        kind: Some(kind), ..
    }) = noted.find(|info| info.name == name)
    {
        info.run(2, kind);
        return Ok(info);
    }
    let element = types.get(name).ok_or_else(|| {
        Error::unsupported(format!(
            "the file does not determine the element type of '{}': add it, for example with \
             onnx.shape_inference.infer_shapes",
            name.escape_debug()
        ))
    })?;
    let (mut tensor, mut kind) = <(Writer, Writer)>::default();
    tensor.int(1, element);
    kind.message(1, &tensor);
    info.message(2, &kind);
    Ok(info)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;
    use crate::onnx::{Dim, Graph as Build};

    fn model() -> Vec<u8> {
        let mut graph = Build::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Any]);
        let y = graph.node("Relu", &[&x], &[]);
        let mut body = graph.inner("body");
        let [_, go_on] = [Element::I64, Element::Bool].map(|element| body.inner_input(element));
        body.inner_output(&go_on, Element::Bool);
        body.inner_output(&y, Element::F32);
        let turns = graph.int(2);
        let absent = crate::onnx::Value::absent();
        let z = graph.node("Loop", &[&turns, &absent], &[("body", body.into())]);
        let shape = graph.node("Shape", &[&z], &[]);
        graph.output("s", &shape, Element::I64, Some(&[Dim::Is(2)]));
        graph.finish()
    }

    #[test]
    fn what_a_loop_uses_stays_and_what_is_behind_goes() {
        let cut = read(&select_outputs(&model(), &["Loop_2:0"]).unwrap()).unwrap();
        let operators: Vec<&str> = cut.operators.keys().map(String::as_str).collect();
        assert_eq!(operators, ["Identity", "Loop", "Relu"]);
        assert_eq!(cut.outputs[0].element, Element::F32);
        assert_eq!(cut.constants.len(), 1);

        let cut = read(&select_outputs(&model(), &["Relu_1"]).unwrap()).unwrap();
        assert_eq!(cut.operators.len(), 1);
        assert!(cut.constants.is_empty() && !cut.data_dependent);
        assert_eq!(cut.inputs.len(), 1);
    }

    #[test]
    fn an_output_keeps_what_is_noted_of_it() {
        let same = read(&select_outputs(&model(), &["s"]).unwrap()).unwrap();
        assert_eq!(same, read(&model()).unwrap());
    }

    #[test]
    fn what_is_not_there_is_said() {
        for name in ["", "q", "x", "Relu_1:1", "Relu_1:x", ":0"] {
            let error = select_outputs(&model(), &[name]).unwrap_err();
            assert!(matches!(error, Error::Argument(_)), "{name}: {error}");
        }
    }
}
