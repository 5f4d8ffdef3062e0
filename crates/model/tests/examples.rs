//! The model that the examples use is the one that this crate writes.

mod mlp;

#[test]
fn the_model_of_the_examples_is_fresh() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/models/mlp.onnx"
    );
    let kept = std::fs::read(file).unwrap_or_default();
    assert!(
        kept == mlp::model(),
        "run: cargo run -p millpond-model --example mlp > examples/models/mlp.onnx"
    );
}
