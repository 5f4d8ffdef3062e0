//! The map against a model that keeps one entry per page.

use proptest::prelude::*;

use super::*;

const PAGES: u64 = 48;
/// Where work runs: all pages, shifted.
const DISTANCE: u64 = 1000;

fn window(start: u64, bytes: u64) -> Window {
    Window {
        range: AddressRange::new(start, bytes),
        distance: DISTANCE,
    }
}

fn mapped(start: u64, bytes: u64, serial: u64) -> Mapped {
    Mapped::new(
        AddressRange::new(start, bytes),
        serial,
        1,
        Location::Device(0),
    )
}

/// Maps and grants, as programs mostly do.
fn put(map: &mut AddressMap, start: u64, bytes: u64) {
    let range = AddressRange::new(start, bytes);
    map.check_map(range, Location::Device(0)).unwrap();
    map.map(mapped(start, bytes, start));
    map.grant(start, Location::Device(0), false);
}

#[test]
fn a_range_over_several_mappings_is_whole_or_refused_where_it_ends() {
    let mut map = AddressMap::default();
    map.reserve(window(100, 50), 1);
    map.reserve(window(150, 50), 2);
    for start in [100, 110, 130, 140, 150] {
        put(&mut map, start, 10);
    }
    let check = |start, bytes| map.check(AddressRange::new(start, bytes));
    assert_eq!(check(100, 20), Ok(()));
    assert_eq!(check(105, 10), Ok(()));
    let hole = MappingError::NotMapped { address: 120 };
    assert_eq!(check(105, 16), Err(hole));
    assert_eq!(check(121, 2), Err(MappingError::NotMapped { address: 121 }));
    // Mapped on both sides of the border, but of two reservations.
    assert!(matches!(
        check(145, 10),
        Err(MappingError::BeyondReservation { start: 100, .. })
    ));
    assert!(matches!(
        check(99, 2),
        Err(MappingError::NotReserved { address: 99 })
    ));
    let found = map.find(131).unwrap();
    assert_eq!((found.kernel, found.location), (1131, Location::Device(0)));
}

#[test]
fn without_access_nothing_is_used() {
    let mut map = AddressMap::default();
    map.reserve(window(0, 50), 1);
    put(&mut map, 0, 10);
    map.map(mapped(10, 10, 2));
    let both = AddressRange::new(5, 10);
    assert_eq!(map.check(both), Err(MappingError::NoAccess { address: 10 }));
    map.grant(10, Location::Host, true);
    assert_eq!(map.check(both), Ok(()));
    assert!(map.mapping(10).unwrap().shown);
}

#[test]
fn access_is_granted_to_whole_mappings() {
    let mut map = AddressMap::default();
    map.reserve(window(0, 50), 1);
    for start in [0, 10, 20] {
        put(&mut map, start, 10);
    }
    let whole = |start, bytes| map.whole_mappings(AddressRange::new(start, bytes));
    assert_eq!(whole(0, 30), Ok(vec![0, 10, 20]));
    assert_eq!(whole(10, 10), Ok(vec![10]));
    for (start, bytes, cut) in [(5, 5, 0), (0, 15, 10), (12, 3, 10)] {
        assert!(matches!(
            whole(start, bytes),
            Err(MappingError::PartOfMapping { start, .. }) if start == cut
        ));
    }
    assert_eq!(whole(20, 20), Err(MappingError::NotMapped { address: 30 }));
}

#[test]
fn what_is_used_keeps_its_place_when_it_is_unmapped() {
    let mut map = AddressMap::default();
    map.reserve(window(0, 50), 7);
    put(&mut map, 10, 10);
    let used = AddressRange::new(12, 2);
    map.begin(used);
    map.retire(10);
    assert!(map.mapping_of(12).is_err(), "programs see it unmapped");
    assert!(map.unused().is_empty());
    let over = AddressRange::new(15, 10);
    assert_eq!(
        map.check_map(over, Location::Host),
        Err(MappingError::StillQueued {
            start: 10,
            task: None
        })
    );
    // The reservation can be given up all the same, and goes last.
    assert_eq!(map.check_release(0), Ok(false));
    map.leave(0);
    assert!(map.holds(12) && map.reservation(0).is_err());
    assert!(map.overlaps(AddressRange::new(DISTANCE + 12, 1)));
    assert!(map.empty().is_empty());
    map.end(used, None);
    assert_eq!(map.unused(), [10]);
    assert_eq!(map.forget_mapping(10).unwrap().serial, 10);
    assert_eq!(map.empty(), [0]);
    map.forget_reservation(0);
    assert!(map.is_settled() && !map.holds(12));
}

