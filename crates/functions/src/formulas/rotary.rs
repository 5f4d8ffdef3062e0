//! Rotary positions: pairs of numbers turned by an angle.
//!
//! Every function here turns pairs `(a, b)` into `(a·cos − b·sin, b·cos + a·sin)`. They differ in which numbers of a row are pairs.

use millpond_kernels::{Element, broadcast_dims, map};

use super::expect_shape;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// Which numbers of a row are pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    /// The first half with the second.
    Half,
    /// Neighbours.
    Neighbours,
    /// The first quarter with the second, the third with the fourth.
    Quarters,
    /// Neighbours, whose results go into the two halves.
    Apart,
}

impl Pairs {
    fn by_number(mode: i64) -> Result<Self, Refusal> {
        match mode {
            0 => Ok(Self::Half),
            1 => Ok(Self::Neighbours),
            2 => Ok(Self::Quarters),
            3 => Ok(Self::Apart),
            _ => Err(Refusal::invalid(format!("mode is {mode}, expected 0 to 3"))),
        }
    }

    fn by_name(mode: &str) -> Result<Self, Refusal> {
        match mode {
            "half" => Ok(Self::Half),
            "interleave" => Ok(Self::Neighbours),
            "quarter" => Ok(Self::Quarters),
            _ => Err(Refusal::invalid(format!(
                "rotaryMode is '{mode}', expected half, interleave or quarter"
            ))),
        }
    }

    /// How many numbers a row has to have a multiple of.
    fn unit(self) -> i64 {
        if self == Self::Quarters { 4 } else { 2 }
    }

    /// The pairs that are turned.
    fn of(self, value: &Value) -> Vec<[Value; 2]> {
        let last = value.rank() - 1;
        let size = value.dim(last);
        let part =
            |count: i64, index: i64| value.narrow(last, index * (size / count), size / count);
        match self {
            Self::Half => vec![[part(2, 0), part(2, 1)]],
            Self::Quarters => vec![[part(4, 0), part(4, 1)], [part(4, 2), part(4, 3)]],
            Self::Neighbours | Self::Apart if size == 0 => vec![[value.clone(), value.clone()]],
            Self::Neighbours | Self::Apart => vec![[
                value.every(last, 2),
                value.narrow(last, 1, size - 1).every(last, 2),
            ]],
        }
    }

    /// Where their results go, and which angles they have.
    fn results(self, value: &Value) -> Vec<[Value; 2]> {
        if self == Self::Apart {
            Self::Half.of(value)
        } else {
            self.of(value)
        }
    }
}

/// Refuses other types than those that are computed in `float`.
fn check_float(tensors: &[&Tensor]) -> Result<(), Refusal> {
    for tensor in tensors {
        if !matches!(
            tensor.element(),
            Element::F32 | Element::F16 | Element::BF16
        ) {
            return Err(Refusal::unsupported(format!(
                "elements have the type {:?}: Millpond rotates float, float16 and bfloat16",
                tensor.element()
            )));
        }
    }
    Ok(())
}

fn check_angles(x: &[i64], angles: &[&Tensor], pairs: Pairs) -> Result<(), Refusal> {
    let size = x.last().copied().unwrap_or(0);
    require!(
        !x.is_empty() && size % pairs.unit() == 0,
        "the shape is {x:?}: the last dimension must be a multiple of {}",
        pairs.unit()
    );
    for tensor in angles {
        let fits = broadcast_dims(&tensor.dims, x).is_some_and(|dims| dims[..] == *x);
        require!(
            fits && tensor.dims.last() == Some(&size),
            "cos or sin has the shape {:?}, which does not broadcast to {x:?}",
            tensor.dims
        );
    }
    Ok(())
}

/// Turns the pairs of a value.
pub(super) fn turn(plan: &mut Plan, x: &Value, angles: [&Value; 2], out: &Value, pairs: Pairs) {
    let [cos, sin] = angles.map(|angle| angle.expand(x.dims()));
    let all = pairs
        .of(x)
        .into_iter()
        .zip(pairs.results(&cos))
        .zip(pairs.results(&sin))
        .zip(pairs.results(out));
    for ((([a, b], [cos_a, cos_b]), [sin_a, sin_b]), [out_a, out_b]) in all {
        plan.step(move |m| {
            let (a, b) = (m.view(&a), m.view(&b));
            map::map4::<f32, f32, f32, f32, f32>(
                &a,
                &m.view(&cos_a),
                &b,
                &m.view(&sin_a),
                &m.view(&out_a),
                |a, cos, b, sin| a * cos - b * sin,
            );
            map::map4::<f32, f32, f32, f32, f32>(
                &b,
                &m.view(&cos_b),
                &a,
                &m.view(&sin_b),
                &m.view(&out_b),
                |b, cos, a, sin| b * cos + a * sin,
            );
        });
    }
}

