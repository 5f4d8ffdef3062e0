//! Writes the model of the examples: `cargo run -p millpond-model --example mlp > examples/models/mlp.onnx`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(&mlp::model())
}

#[path = "../tests/mlp/mod.rs"]
mod mlp;
