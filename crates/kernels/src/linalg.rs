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

/// Singular values and vectors by one-sided Jacobi rotations, which find small values as exactly as large ones.
///
/// `work` holds the vectors to be made orthogonal as its rows: the columns of a tall matrix, or the rows of a wide one. It is used up.
/// `values` gets the singular values, largest first; the rows of `long` and `short` are the vectors of the longer and of the shorter axis.
/// Rows of `long` beyond the values complete the basis. `short` has no rows if vectors are not wanted. Fails with the number of a matrix that
/// has an element that is not finite.
pub fn svd(work: &View, values: &View, long: &View, short: &View) -> Result<(), usize> {
    let (count, length) = (size(work, 1), size(work, 2));
    let (full, turned) = (size(long, 1), size(short, 1));
    for_matrices(size(work, 0), count * count * length, |number| {
        let (Some(w), Some(s), Some(u), Some(v)) = (
            work.row_mut::<f64>(number, count * length),
            values.row_mut::<f64>(number, count),
            long.row_mut::<f64>(number, full * length),
            short.row_mut::<f64>(number, turned * count),
        ) else {
            return true;
        };
        if w.iter().any(|x| !x.is_finite()) {
            return false;
        }
        v.fill(0.0);
        for row in 0..turned {
            v[row * count + row] = 1.0;
        }
        make_orthogonal(w, v, count, length);
        for (row, value) in s.iter_mut().enumerate() {
            *value = norm(&w[row * length..][..length]);
        }
        // Largest first, by exchanging rows.
        for row in 0..count {
            let mut largest = row;
            for other in row + 1..count {
                if s[other] > s[largest] {
                    largest = other;
                }
            }
            if largest != row {
                s.swap(row, largest);
                swap_rows(w, length, row, largest);
                if turned > 0 {
                    swap_rows(v, count, row, largest);
                }
            }
        }
        if full > 0 {
            let least = s.first().copied().unwrap_or(0.0) * 1e-14;
            let known = s.iter().take_while(|value| **value > least).count();
            for row in 0..known.min(full) {
                let from = &w[row * length..][..length];
                for (to, x) in u[row * length..][..length].iter_mut().zip(from) {
                    *to = x / s[row];
                }
            }
            complete_basis(u, known.min(full), full, length);
        }
        true
    })
}

fn norm(x: &[f64]) -> f64 {
    // Scaled, so that squares neither overflow nor vanish.
    let largest = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * x.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

fn swap_rows(matrix: &mut [f64], length: usize, low: usize, high: usize) {
    let (head, tail) = matrix.split_at_mut(high * length);
    head[low * length..][..length].swap_with_slice(&mut tail[..length]);
}

/// Rotates pairs of rows until all are orthogonal; `v` is rotated in the same way.
fn make_orthogonal(w: &mut [f64], v: &mut [f64], count: usize, length: usize) {
    // Convergence is quadratic: a handful of sweeps. The limit is for matrices at the edge of rounding.
    for _ in 0..60 {
        let mut changed = false;
        for p in 0..count {
            for q in p + 1..count {
                let (a, b) = (&w[p * length..][..length], &w[q * length..][..length]);
                let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                let (alpha, beta, gamma) = (dot(a, a), dot(b, b), dot(a, b));
                if gamma == 0.0 || gamma.abs() <= 1e-15 * alpha.sqrt() * beta.sqrt() {
                    continue;
                }
                changed = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = cosine * tangent;
                rotate(w, length, (p, q), cosine, sine);
                if !v.is_empty() {
                    rotate(v, count, (p, q), cosine, sine);
                }
            }
        }
        if !changed {
            return;
        }
    }
}

fn rotate(matrix: &mut [f64], length: usize, (p, q): (usize, usize), cosine: f64, sine: f64) {
    let (head, tail) = matrix.split_at_mut(q * length);
    let rows = head[p * length..][..length]
        .iter_mut()
        .zip(&mut tail[..length]);
    for (x, y) in rows {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

/// Adds rows to `known` orthonormal ones until there are `full`.
fn complete_basis(u: &mut [f64], known: usize, full: usize, length: usize) {
    for row in known..full {
        // The unit vector that the rows so far cover least.
        let rest =
            |place: usize| 1.0 - (0..row).map(|r| u[r * length + place].powi(2)).sum::<f64>();
        let start = (0..length)
            .map(|place| (rest(place), place))
            .fold((f64::NEG_INFINITY, 0), |best, one| {
                if one.0 > best.0 { one } else { best }
            })
            .1;
        let (before, own) = u.split_at_mut(row * length);
        let own = &mut own[..length];
        own.fill(0.0);
        own[start] = 1.0;
        // Twice: rounding leaves a little of the others after the first time.
        for _ in 0..2 {
            for other in before.chunks_exact(length) {
                let share: f64 = other.iter().zip(&*own).map(|(x, y)| x * y).sum();
                for (x, y) in own.iter_mut().zip(other) {
                    *x -= share * y;
                }
            }
        }
        let size = norm(own);
        for x in own {
            *x /= size;
        }
    }
}
