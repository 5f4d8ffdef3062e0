//! Random numbers. Each element depends on seed, offset and its position alone.

use millpond_kernels::random::{self, Generator};
use millpond_kernels::{Element, Float, bf16, f16, floats, map, read_block};

use super::{broadcast, expect_shape};
use crate::plan::{Memory, Plan, Planned, Value};
use crate::promote::{Category, category, is_float};
use crate::refusal::Refusal;
use crate::require;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// Where a generator begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seed<'a> {
    /// Seed and offset by value.
    Given(i64, i64),
    /// In device memory, and a number that is added to the offset.
    Device(&'a Tensor, &'a Tensor, u64),
}

/// The same, for the steps of a plan.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a plan has one of them")]
enum Start {
    Given(Generator),
    Device(Value, Value, i64),
}

impl Start {
    fn of(plan: &mut Plan, seed: Seed<'_>) -> Result<Self, Refusal> {
        match seed {
            Seed::Given(seed, offset) => Ok(Self::Given(Generator::new(seed, offset))),
            Seed::Device(seed, offset, more) => {
                for (tensor, name) in [(seed, "seed"), (offset, "offset")] {
                    require!(
                        tensor.count() == 1 && category(tensor.element()) == Category::Int,
                        "'{name}' has the shape {:?} and the type {}, it must be one integer",
                        tensor.dims,
                        tensor.element().name()
                    );
                }
                Ok(Self::Device(
                    plan.input(seed),
                    plan.input(offset),
                    more.cast_signed(),
                ))
            }
        }
    }

    fn generator(&self, memory: &Memory<'_>) -> Generator {
        match self {
            Self::Given(generator) => *generator,
            Self::Device(seed, offset, more) => {
                let read = |value: &Value| {
                    let mut number = [0_i64];
                    read_block(&memory.view(value), 0, &mut number);
                    number[0]
                };
                Generator::new(read(seed), read(offset).wrapping_add(*more))
            }
        }
    }
}

fn expect_float(out: &Tensor, argument: &str) -> Result<(), Refusal> {
    require!(
        is_float(out.element()),
        "'{argument}' has the type {}, it must have a floating-point type",
        out.element().name()
    );
    Ok(())
}

/// Normal numbers with mean and deviation.
pub(crate) fn normal(out: &Tensor, mean: f32, deviation: f32, seed: Seed<'_>) -> Planned {
    expect_float(out, "selfRef")?;
    require!(
        deviation >= 0.0,
        "'std' is {deviation}, it cannot be negative"
    );
    let (mean, deviation) = (f64::from(mean), f64::from(deviation));
    let mut plan = Plan::new();
    let start = Start::of(&mut plan, seed)?;
    let z = plan.output_apart(out);
    plan.step(move |m| {
        let generator = start.generator(m);
        let z = m.view(&z);
        floats!(z.element(), C => map::generate::<C>(&z, |number| C::of(mean + deviation * generator.normal(number))));
    });
    plan.done()
}

/// A mean or a deviation: one number, or one for each element.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Parameter<'a> {
    /// One number.
    Number(f32),
    /// A tensor.
    Tensor(&'a Tensor),
}

/// Normal numbers whose mean and deviation are tensors, or one of them.
pub(crate) fn normal_of(
    mean: Parameter<'_>,
    deviation: Parameter<'_>,
    seed: i64,
    offset: i64,
    out: &Tensor,
) -> Planned {
    expect_float(out, "out")?;
    let mut tensors = Vec::new();
    for parameter in [mean, deviation] {
        if let Parameter::Tensor(tensor) = parameter {
            tensors.push(tensor);
        }
    }
    let dims = broadcast(&tensors)?;
    expect_shape(out, &dims)?;
    let mut plan = Plan::new();
    let mut value = |parameter: Parameter<'_>| match parameter {
        Parameter::Number(number) => plan.constant(Element::F32, &Scalar::float(f64::from(number))),
        Parameter::Tensor(tensor) => plan.input(tensor),
    };
    let (mean, deviation) = (value(mean), value(deviation));
    let z = plan.output(out);
    let element = millpond_kernels::compute_type(out.element());
    let drawn = plan.temp(element, &dims);
    plan.step(move |m| {
        let generator = Generator::new(seed, offset);
        let (drawn, z) = (m.view(&drawn), m.view(&z));
        floats!(z.element(), C => {
            map::generate::<C>(&drawn, |number| C::of(generator.normal(number)));
            map::map3::<C, C, C, C>(&m.view(&mean), &m.view(&deviation), &drawn, &z, |mean, deviation, x| mean + deviation * x);
        });
    });
    plan.done()
}

