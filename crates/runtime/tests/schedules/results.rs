//! Correct programs give the same result under every schedule.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use millpond::{Error, EventKind, Schedule};

use crate::common::{
    LONG, SCHEDULES, bytes_of, fill, open, open_under_every_schedule, value_of, within,
};

/// One block goes round three streams: filled by the first, copied by the second, kept by the third.
fn three_streams(schedule: Schedule, rounds: u16) -> Result<Vec<u8>, Error> {
    let (runtime, device) = open(schedule);
    let [producer, middle, consumer] = [
        device.create_stream()?,
        device.create_stream()?,
        device.create_stream()?,
    ];
    let (first, second) = (device.alloc(4096)?, device.alloc(4096)?);
    let kept = device.alloc(u64::from(rounds))?;
    let [filled, copied, taken] = [
        runtime.create_event(EventKind::Rerecordable)?,
        runtime.create_event(EventKind::Rerecordable)?,
        runtime.create_event(EventKind::Rerecordable)?,
    ];
    for round in 0..rounds {
        // Until the last round's byte is kept, neither block may be written again.
        producer.wait_event(&taken, None)?;
        producer.fill(first.all(), round.to_le_bytes()[0])?;
        producer.record(&filled)?;
        middle.wait_event(&filled, None)?;
        middle.copy(second.all(), first.all())?;
        middle.record(&copied)?;
        consumer.wait_event(&copied, None)?;
        let slot = u64::from(round);
        consumer.copy(kept.slice(slot..=slot), second.slice(4095..))?;
        consumer.record(&taken)?;
    }
    consumer.synchronize()?;
    Ok(bytes_of(&kept))
}

#[test]
fn a_block_that_passes_through_three_streams_arrives_200_times_under_every_schedule() {
    let expected: Vec<u8> = (0..200).collect();
    for schedule in SCHEDULES {
        let kept = within(LONG, move || three_streams(schedule, 200)).unwrap();
        assert_eq!(kept, expected, "{schedule:?}");
    }
}

#[test]
fn tasks_of_one_stream_run_in_the_order_they_were_enqueued() {
    for schedule in SCHEDULES {
        let log = within(LONG, move || {
            let (_runtime, device) = open(schedule);
            let stream = device.create_stream().unwrap();
            let source = device.alloc(1).unwrap();
            let seen = Arc::new(device.alloc(40).unwrap());
            let log = Arc::new(Mutex::new(Vec::new()));
            for number in 0..40_u8 {
                fill(&stream, &source, number);
                let slot = u64::from(number);
                stream.copy(seen.slice(slot..=slot), source.all()).unwrap();
                let (log, seen) = (Arc::clone(&log), Arc::clone(&seen));
                stream
                    .host_function(move || {
                        let at = bytes_of(&seen)[usize::from(number)];
                        log.lock().unwrap().push((number, at));
                    })
                    .unwrap();
            }
            stream.synchronize().unwrap();
            Arc::try_unwrap(log).unwrap().into_inner().unwrap()
        });
        let expected: Vec<_> = (0..40).map(|number| (number, number)).collect();
        assert_eq!(log, expected, "{schedule:?}");
    }
}

#[test]
fn sixty_four_host_functions_can_wait_for_each_other() {
    for schedule in [Schedule::Eager, Schedule::Latest, Schedule::Seeded(5)] {
        within(LONG * 2, move || {
            let (_runtime, device) = open(schedule);
            let meeting = Arc::new(Barrier::new(64));
            let streams: Vec<_> = (0..64)
                .map(|_| {
                    let stream = device.create_stream().unwrap();
                    let meeting = Arc::clone(&meeting);
                    stream
                        .host_function(move || {
                            meeting.wait();
                        })
                        .unwrap();
                    stream
                })
                .collect();
            for stream in streams {
                stream.synchronize().unwrap();
            }
        });
    }
}

#[test]
fn a_host_function_may_use_the_runtime_and_wait_for_another_stream() {
    for schedule in SCHEDULES {
        let value = within(LONG, move || {
            let (_runtime, device) = open(schedule);
            let (stream, other) = (
                device.create_stream().unwrap(),
                device.create_stream().unwrap(),
            );
            let block = Arc::new(device.alloc(100).unwrap());
            let inner = (other.clone(), Arc::clone(&block));
            stream
                .host_function(move || {
                    let (other, block) = inner;
                    fill(&other, &block, 17);
                    other.synchronize().unwrap();
                })
                .unwrap();
            stream.synchronize().unwrap();
            value_of(&block)
        });
        assert_eq!(value, 17, "{schedule:?}");
    }
}

#[test]
fn two_threads_that_synchronise_the_same_stream_both_see_its_end() {
    open_under_every_schedule(|schedule, _runtime, device| {
        let stream = device.create_stream().unwrap();
        let block = device.alloc(64).unwrap();
        for value in 0..100 {
            fill(&stream, &block, value);
        }
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    stream.synchronize().unwrap();
                    assert_eq!(value_of(&block), 99, "{schedule:?}");
                });
            }
        });
    });
}
