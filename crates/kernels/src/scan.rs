//! Running results along a row: sums, products, extremes.
//!
//! Views are contiguous, with rows along the last axis.

use std::cmp::Ordering;

use crate::element::Compute;
use crate::order::Ordered;
use crate::rows::{rows1, rows1_2};
use crate::view::View;

/// In which direction a scan goes, and whether an element counts for its own position.
#[derive(Debug, Clone, Copy, Default)]
pub struct Direction {
    /// From the end to the beginning.
    pub reverse: bool,
    /// A result is of the elements before its position.
    pub exclusive: bool,
}

/// Running results of `step`, which begins with `init`.
pub fn scan<T: Compute, A: Copy + Sync>(
    x: &View,
    out: &View,
    direction: Direction,
    init: A,
    step: impl Fn(A, T) -> A + Sync,
    finish: impl Fn(A) -> T + Sync,
) {
    rows1(x, out, |_, x: &[T], out: &mut [T]| {
        let mut state = init;
        let mut visit = |x: &T, out: &mut T| {
            let before = state;
            state = step(state, *x);
            *out = finish(if direction.exclusive { before } else { state });
        };
        let pairs = x.iter().zip(out);
        if direction.reverse {
            pairs.rev().for_each(|(x, out)| visit(x, out));
        } else {
            pairs.for_each(|(x, out)| visit(x, out));
        }
    });
}

/// The largest or smallest element so far and its position: the last one among equals; NaN stays.
pub fn extremes<T: Ordered>(x: &View, largest: bool, values: &View, positions: &View) {
    rows1_2(
        x,
        values,
        positions,
        |_, x: &[T], values: &mut [T], positions: &mut [i64]| {
            let mut best = 0;
            for (index, x_here) in x.iter().enumerate() {
                let held = x[best];
                let replaces = match x_here.order(held) {
                    _ if x_here.is_nan() => true,
                    _ if held.is_nan() => false,
                    Ordering::Equal => true,
                    Ordering::Greater => largest,
                    Ordering::Less => !largest,
                };
                if replaces {
                    best = index;
                }
                values[index] = x[best];
                positions[index] = i64::try_from(best).unwrap_or(0);
            }
        },
    );
}
