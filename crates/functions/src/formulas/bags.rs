//! Bags of rows: rows of a table by index, of which those of each bag are added, averaged or compared.

use millpond_kernels::{Element, Float, Stored, View, compute_type, floats};

use super::moe::{Staged, expect_dims, expect_floats, flat, size, slice, slice_mut, whole};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned};
use crate::refusal::Refusal;
use crate::require;
use crate::table;

/// Columns that are summed at a time.
const PANEL: usize = 64;

/// What one bag is made of.
struct Bag<'a, T> {
    table: &'a [T],
    width: usize,
    indices: &'a [i64],
    weights: Option<&'a [T]>,
    padding: i64,
}

impl<T: Float + Stored> Bag<'_, T> {
    /// The rows of the bag with their weights, without padding.
    fn rows(&self) -> impl Iterator<Item = (i64, &[T], f64)> {
        self.indices.iter().enumerate().filter_map(|(number, row)| {
            let weight = self.weights.map_or(1.0, |all| all[number].to_f64());
            let start = size(*row) * self.width;
            (*row != self.padding).then(|| (*row, &self.table[start..][..self.width], weight))
        })
    }

    fn sum(&self, out: &mut [T], mean: bool) {
        let count = self.rows().count().max(1) as f64;
        for (panel, out) in out.chunks_mut(PANEL).enumerate() {
            let mut sums = [0.0; PANEL];
            for (_, row, weight) in self.rows() {
                for (sum, x) in sums.iter_mut().zip(&row[panel * PANEL..]) {
                    *sum += x.to_f64() * weight;
                }
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = T::of(if mean { sum / count } else { sum });
            }
        }
    }

    fn greatest(&self, out: &mut [T], places: &mut [i64]) {
        out.fill(T::of(0.0));
        places.fill(0);
        for (number, (row, values, _)) in self.rows().enumerate() {
            for ((out, place), x) in out.iter_mut().zip(places.iter_mut()).zip(values) {
                if number == 0 || *x > *out {
                    (*out, *place) = (*x, row);
                }
            }
        }
    }
}

fn typed<T: Stored>(view: &View) -> &[T] {
    slice::<T>(view)
}

