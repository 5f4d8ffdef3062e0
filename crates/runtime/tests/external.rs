//! Work that something outside the runtime ends: the stream waits for it and holds no worker.

#[path = "common/mod.rs"]
mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use common::{SCHEDULES, gate, open};
use millpond::{EndedBy, Ending, Error, Schedule, TaskFailure, Touch};

#[test]
fn the_stream_continues_when_the_work_has_ended() {
    for schedule in SCHEDULES {
        let (_runtime, device) = open(schedule);
        let (send, endings) = mpsc::channel::<Ending>();
        // More streams than workers: none of them may hold one.
        let streams: Vec<_> = (0..8).map(|_| device.create_stream().unwrap()).collect();
        let ender = thread::spawn(move || {
            // All have begun before the first one ends.
            let begun: Vec<Ending> = endings.iter().take(8).collect();
            for ending in begun {
                ending.end(Ok(()));
            }
        });
        let (done, after) = mpsc::channel();
        for stream in &streams {
            let send = send.clone();
            stream
                .external("test", &[], EndedBy::Program, move |_, ending| {
                    send.send(ending).unwrap();
                })
                .unwrap();
            let done = done.clone();
            stream
                .host_function(move || done.send(()).unwrap())
                .unwrap();
        }
        let waits: Vec<_> = streams
            .into_iter()
            .map(|stream| thread::spawn(move || stream.synchronize()))
            .collect();
        for wait in waits {
            wait.join().unwrap().unwrap();
        }
        ender.join().unwrap();
        assert_eq!(after.try_iter().count(), 8, "{schedule:?}");
    }
}

#[test]
fn a_failure_is_the_streams() {
    let (_runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    let fails = |_: &[u64], ending: Ending| {
        ending.end(Err(TaskFailure::Remote("rank 1 has ended".to_owned())));
    };
    stream
        .external("test", &[], EndedBy::Others, fails)
        .unwrap();
    let failed = stream.synchronize().unwrap_err();
    assert!(
        matches!(&failed, Error::TaskFailed { cause: TaskFailure::Remote(why), .. } if why == "rank 1 has ended"),
        "{failed}"
    );
    stream
        .external("test", &[], EndedBy::Others, |_, ending| drop(ending))
        .unwrap();
    let failed = stream.synchronize().unwrap_err();
    assert!(failed.to_string().contains("nothing is left"), "{failed}");
}

/// Host memory of the program that it has registered.
fn registered(runtime: &millpond::Runtime) -> (Vec<u8>, Touch) {
    let mut memory = vec![0_u8; 4096];
    let touch = Touch {
        address: memory.as_mut_ptr().expose_provenance() as u64,
        bytes: 4096,
        reads: true,
        writes: true,
    };
    assert!(runtime.register_host(touch.address, touch.bytes));
    (memory, touch)
}

#[test]
fn a_registration_ends_after_the_work_that_others_end() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let (_memory, touch) = registered(&runtime);
        let stream = device.create_stream().unwrap();
        let (send, endings) = mpsc::channel::<Ending>();
        let begin = move |_: &[u64], ending| send.send(ending).unwrap();
        stream
            .external("test", &[touch], EndedBy::Others, begin)
            .unwrap();
        // What comes later, and waits for the program, has nothing to do with it.
        stream.wait_event(&gate(&runtime), None).unwrap();
        let has_ended = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&has_ended);
        let ender = thread::spawn(move || {
            let ending = endings.recv().unwrap();
            thread::sleep(Duration::from_millis(50));
            ends.store(true, Ordering::SeqCst);
            ending.end(Ok(()));
        });
        assert!(runtime.unregister_host(touch.address));
        assert!(
            has_ended.load(Ordering::SeqCst),
            "{schedule:?}: it still used the memory"
        );
        ender.join().unwrap();
        stream.abort();
    }
}

#[test]
fn a_registration_does_not_wait_for_the_program() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let (_memory, touch) = registered(&runtime);
        let stream = device.create_stream().unwrap();
        let (send, endings) = mpsc::channel::<Ending>();
        let begin = move |_: &[u64], ending| send.send(ending).unwrap();
        stream
            .external("test", &[touch], EndedBy::Program, begin)
            .unwrap();
        assert!(runtime.unregister_host(touch.address));
        drop(endings);
    }
}
