//! Launches of graphs that are thrown away, or refused: all of a launch, or nothing.
#![expect(
    unsafe_code,
    reason = "native work gets addresses, and reads and writes there"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test stops at the first surprise, also in what its tests share"
)]

#[path = "common/mod.rs"]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use common::{
    LONG, config, fill, gate, is_set, open_under_every_schedule, under_every_schedule, value_of,
    within,
};
use millpond::trace::Collector;
use millpond::{
    Condition, ConditionKind, Config, Device, DeviceBlock, Error, Event, EventKind, Graph,
    GraphError, Runtime, Schedule, Stream, Touch,
};

fn at(place: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(usize::try_from(place).unwrap())
}

/// Adds 1 to the byte of a block.
fn add_one(stream: &Stream, block: &DeviceBlock) {
    let touch = Touch {
        address: block.all().address(),
        bytes: 1,
        reads: true,
        writes: true,
    };
    let run = |places: &[u64], _| {
        let byte = at(places[0]);
        // SAFETY: the block has one byte, and launches of a graph do not overlap.
        let before = unsafe { byte.read_volatile() };
        // SAFETY: as above.
        unsafe { byte.write_volatile(before.wrapping_add(1)) };
        Ok(())
    };
    stream
        .compute("add", &[touch], None, false, run)
        .expect("an open stream and a live block");
}

fn zero(device: &Device, stream: &Stream) -> DeviceBlock {
    let block = device.alloc(1).unwrap();
    fill(stream, &block, 0);
    stream.synchronize().unwrap();
    block
}

/// A graph of two streams, each of which counts in a block. The second one waits for a gate first, if there is one.
struct Pair {
    graph: Graph,
    stream: Stream,
    main: DeviceBlock,
    side: DeviceBlock,
}

fn pair(runtime: &Runtime, device: &Device, held: Option<&Event>) -> Pair {
    let [stream, other] = [(); 2].map(|()| device.create_stream().unwrap());
    let [forked, joined] = [(); 2].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
    let [main, side] = [(); 2].map(|()| zero(device, &stream));
    let graph = stream.begin_capture().unwrap();
    stream.record(&forked).unwrap();
    other.wait_event(&forked, None).unwrap();
    if let Some(held) = held {
        let held = held.clone();
        other
            .call("wait", move |on| Ok(on.wait_event(&held, None)?))
            .unwrap();
    }
    add_one(&other, &side);
    other.record(&joined).unwrap();
    add_one(&stream, &main);
    stream.wait_event(&joined, None).unwrap();
    stream.end_capture().unwrap();
    Pair {
        graph,
        stream,
        main,
        side,
    }
}

/// With and without a listener, which makes every node a task of its own.
fn either_way(body: impl Fn(Schedule, &Runtime, &Device) + Copy + Send + 'static) {
    open_under_every_schedule(move |schedule, runtime, device| {
        body(schedule, &runtime, &device);
        runtime.tap().attach(Arc::new(Collector::default()));
        body(schedule, &runtime, &device);
    });
}

#[test]
fn an_abort_drops_the_lanes_of_a_launch_too() {
    either_way(|schedule, runtime, device| {
        let Pair {
            graph,
            stream,
            main,
            side,
        } = pair(runtime, device, None);
        let opener = device.create_stream().unwrap();
        let hold = gate(runtime);
        stream.wait_event(&hold, None).unwrap();
        graph.launch(&stream).unwrap();
        graph.launch(&stream).unwrap();
        stream.abort();
        opener.record(&hold).unwrap();
        stream.synchronize().unwrap();
        device.synchronize().unwrap();
        assert_eq!((value_of(&main), value_of(&side)), (0, 0), "{schedule:?}");
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!((value_of(&main), value_of(&side)), (1, 1), "{schedule:?}");
    });
}

/// A lane that waits for something outside does not wait for it any more.
#[test]
fn an_abort_frees_a_lane_that_waits() {
    either_way(|schedule, runtime, device| {
        let never = gate(runtime);
        let Pair {
            graph,
            stream,
            main,
            side,
        } = pair(runtime, device, Some(&never));
        graph.launch(&stream).unwrap();
        stream.abort();
        let opener = device.create_stream().unwrap();
        graph.launch(&stream).unwrap();
        opener.record(&never).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&side), 1, "{schedule:?}");
        assert!(value_of(&main) <= 2, "{schedule:?}");
    });
}

/// Two launches are queued on two streams; one of the streams is aborted.
#[test]
fn an_abort_leaves_the_launches_of_other_streams() {
    for aborts_first in [true, false] {
        either_way(move |schedule, runtime, device| {
            let Pair {
                graph,
                stream,
                main,
                side,
            } = pair(runtime, device, None);
            let [second, opener] = [(); 2].map(|()| device.create_stream().unwrap());
            let hold = gate(runtime);
            stream.wait_event(&hold, None).unwrap();
            graph.launch(&stream).unwrap();
            graph.launch(&second).unwrap();
            graph.launch(&stream).unwrap();
            let (aborted, left) = if aborts_first {
                (&stream, 1)
            } else {
                (&second, 2)
            };
            aborted.abort();
            opener.record(&hold).unwrap();
            stream.synchronize().unwrap();
            second.synchronize().unwrap();
            device.synchronize().unwrap();
            let found = (value_of(&main), value_of(&side));
            assert_eq!(found, (left, left), "{schedule:?}, first {aborts_first}");
            // The graph is as good as before.
            graph.launch(&second).unwrap();
            second.synchronize().unwrap();
            let found = (value_of(&main), value_of(&side));
            assert_eq!(found, (left + 1, left + 1), "{schedule:?}");
        });
    }
}

