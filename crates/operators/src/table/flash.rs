//! Attention in one operator, and its gradient.
//!
//! Both compute in five axes: batch, heads of the keys, heads of the queries that share one of them, rows,
//! columns. So keys that serve several heads are never repeated, and a model that looks at no dimension serves
//! every shape.
//!
//! The gradient makes the probabilities again from the scores and from what is kept of each row, its greatest
//! score and its sum: `p = exp(score - max) / sum`. Whoever splits a sequence over several calls hands in the
//! greatest score and the sum of the whole row, and gets the gradient of the whole.

use super::random::kept_bits;
use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row(
        "FlashAttentionScore",
        "query, key, value, pse?, drop_mask?, padding_mask?, atten_mask?; head_num, input_layout, scale_value, \
         keep_prob, sparse_mode, pre_tockens, next_tockens, pse_type: softmax_max, softmax_sum, softmax_out \
         (left alone), attention",
        forward,
    ),
    row(
        "FlashAttentionScoreGrad",
        "query, key, value, dy, pse?, drop_mask?, padding_mask?, atten_mask?, softmax_max, softmax_sum, \
         softmax_in?, attention_in?; head_num, input_layout, scale_value, keep_prob, sparse_mode, pre_tockens, \
         next_tockens, pse_type: dq, dk, dv, dpse",
        backward,
    ),
];

/// How often each number of a row is repeated in `softmax_max` and `softmax_sum`.
const REPEATED: i64 = 8;

/// Which inputs are what.
struct Inputs {
    pse: usize,
    drop_mask: usize,
    padding_mask: usize,
    atten_mask: usize,
    /// The first of prefix and lengths, which nothing here takes.
    lengths: usize,
}

const OF_FORWARD: Inputs = Inputs {
    pse: 3,
    drop_mask: 4,
    padding_mask: 5,
    atten_mask: 6,
    lengths: 7,
};
const OF_BACKWARD: Inputs = Inputs {
    pse: 4,
    drop_mask: 5,
    padding_mask: 6,
    atten_mask: 7,
    lengths: 12,
};

/// Memory layout of queries, keys and values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Batch, head, row, number.
    Bnsd,
    /// Batch, row, head, number.
    Bsnd,
    /// Batch, row, the numbers of all heads.
    Bsh,
    /// Row, batch, the numbers of all heads.
    Sbh,
}

impl Layout {
    fn read<'c>(cx: &'c Context<'c>) -> Result<Self, Why> {
        let name = cx.text_or("input_layout", "")?;
        Ok(match name.as_str() {
            "BNSD" => Self::Bnsd,
            "BSND" => Self::Bsnd,
            "BSH" => Self::Bsh,
            "SBH" => Self::Sbh,
            _ => {
                return Err(refused(
                    "input_layout",
                    &format!("`{name}`"),
                    "BNSD, BSND, BSH or SBH",
                ));
            }
        })
    }

    fn rank(self) -> (usize, &'static str) {
        match self {
            Self::Bnsd | Self::Bsnd => (4, "4"),
            Self::Bsh | Self::Sbh => (3, "3"),
        }
    }

    /// An input with axes batch, head, row, number; `heads` counts only where the layout does not say it.
    fn open(self, x: Val<'_>, heads: i64) -> Val<'_> {
        let split = || x.reshape_keeping(&[0, 0, heads, -1]);
        match self {
            Self::Bnsd => x,
            Self::Bsnd => x.transpose(&[0, 2, 1, 3]),
            Self::Bsh => split().transpose(&[0, 2, 1, 3]),
            Self::Sbh => split().transpose(&[1, 2, 0, 3]),
        }
    }

    /// A result in its memory layout.
    fn close(self, x: Val<'_>) -> Val<'_> {
        let all = [0, 0, -1];
        match self {
            Self::Bnsd => x,
            Self::Bsnd => x.transpose(&[0, 2, 1, 3]),
            Self::Bsh => x.transpose(&[0, 2, 1, 3]).reshape_keeping(&all),
            Self::Sbh => x.transpose(&[2, 0, 1, 3]).reshape_keeping(&all),
        }
    }
}

/// What forward and backward have in common.
struct Attention<'c> {
    cx: &'c Context<'c>,
    layout: Layout,
    inputs: Inputs,
    /// Queries by batch, head, row, number.
    query: Val<'c>,
    /// By batch, head of the keys, head in that group, row, number.
    scaled: Val<'c>,
    key: Val<'c>,
    value: Val<'c>,
    scale: f32,
    kv_heads: i64,
    heads: i64,
}

