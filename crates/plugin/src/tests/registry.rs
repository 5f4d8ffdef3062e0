//! Descriptors and the arenas behind them.

use std::sync::Arc;

use super::world::MIB;
use crate::arenas::{self, Problem};
use crate::calls::Calls;
use crate::exports;
use crate::fake::Fake;
use crate::lanes;
use crate::message;
use crate::options::{Options, Settings};

/// Arenas are the process's, so each test has a device of its own.
fn runtime(device: i32) -> (Arc<Fake>, Arc<dyn Calls>) {
    let fake = Fake::on(device, true, 64 * MIB);
    let calls = Arc::clone(&fake) as Arc<dyn Calls>;
    (fake, calls)
}

fn object(fake: &Fake, descriptor: u64) -> usize {
    fake.object(descriptor).unwrap()
}

#[test]
fn streams_of_a_device_share_an_arena() {
    let (fake, calls) = runtime(101);
    let first = arenas::create(&calls, 1, None).unwrap();
    let second = arenas::create(&calls, 2, None).unwrap();
    {
        let (a, b) = (
            lanes::find(object(&fake, first)).unwrap(),
            lanes::find(object(&fake, second)).unwrap(),
        );
        assert!(Arc::ptr_eq(&a.arena, &b.arena));
        let block = a.arena.alloc(&a.lane, 100, None).unwrap();
        assert_eq!(arenas::statistics(second).unwrap().live_blocks, 1);
        assert_eq!(arenas::statistics(second).unwrap().stream_live_blocks, 0);
        assert_eq!(arenas::statistics(first).unwrap().stream_live_blocks, 1);
        a.arena.free(&a.lane, block).unwrap();
    }
    assert_eq!(arenas::destroy(&calls, first), Ok(()));
    assert_eq!(arenas::destroy(&calls, first), Err(Problem::NotOurs(first)));
    assert!(arenas::statistics(second).is_ok());
    assert_eq!(arenas::destroy(&calls, second), Ok(()));
    assert_eq!(fake.outstanding(), [0; 4]);
}

#[test]
fn a_descriptor_with_live_blocks_stays() {
    let (fake, calls) = runtime(102);
    let descriptor = arenas::create(&calls, 1, None).unwrap();
    let object = object(&fake, descriptor);
    let block = {
        let stream = lanes::find(object).unwrap();
        stream.arena.alloc(&stream.lane, 100, None).unwrap()
    };
    let busy = arenas::destroy(&calls, descriptor).unwrap_err();
    assert_eq!(busy, Problem::Busy(1));
    assert!(busy.to_string().contains("has 1 block;"), "{busy}");
    assert!(Problem::Busy(2).to_string().contains("has 2 blocks;"));
    {
        let stream = lanes::find(object).unwrap();
        stream.arena.free(&stream.lane, block).unwrap();
    }
    assert_eq!(arenas::destroy(&calls, descriptor), Ok(()));
    assert!(lanes::find(object).is_none(), "the object is stale");
    assert_eq!(fake.outstanding(), [0; 4]);
}

#[test]
fn memory_waits_for_work_that_has_not_passed() {
    let (fake, calls) = runtime(103);
    let descriptor = arenas::create(&calls, 1, None).unwrap();
    {
        let stream = lanes::find(object(&fake, descriptor)).unwrap();
        let block = stream.arena.alloc(&stream.lane, MIB, None).unwrap();
        fake.enqueue(1);
        stream.arena.free(&stream.lane, block).unwrap();
    }
    assert_eq!(arenas::destroy(&calls, descriptor), Ok(()));
    assert!(fake.used() > 0, "the stream may still use it");
    fake.run(1);
    // Other tests may have something idle too.
    assert!(arenas::trim(None, 0).is_ok_and(|released| released >= 2 * MIB));
    assert_eq!(fake.outstanding(), [0; 4]);
}

#[test]
fn options_belong_to_the_device() {
    let (fake, calls) = runtime(104);
    let settings = Settings {
        limit: Some(32 * MIB),
        ..Settings::default()
    };
    let first = arenas::create(&calls, 1, Some(settings)).unwrap();
    let other = arenas::create(&calls, 2, Some(Settings::default()));
    assert_eq!(other, Err(Problem::OtherOptions(104)));
    let second = arenas::create(&calls, 2, Some(settings)).unwrap();
    let third = arenas::create(&calls, 3, None).unwrap();
    for descriptor in [first, second, third] {
        assert_eq!(arenas::destroy(&calls, descriptor), Ok(()));
    }
    // The next one begins anew.
    let again = arenas::create(&calls, 2, None).unwrap();
    assert_eq!(arenas::statistics(again).unwrap().limit_bytes, 64 * MIB);
    assert_eq!(arenas::destroy(&calls, again), Ok(()));
    assert_eq!(fake.outstanding(), [0; 4]);
}

#[test]
fn a_creation_that_fails_leaves_nothing() {
    let (fake, calls) = runtime(105);
    let begin = fake.calls();
    let descriptor = arenas::create(&calls, 1, None).unwrap();
    let count = fake.calls() - begin;
    arenas::destroy(&calls, descriptor).unwrap();
    for refused in 1..=count {
        fake.refuse(Some(refused));
        // Without virtual memory it continues with segments.
        if let Ok(descriptor) = arenas::create(&calls, 1, None) {
            arenas::destroy(&calls, descriptor).unwrap();
        }
        assert_eq!(fake.outstanding(), [0; 4], "call {refused}");
    }
}

#[test]
fn options_are_checked() {
    let options = Options {
        flags: 3,
        slack_permille: 20,
        ..Options::default()
    };
    let settings = Settings::try_from(options).unwrap();
    assert!(settings.allow_wait && settings.poll && settings.slack == 20);
    assert_eq!(
        Settings::try_from(Options::default()),
        Ok(Settings::default())
    );
    let unknown = Options {
        flags: 1 << 9,
        ..options
    };
    assert!(Settings::try_from(unknown).unwrap_err().contains("0x200"));
    let slack = Options {
        slack_permille: 1001,
        ..options
    };
    assert!(Settings::try_from(slack).is_err());
}

/// Programs find out how much there is by trying. The report walks all blocks, so it is built only on request.
#[test]
fn a_refused_request_makes_no_text_until_it_is_asked_for() {
    let (fake, calls) = runtime(109);
    let descriptor = arenas::create(&calls, 1, None).unwrap();
    let object = object(&fake, descriptor);
    let ask = || exports::allocate(std::ptr::without_provenance_mut(object), 1 << 40, None);
    let reports = || lanes::find(object).unwrap().arena.reports();
    for _ in 0..100 {
        assert!(ask().is_null());
    }
    assert_eq!(arenas::statistics(descriptor).unwrap().failures, 100);
    assert_eq!(reports(), 0);
    let text = message::text();
    assert!(
        text.contains("no block of 1099511627776 bytes on device 109"),
        "{text}"
    );
    assert!(text.contains("bytes are in use in 0 blocks"), "{text}");
    assert_eq!(
        (message::text(), reports()),
        (text, 1),
        "the same text, made once"
    );
    // An arena that is gone says what it can.
    assert!(ask().is_null());
    assert_eq!(arenas::destroy(&calls, descriptor), Ok(()));
    let text = message::text();
    assert!(text.contains("no block of 1099511627776 bytes"), "{text}");
}
