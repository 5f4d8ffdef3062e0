//! Names the library for the loader, and compiles the one function that Rust cannot define.

fn main() {
    println!("cargo:rerun-if-changed=src/app_log.c");
    for argument in [
        // Without a name the loader could map the library twice, and there would be two runtimes.
        "-Wl,-soname,libascendcl.so",
        // Threads and callbacks outlive dlclose.
        "-Wl,-z,nodelete",
        "-Wl,-z,now",
    ] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
    cc::Build::new()
        .file("src/app_log.c")
        .flag("-fvisibility=hidden")
        .warnings(true)
        .compile("millpond_app_log");
}
