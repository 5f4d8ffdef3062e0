//! A small diagram: a lane per stream with its operations from left to right, and the missing edge between the two
//! operations.

use crate::clean::put;
use crate::forms::escape::escape;
use crate::resolved::{ResolvedFinding, ResolvedOperation};
use crate::text::finding::{begun, over};

const LEFT: usize = 96;
const STEP: usize = 176;
const TOP: usize = 34;
const LANE: usize = 64;
/// Space for the labels below the last lane.
const UNDER: usize = 36;

struct Step<'a> {
    operation: &'a ResolvedOperation,
    label: String,
    /// Its index among the operations; none for the allocation and the free of the block.
    index: Option<usize>,
    lane: usize,
}

/// Draws the diagram if there is an order to see: two operations, or one and the lifetime of the block.
pub(super) fn write(out: &mut String, finding: &ResolvedFinding) {
    let (steps, lanes) = steps(finding);
    if steps.len() < 2 {
        return;
    }
    let width = LEFT + STEP * steps.len();
    let height = TOP + LANE * (lanes.len() - 1) + UNDER;
    put!(
        out,
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"the operations in the order of the program, by stream\">\n"
    );
    for (index, lane) in lanes.iter().enumerate() {
        let y = TOP + LANE * index;
        put!(
            out,
            "<text class=\"lane\" x=\"8\" y=\"{}\">{}</text>\
             <line class=\"lane\" x1=\"{LEFT}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/>\n",
            y + 4,
            escape(lane),
            width - 8
        );
    }
    if finding.missing.is_some() {
        edge(out, &steps);
    }
    for (index, step) in steps.iter().enumerate() {
        let (x, y) = point(index, step);
        let class = match step.index {
            Some(0) => "first",
            Some(_) => "other",
            None => "lifetime",
        };
        put!(
            out,
            "<g class=\"{class}\"><title>{}</title><circle cx=\"{x}\" cy=\"{y}\" r=\"7\"/>\
             <text x=\"{x}\" y=\"{}\">{}</text></g>\n",
            escape(&step.operation.what),
            y + 24,
            escape(&step.label)
        );
    }
    out.push_str("</svg>\n");
}

fn point(index: usize, step: &Step<'_>) -> (usize, usize) {
    (LEFT + STEP / 2 + STEP * index, TOP + LANE * step.lane)
}

/// What happened, in the order of the records, and the names of the lanes.
fn steps(finding: &ResolvedFinding) -> (Vec<Step<'_>>, Vec<String>) {
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut add = |operation, label: String, index| {
        steps.push(Step {
            operation,
            label,
            index,
            lane: 0,
        });
    };
    for (index, operation) in finding.operations.iter().take(4).enumerate() {
        let label = if operation.call.is_empty() {
            short(&operation.what)
        } else {
            short(&operation.call)
        };
        add(operation, label, Some(index));
    }
    if let Some(block) = &finding.block {
        let known = |operation: &ResolvedOperation| {
            finding
                .operations
                .iter()
                .any(|own| own.record == operation.record)
        };
        if !known(&block.allocated) {
            add(
                &block.allocated,
                begun(&block.allocated.call).to_owned(),
                None,
            );
        }
        if let Some(freed) = block.freed.as_ref().filter(|operation| !known(operation)) {
            add(freed, over(&freed.call).to_owned(), None);
        }
    }
    steps.sort_by_key(|step| step.operation.record);
    let mut lanes: Vec<(Option<u64>, String)> = Vec::new();
    for step in &mut steps {
        let name = step.operation.stream;
        let at = lanes.iter().position(|(lane, _)| *lane == name);
        step.lane = at.unwrap_or_else(|| {
            let text = name.map_or("host".to_owned(), |stream| format!("stream {stream}"));
            lanes.push((name, text));
            lanes.len() - 1
        });
    }
    (steps, lanes.into_iter().map(|(_, text)| text).collect())
}

/// The missing edge between the first two operations.
fn edge(out: &mut String, steps: &[Step<'_>]) {
    let find = |number| {
        let at = steps.iter().position(|step| step.index == Some(number))?;
        Some(point(at, &steps[at]))
    };
    let (Some(one), Some(other)) = (find(0), find(1)) else {
        return;
    };
    let ((x1, y1), (x2, y2)) = (one.min(other), one.max(other));
    let middle = usize::midpoint(x1, x2);
    // On one lane the edge runs above the lane's line.
    let bend = if y1 == y2 { 24 } else { 0 };
    let cross = usize::midpoint(y1, y2) - bend * 3 / 4;
    put!(
        out,
        "<path class=\"missing\" d=\"M{x1} {y1} C{middle} {} {middle} {} {x2} {y2}\"/>\
         <path class=\"cross\" d=\"M{} {} l12 12 m0 -12 l-12 12\"/>\n",
        y1 - bend,
        y2 - bend,
        middle - 6,
        cross - 6
    );
}

fn short(text: &str) -> String {
    const MOST: usize = 24;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn drawn(finding: &ResolvedFinding) -> String {
        let mut out = String::new();
        write(&mut out, finding);
        out
    }

    #[test]
    fn each_stream_has_a_lane_and_what_is_missing_is_an_edge() {
        let svg = drawn(&sample::race());
        for part in [">host<", ">stream 2<", ">stream 3<", "class=\"cross\""] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert_eq!(svg.matches("<circle").count(), 3);
    }

    #[test]
    fn a_single_operation_is_not_drawn_and_one_lane_works() {
        assert_eq!(drawn(&sample::hint()), "");
        assert_eq!(drawn(&sample::hostile()), "");
        let mut finding = sample::race();
        for operation in &mut finding.operations {
            operation.stream = Some(1);
        }
        finding.block = None;
        assert!(drawn(&finding).contains("class=\"missing\""));
    }
}
