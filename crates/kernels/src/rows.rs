//! Row by row: kernels that need a whole axis at once, such as softmax, sorting or running sums.
//!
//! They work on slices. Who calls them brings the axis to the end and the elements into one piece, in the type that is computed in.

use crate::element::Stored;
use crate::parallel;
use crate::view::View;

/// How much work a row stands for before threads share rows.
const LEAST: usize = 16 * 1024;

pub(crate) fn row_length(view: &View) -> usize {
    view.dims()
        .last()
        .map_or(1, |dim| usize::try_from(*dim).unwrap_or(0))
}

pub(crate) fn whole<'a, T: Stored>(view: &'a View, what: &str) -> &'a [T] {
    view.slice::<T>()
        .unwrap_or_else(|| panic!("{what} is not contiguous {:?}: {view:?}", T::ELEMENT))
}

/// Runs `each` for every row of `input` with the row of `out` that has the same number. Both are contiguous and do not overlap.
pub fn rows1<A: Stored, R: Stored>(
    input: &View,
    out: &View,
    each: impl Fn(usize, &[A], &mut [R]) + Sync,
) {
    let (from, width) = (whole::<A>(input, "the input"), row_length(input));
    let (into, room) = (out, row_length(out));
    let rows = from.len().checked_div(width);
    let rows = rows.unwrap_or_else(|| out.count().checked_div(room).unwrap_or(0));
    for_rows(rows, width.max(room), |row| {
        if let Some(results) = into.row_mut::<R>(row, room) {
            each(row, &from[row * width..][..width], results);
        }
    });
}

/// The same with two inputs.
pub fn rows2<A: Stored, B: Stored, R: Stored>(
    a: &View,
    b: &View,
    out: &View,
    each: impl Fn(usize, &[A], &[B], &mut [R]) + Sync,
) {
    let (b, b_width) = (whole::<B>(b, "the second input"), row_length(b));
    rows1(a, out, |row, a: &[A], out: &mut [R]| {
        each(row, a, &b[row * b_width..][..b_width], out);
    });
}

/// The same with two outputs.
pub fn rows1_2<A: Stored, R: Stored, S: Stored>(
    a: &View,
    first: &View,
    second: &View,
    each: impl Fn(usize, &[A], &mut [R], &mut [S]) + Sync,
) {
    let room = row_length(second);
    rows1(a, first, |row, a: &[A], first: &mut [R]| {
        if let Some(second) = second.row_mut::<S>(row, room) {
            each(row, a, first, second);
        }
    });
}

/// The same with three outputs.
pub fn rows1_3<A: Stored, R: Stored, S: Stored, T: Stored>(
    a: &View,
    first: &View,
    second: &View,
    third: &View,
    each: impl Fn(usize, &[A], &mut [R], &mut [S], &mut [T]) + Sync,
) {
    let room = row_length(third);
    rows1_2(
        a,
        first,
        second,
        |row, a: &[A], first: &mut [R], second: &mut [S]| {
            if let Some(third) = third.row_mut::<T>(row, room) {
                each(row, a, first, second, third);
            }
        },
    );
}

/// Runs `each` for `rows` rows of about `width` elements, on several threads if there is enough to do.
pub fn for_rows(rows: usize, width: usize, each: impl Fn(usize) + Sync) {
    parallel::ranges(rows, (LEAST / width.max(1)).max(1), |range| {
        range.for_each(&each);
    });
}