/// Positions that must not be looked at.
struct Mask<'c> {
    /// True where nobody looks.
    hidden: Val<'c>,
    /// Whether a row may see nothing at all.
    may_hide_rows: bool,
}

impl<'c> Attention<'c> {
    fn read(cx: &'c Context<'c>, inputs: Inputs) -> Result<Self, Why> {
        let layout = Layout::read(cx)?;
        let (rank, wants) = layout.rank();
        for index in 0..3 {
            cx.needs_rank(index, |has| has == rank, wants)?;
        }
        if cx.has(inputs.padding_mask) {
            return Err(Why::other("padding_mask is not supported: use atten_mask"));
        }
        let lengths = inputs.lengths..cx.count();
        if lengths.into_iter().any(|index| cx.has(index)) {
            return Err(Why::other(
                "prefix and sequence lengths are not supported: use atten_mask",
            ));
        }
        let heads = cx.int("head_num")?;
        let kv_heads = kv_heads(cx, layout, heads)?;
        let scale = cx.real_or("scale_value", 1.0)?;
        let query = layout.open(cx.float(0)?, heads);
        let key = layout.open(cx.float(1)?, kv_heads);
        let value = layout.open(cx.float(2)?, kv_heads);
        let mut attention = Self {
            cx,
            layout,
            inputs,
            query,
            scaled: query,
            key: key.unsqueeze(&[2]),
            value: value.unsqueeze(&[2]),
            scale,
            kv_heads,
            heads,
        };
        attention.scaled = attention.grouped(query) * scale;
        Ok(attention)
    }

    /// Queries, or what has their heads, with the heads of the keys as an axis of their own.
    fn grouped(&self, x: Val<'c>) -> Val<'c> {
        let part = |of: Val<'c>, start, end| of.shape().part(0, start, end);
        let group = self.cx.list_of(&[-1]);
        let dims = [
            part(x, 0, 1),
            part(self.key, 1, 2),
            group,
            part(x, 2, i64::MAX),
        ];
        x.reshape_to(Val::concat(0, &dims))
    }

    /// Back to one axis of heads.
    fn joined(&self, x: Val<'c>) -> Val<'c> {
        let rows = self.query.shape().part(0, 0, 3);
        x.reshape_to(Val::concat(0, &[rows, self.cx.list_of(&[-1])]))
    }

    /// An input that says something of every position, for some or all batches and heads.
    fn positions(&self, index: usize) -> Result<Val<'c>, Why> {
        let x = self.cx.input(index)?;
        let rank = self
            .cx
            .needs_rank(index, |rank| (2..=4).contains(&rank), "2 to 4")?;
        if rank == 2 {
            return Ok(x);
        }
        let dims = self.cx.dims(index)?;
        let heads = dims[rank - 3];
        let [batch, rows, columns] = [
            if rank == 4 { dims[0] } else { 1 },
            dims[rank - 2],
            dims[rank - 1],
        ];
        if heads == 1 {
            return Ok(x.reshape(&[batch, 1, 1, rows, columns]));
        }
        let shape = [batch, self.kv_heads_of(index, heads)?, -1, rows, columns];
        Ok(x.reshape(&shape))
    }

    /// How many heads of keys there are, where an input has an axis of all heads.
    fn kv_heads_of(&self, index: usize, heads: i64) -> Result<i64, Why> {
        let kv_heads = match self.layout {
            Layout::Bnsd => self.cx.dims(1)?[1],
            Layout::Bsnd => self.cx.dims(1)?[2],
            Layout::Bsh | Layout::Sbh => self.kv_heads,
        };
        if heads != self.heads || kv_heads == 0 {
            return Err(Why::other(format!(
                "input {index} has {heads} heads, but there are {}",
                self.heads
            )));
        }
        Ok(kv_heads)
    }

    /// What is added to the scores, with its gradient's factor.
    fn shift(&self) -> Result<Option<(Val<'c>, f32)>, Why> {
        if !self.cx.has(self.inputs.pse) {
            return Ok(None);
        }
        let factor = match self.cx.int_or("pse_type", 1)? {
            0 => 1.0,
            1 => self.scale,
            other => {
                return Err(refused(
                    "pse_type",
                    &other,
                    "0 or 1 (the other types, which generate the shift, are not supported)",
                ));
            }
        };
        Ok(Some((self.positions(self.inputs.pse)?.widened(), factor)))
    }

    fn scores(&self) -> Result<Val<'c>, Why> {
        let scores = self.scaled.matmul(self.key.matrix_transpose(5));
        Ok(match self.shift()? {
            Some((shift, factor)) => scores + shift.cast(scores.element()) * factor,
            None => scores,
        })
    }

