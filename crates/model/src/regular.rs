//! Regular files, of which so much is read and no more.
//!
//! A path is the program's, or comes out of a file: it may lead to a pipe that nobody writes to, or to a device without an end.
//! Such a file is an error at once. The only place of this crate that opens files.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// The most bytes of a model's file: an ONNX file of the largest size, and what a compiled file has around it.
pub const LARGEST_MODEL: u64 = (1 << 31) + (1 << 26);

/// Opens a regular file, and returns it with its length.
pub fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    // Before it is opened, because opening a device may do something.
    need_regular(std::fs::metadata(path)?.file_type())?;
    // Whatever it is by now, opening it does not wait.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    let found = file.metadata()?;
    need_regular(found.file_type())?;
    Ok((file, found.len()))
}

/// Reads a regular file of at most `most` bytes.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open_regular(path)?;
    let too_long = |length: u64| {
        let text = format!("it has {length} bytes; at most {most} are supported");
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    if length > most {
        return Err(too_long(length));
    }
    let mut bytes = Vec::new();
    // It may grow, and some files say that they are empty.
    let mut file = file.take(most.saturating_add(1));
    bytes
        .try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    if read > most {
        return Err(too_long(read));
    }
    Ok(bytes)
}

fn need_regular(kind: FileType) -> io::Result<()> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    let text = format!("it is {what}, not a regular file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_much_is_read_and_no_more() {
        let file = std::env::temp_dir().join(format!("millpond-regular-{}", std::process::id()));
        std::fs::write(&file, [7; 10]).unwrap();
        assert_eq!(read_regular(&file, 10).unwrap(), [7; 10]);
        let error = read_regular(&file, 9).unwrap_err().to_string();
        assert_eq!(error, "it has 10 bytes; at most 9 are supported");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(
            read_regular(&file, 9).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        // Its length is said to be 0.
        let error = read_regular(Path::new("/proc/self/maps"), 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn what_is_no_regular_file_is_an_error_at_once() {
        for (path, what) in [("/dev/zero", "a device"), ("/", "a folder")] {
            let error = read_regular(Path::new(path), 9).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
