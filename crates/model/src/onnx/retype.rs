//! Changes the element types of inputs and outputs by adding casts.
//!
//! An *edge* is an input or output of the model. It keeps its name, because programs use it. The value inside the
//! graph gets a new name, and a cast connects the two.

use std::collections::BTreeMap;

use super::read::{Model, Port, read};
use super::wire::{Reader, Writer};
use crate::{Element, Error};

/// Sets the element types of inputs and outputs, by name.
pub fn set_elements(
    bytes: &[u8],
    inputs: &[(&str, Element)],
    outputs: &[(&str, Element)],
) -> Result<Vec<u8>, Error> {
    let model = read(bytes)?;
    let plan = Plan {
        inputs: changes("input", &model.inputs, inputs)?,
        outputs: changes("output", &model.outputs, outputs)?,
    };
    plan.check(&model)?;
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 7 {
            writer.message(7, &plan.graph(entry.run()?)?);
        } else {
            writer.copy(&entry);
        }
    }
    Ok(writer.finish())
}

/// An edge that changes: the types inside the graph and outside.
struct Change {
    inside: String,
    element_inside: Element,
    element: Element,
}

type Changes<'a> = BTreeMap<&'a str, Change>;

fn changes<'a>(
    what: &str,
    ports: &'a [Port],
    wanted: &[(&str, Element)],
) -> Result<Changes<'a>, Error> {
    let mut changes = Changes::new();
    for (name, element) in wanted {
        let Some(port) = ports.iter().find(|port| port.name == *name) else {
            let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
            return Err(Error::argument(format!(
                "the model has no {what} '{}'; its {what}s are: {}",
                name.escape_debug(),
                names.join(", ").escape_debug()
            )));
        };
        if port.element != *element {
            let change = Change {
                inside: format!("{name}_as_{}", port.element.name()),
                element_inside: port.element,
                element: *element,
            };
            changes.insert(&port.name, change);
        }
    }
    Ok(changes)
}

struct Plan<'a> {
    inputs: Changes<'a>,
    outputs: Changes<'a>,
}

/// One input that the nodes of a graph know by another name.
pub(super) struct Renamed<'a>(Plan<'a>);

impl<'a> Renamed<'a> {
    pub(super) fn new(name: &'a str, inside: &str) -> Self {
        let change = Change {
            inside: inside.to_owned(),
            // Only the name matters.
            element_inside: Element::F32,
            element: Element::F32,
        };
        Self(Plan {
            inputs: Changes::from([(name, change)]),
            outputs: Changes::new(),
        })
    }

    /// A node with that name, also in the graphs of its attributes.
    pub(super) fn node(&self, bytes: &[u8]) -> Result<Writer, Error> {
        self.0.node(bytes)
    }
}

impl Plan<'_> {
    /// An output that no node produces has no value inside the graph.
    fn check(&self, model: &Model) -> Result<(), Error> {
        let inputs = model.inputs.iter().map(|input| &input.name);
        let constants = model.constants.iter().map(|constant| &constant.name);
        for name in inputs.chain(constants) {
            if self.outputs.contains_key(name.as_str()) {
                return Err(Error::argument(format!(
                    "output '{}' is an input or a constant of the model, so its type cannot be changed",
                    name.escape_debug()
                )));
            }
        }
        Ok(())
    }

    fn inside<'n>(&'n self, name: &'n str) -> &'n str {
        let change = self.inputs.get(name).or_else(|| self.outputs.get(name));
        change.map_or(name, |change| &change.inside)
    }

    fn graph(&self, bytes: &[u8]) -> Result<Writer, Error> {
        let mut writer = Writer::default();
        for (name, change) in &self.inputs {
            writer.message(1, &cast(name, &change.inside, change.element_inside));
        }
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 => writer.message(1, &self.node(entry.run()?)?),
                11 => writer.message(11, &edge(entry.run()?, &self.inputs)?),
                12 => writer.message(12, &edge(entry.run()?, &self.outputs)?),
                // The stored type of a changed edge no longer applies.
                13 if self.is_about_a_change(entry.run()?)? => &mut writer,
                _ => writer.copy(&entry),
            };
        }
        for (name, change) in &self.outputs {
            writer.message(1, &cast(&change.inside, name, change.element));
        }
        Ok(writer)
    }

    fn is_about_a_change(&self, info: &[u8]) -> Result<bool, Error> {
        for entry in Reader::new(info) {
            let entry = entry?;
            if entry.number == 1 {
                let name = entry.text()?;
                return Ok(self.inside(name) != name);
            }
        }
        Ok(false)
    }

    fn node(&self, bytes: &[u8]) -> Result<Writer, Error> {
        let mut writer = Writer::default();
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 | 2 => writer.text(entry.number, self.inside(entry.text()?)),
                5 => writer.message(5, &self.attribute(entry.run()?)?),
                _ => writer.copy(&entry),
            };
        }
        Ok(writer)
    }

    /// Graphs in attributes can use the values of the graph around them.
    fn attribute(&self, bytes: &[u8]) -> Result<Writer, Error> {
        let mut writer = Writer::default();
        for entry in Reader::new(bytes) {
            let entry = entry?;
            if !matches!(entry.number, 6 | 11) {
                writer.copy(&entry);
                continue;
            }
            let mut graph = Writer::default();
            for inner in Reader::new(entry.run()?) {
                let inner = inner?;
                match inner.number {
                    1 => graph.message(1, &self.node(inner.run()?)?),
                    _ => graph.copy(&inner),
                };
            }
            writer.message(entry.number, &graph);
        }
        Ok(writer)
    }
}

