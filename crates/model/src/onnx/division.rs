//! Divisions of integers that give a number for every divisor.
//!
//! ONNX leaves open what an integer divided by 0 is. Engines fail there, or end the process, and so do some for the least
//! number divided by -1. Here, as in numpy, a quotient and a remainder by 0 are 0, and the least number divided by -1 wraps around to itself.
//!
//! A division whose divisor is not a harmless constant becomes several nodes. With `z` 1 where the divisor `b` is 0, and `m` 1 where
//! it is -1: the division is by `b + z + 2m`, which is 1 in both places, and the quotient is multiplied
//! by `1 - z - 2m`, which is 0 and -1 there. Sums and products rather than a choice, because old
//! sets of operators have no choice.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::message::{Bounds, Graph, Node, Tensor};
use super::read::{opset, standard};
use super::types::Types;
use super::wire::{Reader, Writer};
use crate::{Element, Error};

/// The first version of the standard operators that an engine runs, and in which divisions broadcast by themselves.
const OLDEST: i64 = 7;
/// The first version in which 64-bit integers without a sign can be compared.
const COMPARES_UNSIGNED: i64 = 11;
/// What the names of new values begin with, unless the file has such names already.
const PREFIX: &str = "guarded_division";

/// A model whose divisions of integers give a number for every divisor.
#[derive(Debug)]
pub struct Guarded<'a> {
    /// Its bytes, as they were if nothing had to change.
    pub bytes: Cow<'a, [u8]>,
    /// How many divisions stayed as they were because nothing says whether they are of integers: those in functions that the file
    /// defines, and of what operators outside the standard set give.
    pub unknown: usize,
}

/// Rewrites the divisions of integers in a model.
pub fn guard_divisions(bytes: &[u8]) -> Result<Guarded<'_>, Error> {
    let bounds = &mut Bounds::new();
    let (mut graph, mut functions, mut version) = (None, Vec::new(), 0);
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match entry.number {
            7 => graph = Some(Graph::read(entry.run()?, bounds)?),
            8 => {
                let (domain, found) = opset(entry.run()?)?;
                if domain.is_empty() {
                    version = found;
                }
            }
            25 => functions.push(Graph::function(entry.run()?, bounds)?),
            _ => {}
        }
    }
    let unchanged = |unknown| Guarded {
        bytes: Cow::Borrowed(bytes),
        unknown,
    };
    let Some(graph) = graph else {
        return Ok(unchanged(0));
    };
    let in_functions: usize = functions.iter().map(divisions).sum();
    if divisions(&graph) == 0 || version < OLDEST {
        return Ok(unchanged(in_functions));
    }
    let mut guard = Guard {
        version,
        prefix: prefix(&graph),
        made: 0,
        unknown: in_functions,
    };
    let mut model = Writer::default();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 7 {
            let around = &Scope::of(&graph, None);
            model.message(7, &guard.graph(entry.run()?, &graph, around)?);
        } else {
            model.copy(&entry);
        }
    }
    if guard.made == 0 {
        return Ok(unchanged(guard.unknown));
    }
    Ok(Guarded {
        bytes: Cow::Owned(model.finish()),
        unknown: guard.unknown,
    })
}

fn is_division(node: &Node<'_>) -> bool {
    standard(node.domain).is_empty() && matches!(node.op, "Div" | "Mod")
}

/// How many divisions there are, with those in nested graphs.
fn divisions(graph: &Graph<'_>) -> usize {
    let inside = |node: &Node<'_>| node.graphs.iter().map(divisions).sum::<usize>();
    let nodes = graph.nodes.iter();
    nodes
        .map(|node| usize::from(is_division(node)) + inside(node))
        .sum()
}

/// A beginning that no name in the file has.
fn prefix(graph: &Graph<'_>) -> String {
    fn names<'a>(graph: &Graph<'a>, into: &mut HashSet<&'a str>) {
        let infos = graph.inputs.iter().chain(&graph.outputs);
        into.extend(infos.map(|info| info.name));
        into.extend(graph.constants.iter().map(|constant| constant.name));
        for node in &graph.nodes {
            into.extend(node.outputs.iter().copied());
            for graph in &node.graphs {
                names(graph, into);
            }
        }
    }
    let mut taken = HashSet::new();
    names(graph, &mut taken);
    taken.retain(|name| name.starts_with(PREFIX));
    let mut prefix = PREFIX.to_owned();
    while taken.iter().any(|name| name.starts_with(&prefix)) {
        prefix.push('_');
    }
    prefix
}

