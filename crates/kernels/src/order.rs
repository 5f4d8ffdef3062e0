//! Kernels that compare: extremes with their positions, sorting, searching.
//!
//! Views are contiguous, with rows along the last axis. NaN is larger than every number. Nothing here allocates: positions are
//! sorted in memory that the caller gives.

use std::cmp::Ordering;

use crate::element::Compute;
use crate::rows::{rows1, rows1_2};
use crate::view::View;

/// Types that are compared in: every type of real numbers and integers fits into one of them.
pub trait Ordered: Compute {
    /// How two elements are ordered; NaN comes last.
    fn order(self, other: Self) -> Ordering;
    /// Whether it is not a number.
    fn is_nan(self) -> bool;
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl Ordered for $type {
            #[inline(always)]
            fn order(self, other: Self) -> Ordering {
                self.cmp(&other)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
        }
    )*};
}
whole!(i64, u64);

macro_rules! real {
    ($($type:ty),*) => {$(
        impl Ordered for $type {
            #[inline(always)]
            fn order(self, other: Self) -> Ordering {
                self.partial_cmp(&other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }
        }
    )*};
}
real!(f32, f64);

/// Runs an expression with a type standing for the one that elements are compared in.
#[macro_export]
macro_rules! ordered {
    ($element:expr, $type:ident => $body:expr) => {
        match $element {
            $crate::Element::F64 => {
                type $type = f64;
                $body
            }
            $crate::Element::U64 => {
                type $type = u64;
                $body
            }
            $crate::Element::I64 => {
                type $type = i64;
                $body
            }
            $crate::Element::F32 => {
                type $type = f32;
                $body
            }
            other => panic!("{other:?} is not compared in its own type"),
        }
    };
}

/// The type that elements are compared in.
pub fn ordered_type(element: millpond_model::Element) -> millpond_model::Element {
    use millpond_model::Element;
    match element {
        Element::F64 => Element::F64,
        Element::U64 => Element::U64,
        Element::F16 | Element::BF16 | Element::F32 => Element::F32,
        _ => Element::I64,
    }
}

/// The position of the largest or smallest element: the first one among equals. The first NaN wins over all.
pub fn extreme_of<T: Ordered>(row: &[T], largest: bool) -> usize {
    let mut best = 0;
    for (index, x) in row.iter().enumerate().skip(1) {
        let held = row[best];
        if held.is_nan() {
            break;
        }
        let better = match x.order(held) {
            Ordering::Greater => largest || x.is_nan(),
            Ordering::Less => !largest,
            Ordering::Equal => false,
        };
        if better {
            best = index;
        }
    }
    best
}

/// The extreme of each row and its position. Rows have elements.
pub fn extremes<T: Ordered>(x: &View, largest: bool, values: &View, positions: &View) {
    rows1_2(
        x,
        values,
        positions,
        |_, x: &[T], value: &mut [T], position: &mut [i64]| {
            let at = extreme_of(x, largest);
            value[0] = x[at];
            position[0] = number(at);
        },
    );
}

fn number(position: usize) -> i64 {
    i64::try_from(position).unwrap_or(0)
}

fn place(position: i64) -> usize {
    usize::try_from(position).unwrap_or(0)
}

/// How positions are ordered by the elements there. Equal elements stay in order.
fn by<T: Ordered>(row: &[T], descending: bool) -> impl Fn(&i64, &i64) -> Ordering {
    move |a: &i64, b: &i64| {
        let order = row[place(*a)].order(row[place(*b)]);
        let order = if descending { order.reverse() } else { order };
        order.then(a.cmp(b))
    }
}

fn count_up(positions: &mut [i64]) {
    for (index, position) in positions.iter_mut().enumerate() {
        *position = number(index);
    }
}

/// Sorts each row: where its elements come from, in order.
pub fn argsort<T: Ordered>(x: &View, descending: bool, positions: &View) {
    rows1(x, positions, |_, x: &[T], positions: &mut [i64]| {
        count_up(positions);
        positions.sort_unstable_by(by(x, descending));
    });
}

/// Elements of each row at positions; `positions` and `values` have rows of the same length.
pub fn take<T: Compute>(x: &View, positions: &View, values: &View) {
    let width = crate::rows::row_length(x);
    let from = crate::rows::whole::<T>(x, "the input");
    rows1(
        positions,
        values,
        |row, positions: &[i64], values: &mut [T]| {
            for (value, position) in values.iter_mut().zip(positions) {
                *value = from[row * width + place(*position)];
            }
        },
    );
}

/// The `positions.len()` largest or smallest elements of each row, in order. `order` is scratch memory with as many places as `x`.
pub fn top<T: Ordered>(x: &View, largest: bool, order: &View, positions: &View) {
    let chosen = crate::rows::row_length(positions);
    rows1_2(
        x,
        order,
        positions,
        |_, x: &[T], order: &mut [i64], positions: &mut [i64]| {
            count_up(order);
            if chosen == 0 {
                return;
            }
            if chosen < order.len() {
                order.select_nth_unstable_by(chosen - 1, by(x, largest));
            }
            let best = &mut order[..chosen];
            best.sort_unstable_by(by(x, largest));
            positions.copy_from_slice(best);
        },
    );
}

/// Which element of a sorted row is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// The one at this position.
    At(usize),
    /// The lower one in the middle; the first NaN if there is one.
    Median,
    /// The lower one in the middle of those that are numbers.
    MedianOfNumbers,
}

