//! Whose memory a run uses: a registered allocator's, asked on the calling thread, or ours.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use millpond::{AllocatorBlock, Error, Schedule, StreamAllocator, WorkspaceSource};

use crate::common::{SCHEDULES, gate};
use crate::world::{
    Counting, Floats, add, chain, chain_from, chained, is_on_gpu, open, open_eager,
};

#[test]
fn in_the_steady_state_a_run_asks_once_and_gives_back_at_once() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let counting = Counting::new(&runtime, &device);
        counting.register(&stream);
        let model = chain(&runtime, 4);
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
        // The first run learns; the second may still correct what the first could not know.
        for _ in 0..2 {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
            stream.synchronize().unwrap();
        }
        for run in 0..20 {
            let (allocs, frees) = counting.counts();
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
            assert_eq!(
                counting.counts(),
                (allocs + 1, frees + 1),
                "{schedule:?}, run {run}"
            );
        }
        stream.synchronize().unwrap();
        assert!(y.is(chained(4, 4)));
        assert_eq!(counting.live(), 0);
        assert!(counting.was_called_here_only(), "{schedule:?}");
    }
}

#[test]
fn a_model_with_fixed_shapes_calls_no_allocator_and_uses_the_block_that_it_was_given() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let counting = Counting::new(&runtime, &device);
        counting.register(&stream);
        let given = Floats::new(&device, &[1024], -7.0);
        let froms = [
            WorkspaceSource::Pool,
            WorkspaceSource::Provided {
                address: given.block.address(),
                bytes: 4096,
            },
            // Too small for any run: our pool serves.
            WorkspaceSource::Provided {
                address: given.block.address() + 4000,
                bytes: 64,
            },
        ];
        for (number, from) in froms.into_iter().enumerate() {
            given.set(&[-7.0; 1024]);
            let model = chain_from(&runtime, 4, from);
            let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
            for _ in 0..5 {
                model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
            }
            stream.synchronize().unwrap();
            assert!(y.is(chained(4, 4)), "{schedule:?}, {from:?}");
            // Where this process only borrows the bytes, what is in them between two steps stays with it.
            let staged = crate::common::on_gpu() && !is_on_gpu(&model, &device);
            let unused = number != 1 || staged;
            assert_eq!(given.is(-7.0), unused, "{schedule:?}, {from:?}");
        }
        assert_eq!(counting.counts(), (0, 0), "{schedule:?}");
    }
}

#[test]
fn an_operator_that_needs_nothing_asks_for_nothing() {
    let (runtime, device, stream) = open_eager();
    let counting = Counting::new(&runtime, &device);
    counting.register(&stream);
    let add = add(&runtime, 1);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[64], value));
    for _ in 0..5 {
        add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
            .unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(counting.counts(), (0, 0));
    assert!(y.is(2.0));
}

#[test]
fn a_refusal_at_any_call_ends_the_run_with_nothing_queued() {
    let (runtime, device, stream) = open_eager();
    let counting = Counting::new(&runtime, &device);
    counting.register(&stream);
    let model = chain(&runtime, 4);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[1, 1], value));
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    let needed = counting.counts().0;
    assert!(needed > 1, "a run inside the call asks piece by piece");
    for at in 1..=needed {
        let size = i64::try_from(at).unwrap() + 1;
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[size, size], value));
        // One of the calls is refused, then all succeed, then the planned one is refused.
        let asked = counting.counts().0;
        counting.refuses_at.store(asked + at, Ordering::SeqCst);
        let error = model
            .run_on(&stream, &[x.input()], &[y.output()])
            .unwrap_err();
        assert!(
            matches!(*error, Error::AllocatorRefused { bytes } if bytes > 0),
            "{error}"
        );
        assert!(error.to_string().contains("returned NULL for"), "{error}");
        stream.synchronize().unwrap();
        assert_eq!(counting.live(), 0);
        counting.refuses_at.store(u64::MAX, Ordering::SeqCst);
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        counting.refuses_at.store(0, Ordering::SeqCst);
        assert!(model.run_on(&stream, &[x.input()], &[y.output()]).is_err());
        counting.refuses_at.store(u64::MAX, Ordering::SeqCst);
        stream.synchronize().unwrap();
        assert!(y.is(chained(usize::try_from(size).unwrap(), 4)));
        assert_eq!(counting.live(), 0);
    }
}

