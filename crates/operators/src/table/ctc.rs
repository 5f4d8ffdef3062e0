//! Connectionist temporal classification: how likely a target is, summed over all ways to stretch it in time.
//!
//! A target is written with a blank before, between and behind its labels. What the tables hold is the logarithm
//! of how likely it is to stand at each of these places at each time: `alpha` for what came before, `beta`
//! for what is still to come. One step in time stays, goes on by one place, or skips a blank between two labels
//! that differ.

use super::recurrent::over_time;
use super::{Row, row};
use crate::context::{Context, refused};
use crate::flow::Val;
use crate::{Element, Why};

pub(super) const ROWS: &[Row] = &[
    row(
        "CTCLossV2",
        "log_probs [T, N, C], targets [N, S] or joined, input_lengths, target_lengths; blank = 0, reduction, zero_infinity: losses [N], log_alpha [N, T, places]",
        forward,
    ),
    row(
        "CTCLossV2Grad",
        "dy [N], log_probs, targets, input_lengths, target_lengths, losses, log_alpha; blank = 0, reduction, zero_infinity = false: dlog_probs",
        backward,
    ),
];

/// Targets with blanks between their labels.
struct Places<'c> {
    /// The logarithm of the probability of each place's label: [T, N, L].
    log_probs: Val<'c>,
    /// [N, L].
    labels: Val<'c>,
    /// Whether a place belongs to the target, and whether it can be reached from two places before: [N, L].
    valid: Val<'c>,
    skips: Val<'c>,
    /// [N].
    input_lengths: Val<'c>,
    target_lengths: Val<'c>,
    /// The numbers of the places: [L].
    numbers: Val<'c>,
}

impl<'c> Places<'c> {
    /// The inputs begin with the probabilities at `first`; there are `count` places.
    fn read(cx: &'c Context<'c>, first: usize, count: i64) -> Result<Self, Why> {
        cx.needs_rank(first, |rank| rank == 3, "3")?;
        let flat = cx.needs_rank(first + 1, |rank| rank == 1 || rank == 2, "1 or 2")? == 1;
        let classes = cx.dims(first)?[2];
        // Some programs add the length of the longest target in multiples of the classes.
        let blank = cx.int_or("blank", 0)?;
        if classes < 1 || blank < 0 {
            return Err(refused("blank", &blank, "one of the classes"));
        }
        let blank = cx.int_of(blank % classes);
        let all = cx.float(first)?;
        let targets = cx.indices(first + 1)?;
        let [input_lengths, target_lengths] =
            [cx.indices(first + 2)?, cx.indices(first + 3)?].map(Val::flat);
        // Where each target begins among all of them.
        let starts = if flat {
            let attributes = [("exclusive", true.into())];
            target_lengths.apply("CumSum", &[cx.int_of(0)], &attributes)
        } else {
            target_lengths.length(0).count_up() * targets.length(1)
        };
        // One more, so that there is something to read where there are no targets at all.
        let joined = Val::concat(0, &[targets.flat(), cx.list_of(&[0])]);
        let slots = cx.int_of(count / 2).count_up();
        let at = starts.unsqueeze(&[1]) + slots;
        let at = at.min(joined.length(0) - 1.0);
        let inside = slots.less(target_lengths.unsqueeze(&[1]));
        let found = inside.choose(joined.gather(at, 0), blank);
        let pairs = [found.filled(0.0) + blank, found].map(|it| it.unsqueeze(&[2]));
        let labels = Val::concat(2, &pairs).reshape_keeping(&[0, -1]);
        let labels = if count % 2 == 1 {
            let last = labels.part(1, 0, 1).filled(0.0) + blank;
            Val::concat(1, &[labels, last])
        } else {
            labels
        };
        let numbers = cx.int_of(count).count_up();
        let valid = numbers.less_equal((target_lengths * 2.0).unsqueeze(&[1]));
        let earlier = shifted(labels, 2, labels.like(-1.0));
        // Blanks have a blank two places before them. A target may have one as a label, which is like any other then.
        let skips = labels.equal(earlier).not().and(numbers.above(1.0));
        let shape = Val::concat(0, &[all.shape().part(0, 0, 2), cx.list_of(&[count])]);
        let index = labels.expand_to(shape);
        let log_probs = all.apply("GatherElements", &[index], &[("axis", 2_i64.into())]);
        Ok(Self {
            log_probs,
            labels,
            valid,
            skips,
            input_lengths,
            target_lengths,
            numbers,
        })
    }

    fn nowhere(&self) -> Val<'c> {
        self.log_probs.like(f32::NEG_INFINITY)
    }

    /// Certain to be at these places, and nowhere else: [N, L].
    fn only_at(&self, here: Val<'c>) -> Val<'c> {
        let certain = self.log_probs.like(0.0);
        here.choose(certain, self.nowhere())
    }
}

/// Values of places this many further to the front, with `fill` in front of them.
fn shifted<'c>(values: Val<'c>, by: i64, fill: Val<'c>) -> Val<'c> {
    let front = values.part(1, 0, by);
    let front = fill.expand_like(front);
    Val::concat(1, &[front, values.part(1, 0, -by)])
}

