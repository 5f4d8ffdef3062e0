//! Copies between layouts: neighbours in one go, transposed matrices in tiles.
#![expect(
    unsafe_code,
    reason = "reads and writes elements at addresses inside views"
)]

use smallvec::SmallVec;

use crate::dims::Dims;
use crate::parallel;
use crate::view::View;

/// How many bytes a thread copies at least.
const LEAST: usize = 256 * 1024;
/// Rows and columns of the part of a transposed matrix that is copied at once: it has room in the nearest cache.
const TILE: (usize, usize) = (64, 16);

/// Elements of a size, whatever they mean: copies keep every bit. `$type` stands for the type that carries them.
macro_rules! bits {
    ($bytes:expr, $type:ident, $element:ident => $body:expr) => {
        match $bytes {
            1 => {
                type $type = u8;
                let $element = millpond_model::Element::U8;
                $body
            }
            2 => {
                type $type = u16;
                let $element = millpond_model::Element::U16;
                $body
            }
            4 => {
                type $type = u32;
                let $element = millpond_model::Element::U32;
                $body
            }
            8 => {
                type $type = u64;
                let $element = millpond_model::Element::U64;
                $body
            }
            _ => {
                type $type = num_complex::Complex64;
                let $element = millpond_model::Element::C128;
                $body
            }
        }
    };
}
pub(crate) use bits;

/// Both views with their axes in the order in which the target is laid out, and neighbours joined where both allow it. What is
/// copied element by element is the same.
pub(crate) fn aligned(from: &View, to: &View) -> (View, View) {
    let from = from.expand(to.dims());
    if from.is_contiguous() && to.is_contiguous() {
        let dims = [i64::try_from(to.count()).unwrap_or(0)];
        return (from.reshape(&dims), to.reshape(&dims));
    }
    let mut order: SmallVec<[usize; 6]> = (0..to.rank())
        .filter(|axis| to.dims()[*axis] != 1)
        .collect();
    order.sort_by_key(|axis| (-to.strides()[*axis], -from.strides()[*axis]));
    let (mut dims, mut steps, mut into) = (Dims::new(), Dims::new(), Dims::new());
    for axis in order {
        let (dim, step, stride) = (to.dims()[axis], from.strides()[axis], to.strides()[axis]);
        match (dims.last_mut(), steps.last_mut(), into.last_mut()) {
            (Some(outer), Some(outer_step), Some(outer_stride))
                if *outer_step == step * dim && *outer_stride == stride * dim =>
            {
                *outer *= dim;
                (*outer_step, *outer_stride) = (step, stride);
            }
            _ => {
                dims.push(dim);
                steps.push(step);
                into.push(stride);
            }
        }
    }
    (from.laid_out(dims.clone(), steps), to.laid_out(dims, into))
}

/// Copies elements of one type, after [`aligned`].
pub(crate) fn copy_bits(from: &View, to: &View) {
    if to.count() == 0 || (from.address() == to.address() && from.strides() == to.strides()) {
        return;
    }
    bits!(to.element().bytes(), T, element => {
        copy_elements::<T>(&from.reinterpret(element), &to.reinterpret(element));
    });
}

fn signed(number: i64) -> isize {
    isize::try_from(number).unwrap_or(0)
}