/// How many binary digits the fraction of a type has, the first one included.
fn digits(element: Element) -> u32 {
    match element {
        Element::BF16 => 8,
        Element::F16 => 11,
        Element::F32 => 24,
        _ => 53,
    }
}

/// Numbers of low..high, every one as likely as the others.
pub(crate) fn uniform(out: &Tensor, low: f64, high: f64, seed: Seed<'_>) -> Planned {
    expect_float(out, "selfRef")?;
    require!(
        low <= high && (high - low).is_finite(),
        "numbers cannot be drawn from {low}..{high}"
    );
    let mut plan = Plan::new();
    let start = Start::of(&mut plan, seed)?;
    let z = plan.output_apart(out);
    let element = out.element();
    plan.step(move |m| {
        let generator = start.generator(m);
        let z = m.view(&z);
        // As many random bits as the type has, so that nothing is rounded up to 1.
        let unit = f64::from(digits(element)).exp2();
        let draw = |number: usize| {
            let drawn = (generator.uniform(number) * unit).floor() / unit;
            low + (high - low) * drawn
        };
        // What is rounded up to the end of the range becomes its beginning.
        let inside = |number: f64, rounded: f64| if rounded < high { number } else { low };
        match element {
            Element::F64 => map::generate::<f64>(&z, |number| {
                let x = draw(number);
                inside(x, x)
            }),
            Element::F16 => map::generate::<f32>(&z, |number| {
                let x = draw(number);
                f32::of(inside(x, f16::from_f64(x).to_f64()))
            }),
            Element::BF16 => map::generate::<f32>(&z, |number| {
                let x = draw(number);
                f32::of(inside(x, bf16::from_f64(x).to_f64()))
            }),
            _ => map::generate::<f32>(&z, |number| {
                let x = draw(number);
                f32::of(inside(x, f64::from(f32::of(x))))
            }),
        }
    });
    plan.done()
}

/// Whole numbers of low..high.
pub(crate) fn integers(out: &Tensor, low: i64, high: i64, seed: Seed<'_>) -> Planned {
    require!(
        low < high,
        "the range from {low} (included) to {high} (excluded) is empty"
    );
    draw_integers(out, low, high, seed)
}

fn draw_integers(out: &Tensor, low: i64, high: i64, seed: Seed<'_>) -> Planned {
    let mut plan = Plan::new();
    let start = Start::of(&mut plan, seed)?;
    let z = plan.output_apart(out);
    plan.step(move |m| {
        let generator = start.generator(m);
        map::generate::<i64>(&m.view(&z), |number| generator.integer(number, low, high));
    });
    plan.done()
}

/// Whole numbers from 0 on: all that a type has, or all that it can tell apart.
pub(crate) fn any_integers(out: &Tensor, seed: Seed<'_>) -> Planned {
    let high = match out.element() {
        Element::Bool => 2,
        Element::U8 => 1 << 8,
        Element::I8 => 1 << 7,
        Element::U16 => 1 << 16,
        Element::I16 => 1 << 15,
        Element::I32 => 1 << 31,
        Element::U32 => 1 << 32,
        // Up to the largest one: as many as there are numbers that are not negative.
        Element::I64 | Element::U64 => i64::MAX,
        element if is_float(element) => (1 << digits(element)) + 1,
        element => {
            return Err(Refusal::invalid(format!(
                "'selfRef' has the type {}, but an integer or floating-point type is expected",
                element.name()
            )));
        }
    };
    draw_integers(out, 0, high, seed)
}

/// 1 with a probability, otherwise 0.
pub(crate) fn bernoulli(out: &Tensor, probability: &Scalar, seed: i64, offset: i64) -> Planned {
    let probability = probability.real();
    require!(
        (0.0..=1.0).contains(&probability),
        "'prob' is {probability}, it must be a number of 0 to 1"
    );
    let mut plan = Plan::new();
    let z = plan.output(out);
    let generator = Generator::new(seed, offset);
    plan.step(move |m| {
        map::generate::<u8>(&m.view(&z), |number| {
            u8::from(generator.uniform(number) < probability)
        });
    });
    plan.done()
}

