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

/// Books with a domain and nothing noted yet.
struct Desk {
    books: Books,
    domain: u64,
    notes: Notes,
}

impl Desk {
    fn new(domain: &str) -> Self {
        let mut books = Books::default();
        let domain = books.create_domain(domain, Words::default(), &mut heard());
        Self {
            books,
            domain,
            notes: heard(),
        }
    }

    fn heap(&mut self, start: u64, bytes: u64) -> u64 {
        let described = Ok(at(start, bytes));
        self.books
            .register_heap(self.domain, described, Words::default(), &mut self.notes)
    }

    fn regions(&mut self, heap: u64, described: &[Described]) -> Option<Vec<u64>> {
        let words = |_| Words::default();
        self.books
            .register_regions(self.domain, heap, Ok(described), words, &mut self.notes)
    }

    fn unregister(&mut self, references: &[Reference]) {
        self.books
            .unregister_regions(self.domain, Ok(references), &mut self.notes);
    }

    /// What was noted since the last time.
    fn said(&mut self) -> Vec<Operation> {
        std::mem::take(&mut self.notes.operations)
    }

    fn strange(&mut self) -> usize {
        let said = self.said();
        said.iter()
            .filter(|said| matches!(said, Operation::AnnotationStrange { .. }))
            .count()
    }
}

#[test]
fn a_heap_its_regions_and_their_end_are_recorded_in_order() {
    let mut desk = Desk::new("pool");
    let heap = desk.heap(0x1000, 0x1000);
    let handles = desk
        .regions(heap, &[at(0x1000, 64), at(0x1100, 64)])
        .unwrap();
    desk.unregister(&[by_handle(handles[1]), by_pointer(0x1000)]);
    desk.books
        .unregister_heap(desk.domain, heap, &mut desk.notes);
    let region = |region, start| Operation::RegionRegistered {
        region,
        domain: 1,
        heap: Some(1),
        device: 0,
        range: Bytes { start, bytes: 64 },
    };
    assert_eq!(
        desk.said(),
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
    let mut desk = Desk::new("pool");
    let heap = desk.heap(0x1000, 0x1000);
    let region = desk.regions(heap, &[at(0x1000, 64)]).unwrap()[0];
    desk.unregister(&[by_handle(region)]);
    desk.said();
    desk.unregister(&[by_handle(region), by_pointer(0x9999), by_pointer(0)]);
    desk.books
        .unregister_heap(desk.domain, 0x7777, &mut desk.notes);
    desk.books.unregister_heap(desk.domain, 0, &mut desk.notes);
    let unknown = |value, expected: &'static str| Operation::AnnotationUnknown {
        domain: 1,
        value,
        expected: expected.into(),
    };
    assert_eq!(
        desk.said(),
        [
            unknown(region, "region"),
            unknown(0x9999, "region"),
            unknown(0x7777, "heap"),
        ]
    );
}

#[test]
fn a_heap_takes_its_regions_along() {
    let mut desk = Desk::new("pool");
    let heap = desk.heap(0x1000, 0x1000);
    let region = desk.regions(heap, &[at(0x1000, 64)]).unwrap()[0];
    desk.books
        .unregister_heap(desk.domain, heap, &mut desk.notes);
    desk.said();
    desk.unregister(&[by_handle(region)]);
    assert!(matches!(
        desk.said()[..],
        [Operation::AnnotationUnknown { .. }]
    ));
}

#[test]
fn of_several_regions_at_one_address_the_newest_is_meant() {
    let mut desk = Desk::new("pool");
    desk.regions(0, &[at(0x1000, 64), at(0x1000, 32)]);
    desk.said();
    desk.unregister(&[by_pointer(0x1000), by_pointer(0x1000)]);
    assert_eq!(
        desk.said(),
        [
            Operation::RegionUnregistered { region: 2 },
            Operation::RegionUnregistered { region: 1 },
        ]
    );
}

#[test]
fn a_batch_in_an_unknown_heap_is_dropped_and_its_array_left_alone() {
    let mut desk = Desk::new("pool");
    assert_eq!(desk.regions(0xdead, &[at(0x1000, 64)]), None);
    assert!(matches!(
        desk.said()[..],
        [Operation::AnnotationUnknown { value: 0xdead, .. }]
    ));
}

#[test]
fn a_region_without_a_heap_stands_alone() {
    let mut desk = Desk::new("pool");
    assert!(desk.regions(0, &[at(0x1000, 64)]).is_some());
    assert!(matches!(
        desk.said()[..],
        [Operation::RegionRegistered { heap: None, .. }]
    ));
}

