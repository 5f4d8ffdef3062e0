//! The engine for tests.

use std::path::{Path, PathBuf};

use millpond_engine::{Engine, Search};

/// ONNX Runtime: what `MILLPOND_ONNXRUNTIME` names, else the repository's own environment.
///
/// Without it these tests fail, so that nobody takes silence for success.
pub(crate) fn engine() -> &'static Engine {
    let named = std::env::var_os("MILLPOND_ONNXRUNTIME").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv");
    let search = Search {
        named: Some(named.unwrap_or(own)),
        ..Search::default()
    };
    match Engine::load(&search) {
        Ok(engine) => engine,
        Err(error) => panic!("cargo xtask engine installs what these tests need: {error}"),
    }
}
