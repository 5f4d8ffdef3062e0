//! Recurrent networks over time, with the gates that their gradients need.
//!
//! The products with the input are one multiplication for all times; a loop adds what depends on the state
//! before. Gradients go through time backwards and leave the gradients of the gates, from which those of
//! weights and inputs are one multiplication each.
#![allow(
    clippy::many_single_char_names,
    reason = "gates have the letters that they have in every text about them"
)]

use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};
use millpond_model::onnx::Attribute;

pub(super) const ROWS: &[Row] = &[
    row(
        "DynamicRNN",
        "x [T, B, I], w [I + H, 4 H], b, none, init_h?, init_c?; gate_order = ijfo, forget_bias = 0: y, h, c, i, j, f, o, tanh c",
        |cx| {
            let [w, b] = [cx.float(1)?, cx.float(2)?];
            let (input, hidden) = sizes(cx, 0, 1)?;
            let weights = w.split(0, &[input, hidden]);
            lstm(cx, [weights[0], weights[1]], b, 3)
        },
    ),
    row(
        "DynamicRNNV2",
        "x, weight_input [I, 4 H], weight_hidden [H, 4 H], b?, none, init_h?, init_c?; gate_order = ijfo: as DynamicRNN",
        |cx| {
            let weights = [cx.float(1)?, cx.float(2)?];
            let b = cx
                .optional_float(3)?
                .unwrap_or_else(|| weights[0].like(0.0));
            lstm(cx, weights, b, 4)
        },
    ),
    row(
        "DynamicRNNGrad",
        "x, w, b, y, init_h, init_c, h, c, dy, dh, dc, i, j, f, o, tanh c, ...; gate_order = ijfo: dw, db, dx, dh before, dc before",
        |cx| {
            let (input, hidden) = sizes(cx, 0, 1)?;
            let weights = cx.float(1)?.split(0, &[input, hidden]);
            lstm_grad(cx, [weights[0], weights[1]], true)
        },
    ),
    row(
        "DynamicRNNV2Grad",
        "x, weight_input, weight_hidden, y, init_h, init_c, h, c, dy, dh, dc, i, j, f, o, tanh c, ...; gate_order = ijfo: dweight_input, dweight_hidden, db, dx, dh before, dc before",
        |cx| lstm_grad(cx, [cx.float(1)?, cx.float(2)?], false),
    ),
    row(
        "DynamicGRUV2",
        "x, weight_input [I, 3 H], weight_hidden [H, 3 H], bias_input?, bias_hidden?, none, init_h?; gate_order = zrh, reset_after = true: y, h, update, reset, new, hidden_new",
        gru,
    ),
    row(
        "DynamicGRUV2Grad",
        "x, weight_input, weight_hidden, y, init_h, h, dy, dh, update, reset, new, hidden_new, ...; gate_order = zrh: dw_input, dw_hidden, db_input, db_hidden, dx, dh before",
        gru_grad,
    ),
];

/// What a weight for both says: the input's size, and the state's.
fn sizes<'c>(cx: &'c Context<'c>, x: usize, w: usize) -> Result<(i64, i64), Why> {
    cx.needs_rank(x, |rank| rank == 3, "3")?;
    cx.needs_rank(w, |rank| rank == 2, "2")?;
    let (input, both) = (cx.dims(x)?[2], cx.dims(w)?[0]);
    if input < 1 || both <= input {
        return Err(Why::other(format!(
            "a weight with {both} rows does not fit {input} inputs and a state"
        )));
    }
    Ok((input, both - input))
}

/// Where each gate is in a weight's columns: for each letter of `wanted` its place in the attribute.
fn order<'c, const N: usize>(
    cx: &'c Context<'c>,
    default: &str,
    wanted: [char; N],
) -> Result<[usize; N], Why> {
    // Some programs call the new content of the cell c, others j.
    let given = cx.text_or("gate_order", default)?.replace('c', "j");
    if given.len() != N {
        return Err(refused("gate_order", &given, "an order of the gates"));
    }
    let mut places = [0; N];
    for (place, letter) in places.iter_mut().zip(wanted) {
        *place = given
            .find(letter)
            .ok_or_else(|| refused("gate_order", &given, "an order of the gates"))?;
    }
    Ok(places)
}

