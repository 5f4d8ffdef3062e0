//! Products of matrices and vectors.
//!
//! A product reads its operands with their own strides: a transposed matrix is not copied. Sums (`addmm` and its relatives) put the
//! addend into the output first and let the product add to it.
#![expect(
    clippy::many_single_char_names,
    reason = "operands and factors have the names that formulas give them"
)]

use millpond_kernels::{
    self as kernels, Complex64, Compute, Element, compute_type, integers, map, numbers,
};

use super::elementwise::{Operand, finish, rings, zip};
use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category, check_result, promote};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::{Number, Scalar};
use crate::tensor::Tensor;

/// Refuses types that have no products of matrices.
fn check_types(tensors: &[&Tensor], out: &Tensor) -> Result<(), Refusal> {
    let all = tensors.iter().map(|tensor| tensor.element());
    let element = all.reduce(promote).unwrap_or(Element::F32);
    require!(
        category(element) != Category::Bool && category(out.element()) != Category::Bool,
        "matrices of truth values cannot be multiplied: convert them to numbers first"
    );
    check_result(element, out)
}

fn expect_rank(tensor: &Tensor, name: &str, rank: usize) -> Result<(), Refusal> {
    require!(
        tensor.rank() == rank,
        "'{name}' has the shape {:?}, but must have {rank} dimensions",
        tensor.dims
    );
    Ok(())
}

/// Whether nothing has to be done before the product: all are matrices, or batches of as many, of one type that is computed in. Most are.
fn are_plain(a: &Tensor, b: &Tensor, out: &Tensor) -> bool {
    let element = out.element();
    let (Some((lead, [rows, depth])), Some((other, [height, columns])), Some((all, result))) = (
        a.dims.split_last_chunk::<2>(),
        b.dims.split_last_chunk::<2>(),
        out.dims.split_last_chunk::<2>(),
    ) else {
        return false;
    };
    compute_type(element) == element
        && a.element() == element
        && b.element() == element
        && lead == other
        && lead == all
        && depth == height
        && *result == [*rows, *columns]
}

/// The product as `torch.matmul` defines it: one-dimensional operands are a row on the left and a column on the right.
pub(crate) fn matmul(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    require!(
        a.rank() > 0 && b.rank() > 0,
        "operands of the shapes {:?} and {:?}: both must have at least one dimension",
        a.dims,
        b.dims
    );
    check_types(&[a, b], out)?;
    let mut plan = Plan::new();
    if are_plain(a, b, out) {
        let (x, y) = (plan.input_place(a), plan.input_place(b));
        let z = plan.output_place_apart(out);
        plan.step(move |m| kernels::matmul::matmul(&m.at(&x), &m.at(&y), &m.at(&z)));
        return plan.done();
    }
    let (x, y) = (plan.input(a), plan.input(b));
    let mut z = plan.output_apart(out);
    let x = if a.rank() == 1 { x.unsqueeze(0) } else { x };
    let y = if b.rank() == 1 { y.unsqueeze(1) } else { y };
    // The axes that vectors do not have come back as axes of one element.
    if b.rank() == 1 {
        z = z.unsqueeze(z.rank());
    }
    if a.rank() == 1 {
        require!(
            z.rank() >= 1,
            "'out' has the shape {:?}, which is not that of the product",
            out.dims
        );
        z = z.unsqueeze(z.rank() - 1);
    }
    plan.matmul_to(&x, &y, &z)?;
    plan.done()
}

/// The product of two matrices.
pub(crate) fn mm(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    expect_rank(a, "self", 2)?;
    expect_rank(b, "mat2", 2)?;
    matmul(a, b, out)
}

/// Products of matrices in batches.
pub(crate) fn bmm(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    expect_rank(a, "self", 3)?;
    expect_rank(b, "mat2", 3)?;
    matmul(a, b, out)
}

/// A matrix times a vector.
pub(crate) fn mv(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    expect_rank(a, "self", 2)?;
    expect_rank(b, "vec", 1)?;
    matmul(a, b, out)
}

/// The sum of the products of elements.
pub(crate) fn dot(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    expect_rank(a, "self", 1)?;
    expect_rank(b, "tensor", 1)?;
    matmul(a, b, out)
}

