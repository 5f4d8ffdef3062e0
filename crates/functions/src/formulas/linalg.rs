//! Matrices taken apart, and distances.
#![expect(
    clippy::many_single_char_names,
    reason = "operands and factors have the names that formulas give them"
)]

use millpond_kernels::{
    Compute, Dims, Element, Float, broadcast_dims, compute_type, floats, linalg, map, numbers,
};

use super::{axis_of, broadcast, expect_shape};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category, check_result, is_float, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// Refuses what is not matrices of real numbers.
fn expect_matrices(tensor: &Tensor, name: &str) -> Result<(), Refusal> {
    require!(
        tensor.rank() >= 2,
        "'{name}' has the shape {:?}, but must have at least 2 dimensions",
        tensor.dims
    );
    if category(tensor.element()) == Category::Complex {
        return Err(Refusal::unsupported(format!(
            "Millpond does not decompose matrices of {} elements",
            tensor.element().name()
        )));
    }
    require!(
        is_float(tensor.element()),
        "'{name}' has {} elements, but must have real numbers",
        tensor.element().name()
    );
    Ok(())
}

fn expect_square(tensor: &Tensor, name: &str) -> Result<(), Refusal> {
    expect_matrices(tensor, name)?;
    let rank = tensor.rank();
    require!(
        tensor.dims[rank - 1] == tensor.dims[rank - 2],
        "'{name}' has the shape {:?}, but its matrices must be square",
        tensor.dims
    );
    Ok(())
}

/// Matrices with the axes before them as one.
fn matrices(plan: &mut Plan, value: &Value) -> Value {
    let rank = value.rank();
    let batch: i64 = value.dims()[..rank - 2].iter().product();
    plan.reshape(value, &[batch, value.dim(rank - 2), value.dim(rank - 1)])
}

/// A copy of matrices in `double`, with the axes before them as one.
fn working_copy(plan: &mut Plan, value: &Value, dims: &[i64]) -> Value {
    let copy = plan.temp(Element::F64, dims);
    plan.copy(value, &copy);
    matrices(plan, &copy)
}

/// The inverses of square matrices.
pub(crate) fn inverse(a: &Tensor, out: &Tensor) -> Planned {
    expect_square(a, "self")?;
    expect_shape(out, &a.dims)?;
    check_result(a.element(), out)?;
    let mut plan = Plan::new();
    let x = plan.input(a);
    let y = plan.output_apart(out);
    let work = working_copy(&mut plan, &x, &a.dims);
    let room = plan.dense_room(&y, Element::F64);
    let into = matrices(&mut plan, &room);
    plan.try_step(move |m| {
        linalg::inverse(&m.view(&work), &m.view(&into))
            .map_err(|number| format!("matrix {number} of 'self' is singular: it has no inverse"))
    });
    plan.deliver(&room, &y);
    plan.done()
}

/// Solves A · X = B for triangular A.
pub(crate) fn triangular_solve(
    b: &Tensor,
    a: &Tensor,
    (upper, transpose, ones): (bool, bool, bool),
    x: &Tensor,
    copy: &Tensor,
) -> Planned {
    expect_square(a, "A")?;
    expect_matrices(b, "self")?;
    let (a_lead, b_lead) = (a.rank() - 2, b.rank() - 2);
    require!(
        a.dims[a_lead] == b.dims[b_lead],
        "'A' has the shape {:?} and 'self' {:?}: both must have the same number of rows",
        a.dims,
        b.dims
    );
    let Some(lead) = broadcast_dims(&a.dims[..a_lead], &b.dims[..b_lead]) else {
        return Err(Refusal::invalid(format!(
            "the leading dimensions of 'A' {:?} and 'self' {:?} do not broadcast",
            a.dims, b.dims
        )));
    };
    let with = |own: &[i64]| lead.iter().chain(own).copied().collect::<Dims>();
    let (a_dims, b_dims) = (with(&a.dims[a_lead..]), with(&b.dims[b_lead..]));
    expect_shape(x, &b_dims)?;
    expect_shape(copy, &a_dims)?;
    check_result(promote(a.element(), b.element()), x)?;
    let mut plan = Plan::new();
    let (left, right) = (plan.input(a), plan.input(b));
    let (solution, kept) = (plan.output_apart(x), plan.output_apart(copy));
    plan.copy(&left, &kept);
    let rank = left.rank();
    let turned = if transpose {
        left.transpose(rank - 2, rank - 1)
    } else {
        left
    };
    let work = working_copy(&mut plan, &turned, &a_dims);
    let room = plan.dense_room(&solution, Element::F64);
    plan.copy(&right, &room);
    let into = matrices(&mut plan, &room);
    let upper = upper != transpose;
    plan.step(move |m| linalg::solve_triangular(&m.view(&work), &m.view(&into), upper, ones));
    plan.deliver(&room, &solution);
    plan.done()
}

