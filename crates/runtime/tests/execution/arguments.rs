//! What does not fit is refused at the call, with a sentence, and nothing is queued.

use millpond::{Argument, Data, Destination, Element, Error, Output};

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
        destination: Destination::New,
        dims: None,
        likely: None,
        whole: false,
    };
    let error = model
        .run_on(&stream, &[x.input(), x.input()], &[new])
        .unwrap_err();
    assert!(error.to_string().contains("give a buffer"), "{error}");
}

#[test]
fn outputs_that_have_to_be_whole_are_refused_when_they_are_not() {
    let (runtime, device, stream) = open_eager();
    let model = add(&runtime, 1);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[8], value));
    let large = Floats::new(&device, &[3, 4], 7.0);
    let whole = |floats: &Floats, dims: &'static [i64]| Output {
        likely: Some(dims),
        whole: true,
        ..floats.open()
    };
    // On an idle stream, on a busy one, and with a plan.
    for _ in 0..3 {
        let inputs = [x.input(), x.input()];
        let error = model
            .run_on(&stream, &inputs, &[whole(&large, &[3, 4])])
            .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("described as [3, 4], but [8]"), "{text}");
        // As many elements in another shape are not a mistake.
        model
            .run_on(&stream, &inputs, &[whole(&y, &[2, 4])])
            .unwrap();
    }
    stream.synchronize().unwrap();
    assert!(large.is(7.0) && y.is(2.0));
}

#[test]
fn an_output_that_is_an_input_has_to_be_whole_too() {
    use crate::world::load;
    use millpond_model::onnx::{Dim, Graph};
    let (runtime, device, stream) = open_eager();
    let mut graph = Graph::new("through");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    graph.output("same", &x, Element::F32, Some(&[Dim::Any]));
    let model = load(&runtime, "through", &graph.finish());
    let x = Floats::new(&device, &[3], 5.0);
    let large = Floats::new(&device, &[6], 7.0);
    for _ in 0..3 {
        let whole = Output {
            likely: Some(&[6]),
            whole: true,
            ..large.open()
        };
        let error = model.run_on(&stream, &[x.input()], &[whole]).unwrap_err();
        assert!(error.to_string().contains("described as [6]"), "{error}");
    }
    stream.synchronize().unwrap();
    assert!(large.is(7.0));
}

#[test]
fn outputs_whose_size_contents_decide_may_be_smaller_than_their_room() {
    use crate::world::load;
    use millpond_model::onnx::{Dim, Graph};
    let (runtime, device, stream) = open_eager();
    let mut graph = Graph::new("places");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let places = graph.node("NonZero", &[&x], &[]);
    let places = graph.node("Cast", &[&places], &[("to", 1_i64.into())]);
    graph.output("places", &places, Element::F32, None);
    let model = load(&runtime, "places", &graph.finish());
    let [x, y] = [1.0, 7.0].map(|value| Floats::new(&device, &[8], value));
    for _ in 0..2 {
        let most = Output {
            likely: Some(&[1, 8]),
            whole: true,
            ..y.open()
        };
        let three = Argument {
            dims: &[3],
            ..x.input()
        };
        let shapes = model.run_on(&stream, &[three], &[most]).unwrap();
        assert_eq!(*shapes[0], [1, 3]);
    }
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