#[test]
fn a_reservation_has_memory_of_one_place_at_a_time() {
    let mut map = AddressMap::default();
    map.reserve(window(0, 50), 1);
    put(&mut map, 0, 10);
    let next = AddressRange::new(10, 10);
    let refused = MappingError::OtherPlace {
        start: 0,
        there: Location::Device(0),
        here: Location::Device(1),
    };
    assert_eq!(map.check_map(next, Location::Device(1)), Err(refused));
    map.retire(0);
    map.forget_mapping(0);
    assert_eq!(map.check_map(next, Location::Device(1)), Ok(()));
}

#[derive(Debug, Clone)]
enum Step {
    Reserve(u64, u64),
    Release(u64),
    Map(u64, u64),
    Unmap(u64),
    Begin(u64, u64),
    End(usize),
    Drain,
}

fn step() -> impl Strategy<Value = Step> {
    let at = 0..PAGES;
    let length = 1..12_u64;
    prop_oneof![
        2 => (at.clone(), length.clone()).prop_map(|(at, length)| Step::Reserve(at, length)),
        1 => at.clone().prop_map(Step::Release),
        4 => (at.clone(), 1..5_u64).prop_map(|(at, length)| Step::Map(at, length)),
        2 => at.clone().prop_map(Step::Unmap),
        2 => (at, length).prop_map(|(at, length)| Step::Begin(at, length)),
        1 => any::<usize>().prop_map(Step::End),
        1 => Just(Step::Drain),
    ]
}

/// One page of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Page {
    /// Start of its reservation, and whether that is live.
    reserved: Option<(u64, bool)>,
    /// Start of its mapping, and whether that is live.
    mapped: Option<(u64, bool)>,
    users: u32,
}

#[derive(Debug)]
struct Model {
    pages: Vec<Page>,
    uses: Vec<AddressRange>,
}

impl Model {
    fn at(&self, page: u64) -> Page {
        let page = usize::try_from(page).unwrap();
        self.pages.get(page).copied().unwrap_or_default()
    }

    fn change(&mut self, range: AddressRange, change: impl Fn(&mut Page)) {
        for page in range.start..range.end() {
            change(&mut self.pages[usize::try_from(page).unwrap()]);
        }
    }

    fn all(&self, range: AddressRange, holds: impl Fn(Page) -> bool) -> bool {
        (range.start..range.end()).all(|page| holds(self.at(page)))
    }

    /// The pages of the mapping that starts at a page.
    fn mapping(&self, start: u64) -> AddressRange {
        let same = |page: &u64| self.at(*page).mapped.is_some_and(|(of, _)| of == start);
        let bytes = (start..PAGES).take_while(same).count() as u64;
        AddressRange::new(start, bytes)
    }

    fn reservation(&self, start: u64) -> AddressRange {
        let same = |page: &u64| self.at(*page).reserved.is_some_and(|(of, _)| of == start);
        let bytes = (start..PAGES).take_while(same).count() as u64;
        AddressRange::new(start, bytes)
    }

    /// Every page of the mapping that a page belongs to has the same users, because a use counts for
    /// the mapping as a whole.
    fn count(&mut self, range: AddressRange, by: i32) {
        let mut starts: Vec<u64> = (range.start..range.end())
            .filter_map(|page| self.at(page).mapped.map(|(start, _)| start))
            .collect();
        starts.dedup();
        for start in starts {
            let whole = self.mapping(start);
            self.change(whole, |page| {
                page.users = page.users.strict_add_signed(by);
            });
        }
    }
}

