//! The cache against a list that is searched from end to end.

use super::*;
use crate::{Attributes, Element, Tensor};
use proptest::prelude::*;

fn tensor<'a>(dims: &'a [i64], constant: Option<&'a [u8]>) -> Tensor<'a> {
    Tensor {
        element: Element::F32,
        dims,
        format: 2,
        constant,
    }
}

/// A request with one input of these dimensions and one constant, handed to `then`.
fn with<R>(kind: &str, dims: &[i64], constant: u8, then: impl FnOnce(&Request) -> R) -> R {
    let bytes = [constant];
    let inputs = [Some(tensor(dims, None)), Some(tensor(&[1], Some(&bytes)))];
    then(&Request {
        kind,
        inputs: &inputs,
        outputs: &[tensor(dims, None)],
        attributes: &Attributes::new(),
    })
}

fn asked(dims: bool, constant: bool) -> Asked {
    let mut asked = Asked::default();
    if dims {
        asked.input_dims.add(0);
    }
    if constant {
        asked.constants.add(1);
    }
    asked
}

#[test]
fn what_was_not_asked_for_does_not_matter() {
    let mut cache = Cache::new(10);
    with("Add", &[2, 3], 0, |it| {
        cache.insert(it, asked(false, false), 'a')
    });
    let found = with("Add", &[4, 5], 1, |it| cache.get(it).copied());
    assert_eq!(found, Some('a'));
    let other_rank = with("Add", &[4], 0, |it| cache.get(it).copied());
    assert_eq!(other_rank, None);
    let other_kind = with("Sub", &[2, 3], 0, |it| cache.get(it).copied());
    assert_eq!(other_kind, None);
}

#[test]
fn asking_for_more_drops_what_was_filed_under_less() {
    let mut cache = Cache::new(10);
    with("Add", &[2], 0, |it| {
        cache.insert(it, asked(false, false), 'a')
    });
    let gone = with("Add", &[3], 0, |it| {
        cache.insert(it, asked(true, false), 'b')
    });
    assert_eq!(gone, ['a']);
    assert_eq!(with("Add", &[2], 0, |it| cache.get(it).copied()), None);
    assert_eq!(with("Add", &[3], 0, |it| cache.get(it).copied()), Some('b'));
    // One that asks for less is still filed under everything.
    with("Add", &[2], 0, |it| {
        cache.insert(it, asked(false, false), 'c')
    });
    assert_eq!(with("Add", &[3], 0, |it| cache.get(it).copied()), Some('b'));
    assert_eq!(with("Add", &[2], 7, |it| cache.get(it).copied()), Some('c'));
}

#[test]
fn the_least_recently_used_goes_first() {
    let mut cache = Cache::new(2);
    for (dim, name) in [(1, 'a'), (2, 'b')] {
        with("Add", &[dim], 0, |it| {
            cache.insert(it, asked(true, false), name)
        });
    }
    assert!(with("Add", &[1], 0, |it| cache.get(it).is_some()));
    let gone = with("Add", &[3], 0, |it| {
        cache.insert(it, asked(true, false), 'c')
    });
    assert_eq!(gone, ['b']);
    assert_eq!(cache.set_capacity(1), ['a']);
    assert_eq!(cache.clear(), ['c']);
    assert!(cache.is_empty() && cache.families.len == 0);
}

/// The same rule, over a list: what is found must have been made for a request that agrees in everything
/// that was ever asked for under its kind, and be the last one made.
#[derive(Default)]
struct Model {
    /// Kind, dimension, constant, number; the newest use last.
    entries: Vec<(u8, i64, u8, u32)>,
    asked: HashMap<u8, (bool, bool)>,
}

impl Model {
    fn same(&self, entry: (u8, i64, u8, u32), kind: u8, dim: i64, constant: u8) -> bool {
        let (dims, constants) = self.asked.get(&kind).copied().unwrap_or_default();
        entry.0 == kind && (!dims || entry.1 == dim) && (!constants || entry.2 == constant)
    }

    fn get(&mut self, kind: u8, dim: i64, constant: u8) -> Option<u32> {
        let found = self
            .entries
            .iter()
            .position(|entry| self.same(*entry, kind, dim, constant))?;
        let entry = self.entries.remove(found);
        self.entries.push(entry);
        Some(entry.3)
    }

    fn insert(
        &mut self,
        kind: u8,
        dim: i64,
        constant: u8,
        (dims, constants): (bool, bool),
        number: u32,
        capacity: usize,
    ) {
        let known = self.asked.get(&kind).copied();
        let before = known.unwrap_or((dims, constants));
        let all = (before.0 | dims, before.1 | constants);
        if all != before {
            self.entries.retain(|entry| entry.0 != kind);
        }
        self.asked.insert(kind, all);
        let same = |entry: &(u8, i64, u8, u32)| self.same(*entry, kind, dim, constant);
        if let Some(found) = self.entries.iter().position(same) {
            self.entries.remove(found);
        }
        self.entries.push((kind, dim, constant, number));
        while self.entries.len() > capacity {
            self.entries.remove(0);
        }
        // A kind without entries is forgotten with what was asked about it.
        let entries = &self.entries;
        self.asked
            .retain(|kind, _| entries.iter().any(|entry| entry.0 == *kind));
    }
}

proptest! {
    #[test]
    fn finds_what_a_list_finds(
        capacity in 1_usize..6,
        steps in prop::collection::vec((any::<bool>(), 0_u8..3, 0_i64..3, 0_u8..3, any::<(bool, bool)>()), 0..200),
    ) {
        let mut cache = Cache::new(capacity);
        let mut model = Model::default();
        for (number, (insert, kind, dim, constant, wants)) in (0_u32..).zip(steps) {
            let name = ["Add", "Sub", "Mul"][usize::from(kind)];
            if insert {
                with(name, &[dim], constant, |it| cache.insert(it, asked(wants.0, wants.1), number));
                model.insert(kind, dim, constant, wants, number, capacity);
            } else {
                let found = with(name, &[dim], constant, |it| cache.get(it).copied());
                prop_assert_eq!(found, model.get(kind, dim, constant));
            }
            prop_assert_eq!(cache.len(), model.entries.len());
            prop_assert!(cache.len() <= capacity);
            let kept: usize = cache.families.slots.iter().flatten().map(|it| it.entries).sum();
            prop_assert_eq!(kept, cache.len(), "every entry is counted by its family");
        }
    }
}
