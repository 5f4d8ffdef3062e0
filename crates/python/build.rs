//! Makes the extension need `libascendcl.so`, without that library being there.
//!
//! A shared object may leave symbols open; what it needs is the library's name. So an empty library of that name is
//! linked, and there is no order between building the two.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let Some(folder) = std::env::var_os("OUT_DIR").map(PathBuf::from) else {
        return;
    };
    let stub = folder.join("libascendcl.so");
    // The compiler for the processor that the extension is built for.
    let made = cc::Build::new()
        .get_compiler()
        .to_command()
        .args(["-shared", "-nostdlib", "-Wl,-soname,libascendcl.so"])
        .args(["-x", "c", "/dev/null", "-o"])
        .arg(&stub)
        .status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "the C compiler could not make an empty library"
    );
    for argument in [
        "-Wl,--no-as-needed",
        &stub.to_string_lossy(),
        "-Wl,--as-needed",
        // In a wheel the libraries are in the package millpond.
        "-Wl,-rpath,$ORIGIN:$ORIGIN/../millpond/lib64",
        "-Wl,--enable-new-dtags",
        // A library that lacks a function is found out when it is loaded, not in the middle of a program.
        "-Wl,-z,now",
        // Callbacks outlive the module.
        "-Wl,-z,nodelete",
    ] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
