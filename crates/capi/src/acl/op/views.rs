//! `ViewCopy`, whose descriptions say more than its buffers hold.
//!
//! Programs pass the address where a view begins and describe the whole storage that it is a view of, which
//! then reaches beyond the end. What is behind the view may belong to others, so what the operator sees is
//! cut to what the view spans. The output is the target once more, described as the view alone.

use millpond::Element;

use super::tensors::{Described, OperandBuffer};

/// Which inputs describe a view of the tensor `of`: its sizes, strides and offset in elements.
struct ViewInputs {
    of: usize,
    sizes: usize,
    strides: usize,
    offset: usize,
}

const TARGET: ViewInputs = ViewInputs {
    of: 0,
    sizes: 1,
    strides: 2,
    offset: 3,
};
const SOURCE: ViewInputs = ViewInputs {
    of: 4,
    sizes: 5,
    strides: 6,
    offset: 7,
};

/// Cuts the tensors of a `ViewCopy` to what their views span. Whatever does not fit is left as it is: the
/// table of operators says what is wrong with it.
pub(crate) fn cut(
    kind: &str,
    inputs: &mut [Described],
    given: &[OperandBuffer],
    outputs: &mut [Described],
    written: &[OperandBuffer],
) {
    if kind != "ViewCopy" {
        return;
    }
    for view in [TARGET, SOURCE] {
        let Some(span) = span(inputs, given, &view) else {
            continue;
        };
        let Some(desc) = inputs.get_mut(view.of).filter(|desc| fits(desc, span)) else {
            continue;
        };
        desc.dims = vec![span];
        if view.of == TARGET.of
            && let Some(output) = outputs.first_mut()
            && (fits(output, span) || is_same(given.first(), written.first()))
        {
            output.dims = vec![span];
        }
    }
}

/// Whether two buffers begin at the same address.
fn is_same(one: Option<&OperandBuffer>, other: Option<&OperandBuffer>) -> bool {
    let address = |given: Option<&OperandBuffer>| given.map(|it| it.extent.address);
    address(one).is_some() && address(one) == address(other)
}

/// Whether a tensor has at least so many elements.
fn fits(desc: &Described, span: i64) -> bool {
    let elements = desc
        .dims
        .iter()
        .try_fold(1_i64, |all, dim| all.checked_mul(*dim));
    elements.is_some_and(|elements| elements >= span)
}

/// How many elements there are from the beginning of the storage to the last one of the view.
fn span(inputs: &[Described], given: &[OperandBuffer], view: &ViewInputs) -> Option<i64> {
    let numbers = |index: usize| numbers(inputs.get(index)?, given.get(index)?);
    let (sizes, strides) = (numbers(view.sizes)?, numbers(view.strides)?);
    let offset = numbers(view.offset)?.first().copied().unwrap_or(0);
    reach(&sizes, &strides, offset)
}

/// How many elements a view reaches over; `None` for what no view has.
fn reach(sizes: &[i64], strides: &[i64], offset: i64) -> Option<i64> {
    if sizes.len() != strides.len() || sizes.contains(&0) {
        return None;
    }
    let mut steps = sizes.iter().zip(strides);
    let last = steps.try_fold(offset, |last, (size, stride)| {
        last.checked_add(size.checked_sub(1)?.checked_mul(*stride)?)
    })?;
    last.checked_add(1).filter(|reach| *reach > 0)
}

/// The integers in an input whose contents are known.
fn numbers(desc: &Described, given: &OperandBuffer) -> Option<Vec<i64>> {
    let bytes = desc.constant.as_deref().or(given.host.as_deref())?;
    match desc.element? {
        Element::I64 => {
            let words = bytes
                .chunks_exact(8)
                .map(|word| word.try_into().map(i64::from_le_bytes));
            words.collect::<Result<_, _>>().ok()
        }
        Element::I32 => {
            let words = bytes
                .chunks_exact(4)
                .map(|word| word.try_into().map(i32::from_le_bytes));
            words
                .map(|word| word.map(i64::from))
                .collect::<Result<_, _>>()
                .ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_reaches_to_its_last_element() {
        assert_eq!(reach(&[2, 3], &[10, 2], 1), Some(16));
        assert_eq!(reach(&[], &[], 0), Some(1));
        assert_eq!(reach(&[2], &[], 0), None);
        assert_eq!(reach(&[0], &[1], 0), None);
        assert_eq!(reach(&[2], &[-1], 0), None);
    }

    #[test]
    fn numbers_that_cannot_be_counted_are_no_view() {
        assert_eq!(reach(&[i64::MIN], &[2], 0), None);
        assert_eq!(reach(&[i64::MAX], &[1], 1), None);
        assert_eq!(reach(&[i64::MAX, i64::MAX], &[1, 1], 0), None);
        assert_eq!(reach(&[3], &[i64::MIN], 0), None);
    }
}
