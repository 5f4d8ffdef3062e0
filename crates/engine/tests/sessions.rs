//! Sessions: what they compute, where their memory comes from, and how they fail.
#![expect(unsafe_code, reason = "runs on memory by address")]
#![expect(clippy::float_cmp, reason = "small whole numbers come out exactly")]

mod common;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond_engine::{
    Bound, Engine, EngineError, Gpu, GpuHeap, Open, Place, RunError, RunMemory, Scratch, Search,
    Session, SessionOptions, Tensor, Workers,
};
use millpond_model::Element;
use millpond_model::onnx::{Dim, Graph};

const ALONE: SessionOptions = SessionOptions {
    workers: Workers::Caller,
};

/// Counts, and refuses from the request with number `refuses_at` on.
#[derive(Default)]
struct Counting {
    live: RefCell<HashMap<usize, Scratch>>,
    asked: Cell<usize>,
    refuses_at: Option<usize>,
}

// SAFETY: each answer is a piece of its own, which lives until it is freed or this goes.
unsafe impl RunMemory for Counting {
    fn alloc(&self, bytes: usize) -> Option<NonNull<u8>> {
        self.asked.set(self.asked.get() + 1);
        if self.refuses_at.is_some_and(|at| self.asked.get() >= at) {
            return None;
        }
        let scratch = Scratch::new(bytes)?;
        let start = scratch.start();
        let address = start.as_ptr().addr();
        self.live.borrow_mut().insert(address, scratch);
        Some(start)
    }

    fn free(&self, start: NonNull<u8>) -> bool {
        let address = start.as_ptr().addr();
        self.live.borrow_mut().remove(&address).is_some()
    }
}

fn tensor<'a>(data: &mut [f32], dims: &'a [i64]) -> Tensor<'a> {
    Tensor {
        place: Place::Host,
        bytes: size_of_val(data),
        start: NonNull::from(data).cast(),
        dims,
    }
}

/// x + x, three times over, with results between that need memory.
fn chain(nodes: usize) -> Vec<u8> {
    let mut graph = Graph::new("chain");
    let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
    let mut value = x;
    for _ in 0..nodes {
        let turned = graph.node("Transpose", &[&value], &[("perm", vec![1_i64, 0].into())]);
        value = graph.node("MatMul", &[&value, &turned], &[]);
    }
    graph.output("y", &value, Element::F32, Some(&[Dim::Any, Dim::Any]));
    graph.finish()
}

fn run(
    session: &Session,
    memory: &Counting,
    x: &mut [f32],
    y: &mut [f32],
    dims: (&[i64], &[i64]),
) -> Result<(), RunError> {
    let inputs = [tensor(x, dims.0)];
    let outputs = [Bound::To(tensor(y, dims.1))];
    // SAFETY: both are live and large enough, and they are two.
    unsafe { session.run(inputs.into_iter(), outputs.into_iter(), memory, &mut |_| {}) }
}

#[test]
fn bound_outputs_are_written_in_place_and_the_rest_comes_from_the_run() {
    let session = common::engine().session(&chain(2), ALONE).unwrap();
    assert_eq!(session.inputs()[0].name, "x");
    assert_eq!(session.inputs()[0].dims, [-1, -1]);
    assert_eq!(session.outputs()[0].element, Element::F32.onnx());
    let memory = Counting::default();
    let mut y = [0.0; 4];
    let dims: (&[i64], &[i64]) = (&[2, 2], &[2, 2]);
    run(&session, &memory, &mut [1.0, 2.0, 3.0, 4.0], &mut y, dims).unwrap();
    // [[1,2],[3,4]] times its transpose is [[5,11],[11,25]], whose square is this.
    assert_eq!(y, [146.0, 330.0, 330.0, 746.0]);
    assert!(memory.asked.get() > 0, "what lies between needs memory");
    assert!(memory.live.borrow().is_empty(), "all of it came back");
}