#[test]
fn an_empty_heap_has_a_handle_and_no_record() {
    let mut desk = Desk::new("pool");
    let empty = desk.heap(0x1000, 0);
    assert_ne!(empty, 0);
    assert!(desk.regions(empty, &[at(0x1000, 64)]).is_some());
    desk.books
        .unregister_heap(desk.domain, empty, &mut desk.notes);
    assert_eq!(desk.said(), []);
    desk.heap(u64::MAX - 1, 16);
    assert_eq!(desk.strange(), 1, "beyond the last address");
    desk.heap(u64::MAX - 15, 16);
    assert!(matches!(
        desk.said()[..],
        [Operation::HeapRegistered { .. }]
    ));
}

#[test]
fn the_wrong_kind_of_reference_is_understood() {
    let mut desk = Desk::new("pool");
    let handles = desk.regions(0, &[at(0x1000, 64), at(0x2000, 64)]).unwrap();
    desk.said();
    desk.unregister(&[by_pointer(handles[0]), by_handle(0x2000)]);
    let said = desk.said();
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
    let mut desk = Desk::new("ptaCaching");
    assert_eq!(desk.heap(0x1000, 1 << 30), 0);
    assert_eq!(desk.heap(0x2000, 1 << 31), 0);
    assert_eq!(desk.strange(), 0, "that is understood");
    let garbage = 0x7ffd_1234_5678;
    assert_eq!(desk.regions(garbage, &[at(0x1000, 512)]), None, "no array");
    desk.regions(garbage, &[at(0x1000, 256)]);
    desk.unregister(&[by_handle(0x1000), by_pointer(0x5555)]);
    let said = desk.said();
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
    let mut desk = Desk::new("ptaWorkspace");
    desk.heap(0x1000, 1 << 30);
    desk.regions(1, &[at(0x1000, 1 << 40)]);
    desk.unregister(&[by_pointer(0x1000)]);
    let said = desk.said();
    assert!(
        matches!(said[..], [Operation::AnnotationStrange { .. }]),
        "{said:?}"
    );
}

#[test]
fn atb_passes_handles_as_pointers() {
    let mut desk = Desk::new("atb");
    let heap = desk.heap(0x1000, 0x1000);
    let handles = desk
        .regions(heap, &[at(0x1000, 64), at(0x1040, 64)])
        .unwrap();
    desk.said();
    desk.unregister(&[by_pointer(handles[0]), by_pointer(handles[1])]);
    let said = desk.said();
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
    let mut desk = Desk::new("mindsporeMemPool");
    desk.heap(0x1000, 0x1000);
    assert_eq!(desk.regions(0x1000, &[at(0x1000, 64)]), None, "no array");
    desk.unregister(&[by_pointer(0x1000)]);
    desk.books
        .unregister_heap(desk.domain, 0x1000, &mut desk.notes);
    let said = desk.said();
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
    let mut desk = Desk::new("shmem");
    let handle = desk.regions(0, &[at(0x1000, 64)]).unwrap()[0];
    desk.said();
    let wanted = [(by_handle(handle), 4), (by_handle(handle), 1)];
    desk.books.permit(desk.domain, Ok(&wanted), &mut desk.notes);
    let said = desk.said();
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
    let mut desk = Desk::new("pool");
    desk.regions(0, &[at(0x1000, 64)]);
    desk.said();
    let wanted = [(by_pointer(0x1000), 4), (by_pointer(0x2000), 1)];
    desk.books.permit(desk.domain, Ok(&wanted), &mut desk.notes);
    let said = desk.said();
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
    let mut books = Books::default();
    let mut notes = Notes::new(false);
    let heap = books.register_heap(0, Ok(at(0x1000, 64)), Box::new([11]), &mut notes);
    let regions = books
        .register_regions(
            0,
            heap,
            Ok(&[at(0x1000, 8)]),
            |_| Box::new([12]),
            &mut notes,
        )
        .unwrap();
    assert_eq!(books.memory.heap_word(heap, 0), 11);
    assert_eq!(books.memory.region_word(regions[0], 0), 12);
    assert_eq!(books.memory.region_word(0x1000, 0), 0x1000, "an address");
    let mut notes = heard();
    books.unregister_regions(0, Ok(&[by_handle(regions[0])]), &mut notes);
    books.unregister_heap(0, heap, &mut notes);
    assert!(notes.operations.is_empty(), "{:?}", notes.operations);
}
