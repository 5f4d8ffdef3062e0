//! Tensors whose elements follow from numbers: constants, ranges, diagonals.

use millpond_kernels::index::{Put, Rules};
use millpond_kernels::{Dims, Element, map, numbers};

use super::{axis_of, expect_shape};
use crate::indexing::{Lookup, expect_integers};
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

impl Plan {
    /// Writes one number everywhere, in the type of the elements. Integers keep all their bits.
    pub(crate) fn fill_scalar(&mut self, value: &Value, number: &Scalar) {
        let (value, number) = (value.clone(), *number);
        self.step(move |memory| {
            let view = memory.view(&value);
            if view.element() == Element::Bool {
                return map::fill::<u8>(&view, u8::from(number.is_true()));
            }
            numbers!(view.element(), C => map::fill::<C>(&view, number.compute()));
        });
    }

    /// A number as a value without axes.
    pub(crate) fn constant(&mut self, element: Element, number: &Scalar) -> Value {
        let value = self.temp(element, &[]);
        self.fill_scalar(&value, number);
        value
    }
}

/// self = number.
pub(crate) fn scalar(out: &Tensor, number: &Scalar) -> Planned {
    let mut plan = Plan::new();
    let z = plan.output(out);
    plan.fill_scalar(&z, number);
    plan.done()
}

/// self = the element of a tensor that has one.
pub(crate) fn tensor(out: &Tensor, other: &Tensor) -> Planned {
    require!(
        other.rank() <= 1 && other.count() == 1,
        "'other' has the shape {:?}, it must have one element",
        other.dims
    );
    let mut plan = Plan::new();
    let mut value = plan.input(other);
    if value.rank() == 1 {
        value = value.select(0, 0);
    }
    let z = plan.output_apart(out);
    plan.copy(&value, &z);
    plan.done()
}

/// self\[i, i, …\] = number. With `wrap`, a tall matrix gets one diagonal after the other, with a row between them.
pub(crate) fn diagonal(out: &Tensor, number: &Scalar, wrap: bool) -> Planned {
    let rank = out.rank();
    require!(
        rank >= 2 && (rank == 2 || out.dims.iter().all(|dim| *dim == out.dims[0])),
        "'selfRef' has the shape {:?}; it must have two dimensions, or more of one length",
        out.dims
    );
    let mut plan = Plan::new();
    let mut value = plan.changed(out, out);
    if out.is_empty() {
        return plan.done();
    }
    let (height, width) = (value.dim(0), value.dim(1));
    if wrap && rank == 2 && height > width {
        let blocks = height / (width + 1);
        let whole = value.narrow(0, 0, blocks * (width + 1));
        let diagonals = whole.split(0, width + 1).narrow(1, 0, width).diagonal(1, 2);
        plan.fill_scalar(&diagonals, number);
        value = value.narrow(0, blocks * (width + 1), height % (width + 1));
    }
    while value.rank() > 1 {
        value = value.diagonal(value.rank() - 2, value.rank() - 1);
    }
    plan.fill_scalar(&value, number);
    plan.done()
}

/// Ones on the diagonal.
pub(crate) fn eye(rows: i64, columns: i64, out: &Tensor) -> Planned {
    expect_shape(out, &[rows, columns])?;
    let mut plan = Plan::new();
    let z = plan.output(out);
    plan.fill(&z, 0.0);
    plan.fill(&z.diagonal(0, 1), 1.0);
    plan.done()
}

fn is_whole(scalar: &Scalar) -> bool {
    category(scalar.element) <= Category::Int
}

/// start, start + step, … : before `end`, or up to it if it is included.
pub(crate) fn range(
    start: &Scalar,
    end: &Scalar,
    step: &Scalar,
    included: bool,
    out: &Tensor,
) -> Planned {
    require!(
        out.rank() == 1,
        "'out' has the shape {:?}, it must have one dimension",
        out.dims
    );
    let (first, last, by) = (start.real(), end.real(), step.real());
    require!(by != 0.0, "'step' is 0");
    let spans = (last - first) / by;
    require!(
        spans >= 0.0,
        "steps of {by} do not lead from {first} to {last}"
    );
    let length = out.dims[0];
    // Rounding decides whether a fraction of a step is one more element; the caller has decided already.
    let expected = if included { spans + 1.0 } else { spans };
    #[expect(clippy::cast_precision_loss, reason = "compared roughly")]
    let off = (length as f64 - expected).abs();
    require!(
        off <= 1.0,
        "'out' has {length} elements, but from {first} to {last} in steps of {by} there are about {expected}"
    );
    let mut plan = Plan::new();
    let z = plan.output(out);
    let whole = is_whole(start) && is_whole(step) || category(out.element()) <= Category::Int;
    let (begin, step) = (start.whole(), step.whole());
    plan.step(move |m| {
        let z = m.view(&z);
        if whole {
            map::generate(&z, |number| {
                begin.wrapping_add(step.wrapping_mul(i64::try_from(number).unwrap_or(0)))
            });
        } else {
            #[expect(clippy::cast_precision_loss, reason = "fewer elements than that")]
            map::generate(&z, |number| first + by * number as f64);
        }
    });
    plan.done()
}

