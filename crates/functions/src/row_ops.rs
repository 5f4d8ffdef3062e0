//! Steps for kernels that work row by row: chosen axes come last and become rows, results go back the same way.

use millpond_kernels::{Element, reduce};
use smallvec::SmallVec;

use crate::plan::{Plan, Value};

/// Where row kernels write, and where that goes afterwards.
#[derive(Debug)]
pub struct RowResults {
    /// Rows, one behind the other.
    pub rows: Value,
    /// Scratch memory with the axes of the output, and the output.
    back: Option<(Value, Value)>,
}

/// A value with at least one axis.
pub(crate) fn with_axis(value: &Value) -> Value {
    if value.rank() == 0 {
        value.unsqueeze(0)
    } else {
        value.clone()
    }
}

/// With these axes last.
fn last(value: &Value, axes: &[usize]) -> Value {
    let order: SmallVec<[usize; 6]> = (0..value.rank())
        .filter(|axis| !axes.contains(axis))
        .chain(axes.iter().copied())
        .collect();
    value.permute(&order)
}

/// How many rows there are over these axes, and how long they are.
fn shape(value: &Value, axes: &[usize]) -> [i64; 2] {
    let product = |inside: bool| {
        let dims = value.dims().iter().enumerate();
        dims.filter(|(axis, _)| axes.contains(axis) == inside)
            .map(|(_, dim)| *dim)
            .product()
    };
    [product(false), product(true)]
}

impl Plan {
    /// Rows of elements along `axes`, one behind the other, in a type. The value itself, if it is so.
    pub fn rows_of(&mut self, value: &Value, axes: &[usize], element: Element) -> Value {
        let whole = self.contiguous(&last(value, axes), element);
        let shape = shape(value, axes);
        whole.reshaped(&shape).unwrap_or(whole)
    }

    /// Where rows of results go. [`Plan::rows_done`] brings them to the output if they are not written there at once.
    pub fn rows_into(&mut self, out: &Value, axes: &[usize], element: Element) -> RowResults {
        let target = last(out, axes);
        let shape = shape(out, axes);
        if target.element() == element
            && let Some(rows) = target.reshaped(&shape)
        {
            return RowResults { rows, back: None };
        }
        let copy = self.temp(element, target.dims());
        RowResults {
            rows: copy.reshaped(&shape).unwrap_or_else(|| copy.clone()),
            back: Some((copy, target)),
        }
    }

    /// The rows are written: they go to the output.
    pub fn rows_done(&mut self, results: &RowResults) {
        if let Some((copy, target)) = &results.back {
            self.copy(copy, target);
        }
    }

    /// Where `count` contiguous results of a type go: a tensor's own memory, if it is contiguous.
    pub fn packed_into(&mut self, out: &Value, element: Element) -> RowResults {
        let shape = [i64::try_from(out.count()).unwrap_or(0)];
        if out.element() == element
            && let Some(rows) = out.reshaped(&shape)
        {
            return RowResults { rows, back: None };
        }
        let copy = self.temp(element, out.dims());
        RowResults {
            rows: copy.reshaped(&shape).unwrap_or_else(|| copy.clone()),
            back: Some((copy, out.clone())),
        }
    }

    /// Means and sums of squared distances over axes, as pairs of `double`: see [`reduce::moments`]. Reduced axes keep one element.
    pub fn moments(&mut self, value: &Value, axes: &[usize]) -> Value {
        let dims = reduce::kept_dims(value.dims(), axes, true);
        let pairs = self.temp(Element::C128, &dims);
        let (value, into, axes) = (value.clone(), pairs.clone(), axes.to_vec());
        self.step(move |memory| {
            let (from, into) = (memory.view(&value), memory.view(&into));
            if matches!(from.element(), Element::F32 | Element::F16 | Element::BF16) {
                reduce::moments::<f32>(&from, &axes, &into);
            } else {
                reduce::moments::<f64>(&from, &axes, &into);
            }
        });
        pairs
    }
}
