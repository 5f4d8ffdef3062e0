//! Which contents decide shapes.
//!
//! The shapes of most results follow from the shapes of the inputs. Some operators take a shape, or a part of
//! one, as a tensor; whatever that tensor is computed from decides shapes by its contents. `Shape`
//! and `Size` end the search: what they give follows from shapes alone. The same search from the outputs finds whose
//! contents are used at all.

use std::collections::{HashMap, HashSet};

use super::message::{Graph, Node};
use super::read::standard;

/// What was found.
pub(super) struct Decided<'a> {
    /// Whether a node gives shapes that only its contents decide.
    pub(super) data_dependent: bool,
    /// Names of values whose contents decide a shape.
    pub(super) by_contents_of: HashSet<&'a str>,
    /// Names of values whose contents the outputs are computed from.
    pub(super) computed_from: HashSet<&'a str>,
}

/// Every operand of a node.
const ALL: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7];

/// Operators that take a shape, axes or a count as a tensor, and which operands these are. Older
/// versions of some have other operands there, which are then named without need.
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

/// Standard operators whose results have shapes that only contents decide.
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

/// Operators that ONNX Runtime's tools write in place of standard ones, with shapes that follow from shapes.
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

/// What one node does to shapes.
enum Effect {
    /// Its contents decide.
    DataDependent,
    /// These operands decide.
    Operands(&'static [usize]),
}

/// For each function that a file defines, by set and name: whether contents decide shapes in it.
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
    // Nobody here knows what an operator of another set does.
    Effect::DataDependent
}

/// Searches a model's graph; `functions` are the functions that its file defines.
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
    // What decides a shape is used too.
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

/// Looks into functions. One that calls another counts as if contents decided in it, so that nobody
/// has to find an order.
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

    /// Everything that a node looks at, also from within its graphs.
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

    /// From what was found to what it is computed from.
    fn backwards(&mut self, nodes: &[Node<'a>], functions: &Functions<'_>) {
        let mut makers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            for output in &node.outputs {
                makers.entry(output).or_default().push(index);
            }
        }
        // Each node once, however many of its outputs are found.
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