    /// The number of each column minus that of the row that it is compared with. Rows and columns begin
    /// together, or they end together.
    fn ahead(&self, end_together: bool) -> Val<'c> {
        let (rows, columns) = (self.query.length(2), self.key.length(3));
        let row = rows.count_up().unsqueeze(&[1]);
        let row = if end_together {
            row + (columns - rows)
        } else {
            row
        };
        columns.count_up().unsqueeze(&[0]) - row
    }

    /// Where a column is too far ahead of the row or too far behind it.
    fn outside(&self, ahead: Val<'c>, before: i64, after: i64) -> Option<Val<'c>> {
        // What programs say when they mean all.
        let all = i64::from(i32::MAX);
        let late = (after < all).then(|| ahead.greater(self.cx.int_of(after)));
        let early = (before < all).then(|| ahead.less(self.cx.int_of(before.saturating_neg())));
        match (late, early) {
            (Some(late), Some(early)) => Some(late.or(early)),
            (one, other) => one.or(other),
        }
    }

    fn mask(&self) -> Result<Option<Mask<'c>>, Why> {
        let (cx, index) = (self.cx, self.inputs.atten_mask);
        let all = i64::from(i32::MAX);
        let mode = cx.int_or("sparse_mode", 0)?;
        let [before, after] = [
            cx.int_or("pre_tockens", all)?,
            cx.int_or("next_tockens", all)?,
        ];
        let given = |mode| {
            if cx.has(index) {
                return Ok(());
            }
            Err(Why::other(format!(
                "sparse_mode is {mode}, which needs atten_mask (input {index})"
            )))
        };
        let hidden = match mode {
            0 if !cx.has(index) => return Ok(None),
            0 => {
                let hidden = self.positions(index)?.cast(Element::Bool);
                match self.outside(self.ahead(false), before, after) {
                    Some(outside) => hidden.or(outside),
                    None => hidden,
                }
            }
            1 => {
                given(mode)?;
                self.positions(index)?.cast(Element::Bool)
            }
            // The mask that comes with these is the upper half of a square of a fixed size, whatever the
            // shapes: what it stands for is made here.
            2 => {
                given(mode)?;
                return Ok(Some(Mask {
                    hidden: self.ahead(false).greater(cx.int_of(0)),
                    // Every row sees the first column.
                    may_hide_rows: false,
                }));
            }
            3 => {
                given(mode)?;
                self.ahead(true).greater(cx.int_of(0))
            }
            4 => {
                given(mode)?;
                match self.outside(self.ahead(true), before, after) {
                    Some(outside) => outside,
                    None => return Ok(None),
                }
            }
            other => return Err(refused("sparse_mode", &other, "0 to 4")),
        };
        Ok(Some(Mask {
            hidden,
            may_hide_rows: true,
        }))
    }

    /// With some probabilities dropped and the others raised for it.
    fn dropped(&self, x: Val<'c>) -> Result<Val<'c>, Why> {
        let keep = self.cx.real_or("keep_prob", 1.0)?;
        if !self.cx.has(self.inputs.drop_mask) {
            return if (keep - 1.0).abs() < f32::EPSILON {
                Ok(x)
            } else {
                Err(Why::other(format!(
                    "keep_prob is {keep}, which needs drop_mask (input {})",
                    self.inputs.drop_mask
                )))
            };
        }
        if keep <= 0.0 || keep.is_nan() {
            return Err(refused("keep_prob", &keep, "above 0"));
        }
        let kept = kept_bits(self.cx.input(self.inputs.drop_mask)?, x);
        Ok((x / keep).where_true(kept.cast(Element::Bool)))
    }
}

/// How many heads the keys have; 0 where their shape says it and nobody needs to know.
fn kv_heads<'c>(cx: &'c Context<'c>, layout: Layout, heads: i64) -> Result<i64, Why> {
    let wrong = || {
        Why::other(format!(
            "{heads} heads do not fit the shapes of query and key"
        ))
    };
    if heads < 1 {
        return Err(refused("head_num", &heads, "1 or more"));
    }
    if matches!(layout, Layout::Bnsd | Layout::Bsnd) {
        return Ok(0);
    }
    let (query, key, value) = (cx.dims(0)?[2], cx.dims(1)?[2], cx.dims(2)?[2]);
    let size = query / heads;
    if size == 0 || query % heads != 0 || key % size != 0 || key == 0 {
        return Err(wrong());
    }
    let kv_heads = key / size;
    if heads % kv_heads != 0 || value % kv_heads != 0 {
        return Err(wrong());
    }
    Ok(kv_heads)
}