#[test]
fn an_open_output_is_shown_with_its_dimensions() {
    let session = common::engine().session(&chain(1), ALONE).unwrap();
    let memory = Counting::default();
    let mut x = [1.0_f32, 2.0, 3.0];
    let mut seen = Vec::new();
    let inputs = [tensor(&mut x, &[1, 3])];
    let mut show = |open: Open<'_>| {
        // SAFETY: it has the one element that its dimensions say.
        let value = unsafe { open.start.cast::<f32>().read_unaligned() };
        seen.push((open.dims.to_vec(), value));
    };
    // SAFETY: the input is live.
    let ran = unsafe {
        session.run(
            inputs.into_iter(),
            [Bound::Open].into_iter(),
            &memory,
            &mut show,
        )
    };
    ran.unwrap();
    assert_eq!(seen, [(vec![1, 1], 14.0)]);
    assert!(memory.live.borrow().is_empty());
}

#[test]
fn a_refusal_at_any_request_is_an_error_and_the_next_run_is_fine() {
    let session = common::engine().session(&chain(4), ALONE).unwrap();
    let all = Counting::default();
    let dims: (&[i64], &[i64]) = (&[8, 8], &[8, 8]);
    let (mut x, mut y) = ([0.5; 64], [0.0; 64]);
    run(&session, &all, &mut x, &mut y, dims).unwrap();
    let expected = y;
    for at in 1..=all.asked.get() {
        let memory = Counting {
            refuses_at: Some(at),
            ..Counting::default()
        };
        let error = run(&session, &memory, &mut x, &mut y, dims).unwrap_err();
        assert!(
            matches!(error, RunError::NoMemory { bytes } if bytes > 0),
            "{at}: {error}"
        );
        assert!(memory.live.borrow().is_empty(), "{at}: nothing is kept");
        run(&session, &all, &mut x, &mut y, dims).unwrap();
        assert_eq!(y, expected);
    }
}

#[test]
fn a_request_that_no_machine_can_serve_is_an_error_too() {
    let mut graph = Graph::new("expand");
    let x = graph.input("x", Element::F32, &[Dim::Is(1)]);
    let shape = graph.ints(&[1 << 48]);
    let y = graph.node("Expand", &[&x, &shape], &[]);
    graph.output("y", &y, Element::F32, None);
    let session = common::engine().session(&graph.finish(), ALONE).unwrap();
    let memory = Counting::default();
    let mut x = [1.0];
    let inputs = [tensor(&mut x, &[1])].into_iter();
    // SAFETY: the input is live.
    let ran = unsafe { session.run(inputs, [Bound::Open].into_iter(), &memory, &mut |_| {}) };
    assert!(
        matches!(ran, Err(RunError::NoMemory { bytes }) if bytes == 1 << 50),
        "{ran:?}"
    );
    assert!(memory.live.borrow().is_empty());
}

#[test]
fn a_model_that_is_too_large_while_it_is_loaded_does_not_end_the_process() {
    let mut graph = Graph::new("fill");
    let x = graph.input("x", Element::F32, &[Dim::Is(1)]);
    let shape = graph.ints(&[1 << 48]);
    let ones = graph.node("ConstantOfShape", &[&shape], &[]);
    let sum = graph.node("ReduceSum", &[&ones], &[]);
    let y = graph.node("Add", &[&x, &sum], &[]);
    graph.output("y", &y, Element::F32, None);
    // Whether the engine refuses it now or at a run is the engine's affair.
    if let Ok(session) = common::engine().session(&graph.finish(), ALONE) {
        let memory = Counting::default();
        let ran = run(&session, &memory, &mut [1.0], &mut [0.0], (&[1], &[1]));
        assert!(matches!(ran, Err(RunError::NoMemory { .. })), "{ran:?}");
    }
}

#[test]
fn a_failing_node_is_named() {
    let mut graph = Graph::new("gather");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let index = graph.ints(&[7]);
    let y = graph.node("Gather", &[&x, &index], &[]);
    graph.output("y", &y, Element::F32, None);
    let session = common::engine().session(&graph.finish(), ALONE).unwrap();
    let memory = Counting::default();
    let error = run(&session, &memory, &mut [1.0; 3], &mut [0.0], (&[3], &[1])).unwrap_err();
    assert!(error.to_string().contains("Gather_1"), "{error}");
}

