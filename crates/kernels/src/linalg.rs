//! Matrices taken apart: inverses, triangular systems, factors. Everything is computed in `double`.
//!
//! Views have three axes (batch, rows, columns), are contiguous and do not overlap.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parallel;
use crate::view::View;

fn size(view: &View, axis: usize) -> usize {
    usize::try_from(view.dims()[axis]).unwrap_or(0)
}

/// Runs `each` for the number of every matrix; returns the first number for which it is false.
fn for_matrices(
    count: usize,
    work: usize,
    each: impl Fn(usize) -> bool + Sync,
) -> Result<(), usize> {
    let failed = AtomicUsize::new(usize::MAX);
    parallel::ranges(count, (32 * 1024 / work.max(1)).max(1), |range| {
        for number in range {
            if !each(number) {
                failed.fetch_min(number, Ordering::Relaxed);
            }
        }
    });
    match failed.into_inner() {
        usize::MAX => Ok(()),
        number => Err(number),
    }
}

/// The inverse of each matrix; `work` starts as the matrices and is used up. Fails with the number of a matrix that has none.
pub fn inverse(work: &View, out: &View) -> Result<(), usize> {
    let n = size(work, 1);
    for_matrices(size(work, 0), n * n * n, |number| {
        let (Some(a), Some(b)) = (
            work.row_mut::<f64>(number, n * n),
            out.row_mut::<f64>(number, n * n),
        ) else {
            return true;
        };
        b.fill(0.0);
        for row in 0..n {
            b[row * n + row] = 1.0;
        }
        for column in 0..n {
            let mut pivot = column;
            for row in column + 1..n {
                if a[row * n + column].abs() > a[pivot * n + column].abs() {
                    pivot = row;
                }
            }
            if a[pivot * n + column] == 0.0 {
                return false;
            }
            if pivot != column {
                for index in 0..n {
                    a.swap(pivot * n + index, column * n + index);
                    b.swap(pivot * n + index, column * n + index);
                }
            }
            let factor = 1.0 / a[column * n + column];
            for index in 0..n {
                a[column * n + index] *= factor;
                b[column * n + index] *= factor;
            }
            for row in (0..n).filter(|row| *row != column) {
                let factor = a[row * n + column];
                if factor != 0.0 {
                    for index in 0..n {
                        a[row * n + index] -= factor * a[column * n + index];
                        b[row * n + index] -= factor * b[column * n + index];
                    }
                }
            }
        }
        true
    })
}

/// Solves `a · x = b` for triangular `a`; `x` starts as `b`. Elements on the other side of the diagonal are not read, nor those on it
/// where they count as ones.
pub fn solve_triangular(a: &View, x: &View, upper: bool, ones: bool) {
    let (n, columns) = (size(x, 1), size(x, 2));
    let matrices = a.slice::<f64>().unwrap_or_default();
    let solved = for_matrices(size(x, 0), n * n * columns, |number| {
        let Some(x) = x.row_mut::<f64>(number, n * columns) else {
            return true;
        };
        let a = &matrices[number * n * n..][..n * n];
        for step in 0..n {
            let row = if upper { n - 1 - step } else { step };
            let others = if upper { row + 1..n } else { 0..row };
            for other in others {
                let factor = a[row * n + other];
                for column in 0..columns {
                    x[row * columns + column] -= factor * x[other * columns + column];
                }
            }
            if !ones {
                for column in 0..columns {
                    x[row * columns + column] /= a[row * n + row];
                }
            }
        }
        true
    });
    debug_assert!(solved.is_ok());
}

/// The lower triangular factor of symmetric matrices, in their place. Fails with the number of a matrix that is not positive definite.
pub fn cholesky(matrices: &View) -> Result<(), usize> {
    let n = size(matrices, 1);
    for_matrices(size(matrices, 0), n * n * n / 3, |number| {
        let Some(a) = matrices.row_mut::<f64>(number, n * n) else {
            return true;
        };
        for row in 0..n {
            for column in 0..=row {
                let mut sum = a[row * n + column];
                for index in 0..column {
                    sum -= a[row * n + index] * a[column * n + index];
                }
                if row == column {
                    if sum.is_nan() || sum <= 0.0 {
                        return false;
                    }
                    a[row * n + row] = sum.sqrt();
                } else {
                    a[row * n + column] = sum / a[column * n + column];
                }
            }
            a[row * n + row + 1..(row + 1) * n].fill(0.0);
        }
        true
    })
}

/// An orthogonal and an upper triangular factor, by Householder's reflections. `work` starts as the matrices and is used up, `scales` has a
/// row of as many elements as the smaller side of a matrix; `q` has as many columns as it shall have, or none.
#[expect(
    clippy::many_single_char_names,
    reason = "the names that the factors have"
)]
pub fn qr(work: &View, scales: &View, q: &View, r: &View) {
    let (m, n) = (size(work, 1), size(work, 2));
    let (steps, wide, tall) = (m.min(n), size(q, 2), size(r, 1));
    let done = for_matrices(size(work, 0), m * n * steps, |number| {
        let (Some(a), Some(scales), Some(q), Some(r)) = (
            work.row_mut::<f64>(number, m * n),
            scales.row_mut::<f64>(number, steps),
            q.row_mut::<f64>(number, m * wide),
            r.row_mut::<f64>(number, tall * n),
        ) else {
            return true;
        };
        for step in 0..steps {
            let below: f64 = (step + 1..m).map(|row| a[row * n + step].powi(2)).sum();
            let head = a[step * n + step];
            if below == 0.0 {
                scales[step] = 0.0;
                continue;
            }
            let length = -(head * head + below).sqrt().copysign(head);
            scales[step] = (length - head) / length;
            for row in step + 1..m {
                a[row * n + step] /= head - length;
            }
            a[step * n + step] = length;
            for column in step + 1..n {
                let mut sum = a[step * n + column];
                for row in step + 1..m {
                    sum += a[row * n + step] * a[row * n + column];
                }
                sum *= scales[step];
                a[step * n + column] -= sum;
                for row in step + 1..m {
                    a[row * n + column] -= sum * a[row * n + step];
                }
            }
        }
        for row in 0..tall {
            for column in 0..n {
                r[row * n + column] = if row <= column {
                    a[row * n + column]
                } else {
                    0.0
                };
            }
        }
        q.fill(0.0);
        for row in 0..m.min(wide) {
            q[row * wide + row] = 1.0;
        }
        for step in (0..steps).rev() {
            for column in 0..wide {
                let mut sum = q[step * wide + column];
                for row in step + 1..m {
                    sum += a[row * n + step] * q[row * wide + column];
                }
                sum *= scales[step];
                q[step * wide + column] -= sum;
                for row in step + 1..m {
                    q[row * wide + column] -= sum * a[row * n + step];
                }
            }
        }
        true
    });
    debug_assert!(done.is_ok());
}
