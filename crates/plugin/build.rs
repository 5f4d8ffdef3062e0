//! Names the library for the loader.

fn main() {
    for argument in [
        // Without a name the loader could map the library twice, and a device would have two arenas.
        "-Wl,-soname,libmillpond_plugin.so",
        // A runtime may call the allocator's functions after dlclose.
        "-Wl,-z,nodelete",
        "-Wl,-z,now",
    ] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
