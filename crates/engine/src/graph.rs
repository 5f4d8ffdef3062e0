//! What a model says that the engine does not tell: whether shapes depend on what tensors contain.
//!
//! Most shapes follow from the shapes of the inputs. A few operators take a shape from what an operand *contains*
//! (the new shape of `Reshape`), or give as many elements as they find (`NonZero`). Contents flow from the
//! inputs through all nodes but those that only look at shapes. Where contents meet such an operator, the
//! inputs they came from *decide shapes*. When in doubt they do.

use std::collections::{BTreeSet, HashMap};

use crate::wire::{Field, Wire, fields, number};

/// What was read of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphFacts {
    /// The names of the inputs whose contents decide shapes.
    pub deciding: BTreeSet<String>,
    /// The names of the inputs and outputs for which the file does not even say how many dimensions there are.
    pub shapeless: BTreeSet<String>,
    /// Whether something is divided: some engines end the process where integers are divided by zero.
    pub divides: bool,
    /// Bytes of the tensors that are part of the model.
    pub weights: u64,
}

/// Operators that look at the shape of what they get and at nothing else.
const SHAPE_ONLY: [&str; 2] = ["Shape", "Size"];

/// Operators with operands whose contents are shapes, counts or places in one: from which operand on, up to
/// which.
const SHAPE_TAKERS: [(&str, usize, usize); 41] = [
    ("AffineGrid", 1, 1),
    ("BlackmanWindow", 0, 0),
    ("CenterCropPad", 1, 1),
    ("Col2Im", 1, 2),
    ("ConstantOfShape", 0, 0),
    ("DFT", 1, 2),
    ("Expand", 1, 1),
    ("HammingWindow", 0, 0),
    ("HannWindow", 0, 0),
    ("MaxUnpool", 2, 2),
    ("MelWeightMatrix", 0, 4),
    ("OneHot", 1, 1),
    ("Pad", 1, 3),
    ("Range", 0, 2),
    ("ReduceL1", 1, 1),
    ("ReduceL2", 1, 1),
    ("ReduceLogSum", 1, 1),
    ("ReduceLogSumExp", 1, 1),
    ("ReduceMax", 1, 1),
    ("ReduceMean", 1, 1),
    ("ReduceMin", 1, 1),
    ("ReduceProd", 1, 1),
    ("ReduceSum", 1, 1),
    ("ReduceSumSquare", 1, 1),
    ("Reshape", 1, 1),
    ("Resize", 1, 3),
    ("STFT", 1, 3),
    ("Slice", 1, 4),
    ("Split", 1, 1),
    ("Squeeze", 1, 1),
    ("Tile", 1, 2),
    ("TopK", 1, 1),
    ("Unsqueeze", 1, 1),
    ("Upsample", 1, 1),
    // These give as many elements as they find.
    ("Compress", 0, 1),
    ("NonMaxSuppression", 0, 4),
    ("NonZero", 0, 0),
    ("StringSplit", 0, 0),
    ("TfIdfVectorizer", 0, 0),
    ("Unique", 0, 0),
    ("ImageDecoder", 0, 0),
];

/// Reads a model. What cannot be read says nothing: the engine will refuse it.
pub fn facts(model: &[u8]) -> GraphFacts {
    let mut told = GraphFacts::default();
    for graph in fields(model).filter_map(|field| field.bytes(7)) {
        read_graph(graph, &mut told);
    }
    told
}

fn read_graph<'a>(graph: &'a [u8], told: &mut GraphFacts) {
    // Which inputs' contents each value carries.
    let mut carries: HashMap<&'a str, BTreeSet<&'a str>> = HashMap::new();
    for field in fields(graph) {
        if let Some(value) = field.bytes(11).or(field.bytes(12))
            && !has_shape(value)
        {
            let name = fields(value).find_map(|field| field.text(1));
            told.shapeless.extend(name.map(str::to_owned));
        }
        if let Some(input) = field.bytes(11) {
            let name = fields(input).find_map(|field| field.text(1));
            carries.extend(name.map(|name| (name, BTreeSet::from([name]))));
        }
    }
    for field in fields(graph) {
        if let Some(tensor) = field.bytes(5) {
            told.weights = told.weights.saturating_add(tensor_bytes(tensor));
            // Older files list weights among the inputs.
            let name = fields(tensor).find_map(|field| field.text(8));
            name.and_then(|name| carries.remove(name));
        }
    }
    for node in fields(graph).filter_map(|field| field.bytes(1)) {
        read_node(node, &mut carries, told);
    }
}

