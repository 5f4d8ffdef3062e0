//! A number decides the order: the same one every time, another one for another number.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use millpond::{Config, EventKind, Runtime, Schedule};

use crate::common::{LONG, config, gate, open, within};

/// How often two runs may differ before it is not the machine's fault. A choice waits for the host function that the last one
/// started for 50 ms at most, so a machine that keeps a thread waiting for longer changes the order of a run. That two orders of
/// twenty functions are equal by chance is out of the question.
const TRIES: usize = 100;

/// Four streams with five host functions each, enqueued by one thread: who ran when.
fn order_of(seed: u64, duration: Duration) -> Vec<(usize, usize)> {
    // Nothing runs before the first call that waits, however long this thread takes.
    let patient = Config {
        patience: LONG,
        ..config(Schedule::Seeded(seed))
    };
    let runtime = Runtime::new(patient).expect("a configuration that is in order");
    let device = runtime.device(0).expect("address space for a small device");
    let log = Arc::new(Mutex::new(Vec::new()));
    let streams: Vec<_> = (0..4)
        .map(|_| device.create_stream().expect("a fifth stream is far away"))
        .collect();
    for number in 0..5 {
        for (index, stream) in streams.iter().enumerate() {
            let log = Arc::clone(&log);
            let note = move || {
                std::thread::sleep(duration);
                log.lock()
                    .expect("nobody panics with it")
                    .push((index, number));
            };
            stream.host_function(note).expect("an open stream");
        }
    }
    for stream in &streams {
        stream.synchronize().expect("nothing fails");
    }
    let log = log.lock().expect("nobody panics with it");
    log.clone()
}

#[test]
fn the_same_number_gives_the_same_order() {
    for seed in 0..6 {
        let mut orders = HashSet::new();
        let again = (0..TRIES).any(|_| !orders.insert(order_of(seed, Duration::ZERO)));
        assert!(again, "seed {seed}: {TRIES} runs, each in another order");
    }
}

#[test]
fn different_numbers_give_different_orders() {
    let orders: HashSet<_> = (0..20).map(|seed| order_of(seed, Duration::ZERO)).collect();
    assert!(orders.len() >= 2, "20 seeds and one order");
    for order in orders {
        assert_eq!(order.len(), 20);
        for stream in 0..4 {
            let own: Vec<_> = order
                .iter()
                .filter(|(index, _)| *index == stream)
                .map(|(_, number)| *number)
                .collect();
            assert_eq!(own, [0, 1, 2, 3, 4], "a stream keeps its own order");
        }
    }
}

/// A choice waits for the host function that the last one started, so time does not matter.
#[test]
fn the_order_does_not_depend_on_how_long_host_functions_take() {
    for seed in 0..3 {
        let equal = (0..TRIES)
            .any(|_| order_of(seed, Duration::ZERO) == order_of(seed, Duration::from_millis(12)));
        assert!(
            equal,
            "seed {seed}: slow functions ran in another order {TRIES} times"
        );
    }
}

/// No lock is held while a function of the program runs, so one that asks about the event that
/// another thread is just recording gets its answer.
#[test]
fn a_host_function_can_use_an_event_while_another_thread_records_it() {
    within(LONG * 2, || {
        let mut late = 0;
        for seed in 0..12 {
            let (runtime, device) = open(Schedule::Seeded(seed));
            let (asks, records) = (
                device.create_stream().unwrap(),
                device.create_stream().unwrap(),
            );
            let event = runtime.create_event(EventKind::Rerecordable).unwrap();
            let begun = Arc::new(AtomicU32::new(0));
            let ended = Arc::new(AtomicU32::new(0));
            let closed = gate(&runtime);
            asks.wait_event(&closed, None).unwrap();
            for _ in 0..4 {
                let inside = (event.clone(), Arc::clone(&begun), Arc::clone(&ended));
                asks.host_function(move || {
                    let (event, begun, ended) = inside;
                    begun.fetch_add(1, Ordering::SeqCst);
                    event.status();
                    ended.fetch_add(1, Ordering::SeqCst);
                })
                .unwrap();
            }
            records.record(&closed).unwrap();
            for _ in 0..8 {
                records.record(&event).unwrap();
                // Begun inside the call and not ended: it waits for something the call holds.
                let ended = ended.load(Ordering::SeqCst);
                late += u32::from(begun.load(Ordering::SeqCst) != ended);
            }
            device.synchronize().unwrap();
        }
        assert_eq!(late, 0, "host functions that a recording kept waiting");
    });
}