/// The outer product of two vectors.
pub(crate) fn ger(a: &Tensor, b: &Tensor, out: &Tensor) -> Planned {
    expect_rank(a, "self", 1)?;
    expect_rank(b, "vec2", 1)?;
    expect_shape(out, &[a.dims[0], b.dims[0]])?;
    let element = promote(a.element(), b.element());
    check_result(element, out)?;
    let mut plan = Plan::new();
    let (a, b) = (plan.input_place(a), plan.input_place(b));
    finish(plan, element, out, move |memory, out| {
        let side = |place, axis| memory.at(place).unsqueeze(axis).expand(out.dims());
        let a = Operand::View(side(&a, 1));
        let b = Operand::View(side(&b, 0));
        rings!(element, C => zip::<C, C>(&a, &b, out, Compute::mul));
    })
}

/// Whether a number is exactly this one.
fn is_number(scalar: &Scalar, number: f64) -> bool {
    scalar.complex() == Complex64::new(number, 0.0)
}

/// The least and the largest number of a type of integers.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_lossless,
    reason = "the nearest ones"
)]
fn bounds(element: Element) -> [f64; 2] {
    integers!(element, C => [C::MIN as f64, C::MAX as f64])
}

/// What `beta · self + alpha · a · b` is made of.
struct Sum<'a> {
    addend: &'a Tensor,
    beta: &'a Scalar,
    alpha: &'a Scalar,
}

impl Sum<'_> {
    /// Where the elements are integers, the factors become integers of their type: the fraction is cut off, as PyTorch does. What the type
    /// has no place for is refused.
    fn check(&self, out: &Tensor) -> Result<(), Refusal> {
        let compute = compute_type(out.element());
        if category(compute) != Category::Int {
            return Ok(());
        }
        for (name, scalar) in [("beta", self.beta), ("alpha", self.alpha)] {
            if matches!(scalar.number, Number::Bool(_) | Number::Int(_)) {
                continue;
            }
            let (value, [least, largest]) = (scalar.complex(), bounds(compute));
            require!(
                value.im == 0.0 && (least..=largest).contains(&value.re),
                "'{name}' is {value}, which the elements of 'out', integers, cannot be"
            );
        }
        Ok(())
    }

    /// The factors must be integers where the elements are.
    fn check_integers(&self, out: &Tensor) -> Result<(), Refusal> {
        for (name, scalar) in [("beta", self.beta), ("alpha", self.alpha)] {
            require!(
                category(out.element()) >= Category::Float
                    || !matches!(scalar.number, Number::Float(_) | Number::Complex(_)),
                "'{name}' is {}, but the elements of 'out' are integers",
                scalar.real()
            );
        }
        Ok(())
    }

    /// Plans it for the tensors `a` and `b`, which `shape` brings into the form of matrices that can be multiplied. `a · b` has the shape
    /// of `out` with the axes that `unfold` gives it.
    fn plan(
        &self,
        a: &Tensor,
        b: &Tensor,
        out: &Tensor,
        shape: impl Fn(Value, Value) -> (Value, Value),
        unfold: impl Fn(&Value) -> Value,
    ) -> Planned {
        check_types(&[self.addend, a, b], out)?;
        self.check(out)?;
        let fits = millpond_kernels::broadcast_dims(&self.addend.dims, &out.dims)
            == Some(out.dims.clone());
        require!(
            fits,
            "'self' has the shape {:?}, which does not broadcast to {:?}",
            self.addend.dims,
            out.dims
        );
        let compute = compute_type(out.element());
        let mut plan = Plan::new();
        let (x, y) = (plan.input(a), plan.input(b));
        let (x, y) = shape(x, y);
        let in_place = self.addend.same_layout(out) && !a.overlaps(out) && !b.overlaps(out);
        let (addend, z) = if in_place {
            let z = plan.in_place(out);
            (z.clone(), z)
        } else {
            (plan.input(self.addend), plan.output_apart(out))
        };
        let ignored = is_number(self.beta, 0.0);
        let (alpha, beta) = (*self.alpha, *self.beta);
        if category(compute) == Category::Int {
            let product = plan.temp(compute, z.dims());
            plan.matmul_into(&x, &y, &unfold(&product), Complex64::new(1.0, 0.0), false)?;
            let addend = addend.expand(z.dims());
            plan.step(move |m| {
                let (addend, product, z) = (m.view(&addend), m.view(&product), m.view(&z));
                integers!(compute, C => {
                    let (alpha, beta): (C, C) = (alpha.compute(), beta.compute());
                    map::map2::<C, C, C>(&addend, &product, &z, |x, y| x.mul(beta).add(y.mul(alpha)));
                });
            });
            return plan.done();
        }
        let room = plan.room(&z, compute);
        if !ignored {
            if is_number(self.beta, 1.0) {
                plan.deliver(&addend, &room);
            } else {
                let (from, to) = (addend.expand(room.dims()), room.clone());
                plan.step(move |m| {
                    let (from, to) = (m.view(&from), m.view(&to));
                    numbers!(compute, C => {
                        let beta: C = beta.compute();
                        map::map1::<C, C>(&from, &to, |x| x.mul(beta));
                    });
                });
            }
        }
        plan.matmul_into(&x, &y, &unfold(&room), alpha.complex(), !ignored)?;
        plan.deliver(&room, &z);
        plan.done()
    }
}

