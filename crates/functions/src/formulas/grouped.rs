//! Products of matrices in groups: each expert's tokens with the expert's weights.

use millpond_kernels::{Element, map, matmul};

use super::moe::{expect_dims, flat, size, slice, whole};
use crate::indexing::expect_integers;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::tensor::Tensor;

/// Where groups begin and end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Groups<'a> {
    /// Numbers that the call gives: where each group ends.
    Host(Option<&'a [i64]>),
    /// Numbers in device memory: 0 where each group ends, 1 how long it is, 2 pairs of its number and length.
    Device(Option<&'a Tensor>, i64),
}

/// A product in groups.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) x: &'a [&'a Tensor],
    pub(crate) weight: &'a [&'a Tensor],
    pub(crate) bias: &'a [&'a Tensor],
    /// Lists that only calls with quantised tensors have.
    pub(crate) quantised: &'a [&'a [&'a Tensor]],
    pub(crate) groups: Groups<'a>,
    /// −1: no groups, 0: rows of x, 2: columns of x. `None`: as `groups` says.
    pub(crate) group_type: Option<i64>,
    pub(crate) activation: i64,
    pub(crate) y: &'a [&'a Tensor],
}

fn is_present(list: &[&Tensor]) -> bool {
    list.iter().any(|tensor| !tensor.is_empty())
}

fn expect_type(tensor: &Tensor, argument: &str) -> Result<(), Refusal> {
    if matches!(
        tensor.element(),
        Element::F16 | Element::BF16 | Element::F32
    ) {
        return Ok(());
    }
    Err(Refusal::unsupported(format!(
        "'{argument}' has the type {}; Millpond does not multiply quantised tensors in groups, only float16, bfloat16 and float32",
        tensor.element().name()
    )))
}

/// y = x · weight + bias, for each group.
pub(crate) fn matmul(call: &Call<'_>) -> Planned {
    if call.quantised.iter().any(|list| is_present(list)) {
        return Err(Refusal::unsupported(
            "scales or offsets are given; Millpond does not multiply quantised tensors in groups",
        ));
    }
    if call.activation != 0 {
        return Err(Refusal::unsupported(format!(
            "'actType' is {}; Millpond does not apply activations here, pass 0",
            call.activation
        )));
    }
    for (list, argument) in [(call.x, "x"), (call.weight, "weight"), (call.y, "y")] {
        require!(!list.is_empty(), "'{argument}' is an empty list");
        for tensor in list {
            expect_type(tensor, argument)?;
        }
    }
    let given = match call.groups {
        Groups::Host(list) => list.is_some_and(|list| !list.is_empty()),
        Groups::Device(list, _) => list.is_some(),
    };
    let stacked = call.x.len() > 1 && call.y.len() == 1;
    match call.group_type {
        None if given || stacked => rows(call),
        Some(0) => rows(call),
        Some(-1) if stacked => rows(call),
        None | Some(-1) => pairs(call),
        Some(2) => depth(call),
        Some(other) => Err(Refusal::invalid(format!(
            "'groupType' is {other}; -1 is no groups, 0 groups rows, 2 groups columns of 'x'"
        ))),
    }
}

/// Adds a vector to each row.
fn add_bias(plan: &mut Plan, bias: &Value, out: &Value) {
    let (bias, out) = (bias.clone(), out.clone());
    plan.step(move |m| {
        let out = m.view(&out);
        map::map2::<f32, f32, f32>(&out, &m.view(&bias), &out, |x, y| x + y);
    });
}

/// One product for each pair of tensors.
fn pairs(call: &Call<'_>) -> Planned {
    let count = call.x.len();
    require!(
        call.weight.len() == count && call.y.len() == count,
        "'x' has {count} tensors, 'weight' {} and 'y' {}, but equal numbers are expected",
        call.weight.len(),
        call.y.len()
    );
    require!(
        !is_present(call.bias) || call.bias.len() == count,
        "'bias' has {} tensors, but {count} are expected",
        call.bias.len()
    );
    let mut plan = Plan::new();
    let mut inputs = Vec::new();
    for (number, (x, weight)) in call.x.iter().zip(call.weight).enumerate() {
        require!(
            weight.rank() == 2 && x.rank() >= 2,
            "'x' of shape {:?} and 'weight' of shape {:?} at position {number}: matrices are expected",
            x.dims,
            weight.dims
        );
        let bias = match call.bias.get(number) {
            Some(bias) if is_present(call.bias) => {
                expect_dims(bias, &[weight.dims[1]], "bias")?;
                Some(plan.input(bias))
            }
            _ => None,
        };
        inputs.push((plan.input(x), plan.input(weight), bias));
    }
    let outs: Vec<Value> = call.y.iter().map(|y| plan.output_apart(y)).collect();
    for ((x, weight, bias), out) in inputs.into_iter().zip(outs) {
        let work = plan.temp(Element::F32, out.dims());
        plan.matmul_to(&x, &weight, &work)?;
        if let Some(bias) = bias {
            add_bias(&mut plan, &bias, &work);
        }
        plan.copy(&work, &out);
    }
    plan.done()
}

