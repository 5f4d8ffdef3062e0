use super::*;
use crate::onnx::wire::Writer;
use crate::onnx::{Dim, Graph as Build, Value};
use proptest::prelude::*;

/// x and y added, reshaped to what `to` says, with a weight.
fn small() -> Vec<u8> {
    let mut graph = Build::new("small");
    let x = graph.input("x", Element::F32, &[Dim::Is(2), Dim::Any]);
    let to = graph.input("to", Element::I64, &[Dim::Is(1)]);
    let weight = graph.constant(Element::F32, &[2, 1], &[0; 8]);
    let sum = graph.node("Add", &[&x, &weight], &[]);
    let flat = graph.node("Reshape", &[&sum, &to], &[]);
    graph.output("flat", &flat, Element::F32, None);
    graph.output("sum", &sum, Element::F32, Some(&[Dim::Is(2), Dim::Any]));
    graph.finish()
}

#[test]
fn a_model_says_what_was_built() {
    let model = read(&small()).unwrap();
    assert_eq!((model.ir_version, model.name.as_str()), (9, "small"));
    assert_eq!(model.producer, "millpond");
    assert_eq!(model.opsets, [(String::new(), 20)]);
    let port = |name: &str, element, dims: Option<&[i64]>| Port {
        name: name.to_owned(),
        element,
        dims: dims.map(<[i64]>::to_vec),
    };
    assert_eq!(
        model.inputs,
        [
            port("x", Element::F32, Some(&[2, OPEN])),
            port("to", Element::I64, Some(&[1]))
        ]
    );
    assert_eq!(
        model.outputs,
        [
            port("flat", Element::F32, None),
            port("sum", Element::F32, Some(&[2, OPEN]))
        ]
    );
    assert_eq!(model.inputs[0].bytes(), None);
    assert_eq!(model.inputs[1].bytes(), Some(8));
    assert_eq!(model.weight_bytes, 8);
    assert_eq!(model.constants[0].dims, [2, 1]);
    assert_eq!(model.operators["Reshape"], 1);
    assert_eq!(model.operators["Identity"], 2);
    assert!(!model.data_dependent);
    assert_eq!(model.shape_inputs, [1]);
}

/// A model of these nodes (operator, set, inputs, outputs) with the inputs a, b and c.
fn nodes(nodes: &[(&str, &str, &[&str], &[&str])]) -> Model {
    let mut graph = Writer::default();
    for (op, domain, inputs, outputs) in nodes {
        graph.message(1, &node(op, domain, inputs, outputs));
    }
    read(&model_of(graph, &[])).unwrap()
}

fn node(op: &str, domain: &str, inputs: &[&str], outputs: &[&str]) -> Writer {
    let mut node = Writer::default();
    for input in inputs {
        node.text(1, input);
    }
    for output in outputs {
        node.text(2, output);
    }
    node.text(4, op).text(7, domain);
    node
}

fn model_of(mut graph: Writer, functions: &[Writer]) -> Vec<u8> {
    for (field, name) in [(11, "a"), (11, "b"), (11, "c"), (12, "out")] {
        graph.message(field, &info(name, Element::I64.onnx().into(), 1));
    }
    let (mut opset, mut model) = (Writer::default(), Writer::default());
    opset.text(1, "ai.onnx").int(2, 18);
    model.int(1, 8).message(7, &graph).message(8, &opset);
    for function in functions {
        model.message(25, function);
    }
    model.finish()
}

/// A name and a type that is a tensor (`kind` 1) or something else.
fn info(name: &str, element: i64, kind: u32) -> Writer {
    let (mut tensor, mut held, mut info) = Default::default();
    Writer::int(&mut tensor, 1, element);
    Writer::message(&mut held, kind, &tensor);
    Writer::text(&mut info, 1, name).message(2, &held);
    info
}

