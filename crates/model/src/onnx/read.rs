//! Reads the description of an ONNX file: inputs, outputs, weights, operators, and what determines its shapes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::dependence;
use super::external::External;
use super::message::{Bounds, Graph, Info, Tensor};
use super::wire::Reader;
use crate::{Element, Error};

/// A dynamic dimension.
pub const OPEN: i64 = -1;
/// Maximum number of dimensions in AscendCL's descriptions.
const MOST_DIMS: usize = 128;

/// The description of a model in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The version of the file format.
    pub ir_version: i64,
    /// The program that wrote the file, if stored.
    pub producer: String,
    /// The name of the graph.
    pub name: String,
    /// Operator sets and their versions. The standard set has the empty name.
    pub opsets: Vec<(String, i64)>,
    /// The inputs that a caller passes: without constants that are listed as inputs.
    pub inputs: Vec<Port>,
    /// The outputs.
    pub outputs: Vec<Port>,
    /// The graph's named constants.
    pub constants: Vec<Constant>,
    /// Bytes of all constants, including those in nodes and nested graphs.
    pub weight_bytes: u64,
    /// External constants, wherever they are used.
    pub externals: Vec<External>,
    /// How often each operator is used, including nested graphs and functions. Operators outside of the standard
    /// set are named `set::Operator`.
    pub operators: BTreeMap<String, usize>,
    /// Whether shapes in the graph depend on contents, and not only on input shapes: operators such as `NonZero`,
    /// branches and loops.
    pub data_dependent: bool,
    /// Indices of the inputs whose contents may determine a shape, directly or through other nodes. May contain too
    /// many, never too few.
    pub shape_inputs: Vec<usize>,
    /// Indices of the inputs of which at most the shape is used. May contain too few, never too many.
    pub unread_inputs: Vec<usize>,
}

/// An input or output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub element: Element,
    /// Its dimensions, [`OPEN`] for dynamic ones; `None` if their number is dynamic too.
    pub dims: Option<Vec<i64>>,
}

impl Port {
    /// Its size in bytes, if its shape is fixed and the size fits.
    pub fn bytes(&self) -> Option<u64> {
        count(self.dims.as_deref()?)?.checked_mul(self.element.bytes() as u64)
    }
}

/// A named constant of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its element type; `None` for types that AscendCL does not have.
    pub element: Option<Element>,
    /// Its dimensions.
    pub dims: Vec<i64>,
    /// Its bytes.
    pub bytes: u64,
}

/// The number of elements of a shape; `None` if a dimension is dynamic or the number overflows.
pub(crate) fn count(dims: &[i64]) -> Option<u64> {
    dims.iter().try_fold(1_u64, |product, dim| {
        product.checked_mul(u64::try_from(*dim).ok()?)
    })
}

/// Reads the bytes of a model. Its weights are not copied.
pub fn read(bytes: &[u8]) -> Result<Model, Error> {
    let bounds = &mut Bounds::new();
    let (mut ir_version, mut producer) = (0, String::new());
    let (mut opsets, mut graph, mut functions) = (Vec::new(), None, Vec::new());
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match entry.number {
            1 => ir_version = entry.int()?,
            2 => entry.text()?.clone_into(&mut producer),
            7 if graph.is_some() => {
                return Err(Error::damaged(
                    "the ONNX file is damaged: it has two graphs",
                ));
            }
            7 => graph = Some(Graph::read(entry.run()?, bounds)?),
            8 => opsets.push(opset(entry.run()?)?),
            25 => functions.push(Graph::function(entry.run()?, bounds)?),
            _ => {}
        }
    }
    let graph =
        graph.ok_or_else(|| Error::damaged("this is not an ONNX model: it has no graph"))?;
    if opsets.is_empty() {
        return Err(Error::damaged(
            "the ONNX file is truncated or damaged: it does not state the version of its operators",
        ));
    }

    let mut census = Census::default();
    census.graph(&graph)?;
    for function in &functions {
        census.graph(function)?;
    }
    let constants = graph.constants.iter().map(constant);
    let constants = constants.collect::<Result<Vec<_>, _>>()?;
    let given: HashSet<&str> = graph.constants.iter().map(|tensor| tensor.name).collect();
    let inputs = graph.inputs.iter();
    let inputs = inputs.filter(|info| !given.contains(info.name));
    let inputs = ports("input", inputs)?;
    let outputs = ports("output", graph.outputs.iter())?;
    if outputs.is_empty() {
        return Err(Error::damaged("the ONNX model has no outputs"));
    }
    let decided = dependence::find(&graph, &functions);
    let shape_inputs = inputs.iter().enumerate();
    let shape_inputs =
        shape_inputs.filter(|(_, input)| decided.by_contents_of.contains(input.name.as_str()));
    let shape_inputs = shape_inputs.map(|(index, _)| index).collect();
    let unread_inputs = inputs.iter().enumerate();
    let unread_inputs =
        unread_inputs.filter(|(_, input)| !decided.computed_from.contains(input.name.as_str()));
    let unread_inputs = unread_inputs.map(|(index, _)| index).collect();

    Ok(Model {
        ir_version,
        producer,
        name: graph.name.to_owned(),
        opsets,
        inputs,
        outputs,
        constants,
        weight_bytes: census.weight_bytes,
        externals: census.externals,
        operators: census.operators,
        data_dependent: decided.data_dependent,
        shape_inputs,
        unread_inputs,
    })
}