/// Numbers that say where groups are.
enum Bounds {
    Host(Vec<i64>),
    Device(Value, i64),
}

impl Bounds {
    fn of(plan: &mut Plan, groups: Groups<'_>) -> Result<Self, Refusal> {
        match groups {
            Groups::Host(Some(list)) => Ok(Self::Host(list.to_vec())),
            Groups::Device(Some(list), kind) => {
                expect_integers(list, "groupList")?;
                let fits = match kind {
                    0 | 1 => list.rank() == 1,
                    2 => list.rank() == 2 && list.dims[1] == 2,
                    _ => {
                        return Err(Refusal::invalid(format!(
                            "'groupListType' is {kind}; 0 is ends, 1 lengths, 2 pairs of number and length"
                        )));
                    }
                };
                require!(
                    fits,
                    "'groupList' has the shape {:?}, which does not fit 'groupListType' {kind}",
                    list.dims
                );
                let value = flat(plan, list, Element::I64, &[whole(list.count())]);
                Ok(Self::Device(value, kind))
            }
            Groups::Host(None) | Groups::Device(None, _) => Err(Refusal::missing("groupList")),
        }
    }

    /// How many numbers there are, where each stands for one group in order.
    fn count(&self) -> Option<i64> {
        match self {
            Self::Host(list) => Some(whole(list.len())),
            Self::Device(value, 0 | 1) => Some(whole(value.count())),
            Self::Device(..) => None,
        }
    }

    /// Calls `each` with number, begin and length of each group.
    fn walk(
        &self,
        memory: &crate::plan::Memory<'_>,
        limit: i64,
        groups: i64,
        mut each: impl FnMut(i64, i64, i64),
    ) -> Result<(), String> {
        let view;
        let (list, kind): (&[i64], i64) = match self {
            Self::Host(list) => (list, 0),
            Self::Device(value, kind) => {
                view = memory.view(value);
                (slice::<i64>(&view), *kind)
            }
        };
        let mut start = 0_i64;
        for (number, entry) in list.chunks(if kind == 2 { 2 } else { 1 }).enumerate() {
            let (group, length) = match (kind, entry) {
                (0, [end]) => (whole(number), end.saturating_sub(start)),
                (1, [length]) => (whole(number), *length),
                (_, [group, length]) => (*group, *length),
                _ => continue,
            };
            let end = start.saturating_add(length);
            if length < 0 || end > limit || !(0..groups).contains(&group) {
                return Err(format!(
                    "'groupList' has group {group} from {start} to {end}, but there are {groups} groups and {limit} positions"
                ));
            }
            each(group, start, length);
            start = end;
        }
        Ok(())
    }
}

/// The matrices of a list of them, or of one tensor with three dimensions.
fn matrices(plan: &mut Plan, list: &[&Tensor]) -> Result<Vec<Value>, Refusal> {
    let mut result = Vec::new();
    if let [one] = list
        && one.rank() == 3
    {
        let all = plan.input(one);
        let all = plan.cast(&all, Element::F32);
        result.extend((0..all.dim(0)).map(|number| all.select(0, number)));
        return Ok(result);
    }
    for one in list {
        require!(
            one.rank() == 2,
            "'weight' has a tensor of shape {:?}, but a matrix is expected",
            one.dims
        );
        let value = plan.input(one);
        result.push(plan.cast(&value, Element::F32));
    }
    Ok(result)
}

