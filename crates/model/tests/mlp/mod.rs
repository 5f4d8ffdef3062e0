//! `x [n,16] -> Gemm -> Relu -> Gemm -> y [n,8]`, with weights that a C program can write down in one line.

use millpond_model::Element;
use millpond_model::onnx::{Dim, Graph};

const IN: i64 = 16;
const HIDDEN: i64 = 32;
const OUT: i64 = 8;

fn weights(graph: &mut Graph, layer: i64, rows: i64, columns: i64) -> millpond_model::onnx::Value {
    let values = (0..rows).flat_map(|row| {
        (0..columns).map(move |column| (row * 7 + column * 3 + layer * 5) % 11 - 5)
    });
    let data: Vec<u8> = values
        .flat_map(|value| (i16::try_from(value).map_or(0.0, f32::from) / 16.0).to_le_bytes())
        .collect();
    graph.constant(Element::F32, &[rows, columns], &data)
}

/// The bytes of `examples/models/mlp.onnx`.
pub(crate) fn model() -> Vec<u8> {
    let mut graph = Graph::new("mlp");
    let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Is(IN)]);
    let first = weights(&mut graph, 1, IN, HIDDEN);
    let hidden = graph.node("Gemm", &[&x, &first], &[]);
    let hidden = graph.node("Relu", &[&hidden], &[]);
    let second = weights(&mut graph, 2, HIDDEN, OUT);
    let y = graph.node("Gemm", &[&hidden, &second], &[]);
    graph.output("y", &y, Element::F32, Some(&[Dim::Any, Dim::Is(OUT)]));
    graph.finish()
}
