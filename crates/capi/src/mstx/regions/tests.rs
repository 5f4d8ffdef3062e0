//! Heaps and regions by the documented contract, and by the dialects.

use super::*;

fn heard() -> Notes {
    Notes::new(true)
}

fn at(start: u64, bytes: u64) -> Described {
    Described {
        device: 0,
        range: Bytes { start, bytes },
    }
}

fn by_handle(value: u64) -> Reference {
    Reference {
        handle: true,
        value,
    }
}

fn by_pointer(value: u64) -> Reference {
    Reference {
        handle: false,
        value,
    }
}

/// State with a domain and nothing noted yet.
struct Listener {
    state: State,
    domain: u64,
    notes: Notes,
}

impl Listener {
    fn new(domain: &str) -> Self {
        let mut state = State::default();
        let domain = state.create_domain(domain, ToolHandles::default(), &mut heard());
        Self {
            state,
            domain,
            notes: heard(),
        }
    }

    fn heap(&mut self, start: u64, bytes: u64) -> u64 {
        let described = Ok(at(start, bytes));
        self.state.register_heap(
            self.domain,
            described,
            ToolHandles::default(),
            &mut self.notes,
        )
    }

    fn regions(&mut self, heap: u64, described: &[Described]) -> Option<Vec<u64>> {
        let words = |_| ToolHandles::default();
        self.state
            .register_regions(self.domain, heap, Ok(described), words, &mut self.notes)
    }

    fn unregister(&mut self, references: &[Reference]) {
        self.state
            .unregister_regions(self.domain, Ok(references), &mut self.notes);
    }

    /// What was noted since the last time.
    fn message_of(&mut self) -> Vec<Operation> {
        std::mem::take(&mut self.notes.operations)
    }

    fn strange(&mut self) -> usize {
        let said = self.message_of();
        said.iter()
            .filter(|said| matches!(said, Operation::AnnotationStrange { .. }))
            .count()
    }
}

#[test]
fn a_heap_its_regions_and_their_end_are_recorded_in_order() {
    let mut listener = Listener::new("pool");
    let heap = listener.heap(0x1000, 0x1000);
    let handles = listener
        .regions(heap, &[at(0x1000, 64), at(0x1100, 64)])
        .unwrap();
    listener.unregister(&[by_handle(handles[1]), by_pointer(0x1000)]);
    listener
        .state
        .unregister_heap(listener.domain, heap, &mut listener.notes);
    let region = |region, start| Operation::RegionRegistered {
        region,
        domain: 1,
        heap: Some(1),
        device: 0,
        range: Bytes { start, bytes: 64 },
    };
    assert_eq!(
        listener.message_of(),
        [
            Operation::HeapRegistered {
                heap: 1,
                domain: 1,
                device: 0,
                range: Bytes {
                    start: 0x1000,
                    bytes: 0x1000
                },
            },
            region(1, 0x1000),
            region(2, 0x1100),
            Operation::RegionUnregistered { region: 2 },
            Operation::RegionUnregistered { region: 1 },
            Operation::HeapUnregistered { heap: 1 },
        ]
    );
}

#[test]
fn unregistering_twice_or_what_never_was_is_noted_and_null_is_not() {
    let mut listener = Listener::new("pool");
    let heap = listener.heap(0x1000, 0x1000);
    let region = listener.regions(heap, &[at(0x1000, 64)]).unwrap()[0];
    listener.unregister(&[by_handle(region)]);
    listener.message_of();
    listener.unregister(&[by_handle(region), by_pointer(0x9999), by_pointer(0)]);
    listener
        .state
        .unregister_heap(listener.domain, 0x7777, &mut listener.notes);
    listener
        .state
        .unregister_heap(listener.domain, 0, &mut listener.notes);
    let unknown = |value, expected: &'static str| Operation::AnnotationUnknown {
        domain: 1,
        value,
        expected: expected.into(),
    };
    assert_eq!(
        listener.message_of(),
        [
            unknown(region, "region"),
            unknown(0x9999, "region"),
            unknown(0x7777, "heap"),
        ]
    );
}

