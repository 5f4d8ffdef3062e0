//! A program that exits without aclrtResetDevice or aclFinalize: its unfreed blocks are one hint.
//!
//! The system frees them, so nothing is wrong. But a program that keeps running, or whose code is used elsewhere,
//! would have leaked them.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_trace::Site;

use crate::Finding;
use crate::judge::{families, words};
use crate::rules::memory;
use crate::world::{Block, World};

/// Call sites that the hint names.
const MOST_SITES: usize = 8;

/// What one call site left.
struct SiteTotal<'a> {
    first: &'a Arc<Block>,
    count: u64,
    bytes: u64,
}

/// The hint, if there are unfreed blocks. Allocators keep the blocks that they divide on purpose, and so do packages of a
/// script, whose allocators do not report themselves.
pub(super) fn hint(world: &World) -> Option<Finding> {
    if world.scripted || !world.caching.is_empty() {
        return None;
    }
    let mut by_site: HashMap<&Site, SiteTotal<'_>> = HashMap::new();
    for block in world.blocks.live() {
        // An allocator of the program keeps its blocks for later requests.
        if world.blocks.is_cut_up(block) || !families::hands_out(&block.call) {
            continue;
        }
        let site = by_site.entry(&block.made.site).or_insert(SiteTotal {
            first: block,
            count: 0,
            bytes: 0,
        });
        site.count += 1;
        site.bytes = site.bytes.saturating_add(block.requested);
    }
    let mut sites: Vec<SiteTotal<'_>> = by_site.into_values().collect();
    sites.sort_by_key(|site| (u64::MAX - site.bytes, site.first.made.order));
    let largest = sites.first()?;
    let count = sites.iter().map(|site| site.count).sum();
    let bytes = sites
        .iter()
        .fold(0, |sum: u64, site| sum.saturating_add(site.bytes));
    let from = match sites.len() {
        1 => String::new(),
        many => format!(" from {}", words::count(many as u64, "place")),
    };
    let were = millpond_trace::was_or_were(count);
    let message = format!(
        "{}{from}, {} in all, {were} not freed when the program ended without aclrtResetDevice or aclFinalize",
        words::count(count, "block"),
        words::count(bytes, "byte"),
    );
    let operation = |site: &SiteTotal<'_>| {
        let blocks = words::count(site.count, "block");
        let bytes = words::count(site.bytes, "byte");
        site.first
            .made
            .operation(format!("allocates {blocks}, {bytes}"))
    };
    let mut finding = Finding::new(&memory::LEAK, message, operation(largest)).as_hint();
    let others = sites.iter().skip(1).take(MOST_SITES - 1);
    finding.operations.extend(others.map(operation));
    finding.block = Some(largest.first.lifetime());
    finding.advice = Some(
        "free what is not needed until the end, and call aclrtResetDevice and aclFinalize; leaks are then reported one by one"
            .to_owned(),
    );
    Some(finding)
}