/// The same with a probability for each element.
pub(crate) fn bernoulli_of(out: &Tensor, probability: &Tensor, seed: i64, offset: i64) -> Planned {
    require!(
        broadcast(&[probability, out])? == out.dims,
        "'prob' of shape {:?} does not broadcast to {:?}",
        probability.dims,
        out.dims
    );
    expect_float(probability, "prob")?;
    let mut plan = Plan::new();
    let probability = plan.input(probability);
    let z = plan.output(out);
    let drawn = plan.temp(Element::F64, &out.dims);
    plan.step(move |m| {
        let generator = Generator::new(seed, offset);
        let drawn = m.view(&drawn);
        map::generate::<f64>(&drawn, |number| generator.uniform(number));
        map::map2::<f64, f64, u8>(
            &drawn,
            &m.view(&probability),
            &m.view(&z),
            |x, probability| u8::from(x < probability),
        );
    });
    plan.done()
}

/// Exponential numbers.
pub(crate) fn exponential(out: &Tensor, count: i64, rate: f64, seed: i64, offset: i64) -> Planned {
    expect_float(out, "selfRef")?;
    require!(rate > 0.0, "'lambd' is {rate}, it must be positive");
    require!(
        usize::try_from(count) == Ok(out.count()),
        "'count' is {count}, but 'selfRef' has {} elements",
        out.count()
    );
    let mut plan = Plan::new();
    let z = plan.output(out);
    let generator = Generator::new(seed, offset);
    plan.step(move |m| {
        let z = m.view(&z);
        // Programs divide by these numbers, so none is 0.
        let draw = |number: usize| {
            (-(-generator.uniform(number)).ln_1p()).max(f64::from(f32::EPSILON) / 2.0) / rate
        };
        floats!(z.element(), C => map::generate::<C>(&z, |number| C::of(draw(number))));
    });
    plan.done()
}

/// The numbers of 0..count in a random order.
pub(crate) fn permutation(count: i64, seed: i64, offset: i64, out: &Tensor) -> Planned {
    require!(count >= 0, "'n' is {count}, it cannot be negative");
    expect_shape(out, &[count])?;
    let mut plan = Plan::new();
    let z = plan.output(out);
    let order = plan.temp(Element::I64, &[count]);
    let result = order.clone();
    plan.step(move |m| random::permutation(&Generator::new(seed, offset), &m.view(&order)));
    plan.copy(&result, &z);
    plan.done()
}

/// Indices drawn from rows of weights.
pub(crate) fn multinomial(
    weights: &Tensor,
    samples: i64,
    replacement: bool,
    seed: Seed<'_>,
    out: &Tensor,
) -> Planned {
    expect_float(weights, "self")?;
    require!(
        (1..=2).contains(&weights.rank()),
        "'self' has the shape {:?}, it must have one or two dimensions",
        weights.dims
    );
    let last = weights.rank() - 1;
    let categories = weights.dims[last];
    require!(
        samples > 0 && categories > 0 && (replacement || samples <= categories),
        "{samples} samples cannot be drawn from {categories} categories{}",
        if replacement {
            ""
        } else {
            " without replacement"
        }
    );
    expect_shape(out, &super::copy::replaced(&weights.dims, last, samples))?;
    let mut plan = Plan::new();
    let start = Start::of(&mut plan, seed)?;
    let value = plan.input(weights);
    let z = plan.output_apart(out);
    let keys = plan.temp(Element::F64, &weights.dims);
    plan.copy(&value, &keys);
    let order = plan.temp(Element::I64, &weights.dims);
    let drawn = plan.temp(Element::I64, &out.dims);
    let result = drawn.clone();
    plan.try_step(move |m| {
        let generator = start.generator(m);
        random::multinomial(
            &generator,
            &m.view(&keys),
            &m.view(&order),
            replacement,
            &m.view(&drawn),
        )
    });
    plan.copy(&result, &z);
    plan.done()
}
