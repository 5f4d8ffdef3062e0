//! Values moved about: other shapes, other orders, parts and joins.

use super::Val;
use crate::Element;
use millpond_model::onnx::Attribute;

impl<'c> Val<'c> {
    /// Another shape; -1 stands for what is left over.
    pub(crate) fn reshape(self, dims: &[i64]) -> Self {
        let empty = dims.contains(&0);
        let shape = self.cx().list_of(dims);
        self.apply("Reshape", &[shape], &[("allowzero", empty.into())])
    }

    /// Another shape, in which 0 stands for the dimension that was in that place.
    pub(crate) fn reshape_keeping(self, dims: &[i64]) -> Self {
        let shape = self.cx().list_of(dims);
        self.apply("Reshape", &[shape], &[])
    }

    /// Another shape, one that is known when the graph runs.
    pub(crate) fn reshape_to(self, shape: Val<'c>) -> Self {
        self.apply("Reshape", &[shape], &[("allowzero", true.into())])
    }

    /// The shape of another value.
    pub(crate) fn reshape_like(self, other: Val<'c>) -> Self {
        self.reshape_to(other.shape())
    }

    /// All elements in a row.
    pub(crate) fn flat(self) -> Self {
        self.reshape(&[-1])
    }

    pub(crate) fn transpose(self, order: &[i64]) -> Self {
        self.apply("Transpose", &[], &[("perm", order.into())])
    }

    /// With the last two axes exchanged.
    pub(crate) fn matrix_transpose(self, rank: usize) -> Self {
        let mut order: Vec<i64> = (0..rank.cast_signed() as i64).collect();
        if let [.., a, b] = &mut order[..] {
            std::mem::swap(a, b);
        }
        self.transpose(&order)
    }

    pub(crate) fn unsqueeze(self, axes: &[i64]) -> Self {
        self.apply("Unsqueeze", &[self.cx().list_of(axes)], &[])
    }

    pub(crate) fn squeeze(self, axes: &[i64]) -> Self {
        self.apply("Squeeze", &[self.cx().list_of(axes)], &[])
    }

    /// A row of numbers per channel, laid along `axis` of a tensor of rank `rank`.
    pub(crate) fn along(self, axis: usize, rank: usize) -> Self {
        let mut dims = vec![1; rank];
        if let Some(dim) = dims.get_mut(axis) {
            *dim = -1;
        }
        self.reshape(&dims)
    }

    /// Repeated to a shape that is known when the graph runs.
    pub(crate) fn expand_to(self, shape: Val<'c>) -> Self {
        self.apply("Expand", &[shape], &[])
    }

    pub(crate) fn expand(self, dims: &[i64]) -> Self {
        self.expand_to(self.cx().list_of(dims))
    }

    pub(crate) fn expand_like(self, other: Val<'c>) -> Self {
        self.expand_to(other.shape())
    }

    /// From `starts` to `ends` in `steps` along `axes`.
    pub(crate) fn slice(self, axes: &[i64], starts: &[i64], ends: &[i64], steps: &[i64]) -> Self {
        let lists = [starts, ends, axes, steps].map(|list| self.cx().list_of(list));
        self.apply("Slice", &lists, &[])
    }

    /// The part of one axis from `start` to `end`.
    pub(crate) fn part(self, axis: i64, start: i64, end: i64) -> Self {
        self.slice(&[axis], &[start], &[end], &[1])
    }

    /// In the opposite order along axes.
    pub(crate) fn reversed(self, axes: &[i64]) -> Self {
        let ones = vec![-1; axes.len()];
        let ends = vec![i64::MIN; axes.len()];
        self.slice(axes, &ones, &ends, &ones)
    }

    /// Values of one type joined along an axis.
    pub(crate) fn concat(axis: i64, values: &[Val<'c>]) -> Self {
        let [first, others @ ..] = values else {
            unreachable!("rows join at least one value");
        };
        first.apply("Concat", others, &[("axis", axis.into())])
    }

    /// Parts of these sizes along an axis.
    pub(crate) fn split(self, axis: i64, sizes: &[i64]) -> Vec<Self> {
        let lengths = self.cx().list_of(sizes);
        self.apply_many("Split", &[lengths], &[("axis", axis.into())], sizes.len())
    }

    /// This many parts of the same size along an axis.
    pub(crate) fn split_evenly(self, axis: i64, parts: usize) -> Vec<Self> {
        let count = parts.cast_signed() as i64;
        let attributes = [
            ("axis", Attribute::from(axis)),
            ("num_outputs", count.into()),
        ];
        self.apply_many("Split", &[], &attributes, parts)
    }

    /// Rows along an axis, by index.
    pub(crate) fn gather(self, indices: Val<'c>, axis: i64) -> Self {
        self.apply("Gather", &[indices], &[("axis", axis.into())])
    }

    /// One row along an axis; the axis is dropped.
    pub(crate) fn pick(self, axis: i64, index: i64) -> Self {
        self.gather(self.cx().int_of(index), axis)
    }

    /// The product of matrices in the last two axes.
    pub(crate) fn matmul(self, other: Val<'c>) -> Self {
        self.binary("MatMul", other)
    }

    /// Numbers from 0 up to this one, which is a single 64-bit integer.
    pub(crate) fn count_up(self) -> Val<'c> {
        let cx = self.cx();
        let inputs = [Some(cx.int_of(0)), Some(self), Some(cx.int_of(1))];
        cx.raw("Range", &inputs, &[], &[Element::I64])[0]
    }

    /// The length of an axis when the graph runs, a single 64-bit integer.
    pub(crate) fn length(self, axis: i64) -> Val<'c> {
        self.shape().gather(self.cx().int_of(axis), 0)
    }

    /// This shape with 0 or another number in every place.
    pub(crate) fn filled(self, value: f32) -> Self {
        self.like(value).expand_like(self)
    }
}