/// Whether these may be the bytes of a model: fields of the right types, including a graph. Their contents are not
/// read.
pub(crate) fn looks_like_a_model(bytes: &[u8]) -> bool {
    let mut has_graph = false;
    for entry in Reader::new(bytes) {
        match entry {
            Ok(entry) if entry.number == 7 => has_graph |= entry.run().is_ok(),
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    has_graph
}

pub(super) fn opset(bytes: &[u8]) -> Result<(String, i64), Error> {
    let (mut domain, mut version) = ("", 0);
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match entry.number {
            1 => domain = entry.text()?,
            2 => version = entry.int()?,
            _ => {}
        }
    }
    Ok((standard(domain).to_owned(), version))
}

/// The name of an operator set: the standard set has two names.
pub(super) fn standard(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

/// Counts over all graphs of a file.
#[derive(Default)]
struct Census {
    weight_bytes: u64,
    externals: Vec<External>,
    operators: BTreeMap<String, usize>,
}

impl Census {
    fn graph(&mut self, graph: &Graph<'_>) -> Result<(), Error> {
        for tensor in &graph.constants {
            self.tensor(tensor)?;
        }
        for node in &graph.nodes {
            let name = match standard(node.domain) {
                "" => node.op.to_owned(),
                domain => format!("{domain}::{}", node.op),
            };
            *self.operators.entry(name).or_default() += 1;
            for tensor in &node.tensors {
                self.tensor(tensor)?;
            }
            for graph in &node.graphs {
                self.graph(graph)?;
            }
        }
        Ok(())
    }

    fn tensor(&mut self, tensor: &Tensor<'_>) -> Result<(), Error> {
        let bytes = constant(tensor)?.bytes;
        self.weight_bytes = self.weight_bytes.saturating_add(bytes);
        if tensor.is_beside {
            self.externals.push(External::read(tensor, bytes)?);
        }
        Ok(())
    }
}

pub(super) fn constant(tensor: &Tensor<'_>) -> Result<Constant, Error> {
    let element = Element::from_onnx(tensor.element);
    let name = tensor.name;
    let counted = count(&tensor.dims).ok_or_else(|| {
        Error::damaged(format!(
            "the ONNX file is damaged: the shape of constant '{}' is {:?}",
            name.escape_debug(),
            tensor.dims
        ))
    })?;
    let held = tensor.raw.map_or(tensor.other_data, <[u8]>::len) as u64;
    let bytes = match element {
        Some(element) => counted.checked_mul(element.bytes() as u64),
        None => Some(held),
    };
    let bytes = bytes.filter(|bytes| {
        let fits = tensor.raw.is_none_or(|raw| raw.len() as u64 == *bytes);
        // Elements stored one by one take at least one byte each.
        let there = tensor.raw.is_some() || tensor.is_beside || element.is_none();
        let spread = |element: Element| match element {
            Element::C64 | Element::C128 => counted.saturating_mul(2),
            _ => counted,
        };
        fits && (there || element.is_some_and(|element| spread(element) <= held))
    });
    let bytes = bytes.ok_or_else(|| {
        Error::damaged(format!(
            "the ONNX file is damaged: constant '{}' has the shape {:?} but holds {held} bytes",
            name.escape_debug(),
            tensor.dims
        ))
    })?;
    Ok(Constant {
        name: name.to_owned(),
        element,
        dims: tensor.dims.clone(),
        bytes,
    })
}

fn ports<'a>(what: &str, infos: impl Iterator<Item = &'a Info<'a>>) -> Result<Vec<Port>, Error> {
    let mut names = BTreeSet::new();
    let mut ports = Vec::new();
    for info in infos {
        let name = info.name.escape_debug();
        if info.name.is_empty() {
            return Err(Error::damaged(format!(
                "the ONNX model has an {what} without a name"
            )));
        }
        if !names.insert(info.name) {
            return Err(Error::damaged(format!(
                "the ONNX model has two {what}s '{name}'"
            )));
        }
        let (element, dims) = match info.kind.map(kind).transpose()? {
            Some(Kind::Tensor(element, dims)) => (element, dims),
            Some(Kind::Other(kind)) => {
                return Err(Error::unsupported(format!(
                    "{what} '{name}' of the ONNX model is {kind}; only tensors are supported"
                )));
            }
            None => (0, None),
        };
        let element = Element::from_onnx(element).ok_or_else(|| {
            Error::unsupported(match element {
                0 => format!("{what} '{name}' of the ONNX model has no type"),
                8 => format!("{what} '{name}' of the ONNX model is text; only numbers are supported"),
                other => format!("{what} '{name}' of the ONNX model has the element type {other}, which is not supported"),
            })
        })?;
        if let Some(dims) = &dims
            && dims.len() > MOST_DIMS
        {
            return Err(Error::unsupported(format!(
                "{what} '{name}' of the ONNX model has {} dimensions; AscendCL supports at most {MOST_DIMS}",
                dims.len()
            )));
        }
        ports.push(Port {
            name: info.name.to_owned(),
            element,
            dims,
        });
    }
    Ok(ports)
}

/// The type of an input or output.
enum Kind {
    Tensor(i64, Option<Vec<i64>>),
    Other(&'static str),
}

fn kind(bytes: &[u8]) -> Result<Kind, Error> {
    let mut kind = Kind::Tensor(0, None);
    for entry in Reader::new(bytes) {
        let entry = entry?;
        kind = match entry.number {
            1 => tensor_kind(entry.run()?)?,
            4 => Kind::Other("a sequence"),
            5 => Kind::Other("a map"),
            8 => Kind::Other("a sparse tensor"),
            9 => Kind::Other("an optional value"),
            _ => kind,
        };
    }
    Ok(kind)
}

/// The element type that an input, output or note says, if it says one.
pub(super) fn noted_element(info: &Info<'_>) -> Option<i64> {
    match info.kind.map(kind) {
        Some(Ok(Kind::Tensor(element, _))) if element != 0 => Some(element),
        _ => None,
    }
}

fn tensor_kind(bytes: &[u8]) -> Result<Kind, Error> {
    let (mut element, mut dims) = (0, None);
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match entry.number {
            1 => element = entry.int()?,
            2 => dims = Some(shape(entry.run()?)?),
            _ => {}
        }
    }
    Ok(Kind::Tensor(element, dims))
}

fn shape(bytes: &[u8]) -> Result<Vec<i64>, Error> {
    let mut dims = Vec::new();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if entry.number == 1 {
            dims.push(dimension(entry.run()?)?);
        }
    }
    Ok(dims)
}

/// The value of a dimension; named and negative ones are dynamic.
fn dimension(bytes: &[u8]) -> Result<i64, Error> {
    let mut value = OPEN;
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match entry.number {
            1 => value = entry.int()?.max(OPEN),
            2 => value = OPEN,
            _ => {}
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests;