fn is_reversed<'c>(cx: &'c Context<'c>) -> Result<bool, Why> {
    match cx.text_or("direction", "UNIDIRECTIONAL")?.as_str() {
        "UNIDIRECTIONAL" => Ok(false),
        "REDIRECTIONAL" => Ok(true),
        other => Err(refused(
            "direction",
            &other,
            "UNIDIRECTIONAL or REDIRECTIONAL",
        )),
    }
}

/// A state as [B, H]; zeros if it is left out.
fn state<'c>(
    cx: &'c Context<'c>,
    index: usize,
    like: Val<'c>,
    hidden: Val<'c>,
) -> Result<Val<'c>, Why> {
    let shape = Val::concat(
        0,
        &[like.shape().part(0, 1, 2), hidden.length(0).reshape(&[1])],
    );
    Ok(match cx.optional_float(index)? {
        Some(value) => value.reshape_to(shape),
        None => like.like(0.0).expand_to(shape),
    })
}

/// A loop over the first axis of `sequences`: states that change, and one output per step for each result.
pub(super) fn over_time<'c>(
    states: &[Val<'c>],
    sequences: &[Val<'c>],
    results: usize,
    backwards: bool,
    step: impl FnOnce(&[Val<'c>]) -> Vec<Val<'c>>,
) -> Vec<Val<'c>> {
    let cx = states[0].cx();
    let all: Vec<Val> = states.iter().chain(sequences).copied().collect();
    let elements: Vec<Element> = all.iter().map(|value| value.element()).collect();
    let body = cx.body(&elements, step);
    let direction = i64::from(backwards);
    let count = sequences.len().cast_signed() as i64;
    let attributes = [
        ("body", Attribute::from(body)),
        ("num_scan_inputs", count.into()),
        (
            "scan_input_directions",
            vec![direction; sequences.len()].into(),
        ),
        ("scan_output_directions", vec![direction; results].into()),
    ];
    let mut made = vec![states[0].element(); states.len() + results];
    made.iter_mut()
        .zip(states)
        .for_each(|(element, state)| *element = state.element());
    let inputs: Vec<Option<Val>> = all.into_iter().map(Some).collect();
    cx.raw("Scan", &inputs, &attributes, &made)
}

fn lstm<'c>(
    cx: &'c Context<'c>,
    [inner, hidden]: [Val<'c>; 2],
    b: Val<'c>,
    absent: usize,
) -> Result<(), Why> {
    if cx.has(absent) {
        return Err(Why::other("lengths of single sequences are not supported"));
    }
    let [i, j, f, o] = order(cx, "ijfo", ['i', 'j', 'f', 'o'])?;
    let bias = cx.real_or("forget_bias", 0.0)?;
    let backwards = is_reversed(cx)?;
    let x = cx.float(0)?;
    let (h, c) = (
        state(cx, absent + 1, x, hidden)?,
        state(cx, absent + 2, x, hidden)?,
    );
    let driven = x.matmul(inner) + b;
    let made = over_time(&[h, c], &[driven], 7, backwards, |values| {
        let [h, c, driven] = [values[0], values[1], values[2]];
        let gates = (driven + h.matmul(hidden)).split_evenly(-1, 4);
        let [i, j, f, o] = [
            gates[i].sigmoid(),
            gates[j].tanh(),
            (gates[f] + bias).sigmoid(),
            gates[o].sigmoid(),
        ];
        let c = f * c + i * j;
        let tanh = c.tanh();
        let h = o * tanh;
        vec![h, c, h, c, i, j, f, o, tanh]
    });
    cx.give(0, made[2])?;
    for (index, value) in made[2..].iter().enumerate() {
        cx.give(index + 1, *value)?;
    }
    Ok(())
}

/// The states before each step: the initial one, then all but the last.
fn before<'c>(initial: Val<'c>, all: Val<'c>, backwards: bool) -> Val<'c> {
    let initial = initial.unsqueeze(&[0]);
    if backwards {
        return Val::concat(0, &[all.part(0, 1, i64::MAX), initial]);
    }
    Val::concat(0, &[initial, all.part(0, 0, -1)])
}

/// The product of two sequences summed over time and batch: [A, B] from [T, N, A] and [T, N, B].
fn outer<'c>(a: Val<'c>, b: Val<'c>) -> Val<'c> {
    let rows = |it: Val<'c>| {
        it.reshape_to(Val::concat(
            0,
            &[it.cx().list_of(&[-1]), it.shape().part(0, 2, 3)],
        ))
    };
    rows(a).transpose(&[1, 0]).matmul(rows(b))
}

/// A sequence as [T, B, ...]; a single step may come without its T.
fn steps<'c>(cx: &'c Context<'c>, index: usize) -> Result<Val<'c>, Why> {
    let rank = cx.needs_rank(index, |rank| rank == 2 || rank == 3, "2 or 3")?;
    let value = cx.float(index)?;
    Ok(if rank == 2 {
        value.unsqueeze(&[0])
    } else {
        value
    })
}

/// The gradients of both weights, as one if they are `joined`, and of everything else.
fn lstm_grad<'c>(cx: &'c Context<'c>, weights: [Val<'c>; 2], joined: bool) -> Result<(), Why> {
    cx.ignore(20);
    let [pi, pj, pf, po] = order(cx, "ijfo", ['i', 'j', 'f', 'o'])?;
    let backwards = is_reversed(cx)?;
    let x = steps(cx, 0)?;
    let [inner_back, hidden_back] = weights.map(|it| it.transpose(&[1, 0]));
    let [h0, c0] = [state(cx, 4, x, weights[1])?, state(cx, 5, x, weights[1])?];
    let [dh, dc] = [state(cx, 9, x, weights[1])?, state(cx, 10, x, weights[1])?];
    let [h_before, c_before] = [
        before(h0, steps(cx, 6)?, backwards),
        before(c0, steps(cx, 7)?, backwards),
    ];
    let mut sequences = vec![steps(cx, 8)?, c_before];
    for index in 11..16 {
        sequences.push(steps(cx, index)?);
    }
    let made = over_time(&[dh, dc], &sequences, 1, !backwards, |values| {
        let [dh, dc, dy, c_before] = [values[0], values[1], values[2], values[3]];
        let [i, j, f, o, tanh] = [values[4], values[5], values[6], values[7], values[8]];
        let dh = dh + dy;
        let dc = dc + dh * o * (1.0 - tanh.square());
        let mut gates = [dh; 4];
        gates[pi] = dc * j * i * (1.0 - i);
        gates[pj] = dc * i * (1.0 - j.square());
        gates[pf] = dc * c_before * f * (1.0 - f);
        gates[po] = dh * tanh * o * (1.0 - o);
        let gates = Val::concat(-1, &gates);
        vec![gates.matmul(hidden_back), dc * f, gates]
    });
    let gates = made[2];
    let [inner, hidden] = [outer(x, gates), outer(h_before, gates)];
    let next = if joined {
        cx.give(0, Val::concat(0, &[inner, hidden]))?;
        1
    } else {
        cx.give(0, inner)?;
        cx.give(1, hidden)?;
        2
    };
    cx.give(next, gates.sum(&[0, 1]))?;
    let dx = gates.matmul(inner_back);
    let one_step = cx.wants(next + 1) && cx.output_rank(next + 1)? == 2;
    cx.give(next + 1, if one_step { dx.squeeze(&[0]) } else { dx })?;
    give_state(cx, next + 2, made[0])?;
    give_state(cx, next + 3, made[1])
}