/// A task of a lane that has begun goes on. The next launch comes after it.
#[test]
fn a_launch_comes_after_what_had_begun_of_one_that_was_aborted() {
    under_every_schedule(|schedule| {
        let runtime = Runtime::new(config(schedule)).unwrap();
        let device = runtime.device(0).unwrap();
        let [stream, other] = [(); 2].map(|()| device.create_stream().unwrap());
        let [forked, joined] =
            [(); 2].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
        let (running, free) = (
            Arc::new(AtomicU32::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let overlaps = Arc::new(AtomicBool::new(false));
        let graph = stream.begin_capture().unwrap();
        stream.record(&forked).unwrap();
        other.wait_event(&forked, None).unwrap();
        let (began, goes) = (Arc::clone(&running), Arc::clone(&free));
        other
            .call("long", move |on| {
                let (began, goes) = (Arc::clone(&began), Arc::clone(&goes));
                Ok(on.host_function(move || {
                    began.fetch_add(1, Ordering::SeqCst);
                    assert!(common::comes_true(LONG, || is_set(&goes)));
                    began.fetch_sub(1, Ordering::SeqCst);
                })?)
            })
            .unwrap();
        other.record(&joined).unwrap();
        stream.wait_event(&joined, None).unwrap();
        let (seen, flag) = (Arc::clone(&running), Arc::clone(&overlaps));
        stream
            .call("look", move |on| {
                let (seen, flag) = (Arc::clone(&seen), Arc::clone(&flag));
                Ok(on.host_function(move || {
                    if seen.load(Ordering::SeqCst) != 0 {
                        flag.store(true, Ordering::SeqCst);
                    }
                })?)
            })
            .unwrap();
        stream.end_capture().unwrap();
        graph.launch(&stream).unwrap();
        let began = || running.load(Ordering::SeqCst) == 1;
        assert!(common::comes_true(LONG, began), "{schedule:?}");
        stream.abort();
        let second = device.create_stream().unwrap();
        graph.launch(&second).unwrap();
        free.store(true, Ordering::SeqCst);
        second.synchronize().unwrap();
        assert!(!is_set(&overlaps), "{schedule:?}");
    });
}

/// What is known before is refused before anything is queued.
#[test]
fn a_call_that_would_be_refused_stops_a_launch_before_anything_of_it_is_queued() {
    either_way(|schedule, runtime, device| {
        let [stream, other] = [(); 2].map(|()| device.create_stream().unwrap());
        let [forked, joined] =
            [(); 2].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
        let [kept, side] = [(); 2].map(|()| zero(device, &stream));
        let word = device.alloc(8).unwrap();
        let address = word.all().address();
        stream.begin_capture().unwrap();
        stream.record(&forked).unwrap();
        other.wait_event(&forked, None).unwrap();
        add_one(&other, &side);
        other.record(&joined).unwrap();
        add_one(&stream, &kept);
        stream.wait_event(&joined, None).unwrap();
        stream.write_word("aclrtValueWrite", address, 1).unwrap();
        let graph = stream.end_capture().unwrap();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(word);
        graph.launch(&stream).unwrap_err();
        stream.synchronize().unwrap();
        device.synchronize().unwrap();
        assert_eq!((value_of(&kept), value_of(&side)), (1, 1), "{schedule:?}");
    });
}

/// A word that does not exist is refused while it is captured.
#[test]
fn a_captured_call_is_checked_when_it_is_captured() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let word = device.alloc(8).unwrap();
        let address = word.all().address();
        drop(word);
        stream.begin_capture().unwrap();
        let refused = stream.write_word("aclrtValueWrite", address, 1);
        assert!(refused.is_err(), "{schedule:?}");
        stream.end_capture().unwrap();
    });
}