proptest! {
    #[test]
    fn the_books_say_what_a_model_with_one_entry_per_page_says(
        steps in prop::collection::vec(step(), 1..120)
    ) {
        let mut map = AddressMap::default();
        let mut model = Model {
            pages: vec![Page::default(); usize::try_from(PAGES).unwrap()],
            uses: Vec::new(),
        };
        for step in steps {
            match step {
                // The system hands out addresses that are free.
                Step::Reserve(at, length) => {
                    let range = AddressRange::new(at, length.min(PAGES - at));
                    if model.all(range, |page| page.reserved.is_none()) {
                        map.reserve(window(at, range.bytes), at);
                        model.change(range, |page| page.reserved = Some((at, true)));
                    }
                }
                Step::Release(at) => {
                    let range = model.reservation(at);
                    let live = model.at(at).reserved == Some((at, true));
                    let free = model.all(range, |page| page.mapped.is_none_or(|(_, live)| !live));
                    let answer = map.check_release(at);
                    prop_assert_eq!(answer.is_ok(), live && free);
                    if let Ok(now) = answer {
                        let empty = model.all(range, |page| page.mapped.is_none());
                        prop_assert_eq!(now, empty);
                        map.leave(at);
                        model.change(range, |page| page.reserved = Some((range.start, false)));
                    }
                }
                Step::Map(at, length) => {
                    let range = AddressRange::new(at, length);
                    let owner = model.at(at).reserved;
                    let allowed = owner.is_some_and(|(_, live)| live)
                        && model.all(range, |page| page.reserved == owner && page.mapped.is_none());
                    let answer = map.check_map(range, Location::Device(0));
                    prop_assert_eq!(answer.is_ok(), allowed, "{:?}", answer);
                    if allowed {
                        put(&mut map, at, length);
                        model.change(range, |page| page.mapped = Some((at, true)));
                    }
                }
                Step::Unmap(at) => {
                    let live = model.at(at).mapped == Some((at, true));
                    prop_assert_eq!(map.mapping(at).is_ok(), live);
                    if live {
                        map.retire(at);
                        let range = model.mapping(at);
                        model.change(range, |page| page.mapped = Some((at, false)));
                    }
                }
                Step::Begin(at, length) => {
                    let range = AddressRange::new(at, length);
                    let owner = model.at(at).reserved;
                    let allowed = owner.is_some_and(|(_, live)| live)
                        && model.all(range, |page| {
                            page.reserved == owner && page.mapped.is_some_and(|(_, live)| live)
                        });
                    let answer = map.check(range);
                    prop_assert_eq!(answer.is_ok(), allowed, "{:?}", answer);
                    if allowed {
                        map.begin(range);
                        model.count(range, 1);
                        model.uses.push(range);
                    }
                }
                Step::End(which) => {
                    if !model.uses.is_empty() {
                        let range = model.uses.swap_remove(which % model.uses.len());
                        map.end(range, None);
                        model.count(range, -1);
                    }
                }
                Step::Drain => {
                    for at in map.unused() {
                        let range = model.mapping(at);
                        let unused = model.all(range, |page| {
                            page.mapped == Some((at, false)) && page.users == 0
                        });
                        prop_assert!(unused);
                        map.forget_mapping(at);
                        model.change(range, |page| page.mapped = None);
                    }
                    for at in map.empty() {
                        let range = model.reservation(at);
                        let empty = model.all(range, |page| {
                            page.reserved == Some((at, false)) && page.mapped.is_none()
                        });
                        prop_assert!(empty);
                        map.forget_reservation(at);
                        model.change(range, |page| page.reserved = None);
                    }
                    let waits = |page: &Page| {
                        let over = page.mapped.is_some_and(|(_, live)| !live);
                        over && page.users == 0
                    };
                    prop_assert!(!model.pages.iter().any(waits), "all that can go has gone");
                }
            }
            for page in 0..PAGES {
                let known = model.at(page);
                prop_assert_eq!(map.holds(page), known.reserved.is_some());
                let live = known.mapped.is_some_and(|(_, live)| live);
                prop_assert_eq!(map.find(page).is_ok(), live);
                let beyond = AddressRange::new(DISTANCE + page, 1);
                prop_assert_eq!(map.overlaps(beyond), known.reserved.is_some());
            }
        }
    }
}