#[test]
fn contents_decide_shapes_by_way_of_other_nodes() {
    let model = nodes(&[
        ("Cast", "", &["a"], &["a1"]),
        ("Concat", "", &["a1", "fixed"], &["a2"]),
        ("Expand", "ai.onnx", &["b", "a2"], &["out"]),
    ]);
    assert!(!model.data_dependent);
    assert_eq!(model.shape_inputs, [0], "{model:?}");
    assert_eq!(
        model.operators["Expand"], 1,
        "the standard set has two names"
    );

    let model = nodes(&[
        ("Shape", "", &["a"], &["shape"]),
        ("Gather", "", &["shape", "b"], &["one"]),
        ("Reshape", "", &["c", "one"], &["out"]),
    ]);
    assert_eq!(model.shape_inputs, [1], "a shape is no content");
    assert_eq!(model.unread_inputs, [0], "only its shape is used");
}

#[test]
fn each_operand_that_is_a_shape_counts_and_others_do_not() {
    for (op, operands) in [
        ("Tile", &[1][..]),
        ("Slice", &[1, 2]),
        ("TopK", &[1]),
        ("Range", &[0, 1, 2]),
        ("ConstantOfShape", &[0]),
        ("Pad", &[1]),
        ("Resize", &[1, 2]),
        ("OneHot", &[1]),
        ("Split", &[1]),
        ("Squeeze", &[1]),
        ("Unsqueeze", &[1]),
        ("ReduceSum", &[1]),
        ("Where", &[]),
        ("Gather", &[]),
    ] {
        let model = nodes(&[(op, "", &["a", "b", "c"], &["out"])]);
        let expected = model.shape_inputs.iter().filter(|at| operands.contains(at));
        assert_eq!(expected.count(), operands.len(), "{op}");
        let beyond = if op == "Tile" { 2 } else { operands.len() };
        assert_eq!(model.shape_inputs.len(), beyond, "{op}");
        assert!(!model.data_dependent, "{op}");
    }
}

#[test]
fn a_data_dependent_node_is_reported_and_so_is_what_it_looks_at() {
    for op in ["NonZero", "Unique", "NonMaxSuppression", "Compress"] {
        let model = nodes(&[("Neg", "", &["b"], &["t"]), (op, "", &["t"], &["out"])]);
        assert!(model.data_dependent, "{op}");
        assert_eq!(model.shape_inputs, [1], "{op}");
    }
}

#[test]
fn operators_of_unknown_sets_are_expected_to_do_anything() {
    assert!(nodes(&[("Relu", "mine", &["a"], &["out"])]).data_dependent);
    assert!(nodes(&[("NonZero", "com.microsoft", &["a"], &["out"])]).data_dependent);
    let fused = nodes(&[("FusedMatMul", "com.microsoft", &["a", "b"], &["out"])]);
    assert!(!fused.data_dependent && fused.shape_inputs.is_empty());
    assert_eq!(fused.operators["com.microsoft::FusedMatMul"], 1);
}

#[test]
fn branches_are_looked_into() {
    let (mut branch, mut attribute, mut graph) = <(Writer, Writer, Writer)>::default();
    branch.message(1, &node("Neg", "", &["c"], &["t"]));
    attribute
        .text(1, "then_branch")
        .message(6, &branch)
        .int(20, 5);
    let mut choice = node("If", "", &["a"], &["out"]);
    choice.message(5, &attribute);
    graph.message(1, &choice);
    let model = read(&model_of(graph, &[])).unwrap();
    assert!(model.data_dependent);
    assert_eq!(
        model.shape_inputs,
        [0, 2],
        "the condition, and what is captured"
    );
    assert_eq!(model.operators["Neg"], 1);
}

#[test]
fn functions_of_the_file_are_looked_into() {
    let function = |name: &str, node_inside: &Writer| {
        let mut function = Writer::default();
        function
            .text(1, name)
            .message(7, node_inside)
            .text(10, "mine");
        function
    };
    let functions = [
        function("Calm", &node("Neg", "", &["x"], &["y"])),
        function("Wild", &node("Reshape", "", &["x", "to"], &["y"])),
        function("Caller", &node("Calm", "mine", &["x"], &["y"])),
    ];
    for (op, wild) in [("Calm", false), ("Wild", true), ("Caller", true)] {
        let mut graph = Writer::default();
        graph.message(1, &node(op, "mine", &["b"], &["out"]));
        let model = read(&model_of(graph, &functions)).unwrap();
        assert_eq!(model.data_dependent, wild, "{op}");
    }
}