/// Rows of a table by index, reduced by bag.
pub(crate) fn embedding_bag(call: table::EmbeddingBag<'_>) -> Planned {
    expect_floats(call.weight, "weight")?;
    require!(
        call.weight.rank() == 2,
        "'weight' has the shape {:?}, but a matrix is expected",
        call.weight.dims
    );
    let (rows, width) = (call.weight.dims[0], call.weight.dims[1]);
    for (tensor, argument) in [(call.indices, "indices"), (call.offsets, "offsets")] {
        expect_integers(tensor, argument)?;
        require!(
            tensor.rank() == 1,
            "'{argument}' has the shape {:?}, but one dimension is expected",
            tensor.dims
        );
    }
    require!(
        (0..=2).contains(&call.mode),
        "'mode' is {}; 0 adds, 1 averages, 2 takes the largest",
        call.mode
    );
    let (count, offsets) = (call.indices.dims[0], call.offsets.dims[0]);
    require!(
        !call.include_last_offset || offsets > 0,
        "'includeLastOffset' is true, but 'offsets' has no element"
    );
    let bags = offsets - i64::from(call.include_last_offset);
    require!(
        call.padding_idx < rows,
        "'paddingIdx' is {}, but 'weight' has {rows} rows; a negative number is none",
        call.padding_idx
    );
    expect_floats(call.output, "output")?;
    expect_dims(call.output, &[bags, width], "output")?;
    if let Some(weights) = call.per_sample_weights {
        expect_floats(weights, "perSampleWeights")?;
        expect_dims(weights, &[count], "perSampleWeights")?;
        require!(
            call.mode == 0,
            "'perSampleWeights' is given, but 'mode' is {}: only sums are weighted, which is 0",
            call.mode
        );
    }
    for (tensor, argument) in [
        (call.offset2bag, "offset2bag"),
        (call.bag_size, "bagSize"),
        (call.max_indices, "maxIndices"),
    ] {
        expect_integers(tensor, argument)?;
    }
    if !call.offset2bag.is_empty() {
        expect_dims(call.offset2bag, &[count], "offset2bag")?;
    }
    require!(
        call.bag_size.rank() == 1 && (bags..=offsets).contains(&call.bag_size.dims[0]),
        "'bagSize' has the shape {:?}, but [{bags}] is expected",
        call.bag_size.dims
    );
    let largest = call.mode == 2;
    if largest {
        expect_dims(call.max_indices, &[bags, width], "maxIndices")?;
    } else if !call.max_indices.is_empty() {
        expect_dims(call.max_indices, &call.bag_size.dims, "maxIndices")?;
    }

    let element = compute_type(call.weight.element());
    if !matches!(element, Element::F32 | Element::F64) {
        return Err(Refusal::unsupported(
            "Millpond supports only bags of real numbers",
        ));
    }
    let mut plan = Plan::new();
    let table = flat(&mut plan, call.weight, element, &[rows, width]);
    let indices = flat(&mut plan, call.indices, Element::I64, &[count]);
    let offsets = flat(&mut plan, call.offsets, Element::I64, &[offsets]);
    let weights = call
        .per_sample_weights
        .map(|weights| flat(&mut plan, weights, element, &[count]));
    let out = Staged::of(&mut plan, call.output, element);
    let owners = Staged::of(&mut plan, call.offset2bag, Element::I64);
    let sizes = Staged::of(&mut plan, call.bag_size, Element::I64);
    let places = Staged::of(&mut plan, call.max_indices, Element::I64);
    let (indices_in, offsets_in, last) =
        (indices.clone(), offsets.clone(), call.include_last_offset);
    plan.try_step(move |m| {
        let (indices, offsets) = (m.view(&indices_in), m.view(&offsets_in));
        if let Some(index) = slice::<i64>(&indices)
            .iter()
            .find(|index| !(0..rows).contains(*index))
        {
            return Err(format!(
                "'indices' has the index {index}, but 'weight' has {rows} rows"
            ));
        }
        let offsets = slice::<i64>(&offsets);
        if offsets.first().is_some_and(|first| *first != 0) {
            return Err(format!(
                "'offsets' begins with {}, but the first bag begins at 0",
                offsets[0]
            ));
        }
        let end = offsets.last().copied().unwrap_or(0);
        if offsets.windows(2).any(|pair| pair[1] < pair[0]) || end > count {
            return Err(format!(
                "'offsets' must not decrease or go beyond the {count} indices, but it ends with {end}"
            ));
        }
        if last && end != count {
            return Err(format!(
                "'offsets' ends with {end}, but with 'includeLastOffset' the last one is the number of indices, {count}"
            ));
        }
        Ok(())
    });
    let (result, owners_out, sizes_out, places_out) = (
        out.work.clone(),
        owners.work.clone(),
        sizes.work.clone(),
        places.work.clone(),
    );
    let (padding, mode, width, bags) = (call.padding_idx, call.mode, size(width), size(bags));
    plan.step(move |m| {
        let (indices, offsets) = (m.view(&indices), m.view(&offsets));
        let (indices, offsets) = (slice::<i64>(&indices), slice::<i64>(&offsets));
        let (owners, sizes, places) =
            (m.view(&owners_out), m.view(&sizes_out), m.view(&places_out));
        let owners = slice_mut::<i64>(&owners);
        let sizes = slice_mut::<i64>(&sizes);
        let places = slice_mut::<i64>(&places);
        sizes.fill(0);
        let (table, weights) = (m.view(&table), weights.as_ref().map(|value| m.view(value)));
        let result = m.view(&result);
        floats!(element, T => {
            let (table, weights) = (typed::<T>(&table), weights.as_ref().map(typed::<T>));
            let result = slice_mut::<T>(&result);
            for bag in 0..bags {
                let start = size(offsets[bag]);
                let end = offsets.get(bag + 1).map_or(indices.len(), |end| size(*end));
                let own = Bag {
                    table,
                    width,
                    indices: &indices[start..end],
                    weights: weights.map(|all| &all[start..end]),
                    padding,
                };
                sizes[bag] = whole(own.rows().count());
                if !owners.is_empty() {
                    owners[start..end].fill(whole(bag));
                }
                let out = &mut result[bag * width..][..width];
                if mode == 2 {
                    own.greatest(out, &mut places[bag * width..][..width]);
                } else {
                    own.sum(out, mode == 1);
                }
            }
        });
        if mode != 2 && !places.is_empty() {
            places.copy_from_slice(sizes);
        }
    });
    for staged in [out, owners, sizes, places] {
        staged.deliver(&mut plan);
    }
    plan.done()
}
