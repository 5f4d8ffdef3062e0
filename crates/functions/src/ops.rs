//! Steps that formulas are made of: each adds one kernel to a plan.

use millpond_kernels::{
    self as kernels, Dims, Element, broadcast_dims, compute_type, map, matmul, numbers, reduce,
};

use crate::plan::{Plan, Value};
use crate::promote;
use crate::refusal::Refusal;

impl Plan {
    /// Copies and converts; `from` broadcasts to `to`.
    pub fn copy(&mut self, from: &Value, to: &Value) {
        let (from, to) = (from.expand(to.dims()), to.clone());
        self.step(move |memory| map::copy(&memory.view(&from), &memory.view(&to)));
    }

    /// The elements in another type: the value itself if it has that type.
    pub fn cast(&mut self, value: &Value, element: Element) -> Value {
        if value.element() == element {
            return value.clone();
        }
        let cast = self.temp(element, value.dims());
        self.copy(value, &cast);
        cast
    }

    /// The elements one behind the other, in a type that is computed in: the value itself if it is so.
    pub fn contiguous(&mut self, value: &Value, element: Element) -> Value {
        if value.is_contiguous() && value.element() == element {
            return value.clone();
        }
        let copy = self.temp(element, value.dims());
        self.copy(value, &copy);
        copy
    }

    /// The elements in the type that they are computed in, one behind the other.
    pub fn computable(&mut self, value: &Value) -> Value {
        self.contiguous(value, compute_type(value.element()))
    }

    /// A value with other dimensions: copied if its elements are not contiguous.
    pub fn reshape(&mut self, value: &Value, dims: &[i64]) -> Value {
        let whole = self.contiguous(value, value.element());
        whole.reshaped(dims).unwrap_or(whole)
    }

    /// Writes one number everywhere.
    pub fn fill(&mut self, value: &Value, number: f64) {
        let value = value.clone();
        self.step(move |memory| {
            let view = memory.view(&value);
            numbers!(view.element(), C => map::fill::<C>(&view, <C as kernels::Compute>::from_f64(number)));
        });
    }

    /// Products of matrices in the last two axes, in the type of `out`. 16-bit floats are computed in `float`; the others must be equal to
    /// `out`'s type. The leading axes broadcast. `out` may not overlap the inputs.
    pub fn matmul_to(&mut self, a: &Value, b: &Value, out: &Value) -> Result<(), Refusal> {
        let one = kernels::Complex64::new(1.0, 0.0);
        let into = self.room(out, compute_type(out.element()));
        self.matmul_into(a, b, &into, one, false)?;
        self.deliver(&into, out);
        Ok(())
    }

    /// `into = alpha · a · b`, or `into += alpha · a · b`. `into` has a type that is computed in; integers take no factor and are not added.
    pub fn matmul_into(
        &mut self,
        a: &Value,
        b: &Value,
        into: &Value,
        alpha: kernels::Complex64,
        accumulate: bool,
    ) -> Result<(), Refusal> {
        let (a, b) = (
            self.cast_matrices(a, into.element()),
            self.cast_matrices(b, into.element()),
        );
        let (rank, a_rank, b_rank) = (into.rank(), a.rank(), b.rank());
        crate::require!(
            rank >= 2 && a_rank >= 2 && b_rank >= 2 && a.dim(a_rank - 1) == b.dim(b_rank - 2),
            "matrices of {:?} and {:?} cannot be multiplied: the last dimension of the first must equal the second-to-last of the other",
            a.dims(),
            b.dims()
        );
        let Some(mut dims) = broadcast_dims(&a.dims()[..a_rank - 2], &b.dims()[..b_rank - 2])
        else {
            return Err(Refusal::invalid(format!(
                "the leading dimensions of {:?} and {:?} do not broadcast",
                a.dims(),
                b.dims()
            )));
        };
        dims.extend([a.dim(a_rank - 2), b.dim(b_rank - 1)]);
        crate::require!(
            dims[..] == *into.dims(),
            "the product has the shape {dims:?}, but the output has {:?}",
            into.dims()
        );
        let lead = &dims[..rank - 2];
        let with_lead = |value: Value| {
            let (theirs, own) = value.dims().split_at(value.rank() - 2);
            if *theirs == *lead {
                return value;
            }
            let all: Dims = lead.iter().chain(own).copied().collect();
            value.expand(&all)
        };
        let (a, b, into) = (with_lead(a), with_lead(b), into.clone());
        self.step(move |memory| {
            let (a, b, into) = (memory.view(&a), memory.view(&b), memory.view(&into));
            matmul::matmul_add(&a, &b, &into, alpha, accumulate);
        });
        Ok(())
    }

    /// Matrices in another type. Transposed ones are converted in their memory order, and stay transposed.
    fn cast_matrices(&mut self, value: &Value, element: Element) -> Value {
        if value.element() == element {
            return value.clone();
        }
        let Some(last) = value.rank().checked_sub(1).filter(|last| *last > 0) else {
            return self.cast(value, element);
        };
        let turned = value.transpose(last - 1, last);
        if !value.is_contiguous() && turned.is_contiguous() {
            self.cast(&turned, element).transpose(last - 1, last)
        } else {
            self.cast(value, element)
        }
    }

    /// Where results of a type go that may not be `out`'s: `out` itself if it has the type, else scratch memory, from which
    /// [`Plan::deliver`] takes them.
    pub fn room(&mut self, out: &Value, element: Element) -> Value {
        if out.element() == element {
            out.clone()
        } else {
            self.temp(element, out.dims())
        }
    }

    /// The same for results that a kernel writes one behind the other.
    pub fn dense_room(&mut self, out: &Value, element: Element) -> Value {
        if out.element() == element && out.is_contiguous() {
            out.clone()
        } else {
            self.temp(element, out.dims())
        }
    }

    /// Brings results from the room that they were written to where they belong.
    pub fn deliver(&mut self, room: &Value, out: &Value) {
        if !room.is(out) {
            self.copy(room, out);
        }
    }

    /// The sum over axes, in `out`'s type. Integers wrap; floats are accumulated in `double`.
    pub fn sum_to(&mut self, value: &Value, axes: &[usize], out: &Value) {
        let (value, out, axes) = (value.clone(), out.clone(), axes.to_vec());
        self.step(move |memory| {
            let (from, to) = (memory.view(&value), memory.view(&out));
            match promote::category(to.element()) {
                promote::Category::Float if !promote::is_complex(from.element()) => numbers!(from.element(), C => {
                    kernels::floats!(to.element(), R => reduce::sum::<C, R>(&from, &axes, &to, <R as kernels::Float>::of));
                }),
                promote::Category::Float | promote::Category::Complex => {
                    let fold = reduce::Fold {
                        init: kernels::Complex64::default(),
                        step: |sum, x: kernels::Complex64| sum + x,
                        merge: |a, b| a + b,
                        finish: |sum: kernels::Complex64| sum,
                    };
                    reduce::reduce(&from, &axes, &to, &fold);
                }
                _ => {
                    let fold = reduce::Fold {
                        init: 0_i64,
                        step: |sum: i64, x: i64| sum.wrapping_add(x),
                        merge: |a: i64, b: i64| a.wrapping_add(b),
                        finish: |sum: i64| sum,
                    };
                    reduce::reduce(&from, &axes, &to, &fold);
                }
            }
        });
    }
}
