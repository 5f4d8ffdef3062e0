//! A program that ends without a word: what it had not freed is one hint.
//!
//! The system takes it all, so nothing is wrong. But a program that runs on, or whose part is used elsewhere, would have lost it.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_trace::Site;

use crate::Finding;
use crate::judge::{families, words};
use crate::rules::memory;
use crate::world::{Block, World};

/// Places in the program that are named.
const MOST_PLACES: usize = 8;

/// What one place left.
struct Place<'a> {
    first: &'a Arc<Block>,
    count: u64,
    bytes: u64,
}

/// The hint, if there is anything to say. What an allocator cuts up it keeps on purpose, and so do packages of a script, whose
/// allocators say nothing of themselves.
pub(super) fn hint(world: &World) -> Option<Finding> {
    if world.scripted || !world.caching.is_empty() {
        return None;
    }
    let mut by_site: HashMap<&Site, Place<'_>> = HashMap::new();
    for block in world.blocks.live() {
        // An allocator of the program keeps what it has, for what it will be asked for.
        if world.blocks.is_cut_up(block) || !families::hands_out(&block.call) {
            continue;
        }
        let place = by_site.entry(&block.made.site).or_insert(Place {
            first: block,
            count: 0,
            bytes: 0,
        });
        place.count += 1;
        place.bytes = place.bytes.saturating_add(block.requested);
    }
    let mut places: Vec<Place<'_>> = by_site.into_values().collect();
    places.sort_by_key(|place| (u64::MAX - place.bytes, place.first.made.order));
    let largest = places.first()?;
    let count = places.iter().map(|place| place.count).sum();
    let bytes = places
        .iter()
        .fold(0, |sum: u64, place| sum.saturating_add(place.bytes));
    let from = match places.len() {
        1 => String::new(),
        many => format!(" from {}", words::count(many as u64, "place")),
    };
    let were = if count == 1 { "was" } else { "were" };
    let message = format!(
        "{}{from}, {} in all, {were} left when the program ended without aclrtResetDevice or aclFinalize",
        words::count(count, "block"),
        words::count(bytes, "byte"),
    );
    let act = |place: &Place<'_>| {
        let blocks = words::count(place.count, "block");
        let bytes = words::count(place.bytes, "byte");
        place.first.made.act(format!("made {blocks}, {bytes}"))
    };
    let mut finding = Finding::new(&memory::LEAK, message, act(largest)).as_hint();
    let others = places.iter().skip(1).take(MOST_PLACES - 1);
    finding.operations.extend(others.map(act));
    finding.block = Some(largest.first.story());
    finding.advice = Some(
        "free what is not needed until the end, and call aclrtResetDevice and aclFinalize: what is left then is reported one by one"
            .to_owned(),
    );
    Some(finding)
}