/// The triangular factor of symmetric, positive definite matrices.
pub(crate) fn cholesky(a: &Tensor, upper: bool, out: &Tensor) -> Planned {
    expect_square(a, "self")?;
    expect_shape(out, &a.dims)?;
    check_result(a.element(), out)?;
    let mut plan = Plan::new();
    let x = plan.input(a);
    let y = plan.output_apart(out);
    let rank = x.rank();
    // The upper factor is the lower one of the transpose, turned back.
    let turn = |value: &Value| {
        if upper {
            value.transpose(rank - 2, rank - 1)
        } else {
            value.clone()
        }
    };
    let copy = plan.temp(Element::F64, &a.dims);
    plan.copy(&turn(&x), &copy);
    let work = matrices(&mut plan, &copy);
    plan.try_step(move |m| {
        linalg::cholesky(&m.view(&work))
            .map_err(|number| format!("matrix {number} of 'self' is not positive definite"))
    });
    plan.copy(&copy, &turn(&y));
    plan.done()
}

/// An orthogonal and an upper triangular factor. How many columns and rows they have, the outputs say.
pub(crate) fn qr(a: &Tensor, q: &Tensor, r: &Tensor) -> Planned {
    expect_matrices(a, "self")?;
    check_result(a.element(), q)?;
    check_result(a.element(), r)?;
    let lead = a.rank() - 2;
    let (rows, columns) = (a.dims[lead], a.dims[lead + 1]);
    let least = rows.min(columns);
    let with = |own: [i64; 2]| a.dims[..lead].iter().chain(&own).copied().collect::<Dims>();
    let complete = q.dims == with([rows, rows]) && r.dims == with([rows, columns]);
    let reduced = q.dims == with([rows, least]) && r.dims == with([least, columns]);
    let alone = q.is_empty() && r.dims == with([least, columns]);
    require!(
        complete || reduced || alone,
        "'Q' has the shape {:?} and 'R' {:?}, which are not those of factors of {:?}",
        q.dims,
        r.dims,
        a.dims
    );
    let (wide, tall) = if complete && !reduced {
        (rows, rows)
    } else {
        (if reduced { least } else { 0 }, least)
    };
    let mut plan = Plan::new();
    let x = plan.input(a);
    let (first, second) = (plan.output_apart(q), plan.output_apart(r));
    let work = working_copy(&mut plan, &x, &a.dims);
    let scales = plan.temp(Element::F64, &[work.dim(0), least]);
    let orthogonal = plan.temp(Element::F64, &with([rows, wide]));
    let triangular = plan.temp(Element::F64, &with([tall, columns]));
    let (q_room, r_room) = (
        matrices(&mut plan, &orthogonal),
        matrices(&mut plan, &triangular),
    );
    plan.step(move |m| {
        linalg::qr(
            &m.view(&work),
            &m.view(&scales),
            &m.view(&q_room),
            &m.view(&r_room),
        );
    });
    if !q.is_empty() {
        plan.copy(&orthogonal, &first);
    }
    plan.copy(&triangular, &second);
    plan.done()
}