/// beta · self + alpha · mat1 · mat2.
pub(crate) fn addmm(
    addend: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: &Scalar,
    alpha: &Scalar,
    out: &Tensor,
) -> Planned {
    expect_rank(a, "mat1", 2)?;
    expect_rank(b, "mat2", 2)?;
    expect_shape(out, &[a.dims[0], b.dims[1]])?;
    let sum = Sum {
        addend,
        beta,
        alpha,
    };
    sum.plan(a, b, out, |x, y| (x, y), Value::clone)
}

/// The same for matrices in batches.
pub(crate) fn baddbmm(
    addend: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: &Scalar,
    alpha: &Scalar,
    out: &Tensor,
) -> Planned {
    expect_rank(a, "batch1", 3)?;
    expect_rank(b, "batch2", 3)?;
    expect_shape(out, &[a.dims[0], a.dims[1], b.dims[2]])?;
    let sum = Sum {
        addend,
        beta,
        alpha,
    };
    sum.plan(a, b, out, |x, y| (x, y), Value::clone)
}

/// beta · self + alpha · mat · vec.
pub(crate) fn addmv(
    addend: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: &Scalar,
    alpha: &Scalar,
    out: &Tensor,
) -> Planned {
    expect_rank(a, "mat", 2)?;
    expect_rank(b, "vec", 1)?;
    expect_shape(out, &[a.dims[0]])?;
    let sum = Sum {
        addend,
        beta,
        alpha,
    };
    sum.plan(
        a,
        b,
        out,
        |x, y| (x, y.unsqueeze(1)),
        |value| value.unsqueeze(1),
    )
}

/// beta · self + alpha · vec1 ⊗ vec2.
pub(crate) fn addr(
    addend: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: &Scalar,
    alpha: &Scalar,
    out: &Tensor,
) -> Planned {
    expect_rank(a, "vec1", 1)?;
    expect_rank(b, "vec2", 1)?;
    expect_shape(out, &[a.dims[0], b.dims[0]])?;
    let sum = Sum {
        addend,
        beta,
        alpha,
    };
    // PyTorch refuses fractions here, unlike in the products of matrices.
    sum.check_integers(out)?;
    sum.plan(
        a,
        b,
        out,
        |x, y| (x.unsqueeze(1), y.unsqueeze(0)),
        Value::clone,
    )
}