/// Rows of x in groups, each with a matrix of its own. Rows behind the last group give zeros.
fn rows(call: &Call<'_>) -> Planned {
    let mut plan = Plan::new();
    for x in call.x {
        require!(
            x.rank() == 2 && x.dims[1] == call.x[0].dims[1],
            "'x' has a tensor of shape {:?}, but matrices with equal numbers of columns are expected",
            x.dims
        );
    }
    let inner = call.x[0].dims[1];
    if let [one] = call.weight {
        require!(
            one.rank() != 3 || !one.is_empty(),
            "'weight' has the shape {:?}, but it must have elements",
            one.dims
        );
    }
    let weights = matrices(&mut plan, call.weight)?;
    let count = whole(weights.len());
    let columns = weights.first().map_or(0, |weight| weight.dim(1));
    for weight in &weights {
        require!(
            *weight.dims() == [inner, columns],
            "'weight' has a matrix of shape {:?}, but [{inner}, {columns}] is expected",
            weight.dims()
        );
    }
    let mut ends = Vec::new();
    let mut height = 0_i64;
    for x in call.x {
        height = height.saturating_add(x.dims[0]);
        ends.push(height);
    }
    let x = if let [one] = call.x {
        let value = plan.input(one);
        plan.cast(&value, Element::F32)
    } else {
        let all = plan.temp(Element::F32, &[height, inner]);
        for (one, end) in call.x.iter().zip(&ends) {
            let value = plan.input(one);
            plan.copy(&value, &all.narrow(0, end - one.dims[0], one.dims[0]));
        }
        all
    };
    let bounds = if call.x.len() > 1 {
        require!(
            ends.len() == weights.len(),
            "'x' has {} tensors, but 'weight' {count} matrices",
            ends.len()
        );
        Bounds::Host(ends)
    } else {
        Bounds::of(&mut plan, call.groups)?
    };
    if let Some(groups) = bounds.count() {
        require!(
            groups == count,
            "'groupList' has {groups} groups, but 'weight' {count} matrices"
        );
    }
    let bias = if is_present(call.bias) {
        let mut all = Vec::new();
        if let [one] = call.bias
            && one.rank() == 2
        {
            expect_dims(one, &[count, columns], "bias")?;
            let value = plan.input(one);
            all.extend((0..count).map(|number| value.select(0, number)));
        } else {
            require!(
                call.bias.len() == weights.len(),
                "'bias' has {} tensors, but {count} are expected",
                call.bias.len()
            );
            for one in call.bias {
                expect_dims(one, &[columns], "bias")?;
                all.push(plan.input(one));
            }
        }
        all
    } else {
        Vec::new()
    };
    // Where each output begins among all rows.
    let mut starts = Vec::new();
    if let [one] = call.y {
        expect_dims(one, &[height, columns], "y")?;
        starts.push(0);
    } else {
        let Bounds::Host(ends) = &bounds else {
            return Err(Refusal::unsupported(
                "'y' has several tensors and 'groupList' is a tensor; Millpond does not split results by numbers in device memory",
            ));
        };
        require!(
            ends.len() == call.y.len(),
            "'y' has {} tensors, but there are {} groups",
            call.y.len(),
            ends.len()
        );
        let mut start = 0;
        for (one, end) in call.y.iter().zip(ends) {
            require!(
                (start..=height).contains(end),
                "'groupList' has the end {end}, but {start} to {height} is expected"
            );
            expect_dims(one, &[end - start, columns], "y")?;
            starts.push(start);
            start = *end;
        }
    }
    let outs: Vec<Value> = call.y.iter().map(|y| plan.output_apart(y)).collect();
    let work = plan.temp(Element::F32, &[height, columns]);
    plan.fill(&work, 0.0);
    let into = work.clone();
    plan.try_step(move |m| {
        let (x, out) = (m.view(&x), m.view(&into));
        bounds.walk(m, height, count, |group, start, length| {
            if length == 0 {
                return;
            }
            let part = out.narrow(0, start, length);
            let weight = m.view(&weights[size(group)]);
            matmul::matmul(&x.narrow(0, start, length), &weight, &part);
            if let Some(bias) = bias.get(size(group)) {
                map::map2::<f32, f32, f32>(&part, &m.view(bias), &part, |x, y| x + y);
            }
        })
    });
    for (out, start) in outs.iter().zip(starts) {
        plan.copy(&work.narrow(0, start, out.dim(0)), out);
    }
    plan.done()
}

