//! Work that something outside the runtime ends: the stream waits for it and holds no worker.

#[path = "common/mod.rs"]
mod common;

use std::sync::mpsc;
use std::thread;

use common::{SCHEDULES, open};
use millpond::{Ending, Error, Schedule, TaskFailure};

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
                .external("test", &[], move |_, ending| send.send(ending).unwrap())
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
    stream.external("test", &[], fails).unwrap();
    let failed = stream.synchronize().unwrap_err();
    assert!(
        matches!(&failed, Error::TaskFailed { cause: TaskFailure::Remote(why), .. } if why == "rank 1 has ended"),
        "{failed}"
    );
    stream
        .external("test", &[], |_, ending| drop(ending))
        .unwrap();
    let failed = stream.synchronize().unwrap_err();
    assert!(failed.to_string().contains("nothing is left"), "{failed}");
}
