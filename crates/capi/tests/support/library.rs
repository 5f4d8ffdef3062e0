//! Where the library that was built beside a test is.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Where `libascendcl.so` is: `target/<profile>`, or its `deps`, whichever has the newer one.
pub(crate) fn library_dir() -> PathBuf {
    if let Some(given) = env::var_os("MILLPOND_TEST_LIB_DIR") {
        return fs::canonicalize(given).unwrap();
    }
    let this = env::current_exe().unwrap();
    let deps = this.parent().unwrap();
    let written = |folder: &Path| {
        fs::metadata(folder.join("libascendcl.so"))
            .and_then(|data| data.modified())
            .ok()
    };
    let profile = deps.parent().unwrap();
    let newest = if written(profile) >= written(deps) {
        profile
    } else {
        deps
    };
    assert!(
        written(newest).is_some(),
        "there is no libascendcl.so in {} or its deps: build millpond-capi first",
        profile.display()
    );
    newest.to_path_buf()
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
