//! Allocating, freeing, capacity, pages, several devices, and blocks that queued work still names.

#[path = "../common/mod.rs"]
mod common;

mod blocks;
mod devices;
mod going_back;
mod pages;
mod pinned;
mod retired;
mod windows;

/// Whether everything was freed again. The other numbers count what ever happened.
fn nothing_used(usage: millpond::Usage) -> bool {
    (usage.charged, usage.blocks, usage.free()) == (0, 0, usage.capacity)
}
