use millpond_trace::Site;

use super::*;

const DEVICE: Space = Space::Device(0);

#[derive(Default)]
struct Fixture {
    blocks: Blocks,
    order: u64,
}

impl Fixture {
    fn say(&mut self, call: &'static str, operation: Operation) {
        self.order += 1;
        self.blocks.learn(&Record {
            order: self.order,
            nanoseconds: 0,
            thread: 1,
            site: Site {
                call: call.into(),
                ..Site::default()
            },
            operation,
        });
    }

    fn alloc(&mut self, block: BlockRef, start: u64, bytes: u64) {
        self.say(
            "aclrtMalloc",
            Operation::Allocated {
                block,
                space: DEVICE,
                range: Bytes { start, bytes },
                requested: bytes - 20,
                charged: 4096,
                pool: None,
                ordered: None,
            },
        );
    }

    fn free(&mut self, block: BlockRef, start: u64) {
        self.say(
            "aclrtFree",
            Operation::Freed {
                block,
                range: Bytes { start, bytes: 1 },
                retired: false,
                ordered: None,
            },
        );
    }
}

fn number(block: Option<&Arc<Block>>) -> Option<u64> {
    block.map(|block| block.number)
}

#[test]
fn a_block_is_found_by_every_address_in_it_and_no_other() {
    let mut fixture = Fixture::default();
    fixture.alloc(1, 1000, 100);
    fixture.alloc(2, 2000, 100);
    let find = |at| number(fixture.blocks.find(at));
    assert_eq!(
        [999, 1000, 1099, 1100, 1999, 2000].map(find),
        [None, Some(1), Some(1), None, None, Some(2)]
    );
    assert_eq!(number(fixture.blocks.before(1500)), Some(1));
    assert_eq!(number(fixture.blocks.behind(1500)), Some(2));
    assert_eq!(number(fixture.blocks.behind(2001)), None);
    assert_eq!(number(fixture.blocks.get(2)), Some(2));
    let overlapping = |start, bytes| -> Vec<u64> {
        let range = Bytes { start, bytes };
        let found = fixture.blocks.overlapping(range);
        found.map(|block| block.number).collect()
    };
    assert_eq!(overlapping(1099, 902), [1, 2]);
    assert_eq!(overlapping(1100, 900), [0; 0]);
    assert_eq!(overlapping(u64::MAX, u64::MAX), [0; 0]);
}

#[test]
fn usable_bytes_are_those_asked_for_rounded_up_to_32() {
    let mut fixture = Fixture::default();
    // 100 bytes, rounded to 128, and 32 behind that nobody may use.
    fixture.say(
        "aclrtMalloc",
        Operation::Allocated {
            block: 1,
            space: DEVICE,
            range: Bytes {
                start: 1024,
                bytes: 160,
            },
            requested: 100,
            charged: 4096,
            pool: None,
            ordered: None,
        },
    );
    let block = fixture.blocks.get(1).unwrap();
    assert_eq!(block.usable().bytes, 128);
    assert_eq!(block.lifetime().range.bytes, 100);
}

#[test]
fn of_blocks_that_ended_at_one_address_the_latest_is_reported() {
    let mut fixture = Fixture::default();
    fixture.alloc(1, 1000, 1000);
    fixture.free(1, 1000);
    fixture.alloc(2, 1500, 100);
    fixture.free(2, 1500);
    fixture.alloc(3, 1400, 300);
    fixture.free(3, 1400);
    assert_eq!(number(fixture.blocks.ended_at(1550)), Some(3));
    assert_eq!(number(fixture.blocks.ended_at(1100)), Some(1));
    assert_eq!(number(fixture.blocks.ended_at(2000)), None);
    assert_eq!(number(fixture.blocks.ended_with(2)), Some(2));
    assert_eq!(fixture.blocks.ended_now().len(), 1);
}

#[test]
fn a_free_of_an_unknown_number_ends_no_other_block() {
    let mut fixture = Fixture::default();
    fixture.alloc(7, 1000, 100);
    fixture.free(3, 1000);
    assert_eq!(number(fixture.blocks.find(1000)), Some(7));
    assert_eq!(fixture.blocks.ended_now().len(), 0);
}

#[test]
fn a_new_block_ends_what_was_there() {
    let mut fixture = Fixture::default();
    fixture.alloc(1, 1000, 100);
    fixture.alloc(2, 1100, 100);
    fixture.alloc(3, 1050, 100);
    let live: Vec<_> = fixture.blocks.live().map(|block| block.number).collect();
    assert_eq!(live, [3]);
    assert_eq!(fixture.blocks.ended_now().len(), 2);
    assert!(
        fixture
            .blocks
            .ended_now()
            .iter()
            .all(|it| it.ended.is_none())
    );
    assert_eq!(
        number(fixture.blocks.ended_at(1000)),
        None,
        "how, is unknown"
    );
    assert_eq!(number(fixture.blocks.get(1)), None);
}

#[test]
fn a_reset_ends_the_blocks_of_its_device() {
    let mut fixture = Fixture::default();
    fixture.alloc(1, 1000, 100);
    fixture.say(
        "aclrtMallocHost",
        Operation::Allocated {
            block: 2,
            space: Space::Pinned,
            range: Bytes {
                start: 5000,
                bytes: 64,
            },
            requested: 64,
            charged: 4096,
            pool: None,
            ordered: None,
        },
    );
    fixture.say("aclrtResetDevice", Operation::DeviceReset { device: 1 });
    assert_eq!(fixture.blocks.live().count(), 2);
    fixture.say("aclrtResetDevice", Operation::DeviceReset { device: 0 });
    assert_eq!(number(fixture.blocks.find(5000)), Some(2));
    let ended = fixture.blocks.ended_at(1000).unwrap();
    assert_eq!(ended.ending(), "released");
    assert_eq!(fixture.blocks.ended_now().len(), 1);
}

#[test]
fn a_block_is_used_once_something_names_it() {
    let mut fixture = Fixture::default();
    fixture.alloc(1, 1000, 100);
    fixture.alloc(2, 2000, 100);
    assert_eq!(number(fixture.blocks.touch(1099).as_ref()), Some(1));
    assert_eq!(number(fixture.blocks.touch(1100).as_ref()), None);
    let used = |number| {
        let block = fixture.blocks.get(number).unwrap();
        fixture.blocks.is_used(block)
    };
    assert!(used(1));
    assert!(!used(2));
    fixture.free(1, 1000);
    assert!(fixture.blocks.ended_at(1000).unwrap().used);
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut fixture = Fixture::default();
    for number in 0..3 * REMEMBERED as u64 {
        fixture.alloc(number, 1000 + number * 64, 64);
        fixture.free(number, 1000 + number * 64);
    }
    assert_eq!(fixture.blocks.ended.len(), REMEMBERED);
    // The same address again and again is one place, and its older ends do not take the latest.
    for number in 0..3 * REMEMBERED as u64 {
        fixture.alloc(1_000_000 + number, 64, 64);
        fixture.free(1_000_000 + number, 64);
    }
    assert!(fixture.blocks.ended.len() <= REMEMBERED);
    assert!(fixture.blocks.ended_at(64).is_some());
}
