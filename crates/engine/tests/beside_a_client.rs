//! A client of the same copy of the library that came first. A process of its own, because the library's
//! environment is the process's.
#![expect(unsafe_code, reason = "is a client of the engine")]

mod common;

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use millpond_engine::{SessionOptions, Workers};
use millpond_model::Element;
use millpond_model::onnx::{Dim, Graph};
use ort_sys::{OrtApiBase, OrtLoggingLevel};

type Base = unsafe extern "system" fn() -> *const OrtApiBase;

#[test]
fn models_run_although_the_environment_has_no_threads_to_share() {
    let path = common::library();
    let name = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the name is a string.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    assert!(!handle.is_null(), "{}", path.display());
    // SAFETY: the handle is open and stays so.
    let found = unsafe { libc::dlsym(handle, c"OrtGetApiBase".as_ptr()) };
    // SAFETY: this name has had this type in every version of the library.
    let base = unsafe { std::mem::transmute::<*mut libc::c_void, Base>(found) };
    // SAFETY: takes nothing and answers a constant.
    let base = unsafe { base() };
    // SAFETY: the library's constant.
    let base = unsafe { base.as_ref() }.unwrap();
    // SAFETY: any number may be asked for.
    let api = unsafe { (base.GetApi)(17) };
    // SAFETY: the library's constant.
    let api = unsafe { api.as_ref() }.unwrap();
    let mut env = ptr::null_mut();
    let level = OrtLoggingLevel::ORT_LOGGING_LEVEL_ERROR;
    // SAFETY: the name is a string, and one pointer is written.
    let status = unsafe { (api.CreateEnv)(level, c"client".as_ptr(), &raw mut env) };
    assert!(status.0.is_null());

    let mut graph = Graph::new("g");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let y = graph.node("Relu", &[&x], &[]);
    graph.output("y", &y, Element::F32, None);
    let workers = Workers::Shared;
    let session = common::engine().session(&graph.finish(), SessionOptions { workers });
    assert_eq!(session.unwrap().inputs().len(), 1);
}
