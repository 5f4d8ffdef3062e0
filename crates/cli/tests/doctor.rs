//! `millpond doctor`, with libraries that work and libraries that do not.

mod common;

use std::os::unix::fs::symlink;
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
fn a_file_that_is_no_library_is_found_out() {
    let stage = Stage::bare("doctor-garbage");
    std::fs::write(stage.lib().join("libascendcl.so"), "not a library").expect("a file");
    let result = output(&mut stage.millpond(&["doctor"]));
    assert_eq!(result.status.code(), Some(1));
    assert!(line(&result, "library").contains("cannot be loaded"));
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
fn an_error_of_the_device_is_told_with_its_message() {
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
