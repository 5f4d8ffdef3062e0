//! Attributes that a row does not read.
//!
//! An attribute that nobody reads may be one that would change the result, or a name that was misspelt, so it
//! is refused, unless it is known here or the row's own line names it.

use crate::table::{self, Row};
use crate::{Attributes, Value, Why};
use Allowed::{Flag, Nothing, Number, Real, Text, Whatever};

/// The values that an attribute may have without changing what the row computes.
#[derive(Debug, Clone, Copy)]
enum Allowed {
    /// It never changes the result.
    Whatever,
    Flag(bool),
    Number(i64),
    Real(f32),
    Text(&'static str),
    /// An empty list.
    Nothing,
}

impl Allowed {
    fn covers(self, value: &Value) -> bool {
        match (self, value) {
            (Whatever, _) => true,
            (Flag(wanted), Value::Bool(has)) => *has == wanted,
            (Flag(wanted), Value::Int(has)) => (*has != 0) == wanted,
            (Number(wanted), Value::Int(has)) => *has == wanted,
            (Number(wanted), Value::Bool(has)) => i64::from(*has) == wanted,
            (Real(wanted), Value::Float(has)) => has.to_bits() == wanted.to_bits(),
            #[allow(clippy::cast_precision_loss, reason = "such numbers are small")]
            (Real(wanted), Value::Int(has)) => (*has as f32).to_bits() == wanted.to_bits(),
            (Text(wanted), Value::Text(has)) => has == wanted,
            (Nothing, Value::Ints(has)) => has.is_empty(),
            (Nothing, Value::Floats(has)) => has.is_empty(),
            _ => false,
        }
    }