/// A state goes out as [B, H] or [1, B, H].
fn give_state<'c>(cx: &'c Context<'c>, index: usize, value: Val<'c>) -> Result<(), Why> {
    if !cx.wants(index) {
        return Ok(());
    }
    let long = cx.output_rank(index)? == 3;
    cx.give(index, if long { value.unsqueeze(&[0]) } else { value })
}

fn gru<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    if cx.has(5) {
        return Err(Why::other("lengths of single sequences are not supported"));
    }
    let [r, z, n] = order(cx, "zrh", ['r', 'z', 'h'])?;
    let after = cx.flag_or("reset_after", true)?;
    let backwards = is_reversed(cx)?;
    let [x, inner, hidden] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
    let none = x.like(0.0);
    let bias = cx.optional_float(3)?.unwrap_or(none);
    let inner_bias = cx.optional_float(4)?;
    let h = state(cx, 6, x, hidden)?;
    let columns = hidden.split_evenly(1, 3);
    // Biases of the state are three parts like its weight; without any there is nothing to add.
    let parts = inner_bias.map(|it| it.flat().split_evenly(0, 3));
    let made = over_time(&[h], &[x.matmul(inner) + bias], 5, backwards, |values| {
        let [h, driven] = [values[0], values[1]];
        let driven = driven.split_evenly(-1, 3);
        let turned = |h: Val<'c>, place: usize| {
            let product = h.matmul(columns[place]);
            parts
                .as_ref()
                .map_or(product, |parts| product + parts[place])
        };
        let reset = (driven[r] + turned(h, r)).sigmoid();
        let update = (driven[z] + turned(h, z)).sigmoid();
        let inside = if after {
            turned(h, n)
        } else {
            turned(reset * h, n)
        };
        let new = (driven[n] + if after { reset * inside } else { inside }).tanh();
        let h = (1.0 - update) * new + update * h;
        vec![h, h, update, reset, new, inside]
    });
    cx.give(0, made[1])?;
    for (index, value) in made[1..].iter().enumerate() {
        cx.give(index + 1, *value)?;
    }
    Ok(())
}

