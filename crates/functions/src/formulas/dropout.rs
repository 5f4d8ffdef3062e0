//! Dropout: masks at random, and what they leave of a tensor.

use millpond_kernels::random::Generator;
use millpond_kernels::{Element, count, dropout, floats, map};

use super::elementwise::expect_kind;
use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::promote::{Category, category, check_result};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

fn expect_probability(drop: f64, argument: &str) -> Result<(), Refusal> {
    require!(
        (0.0..=1.0).contains(&drop),
        "'{argument}' is {drop}: the probability must be in 0..1"
    );
    Ok(())
}

/// Refuses what does not have the bits of a mask for so many elements.
fn expect_mask(mask: &Tensor, elements: usize, argument: &str) -> Result<(), Refusal> {
    require!(
        mask.element() == Element::U8,
        "'{argument}' has the type {}: a mask has the type uint8",
        mask.element().name()
    );
    let bytes = dropout::mask_bytes(elements);
    require!(
        mask.count() >= bytes,
        "'{argument}' has {} bytes: the mask of {elements} elements has {bytes}",
        mask.count()
    );
    Ok(())
}

fn elements_of(shape: &[i64]) -> Result<usize, Refusal> {
    let size = shape.iter().try_fold(1_usize, |size, dim| {
        size.checked_mul(usize::try_from(*dim).ok()?)
    });
    size.ok_or_else(|| {
        Refusal::invalid(format!(
            "'shape' is {shape:?}: dimensions must not be negative, and their product must be a number of elements"
        ))
    })
}

/// A mask for elements of a shape.
pub(crate) fn generate(shape: &[i64], drop: f64, seed: i64, offset: i64, out: &Tensor) -> Planned {
    expect_probability(drop, "prob")?;
    let elements = elements_of(shape)?;
    expect_mask(out, elements, "out")?;
    let mut plan = Plan::new();
    let out = plan.output(out);
    let generator = Generator::new(seed, offset);
    plan.step(move |m| dropout::generate_mask(&generator, elements, 1.0 - drop, &m.view(&out)));
    plan.done()
}

/// The same with seed and offset in device memory.
pub(crate) fn generate_from_tensors(
    shape: &[i64],
    drop: f64,
    (seed, offset, further): (&Tensor, &Tensor, u64),
    out: &Tensor,
) -> Planned {
    expect_probability(drop, "prob")?;
    let elements = elements_of(shape)?;
    expect_mask(out, elements, "out")?;
    for (tensor, argument) in [(seed, "seed"), (offset, "offset")] {
        require!(
            tensor.count() == 1 && category(tensor.element()) == Category::Int,
            "'{argument}' has the shape {:?} and the type {}: it must be one integer",
            tensor.dims,
            tensor.element().name()
        );
    }
    let mut plan = Plan::new();
    let (seed, offset) = (plan.input(seed), plan.input(offset));
    let out = plan.output_apart(out);
    plan.step(move |m| {
        let whole = |value: &Value| {
            let mut number = [0_i64];
            millpond_kernels::read_block(&m.view(value), 0, &mut number);
            number[0]
        };
        let offset = whole(&offset).wrapping_add(further.cast_signed());
        let generator = Generator::new(whole(&seed), offset);
        dropout::generate_mask(&generator, elements, 1.0 - drop, &m.view(&out));
    });
    plan.done()
}

/// Adds the step that multiplies kept elements by 1 / (1 − drop), and the others by 0.
fn apply(plan: &mut Plan, x: Value, mask: &Value, drop: f64, element: Element, out: Value) {
    let mask = plan.contiguous(mask, Element::U8);
    let kept = plan.temp(Element::U8, x.dims());
    let scale = if drop < 1.0 { 1.0 / (1.0 - drop) } else { 0.0 };
    plan.step(move |m| {
        let kept = m.view(&kept);
        dropout::unpack_mask(&m.view(&mask), &kept);
        floats!(element, C => {
            let factors = [0.0, scale].map(<C as millpond_kernels::Float>::of);
            map::map2::<C, u8, C>(&m.view(&x), &kept, &m.view(&out), |x, kept| {
                x * factors[usize::from(kept & 1)]
            });
        });
    });
}

/// What a mask leaves of a tensor.
pub(crate) fn apply_mask(x: &Tensor, mask: &Tensor, drop: f64, out: &Tensor) -> Planned {
    expect_probability(drop, "prob")?;
    expect_shape(out, &x.dims)?;
    expect_mask(mask, x.count(), "mask")?;
    let element = x.element();
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, out)?;
    let mut plan = Plan::new();
    let (x, mask) = (plan.input(x), plan.input(mask));
    let out = plan.output(out);
    apply(&mut plan, x, &mask, drop, element, out);
    plan.done()
}

/// A mask, and what it leaves of a tensor.
pub(crate) fn dropout(
    x: &Tensor,
    noise_shape: Option<&Tensor>,
    drop: f64,
    (seed, offset): (i64, i64),
    out: &Tensor,
    mask: &Tensor,
) -> Planned {
    if noise_shape.is_some_and(|shape| !shape.is_empty()) {
        return Err(Refusal::unsupported(
            "'optionalNoiseShape' is given, but Millpond does not drop whole slices: pass NULL",
        ));
    }
    expect_probability(drop, "p")?;
    expect_shape(out, &x.dims)?;
    expect_mask(mask, x.count(), "maskOut")?;
    let element = x.element();
    expect_kind(element, Category::Float, Category::Float)?;
    check_result(element, out)?;
    let elements = count(&x.dims);
    let mut plan = Plan::new();
    let x = plan.input(x);
    let mask = plan.output_apart(mask);
    let out = plan.output(out);
    let generator = Generator::new(seed, offset);
    let into = mask.clone();
    plan.step(move |m| dropout::generate_mask(&generator, elements, 1.0 - drop, &m.view(&into)));
    apply(&mut plan, x, &mask, drop, element, out);
    plan.done()
}