#[test]
fn a_heap_takes_its_regions_along() {
    let mut listener = Listener::new("pool");
    let heap = listener.heap(0x1000, 0x1000);
    let region = listener.regions(heap, &[at(0x1000, 64)]).unwrap()[0];
    listener
        .state
        .unregister_heap(listener.domain, heap, &mut listener.notes);
    listener.message_of();
    listener.unregister(&[by_handle(region)]);
    assert!(matches!(
        listener.message_of()[..],
        [Operation::AnnotationUnknown { .. }]
    ));
}

#[test]
fn of_several_regions_at_one_address_the_newest_is_meant() {
    let mut listener = Listener::new("pool");
    listener.regions(0, &[at(0x1000, 64), at(0x1000, 32)]);
    listener.message_of();
    listener.unregister(&[by_pointer(0x1000), by_pointer(0x1000)]);
    assert_eq!(
        listener.message_of(),
        [
            Operation::RegionUnregistered { region: 2 },
            Operation::RegionUnregistered { region: 1 },
        ]
    );
}

#[test]
fn a_batch_in_an_unknown_heap_is_dropped_and_its_array_left_alone() {
    let mut listener = Listener::new("pool");
    assert_eq!(listener.regions(0xdead, &[at(0x1000, 64)]), None);
    assert!(matches!(
        listener.message_of()[..],
        [Operation::AnnotationUnknown { value: 0xdead, .. }]
    ));
}

#[test]
fn a_region_without_a_heap_stands_alone() {
    let mut listener = Listener::new("pool");
    assert!(listener.regions(0, &[at(0x1000, 64)]).is_some());
    assert!(matches!(
        listener.message_of()[..],
        [Operation::RegionRegistered { heap: None, .. }]
    ));
}

#[test]
fn an_empty_heap_has_a_handle_and_no_record() {
    let mut listener = Listener::new("pool");
    let empty = listener.heap(0x1000, 0);
    assert_ne!(empty, 0);
    assert!(listener.regions(empty, &[at(0x1000, 64)]).is_some());
    listener
        .state
        .unregister_heap(listener.domain, empty, &mut listener.notes);
    assert_eq!(listener.message_of(), []);
    listener.heap(u64::MAX - 1, 16);
    assert_eq!(listener.strange(), 1, "beyond the last address");
    listener.heap(u64::MAX - 15, 16);
    assert!(matches!(
        listener.message_of()[..],
        [Operation::HeapRegistered { .. }]
    ));
}

#[test]
fn the_wrong_kind_of_reference_is_understood() {
    let mut listener = Listener::new("pool");
    let handles = listener
        .regions(0, &[at(0x1000, 64), at(0x2000, 64)])
        .unwrap();
    listener.message_of();
    listener.unregister(&[by_pointer(handles[0]), by_handle(0x2000)]);
    let said = listener.message_of();
    assert!(
        matches!(
            said[..],
            [
                Operation::RegionUnregistered { region: 1 },
                Operation::RegionUnregistered { region: 2 },
            ]
        ),
        "nothing is in doubt: {said:?}"
    );
}

#[test]
fn torch_heaps_are_totals_and_its_regions_go_by_address() {
    let mut listener = Listener::new("ptaCaching");
    assert_eq!(listener.heap(0x1000, 1 << 30), 0);
    assert_eq!(listener.heap(0x2000, 1 << 31), 0);
    assert_eq!(listener.strange(), 0, "that is understood");
    let garbage = 0x7ffd_1234_5678;
    assert_eq!(
        listener.regions(garbage, &[at(0x1000, 512)]),
        None,
        "no array"
    );
    listener.regions(garbage, &[at(0x1000, 256)]);
    listener.unregister(&[by_handle(0x1000), by_pointer(0x5555)]);
    let said = listener.message_of();
    assert!(
        matches!(
            said[..],
            [
                Operation::RegionRegistered {
                    region: 1,
                    heap: None,
                    ..
                },
                Operation::RegionUnregistered { region: 1 },
                Operation::RegionRegistered { region: 2, .. },
                Operation::RegionUnregistered { region: 2 },
            ]
        ),
        "{said:?}"
    );
}

