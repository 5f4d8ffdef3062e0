//! Losses over classes: one target among many.
//!
//! Inputs have the classes on their last axis and the positions before it. Sums go from one position to the next, in `f64`.

use half::{bf16, f16};
use millpond_model::Element;

use crate::activation::Real;
use crate::dims::Dims;
use crate::rows;
use crate::view::View;

/// Which class each position should have, and what classes weigh.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a> {
    /// How many classes there are.
    pub classes: usize,
    /// The class of each position, in row-major order.
    pub targets: &'a [i64],
    /// The weight of each class; all 1 without.
    pub weights: Option<&'a [f64]>,
    /// Positions with this target do not count.
    pub ignored: i64,
}

impl Targets<'_> {
    /// Finds a target that is neither a class nor ignored.
    pub fn check(&self) -> Result<(), String> {
        for (position, target) in self.targets.iter().enumerate() {
            let known = usize::try_from(*target).is_ok_and(|class| class < self.classes);
            if !known && *target != self.ignored {
                return Err(format!(
                    "element {position} of 'target' is {target}: it must be less than the number of classes, {}, and not negative",
                    self.classes
                ));
            }
        }
        Ok(())
    }

    /// The class of a position and its weight; `None` if the position is ignored.
    fn at(&self, position: usize) -> Option<(usize, f64)> {
        let target = self.targets[position];
        if target == self.ignored {
            return None;
        }
        let class = usize::try_from(target).ok()?;
        Some((class, self.weight(class)))
    }

    fn weight(&self, class: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[class])
    }

    /// The sum of the weights of all positions.
    pub fn total(&self) -> f64 {
        (0..self.targets.len())
            .filter_map(|position| self.at(position))
            .map(|(_, weight)| weight)
            .sum()
    }
}