fn turned(x: &Tensor, cos: &Tensor, sin: &Tensor, pairs: Pairs, out: &Tensor) -> Planned {
    check_float(&[x, cos, sin, out])?;
    check_angles(&x.dims, &[cos, sin], pairs)?;
    expect_shape(out, &x.dims)?;
    let mut plan = Plan::new();
    let (value, cos, sin) = (plan.input(x), plan.input(cos), plan.input(sin));
    let result = plan.output_apart(out);
    turn(&mut plan, &value, [&cos, &sin], &result, pairs);
    plan.done()
}

/// Turned by rotary positions.
pub(crate) fn embedding(
    x: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    mode: i64,
    out: &Tensor,
) -> Planned {
    turned(x, cos, sin, Pairs::by_number(mode)?, out)
}

/// The same, with a matrix that says which numbers are pairs: x · cos + (x · rotate) · sin.
pub(crate) fn embedding_v2(
    x: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    mode: i64,
    rotate: Option<&Tensor>,
    out: &Tensor,
) -> Planned {
    let Some(rotate) = rotate else {
        return embedding(x, cos, sin, mode, out);
    };
    check_float(&[x, cos, sin, rotate, out])?;
    check_angles(&x.dims, &[cos, sin], Pairs::Half)?;
    expect_shape(out, &x.dims)?;
    let size = x.dims.last().copied().unwrap_or(0);
    require!(
        rotate.dims[..] == [size, size] && x.rank() >= 2,
        "'rotate' has the shape {:?}, expected [{size}, {size}]",
        rotate.dims
    );
    let mut plan = Plan::new();
    let (value, cos, sin) = (plan.input(x), plan.input(cos), plan.input(sin));
    let rotate = plan.input(rotate);
    let other = plan.temp(Element::F32, &x.dims);
    plan.matmul_to(&value, &rotate, &other)?;
    let result = plan.output_apart(out);
    plan.step(move |m| {
        map::map4::<f32, f32, f32, f32, f32>(
            &m.view(&value),
            &m.view(&cos),
            &m.view(&other),
            &m.view(&sin),
            &m.view(&result),
            |a, cos, b, sin| a * cos + b * sin,
        );
    });
    plan.done()
}

/// Neighbours are turned, and their results go into the two halves.
pub(crate) fn interleave(x: &Tensor, cos: &Tensor, sin: &Tensor, out: &Tensor) -> Planned {
    turned(x, cos, sin, Pairs::Apart, out)
}

/// The gradients of x, and of cos and sin where they are wanted.
#[expect(
    clippy::too_many_arguments,
    reason = "as many as the function of C has"
)]
pub(crate) fn embedding_grad(
    dy: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    x: Option<&Tensor>,
    mode: i64,
    dx: &Tensor,
    d_cos: Option<&Tensor>,
    d_sin: Option<&Tensor>,
) -> Planned {
    let pairs = Pairs::by_number(mode)?;
    check_float(&[dy, cos, sin, dx])?;
    check_angles(&dy.dims, &[cos, sin], pairs)?;
    expect_shape(dx, &dy.dims)?;
    let mut plan = Plan::new();
    let (dy_value, cos_value, sin_value) = (plan.input(dy), plan.input(cos), plan.input(sin));
    let x_value = x
        .filter(|x| !x.is_empty())
        .map(|x| {
            expect_shape(x, &dy.dims)?;
            check_float(&[x])?;
            Ok::<_, Refusal>(plan.input(x))
        })
        .transpose()?;
    let dx_value = plan.output_apart(dx);
    let [d_cos, d_sin] = [d_cos, d_sin].map(|result| result.filter(|result| !result.is_empty()));
    for (angle, result) in [(cos, d_cos), (sin, d_sin)] {
        let Some(result) = result else { continue };
        expect_shape(result, &angle.dims)?;
        check_float(&[result])?;
        require!(
            angle.rank() == dy.rank(),
            "cos and sin have the shape {:?}: their gradients need as many axes as dy has",
            angle.dims
        );
    }
    let angles = [&cos_value, &sin_value].map(|angle| angle.expand(dy_value.dims()));
    let all = pairs
        .results(&dy_value)
        .into_iter()
        .zip(pairs.results(&angles[0]))
        .zip(pairs.results(&angles[1]))
        .zip(pairs.of(&dx_value));
    for ((([dy_a, dy_b], [cos_a, cos_b]), [sin_a, sin_b]), [dx_a, dx_b]) in all {
        plan.step(move |m| {
            let (a, b) = (m.view(&dy_a), m.view(&dy_b));
            map::map4::<f32, f32, f32, f32, f32>(
                &a,
                &m.view(&cos_a),
                &b,
                &m.view(&sin_b),
                &m.view(&dx_a),
                |a, cos, b, sin| a * cos + b * sin,
            );
            map::map4::<f32, f32, f32, f32, f32>(
                &b,
                &m.view(&cos_b),
                &a,
                &m.view(&sin_a),
                &m.view(&dx_b),
                |b, cos, a, sin| b * cos - a * sin,
            );
        });
    }
    for (result, swapped) in [(d_cos, false), (d_sin, true)] {
        let Some(result) = result else { continue };
        // Without x there is no gradient of the angles: programs that need none pass memory for it all the same.
        let Some(x_value) = &x_value else { continue };
        let whole = plan.temp(Element::F32, &dy.dims);
        let all = pairs
            .results(&dy_value)
            .into_iter()
            .zip(pairs.of(x_value))
            .zip(pairs.results(&whole));
        for (([dy_a, dy_b], [x_a, x_b]), [out_a, out_b]) in all {
            let (first, second) = if swapped { (x_b, x_a) } else { (x_a, x_b) };
            let sign = if swapped { -1.0 } else { 1.0 };
            plan.step(move |m| {
                map::map2::<f32, f32, f32>(
                    &m.view(&dy_a),
                    &m.view(&first),
                    &m.view(&out_a),
                    |dy, x| dy * x * sign,
                );
                map::map2::<f32, f32, f32>(
                    &m.view(&dy_b),
                    &m.view(&second),
                    &m.view(&out_b),
                    |dy, x| dy * x,
                );
            });
        }
        let out = plan.output_apart(result);
        let axes = (0..whole.rank()).filter(|axis| out.dim(*axis) < whole.dim(*axis));
        let axes: Vec<usize> = axes.collect();
        plan.sum_to(&whole, &axes, &out);
    }
    plan.done()
}