fn read_node<'a>(
    node: &'a [u8],
    carries: &mut HashMap<&'a str, BTreeSet<&'a str>>,
    told: &mut GraphFacts,
) {
    let texts = |number| fields(node).filter_map(move |field| field.text(number));
    let kind = texts(4).next().unwrap_or_default();
    if SHAPE_ONLY.contains(&kind) {
        return;
    }
    told.divides |= matches!(kind, "Div" | "Mod");
    let domain = texts(7).next().unwrap_or_default();
    // Nodes with graphs inside them may do a part or not, and see all values around them.
    let branches = fields(node)
        .filter_map(|field| field.bytes(5))
        .any(has_graph);
    let known = matches!(domain, "" | "ai.onnx" | "ai.onnx.ml") && !kind.contains("Sequence");
    let mut carried = BTreeSet::new();
    for (index, input) in texts(1).enumerate() {
        let Some(from) = carries.get(input) else {
            continue;
        };
        let takes_shape = SHAPE_TAKERS
            .iter()
            .any(|&(name, first, last)| name == kind && (first..=last).contains(&index));
        if takes_shape || !known {
            told.deciding
                .extend(from.iter().map(|&name| name.to_owned()));
        }
        carried.extend(from.iter().copied());
    }
    if branches {
        let all = carries.values().flatten();
        carried.extend(all.clone().copied());
        told.deciding.extend(all.map(|&name| name.to_owned()));
    }
    for output in texts(2) {
        carries.insert(output, carried.clone());
    }
}

fn has_shape(value: &[u8]) -> bool {
    let types = fields(value).filter_map(|field| field.bytes(2));
    let mut tensors = types.flat_map(fields).filter_map(|field| field.bytes(1));
    tensors.any(|tensor| fields(tensor).any(|field| field.number == 2))
}

fn has_graph(attribute: &[u8]) -> bool {
    fields(attribute).any(|field| matches!(field.number, 6 | 11))
}

/// Bytes of a tensor, from its dimensions and type.
fn tensor_bytes(tensor: &[u8]) -> u64 {
    let mut elements: u64 = 1;
    let mut each = 1;
    for field in fields(tensor) {
        match field {
            Field {
                number: 1,
                value: Wire::Number(dim),
            } => elements = elements.saturating_mul(dim),
            Field {
                number: 1,
                value: Wire::Bytes(mut packed),
            } => {
                while let Some(dim) = number(&mut packed) {
                    elements = elements.saturating_mul(dim);
                }
            }
            Field {
                number: 2,
                value: Wire::Number(kind),
            } => {
                each = match kind {
                    4 | 5 | 10 | 16 => 2,
                    1 | 6 | 12 => 4,
                    7 | 11 | 13 | 14 => 8,
                    15 => 16,
                    _ => 1,
                };
            }
            _ => {}
        }
    }
    elements.saturating_mul(each)
}

#[cfg(test)]
mod tests {
    use millpond_model::Element;
    use millpond_model::onnx::{Dim, Graph};

    use super::*;

    fn deciding(build: impl FnOnce(&mut Graph)) -> Vec<String> {
        let mut graph = Graph::new("test");
        build(&mut graph);
        facts(&graph.finish()).deciding.into_iter().collect()
    }

    #[test]
    fn contents_that_become_a_shape_are_found_through_other_nodes() {
        let found = deciding(|graph| {
            let x = graph.input("x", Element::F32, &[Dim::Any]);
            let y = graph.input("y", Element::I64, &[Dim::Is(2)]);
            let z = graph.input("z", Element::I64, &[Dim::Is(2)]);
            let shape = graph.node("Add", &[&y, &z], &[]);
            let out = graph.node("Reshape", &[&x, &shape], &[]);
            graph.output("out", &out, Element::F32, None);
        });
        assert_eq!(found, ["y", "z"]);
    }

    #[test]
    fn shapes_and_constants_decide_nothing() {
        let found = deciding(|graph| {
            let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
            let shape = graph.node("Shape", &[&x], &[]);
            let ones = graph.node("ConstantOfShape", &[&shape], &[]);
            let flat = graph.ints(&[-1]);
            let out = graph.node("Reshape", &[&ones, &flat], &[]);
            graph.output("out", &out, Element::F32, None);
        });
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn what_gives_as_many_as_it_finds_depends_on_its_input() {
        let found = deciding(|graph| {
            let x = graph.input("x", Element::F32, &[Dim::Any]);
            let big = graph.node("Relu", &[&x], &[]);
            let out = graph.node("NonZero", &[&big], &[]);
            graph.output("out", &out, Element::I64, None);
        });
        assert_eq!(found, ["x"]);
    }

    #[test]
    fn divisions_are_seen() {
        for (kind, divides) in [("Div", true), ("Mod", true), ("Mul", false)] {
            let mut graph = Graph::new("test");
            let x = graph.input("x", Element::I32, &[Dim::Is(2)]);
            let y = graph.node(kind, &[&x, &x], &[]);
            graph.output("y", &y, Element::I32, None);
            assert_eq!(facts(&graph.finish()).divides, divides, "{kind}");
        }
    }

    #[test]
    fn weights_are_counted() {
        let mut graph = Graph::new("test");
        let x = graph.input("x", Element::F32, &[Dim::Is(2)]);
        let w = graph.constant(Element::F32, &[2], &[0; 8]);
        let y = graph.node("Add", &[&x, &w], &[]);
        graph.output("y", &y, Element::F32, None);
        assert_eq!(facts(&graph.finish()).weights, 8);
    }
}
