//! `millpond doctor`, with libraries that work and libraries that do not.

mod common;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Output;

use common::{Stage, output, stdout, version};

/// A dist folder in which nothing is missing.
fn complete(name: &str) -> Stage {
    let stage = Stage::new(name);
    let table = include_str!("../../../packaging/companions.txt");
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let companion = line.split_whitespace().next().expect("a name");
        symlink("libascendcl.so", stage.lib().join(companion)).expect("a link");
    }
    for place in ["runtime", "compiler", "opp"] {
        std::fs::create_dir_all(stage.folder.join("dist").join(place)).expect("a folder");
    }
    // Nobody loads it here.
    std::fs::write(stage.lib().join("libascend_kernel_hook.so"), "").expect("a file");
    let headers = stage.folder.join("dist/include/acl");
    std::fs::create_dir_all(&headers).expect("a folder");
    std::fs::write(headers.join("acl.h"), "").expect("a header");
    stage
}

/// The line about one thing.
fn line(result: &Output, name: &str) -> String {
    let text = stdout(result);
    text.lines()
        .find(|line| line.get(9..).is_some_and(|rest| rest.starts_with(name)))
        .unwrap_or_else(|| panic!("no line about {name} in:\n{text}"))
        .to_owned()
}

#[test]
fn a_complete_folder_is_well() {
    let stage = complete("doctor-complete");
    let result = output(&mut stage.millpond(&["doctor"]));
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));
    assert!(line(&result, "library").ends_with(concat!("version ", env!("CARGO_PKG_VERSION"))));
    assert!(line(&result, "device").ends_with("2 x Ascend910B2, 3.0 GiB free of 4.0 GiB each"));
    for name in [
        "library",
        "device",
        "memfd",
        "companions",
        "layout",
        "headers",
        "page size",
    ] {
        assert!(
            line(&result, name).starts_with("ok "),
            "{}",
            line(&result, name)
        );
    }
}

#[test]
fn a_bare_folder_lacks_the_library() {
    let stage = Stage::bare("doctor-bare");
    let result = output(&mut stage.millpond(&["doctor"]));
    assert_eq!(result.status.code(), Some(1));
    assert!(line(&result, "library").starts_with("missing"));
    assert!(stdout(&result).contains("hint: cargo xtask dist"));
}

#[test]
fn a_file_that_is_not_a_library_is_detected() {
    let stage = Stage::bare("doctor-garbage");
    std::fs::write(stage.lib().join("libascendcl.so"), "not a library").expect("a file");
    let result = output(&mut stage.millpond(&["doctor"]));
    assert_eq!(result.status.code(), Some(1));
    assert!(line(&result, "library").contains("cannot load it"));
}

#[test]
fn a_library_that_crashes_does_not_take_the_doctor_along() {
    let stage = complete("doctor-crash");
    let crash = "-DSET_DEVICE=(*(volatile int*)0)";
    stage.library(&stage.lib(), "ours", &[&version(), crash]);
    let result = output(&mut stage.millpond(&["doctor"]));
    assert_eq!(result.status.code(), Some(1));
    assert!(
        line(&result, "device").contains("signal"),
        "{}",
        line(&result, "device")
    );
}

#[test]
fn an_error_of_the_device_is_reported_with_its_message() {
    let stage = complete("doctor-error");
    stage.library(&stage.lib(), "ours", &[&version(), "-DSET_DEVICE=107001"]);
    let result = output(&mut stage.millpond(&["doctor"]));
    assert_eq!(result.status.code(), Some(1));
    assert!(line(&result, "device").contains("aclrtSetDevice returned 107001: EMESSAGE"));
}

#[test]
fn a_vendors_library_in_front_is_noted_and_harms_nothing() {
    let stage = complete("doctor-vendor");
    let result = output(
        stage
            .millpond(&["doctor"])
            .env("LD_LIBRARY_PATH", stage.vendor()),
    );
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));
    assert!(line(&result, "direct start").contains("vendor/lib64/libascendcl.so"));
}

#[test]
fn missing_companions_are_named() {
    let stage = complete("doctor-companions");
    std::fs::remove_file(stage.lib().join("libms_tools_ext.so")).expect("the link");
    let result = output(&mut stage.millpond(&["doctor"]));
    assert_eq!(result.status.code(), Some(1));
    assert!(line(&result, "companions").ends_with("libms_tools_ext.so"));
}

