//! Counting: histograms and occurrences of numbers.

use millpond_kernels::{Element, Float, View, floats, read_block};

use super::expect_shape;
use super::softmax::row_type;
use crate::plan::{Plan, Planned};
use crate::promote::{Category, category, is_float};
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// Calls `each` with all elements in order, some hundred at a time.
fn for_all<C: millpond_kernels::Compute>(
    view: &View,
    mut each: impl FnMut(usize, C) -> Result<(), String>,
) -> Result<(), String> {
    let mut buffer = [C::default(); millpond_kernels::BLOCK];
    let all = view.count();
    let mut start = 0;
    while start < all {
        let some = buffer.len().min(all - start);
        read_block(view, start, &mut buffer[..some]);
        for (index, x) in buffer[..some].iter().enumerate() {
            each(start + index, *x)?;
        }
        start += some;
    }
    Ok(())
}

/// How many elements are in each of `bins` equal parts of a range. If both ends are equal, the elements decide the range.
pub(crate) fn histc(x: &Tensor, bins: i64, min: &Scalar, max: &Scalar, out: &Tensor) -> Planned {
    require!(bins > 0, "'bins' is {bins}, but at least one is expected");
    expect_shape(out, &[bins])?;
    let element = row_type(&[x])?;
    let (min, max) = (min.real(), max.real());
    require!(
        min <= max && min.is_finite() && max.is_finite(),
        "the range from {min} to {max} is not a range of finite numbers"
    );
    let mut plan = Plan::new();
    let value = plan.input(x);
    let result = plan.output_apart(out);
    let counts = plan.temp(Element::I64, &[bins]);
    plan.fill(&counts, 0.0);
    let into = counts.clone();
    plan.try_step(move |m| {
        let (from, into) = (m.view(&value), m.view(&into));
        let Some(counts) = into.slice_mut::<i64>() else {
            return Err("counts are not contiguous".to_owned());
        };
        floats!(element, T => {
            let (mut low, mut high) = (T::of(min), T::of(max));
            if min >= max && from.count() > 0 {
                let (mut least, mut most) = (T::INFINITY, T::NEG_INFINITY);
                for_all::<T>(&from, |_, x| {
                    (least, most) = (least.min_nan(x), most.max_nan(x));
                    Ok(())
                })?;
                if !least.is_finite() || !most.is_finite() {
                    return Err(format!("the elements range from {least} to {most}, which is not a finite range"));
                }
                (low, high) = (least, most);
            }
            if low >= high {
                (low, high) = (low - 1.0, high + 1.0);
            }
            let parts = T::of(f64::from(u32::try_from(counts.len()).unwrap_or(u32::MAX)));
            for_all::<T>(&from, |_, x| {
                if x >= low && x <= high {
                    let part = (x - low) * parts / (high - low);
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the whole part of a number that is not negative")]
                    let part = (part as usize).min(counts.len() - 1);
                    counts[part] += 1;
                }
                Ok(())
            })?;
        });
        Ok(())
    });
    plan.copy(&counts, &result);
    plan.done()
}

/// How often each number occurs, or the sum of its weights.
pub(crate) fn bincount(x: &Tensor, weight: Option<&Tensor>, out: &Tensor) -> Planned {
    require!(
        x.rank() == 1,
        "'self' has the shape {:?}, but one dimension is expected",
        x.dims
    );
    require!(
        category(x.element()) == Category::Int,
        "'self' has the type {}, but integers are expected",
        x.element().name()
    );
    require!(
        out.rank() == 1,
        "'out' has the shape {:?}, but one dimension is expected",
        out.dims
    );
    if let Some(weight) = weight {
        require!(
            weight.dims == x.dims,
            "'weight' has the shape {:?}, but 'self' has {:?}",
            weight.dims,
            x.dims
        );
        row_type(&[weight])?;
    }
    let real = is_float(out.element());
    let through = if real { Element::F64 } else { Element::I64 };
    let mut plan = Plan::new();
    let value = plan.input(x);
    let weight = weight.map(|weight| plan.input(weight));
    let result = plan.output_apart(out);
    let sums = plan.packed_into(&result, through);
    plan.fill(&sums.rows, 0.0);
    let into = sums.rows.clone();
    plan.try_step(move |m| {
        let (from, into) = (m.view(&value), m.view(&into));
        let weight = weight.as_ref().map(|weight| m.view(weight));
        let bins = into.count();
        let place = |number: i64| {
            usize::try_from(number)
                .ok()
                .filter(|bin| *bin < bins)
                .ok_or_else(|| {
                    format!(
                        "{number} occurs, but there are places for 0 to {} only",
                        bins.saturating_sub(1)
                    )
                })
        };
        let weight_at = |index: usize| {
            weight.as_ref().map_or(1.0, |weight| {
                let mut number = [1.0];
                read_block(weight, index, &mut number);
                number[0]
            })
        };
        if real {
            let sums = into.slice_mut::<f64>().unwrap_or_default();
            for_all::<i64>(&from, |index, number| {
                sums[place(number)?] += weight_at(index);
                Ok(())
            })
        } else {
            let sums = into.slice_mut::<i64>().unwrap_or_default();
            for_all::<i64>(&from, |index, number| {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "weights of integers are integers"
                )]
                let weight = weight_at(index) as i64;
                sums[place(number)?] += weight;
                Ok(())
            })
        }
    });
    plan.rows_done(&sums);
    plan.done()
}