#[test]
fn torch_workspaces_are_not_followed() {
    let mut listener = Listener::new("ptaWorkspace");
    listener.heap(0x1000, 1 << 30);
    listener.regions(1, &[at(0x1000, 1 << 40)]);
    listener.unregister(&[by_pointer(0x1000)]);
    assert_eq!(listener.message_of(), [], "that is understood");
}

#[test]
fn atb_passes_handles_as_pointers() {
    let mut listener = Listener::new("atb");
    let heap = listener.heap(0x1000, 0x1000);
    let handles = listener
        .regions(heap, &[at(0x1000, 64), at(0x1040, 64)])
        .unwrap();
    listener.message_of();
    listener.unregister(&[by_pointer(handles[0]), by_pointer(handles[1])]);
    let said = listener.message_of();
    assert!(
        matches!(
            said[..],
            [
                Operation::AnnotationStrange { .. },
                Operation::RegionUnregistered { region: 1 },
                Operation::RegionUnregistered { region: 2 },
            ]
        ),
        "{said:?}"
    );
}

#[test]
fn mindspore_names_heaps_by_address() {
    let mut listener = Listener::new("mindsporeMemPool");
    listener.heap(0x1000, 0x1000);
    assert_eq!(
        listener.regions(0x1000, &[at(0x1000, 64)]),
        None,
        "no array"
    );
    listener.unregister(&[by_pointer(0x1000)]);
    listener
        .state
        .unregister_heap(listener.domain, 0x1000, &mut listener.notes);
    let said = listener.message_of();
    assert!(
        matches!(
            said[..],
            [
                Operation::HeapRegistered { .. },
                Operation::AnnotationStrange { .. },
                Operation::RegionRegistered { heap: Some(1), .. },
                Operation::RegionUnregistered { .. },
                Operation::HeapUnregistered { .. },
            ]
        ),
        "{said:?}"
    );
}

#[test]
fn shared_memory_says_only_shared_and_means_everything() {
    let mut listener = Listener::new("shmem");
    let handle = listener.regions(0, &[at(0x1000, 64)]).unwrap()[0];
    listener.message_of();
    let wanted = [(by_handle(handle), 4), (by_handle(handle), 1)];
    listener
        .state
        .permit(listener.domain, Ok(&wanted), &mut listener.notes);
    let said = listener.message_of();
    assert!(
        matches!(
            said[..],
            [
                Operation::AnnotationStrange { .. },
                Operation::RegionPermitted { flags: 7, .. },
                Operation::RegionPermitted { flags: 1, .. },
            ]
        ),
        "{said:?}"
    );
}

#[test]
fn permissions_of_the_documented_contract_are_recorded_as_they_are() {
    let mut listener = Listener::new("pool");
    listener.regions(0, &[at(0x1000, 64)]);
    listener.message_of();
    let wanted = [(by_pointer(0x1000), 4), (by_pointer(0x2000), 1)];
    listener
        .state
        .permit(listener.domain, Ok(&wanted), &mut listener.notes);
    let said = listener.message_of();
    assert!(
        matches!(
            said[..],
            [
                Operation::RegionPermitted {
                    region: 1,
                    flags: 4
                },
                Operation::AnnotationUnknown { value: 0x2000, .. },
            ]
        ),
        "{said:?}"
    );
}

#[test]
fn what_only_a_tool_knows_has_a_handle_for_it_and_no_record() {
    let mut state = State::default();
    let mut notes = Notes::new(false);
    let heap = state.register_heap(0, Ok(at(0x1000, 64)), Box::new([11]), &mut notes);
    let regions = state
        .register_regions(
            0,
            heap,
            Ok(&[at(0x1000, 8)]),
            |_| Box::new([12]),
            &mut notes,
        )
        .unwrap();
    assert_eq!(state.memory.heap_word(heap, 0), 11);
    assert_eq!(state.memory.region_word(regions[0], 0), 12);
    assert_eq!(state.memory.region_word(0x1000, 0), 0x1000, "an address");
    let mut notes = heard();
    state.unregister_regions(0, Ok(&[by_handle(regions[0])]), &mut notes);
    state.unregister_heap(0, heap, &mut notes);
    assert!(notes.operations.is_empty(), "{:?}", notes.operations);
}
