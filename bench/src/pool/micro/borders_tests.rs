//! Cliffs are found where they are.

use std::sync::atomic::{AtomicI64, Ordering};

use super::*;

#[test]
fn sizes_rise_and_stand_on_both_sides_of_borders() {
    assert!(SIZES.is_sorted_by(|one, other| one < other));
    for border in [64 * KIB, MIB, millpond_pool::PAGE, 1024 * MIB] {
        for bytes in [border - UNIT, border, border + UNIT] {
            assert!(SIZES.contains(&bytes), "{bytes}");
        }
    }
}

#[test]
fn sizes_are_named_by_the_border_that_they_are_close_to() {
    let names = [
        (1, "1"),
        (512, "512"),
        (513, "513"),
        (1024, "1 KiB"),
        (64 * KIB - 512, "64 KiB - 512"),
        (64 * KIB, "64 KiB"),
        (2 * MIB + 512, "2 MiB + 512"),
        (1024 * MIB, "1 GiB"),
    ];
    for (bytes, expected) in names {
        assert_eq!(name(bytes), expected);
    }
}

/// Times that are the same but for one border.
fn borders(dear: impl Fn(u64) -> bool) -> Borders {
    let times = |bytes: &u64| if dear(*bytes) { 31.0 } else { 10.0 };
    let flat = || Ok(vec![10.0; SIZES.len()]);
    let columns = [
        Ok(SIZES.iter().map(times).collect()),
        flat(),
        Err("a request was refused".to_owned()),
        flat(),
    ];
    Borders {
        parts: vec![(1, columns)],
    }
}

#[test]
fn a_cliff_is_told_on_both_sides_and_a_slope_is_none() {
    let up = borders(|bytes| bytes > 64 * KIB);
    assert_eq!(
        up.cliffs(),
        ["millpond, 1 at once: 64 KiB + 512 takes 3.10 times what 64 KiB takes"]
    );
    let text = up.to_string();
    assert!(text.contains("31.0 (3.10 !)"), "{text}");
    assert!(
        text.contains("offset-allocator: a request was refused"),
        "{text}"
    );
    let both = borders(|bytes| bytes == 2 * MIB).cliffs();
    assert_eq!(both.len(), 2, "{both:?}");
    assert!(both[1].contains("0.32 times what 2 MiB takes"), "{both:?}");
    let none = borders(|_| false).to_string();
    assert!(none.contains("no step of more than 3 times"), "{none}");
}

#[test]
fn everyone_answers_at_every_border() {
    for (at_once, columns) in measure().parts {
        for (who, times) in NAMES.iter().zip(columns) {
            let times = times.unwrap_or_else(|error| panic!("{who}, {at_once}: {error}"));
            assert_eq!(times.len(), SIZES.len());
            assert!(times.iter().all(|time| *time > 0.0), "{who}: {times:?}");
        }
    }
}

/// Hands out sizes, and knows how many are out.
#[derive(Default)]
struct Counting {
    live: AtomicI64,
}

impl Timed for Counting {
    type Token = u64;

    fn new() -> Result<Self, String> {
        Ok(Self::default())
    }

    fn alloc(&self, _stream: u32, bytes: u64) -> Option<u64> {
        self.live.fetch_add(1, Ordering::Relaxed);
        Some(bytes)
    }

    fn free(&self, _stream: u32, _token: u64) {
        self.live.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn nothing_is_live_at_the_end() {
    for at_once in AT_ONCE {
        let peer = Counting::default();
        column(&peer, at_once).unwrap();
        assert_eq!(peer.live.into_inner(), 0);
    }
}
