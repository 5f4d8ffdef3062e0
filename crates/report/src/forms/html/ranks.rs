//! What ranks did: a lane for each rank, a column for each operation, and the same as a table for those who do not hover.

use crate::clean::put;
use crate::forms::escape::escape;
use crate::ranks::{ResolvedCell, ResolvedMatrix, ResolvedRanks};
use crate::resolved::{self, ResolvedFinding};
use crate::text::Style;
use crate::text::finding::where_text;

const LEFT: usize = 84;
const STEP: usize = 196;
const TOP: usize = 52;
const LANE: usize = 32;
const BOX: usize = 24;
/// Letters of a label that fit into a column.
const LABEL: usize = 25;

/// Draws the picture, and writes its table and the matrix of an all-to-all.
pub(super) fn write(
    out: &mut String,
    picture: &ResolvedRanks,
    finding: &ResolvedFinding,
    style: &Style,
) {
    if !picture.lanes.is_empty() && !picture.columns.is_empty() {
        draw(out, picture, finding, style);
        table(out, picture, finding, style);
    }
    if let Some(matrix) = &picture.matrix {
        write_matrix(out, matrix);
    }
}

fn draw(out: &mut String, picture: &ResolvedRanks, finding: &ResolvedFinding, style: &Style) {
    let columns = picture.columns.len();
    let width = LEFT + STEP * columns + 8;
    let lanes = picture.lanes.len();
    let more = usize::from(picture.more > 0);
    let height = TOP + LANE * (lanes + more) + 4;
    put!(
        out,
        "<div class=\"scroll\"><svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"what the ranks of communicator {} called, from left to right; the table below says the same\">\n",
        escape(&picture.communicator)
    );
    for (index, column) in picture.columns.iter().enumerate() {
        let middle = LEFT + STEP * index + STEP / 2;
        let is_last = index + 1 == columns;
        let place = match column.place {
            0 => String::new(),
            place => format!("operation {place}"),
        };
        let note = if index + 2 == columns {
            format!("{place}, the last that matched")
        } else {
            place
        };
        put!(
            out,
            "<text class=\"column\" x=\"{middle}\" y=\"16\">{}</text>\n",
            escape(&note)
        );
        if !is_last {
            put!(
                out,
                "<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"><title>{}</title></rect>\
                 <text class=\"column\" x=\"{middle}\" y=\"34\">{}</text>\n",
                LEFT + STEP * index + 8,
                TOP - 10,
                STEP - 16,
                LANE * lanes + 4,
                escape(&column.what),
                escape(&short(&column.what))
            );
        }
    }
    let usual = usual(picture);
    for (index, lane) in picture.lanes.iter().enumerate() {
        let y = TOP + LANE * index + LANE / 2 - 8;
        put!(
            out,
            "<text class=\"lane\" x=\"8\" y=\"{}\">rank {}</text>\
             <line class=\"lane\" x1=\"{LEFT}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/>\n",
            y + 4,
            lane.rank,
            width - 8
        );
        for (column, cell) in lane.cells.iter().take(columns).enumerate() {
            if let Some(cell) = cell {
                let middle = LEFT + STEP * column + STEP / 2;
                let is_odd = usual.is_some_and(|usual| usual != cell.what);
                draw_cell(out, lane.rank, cell, is_odd, (middle, y), finding, style);
            }
        }
    }
    if let Some(text) = folded(picture) {
        let y = TOP + LANE * lanes + LANE / 2;
        put!(
            out,
            "<text class=\"more\" x=\"8\" y=\"{y}\">{}</text>\n",
            escape(&text)
        );
    }
    out.push_str("</svg></div>\n");
}

