//! An empty shared library, for a name that a client expects in `LD_PRELOAD`.
//!
//! It is written byte by byte, because users need not have a linker. It is as small as the loader accepts: one segment,
//! an empty symbol table, and the mark that no executable stack is needed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const HEADER: usize = 64;
const SEGMENT: usize = 56;
const ENTRY: usize = 16;
const SYMBOL: usize = 24;

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const STACK: u32 = 0x6474_e551;
const READ_WRITE: u32 = 6;

/// Tags of the dynamic table.
const HASH: u64 = 4;
const STRINGS: u64 = 5;
const SYMBOLS: u64 = 6;
const STRING_BYTES: u64 = 10;
const SYMBOL_BYTES: u64 = 11;

/// The bytes of an empty library for the machine of this command.
pub(super) fn library() -> io::Result<Vec<u8>> {
    let mut own = [0; HEADER];
    File::open("/proc/self/exe")?.read_exact_at(&mut own, 0)?;
    Ok(like(&own))
}

/// An empty library for the machine of an executable with this header.
fn like(own: &[u8; HEADER]) -> Vec<u8> {
    const SEGMENTS: usize = 3;
    const ENTRIES: usize = 6;
    /// Larger than any machine's page.
    const ALIGNMENT: u64 = 0x1_0000;

    let dynamic = HEADER + SEGMENTS * SEGMENT;
    let symbols = dynamic + ENTRIES * ENTRY;
    let hash = symbols + SYMBOL;
    let strings = hash + 16;
    let end = strings + 8;

    let mut file = vec![0; end];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);

    put(0, b"\x7fELF");
    put(4, &own[4..7]); // word size, byte order, version
    put(16, &3_u16.to_le_bytes()); // a shared library
    put(18, &own[18..20]); // machine
    put(20, &1_u32.to_le_bytes());
    put(32, &wide(HEADER)); // where the segments are described
    put(48, &own[48..52]); // flags of the machine
    for (at, value) in [(52, HEADER), (54, SEGMENT), (56, SEGMENTS)] {
        put(at, &wide(value)[..2]);
    }

    let segments = [
        (LOAD, 0, end, ALIGNMENT),
        (DYNAMIC, dynamic, ENTRIES * ENTRY, 8),
        (STACK, 0, 0, 16),
    ];
    for (index, (kind, offset, bytes, alignment)) in segments.into_iter().enumerate() {
        let at = HEADER + index * SEGMENT;
        put(at, &kind.to_le_bytes());
        // The loader writes into the dynamic table.
        put(at + 4, &READ_WRITE.to_le_bytes());
        for (field, value) in [(8, offset), (16, offset), (24, offset)] {
            put(at + field, &wide(value));
        }
        put(at + 32, &wide(bytes));
        put(at + 40, &wide(bytes));
        put(at + 48, &alignment.to_le_bytes());
    }

    let entries = [
        (HASH, hash),
        (STRINGS, strings),
        (SYMBOLS, symbols),
        (STRING_BYTES, 1),
        (SYMBOL_BYTES, SYMBOL),
        // The last one is zero and ends the table.
    ];
    for (index, (tag, value)) in entries.into_iter().enumerate() {
        let at = dynamic + index * ENTRY;
        put(at, &tag.to_le_bytes());
        put(at + 8, &wide(value));
    }

    // One bucket and one chain, for the null symbol that every table begins with.
    put(hash, &1_u32.to_le_bytes());
    put(hash + 4, &1_u32.to_le_bytes());
    file
}

fn wide(value: usize) -> [u8; 8] {
    u64::try_from(value).unwrap_or(u64::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::{Executable, machine};
    use std::fs;
    use std::process::Command;

    #[test]
    fn the_loader_accepts_it_silently() {
        let file = std::env::temp_dir().join(format!("millpond-{}-empty.so", std::process::id()));
        fs::write(&file, library().unwrap()).unwrap();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "grep -c \"$LD_PRELOAD\" /proc/self/maps"]);
        let output = command.env("LD_PRELOAD", &file).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_ne!(String::from_utf8_lossy(&output.stdout).trim(), "0");
        assert!(output.status.success());

        let read = Executable::read(&file).unwrap();
        assert!(!read.dynamic && read.needed.is_empty());
        let own = std::env::current_exe().unwrap();
        assert_eq!(machine(&file), machine(&own));
        fs::remove_file(file).unwrap();
    }
}
