//! Gears: the predefined shapes that a model was compiled for.

use super::{Input, Span};
use crate::Error;

/// Which dimensions the gears of a model set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GearKind {
    /// The first dimension.
    Batch,
    /// Height and width.
    Image,
    /// Any dimensions.
    Dims,
}

impl GearKind {
    /// The option of `atc` for them.
    pub fn option(self) -> &'static str {
        match self {
            Self::Batch => "--dynamic_batch_size",
            Self::Image => "--dynamic_image_size",
            Self::Dims => "--dynamic_dims",
        }
    }

    pub(super) fn example(self) -> &'static str {
        match self {
            Self::Batch => "1,2,4",
            Self::Image => "416,416;832,832",
            Self::Dims => "1,128;8,64",
        }
    }

    /// The number of values of a gear, if it does not depend on the model.
    pub(super) fn values(self) -> Option<usize> {
        match self {
            Self::Batch => Some(1),
            Self::Image => Some(2),
            Self::Dims => None,
        }
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Image => "image",
            Self::Dims => "dims",
        }
    }

    /// The kind with this name in files.
    pub fn from_name(name: &str) -> Option<Self> {
        let kinds = [Self::Batch, Self::Image, Self::Dims];
        kinds.into_iter().find(|kind| kind.name() == name)
    }
}

/// A dynamic dimension and the index of the gear value that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Which input.
    pub input: usize,
    /// Which of its dimensions.
    pub dim: usize,
    /// Which value of the gear.
    pub value: usize,
}

/// The gears of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gears {
    /// Which dimensions they set.
    pub kind: GearKind,
    /// The values of each gear, in the given order. All have the same number.
    pub rows: Vec<Vec<i64>>,
    /// The dimensions that the values go to, by input.
    pub slots: Vec<Slot>,
}

impl Gears {
    /// The number of values of a gear: the length of the extra input of the model.
    pub fn values(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// The gear with these values.
    pub fn find(&self, values: &[i64]) -> Option<usize> {
        self.rows.iter().position(|row| row == values)
    }

    /// The gear with these input shapes.
    pub fn find_shapes<S: AsRef<[i64]>>(&self, inputs: &[Input], shapes: &[S]) -> Option<usize> {
        (0..self.rows.len()).find(|gear| {
            let expected = self.shapes(inputs, *gear);
            let fits = |(a, b): (&Vec<i64>, &S)| a == b.as_ref();
            expected.len() == shapes.len() && expected.iter().zip(shapes).all(fits)
        })
    }

    /// The shapes of all inputs in one gear. Inputs with an unknown number of dimensions are empty; models with gears
    /// have none.
    pub fn shapes(&self, inputs: &[Input], gear: usize) -> Vec<Vec<i64>> {
        let dims = inputs.iter().map(Input::dims);
        let mut shapes: Vec<Vec<i64>> = dims.map(Option::unwrap_or_default).collect();
        for slot in &self.slots {
            let value = self.rows.get(gear).and_then(|row| row.get(slot.value));
            let place = shapes
                .get_mut(slot.input)
                .and_then(|shape| shape.get_mut(slot.dim));
            if let (Some(value), Some(place)) = (value, place) {
                *place = *value;
            }
        }
        shapes
    }

    /// Whether slots and rows match each other and the inputs. Used to check files.
    pub fn check(&self, inputs: &[Input]) -> Result<(), Error> {
        let values = self.values();
        let rows = values > 0 && self.rows.iter().all(|row| row.len() == values);
        let positive = self.rows.iter().flatten().all(|value| *value > 0);
        let slots = self.slots.iter().all(|slot| {
            let spans = inputs
                .get(slot.input)
                .and_then(|input| input.spans.as_ref());
            let span = spans.and_then(|spans| spans.get(slot.dim));
            slot.value < values && span == Some(&Span::ANY)
        });
        let open = inputs.iter().map(|input| {
            let spans = input.spans.iter().flatten();
            spans.filter(|span| span.fixed().is_none()).count()
        });
        if rows && positive && slots && open.sum::<usize>() == self.slots.len() {
            Ok(())
        } else {
            Err(Error::damaged(
                "the gears of the model do not match its inputs",
            ))
        }
    }
}