fn unsigned(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

fn copy_elements<T: crate::element::Stored>(from: &View, to: &View) {
    let rank = to.rank();
    let size = size_of::<T>();
    let source = |offset: i64| {
        let first = from.address().cast::<T>().cast_const();
        first.wrapping_offset(signed(offset))
    };
    let target = |offset: i64| to.address().cast::<T>().wrapping_offset(signed(offset));
    let Some(last) = rank.checked_sub(1) else {
        // SAFETY: each view has one element.
        let value = unsafe { source(0).read() };
        // SAFETY: as above.
        unsafe { target(0).write(value) };
        return;
    };
    let (count, step, stride) = (
        unsigned(to.dims()[last]),
        from.strides()[last],
        to.strides()[last],
    );
    if rank == 1 && step == 1 && stride == 1 {
        parallel::ranges(count, LEAST / size, |range| {
            let (source, target) = (source(0), target(0));
            // SAFETY: elements of both views; an input that is the output was sorted out before, other overlaps do not occur.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    source.wrapping_add(range.start),
                    target.wrapping_add(range.start),
                    range.len(),
                );
            };
        });
        return;
    }
    // Neighbours of the source are along another axis: in tiles, so that every line of memory is fetched once.
    let across = (0..last).find(|axis| from.strides()[*axis] == 1);
    if let Some(across) = across.filter(|_| stride == 1 && step != 1) {
        let rows = unsigned(to.dims()[across]);
        let row_stride = to.strides()[across];
        let parts = rows.div_ceil(TILE.0);
        let others: SmallVec<[usize; 6]> = (0..last).filter(|axis| *axis != across).collect();
        let (outer_from, outer_to) = (from.permute(&others), to.permute(&others));
        let least = (LEAST / (size * TILE.0 * count)).max(1);
        parallel::ranges(outer_to.count() * parts, least, |range| {
            for number in range {
                let (outer, part) = (number / parts, number % parts);
                let first = part * TILE.0;
                let height = TILE.0.min(rows - first);
                let source = source(outer_from.offset_of(outer)).wrapping_add(first);
                let first = i64::try_from(first).unwrap_or(0);
                let target = target(outer_to.offset_of(outer) + first * row_stride);
                for begin in (0..count).step_by(TILE.1) {
                    let width = TILE.1.min(count - begin);
                    for row in 0..height {
                        let source = source.wrapping_add(row);
                        let target = target.wrapping_offset(signed(row_stride) * row.cast_signed());
                        for column in begin..begin + width {
                            // SAFETY: elements of both views.
                            let value = unsafe {
                                source
                                    .wrapping_offset(signed(step) * column.cast_signed())
                                    .read()
                            };
                            // SAFETY: as above.
                            unsafe { target.wrapping_add(column).write(value) };
                        }
                    }
                }
            }
        });
        return;
    }
    let (outer_from, outer_to) = (from.axes(0..last), to.axes(0..last));
    let least = (LEAST / (size * count)).max(1);
    parallel::ranges(outer_to.count(), least, |range| {
        let (mut froms, mut tos) = (outer_from.walk(range.start), outer_to.walk(range.start));
        for _ in range {
            let (source, target) = (source(froms.offset()), target(tos.offset()));
            if step == 1 && stride == 1 {
                // SAFETY: a row of both views.
                unsafe { std::ptr::copy_nonoverlapping(source, target, count) };
            } else {
                for index in 0..count.cast_signed() {
                    // SAFETY: elements of both views.
                    let value = unsafe { source.wrapping_offset(signed(step) * index).read() };
                    // SAFETY: as above.
                    unsafe { target.wrapping_offset(signed(stride) * index).write(value) };
                }
            }
            froms.step();
            tos.step();
        }
    });
}

#[cfg(test)]
mod tests {
    use millpond_model::Element;

    use super::*;

    fn view(data: &mut [u16], dims: &[i64], strides: &[i64]) -> View {
        // SAFETY: tests give layouts that fit.
        unsafe {
            View::new(
                data.as_mut_ptr().cast(),
                Element::U16,
                dims.into(),
                strides.into(),
            )
        }
    }

    /// Every kind of layout against element by element.
    #[test]
    fn layouts() {
        let shapes: [(&[i64], &[i64], &[i64]); 8] = [
            (&[70, 50], &[50, 1], &[50, 1]),
            (&[70, 50], &[1, 70], &[50, 1]),
            (&[70, 50], &[50, 1], &[1, 70]),
            (&[3, 70, 50], &[70 * 50, 1, 70], &[1, 3 * 50, 3]),
            (&[70, 50], &[0, 1], &[50, 1]),
            (&[70, 50], &[1, 0], &[100, 2]),
            (&[], &[], &[]),
            (&[2, 3, 5, 7], &[1, 2, 6, 30], &[105, 35, 7, 1]),
        ];
        for (dims, steps, strides) in shapes {
            let mut source: Vec<u16> = (0..20_000).collect();
            let mut target = vec![0_u16; 20_000];
            let mut expected = target.clone();
            let from = view(&mut source, dims, steps);
            let to = view(&mut expected, dims, strides);
            let (mut a, mut b) = (from.walk(0), to.walk(0));
            for _ in 0..to.count() {
                to.write::<u16>(b.offset(), from.read::<u16>(a.offset()));
                a.step();
                b.step();
            }
            crate::map::copy(&from, &view(&mut target, dims, strides));
            assert!(target == expected, "{dims:?} {steps:?} {strides:?}");
        }
    }
}