fn get(view: &View, index: &[i64]) -> f64 {
    match view.element() {
        Element::F64 => view.get::<f64>(index),
        Element::F16 => f64::from(view.get::<f16>(index)),
        Element::BF16 => f64::from(view.get::<bf16>(index)),
        _ => f64::from(view.get::<f32>(index)),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest")]
fn set(view: &View, index: &[i64], value: f64) {
    match view.element() {
        Element::F64 => view.set(index, value),
        Element::F16 => view.set(index, f16::from_f64(value)),
        Element::BF16 => view.set(index, bf16::from_f64(value)),
        _ => view.set(index, value as f32),
    }
}

/// Runs `each` for all multi-indices, in row-major order, with their numbers.
fn positions(dims: &[i64], mut each: impl FnMut(usize, &mut Dims)) {
    for number in 0..crate::view::count(dims) {
        let mut rest = i64::try_from(number).unwrap_or(0);
        let mut index: Dims = dims.into();
        for (at, dim) in index.iter_mut().zip(dims).rev() {
            *at = rest % dim;
            rest /= dim;
        }
        each(number, &mut index);
    }
}

/// What each class gets of a share that all have alike.
#[expect(clippy::cast_precision_loss, reason = "the nearest one")]
fn shared(share: f64, classes: usize) -> f64 {
    share / classes as f64
}

fn class_axis(class: usize) -> i64 {
    i64::try_from(class).unwrap_or(i64::MAX)
}

/// The sum of −weight · input at each target, and the sum of weights. `each` gets the losses one by one. Targets are checked.
///
/// All views have real elements. The output must not overlap the input.
pub fn nll(input: &View, targets: &Targets<'_>, each: Option<&View>) -> (f64, f64) {
    let (mut sum, mut total) = (0.0, 0.0);
    positions(&input.dims()[..input.rank() - 1], |number, index| {
        let (loss, weight) = match targets.at(number) {
            Some((class, weight)) => {
                index.push(class_axis(class));
                let loss = -weight * get(input, index);
                index.pop();
                (loss, weight)
            }
            None => (0.0, 0.0),
        };
        sum += loss;
        total += weight;
        if let Some(each) = each {
            set(each, index, loss);
        }
    });
    (sum, total)
}

/// Adds to a gradient of zeros what [`nll`] owes to its targets: −weight · gradient · scale. A gradient with one element counts for
/// all positions.
pub fn nll_gradient(gradient: &View, scale: f64, targets: &Targets<'_>, out: &View) {
    let dims = &out.dims()[..out.rank() - 1];
    let gradient = gradient.expand(dims);
    positions(dims, |number, index| {
        if let Some((class, weight)) = targets.at(number) {
            let value = -weight * get(&gradient, index) * scale;
            index.push(class_axis(class));
            set(out, index, value);
            index.pop();
        }
    });
}

/// max + ln(Σ exp(x − max)), and NaN if an element is.
fn log_sum_exp<C: Real>(row: &[C]) -> C {
    let most = row
        .iter()
        .fold(C::of(f64::NEG_INFINITY), |most, x| most.max_nan(*x));
    let sum: f64 = row.iter().map(|x| (*x - most).exponential().to_f64()).sum();
    C::of(most.to_f64() + sum.ln())
}

/// The logarithms of softmax, row by row. Both views are contiguous and do not overlap.
pub fn log_softmax<C: Real>(input: &View, out: &View) {
    rows::rows1(input, out, |_, input: &[C], out: &mut [C]| {
        let lse = log_sum_exp(input);
        for (out, x) in out.iter_mut().zip(input) {
            *out = *x - lse;
        }
    });
}

/// The cross entropy of each row of logarithms, smoothed: a share of the target goes to all classes alike. Contiguous rows; `out` has
/// one element for each.
pub fn cross_entropy<C: Real>(log_prob: &View, targets: &Targets<'_>, smoothing: f64, out: &View) {
    let share = shared(smoothing, targets.classes);
    rows::rows1(log_prob, out, |row, input: &[C], out: &mut [f64]| {
        out[0] = targets.at(row).map_or(0.0, |(class, weight)| {
            let own = -weight * input[class].to_f64();
            if smoothing == 0.0 {
                return own;
            }
            let all = input.iter().enumerate();
            let all: f64 = all
                .map(|(class, x)| -targets.weight(class) * x.to_f64())
                .sum();
            own * (1.0 - smoothing) + all * share
        });
    });
}

/// The gradient of [`cross_entropy`] with respect to what the logarithms of softmax were made of. `gradient` has one element for each
/// row. All views are contiguous; the output overlaps no input.
pub fn cross_entropy_gradient<C: Real>(
    log_prob: &View,
    gradient: &View,
    targets: &Targets<'_>,
    smoothing: f64,
    out: &View,
) {
    let share = shared(smoothing, targets.classes);
    let all: f64 = (0..targets.classes)
        .map(|class| targets.weight(class))
        .sum();
    rows::rows2(
        log_prob,
        gradient,
        out,
        |row, input: &[C], gradient: &[f64], out: &mut [C]| {
            let Some((target, weight)) = targets.at(row) else {
                out.fill(C::of(0.0));
                return;
            };
            let own = weight * (1.0 - smoothing);
            // Softmax spreads the sum of the gradients of its logarithms.
            let spread = C::of(gradient[0] * (own + share * all));
            for (out, x) in out.iter_mut().zip(input) {
                *out = x.exponential() * spread;
            }
            if share != 0.0 {
                for (class, out) in out.iter_mut().enumerate() {
                    *out = *out - C::of(gradient[0] * share * targets.weight(class));
                }
            }
            out[target] = out[target] - C::of(gradient[0] * own);
        },
    );
}

/// −Σ labels · log softmax(features) for each row. Contiguous rows; `out` has one element for each.
pub fn softmax_cross_entropy<C: Real>(features: &View, labels: &View, out: &View) {
    rows::rows2(
        features,
        labels,
        out,
        |_, features: &[C], labels: &[C], out: &mut [C]| {
            let lse = log_sum_exp(features);
            let terms = features.iter().zip(labels);
            let sum: f64 = terms.map(|(x, label)| (*label * (lse - *x)).to_f64()).sum();
            out[0] = C::of(sum);
        },
    );
}

/// softmax(features) − labels. Contiguous rows; the output overlaps no input.
pub fn softmax_minus_labels<C: Real>(features: &View, labels: &View, out: &View) {
    rows::rows2(
        features,
        labels,
        out,
        |_, features: &[C], labels: &[C], out: &mut [C]| {
            let lse = log_sum_exp(features);
            for ((out, x), label) in out.iter_mut().zip(features).zip(labels) {
                *out = (*x - lse).exponential() - *label;
            }
        },
    );
}
