//! Finds the values whose contents determine shapes.
//!
//! The shapes of most results follow from the shapes of the inputs. Some operators take a shape, or a part of
//! one, as a tensor; the contents of everything that this tensor is computed from then determine shapes. `Shape`
//! and `Size` end the search: their results depend on shapes only. The same search from the outputs finds the values
//! whose contents are used at all.

use std::collections::{HashMap, HashSet};

use super::message::{Graph, Node};
use super::read::standard;

/// The result of the search.
pub(super) struct Decided<'a> {
    /// Whether the output shapes of a node depend on contents.
    pub(super) data_dependent: bool,
    /// Names of values whose contents determine a shape.
    pub(super) by_contents_of: HashSet<&'a str>,
    /// Names of values whose contents the outputs are computed from.
    pub(super) computed_from: HashSet<&'a str>,
}

/// Every operand of a node.
const ALL: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7];

/// Operators that take a shape, axes or a count as a tensor, and the indices of these operands. Older versions of
/// some operators have other operands there, which are then listed unnecessarily.
const SHAPE_OPERANDS: [(&str, &[usize]); 43] = [
    ("AffineGrid", &[1]),
    ("BlackmanWindow", &[0]),
    ("CenterCropPad", &[1]),
    ("Col2Im", &[1, 2]),
    ("ConcatFromSequence", &[0]),
    ("ConstantOfShape", &[0]),
    ("DFT", &[1, 2]),
    ("Expand", &[1]),
    ("HammingWindow", &[0]),
    ("HannWindow", &[0]),
    ("MaxUnpool", &[2]),
    ("MelWeightMatrix", ALL),
    ("OneHot", &[1]),
    ("Pad", &[1, 3]),
    ("Range", ALL),
    ("ReduceL1", &[1]),
    ("ReduceL2", &[1]),
    ("ReduceLogSum", &[1]),
    ("ReduceLogSumExp", &[1]),
    ("ReduceMax", &[1]),
    ("ReduceMean", &[1]),
    ("ReduceMin", &[1]),
    ("ReduceProd", &[1]),
    ("ReduceSum", &[1]),
    ("ReduceSumSquare", &[1]),
    ("Reshape", &[1]),
    ("Resize", &[1, 2, 3]),
    ("STFT", &[1, 3]),
    ("SequenceAt", &[1]),
    ("SequenceErase", &[1]),
    ("SequenceInsert", &[2]),
    ("Slice", &[1, 2, 3, 4]),
    ("Split", &[1]),
    ("SplitToSequence", &[1]),
    ("Squeeze", &[1]),
    ("Tile", &[1, 2]),
    ("TopK", &[1]),
    ("Unsqueeze", &[1]),
    ("Upsample", &[1]),
    ("com.microsoft::CropAndResize", &[1, 2, 3]),
    ("com.microsoft::ExpandDims", &[1]),
    ("com.microsoft::GroupQueryAttention", &[5, 6]),
    ("com.microsoft::Pad", &[1]),
];

/// Standard operators whose output shapes depend on contents.
const DATA_DEPENDENT: [&str; 13] = [
    "Compress",
    "If",
    "ImageDecoder",
    "Loop",
    "NonMaxSuppression",
    "NonZero",
    "OptionalGetElement",
    "Scan",
    "SequenceMap",
    "StringConcat",
    "StringNormalizer",
    "StringSplit",
    "Unique",
];

/// Operators that ONNX Runtime's tools write in place of standard ones; their output shapes follow from input shapes.
const FUSED: [&str; 26] = [
    "Attention",
    "BiasAdd",
    "BiasGelu",
    "BiasSplitGelu",
    "DequantizeLinear",
    "DynamicQuantizeMatMul",
    "EmbedLayerNormalization",
    "FastGelu",
    "FusedConv",
    "FusedGemm",
    "FusedMatMul",
    "Gelu",
    "GroupNorm",
    "Inverse",
    "MatMulIntegerToFloat",
    "MatMulNBits",
    "MultiHeadAttention",
    "QGemm",
    "QLinearAdd",
    "QLinearMul",
    "QLinearSigmoid",
    "QuantizeLinear",
    "QuickGelu",
    "RotaryEmbedding",
    "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization",
];