#[test]
fn blocks_at_odd_addresses_are_fine() {
    let (runtime, device, stream) = open_eager();
    let counting = Counting::skewed(&runtime, &device, 4);
    counting.register(&stream);
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[6, 6], value));
    for _ in 0..4 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    stream.synchronize().unwrap();
    assert!(y.is(chained(6, 3)));
    assert_eq!(counting.live(), 0);
}

#[test]
fn a_block_that_is_freed_after_a_queued_run_is_not_reused_before_it() {
    let (runtime, device, stream) = open_eager();
    let counting = Counting::new(&runtime, &device);
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[8, 8], value));
    for _ in 0..2 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    stream.synchronize().unwrap();
    y.set(&[0.0; 64]);
    counting.register(&stream);
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    assert_eq!(
        counting.counts(),
        (1, 1),
        "given back although the run has not begun"
    );
    // Whoever gets memory now writes all over it.
    let others: Vec<_> = (0..32)
        .map(|_| Floats::new(&device, &[64, 64], f32::NAN))
        .collect();
    let other = device.create_stream().unwrap();
    other.record(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(chained(8, 3)));
    drop(others);
}

#[test]
fn two_streams_with_an_allocator_each_do_not_meet() {
    let (runtime, device) = open(Schedule::Eager);
    let model = chain(&runtime, 3);
    std::thread::scope(|scope| {
        for size in [4_i64, 6] {
            let (runtime, device, model) = (&runtime, &device, &model);
            scope.spawn(move || {
                let stream = device.create_stream().unwrap();
                let counting = Counting::new(runtime, device);
                counting.register(&stream);
                let [x, y] = [1.0, 0.0].map(|value| Floats::new(device, &[size, size], value));
                for _ in 0..100 {
                    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
                }
                stream.synchronize().unwrap();
                assert!(y.is(chained(usize::try_from(size).unwrap(), 3)));
                assert_eq!(counting.live(), 0);
                assert!(counting.was_called_here_only());
            });
        }
    });
}

#[test]
fn our_own_pool_serves_streams_without_an_allocator() {
    let (runtime, device, stream) = open_eager();
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[16, 16], value));
    for _ in 0..200 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    stream.synchronize().unwrap();
    assert!(y.is(chained(16, 3)));
    let report = runtime.memory_report();
    assert!(report.contains("pool 0 on device 0"), "{report}");
}

/// An allocator on the program's own memory, which is gone as soon as it is given back.
#[derive(Debug, Default)]
struct Heap {
    live: Mutex<HashMap<usize, Box<[u8]>>>,
    calls: AtomicUsize,
}

impl StreamAllocator for Heap {
    fn alloc(&self, bytes: u64) -> Option<AllocatorBlock> {
        let token = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let mut block = vec![0; usize::try_from(bytes).unwrap()].into_boxed_slice();
        let address = block.as_mut_ptr().expose_provenance() as u64;
        self.live.lock().unwrap().insert(token, block);
        Some(AllocatorBlock { token, address })
    }

    fn free(&self, block: AllocatorBlock) {
        let mut gone = self.live.lock().unwrap().remove(&block.token).unwrap();
        gone.fill(0xff);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn blocks_may_be_memory_of_the_program_itself() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let heap = Arc::new(Heap::default());
        stream.set_allocator(Some(heap.clone()));
        let model = chain(&runtime, 4);
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[8, 8], value));
        for _ in 0..10 {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        }
        stream.synchronize().unwrap();
        assert!(y.is(chained(8, 4)), "{schedule:?}");
        assert!(heap.calls.load(Ordering::SeqCst) >= 10);
        assert!(heap.live.lock().unwrap().is_empty());
    }
}

#[test]
fn the_last_allocator_that_was_registered_is_asked() {
    let (runtime, device, stream) = open_eager();
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let run = || model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    run();
    run();
    let [first, second] = [(); 2].map(|()| Counting::new(&runtime, &device));
    first.register(&stream);
    run();
    second.register(&stream);
    run();
    stream.set_allocator(None);
    run();
    stream.synchronize().unwrap();
    assert_eq!((first.counts(), second.counts()), ((1, 1), (1, 1)));
    assert_eq!(Arc::strong_count(&first), 1, "a run keeps no allocator");
}