/// The cross products of vectors of three elements along an axis.
pub(crate) fn cross(a: &Tensor, b: &Tensor, axis: i64, out: &Tensor) -> Planned {
    require!(
        a.rank() == b.rank() && a.rank() > 0,
        "'self' has the shape {:?} and 'other' {:?}: both must have the same number of dimensions, at least one",
        a.dims,
        b.dims
    );
    let dims = broadcast(&[a, b])?;
    expect_shape(out, &dims)?;
    let axis = axis_of(a, axis, "dim")?;
    require!(
        a.dims[axis] == 3 && b.dims[axis] == 3,
        "'self' has the shape {:?} and 'other' {:?}: both must have 3 elements along axis {axis}",
        a.dims,
        b.dims
    );
    let element = compute_type(promote(a.element(), b.element()));
    check_result(element, out)?;
    let mut plan = Plan::new();
    let (x, y) = (plan.input(a).expand(&dims), plan.input(b).expand(&dims));
    let z = plan.output_apart(out);
    for index in 0..3 {
        let (next, last) = ((index + 1) % 3, (index + 2) % 3);
        let parts = [
            x.select(axis, next),
            y.select(axis, last),
            x.select(axis, last),
            y.select(axis, next),
        ];
        let part = z.select(axis, index);
        plan.step(move |m| {
            let [p, q, r, s] = parts.each_ref().map(|part| m.view(part));
            let out = m.view(&part);
            numbers!(element, C => map::map4::<C, C, C, C, C>(&p, &q, &r, &s, &out, |p, q, r, s| p.mul(q).sub(r.mul(s))));
        });
    }
    plan.done()
}

/// The p-norm of the difference of two vectors.
fn distance<T: Float>(a: &[T], b: &[T], p: f64) -> f64 {
    let apart = a
        .iter()
        .zip(b)
        .map(|(x, y)| (x.to_f64() - y.to_f64()).abs());
    match p {
        0.0 => apart.map(|x| f64::from(u8::from(x != 0.0))).sum(),
        1.0 => apart.sum(),
        2.0 => apart.map(|x| x * x).sum::<f64>().sqrt(),
        f64::INFINITY => apart.fold(0.0, f64::max_nan),
        _ => apart.map(|x| x.powf(p)).sum::<f64>().powf(1.0 / p),
    }
}

fn expect_norm(p: f32) -> Result<f64, Refusal> {
    require!(p >= 0.0, "'p' is {p}, but must not be negative");
    Ok(f64::from(p))
}

/// The distances between all rows of two matrices.
pub(crate) fn cdist(a: &Tensor, b: &Tensor, p: f32, out: &Tensor) -> Planned {
    expect_matrices(a, "x1")?;
    expect_matrices(b, "x2")?;
    let p = expect_norm(p)?;
    let (a_lead, b_lead) = (a.rank() - 2, b.rank() - 2);
    let (rows, columns, depth) = (a.dims[a_lead], b.dims[b_lead], a.dims[a_lead + 1]);
    require!(
        b.dims[b_lead + 1] == depth,
        "'x1' has the shape {:?} and 'x2' {:?}: both must have the same number of columns",
        a.dims,
        b.dims
    );
    let Some(lead) = broadcast_dims(&a.dims[..a_lead], &b.dims[..b_lead]) else {
        return Err(Refusal::invalid(format!(
            "the leading dimensions of 'x1' {:?} and 'x2' {:?} do not broadcast",
            a.dims, b.dims
        )));
    };
    let with = |own: [i64; 2]| lead.iter().chain(&own).copied().collect::<Dims>();
    expect_shape(out, &with([rows, columns]))?;
    let element = promote(a.element(), b.element());
    check_result(element, out)?;
    let element = compute_type(element);
    let mut plan = Plan::new();
    let (x, y) = (plan.input(a), plan.input(b));
    let z = plan.output_apart(out);
    let x = plan.contiguous(&x.expand(&with([rows, depth])), element);
    let y = plan.contiguous(&y.expand(&with([columns, depth])), element);
    let size = |dim: i64| usize::try_from(dim).unwrap_or(0);
    let (rows, columns, depth) = (size(rows), size(columns), size(depth));
    plan.step(move |m| {
        let (x, y, z) = (m.view(&x), m.view(&y), m.view(&z));
        floats!(element, T => {
            let (left, right) = (x.slice::<T>().unwrap_or_default(), y.slice::<T>().unwrap_or_default());
            map::generate::<T>(&z, |number| {
                let (row, column) = (number / columns, number % columns);
                let other = row / rows * columns + column;
                <T as Float>::of(distance(&left[row * depth..][..depth], &right[other * depth..][..depth], p))
            });
        });
    });
    plan.done()
}

