//! Who may go while a run is queued.

use crate::common::gate;
use crate::world::{Floats, add, chain, chained, open_eager};
use millpond::ModelCache;

#[test]
fn a_model_may_be_unloaded_while_runs_of_it_are_queued() {
    let (runtime, device, stream) = open_eager();
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    stream.synchronize().unwrap();
    y.set(&[0.0; 16]);
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    for _ in 0..10 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    drop(model);
    device.create_stream().unwrap().record(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(chained(4, 3)));
}

#[test]
fn inputs_and_outputs_may_be_freed_behind_a_queued_run() {
    let (runtime, device, stream) = open_eager();
    let add = add(&runtime, 1);
    let y = Floats::new(&device, &[1024], 0.0);
    let x = Floats::new(&device, &[1024], 1.0);
    add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
        .unwrap();
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
        .unwrap();
    drop(x);
    let other = Floats::new(&device, &[1024], 50.0);
    device.create_stream().unwrap().record(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(2.0), "the input's bytes were still its own");
    assert!(other.is(50.0));
}

#[test]
fn runs_that_are_thrown_away_leave_nothing_behind() {
    let (runtime, device, stream) = open_eager();
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    for _ in 0..5 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    stream.abort();
    stream.synchronize().unwrap();
    assert!(y.is(0.0));
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(chained(4, 3)));
}

#[test]
fn a_cache_forgets_what_was_not_used() {
    let (runtime, _, _) = open_eager();
    let cache = ModelCache::new(2);
    assert!(cache.is_empty());
    for rank in 0..2 {
        cache.insert(rank, add(&runtime, rank));
    }
    assert!(cache.get(&0).is_some());
    cache.insert(2, add(&runtime, 2));
    assert!(cache.get(&1).is_none() && cache.get(&0).is_some());
    cache.set_limit(1);
    assert_eq!(cache.len(), 1);
    cache.remove_where(|_| true);
    assert!(cache.is_empty());
}
