//! Every order in which threads can use, remove and reuse one slot of the handle table.
//!
//! Runs only with `RUSTFLAGS="--cfg loom"`: `cargo xtask test` does that.
#![cfg(loom)]
#![expect(unsafe_code, reason = "calls what the slot declares unsafe")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::thread;
use millpond_slot::{LAST_GENERATION, Reclaimed, Slot, Vacant};

/// Counts how often it is dropped. Not part of the model: only the slot's own steps are.
#[derive(Debug)]
struct Counted(u64, Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

fn filled(number: u64) -> (loom::sync::Arc<Slot<Counted>>, u64, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let slot = loom::sync::Arc::new(Slot::new());
    // SAFETY: the slot is new and no other thread knows it.
    let generation = unsafe { slot.fill(Counted(number, Arc::clone(&dropped))) };
    (slot, generation, dropped)
}

/// Uses the value if the generation still lives, as a call with a handle does.
fn look(slot: &Slot<Counted>, generation: u64, number: u64) -> Option<Reclaimed> {
    if slot.pin(generation) {
        // SAFETY: the pin returned true and is taken back below.
        assert_eq!(unsafe { slot.get() }.0, number);
    }
    slot.unpin()
}

fn destroy(slot: &Slot<Counted>, generation: u64) -> (bool, Option<Reclaimed>) {
    let ended = slot.pin(generation) && slot.end_generation(generation);
    (ended, slot.unpin())
}

#[test]
fn a_value_in_use_lives_and_is_dropped_once() {
    loom::model(|| {
        let (slot, generation, dropped) = filled(7);
        let user = {
            let slot = loom::sync::Arc::clone(&slot);
            thread::spawn(move || look(&slot, generation, 7).is_some())
        };
        let (ended, reclaimed) = destroy(&slot, generation);
        assert!(ended, "nobody else removes it");
        let mine = reclaimed.is_some();
        let theirs = user.join().unwrap();
        assert!(mine ^ theirs, "exactly one reclaims it");
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        assert!(!slot.pin(generation), "the handle is stale");
        assert!(slot.unpin().is_none());
    });
}

#[test]
fn of_two_that_remove_it_one_succeeds() {
    loom::model(|| {
        let (slot, generation, dropped) = filled(7);
        let other = {
            let slot = loom::sync::Arc::clone(&slot);
            thread::spawn(move || destroy(&slot, generation).0)
        };
        let mine = destroy(&slot, generation).0;
        assert!(mine ^ other.join().unwrap());
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_slot_that_is_used_again_never_shows_its_new_value_to_an_old_handle() {
    loom::model(|| {
        let (slot, generation, dropped) = filled(1);
        let user = {
            let slot = loom::sync::Arc::clone(&slot);
            thread::spawn(move || look(&slot, generation, 1))
        };
        let (_, reclaimed) = destroy(&slot, generation);
        if let Some(Reclaimed { reusable }) = reclaimed {
            assert!(reusable && generation < LAST_GENERATION);
            let made = |place: &mut Option<Counted>| {
                *place = Some(Counted(2, Arc::clone(&dropped)));
                Ok::<(), ()>(())
            };
            // SAFETY: this thread reclaimed the old value, so the slot is vacant and its own to fill.
            let next = unsafe { slot.fill_with(made) }.unwrap();
            assert_ne!(next, generation);
            assert!(look(&slot, next, 2).is_none());
        }
        user.join().unwrap();
    });
}

/// The short way to remove a value gives up if somebody uses it, and drops it once.
#[test]
fn what_nobody_uses_goes_in_one_step() {
    loom::model(|| {
        let (slot, generation, dropped) = filled(7);
        let user = {
            let slot = loom::sync::Arc::clone(&slot);
            thread::spawn(move || look(&slot, generation, 7).is_some())
        };
        let mine = slot.end_unused(generation).is_some() || destroy(&slot, generation).1.is_some();
        let theirs = user.join().unwrap();
        assert!(mine ^ theirs, "exactly one reclaims it");
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        assert!(slot.end_unused(generation).is_none(), "it is gone");
    });
}

/// No slot is given to two threads, and none is lost.
#[test]
fn a_vacant_slot_has_one_taker() {
    loom::model(|| {
        let slots: [Slot<Counted>; 2] = [Slot::new(), Slot::new()];
        let table = loom::sync::Arc::new((Vacant::new(), slots));
        let pop =
            |table: &(Vacant, [Slot<Counted>; 2])| table.0.pop(|index| table.1.get(index as usize));
        for (index, slot) in (0..).zip(&table.1) {
            table.0.push(index, slot);
        }
        let other = {
            let table = loom::sync::Arc::clone(&table);
            thread::spawn(move || {
                let taken = pop(&table);
                if let Some(index) = taken {
                    table.0.push(index, &table.1[index as usize]);
                }
                taken.is_some()
            })
        };
        let (one, two) = (pop(&table), pop(&table));
        assert!(one.is_some() && one != two);
        assert!(other.join().unwrap() || two.is_some());
        let mut left: Vec<u32> = one.into_iter().chain(two).collect();
        left.extend(pop(&table));
        left.sort_unstable();
        assert_eq!(left, [0, 1]);
        assert_eq!(pop(&table), None);
    });
}