fn cast(from: &str, to: &str, element: Element) -> Writer {
    let (mut node, mut attribute) = <(Writer, Writer)>::default();
    attribute
        .text(1, "to")
        .int(3, element.onnx().into())
        .int(20, 2);
    node.text(1, from).text(2, to);
    node.text(3, &format!("cast_to_{to}")).text(4, "Cast");
    node.message(5, &attribute);
    node
}

/// An input or output with another element type.
fn edge(bytes: &[u8], changes: &Changes<'_>) -> Result<Writer, Error> {
    let info = super::message::Info::read(bytes, &mut super::message::Bounds::new())?;
    let change = changes.get(info.name);
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match (entry.number, change) {
            (2, Some(change)) => {
                let held = within(entry.run()?, &mut |tensor| {
                    let mut other = Writer::default();
                    for entry in Reader::new(tensor) {
                        let entry = entry?;
                        if entry.number != 1 {
                            other.copy(&entry);
                        }
                    }
                    other.int(1, change.element.onnx().into());
                    Ok(other)
                });
                writer.message(2, &held?)
            }
            _ => writer.copy(&entry),
        };
    }
    Ok(writer)
}

/// A message with its first field changed.
fn within(
    bytes: &[u8],
    change: &mut dyn FnMut(&[u8]) -> Result<Writer, Error>,
) -> Result<Writer, Error> {
    let mut writer = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 1 {
            writer.message(1, &change(entry.run()?)?);
        } else {
            writer.copy(&entry);
        }
    }
    Ok(writer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::{Dim, Graph};

    fn model() -> Vec<u8> {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Any]);
        let y = graph.node("Relu", &[&x], &[]);
        graph.output("y", &y, Element::F32, Some(&[Dim::Any]));
        graph.finish()
    }

    #[test]
    fn edges_change_and_keep_their_names() {
        let bytes = set_elements(&model(), &[("x", Element::F16)], &[("y", Element::U8)]).unwrap();
        let read = read(&bytes).unwrap();
        let ports = [&read.inputs[0], &read.outputs[0]];
        let ports = ports.map(|port| (port.name.as_str(), port.element, port.dims.clone()));
        assert_eq!(
            ports,
            [
                ("x", Element::F16, Some(vec![-1])),
                ("y", Element::U8, Some(vec![-1]))
            ]
        );
        assert_eq!(read.operators["Cast"], 2);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("x_as_float") && text.contains("y_as_float"));
    }

    #[test]
    fn what_is_so_already_stays_as_it_is() {
        let same = set_elements(&model(), &[("x", Element::F32)], &[]).unwrap();
        assert_eq!(same, model());
        let error = set_elements(&model(), &[], &[("z", Element::F16)]).unwrap_err();
        assert!(error.to_string().contains("outputs are: y"), "{error}");
    }
}