/// `steps` numbers from start to end, both included.
pub(crate) fn linspace(start: &Scalar, end: &Scalar, steps: i64, out: &Tensor) -> Planned {
    require!(steps >= 0, "'steps' is {steps}, but must not be negative");
    expect_shape(out, &[steps])?;
    // Among integers the ends are integers first, as in PyTorch.
    let whole = category(out.element()) <= Category::Int;
    let end_of = |number: &Scalar| {
        if whole {
            number.real().trunc()
        } else {
            number.real()
        }
    };
    let (first, last) = (end_of(start), end_of(end));
    let mut plan = Plan::new();
    let z = plan.output(out);
    let count = out.count();
    plan.step(move |m| {
        #[expect(clippy::cast_precision_loss, reason = "fewer elements than that")]
        let by = if count > 1 {
            (last - first) / (count - 1) as f64
        } else {
            0.0
        };
        // From both ends, so that the last one is met.
        #[expect(clippy::cast_precision_loss, reason = "fewer elements than that")]
        map::generate(&m.view(&z), |number| {
            if number < count / 2 || count == 1 {
                first + by * number as f64
            } else {
                last - by * (count - 1 - number) as f64
            }
        });
    });
    plan.done()
}

/// A vector of `classes` elements for each index: `on` at the index, `off` elsewhere. An index that is not a class has none.
pub(crate) fn one_hot(
    index: &Tensor,
    classes: i64,
    on: &Tensor,
    off: &Tensor,
    axis: i64,
    out: &Tensor,
) -> Planned {
    expect_integers(index, "self")?;
    require!(
        on.count() == 1 && off.count() == 1,
        "'onValue' and 'offValue' have the shapes {:?} and {:?}, they must have one element each",
        on.dims,
        off.dims
    );
    let place = axis_of(out, axis, "axis")?;
    require!(
        classes >= 0 && place <= index.rank(),
        "'numClasses' is {classes} and 'axis' is {axis}, for indices of shape {:?}",
        index.dims
    );
    let mut dims = index.dims.clone();
    dims.insert(place, classes);
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let (x, on, off) = (plan.input(index), plan.input(on), plan.input(off));
    let z = plan.output_apart(out);
    let (on, off) = (plan.reshape(&on, &[]), plan.reshape(&off, &[]));
    plan.copy(&off, &z);
    let mut own = Dims::from(z.strides());
    own.remove(place);
    let rules = Rules {
        lenient: true,
        ..Rules::default()
    };
    let offsets = plan.offsets(x.dims(), &own, vec![Lookup::new(&z, place, &x)], rules);
    plan.scatter(&on.expand(x.dims()), 0, 0, &offsets, &z, Put::Assign);
    plan.done()
}

/// Where elements are kept in a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Triangle {
    /// On and below a diagonal.
    Lower,
    /// On and above it.
    Upper,
}

/// Matrices with zeros outside a triangle.
pub(crate) fn triangle(x: &Tensor, diagonal: i64, which: Triangle, out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    require!(
        x.rank() >= 2,
        "'self' has the shape {:?}, it must have at least two dimensions",
        x.dims
    );
    crate::promote::check_result(x.element(), out)?;
    let mut plan = Plan::new();
    let value = plan.input(x);
    let z = plan.output(out);
    let value = plan.cast(&value, out.element());
    plan.step(move |m| {
        millpond_kernels::select::triangle(&m.view(&value), &m.view(&z), |row, column| {
            let distance = column - row;
            match which {
                Triangle::Lower => distance <= diagonal,
                Triangle::Upper => distance >= diagonal,
            }
        });
    });
    plan.done()
}

/// Whether elements are equal to a number, or unequal.
pub(crate) fn is_in_scalar(x: &Tensor, number: &Scalar, invert: bool, out: &Tensor) -> Planned {
    expect_shape(out, &x.dims)?;
    let element = crate::promote::with_scalar(x.element(), number);
    let mut plan = Plan::new();
    let value = plan.input(x);
    let z = plan.output(out);
    let number = *number;
    plan.step(move |m| {
        numbers!(element, C => {
            let number: C = number.compute();
            map::map1::<C, u8>(&m.view(&value), &m.view(&z), |x| u8::from(x.eq(&number) != invert));
        });
    });
    plan.done()
}

/// Whether a number is among the elements of a tensor.
pub(crate) fn scalar_is_in(number: &Scalar, among: &Tensor, invert: bool, out: &Tensor) -> Planned {
    require!(
        out.count() == 1,
        "'out' has the shape {:?}, it must have one element",
        out.dims
    );
    if category(among.element()) == Category::Complex {
        return Err(Refusal::unsupported(
            "Millpond does not compare complex numbers here",
        ));
    }
    let element = crate::promote::with_scalar(among.element(), number);
    let mut plan = Plan::new();
    let value = plan.input(among);
    let z = plan.output_apart(out);
    let found = plan.temp(Element::Bool, &[]);
    let number = *number;
    let axes: Vec<usize> = (0..among.rank()).collect();
    let result = found.clone();
    plan.step(move |m| {
        numbers!(element, C => {
            let number: C = number.compute();
            let fold = millpond_kernels::reduce::Fold {
                init: false,
                step: |found: bool, x: C| found || x.eq(&number),
                merge: |a: bool, b: bool| a || b,
                finish: |found: bool| u8::from(found != invert),
            };
            millpond_kernels::reduce::reduce(&m.view(&value), &axes, &m.view(&result), &fold);
        });
    });
    plan.copy(&found, &z);
    plan.done()
}
