//! Which element types ONNX Runtime's CPU kernels compute in, and what stands in for the others.
//!
//! ONNX allows many more types than there are kernels. A node is therefore put between casts when its
//! operator has no kernel for the type: 16-bit floats go through 32-bit ones, small integers through 32-bit
//! ones. Casting back wraps around as the smaller type would.

use crate::Element;
use Element::{
    BF16, Bool, C32, C64, C128, F8E4M3, F8E5M2, F8E8M0, F16, F32, F64, I8, I16, I32, I64, U8, U16,
    U32, U64,
};

/// The type in which `op` is computed on values of type `element`.
pub(crate) fn carrier(op: &str, element: Element) -> Element {
    if moves_only(op) {
        return element;
    }
    match element {
        F16 | BF16 => F32,
        F64 if lacks_f64(op) => F32,
        Bool | U8 | I8 if repeats(op) => element,
        Bool | U8 if op == "Where" => U8,
        Bool if matches!(
            op,
            "Equal" | "And" | "Or" | "Xor" | "Not" | "Trilu" | "NonZero"
        ) =>
        {
            Bool
        }
        I8 | I16 | U8 | U16 | U32 | U64 if is_bitwise(op) => element,
        I32 if op == "Unique" => I64,
        I8 | I16 | I32 | U8 | U16 | Bool if op.ends_with("ToSpace") || op.ends_with("ToDepth") => {
            F64
        }
        I8 | I16 | U8 | U16 | Bool => I32,
        // Sums, differences and products wrap in the same way for both signs; quotients do not.
        U64 if matches!(op, "Div" | "Mod") => U64,
        U32 | U64 => I64,
        // Rows by name refuse 8-bit floats and halves of complex numbers before this.
        F32 | F64 | I32 | I64 | C32 | C64 | C128 | F8E4M3 | F8E5M2 | F8E8M0 => element,
    }
}

/// Operators that move elements without looking at them have kernels for every size.
fn moves_only(op: &str) -> bool {
    matches!(
        op,
        "Identity"
            | "Cast"
            | "Reshape"
            | "Flatten"
            | "Squeeze"
            | "Unsqueeze"
            | "Transpose"
            | "Gather"
            | "GatherElements"
            | "GatherND"
            | "ScatterElements"
            | "ScatterND"
            | "Concat"
            | "Slice"
            | "Split"
            | "Shape"
            | "Size"
    )
}

/// Operators that repeat elements know bytes, but not every 16-bit type.
fn repeats(op: &str) -> bool {
    matches!(op, "Expand" | "Tile" | "Pad" | "Compress")
}

fn is_bitwise(op: &str) -> bool {
    matches!(
        op,
        "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" | "BitwiseNot" | "BitShift"
    )
}

/// Operators with a kernel for 32-bit floats only.
fn lacks_f64(op: &str) -> bool {
    matches!(
        op,
        "Erf"
            | "Tan"
            | "Asin"
            | "Acos"
            | "Atan"
            | "Sinh"
            | "Cosh"
            | "Asinh"
            | "Acosh"
            | "Atanh"
            | "Softplus"
            | "Conv"
            | "ConvTranspose"
            | "AveragePool"
            | "Resize"
            | "Col2Im"
    )
}
