//! Runs inside the call: new shapes on an idle stream, and shapes that depend on contents.

use millpond::{Argument, Data, Destination, Element, Output};

use crate::common::{LONG, SCHEDULES, gate, within};
use crate::world::{Counting, Floats, chain, chained, non_zero, open, open_eager, reshape};

#[test]
fn shapes_that_depend_on_contents_are_told_exactly() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let counting = Counting::new(&runtime, &device);
        counting.register(&stream);
        let model = non_zero(&runtime);
        let x = Floats::new(&device, &[4], 0.0);
        let y = device.alloc(64).unwrap();
        let output = Output {
            destination: Destination::At {
                address: y.address(),
                room: 64,
            },
            dims: None,
            likely: None,
            whole: false,
        };
        for (values, places) in [
            ([0.0, 1.0, 0.0, 2.0], vec![1_i64, 3]),
            ([0.0; 4], vec![]),
            ([1.0; 4], vec![0, 1, 2, 3]),
        ] {
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value: &f32| value.to_le_bytes())
                .collect();
            // What the input contains is decided by work that is queued before.
            let mut staged = runtime.alloc_host(16).unwrap();
            staged.bytes().unwrap().copy_from_slice(&bytes);
            stream.copy(x.block.all(), staged.all()).unwrap();
            let shapes = model.run_on(&stream, &[x.input()], &[output]).unwrap();
            assert_eq!(
                *shapes[0],
                [1, i64::try_from(places.len()).unwrap()],
                "{schedule:?}"
            );
            let mut found = vec![0; places.len() * 8];
            y.read(&mut found).unwrap();
            let expected: Vec<u8> = places
                .iter()
                .flat_map(|place| place.to_le_bytes())
                .collect();
            assert_eq!(found, expected);
            stream.synchronize().unwrap();
        }
        assert_eq!(counting.live(), 0);
        assert!(counting.was_called_here_only());
    }
}

#[test]
fn a_shape_on_the_device_is_waited_for() {
    let (runtime, device, stream) = open_eager();
    let model = reshape(&runtime);
    let [x, y] = [5.0, 0.0].map(|value| Floats::new(&device, &[6], value));
    let shape = device.alloc(16).unwrap();
    for dims in [[2_i64, 3], [6, 1]] {
        let mut staged = runtime.alloc_host(16).unwrap();
        let bytes: Vec<u8> = dims.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        staged.bytes().unwrap().copy_from_slice(&bytes);
        stream.copy(shape.all(), staged.all()).unwrap();
        let on_device = Argument {
            data: Data::At {
                address: shape.address(),
                bytes: 16,
            },
            element: Element::I64,
            dims: &[2],
        };
        let shapes = model
            .run_on(&stream, &[x.input(), on_device], &[y.open()])
            .unwrap();
        assert_eq!(*shapes[0], dims);
    }
    stream.synchronize().unwrap();
    assert!(y.is(5.0));
}

#[test]
fn a_new_shape_on_a_stream_that_waits_for_an_event_does_not_wait() {
    within(LONG, || {
        let (runtime, device, stream) = open_eager();
        let counting = Counting::new(&runtime, &device);
        counting.register(&stream);
        let model = chain(&runtime, 3);
        let event = gate(&runtime);
        stream.wait_event(&event, None).unwrap();
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[5, 5], value));
        let shapes = model.run_on(&stream, &[x.input()], &[y.open()]).unwrap();
        assert_eq!(*shapes[0], [5, 5]);
        assert_eq!(
            counting.counts(),
            (1, 1),
            "planned without the allocator, then asked once"
        );
        assert!(y.is(0.0), "nothing was touched");
        device.create_stream().unwrap().record(&event).unwrap();
        stream.synchronize().unwrap();
        assert!(y.is(chained(5, 3)));
    });
}

#[test]
fn one_new_shape_after_the_other_runs_inside_the_calls_under_every_schedule() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let model = chain(&runtime, 2);
        for size in [2_usize, 3, 4, 5] {
            let dims = [i64::try_from(size).unwrap(); 2];
            let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &dims, value));
            model.run_on(&stream, &[x.input()], &[y.open()]).unwrap();
            assert!(
                y.is(chained(size, 2)),
                "{schedule:?}: done when the call returns"
            );
        }
        stream.synchronize().unwrap();
    }
}
