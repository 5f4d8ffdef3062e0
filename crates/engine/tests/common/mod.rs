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
    match Engine::load(&search, 2) {
        Ok(engine) => engine,
        Err(error) => panic!("cargo xtask engine installs what these tests need: {error}"),
    }
}

/// The library itself.
#[allow(dead_code, reason = "not every test is a client of it")]
pub(crate) fn library() -> PathBuf {
    engine_path().expect("cargo xtask engine installs what these tests need")
}

fn engine_path() -> Option<PathBuf> {
    let named = std::env::var_os("MILLPOND_ONNXRUNTIME").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv");
    let folder = named.unwrap_or(own);
    if folder.is_file() {
        return Some(folder);
    }
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let packages = entries(&folder.join("lib")).map(|python| python.path());
    let found = packages.flat_map(|python| {
        let folder = python.join("site-packages/onnxruntime/capi");
        entries(&folder).collect::<Vec<_>>()
    });
    let mut paths = found.map(|entry| entry.path());
    let library = paths.find(|path| path.to_string_lossy().contains("libonnxruntime.so"))?;
    std::fs::canonicalize(library).ok()
}
