//! The page, and the page with its data in one file.
//!
//! The page asks questions of [`crate::protocol`]. In a self-contained file, the answers to the ones that matter most are inside: every tile down
//! to the level that fits, and moments spread over the whole time with all peaks among them. Where an answer is not inside, the page shows the nearest
//! one that is, and says so.

use std::collections::BTreeMap;

use crate::index::Index;
use crate::layout::layout;
use crate::protocol::answer;
use crate::series::series;
use crate::tile::Tile;

/// The built page: `page/` has its source.
const PAGE: &str = include_str!("../page/built/page.html");
/// Where the answers go.
const MARK: &str = "<!-- answers -->";
/// The page loads nothing from anywhere else.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
                          base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Moments of each recording for which a file has the live blocks.
const MOMENTS: u64 = 64;

/// All heights.
const WHOLE: Tile = Tile {
    level: 0,
    number: 0,
};

/// The page that asks the server.
pub(crate) fn page_for_server() -> String {
    PAGE.replace(MARK, "")
}

/// The page with the answers inside, of about `room` bytes at the most. `progress` hears how far it has come, from 0 to 1.
pub fn page_with_answers(runs: &[Index], room: usize, progress: &mut dyn FnMut(f64)) -> String {
    let mut answers = Answers {
        runs,
        given: BTreeMap::new(),
        bytes: 0,
        room,
        progress,
    };
    answers.add("summary");
    if runs.len() > 1 {
        answers.add_within("ranks", room);
    }
    for (run, index) in runs.iter().enumerate() {
        let (from, to) = index.span;
        answers.add(&format!("range/{run}/{from}/{to}"));
        answers.add(&format!("moment/{run}/{}", index.peak().time));
    }
    // Of a hundred ranks there are ten thousand comparisons: they get a quarter of the room.
    let until = answers.bytes + room / 4;
    for run in 0..runs.len() {
        for other in (0..runs.len()).filter(|&other| other != run) {
            answers.add_within(&format!("diff/{run}/{other}"), until);
        }
    }
    for (run, index) in runs.iter().enumerate() {
        let (from, to) = index.span;
        for moment in 0..MOMENTS {
            let time = from + (to - from) / MOMENTS * moment;
            answers.add_within(&format!("moment/{run}/{time}"), room);
        }
    }
    // Every level of all recordings before the next one: zooming in works equally far everywhere.
    let mut open: Vec<(usize, Tile)> = (0..runs.len())
        .filter_map(|run| Some((run, Tile::new(0, 0)?)))
        .collect();
    while !open.is_empty() && answers.bytes <= room {
        let mut below = Vec::new();
        for (run, tile) in open {
            let mut more = false;
            let series = series(&runs[run], tile);
            more |= series.events.iter().any(|&events| events > 1);
            answers.add_within(
                &format!("series/{run}/{}/{}", tile.level, tile.number),
                room,
            );
            // Where nothing is too small to see, a longer stretch of time shows all there is.
            let layout = layout(&runs[run], tile, WHOLE);
            more |= layout.hidden > 0;
            answers.add_within(
                &format!("layout/{run}/{}/{}/0/0", tile.level, tile.number),
                room,
            );
            if more {
                let halves = [2 * tile.number, 2 * tile.number + 1];
                let children = halves.map(|number| Tile::new(tile.level + 1, number));
                below.extend(children.into_iter().flatten().map(|tile| (run, tile)));
            }
        }
        open = below;
    }
    // A short recording leaves room.
    (answers.progress)(1.0);
    PAGE.replace(MARK, &answers.script())
}

struct Answers<'a> {
    runs: &'a [Index],
    given: BTreeMap<String, String>,
    bytes: usize,
    room: usize,
    progress: &'a mut dyn FnMut(f64),
}

impl Answers<'_> {
    fn add(&mut self, question: &str) {
        if let Some(text) = answer(self.runs, question) {
            self.bytes += question.len() + text.len();
            self.given.insert(question.to_owned(), text);
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            let part = self.bytes as f64 / self.room.max(1) as f64;
            (self.progress)(part.min(1.0));
        }
    }

    fn add_within(&mut self, question: &str, room: usize) {
        if self.bytes <= room {
            self.add(question);
        }
    }

    /// A script element that the page reads. `<` cannot appear inside one: it might end it.
    fn script(&self) -> String {
        let mut out = String::with_capacity(self.bytes + 64);
        out.push_str("<script type=\"application/json\" id=\"answers\">{");
        for (place, (question, text)) in self.given.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let text = text.replace('<', "\\u003c");
            // Questions are letters, digits and slashes.
            out.extend([comma, "\"", question, "\":", &text]);
        }
        out.push_str("}</script>");
        out
    }
}