/// beta · self + alpha · the sum of batch1[i] · batch2[i]: one product whose inner axis goes through all batches.
pub(crate) fn addbmm(
    addend: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: &Scalar,
    alpha: &Scalar,
    out: &Tensor,
) -> Planned {
    expect_rank(a, "batch1", 3)?;
    expect_rank(b, "batch2", 3)?;
    require!(
        a.dims[0] == b.dims[0] && a.dims[2] == b.dims[1],
        "batches of {:?} and {:?} cannot be multiplied",
        a.dims,
        b.dims
    );
    expect_shape(out, &[a.dims[1], b.dims[2]])?;
    check_types(&[addend, a, b], out)?;
    let sum = Sum {
        addend,
        beta,
        alpha,
    };
    sum.check(out)?;
    let fits = millpond_kernels::broadcast_dims(&addend.dims, &out.dims) == Some(out.dims.clone());
    require!(
        fits,
        "'self' has the shape {:?}, which does not broadcast to {:?}",
        addend.dims,
        out.dims
    );
    let compute = compute_type(out.element());
    let mut plan = Plan::new();
    let (x, y, s) = (plan.input(a), plan.input(b), plan.input(addend));
    let z = plan.output_apart(out);
    let depth = a.dims[0].saturating_mul(a.dims[2]);
    // Batch and inner axis side by side, in both operands.
    let left = plan.temp(compute, &[a.dims[1], a.dims[0], a.dims[2]]);
    plan.copy(&x.permute(&[1, 0, 2]), &left);
    let right = plan.temp(compute, &[b.dims[0], b.dims[1], b.dims[2]]);
    plan.copy(&y, &right);
    let left = plan.reshape(&left, &[a.dims[1], depth]);
    let right = plan.reshape(&right, &[depth, b.dims[2]]);
    let product = plan.temp(compute, z.dims());
    plan.matmul_into(&left, &right, &product, Complex64::new(1.0, 0.0), false)?;
    let addend = s.expand(z.dims());
    let (alpha, beta) = (*alpha, *beta);
    let ignored = is_number(&beta, 0.0);
    plan.step(move |m| {
        let (addend, product, z) = (m.view(&addend), m.view(&product), m.view(&z));
        numbers!(compute, C => {
            let (alpha, beta): (C, C) = (alpha.compute(), beta.compute());
            map::map2::<C, C, C>(&addend, &product, &z, |x, y| {
                if ignored { y.mul(alpha) } else { x.mul(beta).add(y.mul(alpha)) }
            });
        });
    });
    plan.done()
}

/// The order of three axes.
fn order(permutation: &[i64], name: &str) -> Result<[usize; 3], Refusal> {
    let mut order = [0; 3];
    let mut seen = [false; 3];
    require!(
        permutation.len() == 3,
        "'{name}' is {permutation:?}, but must have three members"
    );
    for (place, axis) in order.iter_mut().zip(permutation) {
        let axis = usize::try_from(*axis).unwrap_or(3);
        require!(
            axis < 3 && !seen[axis],
            "'{name}' is {permutation:?}, which is not a permutation of the axes 0, 1 and 2"
        );
        seen[axis] = true;
        *place = axis;
    }
    Ok(order)
}

/// Products in batches of operands with their axes in another order; the result's axes are put in order too.
pub(crate) fn transpose_bmm(args: crate::table::TransposeBatchMatMul<'_>) -> Planned {
    let (a, b, out) = (args.input, args.weight, args.out);
    if args.bias.is_some() || args.scale.is_some() {
        return Err(Refusal::unsupported(
            "Millpond does not add a bias to these products, nor quantise them: pass NULL for 'bias' and 'scale'",
        ));
    }
    expect_rank(a, "input", 3)?;
    expect_rank(b, "weight", 3)?;
    let (first, second) = (
        order(args.perm_x1, "permX1")?,
        order(args.perm_x2, "permX2")?,
    );
    let third = order(args.perm_y, "permY")?;
    check_types(&[a, b], out)?;
    let mut plan = Plan::new();
    let (x, y) = (
        plan.input(a).permute(&first),
        plan.input(b).permute(&second),
    );
    let product = [x.dim(0), x.dim(1), y.dim(2)];
    let dims = third.map(|axis| product[axis]);
    let mut back = [0; 3];
    for (place, axis) in third.iter().enumerate() {
        back[*axis] = place;
    }
    let parts = args.batch_split_factor;
    let z = plan.output_apart(out);
    if parts == 1 {
        expect_shape(out, &dims)?;
        plan.matmul_to(&x, &y, &z.permute(&back))?;
        return plan.done();
    }
    let width = dims[1].saturating_mul(dims[2]);
    require!(
        parts > 1 && width % parts == 0,
        "'batchSplitFactor' is {parts}, which does not divide {width}"
    );
    expect_shape(out, &[parts, dims[0], width / parts])?;
    let whole = plan.temp(out.element(), &dims);
    plan.matmul_to(&x, &y, &whole.permute(&back))?;
    let split = plan.reshape(&whole, &[dims[0], parts, width / parts]);
    plan.copy(&split.transpose(0, 1), &z);
    plan.done()
}