/// Columns of x with rows of the weight, in groups: one product for each group, in float.
fn by_depth(
    plan: &mut Plan,
    x: &Value,
    weight: &Value,
    bounds: Bounds,
    groups: i64,
) -> Result<Value, Refusal> {
    let (height, inner, columns) = (x.dim(0), x.dim(1), weight.dim(1));
    require!(
        weight.dim(0) == inner,
        "matrices of {:?} and {:?} cannot be multiplied",
        x.dims(),
        weight.dims()
    );
    if let Some(count) = bounds.count() {
        require!(
            count == groups,
            "'groupList' has {count} groups, but the result {groups}"
        );
    }
    let (x, weight) = (plan.cast(x, Element::F32), plan.cast(weight, Element::F32));
    let work = plan.temp(Element::F32, &[groups, height, columns]);
    plan.fill(&work, 0.0);
    let into = work.clone();
    plan.try_step(move |m| {
        let (x, weight, out) = (m.view(&x), m.view(&weight), m.view(&into));
        bounds.walk(m, inner, groups, |group, start, length| {
            if length > 0 {
                let (a, b) = (x.narrow(1, start, length), weight.narrow(0, start, length));
                matmul::matmul(&a, &b, &out.select(0, group));
            }
        })
    });
    Ok(work)
}

fn depth(call: &Call<'_>) -> Planned {
    let ([x], [weight], [y]) = (call.x, call.weight, call.y) else {
        return Err(Refusal::unsupported(
            "'groupType' is 2; Millpond takes one tensor each for 'x', 'weight' and 'y' then",
        ));
    };
    if is_present(call.bias) {
        return Err(Refusal::unsupported(
            "'groupType' is 2; Millpond does not add a bias then",
        ));
    }
    require!(
        x.rank() == 2 && weight.rank() == 2 && y.rank() == 3,
        "'x', 'weight' and 'y' have the shapes {:?}, {:?} and {:?}, but two, two and three dimensions are expected",
        x.dims,
        weight.dims,
        y.dims
    );
    expect_dims(y, &[y.dims[0], x.dims[0], weight.dims[1]], "y")?;
    let mut plan = Plan::new();
    let (left, right) = (plan.input(x), plan.input(weight));
    let bounds = Bounds::of(&mut plan, call.groups)?;
    let out = plan.output_apart(y);
    let work = by_depth(&mut plan, &left, &right, bounds, y.dims[0])?;
    plan.copy(&work, &out);
    plan.done()
}

/// y += xᵀ · weight, for groups of rows of both.
pub(crate) fn matmul_add(
    x: &Tensor,
    weight: &Tensor,
    list: &Tensor,
    y: &Tensor,
    transposes: (bool, bool),
    (group_type, list_type): (i64, i64),
) -> Planned {
    if transposes != (true, false) || group_type != 2 {
        return Err(Refusal::unsupported(format!(
            "'transposeX', 'transposeWeight' and 'groupType' are {}, {} and {group_type}; Millpond takes true, false and 2",
            transposes.0, transposes.1
        )));
    }
    expect_type(x, "x")?;
    expect_type(weight, "weight")?;
    expect_type(y, "yRef")?;
    require!(
        x.rank() == 2 && weight.rank() == 2,
        "'x' and 'weight' have the shapes {:?} and {:?}, but matrices are expected",
        x.dims,
        weight.dims
    );
    let groups = list.dims.first().copied().unwrap_or(1);
    let (height, columns) = (x.dims[1], weight.dims[1]);
    let stacked = groups.saturating_mul(height);
    require!(
        y.dims[..] == [stacked, columns] || y.dims[..] == [groups, height, columns],
        "'yRef' has the shape {:?}, but [{groups}, {height}, {columns}] is expected, or with the first two joined",
        y.dims
    );
    let mut plan = Plan::new();
    let (left, right) = (plan.input(x).transpose(0, 1), plan.input(weight));
    let bounds = Bounds::of(&mut plan, Groups::Device(Some(list), list_type))?;
    let out = plan.changed(y, y);
    let work = by_depth(&mut plan, &left, &right, bounds, groups)?;
    let work = plan.reshape(&work, &y.dims);
    plan.step(move |m| {
        let out = m.view(&out);
        map::map2::<f32, f32, f32>(&out, &m.view(&work), &out, |x, y| x + y);
    });
    plan.done()
}
