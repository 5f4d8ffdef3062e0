//! Nothing runs before it must: a missing synchronisation shows on every run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use millpond::{EventKind, EventStatus};

use crate::common::{
    DIRECTED, LONG, comes_true, fill, flag, is_set, open, open_latest, promptly, value_of, within,
};

#[test]
fn a_host_function_has_not_run_before_a_synchronisation() {
    for _ in 0..20 {
        let (before, after) = promptly(open_latest, |(_runtime, device)| {
            let stream = device.create_stream().unwrap();
            let (ran, run) = flag();
            stream.host_function(run).unwrap();
            let before = is_set(&ran);
            stream.synchronize().unwrap();
            (before, is_set(&ran))
        });
        assert_eq!((before, after), (false, true));
    }
}

/// The program forgets to wait before it changes what a queued copy reads.
#[test]
fn a_forgotten_synchronisation_gives_the_wrong_bytes_every_time() {
    for forgotten in [true, false] {
        for _ in 0..20 {
            let copied = promptly(open_latest, |(_runtime, device)| {
                let stream = device.create_stream().unwrap();
                let (source, copy) = (device.alloc(512).unwrap(), device.alloc(512).unwrap());
                source.write(&[1; 512]).unwrap();
                stream.copy(copy.all(), source.all()).unwrap();
                if !forgotten {
                    stream.synchronize().unwrap();
                }
                source.write(&[2; 512]).unwrap();
                stream.synchronize().unwrap();
                value_of(&copy)
            });
            assert_eq!(copied, if forgotten { 2 } else { 1 });
        }
    }
}

#[test]
fn a_synchronisation_runs_what_it_depends_on_and_nothing_else() {
    let values = promptly(open_latest, |(runtime, device)| {
        let [target, feeds, unrelated] = [0, 1, 2].map(|_| device.create_stream().unwrap());
        let blocks: Vec<_> = (0..4).map(|_| device.alloc(64).unwrap()).collect();
        for block in &blocks {
            block.write(&[0; 64]).unwrap();
        }
        let event = runtime.create_event(EventKind::Rerecordable).unwrap();
        fill(&unrelated, &blocks[0], 1);
        fill(&feeds, &blocks[1], 1);
        feeds.record(&event).unwrap();
        fill(&feeds, &blocks[2], 1);
        target.wait_event(&event, None).unwrap();
        fill(&target, &blocks[3], 1);
        target.synchronize().unwrap();
        blocks.iter().map(value_of).collect::<Vec<_>>()
    });
    assert_eq!(
        values,
        [0, 1, 0, 1],
        "unrelated, what the event comes behind, what comes behind it, the target"
    );
}

#[test]
fn a_query_runs_one_task() {
    let answers = promptly(open_latest, |(_runtime, device)| {
        let stream = device.create_stream().unwrap();
        let block = device.alloc(64).unwrap();
        for value in 1..=4 {
            fill(&stream, &block, value);
        }
        [0; 5].map(|_| (stream.is_done(), value_of(&block)))
    });
    assert_eq!(
        answers,
        [(false, 1), (false, 2), (false, 3), (true, 4), (true, 4)]
    );
}

#[test]
fn programs_that_ask_again_and_again_finish() {
    for schedule in DIRECTED {
        within(LONG, move || {
            let (runtime, device) = open(schedule);
            let (stream, other) = (
                device.create_stream().unwrap(),
                device.create_stream().unwrap(),
            );
            let block = device.alloc(64).unwrap();
            let event = runtime.create_event(EventKind::Rerecordable).unwrap();
            for value in 0..50 {
                fill(&other, &block, value);
            }
            other.record(&event).unwrap();
            stream.wait_event(&event, None).unwrap();
            let (ran, run) = flag();
            stream.host_function(run).unwrap();
            while !stream.is_done() {}
            assert!(is_set(&ran), "{schedule:?}");
            assert_eq!(event.status(), EventStatus::Reached);
            assert_eq!(value_of(&block), 49);

            fill(&other, &block, 50);
            other.record(&event).unwrap();
            while event.status() != EventStatus::Reached {}
            assert_eq!(value_of(&block), 50, "{schedule:?}");
        });
    }
}

#[test]
fn programs_that_only_look_at_memory_finish() {
    for schedule in DIRECTED {
        within(LONG, move || {
            let (runtime, device) = open(schedule);
            let streams = [0, 1, 2].map(|_| device.create_stream().unwrap());
            let event = runtime.create_event(EventKind::Rerecordable).unwrap();
            let steps = Arc::new(AtomicU32::new(0));
            let count = || {
                let steps = Arc::clone(&steps);
                move || {
                    steps.fetch_add(1, Ordering::SeqCst);
                }
            };
            streams[0].host_function(count()).unwrap();
            streams[0].record(&event).unwrap();
            for stream in &streams[1..] {
                stream.wait_event(&event, None).unwrap();
                stream.host_function(count()).unwrap();
                stream.host_function(count()).unwrap();
            }
            let all = comes_true(LONG / 2, || steps.load(Ordering::SeqCst) == 5);
            assert!(all, "{schedule:?}: {steps:?} of 5 functions ran");
        });
    }
}

#[test]
fn work_that_nobody_waits_for_runs_after_a_while() {
    for schedule in DIRECTED {
        let (_runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let block = device.alloc(64).unwrap();
        block.write(&[0; 64]).unwrap();
        fill(&stream, &block, 1);
        std::thread::sleep(Duration::from_millis(50));
        assert!(
            comes_true(LONG, || value_of(&block) == 1),
            "{schedule:?}: reading a block is no call that puts work off"
        );
    }
}