/// One element of each row by its rank. `order` is scratch memory with as many places as `x`; rows have elements.
pub fn pick<T: Ordered>(x: &View, which: Pick, order: &View, positions: &View) {
    rows1_2(
        x,
        order,
        positions,
        |_, x: &[T], order: &mut [i64], position: &mut [i64]| {
            let not_numbers = x.iter().filter(|x| x.is_nan()).count();
            let first = || x.iter().position(|x| x.is_nan()).unwrap_or(0);
            let rank = match which {
                Pick::At(rank) => rank,
                Pick::Median if not_numbers > 0 => {
                    position[0] = number(first());
                    return;
                }
                Pick::MedianOfNumbers if not_numbers == x.len() => {
                    position[0] = 0;
                    return;
                }
                Pick::Median | Pick::MedianOfNumbers => (x.len() - not_numbers - 1) / 2,
            };
            count_up(order);
            let (_, found, _) = order.select_nth_unstable_by(rank, by(x, false));
            position[0] = *found;
        },
    );
}

/// How many elements of a sorted sequence come before a value; with `right`, also those equal to it. `sorter` says where elements are.
pub fn search<T: Ordered + PartialOrd>(
    sequence: &[T],
    sorter: Option<&[i64]>,
    value: T,
    right: bool,
) -> Option<usize> {
    let (mut start, mut end) = (0, sequence.len());
    while start < end {
        let middle = start + (end - start) / 2;
        let at = match sorter {
            Some(sorter) => usize::try_from(*sorter.get(middle)?).ok()?,
            None => middle,
        };
        let found = *sequence.get(at)?;
        let behind = if right { found > value } else { found >= value };
        if behind {
            end = middle;
        } else {
            start = middle + 1;
        }
    }
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_and_the_first_nan() {
        assert_eq!(extreme_of(&[1.0_f32, 3.0, 3.0], true), 1);
        assert_eq!(extreme_of(&[1.0_f32, f32::NAN, 3.0, f32::NAN], true), 1);
        assert_eq!(extreme_of(&[1.0_f32, f32::NAN, 0.0], false), 1);
        assert_eq!(extreme_of(&[4_i64, 2, 2], false), 1);
    }

    #[test]
    fn searching() {
        let sequence = [1.0_f32, 2.0, 2.0, 5.0];
        assert_eq!(search(&sequence, None, 2.0, false), Some(1));
        assert_eq!(search(&sequence, None, 2.0, true), Some(3));
        assert_eq!(search(&sequence, None, f32::NAN, false), Some(4));
        assert_eq!(search(&[5.0_f32, 1.0], Some(&[1, 0]), 3.0, false), Some(1));
        assert_eq!(search(&[5.0_f32, 1.0], Some(&[1, 7]), 9.0, false), None);
    }
}
