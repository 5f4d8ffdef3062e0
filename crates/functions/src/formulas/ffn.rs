//! Two linear layers with an activation between them, for all tokens or for those of each expert.

use millpond_kernels::activation::{gelu, gelu_fast, silu};
use millpond_kernels::{Element, map, matmul};

use super::moe::{Staged, expect_dims, flat, whole};
use super::quantise::expect_single;
use crate::plan::{Plan, Planned, Value};
use crate::refusal::Refusal;
use crate::require;
use crate::table;
use crate::tensor::Tensor;

/// What stands between the layers.
#[derive(Debug, Clone, Copy)]
enum Activation {
    Relu,
    Gelu,
    FastGelu,
    Silu,
}

impl Activation {
    fn of(text: &str) -> Result<Self, Refusal> {
        match text {
            "relu" => Ok(Self::Relu),
            "gelu" => Ok(Self::Gelu),
            "fastgelu" => Ok(Self::FastGelu),
            "silu" => Ok(Self::Silu),
            "geglu" | "swiglu" | "reglu" => Err(Refusal::unsupported(format!(
                "'activation' is '{text}'; Millpond has relu, gelu, fastgelu and silu here: which half gates is not documented"
            ))),
            _ => Err(Refusal::invalid(format!(
                "'activation' is '{text}'; it must be relu, gelu, fastgelu, silu, geglu, swiglu or reglu"
            ))),
        }
    }

    fn apply(self, x: f32) -> f32 {
        match self {
            Self::Relu if x < 0.0 => 0.0,
            Self::Relu => x,
            Self::Gelu => gelu(x),
            Self::FastGelu => gelu_fast(x),
            Self::Silu => silu(x),
        }
    }
}

/// A layer for each expert: matrices, and vectors that are added.
struct Layer {
    weight: Value,
    bias: Option<Value>,
}

impl Layer {
    fn of(
        plan: &mut Plan,
        (weight, bias): (&Tensor, Option<&Tensor>),
        experts: bool,
        (weight_name, bias_name): (&str, &str),
    ) -> Result<Self, Refusal> {
        expect_single(weight, weight_name)?;
        let rank = 2 + usize::from(experts);
        require!(
            weight.rank() == rank,
            "'{weight_name}' has the shape {:?}, but {rank} dimensions are expected",
            weight.dims
        );
        let value = plan.input(weight);
        let value = if experts { value } else { value.unsqueeze(0) };
        let bias = match bias {
            Some(bias) => {
                expect_single(bias, bias_name)?;
                let (count, columns) = (value.dim(0), value.dim(2));
                if experts {
                    expect_dims(bias, &[count, columns], bias_name)?;
                } else {
                    expect_dims(bias, &[columns], bias_name)?;
                }
                Some(flat(plan, bias, Element::F32, &[count, columns]))
            }
            None => None,
        };
        Ok(Self {
            weight: plan.cast(&value, Element::F32),
            bias,
        })
    }

    /// Adds the products of the rows of each expert.
    fn add(&self, plan: &mut Plan, x: &Value, ends: &[i64]) -> Value {
        let out = plan.temp(Element::F32, &[x.dim(0), self.weight.dim(2)]);
        let (x, weight, bias, into) = (
            x.clone(),
            self.weight.clone(),
            self.bias.clone(),
            out.clone(),
        );
        let ends = ends.to_vec();
        plan.step(move |m| {
            let (x, weight, out) = (m.view(&x), m.view(&weight), m.view(&into));
            let mut start = 0;
            for (expert, end) in ends.iter().enumerate() {
                if *end > start {
                    let part = out.narrow(0, start, end - start);
                    let matrix = weight.select(0, whole(expert));
                    matmul::matmul(&x.narrow(0, start, end - start), &matrix, &part);
                    if let Some(bias) = &bias {
                        let bias = m.view(bias).select(0, whole(expert));
                        map::map2::<f32, f32, f32>(&part, &bias, &part, |x, y| x + y);
                    }
                }
                start = *end;
            }
        });
        out
    }
}

/// y = activation(x · weight1 + bias1) · weight2 + bias2.
pub(crate) fn ffn(call: table::FFNV2<'_>) -> Planned {
    let activation = Activation::of(call.activation)?;
    let quantised = [
        (call.scale, "scale"),
        (call.offset, "offset"),
        (call.deq_scale1, "deqScale1"),
        (call.deq_scale2, "deqScale2"),
        (call.antiquant_scale1, "antiquantScale1"),
        (call.antiquant_scale2, "antiquantScale2"),
        (call.antiquant_offset1, "antiquantOffset1"),
        (call.antiquant_offset2, "antiquantOffset2"),
    ];
    if let Some((_, argument)) = quantised.iter().find(|(given, _)| given.is_some()) {
        return Err(Refusal::unsupported(format!(
            "'{argument}' is given; Millpond computes these layers in floating point only"
        )));
    }
    expect_single(call.x, "x")?;
    expect_single(call.y, "y")?;
    let rank = call.x.rank();
    require!(
        rank >= 2,
        "'x' has the shape {:?}, but at least two dimensions are expected",
        call.x.dims
    );
    let tokens = whole(millpond_kernels::count(&call.x.dims[..rank - 1]));
    let given = call.expert_tokens.filter(|list| !list.is_empty());
    let mut plan = Plan::new();
    let x = flat(
        &mut plan,
        call.x,
        Element::F32,
        &[tokens, call.x.dims[rank - 1]],
    );
    let experts = given.is_some();
    let first = Layer::of(
        &mut plan,
        (call.weight1, call.bias1),
        experts,
        ("weight1", "bias1"),
    )?;
    let second = Layer::of(
        &mut plan,
        (call.weight2, call.bias2),
        experts,
        ("weight2", "bias2"),
    )?;
    let (a, b) = (&first.weight, &second.weight);
    require!(
        a.dim(1) == x.dim(1) && b.dim(1) == a.dim(2) && a.dim(0) == b.dim(0),
        "'x', 'weight1' and 'weight2' have the shapes {:?}, {:?} and {:?}, which do not fit each other",
        call.x.dims,
        call.weight1.dims,
        call.weight2.dims
    );
    let ends = match given {
        Some(list) => {
            require!(
                whole(list.len()) == a.dim(0),
                "'expertTokens' has {} numbers, but there are {} experts",
                list.len(),
                a.dim(0)
            );
            let mut ends = Vec::with_capacity(list.len());
            let mut end = 0_i64;
            for number in list {
                let next = if call.tokens_index_flag {
                    *number
                } else {
                    end.saturating_add(*number)
                };
                require!(
                    next >= end && next <= tokens,
                    "'expertTokens' is {list:?}, but its groups must lie among {tokens} tokens"
                );
                end = next;
                ends.push(end);
            }
            require!(
                end == tokens,
                "'expertTokens' is {list:?}, which ends at {end}, but there are {tokens} tokens"
            );
            ends
        }
        None => vec![tokens],
    };
    let mut dims = call.x.dims.clone();
    dims[rank - 1] = b.dim(2);
    expect_dims(call.y, &dims, "y")?;
    let y = Staged::of(&mut plan, call.y, Element::F32);
    let hidden = first.add(&mut plan, &x, &ends);
    let active = hidden.clone();
    plan.step(move |m| {
        let hidden = m.view(&active);
        map::map1::<f32, f32>(&hidden, &hidden, |x| activation.apply(x));
    });
    let result = second.add(&mut plan, &hidden, &ends);
    let result = plan.reshape(&result, &dims);
    plan.copy(&result, &y.work);
    y.deliver(&mut plan);
    plan.done()
}
