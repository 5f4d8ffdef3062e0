//! Sums and the like over axes.

use super::Val;
use crate::Element;
use millpond_model::onnx::Attribute;

impl<'c> Val<'c> {
    /// A reduction over `axes`; over none of them it is the identity, which is not what ONNX means by that.
    pub(crate) fn reduce(self, op: &str, axes: &[i64], keep: bool) -> Self {
        let axes = self.cx().list_of(axes);
        let attributes = [
            ("keepdims", Attribute::from(keep)),
            ("noop_with_empty_axes", true.into()),
        ];
        self.apply(op, &[axes], &attributes)
    }

    /// Sums over axes that may have millions of elements. The engine adds 32-bit floats one after another, and what is left of the
    /// small ones beside a large sum is 0.1 % off for ten million of them; so these are added in 64 bits.
    pub(crate) fn in_double(self, sums: impl FnOnce(Self) -> Self) -> Self {
        if self.element().is_float() && self.element() != Element::F64 {
            sums(self.cast(Element::F64)).cast(self.element())
        } else {
            sums(self)
        }
    }

    /// The greatest or least over `axes`. The engine's answer depends on where something is that is not a number; here it is always
    /// what comes out.
    pub(crate) fn extreme(self, op: &str, axes: &[i64], keep: bool) -> Self {
        let found = self.reduce(op, axes, keep);
        if !self.element().is_float() {
            return found;
        }
        let lost = self.no_number().reduce("ReduceMax", axes, keep).above(0.0);
        lost.choose(found.like(f32::NAN), found)
    }

    /// 1 where this is not a number, elsewhere 0.
    pub(crate) fn no_number(self) -> Self {
        self.equal(self).not().cast(Element::I32)
    }

    /// A reduction over everything.
    pub(crate) fn reduce_all(self, op: &str) -> Self {
        self.apply(op, &[], &[("keepdims", false.into())])
    }

    /// The sum over axes that are dropped.
    pub(crate) fn sum(self, axes: &[i64]) -> Self {
        self.reduce("ReduceSum", axes, false)
    }

    /// The sum over axes that stay as 1.
    pub(crate) fn sum_kept(self, axes: &[i64]) -> Self {
        self.reduce("ReduceSum", axes, true)
    }

    /// The mean over axes that stay as 1.
    pub(crate) fn mean_kept(self, axes: &[i64]) -> Self {
        self.reduce("ReduceMean", axes, true)
    }

    /// The sum of everything.
    pub(crate) fn total(self) -> Self {
        self.in_double(|it| it.reduce_all("ReduceSum"))
    }

    /// Its shape, as it is when the graph runs.
    pub(crate) fn shape(self) -> Val<'c> {
        self.cx().raw("Shape", &[Some(self)], &[], &[Element::I64])[0]
    }

    /// How many elements it has, in its own type.
    pub(crate) fn size(self) -> Val<'c> {
        let size = self.cx().raw("Size", &[Some(self)], &[], &[Element::I64])[0];
        size.cast(self.element())
    }

    /// How many elements these axes have together, in its own type.
    pub(crate) fn extent(self, axes: &[i64]) -> Val<'c> {
        let dims = self
            .shape()
            .apply("Gather", &[self.cx().list_of(axes)], &[]);
        dims.reduce_all("ReduceProd").cast(self.element())
    }
}