#[test]
fn the_report_for_machines_is_one_json_object() {
    let stage = complete("doctor-json");
    let result = output(&mut stage.millpond(&["doctor", "--json"]));
    let report: serde_json::Value = serde_json::from_slice(&result.stdout).expect("JSON");
    assert_eq!(report["ok"], true);
    let checks = report["checks"].as_array().expect("a list");
    assert_eq!(checks[0]["name"], "library");
    assert_eq!(checks[0]["status"], "ok");
    assert!(checks[0]["hint"].is_null());
}

/// A Python environment with these packages whose interpreter is a script for the shell.
fn environment(stage: &Stage, packages: &[&str], script: &str) -> std::path::PathBuf {
    let environment = stage.folder.join("environment");
    let site = environment.join("lib/python3.11/site-packages");
    for package in packages {
        std::fs::create_dir_all(site.join(format!("{package}.dist-info"))).expect("a package");
    }
    // What the library of torch_npu is for the loader: something that needs ours.
    let lib = site.join("torch_npu/lib");
    std::fs::create_dir_all(&lib).expect("a folder");
    std::fs::rename(stage.program("needs", &[]), lib.join("libtorch_npu.so")).expect("a library");
    std::fs::create_dir_all(environment.join("bin")).expect("a folder");
    std::fs::write(environment.join("pyvenv.cfg"), "version = 3.11.7\n").expect("its settings");
    let python = environment.join("bin/python");
    std::fs::write(&python, format!("#!/bin/sh\n{script}\n")).expect("a script");
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).expect("rights");
    environment
}

const WELL: &str = "echo torch=2.7.1; echo torch_npu=2.7.1.post11; echo devices=1; echo name=Ascend910B2; \
                    echo 'sum=[2.0, 2.0]'";

#[test]
fn an_environment_that_computes_is_well() {
    let stage = complete("doctor-torch");
    let packages = [
        "torch-2.7.1",
        "torch_npu-2.7.1.post11",
        "numpy-2.4.6",
        "PyYAML-6.0.3",
    ];
    let environment = environment(&stage, &packages, WELL);
    let result = output(
        stage
            .millpond(&["doctor", "--torch", "--python"])
            .arg(environment),
    );
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));
    assert!(line(&result, "versions").ends_with("known to work"));
    assert!(line(&result, "library names").starts_with("ok       library names  all 1 "));
}

#[test]
fn the_report_of_an_environment_that_aborts_says_what_to_install() {
    let stage = complete("doctor-torch-abort");
    let packages = ["torch-2.14.0", "torch_npu-2.7.1.post11", "numpy-2.4.6"];
    let environment = environment(&stage, &packages, "echo lost >&2; kill -ABRT $$");
    let result = output(
        stage
            .millpond(&["doctor", "--torch", "--python"])
            .arg(environment.join("bin/python")),
    );
    assert_eq!(result.status.code(), Some(1), "{}", stdout(&result));
    let start = line(&result, "start");
    assert!(start.ends_with("signal 6: lost"), "{start}");
    let text = stdout(&result);
    assert!(text.contains("pip install --no-deps torch_npu==2.14.0"));
}

#[test]
fn an_environment_without_the_packages_is_not_started() {
    let stage = complete("doctor-torch-none");
    let environment = environment(&stage, &["numpy-2.4.6"], "echo started > \"$0.log\"");
    std::fs::write(environment.join("bin/python"), "\x7fELF").expect("no script");
    let result = output(
        stage
            .millpond(&["doctor", "--torch", "--python"])
            .arg(&environment),
    );
    assert_eq!(result.status.code(), Some(1));
    assert!(line(&result, "torch_npu").starts_with("missing"));
    assert!(!environment.join("bin/python.log").exists());
}

#[test]
fn a_reader_that_disappears_does_not_cause_a_panic() {
    let stage = complete("doctor-pipe");
    let mut command = stage.millpond(&["doctor"]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let result = output(command.stdout(writer));
    assert_eq!(common::stderr(&result), "");
    assert_eq!(result.status.code(), Some(0));
}
