//! Choosing the next token.

use millpond_kernels::{Element, rows};

use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// What is likely enough stays, everything else becomes −∞: the `k` greatest numbers of each row, and of those the fewest that have
/// the probability `p` together. Numbers that are equal to the last one that stays for `k` stay too.
pub(crate) fn likely(
    logits: &Tensor,
    p: Option<&Tensor>,
    k: Option<&Tensor>,
    out: &Tensor,
) -> Planned {
    expect_shape(out, &logits.dims)?;
    require!(
        logits.rank() == 2
            && matches!(
                logits.element(),
                Element::F32 | Element::F16 | Element::BF16
            ),
        "'logits' has the shape {:?} and the type {:?}, expected two axes of float, float16 or bfloat16",
        logits.dims,
        logits.element()
    );
    let mut plan = Plan::new();
    let mut each = |tensor: Option<&Tensor>, element: Element, argument: &str| {
        let Some(tensor) = tensor else {
            return Ok(None);
        };
        require!(
            tensor.dims[..] == logits.dims[..1],
            "'{argument}' has the shape {:?}, expected a number for each of {} rows",
            tensor.dims,
            logits.dims[0]
        );
        let value = plan.input(tensor);
        Ok::<_, Refusal>(Some(plan.contiguous(&value, element)))
    };
    let p = each(p, Element::F32, "p")?;
    let k = each(k, Element::I64, "k")?;
    let value = plan.input(logits);
    let value = plan.contiguous(&value, Element::F32);
    let order = plan.temp(Element::U32, &logits.dims);
    let kept = plan.temp(Element::F32, &logits.dims);
    filter(&mut plan, &value, [p, k], &order, &kept);
    let result = plan.output_apart(out);
    plan.copy(&kept, &result);
    plan.done()
}

/// Adds the filter: `order` is scratch memory for the places of each row.
fn filter(
    plan: &mut Plan,
    logits: &Value,
    [p, k]: [Option<Value>; 2],
    order: &Value,
    kept: &Value,
) {
    let (logits, order, kept) = (logits.clone(), order.clone(), kept.clone());
    plan.step(move |m| {
        let (p, k) = (p.as_ref().map(|p| m.view(p)), k.as_ref().map(|k| m.view(k)));
        let number = |row: usize| i64::try_from(row).unwrap_or(0);
        rows::rows1_2(
            &m.view(&logits),
            &m.view(&kept),
            &m.view(&order),
            |row, logits: &[f32], kept: &mut [f32], order: &mut [u32]| {
                let p = p.as_ref().map(|p| p.get::<f32>(&[number(row)]));
                let k = k.as_ref().map(|k| k.get::<i64>(&[number(row)]));
                keep_likely(logits, p, k, kept, order);
            },
        );
    });
}

fn keep_likely(
    logits: &[f32],
    p: Option<f32>,
    k: Option<i64>,
    kept: &mut [f32],
    order: &mut [u32],
) {
    for (place, index) in order.iter_mut().zip(0..) {
        *place = index;
    }
    let at = |index: u32| logits[usize::try_from(index).unwrap_or(0)];
    // The greatest first; of equal ones the last first, so that the first is dropped last going up.
    order.sort_unstable_by(|a, b| at(*b).total_cmp(&at(*a)).then(b.cmp(a)));
    kept.copy_from_slice(logits);
    let mut stay = order.len();
    if let Some(k) = k.and_then(|k| usize::try_from(k).ok())
        && (1..order.len()).contains(&k)
    {
        let least = at(order[k - 1]);
        stay = order
            .iter()
            .take_while(|index| at(**index) >= least)
            .count();
    }
    if let (Some(p), Some(first)) = (p, order.first()) {
        let greatest = at(*first);
        let share = |index: u32| f64::from(at(index) - greatest).exp();
        let sum: f64 = order[..stay].iter().map(|index| share(*index)).sum();
        let most = (1.0 - f64::from(p)) * sum;
        let mut dropped = 0.0;
        while stay > 1 {
            dropped += share(order[stay - 1]);
            if dropped > most {
                break;
            }
            stay -= 1;
        }
    }
    for index in &order[stay..] {
        kept[usize::try_from(*index).unwrap_or(0)] = f32::NEG_INFINITY;
    }
}