#[test]
fn constants_among_the_inputs_are_not_the_callers() {
    let mut weight = Writer::default();
    weight.int(1, 1).int(2, 7).text(8, "b").run(9, &[0; 8]);
    let mut graph = Writer::default();
    graph.message(5, &weight);
    let model = read(&model_of(graph, &[])).unwrap();
    let names: Vec<&str> = model.inputs.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["a", "c"]);
}

#[test]
fn floats_of_8_bits_that_ascendcl_has_are_read() {
    for (element, expected) in [
        (17, Element::F8E4M3),
        (19, Element::F8E5M2),
        (24, Element::F8E8M0),
    ] {
        let mut graph = Writer::default();
        graph.message(11, &info("small", element, 1));
        let model = read(&model_of(graph, &[])).unwrap();
        assert_eq!(model.inputs[0].element, expected);
        assert_eq!(expected.bytes(), 1);
    }
}

#[test]
fn what_is_no_tensor_of_numbers_is_refused_by_name() {
    for (element, kind, expected) in [
        (8, 1, "text"),
        (0, 1, "no type"),
        (18, 1, "element type 18"),
        (1, 4, "a sequence"),
        (1, 9, "an optional value"),
    ] {
        let mut graph = Writer::default();
        graph.message(11, &info("odd", element, kind));
        let error = read(&model_of(graph, &[])).unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)));
        let sentence = error.to_string();
        assert!(
            sentence.contains("'odd'") && sentence.contains(expected),
            "{sentence}"
        );
    }
}

#[test]
fn a_constant_must_hold_what_its_shape_says() {
    for (dims, data, fine) in [
        (&[2_i64, 2][..], 16, true),
        (&[2, 2], 15, false),
        (&[], 4, true),
        (&[0], 0, true),
        (&[-1], 4, false),
        (&[i64::MAX, i64::MAX], 4, false),
    ] {
        let mut weight = Writer::default();
        for dim in dims {
            weight.int(1, *dim);
        }
        weight.int(2, 1).text(8, "w").run(9, &vec![0; data]);
        let mut graph = Writer::default();
        graph.message(5, &weight);
        assert_eq!(read(&model_of(graph, &[])).is_ok(), fine, "{dims:?} {data}");
    }
    // A thousand elements, and nothing that holds them.
    let mut weight = Writer::default();
    weight.int(1, 1000).int(2, 1).text(8, "w");
    let mut graph = Writer::default();
    graph.message(5, &weight);
    assert!(read(&model_of(graph, &[])).is_err());
}

#[test]
fn graphs_may_not_nest_without_end() {
    let mut inner = Writer::default();
    for _ in 0..200 {
        let (mut attribute, mut choice, mut graph) = <(Writer, Writer, Writer)>::default();
        attribute.message(6, &inner);
        choice.text(4, "If").message(5, &attribute);
        graph.message(1, &choice);
        inner = graph;
    }
    let error = read(&model_of(inner, &[])).unwrap_err();
    assert!(error.to_string().contains("32 deep"), "{error}");
}

#[test]
fn one_node_with_many_names_is_followed_once() {
    let names: Vec<String> = (0..20_000).map(|index| format!("v{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let model = nodes(&[
        ("Split", "", &names, &names),
        ("Compress", "", &names, &["out"]),
    ]);
    assert!(model.data_dependent);
}

#[test]
fn every_cut_is_an_error() {
    let whole = small();
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "{end} of {}", whole.len());
    }
}

#[test]
fn two_graphs_two_inputs_of_one_name_and_no_outputs_are_damage() {
    let once = small();
    let twice = [once.clone(), once].concat();
    assert!(read(&twice).unwrap_err().to_string().contains("two graphs"));
    let mut graph = Writer::default();
    graph.message(11, &info("a", 1, 1));
    let error = read(&model_of(graph, &[])).unwrap_err().to_string();
    assert!(error.contains("two inputs 'a'"), "{error}");
    assert!(read(&Build::new("empty").finish()).is_err());
    assert_eq!(Value::absent().name(), "");
}

proptest! {
    /// Altered files are read or refused; nothing else happens.
    #[test]
    fn altered_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = small();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        drop(read(&bytes));
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(read(&bytes));
    }
}
