use super::*;
use crate::onnx::{Dim, Graph as Build, Value, read};

/// `a` divided by `b`, of this type.
fn quotient(element: Element, bottom: impl FnOnce(&mut Build) -> Value) -> Vec<u8> {
    let mut graph = Build::new("g");
    let a = graph.input("a", element, &[Dim::Any]);
    let b = bottom(&mut graph);
    let y = graph.node("Div", &[&a, &b], &[]);
    graph.output("y", &y, element, None);
    graph.finish()
}

fn given(element: Element) -> Vec<u8> {
    quotient(element, |graph| graph.input("b", element, &[Dim::Any]))
}

fn how_many(bytes: &[u8], operator: &str) -> usize {
    let operators = read(bytes).unwrap().operators;
    operators.get(operator).copied().unwrap_or(0)
}

#[test]
fn only_integers_are_guarded() {
    for element in [
        Element::I8,
        Element::I32,
        Element::I64,
        Element::U8,
        Element::U64,
    ] {
        let bytes = given(element);
        let guarded = guard_divisions(&bytes).unwrap();
        assert!(matches!(guarded.bytes, Cow::Owned(_)), "{element:?}");
        assert_eq!(how_many(&guarded.bytes, "Div"), 1);
        assert!(how_many(&guarded.bytes, "Equal") > 0);
        assert_eq!(guarded.unknown, 0);
    }
    for element in [Element::F32, Element::F16, Element::F64] {
        let bytes = given(element);
        let guarded = guard_divisions(&bytes).unwrap();
        assert!(matches!(guarded.bytes, Cow::Borrowed(_)), "{element:?}");
    }
}

#[test]
fn a_constant_that_harms_nothing_is_left_alone() {
    for (divisor, is_guarded) in [(2, false), (-2, false), (0, true), (-1, true)] {
        let bytes = quotient(Element::I64, |graph| graph.ints(&[7, divisor]));
        let guarded = guard_divisions(&bytes).unwrap();
        let changed = matches!(guarded.bytes, Cow::Owned(_));
        assert_eq!(changed, is_guarded, "{divisor}");
    }
}

#[test]
fn types_are_found_behind_other_nodes() {
    let bytes = quotient(Element::I64, |graph| {
        let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
        let wide = graph.node("Cast", &[&x], &[("to", Element::F64.into())]);
        graph.node("Shape", &[&wide], &[])
    });
    assert!(matches!(
        guard_divisions(&bytes).unwrap().bytes,
        Cow::Owned(_)
    ));
}

#[test]
fn divisions_inside_of_loops_are_guarded() {
    let mut graph = Build::new("g");
    let count = graph.int(3);
    let x = graph.input("x", Element::I32, &[Dim::Any]);
    let mut body = graph.inner("body");
    let [_turn, go_on, state] =
        [Element::I64, Element::Bool, Element::I32].map(|element| body.inner_input(element));
    let quotient = body.node("Div", &[&state, &x], &[]);
    body.inner_output(&go_on, Element::Bool);
    body.inner_output(&quotient, Element::I32);
    let y = graph.node(
        "Loop",
        &[&count, &Value::absent(), &x],
        &[("body", body.into())],
    );
    // Its type is that of the body's output.
    let z = graph.node("Mod", &[&y, &y], &[]);
    graph.output("z", &z, Element::I32, None);
    let bytes = graph.finish();
    let guarded = guard_divisions(&bytes).unwrap();
    assert_eq!(how_many(&guarded.bytes, "Equal"), 4);
    assert_eq!(guarded.unknown, 0);
    // New names are new also the second time.
    let again = guard_divisions(&guarded.bytes).unwrap();
    assert_eq!(how_many(&again.bytes, "Equal"), 8);
    read(&again.bytes).unwrap();
}

/// A model of nodes that are written down by hand: operator, set, inputs, output.
fn by_hand(nodes: &[(&str, &str, [&str; 2], &str)], version: i64) -> Vec<u8> {
    let mut graph = Writer::default();
    for (op, domain, inputs, output) in nodes {
        let mut node = Writer::default();
        node.text(1, inputs[0]).text(1, inputs[1]).text(2, output);
        graph.message(1, node.text(4, op).text(7, domain));
    }
    let (mut opset, mut model) = <(Writer, Writer)>::default();
    opset.int(2, version);
    model.message(7, &graph).message(8, &opset);
    model.finish()
}

#[test]
fn what_nothing_says_is_counted_and_left_alone() {
    let bytes = by_hand(
        &[
            ("Other", "mine", ["a", "b"], "c"),
            ("Div", "", ["c", "c"], "d"),
        ],
        20,
    );
    let guarded = guard_divisions(&bytes).unwrap();
    assert!(matches!(guarded.bytes, Cow::Borrowed(_)));
    assert_eq!(guarded.unknown, 1);
    // One operand is enough.
    let bytes = by_hand(
        &[("Shape", "", ["a", ""], "b"), ("Div", "", ["c", "b"], "d")],
        20,
    );
    let guarded = guard_divisions(&bytes).unwrap();
    assert!(matches!(guarded.bytes, Cow::Owned(_)));
    assert_eq!(guarded.unknown, 0);
    // A division of a set of operators that no engine runs.
    let old = by_hand(
        &[("Shape", "", ["a", ""], "b"), ("Div", "", ["b", "b"], "d")],
        6,
    );
    assert!(matches!(
        guard_divisions(&old).unwrap().bytes,
        Cow::Borrowed(_)
    ));
}

#[test]
fn damaged_bytes_are_an_error_or_left_alone() {
    let bytes = given(Element::I64);
    for cut in 0..bytes.len() {
        drop(guard_divisions(&bytes[..cut]));
    }
    assert!(guard_divisions(&[0x0a]).is_err());
}