/// The logarithm of the sum of what these are the logarithms of.
fn log_sum<'c>(values: &[Val<'c>]) -> Val<'c> {
    let most = values[1..]
        .iter()
        .fold(values[0], |most, value| most.max(*value));
    // Nothing at all must not be taken from nothing at all.
    let base = most.above(f32::NEG_INFINITY).choose(most, most.like(0.0));
    let mut sum = (values[0] - base).exp();
    for value in &values[1..] {
        sum = sum + (*value - base).exp();
    }
    sum.log() + base
}

fn forward<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    let count = match cx.output_dims(1)? {
        [_, _, count] if *count > 2 => *count,
        other => {
            return Err(Why::other(format!(
                "log_alpha cannot have the shape {other:?}"
            )));
        }
    };
    let places = Places::read(cx, 0, count)?;
    let nowhere = places.nowhere();
    let zero = places.numbers.like(0.0);
    // Before the first step it is certain to stand at the first place.
    let start = places.only_at(places.numbers.equal(zero));
    let start = start.expand_like(places.labels);
    let made = over_time(&[start], &[places.log_probs], 1, false, |values| {
        let [alpha, log_probs] = [values[0], values[1]];
        let skipped = shifted(alpha, 2, nowhere);
        let ways = [
            alpha,
            shifted(alpha, 1, nowhere),
            places.skips.choose(skipped, nowhere),
        ];
        let alpha = log_sum(&ways) + log_probs;
        let alpha = places.valid.choose(alpha, nowhere);
        vec![alpha, alpha]
    });
    let alphas = made[1];
    // The last step of each input: the table before the first step serves inputs of no length.
    let table = Val::concat(0, &[start.unsqueeze(&[0]), alphas]);
    let shape = Val::concat(0, &[cx.list_of(&[1]), places.labels.shape()]);
    let last = places.input_lengths.unsqueeze(&[0, 2]).expand_to(shape);
    let at_end = table
        .apply("GatherElements", &[last], &[("axis", 0_i64.into())])
        .squeeze(&[0]);
    // It ends at the last label or at the blank behind it.
    let end = (places.target_lengths * 2.0).unsqueeze(&[1]);
    let is_end = places
        .numbers
        .less_equal(end)
        .and(places.numbers.greater_equal(end - 1.0));
    let ends = is_end.choose(at_end, nowhere);
    let most = ends.reduce("ReduceMax", &[1], true);
    let base = most.above(f32::NEG_INFINITY).choose(most, most.like(0.0));
    let total = (ends - base).exp().sum_kept(&[1]).log() + base;
    cx.give(0, -total.squeeze(&[1]))?;
    cx.give(1, alphas.transpose(&[1, 0, 2]))
}

fn backward<'c>(cx: &'c Context<'c>) -> Result<(), Why> {
    cx.needs_rank(6, |rank| rank == 3, "3")?;
    let count = cx.dims(6)?[2];
    if count < 3 {
        return Err(Why::other(format!("{count} places are too few")));
    }
    let places = Places::read(cx, 1, count)?;
    let nowhere = places.nowhere();
    let [dy, all, losses] = [cx.float(0)?, cx.float(1)?, cx.float(5)?].map(Val::widened);
    let alphas = cx.float(6)?.transpose(&[1, 0, 2]);
    let end = (places.target_lengths * 2.0).unsqueeze(&[1]);
    // Behind the last step it is certain to stand at the last place.
    let finish = places.only_at(places.numbers.equal(end));
    let times = all.length(0).count_up();
    let live = times.unsqueeze(&[1]).less(places.input_lengths);
    let live = live.unsqueeze(&[2]);
    // To the front is to the back in the opposite order.
    let turned = |values: Val<'c>| values.reversed(&[1]);
    let back = |values: Val<'c>, by: i64| turned(shifted(turned(values), by, nowhere));
    let skips = turned(shifted(
        turned(places.skips.cast(Element::I64)),
        2,
        cx.int_of(0),
    ));
    let skips = skips.cast(Element::Bool);
    let made = over_time(&[finish], &[places.log_probs, live], 1, true, |values| {
        let [beta, log_probs, live] = [values[0], values[1], values[2]];
        let ways = [beta, back(beta, 1), skips.choose(back(beta, 2), nowhere)];
        let next = log_sum(&ways) + log_probs;
        let next = places.valid.choose(next, nowhere);
        let beta = live.choose(next, finish);
        vec![beta, beta]
    });
    let both = alphas + made[1];
    let both = places.valid.choose(both, nowhere);
    let most = both.reduce("ReduceMax", &[2], true);
    let base = most.above(f32::NEG_INFINITY).choose(most, most.like(0.0));
    // Places with the same label count together: [N, T, L] times [N, L, C].
    let hot = places
        .labels
        .unsqueeze(&[2])
        .equal(all.length(2).count_up());
    let hot = hot.and(places.valid.unsqueeze(&[2])).cast(all.element());
    let share = (both - base).exp().transpose(&[1, 0, 2]);
    let sums = share.matmul(hot).transpose(&[1, 0, 2]).log() + base;
    let (dy, losses) = (dy.flat().unsqueeze(&[1]), losses.flat().unsqueeze(&[1]));
    let mut grad = (all.exp() - (sums + losses - all).exp()) * dy;
    grad = grad.where_true(live);
    if cx.flag_or("zero_infinity", false)? {
        grad = grad.where_true(losses.below(f32::INFINITY));
    }
    cx.give(0, grad)
}
