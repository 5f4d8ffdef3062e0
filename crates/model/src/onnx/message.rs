//! The relevant messages of an ONNX file, borrowed from its bytes.
//!
//! A file may be malicious: the nesting of graphs and the number of items are limited, because two bytes in the
//! file can become a structure of a hundred bytes in memory.

use super::wire::Reader;
use crate::Error;

/// Maximum nesting of graphs in attributes of nodes.
const DEEPEST: u32 = 32;
/// Maximum number of nodes, names, tensors and dimensions in a file.
const MOST_PIECES: usize = 1 << 22;

/// The remaining limits of a file.
#[derive(Debug)]
pub(super) struct Bounds {
    pieces: usize,
    depth: u32,
}

impl Bounds {
    pub(super) fn new() -> Self {
        Self {
            pieces: MOST_PIECES,
            depth: DEEPEST,
        }
    }

    fn piece(&mut self) -> Result<(), Error> {
        self.pieces = self.pieces.checked_sub(1).ok_or_else(|| {
            Error::unsupported(format!(
                "the ONNX file has more than {MOST_PIECES} nodes, names and tensors"
            ))
        })?;
        Ok(())
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.depth = self.depth.checked_sub(1).ok_or_else(|| {
            Error::unsupported(format!(
                "the ONNX file nests graphs more than {DEEPEST} deep"
            ))
        })?;
        let answer = read(self);
        self.depth += 1;
        answer
    }
}

/// A tensor in the file, or a reference to an external one.
#[derive(Debug, Default)]
pub(super) struct Tensor<'a> {
    pub(super) name: &'a str,
    pub(super) dims: Vec<i64>,
    pub(super) element: i64,
    /// The elements, if stored as raw bytes.
    pub(super) raw: Option<&'a [u8]>,
    /// Size in the file of elements stored in other encodings.
    pub(super) other_data: usize,
    /// The location of external bytes: keys and values as stored.
    pub(super) beside: Vec<(&'a str, &'a str)>,
    pub(super) is_beside: bool,
}

impl<'a> Tensor<'a> {
    pub(super) fn read(bytes: &'a [u8], bounds: &mut Bounds) -> Result<Self, Error> {
        let mut tensor = Self::default();
        bounds.piece()?;
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 => {
                    entry.ints(&mut tensor.dims)?;
                    bounds.piece()?;
                }
                2 => tensor.element = entry.int()?,
                // float_data, int32_data, string_data, int64_data, double_data, uint64_data.
                4..=7 | 10 | 11 => tensor.other_data += entry.run().map_or(8, <[u8]>::len),
                8 => tensor.name = entry.text()?,
                9 => tensor.raw = Some(entry.run()?),
                13 => {
                    bounds.piece()?;
                    tensor.beside.push(key_and_value(entry.run()?)?);
                }
                14 => tensor.is_beside = entry.int()? == 1,
                _ => {}
            }
        }
        Ok(tensor)
    }
}

fn key_and_value(bytes: &[u8]) -> Result<(&str, &str), Error> {
    let (mut key, mut value) = ("", "");
    for entry in Reader::new(bytes) {
        let entry = entry?;
        match entry.number {
            1 => key = entry.text()?,
            2 => value = entry.text()?,
            _ => {}
        }
    }
    Ok((key, value))
}

/// An input or output of a graph: its name and its type message.
#[derive(Debug, Default)]
pub(super) struct Info<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Option<&'a [u8]>,
}

impl<'a> Info<'a> {
    pub(super) fn read(bytes: &'a [u8], bounds: &mut Bounds) -> Result<Self, Error> {
        let mut info = Self::default();
        bounds.piece()?;
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 => info.name = entry.text()?,
                2 => info.kind = Some(entry.run()?),
                _ => {}
            }
        }
        Ok(info)
    }
}