fn forward<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let attention = Attention::read(cx, OF_FORWARD)?;
    let scores = attention.scores()?;
    let softmax = |x: Val<'c>| x.apply("Softmax", &[], &[("axis", (-1_i64).into())]);
    let (scores, shares) = match attention.mask()? {
        None => (scores, softmax(scores)),
        Some(mask) if !mask.may_hide_rows => {
            let scores = mask.hidden.choose(scores.like(f32::NEG_INFINITY), scores);
            (scores, softmax(scores))
        }
        Some(mask) => {
            // A row that sees nothing has no shares, where infinities would make it no number at all.
            let scores = mask.hidden.choose(scores.like(f32::MIN), scores);
            let shares = softmax(scores);
            (scores, shares.where_true(mask.hidden.not()))
        }
    };
    let greatest = |x: Val<'c>| x.reduce("ReduceMax", &[-1], true);
    let kept = |x: Val<'c>| attention.joined(x).cast(Element::F32);
    let repeated = |x: Val<'c>| kept(x).expand(&[1, 1, 1, REPEATED]);
    cx.give(0, repeated(greatest(scores)))?;
    // The greatest score of a row has the share 1 / sum. A row that sees nothing has no share, and a sum
    // that is not 0, so that its gradient is 0.
    let share = greatest(shares);
    let share = share.is(0.0).choose(share.like(1.0), share);
    cx.give(1, repeated(share.reciprocal()))?;
    let result = attention.dropped(shares)?.matmul(attention.value);
    cx.give(3, attention.layout.close(attention.joined(result)))
}

fn backward<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let attention = Attention::read(cx, OF_BACKWARD)?;
    let (layout, heads) = (attention.layout, attention.heads);
    let opened = |index| -> Result<Val<'c>, Why> {
        let (rank, wants) = layout.rank();
        cx.needs_rank(index, |has| has == rank, wants)?;
        Ok(attention.grouped(layout.open(cx.float(index)?, heads)))
    };
    let kept = |index| -> Result<Val<'c>, Why> {
        cx.needs_rank(index, |has| has == 4, "4")?;
        Ok(attention.grouped(cx.float(index)?.part(-1, 0, 1)))
    };
    cx.ignore(10);
    let dy = opened(3)?;
    let mut scores = attention.scores()?;
    if let Some(mask) = attention.mask()? {
        scores = mask.hidden.choose(scores.like(f32::NEG_INFINITY), scores);
    }
    let whole = kept(8)? + kept(9)?.log();
    let shares = (scores - whole.cast(scores.element())).exp();

    let rows = |x: Val<'c>| x.matrix_transpose(5);
    let d_value = rows(attention.dropped(shares)?).matmul(dy);
    let d_shares = attention.dropped(dy.matmul(rows(attention.value)))?;
    // What a row's shares have in common: they add up to 1.
    let common = if cx.has(11) {
        dy * opened(11)?
    } else {
        shares * d_shares
    };
    let d_scores = shares * (d_shares - common.sum_kept(&[-1]));
    let d_query = d_scores.matmul(attention.key) * attention.scale;
    let d_key = rows(d_scores).matmul(attention.scaled);

    cx.give(0, layout.close(attention.joined(d_query)))?;
    // Keys and values served every head of their group.
    cx.give(1, layout.close(d_key.sum(&[2])))?;
    cx.give(2, layout.close(d_value.sum(&[2])))?;
    let Some((_, factor)) = attention.shift()? else {
        return Ok(());
    };
    let pse = attention.inputs.pse;
    let whole = attention.joined(d_scores) * factor;
    let dims = cx.dims(pse)?;
    if dims.len() != 4 {
        return Err(Why::Rank {
            index: pse,
            has: dims.len(),
            wants: "4",
        });
    }
    let alone = (0_i64..).zip(dims).filter(|(_, dim)| **dim == 1);
    let axes: Vec<i64> = alone.map(|(axis, _)| axis).collect();
    cx.give(3, whole.sum_kept(&axes))
}
