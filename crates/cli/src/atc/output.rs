//! Writes compiled files.

use std::fs;
use std::path::{Path, PathBuf};

/// The file for a model: the given name with the extension `.om`, as in the vendor's tool.
pub(super) fn model_path(output: &str) -> PathBuf {
    let has_extension = Path::new(output).extension().is_some_and(|end| end == "om");
    if has_extension {
        PathBuf::from(output)
    } else {
        PathBuf::from(format!("{output}.om"))
    }
}

/// Writes a file completely or not at all: a program may be waiting to load it.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}.part", std::process::id()));
    let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, path));
    written.map_err(|error| {
        drop(fs::remove_file(&draft));
        failed(error)
    })
}

/// A size with a unit.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    for (unit, one) in UNITS {
        if bytes >= one {
            let tenths = bytes / (one / 10).max(1);
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_their_extension_once() {
        for (output, expected) in [
            ("x", "x.om"),
            ("x.om", "x.om"),
            ("a/x.v2", "a/x.v2.om"),
            ("x.onnx", "x.onnx.om"),
        ] {
            assert_eq!(model_path(output), Path::new(expected));
        }
    }

    #[test]
    fn sizes_have_one_digit_after_the_point() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (100 << 20, "100.0 MiB"),
            (3 << 30, "3.0 GiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }
}