/// What is known where a node stands.
struct Scope<'o, 'a> {
    types: Types<'o, 'a>,
    /// Values that are constants, if all of them are harmless divisors.
    harmless: HashMap<&'a str, bool>,
    outer: Option<&'o Scope<'o, 'a>>,
}

impl<'o, 'a> Scope<'o, 'a> {
    fn of(graph: &Graph<'a>, outer: Option<&'o Scope<'o, 'a>>) -> Self {
        let mut harmless = HashMap::new();
        for constant in &graph.constants {
            harmless.insert(constant.name, is_harmless(constant));
        }
        for node in &graph.nodes {
            let is_constant = node.op == "Constant" && standard(node.domain).is_empty();
            if let (true, Some(output)) = (is_constant, node.outputs.first()) {
                let tensor = node.tensors.first().is_some_and(is_harmless);
                let int = node
                    .int("value_int")
                    .is_some_and(|value| !matches!(value, 0 | -1));
                harmless.insert(output, tensor || int);
            }
        }
        Self {
            types: Types::of(graph, outer.map(|scope| &scope.types)),
            harmless,
            outer,
        }
    }

    fn is_harmless(&self, divisor: &str) -> bool {
        match (self.harmless.get(divisor), self.outer) {
            (Some(harmless), _) => *harmless,
            (None, Some(outer)) => outer.is_harmless(divisor),
            (None, None) => false,
        }
    }

    /// The type in which a node divides, if something says it.
    fn divides_in(&self, node: &Node<'_>) -> Option<Element> {
        let all = node.inputs.iter().chain(&node.outputs);
        let mut found = all.filter_map(|name| self.types.get(name));
        let first = found.next()?;
        found.all(|other| other == first).then_some(())?;
        Element::from_onnx(first)
    }
}

/// Whether no element is 0 or -1.
fn is_harmless(tensor: &Tensor<'_>) -> bool {
    let size = match Element::from_onnx(tensor.element) {
        Some(element) if !element.is_float() => element.bytes(),
        _ => return false,
    };
    tensor.raw.is_some_and(|raw| {
        let mut elements = raw.chunks_exact(size);
        elements.all(|it| it.iter().any(|byte| *byte != 0) && it.iter().any(|byte| *byte != 0xff))
    })
}

struct Guard {
    version: i64,
    prefix: String,
    made: usize,
    unknown: usize,
}