fn gru_grad<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.ignore(13);
    if !cx.flag_or("reset_after", true)? {
        return Err(refused("reset_after", &false, "true"));
    }
    let [pr, pz, pn] = order(cx, "zrh", ['r', 'z', 'h'])?;
    let backwards = is_reversed(cx)?;
    let [x, inner, hidden] = [cx.float(0)?, cx.float(1)?, cx.float(2)?];
    let hidden_back = hidden.transpose(&[1, 0]);
    let [h0, dh] = [state(cx, 4, x, hidden)?, state(cx, 7, x, hidden)?];
    let h_before = before(h0, cx.float(5)?, backwards);
    let mut sequences = vec![cx.float(6)?, h_before];
    for index in 8..12 {
        sequences.push(cx.float(index)?);
    }
    let made = over_time(&[dh], &sequences, 2, !backwards, |values| {
        let [dh, dy, h_before] = [values[0], values[1], values[2]];
        let [update, reset, new, inside] = [values[3], values[4], values[5], values[6]];
        let dh = dh + dy;
        let dnew = dh * (1.0 - update) * (1.0 - new.square());
        let mut driven = [dnew; 3];
        driven[pr] = dnew * inside * reset * (1.0 - reset);
        driven[pz] = dh * (h_before - new) * update * (1.0 - update);
        let mut turned = driven;
        turned[pn] = dnew * reset;
        let turned = Val::concat(-1, &turned);
        vec![
            dh * update + turned.matmul(hidden_back),
            Val::concat(-1, &driven),
            turned,
        ]
    });
    let [driven, turned] = [made[1], made[2]];
    cx.give(0, outer(x, driven))?;
    cx.give(1, outer(h_before, turned))?;
    cx.give(2, driven.sum(&[0, 1]))?;
    cx.give(3, turned.sum(&[0, 1]))?;
    cx.give(4, driven.matmul(inner.transpose(&[1, 0])))?;
    give_state(cx, 5, made[0])
}
