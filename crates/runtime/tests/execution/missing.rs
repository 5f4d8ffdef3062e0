//! Without an engine everything else works, and loading says what to install.

use millpond::{Config, Error, LoadOptions, Runtime};

#[test]
fn without_an_engine_loading_says_what_to_install() {
    let config = Config {
        onnxruntime: Some("/nowhere/at/all".into()),
        capacity: 64 << 20,
        ..crate::common::base()
    };
    let runtime = Runtime::new(config).unwrap();
    let error = runtime
        .load_model(b"", &LoadOptions::default())
        .unwrap_err();
    assert!(matches!(error, Error::NoEngine { .. }));
    let text = error.to_string();
    for part in ["ONNX Runtime", "/nowhere/at/all", "pip install onnxruntime"] {
        assert!(text.contains(part), "{text}");
    }
    let device = runtime.device(0).unwrap();
    device.create_stream().unwrap().synchronize().unwrap();
}

#[test]
fn the_engine_says_which_it_is() {
    let (runtime, _, _) = crate::world::open_eager();
    let info = runtime.engine().expect("cargo xtask engine installs it");
    assert!(info.version.starts_with("1."), "{info:?}");
}