/// The distances between all pairs of rows of a matrix, each pair once.
pub(crate) fn pdist(a: &Tensor, p: f32, out: &Tensor) -> Planned {
    expect_matrices(a, "self")?;
    let p = expect_norm(p)?;
    require!(
        a.rank() == 2,
        "'self' has the shape {:?}, but must have 2 dimensions",
        a.dims
    );
    let (rows, depth) = (a.dims[0], a.dims[1]);
    expect_shape(out, &[rows.saturating_mul((rows - 1).max(0)) / 2])?;
    check_result(a.element(), out)?;
    let element = compute_type(a.element());
    let mut plan = Plan::new();
    let x = plan.input(a);
    let z = plan.output_apart(out);
    let x = plan.contiguous(&x, element);
    let size = |dim: i64| usize::try_from(dim).unwrap_or(0);
    let (rows, depth) = (size(rows), size(depth));
    plan.step(move |m| {
        let (x, z) = (m.view(&x), m.view(&z));
        floats!(element, T => {
            let all = x.slice::<T>().unwrap_or_default();
            map::generate::<T>(&z, |number| {
                let (first, second) = pair(number, rows);
                <T as Float>::of(distance(&all[first * depth..][..depth], &all[second * depth..][..depth], p))
            });
        });
    });
    plan.done()
}

/// The pair with this number: (0, 1), (0, 2), …, (1, 2), ….
fn pair(number: usize, rows: usize) -> (usize, usize) {
    // The last row whose pairs begin at or before the number, by halving.
    let begin = |row: usize| row * (2 * rows - row - 1) / 2;
    let (mut low, mut high) = (0, rows - 1);
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if begin(middle) <= number {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, low + 1 + number - begin(low))
}

/// Singular values and vectors: a = u · diag(sigma) · vᵀ. Whether u and v are square, the outputs say.
pub(crate) fn svd(a: &Tensor, vectors: bool, sigma: &Tensor, u: &Tensor, v: &Tensor) -> Planned {
    expect_matrices(a, "input")?;
    let lead = a.rank() - 2;
    let (rows, columns) = (a.dims[lead], a.dims[lead + 1]);
    let least = rows.min(columns);
    let with = |own: &[i64]| a.dims[..lead].iter().chain(own).copied().collect::<Dims>();
    expect_shape(sigma, &with(&[least]))?;
    check_result(a.element(), sigma)?;
    let mut full = 0;
    if vectors {
        check_result(a.element(), u)?;
        check_result(a.element(), v)?;
        let reduced = u.dims == with(&[rows, least]) && v.dims == with(&[columns, least]);
        let complete = u.dims == with(&[rows, rows]) && v.dims == with(&[columns, columns]);
        require!(
            reduced || complete,
            "'u' has the shape {:?} and 'v' {:?}, which are not those of factors of {:?}",
            u.dims,
            v.dims,
            a.dims
        );
        full = if reduced { least } else { rows.max(columns) };
    }
    let mut plan = Plan::new();
    let x = plan.input(a);
    let s = plan.output_apart(sigma);
    let outputs = vectors.then(|| (plan.output_apart(u), plan.output_apart(v)));
    let tall = rows > columns;
    let rank = x.rank();
    let turned = if tall {
        x.transpose(rank - 2, rank - 1)
    } else {
        x
    };
    let length = rows.max(columns);
    let work = working_copy(&mut plan, &turned, &with(&[least, length]));
    let values = plan.temp(Element::F64, &with(&[least]));
    let long = plan.temp(Element::F64, &with(&[full, length]));
    let short = plan.temp(
        Element::F64,
        &with(&[if vectors { least } else { 0 }, least]),
    );
    let batch = work.dim(0);
    let into = [
        plan.reshape(&values, &[batch, least]),
        matrices(&mut plan, &long),
        matrices(&mut plan, &short),
    ];
    plan.try_step(move |m| {
        let [values, long, short] = into.each_ref().map(|value| m.view(value));
        linalg::svd(&m.view(&work), &values, &long, &short).map_err(|number| {
            format!(
                "matrix {number} of 'input' has infinite elements or NaN: it has no singular values"
            )
        })
    });
    plan.copy(&values, &s);
    if let Some((u, v)) = outputs {
        let (first, second) = if tall {
            (&long, &short)
        } else {
            (&short, &long)
        };
        plan.copy(&first.transpose(rank - 2, rank - 1), &u);
        plan.copy(&second.transpose(rank - 2, rank - 1), &v);
    }
    plan.done()
}