    fn words(self) -> String {
        match self {
            Whatever => "anything".to_owned(),
            Flag(wanted) => wanted.to_string(),
            Number(wanted) => wanted.to_string(),
            Real(wanted) => wanted.to_string(),
            Text(wanted) => wanted.to_owned(),
            Nothing => "empty".to_owned(),
        }
    }
}

/// Names that mean the same for every operator.
const EVERYWHERE: &[(&str, Allowed)] = &[
    // How many inputs there are is seen from the inputs.
    ("N", Whatever),
    // The description of an output says its type.
    ("dtype", Whatever),
    ("T", Whatever),
    // Operators of one stream run one after another.
    ("use_locking", Whatever),
    // Complex numbers are refused before this can matter.
    ("complex_conj", Whatever),
    // Indices are always checked, and count from the end when they are negative.
    ("validate_indices", Whatever),
    ("negative_index_support", Whatever),
    ("is_preprocessed", Flag(false)),
    // Added to quantised inputs.
    ("offset_x", Number(0)),
];

/// Those of one operator, or of all whose names begin so when a star ends it.
/// A name that is there twice may have either value.
const SOMEWHERE: &[(&str, &str, Allowed)] = &[
    ("AddLayerNorm", "additional_output", Whatever),
    ("Assign", "validate_shape", Whatever),
    // Both sums are plain; the number is for what comes after them.
    ("BNTrainingReduce", "epsilon", Whatever),
    ("BN3DTrainingReduce", "epsilon", Whatever),
    // ONNX Runtime's provider gives the borders as well, and says that its tensors have four dimensions.
    ("Conv*", "auto_pad", Whatever),
    ("Conv*", "trans_2d", Whatever),
    // Which roundings may be saved inside: none are.
    ("FlashAttentionScore*", "inner_precise", Whatever),
    ("Dynamic*", "activation", Text("tanh")),
    ("Dynamic*", "bias_type", Whatever),
    ("Dynamic*", "cell_clip", Real(-1.0)),
    ("Dynamic*", "cell_depth", Number(1)),
    ("Dynamic*", "cell_depth", Number(0)),
    ("Dynamic*", "cell_type", Text("LSTM")),
    ("Dynamic*", "cell_type", Flag(true)),
    // The gates come as they were.
    ("DynamicRNNGrad", "forget_bias", Whatever),
    ("DynamicRNNV2Grad", "forget_bias", Whatever),
    ("Dynamic*", "is_training", Whatever),
    ("Dynamic*", "keep_prob", Real(1.0)),
    ("Dynamic*", "keep_prob", Real(-1.0)),
    ("Dynamic*", "num_proj", Number(0)),
    ("Dynamic*", "time_major", Flag(true)),
    ("Dynamic*", "use_peephole", Flag(false)),
    ("Dynamic*", "recurrent_activation", Text("sigmoid")),
    ("Dynamic*", "stateful", Flag(false)),
    ("Dynamic*", "merge_mode", Whatever),
    // These two are about gradients.
    ("EmbeddingBag", "scale_grad_by_freq", Whatever),
    ("EmbeddingBag", "sparse", Whatever),
    // The axis is an input.
    ("GatherD", "dim", Whatever),
    ("GroupNorm", "data_format", Text("NCHW")),
    ("GroupNorm", "is_training", Whatever),
    ("InstanceNorm", "data_format", Text("NCHW")),
    ("InstanceNorm", "data_format", Text("NCDHW")),
    // The weights say which axes they belong to.
    ("LayerNorm*", "begin_params_axis", Whatever),
    ("LpNorm*", "epsilon", Real(0.0)),
    ("LpNorm*", "epsilon", Real(1e-12)),
    // The gradient has its dilations under another name.
    ("MaxPoolGradWithArgmaxV1", "dilation", Whatever),
    ("ReduceMean*", "noop_with_empty_axes", Whatever),
    // The output's shape says it all.
    ("Reshape", "axis", Whatever),
    ("Reshape", "num_axes", Whatever),
    ("Resize*", "exclude_outside", Number(0)),
    ("Resize*", "extrapolation_value", Whatever),
    ("Resize*", "nearest_mode", Text("round_prefer_floor")),
    ("Resize*", "nearest_mode", Text("floor")),
    ("Resize*", "roi", Nothing),
    ("RotaryMulGrad", "need_backward", Whatever),
    ("ScaledMaskedSoftmax*", "fixed_triu_mask", Flag(false)),
    ("SoftmaxV2", "half_to_float", Whatever),
    // Equal numbers stay in their order in any case.
    ("Sort*", "stable", Whatever),
    ("StatelessRandperm", "layout", Whatever),
    ("StridedSliceV2", "begin_mask", Number(0)),
    ("StridedSliceV2", "end_mask", Number(0)),
    ("StridedSliceV2", "ellipsis_mask", Number(0)),
    ("StridedSliceV2", "new_axis_mask", Number(0)),
    ("StridedSliceV2", "shrink_axis_mask", Number(0)),
    ("ThresholdGradV2D", "value", Whatever),
    ("UniqueWithCountsAndSorting", "sorted", Flag(true)),
    ("UnsortedSegmentSum*", "check_ids", Whatever),
    // Sizes are given as well.
    ("UpsampleNearest*", "scales", Nothing),
    ("UpsampleTrilinear3d*", "scales", Nothing),
];

/// What an attribute of a row may be; nothing for one that is not known.
fn known(row: &Row, name: &str) -> Vec<(&'static str, Allowed)> {
    let is_row = |kind: &str| {
        kind.strip_suffix('*')
            .map_or(kind == row.name, |start| row.name.starts_with(start))
    };
    let of_row = SOMEWHERE
        .iter()
        .filter(|(kind, known, _)| *known == name && is_row(kind))
        .map(|(_, known, allowed)| (*known, *allowed));
    let of_all = EVERYWHERE.iter().copied();
    of_row
        .chain(of_all.filter(|(known, _)| *known == name))
        .collect()
}

/// Whether a row's line speaks of an attribute, itself or by naming a row that does.
fn is_named(row: &Row, name: &str) -> bool {
    let words = |text: &'static str| {
        text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
    };
    // Inputs come before the first semicolon.
    let attributes = row.takes.split_once(';').map_or("", |(_, after)| after);
    if words(attributes).any(|word| word == name) {
        return true;
    }
    let refers = ["as ", "attributes", "masks of"]
        .iter()
        .any(|phrase| row.takes.contains(phrase));
    refers
        && words(row.takes)
            .filter(|word| *word != row.name)
            .filter_map(table::find)
            .any(|other| is_named(other, name))
}

/// Refuses attributes that are set, were not read, and are not known to change nothing.
pub(crate) fn check(
    row: &Row,
    attributes: &Attributes,
    was_read: impl Fn(&str) -> bool,
) -> Result<(), Why> {
    for (name, value) in attributes.iter() {
        if was_read(name) || is_named(row, name) {
            continue;
        }
        let known = known(row, name);
        if known.iter().any(|(_, allowed)| allowed.covers(value)) {
            continue;
        }
        let Some((name, _)) = known.first() else {
            return Err(Why::UnknownAttribute {
                name: name.to_owned(),
                takes: row.takes,
            });
        };
        let values: Vec<String> = known.iter().map(|(_, allowed)| allowed.words()).collect();
        return Err(Why::AttributeValue {
            name,
            is: value.to_string(),
            wants: values.join(" or "),
        });
    }
    Ok(())
}