#[test]
fn what_is_not_a_model_is_refused_with_a_reason() {
    let error = common::engine().session(b"no model", ALONE).unwrap_err();
    assert!(matches!(error, EngineError::Refused(text) if !text.is_empty()));
}

#[test]
fn two_threads_run_one_session_with_a_memory_each() {
    let session = common::engine().session(&chain(3), ALONE).unwrap();
    std::thread::scope(|scope| {
        for seed in [1.0_f32, 2.0] {
            let session = &session;
            scope.spawn(move || {
                let memory = Counting::default();
                let (mut x, mut y) = ([seed; 16], [0.0; 16]);
                let dims: (&[i64], &[i64]) = (&[4, 4], &[4, 4]);
                run(session, &memory, &mut x, &mut y, dims).unwrap();
                let expected = y;
                for _ in 0..200 {
                    run(session, &memory, &mut x, &mut y, dims).unwrap();
                    assert_eq!(y, expected);
                }
                assert!(memory.live.borrow().is_empty());
            });
        }
    });
}

#[test]
fn without_a_library_the_error_says_what_to_install() {
    let search = Search {
        named: Some("/nowhere/at/all".into()),
        ..Search::default()
    };
    let text = Engine::load(&search, 2).unwrap_err().to_string();
    for part in [
        "/nowhere/at/all",
        "pip install onnxruntime",
        "MILLPOND_ONNXRUNTIME",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_file_that_is_not_a_library_is_an_error() {
    let search = Search {
        named: Some(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").into()),
        ..Search::default()
    };
    assert!(matches!(
        Engine::load(&search, 2),
        Err(EngineError::Missing(_))
    ));
}

#[test]
fn shared_and_own_threads_compute_the_same() {
    for workers in [Workers::Shared, Workers::Own(2)] {
        let session = common::engine()
            .session(&chain(1), SessionOptions { workers })
            .unwrap();
        let memory = Counting::default();
        let (mut x, mut y) = (vec![1.0; 128 * 128], vec![0.0; 128 * 128]);
        run(
            &session,
            &memory,
            &mut x,
            &mut y,
            (&[128, 128], &[128, 128]),
        )
        .unwrap();
        assert!(y.iter().all(|value| *value == 128.0));
        assert!(memory.live.borrow().is_empty());
    }
}

/// A GPU that no machine has.
#[derive(Debug, Default)]
struct Nowhere {
    asked: AtomicUsize,
}

impl GpuHeap for Nowhere {
    fn alloc(&self, _: usize) -> Option<NonNull<u8>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn free(&self, start: NonNull<u8>) {
        unreachable!("{start:?} was never allocated");
    }
}

#[test]
fn a_gpu_that_cannot_be_used_is_an_error_and_sessions_on_the_cpu_go_on() {
    let heap = Arc::new(Nowhere::default());
    let gpu = Gpu {
        index: 4000,
        heap: Arc::clone(&heap) as Arc<dyn GpuHeap>,
    };
    let engine = common::engine();
    for _ in 0..2 {
        let refused = engine.session_on(Some(&gpu), &chain(2), ALONE).unwrap_err();
        assert!(matches!(&refused, EngineError::Refused(why) if !why.is_empty()));
    }
    assert_eq!(heap.asked.load(Ordering::Relaxed), 0);
    let session = engine.session(&chain(2), ALONE).unwrap();
    assert_eq!(session.gpu(), None);
    let memory = Counting::default();
    let mut y = [0.0; 4];
    let dims: (&[i64], &[i64]) = (&[2, 2], &[2, 2]);
    run(&session, &memory, &mut [1.0, 2.0, 3.0, 4.0], &mut y, dims).unwrap();
    assert_eq!(y, [146.0, 330.0, 330.0, 746.0]);
}
