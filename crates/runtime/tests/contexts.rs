//! A context: streams that end together.

#[path = "common/mod.rs"]
mod common;

use std::time::Duration;

use common::{LONG, fill, flag, gate, is_set, open, open_under_every_schedule, value_of};
use millpond::{Error, Schedule, StreamOptions};

#[test]
fn destroying_a_context_waits_for_its_streams_and_closes_them_all() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let context = device.create_context().unwrap();
        let outside = device.create_stream().unwrap();
        let own = context.create_stream(StreamOptions::default()).unwrap();
        let default = context.default_stream().clone();
        assert_eq!(own.context_id(), context.id());
        assert_eq!(default.context_id(), context.id());
        let flags: Vec<_> = [&own, &default]
            .into_iter()
            .map(|stream| {
                let (ran, run) = flag();
                stream.host_function(run).unwrap();
                ran
            })
            .collect();
        context.destroy().unwrap();
        assert!(flags.iter().all(|ran| is_set(ran)), "{schedule:?}");
        assert!(context.has_ended() && own.is_closed() && default.is_closed());
        assert_eq!(own.host_function(|| ()), Err(Error::StreamGone));
        assert_eq!(context.destroy(), Err(Error::ContextGone));
        let more = context.create_stream(StreamOptions::default());
        assert_eq!(more.err(), Some(Error::ContextGone));
        outside.host_function(|| ()).unwrap();
        outside.synchronize().unwrap();
    });
}

#[test]
fn destroying_a_context_by_force_drops_what_has_not_begun() {
    open_under_every_schedule(|schedule, runtime, device| {
        let context = device.create_context().unwrap();
        let own = context.create_stream(StreamOptions::default()).unwrap();
        let gate = gate(&runtime);
        own.wait_event(&gate, None).unwrap();
        let (ran, run) = flag();
        own.host_function(run).unwrap();
        context.destroy_force();
        assert!(own.is_closed());
        device.create_stream().unwrap().record(&gate).unwrap();
        device.synchronize_within(Some(LONG / 2)).unwrap();
        std::thread::sleep(Duration::from_millis(10));
        assert!(!is_set(&ran), "{schedule:?}");
    });
}

#[test]
fn a_context_says_what_failed_in_it() {
    open_under_every_schedule(|_, _runtime, device| {
        let context = device.create_context().unwrap();
        let own = context.create_stream(StreamOptions::default()).unwrap();
        own.host_function(|| panic!("planned")).unwrap();
        assert!(matches!(
            context.destroy(),
            Err(Error::TaskFailed { task: 1, .. })
        ));
    });
}

/// The type's own words: it ends when its last clone is dropped, and its streams with it.
#[test]
fn dropping_the_last_clone_of_a_context_ends_its_streams() {
    let (_runtime, device) = open(Schedule::Eager);
    let context = device.create_context().unwrap();
    let clone = context.clone();
    let own = context.create_stream(StreamOptions::default()).unwrap();
    let block = device.alloc(64).unwrap();
    drop(context);
    fill(&own, &block, 1);
    drop(clone);
    assert_eq!(own.fill(block.all(), 2), Err(Error::StreamGone));
    own.synchronize().unwrap();
    assert_eq!(value_of(&block), 1, "what was queued has run");
}

#[test]
fn streams_keep_the_options_they_were_made_with() {
    let (_runtime, device) = open(Schedule::Eager);
    let context = device.create_context().unwrap();
    let free = device.streams_available();
    let urgent = StreamOptions {
        priority: 0,
        flags: 5,
    };
    let lazy = StreamOptions {
        priority: 99,
        flags: 0,
    };
    let streams = [urgent, lazy].map(|options| context.create_stream(options).unwrap());
    assert_eq!((streams[0].priority(), streams[0].flags()), (0, 5));
    assert_eq!(streams[1].priority(), 7, "the least urgent there is");
    assert_eq!(device.streams_available(), free - 2);
    assert_ne!(streams[0].id(), streams[1].id());
}

#[test]
fn a_device_has_a_limit_of_streams_and_says_so() {
    let (_runtime, device) = open(Schedule::Eager);
    let limit = device.streams_available();
    let streams: Vec<_> = (0..limit)
        .map(|_| device.create_stream().unwrap())
        .collect();
    let refused = Error::TooMany {
        what: millpond::Limited::Streams,
        limit,
    };
    assert_eq!(device.create_stream().err(), Some(refused));
    drop(streams);
    assert_eq!(device.streams_available(), limit);
    device.create_stream().unwrap();
}