/// The gradient of one distance by one coordinate, without the factor of what comes in.
fn distance_slope(apart: f64, distance: f64, p: f64) -> f64 {
    let sign = if apart == 0.0 { 0.0 } else { apart.signum() };
    match p {
        0.0 => 0.0,
        1.0 => sign,
        f64::INFINITY => sign * f64::from(u8::from(apart.abs() == distance)),
        // Equal points have distance 0 and no direction: 0, as in PyTorch.
        _ if distance == 0.0 => 0.0,
        2.0 => apart / distance,
        _ if apart == 0.0 => 0.0,
        _ => sign * (apart.abs() / distance).powf(p - 1.0),
    }
}

/// The gradient of [`cdist`] for its first operand.
pub(crate) fn cdist_backward(
    gradient: &Tensor,
    [a, b, distances]: [&Tensor; 3],
    p: f32,
    out: &Tensor,
) -> Planned {
    expect_matrices(a, "x1")?;
    expect_matrices(b, "x2")?;
    // Callers write the norm of the largest coordinate as -1.
    let p = if p == -1.0 {
        f64::INFINITY
    } else {
        expect_norm(p)?
    };
    let lead = a.rank() - 2;
    require!(
        b.rank() == a.rank() && b.dims[..lead] == a.dims[..lead],
        "'x1' has the shape {:?} and 'x2' {:?}: both must have the same leading dimensions",
        a.dims,
        b.dims
    );
    let (rows, columns, depth) = (a.dims[lead], b.dims[lead], a.dims[lead + 1]);
    require!(
        b.dims[lead + 1] == depth,
        "'x1' has the shape {:?} and 'x2' {:?}: both must have as many columns",
        a.dims,
        b.dims
    );
    let table: Dims = a.dims[..lead]
        .iter()
        .copied()
        .chain([rows, columns])
        .collect();
    for (name, tensor) in [("grad", gradient), ("cdist", distances)] {
        require!(
            tensor.dims == table,
            "'{name}' has the shape {:?}, but the distances have {table:?}",
            tensor.dims
        );
    }
    expect_shape(out, &a.dims)?;
    let element = promote(
        promote(a.element(), b.element()),
        promote(gradient.element(), distances.element()),
    );
    check_result(element, out)?;
    let element = compute_type(element);
    let mut plan = Plan::new();
    let inputs = [gradient, a, b, distances].map(|tensor| plan.input(tensor));
    let z = plan.output_apart(out);
    let [g, x, y, d] = inputs.map(|value| plan.contiguous(&value, element));
    let size = |dim: i64| usize::try_from(dim).unwrap_or(0);
    let (rows, columns, depth) = (size(rows), size(columns), size(depth));
    plan.step(move |m| {
        let views = [&g, &x, &y, &d].map(|value| m.view(value));
        let z = m.view(&z);
        floats!(element, T => {
            let [g, x, y, d] = views.each_ref().map(|view| view.slice::<T>().unwrap_or_default());
            map::generate::<T>(&z, |number| {
                let (row, axis) = (number / depth, number % depth);
                let other = row / rows * columns;
                let mut sum = 0.0;
                for column in 0..columns {
                    let pair = row * columns + column;
                    let (one, two) = (&x[row * depth..][..depth], &y[(other + column) * depth..][..depth]);
                    let apart = one[axis].to_f64() - two[axis].to_f64();
                    // The largest coordinate is found by comparing, and distances that came in were rounded.
                    let far = if p == f64::INFINITY { distance(one, two, p) } else { d[pair].to_f64() };
                    sum += g[pair].to_f64() * distance_slope(apart, far, p);
                }
                <T as Float>::of(sum)
            });
        });
    });
    plan.done()
}
