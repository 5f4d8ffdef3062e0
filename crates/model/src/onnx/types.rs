//! The element types of the values in a graph, as far as the file and the standard operators say them.
//!
//! Most operators give what they take; the table has the others. A type that is not found is unknown, never guessed.

use std::collections::HashMap;

use super::message::{Graph, Node};
use super::read::{noted_element, standard};
use crate::Element;

const BOOL: i64 = Element::Bool as i64;
const F32: i64 = Element::F32 as i64;
const I32: i64 = Element::I32 as i64;
const I64: i64 = Element::I64 as i64;
const U8: i64 = Element::U8 as i64;

/// Files list nodes in the order of their use, so one pass finds everything; a few more serve those that do not.
const MOST_PASSES: usize = 4;

/// The types of a graph's values, by ONNX's numbers, and those of the graph around it.
pub(super) struct Types<'o, 'a> {
    known: HashMap<&'a str, i64>,
    outer: Option<&'o Types<'o, 'a>>,
}

impl<'o, 'a> Types<'o, 'a> {
    /// Looks at a graph; `outer` is the one whose node it belongs to.
    pub(super) fn of(graph: &Graph<'a>, outer: Option<&'o Types<'o, 'a>>) -> Self {
        let mut known = HashMap::new();
        for info in [&graph.inputs, &graph.outputs, &graph.notes]
            .into_iter()
            .flatten()
        {
            known.extend(noted_element(info).map(|element| (info.name, element)));
        }
        let constants = graph.constants.iter();
        known.extend(constants.map(|constant| (constant.name, constant.element)));
        let mut types = Self { known, outer };
        // Inside a node once is enough: the graph around it comes back.
        let passes = if outer.is_some() { 1 } else { MOST_PASSES };
        for _ in 0..passes {
            let before = types.known.len();
            for node in &graph.nodes {
                types.learn(node);
            }
            if types.known.len() == before {
                break;
            }
        }
        types
    }

    /// The type of a value.
    pub(super) fn get(&self, name: &str) -> Option<i64> {
        let own = self.known.get(name).copied();
        own.or_else(|| self.outer?.get(name))
    }

    fn learn(&mut self, node: &Node<'a>) {
        let is_open = |output: &&str| !output.is_empty() && !self.known.contains_key(*output);
        if !node.outputs.iter().any(is_open) {
            return;
        }
        // Once for all outputs: files may nest deeply.
        let body = self.body(node);
        for (index, output) in node.outputs.iter().enumerate() {
            if let Some(element) = self.output(node, index, &body) {
                self.known.entry(output).or_insert(element);
            }
        }
    }

    /// The type of a node's output; `body` has those of the graph inside it.
    fn output(&self, node: &Node<'a>, index: usize, body: &[Option<i64>]) -> Option<i64> {
        if !standard(node.domain).is_empty() {
            return None;
        }
        let operand = |index: usize| self.get(node.inputs.get(index)?);
        let tensor = || node.tensors.first().map(|tensor| tensor.element);
        match (node.op, index) {
            ("Cast" | "BitCast", _) => node.int("to"),
            ("CastLike" | "DequantizeLinear", _) => operand(1),
            ("Constant", _) => tensor().or_else(|| scalar_constant(node)),
            ("ConstantOfShape", _) => tensor().or(Some(F32)),
            ("EyeLike" | "Bernoulli" | "RandomNormalLike" | "RandomUniformLike", _) => {
                node.int("dtype").or_else(|| operand(0))
            }
            ("RandomNormal" | "RandomUniform" | "SequenceEmpty", _) => {
                node.int("dtype").or(Some(F32))
            }
            ("Multinomial", _) => node.int("dtype").or(Some(I32)),
            ("HannWindow" | "HammingWindow" | "BlackmanWindow" | "MelWeightMatrix", _) => {
                node.int("output_datatype").or(Some(F32))
            }
            (
                "Shape" | "Size" | "NonZero" | "ArgMax" | "ArgMin" | "NonMaxSuppression"
                | "SequenceLength",
                _,
            )
            | ("TopK" | "MaxPool" | "StringSplit", 1)
            | ("Unique", 1..) => Some(I64),
            (
                "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "And" | "Or"
                | "Xor" | "Not" | "IsNaN" | "IsInf" | "OptionalHasElement" | "RegexFullMatch",
                _,
            )
            | ("Dropout", 1) => Some(BOOL),
            ("Where", _) => operand(1).or_else(|| operand(2)),
            ("OneHot", _) => operand(2),
            ("QuantizeLinear", _) => operand(2).or_else(|| node.int("output_dtype")).or(Some(U8)),
            ("DynamicQuantizeLinear", 1) | ("TfIdfVectorizer", _) => Some(F32),
            ("DynamicQuantizeLinear" | "ImageDecoder", _) => Some(U8),
            ("ConvInteger" | "MatMulInteger", _) => Some(I32),
            ("QLinearConv" | "QLinearMatMul", _) => operand(7),
            // The first output of a loop's body is whether it goes on.
            ("Loop", index) => body.get(index + 1).copied().flatten(),
            ("If" | "Scan", index) => body.get(index).copied().flatten(),
            (_, _) if !node.graphs.is_empty() => None,
            ("Add" | "Sub" | "Mul" | "Div" | "Mod" | "Max" | "Min" | "Sum" | "Concat", _) => {
                (0..node.inputs.len()).find_map(operand)
            }
            _ => operand(0),
        }
    }

    /// The types of the outputs of the first graph in a node.
    fn body(&self, node: &Node<'a>) -> Vec<Option<i64>> {
        let Some(graph) = node.graphs.first() else {
            return Vec::new();
        };
        let inside = Types::of(graph, Some(self));
        let outputs = graph.outputs.iter();
        outputs.map(|output| inside.get(output.name)).collect()
    }
}

/// The type of a constant that is written as a number or a list of them.
fn scalar_constant(node: &Node<'_>) -> Option<i64> {
    match node.attributes.first()?.0 {
        "value_int" | "value_ints" => Some(I64),
        "value_float" | "value_floats" => Some(F32),
        _ => None,
    }
}
