//! Builds a graph from inputs, nodes, constants and outputs, and writes the bytes of a model.

use super::wire::Writer;
use crate::Element;

/// The version of ONNX's operator set that graphs built here use.
pub const OPSET: i64 = 20;
/// The matching version of the file format.
const IR_VERSION: i64 = 9;

/// A value between nodes, by name. The empty name is an omitted input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value(String);

impl Value {
    /// An omitted optional input.
    pub fn absent() -> Self {
        Self(String::new())
    }

    /// Its name in the graph.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// One dimension of an input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dim {
    /// Fixed.
    Is(i64),
    /// Any value.
    Any,
}

/// The value of a node's attribute.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Attribute {
    Int(i64),
    Float(f32),
    Text(String),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    /// The body of a loop; created with [`Graph::inner`].
    Graph(Graph),
}

macro_rules! attribute_from {
    ($($from:ty => $variant:ident),*) => {$(
        impl From<$from> for Attribute {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}
attribute_from!(i64 => Int, f32 => Float, &str => Text, Vec<i64> => Ints, &[i64] => Ints, Vec<f32> => Floats);

impl From<bool> for Attribute {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl From<Element> for Attribute {
    fn from(value: Element) -> Self {
        Self::Int(value.onnx().into())
    }
}

impl From<Graph> for Attribute {
    fn from(value: Graph) -> Self {
        Self::Graph(value)
    }
}

/// A graph under construction.
///
/// Nodes are named by operator and number, so that errors of the engine are readable.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    name: String,
    /// The prefix of generated names, so that names in a body differ from names in the graph around it.
    prefix: String,
    nodes: Vec<Writer>,
    inputs: Vec<Writer>,
    outputs: Vec<Writer>,
    constants: Vec<Writer>,
    values: usize,
}

impl Graph {
    /// An empty graph.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// An empty graph whose generated names have a prefix: its nodes go into another graph.
    pub(crate) fn named(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn nodes(&self) -> &[Writer] {
        &self.nodes
    }

    pub(super) fn inputs(&self) -> &[Writer] {
        &self.inputs
    }

    pub(super) fn constants(&self) -> &[Writer] {
        &self.constants
    }

    /// An empty graph for an attribute of a node in this graph: the body of a loop. It may use the values of this
    /// graph by name.
    #[must_use]
    pub fn inner(&mut self, name: &str) -> Self {
        let prefix = self.fresh(name).0;
        Self {
            name: prefix.clone(),
            prefix: prefix + "/",
            ..Self::default()
        }
    }

    fn fresh(&mut self, hint: &str) -> Value {
        self.values += 1;
        Value(format!("{}{hint}_{}", self.prefix, self.values))
    }

    /// An input of the whole graph.
    pub fn input(&mut self, name: &str, element: Element, dims: &[Dim]) -> Value {
        self.inputs.push(value_info(name, element, Some(dims)));
        Value(name.to_owned())
    }

    /// An input of a body; its dimensions follow from the inputs of the loop.
    pub fn inner_input(&mut self, element: Element) -> Value {
        let value = self.fresh("input");
        self.inputs.push(value_info(&value.0, element, None));
        value
    }

    /// An output of a body.
    pub fn inner_output(&mut self, value: &Value, element: Element) {
        let name = self.fresh("output").0;
        self.output(&name, value, element, None);
    }

    /// A node with one output.
    pub fn node(&mut self, op: &str, inputs: &[&Value], attributes: &[(&str, Attribute)]) -> Value {
        let mut outputs = self.node_with(op, inputs, attributes, 1);
        outputs.pop().unwrap_or_else(Value::absent)
    }

    /// A node with several outputs.
    pub fn node_with(
        &mut self,
        op: &str,
        inputs: &[&Value],
        attributes: &[(&str, Attribute)],
        outputs: usize,
    ) -> Vec<Value> {
        let outputs: Vec<Value> = (0..outputs).map(|_| self.fresh(op)).collect();
        let mut node = Writer::default();
        for input in inputs {
            node.text(1, &input.0);
        }
        for output in &outputs {
            node.text(2, &output.0);
        }
        node.text(3, &format!("{}{op}_{}", self.prefix, self.nodes.len() + 1));
        node.text(4, op);
        for (name, value) in attributes {
            node.message(5, &attribute(name, value));
        }
        self.nodes.push(node);
        outputs
    }

    /// A constant tensor; `data` contains its elements in native byte order.
    pub fn constant(&mut self, element: Element, dims: &[i64], data: &[u8]) -> Value {
        let value = self.fresh("constant");
        let mut tensor = Writer::default();
        for dim in dims {
            tensor.int(1, *dim);
        }
        tensor.int(2, element.onnx().into());
        tensor.text(8, &value.0);
        tensor.run(9, data);
        self.constants.push(tensor);
        value
    }

    /// A constant list of integers: axes, a shape, a permutation.
    pub fn ints(&mut self, values: &[i64]) -> Value {
        let data: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.constant(Element::I64, &[values.len().cast_signed() as i64], &data)
    }

    /// A constant integer scalar.
    pub fn int(&mut self, value: i64) -> Value {
        self.constant(Element::I64, &[], &value.to_le_bytes())
    }

    /// A constant 32-bit floating-point scalar.
    pub fn float(&mut self, value: f32) -> Value {
        self.constant(Element::F32, &[], &value.to_le_bytes())
    }

    /// Makes `value` an output of the graph. With `None`, even the number of dimensions is dynamic.
    pub fn output(&mut self, name: &str, value: &Value, element: Element, dims: Option<&[Dim]>) {
        // A separate name, so that an input can be an output too.
        let mut node = Writer::default();
        node.text(1, &value.0).text(2, name);
        node.text(3, &format!("output_{}", self.outputs.len()));
        node.text(4, "Identity");
        self.nodes.push(node);
        self.outputs.push(value_info(name, element, dims));
    }

    fn body(&self) -> Writer {
        let mut graph = Writer::default();
        for node in &self.nodes {
            graph.message(1, node);
        }
        graph.text(2, &self.name);
        for constant in &self.constants {
            graph.message(5, constant);
        }
        for input in &self.inputs {
            graph.message(11, input);
        }
        for output in &self.outputs {
            graph.message(12, output);
        }
        graph
    }

    /// The bytes of the model.
    pub fn finish(self) -> Vec<u8> {
        let mut opset = Writer::default();
        opset.text(1, "").int(2, OPSET);
        let mut model = Writer::default();
        model.int(1, IR_VERSION).text(2, "millpond");
        model.message(7, &self.body()).message(8, &opset);
        model.finish()
    }
}

fn attribute(name: &str, value: &Attribute) -> Writer {
    let mut attribute = Writer::default();
    attribute.text(1, name);
    match value {
        Attribute::Float(value) => attribute.float(2, *value).int(20, 1),
        Attribute::Int(value) => attribute.int(3, *value).int(20, 2),
        Attribute::Text(value) => attribute.text(4, value).int(20, 3),
        Attribute::Floats(values) => {
            for value in values {
                attribute.float(7, *value);
            }
            attribute.int(20, 6)
        }
        Attribute::Ints(values) => {
            for value in values {
                attribute.int(8, *value);
            }
            attribute.int(20, 7)
        }
        Attribute::Graph(graph) => attribute.message(6, &graph.body()).int(20, 5),
    };
    attribute
}

fn value_info(name: &str, element: Element, dims: Option<&[Dim]>) -> Writer {
    let mut tensor = Writer::default();
    tensor.int(1, element.onnx().into());
    if let Some(dims) = dims {
        let mut shape = Writer::default();
        for (index, dim) in dims.iter().enumerate() {
            let mut one = Writer::default();
            match dim {
                Dim::Is(value) => one.int(1, *value),
                Dim::Any => one.text(2, &format!("{name}_{index}")),
            };
            shape.message(1, &one);
        }
        tensor.message(2, &shape);
    }
    let mut kind = Writer::default();
    kind.message(1, &tensor);
    let mut info = Writer::default();
    info.text(1, name).message(2, &kind);
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a one-node graph, written by hand from the format specification.
    #[test]
    fn a_small_graph_has_the_bytes_that_the_format_says() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Is(2)]);
        let y = graph.node("Relu", &[&x], &[]);
        graph.output("y", &y, Element::F32, None);
        let bytes = graph.finish();
        assert_eq!(
            &bytes[..4],
            [0x08, 9, 0x12, 8],
            "ir_version, then the producer"
        );
        let text = String::from_utf8_lossy(&bytes);
        for word in ["Relu_1", "Identity", "output_0"] {
            assert!(text.contains(word), "{word}");
        }
        assert_eq!(&bytes[bytes.len() - 6..], [0x42, 4, 0x0a, 0, 0x10, 20]);
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let mut graph = Graph::new("g");
        let x = graph.input("x", Element::F32, &[Dim::Any]);
        let y = graph.node("Softmax", &[&x], &[("axis", (-1_i64).into())]);
        graph.output("y", &y, Element::F32, Some(&[Dim::Any]));
        let bytes = graph.finish();
        let minus_one = [0x18, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert!(bytes.windows(11).any(|window| window == minus_one));
    }
}
