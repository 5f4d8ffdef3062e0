//! Opens only regular files.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file for reading. Opening a pipe would block, and a device such as `/dev/zero` has no end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Checked before, because opening some devices has effects, and after, because the file may have been replaced.
    refuse(fs::metadata(path)?.file_type())?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    refuse(file.metadata()?.file_type())?;
    Ok(file)
}

fn refuse(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("this is {what}, not a regular file"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        for (path, what) in [
            ("/dev/zero", "a device"),
            ("/", "a folder"),
            ("/dev/null", "a device"),
        ] {
            let error = open_regular(Path::new(path)).unwrap_err().to_string();
            assert!(
                error.contains(what) && error.contains("not a regular file"),
                "{error}"
            );
        }
        assert!(open_regular(Path::new(file!()).file_name().unwrap().as_ref()).is_err());
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(open_regular(&own).is_ok());
    }
}