/// What most ranks do in the last column, if some do something else.
fn usual(picture: &ResolvedRanks) -> Option<&str> {
    let last = picture.columns.len().checked_sub(1)?;
    let cells = picture.lanes.iter().map(|lane| {
        let cell = lane.cells.get(last).and_then(Option::as_ref);
        (lane.rank, cell)
    });
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for (rank, cell) in cells {
        let Some(cell) = cell.filter(|cell| cell.state == "differs") else {
            continue;
        };
        let ranks = match picture.like {
            Some(like) if like == rank => 1 + picture.more,
            _ => 1,
        };
        match counts.iter_mut().find(|(what, _)| *what == cell.what) {
            Some((_, count)) => *count += ranks,
            None => counts.push((&cell.what, ranks)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    match counts[..] {
        [(what, most), (_, next), ..] if most > next => Some(what),
        _ => None,
    }
}

fn draw_cell(
    out: &mut String,
    rank: u32,
    cell: &ResolvedCell,
    is_odd: bool,
    (x, y): (usize, usize),
    finding: &ResolvedFinding,
    style: &Style,
) {
    let place = site(cell, finding, style);
    let title = if place.is_empty() {
        format!("rank {rank}: {}", cell.what)
    } else {
        format!("rank {rank}: {}, {place}", cell.what)
    };
    let title = escape(&title);
    match &*cell.state {
        "matched" => put!(
            out,
            "<g class=\"matched\"><title>{title}</title><circle cx=\"{x}\" cy=\"{y}\" r=\"6\"/></g>\n"
        ),
        "missing" => put!(
            out,
            "<g class=\"missing-rank\"><title>{title}</title><path d=\"M{} {} l12 12 m0 -12 l-12 12\"/></g>\n",
            x - 6,
            y - 6
        ),
        state => put!(
            out,
            "<g class=\"{}\"><title>{title}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BOX}\" rx=\"5\"/>\
             <text x=\"{x}\" y=\"{}\">{}</text></g>\n",
            match state {
                "waits" => "waits",
                _ if is_odd => "differs odd",
                _ => "differs",
            },
            x - STEP / 2 + 6,
            y - BOX / 2,
            STEP - 12,
            y + 4,
            escape(&short(&cell.what))
        ),
    }
}

/// Where a rank made the call, if the finding says so.
fn site(cell: &ResolvedCell, finding: &ResolvedFinding, style: &Style) -> String {
    let operation = cell.operation.and_then(|index| {
        let index = usize::try_from(index).ok()?;
        finding.operations.get(index)
    });
    let frame = operation.and_then(|operation| resolved::own(&operation.stack));
    frame.map_or_else(String::new, |frame| where_text(frame, style))
}

/// The ranks that are not shown.
fn folded(picture: &ResolvedRanks) -> Option<String> {
    if picture.more == 0 {
        return None;
    }
    let more = millpond_trace::grouped(u64::from(picture.more));
    Some(match picture.like {
        Some(rank) => format!("… and {more} more that agree with rank {rank}"),
        None => format!("… and {more} more"),
    })
}

fn table(out: &mut String, picture: &ResolvedRanks, finding: &ResolvedFinding, style: &Style) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"ranks\"><tr><th>rank<th>operation<th>what it does<th>where<th></tr>\n",
    );
    let last = picture.columns.len() - 1;
    if let Some(column) = last.checked_sub(1).map(|at| &picture.columns[at]) {
        put!(
            out,
            "<tr><td>all<td>{}<td>{}<td><td class=\"matched\">matched</tr>\n",
            number(column.place),
            escape(&column.what)
        );
    }
    for lane in &picture.lanes {
        let Some(cell) = lane.cells.get(last).and_then(Option::as_ref) else {
            continue;
        };
        let state = match &*cell.state {
            state @ ("matched" | "differs" | "waits" | "missing") => state,
            _ => "differs",
        };
        put!(
            out,
            "<tr><td>{}<td>{}<td>{}<td><code>{}</code><td class=\"{state}\">{state}</tr>\n",
            lane.rank,
            number(picture.columns[last].place),
            escape(&cell.what),
            escape(&site(cell, finding, style))
        );
    }
    if let Some(text) = folded(picture) {
        put!(out, "<tr><td colspan=\"5\">{}</tr>\n", escape(&text));
    }
    out.push_str("</table></div>\n");
}

fn number(place: u64) -> String {
    match place {
        0 => String::new(),
        place => place.to_string(),
    }
}

/// What each rank sends to each other one; where the other expects something else, both numbers.
fn write_matrix(out: &mut String, matrix: &ResolvedMatrix) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"ranks matrix\"><caption>elements that each rank sends (row) to each other one (column)\
         </caption><tr><th>from \\ to",
    );
    for rank in &matrix.ranks {
        put!(out, "<th>{rank}");
    }
    out.push_str("</tr>\n");
    let none = Vec::new();
    for (i, rank) in matrix.ranks.iter().enumerate() {
        put!(out, "<tr><th>{rank}");
        let sent = matrix.sent.get(i).unwrap_or(&none);
        let expected = matrix.expected.get(i).unwrap_or(&none);
        for j in 0..matrix.ranks.len() {
            let at = |row: &[Option<u64>]| row.get(j).copied().flatten();
            match (at(sent), at(expected)) {
                (Some(sent), Some(expected)) if sent != expected => put!(
                    out,
                    "<td class=\"differs\" title=\"rank {} expects {expected}\">{sent} ≠ {expected}",
                    matrix.ranks[j]
                ),
                (Some(one), _) | (None, Some(one)) => put!(out, "<td>{one}"),
                (None, None) => out.push_str("<td>?"),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

fn short(text: &str) -> String {
    let text = text.strip_prefix("Hccl").unwrap_or(text);
    let mut short: String = text.chars().take(LABEL).collect();
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
        let picture = finding.ranks.as_ref().expect("ranks");
        write(&mut out, picture, finding, &Style::plain());
        out
    }

    #[test]
    fn ranks_are_lanes_and_operations_are_columns() {
        let html = drawn(&sample::ranks());
        for text in [
            ">rank 0</text>",
            ">rank 1</text>",
            ">rank 2</text>",
            ">operation 3</text>",
            ">operation 2, the last that matched</text>",
            "… and 1,008 more that agree with rank 0</text>",
        ] {
            assert!(html.contains(text), "{text}: {html}");
        }
        // One band and a dot on each lane for what matched; a box on each for what does not.
        assert_eq!(html.matches("class=\"band\"").count(), 1);
        assert_eq!(html.matches("<circle").count(), 3);
        assert_eq!(html.matches("<g class=\"differs\">").count(), 1);
        // Rank 0 does what the other 1,008 do.
        assert_eq!(html.matches("<g class=\"differs odd\">").count(), 1);
        assert_eq!(html.matches("<g class=\"missing-rank\">").count(), 1);
        // Each mark has its call and its line for a pointer that rests on it.
        assert!(html.contains("<title>rank 1: HcclAllReduce(count 5), /home/a/race.c:42</title>"));
    }

    #[test]
    fn the_table_says_the_same_without_a_pointer() {
        let html = drawn(&sample::ranks());
        let table = html.split("<table").nth(1).expect("a table");
        for text in [
            "<td>all<td>2<td>HcclBroadcast(count 1)",
            "<td>1<td>3<td>HcclAllReduce(count 5)<td><code>/home/a/race.c:42</code><td class=\"differs\">differs",
            "<td>2<td>3<td>has ended<td><code></code><td class=\"missing\">missing",
            "1,008 more",
        ] {
            assert!(table.contains(text), "{text}: {table}");
        }
    }

    #[test]
    fn counts_that_differ_are_marked_in_the_matrix() {
        let html = drawn(&sample::ranks());
        assert!(html.contains(">10 ≠ 20"), "{html}");
        assert_eq!(html.matches("≠").count(), 1);
        assert!(html.contains("<td>?"));
    }

    #[test]
    fn nothing_is_drawn_without_lanes() {
        let mut finding = sample::ranks();
        finding.ranks = Some(ResolvedRanks::default());
        assert_eq!(drawn(&finding), "");
    }
}
