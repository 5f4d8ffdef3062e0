//! Puts the pages of the rules into the command, so that `millpond check --explain` needs no files.

use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("Cargo says where we are"))
        .join("../../docs/rules");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut pages = Vec::new();
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        // A rule's id has a dot; other pages of the folder do not.
        if let Some(id) = stem.filter(|stem| stem.contains('.'))
            && path.extension().is_some_and(|extension| extension == "md")
        {
            println!("cargo:rerun-if-changed={}", path.display());
            let path = path.to_str().expect("a path that Rust can name");
            pages.push(format!("    ({id:?}, include_str!({path:?})),\n"));
        }
    }
    pages.sort();
    let out = Path::new(&env::var("OUT_DIR").expect("Cargo says where to write")).join("pages.rs");
    let text = format!("&[\n{}]\n", pages.concat());
    fs::write(out, text).expect("the folder of build outputs can be written");
}