/// How a node determines its output shapes.
enum Effect {
    /// By contents.
    DataDependent,
    /// By the contents of these operands.
    Operands(&'static [usize]),
}

/// For each function defined in a file, by operator set and name: whether shapes in it depend on contents.
type Functions<'a> = HashMap<(&'a str, &'a str), bool>;

fn effect(node: &Node<'_>, functions: &Functions<'_>) -> Effect {
    if !node.graphs.is_empty() {
        return Effect::DataDependent;
    }
    let domain = standard(node.domain);
    if let Some(decides) = functions.get(&(domain, node.op)) {
        return if *decides {
            Effect::DataDependent
        } else {
            Effect::Operands(&[])
        };
    }
    let is_standard = matches!(domain, "" | "ai.onnx.ml");
    let full = if is_standard {
        node.op.to_owned()
    } else {
        format!("{domain}::{}", node.op)
    };
    if DATA_DEPENDENT.contains(&full.as_str()) {
        return Effect::DataDependent;
    }
    if let Some((_, operands)) = SHAPE_OPERANDS.iter().find(|(op, _)| *op == full) {
        return Effect::Operands(operands);
    }
    if is_standard || (domain == "com.microsoft" && FUSED.contains(&node.op)) {
        return Effect::Operands(&[]);
    }
    // Operators of other sets are unknown.
    Effect::DataDependent
}

/// Searches a model's graph; `functions` are the functions defined in its file.
pub(super) fn find<'a>(graph: &Graph<'a>, functions: &[Graph<'a>]) -> Decided<'a> {
    let functions = decisive(functions);
    let mut search = Search::default();
    let mut data_dependent = false;
    for node in &graph.nodes {
        match effect(node, &functions) {
            Effect::DataDependent => {
                data_dependent = true;
                search.names(node);
            }
            Effect::Operands(operands) => {
                for operand in operands {
                    search.name(node.inputs.get(*operand).copied());
                }
            }
        }
    }
    search.backwards(&graph.nodes, &functions);
    // A value that determines a shape is used too.
    let mut used = Search::default();
    for name in graph.outputs.iter().map(|output| output.name) {
        used.name(Some(name));
    }
    for &name in &search.found {
        used.name(Some(name));
    }
    used.backwards(&graph.nodes, &functions);
    Decided {
        data_dependent,
        by_contents_of: search.found,
        computed_from: used.found,
    }
}

/// Searches functions. A function that calls another one counts as dependent on contents, so that no order of
/// functions has to be found.
fn decisive<'a>(functions: &[Graph<'a>]) -> Functions<'a> {
    let key = |function: &Graph<'a>| (standard(function.domain), function.name);
    let worst: Functions<'a> = functions.iter().map(|one| (key(one), true)).collect();
    let mut answers = Functions::new();
    for function in functions {
        let decides = function.nodes.iter().any(|node| {
            !matches!(effect(node, &worst), Effect::Operands(operands) if operands.is_empty())
        });
        *answers.entry(key(function)).or_insert(false) |= decides;
    }
    answers
}

#[derive(Default)]
struct Search<'a> {
    found: HashSet<&'a str>,
    open: Vec<&'a str>,
}

impl<'a> Search<'a> {
    fn name(&mut self, name: Option<&'a str>) {
        if let Some(name) = name
            && !name.is_empty()
            && self.found.insert(name)
        {
            self.open.push(name);
        }
    }

    /// All values that a node uses, including those used in its nested graphs.
    fn names(&mut self, node: &Node<'a>) {
        for input in &node.inputs {
            self.name(Some(input));
        }
        for graph in &node.graphs {
            for node in &graph.nodes {
                self.names(node);
            }
            for output in &graph.outputs {
                self.name(Some(output.name));
            }
        }
    }

    /// From the values found to the values they are computed from.
    fn backwards(&mut self, nodes: &[Node<'a>], functions: &Functions<'_>) {
        let mut makers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            for output in &node.outputs {
                makers.entry(output).or_default().push(index);
            }
        }
        // Each node once, even if several of its outputs are found.
        let mut seen = vec![false; nodes.len()];
        while let Some(name) = self.open.pop() {
            for index in makers.remove(name).unwrap_or_default() {
                let node = &nodes[index];
                let key = (standard(node.domain), node.op);
                let only_shapes =
                    matches!(key, ("", "Shape" | "Size")) && !functions.contains_key(&key);
                if !only_shapes && !std::mem::replace(&mut seen[index], true) {
                    self.names(node);
                }
            }
        }
    }
}
