//! The timed work does what it says, with a peer that counts.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::timed::Timed;
use super::{Case, PEERS, measure_only};

/// Hands out numbers, and knows how many are out.
#[derive(Default)]
struct Counting {
    live: AtomicI64,
    calls: AtomicU64,
    refuse: bool,
}

impl Timed for Counting {
    type Token = u64;

    fn new() -> Result<Self, String> {
        Ok(Self::default())
    }

    fn alloc(&self, _stream: u32, bytes: u64) -> Option<u64> {
        self.live.fetch_add(1, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        (!self.refuse).then_some(bytes)
    }

    fn free(&self, _stream: u32, _token: u64) {
        self.live.fetch_sub(1, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn as_many_blocks_are_live_as_is_said_and_none_at_the_end() {
    let rows = [
        (Case::Pair, 256..=256),
        (Case::Mix512, 400..=624),
        (Case::Mix4096, 3800..=4400),
        (Case::MixDistinct, 400..=624),
        (Case::Lifo, 0..=0),
        (Case::Fifo, 0..=0),
        (Case::OwnStreams, 0..=0),
        (Case::OneStream, 0..=0),
        (Case::Across, 0..=0),
    ];
    for (case, expected) in rows {
        let peer = Counting::default();
        let mut work = case.work(&peer).unwrap();
        let time = work.sample(4096).unwrap();
        assert!(time > 0.0, "{case:?}");
        let live = peer.live.load(Ordering::Relaxed);
        assert!(expected.contains(&live), "{case:?}: {live}");
        assert!(peer.calls.load(Ordering::Relaxed) >= 4096, "{case:?}");
        drop(work);
        assert_eq!(peer.live.load(Ordering::Relaxed), 0, "{case:?}");
    }
}

#[test]
fn a_refused_request_is_an_error_and_no_time() {
    let peer = Counting {
        refuse: true,
        ..Counting::default()
    };
    for case in Case::ALL {
        let sampled = case.work(&peer).and_then(|mut work| work.sample(512));
        assert!(sampled.is_err(), "{case:?}");
    }
}

#[test]
fn everyone_can_be_timed() {
    for peer in PEERS {
        for case in [Case::Lifo, Case::OneStream] {
            let found = (peer.beside_mimalloc)(case);
            assert!(
                found.is_ok_and(|it| it.ratio > 0.0),
                "{}: {case:?}",
                peer.name
            );
        }
    }
}

#[test]
fn a_case_can_be_timed_alone_and_a_wrong_name_tells_the_right_ones() {
    let rows = measure_only("newest").unwrap().to_string();
    assert!(rows.contains(Case::Lifo.name()) && !rows.contains(Case::Fifo.name()));
    let error = measure_only("no such case").unwrap_err();
    assert!(error.contains(Case::MixDistinct.name()), "{error}");
}
