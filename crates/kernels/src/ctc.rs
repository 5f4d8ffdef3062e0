//! The loss of connectionist temporal classification, and its gradient.
//!
//! A sequence of labels is read with blanks between them: blank, first label, blank, second label, …, blank. `alpha[t, s]` is the
//! logarithm of the probability of all ways to be at place `s` of that line at time `t`.

use crate::element::Float;
use crate::parallel;
use crate::view::View;

/// One batch of sequences. Lengths are in `inputs` and `labels`; `starts` says where the labels of each sequence begin in `targets`.
#[derive(Debug, Clone)]
pub struct Sequences {
    /// How many steps of time each sequence has.
    pub inputs: Vec<usize>,
    /// How many labels each sequence has.
    pub labels: Vec<usize>,
    /// Where the labels of each sequence begin.
    pub starts: Vec<usize>,
    /// The blank's number.
    pub blank: usize,
    /// How many classes there are.
    pub classes: usize,
}

fn log_add(values: [f64; 3]) -> f64 {
    let most = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let sum: f64 = values.iter().map(|value| (value - most).exp()).sum();
    sum.ln() + most
}

const NEVER: f64 = f64::NEG_INFINITY;

impl Sequences {
    fn label(&self, targets: &[i64], number: usize, index: usize) -> usize {
        usize::try_from(targets[self.starts[number] + index]).unwrap_or(0)
    }

    /// The class at a place of the line with blanks.
    fn class(&self, targets: &[i64], number: usize, place: usize) -> usize {
        if place.is_multiple_of(2) {
            self.blank
        } else {
            self.label(targets, number, place / 2)
        }
    }

    /// Refuses labels that are not classes.
    pub fn check(&self, targets: &[i64]) -> Result<(), String> {
        for (start, length) in self.starts.iter().zip(&self.labels) {
            let wrong = targets[*start..start + length]
                .iter()
                .find(|label| usize::try_from(**label).map_or(true, |label| label >= self.classes));
            if let Some(label) = wrong {
                return Err(format!(
                    "a target is {label}, but there are {} classes",
                    self.classes
                ));
            }
        }
        Ok(())
    }

    /// Losses and `alpha`. Views are contiguous: logarithms `[time, batch, classes]`, losses `[batch]`, alpha `[batch, time, places]`.
    pub fn loss<T: Float>(&self, logs: &View, targets: &[i64], losses: &View, alpha: &View) {
        let (batch, width) = (self.inputs.len(), size(alpha, 2));
        let time = size(alpha, 1);
        let values = logs.slice::<T>().unwrap_or_default();
        parallel::ranges(batch, 1, |range| {
            for number in range {
                let (Some(alpha), Some(loss)) = (
                    alpha.row_mut::<T>(number, time * width),
                    losses.row_mut::<T>(number, 1),
                ) else {
                    continue;
                };
                let log = |at: usize, class: usize| {
                    values[(at * batch + number) * self.classes + class].to_f64()
                };
                alpha.fill(T::of(NEVER));
                let (steps, places) = (self.inputs[number], 2 * self.labels[number] + 1);
                if steps == 0 {
                    loss[0] = T::of(if places == 1 { 0.0 } else { f64::INFINITY });
                    continue;
                }
                for (place, first) in alpha[..places.min(2)].iter_mut().enumerate() {
                    *first = T::of(log(0, self.class(targets, number, place)));
                }
                for at in 1..steps {
                    let (before, now) = alpha.split_at_mut(at * width);
                    let before = &before[(at - 1) * width..];
                    for place in 0..places {
                        let class = self.class(targets, number, place);
                        let skips = place > 1 && self.class(targets, number, place - 2) != class;
                        let sum = log_add([
                            before[place].to_f64(),
                            if place > 0 {
                                before[place - 1].to_f64()
                            } else {
                                NEVER
                            },
                            if skips {
                                before[place - 2].to_f64()
                            } else {
                                NEVER
                            },
                        ]);
                        now[place] = T::of(sum + log(at, class));
                    }
                }
                let end = &alpha[(steps - 1) * width..];
                let other = if places > 1 {
                    end[places - 2].to_f64()
                } else {
                    NEVER
                };
                loss[0] = T::of(-log_add([end[places - 1].to_f64(), other, NEVER]));
            }
        });
    }

    /// The gradient of the logarithms: `[time, batch, classes]`, in `grad`, which is read and written. `rows` has room for two rows of
    /// `double` for each sequence. With `zero_infinity` an infinite loss has no gradient.
    #[expect(clippy::too_many_arguments, reason = "all of them are operands")]
    pub fn gradient<T: Float>(
        &self,
        slope: &View,
        logs: &View,
        targets: &[i64],
        losses: &View,
        alpha: &View,
        zero_infinity: bool,
        rows: &View,
        grad: &View,
    ) {
        let (batch, width, time) = (self.inputs.len(), size(alpha, 2), size(alpha, 1));
        let values = logs.slice::<T>().unwrap_or_default();
        let alpha = alpha.slice::<T>().unwrap_or_default();
        let (slopes, losses) = (
            slope.slice::<T>().unwrap_or_default(),
            losses.slice::<T>().unwrap_or_default(),
        );
        parallel::ranges(batch, 1, |range| {
            for number in range {
                let Some(rows) = rows.row_mut::<f64>(number, 2 * width) else {
                    continue;
                };
                // The part of one step of time; each sequence has parts of its own.
                let part = |at: usize| grad.row_mut::<T>(at * batch + number, self.classes);
                let loss = losses[number].to_f64();
                let nothing = zero_infinity && loss == f64::INFINITY;
                for at in 0..time {
                    if let Some(part) = part(at) {
                        let start = if at < self.inputs[number] && !nothing {
                            NEVER
                        } else {
                            0.0
                        };
                        part.fill(T::of(start));
                    }
                }
                if nothing {
                    continue;
                }
                let log = |at: usize, class: usize| {
                    values[(at * batch + number) * self.classes + class].to_f64()
                };
                let (steps, places) = (self.inputs[number], 2 * self.labels[number] + 1);
                let (mut now, mut later) = rows.split_at_mut(width);
                for at in (0..steps).rev() {
                    let Some(part) = part(at) else { continue };
                    for place in (0..places).rev() {
                        let class = self.class(targets, number, place);
                        let sum = if at + 1 == steps {
                            if place + 2 >= places { 0.0 } else { NEVER }
                        } else {
                            let skips = place + 2 < places
                                && self.class(targets, number, place + 2) != class;
                            log_add([
                                later[place],
                                if place + 1 < places {
                                    later[place + 1]
                                } else {
                                    NEVER
                                },
                                if skips { later[place + 2] } else { NEVER },
                            ])
                        };
                        now[place] = sum + log(at, class);
                        let both =
                            alpha[(number * time + at) * width + place].to_f64() + now[place];
                        part[class] = T::of(log_add([part[class].to_f64(), both, NEVER]));
                    }
                    let slope = slopes[number].to_f64();
                    for (class, sum) in part.iter_mut().enumerate() {
                        let log = log(at, class);
                        *sum = T::of((log.exp() - (sum.to_f64() + loss - log).exp()) * slope);
                    }
                    std::mem::swap(&mut now, &mut later);
                }
            }
        });
    }
}

fn size(view: &View, axis: usize) -> usize {
    usize::try_from(view.dims()[axis]).unwrap_or(0)
}