/// What nobody could know before is refused when the first part is queued: that part is thrown away.
#[test]
fn a_launch_that_is_refused_in_the_middle_is_thrown_away() {
    either_way(|schedule, runtime, device| {
        let [stream, other, opener] = [(); 3].map(|()| device.create_stream().unwrap());
        let [forked, joined] =
            [(); 2].map(|()| runtime.create_event(EventKind::Rerecordable).unwrap());
        let [kept, side] = [(); 2].map(|()| zero(device, &stream));
        let refuses = Arc::new(AtomicBool::new(false));
        stream.begin_capture().unwrap();
        stream.record(&forked).unwrap();
        other.wait_event(&forked, None).unwrap();
        add_one(&other, &side);
        other.record(&joined).unwrap();
        add_one(&stream, &kept);
        let asked = Arc::clone(&refuses);
        stream
            .call("moody", move |on| {
                if is_set(&asked) {
                    return Err(Box::new(Error::NotSubscribed));
                }
                Ok(on.host_function(|| ())?)
            })
            .unwrap();
        stream.wait_event(&joined, None).unwrap();
        let graph = stream.end_capture().unwrap();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        refuses.store(true, Ordering::SeqCst);
        let hold = gate(runtime);
        stream.wait_event(&hold, None).unwrap();
        add_one(&stream, &kept);
        graph.launch(&stream).unwrap_err();
        opener.record(&hold).unwrap();
        stream.synchronize().unwrap();
        device.synchronize().unwrap();
        // What the program had queued before is there.
        assert_eq!((value_of(&kept), value_of(&side)), (2, 1), "{schedule:?}");
        refuses.store(false, Ordering::SeqCst);
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!((value_of(&kept), value_of(&side)), (3, 2), "{schedule:?}");
    });
}

/// A loop that ends when a host function of its body has been called so often.
fn looping(device: &Device, rounds: u8, body: impl Fn(&Stream)) -> (Graph, Stream, DeviceBlock) {
    let [stream, inner] = [(); 2].map(|()| device.create_stream().unwrap());
    let counted = zero(device, &stream);
    let graph = stream.begin_capture().unwrap();
    let condition: Condition = graph.create_condition(device, Some(1)).unwrap();
    let branch = stream
        .condition(&condition, ConditionKind::While, 1)
        .unwrap()
        .remove(0);
    inner.begin_capture_to(&branch).unwrap();
    body(&inner);
    add_one(&inner, &counted);
    let touch = |address, bytes, writes: bool| Touch {
        address,
        bytes,
        reads: !writes,
        writes,
    };
    let touches = [
        touch(counted.all().address(), 1, false),
        touch(condition.address(), 8, true),
    ];
    let decide = move |places: &[u64], _| {
        // SAFETY: the first place has a byte, which no other task uses now.
        let goes_on = unsafe { at(places[0]).read_volatile() } < rounds;
        // SAFETY: the second has eight.
        unsafe { at(places[1]).write_volatile(u8::from(goes_on)) };
        Ok(())
    };
    inner
        .compute("decide", &touches, None, false, decide)
        .unwrap();
    inner.end_capture().unwrap();
    stream.end_capture().unwrap();
    (graph, stream, counted)
}

/// Under the latest schedule a synchronisation runs the body, and does not leave it to the thread that keeps silent programs going.
#[test]
fn a_loop_runs_inside_the_call_that_waits_for_it() {
    for schedule in [Schedule::Latest, Schedule::Seeded(0), Schedule::Seeded(7)] {
        within(LONG, move || {
            let patient = Config {
                patience: 6 * LONG,
                ..config(schedule)
            };
            let runtime = Runtime::new(patient).unwrap();
            let device = runtime.device(0).unwrap();
            let (graph, stream, counted) = looping(&device, 50, |_| ());
            graph.launch(&stream).unwrap();
            stream.synchronize().unwrap();
            assert_eq!(value_of(&counted), 50, "{schedule:?}");
        });
    }
}

#[test]
fn an_abort_ends_a_loop_whose_body_waits() {
    either_way(|schedule, runtime, device| {
        let never = gate(runtime);
        let held = never.clone();
        let (graph, stream, counted) = looping(device, 3, move |inner| {
            let held = held.clone();
            inner
                .call("wait", move |on| Ok(on.wait_event(&held, None)?))
                .unwrap();
        });
        graph.launch(&stream).unwrap();
        stream.abort();
        let opener = device.create_stream().unwrap();
        graph.launch(&stream).unwrap();
        // Every round waits for the same recording.
        opener.record(&never).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&counted), 3, "{schedule:?}");
    });
}

#[test]
fn a_capture_ends_after_its_branches() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let [stream, inner] = [(); 2].map(|()| device.create_stream().unwrap());
        let counted = zero(&device, &stream);
        let graph = stream.begin_capture().unwrap();
        let condition = graph.create_condition(&device, Some(1)).unwrap();
        let branches = stream.condition(&condition, ConditionKind::If, 2).unwrap();
        inner.begin_capture_to(&branches[0]).unwrap();
        let early = stream.end_capture();
        let is_early = matches!(early, Err(Error::Graph(GraphError::BranchCaptured)));
        assert!(is_early, "{schedule:?}: {early:?}");
        add_one(&inner, &counted);
        inner.end_capture().unwrap();
        stream.end_capture().unwrap();
        graph.launch(&stream).unwrap();
        // A branch that was left empty may be captured later, but not while the graph is launched.
        inner.begin_capture_to(&branches[1]).unwrap();
        let refused = graph.launch(&stream).unwrap_err();
        let is_early = matches!(*refused, Error::Graph(GraphError::BranchCaptured));
        assert!(is_early, "{schedule:?}: {refused}");
        inner.end_capture().unwrap();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value_of(&counted), 2, "{schedule:?}");
    });
}
