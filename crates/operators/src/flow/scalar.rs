//! Constants in formulas.

use super::Val;
use crate::Element;
use crate::context::Context;

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a constant takes the type that it is written into"
)]
fn bytes_of(element: Element, value: f64) -> (Element, Vec<u8>) {
    let bytes = match element {
        Element::F64 => value.to_le_bytes().to_vec(),
        Element::I64 => (value as i64).to_le_bytes().to_vec(),
        Element::U64 => (value as u64).to_le_bytes().to_vec(),
        Element::I32 => (value as i32).to_le_bytes().to_vec(),
        Element::U32 => (value as u32).to_le_bytes().to_vec(),
        Element::I16 => (value as i16).to_le_bytes().to_vec(),
        Element::U16 => (value as u16).to_le_bytes().to_vec(),
        Element::I8 => (value as i8).to_le_bytes().to_vec(),
        Element::U8 => vec![value as u8],
        Element::Bool => vec![u8::from(value != 0.0)],
        // 16-bit floats are written as 32-bit ones and cast.
        _ => return (Element::F32, (value as f32).to_le_bytes().to_vec()),
    };
    (element, bytes)
}

impl<'c> Val<'c> {
    /// A constant of this value's type.
    pub(crate) fn like(self, value: f32) -> Self {
        self.cx().scalar(self.element(), value.into())
    }

    /// Where this is greater than a constant.
    pub(crate) fn above(self, value: f32) -> Self {
        self.greater(self.like(value))
    }

    /// Where this is less than a constant.
    pub(crate) fn below(self, value: f32) -> Self {
        self.less(self.like(value))
    }

    /// Where this is a constant.
    pub(crate) fn is(self, value: f32) -> Self {
        self.equal(self.like(value))
    }

    /// Not below a constant.
    pub(crate) fn at_least(self, value: f32) -> Self {
        self.max(self.like(value))
    }

    /// Not above a constant.
    pub(crate) fn at_most(self, value: f32) -> Self {
        self.min(self.like(value))
    }

    /// This where `mask` is true, 0 elsewhere.
    pub(crate) fn where_true(self, mask: Val<'c>) -> Self {
        mask.choose(self, self.like(0.0))
    }
}

impl Context<'_> {
    /// A number without dimensions.
    pub(crate) fn scalar(&self, element: Element, value: f64) -> Val<'_> {
        let (written, bytes) = bytes_of(element, value);
        self.tensor_constant(written, &[], &bytes).cast(element)
    }

    /// A list of integers: axes, a shape.
    pub(crate) fn list_of(&self, values: &[i64]) -> Val<'_> {
        self.table_of(&[values.len().cast_signed() as i64], values)
    }

    /// A single integer without dimensions.
    pub(crate) fn int_of(&self, value: i64) -> Val<'_> {
        self.table_of(&[], &[value])
    }

    /// Integers in any shape.
    pub(crate) fn table_of(&self, dims: &[i64], values: &[i64]) -> Val<'_> {
        let data = values.iter().flat_map(|value| value.to_le_bytes());
        self.tensor_constant(Element::I64, dims, &data.collect::<Vec<u8>>())
    }

    /// Numbers in any shape, as 32-bit floats.
    pub(crate) fn reals_of(&self, dims: &[i64], values: &[f32]) -> Val<'_> {
        let data = values.iter().flat_map(|value| value.to_le_bytes());
        self.tensor_constant(Element::F32, dims, &data.collect::<Vec<u8>>())
    }
}