/// One operation of a graph.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    pub(super) op: &'a str,
    pub(super) domain: &'a str,
    pub(super) inputs: Vec<&'a str>,
    pub(super) outputs: Vec<&'a str>,
    /// Its name in error messages.
    pub(super) name: &'a str,
    /// Its attributes, with the value of those that are a single integer and 0 for the others.
    pub(super) attributes: Vec<(&'a str, i64)>,
    /// Tensors in its attributes.
    pub(super) tensors: Vec<Tensor<'a>>,
    /// Graphs in its attributes: branches and loop bodies.
    pub(super) graphs: Vec<Graph<'a>>,
}

impl<'a> Node<'a> {
    pub(super) fn read(bytes: &'a [u8], bounds: &mut Bounds) -> Result<Self, Error> {
        let mut node = Self::default();
        bounds.piece()?;
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 => {
                    bounds.piece()?;
                    node.inputs.push(entry.text()?);
                }
                2 => {
                    bounds.piece()?;
                    node.outputs.push(entry.text()?);
                }
                3 => node.name = entry.text()?,
                4 => node.op = entry.text()?,
                5 => node.attribute(entry.run()?, bounds)?,
                7 => node.domain = entry.text()?,
                _ => {}
            }
        }
        Ok(node)
    }

    /// The value of an attribute that is a single integer.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        let mut found = self.attributes.iter();
        found.find(|(it, _)| *it == name).map(|(_, value)| *value)
    }

    fn attribute(&mut self, bytes: &'a [u8], bounds: &mut Bounds) -> Result<(), Error> {
        bounds.piece()?;
        let (mut name, mut int) = ("", 0);
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 => name = entry.text()?,
                3 => int = entry.int()?,
                5 | 10 => self.tensors.push(Tensor::read(entry.run()?, bounds)?),
                6 | 11 => {
                    let graph = entry.run()?;
                    self.graphs
                        .push(bounds.deeper(|bounds| Graph::read(graph, bounds))?);
                }
                22 | 23 => self.tensors.extend(sparse(entry.run()?, bounds)?),
                _ => {}
            }
        }
        self.attributes.push((name, int));
        Ok(())
    }
}

/// The values and the indices of a sparse tensor.
fn sparse<'a>(bytes: &'a [u8], bounds: &mut Bounds) -> Result<Vec<Tensor<'a>>, Error> {
    let mut tensors = Vec::new();
    for entry in Reader::new(bytes) {
        let entry = entry?;
        if matches!(entry.number, 1 | 2) {
            tensors.push(Tensor::read(entry.run()?, bounds)?);
        }
    }
    Ok(tensors)
}

/// A graph: the model's own, or one inside an attribute. Also the body of a function.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    pub(super) name: &'a str,
    /// The operator set that a function belongs to.
    pub(super) domain: &'a str,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) constants: Vec<Tensor<'a>>,
    pub(super) inputs: Vec<Info<'a>>,
    pub(super) outputs: Vec<Info<'a>>,
    /// What the file notes about values in between.
    pub(super) notes: Vec<Info<'a>>,
}

impl<'a> Graph<'a> {
    pub(super) fn read(bytes: &'a [u8], bounds: &mut Bounds) -> Result<Self, Error> {
        let mut graph = Self::default();
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 => graph.nodes.push(Node::read(entry.run()?, bounds)?),
                2 => graph.name = entry.text()?,
                5 => graph.constants.push(Tensor::read(entry.run()?, bounds)?),
                11 => graph.inputs.push(Info::read(entry.run()?, bounds)?),
                12 => graph.outputs.push(Info::read(entry.run()?, bounds)?),
                13 => graph.notes.push(Info::read(entry.run()?, bounds)?),
                15 => graph.constants.extend(sparse(entry.run()?, bounds)?),
                _ => {}
            }
        }
        Ok(graph)
    }

    /// The body of a function defined in the file, named like the operator that it implements.
    pub(super) fn function(bytes: &'a [u8], bounds: &mut Bounds) -> Result<Self, Error> {
        let mut graph = Self::default();
        for entry in Reader::new(bytes) {
            let entry = entry?;
            match entry.number {
                1 => graph.name = entry.text()?,
                7 => graph.nodes.push(Node::read(entry.run()?, bounds)?),
                10 => graph.domain = entry.text()?,
                _ => {}
            }
        }
        Ok(graph)
    }
}
