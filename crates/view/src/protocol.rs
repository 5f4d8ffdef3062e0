//! Questions of the page and their answers, as JSON. The server and the self-contained file give the same ones.
//!
//! | question | answer |
//! | --- | --- |
//! | `summary` | [`Summary`](crate::summary::Summary) |
//! | `ranks` | [`Ranks`](crate::ranks::Ranks) |
//! | `series/RUN/LEVEL/NUMBER` | [`Series`](crate::series::Series) of a tile |
//! | `layout/RUN/LEVEL/NUMBER/LEVEL/NUMBER` | [`Layout`](crate::layout::Layout) of a tile and a band of heights |
//! | `moment/RUN/TIME` | [`Picture`](crate::moment::Picture) |
//! | `range/RUN/FROM/TO` | [`Range`](crate::range::Range) |
//! | `block/RUN/NUMBER` | [`Detail`] |
//! | `find/RUN/ADDRESS` | [`Found`]: blocks that covered a hexadecimal address |
//! | `diff/RUN/RUN` | [`Diff`](crate::summary::Diff) |

use millpond_recording::owner;
use serde::Serialize;

use crate::index::{Index, NEVER};
use crate::layout::layout;
use crate::moment::moment;
use crate::range::range;
use crate::ranks::ranks;
use crate::series::series;
use crate::summary::{diff, summary};
use crate::tile::Tile;

/// Blocks in one answer to `find`.
const MOST_FOUND: usize = 100;

/// Everything about one block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Detail {
    /// Its number.
    pub block: usize,
    /// Where it was.
    pub address: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its stream.
    pub stream: String,
    /// When it was allocated.
    pub start: u64,
    /// When the program freed it; none if it did not.
    pub end: Option<u64>,
    /// When its memory could be reused.
    pub done: Option<u64>,
    /// Who allocated it, the innermost frame first.
    pub frames: Vec<String>,
}

/// Blocks that covered an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The first of them, in order of allocation.
    pub blocks: Vec<Detail>,
    /// How many there are.
    pub count: u64,
}

/// The answer to a question, or none if it is not one.
pub fn answer(runs: &[Index], question: &str) -> Option<String> {
    let words: Vec<&str> = question.split('/').collect();
    let run = |word: &str| runs.get(usize::try_from(number(word)?).ok()?);
    let tile =
        |level: &str, place: &str| Tile::new(u32::try_from(number(level)?).ok()?, number(place)?);
    match words.as_slice() {
        ["summary"] => json(&summary(runs)),
        ["ranks"] => json(&ranks(runs)),
        ["series", one, level, place] => json(&series(run(one)?, tile(level, place)?)),
        ["layout", one, level, place, band, band_place] => json(&layout(
            run(one)?,
            tile(level, place)?,
            tile(band, band_place)?,
        )),
        ["moment", one, time] => {
            let index = run(one)?;
            json(&moment(index, number(time)?.min(index.span.1)))
        }
        ["range", one, from, to] => json(&range(run(one)?, number(from)?, number(to)?)),
        ["block", one, block] => {
            let index = run(one)?;
            let block = usize::try_from(number(block)?).ok()?;
            json(&detail(
                index,
                (block < index.blocks.len()).then_some(block)?,
            ))
        }
        ["find", one, address] => {
            let digits = address.trim_start_matches("0x");
            json(&found(run(one)?, u64::from_str_radix(digits, 16).ok()?))
        }
        ["diff", first, second] => json(&diff(run(first)?, run(second)?)),
        _ => None,
    }
}

fn number(word: &str) -> Option<u64> {
    word.parse().ok()
}

fn json<T: Serialize>(answer: &T) -> Option<String> {
    serde_json::to_string(answer).ok()
}

fn detail(index: &Index, number: usize) -> Detail {
    let block = &index.blocks[number];
    let tables = &index.tables;
    let known = |time: u64| (time != NEVER).then_some(time);
    Detail {
        block: number,
        address: format!("{:#x}", block.address),
        bytes: block.bytes,
        stream: index.streams[block.stream as usize].clone(),
        start: block.start,
        end: known(block.end),
        done: known(block.done),
        frames: tables
            .stack(block.stack)
            .map(|frame| {
                let place = owner::place(tables, frame);
                match tables.text(frame.function) {
                    "" => place,
                    function if function == place => place,
                    function => format!("{function}  {place}"),
                }
            })
            .collect(),
    }
}

fn found(index: &Index, address: u64) -> Found {
    let mut found = Found {
        blocks: Vec::new(),
        count: 0,
    };
    for (number, block) in index.blocks.iter().enumerate() {
        if block.address <= address && address - block.address < block.bytes {
            found.count += 1;
            if found.blocks.len() < MOST_FOUND {
                found.blocks.push(detail(index, number));
            }
        }
    }
    found
}
