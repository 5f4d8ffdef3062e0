//! What does not fit is refused at the call, with a sentence, and nothing is queued.

use millpond::{Argument, Data, Element, Error, Output, Place};

use crate::world::{Counting, Floats, add, chain, open_eager};

#[test]
fn wrong_counts_types_dimensions_and_sizes_are_refused() {
    let (runtime, device, stream) = open_eager();
    let model = add(&runtime, 1);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[8], value));
    let small = Floats::new(&device, &[4], 0.0);
    let refused = |inputs: &[Argument<'_>], outputs: &[Output<'_>], part: &str| {
        // Both before there is a plan and after.
        let error = model.run_on(&stream, inputs, outputs).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        let error = model.run(&device, inputs, outputs).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    };
    for _ in 0..2 {
        refused(
            &[x.input()],
            &[y.output()],
            "2 inputs and 1 outputs, but 1 and 1",
        );
        let int = Argument {
            element: Element::I32,
            ..x.input()
        };
        refused(&[x.input(), int], &[y.output()], "is float, but int32");
        let flat = Argument {
            dims: &[2, 4],
            ..x.input()
        };
        refused(&[x.input(), flat], &[y.output()], "[2, 4] were given");
        let negative = Argument {
            dims: &[-1],
            ..x.input()
        };
        refused(&[negative, negative], &[y.output()], "[-1] were given");
        let beyond = Argument {
            data: Data::At {
                address: x.block.address(),
                bytes: 16,
            },
            ..x.input()
        };
        refused(
            &[x.input(), beyond],
            &[y.output()],
            "input 1 has 32 bytes, but its buffer has 16",
        );
        refused(
            &[x.input(), x.input()],
            &[small.open()],
            "output 0 has 32 bytes",
        );
        model
            .run_on(&stream, &[x.input(), x.input()], &[y.output()])
            .unwrap();
        stream.synchronize().unwrap();
    }
    let new = Output {
        place: Place::New,
        dims: None,
        likely: None,
    };
    let error = model
        .run_on(&stream, &[x.input(), x.input()], &[new])
        .unwrap_err();
    assert!(error.to_string().contains("give a buffer"), "{error}");
}

#[test]
fn memory_that_is_not_live_is_refused_before_the_allocator_is_asked() {
    let (runtime, device, stream) = open_eager();
    let counting = Counting::new(&runtime, &device);
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    for _ in 0..2 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    stream.synchronize().unwrap();
    counting.register(&stream);
    let gone = Floats::new(&device, &[4, 4], 1.0);
    let address = gone.block.address();
    let dangling = Argument {
        data: Data::At { address, bytes: 64 },
        element: Element::F32,
        dims: &[4, 4],
    };
    drop(gone);
    let error = model
        .run_on(&stream, &[dangling], &[y.output()])
        .unwrap_err();
    assert!(matches!(*error, Error::NotABlock { .. }), "{error}");
    let mine = [0_u8; 64];
    let foreign = Argument {
        data: Data::At {
            address: mine.as_ptr().addr() as u64,
            bytes: 64,
        },
        ..dangling
    };
    let error = model
        .run_on(&stream, &[foreign], &[y.output()])
        .unwrap_err();
    assert!(matches!(*error, Error::NotABlock { .. }), "{error}");
    assert_eq!(counting.counts(), (0, 0));
    stream.destroy().unwrap();
    let error = model
        .run_on(&stream, &[x.input()], &[y.output()])
        .unwrap_err();
    assert_eq!(*error, Error::StreamGone);
    assert_eq!(counting.counts(), (0, 0));
}