impl Guard {
    fn graph(
        &mut self,
        bytes: &[u8],
        graph: &Graph<'_>,
        scope: &Scope<'_, '_>,
    ) -> Result<Writer, Error> {
        let mut writer = Writer::default();
        let mut nodes = graph.nodes.iter();
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match (entry.number, nodes.as_slice().first()) {
                (1, Some(node)) => {
                    nodes.next();
                    self.node(entry.run()?, node, scope, &mut writer)?;
                }
                _ => {
                    writer.copy(&entry);
                }
            }
        }
        Ok(writer)
    }

    fn node(
        &mut self,
        bytes: &[u8],
        node: &Node<'_>,
        scope: &Scope<'_, '_>,
        writer: &mut Writer,
    ) -> Result<(), Error> {
        if !node.graphs.is_empty() {
            writer.message(1, &self.with_graphs(bytes, node, scope)?);
            return Ok(());
        }
        if is_division(node)
            && let ([top, bottom], [result]) = (&node.inputs[..], &node.outputs[..])
            && !scope.is_harmless(bottom)
        {
            match scope.divides_in(node) {
                None => self.unknown += 1,
                Some(element) => {
                    if self.division(node, [top, bottom, result], element, writer) {
                        return Ok(());
                    }
                }
            }
        }
        writer.run(1, bytes);
        Ok(())
    }

    /// A node whose attributes hold graphs.
    fn with_graphs(
        &mut self,
        bytes: &[u8],
        node: &Node<'_>,
        scope: &Scope<'_, '_>,
    ) -> Result<Writer, Error> {
        let mut writer = Writer::default();
        let mut graphs = node.graphs.iter();
        for entry in Reader::new(bytes) {
            let entry = entry?;
            if entry.number != 5 {
                writer.copy(&entry);
                continue;
            }
            let mut attribute = Writer::default();
            for entry in Reader::new(entry.run()?) {
                let entry = entry?;
                match (entry.number, graphs.as_slice().first()) {
                    (6 | 11, Some(graph)) => {
                        graphs.next();
                        let inner = Scope::of(graph, Some(scope));
                        let inner = self.graph(entry.run()?, graph, &inner)?;
                        attribute.message(entry.number, &inner)
                    }
                    _ => attribute.copy(&entry),
                };
            }
            writer.message(5, &attribute);
        }
        Ok(writer)
    }

    /// Writes a division with its guard; false if it needs none.
    fn division(
        &mut self,
        node: &Node<'_>,
        [top, bottom, result]: [&str; 3],
        element: Element,
        writer: &mut Writer,
    ) -> bool {
        let (computed, signed) = match element {
            Element::I8 | Element::I16 | Element::I32 => (Element::I32, true),
            Element::U8 | Element::U16 => (Element::I32, false),
            Element::I64 => (Element::I64, true),
            Element::U32 => (Element::I64, false),
            Element::U64 if self.version >= COMPARES_UNSIGNED => (Element::U64, false),
            _ => return false,
        };
        self.made += 1;
        let mut nodes = Nodes {
            writer,
            prefix: format!("{}_{}", self.prefix, self.made),
            made: 0,
            element: computed,
        };
        let [top, bottom] = [top, bottom].map(|operand| {
            if element == computed {
                operand.to_owned()
            } else {
                nodes.cast(operand, computed)
            }
        });
        // 1 where the divisor is 0, and 2 where it is -1.
        let zero = nodes.constant(0);
        let is_zero = nodes.node("Equal", &[&bottom, &zero]);
        let mut added = nodes.cast(&is_zero, computed);
        if signed {
            let minus_one = nodes.constant(-1);
            let is_minus_one = nodes.node("Equal", &[&bottom, &minus_one]);
            let one = nodes.cast(&is_minus_one, computed);
            let two = nodes.node("Add", &[&one, &one]);
            added = nodes.node("Add", &[&added, &two]);
        }
        let divisor = nodes.node("Add", &[&bottom, &added]);
        let made = if node.op == "Mod" && node.int("fmod").unwrap_or(0) == 0 {
            nodes.named("Mod", node.name, &[&top, &divisor])
        } else {
            let quotient = nodes.named("Div", node.name, &[&top, &divisor]);
            if node.op == "Mod" {
                // The engine's own goes through floating-point numbers, which hold 53 bits.
                let product = nodes.node("Mul", &[&quotient, &divisor]);
                nodes.node("Sub", &[&top, &product])
            } else {
                let one = nodes.constant(1);
                let factor = nodes.node("Sub", &[&one, &added]);
                nodes.node("Mul", &[&quotient, &factor])
            }
        };
        let mut last = Writer::default();
        last.text(1, &made).text(2, result);
        if element == computed {
            last.text(4, "Identity");
        } else {
            last.text(4, "Cast").message(5, &int("to", element));
        }
        nodes.writer.message(1, &last);
        true
    }
}

/// Nodes that are written one behind the other.
struct Nodes<'w> {
    writer: &'w mut Writer,
    prefix: String,
    made: usize,
    element: Element,
}

impl Nodes<'_> {
    fn write(
        &mut self,
        op: &str,
        name: &str,
        inputs: &[&str],
        attribute: Option<&Writer>,
    ) -> String {
        self.made += 1;
        let output = format!("{}_{}", self.prefix, self.made);
        let mut node = Writer::default();
        for input in inputs {
            node.text(1, input);
        }
        node.text(2, &output);
        node.text(3, if name.is_empty() { &output } else { name });
        node.text(4, op);
        if let Some(attribute) = attribute {
            node.message(5, attribute);
        }
        self.writer.message(1, &node);
        output
    }

    fn node(&mut self, op: &str, inputs: &[&str]) -> String {
        self.write(op, "", inputs, None)
    }

    /// The node that divides keeps the name that the file has for it.
    fn named(&mut self, op: &str, name: &str, inputs: &[&str]) -> String {
        self.write(op, name, inputs, None)
    }

    fn cast(&mut self, value: &str, to: Element) -> String {
        self.write("Cast", "", &[value], Some(&int("to", to)))
    }

    fn constant(&mut self, value: i64) -> String {
        let mut tensor = Writer::default();
        tensor.int(2, self.element.onnx().into());
        tensor.run(9, &value.to_le_bytes()[..self.element.bytes()]);
        let mut attribute = Writer::default();
        attribute.text(1, "value").message(5, &tensor).int(20, 4);
        self.write("Constant", "", &[], Some(&attribute))
    }
}

fn int(name: &str, element: Element) -> Writer {
    let mut attribute = Writer::default();
    attribute
        .text(1, name)
        .int(3, element.onnx().into())
        .int(20, 2);
    attribute
}

#[cfg(test)]
mod tests;