/// Queries and keys turned in place.
pub(crate) fn apply(
    query: &Tensor,
    key: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    layout: i64,
    mode: &str,
) -> Planned {
    let pairs = Pairs::by_name(mode)?;
    require!(
        (1..=4).contains(&layout),
        "layout is {layout}, expected 1 (BSND), 2 (SBND), 3 (BNSD) or 4 (TND)"
    );
    let rank = if layout == 4 { 3 } else { 4 };
    check_float(&[query, key, cos, sin])?;
    let mut plan = Plan::new();
    let (cos_value, sin_value) = (plan.input(cos), plan.input(sin));
    let inputs = [query, key].map(|tensor| plan.input(tensor));
    for (tensor, value) in [query, key].into_iter().zip(inputs) {
        require!(
            tensor.rank() == rank && cos.rank() == rank && sin.rank() == rank,
            "layout {layout} has {rank} axes, but the shapes are {:?}, {:?} and {:?}",
            tensor.dims,
            cos.dims,
            sin.dims
        );
        check_angles(&tensor.dims, &[cos, sin], pairs)?;
        let out = plan.output_apart(tensor);
        turn(&mut plan, &value, [&cos_value, &sin_value], &out, pairs);
    }
    plan.done()
}

/// Queries and keys turned by the angles that a table has for positions.
#[expect(
    clippy::too_many_arguments,
    reason = "as many as the function of C has"
)]
pub(crate) fn by_position(
    positions: &Tensor,
    query: &Tensor,
    key: &Tensor,
    cache: &Tensor,
    sections: Option<&[i64]>,
    head_size: i64,
    halves: bool,
    mixed: i64,
    query_out: &Tensor,
    key_out: &Tensor,
) -> Planned {
    check_float(&[query, key, cache, query_out, key_out])?;
    require!(
        cache.rank() == 2,
        "'cosSinCache' has the shape {:?}, expected two axes",
        cache.dims
    );
    let (most, turned) = (cache.dims[0], cache.dims[1]);
    require!(
        turned % 2 == 0 && turned <= head_size && head_size > 0,
        "'cosSinCache' has rows of {turned} numbers, expected an even number of at most headSize, {head_size}"
    );
    let half = turned / 2;
    // Which row of positions each angle goes by.
    let rows: Vec<i64> = match positions.rank() {
        1 => vec![0; usize::try_from(half).unwrap_or(0)],
        2 => {
            let sections = sections.unwrap_or_default();
            let count = i64::try_from(sections.len()).unwrap_or(0);
            require!(
                count == positions.dims[0]
                    && sections.iter().all(|section| (0..=half).contains(section))
                    && sections.iter().sum::<i64>() == half,
                "mropeSection is {sections:?}: expected {} numbers that add up to {half}",
                positions.dims[0]
            );
            sections_of(sections, half, mixed)?
        }
        _ => {
            return Err(Refusal::invalid(format!(
                "'positions' has the shape {:?}, expected one or two axes",
                positions.dims
            )));
        }
    };
    let tokens = positions.dims.last().copied().unwrap_or(0);
    let mut plan = Plan::new();
    let place = plan.input(positions);
    let place = plan.contiguous(&place, Element::I64);
    let table = plan.input(cache);
    let table = plan.contiguous(&table, Element::F32);
    let angles = [(); 2].map(|()| plan.temp(Element::F32, &[tokens, half]));
    let [cos, sin] = angles.clone();
    plan.try_step(move |m| {
        let (place, table) = (m.view(&place), m.view(&table));
        let (Some(place), Some(table)) = (place.slice::<i64>(), table.slice::<f32>()) else {
            return Ok(());
        };
        let (cos, sin) = (m.view(&cos), m.view(&sin));
        let (Some(cos), Some(sin)) = (cos.slice_mut::<f32>(), sin.slice_mut::<f32>()) else {
            return Ok(());
        };
        let size = |number: i64| usize::try_from(number).unwrap_or(0);
        let (tokens, half) = (size(tokens), size(half));
        for token in 0..tokens {
            for (index, row) in rows.iter().enumerate() {
                let position = place[size(*row) * tokens + token];
                if !(0..most).contains(&position) {
                    return Err(format!(
                        "token {token} has the position {position}, but the cache of angles has {most}"
                    ));
                }
                let row = &table[size(position) * 2 * half..][..2 * half];
                cos[token * half + index] = row[index];
                sin[token * half + index] = row[half + index];
            }
        }
        Ok(())
    });
    let [cos, sin] = angles.map(|angle| angle.unsqueeze(1));
    let tensors = [("query", query, query_out), ("key", key, key_out)];
    let inputs = [query, key].map(|tensor| plan.input(tensor));
    for ((argument, tensor, out), value) in tensors.into_iter().zip(inputs) {
        expect_shape(out, &tensor.dims)?;
        require!(
            tensor.rank() == 2 && tensor.dims[0] == tokens && tensor.dims[1] % head_size == 0,
            "'{argument}' has the shape {:?}, expected {tokens} rows of heads of {head_size} numbers",
            tensor.dims
        );
        let result = plan.output_apart(out);
        let (value, result) = (value.split(1, head_size), result.split(1, head_size));
        let pairs = if halves {
            Pairs::Half
        } else {
            Pairs::Neighbours
        };
        let (from, into) = (value.narrow(2, 0, turned), result.narrow(2, 0, turned));
        for ([a, b], [out_a, out_b]) in pairs.of(&from).into_iter().zip(pairs.of(&into)) {
            let (cos, sin) = (cos.clone(), sin.clone());
            plan.step(move |m| {
                let (a, b) = (m.view(&a), m.view(&b));
                let (cos, sin) = (m.view(&cos), m.view(&sin));
                map::map4::<f32, f32, f32, f32, f32>(
                    &a,
                    &cos,
                    &b,
                    &sin,
                    &m.view(&out_a),
                    |a, cos, b, sin| a * cos - b * sin,
                );
                map::map4::<f32, f32, f32, f32, f32>(
                    &b,
                    &cos,
                    &a,
                    &sin,
                    &m.view(&out_b),
                    |b, cos, a, sin| b * cos + a * sin,
                );
            });
        }
        let rest = head_size - turned;
        if rest > 0 {
            plan.copy(
                &value.narrow(2, turned, rest),
                &result.narrow(2, turned, rest),
            );
        }
    }
    plan.done()
}

/// Which row of positions each of `half` angles goes by: sections one behind the other, or taking turns.
fn sections_of(sections: &[i64], half: i64, mixed: i64) -> Result<Vec<i64>, Refusal> {
    match mixed {
        0 => Ok((0_i64..)
            .zip(sections)
            .flat_map(|(row, section)| {
                std::iter::repeat_n(row, usize::try_from(*section).unwrap_or(0))
            })
            .collect()),
        1 => {
            let count = i64::try_from(sections.len()).unwrap_or(1);
            let row = |index: i64| {
                let row = index % count;
                let section = sections.get(usize::try_from(row).unwrap_or(0)).copied();
                // The first row fills up what the others leave.
                if section.is_some_and(|section| index < section * count) {
                    row
                } else {
                    0
                }
            };
            Ok((0..half).map(row).collect())
        }
        _ => Err(Refusal::invalid(format!(
            "cacheMode is {mixed}, expected 0 or 1"
        ))),
    }
}
