//! Which type a function computes in: PyTorch's rules, in one place.

use millpond_kernels::Element;

use crate::refusal::Refusal;
use crate::scalar::{Number, Scalar};
use crate::tensor::Tensor;

/// Truth values, integers, real numbers, complex numbers: what a number can be, each more general than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// True or false.
    Bool,
    /// Integers.
    Int,
    /// Real numbers.
    Float,
    /// Complex numbers.
    Complex,
}

/// The category of an element type.
pub fn category(element: Element) -> Category {
    match element {
        Element::Bool => Category::Bool,
        Element::U8
        | Element::I8
        | Element::U16
        | Element::I16
        | Element::U32
        | Element::I32
        | Element::U64
        | Element::I64 => Category::Int,
        Element::F16
        | Element::BF16
        | Element::F32
        | Element::F64
        | Element::F8E4M3
        | Element::F8E5M2
        | Element::F8E8M0 => Category::Float,
        Element::C32 | Element::C64 | Element::C128 => Category::Complex,
    }
}

/// Whether elements are real numbers with a fraction.
pub fn is_float(element: Element) -> bool {
    category(element) == Category::Float
}

/// Whether elements are complex numbers.
pub fn is_complex(element: Element) -> bool {
    category(element) == Category::Complex
}

/// The type that two tensors are computed in.
pub fn promote(a: Element, b: Element) -> Element {
    use Element::{BF16, C32, C64, C128, F16, F32, F64, I8, I16, U8};
    if a == b {
        return a;
    }
    let (low, high) = if category(a) <= category(b) {
        (a, b)
    } else {
        (b, a)
    };
    match (category(low), category(high)) {
        (Category::Complex, Category::Complex) => match (a, b) {
            (C128, _) | (_, C128) => C128,
            _ => C64,
        },
        (_, Category::Complex) => match low {
            F64 => C128,
            // Only the halves that it is made of fit.
            F32 | BF16 if high == C32 => C64,
            _ => high,
        },
        (Category::Float, Category::Float) => match (a, b) {
            (F64, _) | (_, F64) => F64,
            (F32, _) | (_, F32) | (F16, BF16) | (BF16, F16) => F32,
            _ => high,
        },
        (Category::Int, Category::Int) => match (a, b) {
            (U8, I8) | (I8, U8) => I16,
            _ if a.bytes() == b.bytes() => {
                if is_signed(a) {
                    b
                } else {
                    a
                }
            }
            _ => {
                if a.bytes() > b.bytes() {
                    a
                } else {
                    b
                }
            }
        },
        _ => {
            if low == C64 {
                low
            } else {
                high
            }
        }
    }
}

fn is_signed(element: Element) -> bool {
    matches!(
        element,
        Element::I8 | Element::I16 | Element::I32 | Element::I64
    )
}

/// The type that a tensor and a number are computed in: a number changes the type only if it is of a more general kind.
pub fn with_scalar(element: Element, scalar: &Scalar) -> Element {
    match (category(element), scalar.number) {
        (_, Number::Bool(_))
        | (Category::Int | Category::Float | Category::Complex, Number::Int(_))
        | (Category::Float | Category::Complex, Number::Float(_))
        | (Category::Complex, Number::Complex(_)) => element,
        (Category::Bool, Number::Int(_)) => Element::I64,
        (Category::Bool | Category::Int, Number::Float(_)) => Element::F32,
        (_, Number::Complex(_)) => match element {
            Element::F64 => Element::C128,
            Element::F16 => Element::C32,
            _ => Element::C64,
        },
    }
}

/// The type that functions of real numbers compute in: integers become `float`.
pub fn as_float(element: Element) -> Element {
    match category(element) {
        Category::Bool | Category::Int => Element::F32,
        _ => element,
    }
}

/// Refuses results that would lose what they are: complex as real, real as integer, anything as a truth value.
pub fn check_result(from: Element, out: &Tensor) -> Result<(), Refusal> {
    let (from_kind, to_kind) = (category(from), category(out.element()));
    let fits = match to_kind {
        Category::Bool => from_kind == Category::Bool,
        Category::Int => from_kind <= Category::Int,
        Category::Float => from_kind <= Category::Float,
        Category::Complex => true,
    };
    if fits {
        return Ok(());
    }
    Err(Refusal::invalid(format!(
        "results are {}, which 'out' of type {} cannot hold",
        from.name(),
        out.element().name()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Element::{BF16, Bool, C32, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8};

    #[test]
    fn pairs_of_tensors() {
        let table = [
            (F64, F32, F64),
            (F16, BF16, F32),
            (F16, F32, F32),
            (I64, F16, F16),
            (Bool, U8, U8),
            (U8, I8, I16),
            (I32, I64, I64),
            (U8, I64, I64),
            (C64, F32, C64),
            (C64, F64, C128),
            (C64, C128, C128),
            (C32, C64, C64),
            (C32, C128, C128),
            (C32, F16, C32),
            (C32, BF16, C64),
            (C32, F32, C64),
            (C32, F64, C128),
            (C32, I64, C32),
            (Bool, Bool, Bool),
            (BF16, I32, BF16),
            (I8, I16, I16),
        ];
        for (a, b, result) in table {
            assert_eq!(
                (promote(a, b), promote(b, a)),
                (result, result),
                "{a:?} with {b:?}"
            );
        }
    }

    #[test]
    fn a_number_keeps_the_type_of_its_kind() {
        assert_eq!(with_scalar(F16, &Scalar::float(0.5)), F16);
        assert_eq!(with_scalar(I32, &Scalar::float(0.5)), F32);
        assert_eq!(with_scalar(I32, &Scalar::int(5)), I32);
        assert_eq!(with_scalar(Bool, &Scalar::int(5)), I64);
        let imaginary = Scalar {
            element: C128,
            number: Number::Complex(millpond_kernels::Complex64::new(0.0, 1.0)),
        };
        for (element, result) in [(F16, C32), (BF16, C64), (I64, C64), (F64, C128), (C32, C32)] {
            assert_eq!(with_scalar(element, &imaginary), result, "{element:?}");
        }
    }
}
